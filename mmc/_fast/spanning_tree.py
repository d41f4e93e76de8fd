"""Compiled loops that find a minimum spanning tree, by [Prim] among all pairs or by [Kruskal] on a graph.

The mutual reachability distance of two points is max(d, c_i, c_j) with the distance d and the core distances
c. Many pairs have the same one, so that ties go to the smaller d, and then to the lower indices.
"""

from __future__ import annotations

import numpy as np

from mmc._fast.compiled import compiled


@compiled()
def find(above, i):  # type: ignore[no-untyped-def]
    """Return the representative of the set of `i`, and halve the way to it.

    Parameters
    ----------
    above : ndarray of shape (n,), int64
        Next element on the way to the representative, which is its own; changed in place.
    i : int

    Returns
    -------
    int
    """
    while above[i] != i:
        above[i] = above[above[i]]
        i = above[i]
    return i


@compiled(fastmath={"nsz", "reassoc", "contract"})
def all_pairs_tree(points, core, ends, reach, distances):  # type: ignore[no-untyped-def]
    """Grow the minimum spanning tree of all pairs from the first point, one nearest point after another.

    It takes n²/2 distances, computed from differences when they are needed, and memory for a few vectors.

    Parameters
    ----------
    points : ndarray of shape (n, q)
    core : ndarray of shape (n,)
        Squares of the core distances.
    ends : ndarray of shape (n − 1, 2), int64
        Receives the edges in the order in which they are found.
    reach, distances : ndarray of shape (n − 1,)
        Receive the squares of the mutual reachability distances and of the distances of the edges.
    """
    n, q = points.shape
    outside = np.arange(1, n)
    W = np.full(n, np.inf)
    D = np.full(n, np.inf)
    nearest = np.zeros(n, dtype=np.int64)
    i = 0
    for e in range(n - 1):
        row = points[i]
        chosen, closest = 0, outside[0]
        for p in range(n - 1 - e):
            j = outside[p]
            other = points[j]
            d = 0.0
            for c in range(q):
                difference = row[c] - other[c]
                d += difference * difference
            w = max(d, core[i], core[j])
            if w < W[j] or (w == W[j] and (d < D[j] or (d == D[j] and i < nearest[j]))):
                W[j], D[j], nearest[j] = w, d, i
            if W[j] < W[closest] or (
                W[j] == W[closest] and (D[j] < D[closest] or (D[j] == D[closest] and j < closest))
            ):
                chosen, closest = p, j
        outside[chosen] = outside[n - 2 - e]
        ends[e, 0], ends[e, 1] = nearest[closest], closest
        reach[e], distances[e] = W[closest], D[closest]
        i = closest


@compiled()
def graph_tree(ends, n, kept):  # type: ignore[no-untyped-def]
    """Keep each edge that joins two components, in the order of the edges.

    Parameters
    ----------
    ends : ndarray of shape (n_edges, 2), int64
        Edges in increasing order of their lengths.
    n : int
        Number of vertices.
    kept : ndarray of shape (n_edges,), bool
        Receives whether the edge belongs to the minimum spanning forest.

    Returns
    -------
    ndarray of shape (n,), int64
        Connected component of each vertex, numbered from 0 in the order of their first vertices.
    """
    above = np.arange(n)
    for e in range(ends.shape[0]):
        a, b = find(above, ends[e, 0]), find(above, ends[e, 1])
        kept[e] = a != b
        above[max(a, b)] = min(a, b)
    component = np.empty(n, dtype=np.int64)
    count = 0
    for i in range(n):
        first = find(above, i)  # the lowest index of the component
        if first == i:
            component[i] = count
            count += 1
        else:
            component[i] = component[first]
    return component
