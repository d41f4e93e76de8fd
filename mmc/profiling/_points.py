"""Typical and doubtful rows: distances within and between clusters, of samples where there are many rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.metrics import euclidean_distances, silhouette_samples

from mmc._threads import threads_kept
from mmc.profiling._columns import Column

#: Number of rows whose distances to as many are computed at once.
_BLOCK = 512


def spread_sample(
    clusters: NDArray[np.int64], n_clusters: int, most: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return at most so many rows: of each cluster a share, and half of them evenly from all clusters.

    Parameters
    ----------
    clusters : ndarray of shape (n_samples,)
        Position of each row's cluster; −1 belongs to none and is left out.
    n_clusters, most : int
        Number of clusters, and of rows.
    rng : Generator
        Source of randomness; not used if there are no more rows.

    Returns
    -------
    ndarray of int
        Rows, ascending.
    """
    rows = np.flatnonzero(clusters >= 0)
    if len(rows) <= most:
        return rows
    if 2 * n_clusters > most:
        return np.sort(rng.choice(rows, most, replace=False))
    parts = []
    order = rows[np.argsort(clusters[rows], kind="stable")]
    sizes = np.bincount(clusters[rows], minlength=n_clusters)
    for members in np.split(order, np.cumsum(sizes)[:-1]):
        m = len(members)
        quota = max(min(m, most // (2 * n_clusters)), m * most // (2 * len(rows)))
        parts.append(rng.choice(members, quota, replace=False))
    return np.sort(np.concatenate(parts))


def standard_points(columns: Sequence[Column]) -> NDArray[np.float64] | None:
    """Return the varying columns of numbers with mean 0 and variance 1; a missing value is at the mean.

    Parameters
    ----------
    columns : sequence of Column
        Columns of a table.

    Returns
    -------
    ndarray of shape (n_samples, d) or None
        None if there is no such column.
    """
    points = []
    for column in columns:
        if column.numbers is None or column.kind in ("constant", "empty"):
            continue
        known = column.numbers[column.known]
        values = np.where(column.known, column.numbers, 0.0) / np.abs(known).max()
        known = values[column.known]
        scale = known.std()
        points.append(np.where(column.known, (values - known.mean()) / (scale or 1.0), 0.0))
    return np.column_stack(points) if points else None


def silhouettes(X: NDArray[np.float64], clusters: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the silhouette of each point, with distances in parts of at most 64 MB.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Points.
    clusters : ndarray of shape (n,)
        Cluster of each point.

    Returns
    -------
    ndarray of shape (n,)
        0 for a cluster of one point, NaN if there is only one cluster.
    """
    k = len(np.unique(clusters))
    if k < 2 or k == len(X):  # scikit-learn defines neither
        return np.full(len(X), np.nan if k < 2 else 0.0)
    with config_context(working_memory=64), threads_kept():
        return np.asarray(silhouette_samples(_scaled(X), clusters))


def distance_sums(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each point the sum of its distances to the others.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Points.

    Returns
    -------
    ndarray of shape (n,)
        Up to a common factor.
    """
    points = _scaled(X)
    return np.concatenate([_distances(points, i).sum(axis=1) for i in range(0, len(X), _BLOCK)])


def _scaled(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points around 0 of size 1, so that squares neither overflow nor lose digits."""
    largest = np.abs(X).max(initial=0.0)
    points = X / (largest or 1.0)
    points = points - points.mean(axis=0)
    return np.asarray(points / (np.abs(points).max(initial=0.0) or 1.0))


def _distances(points: NDArray[np.float64], start: int) -> NDArray[np.float64]:
    """Return the distances of a block of points to all; that of a point to itself is exactly 0."""
    D = euclidean_distances(points[start : start + _BLOCK], points)
    at = np.arange(len(D))
    D[at, start + at] = 0.0
    return np.asarray(D)
