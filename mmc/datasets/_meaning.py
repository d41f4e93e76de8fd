"""What the words of a column of text mean: amounts with a unit, times, truth values, or words.

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
SHARE, _MOST_STRAY = 0.9, 3

#: Number of characters beyond which a word is no amount and no date.
LONGEST = 60

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
    if len(units) > 1 or not mostly(found, [part is not None for part in parts]):
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
    return units if 1 < len(units) <= _MOST_UNITS and mostly(found, fits) else []


def _hours(found: Words) -> Numbers | None:
    """Read times of day or durations as hours, or return None if the words are something else."""
    matches = [_CLOCK.fullmatch(word) for word in found.words]
    if not mostly(found, [match is not None for match in matches]):
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
    if len(word) > LONGEST:
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


def mostly(found: Words, fits: Any) -> bool:
    """Return whether so many cells fit that the others are stray words.

    Parameters
    ----------
    found : Words
        Words of a column.
    fits : array-like of shape (n_words,)
        Which words fit.

    Returns
    -------
    bool
    """
    fitting, counts = np.asarray(fits, dtype=bool), found.counts
    unknown = np.array([word.casefold() in _UNKNOWN for word in found.words], dtype=bool) & ~fitting
    if not fitting.any() or np.count_nonzero(~fitting & ~unknown) > _MOST_STRAY:
        return False
    return bool(counts[fitting].sum() >= SHARE * counts[~unknown].sum())
