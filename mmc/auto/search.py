"""The search of `AutoClusterer`: candidates in worker processes, the choice after each, and references.

1. All candidates are fitted and judged, on a sample of 2,000 if there are more points and the number of
   clusters is not given. Without a sample are also points of which a sample has too few different ones, and
   then there are no references.
2. The same search on points without clusters (`mmc.auto.reference`) tells what a score is worth. It tries the
   chosen number of clusters and a few others, as a search of all would take twice as long.
3. If there is a sample, all points are clustered by the candidates of the chosen number.

One step is one candidate. Tasks run where `mmc.engine` runs them; a time limit drops those that wait and ends
those that run.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors

from mmc import registry
from mmc._points import distinct_rows
from mmc._threads import threads_kept
from mmc.auto.candidates import list_candidates
from mmc.auto.choice import NEEDED
from mmc.auto.plan import Plan
from mmc.auto.reference import reference_points
from mmc.auto.states import AutoState, Stage
from mmc.engine import Report, Ticket, ends
from mmc.judges import OF_LABELS, LastJudges
from mmc.stepping import State
from mmc.trials import Shared, Task, Trial, Verdict, run_trials

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Number of points on which the number of clusters is chosen, and references are drawn.
SAMPLE = 2_000

#: Numbers of clusters that are tried on a reference besides the chosen one. The best of few numbers is worse
#: than the best of many, so that a reference of fewer would be beaten by points without clusters too often.
_COUNTS = (2, 3, 4)

#: Share of the time limit after which the search on a sample makes way for the one on all points.
_SHARE = 0.5

#: Message of a search that has nothing to show.
_CANCELLED = "The search was cancelled before a candidate ended."

#: Number of points from which worker processes are used at once: a candidate may take many seconds.
_MANY = 5_000


class _ByJudges:
    """Several judges of points and labels."""

    def __init__(self, names: Sequence[str], seed: int) -> None:
        self._names, self._judges = names, LastJudges(seed)

    def __call__(self, model: BaseEstimator, end: State, X: Array) -> Verdict:
        return Verdict(np.nan, scores=self._judges(X).scores(end.labels, self._names))


def search(X: Array, plan: Plan, ticket: Ticket | None = None) -> Iterator[AutoState]:
    """Search for clusters, and yield the best so far after each candidate.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points, not all equal.
    plan : Plan
        What is asked for.
    ticket : Ticket or None
        Owner of the work, by which it can be cancelled.

    Yields
    ------
    AutoState

    Raises
    ------
    ValueError
        If no candidate could be fitted and judged, with the reason of the first.
    """
    began = monotonic()
    n = len(X)
    rng = np.random.RandomState(plan.seed)
    state: AutoState | None = None
    stage: Stage | None = None
    whole = n <= SAMPLE or (len(plan.counts) == 1 and not plan.n_references)
    rows = np.arange(n) if whole else np.sort(rng.permutation(n)[:SAMPLE])
    points = X if whole else np.ascontiguousarray(X[rows])
    if not whole and len(distinct_rows(points).first) < min(plan.counts):
        whole, rows, points = True, np.arange(n), X  # a sample has too few different points
        plan = replace(plan, n_references=0)
    until = began + plan.time_limit * (1.0 if whole else _SHARE)
    shown = rows if whole else _joined(points, X, plan, ticket)
    n_fits = _n_fits(points, len(plan.counts), plan) + plan.n_references * _n_fits(
        points, min(len(plan.counts), len(_COUNTS) + 1), plan
    )
    n_fits += 0 if whole else _n_fits(X, 1, plan)
    n_done = 0
    for stage, trial in _stage("all" if whole else "sample", points, plan.counts, plan, until, ticket):
        n_done += 1
        if stage.choice is not None:
            labels = stage.choice.best.labels[shown]
            state = _state(stage, trial, labels, (stage,), None if whole else rows)
            state = replace(state, nearest=None if whole else shown, progress=n_done / n_fits)
            yield state
    if state is None:
        raise ValueError(_no_candidate(stage, plan.time_limit, ticket))
    k = state.choice.best.candidate.n_clusters
    evidence = state.choice.best.score
    for event, score in _references(points, k, plan, rng, until, ticket):
        if score is None:
            n_done += 1
            yield replace(state, event=event, evidence=evidence, progress=min(n_done / n_fits, 1.0))
        else:
            state = replace(state, references=(*state.references, score), evidence=evidence)
    if not whole:
        sampled = state
        until = began + plan.time_limit
        for stage, trial in _stage("all", X, (k,), plan, until, ticket):
            n_done += 1
            if stage.choice is not None:
                stages = (*sampled.stages, stage)
                state = _state(stage, trial, stage.choice.best.labels, stages, None)
                state = replace(
                    state,
                    references=sampled.references,
                    evidence=evidence,
                    nearest=sampled.nearest,
                    progress=min(n_done / n_fits, 1.0),
                )
                yield state
    yield replace(state, converged=True, progress=1.0, event="The search has ended.")


def _joined(points: Array, X: Array, plan: Plan, ticket: Ticket | None) -> Labels:
    """Return the nearest of the sampled points for each point, computed where candidates are."""

    def join(shared: tuple[Array, Array], task: None, report: Report) -> Labels:
        return nearest(*shared)

    for end in ends(join, (points, X), [None], n_jobs=plan.n_jobs, ticket=ticket):
        if end.error is None:
            return end.value
        raise end.error
    raise ValueError(_CANCELLED)


def _references(
    X: Array, k: int, plan: Plan, rng: np.random.RandomState, until: float, ticket: Ticket | None
) -> Iterator[tuple[str, float | None]]:
    """Search points without clusters; yield what each step was, and the score after the last of each set."""
    counts = plan.counts if len(plan.counts) == 1 else tuple(sorted({k, *_COUNTS} & set(plan.counts)))
    for i in range(plan.n_references):
        with _limited(until, ticket) as own:
            done = list(ends(_draw, X, [(i, rng)], n_jobs=plan.n_jobs, ticket=own))
        if not done or done[0].error is not None:
            return  # the time is up
        drawn, rng = done[0].value
        choice = None
        for stage, trial in _stage("reference", drawn, counts, plan, until, ticket):
            choice = stage.choice
            yield f"On points without clusters, {i + 1} of {plan.n_references}: {_ended(stage, trial)}.", None
        if choice is not None and not _is_over(until, ticket):
            yield "", choice.best.score


def _draw(X: Array, task: tuple[int, np.random.RandomState], report: Report) -> tuple[Array, Any]:
    """Draw a reference in a worker, as its decomposition takes seconds where there are many columns."""
    kind, rng = task
    return reference_points(X, kind, rng), rng


def _n_fits(X: Array, n_counts: int, plan: Plan) -> int:
    """Return the number of candidates that are tried for some numbers of clusters."""
    return n_counts * sum(not each.left_out for each in list_candidates(X.shape, (2,), plan.seed))


def _state(
    stage: Stage, trial: Trial, labels: Labels, stages: tuple[Stage, ...], rows: Labels | None
) -> AutoState:
    assert stage.choice is not None
    return AutoState(
        labels=labels,
        objective=-stage.choice.best.score,
        n_done=sum(len(each.trials) for each in stages),
        choice=stage.choice,
        stages=stages,
        rows=rows,
        event=f"{_ended(stage, trial)}.",
    )


def _ended(stage: Stage, trial: Trial) -> str:
    total = sum(not candidate.left_out for candidate in stage.candidates)
    candidate = stage.candidates[trial.index]
    what = "failed" if trial.error else "is done"
    return f"{len(stage.trials)} of {total}: {candidate.method} with {candidate.n_clusters} clusters {what}"


def _stage(
    name: str, X: Array, counts: Sequence[int], plan: Plan, until: float, ticket: Ticket | None
) -> Iterator[tuple[Stage, Trial]]:
    """Fit and judge all candidates, and yield the stage after each."""
    stage = Stage(name, len(X), tuple(list_candidates(X.shape, counts, plan.seed)))
    judges = NEEDED if name == "reference" else OF_LABELS
    names = list(dict.fromkeys(candidate.algorithm for candidate in stage.candidates))
    shared = Shared(
        [X],
        [registry.get(each).make({}) for each in names],
        _ByJudges(judges, plan.seed),
        until - monotonic(),
    )
    tasks = [
        Task(i, each.parameters, estimator=names.index(each.algorithm))
        for i, each in enumerate(stage.candidates)
        if not each.left_out
    ]
    with _limited(until, ticket) as own:
        if own.cancelled.is_set():
            return
        worth = 0.0 if len(X) > _MANY else None
        for trial in run_trials(shared, tasks, n_jobs=plan.n_jobs, ticket=own, worth=worth):
            stage = stage.added(trial)
            yield stage, trial


@contextmanager
def _limited(until: float, ticket: Ticket | None) -> Iterator[Ticket]:
    """Make a ticket that is cancelled at a time, or with another ticket."""
    own = Ticket(ticket.owner, ticket.limits, ticket.urgent) if ticket else Ticket()
    if ticket is not None:
        ticket.on_cancel(own.cancel)
    seconds = until - monotonic()
    if seconds <= 0:
        own.cancel()
    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), own.cancel)
    timer.daemon = True
    timer.start()
    try:
        yield own
    finally:
        timer.cancel()


def _is_over(until: float, ticket: Ticket | None) -> bool:
    return monotonic() >= until or (ticket is not None and ticket.cancelled.is_set())


def nearest(points: Array, X: Array) -> Labels:
    """Return the nearest of some points for each row of an array.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_features)
        Points to choose from.
    X : ndarray of shape (n_samples, n_features)
        Rows that join them.

    Returns
    -------
    ndarray of shape (n_samples,)
        Index of the nearest of `points`.
    """
    with threads_kept():
        search = NearestNeighbors(n_neighbors=1).fit(points)
        return np.asarray(search.kneighbors(X, return_distance=False)[:, 0], dtype=np.int64)


def _no_candidate(stage: Stage | None, seconds: float, ticket: Ticket | None) -> str:
    errors = [trial.error for trial in stage.trials.values() if trial.error] if stage else []
    if errors:
        return f"No candidate could be fitted: {errors[0]}"
    if ticket is not None and ticket.cancelled.is_set():
        return _CANCELLED
    return f"No candidate ended within time_limit={seconds:g} seconds. Give it more time."
