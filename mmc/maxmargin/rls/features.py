"""The kernels of low rank on which the searches of [UMC-RLS] run without an n×n array.

========================  =====================================================================
kernel                    features
========================  =====================================================================
"graph"                   leading eigenvectors of the graph of nearest neighbours
"landmark_graph"          leading singular vectors of the graph of points and nearest landmarks
others, `n_landmarks`     Nyström's approximation from landmarks
========================  =====================================================================

The penalty of the two graphs is λ times the roughness of a model on the graph, in units in which the same λ
suits the Gaussian kernel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mmc.kernels import require_memory
from mmc.kernels.factor import Factor, ridge_factor
from mmc.kernels.landmark_graph import landmark_graph
from mmc.kernels.landmarks import choose_landmarks, fit_nystroem
from mmc.kernels.neighbor_graph import GraphFeatures, neighbor_graph
from mmc.kernels.neighbors import Array, Floats, is_rough

GRAPHS = ("graph", "landmark_graph")

#: Roughness of a model on a graph, in units that suit the λ of the Gaussian kernel.
_ROUGHNESS = 4.0

#: Number of features for each cluster; landmarks show less detail.
_FEATURES = {"graph": 7, "landmark_graph": 5}

#: Largest number of landmarks of a graph unless it is given; a quarter of the points if they are few.
_N_LANDMARKS = 2000


class LowRank(NamedTuple):
    """A factor of the hat matrix, and the rows in which spectral clustering looks for clusters.

    Attributes
    ----------
    factor : Factor
        W, and its rows for new points.
    embedding : ndarray of shape (n_samples, n_clusters) or None
        Leading eigenvectors of the graph; None if the kernel is not a graph.
    """

    factor: Factor
    embedding: Floats | None


def fit_low_rank(
    X: Array,
    kernel: str,
    parameters: dict[str, Any],
    *,
    n_clusters: int,
    alpha: float,
    fit_intercept: bool,
    n_landmarks: int | None,
    landmarks: str,
    n_components: int | None,
    rng: np.random.RandomState,
    weights: Array | None = None,
    are_named: bool = False,
) -> LowRank:
    """Compute the features of the training points and the hat matrix of ridge regression on them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Training points.
    kernel : str
        One of `GRAPHS`, or a kernel with landmarks.
    parameters : dict
        Parameters of the kernel.
    n_clusters : int
        k.
    alpha : float
        λ.
    fit_intercept : bool
        Whether models of landmarks have an intercept; on graphs the first eigenvector plays its part.
    n_landmarks : int or None
        Number of landmarks; None means 2,000 for a graph, or a quarter of the points if that is less.
    landmarks : {"k-means", "random"}
        How landmarks are chosen.
    n_components : int or None
        Number of eigenvectors; None means seven for each cluster, or five of landmarks.
    rng : RandomState
        Random generator.
    weights : ndarray of shape (n_samples,) or None, default=None
        Weights of the points in the ridge models; neighbours, widths and landmarks do not depend on them.
    are_named : bool, default=False
        Whether points of every cluster are known, so that a model has more to go by than the leading
        eigenvectors, and a graph has twice as many.

    Returns
    -------
    LowRank
    """
    n = X.shape[0]
    if kernel not in GRAPHS:
        assert n_landmarks is not None  # otherwise the whole kernel matrix is used
        _require_square(min(n_landmarks, n))
        chosen = _enough(choose_landmarks(X, n_landmarks, landmarks, rng), n_clusters)
        require_memory(n, 3, chosen.shape[0])
        features = fit_nystroem(X, chosen, {"kernel": kernel, **parameters}, rng)
        G = features(X)
        penalties = np.full(G.shape[1], alpha)
        return LowRank(
            ridge_factor(G, features, penalties, fit_intercept=fit_intercept, weights=weights), None
        )
    r = n_components or _FEATURES[kernel] * n_clusters * (2 if are_named else 1)
    require_memory(n, 3, min(r, n))
    if kernel == "graph":
        graph = neighbor_graph(X, parameters["n_neighbors"])
        spectrum = graph.spectrum(r, rough=is_rough(n))
        raw: Any = GraphFeatures(graph, spectrum)
        G, values = spectrum.vectors[graph.vertex], spectrum.values
    else:
        # A landmark stands for many points, so that fewer of them are neighbours.
        t = -(-parameters["n_neighbors"] // 4)
        p = n_landmarks or max(n_clusters, min(_N_LANDMARKS, -(-n // 4)))
        _require_square(min(p, n))
        raw, G = landmark_graph(X, t, p, r, landmarks, rng)
        _enough(raw.landmarks, n_clusters)
        # The graph joins points by way of landmarks: a root of μ belongs to each of the two steps.
        values = np.sqrt(raw.values)
    penalties = _ROUGHNESS * alpha * np.maximum(1.0 - values, 0.0)
    factor = ridge_factor(G, raw, penalties, fit_intercept=False, weights=weights)
    return LowRank(factor, G[:, :n_clusters])


def _require_square(p: int) -> None:
    """Refuse so many landmarks that the matrix between them would not fit into memory."""
    require_memory(p, instead="Or choose a smaller n_landmarks.")


def _enough(landmarks: Floats, n_clusters: int) -> Floats:
    if landmarks.shape[0] < n_clusters:
        raise ValueError(
            f"n_clusters={n_clusters} is more than the {landmarks.shape[0]} different landmarks. Choose "
            "fewer clusters or more landmarks (n_landmarks)."
        )
    return landmarks
