"""The cells of a text file in little memory, from which columns are taken piece by piece.

A Python string takes about sixty bytes. Here cells are stored in Arrow arrays, and where few different ones
occur, as in a table of digits, each is stored once and the cells are codes of one or two bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mmc._optional import pyarrow as pa
from mmc._optional import pyarrow_compute as pc

# So many cells become one chunk, or as many as have so many bytes. In wide tables chunks are larger, because
# the columns of a chunk should not be short.
_CHUNK_CELLS = 150_000
_CHUNK_BYTES = 2_000_000
_WIDE = 100
_WIDE_FACTOR = 2
# A piece shorter than this is joined to the next one, because each call of pyarrow has a cost of its own.
_SHORT_PIECE = 20_000
_SAMPLE_CELLS = 4096
_MOST_CODES = 1 << 16

Codes = npt.NDArray[np.unsignedinteger[Any]]


def pool() -> pa.MemoryPool:
    """Return the pool of the C library, from which Python and NumPy take their memory too."""
    return pa.system_memory_pool()


class Piece(NamedTuple):
    """Consecutive cells of one column.

    Attributes
    ----------
    values : pyarrow.StringArray
        The cells, or the different ones among them.
    codes : ndarray or None
        For each cell its position in ``values``; None if ``values`` are the cells themselves.
    """

    values: pa.StringArray
    codes: Codes | None = None

    def __len__(self) -> int:
        return len(self.values) if self.codes is None else len(self.codes)

    def spread(self, results: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a result for each cell from one for each of ``values``."""
        return results if self.codes is None else results[self.codes]

    def cells(self) -> pa.StringArray:
        """Return all cells."""
        return self.values if self.codes is None else self.values.take(pa.array(self.codes))

    def n_cells(self, chosen: npt.NDArray[np.bool_]) -> int:
        """Count the cells whose value is chosen."""
        return int(np.count_nonzero(self.spread(chosen)))


class _Chunk(NamedTuple):
    """Consecutive rows, stored column after column; with codes, each different cell is stored once."""

    values: pa.StringArray
    codes: npt.NDArray[Any] | None
    n_rows: int

    def column(self, j: int) -> Piece:
        if self.codes is None:
            return Piece(self.values.slice(j * self.n_rows, self.n_rows))
        codes = self.codes[j]
        if len(codes) < _SHORT_PIECE:
            return Piece(self.values.take(pa.array(codes)))
        used = np.bincount(codes, minlength=len(self.values)) > 0
        position = np.cumsum(used) - 1
        kept = self.values.filter(pa.array(used))
        return Piece(kept, position.astype(_code_type(len(kept)))[codes])


@dataclass
class Cells:
    """The cells of a table.

    Attributes
    ----------
    width : int
        Number of columns.
    n_rows : int
        Number of rows so far.
    """

    width: int
    n_rows: int = 0
    _chunks: list[_Chunk] = field(default_factory=list)
    _loose: list[pa.StringArray] = field(default_factory=list)

    def append(self, values: pa.StringArray) -> None:
        """Add whole rows, given as their cells one after another; `pack` follows the last of them."""
        self.n_rows += len(values) // self.width
        self._loose.append(values)
        n_cells, n_bytes = sum(map(len, self._loose)), sum(loose.nbytes for loose in self._loose)
        factor = _WIDE_FACTOR if self.width > _WIDE else 1
        if n_cells >= factor * _CHUNK_CELLS or n_bytes >= factor * _CHUNK_BYTES:
            self.pack()

    def pack(self) -> None:
        """Store the rows that were added since the last time in little memory."""
        if self._loose:
            values = pa.concat_arrays(self._loose, memory_pool=pool())
            self._loose = []
            self._chunks.append(_packed(values, self.width))
            give_back_memory()

    def column(self, j: int) -> Iterator[Piece]:
        """Iterate over the pieces of a column."""
        short: list[pa.StringArray] = []
        n_short = 0
        for chunk in self._chunks:
            piece = chunk.column(j)
            if len(piece) >= _SHORT_PIECE and not short:
                yield piece
                continue
            short.append(piece.cells())
            n_short += len(piece)
            if n_short >= _SHORT_PIECE:
                yield _joined(short)
                short, n_short = [], 0
        if short:
            yield _joined(short)

    def distinct(self, j: int) -> Iterator[str]:
        """Iterate over the different cells of a column, some of them several times."""
        for piece in self.column(j):
            yield from piece.values.unique().to_pylist()

    def head(self, j: int) -> list[str]:
        """Return some of the first cells of a column."""
        return self._chunks[0].column(j).cells()[:1000].to_pylist() if self._chunks else []

    def tail(self, n: int) -> list[tuple[str, ...]]:
        """Return the last rows, at most ``n``."""
        if not self._chunks:
            return []
        chunk = self._chunks[-1]
        first, n_rows = max(chunk.n_rows - n, 0), chunk.n_rows
        if chunk.codes is None:
            columns = [
                chunk.values.slice(j * n_rows + first, n_rows - first).to_pylist() for j in range(self.width)
            ]
        else:
            columns = [chunk.values.take(pa.array(codes[first:])).to_pylist() for codes in chunk.codes]
        return list(zip(*columns, strict=True))

    def keep(self, rows: npt.NDArray[np.bool_]) -> None:
        """Keep the rows for which ``rows`` is true."""
        start = 0
        for i, chunk in enumerate(self._chunks):
            chosen = rows[start : start + chunk.n_rows]
            start += chunk.n_rows
            if chunk.codes is None:
                values = chunk.values.filter(pa.array(np.tile(chosen, self.width)))
                self._chunks[i] = _Chunk(values, None, int(chosen.sum()))
            else:
                self._chunks[i] = _Chunk(chunk.values, chunk.codes[:, chosen], int(chosen.sum()))
        self.n_rows = int(rows.sum())


def give_back_memory() -> None:
    """Return memory that is no longer used to the operating system."""
    pool().release_unused()
    pa.default_memory_pool().release_unused()


def longest_cell(cells: pa.StringArray) -> int:
    """Return the number of characters of the longest cell."""
    n_bytes = pc.max(pc.binary_length(cells)).as_py() or 0
    return n_bytes if n_bytes < 1000 else pc.max(pc.utf8_length(cells)).as_py()


def _joined(parts: list[pa.StringArray]) -> Piece:
    values = pa.concat_arrays(parts)
    coded = _coded(values)
    return Piece(values) if coded is None else coded


def _coded(values: pa.StringArray) -> Piece | None:
    """Store each different cell once, if there are few."""
    sample = values.slice(0, _SAMPLE_CELLS)
    if len(sample.unique()) > 0.75 * len(sample):
        return None
    coded = values.dictionary_encode()
    n_codes = len(coded.dictionary)
    if n_codes > min(_MOST_CODES, max(len(values) // 4, 1 << 8)):
        return None
    return Piece(coded.dictionary, coded.indices.to_numpy().astype(_code_type(n_codes)))


def _packed(values: pa.StringArray, width: int) -> _Chunk:
    n_rows = len(values) // width
    coded = _coded(values)
    if coded is not None and coded.codes is not None:
        return _Chunk(coded.values, np.ascontiguousarray(coded.codes.reshape(n_rows, width).T), n_rows)
    if width > 1:
        order = np.arange(len(values), dtype=np.int32).reshape(n_rows, width).T.ravel()
        values = pc.take(values, pa.array(order), memory_pool=pool())
    return _Chunk(values, None, n_rows)


def _code_type(n_codes: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if n_codes <= 1 << 8 else np.uint16
