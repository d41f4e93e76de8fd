"""The table of a text file: column names, the type of each column, and notes about what was decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mmc._optional import pandas as pd
from mmc._optional import pyarrow as pa
from mmc.datasets._columns import (
    Mark,
    Survey,
    Votes,
    convert,
    decimal_mark,
    matching,
    missing,
    survey,
    trimmed,
)
from mmc.datasets._encoding import as_text
from mmc.datasets._errors import counted, listed
from mmc.datasets._header import find_header, unique_names
from mmc.datasets._packed import Piece, give_back_memory
from mmc.datasets._tail import leave_out_tail
from mmc.datasets._text import Rows, split

# A table of more cells is stored in types of less memory.
_LARGE = 1_000_000
# After a column of more rows, memory is given back.
_LONG = 100_000
_COMMENT_CELL = r"[#%](?s:.*)"
_SPOKEN_MARKS = {",": "comma", ".": "point", "'": "apostrophe", "\u2019": "apostrophe"}


class Read(NamedTuple):
    """A table as it was read.

    Attributes
    ----------
    frame : pandas.DataFrame
        All rows and columns that are read.
    notes : list of str
        What was decided or changed.
    reasons : dict
        For each column of the frame that cannot be clustered, why.
    decimal : str
        Decimal mark of the file.
    """

    frame: pd.DataFrame
    notes: list[str]
    reasons: dict[str, str]
    decimal: str = "."


def read_rows(data: bytes, name: str) -> Rows:
    """Split the bytes of a text file into cells."""
    text = as_text(data, name)
    rows = split(text, name)
    if text.encoding in ("cp1252", "latin-1"):
        rows.notes.append("The text is not UTF-8 and was read as Latin-1; check letters with accents.")
    return rows


def interpreted(rows: Rows, known_mark: Mark | None = None) -> Read:
    """Decide what the cells mean: decimal mark, if it is not known, column names, types."""
    _leave_out_comments(rows)
    mark = known_mark or _mark(rows)
    rows.notes += leave_out_tail(rows.cells, mark.decimal)
    surveys = [survey(_pieces(rows, j), mark.decimal) for j in range(rows.cells.width)]
    names, notes, with_first = _names(rows, mark.decimal, [found.notation is not None for found in surveys])
    if with_first:
        for cell, below in zip(rows.first, surveys, strict=True):
            below.merge_first(survey([_piece(cell)], mark.decimal, -1))
    if _ends_with_delimiter(rows):
        notes.append("All lines end with the delimiter; the empty column after it is not part of the table.")
        names, surveys = names[:-1], surveys[:-1]
    unique = unique_names(names)
    found = dict(zip(unique.names, surveys, strict=True))
    give_back_memory()
    compact = len(found) * (rows.cells.n_rows + with_first) > _LARGE
    columns = {
        name: convert(_pieces(rows, j, with_first), what, compact)
        for j, (name, what) in enumerate(found.items())
    }
    first_row = -1 if with_first else 0
    reasons = {name: what.why_text(first_row) for name, what in found.items() if what.notation is None}
    notes = [*unique.notes, *_mark_notes(mark, found), *rows.notes, *notes]
    if rows.n_comments:
        notes.append(f"{counted(rows.n_comments, 'line')} left out as comments, which begin with # or %.")
    if not with_first and (units := [name for name, what in found.items() if _may_be_unit(what)]):
        notes.append(
            f"The first row of data is the only one without a number in {listed(units)}: if it names units, "
            f"delete it."
        )
    return Read(pd.DataFrame(columns, copy=False), notes, reasons, mark.decimal)


def _piece(cell: str) -> Piece:
    return Piece(pa.array([cell], type=pa.string()))


def _pieces(rows: Rows, j: int, with_first: bool = False) -> Iterator[Piece]:
    if with_first:
        yield _piece(rows.first[j])
    yield from rows.cells.column(j)
    if rows.cells.n_rows > _LONG:
        give_back_memory()


def _leave_out_comments(rows: Rows) -> None:
    """Leave out lines that begin with a comment mark, if all others begin with a number.

    Comments that do not have as many cells as a row have been left out before. Where other rows begin with
    words, a cell such as ``#ff0000`` is one of them.
    """
    masks = [piece.spread(_are_comments(piece.values)) for piece in rows.cells.column(0)]
    if not any(mask.any() for mask in masks):
        return
    others = [
        Piece(piece.cells().filter(pa.array(~mask)))
        for piece, mask in zip(rows.cells.column(0), masks, strict=True)
    ]
    if any(survey(others, decimal).notation is not None for decimal in ".,"):
        comment = np.concatenate(masks)
        rows.cells.keep(~comment)
        rows.n_comments += int(comment.sum())


def _are_comments(values: pa.StringArray) -> npt.NDArray[np.bool_]:
    cells = trimmed(values)
    return matching(cells, _COMMENT_CELL) & ~missing(cells)  # #N/A is a missing value


def _mark(rows: Rows) -> Mark:
    if rows.delimiter == ",":
        return Mark(".")
    votes = Votes()
    for j in range(rows.cells.width):
        votes.add(_pieces(rows, j, with_first=True))
    return decimal_mark(votes)


class _Naming(NamedTuple):
    """The names of the columns, notes about them, and whether the first row is data."""

    names: Sequence[str]
    notes: list[str]
    with_first: bool


def _names(rows: Rows, decimal: str, is_numeric: list[bool]) -> _Naming:
    header = find_header(rows.first, decimal, is_numeric, rows.cells.head)
    if header.found:
        return _Naming(rows.first, list(header.notes), False)
    above = rows.last_comment
    if above is not None and find_header(above, decimal, is_numeric, rows.cells.head).found:
        rows.n_comments -= 1
        note = (
            f"The column names, {listed(above)}, were read from the comment above the first row. If "
            f"they are not, delete that comment."
        )
        return _Naming(above, [note], True)
    return _Naming([f"column_{j}" for j in range(1, len(rows.first) + 1)], list(header.notes), True)


def _ends_with_delimiter(rows: Rows) -> bool:
    """Return whether the last column is there only because all lines end with the delimiter."""
    last = rows.cells.width - 1
    if last == 0 or rows.first[last].strip():
        return False
    return not any(cell.strip() for cell in rows.cells.distinct(last))


def _mark_notes(mark: Mark, found: dict[str, Survey]) -> list[str]:
    notes = []
    if mark.decimal == ",":
        notes.append("The comma was read as the decimal mark: 1,5 is one and a half.")
    by_separator = dict[str, list[str]]()
    for name, what in found.items():
        if what.notation is not None and what.notation.separator:
            by_separator.setdefault(what.notation.separator, []).append(name)
    for separator, names in by_separator.items():
        spoken = _SPOKEN_MARKS.get(separator, "space")
        notes.append(
            f"The {spoken} was read as a thousands separator in {listed(names)}: 1{separator}234 is 1234."
        )
    if mark.doubtful:
        spoken = _SPOKEN_MARKS[mark.decimal]
        notes.append(
            f"That the {spoken} is the decimal mark is not certain, because all numbers with a point or "
            f"comma have three digits after it, as 1,234 and 1.234. If it is not, write them without "
            f"thousands separators."
        )
    return notes


def _may_be_unit(what: Survey) -> bool:
    return what.n_words == 1 and what.first_word_row == 0 and what.finite and what.notation is None
