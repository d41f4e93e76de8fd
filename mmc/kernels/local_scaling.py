"""Local scaling: the sparse kernel of [SMIC] eq. 7, in which every point has its own width.

K(x_i, x_j) = exp(−d²/(2 σ_i σ_j)) if one of the two is among the t nearest neighbours of the other, and zero
otherwise; σ_i is the distance from x_i to its t-th neighbour. A point is not its own neighbour, and all
neighbours at the same distance count, so that the order of the rows does not matter. Equal points are one
vertex: otherwise they would be each other's neighbours at distance zero, which is no width.

Costs for m distinct points of d features: one search for neighbours (m² d multiplications in blocks, less in
low dimensions) for all t together, then m t entries, without an m×m array.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

Array = NDArray[np.float64]

#: Distances that differ by a smaller share are equal up to rounding.
_TIE = 1e-10

#: Number of additional neighbours that are searched to detect ties with the last one.
_SPARE = 8

#: Largest value, and smallest difference of the values of a column, that can be squared.
_LARGE, _SMALL = 1e150, 1e-140

#: Number of distances in one block (16 MB).
_BLOCK = 2**21


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """The distinct points and the nearest neighbours of each.

    Attributes
    ----------
    points : ndarray of shape (n_vertices, n_features)
        Distinct points.
    vertex : ndarray of shape (n_samples,)
        Index of each sample among the distinct points.
    distances : csr_array of shape (n_vertices, n_vertices)
        Distances to the neighbours, in increasing order in each row.
    """

    points: Array
    vertex: NDArray[np.int64]
    distances: csr_array

    @property
    def most(self) -> int:
        """Largest possible number of neighbours."""
        return len(self.points) - 1

    def kernel(self, n_neighbors: int) -> LocalScaling:
        """Fit the kernel for a number of neighbours, which is reduced to `most`."""
        t = min(n_neighbors, self.most)
        D = self.distances
        scales = _positive(D.data[D.indptr[:-1] + t - 1])
        rows = np.repeat(np.arange(len(scales)), np.diff(D.indptr))
        near = D.data <= scales[rows] * (1.0 + _TIE)
        i, j, d = rows[near], D.indices[near], D.data[near]
        values = np.exp(-(d**2) / (2.0 * scales[i] * scales[j]))
        one_way = csr_array((values, (i, j)), shape=D.shape)
        matrix = one_way.maximum(one_way.T) + eye_array(len(scales), format="csr")
        matrix.eliminate_zeros()
        return LocalScaling(self.points, self.vertex, scales, t, csr_array(matrix))


@dataclass(frozen=True, eq=False)
class LocalScaling:
    """The kernel for one number of neighbours.

    Attributes
    ----------
    points : ndarray of shape (n_vertices, n_features)
        Distinct points.
    vertex : ndarray of shape (n_samples,)
        Index of each sample among the distinct points.
    scales : ndarray of shape (n_vertices,)
        σ_i of each distinct point.
    n_neighbors : int
        t.
    matrix : csr_array of shape (n_vertices, n_vertices)
        Kernel matrix of the distinct points.
    """

    points: Array
    vertex: NDArray[np.int64]
    scales: Array
    n_neighbors: int
    matrix: csr_array

    def __call__(self, X: Array) -> csr_array:
        """Compare new points with the distinct training points.

        A point that equals a training point is treated as that point. Distances are computed in blocks.

        Parameters
        ----------
        X : ndarray of shape (n_points, n_features)

        Returns
        -------
        csr_array of shape (n_points, n_vertices)
        """
        m, t = len(self.points), self.n_neighbors
        size = max(1, _BLOCK // m)
        rows, columns, values = [], [], []
        for first in range(0, len(X), size):
            distances = cdist(X[first : first + size], self.points)
            own = _own_scales(distances, t)
            own[own == 0] = self.scales.min()
            near = distances <= np.maximum(own[:, None], self.scales) * (1.0 + _TIE)
            i, j = np.nonzero(near)
            rows.append(i + first)
            columns.append(j)
            values.append(np.exp(-(distances[i, j] ** 2) / (2.0 * own[i] * self.scales[j])))
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return csr_array(entries, shape=(len(X), m))


def find_neighbors(X: Array, most: int) -> Neighborhood:
    """Find the nearest neighbours of all points, for every number of them up to `most`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    most : int
        Largest number of neighbours.

    Returns
    -------
    Neighborhood

    Raises
    ------
    ValueError
        If all points are equal, or their values are too large.
    """
    require_squares(X)
    first, vertex = np.unique(X, axis=0, return_index=True, return_inverse=True)[1:]
    order = np.argsort(first)
    points = X[first[order]]
    m = len(points)
    if m < 2:
        raise ValueError("All points are equal, so that no distance can set a width. Check the columns.")
    place = np.empty(m, dtype=np.int64)
    place[order] = np.arange(m)
    t = min(most, m - 1)
    asked = min(t + _SPARE, m - 1)
    # Distances do not depend on the origin, but the rounding errors of a fast search do.
    centred = points - points.mean(axis=0)
    found = NearestNeighbors(n_neighbors=asked).fit(centred).kneighbors(return_distance=False)
    lost = 1e-15 * float((centred**2).sum(axis=1).max())
    del centred
    distances = np.empty(found.shape)
    for c in range(asked):
        distances[:, c] = np.linalg.norm(points - points[found[:, c]], axis=1)
    by_distance = np.argsort(distances, axis=1, kind="stable")
    distances = np.take_along_axis(distances, by_distance, axis=1)
    found = np.take_along_axis(found, by_distance, axis=1)
    indices, data = list(found), list(distances)
    # The whole row is searched if the last additional neighbour ties with the t-th, or if the search may have
    # missed a neighbour because points are much closer to each other than to the centre.
    unsure = distances[:, -1] <= distances[:, t - 1] * (1.0 + 1e-6)
    unsure |= distances[:, t - 1] ** 2 < 1e6 * lost
    unsure &= asked < m - 1
    for i in np.flatnonzero(unsure):
        row = cdist(points[i : i + 1], points)[0]
        row[i] = np.inf
        near = np.flatnonzero(row <= np.partition(row, t - 1)[t - 1] * (1.0 + _TIE))
        indices[i] = near[np.argsort(row[near], kind="stable")]
        data[i] = row[indices[i]]
    pointers = np.concatenate([[0], np.cumsum([len(row) for row in data])])
    graph = csr_array((np.concatenate(data), np.concatenate(indices), pointers), shape=(m, m))
    return Neighborhood(points, place[vertex.ravel()], graph)


def require_squares(X: Array) -> None:
    """Refuse points whose squared distances overflow or underflow.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If the values are too large, or their differences too small.
    """
    largest = float(np.abs(X).max())
    if largest * X.shape[1] ** 0.5 > _LARGE:
        raise ValueError(
            f"Values as large as {largest:.3g} overflow when they are squared; rescale the columns."
        )
    spread = float(np.ptp(X, axis=0).max())
    if 0.0 < spread < _SMALL:
        raise ValueError(
            f"The points differ by at most {spread:.3g}, whose square is lost; rescale the columns."
        )


def _positive(scales: Array) -> Array:
    """Replace widths of zero, of points whose squared distance underflows, by the smallest positive one."""
    if not scales.any():
        raise ValueError("All points are as good as equal, so that no distance can set a width.")
    return np.where(scales > 0, scales, scales[scales > 0].min())


def _own_scales(distances: Array, n_neighbors: int) -> Array:
    """Return the distance of each row to its t-th neighbour; a zero is the point itself."""
    others = distances.copy()
    nearest = others.argmin(axis=1)
    rows = np.flatnonzero(others[np.arange(len(others)), nearest] == 0)
    others[rows, nearest[rows]] = np.inf
    others.partition(n_neighbors - 1, axis=1)
    return others[:, n_neighbors - 1].copy()
