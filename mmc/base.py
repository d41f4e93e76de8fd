"""Base class of this library's algorithms: it checks the input, adopts states and keeps the best start.

A fit that ends with fewer clusters than were asked for says so: the last state has a warning, which pages and
the command line show, and `fit` and an exhausted `iter_fit` emit it as a `ConvergenceWarning`. Code of this
library that fits on behalf of a user takes the steps from `silent_steps` and passes the state on.
"""

from __future__ import annotations

import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from mmc import _drawing
from mmc._blocks import block_rows, in_blocks
from mmc._points import Points, canonical, rows_of
from mmc._sklearn import CallbackSupportMixin, callbacks_of, check_parameters, with_callbacks
from mmc._threads import threads_kept
from mmc.hints import Given, known_labels
from mmc.stepping import OneCluster, State, Step, walk

if TYPE_CHECKING:
    from mmc.notebook import Animation

#: Arrays of one value for each training point, or each feature, that a row takes at the same time.
_COPIES = 4


class StepwiseClusterer(CallbackSupportMixin, ClusterMixin, BaseEstimator, ABC):
    """Base class of clusterers that are fitted state by state.

    A subclass defines four methods: `_prepare` checks the input and builds what stays fixed during the
    search, `_starts` returns the starts as iterables of states, `_adopt` sets the fitted attributes of a
    state, and `_follow` returns the decision values of a state.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    #: What a user can do who gets fewer clusters than asked for.
    _remedy: ClassVar[str] = (
        "Ask for fewer clusters, try other starts (n_init, random_state), or check the columns."
    )

    labels_: NDArray[np.int64]
    objective_: float
    n_iter_: int
    start_objectives_: NDArray[np.float64]
    state_: State
    _is_sparse: bool = False

    def iter_fit(self, X: ArrayLike, y: object = None) -> Iterator[Step]:
        """Check the input at once, then fit step by step.

        Before each yield the estimator adopts the state and can be used as it is. When the iterator ends or
        is closed, the estimator adopts the end of the best start so far, or the latest state if no start has
        ended. A fit that ends with fewer clusters than asked for emits a `ConvergenceWarning`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : ignored
            Present for the interface of scikit-learn. Known labels of some points, with −1 for the others,
            are refused: this method cannot keep them.

        Returns
        -------
        iterator of Step

        Raises
        ------
        ValueError
            If the parameters or the points are not allowed.
        TypeError
            If the points are sparse and would have to become dense.
        """
        check_parameters(self)
        if known_labels(y) is not None:
            raise ValueError(
                f"{type(self).__name__} cannot keep known labels, which y holds beside −1. Leave y out, "
                "or use UMCRLS, which keeps them."
            )
        checked = self._fitting_points(X)
        return self._begin(checked, lambda: self._prepare(checked))

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Fit to the end, and emit a `ConvergenceWarning` if there are fewer clusters than asked for.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : ignored
            Present for the interface of scikit-learn.

        Returns
        -------
        self

        Notes
        -----
        Callbacks of scikit-learn 1.9 (`set_callbacks`) are called for each step; one that returns True ends
        the fit, as closing the iterator of `iter_fit` does.
        """
        return self._exhaust(self.iter_fit(X, y), X, y)

    def animate(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        columns: tuple[int | str, int | str] | None = None,
        plotlyjs: bool | str = True,
        **hints: Any,
    ) -> Animation:
        """Fit a copy and return its steps with a player, which a notebook shows.

        The estimator itself stays as it is. With a number as `random_state` the animation ends with the
        labels of `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,), default=None
            As for `fit`.
        columns : pair of int or str, default=None
            Two columns that are shown, by their places or their names. None means the two that there are, or
            the first two principal components of more.
        plotlyjs : bool or str, default=True
            Whether Plotly's script is part of the page, or from where it is loaded; see
            `mmc.notebook.animate`.
        **hints : array-like
            Further arguments of `fit`.

        Returns
        -------
        mmc.notebook.Animation
            Its method `save` writes it as one HTML page.

        Raises
        ------
        ValueError
            If the parameters, the points or the hints are not allowed.
        """
        return _drawing.animate(self, X, columns=columns, plotlyjs=plotlyjs, hints=Given(y, **hints))

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the cluster with the highest decision value for each point.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_points, n_features)
            Points to assign.

        Returns
        -------
        labels : ndarray of shape (n_points,)

        Notes
        -----
        Rows are taken in blocks on all cores, in at most 64 MB for each beside the model and the result.
        Arrays, also those of `numpy.memmap` and of another type than float64, data frames, and tables of
        pyarrow are checked and converted block by block, and never copied as a whole.
        """
        return self._in_blocks(X, lambda values: np.asarray(values.argmax(axis=1), dtype=np.int64))

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the decision value of each cluster at each point.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_points, n_features)
            Points to evaluate.

        Returns
        -------
        values : ndarray of shape (n_points, n_clusters)

        Notes
        -----
        Rows are taken in blocks, as by `predict`.
        """
        return self._in_blocks(X, lambda values: values)

    def follow(self, X: ArrayLike) -> Callable[[State], NDArray[np.float64]]:
        """Return a function that computes the decision values at `X` for any state of this fit.

        What depends on `X` alone is computed once, which makes a border for every step cheap.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_points, n_features)
            Points to evaluate.

        Returns
        -------
        callable
            Maps a state to an array of shape (n_points, n_clusters).
        """
        check_is_fitted(self, "state_")  # a refused fit sets other attributes, but no state
        return self._values(self._new_points(X))

    def _values(self, X: Points) -> Callable[[State], NDArray[np.float64]]:
        """Do the work of `follow` on checked input, also without a model."""
        if isinstance(self.state_, OneCluster):
            return lambda state: np.ones((X.shape[0], 1))
        return self._follow(X)

    def _in_blocks(self, X: Any, finish: Callable[[NDArray[np.float64]], NDArray[Any]]) -> NDArray[Any]:
        """Compute what `finish` makes of the decision values at `X`, block by block."""
        check_is_fitted(self, "state_")  # a refused fit sets other attributes, but no state
        rows = rows_of(X)
        if rows is None:  # such as a list, which is an array once it is checked
            checked = self._new_points(X)
            n, points = checked.shape[0], checked.__getitem__
        else:
            n, take = rows

            def points(block: slice) -> Points:
                return self._new_points(take(block), is_first=block.start == 0)

        n_compared = 1 if isinstance(self.state_, OneCluster) else self._n_compared
        size = block_rows(_COPIES * (n_compared + int(self.n_features_in_)))
        return in_blocks(n, size, lambda block: finish(self._values(points(block))(self.state_)))

    @property
    def _is_trivial(self) -> bool:
        """Whether one cluster is asked for: it has all points, without a search and without a model."""
        return getattr(self, "n_clusters", None) == 1

    @property
    def _n_compared(self) -> int:
        """Number of training points, or landmarks, with which one array compares a new point."""
        return len(self.state_.labels)

    @property
    def _sparse_refusal(self) -> str:
        """Why sparse points are refused, as the end of a sentence; empty if they are taken."""
        return "the method works on every value of a column"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._sparse_refusal
        return tags

    def _fitting_points(self, X: Any) -> Points:
        """Check the training points, and refuse sparse ones where they would have to become dense."""
        if issparse(X) and self._sparse_refusal:
            raise TypeError(
                f"{type(self).__name__} takes no sparse points here: {self._sparse_refusal}. Reduce the "
                "columns with sklearn.decomposition.TruncatedSVD, give X.toarray() if it fits into memory, "
                'or choose a kernel method such as UMCRLS(kernel="rbf"), which takes them.'
            )
        options = {"accept_sparse": "csr", "dtype": np.float64, "order": "C", "ensure_min_samples": 2}
        checked = canonical(validate_data(self, X, **options))
        self._is_sparse = issparse(checked)
        return checked

    def _new_points(self, X: Any, *, is_first: bool = True) -> Points:
        """Check new points, and bring them to the form of the training points, dense or sparse.

        Names and number of columns are those of the whole, and are checked with the first block.
        """
        if issparse(X) and not self._is_sparse:
            raise TypeError(
                f"This {type(self).__name__} was fitted to dense points, and these are sparse. Give "
                "X.toarray(), a part of the rows at a time if they do not fit into memory, or fit it to "
                "sparse points."
            )
        options = {"accept_sparse": "csr", "dtype": np.float64, "order": "C"}
        if is_first:
            checked = validate_data(self, X, **options, reset=False)
        else:
            checked = check_array(X, **options, estimator=self, input_name="X")
        return canonical(csr_array(checked)) if self._is_sparse else checked

    @abstractmethod
    def _prepare(self, X: Points) -> Any:
        """Check `X` against the parameters and build what stays fixed during the search."""

    @abstractmethod
    def _starts(self, problem: Any) -> tuple[int, Iterable[Iterable[State]]]:
        """Return the number of starts, and the states of each start."""

    @abstractmethod
    def _adopt(self, state: Any) -> None:
        """Set the attributes of the model that belongs to `state`."""

    @abstractmethod
    def _follow(self, X: Points) -> Callable[[Any], NDArray[np.float64]]:
        """Do the work of `follow` on checked input."""

    def _begin(self, X: Points, prepare: Callable[[], Any]) -> Iterator[Step]:
        """Prepare the search at once, and return its steps."""
        if self._is_trivial:
            state = OneCluster.of(X.shape[0], "One cluster was asked for: it has all points.")
            return self._fit_steps(lambda: (1, [[state]]))
        with threads_kept():  # scikit-learn limits them in its neighbour search and k-means
            problem = prepare()
        return self._aloud(self._fit_steps(lambda: self._starts(problem)))

    def _aloud(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Pass the steps on, and warn at their end if clusters were lost."""
        yield from steps
        if self.state_.warning:
            warnings.warn(self.state_.warning, ConvergenceWarning, stacklevel=_levels_inside() + 1)

    @with_callbacks
    def _exhaust(self, steps: Iterator[Step], X: ArrayLike, y: object = None) -> Self:
        for _ in self._with_hooks(steps, X, y) if callbacks_of(self) else steps:
            pass
        return self

    def _with_hooks(self, steps: Iterator[Step], X: ArrayLike, y: object) -> Iterator[Step]:
        """Pass the steps on, and call the callbacks before and after each; they may end the fit."""
        fit = self._init_callback_context(max_subtasks=None)
        data = {"estimator": self, "X": X, "y": y}
        model: dict[str, Any] = {}  # a copy of the estimator is fitted, because it has adopted the state
        fit.call_on_fit_task_begin(**data)
        task = fit.subcontext(task_name="step").call_on_fit_task_begin(**data)
        with closing(cast("Generator[Step, None, None]", steps)):
            for step in steps:
                yield step
                if task.call_on_fit_task_end(**data, reconstruction_attributes=model):
                    break
                if not _is_last(step):
                    task = fit.subcontext(task_name="step").call_on_fit_task_begin(**data)
        fit.call_on_fit_task_end(**data, reconstruction_attributes=model)

    def _fit_steps(self, begin: Callable[[], tuple[int, Iterable[Iterable[State]]]]) -> Iterator[Step]:
        n_starts, starts = begin()
        best: Step | None = None
        last: Step | None = None
        ends: list[float] = []
        try:
            for step in walk(starts, n_starts, getattr(self, "max_iter", None)):
                if step.status != "running":
                    lost = lost_clusters(self, step.state.labels, self._remedy)
                    step = step._replace(state=replace(step.state, lost=lost)) if lost else step
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
        if isinstance(step.state, OneCluster):
            self._adopt_one(step.state)
        else:
            self._adopt(step.state)

    def _adopt_one(self, state: OneCluster) -> None:
        """Forget the model of an earlier fit: one cluster has none."""
        kept = {"labels_", "objective_", "n_iter_", "start_objectives_", "state_"}
        kept |= {"n_features_in_", "feature_names_in_"}
        for name in [name for name in vars(self) if name.endswith("_") and name not in kept]:
            delattr(self, name)


def silent_steps(estimator: BaseEstimator, X: ArrayLike, **hints: Any) -> Iterator[Step]:
    """Return the steps of `iter_fit` without a `ConvergenceWarning` at their end; the last state has it.

    Parameters
    ----------
    estimator : estimator with `iter_fit`
        Estimator to fit.
    X : array-like of shape (n_samples, n_features)
        Training points.
    **hints : array-like
        Further arguments of `iter_fit`.

    Returns
    -------
    iterator of Step

    Raises
    ------
    ValueError
        If the parameters or the points are not allowed.
    """
    return _closed_at_the_end(estimator.iter_fit(X, **hints))


def _closed_at_the_end(steps: Generator[Step, None, None]) -> Iterator[Step]:
    """Pass the steps on and close them after the last one, before they can warn."""
    with closing(steps):
        for step in steps:
            yield step
            if _is_last(step):
                return


def _is_last(step: Step) -> bool:
    return step.status != "running" and step.start == step.n_starts - 1


def lost_clusters(estimator: BaseEstimator, labels: NDArray[np.int64], remedy: str) -> str:
    """Return a warning if there are fewer clusters than the estimator was asked for, else an empty text.

    Parameters
    ----------
    estimator : estimator
        Its parameter `n_clusters` or `n_components` is the number that was asked for; without one of them, or
        if it is None, the estimator finds the number itself.
    labels : ndarray of shape (n_samples,)
        Labels of the fit; negative ones belong to no cluster.
    remedy : str
        What a user can do, as a sentence.

    Returns
    -------
    str
    """
    asked = getattr(estimator, "n_clusters", getattr(estimator, "n_components", None))
    found = len(np.unique(labels[labels >= 0]))
    if asked is None or found >= asked:
        return ""
    return f"{type(estimator).__name__} found only {found} of the {asked} clusters asked for. {remedy}"


def _levels_inside() -> int:
    """Return how many calls, from the caller on, belong to this library or to scikit-learn."""
    frame, level = sys._getframe(1), 0
    while frame.f_back is not None and frame.f_globals["__name__"].startswith(("mmc.", "sklearn.")):
        frame, level = frame.f_back, level + 1
    return level
