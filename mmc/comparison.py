"""Comparisons of several algorithms on several data sets, each with several seeds.

An experiment is one trial (`mmc.trials`), scored by one of `SCORES`, which use no true labels. The agreement
with reference labels is computed afterwards, if there are any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator

from mmc import registry
from mmc._checks import nearest, quoted
from mmc._optional import pandas as pd
from mmc.datasets import CATALOG, Dataset
from mmc.engine import Ticket
from mmc.experiment import Data, Experiment
from mmc.judges import JUDGES
from mmc.selection import scorer
from mmc.trials import Shared, Task, Trial, run_trials

#: Time limit of a trial in seconds.
SECONDS = 30.0

#: Scores that compare the labellings of different algorithms. Their objectives do not compare.
SCORES = JUDGES


def usual_data(source: str, n_samples: int, random_state: int) -> Data:
    """Return a built-in data set with its usual options.

    Parameters
    ----------
    source : str
        Key of the data set in the catalog.
    n_samples : int
        Number of points of a toy set.
    random_state : int
        Seed of a toy set.

    Returns
    -------
    Data
    """
    entry = CATALOG[source]
    usual: dict[str, Any] = {
        "n_samples": n_samples,
        "noise": entry.noise_default,
        "imbalance": 0.0,
        "random_state": random_state,
    }
    options = {name: usual[name] for name in entry.parameters if usual.get(name) is not None}
    return Data(source, options, entry.standardize)


def usual(data: Data, algorithm: str, n_clusters: int, seed: int) -> Experiment:
    """Return the usual experiment with an algorithm: its defaults and this seed.

    Parameters
    ----------
    data : Data
        Data to cluster.
    algorithm : str
        Name in the registry.
    n_clusters : int
        Number of clusters, if the algorithm leaves a choice.
    seed : int
        Value of `random_state`, if the algorithm has it.

    Returns
    -------
    Experiment
    """
    entry = registry.get(algorithm)
    values: dict[str, Any] = {p.name: entry.default(p.name) for p in entry.parameters}
    values |= {"random_state": seed} if "random_state" in values else {}
    if entry.clusters is not None:
        few = entry.clusters.low == entry.clusters.high
        values[entry.clusters.name] = entry.clusters.low if few else n_clusters
    matter = {p.name for p in entry.parameters if p.matters(values)}
    return Experiment(data, algorithm, {n: v for n, v in values.items() if n in matter and v is not None})


def repeats(experiment: Experiment, n: int) -> list[Experiment]:
    """Return an experiment with consecutive seeds, beginning with its own.

    Parameters
    ----------
    experiment : Experiment
        Experiment to repeat.
    n : int
        Number of seeds.

    Returns
    -------
    list of Experiment
        Only the experiment itself if nothing in it is random.
    """
    if "random_state" not in experiment.parameters:
        return [experiment]
    seed = experiment.parameters["random_state"]
    return [
        replace(experiment, parameters={**experiment.parameters, "random_state": seed + i}) for i in range(n)
    ]


class Points(NamedTuple):
    """Points of a data set, and its reference labels if there are any; a `Dataset` serves as well."""

    X: NDArray[np.float64]
    y: NDArray[np.int64] | None = None


def compare(
    datasets: Mapping[str, Points | Dataset],
    tasks: Sequence[tuple[str, Experiment]],
    *,
    score: str = "lsmi",
    seconds: float = SECONDS,
    n_jobs: int = -1,
    ticket: Ticket | None = None,
) -> Iterator[Trial]:
    """Run experiments in parallel.

    An experiment with more points than the app allows for its algorithm is not run, and its trial says so.

    Parameters
    ----------
    datasets : mapping from str to Points or Dataset
        Data sets by name.
    tasks : sequence of (str, Experiment)
        Name of a data set and the experiment to run on it.
    score : str, default="lsmi"
        One of `SCORES`.
    seconds : float, default=30.0
        Time limit of a fit, which then ends with the labels reached so far.
    n_jobs : int, default=-1
        Number of processes as in joblib; −1 means all cores, 1 only this process.
    ticket : Ticket or None, default=None
        Owner and limits of the trials, by which the comparison can be cancelled from another thread.

    Yields
    ------
    Trial
        In the order in which they end; `index` is the position in `tasks`, `score` is that of the judge.
        Closing the iterator cancels the others.

    Raises
    ------
    ValueError
        If the score is not one of `SCORES`, or the cluster cannot be reached.
    """
    if score not in SCORES:
        raise ValueError(f"score={quoted(score)} cannot compare algorithms: {nearest(str(score), SCORES)}")
    names = list(datasets)
    estimators: list[BaseEstimator] = []
    todo = []
    for i, (name, experiment) in enumerate(tasks):
        bound = registry.bound(experiment.algorithm, experiment.parameters)
        if refusal := bound.refusal(len(datasets[name].X)):
            yield Trial(i, experiment.parameters, error=refusal)
        else:
            todo.append(Task(i, {}, names.index(name), len(estimators)))
            estimators.append(experiment.make())
    points = [dataset.X for dataset in datasets.values()]
    shared = Shared(points, estimators, scorer(score), seconds, warm=True)
    run = run_trials(shared, todo, n_jobs=n_jobs, ticket=ticket, worth=0)
    try:
        for trial in run:
            name, experiment = tasks[trial.index]
            yield replace(trial, parameters=experiment.parameters).against(datasets[name].y)
    finally:
        run.close()  # type: ignore[attr-defined]


def summary(rows: Sequence[tuple[str, str, Sequence[Trial]]], score: str = "lsmi") -> pd.DataFrame:
    """Return trials as a table with one row for each algorithm on each data set.

    Parameters
    ----------
    rows : sequence of (str, str, sequence of Trial)
        Name of the data set, name of the algorithm, and its trials.
    score : str, default="lsmi"
        Score of the trials, whose title names a column.

    Returns
    -------
    DataFrame
        Mean, deviation and maximum of the adjusted Rand index over the repeats (NaN without a reference),
        mean score, mean time of a fit, and the first problem.
    """
    return pd.DataFrame([_summary(*row, SCORES[score].title) for row in rows])


def consensus(labellings: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Return how often each pair of points shares a cluster, at a cost of n² for each labelling.

    Parameters
    ----------
    labellings : sequence of ndarray of shape (n_samples,)
        Labels of each run.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        Shares from 0 to 1.
    """
    total = np.zeros((len(labellings[0]), len(labellings[0])))
    for labels in labellings:
        total += labels[:, None] == labels[None, :]
    return total / len(labellings)


def consensus_order(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return an order in which points that often share a cluster are neighbours, by average linkage.

    Parameters
    ----------
    shares : ndarray of shape (n, n)
        Result of `consensus`.

    Returns
    -------
    ndarray of shape (n,)
    """
    apart = squareform(1.0 - shares, checks=False)
    return np.asarray(leaves_list(linkage(apart, "average", optimal_ordering=len(shares) <= 400)))


def _summary(name: str, algorithm: str, trials: Sequence[Trial], title: str) -> dict[str, Any]:
    done = [trial for trial in trials if not trial.error]
    agreements = [t.agreement for t in done if not np.isnan(t.agreement)]
    problems = [t.error for t in trials if t.error] or ["stopped by its time" for t in done if t.stopped]
    return {
        "data": name,
        "algorithm": algorithm,
        "repeats": len(done),
        "clusters": max((len(np.unique(t.labels)) for t in done), default=np.nan),
        "ARI": np.mean(agreements) if agreements else np.nan,
        "deviation": np.std(agreements) if agreements else np.nan,
        "best": max(agreements, default=np.nan),
        title: np.mean([t.score for t in done]) if done else np.nan,
        "seconds": np.mean([t.seconds for t in done]) if done else np.nan,
        "note": problems[0] if problems else "",
    }
