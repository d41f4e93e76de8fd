"""Principal components, and the nearest neighbours of many points.

Up to `EXACT` points the search takes place among the points themselves. Beyond, points with more than
`N_COMPONENTS` features are first projected onto so many principal components, and distances are those of the
projections: they are no longer exact, but the neighbours of images hardly change. The search is exact
(scikit-learn: a tree for few features, else all pairs in blocks) up to `PAIRS` points, and approximate beyond
(pynndescent, which finds about 99 % of the neighbours).

Costs for m points of q features: m² q multiplications for all pairs, about m q log m otherwise; memory m q.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.neighbors import NearestNeighbors

from mmc._optional import needed
from mmc._points import Points, pair_lengths

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

#: Rounds of the search for principal components of sparse points, and axes beyond those that are asked for.
_ROUNDS, _SPARE = 4, 16

#: Rows that are projected at a time.
_ROWS = 4096


def is_rough(n: int) -> bool:
    """Return whether there are so many points that their features are float32."""
    return n > EXACT


def feature_type(n: int) -> np.dtype:
    """Return the type of the features of n points."""
    return np.dtype(np.float32 if is_rough(n) else np.float64)


@dataclass(frozen=True, eq=False)
class Components:
    """A projection onto principal components, or onto the points themselves, shifted to their mean.

    Attributes
    ----------
    mean : ndarray of shape (n_features,) or None
        Mean of the points; None leaves sparse points as they are, because a shift would fill them.
    axes : ndarray of shape (n_features, n_components) or None
        Principal axes; None keeps all features.
    """

    mean: Array | None
    axes: Array | None

    def __call__(self, X: Points) -> Points:
        """Project points; principal components are float32.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_points, n_features)

        Returns
        -------
        ndarray of shape (n_points, n_components)
            Sparse points if there is no mean.
        """
        if self.mean is None:
            return X
        if self.axes is None:
            return (X.toarray() if issparse(X) else X) - self.mean  # sparse ones have few columns
        if issparse(X):
            return (X @ self.axes - self.mean @ self.axes).astype(np.float32)
        axes = self.axes.astype(np.float32)
        result = np.empty((X.shape[0], axes.shape[1]), dtype=np.float32)
        for first in range(0, X.shape[0], _ROWS):
            result[first : first + _ROWS] = (X[first : first + _ROWS] - self.mean).astype(np.float32) @ axes
        return result


def fit_components(X: Points) -> Components:
    """Find the principal components of many points of many features; fewer are only shifted to their mean.

    The second moments are summed over blocks of rows, in n d² multiplications and d² memory. Those of sparse
    points are found in a few rounds, each of which takes 160 multiplications for every entry.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_points, n_features)

    Returns
    -------
    Components
    """
    # Distances do not depend on the origin, but their rounding errors do.
    mean = np.asarray(X.mean(axis=0), dtype=np.float64)
    n, d = X.shape
    if n <= EXACT or d <= N_COMPONENTS:
        return Components(None if issparse(X) and d > N_COMPONENTS else mean, None)
    if issparse(X):
        return Components(mean, _with_signs(_sparse_axes(X, mean)))
    moments = np.zeros((d, d))
    for first in range(0, X.shape[0], _ROWS):
        rows = (X[first : first + _ROWS] - mean).astype(np.float32)
        moments += rows.T @ rows
    return Components(mean, _with_signs(np.linalg.eigh(moments)[1][:, ::-1][:, :N_COMPONENTS]))


def _sparse_axes(X: Points, mean: Array) -> Array:
    """Return the leading axes of sparse points, which are shifted to their mean by products alone.

    They are found by subspace iterations (Halko, Martinsson and Tropp, 2011): axes along which the points
    vary much are those of a full decomposition, and of many that differ little it finds some mixture.
    """
    rows = csr_array(X.T)
    axes = np.random.default_rng(0).standard_normal((X.shape[1], N_COMPONENTS + _SPARE))
    for _ in range(_ROUNDS):
        basis = _orthonormal(X @ axes - mean @ axes)
        axes = rows @ basis - np.multiply.outer(mean, basis.sum(axis=0))
    axes = _orthonormal(axes)
    found = X @ axes - mean @ axes
    turn = np.linalg.eigh(found.T @ found)[1][:, ::-1][:, :N_COMPONENTS]
    return np.asarray(axes @ turn)


def _orthonormal(columns: Array) -> Array:
    """Return orthonormal columns of the same span, by an eigendecomposition of their small product."""
    values, vectors = np.linalg.eigh(columns.T @ columns)
    kept = values > len(values) * float(np.finfo(float).eps) * max(float(values[-1]), 0.0)
    return np.asarray(columns @ (vectors[:, kept] / np.sqrt(values[kept])))


def _with_signs(vectors: Array) -> Array:
    # An eigenvector has no sign of its own; the largest entry of each is made positive.
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return np.asarray(vectors * np.where(largest < 0, -1.0, 1.0))


class Nearest(NamedTuple):
    """Distances to the nearest points in increasing order, and their indices."""

    distances: Array
    indices: NDArray[np.int64]


def nearest_others(points: Points, n_neighbors: int) -> Nearest:
    """Find the nearest other points of each point.

    Parameters
    ----------
    points : ndarray or csr_array of shape (m, q)
        Distinct points, shifted to their mean if they are dense.
    n_neighbors : int
        Number of neighbours, less than m.

    Returns
    -------
    Nearest
        Arrays of shape (m, n_neighbors). Of two neighbours at the same distance the first comes first.
    """
    m, q = points.shape
    if m > PAIRS and q > _FEW:
        pynndescent = needed("pynndescent", "neighbors")  # it takes seconds to load
        index = pynndescent.NNDescent(points, n_neighbors=n_neighbors + 1, random_state=0)
        found = index.neighbor_graph[0]
        own = found == np.arange(m)[:, None]
        own[~own.any(axis=1), -1] = True  # the point itself was not found: drop the farthest
        indices = found[~own].reshape(m, n_neighbors).astype(np.int64)
    else:
        search = NearestNeighbors(n_neighbors=n_neighbors).fit(points)
        indices = search.kneighbors(return_distance=False).astype(np.int64)
    # The fast formula for distances loses digits, so that they are computed anew from differences.
    return _sorted(_distances(points, points, indices), indices)


def nearest_of(points: Points, X: Points, n_neighbors: int) -> Nearest:
    """Find the nearest of `points` for each row of `X`; a row that equals a point is its own neighbour.

    Parameters
    ----------
    points : ndarray or csr_array of shape (m, q)
    X : ndarray or csr_array of shape (n_points, q)
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


def _distances(X: Points, points: Points, indices: NDArray[np.int64]) -> Array:
    distances = np.empty(indices.shape)
    for c in range(indices.shape[1]):
        distances[:, c] = pair_lengths(X, points[indices[:, c]])
    return distances


def _sorted(distances: Array, indices: NDArray[np.int64]) -> Nearest:
    order = np.lexsort((indices, distances), axis=1)
    return Nearest(np.take_along_axis(distances, order, axis=1), np.take_along_axis(indices, order, axis=1))
