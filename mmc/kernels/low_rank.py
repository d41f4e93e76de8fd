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

A method that knows no penalty but ‖w‖² takes `Approximation.feature_map`: its Φ Φᵀ is Nyström's
approximation, or on a graph the regularised Laplacian kernel n (I + ρ L)⁻¹ on the leading eigenvectors,
n Σ_i v_i v_iᵀ / (1 + ρ (1 − μ_i)), whose diagonal is of the order of r.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mmc._points import Points
from mmc.kernels.dense import require_memory
from mmc.kernels.factor import RawFeatures
from mmc.kernels.landmark_graph import landmark_graph
from mmc.kernels.landmarks import choose_landmarks, fit_nystroem
from mmc.kernels.neighbor_graph import GraphFeatures, neighbor_graph
from mmc.kernels.neighbors import Array, Floats, is_rough

GRAPHS = ("graph", "landmark_graph")

#: Number of features for each cluster; landmarks show less detail.
_FEATURES = {"graph": 7, "landmark_graph": 5}

#: Largest number of landmarks of a graph unless it is given; a quarter of the points if they are few.
N_LANDMARKS = 2000

#: Least number of landmarks to which a point is joined.
_FEWEST_NEAR = 3

#: ρ: how much less a rough eigenvector of a graph counts in the kernel than a smooth one. For any from 0 to
#: 10,000 iterated training gives nearly the same labels of moons, spirals, rings, circles and blobs.
_RHO = 100.0


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """Features Φ with K ≈ Φ Φᵀ, in which a kernel method is a linear one.

    Attributes
    ----------
    Phi : ndarray of shape (n_samples, r)
        Features of the training points, double precision; it shares no memory with the `Approximation`.
    raw : callable
        Returns the features of new points before they are scaled, an array of shape (n_points, r).
    scale : ndarray of shape (r,)
        Factor of each feature, 1 for landmarks.
    """

    Phi: Array
    raw: RawFeatures
    scale: Array

    @property
    def n_compared(self) -> int:
        """Number of values that one array holds of a new point."""
        return self.raw.n_compared

    def __call__(self, X: Points) -> Array:
        """Return the features of points.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_points, n_features)

        Returns
        -------
        ndarray of shape (n_points, r)
        """
        return np.multiply(self.raw(X), self.scale, dtype=np.float64)

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
    raw: RawFeatures
    roughness: Array | None

    def feature_map(self) -> FeatureMap:
        """Return features Φ with K ≈ Φ Φᵀ, of a regularised Laplacian kernel if the kernel is a graph.

        Returns
        -------
        FeatureMap
        """
        n, r = self.G.shape
        scale = np.ones(r) if self.roughness is None else np.sqrt(n / (1.0 + _RHO * self.roughness))
        return FeatureMap(np.multiply(self.G, scale, dtype=np.float64), self.raw, scale)


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
    r = n_features_of(kernel, n_clusters, n_components, more)
    require_memory(n, 3, min(r, n))
    if kernel == "graph":
        graph = neighbor_graph(X, parameters["n_neighbors"])
        spectrum = graph.spectrum(r, rough=is_rough(n))
        G, values = spectrum.vectors[graph.vertex], spectrum.values
        return Approximation(G, GraphFeatures(graph, spectrum), np.maximum(1.0 - values, 0.0))
    t = n_near_of(parameters["n_neighbors"])
    p = n_landmarks_of(n, n_clusters, n_landmarks)
    joined, leading = landmark_graph(X, t, p, r, landmarks, rng)
    _enough(joined.landmarks, n_clusters)
    # The graph joins points by way of landmarks: a root of μ belongs to each of the two steps.
    return Approximation(leading, joined, np.maximum(1.0 - np.sqrt(joined.values), 0.0))


def n_features_of(kernel: str, n_clusters: int, n_components: int | None = None, more: int = 1) -> int:
    """Return the number of eigenvectors of a graph."""
    return n_components or _FEATURES[kernel] * n_clusters * more


def n_landmarks_of(n: int, n_clusters: int, n_landmarks: int | None) -> int:
    """Return the number of landmarks of n points."""
    p = n_landmarks or max(n_clusters, min(N_LANDMARKS, -(-n // 4)))
    _require_square(min(p, n))
    return p


def n_near_of(n_neighbors: int) -> int:
    """Return to how many landmarks a point is joined.

    A landmark stands for many points, so that a quarter of the neighbours is enough; by way of fewer than
    three landmarks clusters would fall into parts.
    """
    return max(_FEWEST_NEAR, -(-n_neighbors // 4))


def require_landmarks(kernel: str, n_landmarks: int | None) -> None:
    """Refuse landmarks for a kernel that does not compare any two points."""
    if kernel in ("precomputed", "local_scaling"):
        raise ValueError(
            f"n_landmarks={n_landmarks} needs a kernel that compares any two points, and kernel={kernel!r} "
            'does not. Leave n_landmarks out, or use kernel="landmark_graph".'
        )


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
