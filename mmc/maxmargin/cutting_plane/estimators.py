"""`CPMMC` with one kernel, `MKC` with several."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mmc._sklearn import Interval, StrOptions
from mmc.base import StepwiseClusterer, checked_labels, random_labels, require_points
from mmc.kernels import LENGTHS
from mmc.maxmargin.binary import far_apart_k_means
from mmc.maxmargin.cutting_plane.constraints import Classes, Halves, Sides
from mmc.maxmargin.cutting_plane.cuts import CutState, cutting_planes
from mmc.maxmargin.cutting_plane.kernel_list import (
    NAMED,
    FittedKernel,
    KernelSpec,
    Member,
    check_kernels,
    fit_mixture,
)
from mmc.metrics import in_order
from mmc.stepping import State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class Problem(NamedTuple):
    """What stays fixed during the cuts."""

    members: list[Member]
    sides: Sides
    starts: list[Labels]


class CuttingPlaneClusterer(StepwiseClusterer):
    """What the methods for one kernel and for several share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 2, None, closed="left")],
        "C": [Interval(Real, 0, 1e9, closed="right")],  # beyond, the solver's numbers end
        "balance": [Interval(Real, 0, 1, closed="left")],
        "epsilon": [Interval(Real, 0, 1, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "normalize": ["boolean"],
        "init": [StrOptions({"k-means", "random"}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_cuts": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    n_clusters: int
    C: float
    balance: float
    epsilon: float
    tol: float
    normalize: bool
    init: str | ArrayLike
    n_init: int
    max_cuts: int
    random_state: int | np.random.RandomState | None
    kernels_: list[FittedKernel]
    beta_: Array
    dual_coef_: Array
    intercept_: float

    @property
    def max_iter(self) -> int:
        """What the one loop counts: here steps are cuts."""
        return self.max_cuts

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Fit to the end, and warn if a cluster was lost.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        super().fit(X, y)
        if self.state_.warning:
            warnings.warn(self.state_.warning, ConvergenceWarning, stacklevel=2)
        return self

    @abstractmethod
    def _specs(self, X: Array) -> Sequence[KernelSpec]:
        """List the kernels."""

    def _has_points(self) -> bool:
        """Whether X holds points and not kernel values."""
        return True

    def _prepare(self, X: Array) -> Problem:
        require_points(len(X), self.n_clusters)
        sides = Halves() if self.n_clusters == 2 else Classes(self.n_clusters)
        specs = self._specs(X)
        starts = self._draw_starts(X)
        # Beside the kernels: work space, and the products of up to `max_cuts` columns with each of them.
        columns = len(specs) * self.max_cuts * sides.n_blocks
        n_arrays = 2 + -(-columns // len(X))
        members = fit_mixture(
            X, specs, normalize=self.normalize, centre=self.n_clusters == 2, n_arrays=n_arrays
        )
        return Problem(members, sides, starts)

    def _draw_starts(self, X: Array) -> list[Labels]:
        """Draw the starts; equal ones are kept once, because from one start there is one way."""
        if not isinstance(self.init, str):
            return [checked_labels(self.init, len(X), self.n_clusters)]
        if self.init == "k-means" and not self._has_points():
            raise ValueError(
                'init="k-means" needs points, not a precomputed kernel; use "random" or give labels.'
            )
        rng = check_random_state(self.random_state)
        draw = random_labels if self.init == "random" else _k_means
        distinct: dict[bytes, Labels] = {}
        for _ in range(self.n_init):
            labels = draw(X, self.n_clusters, rng)
            distinct.setdefault(in_order(labels).tobytes(), labels)
        return list(distinct.values())

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self.kernels_ = [member.kernel for member in problem.members]  # without their matrices
        return len(problem.starts), (
            cutting_planes(
                problem.members,
                problem.sides,
                labels,
                C=self.C,
                balance=self.balance,
                epsilon=self.epsilon,
                tol=self.tol,
            )
            for labels in problem.starts
        )

    def _adopt(self, state: CutState) -> None:
        self.beta_, self.dual_coef_, self.intercept_ = state.beta, state.coef, state.bias

    def _follow(self, X: Array) -> Callable[[CutState], Array]:
        unknown = sum(kernel.compare is None for kernel in self.kernels_)
        if unknown:
            raise ValueError(
                f"{unknown} of the kernels are matrices, which know of no points but those of the fit. "
                "Give callables to predict for others."
            )
        raw = [kernel.compare(X) / kernel.scale for kernel in self.kernels_ if kernel.compare is not None]

        def values(state: CutState) -> Array:
            f = np.full((len(X), *state.coef.shape[1:]), state.bias)
            for K, weight, kernel in zip(raw, state.beta, self.kernels_, strict=True):
                f += weight * (K @ state.coef)
                if state.f.ndim == 1:  # centred, as the bias asks for
                    f -= weight * (kernel.means @ state.coef)
            return np.column_stack([-f, f]) if state.f.ndim == 1 else f

        return values


class CPMMC(CuttingPlaneClusterer):
    """Cutting-plane maximum-margin clustering with one kernel ([MKC] eq. 2.3; MKC with a single kernel).

    Parameters
    ----------
    n_clusters : int
    kernel : {"rbf", "linear", "poly", "precomputed"}
    gamma, width, degree, coef0
        Of the kernel, as in `mmc.kernels`; points are seen from their mean.
    C : float
        What the mean loss costs; see `mmc.maxmargin.cutting_plane`.
    balance : float
        l as a share of n, from 0 to below 1: how far the mean of f may be from 0.
    epsilon : float
        The method ends when no constraint is violated by more than this beyond ξ.
    tol : float
        The CCCP ends when the objective changes by a smaller share.
    normalize : bool
        Whether the kernel is divided by the variance of the points that it sees, so that C means the same for
        every kernel.
    init : {"k-means", "random"} or array-like of shape (n_samples,)
        The labels to begin with.
    n_init : int
        How many starts; equal ones are made once, and the lowest objective is kept.
    max_cuts : int
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_, objective_, n_iter_, start_objectives_, state_
        As every algorithm has them; `n_iter_` is the number of cuts.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_clusters)
    intercept_ : float
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CuttingPlaneClusterer._parameter_constraints,
        "kernel": [StrOptions({"rbf", "linear", "poly", "precomputed"})],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions(set(LENGTHS))],
        "width": [Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "neighbors",
        width: float = 2.0,
        degree: int = 3,
        coef0: float = 1.0,
        C: float = 100.0,
        balance: float = 0.03,
        epsilon: float = 0.01,
        tol: float = 0.01,
        normalize: bool = True,
        init: str | ArrayLike = "k-means",
        n_init: int = 1,
        max_cuts: int = 200,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.width = width
        self.degree = degree
        self.coef0 = coef0
        self.C = C
        self.balance = balance
        self.epsilon = epsilon
        self.tol = tol
        self.normalize = normalize
        self.init = init
        self.n_init = n_init
        self.max_cuts = max_cuts
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _has_points(self) -> bool:
        return self.kernel != "precomputed"

    def _specs(self, X: Array) -> Sequence[KernelSpec]:
        names = NAMED.get(self.kernel, ())
        return [KernelSpec(self.kernel, tuple((name, getattr(self, name)) for name in names))]


class MKC(CuttingPlaneClusterer):
    """Multiple kernel clustering: the margin decides how much each kernel counts ([MKC] Algorithms 1 to 4).

    Parameters
    ----------
    n_clusters : int
    kernels : sequence
        Each a name ("linear", "poly", "rbf"), a pair of a name and parameters such as
        ``("rbf", {"width": 0.5})``, a callable that takes two arrays of points, or the n×n matrix itself.
        "poly" takes `degree`, `coef0` and `gamma`, "rbf" takes `width` and `gamma`; their defaults are those
        of `CPMMC`.
    C, balance, epsilon, tol, init, n_init, max_cuts, random_state
        As for `CPMMC`.
    normalize : bool
        Whether each kernel is divided by the variance of the points that it sees. If not, the weights say
        which kernel has the largest numbers.

    Attributes
    ----------
    beta_ : ndarray of shape (n_kernels,)
        Weights of the kernels, ‖β‖₂ = 1.
    labels_, objective_, n_iter_, start_objectives_, state_, dual_coef_, intercept_
        As for `CPMMC`.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CuttingPlaneClusterer._parameter_constraints,
        "kernels": "no_validation",  # `check_kernels` says more
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernels: Sequence[Any] = ("linear", "poly", "rbf"),
        C: float = 100.0,
        balance: float = 0.03,
        epsilon: float = 0.01,
        tol: float = 0.01,
        normalize: bool = True,
        init: str | ArrayLike = "k-means",
        n_init: int = 1,
        max_cuts: int = 200,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernels = kernels
        self.C = C
        self.balance = balance
        self.epsilon = epsilon
        self.tol = tol
        self.normalize = normalize
        self.init = init
        self.n_init = n_init
        self.max_cuts = max_cuts
        self.random_state = random_state

    def _validate_params(self) -> None:
        super()._validate_params()
        check_kernels(self.kernels)

    def _specs(self, X: Array) -> Sequence[KernelSpec]:
        return check_kernels(self.kernels)


def _k_means(X: Array, k: int, rng: np.random.RandomState) -> Labels:
    """Cluster by k-means: from far seeds in two, the best of ten tries in more."""
    if k == 2:
        return far_apart_k_means(X, rng)
    if len(np.unique(X, axis=0)) < k:
        raise ValueError(
            f"There are fewer than {k} different points, so k-means cannot make {k} clusters. Choose fewer."
        )
    return np.asarray(KMeans(k, n_init=10, random_state=rng).fit(X).labels_, dtype=np.int64)
