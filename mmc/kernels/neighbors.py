"""Distinct points, principal components, and the nearest neighbours of many points.

Up to `EXACT` points the search takes place among the points themselves. Beyond, points with more than
`N_COMPONENTS` features are first projected onto so many principal components, and distances are those of the
projections: they are no longer exact, but the neighbours of images hardly change. The search is exact
(scikit-learn: a tree for few features, else all pairs in blocks) up to `PAIRS` points, and approximate beyond
(pynndescent, which finds about 99 % of the neighbours).

Costs for m points of q features: m² q multiplications for all pairs, about m q log m otherwise; memory m q.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

Array = NDArray[np.float64]
#: float64, or float32 for principal components.
Floats = NDArray[np.floating]

#: Largest number of points for which distances are those of all features.
EXACT = 5_000

#: Number of principal components, and of features that are searched as they are.
N_COMPONENTS = 64

#: Largest number of points of many features among which all pairs are compared.
PAIRS = 100_000

#: Points at a distance below this share of their width are equal up to the rounding of principal components.
SAME = 1e-5

#: Number of features up to which a tree finds neighbours quickly.
_FEW = 15

#: Rows that are projected at a time.
_ROWS = 4096


def is_rough(n: int) -> bool:
    """Return whether there are so many points that their features are float32."""
    return n > EXACT


def feature_type(n: int) -> np.dtype:
    """Return the type of the features of n points."""
    return np.dtype(np.float32 if is_rough(n) else np.float64)


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


def distinct_rows(X: Floats) -> Distinct:
    """Find the different rows of an array by digests of 128 bits, without a copy of it."""
    places: dict[bytes, int] = {}
    vertex = np.empty(len(X), dtype=np.int64)
    first: list[int] = []
    for i, row in enumerate(X):
        # The sum turns −0 into 0, which is the same number and another row of bytes.
        digest = blake2b((row + 0.0).tobytes(), digest_size=16).digest()
        vertex[i] = places.setdefault(digest, len(first))
        if vertex[i] == len(first):
            first.append(i)
    return Distinct(np.array(first, dtype=np.int64), vertex)


@dataclass(frozen=True, eq=False)
class Components:
    """A projection onto principal components, or onto the points themselves, shifted to their mean.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
        Mean of the points.
    axes : ndarray of shape (n_features, n_components) or None
        Principal axes; None keeps all features.
    """

    mean: Array
    axes: Array | None

    def __call__(self, X: Array) -> Floats:
        """Project points; principal components are float32.

        Parameters
        ----------
        X : ndarray of shape (n_points, n_features)

        Returns
        -------
        ndarray of shape (n_points, n_components)
        """
        if self.axes is None:
            return X - self.mean
        axes = self.axes.astype(np.float32)
        result = np.empty((len(X), axes.shape[1]), dtype=np.float32)
        for first in range(0, len(X), _ROWS):
            result[first : first + _ROWS] = (X[first : first + _ROWS] - self.mean).astype(np.float32) @ axes
        return result


def fit_components(X: Array) -> Components:
    """Find the principal components of many points of many features; fewer are only shifted to their mean.

    The second moments are summed over blocks of rows, in n d² multiplications and d² memory.

    Parameters
    ----------
    X : ndarray of shape (n_points, n_features)

    Returns
    -------
    Components
    """
    # Distances do not depend on the origin, but their rounding errors do.
    mean = X.mean(axis=0)
    d = X.shape[1]
    if len(X) <= EXACT or d <= N_COMPONENTS:
        return Components(mean, None)
    moments = np.zeros((d, d))
    for first in range(0, len(X), _ROWS):
        rows = (X[first : first + _ROWS] - mean).astype(np.float32)
        moments += rows.T @ rows
    vectors = np.linalg.eigh(moments)[1][:, ::-1][:, :N_COMPONENTS]
    # An eigenvector has no sign of its own; the largest entry of each is made positive.
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return Components(mean, vectors * np.where(largest < 0, -1.0, 1.0))


class Nearest(NamedTuple):
    """Distances to the nearest points in increasing order, and their indices."""

    distances: Array
    indices: NDArray[np.int64]


def nearest_others(points: Floats, n_neighbors: int) -> Nearest:
    """Find the nearest other points of each point.

    Parameters
    ----------
    points : ndarray of shape (m, q)
        Distinct points, shifted to their mean.
    n_neighbors : int
        Number of neighbours, less than m.

    Returns
    -------
    Nearest
        Arrays of shape (m, n_neighbors). Of two neighbours at the same distance the first comes first.
    """
    m, q = points.shape
    if m > PAIRS and q > _FEW:
        from pynndescent import NNDescent  # it takes seconds to load

        index = NNDescent(points, n_neighbors=n_neighbors + 1, random_state=0)
        found = index.neighbor_graph[0]
        own = found == np.arange(m)[:, None]
        own[~own.any(axis=1), -1] = True  # the point itself was not found: drop the farthest
        indices = found[~own].reshape(m, n_neighbors).astype(np.int64)
    else:
        search = NearestNeighbors(n_neighbors=n_neighbors).fit(points)
        indices = search.kneighbors(return_distance=False).astype(np.int64)
    # The fast formula for distances loses digits, so that they are computed anew from differences.
    return _sorted(_distances(points, points, indices), indices)


def nearest_of(points: Floats, X: Floats, n_neighbors: int) -> Nearest:
    """Find the nearest of `points` for each row of `X`; a row that equals a point is its own neighbour.

    Parameters
    ----------
    points : ndarray of shape (m, q)
    X : ndarray of shape (n_points, q)
    n_neighbors : int
        Number of neighbours, at most m.

    Returns
    -------
    Nearest
        Arrays of shape (n_points, n_neighbors).
    """
    search = NearestNeighbors(n_neighbors=n_neighbors).fit(points)
    indices = search.kneighbors(X, return_distance=False).astype(np.int64)
    return _sorted(_distances(X, points, indices), indices)


def _distances(X: Floats, points: Floats, indices: NDArray[np.int64]) -> Array:
    distances = np.empty(indices.shape)
    for c in range(indices.shape[1]):
        difference = X - points[indices[:, c]]
        distances[:, c] = np.sqrt(np.einsum("ij,ij->i", difference, difference, dtype=np.float64))
    return distances


def _sorted(distances: Array, indices: NDArray[np.int64]) -> Nearest:
    order = np.lexsort((indices, distances), axis=1)
    return Nearest(np.take_along_axis(distances, order, axis=1), np.take_along_axis(indices, order, axis=1))
