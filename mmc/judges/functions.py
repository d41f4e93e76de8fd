"""The judges as functions of points and labels, and as scorers of scikit-learn.

To score several labellings of the same points, create one `Judges` and ask it for each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from mmc._checks import nearest, quoted
from mmc.judges.agreement import stability
from mmc.judges.scores import OF_KERNELS, Judges, needs_points
from mmc.judges.table import JUDGES


def worst_cut(X: ArrayLike, labels: ArrayLike, *, random_state: int = 0) -> float:
    """Return how badly the worst cluster is learned by ridge regression, between −1 and 0; 0 is perfectly.

    It takes n³ time and n² memory up to 2,000 points, beyond that n p² and n p for 500 landmarks. Of more
    than 20,000 points a random sample of 20,000 is used.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    labels : array-like of shape (n_samples,)
        Labels of any type.
    random_state : int, default=0
        Seed of the landmarks and the sample.

    Returns
    -------
    float

    Examples
    --------
    >>> from mmc.datasets import make_moons
    >>> from mmc.judges import worst_cut
    >>> X, y = make_moons(100, random_state=0)
    >>> worst_cut(X, y) > worst_cut(X, X[:, 0] > 0.5)
    True
    """
    return Judges(X, random_state=random_state).score("worst_cut", labels)


def normalized_cut(X: ArrayLike, labels: ArrayLike, *, random_state: int = 0) -> float:
    """Return minus the mean share of each cluster's links that leave it, on the graph of 10 neighbours.

    It takes a search for neighbours and then 10 n operations; memory is proportional to n. Of more than
    20,000 points a random sample of 20,000 is used.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    labels : array-like of shape (n_samples,)
        Labels of any type.
    random_state : int, default=0
        Seed of the sample.

    Returns
    -------
    float
        Number between −1 and 0; 0 means that no link leaves a cluster.
    """
    return Judges(X, random_state=random_state).score("normalized_cut", labels)


def dbcv(X: ArrayLike, labels: ArrayLike, *, random_state: int = 0) -> float:
    """Return the density-based cluster validity; `mmc.judges.density` says what it is.

    It takes n² time and memory up to 5,000 points, and uses a random sample of 5,000 beyond that.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    labels : array-like of shape (n_samples,)
        Labels of any type; the number −1 means noise.
    random_state : int, default=0
        Seed of the sample.

    Returns
    -------
    float
        Number between −1 and 1.
    """
    return Judges(X, random_state=random_state).score("dbcv", labels)


def neighbor_agreement(X: ArrayLike, labels: ArrayLike, *, random_state: int = 0) -> float:
    """Return the share of the 5 nearest neighbours that have the label of the point.

    It takes a search for neighbours and then 5 n operations; memory is proportional to n. Of more than
    20,000 points a random sample of 20,000 is used.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    labels : array-like of shape (n_samples,)
        Labels of any type.
    random_state : int, default=0
        Seed of the sample.

    Returns
    -------
    float
        Number between 0 and 1.
    """
    return Judges(X, random_state=random_state).score("neighbors", labels)


def silhouette(X: ArrayLike, labels: ArrayLike, *, random_state: int = 0) -> float:
    """Return the mean silhouette coefficient as scikit-learn computes it.

    It takes n² time and memory up to 5,000 points, and uses a random sample of 5,000 beyond that.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    labels : array-like of shape (n_samples,)
        Labels of any type.
    random_state : int, default=0
        Seed of the sample.

    Returns
    -------
    float
        Number between −1 and 1.
    """
    return Judges(X, random_state=random_state).score("silhouette", labels)


class JudgeScorer:
    """A judge as scikit-learn calls it: with a fitted estimator and points.

    Parameters
    ----------
    name : str
        Key of `JUDGES`.
    random_state : int, default=0
        Seed of the judge.
    """

    def __init__(self, name: str, random_state: int = 0) -> None:
        if name not in JUDGES:
            raise ValueError(f"There is no judge {quoted(name)}: {nearest(str(name), JUDGES)}")
        self.name = name
        self.random_state = random_state

    def __repr__(self) -> str:
        return f"judge_scorer({self.name!r}, random_state={self.random_state})"

    def __call__(self, estimator: BaseEstimator, X: ArrayLike, y: object = None) -> float:
        """Score the labels that an estimator gives to points.

        Parameters
        ----------
        estimator : estimator
            Fitted clusterer.
        X : array-like of shape (n_samples, n_features)
            Points.
        y : object
            Ignored.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the estimator has no labels for these points.
        """
        if self.name == "stability":
            return stability(estimator, X, random_state=self.random_state)
        require_points(self.name, estimator)
        judges = Judges(X, random_state=self.random_state, kernel=kernel_of(estimator))
        return judges.score(self.name, _labels(estimator, X))


def judge_scorer(name: str, *, random_state: int = 0) -> JudgeScorer:
    """Return a judge for `scoring` of scikit-learn's GridSearchCV, cross_validate and others.

    The labels of points are `predict(X)`, or `labels_` for an estimator without `predict`, which then must be
    scored on its training points: give scikit-learn ``cv=[(rows, rows)]`` with ``rows = np.arange(len(X))``.

    Parameters
    ----------
    name : str
        Key of `JUDGES`.
    random_state : int, default=0
        Seed of the judge.

    Returns
    -------
    JudgeScorer
        Callable ``scorer(estimator, X, y=None)``, which can be pickled.

    Raises
    ------
    ValueError
        If there is no such judge.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from sklearn.model_selection import GridSearchCV
    >>> from mmc.datasets import make_three_gaussians
    >>> from mmc.judges import judge_scorer
    >>> X, y = make_three_gaussians(150, random_state=0)
    >>> search = GridSearchCV(KMeans(random_state=0), {"n_clusters": [2, 3, 4]}, scoring=judge_scorer("dbcv"))
    >>> search.fit(X).best_params_
    {'n_clusters': 3}
    """
    return JudgeScorer(name, random_state)


def require_points(name: str, estimator: BaseEstimator) -> None:
    """Refuse to judge the labels of an estimator that takes a kernel matrix in place of points.

    Parameters
    ----------
    name : str
        Key of `JUDGES`.
    estimator : estimator
        Clusterer.

    Raises
    ------
    ValueError
        If the judge needs points.
    """
    if kernel_of(estimator) == "precomputed" and name not in ("stability", *OF_KERNELS):
        raise ValueError(needs_points(name))


def kernel_of(estimator: BaseEstimator) -> str:
    """Return "precomputed" if an estimator takes a kernel matrix, else "rbf", as `Judges` has it.

    Parameters
    ----------
    estimator : estimator
        Clusterer.

    Returns
    -------
    str
    """
    return "precomputed" if estimator.__sklearn_tags__().input_tags.pairwise else "rbf"


def _labels(estimator: BaseEstimator, X: ArrayLike) -> ArrayLike:
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    labels = getattr(estimator, "labels_", None)
    n = len(np.asarray(X))
    if labels is None or len(labels) != n:
        raise ValueError(
            f"{type(estimator).__name__} has no labels for these {n} points, because it cannot predict. "
            "Score it on its training points: cv=[(rows, rows)] with rows = np.arange(len(X))."
        )
    return labels
