"""Dates in the words of a column: their formats, of which a column may have a few, as days since 1970."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mmc._optional import pandas as pd
from mmc.datasets._meaning import LONGEST, SHARE, Numbers, Words, mostly

Array = npt.NDArray[np.float64]

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
    fitting = [len(word) <= LONGEST and _LIKE_A_DATE.match(word) is not None for word in found.words]
    if not mostly(found, fitting):
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
        if mostly(found, fits):
            values = _parsed(texts, name, fits)
            if mostly(found, np.isfinite(values)):
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
    if not mostly(found, np.logical_or.reduce([fits for _, fits in ways] or [np.zeros(1, dtype=bool)])):
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
    return _dated(found, values, _OR.join(chosen)) if mostly(found, np.isfinite(values)) else None


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
    if not eight.any() or eight.sum() < SHARE * finite.sum():
        return None
    result = np.full(len(values), np.nan)
    texts = pd.Series(values[eight].astype(np.int64).astype(str))
    result[eight] = days(pd.to_datetime(texts, format=COMPACT, errors="coerce", utc=True))
    return result if np.isfinite(result).sum() >= SHARE * finite.sum() else None


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
