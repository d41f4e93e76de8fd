"""Kernels as products Φ Φᵀ of features: what makes a method linear in r features, without an n×n array.

========================  =====================================================================
kernel                    features
========================  =====================================================================
"graph"                   leading eigenvectors of the graph of nearest neighbours
"landmark_graph"          leading singular vectors of the graph of points and nearest landmarks
others, `n_landmarks`     Nyström's approximation from landmarks
========================  =====================================================================

A model is a sum of features with coefficients. On a graph a coefficient is penalised by the roughness of its
eigenvector, 1 − μ, so that the leading ones cost nothing; features of landmarks are all penalised alike.

Methods that know no penalties but ‖w‖² take `Approximation.feature_map`, in which the columns of a graph are
scaled: K = Φ Φᵀ with Φ_i = g_i √(n / (1 + ρ (1 − μ_i))) for eigenvectors g_i of length 1. This is the
regularised Laplacian kernel of the graph, n (I + ρ L)⁻¹ on the leading eigenvectors, whose diagonal is of the
order of r, as that of a Gaussian kernel is of the order of 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mmc._points import Points
from mmc.kernels.dense import require_memory
from mmc.kernels.landmark_graph import landmark_graph
from mmc.kernels.landmarks import choose_landmarks, fit_nystroem
from mmc.kernels.neighbor_graph import GraphFeatures, neighbor_graph
from mmc.kernels.neighbors import Array, Floats, is_rough

GRAPHS = ("graph", "landmark_graph")

#: Number of features for each cluster; landmarks show less detail.
_FEATURES = {"graph": 7, "landmark_graph": 5}

#: Largest number of landmarks of a graph unless it is given; a quarter of the points if they are few.
_N_LANDMARKS = 2000

#: ρ of the regularised Laplacian kernel: how much less a rough eigenvector of a graph counts. For any from 0
#: to 10,000 iterated training gives nearly the same labels of moons, spirals, rings, circles and blobs.
_ROUGHNESS = 100.0


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """Features Φ with K ≈ Φ Φᵀ, in which a kernel method is a linear one.

    Attributes
    ----------
    Phi : ndarray of shape (n_samples, r), float64
        Features of the training points.
    raw : callable
        Returns the features of points before they are scaled, an array of shape (n_points, r).
    scale : ndarray of shape (r,)
        Factor of each feature.
    """

    Phi: Array
    raw: Callable[[Points], Floats]
    scale: Array

    def __call__(self, X: Points) -> Array:
        """Return the features of new points.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_points, n_features)

        Returns
        -------
        ndarray of shape (n_points, r)
        """
        return np.asarray(self.raw(X) * self.scale)

    def without_points(self) -> FeatureMap:
        """Return the map alone, which is what new points need and a stored model keeps."""
        return replace(self, Phi=self.Phi[:0].copy())


class Approximation(NamedTuple):
    """Features that stand for a kernel.

    Attributes
    ----------
    G : ndarray of shape (n_samples, r)
        Features of the training points.
    raw : callable
        Returns the features of new points, an array of shape (n_points, r).
    roughness : ndarray of shape (r,) or None
        1 − μ of each feature of a graph; None if the kernel is no graph, and is G Gᵀ.
    """

    G: Floats
    raw: Callable[[Points], Floats]
    roughness: Array | None

    def feature_map(self) -> FeatureMap:
        """Return features of which ‖w‖² is the penalty that suits the kernel.

        Returns
        -------
        FeatureMap
        """
        n, r = self.G.shape
        scale = np.ones(r) if self.roughness is None else np.sqrt(n / (1.0 + _ROUGHNESS * self.roughness))
        return FeatureMap(np.ascontiguousarray(self.G * scale), self.raw, scale)


def approximate(
    X: Points,
    kernel: str,
    parameters: dict[str, Any],
    *,
    n_clusters: int,
    n_landmarks: int | None,
    landmarks: str,
    n_components: int | None,
    rng: np.random.RandomState,
    more: int = 1,
) -> Approximation:
    """Compute the features of the training points.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        Training points.
    kernel : str
        One of `GRAPHS`, or a kernel with landmarks.
    parameters : dict
        Parameters of the kernel.
    n_clusters : int
        k.
    n_landmarks : int or None
        Number of landmarks; None means 2,000 for a graph, or a quarter of the points if that is less.
    landmarks : {"k-means", "random"}
        How landmarks are chosen.
    n_components : int or None
        Number of eigenvectors; None means seven for each cluster, or five of landmarks.
    rng : RandomState
        Random generator.
    more : int, default=1
        Factor of the number of eigenvectors where `n_components` is None.

    Returns
    -------
    Approximation
    """
    n = X.shape[0]
    if kernel not in GRAPHS:
        assert n_landmarks is not None  # otherwise the whole kernel matrix is used
        _require_square(min(n_landmarks, n))
        chosen = _enough(choose_landmarks(X, n_landmarks, landmarks, rng), n_clusters)
        require_memory(n, 3, chosen.shape[0])
        features = fit_nystroem(X, chosen, {"kernel": kernel, **parameters}, rng)
        return Approximation(features(X), features, None)
    r = n_components or _FEATURES[kernel] * n_clusters * more
    require_memory(n, 3, min(r, n))
    if kernel == "graph":
        graph = neighbor_graph(X, parameters["n_neighbors"])
        spectrum = graph.spectrum(r, rough=is_rough(n))
        G, values = spectrum.vectors[graph.vertex], spectrum.values
        return Approximation(G, GraphFeatures(graph, spectrum), np.maximum(1.0 - values, 0.0))
    # A landmark stands for many points, so that fewer of them are neighbours.
    t = -(-parameters["n_neighbors"] // 4)
    p = n_landmarks or max(n_clusters, min(_N_LANDMARKS, -(-n // 4)))
    _require_square(min(p, n))
    joined, leading = landmark_graph(X, t, p, r, landmarks, rng)
    _enough(joined.landmarks, n_clusters)
    # The graph joins points by way of landmarks: a root of μ belongs to each of the two steps.
    return Approximation(leading, joined, np.maximum(1.0 - np.sqrt(joined.values), 0.0))


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
