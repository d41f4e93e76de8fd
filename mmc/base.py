"""The base class of this library's algorithms: it checks input, adopts states and keeps the best."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mmc._sklearn import check_parameters
from mmc._threads import threads_kept
from mmc.stepping import State, Step, walk


class StepwiseClusterer(ClusterMixin, BaseEstimator, ABC):
    """A clusterer whose fit is a walk through states.

    A subclass gives four things: `_prepare` checks the input and builds what stays fixed during the
    search, `_starts` lists the starts as iterables of states, `_adopt` turns a state into fitted
    attributes, and `_follow` gives the decision values of a state.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    labels_: NDArray[np.int64]
    objective_: float
    n_iter_: int
    start_objectives_: NDArray[np.float64]
    state_: State

    def iter_fit(self, X: ArrayLike, y: object = None) -> Iterator[Step]:
        """Check everything at once, then fit step by step.

        Before each yield the estimator adopts the state, so that it can be used as it stands. When
        the iterator ends or is closed, the estimator adopts the best end of a start so far, or, if
        no start has ended, the latest state.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        iterator of Step
        """
        check_parameters(self)
        checked = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        with threads_kept():  # neighbours and k-means of scikit-learn limit them
            problem = self._prepare(checked)
        return self._fit_steps(problem)

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Fit to the end.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        return self._exhaust(self.iter_fit(X, y))

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Assign each point to the cluster with the highest decision value.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)

        Returns
        -------
        labels : ndarray of shape (n_points,)
        """
        return np.asarray(self.decision_function(X).argmax(axis=1), dtype=np.int64)

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Give the decision value of each cluster at each point.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)

        Returns
        -------
        values : ndarray of shape (n_points, n_clusters)
        """
        return self.follow(X)(self.state_)

    def follow(self, X: ArrayLike) -> Callable[[State], NDArray[np.float64]]:
        """Make a function that gives the decision values at `X` for any state of this fit.

        What depends on `X` alone is computed once, which is what drawing a boundary for every step
        needs.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)

        Returns
        -------
        callable
            From a state to an array of shape (n_points, n_clusters).
        """
        check_is_fitted(self, "state_")  # what a refused fit leaves behind is no model
        return self._follow(validate_data(self, X, dtype=np.float64, order="C", reset=False))

    @abstractmethod
    def _prepare(self, X: NDArray[np.float64]) -> Any:
        """Check `X` against the parameters and build what stays fixed during the search."""

    @abstractmethod
    def _starts(self, problem: Any) -> tuple[int, Iterable[Iterable[State]]]:
        """Count and list the starts."""

    @abstractmethod
    def _adopt(self, state: Any) -> None:
        """Set the attributes of the model that belongs to `state`."""

    @abstractmethod
    def _follow(self, X: NDArray[np.float64]) -> Callable[[Any], NDArray[np.float64]]:
        """Do the work of `follow` on checked input."""

    def _exhaust(self, steps: Iterator[Step]) -> Self:
        for _ in steps:
            pass
        return self

    def _fit_steps(self, problem: Any) -> Iterator[Step]:
        n_starts, starts = self._starts(problem)
        best: Step | None = None
        last: Step | None = None
        ends: list[float] = []
        try:
            for step in walk(starts, n_starts, getattr(self, "max_iter", None)):
                self._take(step, ends)
                last = step
                if step.status != "running":
                    ends.append(step.state.objective)
                best = step if step.best else best
                yield step
        finally:
            chosen = best or last
            if chosen is not None:
                self._take(chosen, ends)

    def _take(self, step: Step, ends: list[float]) -> None:
        self.labels_ = step.state.labels
        self.objective_ = step.state.objective
        self.n_iter_ = max(step.iterations, 1)
        self.start_objectives_ = np.array(ends)
        self.state_ = step.state
        self._adopt(step.state)
