"""Searches over candidates as background jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

import pandas as pd

from mmc import registry, selection
from mmc.datasets import Facts
from mmc.engine import Ticket
from mmc.experiment import Experiment
from mmc.figures import View
from mmc.trials import Trial
from mmc.ui.result_store import obtain, reached
from mmc.ui.run_job import load, require_table
from mmc.ui.runner import TIME_LIMIT, Report
from mmc.ui.visit_state import Loaded
from mmc.work import Upload

#: Maximum number of labels, points times candidates, that a search keeps: 40 MB.
MAX_LABELS = 5_000_000


@dataclass(frozen=True)
class Search:
    """An experiment in which one or two parameters take several values, and the score of the candidates."""

    experiment: Experiment
    grid: Mapping[str, tuple[Any, ...]]
    score: str

    @property
    def parameter(self) -> str:
        """The first of the parameters."""
        return next(iter(self.grid))

    @property
    def values(self) -> tuple[Any, ...]:
        """The values of the first parameter."""
        return self.grid[self.parameter]

    @property
    def n_candidates(self) -> int:
        """Number of combinations of the values."""
        return prod(map(len, self.grid.values()))

    def candidate(self, index: int) -> Experiment:
        """Return the experiment of one candidate; the last parameter varies fastest."""
        values = list(product(*self.grid.values()))[index]
        chosen = dict(zip(self.grid, values, strict=True))
        return replace(self.experiment, parameters={**self.experiment.parameters, **chosen})


@dataclass(frozen=True, eq=False)
class Found:
    """The finished candidates of a search.

    Attributes
    ----------
    key : str
        Key of the result.
    search : Search
        What is tried.
    dataset : Facts
        What is said of the data.
    view : View
        Projection to the plane.
    trials : tuple of Trial
        Finished trials in the order of the candidates.
    stopped : str
        Why the work ended early; empty if it did not.
    """

    key: str
    search: Search
    dataset: Facts
    view: View
    trials: tuple[Trial, ...] = ()
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of all labellings."""
        return self.dataset.nbytes + sum(trial.labels.nbytes for trial in self.trials)

    @property
    def references(self) -> list[float] | None:
        """Agreement of each candidate with the reference labels, if there are any."""
        if self.dataset.y is None:
            return None
        return [trial.agreement for trial in self.trials]

    @property
    def best(self) -> Trial:
        """The candidate with the highest score."""
        return selection.best(self.trials)

    def table(self) -> pd.DataFrame:
        """Return the scores as a table."""
        table = selection.tidy(self.trials, list(self.search.grid))
        table = table.rename(columns={"score": self.search.score})
        if self.references is not None:
            table.insert(len(self.search.grid) + 1, "adjusted Rand index", self.references)
        return table


def search(
    task: Search,
    loaded: Loaded,
    draw: Callable[[Found], None] | None = None,
    limit: float = TIME_LIMIT,
) -> Found:
    """Return the scores of all candidates, or draw those that are done and end the page here.

    Parameters
    ----------
    task : Search
        What is tried.
    loaded : Upload, TableError or None
        Table that the visitor has loaded, if any.
    draw : callable or None
        Draws the candidates so far.
    limit : float
        Seconds that the work may take.

    Returns
    -------
    Found

    Raises
    ------
    ValueError
        If the data or the parameters do not allow it, or every candidate failed.
    """
    upload = require_table(task.experiment.data, loaded)
    key = f"{task.experiment.to_json()} {dict(task.grid)} {task.score}"
    before = reached(key, Found)

    def do(report: Report, ticket: Ticket) -> Found:
        return _work(key, task, upload, before, report, ticket)

    found = obtain(key, do, draw, limit=limit, own=upload is not None)
    if not found.trials:
        raise ValueError("Cancelled before a candidate was done. Change a control to run again.")
    found.best  # noqa: B018 - raises an error if every candidate failed
    return found


def rival(task: Search) -> Search:
    """Return the same search with the algorithm and score to which the paper compares."""
    experiment = task.experiment
    against = registry.get(experiment.algorithm).rival
    assert against is not None
    shared = {n: v for n, v in experiment.parameters.items() if n in ("n_clusters", "random_state")}
    return Search(replace(experiment, algorithm=against.name, parameters=shared), task.grid, against.score)


def _work(
    key: str, task: Search, upload: Upload | None, before: Found | None, report: Report, ticket: Ticket
) -> Found:
    candidates = [task.candidate(i) for i in range(task.n_candidates)]
    fewest = min(candidates, key=lambda each: registry.bound(each.algorithm, each.parameters).n_samples)
    ((X, facts, view),) = load([task.experiment.data], upload, [fewest], ticket)
    if facts.n_samples * task.n_candidates > MAX_LABELS:
        raise ValueError(
            f"{task.n_candidates} candidates with {facts.n_samples} points each are more than the "
            f"{MAX_LABELS} labels that a search keeps here. Take at most "
            f"{MAX_LABELS // facts.n_samples} candidates, or {MAX_LABELS // task.n_candidates} points."
        )
    found = Found(key, task, facts, view)
    same = before is not None and (before.search.experiment, before.search.score) == (
        task.experiment,
        task.score,
    )
    done = before.trials if before is not None and same else ()
    model = task.experiment.make()
    labels = {name: registry.get(task.experiment.algorithm).parameter(name).label for name in task.grid}
    run = selection.sweep(model, task.grid, X, score=task.score, done=done, ticket=ticket)
    for trial in run:
        trials = (*found.trials, trial.against(facts.y))
        found = replace(found, trials=tuple(sorted(trials, key=lambda t: t.index)))
        caption = ", ".join(f"{labels[name]} {_text(value)}" for name, value in trial.parameters.items())
        report(len(run.trials) / run.total, f"{caption} is done", found)
    return found


def _text(value: Any) -> str:
    """Return a candidate's value in few digits; class priors are several numbers."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
