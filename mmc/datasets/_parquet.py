"""Reader of the columns of a Parquet file."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pandas as pd

from mmc.datasets._errors import TableError, shown

MAGIC = b"PAR1"
# Exceptions that the reader raises for damaged files, beside its own.
_DAMAGE = (OSError, ValueError, LookupError, TypeError, ArithmeticError, RuntimeError)
_UNNAMED_INDEX = re.compile(r"__index_level_\d+__")


class Columns(NamedTuple):
    """The columns of a file in their order; two may have the same name."""

    names: list[str]
    columns: list[pd.Series]


def read_parquet(data: bytes, name: str, max_cells: int) -> Columns:
    """Read all columns except the unnamed index that pandas adds to a file.

    A small file can expand to a huge table, so the number of cells is checked first.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        n_cells = file.metadata.num_rows * max(file.metadata.num_columns, 1)
        if n_cells > max_cells:
            raise TableError(
                f"{shown(name)} holds {n_cells} cells, and at most {max_cells} are read. "
                f"Keep fewer rows or columns, or raise max_bytes"
            )
        table = file.read()
        table.validate(full=True)
        kept = [i for i, column in enumerate(table.column_names) if not _UNNAMED_INDEX.fullmatch(column)]
        columns = [_series(table.column(i)) for i in kept]
        return Columns([table.column_names[i] for i in kept], columns)
    except TableError:
        raise
    except (pa.ArrowException, *_DAMAGE) as error:
        raise TableError(
            f"{shown(name)} is a damaged or unusual Parquet file ({type(error).__name__}): "
            f"write it again, or save the table as CSV"
        ) from error


def _series(column: Any) -> pd.Series:
    """Keep numbers and truth values, and convert all other values, such as dates and lists, to text."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        try:
            column = column.cast(pa.string())
        except pa.ArrowException:
            return pd.Series([None if value is None else str(value) for value in column.to_pylist()])
    return column.to_pandas().rename(None)
