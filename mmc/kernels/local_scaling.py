"""Local scaling: the sparse kernel of [SMIC] eq. 7, in which every point has its own width.

K(x_i, x_j) = exp(−d²/(2 σ_i σ_j)) if one of the two is among the t nearest neighbours of the other, and zero
otherwise; σ_i is the distance from x_i to its t-th neighbour. A point is not its own neighbour, and all
neighbours at the same distance count, so that the order of the rows does not matter (where this would take
too long, for tens of thousands of points on a grid, eight more neighbours are searched and no others count).
Equal points are one vertex: otherwise they would be each other's neighbours at distance zero, which is no
width. More than 5,000 points of more than 64 features are compared by principal components
(`mmc.kernels.neighbors`).

Costs for m distinct points of d features: one search for neighbours (m² d multiplications in blocks, less in
low dimensions) for all t together, then m t entries, without an m×m array.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, vstack

from mmc._points import Points, distinct_rows, exact_distances, largest_spread, square_lengths
from mmc.kernels.neighbors import (
    EXACT,
    SAME,
    Components,
    fit_components,
    nearest_of,
    nearest_others,
)

Array = NDArray[np.float64]

#: Distances that differ by a smaller share are equal up to rounding.
_TIE = 1e-10

#: Share by which squared distances from products may differ from those of differences.
_LOOSE = 1e-9

#: Number of additional neighbours that are searched to detect ties with the last one.
_SPARE = 8

#: Largest value, and smallest difference of the values of a column, that can be squared.
_LARGE, _SMALL = 1e150, 1e-140

#: Number of distances in one block (16 MB).
_BLOCK = 2**21

#: Largest number of differences that are computed to find all neighbours at the same distance.
_MOST_TIES = 2**34


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """The distinct points and the nearest neighbours of each.

    Attributes
    ----------
    points : ndarray or csr_array of shape (n_vertices, n_features)
        Distinct points, or their principal components.
    vertex : ndarray of shape (n_samples,)
        Index of each sample among the distinct points.
    distances : csr_array of shape (n_vertices, n_vertices)
        Distances to the neighbours, in increasing order in each row.
    components : Components
        Projection onto principal components, if `points` are such.
    """

    points: Points
    vertex: NDArray[np.int64]
    distances: csr_array
    components: Components

    @property
    def centred(self) -> Points:
        """`points`, shifted to their mean."""
        return self.points if self.components.axes is not None else self.centre(self.points)

    def centre(self, X: Points) -> Points:
        """Return new points in the form of `centred`."""
        return self.components(X).astype(np.float64)

    @property
    def most(self) -> int:
        """Largest possible number of neighbours."""
        return int(self.points.shape[0]) - 1

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
        return LocalScaling(self.points, self.vertex, scales, t, csr_array(matrix), self.components)


@dataclass(frozen=True, eq=False)
class LocalScaling:
    """The kernel for one number of neighbours.

    Attributes
    ----------
    points : ndarray or csr_array of shape (n_vertices, n_features)
        Distinct points, or their principal components.
    vertex : ndarray of shape (n_samples,)
        Index of each sample among the distinct points.
    scales : ndarray of shape (n_vertices,)
        σ_i of each distinct point.
    n_neighbors : int
        t.
    matrix : csr_array of shape (n_vertices, n_vertices)
        Kernel matrix of the distinct points.
    components : Components
        Projection onto principal components, if `points` are such.
    """

    points: Points
    vertex: NDArray[np.int64]
    scales: Array
    n_neighbors: int
    matrix: csr_array
    components: Components

    def project(self, X: Points) -> Points:
        """Return new points as `points` are: as they are, or their principal components."""
        return X if self.components.axes is None else self.components(X).astype(np.float64)

    def __call__(self, X: Points) -> csr_array:
        """Compare new points with the distinct training points.

        A point that equals a training point is treated as that point. Distances are computed in blocks, for
        more than 5,000 training points by products of matrices, so that of several neighbours at the same
        distance some may not count.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_points, n_features)

        Returns
        -------
        csr_array of shape (n_points, n_vertices)
        """
        return self._rows_of_many(X) if self.points.shape[0] > EXACT else self._rows(self.project(X))

    def _rows(self, X: Points) -> csr_array:
        m, t = self.points.shape[0], self.n_neighbors
        size = max(1, _BLOCK // m)
        rows, columns, values = [], [], []
        for first in range(0, X.shape[0], size):
            distances = exact_distances(X[first : first + size], self.points)
            own = _own_scales(distances, t)
            own[own == 0] = self.scales.min()
            near = distances <= np.maximum(own[:, None], self.scales) * (1.0 + _TIE)
            i, j = np.nonzero(near)
            rows.append(i + first)
            columns.append(j)
            values.append(np.exp(-(distances[i, j] ** 2) / (2.0 * own[i] * self.scales[j])))
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return csr_array(entries, shape=(X.shape[0], m))

    def _rows_of_many(self, X: Points) -> csr_array:
        points = self.points if self.components.axes is not None else self.components(self.points)
        X = self.components(X).astype(np.float64)
        m, size = len(points), max(1, _BLOCK // len(points))
        distances, found = nearest_of(points, X, self.n_neighbors)
        nearest = found[:, 0]
        same = distances[:, 0] <= SAME * self.scales[nearest]
        new, own = X[~same], distances[~same, -1]
        squares = np.einsum("ij,ij->i", points, points)
        parts = [self.matrix[nearest[same]]]
        for first in range(0, len(new), size):
            rows, scales = new[first : first + size], own[first : first + size]
            d2 = np.einsum("ij,ij->i", rows, rows)[:, None] + squares - 2.0 * (rows @ points.T)
            i, j = np.nonzero(d2 <= np.maximum(scales[:, None], self.scales) ** 2 * (1.0 + _LOOSE))
            d = np.linalg.norm(rows[i] - points[j], axis=1)
            values = np.exp(-(d**2) / (2.0 * scales[i] * self.scales[j]))
            parts.append(csr_array((values, (i, j)), shape=(len(rows), m)))
        order = np.concatenate([np.flatnonzero(same), np.flatnonzero(~same)])
        return csr_array(vstack(parts, format="csr")[np.argsort(order)])


def find_neighbors(X: Points, most: int) -> Neighborhood:
    """Find the nearest neighbours of all points, for every number of them up to `most`.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
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
    first, vertex = distinct_rows(X)
    points = X if len(first) == X.shape[0] else X[first]
    m = points.shape[0]
    if m < 2:
        raise ValueError("All points are equal, so that no distance can set a width. Check the columns.")
    t = min(most, m - 1)
    asked = min(t + _SPARE, m - 1)
    components = fit_components(points)
    centred = components(points)
    lost = 1e-15 * float(square_lengths(centred).max())
    distances, found = nearest_others(centred, asked)
    if components.axes is not None:
        points = centred.astype(np.float64)
    indices, data = list(found), list(distances)
    # The whole row is searched if the last additional neighbour ties with the t-th, or if the search may have
    # missed a neighbour because points are much closer to each other than to the centre.
    unsure = distances[:, -1] <= distances[:, t - 1] * (1.0 + 1e-6)
    unsure |= distances[:, t - 1] ** 2 < 1e6 * lost
    unsure &= asked < m - 1
    if unsure.sum() * points.size <= _MOST_TIES:
        for i in np.flatnonzero(unsure):
            row = exact_distances(points[i : i + 1], points)[0]
            row[i] = np.inf
            near = np.flatnonzero(row <= np.partition(row, t - 1)[t - 1] * (1.0 + _TIE))
            indices[i] = near[np.argsort(row[near], kind="stable")]
            data[i] = row[indices[i]]
    pointers = np.concatenate([[0], np.cumsum([len(row) for row in data])])
    graph = csr_array((np.concatenate(data), np.concatenate(indices), pointers), shape=(m, m))
    return Neighborhood(points, vertex, graph, components)


def require_squares(X: Points) -> None:
    """Refuse points whose squared distances overflow or underflow.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If the values are too large, or their differences too small.
    """
    largest = max(float(X.max()), -float(X.min()))
    if largest * X.shape[1] ** 0.5 > _LARGE:
        raise ValueError(
            f"Values as large as {largest:.3g} overflow when they are squared; rescale the columns."
        )
    spread = largest_spread(X)
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
