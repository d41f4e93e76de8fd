"""Compiled loops of density-based cluster validity (Moulavi and others, 2014), see `mmc.judges.density`.

Points are given in the order of their clusters: cluster h has the points `order[starts[h] : starts[h + 1]]`.
"""

from __future__ import annotations

import numpy as np

from mmc._fast.compiled import compiled


@compiled()
def core_distances(D, order, starts, d):  # type: ignore[no-untyped-def]
    """Compute the all-points core distance of each point within its cluster.

    The smallest distance m is taken out of the mean, (Σ_j D_ij^−d / (n_h − 1))^(−1/d) =
    m (Σ_j (m / D_ij)^d / (n_h − 1))^(−1/d), so that no power overflows.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances.
    order, starts : ndarray of shape (m,) and (k + 1,), int64
        Points of each cluster.
    d : float
        Exponent.

    Returns
    -------
    ndarray of shape (n,)
        0 for a point that equals another of its cluster, for one that is alone, and for points of no cluster.
    """
    core = np.zeros(D.shape[0])
    for h in range(starts.shape[0] - 1):
        members = order[starts[h] : starts[h + 1]]
        for i in members:
            nearest = np.inf
            for j in members:
                if j != i and D[i, j] < nearest:
                    nearest = D[i, j]
            if nearest == 0.0 or nearest == np.inf:
                continue
            total = 0.0
            for j in members:
                if j != i:
                    total += (nearest / D[i, j]) ** d
            core[i] = nearest * (total / (members.shape[0] - 1)) ** (-1.0 / d)
    return core


@compiled()
def trees(D, core, order, starts):  # type: ignore[no-untyped-def]
    """Grow the spanning tree of each cluster by Prim's method, on mutual reachability distances.

    Of two links of the same mutual reachability the one with the smaller distance is taken, so that the tree
    does not depend on the order of the points unless distances are equal too.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances.
    core : ndarray of shape (n,)
        Core distances.
    order, starts : ndarray of shape (m,) and (k + 1,), int64
        Points of each cluster.

    Returns
    -------
    sparseness : ndarray of shape (k,)
        Longest link between two internal points, or of all links if there is none such.
    internal : ndarray of shape (n,), bool
        Points with at least two links; all points of a cluster without such a point.
    """
    n, k = D.shape[0], starts.shape[0] - 1
    sparseness = np.zeros(k)
    internal = np.zeros(n, dtype=np.bool_)
    for h in range(k):
        members = order[starts[h] : starts[h + 1]]
        size = members.shape[0]
        reach = np.full(size, np.inf)
        distance = np.full(size, np.inf)
        parent = np.zeros(size, dtype=np.int64)
        degree = np.zeros(size, dtype=np.int64)
        length = np.zeros(size)
        inside = np.zeros(size, dtype=np.bool_)
        at = 0
        for _ in range(size - 1):
            inside[at] = True
            here = members[at]
            best = -1
            for j in range(size):
                if inside[j]:
                    continue
                plain = D[here, members[j]]
                mutual = max(plain, core[here], core[members[j]])
                if mutual < reach[j] or (mutual == reach[j] and plain < distance[j]):
                    reach[j] = mutual
                    distance[j] = plain
                    parent[j] = at
                if (
                    best < 0
                    or reach[j] < reach[best]
                    or (reach[j] == reach[best] and distance[j] < distance[best])
                ):
                    best = j
            length[best] = reach[best]
            degree[best] += 1
            degree[parent[best]] += 1
            at = best
        longest, longest_inner, inner = 0.0, 0.0, False
        for j in range(1, size):  # the tree grows from the first point, which has no link to a parent
            longest = max(longest, length[j])
            if degree[j] > 1 and degree[parent[j]] > 1:
                inner = True
                longest_inner = max(longest_inner, length[j])
        sparseness[h] = longest_inner if inner else longest
        for j in range(size):
            internal[members[j]] = size < 3 or degree[j] > 1
    return sparseness, internal


@compiled()
def separations(D, core, order, starts, internal):  # type: ignore[no-untyped-def]
    """Find the smallest mutual reachability between internal points of each cluster and of any other.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances.
    core : ndarray of shape (n,)
        Core distances.
    order, starts : ndarray of shape (m,) and (k + 1,), int64
        Points of each cluster.
    internal : ndarray of shape (n,), bool
        Internal points.

    Returns
    -------
    ndarray of shape (k,)
        Infinity if there is no other cluster.
    """
    k = starts.shape[0] - 1
    separation = np.full(k, np.inf)
    for h in range(k):
        for i in order[starts[h] : starts[h + 1]]:
            if not internal[i]:
                continue
            for g in range(h + 1, k):
                for j in order[starts[g] : starts[g + 1]]:
                    if internal[j]:
                        mutual = max(D[i, j], core[i], core[j])
                        if mutual < separation[h]:
                            separation[h] = mutual
                        if mutual < separation[g]:
                            separation[g] = mutual
    return separation
