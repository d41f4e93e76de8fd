"""Base class of the searches of [UMC-RLS]: parameters, kernel, starts, and the models of a labelling.

`mmc.maxmargin.rls` describes the objective, its symbols and the costs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from mmc._sklearn import StrOptions, check_parameters
from mmc.kernel_base import KernelClusterer
from mmc.kernels import Kernel, require_memory
from mmc.kernels.hat_matrix import Hat, Spectrum, hat_matrix
from mmc.maxmargin.rls.labelling import Array, RLSState, Search, indicators
from mmc.ranges import RANGES
from mmc.starts import Start, draw_starts, k_means_plus_plus, random_labels, require_points
from mmc.stepping import State


class Problem(NamedTuple):
    """What stays fixed during the search: the kernel, its first row, the hat matrix and the starts."""

    kernel: Kernel
    anchor: Array
    hat: Hat
    starts: list[Start]


class LeastSquaresClusterer(KernelClusterer):
    """Base class of the three searches."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClusterer._parameter_constraints,
        "alpha": [RANGES["alpha"]],
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
            Training points, or the kernel matrix if `kernel` is "precomputed".
        alphas : iterable of float
            Values of `alpha`.

        Returns
        -------
        list of estimators
            Fitted copies of the estimator in the order of `alphas`, all from the same starts. Each equals the
            result of `fit` with its alpha up to rounding.
        """
        models = [clone(self).set_params(alpha=alpha) for alpha in alphas]
        for model in models:
            check_parameters(model)
        checked = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        starts = self._draw_starts(checked)
        kernel, K = self._gram(checked)
        anchor = K[0].copy()
        spectrum = Spectrum.of(K, fit_intercept=self.fit_intercept)
        del K  # it would be a fourth n×n array beside the three that each λ needs
        for model in models:
            validate_data(model, X, skip_check_array=True)
            problem = Problem(kernel, anchor, spectrum.hat(model.alpha), starts)
            model._exhaust(model._aloud(model._fit_steps(problem)))
        return models

    @abstractmethod
    def _states(self, search: Search, share_before: float) -> Iterator[RLSState]:
        """Search from one start; `share_before` is the share of the starts that precede it."""

    def _prepare(self, X: Array) -> Problem:
        starts = self._draw_starts(X)
        kernel, K = self._gram(X)
        anchor = K[0].copy()
        hat = hat_matrix(K, self.alpha, fit_intercept=self.fit_intercept, is_psd=kernel.is_psd)
        return Problem(kernel, anchor, hat, starts)

    def _draw_starts(self, X: Array) -> list[Start]:
        require_points(len(X), self.n_clusters)
        require_memory(len(X))
        return draw_starts(
            X,
            self.n_clusters,
            self.init,
            {"random": random_labels, "k-means++": k_means_plus_plus},
            n_init=self.n_init,
            random_state=self.random_state,
            has_points=self.kernel != "precomputed",
        )

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self.kernel_ = problem.kernel
        self._anchor = problem.anchor
        self._basis = problem.hat.basis
        R, n_starts = problem.hat.R, len(problem.starts)
        return n_starts, (
            self._states(Search(R, start.labels, self.n_clusters), i / n_starts)
            for i, start in enumerate(problem.starts)
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
        """Return the coefficients a = (K + λI)⁻¹ p of the k models, by p − R p = λ a, and the intercepts."""
        P = indicators(state.labels, self.n_clusters)
        if not self.fit_intercept:
            return self._positive_part(P, state.scores).T / self.alpha, np.zeros(self.n_clusters)
        mean = P.mean(axis=1, keepdims=True)
        dual = self._positive_part(P - mean, state.scores - mean).T / self.alpha
        # The fitted values at all training points are K a + b, so the first point gives b.
        return dual, state.scores[:, 0] - self._anchor @ dual

    def _positive_part(self, P: Array, T: Array) -> Array:
        return P - T if self._basis is None else (P @ self._basis) @ self._basis.T - T
