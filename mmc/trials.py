"""Trials: fits within a time limit, with a score of their labels.

Sweeps and comparisons are lists of trials, and `mmc.engine` decides where they run. Points and estimators are
sent to each process once, parameters with each trial. Processes look up nothing by name, so any estimator can
be used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from time import perf_counter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from mmc import clusterers, engine, registry
from mmc.datasets import make_three_gaussians
from mmc.errors import LimitError
from mmc.infomax import Estimate
from mmc.metrics import adjusted_rand_score
from mmc.recording import record, within_time
from mmc.stepping import State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Seconds between two reports of a trial, by which it learns that it was cancelled.
_REPORT = 0.05


@dataclass(frozen=True, eq=False)
class Trial:
    """A candidate and the result of its fit.

    Attributes
    ----------
    index : int
        Position among the candidates.
    parameters : mapping
        Parameters that distinguish the candidate.
    labels : ndarray of shape (n_samples,)
        Labels of the points; empty if the candidate failed.
    score : float
        Score of the labels, higher being better; NaN if the candidate failed.
    objective : float
        Value that the algorithm minimised; NaN if the candidate failed or the algorithm does not report it.
    seconds : float
        Time of the fit without the score, or until the candidate failed; NaN if it was not run.
    error : str
        Why the candidate failed or was not run; empty otherwise.
    stopped : bool
        Whether the time limit ended the fit; the labels are those reached by then.
    estimate : Estimate or None
        Result of LSMI or MLMI, if one of them is the score.
    agreement : float
        Adjusted Rand index with reference labels; NaN if there are none or the candidate failed.
    scores : mapping from str to float
        Scores of the labels by several judges, where several are asked for.
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
    scores: Mapping[str, float] = field(default_factory=dict)

    def against(self, y: Labels | None) -> Trial:
        """Give the trial with its agreement with reference labels, where both are there."""
        if y is None or self.error:
            return self
        return replace(self, agreement=float(adjusted_rand_score(y, self.labels)))


class Verdict(NamedTuple):
    """A score and the estimate behind it.

    Attributes
    ----------
    score : float
        Score of the labels; higher is better.
    estimate : Estimate or None
        Result of LSMI or MLMI, if one of them is the score.
    scores : mapping from str to float
        Scores by several judges, where several are asked for.
    """

    score: float
    estimate: Estimate | None = None
    scores: Mapping[str, float] = MappingProxyType({})


#: Maps a fitted estimator, its final state and the points to a verdict.
Scorer = Callable[[BaseEstimator, State, Array], Verdict]


class Shared(NamedTuple):
    """What the trials of a run have in common; it is sent to each process once.

    Attributes
    ----------
    points : sequence of ndarray
        Points of each data set.
    estimators : sequence of estimator
        Estimators, which are copied for each trial.
    scorer : callable
        Function that scores a fit.
    seconds : float
        Time limit of a fit, which then ends with the labels reached so far.
    warm : bool
        Whether a process fits each class once before it measures times.
    """

    points: Sequence[Array]
    estimators: Sequence[BaseEstimator]
    scorer: Scorer
    seconds: float = np.inf
    warm: bool = False


@dataclass(frozen=True)
class Task:
    """A trial to run.

    Attributes
    ----------
    index : int
        Position among the candidates.
    parameters : mapping
        Parameters to set on a copy of the estimator.
    points, estimator : int
        Positions in `Shared`.
    """

    index: int
    parameters: Mapping[str, Any]
    points: int = 0
    estimator: int = 0


def run_trials(
    shared: Shared,
    tasks: Sequence[Task],
    *,
    n_jobs: int = -1,
    ticket: engine.Ticket | None = None,
    worth: float | None = None,
) -> Iterator[Trial]:
    """Run trials in parallel.

    Parameters
    ----------
    shared : Shared
        What the trials have in common.
    tasks : sequence of Task
        Trials to run.
    n_jobs : int, default=-1
        Number of processes as in joblib; −1 means all cores, 1 only this process.
    ticket : Ticket or None, default=None
        Owner and limits of the trials, by which they can be cancelled.
    worth : float or None, default=None
        Seconds of remaining work from which other processes are started, see `mmc.engine.ends`.

    Yields
    ------
    Trial
        In the order in which they end; a candidate that fails says why in `error`. Closing the iterator
        or cancelling the ticket cancels the others.

    Raises
    ------
    ValueError
        If the cluster cannot be reached.
    """
    ticket = ticket or engine.Ticket()
    run = engine.ends(run_trial, shared, tasks, n_jobs=n_jobs, ticket=ticket, worth=worth)
    try:
        for end in run:
            if ticket.cancelled.is_set() and (end.error is not None or end.value.stopped):
                continue  # a candidate that was cut short by the user is not one that failed
            if isinstance(end.error, LimitError):
                task = tasks[end.index]
                yield Trial(task.index, task.parameters, error=str(end.error))
            elif end.error is not None:
                raise end.error
            else:
                yield end.value
    finally:
        run.close()  # type: ignore[attr-defined]


def run_trial(shared: Shared, task: Task, report: engine.Report) -> Trial:
    """Fit and score one candidate in this process."""
    X, estimator = shared.points[task.points], shared.estimators[task.estimator]
    if shared.warm:
        _warm_up(estimator)
    began = perf_counter()
    heard = began

    def go_on(step: object = None) -> bool:
        nonlocal heard
        now = perf_counter()
        if now - heard > _REPORT:
            heard = now
            if not report(None):
                return False
        return now - began < shared.seconds

    try:
        model = within_time(clone(estimator).set_params(**task.parameters), shared.seconds)
        recording = record(model, X, go_on=go_on, keep_states=False)
        if recording.failure and perf_counter() - began < shared.seconds:
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
        scores=dict(verdict.scores),
    )


def load_compiled() -> None:
    """Fit every class of the library to a few points, which loads or compiles its inner loops.

    Times that are measured later then contain neither.
    """
    for entry in registry.ALGORITHMS.values():
        if entry.package.startswith("mmc"):
            _warm_up(entry.make({}))
            if entry.published:  # other loops than those of the defaults
                clusterers.end(entry.make(entry.published), make_three_gaussians(30, random_state=0).X)


def _warm_up(estimator: BaseEstimator) -> None:
    """Fit a class once in each process, so that later times contain no loading and compiling."""
    if type(estimator) in _warm_classes():
        return
    _warm_classes().add(type(estimator))
    with suppress(ValueError):  # the trial itself reports parameters that are not allowed
        clusterers.end(clone(estimator), make_three_gaussians(30, random_state=0).X)


@cache
def _warm_classes() -> set[type[BaseEstimator]]:
    return set()
