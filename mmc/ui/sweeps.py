"""From a set of candidates to their scores, shown as they arrive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from mmc import selection
from mmc.datasets import Dataset
from mmc.experiment import Experiment
from mmc.figures import View, make_view
from mmc.metrics import adjusted_rand_score
from mmc.selection import Trial
from mmc.ui.jobs import Report
from mmc.ui.runs import load_within, require_content
from mmc.ui.store import obtain

#: Who is compared with whom in [SMIC] section 4.1, and by which score each is chosen.
RIVALS = {"SMIC": ("MIC", "mlmi"), "MIC": ("SMIC", "lsmi")}


@dataclass(frozen=True)
class Search:
    """What is tried: an experiment in which one parameter takes several values, and how they are scored."""

    experiment: Experiment
    parameter: str
    values: tuple[Any, ...]
    score: str

    def candidate(self, index: int) -> Experiment:
        """Give the experiment of one candidate."""
        experiment = self.experiment
        return replace(experiment, parameters={**experiment.parameters, self.parameter: self.values[index]})


@dataclass(frozen=True, eq=False)
class Found:
    """The candidates that are done.

    Attributes
    ----------
    key : str
    search : Search
    dataset : Dataset
    view : View
    trials : tuple of Trial
        In the order of the candidates.
    stopped : str
        Why it ended early; empty where it did not.
    """

    key: str
    search: Search
    dataset: Dataset
    view: View
    trials: tuple[Trial, ...] = ()
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of the data and of all labellings."""
        return self.dataset.nbytes + sum(trial.labels.nbytes for trial in self.trials)

    @cached_property
    def references(self) -> list[float] | None:
        """Agreement of each candidate with the reference labels, where there are any."""
        if self.dataset.y is None:
            return None
        return [
            adjusted_rand_score(self.dataset.y, trial.labels) if len(trial.labels) else np.nan
            for trial in self.trials
        ]

    @property
    def best(self) -> Trial:
        """The candidate with the highest score."""
        return selection.best(self.trials)

    def table(self) -> pd.DataFrame:
        """Give the curve as a table."""
        table = selection.tidy(self.trials, [self.search.parameter])
        table = table.rename(columns={"score": self.search.score})
        if self.references is not None:
            table.insert(2, "adjusted Rand index", self.references)
        return table


def search(task: Search, content: bytes | None, draw: Callable[[Found], None] | None = None) -> Found:
    """Give the scores of all candidates, or show those that are done and end the page here.

    Parameters
    ----------
    task : Search
    content : bytes or None
        Of the table, where the data are one.
    draw : callable or None
        Shows the candidates so far.

    Returns
    -------
    Found

    Raises
    ------
    ValueError
        If the data or the parameters do not allow it, or every candidate failed.
    """
    require_content(task.experiment.data, content)
    key = f"{task.experiment.to_json()} {task.parameter} {task.values} {task.score}"
    found = obtain(key, lambda report: _work(key, task, content, report), draw)
    if not found.trials:
        raise ValueError("Cancelled before a candidate was done. Change a control to run again.")
    found.best  # noqa: B018 - says why, where every candidate failed
    return found


def rival(task: Search) -> Search:
    """Give the same search with the algorithm and score that the paper compares."""
    name, score = RIVALS[task.experiment.algorithm]
    shared = {n: v for n, v in task.experiment.parameters.items() if n in ("n_clusters", "random_state")}
    experiment = replace(task.experiment, algorithm=name, parameters=shared)
    return Search(experiment, task.parameter, task.values, score)


def _work(key: str, task: Search, content: bytes | None, report: Report) -> Found:
    dataset = load_within(task.experiment, content)
    found = Found(key, task, dataset, make_view(dataset.X, dataset.feature_names))
    grid = {task.parameter: task.values}
    run = selection.sweep(task.experiment.make(), grid, dataset.X, score=task.score)
    for trial in run:
        found = replace(found, trials=tuple(sorted(run.trials, key=lambda t: t.index)))
        caption = f"{task.parameter} = {trial.parameters[task.parameter]} is done"
        if not report(len(run.trials) / run.total, caption, found):
            run.close()
            break
    return found
