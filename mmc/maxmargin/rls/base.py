"""What the searches of [UMC-RLS] share: parameters, kernel, starts, and the models of a labelling.

The objective, its symbols and its costs are told in `mmc.maxmargin.rls`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from mmc._sklearn import Interval, StrOptions, check_parameters
from mmc.base import checked_labels, random_labels, require_points
from mmc.kernel_base import KernelClusterer
from mmc.kernels import Kernel, require_memory
from mmc.kernels.hat_matrix import Hat, Spectrum, hat_matrix
from mmc.maxmargin.rls.labelling import Array, Labels, RLSState, Search, indicators
from mmc.stepping import State


class Problem(NamedTuple):
    """What stays fixed during the search: kernel, its first row, hat matrix, labellings to start from."""

    kernel: Kernel
    anchor: Array
    hat: Hat
    starts: list[Labels]


class LeastSquaresClusterer(KernelClusterer):
    """Parameters, kernel, starts and model that the three searches share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClusterer._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "init": [StrOptions({"random", "k-means++"}), "array-like"],
    }

    dual_coef_: Array
    intercept_: Array

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "neighbors",
        width: float = 2.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 7,
        alpha: float = 0.5,
        fit_intercept: bool = True,
        n_init: int = 10,
        init: str | ArrayLike = "random",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.width = width
        self.degree = degree
        self.coef0 = coef0
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.n_init = n_init
        self.init = init
        self.random_state = random_state

    def alpha_path(self, X: ArrayLike, alphas: Iterable[float]) -> list[LeastSquaresClusterer]:
        """Fit one estimator for each λ with a single eigendecomposition of the kernel.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        alphas : iterable of float

        Returns
        -------
        list of estimators
            Fitted copies of this one, in the order of `alphas`, all from the same starts. Each is
            what `fit` gives for its alpha, to rounding.
        """
        models = [clone(self).set_params(alpha=alpha) for alpha in alphas]
        for model in models:
            check_parameters(model)
        checked = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        starts = self._draw_starts(checked)
        kernel, K = self._gram(checked)
        anchor = K[0].copy()
        spectrum = Spectrum.of(K, fit_intercept=self.fit_intercept)
        del K  # its memory would be a fourth array beside the three that each λ needs
        for model in models:
            validate_data(model, X, skip_check_array=True)
            model._exhaust(model._fit_steps(Problem(kernel, anchor, spectrum.hat(model.alpha), starts)))
        return models

    @abstractmethod
    def _states(self, search: Search, part: float) -> Iterator[RLSState]:
        """Search from one start, before which `part` of all starts were made."""

    def _prepare(self, X: Array) -> Problem:
        starts = self._draw_starts(X)
        kernel, K = self._gram(X)
        anchor = K[0].copy()
        hat = hat_matrix(K, self.alpha, fit_intercept=self.fit_intercept, is_psd=kernel.is_psd)
        return Problem(kernel, anchor, hat, starts)

    def _draw_starts(self, X: Array) -> list[Labels]:
        n, k = len(X), self.n_clusters
        require_points(n, k)
        require_memory(n)
        if not isinstance(self.init, str):
            return [checked_labels(self.init, n, k)]
        if self.init == "k-means++" and self.kernel == "precomputed":
            raise ValueError(
                'init="k-means++" needs points, not a precomputed kernel; use "random" or give labels.'
            )
        rng = check_random_state(self.random_state)
        draw = random_labels if self.init == "random" else _seeded_labels
        return [draw(X, k, rng) for _ in range(self.n_init)]

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self.kernel_ = problem.kernel
        self._anchor = problem.anchor
        self._basis = problem.hat.basis
        R, n_starts = problem.hat.R, len(problem.starts)
        return n_starts, (
            self._states(Search(R, labels, self.n_clusters), start / n_starts)
            for start, labels in enumerate(problem.starts)
        )

    def _adopt(self, state: RLSState) -> None:
        self.dual_coef_, self.intercept_ = self._model(state)

    def _follow(self, X: Array) -> Callable[[RLSState], Array]:
        K = self.kernel_(X)

        def values(state: RLSState) -> Array:
            dual, intercept = self._model(state)
            return np.asarray(K @ dual + intercept)

        return values

    def _model(self, state: RLSState) -> tuple[Array, Array]:
        """Give the coefficients a = (K + λI)⁻¹ p of the k models, from p − R p = λ a, and the intercepts."""
        P = indicators(state.labels, self.n_clusters)
        if not self.fit_intercept:
            return self._positive_part(P, state.scores).T / self.alpha, np.zeros(self.n_clusters)
        mean = P.mean(axis=1, keepdims=True)
        dual = self._positive_part(P - mean, state.scores - mean).T / self.alpha
        # Fitted values are K a + b at every training point; the first one gives b.
        return dual, state.scores[:, 0] - self._anchor @ dual

    def _positive_part(self, P: Array, T: Array) -> Array:
        return P - T if self._basis is None else (P @ self._basis) @ self._basis.T - T


def _seeded_labels(X: Array, k: int, rng: np.random.RandomState) -> Labels:
    centres, seeds = kmeans_plusplus(X, k, random_state=rng)
    labels = np.asarray(pairwise_distances_argmin(X, centres), dtype=np.int64)
    labels[seeds] = np.arange(k)  # duplicated seeds would leave a cluster empty
    return labels
