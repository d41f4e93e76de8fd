"""What stands below the rows of a table: sources and remarks, and rows that sum up the others."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mmc._optional import pandas as pd
from mmc.datasets._cells import is_missing
from mmc.datasets._errors import counted, shown
from mmc.datasets._meaning import numbers, words_of
from mmc.datasets._packed import Cells

_TOTAL = re.compile(
    r"(?:grand |sub)?totals?|sum|summe|gesamt(?:summe)?|insgesamt|total général|somme|totale|suma", re.I
)
_MEAN = re.compile(r"(?:average|avg\.?|mean|durchschnitt|mittelwert|moyenne|media)", re.I)
# Rows that are looked at, columns in which one is compared with the others, and rows and columns that a
# table has at least.
_LOOKED, _COMPARED, _FEWEST = 20, 12, 5
_NARROWEST = 3
# By how much a sum may differ, in the sum of sizes, and a mean, in standard deviations.
_SUM_OFF, _MEAN_OFF = 0.002, 0.01


def leave_out_tail(cells: Cells, decimal: str) -> list[str]:
    """Leave out what stands below the rows of a table, and say so.

    Remarks fill one cell, below a blank row. A row sums up the others if it says so in a word that its column
    does not have elsewhere, and at least one of its numbers is the sum or the mean of those above it, or it
    has none.

    Parameters
    ----------
    cells : Cells
        Rows of the table below its column names; the last ones may be left out.
    decimal : str
        Decimal mark of the file.

    Returns
    -------
    list of str
        Notes.
    """
    if cells.n_rows < _FEWEST or cells.width == 1:
        return []
    notes = []
    tail = cells.tail(_LOOKED)
    if n := _n_remarks(tail):
        remark = next(cell for row in tail[-n:] for cell in row if cell.strip())
        notes.append(
            f"{counted(n, 'row')} under the table left out, because a blank row stands above and most cells "
            f"are empty, beginning with {shown(remark)}."
        )
        _cut(cells, n)
        tail = tail[:-n]
    while tail and cells.n_rows >= _FEWEST and (word := _summing_word(cells, tail[-1], decimal)):
        notes.append(
            f"The last row, {shown(word)}, left out, because it sums up the others. If it does not, change "
            f"that word."
        )
        _cut(cells, 1)
        tail = tail[:-1]
    return notes


def _n_remarks(tail: Sequence[Sequence[str]]) -> int:
    """Return how many of the last rows are remarks, with the blank rows above them."""
    filled = [sum(bool(cell.strip()) for cell in row) for row in tail]
    n = next((i for i, count in enumerate(reversed(filled)) if count > 1), len(filled))
    below = filled[len(filled) - n :]
    if 0 not in below or len(tail[0]) < _NARROWEST:
        return 0
    below = below[below.index(0) :]
    return len(below) if any(below) else 0


def _cut(cells: Cells, n: int) -> None:
    cells.keep(np.arange(cells.n_rows) < cells.n_rows - n)


def _summing_word(cells: Cells, last: Sequence[str], decimal: str) -> str:
    """Return the word by which the last row sums up the others; empty if it does not."""
    place = next((j for j, cell in enumerate(last) if cell.strip()), 0)
    word = last[place].strip()
    plain = word.rstrip(":. ")
    is_mean = _MEAN.fullmatch(plain) is not None
    if not is_mean and _TOTAL.fullmatch(plain) is None:
        return ""
    if _column(cells, place).str.strip().eq(word).sum() > 1:
        return ""
    others = [j for j, cell in enumerate(last) if j > place and not is_missing(cell)]
    compared = [_adds_up(_column(cells, j), decimal, is_mean) for j in others[:_COMPARED]]
    return word if any(compared) or (not any(each is not None for each in compared)) else ""


def _column(cells: Cells, j: int) -> pd.Series:
    return pd.Series([cell for piece in cells.column(j) for cell in piece.cells().to_pylist()], dtype=object)


def _adds_up(column: pd.Series, decimal: str, is_mean: bool) -> bool | None:
    """Return whether the last number is the sum or mean of the others; None if the column has no numbers."""
    found = words_of(column)
    read = numbers(found, decimal)
    if read is None:
        return None
    values = found.spread(read.values)
    above, last = values[:-1][np.isfinite(values[:-1])], float(values[-1])
    if len(above) < 2 or not np.isfinite(last):
        return None
    for own in (above, above[:-1]):  # the row above may be a sum or mean, too
        if is_mean and abs(last - own.mean()) <= _MEAN_OFF * own.std():
            return True
        if not is_mean and last != 0 and abs(last - own.sum()) <= _SUM_OFF * np.abs(own).sum():
            return True
    return False
