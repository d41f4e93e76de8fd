"""Tables a part at a time: the rows of a Parquet file that does not fit into memory, or of a table that does.

A part is a number of consecutive rows that depends on the number of columns alone. Row groups, which differ
from file to file, do not count, so that the same table has the same parts however it was written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mmc._optional import pandas as pd
from mmc._optional import pyarrow as pa
from mmc._optional import pyarrow_parquet as pq
from mmc.datasets._coding import Coding, columns_of, gaps
from mmc.datasets._errors import TableError, counted, listed, shown
from mmc.datasets._header import unique_names
from mmc.datasets._kinds import Column, read_column
from mmc.datasets._parquet import MAGIC, Converter, damage, damaged, named_leaves
from mmc.datasets._parquet_bounds import EXPANSION, MOST_AT_ONCE, check_stream, read_footer
from mmc.datasets._table import Table, check_values, renamed

#: Most rows and most cells of a part.
MOST_ROWS, _MOST_CELLS = 2**17, 2**22

#: Bytes of a column that are read at a time.
_BUFFER = 2**20


class Part(NamedTuple):
    """Consecutive rows of a table.

    Attributes
    ----------
    number : int
        Number of the part, from 0.
    first : int
        Its first row in the whole table.
    table : Table
        Its rows.
    """

    number: int
    first: int
    table: Table


class TableParts(Protocol):
    """A table that is read a part at a time."""

    name: str
    n_rows: int
    part_rows: int
    columns: tuple[str, ...]

    def parts(self, columns: Iterable[str] | None = None, skipped: Iterable[int] = ()) -> Iterator[Part]:
        """Read parts one after another.

        Parameters
        ----------
        columns : iterable of str, default=None
            Names of the columns that are read; None means all. Names that are not there do not count.
        skipped : iterable of int
            Parts that are left out.

        Yields
        ------
        Part
        """
        ...


def part_rows(n_columns: int) -> int:
    """Return the number of rows of a part: 131,072, or less for more than 32 columns."""
    return max(1, min(MOST_ROWS, _MOST_CELLS // max(n_columns, 1)))


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Return whether a name is that of a Parquet file."""
    if not Path(path).is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == MAGIC


def needs_parts(path: str | os.PathLike[str], max_bytes: int) -> bool:
    """Return whether a file is Parquet and too large for `open_table`.

    Parameters
    ----------
    path : str or path
        The file.
    max_bytes : int
        The largest file that `open_table` may read.

    Returns
    -------
    bool
    """
    if not is_parquet(path):
        return False
    if Path(path).stat().st_size > max_bytes:
        return True
    with open(path, "rb") as file:
        try:
            metadata = read_footer(file, Path(path).name)
        except damage():  # of which a TableError is one
            return False  # open_table says what is wrong with it
    return 8 * metadata.num_rows * metadata.num_columns > EXPANSION * max_bytes


class WholeTable:
    """The parts of a table that is in memory.

    Parameters
    ----------
    table : Table
        Result of `open_table`.
    rows : int, default=None
        Number of rows of a part; None means that of `part_rows`.
    """

    def __init__(self, table: Table, rows: int | None = None) -> None:
        self.table = table
        self.name = table.name
        self.n_rows = len(table.frame)
        self.columns = tuple(map(str, table.frame.columns))
        self.part_rows = rows or part_rows(len(self.columns))

    def parts(self, columns: Iterable[str] | None = None, skipped: Iterable[int] = ()) -> Iterator[Part]:
        """Return parts one after another, see `TableParts`."""
        chosen = self.columns if columns is None else [name for name in columns if name in self.columns]
        frame, out = self.table.frame[list(chosen)], set(skipped)
        for index, first in enumerate(range(0, self.n_rows, self.part_rows)):
            if index not in out:
                rows = frame.iloc[first : first + self.part_rows]
                yield Part(index, first, _table(rows, self.name, self.table.reasons, self.table.decimal))


class ParquetParts:
    """The parts of a Parquet file, of which only a few rows are in memory.

    Parameters
    ----------
    path : str or path
        The file.
    rows : int, default=None
        Number of rows of a part; None means that of `part_rows`.

    Raises
    ------
    TableError
        If it is no Parquet file, is damaged, or cannot be read in bounded memory.
    """

    def __init__(self, path: str | os.PathLike[str], rows: int | None = None) -> None:
        self.path = Path(path)
        self.name = self.path.name
        try:
            with open(self.path, "rb") as file:
                if file.read(4) != MAGIC:
                    raise TableError(
                        f"{shown(self.name)} is no Parquet file, and only these are read a part at a time: "
                        "save the table as Parquet, for example with pyarrow.csv.open_csv and "
                        "pyarrow.parquet.ParquetWriter"
                    )
                self._metadata = check_stream(file, self.name, rows or MOST_ROWS)
        except (TableError, MemoryError):
            raise
        except FileNotFoundError as error:
            raise TableError(f"{str(path)!r} cannot be opened ({error.strerror}): check the path") from error
        except damage() as error:
            raise damaged(self.name, error) from error
        self._leaves = named_leaves(self._metadata)
        self.columns = tuple(unique_names([leaf.name for leaf in self._leaves]).names)
        self.n_rows = int(self._metadata.num_rows)
        self.part_rows = rows or part_rows(len(self.columns))
        if self.n_rows < 2 or not self.columns:
            raise TableError(f"{shown(self.name)} has fewer than two rows, or no columns: give a table")

    def parts(self, columns: Iterable[str] | None = None, skipped: Iterable[int] = ()) -> Iterator[Part]:
        """Read parts one after another, see `TableParts`; row groups before the first one are not read."""
        wanted = set(self.columns if columns is None else columns)
        chosen = [
            (leaf.name, name) for leaf, name in zip(self._leaves, self.columns, strict=True) if name in wanted
        ]
        out = set(skipped)
        indices = [i for i in range(-(-self.n_rows // self.part_rows)) if i not in out]
        try:
            yield from self._read(chosen, indices)
        except (TableError, MemoryError):
            raise
        except damage() as error:
            raise damaged(self.name, error) from error

    def _read(self, chosen: list[tuple[str, str]], indices: list[int]) -> Iterator[Part]:

        if not indices:
            return
        read = {leaf for leaf, _ in chosen}
        kept = {name for _, name in chosen}
        texts = [leaf.name for leaf in self._leaves if leaf.is_text and leaf.name in read]
        with pq.ParquetFile(
            self.path,
            metadata=self._metadata,
            read_dictionary=texts,
            memory_map=False,
            buffer_size=_BUFFER,
            pre_buffer=False,
        ) as file:
            group, skip = self._place(indices[0] * self.part_rows)
            batches = file.iter_batches(
                batch_size=min(self.part_rows, MOST_ROWS),
                row_groups=range(group, self._metadata.num_row_groups),
                columns=list(dict.fromkeys(leaf for leaf, _ in chosen)),
                use_threads=False,
            )
            rows = _Regrouped(batches, skip)
            at = indices[0] * self.part_rows
            for index in indices:
                first = index * self.part_rows
                rows.drop(first - at)
                at = min(first + self.part_rows, self.n_rows)
                table = rows.take(at - first)
                yield Part(index, first, self._converted(table, kept))

    def _place(self, row: int) -> tuple[int, int]:
        """Return the row group of a row, and the row's number in it."""
        for group in range(self._metadata.num_row_groups):
            n = int(self._metadata.row_group(group).num_rows)
            if row < n:
                return group, row
            row -= n
        raise ValueError("the numbers of rows do not agree")

    def _converted(self, table: pa.Table, kept: set[str]) -> Table:
        converter = Converter(self.name, MOST_AT_ONCE, table.num_rows * table.num_columns)
        names: dict[str, list[str]] = {}  # of columns of the same name, which come in their order
        for leaf, name in zip(self._leaves, self.columns, strict=True):
            names.setdefault(leaf.name, []).append(name)
        columns: dict[str, pd.Series] = {}
        reasons: dict[str, str] = {}
        for i, field in enumerate(table.schema):
            if pa.types.is_nested(field.type):
                continue
            name = names[field.name].pop(0)
            if name not in kept:
                continue
            table.column(i).validate(full=True)
            column = converter.column(name, table.column(i))
            if column is None:
                continue
            columns[name] = column[0]
            if column[1] is not None:
                reasons[name] = column[1]
        order = [name for name in self.columns if name in columns]
        frame = pd.DataFrame({name: columns[name] for name in order}, copy=False)
        return _table(frame, self.name, reasons, ".")


class _Regrouped:
    """Batches of rows as tables of any numbers of rows.

    Parameters
    ----------
    batches : iterator of RecordBatch
    skip : int
        Number of rows that are left out first.
    """

    def __init__(self, batches: Iterator[pa.RecordBatch], skip: int) -> None:
        self._batches = batches
        self._rest: list[pa.RecordBatch] = []
        self.drop(skip)

    def drop(self, n: int) -> None:
        """Leave out rows."""
        while n:
            batch = self._next(n)
            n -= batch.num_rows

    def take(self, n: int) -> pa.Table:
        """Return the next rows."""
        found = []
        while n:
            found.append(self._next(n))
            n -= found[-1].num_rows
        return pa.Table.from_batches(found)

    def _next(self, most: int) -> pa.RecordBatch:
        batch = self._rest.pop() if self._rest else next(self._batches, None)
        if batch is None:
            raise ValueError("the numbers of rows do not agree")
        if batch.num_rows > most:
            self._rest.append(batch.slice(most))
            batch = batch.slice(0, most)
        return batch


@dataclass(frozen=True, eq=False)
class PartPoints:
    """The points of a part.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        Rows of the part that have one: those without gaps that the coding does not fill.
    names : tuple of str
        Names of the columns of the points.
    columns : list of Column
        Cells of the part.
    coding : Coding or None
        How they become points; None means that they are numbers.
    """

    rows: npt.NDArray[np.int64]
    names: tuple[str, ...]
    columns: list[Column]
    coding: Coding | None

    def encode(self, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float64], list[str]]:
        """Return the points of rows, coded but not scaled, and notes about words that are not known."""
        if self.coding is not None:
            X, notes = self.coding.encode(self.columns, rows)
        else:
            X = np.column_stack([each.values[rows] for each in self.columns if each.values is not None])
            notes = []
        check_values(self.names, X)
        return X, notes


def points_of_part(part: Part, columns: tuple[str, ...], coding: Coding | None) -> PartPoints:
    """Return the points of a part, whose columns may be empty there.

    Parameters
    ----------
    part : Part
        Rows.
    columns : tuple of str
        Columns that a model was fitted to.
    coding : Coding or None
        How they become points; None means that they are numbers.

    Returns
    -------
    PartPoints

    Raises
    ------
    TableError
        If a column is not there or cannot be read.
    """
    table = part.table
    frame = table.frame
    if absent := [name for name in columns if name not in frame.columns]:
        raise TableError(renamed(absent, [str(name) for name in frame.columns], table.name))
    empty = [name for name in columns if frame[name].isna().all()]
    frame = frame.assign(**{name: np.full(len(frame), np.nan) for name in empty})
    read: list[Column]
    if coding is None:
        if words := [name for name in columns if not _is_number(frame[name])]:
            raise TableError(
                f"the model needs numbers in {listed(words)} of {shown(table.name)}: correct the cells, or "
                "leave them empty"
            )
        read = [read_column(name, frame[name], "number", table.decimal) for name in columns]
    else:
        read = columns_of(frame, coding, table.decimal, table.reasons, empty)
    rows = np.flatnonzero(~gaps(read, coding)).astype(np.int64)
    return PartPoints(rows, columns if coding is None else coding.feature_names, read, coding)


def require_complete(part: Part, points: PartPoints) -> None:
    """Refuse rows without a point."""
    n = len(part.table.frame)
    if lacking := n - len(points.rows):
        row = part.first + int(np.setdiff1d(np.arange(n), points.rows)[0])
        raise TableError(
            f"{counted(lacking, 'row')} of the rows {part.first} to {part.first + n - 1} of "
            f"{shown(part.table.name)} have missing or infinite values that the model does not fill, the "
            f"first of them row {row} (rows count from 0): leave such rows out, or fill in the values"
        )


def _is_number(values: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype)


def _table(frame: pd.DataFrame, name: str, reasons: Any, decimal: str) -> Table:
    return Table(frame.reset_index(drop=True), name, (), "", reasons, decimal)
