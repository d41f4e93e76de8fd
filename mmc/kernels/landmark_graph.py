"""A graph that joins each point to its nearest landmarks, as a kernel of low rank.

Every point is joined to the t nearest of p landmarks, by weights exp(−d²/(σ_i σ_l)) divided by their sum;
σ_i is the distance from x_i to its t-th landmark, and σ_l the mean of that distance over the points that
landmark l is nearest to. With Z the n×p array of weights and Δ the diagonal of its column sums, S = Z Δ⁻¹ Zᵀ
is a graph between points whose rows add up to 1. Its eigenvectors v are the left singular vectors of Z Δ^-½,
whose eigenvalues μ are the squared singular values; the first is constant, and serves as the intercept.
[UMC-RLS] on them has the hat matrix of `mmc.kernels.neighbor_graph`.

A new point needs the landmarks alone: its features are z Δ^-½ u / √μ, u being the right singular vectors, for
training points and new points alike.

Defined are: more landmarks than distinct points (every distinct point is one), t above the number of
landmarks (all are neighbours), landmarks that no point is joined to (left out), and graphs in parts
(eigenvectors of equal eigenvalues in any mixture, on which the hat matrix does not depend while all of them
are used).

Costs: n p q multiplications for the nearest landmarks among q features or principal components, n t² and p³
for the singular vectors, memory n (q + t + r) + p².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse import csr_array

from mmc._points import Points, largest_spread
from mmc.kernels.landmarks import choose_landmarks
from mmc.kernels.local_scaling import require_squares
from mmc.kernels.neighbors import Array, Components, Floats, feature_type, fit_components, nearest_of

#: Smallest eigenvalue of a feature.
_SMALLEST = 1e-6

#: Points whose features are computed at a time.
_ROWS = 20_000


@dataclass(frozen=True, eq=False)
class LandmarkGraph:
    """Features of any points from their nearest landmarks.

    Attributes
    ----------
    components : Components
        Projection in which distances are measured.
    landmarks : ndarray or csr_array of shape (p, q)
        Landmarks, as projections.
    scales : ndarray of shape (p,)
        σ of each landmark.
    n_neighbors : int
        t.
    transform : ndarray of shape (p, r)
        Δ^-½ u / √μ.
    values : ndarray of shape (r,)
        μ, in decreasing order.
    """

    components: Components
    landmarks: Points
    scales: Array
    n_neighbors: int
    transform: Floats
    values: Array

    @property
    def n_compared(self) -> int:
        """Number of values that one array holds of a new point: those of its neighbours and features."""
        return 4 * self.n_neighbors + self.transform.shape[1]

    def factors(self, X: Points) -> tuple[Floats, Array | None]:
        """Return the features of points, which are no product of two arrays."""
        return self(X), None

    def __call__(self, X: Points) -> Floats:
        """Return the features of points.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_points, n_features)

        Returns
        -------
        ndarray of shape (n_points, r)
        """
        result = np.empty((X.shape[0], self.transform.shape[1]), dtype=self.transform.dtype)
        for first in range(0, X.shape[0], _ROWS):
            rows = slice(first, first + _ROWS)
            Z = _weights(self.components(X[rows]), self.landmarks, self.scales, self.n_neighbors)
            result[rows] = Z @ self.transform
        return result


def landmark_graph(
    X: Points, n_neighbors: int, p: int, r: int, how: str, rng: np.random.RandomState
) -> tuple[LandmarkGraph, Floats]:
    """Choose landmarks and find the leading features of their graph.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, n_features)
        Training points.
    n_neighbors : int
        t.
    p : int
        Number of landmarks.
    r : int
        Number of features.
    how : {"k-means", "random"}
        How landmarks are chosen.
    rng : RandomState
        Random generator.

    Returns
    -------
    graph : LandmarkGraph
        It has fewer than r features if fewer have a positive eigenvalue.
    features : ndarray of shape (n, r)
        Features of the training points, which the graph would give them again.
    """
    require_squares(X)
    if largest_spread(X) == 0.0:
        raise ValueError("All points are equal, so that no distance can set a width. Check the columns.")
    components = fit_components(X)
    points = components(X)
    landmarks = choose_landmarks(points, p, how, rng)
    n_landmarks = landmarks.shape[0]
    t = min(n_neighbors, n_landmarks)
    near = nearest_of(landmarks, points, t)
    del points
    nearest = near.indices[:, 0]
    own = near.distances[:, -1]
    counts = np.bincount(nearest, minlength=n_landmarks)
    typical = own[own > 0].mean() if own.any() else 1.0
    scales = landmark_scales(counts, np.bincount(nearest, own, n_landmarks), typical)
    Z = graph_weights(near.distances, near.indices, scales)
    columns = np.asarray(Z.sum(axis=0)).ravel()
    transform, values = graph_transform(columns, (Z.T @ Z).toarray(), r)
    transform = transform.astype(feature_type(X.shape[0]))
    graph = LandmarkGraph(components, landmarks, scales, t, transform, values)
    return graph, np.asarray(Z @ transform, dtype=transform.dtype)


def _weights(points: Points, landmarks: Points, scales: Array, t: int) -> csr_array:
    near = nearest_of(landmarks, points, t)
    return graph_weights(near.distances, near.indices, scales)


def landmark_scales(counts: NDArray[np.integer], sums: NDArray[Any], typical: float) -> Array:
    """Return σ of each landmark.

    Parameters
    ----------
    counts : ndarray of shape (p,)
        Number of points that each landmark is nearest to.
    sums : ndarray of shape (p,)
        Sum of their distances to their t-th landmark.
    typical : float
        Scale of landmarks for which that is zero.

    Returns
    -------
    ndarray of shape (p,)
    """
    means = sums / np.maximum(counts, 1)
    return np.where(means > 0, means, typical)


def graph_transform(columns: Array, products: Array, r: int) -> tuple[Array, Array]:
    """Return Δ^-½ u / √μ and μ, in decreasing order of μ.

    Parameters
    ----------
    columns : ndarray of shape (p,)
        Column sums of Z.
    products : ndarray of shape (p, p)
        Zᵀ Z.
    r : int
        Number of features.

    Returns
    -------
    transform : ndarray of shape (p, at most r)
    values : ndarray of shape (at most r,)
    """
    roots = np.where(columns > 0, np.sqrt(columns), np.inf)
    moments = products / np.multiply.outer(roots, roots)
    last = len(columns) - 1
    values, vectors = linalg.eigh(moments, subset_by_index=(max(0, last + 1 - r), last))
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = values > _SMALLEST
    return vectors[:, kept] / np.sqrt(values[kept]) / roots[:, None], values[kept]


def graph_weights(distances: Array, indices: NDArray[np.integer], scales: Array) -> csr_array:
    """Return Z of points whose nearest landmarks are known.

    Parameters
    ----------
    distances : ndarray of shape (n, t)
        Distances to the nearest landmarks in increasing order.
    indices : ndarray of shape (n, t)
        Which landmarks these are.
    scales : ndarray of shape (p,)
        σ of each landmark.

    Returns
    -------
    csr_array of shape (n, p)
    """
    own = distances[:, -1:]
    own = np.where(own > 0, own, scales[indices])
    # The nearest landmark has weight 1 before the division, so that no row vanishes.
    exponent = (distances / own) * (distances / scales[indices])
    weights = np.exp(exponent.min(axis=1, keepdims=True) - exponent)
    weights /= weights.sum(axis=1, keepdims=True)
    n, t = distances.shape
    pointers = np.arange(0, n * t + 1, t)
    return csr_array((weights.ravel(), indices.ravel(), pointers), shape=(n, len(scales)))
