"""Keep what a fit showed on its way, for pictures and files."""

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

#: A longer walk is thinned out; an animation of more frames tells nobody more.
MAX_FRAMES = 150


class End(NamedTuple):
    """What a start came to."""

    labels: NDArray[np.int64]
    objective: float
    n_empty: int = 0


@dataclass(frozen=True, eq=False)
class Recording:
    """A fit and the states of the start that was kept.

    Attributes
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Fitted.
    states : tuple of State
        From the start to the end that the estimator kept, at most `MAX_FRAMES`.
    start : int
        Which start was kept.
    ends : tuple of End
        What each start came to, in their order.
    seconds : float
        Time of the whole fit, all starts.
    complete : bool
        False when the fit was stopped before its end.
    failure : str
        What a solver said that gave up after the first step; empty where none did.
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
        """Memory of all arrays, those of the estimator among them; what several share counts once."""
        return _nbytes((self.estimator, self.states, self.ends), set())

    @property
    def end(self) -> State:
        """The state that the estimator kept."""
        return self.states[-1]

    @property
    def labels(self) -> NDArray[np.int64]:
        """The labels that the estimator kept."""
        return self.end.labels


def within_time(estimator: BaseEstimator, seconds: float) -> BaseEstimator:
    """Give a solver that cannot be stopped on its way no more time than there is.

    Parameters
    ----------
    estimator : estimator
        Is changed, where it has a time limit.
    seconds : float

    Returns
    -------
    estimator
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
    """Fit and keep the states of the best start.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Is fitted.
    X : array-like of shape (n_samples, n_features)
    go_on : callable
        Asked after every step; False stops the fit, and what was reached is kept.
    keep_states : bool
        Whether all states of the best start are kept, or only the one that it ends with.

    Returns
    -------
    Recording
        If a solver gives up after the first step, of what was reached until then.
    """
    began = perf_counter()
    best: tuple[int, list[State]] = (0, [])
    current: list[State] = []
    ends: list[End] = []
    complete = True
    failure = ""
    steps = clusterers.steps(estimator, X)
    try:
        for step in steps:
            if step.n_iter == 0 or not keep_states:
                current = []
            current.append(step.state)
            if step.status != "running":
                ends.append(End(step.state.labels, step.state.objective, step.state.n_empty))
            if step.best:
                best = (step.start, current)
            if not go_on(step):
                complete = step.status != "running" and step.start == step.n_starts - 1
                steps.close()  # type: ignore[attr-defined]
                break
    except SolverError as error:
        if not current:
            raise
        complete, failure = False, str(error)
    start, states = best if best[1] else (0, current)
    seconds = perf_counter() - began
    return Recording(estimator, _thinned(states), start, tuple(ends), seconds, complete, failure)


def _thinned(states: list[State]) -> tuple[State, ...]:
    if len(states) <= MAX_FRAMES:
        return tuple(states)
    keep = np.unique(np.linspace(0, len(states) - 1, MAX_FRAMES).round().astype(int))
    return tuple(states[i] for i in keep)


def _nbytes(value: Any, seen: set[int]) -> int:
    """Add up the arrays that a value holds, however deep, in containers and in attributes of objects."""
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base  # a view keeps the whole array
    if id(value) in seen or isinstance(value, type):
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes
    held = value if isinstance(value, list | tuple | dict) else getattr(value, "__dict__", {})
    return sum(_nbytes(each, seen) for each in (held.values() if isinstance(held, dict) else held))
