"""Two cuts: how badly clusters are learned by ridge regression, and how many links of a graph they cut.

**Worst-learned cluster.** Ridge regression with the Gaussian kernel and an intercept ([UMC-RLS] eqs. 3–5)
learns the 0/1 indicator z_h of each cluster; its regularised risk is z_hᵀ(I − R) z_h with the hat matrix R.
The score is −max_h z_hᵀ(I − R) z_h / n_h, between −1 and 0. The width of the kernel is twice the median
distance to the seventh neighbour, and λ = 0.1: the defaults of this library. Up to `WHOLE` points R is exact.
Beyond, R ≈ W Wᵀ from `N_LANDMARKS` landmarks (Nyström), and z_hᵀ R z_h = ‖Wᵀ z_h‖².

**Normalized cut.** On the graph of the ten nearest neighbours (`mmc.kernels.neighbor_graph`) the score is
minus the mean over clusters of (weight of links that leave the cluster) / (weight of all its links). Equal
points are one vertex of that graph; here each of them has the links of the vertex, and they are linked with
each other by weight 1, that of distance 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from mmc.kernels import fit_kernel
from mmc.kernels.factor import ridge_factor
from mmc.kernels.hat_matrix import hat_matrix
from mmc.kernels.landmarks import choose_landmarks, fit_nystroem
from mmc.kernels.neighbor_graph import NeighborGraph
from mmc.kernels.neighbors import Array, Floats

Codes = NDArray[np.int64]

#: Largest number of points with the whole kernel matrix, and the number of landmarks beyond.
WHOLE, N_LANDMARKS = 2_000, 500

#: λ of the ridge regression, and the width of its kernel.
ALPHA, _KERNEL = 0.1, {"kernel": "rbf", "gamma": "neighbors", "width": 2.0}

#: Number of neighbours in the graph.
N_NEIGHBORS = 10


class RidgeModel(NamedTuple):
    """The hat matrix of ridge regression.

    Attributes
    ----------
    R : ndarray of shape (n, n) or None
        Hat matrix; None if there are too many points.
    W : ndarray of shape (n, r) or None
        Factor of it, R ≈ W Wᵀ, for many points.
    """

    R: Array | None
    W: Floats | None


def fit_ridge(X: Array, rng: np.random.RandomState) -> RidgeModel:
    """Compute the hat matrix, or a factor of it for many points.

    This takes n³ multiplications and one n×n array up to 2,000 points; beyond, n p² for p = 500 landmarks and
    two n×p arrays.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        Points, not all equal.
    rng : RandomState
        Random generator of the landmarks.

    Returns
    -------
    RidgeModel
    """
    if len(X) <= WHOLE:
        K = fit_kernel(X, **_KERNEL).matrix  # type: ignore[arg-type]
        return RidgeModel(hat_matrix(K, ALPHA, fit_intercept=True, is_psd=True).R, None)
    landmarks = choose_landmarks(X, N_LANDMARKS, "k-means", rng)
    features = fit_nystroem(X, landmarks, _KERNEL, rng)
    G = features(X)
    penalties = np.full(G.shape[1], ALPHA)
    return RidgeModel(None, ridge_factor(G, features, penalties, fit_intercept=True).W)


def cut_shares(model: RidgeModel, codes: Codes) -> Array:
    """Return z_hᵀ(I − R) z_h / n_h of each cluster, in n² operations, or n p with landmarks.

    Parameters
    ----------
    model : RidgeModel
        Hat matrix of the points.
    codes : ndarray of shape (n,)
        Labels from 0 to k − 1, each of which occurs.

    Returns
    -------
    ndarray of shape (k,)
        Numbers from 0, learned perfectly, to 1.
    """
    n = len(codes)
    sizes = np.bincount(codes)
    member = indicator(codes)
    if model.R is not None:
        fitted = (member @ model.R)[codes, np.arange(n)]
        explained = np.bincount(codes, fitted)
    else:
        sums = np.asarray(member @ model.W, dtype=np.float64)
        explained = np.einsum("hr,hr->h", sums, sums)
    return np.clip(1.0 - explained / sizes, 0.0, 1.0)


def leaving_shares(graph: NeighborGraph, codes: Codes) -> Array:
    """Return the share of the weight of each cluster's links that leave it, for t links per point in n t.

    Parameters
    ----------
    graph : NeighborGraph
        Graph of the points.
    codes : ndarray of shape (n,)
        Labels from 0 to k − 1, each of which occurs.

    Returns
    -------
    ndarray of shape (k,)
        Numbers from 0, no link leaves, to 1.
    """
    vertex, m = graph.vertex, graph.n_vertices
    P = csr_array((np.ones(len(codes)), (vertex, codes)), shape=(m, int(codes.max()) + 1))
    P.sum_duplicates()
    N = np.bincount(vertex, minlength=m).astype(np.float64)
    # Equal points are linked with each other, but none with itself.
    all_links = P.T @ (graph.matrix @ N + N - 1.0)
    own = P.multiply(graph.matrix @ P).sum(axis=0) + P.multiply(P).sum(axis=0) - P.sum(axis=0)
    return np.clip(1.0 - own / all_links, 0.0, 1.0)


def indicator(codes: Codes) -> csr_array:
    """Return the sparse k×n matrix whose rows are the indicators z_h."""
    n = len(codes)
    return csr_array((np.ones(n), (codes, np.arange(n))), shape=(int(codes.max()) + 1, n))
