"""Sweeps over the parameters of an algorithm, and selection among their results without true labels.

A candidate is fitted and then scored without true labels; higher is better. The scores are the judges of
`mmc.judges`, which compare the labellings of any algorithm;

- ``"objective"``: the negative objective of the algorithm. It compares starts and searches, but not kernels
  or penalties, which change what it measures;
- a function of points and labels.

"lsmi", "mlmi" and "objective" grow with the number of clusters, whatever the data, and are refused where it
is swept.

Results arrive in the order in which they end; `mmc.engine` decides where candidates run.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import comb
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from mmc import clusterers, registry
from mmc._checks import nearest, quoted
from mmc._html import table_html
from mmc._optional import pandas as pd
from mmc.engine import Ticket
from mmc.judges import JUDGES, Judge, LastJudges, kernel_of, require_points, stability
from mmc.stepping import State
from mmc.trials import Scorer, Shared, Task, Trial, Verdict, run_trials

#: Scores by name, and what is said of each.
SCORES: Mapping[str, Judge] = {
    **JUDGES,
    "objective": Judge(
        "−objective",
        "Minus what the algorithm itself minimises, which widths and penalties change, and which falls with "
        "the number of clusters.",
        "nothing",
        chooses_k=False,
    ),
}

#: Score that is used unless another is given, and where the number of clusters is to be chosen.
USUAL, FOR_K = "lsmi", "dbcv"

#: Scores that can choose a number of clusters.
CHOOSE_K = tuple(name for name, score in SCORES.items() if score.chooses_k)

Score = str | Callable[[NDArray[np.float64], NDArray[np.int64]], float]
Grid = Mapping[str, Sequence[Any]]


class Selection(NamedTuple):
    """The best candidate of a sweep.

    Attributes
    ----------
    estimator : estimator
        Estimator with the parameters of the best candidate, fitted.
    trial : Trial
        Trial of the best candidate.
    table : DataFrame
        One row for each candidate.
    """

    estimator: BaseEstimator
    trial: Trial
    table: pd.DataFrame

    def _repr_html_(self) -> str:
        best = f"Best of {len(self.table)} candidates: {' '.join(repr(self.estimator).split())}."
        return table_html(self.table.to_dict("records"), best)


class Sweep(Iterator[Trial]):
    """Iterator over the trials of a grid, in the order in which they end.

    Closing it cancels the candidates that are not done; the finished trials stay.

    Attributes
    ----------
    total : int
        Number of candidates.
    trials : list of Trial
        Finished trials.
    """

    def __init__(self, names: Sequence[str], total: int, results: Iterator[Trial]) -> None:
        self.total = total
        self.trials: list[Trial] = []
        self._names = names
        self._results = results

    def __next__(self) -> Trial:
        trial = next(self._results)
        self.trials.append(trial)
        return trial

    def close(self) -> None:
        """Cancel the candidates that are not done."""
        self._results.close()  # type: ignore[attr-defined]

    def table(self) -> pd.DataFrame:
        """Return the finished trials as a table.

        Returns
        -------
        DataFrame
            One row for each candidate, in the order of the grid.
        """
        return tidy(self.trials, self._names)


def sweep(
    estimator: BaseEstimator,
    grid: Grid,
    X: ArrayLike,
    *,
    score: Score = "lsmi",
    n_jobs: int = -1,
    random_state: int = 0,
    seconds: float = np.inf,
    done: Sequence[Trial] = (),
    ticket: Ticket | None = None,
) -> Sweep:
    """Fit and score an estimator for every combination of some values of its parameters.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Estimator, which is copied. If its `random_state` is None, all candidates get `random_state`.
    grid : mapping from str to sequence
        One or two parameters and their values.
    X : array-like of shape (n_samples, n_features)
        Points to cluster.
    score : str or callable, default="lsmi"
        Score of a candidate, higher being better: one of `SCORES`, or a callable that takes points and
        labels. "lsmi", "mlmi" and "objective" grow with the number of clusters and cannot choose it.
    n_jobs : int, default=-1
        Number of processes as in joblib; −1 means all cores, 1 only this process.
    random_state : int, default=0
        Seed of the candidates and of the score.
    seconds : float, default=inf
        Time limit of a fit, which then ends with the labels reached so far.
    done : sequence of Trial, default=()
        Trials of an earlier sweep with the same estimator, points and score. Those of this grid come first
        and are not run again.
    ticket : Ticket or None, default=None
        Owner and limits of the candidates, by which the sweep can be cancelled from another thread.

    Returns
    -------
    Sweep
        Iterate over it to run it.

    Raises
    ------
    ValueError
        If the grid or the score cannot be used. A candidate that fails says so in its trial.
    """
    names = list(grid)
    lists = [values for values in grid.values() if np.iterable(values) and not isinstance(values, str)]
    if not 1 <= len(names) <= 2 or len(lists) < len(names) or not all(len(values) for values in lists):
        raise ValueError("The grid must name one or two parameters, each with a list of at least one value.")
    known = estimator.get_params()
    for name in names:
        if name not in known:
            raise ValueError(
                f"{type(estimator).__name__} has no parameter {name!r}; it has {', '.join(known)}."
            )
    points = check_array(X, dtype=np.float64, order="C", ensure_min_samples=2)
    if "random_state" in known and known["random_state"] is None:
        estimator = clone(estimator).set_params(random_state=random_state)
    by = scorer(score, random_state)
    if not callable(score):
        if score != "objective":
            require_points(score, estimator)
        _require_comparable(score, estimator, {name: grid[name] for name in names if len(grid[name]) > 1})
    candidates: list[Mapping[str, Any]]
    candidates = [dict(zip(names, values, strict=True)) for values in product(*grid.values())]
    earlier = [replace(t, index=candidates.index(t.parameters)) for t in done if t.parameters in candidates]
    tried = {trial.index for trial in earlier}
    tasks = [Task(i, values) for i, values in enumerate(candidates) if i not in tried]
    run = run_trials(Shared([points], [estimator], by, seconds), tasks, n_jobs=n_jobs, ticket=ticket)
    return Sweep(names, len(candidates), _after(earlier, run))


def select(
    estimator: BaseEstimator,
    grid: Grid,
    X: ArrayLike,
    *,
    score: Score = "lsmi",
    n_jobs: int = -1,
    random_state: int = 0,
) -> Selection:
    """Run a sweep and fit the candidate with the highest score; among equals the first of the grid.

    What the fit of that candidate warns of, such as lost clusters, is emitted as a `ConvergenceWarning`.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Estimator, which is copied. If its `random_state` is None, all candidates get `random_state`.
    grid : mapping from str to sequence
        One or two parameters and their values.
    X : array-like of shape (n_samples, n_features)
        Points to cluster.
    score : str or callable, default="lsmi"
        Score of a candidate, higher being better: one of `SCORES`, or a callable that takes points and
        labels. "lsmi", "mlmi" and "objective" grow with the number of clusters and cannot choose it.
    n_jobs : int, default=-1
        Number of processes as in joblib; −1 means all cores, 1 only this process.
    random_state : int, default=0
        Seed of the candidates and of the score.

    Returns
    -------
    Selection

    Raises
    ------
    ValueError
        If the grid or the score cannot be used, or if every candidate failed, with the reason of the first.
    """
    run = sweep(estimator, grid, X, score=score, n_jobs=n_jobs, random_state=random_state)
    for _ in run:
        pass
    trial = best(run.trials)
    chosen = clone(estimator).set_params(**trial.parameters)
    if chosen.get_params().get("random_state", 0) is None:
        chosen.set_params(random_state=random_state)
    end = clusterers.end(chosen, X)
    if end.warning:
        warnings.warn(end.warning, ConvergenceWarning, stacklevel=2)
    return Selection(chosen, trial, run.table())


def best(trials: Sequence[Trial]) -> Trial:
    """Return the trial with the highest score; among equals the first of the grid.

    Parameters
    ----------
    trials : sequence of Trial
        Trials to choose from.

    Returns
    -------
    Trial

    Raises
    ------
    ValueError
        If no trial has a score.
    """
    done = [trial for trial in trials if not np.isnan(trial.score)]
    if not done:
        reason = next(
            (t.error for t in trials if t.error), "no score is a number" if trials else "nothing was run"
        )
        raise ValueError(f"No candidate could be scored: {reason}")
    return min(done, key=lambda trial: (-trial.score, trial.index))


def best_of_starts(keys: ArrayLike, values: ArrayLike) -> NDArray[np.float64]:
    """Return the mean value of the best of m starts, for m from 1 to the number of starts.

    The mean is exact, over all choices of m starts: the i-th best start is the best in C(n − i, m − 1) of
    them.

    Parameters
    ----------
    keys : array-like of shape (n_starts,)
        Criterion for the best start; lower is better, and the first among equals.
    values : array-like of shape (n_starts,)
        Values to average, which may be the keys or, for example, errors.

    Returns
    -------
    ndarray of shape (n_starts,)
    """
    ordered = np.asarray(values, dtype=np.float64)[np.argsort(keys, kind="stable")]
    n = len(ordered)
    ranks = np.arange(1, n + 1)
    return np.array([comb(n - ranks, m - 1) @ ordered / comb(n, m) for m in ranks])


def scorer(score: Score, random_state: int = 0) -> Scorer:
    """Return the function that scores a fit in a trial.

    Parameters
    ----------
    score : str or callable
        One of `SCORES`, or a callable that takes points and labels.
    random_state : int, default=0
        Seed of the score.

    Returns
    -------
    callable
        It takes the fitted estimator, its final state and the points, and can be pickled.

    Raises
    ------
    ValueError
        If the score is not known.
    """
    if callable(score):
        return _ByFunction(score)
    if score not in SCORES:
        raise ValueError(
            f"score={quoted(score)} is not known: {nearest(str(score), SCORES)} A function can be given too."
        )
    if score == "objective":
        return _by_objective
    return _ByStability(random_state) if score == "stability" else _ByJudge(score, random_state)


def tidy(trials: Sequence[Trial], names: Sequence[str]) -> pd.DataFrame:
    """Return trials as a table.

    Parameters
    ----------
    trials : sequence of Trial
        Finished trials.
    names : sequence of str
        Parameters of the grid.

    Returns
    -------
    DataFrame
        One row for each candidate, in the order of the grid.
    """
    ordered = sorted(trials, key=lambda trial: trial.index)
    columns: dict[str, list[Any]] = {name: [t.parameters[name] for t in ordered] for name in names}
    columns["score"] = [t.score for t in ordered]
    columns["objective"] = [t.objective for t in ordered]
    columns["clusters"] = [len(np.unique(t.labels)) for t in ordered]
    columns["seconds"] = [t.seconds for t in ordered]
    columns["error"] = [t.error for t in ordered]
    return pd.DataFrame(columns)


class _ByJudge:
    """A judge of points and labels."""

    def __init__(self, name: str, seed: int) -> None:
        self._name, self._judges = name, LastJudges(seed)

    def __call__(self, model: BaseEstimator, end: State, X: NDArray[np.float64]) -> Verdict:
        require_points(self._name, model)
        judges = self._judges(X, kernel_of(model))
        if self._name in ("lsmi", "mlmi"):
            estimate = judges.estimate(self._name, end.labels)
            return Verdict(estimate.value, estimate)
        return Verdict(judges.score(self._name, end.labels))


class _ByFunction:
    def __init__(self, function: Callable[..., float]) -> None:
        self._function = function

    def __call__(self, model: BaseEstimator, end: State, X: NDArray[np.float64]) -> Verdict:
        return Verdict(float(self._function(X, end.labels)))


class _ByStability:
    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, model: BaseEstimator, end: State, X: NDArray[np.float64]) -> Verdict:
        return Verdict(stability(model, X, random_state=self._seed))


def _by_objective(model: BaseEstimator, end: State, X: NDArray[np.float64]) -> Verdict:
    if np.isnan(end.objective):
        raise ValueError(
            f'score="objective" needs to know what is minimised, which {type(model).__name__} does not tell; '
            'use "lsmi" or "stability".'
        )
    return Verdict(-end.objective)


def _require_comparable(score: str, estimator: BaseEstimator, swept_values: Grid) -> None:
    """Refuse scores that grow with the number of clusters to choose it, and one cluster for every score."""
    counts = {
        entry.clusters.name
        for entry in registry.ALGORITHMS.values()
        if entry.estimator is type(estimator) and entry.clusters is not None
    }
    swept = [n for n in swept_values if n in counts or n.rpartition("__")[2] == "n_clusters"]
    if any(1 in swept_values[name] for name in swept):
        raise ValueError(f"{swept[0]}=1 is no candidate: scores compare two clusters and more.")
    if swept and not SCORES[score].chooses_k:
        raise ValueError(
            f"score={score!r} cannot choose {swept[0]}: its values for different numbers of clusters do not "
            f"compare. Use one of {', '.join(CHOOSE_K)}."
        )


def _after(earlier: Sequence[Trial], run: Iterator[Trial]) -> Iterator[Trial]:
    yield from earlier
    yield from run
