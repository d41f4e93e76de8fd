"""Compiled searches over labellings for the objective of [UMC-RLS] on a factor of the hat matrix.

With R = W Wᵀ, W of n×r, and the sums S[h] = Σ W[j] over the points j of cluster h, moving point j from
cluster o to cluster d changes Q by 8 (W[j]·(S[o] − S[d]) − ‖W[j]‖²), S[o] by −W[j] and S[d] by W[j]. All
functions change `labels`, `sizes` and `S` in place and leave no cluster empty. They hold no Python object.
As in `mmc._fast.rls`, a point may be a unit of points that move as one, and `Rules` says where it may go.

Costs: a block of claims takes n r multiplications whatever its size, a sweep k n r. Memory: O(n).
"""

from __future__ import annotations

import numpy as np

from mmc._fast.compiled import compiled
from mmc._fast.rls import may_join


@compiled(fastmath={"nnan", "nsz", "reassoc", "contract"})
def claim_gains(W, squares, S, labels, sizes, d, gain, rules):  # type: ignore[no-untyped-def]
    """Compute an eighth of the change of Q for each point that cluster `d` may claim, infinity for others.

    Parameters
    ----------
    W : ndarray of shape (n, r)
    squares : ndarray of shape (n,)
        ‖W[j]‖² of each point.
    S : ndarray of shape (k, r)
        Sums of the rows of each cluster, of the type of `W`.
    labels : ndarray of shape (n,), int64
    sizes : ndarray of shape (k,), int64
    d : int
        Cluster that claims points.
    gain : ndarray of shape (n,)
        Receives the changes.
    rules : Rules
    """
    n, r = W.shape
    difference = S - S[d]
    for j in range(n):
        o = labels[j]
        if o == d or sizes[o] == 1:
            gain[j] = np.inf
        else:
            row = W[j]
            other = difference[o]
            total = row[0] * other[0]
            for c in range(1, r):
                total += row[c] * other[c]
            gain[j] = total - squares[j]
    for j in rules.bound:
        if not may_join(rules, labels, j, d):
            gain[j] = np.inf


@compiled()
def claim_one_by_one(W, squares, S, labels, sizes, d, n_claims, gain, chosen, rules):  # type: ignore[no-untyped-def]
    """Let cluster `d` claim points one after another, each the best of the models after the last.

    Parameters
    ----------
    W : ndarray of shape (n, r)
    squares : ndarray of shape (n,)
        ‖W[j]‖² of each point.
    S : ndarray of shape (k, r), float64
    labels : ndarray of shape (n,), int64
    sizes : ndarray of shape (k,), int64
    d : int
        Cluster that claims points.
    n_claims : float
        Number of claims: they end when their mass reaches it, or when no more points may move.
    gain : ndarray of shape (n,)
        Room for the changes of Q.
    chosen : ndarray of shape (n,), int64
        Receives the points, in order.
    rules : Rules

    Returns
    -------
    int
        Number of points that moved.
    """
    rough = S.astype(W.dtype)
    count = 0
    mass = 0.0
    while mass < n_claims:
        claim_gains(W, squares, rough, labels, sizes, d, gain, rules)
        best, bound = -1, np.inf
        for j in range(labels.shape[0]):
            if gain[j] < bound:
                best, bound = j, gain[j]
        if best < 0:
            return count
        o = labels[best]
        _put(W, S, labels, sizes, best, d)
        rough[o], rough[d] = S[o], S[d]
        chosen[count] = best
        count += 1
        mass += rules.mass[best]
    return count


@compiled(fastmath={"nsz"})
def best_moves(T, first, squares, labels, sizes, gain, target, rules):  # type: ignore[no-untyped-def]
    """Find the best other cluster of each point of a block of rows, and an eighth of the change of Q.

    Parameters
    ----------
    T : ndarray of shape (m, k)
        W[j]·S[h] for the points from `first` on.
    first : int
        First point of the block.
    squares : ndarray of shape (n,)
    labels : ndarray of shape (n,), int64
    sizes : ndarray of shape (k,), int64
    gain : ndarray of shape (n,)
        Receives the changes; infinity for the last point of a cluster, and for points that may go nowhere.
    target : ndarray of shape (n,), int64
        Receives the best other cluster.
    rules : Rules
    """
    m, k = T.shape
    for i in range(m):
        j = first + i
        o = labels[j]
        best = -1
        for h in range(k):
            if h != o and (best < 0 or T[i, h] > T[i, best]):
                best = h
        target[j] = best
        gain[j] = T[i, o] - T[i, best] - squares[j] if sizes[o] > 1 else np.inf
    for p in range(np.searchsorted(rules.bound, first), np.searchsorted(rules.bound, first + m)):
        j = rules.bound[p]
        i, o, best = j - first, labels[j], -1
        for h in range(k):
            if h != o and (best < 0 or T[i, h] > T[i, best]) and may_join(rules, labels, j, h):
                best = h
        target[j] = best
        gain[j] = T[i, o] - T[i, best] - squares[j] if best >= 0 and sizes[o] > 1 else np.inf


@compiled()
def lowest(values, count, below, chosen):  # type: ignore[no-untyped-def]
    """Choose the `count` lowest values that are less than `below`; among equal ones the first.

    One pass collects what may belong to them, and tidies up whenever four times as many are there.

    Parameters
    ----------
    values : ndarray of shape (n,)
    count : int
        Number of values, at least 1.
    below : float
        Limit of the values.
    chosen : ndarray of shape (n,), int64
        Receives the indices, in the order of their values.

    Returns
    -------
    int
        Number of chosen values.
    """
    found = np.empty(min(4 * count, values.shape[0]), dtype=np.int64)
    bound = below
    size = 0
    for j in range(values.shape[0]):
        if values[j] < bound:
            found[size] = j
            size += 1
            if size == 4 * count:
                size, bound = _keep_lowest(values, found, size, count)
    if size > count:
        size, bound = _keep_lowest(values, found, size, count)
    order = np.argsort(values[found[:size]], kind="mergesort")
    for i in range(size):
        chosen[i] = found[order[i]]
    return size


@compiled()
def _keep_lowest(values, found, size, count):  # type: ignore[no-untyped-def]
    """Keep the `count` lowest of the found values, in their order; return their number and the highest."""
    bound = np.partition(values[found[:size]], count - 1)[count - 1]
    n_less = 0
    for i in range(size):
        if values[found[i]] < bound:
            n_less += 1
    n_equal = count - n_less
    kept = 0
    for i in range(size):
        value = values[found[i]]
        if value < bound or (value == bound and n_equal > 0):
            if value == bound:
                n_equal -= 1
            found[kept] = found[i]
            kept += 1
    return kept, bound


@compiled()
def move(W, S, labels, sizes, points, targets, most, rules):  # type: ignore[no-untyped-def]
    """Move points in order, and skip those that are the last of their cluster or may not move any more.

    Parameters
    ----------
    W : ndarray of shape (n, r)
    S : ndarray of shape (k, r), float64
    labels : ndarray of shape (n,), int64
    sizes : ndarray of shape (k,), int64
    points : ndarray, int64
        Points to move; receives those that moved, in order.
    targets : ndarray of shape (n,), int64
        New cluster of each point.
    most : float
        Mass at which the moves end.
    rules : Rules

    Returns
    -------
    int
        Number of points that moved.
    """
    count = 0
    mass = 0.0
    for j in points:
        if mass < most and sizes[labels[j]] > 1 and may_join(rules, labels, j, targets[j]):
            _put(W, S, labels, sizes, j, targets[j])
            points[count] = j
            count += 1
            mass += rules.mass[j]
    return count


@compiled()
def sweep(W, squares, S, labels, sizes, least, moved, rules):  # type: ignore[no-untyped-def]
    """Visit every point once in order and move it to its best cluster if that lowers Q.

    Parameters
    ----------
    W : ndarray of shape (n, r)
    squares : ndarray of shape (n,)
    S : ndarray of shape (k, r), float64
    labels : ndarray of shape (n,), int64
    sizes : ndarray of shape (k,), int64
    least : float
        Smallest gain, an eighth of the change of Q, for which a point moves.
    moved : ndarray of shape (n,), int64
        Receives the points in the order in which they move.
    rules : Rules

    Returns
    -------
    int
        Number of moves; 0 means a local minimum.
    """
    k, r = S.shape
    values = np.empty(k)
    count = 0
    for j in range(labels.shape[0]):
        o = labels[j]
        if sizes[o] == 1:
            continue
        for h in range(k):
            total = 0.0
            for c in range(r):
                total += W[j, c] * S[h, c]
            values[h] = total
        best = -1
        for h in range(k):
            if h != o and (best < 0 or values[h] > values[best]) and may_join(rules, labels, j, h):
                best = h
        if best >= 0 and values[o] - values[best] - squares[j] < -least:
            _put(W, S, labels, sizes, j, best)
            moved[count] = j
            count += 1
    return count


@compiled()
def _put(W, S, labels, sizes, j, d):  # type: ignore[no-untyped-def]
    """Move point `j` to cluster `d`."""
    o = labels[j]
    for c in range(W.shape[1]):
        S[o, c] -= W[j, c]
        S[d, c] += W[j, c]
    labels[j] = d
    sizes[o] -= 1
    sizes[d] += 1
