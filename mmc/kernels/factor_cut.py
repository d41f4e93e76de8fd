"""The normalised cut of a kernel that is given by features: without an n×n array.

For K = F Fᵀ the degrees are F (Fᵀ 1), the leading eigenvectors of D^-½ K D^-½ are left singular vectors of
D^-½ F, and the links within the first i points of an order weigh ‖Σ_j≤i F_j‖². All cuts along the second
eigenvector take n r², and one n×r array beside F.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from mmc._points import Points
from mmc.kernels.dense import Kernel
from mmc.kernels.landmark_graph import LandmarkGraph
from mmc.kernels.landmarks import Nystroem, fit_nystroem
from mmc.kernels.low_rank import Approximation
from mmc.kernels.neighbor_graph import GraphFeatures
from mmc.kernels.neighbors import Array
from mmc.kernels.spectral import degree_roots

#: Degrees below this share of the mean are rounding errors.
_NO_DEGREE = 1e-12


def affinity_factor(approximation: Approximation, X: Points, rng: np.random.RandomState) -> Array:
    """Return F of a kernel F Fᵀ without negative values, the kernel itself if it is known to have none.

    Parameters
    ----------
    approximation : Approximation
        Features of a kernel.
    X : ndarray or csr_array of shape (n_samples, n_features)
        Training points.
    rng : RandomState
        Random generator.

    Returns
    -------
    ndarray of shape (n_samples, r)
        Features of the weights of a graph on its leading eigenvectors, or of a Gaussian kernel with the same
        landmarks for a kernel that may have negative values.
    """
    G, raw, _ = approximation
    if isinstance(raw, GraphFeatures):
        graph = raw.graph
        roots = degree_roots(graph.matrix)[graph.vertex, None]
        return np.asarray(roots * G * np.sqrt(np.maximum(raw.spectrum.values, 0.0)))
    if isinstance(raw, LandmarkGraph):
        return np.asarray(G * np.sqrt(raw.values))
    assert isinstance(raw, Nystroem)
    assert isinstance(raw.kernel, Kernel)  # a function as a kernel is for mixtures alone
    if raw.kernel.name != "rbf":
        G = fit_nystroem(X, raw.kernel.X, {"kernel": "rbf"}, rng)(X)
    return np.asarray(G, dtype=np.float64)


def factor_cut(F: Array) -> NDArray[np.int64]:
    """Divide the points into two clusters by the normalised cut of K = F Fᵀ.

    Parameters
    ----------
    F : ndarray of shape (n, r)
        Factor of a kernel without negative values.

    Returns
    -------
    ndarray of shape (n,)
        0 and 1, both of which occur.
    """
    degrees = F @ F.sum(axis=0)
    degrees = np.maximum(degrees, _NO_DEGREE * degrees.mean())
    roots = np.sqrt(degrees)
    scaled = F / roots[:, None]
    vectors = linalg.eigh(scaled.T @ scaled)[1]
    order = np.argsort(scaled @ vectors[:, -min(2, F.shape[1])] / roots, kind="stable")
    below = np.cumsum(degrees[order])
    inside = (np.cumsum(F[order], axis=0) ** 2).sum(axis=1)
    cut = (below - inside)[:-1]
    first = int((cut / below[:-1] + cut / (below[-1] - below[:-1])).argmin()) + 1
    labels = np.empty(len(F), dtype=np.int64)
    labels[order] = np.arange(len(F)) >= first
    return labels
