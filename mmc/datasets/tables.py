"""Tables of the user: reading a text, Parquet or Excel file.

A file that cannot be read raises an error that names the cause and a remedy. What becomes of its columns is
said in `mmc.datasets._table`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mmc._optional import pandas as pd
from mmc.datasets._dataset import Dataset
from mmc.datasets._errors import MissingValuesError, TableError, shown
from mmc.datasets._excel import Workbook, read_workbook
from mmc.datasets._formats import is_workbook, refuse_foreign
from mmc.datasets._header import unique_names
from mmc.datasets._packed import give_back_memory
from mmc.datasets._parquet import MAGIC, read_parquet
from mmc.datasets._source import Content, Source, read_bytes
from mmc.datasets._table import Encode, Missing, Scaler, Table, numeric_columns
from mmc.datasets._text import check_column_count
from mmc.datasets._text_table import Read, interpreted, read_rows

__all__ = [
    "MissingValuesError",
    "Table",
    "TableError",
    "load_table",
    "numeric_columns",
    "open_table",
    "read_table",
]

MAX_BYTES = 20 * 1024 * 1024


def open_table(
    source: Source, sheet: str | None = None, *, name: str | None = None, max_bytes: int = MAX_BYTES
) -> Table:
    r"""Read a table from a text, Parquet or Excel file, for several data sets to be taken from it.

    The encoding, delimiter, decimal mark and header of a text are detected.

    Parameters
    ----------
    source : path, bytes or binary file
        The table.
    sheet : str, default=None
        Sheet of an Excel workbook. None means the first one that holds a table of at least two rows.
    name : str, default=None
        Name of the table in messages. None means the name of the file.
    max_bytes : int, default=20_971_520
        Larger files are refused. The default is 20 MB.

    Returns
    -------
    Table

    Raises
    ------
    TableError
        If the file cannot be read as a table of at least two rows.

    Examples
    --------
    >>> from mmc.datasets import open_table
    >>> table = open_table(b"a,b,kind\n1,5,x\n2,7,y\n3,6,y")
    >>> table.dataset(columns=["a"]).X.ravel().tolist(), table.dataset(label="kind").y.tolist()
    ([1.0, 2.0, 3.0], [0, 1, 1])
    """
    return _table(read_bytes(source, name, max_bytes), max_bytes, sheet)


def read_table(
    source: Source, sheet: str | None = None, *, name: str | None = None, max_bytes: int = MAX_BYTES
) -> pd.DataFrame:
    r"""Read a table from a text, Parquet or Excel file.

    The encoding, delimiter, decimal mark and header of a text are detected.

    Parameters
    ----------
    source : path, bytes or binary file
        The table.
    sheet : str, default=None
        Sheet of an Excel workbook. None means the first one that holds a table of at least two rows.
    name : str, default=None
        Name of the table in messages. None means the name of the file.
    max_bytes : int, default=20_971_520
        Larger files are refused. The default is 20 MB.

    Returns
    -------
    pandas.DataFrame
        All rows and columns. Empty cells, ``NA``, ``NaN``, ``null``, ``?`` and ``-`` are missing values of a
        numeric column; a column of words is unchanged.

    Raises
    ------
    TableError
        If the file cannot be read as a table of at least two rows.

    Examples
    --------
    >>> from mmc.datasets import read_table
    >>> read_table(b"a;b;word\n1,5;2;x\n3;?;y").isna().sum().tolist()
    [0, 1, 0]
    """
    return open_table(source, sheet, name=name, max_bytes=max_bytes).frame


def load_table(
    source: Source,
    *,
    sheet: str | None = None,
    columns: Sequence[str] | None = None,
    label: str | None = None,
    missing: Missing = "error",
    standardize: bool = False,
    scaler: Scaler = "standard",
    encode: Encode = "none",
    kinds: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    exclude: Sequence[str] = (),
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    r"""Read a table and select the columns to cluster: `open_table`, then `Table.dataset`.

    Parameters
    ----------
    source : path, bytes or binary file
        The table.
    sheet : str, default=None
        Sheet of an Excel workbook. None means the first one that holds a table of at least two rows.
    columns : sequence of str, default=None
        The columns to use. None means all numeric ones or, where words are coded, those of `Table.proposal`.
        Constant columns are left out.
    label : str, default=None
        A column with a reference labelling. It is not used for clustering.
    missing : {"error", "drop", "median", "most_frequent"}, default="error"
        How to handle missing and infinite values in a column that is used.
    standardize : bool, default=False
        Whether to scale every column of numbers.
    scaler : {"standard", "robust"}, default="standard"
        By mean and standard deviation, or by median and quartiles.
    encode : {"none", "onehot", "gower"}, default="none"
        What becomes of words, see `Table.dataset`.
    kinds : mapping from str to str, default=None
        How columns are read.
    weights : mapping from str to float, default=None
        How much columns count in distances.
    exclude : sequence of str, default=()
        Columns that are not used although `columns` is None.
    name : str, default=None
        Name of the data set. None means the name of the file.
    max_bytes : int, default=20_971_520
        Larger files are refused. The default is 20 MB.

    Returns
    -------
    Dataset
        The data; its ``notes`` say what was left out or changed.

    Raises
    ------
    MissingValuesError
        If values are missing and ``missing="error"``.
    TableError
        If the file cannot be read, or has no column to cluster.

    Examples
    --------
    >>> from mmc.datasets import load_table
    >>> data = load_table(b"a,b,kind\n1,5,x\n2,,y\n3,6,y", label="kind", missing="drop")
    >>> data.X.tolist(), data.y.tolist(), data.notes[-1]
    ([[1.0, 5.0], [3.0, 6.0]], [0, 1], '1 row of 3 left out because of missing or infinite values.')
    """
    return open_table(source, sheet, name=name, max_bytes=max_bytes).dataset(
        columns=columns,
        label=label,
        missing=missing,
        standardize=standardize,
        scaler=scaler,
        encode=encode,
        kinds=kinds,
        weights=weights,
        exclude=exclude,
    )


def _table(content: Content, max_bytes: int, sheet: str | None) -> Table:
    data, name = content
    del content  # so that the bytes of a text are given up when it has been split
    sha256 = hashlib.sha256(data).hexdigest()
    if not data.strip():
        raise TableError(f"{shown(name)} is empty: give a file with a header line and at least two rows")
    book: Workbook | None = None
    try:
        if is_workbook(data):
            book = read_workbook(data, name, max_bytes, sheet)
            read = book.read
        elif sheet is not None:
            refuse_foreign(data, name)
            raise TableError(f"{shown(name)} is no Excel workbook and has no sheets: leave the sheet out")
        elif data.startswith(MAGIC):
            read = _read_parquet(data, name, max_bytes)
        else:
            refuse_foreign(data, name)
            rows = read_rows(data, name)
            del data
            read = interpreted(rows)
            del rows
            give_back_memory()
    except MemoryError as error:
        raise TableError(
            f"{shown(name)} needs more memory to be read than there is: keep fewer rows or columns"
        ) from error
    if len(read.frame) < 2:
        found = "only a header and no rows" if len(read.frame) == 0 else "only one row"
        raise TableError(f"{shown(name)} has {found} of data: at least two rows are needed")
    table = Table(read.frame, name, tuple(read.notes), sha256, read.reasons, read.decimal)
    return table if book is None else replace(table, sheets=book.sheets, sheet=book.sheet)


def _read_parquet(data: bytes, name: str, max_bytes: int) -> Read:
    columns = read_parquet(data, name, max_bytes)
    check_column_count(len(columns.names), name)
    names, notes = unique_names(columns.names)
    frame = pd.DataFrame(dict(zip(names, columns.columns, strict=True)), copy=False)
    reasons = {name: why for name, why in zip(names, columns.reasons, strict=True) if why is not None}
    return Read(frame, [*notes, *columns.notes], reasons)
