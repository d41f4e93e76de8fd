"""Partitioned Parquet, here or wherever fsspec reads: a part for each file, or for each row group of one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc._optional import pyarrow as pa
from mmc._optional import pyarrow_parquet as pq

Array = NDArray[np.float64]


class Load(NamedTuple):
    """How a part is read.

    Attributes
    ----------
    function : callable
    arguments : tuple
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def parquet_files(path: str) -> list[str]:
    """List the files of a table, in the order of the numbers in their names.

    Parameters
    ----------
    path : str
        A folder, a file or a pattern with ``*``, with a protocol such as s3:// in front where it needs one.
        Below a folder, files and folders whose names begin with ``_`` or ``.`` do not belong to the table.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If there are none, or fsspec is missing or cannot read there.
    """
    files, root = _opened(path)
    try:
        if "*" in root:
            found = files.glob(root)
        elif files.isdir(root):
            found = files.find(root)
        else:
            found = [root] if files.exists(root) else []
    except (OSError, ImportError) as error:
        raise ValueError(f"{path} cannot be read: {error}.") from error
    folder = root.split("*", 1)[0].rpartition("/")[0] if "*" in root else root
    chosen = [
        name
        for name in found
        if name == root or (_is_parquet(name) and not re.search(r"(^|/)[_.]", name.removeprefix(folder)))
    ]
    if not chosen:
        raise ValueError(f"There are no Parquet files at {path}: give a folder, a file or a pattern.")
    return [files.unstrip_protocol(name) for name in sorted(chosen, key=_by_number)]


def parquet_parts(path: str, columns: Sequence[str] | None) -> tuple[list[Load], tuple[str, ...]]:
    """Return how each part of a table is read, and the names of the columns that are used.

    Parameters
    ----------
    path : str
        As for `parquet_files`.
    columns : sequence of str or None
        Columns to use; None means those of numbers in the first file that has rows.

    Returns
    -------
    parts : list of Load
    names : tuple of str
    """
    found = parquet_files(path)
    for first in found:  # the columns of a file without rows may have no type
        with _parquet(first) as file:
            schema, metadata = file.schema_arrow, file.metadata
        if metadata.num_rows:
            break
    if columns is None:
        names = tuple(
            field.name
            for field in schema
            if (pa.types.is_integer(field.type) or pa.types.is_floating(field.type))
            and not re.fullmatch(r"__.*__", field.name)
        )
    else:
        names = tuple(columns)
        if missing := [name for name in names if name not in schema.names]:
            raise ValueError(f"{first} has no column {missing[0]!r}, but {', '.join(schema.names[:20])}.")
    if not names:
        raise ValueError(f"{first} has no column of numbers.")
    if len(found) == 1:
        return [Load(read_part, (found[0], group, names)) for group in range(metadata.num_row_groups)], names
    return [Load(read_part, (each, None, names)) for each in found], names


def read_part(path: str, group: int | None, names: tuple[str, ...]) -> Array:
    """Read the columns of a file, or of one of its row groups; missing values become NaN.

    Parameters
    ----------
    path : str
        Address of the file.
    group : int or None
        Row group; None means all.
    names : tuple of str
        Columns.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
    """
    with _parquet(path) as table:
        if missing := [name for name in names if name not in table.schema_arrow.names]:
            raise ValueError(f"{path} has no column {missing[0]!r}, which other files have.")
        columns = list(names)
        read = table.read(columns) if group is None else table.read_row_group(group, columns)
    points = np.empty((read.num_rows, len(names)))
    for c, name in enumerate(names):
        try:
            points[:, c] = read.column(name).cast(pa.float64()).to_numpy()
        except pa.ArrowException as error:
            raise ValueError(f"Column {name!r} of {path} holds what is no number: {error}.") from error
    return points


@contextmanager
def _parquet(path: str) -> Iterator[pq.ParquetFile]:
    """Open a file, and name it in the errors of Arrow."""
    files, root = _opened(path)
    try:
        with files.open(root, "rb") as file:
            yield pq.ParquetFile(file)
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and (type(error) is not OSError or error.errno is not None):
            raise  # of the disk or the network, and not of Arrow
        raise ValueError(f"{path} cannot be read as Parquet: {error}.") from error


def _opened(path: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs

        files, root = url_to_fs(path)
    except ImportError as error:
        raise ValueError(f"{path} needs a package that is not installed: {error}.") from error
    return files, root


def _is_parquet(name: str) -> bool:
    return name.endswith((".parquet", ".parq", ".pq"))


def _by_number(name: str) -> list[tuple[int, str]]:
    """Order part.2 before part.10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
