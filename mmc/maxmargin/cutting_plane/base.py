"""What CPMMC and MKC share: parameters, starts, the model of a state, and predictions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from mmc._sklearn import Interval, StrOptions
from mmc.base import StepwiseClusterer
from mmc.kernel_base import PRECOMPUTED
from mmc.kernels.landmarks import LANDMARKS
from mmc.maxmargin.binary import SIZES, oriented, tilt
from mmc.maxmargin.cutting_plane.constraints import Classes, Halves, Sides
from mmc.maxmargin.cutting_plane.cuts import CutState, cutting_planes
from mmc.maxmargin.cutting_plane.features import (
    FeatureMember,
    FittedFeatures,
    Landmarks,
    fit_features,
    have_features,
)
from mmc.maxmargin.cutting_plane.kernel_list import FittedKernel, KernelSpec, Member, fit_mixture
from mmc.ranges import RANGES, real
from mmc.starts import Start, draw_starts, k_means, random_labels, require_points
from mmc.stepping import State

Array = NDArray[np.float64]


class Problem(NamedTuple):
    """What stays fixed during the cuts."""

    members: list[Member] | list[FeatureMember]
    sides: Sides
    starts: list[Start]


class CuttingPlaneClusterer(StepwiseClusterer):
    """Base class of the methods for one kernel and for several."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [RANGES["n_clusters"]],
        "C": [RANGES["C"]],
        "balance": [Interval(Real, 0, 1, closed="left")],
        "cluster_sizes": SIZES,
        "epsilon": [real(1e-9, 0.99)],
        "tol": [real(0, 1)],
        "normalize": ["boolean"],
        "n_landmarks": [RANGES["n_landmarks"], None],
        "landmarks": [StrOptions(set(LANDMARKS))],
        "init": [StrOptions({"k-means", "random"}), "array-like"],
        "n_init": [RANGES["n_init"]],
        "max_cuts": [RANGES["max_cuts"]],
        "random_state": ["random_state"],
    }

    _remedy = (
        "A wider margin was found without the others: try more starts (n_init), another C or balance, or "
        "fewer clusters."
    )

    #: p of ‖β‖_p ≤ 1, which has no effect on a single kernel.
    beta_norm: float = 2.0

    n_clusters: int
    C: float
    balance: float
    cluster_sizes: Sequence[float] | None
    epsilon: float
    tol: float
    normalize: bool
    n_landmarks: int | None
    landmarks: str
    init: str | ArrayLike
    n_init: int
    max_cuts: int
    random_state: int | np.random.RandomState | None
    kernels_: list[FittedKernel] | list[FittedFeatures]
    beta_: Array
    dual_coef_: Array
    coef_: Array
    intercept_: float

    @property
    def max_iter(self) -> int:
        """Largest number of steps of a start, which are cuts."""
        return self.max_cuts

    @property
    def _sparse_refusal(self) -> str:
        try:
            names = {spec.name for spec in self._specs() if spec.source is None}
        except ValueError:  # a fit says what is wrong with the kernels
            return ""
        if "precomputed" in names:
            return PRECOMPUTED
        if names & {"linear", "poly"}:
            return "its 'linear' and 'poly' kernels subtract the mean of each column, 'rbf' takes them"
        return ""

    @abstractmethod
    def _specs(self) -> Sequence[KernelSpec]:
        """List the kernels."""

    def _validate_params(self) -> None:
        super()._validate_params()
        if self.cluster_sizes is not None and self.n_clusters != 2:
            raise ValueError(
                f"cluster_sizes={self.cluster_sizes!r} is for two clusters, not {self.n_clusters}: with "
                "more the balance compares each pair of them. Leave it out, or use UMCRLS."
            )
        if abs(target := tilt(self.cluster_sizes)) + self.balance >= 1:
            raise ValueError(
                f"balance={self.balance:g} is too large for cluster_sizes={self.cluster_sizes!r}: the mean "
                "of f could reach 1, with every point beyond the margin on one side. Choose a balance below "
                f"{1 - abs(target):.3g}."
            )

    def _prepare(self, X: Array) -> Problem:
        require_points(X.shape[0], self.n_clusters)
        sides = Halves() if self.n_clusters == 2 else Classes(self.n_clusters)
        specs = self._specs()
        rng = check_random_state(self.random_state)
        starts = draw_starts(
            X,
            self.n_clusters,
            self.init,
            {"random": random_labels, "k-means": k_means},
            n_init=self.n_init,
            random_state=rng,
            has_points=not self.__sklearn_tags__().input_tags.pairwise,
            distinct=True,
            spare="random",
        )
        starts = oriented(starts, tilt(self.cluster_sizes))
        if have_features(specs, self.n_landmarks):
            features = fit_features(
                X,
                specs,
                Landmarks(self.n_landmarks, self.landmarks, int(rng.randint(2**31 - 1))),
                n_clusters=self.n_clusters,
                normalize=self.normalize,
                n_columns=self.max_cuts,
            )
            return Problem(features, sides, starts)
        # Beside the kernels: work space, and the products of up to `max_cuts` columns with each of them.
        columns = len(specs) * self.max_cuts * sides.n_blocks
        n_arrays = 2 + -(-columns // X.shape[0])
        members = fit_mixture(
            X, specs, normalize=self.normalize, centre=self.n_clusters == 2, n_arrays=n_arrays
        )
        return Problem(members, sides, starts)

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        # The matrices and features are not kept.
        self.kernels_ = [member.kernel for member in problem.members]  # type: ignore[assignment]
        return len(problem.starts), (
            cutting_planes(
                problem.members,
                problem.sides,
                start.labels,
                C=self.C,
                balance=self.balance,
                epsilon=self.epsilon,
                tol=self.tol,
                target=tilt(self.cluster_sizes),
                beta_norm=self.beta_norm,
            )
            for start in problem.starts
        )

    def _adopt(self, state: CutState) -> None:
        self.beta_, self.intercept_ = state.beta, state.bias
        if isinstance(self.kernels_[0], FittedFeatures):
            self.coef_ = state.coef
        else:
            self.dual_coef_ = state.coef

    @property
    def _n_compared(self) -> int:
        features = [kernel for kernel in self.kernels_ if isinstance(kernel, FittedFeatures)]
        return sum(kernel.raw.n_compared for kernel in features) or len(self.kernels_) * super()._n_compared

    def _follow(self, X: Array) -> Callable[[CutState], Array]:
        features = [kernel(X) for kernel in self.kernels_ if isinstance(kernel, FittedFeatures)]
        return self._by_features(features, X.shape[0]) if features else self._by_kernels(X)

    def _by_features(self, features: list[Array], n: int) -> Callable[[CutState], Array]:
        ends = np.cumsum([Phi.shape[1] for Phi in features])[:-1]

        def values(state: CutState) -> Array:
            f = np.full((n, *state.coef.shape[1:]), state.bias)
            for Phi, v in zip(features, np.split(state.coef, ends), strict=True):
                f += Phi @ v
            return _decisions(f)

        return values

    def _by_kernels(self, X: Array) -> Callable[[CutState], Array]:
        kernels = [kernel for kernel in self.kernels_ if isinstance(kernel, FittedKernel)]
        unknown = sum(kernel.compare is None for kernel in kernels)
        if unknown:
            raise ValueError(
                f"{unknown} of the kernels are matrices, which know of no points but those of the fit. "
                "Give callables to predict for others."
            )
        raw = [kernel.compare(X) / kernel.scale for kernel in kernels if kernel.compare is not None]

        def values(state: CutState) -> Array:
            f = np.full((X.shape[0], *state.coef.shape[1:]), state.bias)
            for K, weight, kernel in zip(raw, state.beta, kernels, strict=True):
                f += weight * (K @ state.coef)
                if state.f.ndim == 1:  # the kernel is centred, because there is a bias
                    f -= weight * (kernel.means @ state.coef)
            return _decisions(f)

        return values


def _decisions(f: Array) -> Array:
    """Return the decision values of all clusters: −f and f for two."""
    return np.column_stack([-f, f]) if f.ndim == 1 else f
