"""Density-based cluster validity (DBCV).

D. Moulavi, P. A. Jaskowiak, R. J. G. B. Campello, A. Zimek, J. Sander: Density-Based Clustering Validation.
SIAM International Conference on Data Mining 2014.

=======================  ====================================================================================
paper                    here
=======================  ====================================================================================
core distance            (Σ_j D_ij^−d / (n_h − 1))^(−1/d) over the other points of the cluster; 0 if one of
                         them equals the point
mutual reachability      max(core_i, core_j, D_ij)
sparseness (DSC)         longest link between internal points of the cluster's minimum spanning tree
separation (DSPC)        smallest mutual reachability between internal points of two clusters
validity V_h             (min separation − sparseness) / max(min separation, sparseness)
DBCV                     Σ_h V_h n_h / n
=======================  ====================================================================================

Internal points have at least two links in the tree. Where the paper leaves something open: a cluster without
a link between internal points counts all its links, and one without an internal point all its points. The
tree prefers the smaller distance among links of the same mutual reachability. d is the number of columns that
are not constant. A cluster of one point has V = −1, core distance 0, and counts for the separation of the
others. If sparseness and separation are both 0, V = 0. Fewer than two clusters give −1 in all. Points of no
cluster (noise) count in n only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmc._fast.density import core_distances, separations, trees
from mmc.kernels.neighbors import Array

Codes = NDArray[np.int64]

#: Code of the points of no cluster.
NOISE = -1


def validities(D: Array, codes: Codes, k: int, d: int) -> Array:
    """Return the validity V of each cluster, in n² operations and no other n×n array.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Distances.
    codes : ndarray of shape (n,)
        Labels from 0 to k − 1, or `NOISE`.
    k : int
        Number of clusters, at least 2. One without a point has V = −1.
    d : int
        Exponent of the core distances.

    Returns
    -------
    ndarray of shape (k,)
        Numbers from −1 to 1.
    """
    sizes = np.bincount(codes[codes != NOISE], minlength=k)
    order = np.argsort(codes, kind="stable")[len(codes) - sizes.sum() :]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    core = core_distances(D, order, starts, float(d))
    sparseness, internal = trees(D, core, order, starts)
    separation = separations(D, core, order, starts, internal)
    larger = np.maximum(separation, sparseness)
    found = (sizes > 1) & np.isfinite(larger)
    V = np.divide(separation - sparseness, larger, out=np.zeros(k), where=found & (larger > 0))
    V[~found] = -1.0
    return V


def sample_rows(codes: Codes, order: Codes, most: int, least: int) -> Codes:
    """Draw a sample of the points that keeps some of each cluster.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Labels from 0 to k − 1, or `NOISE`.
    order : ndarray of shape (n,)
        Random order of the points.
    most : int
        Size of the sample.
    least : int
        Number of points that each cluster keeps at least, if it has them and if so many fit.

    Returns
    -------
    ndarray of shape (most,)
        Rows in increasing order. They are the first of `order` if these have enough points of each cluster.
    """
    drawn = codes[order]
    by_cluster = np.argsort(drawn, kind="stable")
    first = np.searchsorted(drawn[by_cluster], drawn)
    rank = np.empty(len(codes), dtype=np.int64)
    rank[by_cluster] = np.arange(len(codes))
    rank -= first  # how many of its cluster come before a point
    quota = min(least, most // max(1, len(np.unique(codes))))
    kept = (rank < quota) & (drawn != NOISE)
    fill = np.flatnonzero(~kept)[: most - int(kept.sum())]
    kept[fill] = True
    return np.sort(order[kept])
