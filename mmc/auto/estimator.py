"""`AutoClusterer`: clusters, and how many there are, with nothing set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mmc import clusterers
from mmc._optional import pandas as pd
from mmc.auto.candidates import Candidate
from mmc.auto.plan import Plan, make_plan
from mmc.auto.report import Certainty, certainty, summary, table
from mmc.auto.search import nearest, search
from mmc.auto.states import AutoState
from mmc.base import StepwiseClusterer
from mmc.outliers import beyond_fences, reaches
from mmc.ranges import RANGES, whole
from mmc.stepping import OneCluster, State

Array = NDArray[np.float64]


class Problem(NamedTuple):
    """The points and what is asked for; no plan if all points are equal, or one cluster is asked for."""

    X: Array
    plan: Plan | None


class AutoClusterer(StepwiseClusterer):
    """Clusters without any setting: several methods are tried, and judged without true labels.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Number of clusters; None chooses it too. Allowed are 1 to 1,000,000.
    max_clusters : int, default=12
        Largest number of clusters that is tried if `n_clusters` is None. Allowed are 2 to 1,000.
    outliers : bool, default=False
        Whether points that belong nowhere get the label −1 (see `mmc.outliers`).
    n_references : int, default=4
        Number of times that the search is repeated on points without clusters, which tells whether there are
        clusters at all. 0 leaves this out and saves half of the time. Allowed are 0 to 100.
    time_limit : float, default=300.0
        Seconds after which the search ends with the best so far. Allowed are 1e-6 to 1e9.
    n_jobs : int, default=-1
        Number of processes as in joblib; −1 means all cores, 1 only this process, in which a time limit is
        noticed between two steps of a candidate.
    random_state : int, RandomState or None, default=None
        Seed of all candidates. An integer makes the fit reproducible, unless the time limit ends it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters_ − 1; −1 for outliers if these are asked for.
    n_clusters_ : int
        Number of clusters.
    best_estimator_ : estimator
        The chosen candidate, fitted. It is fitted again when it is first asked for.
    best_candidate_ : Candidate
        Algorithm and parameters of `best_estimator_`. Like it, and like `table_` and `certainty_`, it is not
        there if all points are equal, or if one cluster is asked for.
    table_ : DataFrame
        One row for each candidate: algorithm, setting, number of clusters, number of points, all judges,
        agreement, score, support, seconds, and why it was left out or failed.
    certainty_ : Certainty
        How far the runner-up is behind, how far methods agree, and what points without clusters score.
    summary_ : str
        The result in words: what was found, and how sure it is.
    outliers_ : ndarray of shape (n_samples,), bool
        Points that belong nowhere, whether or not `outliers` is set.
    objective_ : float
        Minus the score of the chosen candidate.
    n_iter_ : int
        Number of candidates that were tried.
    state_ : AutoState or OneCluster
        Last state of the search; without a search, why there is one cluster.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    *Candidates* are the settings that the registry's entries name, each for sizes of data at which it is
    quick: `UMCRLS` on graphs of 10 and of 20 neighbours and with the Gaussian kernel, `SelfTuningSpectral`
    with 20 neighbours, `Genie` with the thresholds 0.3 and 0.1, `Lumbermark`, and a Gaussian mixture. For
    each number of clusters the method is taken that has the highest agreement + normalized_cut + worst_cut +
    dbcv, and of these the number of clusters with the highest sum without dbcv, where the agreement is the
    mean adjusted Rand index with the other methods (`mmc.auto.choice`).

    *Whether there are clusters at all.* The same search is made on a Gaussian cloud and on a uniform box with
    the spread of the points. If the choice there scores as high, up to 0.2, `certainty_.has_clusters` is
    False and `summary_` says that these data show no clusters. The labels are then the best of no good ones.

    *Many points.* Beyond 2,000 points the number of clusters is chosen, and references are made, on a random
    sample of 2,000. All points are then clustered with that number. A search that ends before gives each
    point the label of the nearest sampled one.

    *Costs.* A candidate for each method and number of clusters, in as many processes as there are cores, or
    on a Dask cluster (see `mmc.engine`); without references half of it. ``python -m benchmarks.battery
    --cost`` prints times. Memory is that of the candidates and judges: an array of 5,000 × 5,000 numbers at
    most, and n × 7k for k clusters.

    *What was tried.* Candidates and judges were chosen on 241 public and generated sets, mostly on those that
    ``python -m benchmarks.battery`` does not report. Sums of judges did better than sums of their ranks; any
    weights between one half and two gave the same within 0.01. More methods (k-means, Ward, a mixture with
    one covariance, spectral clustering with 5 and 10 neighbours) made the agreement a worse judge. For the
    number of clusters, DBCV alone chose too many, LSMI always most, and the silhouette is fooled by clusters
    that are not round.

    If all points are equal, or `n_clusters` is 1, there is one cluster. If a fit is stopped, the best so
    far is kept. New points are assigned by `best_estimator_` if it can, and else join the cluster of their
    nearest training point, or of the nearest sampled one if the search has ended on a sample; then
    `decision_function` is 1 for that cluster and 0 for the others. On the training points `predict` equals
    `labels_`, except for outliers, which it assigns too, and where `best_estimator_` says otherwise
    (`UMCRLS` for a cluster of one point).

    Examples
    --------
    >>> from mmc import AutoClusterer
    >>> from mmc.datasets import make_moons
    >>> X, y = make_moons(150, random_state=0)
    >>> model = AutoClusterer(max_clusters=3, random_state=0, n_jobs=1).fit(X)
    >>> model.n_clusters_
    2
    >>> print(model.summary_.split(".")[0])
    2 clusters, found by Genie
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [RANGES["n_clusters"], None],
        "max_clusters": [whole(2, 1_000)],
        "outliers": ["boolean"],
        "n_references": [whole(0, 100)],
        "time_limit": [RANGES["time_limit"]],
        "n_jobs": [Integral],
        "random_state": ["random_state"],
    }

    n_clusters_: int

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        max_clusters: int = 12,
        outliers: bool = False,
        n_references: int = 4,
        time_limit: float = 300.0,
        n_jobs: int = -1,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.max_clusters = max_clusters
        self.outliers = outliers
        self.n_references = n_references
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def best_estimator_(self) -> BaseEstimator:
        """The chosen candidate, fitted; it is fitted again when it is first asked for."""
        return self._model(self._found)

    @property
    def best_candidate_(self) -> Candidate:
        """Algorithm and parameters of the chosen candidate."""
        return self._found.choice.best.candidate

    @property
    def table_(self) -> pd.DataFrame:
        """One row for each candidate."""
        return table(self._found)

    @property
    def certainty_(self) -> Certainty:
        """How sure the choice is."""
        return certainty(self._found)

    @property
    def summary_(self) -> str:
        """The result in words."""
        if isinstance(getattr(self, "state_", None), OneCluster):
            return self.state_.caption
        return summary(self._found)

    @property
    def _found(self) -> AutoState:
        check_is_fitted(self, "state_")
        if not isinstance(self.state_, AutoState):
            raise AttributeError(self.state_.caption)
        return self.state_

    def _prepare(self, X: Array) -> Problem:
        if self.n_clusters == 1:
            return Problem(X, None)
        seed = self.random_state
        if not isinstance(seed, Integral):
            seed = check_random_state(seed).randint(2**31 - 1)
        return Problem(
            X,
            make_plan(
                X,
                self.n_clusters,
                self.max_clusters,
                self.n_references,
                self.time_limit,
                self.n_jobs,
                int(seed),
            ),
        )

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self._points = problem.X
        self._models: dict[tuple[str, int, int], BaseEstimator] = {}
        self._reach: Array | None = None
        if problem.plan is None:
            why = "One is asked for" if self.n_clusters == 1 else "All points are equal"
            return 1, [[OneCluster.of(len(problem.X), f"{why}: one cluster, and no candidate was tried.")]]
        return 1, [self._states(problem.X, problem.plan)]

    def _states(self, X: Array, plan: Plan) -> Iterator[State]:
        return search(X, plan)

    def _adopt_one(self, state: OneCluster) -> None:
        self._adopt(state)

    def _adopt(self, state: State) -> None:
        self.n_clusters_ = len(np.unique(state.labels))
        if self.outliers:
            self.labels_ = np.where(self.outliers_, -1, state.labels)

    @property
    def _is_trivial(self) -> bool:
        return False  # outliers are told apart from one cluster, too

    @property
    def outliers_(self) -> NDArray[np.bool_]:
        """Points that belong nowhere."""
        check_is_fitted(self, "state_")
        if self._reach is None:  # the same for every state
            self._reach = reaches(self._points)
        return beyond_fences(self._reach, self.state_.labels)

    def _model(self, state: AutoState) -> BaseEstimator:
        """Fit the candidate of a state again, once."""
        best = state.choice.best
        points = self._points if state.rows is None else self._points[state.rows]
        key = (best.candidate.method, best.candidate.n_clusters, len(points))
        if key not in self._models:
            model = best.candidate.make()
            clusterers.end(model, points)
            self._models[key] = model
        return self._models[key]

    def _follow(self, X: Array) -> Callable[[Any], Array]:
        def values(state: AutoState) -> Array:
            if state.rows is not None:
                return self._joined(X, state, state.rows)
            model = self._model(state)
            found = clusterers.decision_values(model, X)
            if found is None:  # it cannot assign new points
                return self._joined(X, state, np.arange(len(state.labels)))
            return found(getattr(model, "state_", state))

        return values

    def _joined(self, X: Array, state: AutoState, rows: NDArray[np.int64]) -> Array:
        """Return 1 for the cluster of the nearest of some training points, and 0 for the others."""
        labels = state.labels[rows[nearest(self._points[rows], X)]]
        return np.eye(int(state.labels.max()) + 1)[labels]
