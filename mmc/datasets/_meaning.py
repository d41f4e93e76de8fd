"""What the words of a column of text mean: amounts with a unit, dates, truth values, or words.

The reader keeps such columns as they are, and so do the files that are written. Only the numbers by which
rows are compared are made here, for each different word once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from mmc.datasets._cells import MISSING
from mmc.datasets._columns import Votes, convert, decimal_mark, survey
from mmc.datasets._packed import Piece

Array = npt.NDArray[np.float64]

#: Words that stand for a missing value beside those of the reader.
_ABSENT = MISSING | {"n.a.", "none", "missing", "k.a.", "<na>", "nat"}

#: Share of the values of a column that must be numbers, or dates, for it to be one of them; the other words
#: are missing values then, at most so many different ones.
_SHARE, _MOST_STRAY = 0.9, 3

#: Number of characters beyond which a word is no amount and no date.
_LONGEST = 60

#: Number of different units beyond which words are no amounts.
_MOST_UNITS = 5

#: Words for what is not known, of which such a column may have any number.
_UNKNOWN = frozenset(
    ("unknown", "unbekannt", "not available", "not applicable", "keine angabe", "inconnu", "tbd", "--", "---")
)

#: Spellings of no and yes, each beside its opposite.
_TRUTHS = (
    ("false", "true"),
    ("no", "yes"),
    ("n", "y"),
    ("nein", "ja"),
    ("falsch", "wahr"),
    ("non", "oui"),
    ("f", "t"),
    ("off", "on"),
)

_SIGN = r"[%‰°€$£¥₹₽₩₺¢]|[A-Z]{1,3}[$€£¥]"
#: Letters before a number are a currency only if there are three, so that A1 stays a word.
_BEFORE = rf"{_SIGN}|[A-Z]{{3}}"
_ONE = rf"°[CF]|{_SIGN}|[^\W\d_]{{1,5}}"
_AFTER = rf"(?:{_ONE})?/[^\W\d_]{{1,5}}[23]?|{_ONE}"
#: Words for thousands, millions and billions. Where all cells have the same capital and no currency it is a
#: unit, such as 300 K of temperature.
_SCALES = {
    **dict.fromkeys(("k", "K", "tsd", "tsd."), 1e3),
    **dict.fromkeys(("M", "mn", "mio", "mio.", "mln"), 1e6),
    **dict.fromkeys(("B", "bn", "mrd", "mrd."), 1e9),
}
_SCALE = r"[kKMB]|bn|mn|mln|[mM]io\.?|[mM]rd\.?|[tT]sd\.?"
_AMOUNT = re.compile(
    rf"(?P<minus>[-−+]?)\s*(?P<before>{_BEFORE})?\s*(?P<number>[-−+]?[0-9.,][0-9.,'’\s]*[-−]?)\s*"
    rf"(?:(?P<scale>{_SCALE})(?![^\W\d_])\s*)?(?P<after>{_AFTER})?"
)
#: Format of amounts in which they count.
IN_FULL = "in full"
#: Negative amounts, and nothing, as spreadsheets write sums of money.
_ACCOUNTING = re.compile(rf"(?P<before>{_SIGN})\s*(?:\((?P<negative>[^()]*)\)|[-−])")

#: Times of day and durations, which are hours, and what is said of them.
_CLOCK = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:[.,]\d+)?))?")
HOURS = "hours"

_CLOCKS = (
    ("", r""),
    (" %H:%M", r" \d{1,2}:\d{2}"),
    (" %H:%M:%S", r" \d{1,2}:\d{2}:\d{2}"),
    (" %I:%M %p", r" \d{1,2}:\d{2} ?[AaPp][Mm]"),
    (" %I:%M:%S %p", r" \d{1,2}:\d{2}:\d{2} ?[AaPp][Mm]"),
)
_DAYS = (
    ("%Y/%m/%d", r"\d{4}/\d{1,2}/\d{1,2}"),
    ("%d.%m.%Y", r"\d{1,2}\.\d{1,2}\.\d{4}"),
    ("%d.%m.%y", r"\d{1,2}\.\d{1,2}\.\d{2}"),
    ("%m/%d/%Y", r"\d{1,2}/\d{1,2}/\d{4}"),
    ("%d/%m/%Y", r"\d{1,2}/\d{1,2}/\d{4}"),
    ("%m/%d/%y", r"\d{1,2}/\d{1,2}/\d{2}"),
    ("%d/%m/%y", r"\d{1,2}/\d{1,2}/\d{2}"),
    ("%d-%m-%Y", r"\d{1,2}-\d{1,2}-\d{4}"),
    ("%m-%d-%Y", r"\d{1,2}-\d{1,2}-\d{4}"),
    ("%d %b %Y", r"\d{1,2} [A-Za-z]{3} \d{4}"),
    ("%d %B %Y", r"\d{1,2} [A-Za-z]{3,9} \d{4}"),
    ("%d. %b %Y", r"\d{1,2}\. [A-Za-z]{3} \d{4}"),
    ("%d. %B %Y", r"\d{1,2}\. [A-Za-z]{3,9} \d{4}"),
    ("%b %d, %Y", r"[A-Za-z]{3} \d{1,2}, \d{4}"),
    ("%B %d, %Y", r"[A-Za-z]{3,9} \d{1,2}, \d{4}"),
    ("%d-%b-%Y", r"\d{1,2}-[A-Za-z]{3}-\d{4}"),
)
_MONTHS = (
    ("%Y-%m", r"\d{4}-\d{2}"),
    ("%m/%Y", r"\d{2}/\d{4}"),
    ("%b %Y", r"[A-Za-z]{3} \d{4}"),
    ("%B %Y", r"[A-Za-z]{3,9} \d{4}"),
)
ISO = "ISO8601"
_ISO_TEXT = (
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
)
#: Formats of dates, and the patterns of their texts, in the order in which they are tried.
_FORMATS = (
    (ISO, _ISO_TEXT),
    *((day + clock, text + time) for day, text in _DAYS for clock, time in _CLOCKS),
    *_MONTHS,
)
#: How dates of all formats begin.
_LIKE_A_DATE = re.compile(r"\d{1,4}[-/. ]|[^\W\d_]{3,9} \d")
#: German names of months, where they are not the English ones.
_GERMAN_MONTHS = {
    **{"januar": "January", "jänner": "January", "februar": "February", "mär": "Mar", "märz": "March"},
    **{"mai": "May", "juni": "June", "juli": "July", "okt": "Oct", "oktober": "October"},
    **{"dez": "Dec", "dezember": "December"},
}
_NAME = re.compile(r"[^\W\d_]+")
#: Number of ways in which the dates of a column can be written, and what stands between their names.
_MOST_WAYS, _OR = 4, " or "
#: Format of dates that are whole numbers, and the first and the last of them.
COMPACT, _FIRST_DAY, _LAST_DAY = "%Y%m%d", 1800_01_01, 2200_12_31
_SPOKEN_FORMATS = {"%d": "day", "%m": "month", "%b": "month", "%B": "month", "%Y": "year", "%y": "year"}


class Words(NamedTuple):
    """The different words of a column, and where they stand.

    Attributes
    ----------
    words : list of str
        Different words, stripped, in the order of their first places.
    codes : ndarray of shape (n,)
        Position of each cell's word; −1 for missing values.
    """

    words: list[str]
    codes: npt.NDArray[np.int64]

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Number of cells of each word."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.words))

    def spread(self, values: Array) -> Array:
        """Return the value of each cell from that of each word; missing cells are NaN."""
        return np.append(values, np.nan)[self.codes]


class Numbers(NamedTuple):
    """Numbers that words were read as.

    Attributes
    ----------
    values : ndarray
        One for each word; NaN where a word is none.
    stray : list of str
        Words that are no numbers.
    unit : str
        What stands beside the numbers; empty if nothing does.
    format : str
        How dates are written; `IN_FULL` for amounts of thousands, millions or billions; empty for others.
    """

    values: Array
    stray: list[str]
    unit: str = ""
    format: str = ""


def words_of(values: pd.Series) -> Words:
    """Return the different words of a column of text, of truth values or of dates.

    Parameters
    ----------
    values : Series
        Column of a table.

    Returns
    -------
    Words
    """
    codes, different = pd.factorize(values.astype(object))
    texts = [str(word).strip() for word in different]
    known: dict[str, int] = {}
    places = np.full(len(texts) + 1, -1, dtype=np.int64)
    for i, text in enumerate(texts):
        if text.lower() not in _ABSENT:
            places[i] = known.setdefault(text, len(known))
    return Words(list(known), places[codes])


def as_truths(found: Words) -> Words | None:
    """Return spellings of no and yes as these two words, or None if they are something else.

    Parameters
    ----------
    found : Words
        Words of a column.

    Returns
    -------
    Words or None
    """
    spelt = [word.casefold() for word in found.words]
    for pair in _TRUTHS:
        if spelt and set(spelt) <= set(pair):
            places = np.array([pair.index(word) for word in spelt] + [-1])
            return Words(["no", "yes"], places[found.codes])
    return None


def numbers(found: Words, decimal: str, preferred: str = "") -> Numbers | None:
    """Read words as numbers, with or without a unit, which is the same for all.

    Parameters
    ----------
    found : Words
        Words of a column.
    decimal : str
        Decimal mark of the file, for columns that do not show theirs.
    preferred : str
        Format of the same column in another table: `IN_FULL` if K, M and B count there.

    Returns
    -------
    Numbers or None
        None if the words are something else.
    """
    hours = _hours(found)
    if hours is not None:
        return hours
    parts = [_amount(word) for word in found.words]
    known = [part for part in parts if part is not None]
    units = {part.unit for part in known} - {""}
    scales = {part.scale for part in known}
    if not units and scales <= {"K", "M", "B"} and len(scales) == 1 and preferred != IN_FULL:
        units, scales = scales, {""}
        known = [part._replace(scale="") for part in known]
    stray = [word for word, part in zip(found.words, parts, strict=True) if part is None]
    if any(map(str.isalpha, units)) and any(part.scale and not part.unit for part in known):
        return None  # 3 M is something else than 3 MB
    if len(units) > 1 or not _mostly(found, [part is not None for part in parts]):
        return None
    bodies = [part.body for part in known]
    piece = Piece(pa.array(bodies, type=pa.string()))
    votes = Votes()
    votes.add([piece])
    mark = decimal_mark(votes)
    for each in (decimal if mark.doubtful else mark.decimal, decimal, mark.decimal):
        what = survey([piece], each)
        if what.notation is not None:
            break
    else:
        return None
    read = convert([piece], what, False).to_numpy(dtype=np.float64, na_value=np.nan)
    values = np.full(len(parts), np.nan)
    values[[part is not None for part in parts]] = [
        (-value if part.negative else value) * _SCALES.get(part.scale, 1.0)
        for value, part in zip(read.tolist(), known, strict=True)
    ]
    is_scaled = scales != {""}
    return Numbers(values, stray, next(iter(units | (scales - {""})), ""), IN_FULL if is_scaled else "")


def several_units(found: Words) -> list[str]:
    """Return the units of amounts that cannot be compared, because they have several.

    Parameters
    ----------
    found : Words
        Words of a column.

    Returns
    -------
    list of str
        In the order of their first places; empty if the words are something else.
    """
    parts = [_amount(word) for word in found.words]
    units = list(dict.fromkeys(part.unit for part in parts if part is not None and part.unit))
    fits = [part is not None and bool(part.unit) for part in parts]
    return units if 1 < len(units) <= _MOST_UNITS and _mostly(found, fits) else []


def dates(found: Words, decimal: str, preferred: str = "") -> Numbers | None:
    """Read words as dates, in days since the beginning of 1970.

    Parameters
    ----------
    found : Words
        Words of a column.
    decimal : str
        Decimal mark of the file: where it is a comma, 1/2/2024 is in February.
    preferred : str
        Format that is tried first.

    Returns
    -------
    Numbers or None
        None if the words are something else.
    """
    fitting = [len(word) <= _LONGEST and _LIKE_A_DATE.match(word) is not None for word in found.words]
    if not _mostly(found, fitting):
        return None
    words = [
        _NAME.sub(lambda name: _GERMAN_MONTHS.get(name[0].lower(), name[0]), word) if fits else ""
        for word, fits in zip(found.words, fitting, strict=True)
    ]
    known = preferred.split(_OR)
    order = sorted(_FORMATS, key=lambda each: (each[0] not in known, decimal == "," and each[0][:2] == "%m"))
    texts = pd.Series(words, dtype=object)
    ways: list[tuple[str, npt.NDArray[np.bool_]]] = []
    for name, pattern in order:
        fits = np.array([re.fullmatch(pattern, word) is not None for word in words], dtype=bool)
        if not fits.any():
            continue
        ways.append((name, fits))
        if _mostly(found, fits):
            values = _parsed(texts, name, fits)
            if _mostly(found, np.isfinite(values)):
                return _dated(found, values, name)
    return _dates_in_several_ways(found, texts, ways)


def _parsed(texts: pd.Series, name: str, fits: npt.NDArray[np.bool_]) -> Array:
    """Return the days of words in a format; NaN for others."""
    values = np.full(len(fits), np.nan)
    values[fits] = days(pd.to_datetime(texts[fits], format=name, errors="coerce", utc=True))
    return values


def _dated(found: Words, values: Array, name: str) -> Numbers:
    stray = [word for word, value in zip(found.words, values, strict=True) if not np.isfinite(value)]
    return Numbers(values, stray, format=name)


def _dates_in_several_ways(
    found: Words, texts: pd.Series, ways: Sequence[tuple[str, npt.NDArray[np.bool_]]]
) -> Numbers | None:
    """Read words as dates of a few formats, the one of most words first, none of which contradict another."""
    if not _mostly(found, np.logical_or.reduce([fits for _, fits in ways] or [np.zeros(1, dtype=bool)])):
        return None
    values = np.full(len(texts), np.nan)
    chosen: list[str] = []
    while len(chosen) < _MOST_WAYS and np.isnan(values).any():
        # Where one day comes before its month, all do.
        day_first = any(name.startswith("%d") for name in chosen)
        month_first = any(name.startswith("%m/%d") for name in chosen)
        best: tuple[int, str, Array] | None = None
        for name, fits in ways:
            if (day_first and name.startswith("%m/%d")) or (month_first and name.startswith("%d/%m")):
                continue
            parsed = _parsed(texts, name, fits & np.isnan(values))
            n = int(np.isfinite(parsed).sum())
            if n > (0 if best is None else best[0]):
                best = n, name, parsed
        if best is None:
            break
        chosen.append(best[1])
        values = np.where(np.isnan(values), best[2], values)
    return _dated(found, values, _OR.join(chosen)) if _mostly(found, np.isfinite(values)) else None


def compact_dates(values: Array) -> Array | None:
    """Read numbers such as 20240131 as dates, in days since the beginning of 1970.

    Parameters
    ----------
    values : ndarray
        Numbers; NaN where they are missing.

    Returns
    -------
    ndarray or None
        NaN where a number is no date; None if fewer than nine in ten are, or none.
    """
    finite = np.isfinite(values)
    eight = finite & (values >= _FIRST_DAY) & (values <= _LAST_DAY) & (values % 1 == 0)
    if not eight.any() or eight.sum() < _SHARE * finite.sum():
        return None
    result = np.full(len(values), np.nan)
    texts = pd.Series(values[eight].astype(np.int64).astype(str))
    result[eight] = days(pd.to_datetime(texts, format=COMPACT, errors="coerce", utc=True))
    return result if np.isfinite(result).sum() >= _SHARE * finite.sum() else None


def days(values: pd.Series) -> Array:
    """Return dates as days since the beginning of 1970; missing ones are NaN.

    Parameters
    ----------
    values : Series of dates
        Column of a table.

    Returns
    -------
    ndarray
    """
    utc = values.dt.tz_convert(None) if getattr(values.dt, "tz", None) is not None else values
    numbers = utc.to_numpy(dtype="datetime64[us]")
    result = numbers.astype(np.int64) / 86_400e6
    result[np.isnat(numbers)] = np.nan
    return np.asarray(result, dtype=np.float64)


def spoken_format(name: str) -> str:
    """Return a format of dates in words.

    Parameters
    ----------
    name : str
        Format of `Numbers`.

    Returns
    -------
    str
    """
    return _OR.join(dict.fromkeys(map(_spoken, name.split(_OR))))


def _spoken(name: str) -> str:
    if name == ISO:
        return "year-month-day"
    if name == COMPACT:
        return "year, month and day in one number"
    day = name.split(" %H")[0].split(" %I")[0]
    for code, word in _SPOKEN_FORMATS.items():
        day = day.replace(code, word)
    return day


def _hours(found: Words) -> Numbers | None:
    """Read times of day or durations as hours, or return None if the words are something else."""
    matches = [_CLOCK.fullmatch(word) for word in found.words]
    if not _mostly(found, [match is not None for match in matches]):
        return None
    values = [
        np.nan
        if match is None
        else int(match[1]) + int(match[2]) / 60 + float((match[3] or "0").replace(",", ".")) / 3600
        for match in matches
    ]
    stray = [word for word, match in zip(found.words, matches, strict=True) if match is None]
    return Numbers(np.array(values), stray, HOURS)


class _Amount(NamedTuple):
    body: str
    unit: str
    scale: str
    negative: bool


def _amount(word: str) -> _Amount | None:
    """Split a number from its unit; parentheses and a minus before the unit or behind make it negative."""
    if len(word) > _LONGEST:
        return None
    if money := _ACCOUNTING.fullmatch(word):
        word = (
            f"{money['before']}0" if money["negative"] is None else f"({money['before']}{money['negative']})"
        )
    in_brackets = word.startswith("(") and word.endswith(")")
    match = _AMOUNT.fullmatch(word[1:-1].strip() if in_brackets else word)
    if match is None:
        return None
    before, after, scale = match["before"], match["after"], match["scale"] or ""
    if before and after in ("m", "b"):  # of money
        scale, after = after.upper(), None
    if before and after:
        return None
    number = match["number"].strip().replace("−", "-")
    unit = before or after or ""
    behind = number.endswith("-")
    if behind and (not number[-2:-1].isdigit() or scale or unit.isalpha()):
        return None
    number = number.removesuffix("-")
    if unit and number.startswith("+"):
        number = number[1:]
    negative = in_brackets or behind or match["minus"] in ("-", "−")
    if not any(c.isdigit() for c in number) or (negative and number[0] in "+-"):
        return None
    return _Amount(number, unit, scale if scale in ("K", "M", "B") else scale.lower(), negative)


def _mostly(found: Words, fits: Any) -> bool:
    """Return whether so many cells fit that the others are stray words."""
    fitting, counts = np.asarray(fits, dtype=bool), found.counts
    unknown = np.array([word.casefold() in _UNKNOWN for word in found.words], dtype=bool) & ~fitting
    if not fitting.any() or np.count_nonzero(~fitting & ~unknown) > _MOST_STRAY:
        return False
    return bool(counts[fitting].sum() >= _SHARE * counts[~unknown].sum())
