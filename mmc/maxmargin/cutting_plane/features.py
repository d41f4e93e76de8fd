"""The kernels of a mixture as products Φ_k Φ_kᵀ of features: of landmarks, or of a graph.

Scaling and centring are those of the kernel matrices in `mmc.maxmargin.cutting_plane.kernel_list`: Φ_k is
divided by the root of the variance of the points in it, and for two clusters its mean is subtracted. With
every point as a landmark, Φ_k Φ_kᵀ is the matrix itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg

from mmc._points import Points, middle, shifted
from mmc.kernels import checked_gram, require_memory
from mmc.kernels.factor import RawFeatures
from mmc.kernels.landmarks import Nystroem, choose_landmarks, inverse_root
from mmc.kernels.low_rank import GRAPHS, N_LANDMARKS, Approximation, approximate, n_features_of
from mmc.kernels.neighbors import feature_type
from mmc.maxmargin.cutting_plane.dual_program import require_psd
from mmc.maxmargin.cutting_plane.kernel_list import (
    FLAT,
    USUAL,
    USUAL_GRAPH,
    Array,
    Called,
    KernelSpec,
    require_range,
)


@dataclass(frozen=True, eq=False)
class FittedFeatures:
    """One kernel of a mixture as features, for any points.

    Attributes
    ----------
    title : str
        Short text for a legend.
    raw : callable
        Returns the features of points before they are scaled.
    centre : ndarray of shape (n_features,) or None
        Mean of the training points, which is subtracted from points; None if nothing is.
    factors : ndarray of shape (r,)
        Factor of each feature.
    mean : ndarray of shape (r,) or None
        Mean of the scaled features of the training points, if the kernel is centred.
    """

    title: str
    raw: RawFeatures
    centre: Array | None
    factors: Array
    mean: Array | None

    def __call__(self, X: Points) -> Array:
        """Return the features of points, an array of shape (n_points, r)."""
        Phi = np.multiply(self.raw(shifted(X, self.centre)), self.factors, dtype=np.float64)
        if self.mean is not None:
            Phi -= self.mean
        return Phi


class FeatureMember(NamedTuple):
    """One kernel of a mixture, and its features of the training points.

    Attributes
    ----------
    kernel : FittedFeatures
    Phi : ndarray of shape (n, r)
        Scaled features, centred if the problem has a bias.
    size : float
        Mean diagonal of Φ Φᵀ.
    """

    kernel: FittedFeatures
    Phi: Array
    size: float

    @property
    def title(self) -> str:
        """Short text for a legend."""
        return self.kernel.title

    def times(self, V: Array) -> Array:
        """Multiply Φ Φᵀ with columns V of shape (n, m)."""
        return np.asarray(self.Phi @ (self.Phi.T @ V))


class Landmarks(NamedTuple):
    """How kernels are approximated.

    Attributes
    ----------
    n_landmarks : int or None
        Number of landmarks; None means 2,000, and for a landmark graph a quarter of the points if that is
        less.
    how : {"k-means", "random"}
        How they are chosen.
    seed : int
        Seed with which they are chosen for every kernel, so that equal kernels have equal features.
    """

    n_landmarks: int | None
    how: str
    seed: int


def have_features(specs: Sequence[KernelSpec], n_landmarks: int | None) -> bool:
    """Return whether features stand for the kernels: if there are landmarks, or a graph is among them."""
    return n_landmarks is not None or any(spec.name in GRAPHS for spec in specs)


def fit_features(
    X: Points,
    specs: Sequence[KernelSpec],
    landmarks: Landmarks,
    *,
    n_clusters: int,
    normalize: bool,
    n_columns: int,
) -> list[FeatureMember]:
    """Fit the features of kernels to training points.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
    specs : sequence of KernelSpec
    landmarks : Landmarks
    n_clusters : int
        k; for two the features are centred.
    normalize : bool
        Whether each kernel is divided by its mean diagonal after centring.
    n_columns : int
        Number of cuts for which there must be memory.

    Returns
    -------
    list of FeatureMember

    Raises
    ------
    ValueError
        If a kernel is a matrix, or there is not enough memory.
    """
    for spec in specs:
        if spec.name == "precomputed" or (spec.source is not None and not callable(spec.source)):
            raise ValueError(
                f"n_landmarks={landmarks.n_landmarks} and graphs need kernels that compare any two points, "
                f"and the kernel {spec.title!r} is a matrix, which does not. Leave n_landmarks and graphs "
                "out, or give a name or a callable."
            )
    _require_memory(X.shape[0], specs, landmarks, n_clusters, n_columns)
    return [_fit(X, spec, landmarks, n_clusters, normalize=normalize) for spec in specs]


def _require_memory(
    n: int, specs: Sequence[KernelSpec], landmarks: Landmarks, n_clusters: int, n_columns: int
) -> None:
    """Refuse what needs too much memory: Φ_k, two such arrays more while one is made, and the cuts."""
    sizes = [_n_features(n, spec, landmarks, n_clusters) for spec in specs]
    largest, m = max(sizes), 1 if n_clusters == 2 else n_clusters
    # A cut holds n/2 numbers and its products; a state, the labels and their margins a few n×m arrays.
    values = n * (sum(sizes) + 2 * largest + n_columns / 2 + 8 * m) + 2 * n_columns * m * sum(sizes)
    require_memory(n, int(np.ceil(values / (n * largest))), largest)


def _n_features(n: int, spec: KernelSpec, landmarks: Landmarks, n_clusters: int) -> int:
    if spec.name in GRAPHS:
        given = (USUAL_GRAPH | dict(spec.parameters))["n_components"]
        return min(n, n_features_of(spec.name, n_clusters, given))
    return min(n, landmarks.n_landmarks or N_LANDMARKS)


def _fit(
    X: Points, spec: KernelSpec, landmarks: Landmarks, n_clusters: int, *, normalize: bool
) -> FeatureMember:
    centre = None if spec.name in GRAPHS or callable(spec.source) else middle(X)
    found = _approximation(shifted(X, centre), spec, landmarks, n_clusters).feature_map()
    Phi, raw, factors = found.Phi, found.raw, found.scale
    largest = float(np.einsum("ij,ij->i", Phi, Phi).max())
    mean = Phi.mean(axis=0)
    if n_clusters == 2:
        Phi -= mean
        variance = float(np.einsum("ij,ij->", Phi, Phi)) / len(Phi)
    else:
        variance = float(np.einsum("ij,ij->", Phi, Phi)) / len(Phi) - float(mean @ mean)
    flat = variance <= FLAT * max(largest, 1e-300)
    root = float(np.sqrt(variance)) if normalize and not flat else 1.0
    if flat and n_clusters == 2:
        Phi[:] = 0.0
    Phi /= root
    squares = np.einsum("ij,ij->i", Phi, Phi)
    require_range(spec, float(squares.max()))
    fitted = FittedFeatures(spec.title, raw, centre, factors / root, mean / root if n_clusters == 2 else None)
    return FeatureMember(fitted, Phi, float(squares.mean()))


def _approximation(X: Points, spec: KernelSpec, landmarks: Landmarks, n_clusters: int) -> Approximation:
    rng = np.random.RandomState(landmarks.seed)
    if callable(spec.source):
        return _of_callable(X, spec, landmarks, rng)
    is_graph = spec.name in GRAPHS
    values = (USUAL_GRAPH if is_graph else USUAL) | dict(spec.parameters)
    n_components = values.pop("n_components", None)
    n_landmarks = landmarks.n_landmarks
    return approximate(
        X,
        spec.name,
        values,
        n_clusters=n_clusters,
        n_landmarks=n_landmarks if is_graph else n_landmarks or N_LANDMARKS,
        landmarks=landmarks.how,
        n_components=n_components,
        rng=rng,
    )


def _of_callable(
    X: Points, spec: KernelSpec, landmarks: Landmarks, rng: np.random.RandomState
) -> Approximation:
    chosen = choose_landmarks(X, landmarks.n_landmarks or N_LANDMARKS, landmarks.how, rng)
    called = Called(spec.source, chosen)
    inner = checked_gram(called(chosen))
    values = linalg.eigvalsh(inner)
    require_psd(values, float(np.abs(values).max()))
    features = Nystroem(called, inverse_root(inner), feature_type(X.shape[0]))
    return Approximation(features(X), features, None)
