"""Reader of the columns of a Parquet file."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from mmc._optional import pandas as pd
from mmc._optional import pyarrow as pa
from mmc._optional import pyarrow_compute as pc
from mmc._optional import pyarrow_parquet as pq
from mmc.datasets._errors import TableError, listed, shown
from mmc.datasets._parquet_bounds import EXPANSION, Leaf, check_footer, check_size, leaves, refuse_size
from mmc.datasets._text import LONGEST_CELL

MAGIC = b"PAR1"
_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")
# Larger tables keep their text in Arrow's own type, which takes less memory.
_LARGE = 1_000_000
# Digits that a double always keeps.
_EXACT_DIGITS = 15


class Columns(NamedTuple):
    """The columns of a file in their order; two may have the same name.

    Attributes
    ----------
    names : list of str
    columns : list of pandas.Series
    reasons : list of str or None
        For each column, why it cannot be clustered, or None if it holds numbers.
    notes : list of str
        What was left out or changed.
    """

    names: list[str]
    columns: list[pd.Series]
    reasons: list[str | None]
    notes: list[str]


def read_parquet(data: bytes, name: str, max_bytes: int) -> Columns:
    """Read all columns except nested ones and the unnamed index that pandas adds to a file.

    A small file can expand to a huge table, so the size of what it unpacks to is bounded first.
    """
    try:
        return _Reader(data, name, max_bytes).read()
    except (TableError, MemoryError):
        raise
    except damage() as error:
        raise damaged(name, error) from error


def damage() -> tuple[type[Exception], ...]:
    """Return the exceptions that the reader raises for damaged files, beside its own."""
    return (pa.ArrowException, OSError, ValueError, LookupError, TypeError, ArithmeticError, RuntimeError)


@cache
def _with_gaps() -> dict[pa.DataType, Any]:
    """Return the types of pandas for columns of whole numbers and truth values with gaps."""
    return {
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.uint8(): pd.UInt8Dtype(),
        pa.uint16(): pd.UInt16Dtype(),
        pa.uint32(): pd.UInt32Dtype(),
        pa.uint64(): pd.UInt64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }


def damaged(name: str, error: Exception) -> TableError:
    """Return the error of a file that cannot be read."""
    return TableError(
        f"{shown(name)} is a damaged or unusual Parquet file ({type(error).__name__}): "
        f"write it again, or save the table as CSV"
    )


def named_leaves(metadata: Any) -> list[Leaf]:
    """Return the columns that are not nested, without the unnamed index that pandas adds."""
    return [leaf for leaf in leaves(metadata) if not _UNNAMED_INDEX.fullmatch(leaf.name)]


class Converter:
    """Columns of Arrow as those of a data frame.

    Parameters
    ----------
    name : str
        Name of the file in messages.
    limit : int
        Most bytes of texts.
    n_cells : int
        Number of cells of the table.
    """

    def __init__(self, name: str, limit: int, n_cells: int) -> None:
        self.name, self.limit, self.n_cells, self.spent = name, limit, n_cells, 0

    def column(self, name: str, column: pa.ChunkedArray) -> tuple[pd.Series, str | None] | None:
        """Convert a column, and say why it cannot be clustered.

        Parameters
        ----------
        name : str
            Name of the column in the file.
        column : ChunkedArray
            Its cells.

        Returns
        -------
        tuple of (Series, str or None) or None
            The cells, and a reason if they are no numbers; None if the values cannot be shown.
        """
        if pa.types.is_dictionary(column.type):
            self._check_texts(name, column)
            column = _cast(column, column.type.value_type)
        kind = column.type
        if column.null_count == len(column):
            return self._text(column.cast(pa.string())), "no values"
        if pa.types.is_decimal(kind):
            # By way of text, because pyarrow does not round decimals to the nearest double.
            return _cast(_cast(column, pa.string()), pa.float64()).to_pandas(), None
        if pa.types.is_floating(kind):
            finite = any(
                bool(np.isfinite(chunk.to_numpy(zero_copy_only=False)).any()) for chunk in column.chunks
            )
            return column.to_pandas(), None if finite else "no finite value"
        if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
            mapper = _with_gaps().get if column.null_count else None
            reason = "truth values" if pa.types.is_boolean(kind) else None
            return column.to_pandas(types_mapper=mapper), reason
        try:
            text = _cast(column, pa.string())
        except pa.ArrowException:
            return None
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        return self._text(text), "text" if is_text or pa.types.is_binary(kind) else "dates or other values"

    def _check_texts(self, name: str, column: pa.ChunkedArray) -> None:
        """Bound the size of a column of texts before it is filled in."""
        for chunk in column.chunks:
            kind = chunk.dictionary.type
            if not _has_length(kind):
                continue
            lengths = pc.binary_length(chunk.dictionary)
            if (pc.max(lengths).as_py() or 0) > LONGEST_CELL:
                raise TableError(
                    f"the column {shown(name)} of {shown(self.name)} has a cell of more than "
                    f"{LONGEST_CELL:,} characters, and longer ones are not read: leave that cell or "
                    f"column out"
                )
            self.spent += pc.sum(lengths.take(chunk.indices)).as_py() or 0
            if self.spent > self.limit:
                refuse_size(self.name, self.spent, self.limit)

    def _text(self, column: pa.ChunkedArray) -> pd.Series:
        if self.n_cells > _LARGE:
            return pd.Series(pd.arrays.ArrowExtensionArray(column))
        return column.to_pandas()


class _Reader:
    def __init__(self, data: bytes, name: str, max_bytes: int) -> None:

        check_footer(data, name)
        metadata = pq.read_metadata(pa.BufferReader(data))
        check_size(metadata, data, name, max_bytes)
        self.leaves = named_leaves(metadata)
        self.converter = Converter(name, EXPANSION * max_bytes, metadata.num_rows * len(self.leaves))
        texts = [leaf.name for leaf in self.leaves if leaf.is_text]
        # The different texts of a column are read once each, so that their size is known before it is filled.
        self.file = pq.ParquetFile(pa.BufferReader(data), metadata=metadata, read_dictionary=texts)

    def read(self) -> Columns:
        """Read one column after another."""
        found: dict[str, list[tuple[pd.Series, str | None] | None]] = {}
        for leaf in self.leaves:
            if leaf.name not in found:
                found[leaf.name] = [
                    self.converter.column(leaf.name, column) for column in self._read(leaf.name)
                ]
        names, columns, reasons, unread = list[str](), list[pd.Series](), list[str | None](), list[str]()
        for leaf in self.leaves:
            column = found[leaf.name].pop(0)
            if column is None:
                unread.append(leaf.name)
                continue
            names.append(leaf.name)
            columns.append(column[0])
            reasons.append(column[1])
        return Columns(names, columns, reasons, self._notes(unread))

    def _notes(self, unread: list[str]) -> list[str]:
        schema = self.file.schema_arrow
        kept = {leaf.name for leaf in self.leaves}
        nested = [field.name for field in schema if pa.types.is_nested(field.type)]
        index = [column for column in schema.names if _UNNAMED_INDEX.fullmatch(column)]
        rounded = [
            field.name
            for field in schema
            if field.name in kept and pa.types.is_decimal(field.type) and field.type.precision > _EXACT_DIGITS
        ]
        notes = []
        if nested:
            notes.append(f"Not read because each cell holds several values: {listed(nested, len(nested))}.")
        if unread:
            notes.append(f"Not read because the values are not text: {listed(unread, len(unread))}.")
        if rounded:
            notes.append(f"Decimal numbers were rounded to {_EXACT_DIGITS} to 17 digits: {listed(rounded)}.")
        if index:
            notes.append("The unnamed index that pandas adds to a file is not part of the table.")
        return notes

    def _read(self, name: str) -> list[pa.ChunkedArray]:
        table = self.file.read(columns=[name], use_threads=False)
        flat = [i for i, field in enumerate(table.schema) if not pa.types.is_nested(field.type)]
        for i in flat:
            table.column(i).validate(full=True)
        if table.num_rows != self.file.metadata.num_rows:
            raise ValueError("the numbers of rows do not agree")
        return [table.column(i) for i in flat]


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Convert chunk by chunk; chunks of texts can have dictionaries of their own."""
    return pa.chunked_array([chunk.cast(kind) for chunk in column.chunks], type=kind)


def _has_length(kind: pa.DataType) -> bool:
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return any(check(kind) for check in texts)
