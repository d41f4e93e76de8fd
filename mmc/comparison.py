"""Several algorithms on several data sets, each from several seeds.

What is compared are experiments: data, algorithm and parameters. Each is one trial (`mmc.trials`), scored by
LSMI, which sees no true label ([SMIC] section 2.4). Agreement with reference labels is computed afterwards,
where there are any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform
from sklearn.base import BaseEstimator

from mmc import registry
from mmc.datasets import CATALOG, Dataset
from mmc.experiment import Data, Experiment
from mmc.infomax import lsmi
from mmc.stepping import State
from mmc.trials import Shared, Task, Trial, Verdict, run_trials

#: Seconds after which a trial ends with what it has reached.
SECONDS = 30.0


def usual_data(source: str, n_samples: int, random_state: int) -> Data:
    """Give a built-in set as it usually is; of a toy set so many points from this seed.

    Parameters
    ----------
    source : str
        Its key in the catalog.
    n_samples, random_state : int

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
    """Give an algorithm's usual experiment: its defaults, this seed, and as many clusters as it can of these.

    Parameters
    ----------
    data : Data
    algorithm : str
    n_clusters, seed : int

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
    """List an experiment with `n` seeds from its own on; once, where nothing in it is random."""
    if "random_state" not in experiment.parameters:
        return [experiment]
    seed = experiment.parameters["random_state"]
    return [
        replace(experiment, parameters={**experiment.parameters, "random_state": seed + i}) for i in range(n)
    ]


def compare(
    datasets: Mapping[str, Dataset],
    tasks: Sequence[tuple[str, Experiment]],
    *,
    seconds: float = SECONDS,
    n_jobs: int = -1,
) -> Iterator[Trial]:
    """Run experiments side by side.

    Those with more points than a page may run of their algorithm are not run; their trial says so.

    Parameters
    ----------
    datasets : mapping from str to Dataset
        By a name for each.
    tasks : sequence of (str, Experiment)
        The name of the data, and what is run on them.
    seconds : float
        Time after which a fit ends with what it has reached.
    n_jobs : int, default=-1
        Processes, as in joblib.

    Yields
    ------
    Trial
        As they arrive; the index is the place in `tasks`, the score is LSMI. Closing the iterator cancels the
        others.
    """
    names = list(datasets)
    estimators: list[BaseEstimator] = []
    todo = []
    for i, (name, experiment) in enumerate(tasks):
        limit = registry.get(experiment.algorithm).max_samples
        n = len(datasets[name].X)
        if n > limit:
            error = f"{n} points are more than the {limit} that {experiment.algorithm} runs with here."
            yield Trial(i, experiment.parameters, error=error)
        else:
            todo.append(Task(i, {}, names.index(name), len(estimators)))
            estimators.append(experiment.make())
    points = [dataset.X for dataset in datasets.values()]
    run = run_trials(Shared(points, estimators, _by_lsmi, seconds, warm=True), todo, n_jobs=n_jobs, worth=0)
    try:
        for trial in run:
            name, experiment = tasks[trial.index]
            yield replace(trial, parameters=experiment.parameters).against(datasets[name].y)
    finally:
        run.close()  # type: ignore[attr-defined]


def summary(rows: Sequence[tuple[str, str, Sequence[Trial]]]) -> pd.DataFrame:
    """Write trials as a table: one row for each algorithm on each data set.

    Parameters
    ----------
    rows : sequence of (str, str, sequence of Trial)
        The name of the data, that of the algorithm, and its trials on them.

    Returns
    -------
    DataFrame
        Mean, deviation and highest adjusted Rand index over the repeats (NaN without a reference), mean
        LSMI, mean time of a fit, and what went wrong.
    """
    return pd.DataFrame([_summary(*row) for row in rows])


def consensus(labellings: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Count how often two points share a cluster.

    Parameters
    ----------
    labellings : sequence of ndarray of shape (n_samples,)

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        Shares from 0 to 1. It costs n² times the number of labellings.
    """
    total = np.zeros((len(labellings[0]), len(labellings[0])))
    for labels in labellings:
        total += labels[:, None] == labels[None, :]
    return total / len(labellings)


def consensus_order(shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Order points so that those which often share a cluster stand together, by average linkage.

    Parameters
    ----------
    shares : ndarray of shape (n, n)
        As `consensus` gives them.

    Returns
    -------
    ndarray of shape (n,)
    """
    apart = squareform(1.0 - shares, checks=False)
    return np.asarray(leaves_list(linkage(apart, "average", optimal_ordering=len(shares) <= 400)))


def _by_lsmi(model: BaseEstimator, end: State, X: NDArray[np.float64]) -> Verdict:
    estimate = lsmi(X, end.labels)
    return Verdict(estimate.value, estimate)


def _summary(name: str, algorithm: str, trials: Sequence[Trial]) -> dict[str, Any]:
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
        "LSMI": np.mean([t.score for t in done]) if done else np.nan,
        "seconds": np.mean([t.seconds for t in done]) if done else np.nan,
        "note": problems[0] if problems else "",
    }
