"""The meaning of the text of a cell: a number, a missing value, or a word.

A file has one decimal mark. If it is a comma, ``1.5`` is not a number, because it could be fifteen hundred in
another notation, and a guess could change data without notice.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from mmc.datasets._errors import listed

MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "?", "-"})
# In a column of words, such as a class column of + and -, a single minus is a word.
MISSING_WORDS = MISSING - {"-"}

# One optional group after the digits keeps the match linear in the length of the cell.
_INFINITE = r"inf(?:inity)?"
_EXPONENT = r"(?:e[+-]?\d+)?"
_FLAGS = re.ASCII | re.IGNORECASE
_NUMBER = {
    ".": re.compile(rf"[+-]?(?:\d+(?:\.\d*)?{_EXPONENT}|\.\d+{_EXPONENT}|{_INFINITE})", _FLAGS),
    ",": re.compile(rf"[+-]?(?:\d+(?:,\d+)?{_EXPONENT}|,\d+{_EXPONENT}|{_INFINITE})", _FLAGS),
}
_FRACTION = {
    ".": re.compile(rf"[+-]?\d*\.\d+{_EXPONENT}", _FLAGS),
    ",": re.compile(rf"[+-]?\d*,\d+{_EXPONENT}", _FLAGS),
}
_INT64 = re.compile(r"[+-]?\d{1,18}", re.ASCII)


def is_number(cell: str, decimal: str = ".", *, finite: bool = False) -> bool:
    """Return whether a cell is a number; with ``finite``, infinities are not."""
    text = cell.strip()
    if _NUMBER[decimal].fullmatch(text) is None:
        return False
    return not finite or math.isfinite(float(text.replace(",", ".")))


def is_missing(cell: str) -> bool:
    """Return whether a cell is a missing number."""
    return cell.strip().lower() in MISSING


def decimal_mark(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    """Find the decimal mark of a file: the one that most fractions use."""
    if delimiter == ",":
        return "."
    cells = [cell.strip() for row in rows for cell in row if "," in cell or "." in cell]
    points, commas = (sum(_FRACTION[mark].fullmatch(cell) is not None for cell in cells) for mark in ".,")
    return "," if commas > points else "."


def numbers(cells: Sequence[str], decimal: str) -> npt.NDArray[np.float64] | None:
    """Read a column as numbers, missing ones as NaN; None if it is not a numeric column.

    A column is numeric when every cell is a number or missing and at least one is finite.
    """
    values = np.full(len(cells), np.nan)
    for i, cell in enumerate(cells):
        text = cell.strip()
        if _NUMBER[decimal].fullmatch(text):
            values[i] = float(text.replace(",", "."))
        elif not is_missing(text):
            return None
    return values if np.isfinite(values).any() else None


def column(cells: Sequence[str], decimal: str) -> pd.Series:
    """Convert a column to whole numbers, numbers, or unchanged text."""
    values = numbers(cells, decimal)
    if values is None:
        return pd.Series([cell if cell.strip() else None for cell in cells])
    present = [cell.strip() for cell in cells if not is_missing(cell)]
    if not all(_INT64.fullmatch(text) for text in present):
        return pd.Series(values)
    # Whole numbers keep their type, so that they are written as they were read, 5 and not 5.0.
    if len(present) == len(cells):
        return pd.Series([int(cell) for cell in cells], dtype="int64")
    return pd.Series([pd.NA if is_missing(cell) else int(cell) for cell in cells], dtype="Int64")


def has_header(rows: Sequence[Sequence[str]], decimal: str) -> bool:
    """Return whether the first row contains the column names."""
    first = rows[0]
    numeric = [is_number(cell, decimal) for cell in first]
    if not any(numeric):
        return True
    if not first[0].strip() and list(first[1:]) == [str(i) for i in range(len(first) - 1)]:
        return True  # a table with numbered columns and an unnamed index, as pandas writes it
    words = [j for j, cell in enumerate(first) if not numeric[j] and not is_missing(cell)]
    return any(numbers([row[j] for row in rows[1:]], decimal) is not None for j in words)


class Names(NamedTuple):
    """Column names, all different and none empty, and a note if some were changed."""

    names: list[str]
    notes: list[str]


def unique_names(given: Sequence[str]) -> Names:
    """Make the column names unique by numbering empty and repeated ones."""
    stripped = [name.strip() for name in given]
    taken, used, names = set(stripped), set[str](), []
    for position, name in enumerate(stripped, start=1):
        wanted = name or f"column_{position}"
        unique, number = wanted, 1
        while unique in used or (unique != name and unique in taken):
            number += 1
            unique = f"{wanted} ({number})"
        used.add(unique)
        names.append(unique)
    changed = [new for new, old in zip(names, stripped, strict=True) if new != old]
    note = f"Columns without a name of their own were renamed; they are now called {listed(changed)}."
    return Names(names, [note] if changed else [])
