"""Base class of the kernel methods: the parameters of a kernel, and its matrix."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mmc._points import Points
from mmc._sklearn import StrOptions
from mmc.base import StepwiseClusterer
from mmc.kernels import KERNELS, LENGTHS, Gram, Kernel, fit_kernel
from mmc.kernels.landmarks import LANDMARKS
from mmc.kernels.low_rank import GRAPHS, Approximation, approximate, require_landmarks
from mmc.ranges import RANGES

Array = NDArray[np.float64]

#: Why a precomputed kernel is refused if it is sparse.
PRECOMPUTED = "the kernel is precomputed, and the values of such a matrix are needed one and all"


class KernelClusterer(StepwiseClusterer):
    """A clusterer whose models are sums of kernel functions at the training points."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [RANGES["n_clusters"]],
        "kernel": [StrOptions(set(KERNELS))],
        "gamma": [RANGES["gamma"], StrOptions(set(LENGTHS))],
        "width": [RANGES["width"]],
        "degree": [RANGES["degree"]],
        "coef0": [RANGES["coef0"]],
        "n_neighbors": [RANGES["n_neighbors"]],
        "n_init": [RANGES["n_init"]],
        "random_state": ["random_state"],
    }

    n_clusters: int
    kernel: str
    gamma: float | str
    width: float
    degree: float
    coef0: float
    n_neighbors: int
    n_init: int
    random_state: int | np.random.RandomState | None
    kernel_: Kernel

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    @property
    def _sparse_refusal(self) -> str:
        return PRECOMPUTED if self.kernel == "precomputed" else ""

    def _gram(self, X: Points) -> Gram:
        return fit_kernel(
            X,
            kernel=self.kernel,
            gamma=self.gamma,
            width=self.width,
            degree=self.degree,
            coef0=self.coef0,
            n_neighbors=self.n_neighbors,
        )


class LowRankClusterer(KernelClusterer):
    """A kernel method that needs no n×n array if its kernel is a graph or has landmarks."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClusterer._parameter_constraints,
        "kernel": [StrOptions({*KERNELS, *GRAPHS})],
        "n_landmarks": [RANGES["n_landmarks"], None],
        "landmarks": [StrOptions(set(LANDMARKS))],
        "n_components": [RANGES["n_components"], None],
    }

    #: Number of eigenvectors where `n_components` is None; None means that of `mmc.kernels.low_rank`.
    _usual_components: ClassVar[int | None] = None

    n_landmarks: int | None
    landmarks: str
    n_components: int | None
    features_: Any

    @property
    def _has_low_rank(self) -> bool:
        return self.kernel in GRAPHS or self.n_landmarks is not None

    @property
    def _n_compared(self) -> int:
        return self.features_.n_compared if self._has_low_rank else super()._n_compared

    def _approximation(self, X: Points, rng: np.random.RandomState, more: int = 1) -> Approximation:
        """Return features of a graph or of landmarks, with `more` times as many eigenvectors as usual."""
        require_landmarks(self.kernel, self.n_landmarks)
        names = ("n_neighbors",) if self.kernel in GRAPHS else ("gamma", "width", "degree", "coef0")
        return approximate(
            X,
            self.kernel,
            {name: getattr(self, name) for name in names},
            n_clusters=self.n_clusters,
            n_landmarks=self.n_landmarks,
            landmarks=self.landmarks,
            n_components=self.n_components or self._usual_components,
            rng=rng,
            more=more,
        )
