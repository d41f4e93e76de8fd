"""Compiled loops over the points of one part of a table, for a search of [UMC-RLS] that is spread over parts.

As in `mmc._fast.factor`, a part has rows W of a factor, and the sums S belong to the points of all parts. A
part knows how many points of each cluster it has; where `spare` is 1, another part keeps the cluster alive,
and this one may give away its last point of it.

Every sum is added in one order, whatever the number of threads: the same rows give the same bits on a worker
and here, which products of BLAS do not promise.
"""

from __future__ import annotations

import numpy as np

from mmc._fast.compiled import compiled


@compiled()
def product(G, M, shift, out):  # type: ignore[no-untyped-def]
    """Compute (G − shift) M into the first columns of `out`.

    Parameters
    ----------
    G : ndarray of shape (n, p)
    M : ndarray of shape (p, r), float64
    shift : ndarray of shape (p,), float64
    out : ndarray of shape (n, at least r)
    """
    r = M.shape[1]
    row = np.empty(r)
    for i in range(G.shape[0]):
        row[:] = 0.0
        for a in range(G.shape[1]):
            value = G[i, a] - shift[a]
            for b in range(r):
                row[b] += value * M[a, b]
        for b in range(r):
            out[i, b] = row[b]


@compiled()
def moments(G, shift, out):  # type: ignore[no-untyped-def]
    """Add (G − shift)ᵀ (G − shift) to `out`.

    Parameters
    ----------
    G : ndarray of shape (n, r)
    shift : ndarray of shape (r,), float64
    out : ndarray of shape (r, r), float64
    """
    r = G.shape[1]
    row = np.empty(r)
    for i in range(G.shape[0]):
        for a in range(r):
            row[a] = G[i, a] - shift[a]
        for a in range(r):
            value = row[a]
            for b in range(r):
                out[a, b] += value * row[b]


@compiled()
def squares(W, out):  # type: ignore[no-untyped-def]
    """Compute ‖W[j]‖² of each row."""
    for j in range(W.shape[0]):
        total = 0.0
        for c in range(W.shape[1]):
            value = np.float64(W[j, c])
            total += value * value
        out[j] = total


@compiled()
def cluster_sums(W, labels, S, sizes):  # type: ignore[no-untyped-def]
    """Add the rows of each cluster to `S`, and their number to `sizes`."""
    for j in range(W.shape[0]):
        h = labels[j]
        sizes[h] += 1
        for c in range(W.shape[1]):
            S[h, c] += W[j, c]


@compiled()
def nearest(W, M, centres, labels):  # type: ignore[no-untyped-def]
    """Label each point by the nearest centre of its row W[j] M, scaled to length 1.

    Parameters
    ----------
    W : ndarray of shape (n, r)
    M : ndarray of shape (r, q), float64
    centres : ndarray of shape (k, q), float64
    labels : ndarray of shape (n,)
        Receives the labels.
    """
    k, q = centres.shape
    row = np.empty(q)
    for j in range(W.shape[0]):
        row[:] = 0.0
        for a in range(W.shape[1]):
            for b in range(q):
                row[b] += W[j, a] * M[a, b]
        length = 0.0
        for b in range(q):
            length += row[b] * row[b]
        length = np.sqrt(length) if length > 0 else 1.0
        best, least = 0, np.inf
        for h in range(k):
            total = 0.0
            for b in range(q):
                difference = row[b] / length - centres[h, b]
                total += difference * difference
            if total < least:
                best, least = h, total
        labels[j] = best


@compiled()
def claim_gains(W, square, S, labels, sizes, spare, d, gain):  # type: ignore[no-untyped-def]
    """Compute an eighth of the change of Q for each point that cluster `d` may claim, infinity for others.

    Parameters
    ----------
    W : ndarray of shape (n, r)
    square : ndarray of shape (n,)
    S : ndarray of shape (k, r), float64
        Sums of the rows of each cluster over all parts.
    labels : ndarray of shape (n,)
    sizes : ndarray of shape (k,), int64
        Points of each cluster in this part.
    spare : ndarray of shape (k,), int64
        1 where this part may give its last point away.
    d : int
        Cluster that claims points.
    gain : ndarray of shape (n,)
        Receives the changes.
    """
    k, r = S.shape
    difference = np.empty((r, k))
    for h in range(k):
        for c in range(r):
            difference[c, h] = S[h, c] - S[d, c]
    for j in range(W.shape[0]):
        o = labels[j]
        if o == d or sizes[o] + spare[o] <= 1:
            gain[j] = np.inf
        else:
            total = 0.0
            for c in range(r):
                total += W[j, c] * difference[c, o]
            gain[j] = total - square[j]


@compiled()
def best_moves(W, square, S, labels, sizes, spare, gain, target):  # type: ignore[no-untyped-def]
    """Find the best other cluster of each point, and an eighth of the change of Q.

    Parameters
    ----------
    W, square, S, labels, sizes, spare, gain
        As for `claim_gains`.
    target : ndarray of shape (n,)
        Receives the best other cluster.
    """
    k, r = S.shape
    models = np.ascontiguousarray(S.T)
    values = np.empty(k)
    for j in range(W.shape[0]):
        values[:] = 0.0
        for c in range(r):
            for h in range(k):
                values[h] += W[j, c] * models[c, h]
        o, best = labels[j], -1
        for h in range(k):
            if h != o and (best < 0 or values[h] > values[best]):
                best = h
        target[j] = best
        gain[j] = values[o] - values[best] - square[j] if sizes[o] + spare[o] > 1 else np.inf


@compiled()
def move(W, labels, sizes, spare, points, target, change, old):  # type: ignore[no-untyped-def]
    """Move points in order, and skip those that are the last of a cluster.

    Parameters
    ----------
    W : ndarray of shape (n, r)
    labels : ndarray of shape (n,)
    sizes : ndarray of shape (k,), int64
    spare : ndarray of shape (k,), int64
    points : ndarray, int64
        Points to move; receives those that moved, in order.
    target : ndarray
        New cluster of each of `points`; receives those of the points that moved.
    change : ndarray of shape (k, r), float64
        Receives what is added to the sums.
    old : ndarray
        Receives the clusters that the points have left.

    Returns
    -------
    int
        Number of points that moved.
    """
    count = 0
    for i in range(points.shape[0]):
        j = points[i]
        o, d = labels[j], target[i]
        if sizes[o] + spare[o] <= 1:
            continue
        for c in range(W.shape[1]):
            change[o, c] -= W[j, c]
            change[d, c] += W[j, c]
        sizes[o] -= 1
        sizes[d] += 1
        labels[j] = d
        points[count], target[count], old[count] = j, d, o
        count += 1
    return count


@compiled()
def sweep(W, square, S, labels, sizes, spare, least, points, old, change):  # type: ignore[no-untyped-def]
    """Visit every point once in order and move it to its best cluster if that lowers Q.

    Parameters
    ----------
    W, square, labels, sizes, spare
        As for `claim_gains`.
    S : ndarray of shape (k, r), float64
        Sums, which are kept up to date with the moves of this part.
    least : float
        Smallest gain, an eighth of the change of Q, for which a point moves.
    points : ndarray of shape (n,), int64
        Receives the points in the order in which they move.
    old : ndarray of shape (n,)
        Receives the clusters that they have left.
    change : ndarray of shape (k, r), float64
        Receives what is added to the sums.

    Returns
    -------
    int
        Number of moves.
    """
    k, r = S.shape
    models = np.ascontiguousarray(S.T)
    values = np.empty(k)
    count = 0
    for j in range(W.shape[0]):
        o = labels[j]
        if sizes[o] + spare[o] <= 1:
            continue
        values[:] = 0.0
        for c in range(r):
            for h in range(k):
                values[h] += W[j, c] * models[c, h]
        best = -1
        for h in range(k):
            if h != o and (best < 0 or values[h] > values[best]):
                best = h
        if values[o] - values[best] - square[j] >= -least:
            continue
        for c in range(r):
            models[c, o] -= W[j, c]
            models[c, best] += W[j, c]
            change[o, c] -= W[j, c]
            change[best, c] += W[j, c]
        sizes[o] -= 1
        sizes[best] += 1
        labels[j] = best
        points[count], old[count] = j, o
        count += 1
    return count
