"""Several algorithms on several data sets, each from several seeds.

What is compared is an experiment: data, algorithm and parameters. An attempt is one run of it, with its time,
its labels and what LSMI, which has seen no true label, thinks of them ([SMIC] section 2.4). Agreement with
reference labels is computed afterwards, where there are any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from mmc import clusterers, engine, registry
from mmc.datasets import CATALOG, Dataset, make_three_gaussians
from mmc.experiment import Data, Experiment
from mmc.infomax import lsmi
from mmc.metrics import adjusted_rand_score
from mmc.recording import record, within_time

#: Seconds after which an attempt ends with what it has reached.
SECONDS = 30.0


@dataclass(frozen=True, eq=False)
class Attempt:
    """One run of an experiment.

    Attributes
    ----------
    experiment : Experiment
    labels : ndarray of shape (n_samples,)
        Empty where it failed.
    seconds : float
        Of the fit alone.
    information : float
        LSMI between points and labels; NaN where it failed.
    agreement : float
        Adjusted Rand index with the reference labels; NaN where it failed or there are none.
    error : str
        Why it failed, or was not run; empty where it was.
    stopped : bool
        Whether it ended because of its time.
    """

    experiment: Experiment
    labels: NDArray[np.int64]
    seconds: float = np.nan
    information: float = np.nan
    agreement: float = np.nan
    error: str = ""
    stopped: bool = False

    @property
    def key(self) -> str:
        """What tells this attempt from others."""
        return self.experiment.to_json()


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
) -> Iterator[Attempt]:
    """Run experiments side by side.

    Those with more points than a page may run of their algorithm are not run; their attempt says so.

    Parameters
    ----------
    datasets : mapping from str to Dataset
        By a name for each.
    tasks : sequence of (str, Experiment)
        The name of the data, and what is run on them.
    seconds : float
        After which an attempt ends with what it has reached.
    n_jobs : int, default=-1
        Processes, as in joblib.

    Yields
    ------
    Attempt
        As they arrive. Closing the iterator cancels the others.
    """
    todo = []
    for name, experiment in tasks:
        limit = registry.get(experiment.algorithm).max_samples
        n = len(datasets[name].X)
        if n > limit:
            error = f"{n} points are more than the {limit} that {experiment.algorithm} runs with here."
            yield Attempt(experiment, _NONE, error=error)
        else:
            todo.append((name, experiment))
    points = {name: dataset.X for name, dataset in datasets.items()}
    run = engine.results(_attempt, (points, seconds), todo, n_jobs=n_jobs, worth=0)
    try:
        for i, attempt in run:
            y = datasets[todo[i][0]].y
            known = y is not None and not attempt.error
            yield replace(attempt, agreement=adjusted_rand_score(y, attempt.labels)) if known else attempt
    finally:
        run.close()  # type: ignore[attr-defined]


def summary(rows: Sequence[tuple[str, Sequence[Attempt]]]) -> pd.DataFrame:
    """Write attempts as a table: one row for each algorithm on each data set.

    Parameters
    ----------
    rows : sequence of (str, sequence of Attempt)
        The name of the data, and the attempts of one algorithm on them.

    Returns
    -------
    DataFrame
        Mean, deviation and highest adjusted Rand index over the repeats (NaN without a reference), mean
        LSMI, mean time of a fit, and what went wrong.
    """
    return pd.DataFrame([_summary(name, attempts) for name, attempts in rows])


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


def _attempt(shared: tuple[Mapping[str, NDArray], float], task: tuple[str, Experiment]) -> Attempt:
    points, limit = shared
    name, experiment = task
    _warm(experiment.algorithm)
    X = points[name]
    began = perf_counter()
    try:
        model = within_time(experiment.make(), limit)
        recording = record(model, X, go_on=lambda step: perf_counter() - began < limit)
    except ValueError as error:
        return Attempt(experiment, _NONE, perf_counter() - began, error=str(error))
    labels = recording.labels
    return Attempt(
        experiment, labels, recording.seconds, lsmi(X, labels).value, stopped=not recording.complete
    )


@cache
def _warm(algorithm: str) -> None:
    """Let an algorithm load and compile what it needs, once in a process, so that times compare."""
    X, _ = make_three_gaussians(30, random_state=0)
    clusterers.end(registry.get(algorithm).make({}), X)


def _summary(name: str, attempts: Sequence[Attempt]) -> dict[str, Any]:
    done = [attempt for attempt in attempts if not attempt.error]
    scores = [a.agreement for a in done if not np.isnan(a.agreement)]
    problems = [a.error for a in attempts if a.error] or ["stopped by its time" for a in done if a.stopped]
    return {
        "data": name,
        "algorithm": attempts[0].experiment.algorithm,
        "repeats": len(done),
        "clusters": max((len(np.unique(a.labels)) for a in done), default=np.nan),
        "ARI": np.mean(scores) if scores else np.nan,
        "deviation": np.std(scores) if scores else np.nan,
        "best": max(scores, default=np.nan),
        "LSMI": np.mean([a.information for a in done]) if done else np.nan,
        "seconds": np.mean([a.seconds for a in done]) if done else np.nan,
        "note": problems[0] if problems else "",
    }


_NONE = np.empty(0, dtype=np.int64)
