"""The steps of any clusterer: several for a class of this library, one for a class of scikit-learn.

Code that runs, scores, draws or saves a fit uses this module and treats both alike. A single step cannot be
interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import euclidean_distances
from sklearn.mixture import BayesianGaussianMixture
from sklearn.utils.validation import check_array

from mmc._threads import threads_kept
from mmc._warnings import warnings_kept
from mmc.base import StepwiseClusterer, lost_clusters, silent_steps
from mmc.hints import NO_HINTS, Given
from mmc.kernels import require_finite_products
from mmc.ranges import check_ranges
from mmc.steered import SteeredClusterer
from mmc.stepping import State, Step

Array = NDArray[np.float64]
#: Maps a state to the decision values of its clusters, an array of shape (n_points, n_clusters).
DecisionValues = Callable[[State], Array]

#: What a user can do whose fit by scikit-learn has fewer clusters than asked for.
_REMEDY = (
    "Ask for fewer clusters, try another seed (random_state) or more starts (n_init), or check the columns."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class WholeState(State):
    """The result of a fit that has a single step.

    Attributes
    ----------
    name : str
        Name of the estimator.
    warnings : str
        Warnings of the fit; empty if there were none.
    sure : ndarray of shape (n_samples,) or None
        Posterior of each point's own cluster, if the estimator has posteriors.
    has_border : bool
        Whether the estimator assigns new points to clusters.
    """

    name: str
    warnings: str = ""
    sure: Array | None = None
    has_border: bool = False

    @property
    def line(self) -> str:
        """Name of the last line, because only the end is known."""
        return "end"

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """The number of clusters, and the objective if the estimator reports it."""
        k = len(np.unique(self.labels))
        value = () if np.isnan(self.objective) else (("objective", f"{self.objective:.5g}"),)
        return (("clusters", str(k)), *value)

    @property
    def caption(self) -> str:
        """One sentence that describes the result."""
        k = len(np.unique(self.labels))
        value = "" if np.isnan(self.objective) else f", objective {self.objective:.6g}"
        return f"{self.name} is done: {k} cluster{'' if k == 1 else 's'}{value}"

    @property
    def warning(self) -> str:
        """Warnings of the fit, and of lost clusters."""
        return " ".join(filter(None, (self.warnings, self.lost)))

    @property
    def rings(self) -> str:
        """A sentence that says why a figure has no steps and, if so, no border."""
        border = "" if self.has_border else " It says nothing of other points, so that no border is drawn."
        return f"{self.name} comes from scikit-learn, which shows its result and not its steps.{border}"

    def confidence(self) -> Array | None:
        """Return the posterior of each point's own cluster, or None if the estimator has no posteriors."""
        return self.sure


def steps(estimator: BaseEstimator, X: ArrayLike, hints: Given = NO_HINTS) -> Iterator[Step]:
    """Fit a clusterer step by step; a class of scikit-learn makes a single step.

    The input is checked at once, before the first step. A fit with fewer clusters than asked for says so in
    the warning of its last state, and emits none.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Estimator to fit.
    X : array-like of shape (n_samples, n_features)
        Training points.
    hints : Given
        What is known of the clusters.

    Returns
    -------
    iterator of Step

    Raises
    ------
    ValueError
        If the parameters or the points are not allowed, or the method takes no such hints.
    """
    if hints.names() and not isinstance(estimator, SteeredClusterer):
        raise ValueError(
            f"{type(estimator).__name__} takes no hints, such as {hints.names()[0]}. Leave them out, or use "
            "UMCRLS, which keeps them."
        )
    if isinstance(estimator, StepwiseClusterer):
        return silent_steps(estimator, X, **(hints._asdict() if hints.names() else {}))
    check_ranges(estimator)
    points = check_array(X, dtype=np.float64, order="C", ensure_min_samples=2)
    require_finite_products(points)
    return _whole(estimator, points)


def end(
    estimator: BaseEstimator,
    X: ArrayLike,
    see: Callable[[Step], object] = lambda step: None,
    hints: Given = NO_HINTS,
) -> State:
    """Fit a clusterer and return the final state of its best start.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Estimator to fit.
    X : array-like of shape (n_samples, n_features)
        Training points.
    see : callable
        Called with every step.
    hints : Given
        What is known of the clusters.

    Returns
    -------
    State

    Raises
    ------
    ValueError
        If the parameters or the points are not allowed, or the method takes no such hints.
    """
    kept: State | None = None
    for step in steps(estimator, X, hints):
        see(step)
        if step.best:
            kept = step.state
    assert kept is not None  # every start ends
    return kept


def decision_values(estimator: BaseEstimator, X: ArrayLike) -> DecisionValues | None:
    """Return a function that computes the decision values at `X`; on a border the two highest are equal.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Fitted estimator.
    X : array-like of shape (n_points, n_features)
        Points to evaluate.

    Returns
    -------
    callable or None
        Maps a state to an array of shape (n_points, n_clusters); None if the estimator cannot assign new
        points.
    """
    if isinstance(estimator, StepwiseClusterer):
        return estimator.follow(X)
    if not hasattr(estimator, "predict"):
        return None
    if hasattr(estimator, "predict_proba"):
        # The logarithm keeps the border in place where posteriors are numerically 0 and 1.
        values = np.log(np.maximum(estimator.predict_proba(X), 1e-300))
    else:
        values = -np.asarray(euclidean_distances(X, estimator.cluster_centers_, squared=True))
    return lambda state: values


def _whole(estimator: BaseEstimator, X: Array) -> Iterator[Step]:
    with threads_kept(), warnings_kept() as messages:
        labels = np.asarray(_fit_predict(estimator, X), dtype=np.int64)
        posterior = estimator.predict_proba(X) if hasattr(estimator, "predict_proba") else None
    state = WholeState(
        labels=labels,
        objective=_objective(estimator),
        converged=True,
        progress=1.0,
        name=type(estimator).__name__,
        warnings=" ".join(dict.fromkeys(" ".join(message.split()) for message in messages)),
        sure=None if posterior is None else posterior[np.arange(len(labels)), labels],
        has_border=hasattr(estimator, "predict"),
        # A Bayesian mixture is given the largest number of clusters and means to empty some.
        lost=""
        if isinstance(estimator, BayesianGaussianMixture)
        else lost_clusters(estimator, labels, _REMEDY),
    )
    yield Step(0, state, "converged", best=True)


def _fit_predict(estimator: BaseEstimator, X: Array) -> ArrayLike:
    """Fit and return the labels; every error that the data cause is raised as a ValueError."""
    try:
        return estimator.fit_predict(X)
    except ValueError:
        raise
    except (TypeError, RuntimeError) as error:
        raise ValueError(f"{type(estimator).__name__} cannot cluster these points: {error}") from error


def _objective(estimator: BaseEstimator) -> float:
    """Return the inertia of k-means or the negative lower bound of a mixture; NaN for other estimators."""
    if hasattr(estimator, "lower_bound_"):
        return -float(estimator.lower_bound_)
    return float(getattr(estimator, "inertia_", np.nan))
