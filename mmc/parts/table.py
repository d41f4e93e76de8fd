"""Tables in parts, from Dask arrays, Dask data frames and partitioned Parquet.

The first pass counts rows, refuses what is no number and sums what scales the columns; a second one draws a
sample. Parts are read again in each pass unless the source keeps them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc.parts.held import Parts
from mmc.parts.local import LocalParts
from mmc.parts.parquet import Load, parquet_parts

Array = NDArray[np.float64]


class Look(NamedTuple):
    """What the first pass says of one part.

    Attributes
    ----------
    n : int
        Number of rows.
    mean : ndarray of shape (d,)
        Means of its columns.
    squares : ndarray of shape (d,)
        Sums of squared differences from them.
    least, largest : ndarray of shape (d,)
        Smallest and largest values.
    wrong : int
        First column with a value that is missing or infinite; −1 if there is none.
    """

    n: int
    mean: Array
    squares: Array
    least: Array
    largest: Array
    wrong: int


@dataclass(frozen=True, eq=False)
class PartedTable:
    """Points in parts.

    Attributes
    ----------
    parts : Parts
        Parts that have rows, as float64 arrays, standardised if that was asked for.
    source : Parts
        The same before they were standardised.
    sizes : ndarray of shape (n_parts,)
        Number of rows of each.
    lengths : tuple of int
        Number of rows of each part of the source, also of empty ones.
    n_features : int
        Number of columns.
    names : tuple of str or None
        Their names, where they have some.
    means, deviations : ndarray of shape (n_features,)
        Of the columns of the source.
    spread : float
        Largest difference between two values of a column of `parts`.
    standardized : bool
        Whether `parts` are scaled by `means` and `deviations`.
    resume : Path or None
        File of a fit that goes on from there after a loss.
    """

    parts: Parts
    source: Parts
    sizes: NDArray[np.int64]
    lengths: tuple[int, ...]
    n_features: int
    names: tuple[str, ...] | None
    means: Array
    deviations: Array
    spread: float
    standardized: bool = False
    resume: Path | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.sizes.sum())

    @property
    def firsts(self) -> NDArray[np.int64]:
        """First row of each part."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]])

    @property
    def mean(self) -> Array:
        """Means of the columns of `parts`."""
        return np.zeros(self.n_features) if self.standardized else self.means

    def sample(self, m: int, rng: np.random.RandomState) -> Array:
        """Draw rows of all parts, each with the same probability, in their order.

        Parameters
        ----------
        m : int
            Number of rows, or all if there are no more.
        rng : RandomState
            Random generator.

        Returns
        -------
        ndarray of shape (at most m, n_features)
        """
        seeds = rng.randint(2**31, size=2)
        # How many rows of each part are drawn is what it is in a draw from all of them. NumPy has the
        # distribution of these numbers for less than 10⁹ rows only.
        rows = np.random.default_rng(seeds[0]).choice(self.n, min(m, self.n), replace=False, shuffle=False)
        counts = np.bincount(np.searchsorted(self.firsts, rows, side="right") - 1, minlength=len(self.sizes))
        each = [(int(seeds[1]), p, int(count)) for p, count in enumerate(counts)]
        return np.concatenate(self.parts.call(_drawn, each=each))

    def take(self, rows: NDArray[np.int64]) -> Array:
        """Return some rows in the units of the source.

        Parameters
        ----------
        rows : ndarray of shape (m,)
            Their numbers in increasing order.

        Returns
        -------
        ndarray of shape (m, n_features)
        """
        own = np.split(rows, np.searchsorted(rows, self.firsts[1:]))
        each = [numbers - first for numbers, first in zip(own, self.firsts, strict=True)]
        return np.concatenate(self.source.call(_taken, each=each))

    def in_parts(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Divide an array with a row for each point."""
        return np.split(values, self.firsts[1:])


def is_parted(X: Any) -> bool:
    """Return whether estimators take `X` part by part: a Dask array or data frame, or a `PartedTable`."""
    return isinstance(X, PartedTable) or type(X).__module__.split(".")[:2] in (
        ["dask", "array"],
        ["dask", "dataframe"],
    )


def open_parts(
    source: Any,
    *,
    client: Any = None,
    columns: Sequence[str] | None = None,
    standardize: bool = False,
    resume: str | os.PathLike[str] | None = None,
) -> PartedTable:
    """Open a table in parts, for the `fit` of an estimator.

    Parameters
    ----------
    source : dask.array.Array, dask.dataframe.DataFrame, str, or sequence of array-like
        Table with a part for each block of rows; a path or address of Parquet files, as fsspec takes it, with
        a part for each file, or for each row group of a single one; or arrays or data frames.
    client : distributed.Client or None, default=None
        Cluster that computes. None means the current client of the process if `source` belongs to Dask, and
        otherwise threads of this process.
    columns : sequence of str or None, default=None
        Columns to use; None means all of the first frame, and the numeric ones of Parquet files. Later parts
        may have them in another order.
    standardize : bool, default=False
        Whether every column is scaled to mean 0 and variance 1.
    resume : path or None, default=None
        File that keeps the progress of a fit. If it exists, the fit goes on from there.

    Returns
    -------
    PartedTable

    Raises
    ------
    ValueError
        If the table is empty, a column holds what is no finite number, or there is no folder for `resume`.
    """
    if isinstance(source, PartedTable):
        return source
    if resume is not None and not Path(resume).parent.is_dir():
        raise ValueError(f"resume={os.fspath(resume)!r} is in no folder that exists: make it first.")
    if client is None and is_parted(source):
        client = _current_client()
    data, names = _parts_of(source, columns)
    parts: Parts
    if client is None:
        parts = LocalParts([_computed(each) for each in data])
    else:
        from dask.delayed import delayed

        from mmc.parts.cluster import ClusterParts, require_release

        require_release(client)
        lazy = [delayed(_loaded, pure=False)(each) if isinstance(each, Load) else each for each in data]
        parts = ClusterParts(client, [each if hasattr(each, "dask") else delayed(each) for each in lazy])
    parts = parts.viewed(_points, names)
    looks = parts.call(_look)
    _require_numbers(looks, names)
    lengths = tuple(look.n for look in looks)
    used = [p for p, n in enumerate(lengths) if n > 0]
    if sum(lengths) < 2:
        raise ValueError(f"Found {sum(lengths)} rows in {len(lengths)} parts: at least 2 are needed.")
    parts, looks = parts.chosen(used), [looks[p] for p in used]
    n, means, squares = _merged(looks)
    deviations = np.sqrt(squares / n)
    deviations[deviations == 0.0] = 1.0
    widths = np.max([look.largest for look in looks], axis=0) - np.min([look.least for look in looks], axis=0)
    source_parts = parts
    if standardize:
        parts, widths = parts.viewed(_standardized, means, deviations), widths / deviations
    return PartedTable(
        parts,
        source_parts,
        np.array([look.n for look in looks], dtype=np.int64),
        lengths,
        len(means),
        names,
        means,
        deviations,
        float(widths.max()),
        standardize,
        None if resume is None else Path(resume),
    )


def lazily(X: Any, function: Callable[[Array], NDArray[Any]], dtype: type) -> Any:
    """Apply a function to the rows of a Dask array or data frame, block by block, when it is computed.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame
        Points.
    function : callable
        Returns one value for each row of an array of points.
    dtype : type
        Type of the values.

    Returns
    -------
    dask.array.Array of shape (n_points,)
    """
    points = X if X.__class__.__name__ == "Array" else X.to_dask_array()
    points = points.rechunk({1: -1}) if points.numblocks[1] > 1 else points
    return points.map_blocks(_values, function, drop_axis=1, dtype=dtype, meta=np.empty(0, dtype=dtype))


def _parts_of(source: Any, columns: Sequence[str] | None) -> tuple[list[Any], tuple[str, ...] | None]:
    """Return the data of each part, as arrays, Dask's promises or `Load`, and the names of the columns."""
    if isinstance(source, str | os.PathLike):
        return parquet_parts(os.fspath(source), columns)
    if not is_parted(source):
        data = list(source)
        if columns is None and data and hasattr(data[0], "iloc"):
            columns = data[0].columns
        return data, None if columns is None else tuple(map(str, columns))
    if hasattr(source, "columns"):
        used = source if columns is None else source[list(columns)]
        return list(used.to_delayed()), tuple(map(str, used.columns))
    if source.ndim != 2:
        raise ValueError(f"Expected a Dask array with rows and columns, and got the shape {source.shape}.")
    return list(source.rechunk({1: -1}).to_delayed().ravel()), None


def _current_client() -> Any:
    """Return the client of this process, if it has one."""
    try:
        from distributed import default_client
    except ImportError:
        return None
    try:
        return default_client()
    except ValueError:
        return None


def _computed(data: Any) -> Callable[[], Any]:
    """Return a function that reads a part here."""
    if isinstance(data, Load):
        return lambda: _loaded(data)
    if hasattr(data, "dask"):
        return lambda: data.compute(scheduler="synchronous")
    return lambda: data


def _loaded(load: Load) -> Any:
    return load[0](*load[1])


def _points(data: Any, names: tuple[str, ...] | None) -> Array:
    """Return the rows of a part as an array, in C order."""
    if names is not None and hasattr(data, "iloc"):
        found = tuple(map(str, data.columns))
        if not set(names) <= set(found):
            raise ValueError(f"A part has the columns {', '.join(found)}, and others {', '.join(names)}.")
        if found != names:
            data = data.iloc[:, [found.index(name) for name in names]]
    try:
        if hasattr(data, "iloc"):
            data = data.to_numpy(dtype=np.float64, na_value=np.nan)
        points = np.ascontiguousarray(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"A part holds what is no number ({error}): choose columns of numbers.") from error
    if points.ndim != 2 or points.shape[1] == 0:
        raise ValueError(f"A part has the shape {points.shape}: rows and at least one column are needed.")
    return points


@np.errstate(over="ignore", invalid="ignore")  # what is too large is refused once all is known
def _look(points: Array) -> Look:
    n, d = points.shape
    if n == 0:
        return Look(0, np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d), -1)
    least, largest = points.min(axis=0), points.max(axis=0)
    wrong = np.flatnonzero(~np.isfinite(least + largest) & ~(np.isfinite(least) & np.isfinite(largest)))
    squares = np.zeros(d)
    mean = points.mean(axis=0)
    for first in range(0, n, 4096):
        squares += ((points[first : first + 4096] - mean) ** 2).sum(axis=0)
    return Look(n, mean, squares, least, largest, int(wrong[0]) if len(wrong) else -1)


def _require_numbers(looks: Sequence[Look], names: tuple[str, ...] | None) -> None:
    for p, look in enumerate(looks):
        if len(look.mean) != len(looks[0].mean):
            raise ValueError(f"Part {p} has {len(look.mean)} columns, and part 0 {len(looks[0].mean)}.")
        if look.wrong >= 0:
            name = look.wrong if names is None else repr(names[look.wrong])
            raise ValueError(
                f"Column {name} has values in part {p} that are missing or infinite. Fill them, or leave the "
                "column or these rows out."
            )


@np.errstate(over="ignore", invalid="ignore")
def _merged(looks: Sequence[Look]) -> tuple[int, Array, Array]:
    """Return the number of all rows, the means of the columns, and the sums of squares about them."""
    means, squares, n = looks[0].mean, looks[0].squares, looks[0].n
    for look in looks[1:]:  # Chan, Golub and LeVeque: sums of squares about a mean that moves
        total = n + look.n
        change = look.mean - means
        squares = squares + look.squares + change**2 * (n * look.n / total)
        means, n = means + change * (look.n / total), total
    return n, means, squares


def _standardized(points: Array, means: Array, deviations: Array) -> Array:
    return (points - means) / deviations


def _drawn(points: Array, how: tuple[int, int, int]) -> Array:
    seed, part, count = how
    rows = np.random.default_rng([seed, part]).choice(len(points), count, replace=False)
    return points[np.sort(rows)]


def _taken(points: Array, rows: NDArray[np.int64]) -> Array:
    return points[rows]


def _values(points: Any, function: Callable[[Array], NDArray[Any]]) -> NDArray[Any]:
    given = np.ascontiguousarray(points, dtype=np.float64)
    return function(given) if len(given) else function(np.zeros((1, given.shape[1])))[:0]
