"""Compiled searches over labellings for the least-squares objective of [UMC-RLS].

With R the hat matrix and T[h] = R p_h(c), moving point j from cluster o to cluster d changes Q by 4 (T[o, j]
− T[d, j] − 2 R[j, j]), T[o] by −2 R[j] and T[d] by 2 R[j] ([UMC-RLS] eq. 13, Lemma 3). All functions change
`T`, `labels` and `sizes` in place, leave no cluster empty, and return what they did. They hold no Python
object, so that threads run them in parallel.

What is called a point here is a *unit* of a search with hints (`mmc.hints`): points that move as one. `Rules`
has their masses and says where they may not go. Units that are bound are looked at one by one, beside the
loops over all units, which know nothing of them.

Costs: a claim takes one pass over n points (update and search for the next point together), a steepest move k
n, and a stochastic sweep k n plus n for each point that moves. Memory: O(n) beside R and T.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc._fast.compiled import compiled

#: A move must lower Q by more than four times this; smaller gains are rounding errors.
MIN_GAIN = 1e-10

_BLOCK = 64


class Rules(NamedTuple):
    """What moves must keep to, in the words of `mmc.hints.Hints`.

    Attributes
    ----------
    mass : ndarray of shape (n,)
        What each unit counts.
    bound : ndarray, int64
        Units that may not go everywhere, in increasing order.
    fixed : ndarray of shape (n,), int64
        Known cluster of each unit, or −1; a unit that is known does not move.
    pointers : ndarray of shape (n + 1,), int64
        Where the units begin, in `others`, that must not be in the cluster of a unit.
    others : ndarray, int64
        These units.
    """

    mass: NDArray[np.float64]
    bound: NDArray[np.int64]
    fixed: NDArray[np.int64]
    pointers: NDArray[np.int64]
    others: NDArray[np.int64]


def no_rules(n: int) -> Rules:
    """Return the rules of n points that may go anywhere and count the same."""
    none = np.empty(0, dtype=np.int64)
    return Rules(np.ones(n), none, np.full(n, -1), np.zeros(n + 1, dtype=np.int64), none)


@compiled()
def may_join(rules, labels, j, d):  # type: ignore[no-untyped-def]
    """Return whether unit `j` may go to cluster `d`: it is not known, and no unit of `d` must be apart."""
    may = rules.fixed[j] < 0
    for i in range(rules.pointers[j], rules.pointers[j + 1]):
        may = may and labels[rules.others[i]] != d
    return may


@compiled(fastmath={"nnan", "nsz"})
def claim(R, T, labels, sizes, d, n_claims, claimed, rules):  # type: ignore[no-untyped-def]
    """Let cluster `d` take points, each time the one that lowers Q most or raises it least.

    Parameters
    ----------
    R : ndarray of shape (n, n)
    T : ndarray of shape (k, n)
    labels : ndarray of shape (n,), int64
    sizes : ndarray of shape (k,), int64
    d : int
        Cluster that claims points.
    n_claims : float
        Number of points to claim: the claims end when their mass reaches it.
    claimed : ndarray of shape (n,), int64
        Receives the points in the order in which they are claimed.
    rules : Rules

    Returns
    -------
    n_claimed : int
        Number of points that were claimed.
    change : float
        Change of Q.
    """
    n = labels.shape[0]
    gain = np.empty(n)
    best = 0
    for j in range(n):
        if labels[j] == d or sizes[labels[j]] == 1:
            gain[j] = np.inf
        else:
            gain[j] = T[labels[j], j] - T[d, j] - 2.0 * R[j, j]
        if gain[j] < gain[best]:
            best = j
    for j in rules.bound:
        if not may_join(rules, labels, j, d):
            gain[j] = np.inf
    if gain[best] == np.inf:
        best = int(np.argmin(gain))
    target = T[d]
    change = 0.0
    count = 0
    mass = 0.0
    while mass < n_claims and gain[best] < np.inf:
        j_star = best
        o = labels[j_star]
        change += 4.0 * gain[j_star]
        labels[j_star] = d
        sizes[o] -= 1
        sizes[d] += 1
        claimed[count] = j_star
        count += 1
        mass += rules.mass[j_star]
        gain[j_star] = np.inf
        for i in range(rules.pointers[j_star], rules.pointers[j_star + 1]):
            gain[rules.others[i]] = np.inf
        if sizes[o] == 1:
            for j in range(n):
                if labels[j] == o:
                    gain[j] = np.inf
        source = T[o]
        row = R[j_star]
        lowest = np.inf
        lowest_block = j_star
        # The minimum of a block needs no index, so the inner loop runs in vector registers.
        for first in range(0, n, _BLOCK):
            m = np.inf
            for j in range(first, min(first + _BLOCK, n)):
                r = 2.0 * row[j]
                source[j] -= r
                target[j] += r
                g = gain[j] - (2.0 * r if labels[j] == o else r)
                gain[j] = g
                m = min(m, g)
            if m < lowest:
                lowest = m
                lowest_block = first
        best = lowest_block
        for j in range(lowest_block, min(lowest_block + _BLOCK, n)):
            if gain[j] == lowest:
                best = j
                break
    return count, change


@compiled(fastmath={"nnan", "nsz"})
def descend(R, T, labels, sizes, n_moves, moved, rules):  # type: ignore[no-untyped-def]
    """Make up to `n_moves` steepest moves: any point to any cluster, as long as Q falls.

    Parameters
    ----------
    R : ndarray of shape (n, n)
    T : ndarray of shape (k, n)
    labels : ndarray of shape (n,), int64
    sizes : ndarray of shape (k,), int64
    n_moves : int
        Largest number of moves.
    moved : ndarray of shape (n,), int64
        Receives the points in the order in which they move.
    rules : Rules

    Returns
    -------
    n_moved : int
        Number of moves; fewer than `n_moves` mean a local minimum.
    change : float
        Change of Q.
    """
    n = labels.shape[0]
    k = T.shape[0]
    own = np.empty(_BLOCK)
    other = np.empty(_BLOCK)
    change = 0.0
    count = 0
    while count < n_moves:
        best_gain = -MIN_GAIN
        best_j = -1
        for first in range(0, n, _BLOCK):
            size = min(_BLOCK, n - first)
            for i in range(size):
                own[i] = T[labels[first + i], first + i] - 2.0 * R[first + i, first + i]
                other[i] = -np.inf
            for h in range(k):
                for i in range(size):
                    t = T[h, first + i] if labels[first + i] != h else -np.inf
                    other[i] = max(other[i], t)
            for i in range(size):
                j = first + i
                if own[i] - other[i] < best_gain and sizes[labels[j]] > 1 and _is_free(rules, j):
                    best_gain = own[i] - other[i]
                    best_j = j
        for j in rules.bound:
            o = labels[j]
            d = _best_other(T, j, o, labels, rules)
            if d >= 0 and sizes[o] > 1:
                gain = T[o, j] - 2.0 * R[j, j] - T[d, j]
                if gain < best_gain:
                    best_gain = gain
                    best_j = j
        if best_j < 0:
            break
        o = labels[best_j]
        _move(R, T, labels, sizes, best_j, o, _best_other(T, best_j, o, labels, rules))
        change += 4.0 * best_gain
        moved[count] = best_j
        count += 1
    return count, change


@compiled()
def sweep(R, T, labels, sizes, moved, rules):  # type: ignore[no-untyped-def]
    """Visit every point once in order and move it to its best cluster if that lowers Q.

    Parameters
    ----------
    R : ndarray of shape (n, n)
    T : ndarray of shape (k, n)
    labels : ndarray of shape (n,), int64
    sizes : ndarray of shape (k,), int64
    moved : ndarray of shape (n,), int64
        Receives the points in the order in which they move.
    rules : Rules

    Returns
    -------
    n_moved : int
        Number of moves; 0 means a local minimum.
    change : float
        Change of Q.
    """
    fixed, pointers = rules.fixed, rules.pointers
    change = 0.0
    count = 0
    for j in range(labels.shape[0]):
        o = labels[j]
        if sizes[o] == 1:
            continue
        if fixed[j] < 0 and pointers[j] == pointers[j + 1]:
            d = _best_of_all(T, j, o)
        else:
            d = _best_other(T, j, o, labels, rules)
        if d < 0:
            continue
        gain = T[o, j] - T[d, j] - 2.0 * R[j, j]
        if gain < -MIN_GAIN:
            _move(R, T, labels, sizes, j, o, d)
            change += 4.0 * gain
            moved[count] = j
            count += 1
    return count, change


@compiled()
def _best_other(T, j, o, labels, rules):  # type: ignore[no-untyped-def]
    """Return the best cluster other than `o` that unit `j` may go to, −1 if there is none."""
    d = -1
    for h in range(T.shape[0]):
        if h != o and (d < 0 or T[h, j] > T[d, j]) and may_join(rules, labels, j, h):
            d = h
    return d


@compiled()
def _best_of_all(T, j, o):  # type: ignore[no-untyped-def]
    d = -1
    for h in range(T.shape[0]):
        if h != o and (d < 0 or T[h, j] > T[d, j]):
            d = h
    return d


@compiled()
def _is_free(rules, j):  # type: ignore[no-untyped-def]
    return rules.fixed[j] < 0 and rules.pointers[j] == rules.pointers[j + 1]


@compiled()
def _move(R, T, labels, sizes, j, o, d):  # type: ignore[no-untyped-def]
    labels[j] = d
    sizes[o] -= 1
    sizes[d] += 1
    row = R[j]
    source = T[o]
    target = T[d]
    for i in range(row.shape[0]):
        r = 2.0 * row[i]
        source[i] -= r
        target[i] += r


@compiled()
def mirror(A):  # type: ignore[no-untyped-def]
    """Copy the upper triangle of a square array onto the lower one, tile by tile, in place."""
    n = A.shape[0]
    for first_i in range(0, n, _BLOCK):
        for first_j in range(0, first_i + 1, _BLOCK):
            for i in range(first_i, min(first_i + _BLOCK, n)):
                for j in range(first_j, min(first_j + _BLOCK, i)):
                    A[i, j] = A[j, i]
