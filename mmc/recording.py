"""Recordings of fits, for figures and files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from mmc import clusterers
from mmc.errors import SolverError
from mmc.stepping import State, Step

#: Maximum number of states that are kept; more frames make an animation no clearer.
MAX_FRAMES = 150


class End(NamedTuple):
    """The end of a start.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Final labels.
    objective : float
        Final value of what the algorithm minimises.
    n_empty : int
        Number of lost clusters, where that is a failure.
    """

    labels: NDArray[np.int64]
    objective: float
    n_empty: int = 0


@dataclass(frozen=True, eq=False)
class Recording:
    """A fit and the states of its best start.

    Attributes
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Fitted estimator.
    states : tuple of State
        States of the best start, at most `MAX_FRAMES`.
    start : int
        Index of the best start.
    ends : tuple of End
        End of each start, in order.
    seconds : float
        Time of the whole fit with all its starts.
    complete : bool
        Whether the fit reached its end.
    failure : str
        Message of a solver that gave up after the first step; empty if none did.
    """

    estimator: BaseEstimator
    states: tuple[State, ...]
    start: int
    ends: tuple[End, ...]
    seconds: float
    complete: bool
    failure: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, including those of the estimator; a shared array counts once."""
        return _nbytes((self.estimator, self.states, self.ends), set())

    @property
    def end(self) -> State:
        """The final state of the best start."""
        return self.states[-1]

    @property
    def labels(self) -> NDArray[np.int64]:
        """The final labels of the best start."""
        return self.end.labels


def within_time(estimator: BaseEstimator, seconds: float) -> BaseEstimator:
    """Limit the time of a solver that cannot be stopped between steps.

    Parameters
    ----------
    estimator : estimator
        Estimator to change, if it has a parameter `time_limit`.
    seconds : float
        Upper bound for `time_limit`.

    Returns
    -------
    estimator
        The same estimator.
    """
    if "time_limit" in estimator.get_params():
        estimator.set_params(time_limit=min(estimator.get_params()["time_limit"], seconds))
    return estimator


def record(
    estimator: BaseEstimator,
    X: ArrayLike,
    *,
    go_on: Callable[[Step], bool] = lambda step: True,
    keep_states: bool = True,
) -> Recording:
    """Fit an estimator and record the states of its best start.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Estimator to fit.
    X : array-like of shape (n_samples, n_features)
        Training points.
    go_on : callable
        Called with every step; if it returns False, the fit stops with the states so far.
    keep_states : bool, default=True
        Whether all states of the best start are kept, or only its last.

    Returns
    -------
    Recording
        It is incomplete if the fit was stopped, or if a solver gave up after the first step.

    Raises
    ------
    ValueError
        If the parameters or the points are not allowed, or a solver gives up before the first step.
    """
    began = perf_counter()
    recorder = Recorder(keep_states)
    complete, failure = True, ""
    steps = clusterers.steps(estimator, X)
    try:
        for step in steps:
            recorder.add(step)
            if not go_on(step):
                complete = step.status != "running" and step.start == step.n_starts - 1
                steps.close()  # type: ignore[attr-defined]
                break
    except SolverError as error:
        if not recorder.has_begun:
            raise
        complete, failure = False, str(error)
    return recorder.recording(estimator, perf_counter() - began, complete, failure)


class Recorder:
    """The states of the best start, collected step by step.

    Parameters
    ----------
    keep_states : bool, default=True
        Whether all states of the best start are kept, or only its last.
    """

    def __init__(self, keep_states: bool = True) -> None:
        self._keep_states = keep_states
        self._best: tuple[int, list[State]] = (0, [])
        self._current: list[State] = []
        self._ends: list[End] = []

    @property
    def has_begun(self) -> bool:
        """Whether there is a state."""
        return bool(self._current)

    def add(self, step: Step) -> None:
        """Take in the next step."""
        if step.n_iter == 0 or not self._keep_states:
            self._current = []
        self._current.append(step.state)
        if step.status != "running":
            self._ends.append(End(step.state.labels, step.state.objective, step.state.n_empty))
        if step.best:
            self._best = (step.start, self._current)

    def recording(
        self, estimator: BaseEstimator, seconds: float, complete: bool, failure: str = ""
    ) -> Recording:
        """Return what has been collected; the current start counts if none has ended."""
        start, states = self._best if self._best[1] else (0, self._current)
        return Recording(estimator, _thinned(states), start, tuple(self._ends), seconds, complete, failure)


def _thinned(states: list[State]) -> tuple[State, ...]:
    if len(states) <= MAX_FRAMES:
        return tuple(states)
    keep = np.unique(np.linspace(0, len(states) - 1, MAX_FRAMES).round().astype(int))
    return tuple(states[i] for i in keep)


def _nbytes(value: Any, seen: set[int]) -> int:
    """Return the memory of the arrays that a value holds, in containers and attributes at any depth."""
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base  # a view keeps the whole array
    if id(value) in seen or isinstance(value, type):
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes
    held = value if isinstance(value, list | tuple | dict) else getattr(value, "__dict__", {})
    return sum(_nbytes(each, seen) for each in (held.values() if isinstance(held, dict) else held))
