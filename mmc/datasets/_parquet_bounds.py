"""Bounds on what a Parquet file unpacks to, checked before anything is unpacked.

The file's own description says how many rows and bytes there are, but it can be wrong. The headers of the
pages are what a reader allocates memory by, so they are read too. A page is not unpacked here.
"""

from __future__ import annotations

import json
import os
from typing import Any, BinaryIO, NamedTuple

from mmc._optional import pyarrow_parquet as pq
from mmc.datasets._errors import TableError, shown, spoken_size
from mmc.datasets._text import check_column_count
from mmc.datasets._thrift import Struct, StructReader

# The description of 2000 columns in ten groups of rows takes about 3 MB, and several times that once read.
LONGEST_FOOTER = 4 * 2**20
#: What a table may take once it is read, as a multiple of the largest file.
EXPANSION = 4
_MOST_CHUNKS = 50_000
_MOST_PAGES = 50_000
#: What may be in memory of a table that is read a few rows at a time (256 MB).
MOST_AT_ONCE = 2**28
# Such a table may unpack to so many times the size of its file, and have a page for every so many bytes.
_PACKED, _BYTES_OF_PAGE = 100, 2**14
_WINDOW = 4096

_DATA_PAGE, _INDEX_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_V2 = range(4)
# For each kind of page, its own part of the header, and in it the number of values and their encoding.
_PAGE_FIELDS = {_DATA_PAGE: (5, 1, 2), _DICTIONARY_PAGE: (7, 1, 2), _DATA_PAGE_V2: (8, 1, 4)}
_DELTA_BYTE_ARRAY = 7
# Bytes in memory of a value of each physical type. A text has an index, an offset and a length.
_WIDTHS = {"BOOLEAN": 1, "INT32": 8, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8, "BYTE_ARRAY": 12}
_DICTIONARY_ENTRY = 16
_AS_TEXT = ("DATE", "TIME", "TIMESTAMP", "INTERVAL")
_TEXT_WIDTH = 32


class DamageError(ValueError):
    """The description of a file does not fit its content."""


class Leaf(NamedTuple):
    """A column that is not nested."""

    position: int
    name: str
    is_text: bool


class _Page(NamedTuple):
    """What a page header says; values of a dictionary are not values of the column."""

    kind: int
    unpacked: int
    packed: int
    n_values: int
    encoding: int


class FileBytes:
    """The bytes of an open file, of which few are in memory.

    Parameters
    ----------
    file : binary file
        A file that can be read at any place.
    end : int, default=None
        Where the bytes end; None means the end of the file.
    """

    def __init__(self, file: BinaryIO, end: int | None = None) -> None:
        self._file = file
        self._end = file.seek(0, os.SEEK_END) if end is None else end
        self._begin, self._window = 0, b""

    def __len__(self) -> int:
        return self._end

    def __getitem__(self, place: int) -> int:
        if not self._begin <= place < self._begin + len(self._window):
            self._begin, self._window = place, self.read(place, _WINDOW)
        return self._window[place - self._begin]

    def read(self, place: int, n_bytes: int) -> bytes:
        """Return some bytes from a place on."""
        self._file.seek(place)
        return self._file.read(n_bytes)

    def until(self, end: int) -> FileBytes:
        """Return the bytes before a place."""
        return FileBytes(self._file, end)


def check_footer(data: bytes, name: str) -> None:
    """Refuse a file whose description is not there or too long, before it is read."""
    _check_end(data[-8:], len(data), name)


def _check_end(end: bytes, size: int, name: str) -> None:
    length = int.from_bytes(end[:4], "little")
    if end[4:] != b"PAR1" or length > size - 12:
        raise DamageError("the end of the file is missing")
    if length > LONGEST_FOOTER:
        raise TableError(
            f"{shown(name)} has too many columns or groups of rows: their description takes "
            f"{spoken_size(length)}, and at most {spoken_size(LONGEST_FOOTER)} are read. Keep the columns "
            f"you need, and write them in few row groups"
        )


def leaves(metadata: Any) -> list[Leaf]:
    """Return the columns that are not nested, in their order."""
    found = []
    for i in range(metadata.num_columns):
        column = metadata.schema.column(i)
        if column.path == column.name and column.max_repetition_level == 0:
            found.append(Leaf(i, column.name, column.physical_type == "BYTE_ARRAY"))
    return found


def check_size(metadata: Any, data: bytes, name: str, max_bytes: int) -> None:
    """Refuse a file that has too many cells or would take too much memory.

    Parameters
    ----------
    metadata : pyarrow.parquet.FileMetaData
        The description of the file.
    data : bytes
        The file.
    name : str
        Name of the file in messages.
    max_bytes : int
        The largest file that is read. `EXPANSION` times as many cells and bytes may be unpacked from it.
    """
    check_column_count(metadata.num_columns, name)
    n_cells = metadata.num_rows * max(metadata.num_columns, 1)
    if n_cells > EXPANSION * max_bytes:
        raise TableError(
            f"{shown(name)} holds {n_cells} cells, and at most {EXPANSION * max_bytes} are read. "
            f"Keep fewer rows or columns, or raise max_bytes"
        )
    if metadata.num_row_groups * metadata.num_columns > _MOST_CHUNKS:
        raise _too_many_groups(metadata, name)
    groups = _groups(metadata)
    budget = _Budget(name, EXPANSION * max_bytes)
    columns = leaves(metadata)
    for column in columns:
        budget.spend(metadata.num_rows * _width(metadata.schema.column(column.position)))
    for group in groups:
        for column in columns:
            _check_chunk(group.column(column.position), group.num_rows, data, budget, column)


def read_footer(file: BinaryIO, name: str) -> Any:
    """Read the description of a file, unless it is not there or too long.

    Parameters
    ----------
    file : binary file
        The open file.
    name : str
        Name of the file in messages.

    Returns
    -------
    pyarrow.parquet.FileMetaData
    """
    data = FileBytes(file)
    _check_end(data.read(max(len(data) - 8, 0), 8), len(data), name)
    return pq.read_metadata(file)


def check_stream(file: BinaryIO, name: str, n_rows: int) -> Any:
    """Refuse a file that cannot be read a few rows at a time in bounded memory.

    Parameters
    ----------
    file : binary file
        The open file.
    name : str
        Name of the file in messages.
    n_rows : int
        Number of rows that are read at a time, for a table of few columns.

    Returns
    -------
    pyarrow.parquet.FileMetaData
    """
    metadata = read_footer(file, name)
    data = FileBytes(file)
    check_column_count(metadata.num_columns, name)
    if metadata.num_row_groups * metadata.num_columns > _MOST_CHUNKS:
        raise _too_many_groups(metadata, name)
    groups = _groups(metadata)
    columns = leaves(metadata)
    widths = [_width(metadata.schema.column(column.position)) for column in columns]
    whole = metadata.num_rows * sum(widths)
    if whole > max(MOST_AT_ONCE, _PACKED * len(data)):
        refuse_size(name, whole, max(MOST_AT_ONCE, _PACKED * len(data)))
    at_once = _Budget(name, MOST_AT_ONCE)
    at_once.spend(min(metadata.num_rows, n_rows) * sum(widths))
    pages = _PageBudget(name, MOST_AT_ONCE, _MOST_PAGES + len(data) // _BYTES_OF_PAGE)
    for group in groups:
        pages.begin_group()
        for column in columns:
            pages.begin_column()
            _check_chunk(group.column(column.position), group.num_rows, data, pages, column)
    return metadata


class _Budget:
    """The memory and the pages that a table may have."""

    def __init__(self, name: str, n_bytes: int) -> None:
        self.name, self.n_bytes, self.spent, self.n_pages = name, n_bytes, 0, 0
        self.most_pages = _MOST_PAGES

    def spend(self, n_bytes: int) -> None:
        self.spent += n_bytes
        if self.spent > self.n_bytes:
            refuse_size(self.name, self.spent, self.n_bytes)

    def spend_page(self, n_bytes: int) -> None:
        self.spend(n_bytes)

    def check_chunk(self, n_bytes: int) -> None:
        if n_bytes > self.n_bytes:
            refuse_size(self.name, n_bytes, self.n_bytes)

    def count_page(self) -> None:
        self.n_pages += 1
        if self.n_pages > self.most_pages:
            raise TableError(
                f"{shown(self.name)} has more than {self.most_pages} pages: write it again in few row groups"
            )


class _PageBudget(_Budget):
    """The memory of a row group of which a page of each column and its dictionary are there at a time."""

    def __init__(self, name: str, n_bytes: int, most_pages: int) -> None:
        super().__init__(name, n_bytes)
        self.most_pages = most_pages
        self.largest = 0

    def begin_group(self) -> None:
        """Forget the pages of the group before."""
        self.spent = self.largest = 0

    def begin_column(self) -> None:
        """Keep the largest page of the column before."""
        self.spent += self.largest
        self.largest = 0

    def spend_page(self, n_bytes: int) -> None:
        self.largest = max(self.largest, n_bytes)
        if self.spent + self.largest > self.n_bytes:
            refuse_size(self.name, self.spent + self.largest, self.n_bytes)

    def check_chunk(self, n_bytes: int) -> None:
        """Take any size: a column is not read as a whole."""


def _groups(metadata: Any) -> list[Any]:
    """Return the row groups, whose numbers of rows must agree with that of the file."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    if metadata.num_rows < 0 or sum(group.num_rows for group in groups) != metadata.num_rows:
        raise DamageError("the numbers of rows do not agree")
    return groups


def _too_many_groups(metadata: Any, name: str) -> TableError:
    return TableError(
        f"{shown(name)} has {metadata.num_row_groups} row groups of {metadata.num_columns} columns, more "
        f"than are read: write it again in few row groups"
    )


def refuse_size(name: str, n_bytes: int, limit: int) -> None:
    """Refuse a file for the memory that it would take."""
    raise TableError(
        f"{shown(name)} unpacks to more than is read: at least {spoken_size(n_bytes)}, and at most "
        f"{spoken_size(limit)} are allowed. Keep fewer rows or columns, or shorter texts"
    )


def _width(column: Any) -> int:
    if column.physical_type == "FIXED_LEN_BYTE_ARRAY":
        return max(int(column.length), 8)
    if column.physical_type == "INT32" and column.logical_type.type == "INT":
        return int(json.loads(column.logical_type.to_json())["bitWidth"]) // 8  # small ones stay small
    return _TEXT_WIDTH if column.logical_type.type in _AS_TEXT else _WIDTHS[column.physical_type]


def _check_chunk(chunk: Any, n_rows: int, data: bytes | FileBytes, budget: _Budget, column: Leaf) -> None:
    """Add up what the pages of a column unpack to."""
    start, size = chunk.data_page_offset, chunk.total_compressed_size
    if chunk.has_dictionary_page and chunk.dictionary_page_offset is not None:
        start = min(start or chunk.dictionary_page_offset, chunk.dictionary_page_offset) or start
    if n_rows == chunk.num_values == size == 0:
        return
    end = start + size
    if not 4 <= start <= end <= len(data) - 8 or chunk.num_values != n_rows:
        raise DamageError("a column is said to lie outside of the file")
    budget.check_chunk(chunk.total_uncompressed_size)
    position, n_values = start, 0
    content = data.until(end) if isinstance(data, FileBytes) else memoryview(data)[:end]
    while position < end and (n_values < n_rows or n_rows == 0):  # of no rows there may be a dictionary
        budget.count_page()
        reader = StructReader(content, position)
        page = _page(reader.struct())
        position = reader.position + page.packed
        if min(page.unpacked, page.packed, page.n_values) < 0 or position > end:
            raise DamageError("a page is said to lie outside of its column")
        if page.kind == _DICTIONARY_PAGE:
            budget.spend(page.unpacked + page.n_values * _DICTIONARY_ENTRY)
            continue
        budget.spend_page(page.unpacked)
        n_values += page.n_values
        if n_values > n_rows:
            raise DamageError("a page is said to have more values than the column")
        if column.is_text and page.encoding == _DELTA_BYTE_ARRAY:
            _check_delta(page, budget, column)


def _check_delta(page: _Page, budget: _Budget, column: Leaf) -> None:
    """Refuse texts of which each can repeat the whole one before it, if that could be too much."""
    if page.unpacked * page.n_values > budget.n_bytes:
        raise TableError(
            f"the column {shown(column.name)} of {shown(budget.name)} has the encoding DELTA_BYTE_ARRAY, "
            f"from which the unpacked size cannot be told: write it with another encoding, or leave it out"
        )


def _page(header: Struct) -> _Page:
    kind = header.get(1, _INDEX_PAGE)
    numbers = [kind, header.get(2), header.get(3), 0, 0]
    if kind in _PAGE_FIELDS:
        details, n_values, encoding = _PAGE_FIELDS[kind]
        counts = header.get(details)
        numbers[3:] = (
            (counts.get(n_values), counts.get(encoding)) if isinstance(counts, dict) else (None, None)
        )
    if not all(isinstance(number, int) for number in numbers):
        raise DamageError("a page has no proper header")
    return _Page(*numbers)
