"""What the words of a column of text mean: amounts with a unit, dates, truth values, or words.

The reader keeps such columns as they are, and so do the files that are written. Only the numbers by which
rows are compared are made here, for each different word once.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mmc._optional import pandas as pd
from mmc._optional import pyarrow as pa
from mmc.datasets._cells import MISSING
from mmc.datasets._columns import Votes, convert, decimal_mark, survey
from mmc.datasets._packed import Piece

Array = npt.NDArray[np.float64]

#: Words that stand for a missing value beside those of the reader.
_ABSENT = MISSING | {"n.a.", "none", "missing", "k.a.", "<na>", "nat"}

#: Share of the values of a column that must be numbers, or dates, for it to be one of them; the other words
#: are missing values then, at most so many different ones.
_SHARE, _MOST_STRAY = 0.9, 3

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
_BEFORE, _AFTER = rf"{_SIGN}|[A-Z]{{3}}", rf"{_SIGN}|[^\W\d_]{{1,5}}"
_AMOUNT = re.compile(
    rf"(?P<minus>[-−+]?)\s*(?P<before>{_BEFORE})?\s*(?P<number>[-−+]?[0-9.,][0-9.,'’\s]*)\s*(?P<after>{_AFTER})?"
)

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
    ("%b %d, %Y", r"[A-Za-z]{3} \d{1,2}, \d{4}"),
    ("%B %d, %Y", r"[A-Za-z]{3,9} \d{1,2}, \d{4}"),
    ("%d-%b-%Y", r"\d{1,2}-[A-Za-z]{3}-\d{4}"),
)
ISO = "ISO8601"
_ISO_TEXT = (
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?"
)
#: Formats of dates, and the patterns of their texts, in the order in which they are tried.
_FORMATS = (
    (ISO, _ISO_TEXT),
    *((day + clock, text + time) for day, text in _DAYS for clock, time in _CLOCKS),
)
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
        How dates are written; empty for other numbers.
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


def numbers(found: Words, decimal: str) -> Numbers | None:
    """Read words as numbers, with or without a unit, which is the same for all.

    Parameters
    ----------
    found : Words
        Words of a column.
    decimal : str
        Decimal mark of the file, for columns that do not show theirs.

    Returns
    -------
    Numbers or None
        None if the words are something else.
    """
    parts = [_amount(word) for word in found.words]
    units = {part.unit for part in parts if part is not None} - {""}
    stray = [word for word, part in zip(found.words, parts, strict=True) if part is None]
    if len(units) > 1 or not _mostly(found, [part is not None for part in parts]):
        return None
    bodies = [part.body for part in parts if part is not None]
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
    values[[part is not None for part in parts]] = read
    sign = np.array([-1.0 if part is not None and part.negative else 1.0 for part in parts])
    return Numbers(sign * values, stray, next(iter(units), ""))


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
    order = sorted(_FORMATS, key=lambda each: (each[0] != preferred, decimal == "," and each[0][:2] == "%m"))
    texts = pd.Series(found.words, dtype=object)
    for name, pattern in order:
        fits = np.array([re.fullmatch(pattern, word) is not None for word in found.words], dtype=bool)
        if not _mostly(found, fits):
            continue
        parsed = pd.to_datetime(texts[fits], format=name, errors="coerce", utc=True)
        fits[fits] = parsed.notna().to_numpy()
        if _mostly(found, fits):
            values = np.full(len(fits), np.nan)
            values[fits] = days(parsed.dropna())
            stray = [word for word, fit in zip(found.words, fits, strict=True) if not fit]
            return Numbers(values, stray, format=name)
    return None


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
    if name == ISO:
        return "year-month-day"
    day = name.split(" %H")[0].split(" %I")[0]
    for code, word in _SPOKEN_FORMATS.items():
        day = day.replace(code, word)
    return day


class _Amount(NamedTuple):
    body: str
    unit: str
    negative: bool


def _amount(word: str) -> _Amount | None:
    """Split a number from its unit; parentheses and a minus before the unit make it negative."""
    in_brackets = word.startswith("(") and word.endswith(")")
    match = _AMOUNT.fullmatch(word[1:-1].strip() if in_brackets else word)
    if match is None or (match["before"] and match["after"]):
        return None
    number = match["number"].strip().replace("−", "-")
    unit = match["before"] or match["after"] or ""
    if unit and number.startswith("+"):
        number = number[1:]
    negative = in_brackets or match["minus"] in ("-", "−")
    if not any(c.isdigit() for c in number) or (negative and number[0] in "+-"):
        return None
    return _Amount(number, unit, negative)


def _mostly(found: Words, fits: Any) -> bool:
    """Return whether so many cells fit that the others are stray words."""
    fitting, counts = np.asarray(fits, dtype=bool), found.counts
    if not fitting.any() or np.count_nonzero(~fitting) > _MOST_STRAY:
        return False
    return bool(counts[fitting].sum() >= _SHARE * counts.sum())
