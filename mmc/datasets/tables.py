"""Tables of the user: reading a text or Parquet file, and choosing the columns to cluster.

A file that cannot be read raises an error that names the cause and a remedy. Notes on the data set say what
was left out or changed. No value is filled in, and rows are dropped only on request.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from mmc.datasets._cells import MISSING_WORDS
from mmc.datasets._dataset import Dataset
from mmc.datasets._errors import MissingValuesError, TableError, counted, enumerated, listed, shown
from mmc.datasets._formats import refuse_foreign
from mmc.datasets._header import unique_names
from mmc.datasets._packed import give_back_memory
from mmc.datasets._parquet import MAGIC, read_parquet
from mmc.datasets._source import Content, Source, read_bytes
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
# Columns that are left out are named up to this number, and the others are counted.
_MOST_NAMED = 50
# Sums of squares of larger values approach the largest float64.
LARGEST_VALUE = 1e150


@dataclass(frozen=True, eq=False)
class Table:
    """A table that has been read, from which data sets are taken without reading it again.

    Attributes
    ----------
    frame : pandas.DataFrame
        All rows and columns.
    name : str
    notes : tuple of str
        What was changed while it was read.
    sha256 : str
        SHA-256 of the file's content, by which another file of the same name is told apart.
    reasons : mapping of str to str
        For columns that cannot be clustered, why: the first value that is not a number, for example.
    """

    frame: pd.DataFrame
    name: str
    notes: tuple[str, ...]
    sha256: str
    reasons: Mapping[str, str] = field(default_factory=dict)

    def dataset(
        self,
        *,
        columns: Sequence[str] | None = None,
        label: str | None = None,
        missing: Literal["error", "drop"] = "error",
        standardize: bool = False,
    ) -> Dataset:
        """Select the numeric columns to cluster.

        Parameters
        ----------
        columns : sequence of str, default=None
            The columns to use. None means all numeric ones. Constant columns are left out.
        label : str, default=None
            A column with a reference labelling. It is not used for clustering.
        missing : {"error", "drop"}, default="error"
            How to handle rows with a missing or infinite value in a column that is used.
        standardize : bool, default=False
            Whether to scale every column to mean 0 and variance 1.

        Returns
        -------
        Dataset
            The data; its ``notes`` say what was left out or changed.

        Raises
        ------
        MissingValuesError
            If values are missing and ``missing="error"``.
        TableError
            If there is no column to cluster.
        """
        if missing not in ("error", "drop"):
            raise ValueError(f"missing must be 'error' or 'drop', got {missing!r}")
        frame, called, notes = self.frame, self.name, list(self.notes)
        chosen = _chosen_columns(frame, called, columns, label, notes)
        if columns is None:
            notes += self._left_out(chosen, label)
        values = np.empty((len(frame), len(chosen)))
        for j, column in enumerate(chosen):
            values[:, j] = _floats(frame[column])
        usable = _finite_rows(values)
        features = _Features(chosen, values)
        if not usable.all():
            _leave_out_rows(features, usable, called, missing, notes)
            features = _Features(chosen, values[usable])
        features = _varying(features, called, notes)
        _check_values(features)
        rows = np.flatnonzero(usable).astype(np.int64)
        y = None if label is None else _codes(frame[label].iloc[rows], notes)
        dataset = Dataset(features.values, y, tuple(features.names), called, frame, rows, tuple(notes))
        return dataset.standardized() if standardize else dataset

    def points(self, columns: Sequence[str], *, missing: Literal["error", "drop"] = "error") -> Dataset:
        """Select columns that a model was fitted to, whatever their order here and whether they vary.

        Parameters
        ----------
        columns : sequence of str
            Names of the columns.
        missing : {"error", "drop"}, default="error"
            How to handle rows with a missing or infinite value in one of them.

        Returns
        -------
        Dataset
            The rows, with the columns in the given order; its ``notes`` name other columns.

        Raises
        ------
        MissingValuesError
            If values are missing and ``missing="error"``.
        TableError
            If a column is not there or not numeric; the message names it, and a column that it may have
            become.
        """
        if missing not in ("error", "drop"):
            raise ValueError(f"missing must be 'error' or 'drop', got {missing!r}")
        frame, called, notes = self.frame, self.name, list(self.notes)
        others = [str(column) for column in frame.columns if column not in set(columns)]
        if absent := [column for column in columns if column not in frame.columns]:
            raise TableError(_renamed(absent, others, called))
        numeric = set(numeric_columns(frame))
        if words := [column for column in columns if column not in numeric]:
            texts = [f"{shown(column)} ({self.reasons.get(column, 'no numbers')})" for column in words]
            raise TableError(
                f"the model needs numbers in {enumerated(texts, _MOST_NAMED)} of {shown(called)}: correct "
                "the cells, or leave them empty"
            )
        if others:
            notes.append(f"Columns that the model does not use: {listed(others)}.")
        features = _Features(list(columns), np.column_stack([_floats(frame[column]) for column in columns]))
        usable = _finite_rows(features.values)
        if not usable.all():
            _leave_out_rows(features, usable, called, missing, notes)
            features = _Features(features.names, features.values[usable])
        _check_values(features)
        rows = np.flatnonzero(usable).astype(np.int64)
        return Dataset(features.values, None, tuple(columns), called, frame, rows, tuple(notes))

    def _left_out(self, chosen: list[str], label: str | None) -> list[str]:
        """Name the columns that are not numeric."""
        used = {*chosen, label}
        texts = [
            f"{shown(column)} ({self.reasons.get(column, 'no numbers')})"
            for column in map(str, self.frame.columns)
            if column not in used
        ]
        return [f"Left out because not numeric: {enumerated(texts, _MOST_NAMED)}."] if texts else []


class _Features(NamedTuple):
    names: list[str]
    values: npt.NDArray[np.float64]


def open_table(source: Source, *, name: str | None = None, max_bytes: int = MAX_BYTES) -> Table:
    r"""Read a table from a text or Parquet file, for several data sets to be taken from it.

    The encoding, delimiter, decimal mark and header of a text are detected.

    Parameters
    ----------
    source : path, bytes or binary file
        The table.
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
    return _table(read_bytes(source, name, max_bytes), max_bytes)


def read_table(source: Source, *, name: str | None = None, max_bytes: int = MAX_BYTES) -> pd.DataFrame:
    r"""Read a table from a text or Parquet file.

    The encoding, delimiter, decimal mark and header of a text are detected.

    Parameters
    ----------
    source : path, bytes or binary file
        The table.
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
    return open_table(source, name=name, max_bytes=max_bytes).frame


def numeric_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the columns that can be clustered: numbers, at least one of them finite.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table.

    Returns
    -------
    list of str
    """
    return [str(name) for name, values in frame.items() if _is_numeric(values)]


def load_table(
    source: Source,
    *,
    columns: Sequence[str] | None = None,
    label: str | None = None,
    missing: Literal["error", "drop"] = "error",
    standardize: bool = False,
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    r"""Read a table and select the numeric columns to cluster.

    Parameters
    ----------
    source : path, bytes or binary file
        The table.
    columns : sequence of str, default=None
        The columns to use. None means all numeric ones. Constant columns are left out.
    label : str, default=None
        A column with a reference labelling. It is not used for clustering.
    missing : {"error", "drop"}, default="error"
        How to handle rows with a missing or infinite value in a column that is used.
    standardize : bool, default=False
        Whether to scale every column to mean 0 and variance 1.
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
    table = open_table(source, name=name, max_bytes=max_bytes)
    return table.dataset(columns=columns, label=label, missing=missing, standardize=standardize)


def _table(content: Content, max_bytes: int) -> Table:
    data, name = content
    del content  # so that the bytes of a text are given up when it has been split
    sha256 = hashlib.sha256(data).hexdigest()
    if not data.strip():
        raise TableError(f"{shown(name)} is empty: give a file with a header line and at least two rows")
    try:
        if data.startswith(MAGIC):
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
    return Table(read.frame, name, tuple(read.notes), sha256, read.reasons)


def _read_parquet(data: bytes, name: str, max_bytes: int) -> Read:
    columns = read_parquet(data, name, max_bytes)
    check_column_count(len(columns.names), name)
    names, notes = unique_names(columns.names)
    frame = pd.DataFrame(dict(zip(names, columns.columns, strict=True)), copy=False)
    reasons = {name: why for name, why in zip(names, columns.reasons, strict=True) if why is not None}
    return Read(frame, [*notes, *columns.notes], reasons)


def _is_numeric(values: pd.Series) -> bool:
    dtype = values.dtype
    if not pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        return False
    return not pd.api.types.is_complex_dtype(dtype) and bool(np.isfinite(_floats(values)).any())


def _finite_rows(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which rows have no missing or infinite value, without a copy of the table."""
    usable = np.ones(len(values), dtype=bool)
    for column in values.T:
        usable &= np.isfinite(column)
    return usable


def _floats(values: pd.Series) -> npt.NDArray[np.float64]:
    return values.to_numpy(dtype=np.float64, na_value=np.nan)


def _chosen_columns(
    frame: pd.DataFrame, name: str, columns: Sequence[str] | None, label: str | None, notes: list[str]
) -> list[str]:
    if isinstance(columns, str):
        raise ValueError(f"columns must be a sequence of names, got the single text {shown(columns)}")
    numeric = numeric_columns(frame)
    asked = numeric if columns is None else list(dict.fromkeys(columns))
    named = asked if label is None else [*asked, label]
    if unknown := [column for column in named if column not in frame.columns]:
        raise TableError(
            f"{shown(name)} has no column {listed(unknown)}; its columns are {listed(frame.columns)}"
        )
    if label is not None:
        notes.append(f"The column {shown(label)} is the reference labelling and was not used for clustering.")
    chosen = [column for column in asked if column != label]
    if words := [column for column in chosen if column not in numeric]:
        raise TableError(
            f"not all values of {listed(words)} are numbers: choose among the numeric columns "
            f"({listed(numeric) or 'there are none'})"
        )
    if not chosen:
        raise TableError(
            f"{shown(name)} has no numeric column to cluster; its columns are {listed(frame.columns)}. "
            f"At least one column must hold numbers only; check the delimiter and the decimal mark"
        )
    if columns is None and len(chosen) == 1:
        notes.append(
            f"Only one numeric column was found, {shown(chosen[0])}. "
            f"If you expected more, check the delimiter."
        )
    return chosen


def _renamed(absent: list[str], others: list[str], name: str) -> str:
    """Say which columns are not there, and which others resemble them."""
    plain = {other.strip().casefold(): other for other in reversed(others)}
    texts = []
    for column in absent:
        close = get_close_matches(column.strip().casefold(), plain, n=1)
        texts.append(f"{shown(column)} (is it {shown(plain[close[0]])}?)" if close else shown(column))
    return (
        f"{shown(name)} has no column {enumerated(texts, _MOST_NAMED)}, which the model was fitted to; its "
        f"columns that the model does not know are {listed(others) or 'none'}. Name the columns as they were"
    )


def _varying(features: _Features, name: str, notes: list[str]) -> _Features:
    """Leave out the constant columns."""
    names, values = features
    varies = values.min(axis=0) < values.max(axis=0)
    if not varies.any():
        raise TableError(
            f"nothing varies in {shown(name)}: all rows have the same value in {listed(names)}. "
            f"Give a table in which at least one numeric column has different values"
        )
    constant = [column for column, varying in zip(names, varies, strict=True) if not varying]
    if constant:
        notes.append(f"Left out because all rows have the same value: {listed(constant)}.")
    return (
        features
        if not constant
        else _Features(
            [column for column, varying in zip(names, varies, strict=True) if varying], values[:, varies]
        )
    )


def _leave_out_rows(
    features: _Features, usable: npt.NDArray[np.bool_], name: str, missing: str, notes: list[str]
) -> None:
    n_rows, n_bad = len(usable), int((~usable).sum())
    gaps = (~np.isfinite(features.values)).sum(axis=0)
    worst = f"most of them in the column {shown(features.names[int(gaps.argmax())])}"
    what = f"{n_bad} of {n_rows} rows of {shown(name)} have missing or infinite values, {worst}"
    if n_rows - n_bad < 2:
        raise TableError(
            f"{what}: fewer than two rows are complete. Fill in the values, or leave that column out"
        )
    if missing == "error":
        raise MissingValuesError(what, n_bad)
    notes.append(f"{counted(n_bad, 'row')} of {n_rows} left out because of missing or infinite values.")


def _check_values(features: _Features) -> None:
    sizes = np.maximum(features.values.max(axis=0), -features.values.min(axis=0))
    if (sizes > LARGEST_VALUE).any():
        worst = int(sizes.argmax())
        raise TableError(
            f"the column {shown(features.names[worst])} holds a value of size {sizes[worst]:.3g}, beyond "
            f"{LARGEST_VALUE:g}, which cannot be squared safely: rescale that column, or leave it out"
        )


def _codes(labels: pd.Series, notes: list[str]) -> npt.NDArray[np.int64] | None:
    if not pd.api.types.is_numeric_dtype(labels.dtype):
        texts = labels.astype(object).where(labels.notna(), "").map(lambda cell: str(cell).strip())
        labels = texts.mask(texts.str.lower().isin(list(MISSING_WORDS)))
    if labels.isna().any():
        lacking = counted(int(labels.isna().sum()), "row")
        notes.append(f"The reference labelling {shown(labels.name)} is not used: {lacking} without a label.")
        return None
    return pd.factorize(labels, sort=True)[0].astype(np.int64)
