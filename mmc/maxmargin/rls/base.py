"""Base class of the searches of [UMC-RLS]: parameters, kernel, starts, and the models of a labelling.

`mmc.maxmargin.rls` describes the objective, its symbols and the costs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from mmc._points import Points
from mmc._sklearn import StrOptions, check_parameters
from mmc._threads import threads_kept
from mmc.hints import Given, Hints
from mmc.kernel_base import LowRankClusterer
from mmc.kernels import Kernel, require_memory
from mmc.kernels.factor import Features
from mmc.kernels.hat_matrix import Spectrum, hat_matrix
from mmc.kernels.low_rank import GRAPHS
from mmc.kernels.low_rank_hat import LowRank, low_rank_hat
from mmc.kernels.neighbors import EXACT
from mmc.maxmargin.rls.factor_search import FactorSearch
from mmc.maxmargin.rls.known import KnownPoints
from mmc.maxmargin.rls.labelling import (
    Array,
    DenseSearch,
    Labels,
    RLSState,
    Search,
    indicators,
)
from mmc.maxmargin.rls.parted_fit import PartedProblem, predicted, prepare_parts
from mmc.maxmargin.rls.parted_search import PartedState
from mmc.maxmargin.rls.units import unit_rows
from mmc.parts import PartedTable, is_parted, open_parts
from mmc.ranges import RANGES
from mmc.starts import Start, draw_starts, k_means_plus_plus, random_labels, require_points
from mmc.steered import SteeredClusterer
from mmc.stepping import OneCluster, State, Step

#: Number of starts of n_init="auto", and with more than 5,000 points.
_STARTS, _FEW_STARTS = 10, 3

#: Remedy for a kernel matrix that does not fit into memory.
_INSTEAD = 'Or use kernel="graph", or n_landmarks, which need no such matrix.'


class Dense(NamedTuple):
    """A kernel and its hat matrix.

    Attributes
    ----------
    kernel : Kernel
    anchor : ndarray of shape (n_samples,)
        First row of the kernel matrix.
    R : ndarray of shape (n_units, n_units)
        Hat matrix, summed over the points of units.
    basis : ndarray of shape (n_samples, r) or None
        Basis of the positive part of an indefinite kernel.
    shares : ndarray of shape (n_units, n_samples) or None
        What each unit adds to the fitted values at the points; None means `R`.
    """

    kernel: Kernel
    anchor: Array
    R: Array
    basis: Array | None
    shares: Array | None = None


class Problem(NamedTuple):
    """What stays fixed during the search.

    Attributes
    ----------
    model : Dense or LowRank
        A kernel with its hat matrix, or a factor of it.
    starts : list of Start
        Labels of the units to start from.
    hints : Hints
        What is known.
    """

    model: Dense | LowRank
    starts: list[Start]
    hints: Hints


class LeastSquaresClusterer(SteeredClusterer, LowRankClusterer):
    """Base class of the three searches."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LowRankClusterer._parameter_constraints,
        "alpha": [RANGES["alpha"]],
        "fit_intercept": ["boolean"],
        "n_init": [RANGES["n_init"], StrOptions({"auto"})],
        "init": [StrOptions({"random", "k-means++"}), "array-like"],
    }

    #: Whether `fit` takes Dask arrays and frames, and a `mmc.parts.PartedTable`.
    takes_parts: ClassVar[bool] = True

    n_init: int | str  # type: ignore[assignment]
    dual_coef_: Array
    intercept_: Array
    coef_: Array
    features_: Features
    _weights: Array | None = None

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "graph",
        gamma: float | str = "neighbors",
        width: float = 2.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 10,
        alpha: float = 0.5,
        n_landmarks: int | None = None,
        landmarks: str = "k-means",
        n_components: int | None = None,
        fit_intercept: bool = True,
        n_init: int | str = "auto",
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
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_components = n_components
        self.fit_intercept = fit_intercept
        self.n_init = n_init
        self.init = init
        self.random_state = random_state

    def iter_fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Iterator[Step]:
        """Check the input at once, then fit step by step.

        Before each yield the estimator adopts the state and can be used as it is. When the iterator ends or
        is closed, the estimator adopts the end of the best start so far, or the latest state if no start has
        ended. A fit that ends with fewer clusters than asked for emits a `ConvergenceWarning`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), Dask array, frame or PartedTable
            Training points. Those of Dask and of a `mmc.parts.PartedTable` stay in their parts, for which a
            landmark graph or `n_landmarks` is needed; a step is a round of shaking or a group of moves.
        y : array-like of shape (n_samples,), default=None
            Clusters of known points, from 0 to n_clusters − 1, and −1 for the others, as in scikit-learn's
            semi-supervised methods. A y without −1 is ignored, as by every clusterer.
        must_link : array-like of shape (n_links, 2), default=None
            Pairs of rows of `X` that belong to one cluster.
        cannot_link : array-like of shape (n_links, 2), default=None
            Pairs of rows that belong to different clusters.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the points, above 0. A point of weight 2 counts as the same point twice.

        Returns
        -------
        iterator of Step

        Raises
        ------
        ValueError
            If the parameters, the points or the hints are not allowed.
        """
        if not is_parted(X):
            return super().iter_fit(
                X, y, must_link=must_link, cannot_link=cannot_link, sample_weight=sample_weight
            )
        check_parameters(self)
        if named := Given(y, must_link, cannot_link, sample_weight).names():
            raise ValueError(f"A table in parts takes no {' and no '.join(named)}: leave it out.")
        table = open_parts(X)
        self._adopt_columns(table)
        with threads_kept():
            problem = self._prepare_parts(table)
        return self._aloud(problem.kept(self._fit_steps(lambda: self._starts(problem))))

    def predict(self, X: ArrayLike) -> Labels:
        """Return the cluster with the highest decision value for each point.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_points, n_features), Dask array, frame or PartedTable
            Points to assign.

        Returns
        -------
        labels : ndarray of shape (n_points,)
            For a Dask array or frame a Dask array, which is computed block by block when it is needed.
        """
        if not is_parted(X):
            return super().predict(X)
        check_is_fitted(self, "state_")
        if isinstance(self.state_, OneCluster):
            raise ValueError(
                "This model has one cluster, to which every row belongs: there is nothing to predict."
            )
        if not self._has_low_rank:
            raise ValueError(
                'A whole kernel needs all training points for each new one: fit kernel="landmark_graph", or '
                "with n_landmarks, to predict for points in parts."
            )
        return predicted(X, self.features_, self.coef_, self.n_features_in_, self._column_names())

    def alpha_path(self, X: ArrayLike, alphas: Iterable[float]) -> list[LeastSquaresClusterer]:
        """Fit one estimator for each λ with a single eigendecomposition of the kernel.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points, or the kernel matrix if `kernel` is "precomputed".
        alphas : iterable of float
            Values of `alpha`.

        Returns
        -------
        list of estimators
            Fitted copies of the estimator in the order of `alphas`, all from the same starts. Each equals the
            result of `fit` with its alpha up to rounding.

        Raises
        ------
        ValueError
            If the kernel is a graph or has landmarks, for which a fit takes no decomposition of n³.
        """
        if self._has_low_rank:
            raise ValueError(
                f"alpha_path decomposes a kernel matrix, and kernel={self.kernel!r} with "
                f"n_landmarks={self.n_landmarks!r} has none. Fit an estimator for each alpha."
            )
        models = [clone(self).set_params(alpha=alpha) for alpha in alphas]
        for model in models:
            check_parameters(model)
        if self._is_trivial:
            return [model.fit(X) for model in models]
        checked = self._fitting_points(X)
        starts = self._draw_starts(checked, self.random_state)
        require_memory(checked.shape[0], instead=_INSTEAD)
        kernel, K = self._gram(checked)
        anchor = K[0].copy()
        spectrum = Spectrum.of(K, fit_intercept=self.fit_intercept)
        del K  # it would be a fourth n×n array beside the three that each λ needs
        for model in models:
            validate_data(model, X, skip_check_array=True)
            model._is_sparse = self._is_sparse
            dense = Dense(kernel, anchor, *spectrum.hat(model.alpha))
            problem = Problem(dense, starts, Hints.none(checked.shape[0]))
            model._exhaust(model._aloud(model._fit_steps(partial(model._starts, problem))), X)
        return models

    @property
    def _sizes_are_free(self) -> bool:
        return True

    def _adopt_columns(self, table: PartedTable) -> None:
        """Keep the number and the names of the columns, as scikit-learn does."""
        self.n_features_in_, self._is_sparse = table.n_features, False
        if table.names is not None:
            self.feature_names_in_ = np.array(table.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _column_names(self) -> tuple[str, ...] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else tuple(map(str, names))

    def _prepare_parts(self, table: PartedTable) -> PartedProblem:
        """Choose landmarks and starts, and compute the features where the points are."""
        if self._is_trivial:
            raise ValueError("n_clusters=1 puts every row into one cluster: ask for at least 2 clusters.")
        require_points(table.n, self.n_clusters)
        names = ("n_neighbors",) if self.kernel in GRAPHS else ("gamma", "width", "degree", "coef0")
        return prepare_parts(
            table,
            parameters={name: getattr(self, name) for name in names},
            is_refined=self._sizes_are_free and hasattr(self, "refine"),
            n_init=_usual_starts(table.n) if isinstance(self.n_init, str) else self.n_init,
            about=self.get_params(),
            model=self,
        )

    @abstractmethod
    def _states(self, search: Search, start: Start, share_before: float) -> Iterator[RLSState]:
        """Search from one start; `share_before` is the share of the starts that precede it."""

    def _prepare_steered(self, X: Points, hints: Hints) -> Problem:
        rng = check_random_state(self.random_state)
        starts = [steered(start, hints, self.n_clusters) for start in self._draw_starts(X, rng)]
        known = KnownPoints(hints, self.n_clusters)
        if not self._has_low_rank:
            require_memory(X.shape[0], instead=_INSTEAD)
            dense, labels = self._dense(X, hints, known)
            return Problem(dense, [*starts, *self._known_start(labels, hints)], hints)
        # Points of every cluster are known: a model has more to go by than the leading eigenvectors.
        approximation = self._approximation(X, rng, more=2 if len(known.rows) else 1)
        model = low_rank_hat(
            approximation,
            self.alpha,
            n_clusters=self.n_clusters,
            fit_intercept=self.fit_intercept,
            weights=hints.weights,
        )
        labels = known.labels_by_factor(model.factor.W) if len(known.rows) else None
        return Problem(model, [*starts, *self._known_start(labels, hints)], hints)

    def _known_start(self, labels: Labels | None, hints: Hints) -> list[Start]:
        """Return the start from known labels; none if labels are given, or sizes must not change freely."""
        if labels is None or not self._sizes_are_free or not isinstance(self.init, str):
            return []
        return [steered(Start(labels, "known labels"), hints, self.n_clusters)]

    def _dense(self, X: Points, hints: Hints, known: KnownPoints) -> tuple[Dense, Labels | None]:
        kernel, K = self._gram(X)
        anchor = K[0].copy()
        labels = None
        if len(known.rows):
            labels = known.labels_by_kernel(K[:, known.rows], self.alpha, fit_intercept=self.fit_intercept)
        R, basis = hat_matrix(
            K, self.alpha, fit_intercept=self.fit_intercept, is_psd=kernel.is_psd, weights=hints.weights
        )
        shares = unit_rows(R, hints)
        if shares is R:
            return Dense(kernel, anchor, R, basis), labels
        del K, R  # one n×n array beside the shares is enough
        return Dense(kernel, anchor, unit_rows(shares.T, hints), basis, shares), labels

    def _draw_starts(self, X: Array, random_state: np.random.RandomState | int | None) -> list[Start]:
        require_points(X.shape[0], self.n_clusters)
        return draw_starts(
            X,
            self.n_clusters,
            self.init,
            {"random": random_labels, "k-means++": k_means_plus_plus},
            n_init=_usual_starts(X.shape[0]) if isinstance(self.n_init, str) else self.n_init,
            random_state=random_state,
            has_points=self.kernel != "precomputed",
        )

    def _starts(self, problem: Problem | PartedProblem) -> tuple[int, Iterable[Iterable[State]]]:
        if isinstance(problem, PartedProblem):
            self.features_ = problem.features
            return problem.starts_of(self._states, self.n_clusters, sizes_are_free=self._sizes_are_free)
        model, starts, hints = problem
        common: dict[str, Any] = {
            "k": self.n_clusters,
            "sizes_are_free": self._sizes_are_free,
            "hints": hints,
        }
        self._weights = hints.weights
        search: Callable[[Labels], Search]
        if isinstance(model, Dense):
            self.kernel_ = model.kernel
            self._anchor = model.anchor
            self._basis = model.basis
            search = partial(DenseSearch, model.R, shares=model.shares, **common)
        else:
            self.features_ = model.factor.features
            rows = unit_rows(model.factor.W, hints)
            squares = np.einsum("ij,ij->i", rows, rows)
            search = partial(FactorSearch, rows, squares, points=model.factor.W, **common)
        n_starts = len(starts)
        return n_starts, (
            self._states(search(labels=start.labels), start, i / n_starts) for i, start in enumerate(starts)
        )

    def _adopt(self, state: RLSState) -> None:
        if isinstance(state, PartedState):
            self.labels_, self.coef_ = state.labels.astype(np.int64), state.models
        elif state.factor is None:
            self.dual_coef_, self.intercept_ = self._model(state)
        else:
            self.coef_ = state.models

    def _follow(self, X: Array) -> Callable[[RLSState], Array]:
        if self._has_low_rank:
            values_of = self.features_.follow(X)
            return lambda state: values_of(state.models)
        K = self.kernel_(X)

        def values(state: RLSState) -> Array:
            known = state is self.state_  # several blocks of points have the same model
            dual, intercept = (self.dual_coef_, self.intercept_) if known else self._model(state)
            return np.asarray(K @ dual + intercept)

        return values

    def _model(self, state: RLSState) -> tuple[Array, Array]:
        """Return the coefficients a of the k models, and the intercepts: λ a = v (p − f) with values f."""
        P = indicators(state.labels, self.n_clusters)
        if not self.fit_intercept:
            return self._positive_part(P, state.scores).T / self.alpha, np.zeros(self.n_clusters)
        v = self._weights
        mean = P.mean(axis=1, keepdims=True) if v is None else (P @ v / v.sum())[:, None]
        dual = self._positive_part(P - mean, state.scores - mean).T / self.alpha
        # The fitted values at all training points are K a + b, so the first point gives b.
        return dual, state.scores[:, 0] - self._anchor @ dual

    def _positive_part(self, P: Array, T: Array) -> Array:
        if self._weights is not None:
            roots = np.sqrt(self._weights)
            P, T = P * roots, T * roots
        part = P - T if self._basis is None else (P @ self._basis) @ self._basis.T - T
        return part if self._weights is None else part * roots


def steered(start: Start, hints: Hints, k: int) -> Start:
    """Return the start with the labels of units, changed where hints would not be kept."""
    return start if hints.are_none else Start(hints.start(start.labels, k), start.origin)


def _usual_starts(n: int) -> int:
    """Return the number of starts of n_init="auto"."""
    return _STARTS if n <= EXACT else _FEW_STARTS
