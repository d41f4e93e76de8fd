"""The minimum spanning tree of points, by their distances or their mutual reachability distances.

The core distance c_i of a point is its distance to the t-th nearest different point, and the mutual
reachability distance of two points is max(d(x_i, x_j), c_i, c_j). For t = 1 this is d itself. Where two edges
have the same length, the one with the smaller d comes first, and then the one with the lower indices.

Up to 5,000 different points the tree is exact: points join it one after another, each by its shortest edge.
Beyond, it is that of the graph in which each point is linked to its 15 nearest neighbours (or t, if that is
more), together with links that make the graph connected: as long as there are several components, each but
the largest gets the shortest link from one of its points to a point of another component. For t = 1 these
links are exact; for t > 1 the shortest is chosen among the links of each point to the eight nearest points of
other components. The tree of the graph has no other edges, while some edges of the exact tree may join points
that are not among each other's nearest neighbours. `mmc.kernels.neighbors` says which neighbours are exact.

Equal points are one vertex, whose size says how often it occurs. Otherwise they would be joined by edges of
length zero, and t equal points would make a core distance of zero.

Costs for m different points of q features: m² q/2 multiplications and memory for the points up to 5,000; the
neighbours beyond, m t entries, and a search for the nearest of the other points for each component.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from mmc._fast.spanning_tree import all_pairs_tree, graph_tree
from mmc.kernels.local_scaling import Neighborhood, find_neighbors
from mmc.kernels.neighbors import Floats, is_rough, nearest_of

Array = NDArray[np.float64]

#: Number of neighbours to which a point is linked if there are too many points for all pairs.
_LINKED = 15

#: Number of nearest points of other components among which a link is chosen for t > 1.
_TRIED = 8

#: Largest component whose nearest other points are searched among all points, its own included.
_SMALL = 256


@dataclass(frozen=True, eq=False)
class SpanningTree:
    """A minimum spanning tree.

    Attributes
    ----------
    ends : ndarray of shape (n_vertices − 1, 2)
        The two vertices of each edge, in increasing order of the lengths.
    lengths : ndarray of shape (n_vertices − 1,)
        Distance, or mutual reachability distance, of the two vertices.
    sizes : ndarray of shape (n_vertices,)
        Number of samples at each vertex.
    neighborhood : Neighborhood
        The different points, which are the vertices, or their principal components.
    """

    ends: NDArray[np.int64]
    lengths: Array
    sizes: NDArray[np.int64]
    neighborhood: Neighborhood

    @property
    def vertex(self) -> NDArray[np.int64]:
        """Vertex of each sample."""
        return self.neighborhood.vertex

    @property
    def n_vertices(self) -> int:
        """Number of different points."""
        return len(self.sizes)


def spanning_tree(X: Array, n_neighbors: int = 1) -> SpanningTree:
    """Find the minimum spanning tree of the different rows of `X`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_neighbors : int, default=1
        t, the neighbour whose distance is the core distance; it is reduced to the number of other points. One
        means that the lengths are distances.

    Returns
    -------
    SpanningTree

    Raises
    ------
    ValueError
        If all points are equal, or their values are too large.
    """
    if not np.ptp(X, axis=0).any():
        raise ValueError("All points are equal, so that no tree can join them. Check the columns.")
    rough = is_rough(len(X))
    near = find_neighbors(X, max(n_neighbors, _LINKED) if rough else n_neighbors)
    t = min(n_neighbors, near.most)
    core = near.distances.data[near.distances.indptr[:-1] + t - 1]
    edges = _graph_tree(near, core, t) if is_rough(len(near.points)) else _exact_tree(near.points, core)
    return SpanningTree(edges.ends, edges.lengths, np.bincount(near.vertex), near)


@dataclass(frozen=True, eq=False)
class _Edges:
    """Edges by their vertices, lengths and distances; these differ for t > 1."""

    ends: NDArray[np.int64]
    lengths: Array
    distances: Array

    def sorted(self) -> _Edges:
        """Return the edges in increasing order, the lower vertex of each first."""
        ends = np.sort(self.ends, axis=1)
        order = np.lexsort((ends[:, 1], ends[:, 0], self.distances, self.lengths))
        return _Edges(ends[order], self.lengths[order], self.distances[order])

    def where(self, mask: NDArray[np.bool_]) -> _Edges:
        """Return some of the edges."""
        return _Edges(self.ends[mask], self.lengths[mask], self.distances[mask])

    def __add__(self, other: _Edges) -> _Edges:
        return _Edges(
            np.concatenate([self.ends, other.ends]),
            np.concatenate([self.lengths, other.lengths]),
            np.concatenate([self.distances, other.distances]),
        )


def _exact_tree(points: Array, core: Array) -> _Edges:
    n = len(points)
    ends = np.empty((n - 1, 2), dtype=np.int64)
    lengths, distances = np.empty(n - 1), np.empty(n - 1)
    all_pairs_tree(np.ascontiguousarray(points), core**2, ends, lengths, distances)
    return _Edges(ends, np.sqrt(lengths), np.sqrt(distances)).sorted()


def _graph_tree(near: Neighborhood, core: Array, t: int) -> _Edges:
    D = near.distances
    i = np.repeat(np.arange(len(core)), np.diff(D.indptr))
    j = D.indices.astype(np.int64)
    lengths = np.maximum(D.data, np.maximum(core[i], core[j]))
    forest, component = _forest(_Edges(np.column_stack([i, j]), lengths, D.data), len(core))
    points = near.centred
    search = None
    while component.any():
        search = search or NearestNeighbors().fit(points)
        links = _links(points, core, component, search, 1 if t == 1 else _TRIED)
        forest, component = _forest(forest + links, len(core))
    return forest


def _forest(edges: _Edges, n: int) -> tuple[_Edges, NDArray[np.int64]]:
    """Return the minimum spanning forest of a graph, and the component of each vertex."""
    edges = edges.sorted()
    kept = np.empty(len(edges.lengths), dtype=np.bool_)
    component = graph_tree(edges.ends, n, kept)
    return edges.where(kept), component


def _links(
    points: Floats, core: Array, component: NDArray[np.int64], search: NearestNeighbors, n_tried: int
) -> _Edges:
    """Find the shortest link of each component but the largest to another one."""
    order = np.argsort(component, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(component))[:-1])
    largest = int(np.argmax([len(mine) for mine in members]))
    found = []
    for c, mine in enumerate(members):
        if c == largest:
            continue
        i = mine
        if len(mine) <= _SMALL:
            # Among so many nearest points at least `n_tried` are of other components, if there are so many.
            asked = min(len(mine) + n_tried, len(points))
            j = search.kneighbors(points[mine], asked, return_distance=False)
        else:
            others = np.flatnonzero(component != c)
            j = others[nearest_of(points[others], points[mine], min(n_tried, len(others))).indices]
        i, j = np.repeat(mine, j.shape[1]), j.ravel()
        outside = component[j] != c
        i, j = i[outside], j[outside]
        difference = points[i] - points[j]
        d = np.sqrt(np.einsum("ij,ij->i", difference, difference))
        links = _Edges(np.column_stack([i, j]), np.maximum(d, np.maximum(core[i], core[j])), d)
        found.append(links.sorted().where(np.arange(len(d)) == 0))
    return sum(found[1:], found[0])
