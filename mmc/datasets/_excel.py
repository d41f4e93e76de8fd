"""Reader of a sheet of an Excel workbook.

Cells become texts, from which columns are read as those of a text file, so that the decimal mark, units and
missing values mean the same. Dates and truth values keep their types. Formulas count by the value that was
stored with them. What the file says about the size of a sheet is not used.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple
from xml.etree.ElementTree import ParseError

from mmc._optional import needed
from mmc._optional import pandas as pd
from mmc._optional import pyarrow as pa
from mmc._warnings import warnings_kept
from mmc.datasets._cells import is_missing
from mmc.datasets._columns import Mark, Votes, decimal_mark
from mmc.datasets._errors import TableError, counted, listed, shown
from mmc.datasets._header import n_titles
from mmc.datasets._packed import Cells, Piece, pool
from mmc.datasets._parquet_bounds import EXPANSION
from mmc.datasets._text import LONGEST_CELL, Rows, check_column_count
from mmc.datasets._text_table import Read, interpreted
from mmc.datasets._workbook import DAMAGE, check_workbook, refuse_damage

_DAMAGE = (*DAMAGE, ParseError, LookupError, TypeError, AttributeError, ArithmeticError)
# Texts of cells with an error.
_ERRORS = frozenset(
    (
        *("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"),
        *("#GETTING_DATA", "#SPILL!", "#CALC!", "#FIELD!", "#BLOCKED!"),
    )
)
_MOST_ROWS = 1_048_576
# So many rows say where the table begins, which columns it has, and which decimal mark.
_SAMPLE_ROWS = 1000
_MOST_HELD = 100
_MOST_PENDING = 20_000
_BYTES_PER_CELL = 8
_BLANK, _NUMBER, _TEXT, _DATE, _TIME, _TRUTH = "", "number", "text", "date", "time", "truth"


class Workbook(NamedTuple):
    """A sheet that was read, its name, and the names of all sheets."""

    read: Read
    sheet: str
    sheets: tuple[str, ...]


class _Row(NamedTuple):
    """A row that is not blank: its cells, its number, and whether the row above it is blank."""

    cells: Sequence[Any]
    number: int
    after_blank: bool


class _Head(NamedTuple):
    """The first rows of a table: what stands above it, its rows, and its columns."""

    above: list[_Row]
    rows: list[_Row]
    columns: list[int]


def read_workbook(data: bytes, name: str, max_bytes: int, sheet: str | None) -> Workbook:
    """Read a sheet of a workbook.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        Name of the file in messages.
    max_bytes : int
        The largest file that is read.
    sheet : str or None
        Name of the sheet. None means the first one that holds a table.

    Returns
    -------
    Workbook

    Raises
    ------
    TableError
        If the file is damaged or too large, or the sheet is not there or holds no table.
    """
    check_workbook(data, name, max_bytes)
    try:
        with warnings_kept():
            return _read(data, name, max_bytes, sheet)
    except (TableError, MemoryError):
        raise
    except _DAMAGE as error:
        refuse_damage(name, error)
        raise


def _read(data: bytes, name: str, max_bytes: int, sheet: str | None) -> Workbook:
    openpyxl = needed("openpyxl", "tables")  # here, because it takes a while and few files need it
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    try:
        sheets = {each.title: each for each in book.worksheets}
        n_places = EXPANSION * max_bytes
        chosen = _chosen(sheets, sheet, name, n_places)
        rows = _rows(sheets[chosen], name, n_places)
        head = _head(rows)
        if head is None:
            raise TableError(f"the sheet {shown(chosen)} of {shown(name)} is empty: choose another sheet")
        check_column_count(len(head.columns), name)
        read = _Reader(head, name, n_places // _BYTES_PER_CELL).read(rows)
    finally:
        book.close()
    others = [each for each in sheets if each != chosen]
    if others:
        read.notes.insert(0, f"The sheet {shown(chosen)} was read; the workbook also has {listed(others)}.")
    return Workbook(read, chosen, tuple(sheets))


def _chosen(sheets: dict[str, Any], sheet: str | None, name: str, n_places: int) -> str:
    """Return the sheet to read: the named one, or the first with a table of at least two rows."""
    if sheet is not None:
        if sheet not in sheets:
            raise TableError(f"{shown(name)} has no sheet {shown(sheet)}; its sheets are {listed(sheets)}")
        return sheet
    found = []
    for title in sorted(sheets, key=lambda title: sheets[title].sheet_state != "visible"):
        head = _head(_rows(sheets[title], name, n_places))
        if head is not None and len(head.rows) > 2:
            if len(head.columns) > 1:
                return title
            found.append(title)  # a column alone is more often a remark than a table
    if not found:
        raise TableError(
            f"{shown(name)} has no sheet with a table of at least two rows under a header; its sheets are "
            f"{listed(sheets) or 'none'}"
        )
    return found[0]


def _rows(sheet: Any, name: str, n_places: int) -> Iterator[_Row]:
    """Iterate over the rows that are not blank."""
    sheet.reset_dimensions()
    after_blank, n_seen = False, 0
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        n_seen += len(cells)
        if number > _MOST_ROWS:
            raise ValueError("more rows than a sheet can have")
        if n_seen > n_places:
            _refuse_cells(name, n_seen, n_places)
        if not any(map(_is_filled, cells)):
            after_blank = True
            continue
        yield _Row(cells, number, after_blank)
        after_blank = False


def _refuse_cells(name: str, n_cells: int, most: int) -> None:
    raise TableError(
        f"{shown(name)} holds at least {n_cells:,} cells, and at most {most:,} are read. Keep fewer rows or "
        "columns, or raise max_bytes"
    )


def _head(rows: Iterator[_Row]) -> _Head | None:
    """Find where the table of a sheet begins, and its columns; None if the sheet is blank."""
    sample = list(islice(rows, _SAMPLE_ROWS))
    if not sample:
        return None
    width = max(len(row.cells) for row in sample)
    seen = {j for row in sample for j in range(len(row.cells)) if _is_filled(row.cells[j])}
    first = min(seen)
    texts = [[_text(_at(row, j), ".") for j in range(first, width)] for row in sample[:_MOST_HELD]]
    n = n_titles(texts)
    columns = sorted({j for row in sample[n:] for j in range(len(row.cells)) if _is_filled(row.cells[j])})
    return _Head(sample[:n], sample[n:], columns)


class _Reader:
    """The cells of a table as texts, packed as they are read."""

    def __init__(self, head: _Head, name: str, most: int) -> None:
        self.head, self.name, self.most = head, name, most
        self.columns, self.among = head.columns, frozenset(head.columns)
        self.mark = _mark(head)
        self.cells = Cells(len(self.columns))
        self.kinds = [set[str]() for _ in self.columns]
        self.pending: list[str] = []
        self.n_rows = self.n_beside = 0

    def read(self, rest: Iterator[_Row]) -> Read:
        """Read the rows after the first ones, and decide what the columns are."""
        first = self._taken(self.head.rows[0])
        of_first = [{_kind(_at(self.head.rows[0], j))} - {_BLANK} for j in self.columns]
        under = self._read_rows(chain(self.head.rows[1:], rest))
        self.cells.append(pa.array(self.pending, type=pa.string(), memory_pool=pool()))
        self.cells.pack()
        notes = self._notes(under)
        read = interpreted(Rows(first, self.cells, ";", 0, None, notes), self.mark)
        if len(read.frame) > self.cells.n_rows:  # the first row is data
            self.kinds = [kinds | more for kinds, more in zip(self.kinds, of_first, strict=True)]
        return self._typed(read)

    def _read_rows(self, rows: Iterator[_Row]) -> list[_Row]:
        """Pack rows, and return those under the table: few cells each, below a blank row."""
        held: list[_Row] = []
        for row in rows:
            if (held or row.after_blank) and len(held) < _MOST_HELD:
                n_filled = sum(_is_filled(_at(row, j)) for j in self.columns)
                if 2 * n_filled < len(self.columns):
                    held.append(row)
                    continue
            for each in (*held, row):
                self._add(each)
            held = []
        return held

    def _add(self, row: _Row) -> None:
        self.n_rows += 1
        if self.n_rows * len(self.columns) > self.most:
            _refuse_cells(self.name, self.n_rows * len(self.columns), self.most)
        self.pending += self._taken(row)
        for kinds, j in zip(self.kinds, self.columns, strict=True):
            kinds.add(_kind(_at(row, j)))
        self.n_beside += any(_is_filled(row.cells[j]) for j in range(len(row.cells)) if j not in self.among)
        if len(self.pending) >= _MOST_PENDING:
            self.cells.append(pa.array(self.pending, type=pa.string(), memory_pool=pool()))
            self.pending = []

    def _taken(self, row: _Row) -> list[str]:
        texts = [_text(_at(row, j), self.mark.decimal) for j in self.columns]
        if max(map(len, texts)) > LONGEST_CELL:
            raise TableError(
                f"row {row.number} of {shown(self.name)} has a cell of more than {LONGEST_CELL:,} "
                "characters, and longer ones are not read: leave that cell out"
            )
        return texts

    def _notes(self, under: list[_Row]) -> list[str]:
        notes = []
        if self.head.above:
            notes.append(
                f"{counted(len(self.head.above), 'row')} above the table left out, beginning with "
                f"{shown(_first_text(self.head.above[0]))}."
            )
        if under:
            notes.append(
                f"{counted(len(under), 'row')} under the table left out, because a blank row stands above "
                f"and most cells are empty, beginning with {shown(_first_text(under[0]))}."
            )
        if self.n_beside:
            notes.append(f"Cells beside the table were not read, in {counted(self.n_beside, 'row')}.")
        return notes

    def _typed(self, read: Read) -> Read:
        """Give columns of dates and of truth values their types."""
        hours = []
        for name, kinds in zip(read.frame.columns, self.kinds, strict=False):
            found = kinds - {_BLANK}
            if found == {_DATE}:
                read.frame[name] = pd.to_datetime(read.frame[name], format="ISO8601", errors="coerce")
                read.reasons[name] = "dates"
            elif found == {_TRUTH}:
                values = read.frame[name].map({"True": True, "False": False})
                read.frame[name] = values.astype("boolean" if values.isna().any() else "bool")
                read.reasons[name] = "truth values"
            elif found == {_TIME}:
                hours.append(name)
        if hours:
            read.notes.append(f"Times and durations were read as hours: {listed(hours)}.")
        return read


def _mark(head: _Head) -> Mark:
    """Decide the decimal mark of numbers that are written as texts."""
    votes = Votes()
    for j in head.columns:
        texts = [cell for row in head.rows if isinstance(cell := _at(row, j), str)]
        votes.add([Piece(pa.array(texts, type=pa.string()))])
    return decimal_mark(votes)


def _at(row: _Row, j: int) -> Any:
    return row.cells[j] if j < len(row.cells) else None


def _is_filled(value: Any) -> bool:
    return value is not None and not (isinstance(value, str) and (not value.strip() or value in _ERRORS))


def _first_text(row: _Row) -> str:
    return next(_text(value, ".") for value in row.cells if _is_filled(value))


def _kind(value: Any) -> str:
    """Return what a cell is; missing values are blank, whatever column they are in."""
    if not _is_filled(value) or (isinstance(value, str) and is_missing(value)):
        return _BLANK
    if isinstance(value, bool):
        return _TRUTH
    if isinstance(value, int | float):
        return _NUMBER
    if isinstance(value, dt.date):  # a time with a date is one too
        return _DATE
    return _TIME if isinstance(value, dt.time | dt.timedelta) else _TEXT


def _text(value: Any, decimal: str) -> str:
    """Write a cell as it would stand in a text file."""
    if not _is_filled(value):
        return ""
    if isinstance(value, dt.datetime):
        has_time = (value.hour, value.minute, value.second, value.microsecond) != (0, 0, 0, 0)
        return value.isoformat(" ") if has_time else value.date().isoformat()
    if isinstance(value, dt.time):
        value = dt.timedelta(hours=value.hour, minutes=value.minute, seconds=value.second)
    if isinstance(value, dt.timedelta):
        value = value.total_seconds() / 3600
    return repr(value).replace(".", decimal) if isinstance(value, float) else str(value)
