"""Compiled loops that join clusters along the edges of a spanning tree, or cut the tree into clusters.

Vertices have sizes, the numbers of samples that they stand for. Edges are in increasing order of their
lengths, so that the index of an edge is its rank.
"""

from __future__ import annotations

import numpy as np

from mmc._fast.compiled import compiled
from mmc._fast.spanning_tree import find


@compiled()
def join(ends, sizes, k, threshold, merged, ginis):  # type: ignore[no-untyped-def]
    """Join clusters by the rule of Genie until `k` are left.

    With s_1, …, s_m for the sizes, S = Σ_{i<j} |s_i − s_j| is kept up to date by a pass over the different
    sizes, of which there are at most √(2n). The smallest size never falls, and a cluster that has become
    larger never has it again, so that the search for the shortest edge at a smallest cluster goes on where it
    was; when the smallest size s rises, it begins anew among the at most n/s edges that are left.

    Parameters
    ----------
    ends : ndarray of shape (v − 1, 2), int64
        Edges of the tree.
    sizes : ndarray of shape (v,), int64
    k : int
        Number of clusters at the end.
    threshold : float
        Gini index above which a smallest cluster must be joined.
    merged : ndarray of shape (v − k,), int64
        Receives the edge of each merge.
    ginis : ndarray of shape (v − k + 1,)
        Receives the Gini index before the first merge, and after each.
    """
    v = sizes.shape[0]
    n = sizes.sum()
    above = np.arange(v)
    members = sizes.copy()
    count = np.zeros(n + 1, dtype=np.int64)  # clusters of each size
    known = np.empty(v, dtype=np.int64)  # the sizes that occur, in any order
    place = np.empty(n + 1, dtype=np.int64)  # position of a size among them
    n_known = 0
    total = 0  # S
    ordered = np.sort(sizes)
    for i in range(v):
        s = ordered[i]
        total += (2 * i - v + 1) * s
        if count[s] == 0:
            known[n_known], place[s] = s, n_known
            n_known += 1
        count[s] += 1
    # The edges that are left, as a list with links in both directions; the last position is its head.
    head = v - 1
    after = np.empty(v, dtype=np.int64)
    before = np.empty(v, dtype=np.int64)
    for e in range(v):
        after[e], before[e] = (e + 1) % v, (e - 1) % v
    smallest = ordered[0]
    at = after[head]
    ginis[0] = total / (n * max(v - 1, 1))
    for t in range(v - k):
        if ginis[t] > threshold:
            if count[smallest] == 0:
                while count[smallest] == 0:
                    smallest += 1
                at = after[head]
            while (
                members[find(above, ends[at, 0])] != smallest
                and members[find(above, ends[at, 1])] != smallest
            ):
                at = after[at]
            e = at
        else:
            e = after[head]
        if at == e:
            at = after[e]
        after[before[e]] = after[e]
        before[after[e]] = before[e]
        a, b = find(above, ends[e, 0]), find(above, ends[e, 1])
        s1, s2 = members[a], members[b]
        s = s1 + s2
        above[max(a, b)] = min(a, b)
        members[min(a, b)] = s
        change = abs(s1 - s2) - s
        for p in range(n_known):
            c = known[p]
            change += count[c] * (abs(s - c) - abs(s1 - c) - abs(s2 - c))
        total += change
        for gone in (s1, s2):
            count[gone] -= 1
            if count[gone] == 0:
                n_known -= 1
                last = known[n_known]
                known[place[gone]], place[last] = last, place[gone]
        if count[s] == 0:
            known[n_known], place[s] = s, n_known
            n_known += 1
        count[s] += 1
        merged[t] = e
        ginis[t + 1] = total / (n * max(v - t - 2, 1))


@compiled()
def number_merges(ends, sizes, merged, into, labels):  # type: ignore[no-untyped-def]
    """Give numbers to the clusters so that each merge removes the highest number.

    The clusters at the end are numbered by decreasing size. Going backwards, the larger side of a merge keeps
    the number and the smaller one gets the next number (of equal sides, the one with the first vertex keeps
    it).

    Parameters
    ----------
    ends : ndarray of shape (v − 1, 2), int64
    sizes : ndarray of shape (v,), int64
    merged : ndarray of shape (v − k,), int64
        Edge of each merge, in order.
    into : ndarray of shape (v,), int64
        Receives the number that a number becomes when its cluster is joined; itself below k.
    labels : ndarray of shape (v,), int64
        Receives the number of each vertex before the first merge.
    """
    v = sizes.shape[0]
    n_merges = merged.shape[0]
    k = v - n_merges
    # Every cluster on the way is a node: the vertices first, then one for each merge.
    node = np.arange(v)
    weight = np.empty(v + n_merges, dtype=np.int64)
    first = np.empty(v + n_merges, dtype=np.int64)
    weight[:v] = sizes
    first[:v] = np.arange(v)
    larger = np.empty(n_merges, dtype=np.int64)
    smaller = np.empty(n_merges, dtype=np.int64)
    above = np.arange(v)
    for t in range(n_merges):
        a, b = find(above, ends[merged[t], 0]), find(above, ends[merged[t], 1])
        x, y = node[a], node[b]
        if weight[y] > weight[x] or (weight[y] == weight[x] and first[y] < first[x]):
            x, y = y, x
        larger[t], smaller[t] = x, y
        weight[v + t] = weight[x] + weight[y]
        first[v + t] = min(first[x], first[y])
        above[max(a, b)] = min(a, b)
        node[min(a, b)] = v + t
    final = np.empty(k, dtype=np.int64)
    count = 0
    for i in range(v):
        if above[i] == i:
            final[count] = node[i]  # in the order of their first vertices
            count += 1
    number = np.empty(v + n_merges, dtype=np.int64)
    order = np.argsort(-weight[final], kind="mergesort")
    for h in range(k):
        number[final[order[h]]] = h
        into[h] = h
    for t in range(n_merges - 1, -1, -1):
        new = v - 1 - t
        number[larger[t]] = number[v + t]
        number[smaller[t]] = new
        into[new] = number[v + t]
    labels[:] = number[:v]


@compiled()
def hang(ends, sizes, parent, rank, order, below):  # type: ignore[no-untyped-def]
    """Hang the tree up at its first vertex.

    Parameters
    ----------
    ends : ndarray of shape (v − 1, 2), int64
    sizes : ndarray of shape (v,), int64
    parent, rank : ndarray of shape (v,), int64
        Receive the next vertex towards the first one, and the edge to it; the first vertex has itself and −1.
    order : ndarray of shape (v,), int64
        Receives the vertices so that each comes after its parent.
    below : ndarray of shape (v,), int64
        Receives the size of the part that hangs at each vertex, with the vertex itself.
    """
    v = sizes.shape[0]
    begin = np.zeros(v + 1, dtype=np.int64)
    for e in range(v - 1):
        begin[ends[e, 0] + 1] += 1
        begin[ends[e, 1] + 1] += 1
    for i in range(v):
        begin[i + 1] += begin[i]
    filled = begin[:-1].copy()
    links = np.empty(2 * (v - 1), dtype=np.int64)
    for e in range(v - 1):
        for i in ends[e]:
            links[filled[i]] = e
            filled[i] += 1
    parent[0], rank[0], order[0] = 0, -1, 0
    count = 1
    for p in range(v):
        i = order[p]
        for q in range(begin[i], begin[i + 1]):
            e = links[q]
            if e != rank[i]:
                j = ends[e, 0] + ends[e, 1] - i
                parent[j], rank[j], order[count] = i, e, j
                count += 1
    below[:] = sizes
    for p in range(v - 1, 0, -1):
        i = order[p]
        below[parent[i]] += below[i]


@compiled()
def longest_cut(rank, top, below, least):  # type: ignore[no-untyped-def]
    """Find the longest edge that has at least `least` samples on both sides.

    Parameters
    ----------
    rank : ndarray of shape (v,), int64
        Edge from each vertex upwards, −1 where there is none.
    top : ndarray of shape (v,), int64
        Uppermost vertex of the cluster of each vertex.
    below : ndarray of shape (v,), int64
        Size of the part of its cluster that hangs at each vertex.
    least : float

    Returns
    -------
    int
        Vertex at the lower end of the edge; −1 if there is no such edge.
    """
    lower, longest = -1, -1
    for i in range(rank.shape[0]):
        if rank[i] > longest and min(below[i], below[top[i]] - below[i]) >= least:
            lower, longest = i, rank[i]
    return lower


@compiled()
def cut(lower, parent, rank, order, top, below):  # type: ignore[no-untyped-def]
    """Cut the edge above the vertex `lower`.

    Parameters
    ----------
    lower : int
    parent, rank, order, top, below : ndarray of shape (v,), int64
        The tree as `hang` and `longest_cut` describe it; all but `parent` and `order` are changed in place.
    """
    i = lower
    while i != top[lower]:
        i = parent[i]
        below[i] -= below[lower]
    rank[lower] = -1
    for i in order:
        top[i] = i if rank[i] < 0 else top[parent[i]]
