"""Points as rows of a dense array, or of a sparse one in CSR form, which never becomes dense.

A sparse array is not shifted to its mean, because that would fill it. Where rounding counts, distances are
computed from differences instead (`exact_squares`).
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist
from sklearn.utils.sparsefuncs import mean_variance_axis

from mmc._fast.sparse_distances import square_differences

Array = NDArray[np.float64]
#: A dense array, or a csr_array, for which scipy has no types.
Points = Any


def canonical(X: Points) -> Points:
    """Return a sparse array in the form that this library works with, and a dense one as it is.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_points, n_features)

    Returns
    -------
    ndarray or csr_array
        A sparse array holds each entry once, in increasing order in each row, and no zeros.
    """
    if not issparse(X):
        return X
    points = csr_array(X)
    if not points.has_canonical_format or (points.data == 0).any():
        points = points.copy()  # it may be the caller's
        points.sum_duplicates()
        points.eliminate_zeros()
    if points.indices.dtype == np.int64 and max(points.nnz, *points.shape) < 2**31:  # libraries want int32
        parts = (points.data, points.indices.astype(np.int32), points.indptr.astype(np.int32))
        points = csr_array(parts, shape=points.shape)
    return points


def largest_spread(X: Points) -> float:
    """Return the largest difference between two values of a column.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_points, n_features)

    Returns
    -------
    float
    """
    if issparse(X):
        return float((X.max(axis=0) - X.min(axis=0)).max())
    return float(np.ptp(X, axis=0).max())


def total_variance(X: Points) -> float:
    """Return the sum of the variances of the columns.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_points, n_features)

    Returns
    -------
    float
    """
    return float((mean_variance_axis(X, axis=0)[1] if issparse(X) else X.var(axis=0)).sum())


def square_lengths(X: Points, centre: Array | None = None) -> Array:
    """Return the squared distances of the rows from a centre.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_points, n_features)
    centre : ndarray of shape (n_features,) or None, default=None
        None means the origin.

    Returns
    -------
    ndarray of shape (n_points,)
    """
    if not issparse(X):
        moved = X if centre is None else X - centre
        return np.asarray((moved**2).sum(axis=1, dtype=np.float64))
    squares = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return squares if centre is None else np.maximum(squares - 2.0 * (X @ centre) + centre @ centre, 0.0)


def shifted(X: Points, centre: Array | None) -> Points:
    """Shift dense points so that a centre becomes the origin; sparse ones stay.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_points, n_features)
    centre : ndarray of shape (n_features,) or None
        None shifts nothing.

    Returns
    -------
    ndarray or csr_array
    """
    return X if centre is None or issparse(X) else X - centre


def middle(X: Points) -> Array | None:
    """Return the mean of dense points, which `shifted` takes; None for sparse ones.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_points, n_features)

    Returns
    -------
    ndarray of shape (n_features,) or None
    """
    return None if issparse(X) else np.asarray(X.mean(axis=0))


def exact_squares(X: Points, Y: Points) -> Array:
    """Return the squared distances between points from their differences.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_points, n_features)
    Y : ndarray or csr_array of shape (n_others, n_features)

    Returns
    -------
    ndarray of shape (n_points, n_others)
    """
    if not issparse(X) and not issparse(Y):
        return np.asarray(cdist(X, Y, "sqeuclidean"))
    a, b = canonical(csr_array(X)), canonical(csr_array(Y))
    result = np.empty((a.shape[0], b.shape[0]))
    square_differences(a.indptr, a.indices, a.data, b.indptr, b.indices, b.data, result)
    return result


def exact_distances(X: Points, Y: Points) -> Array:
    """Return the distances between points, as `exact_squares` does, in the memory of one such array."""
    squares = exact_squares(X, Y)
    return np.asarray(np.sqrt(squares, out=squares))


def pair_lengths(X: Points, Y: Points) -> Array:
    """Return the distance of each row of `X` from the same row of `Y`.

    Parameters
    ----------
    X, Y : ndarray or csr_array of shape (n_points, n_features)

    Returns
    -------
    ndarray of shape (n_points,)
    """
    difference = X - Y
    if issparse(difference):
        return np.sqrt(square_lengths(csr_array(difference)))
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", difference, difference, dtype=np.float64)))


class Rows(NamedTuple):
    """Rows of points that are taken a part at a time.

    Attributes
    ----------
    n : int
        Number of rows.
    take : callable
        Returns the rows of a slice, in the form in which they were given.
    """

    n: int
    take: Callable[[slice], Any]


def rows_of(X: Any) -> Rows | None:
    """Return the rows of points that can be checked a part at a time, before any is copied.

    Parameters
    ----------
    X : array-like
        Points as they were given.

    Returns
    -------
    Rows or None
        Rows of an array of numbers, of a data frame of pandas, or of a table of pyarrow; None for anything
        else, such as a list or a sparse matrix.
    """
    if isinstance(X, np.ndarray):
        return Rows(len(X), lambda rows: X[rows]) if X.ndim == 2 and X.dtype.kind in "biuf" else None
    if hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2:
        return Rows(len(X), lambda rows: X.iloc[rows])
    if hasattr(X, "__dataframe__") and hasattr(X, "num_rows") and hasattr(X, "slice"):
        return Rows(X.num_rows, lambda rows: X.slice(rows.start, rows.stop - rows.start))
    return None


class Distinct(NamedTuple):
    """The different rows of an array.

    Attributes
    ----------
    first : ndarray of shape (n_distinct,)
        First occurrence of each, in increasing order.
    vertex : ndarray of shape (n_samples,)
        Position of each row among the different ones.
    """

    first: NDArray[np.int64]
    vertex: NDArray[np.int64]


def distinct_rows(X: Points) -> Distinct:
    """Find the different rows of an array, dense or sparse, by digests of 128 bits, without a copy of it."""
    places: dict[bytes, int] = {}
    vertex = np.empty(X.shape[0], dtype=np.int64)
    first: list[int] = []
    for i in range(X.shape[0]):
        if issparse(X):
            entries = slice(X.indptr[i], X.indptr[i + 1])
            row = X.indices[entries].tobytes() + X.data[entries].tobytes()  # it holds no zeros
        else:
            row = (X[i] + 0.0).tobytes()  # the sum turns −0 into 0, the same number and other bytes
        digest = blake2b(row, digest_size=16).digest()
        vertex[i] = places.setdefault(digest, len(first))
        if vertex[i] == len(first):
            first.append(i)
    return Distinct(np.array(first, dtype=np.int64), vertex)
