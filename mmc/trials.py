"""Trials: an estimator is fitted to points, within a time limit, and its labels are scored.

Sweeps and comparisons are lists of trials; `mmc.engine` says where they run. What a trial needs travels as
values: points and estimators once for all trials, parameters with each of them. No process looks anything
up by its name, so that any estimator can take part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from mmc import clusterers, engine
from mmc.datasets import make_three_gaussians
from mmc.infomax import Estimate
from mmc.metrics import adjusted_rand_score
from mmc.recording import record, within_time
from mmc.stepping import State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Trial:
    """One candidate and what came of it.

    Attributes
    ----------
    index : int
        Place among the candidates.
    parameters : mapping
        Those that tell the candidate from others.
    labels : ndarray of shape (n_samples,)
        Empty where the candidate failed.
    score : float
        Higher is better; NaN where the candidate failed.
    objective : float
        The value that the algorithm minimised; NaN where the candidate failed.
    seconds : float
        Time of the fit alone; where the candidate failed, until it did.
    error : str
        Why it failed, or was not run; empty where it did not.
    stopped : bool
        Whether the time limit ended the fit; the labels are those it had reached.
    estimate : Estimate or None
        The whole result of LSMI or MLMI, where one of them gave the score.
    agreement : float
        Adjusted Rand index with reference labels; NaN where it failed or there are none.
    """

    index: int
    parameters: Mapping[str, Any]
    labels: Labels = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    score: float = np.nan
    objective: float = np.nan
    seconds: float = np.nan
    error: str = ""
    stopped: bool = False
    estimate: Estimate | None = None
    agreement: float = np.nan

    def against(self, y: Labels | None) -> Trial:
        """Give the trial with its agreement with reference labels, where both are there."""
        if y is None or self.error:
            return self
        return replace(self, agreement=float(adjusted_rand_score(y, self.labels)))


class Verdict(NamedTuple):
    """A score, and the estimate that it was taken from, if any."""

    score: float
    estimate: Estimate | None = None


#: From a fitted estimator, the state that its fit ended with and the points to a verdict.
Scorer = Callable[[BaseEstimator, State, Array], Verdict]


class Shared(NamedTuple):
    """What the trials of a run have in common; it is sent to each process once.

    Attributes
    ----------
    points : sequence of ndarray
        Points of each data set.
    estimators : sequence of estimator
        They are copied for each trial.
    scorer : callable
    seconds : float
        Time after which a fit ends with what it has reached.
    warm : bool
        Whether the first fit of a class in a process must not count, so that times compare.
    """

    points: Sequence[Array]
    estimators: Sequence[BaseEstimator]
    scorer: Scorer
    seconds: float = np.inf
    warm: bool = False


@dataclass(frozen=True)
class Task:
    """A trial that is to be run.

    Attributes
    ----------
    index : int
    parameters : mapping
        Set on a copy of the estimator.
    points, estimator : int
        Places in `Shared`.
    """

    index: int
    parameters: Mapping[str, Any]
    points: int = 0
    estimator: int = 0


def run_trials(
    shared: Shared, tasks: Sequence[Task], *, n_jobs: int = -1, worth: float | None = None
) -> Iterator[Trial]:
    """Run trials side by side.

    Parameters
    ----------
    shared : Shared
    tasks : sequence of Task
    n_jobs, worth
        As for `mmc.engine.results`.

    Yields
    ------
    Trial
        As they arrive; one that the data or the parameters do not allow says why. Closing the iterator
        cancels the others.
    """
    results = engine.results(run_trial, shared, tasks, n_jobs=n_jobs, worth=worth)
    try:
        for _, trial in results:
            yield trial
    finally:
        results.close()  # type: ignore[attr-defined]


def run_trial(shared: Shared, task: Task) -> Trial:
    """Fit and score one candidate in this process."""
    X, estimator = shared.points[task.points], shared.estimators[task.estimator]
    if shared.warm:
        _warm_up(estimator)
    began = perf_counter()

    def in_time(step: object = None) -> bool:
        return perf_counter() - began < shared.seconds

    try:
        model = within_time(clone(estimator).set_params(**task.parameters), shared.seconds)
        recording = record(model, X, go_on=in_time, keep_states=False)
        if recording.failure and in_time():
            raise ValueError(recording.failure)
        verdict = shared.scorer(model, recording.end, X)
    except ValueError as error:
        return Trial(task.index, task.parameters, seconds=perf_counter() - began, error=str(error))
    return Trial(
        task.index,
        task.parameters,
        recording.labels,
        verdict.score,
        recording.end.objective,
        recording.seconds,
        stopped=not recording.complete,
        estimate=verdict.estimate,
    )


def _warm_up(estimator: BaseEstimator) -> None:
    """Let a class load and compile what it needs, once in a process."""
    if type(estimator) in _warm_classes():
        return
    _warm_classes().add(type(estimator))
    with suppress(ValueError):  # the trial itself says what the parameters do not allow
        clusterers.end(clone(estimator), make_three_gaussians(30, random_state=0).X)


@cache
def _warm_classes() -> set[type[BaseEstimator]]:
    return set()
