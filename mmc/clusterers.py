"""Any clusterer as steps: an algorithm of this library by its own, one of scikit-learn by a single step.

Code that runs, scores, draws or saves a fit uses this module and need not know which of the two it is. A
single step cannot be interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import euclidean_distances
from sklearn.utils.validation import check_array

from mmc._threads import threads_kept
from mmc._warnings import warnings_kept
from mmc.base import StepwiseClusterer
from mmc.stepping import State, Step

Array = NDArray[np.float64]
#: From a state to the decision values of its clusters, an array of shape (n_points, n_clusters).
DecisionValues = Callable[[State], Array]


@dataclass(frozen=True, kw_only=True, eq=False)
class WholeState(State):
    """The end of a fit that tells nothing of its way.

    Attributes
    ----------
    name : str
        Of the estimator.
    warnings : str
        What its fit warned of; empty where it did not.
    sure : ndarray of shape (n_samples,) or None
        Posterior of the own cluster, where the estimator has posteriors.
    has_border : bool
        Whether the estimator says anything of other points.
    """

    name: str
    warnings: str = ""
    sure: Array | None = None
    has_border: bool = False

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        k = int(self.labels.max()) + 1
        value = "" if np.isnan(self.objective) else f", objective {self.objective:.6g}"
        return f"{self.name} is done: {k} cluster{'' if k == 1 else 's'}{value}"

    @property
    def warning(self) -> str:
        """What the fit warned of."""
        return self.warnings

    @property
    def rings(self) -> str:
        """What is said of a picture without steps."""
        border = "" if self.has_border else " It says nothing of other points, so that no border is drawn."
        return f"{self.name} comes from scikit-learn, which shows its result and not its steps.{border}"

    def confidence(self) -> Array | None:
        """Give the posterior of the own cluster, or None where the estimator has none."""
        return self.sure


def steps(estimator: BaseEstimator, X: ArrayLike) -> Iterator[Step]:
    """Fit a clusterer step by step; one that knows no steps makes a single one.

    The input is checked at once, before the first step.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Is fitted.
    X : array-like of shape (n_samples, n_features)

    Returns
    -------
    iterator of Step
    """
    if isinstance(estimator, StepwiseClusterer):
        return estimator.iter_fit(X)
    return _whole(estimator, check_array(X, dtype=np.float64, order="C", ensure_min_samples=2))


def end(estimator: BaseEstimator, X: ArrayLike, see: Callable[[Step], object] = lambda step: None) -> State:
    """Fit a clusterer and give the state that it ends with: of several starts that of the best.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Is fitted.
    X : array-like of shape (n_samples, n_features)
    see : callable
        Is shown every step.

    Returns
    -------
    State
    """
    kept: State | None = None
    for step in steps(estimator, X):
        see(step)
        if step.best:
            kept = step.state
    assert kept is not None  # every start ends
    return kept


def decision_values(estimator: BaseEstimator, X: ArrayLike) -> DecisionValues | None:
    """Make a function that gives the decision values at `X`; a border is where the two highest are equal.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Fitted.
    X : array-like of shape (n_points, n_features)

    Returns
    -------
    callable or None
        None where the estimator says nothing of other points.
    """
    if isinstance(estimator, StepwiseClusterer):
        return estimator.follow(X)
    if not hasattr(estimator, "predict"):
        return None
    if hasattr(estimator, "predict_proba"):
        # The logarithm keeps the border in its place where posteriors are as good as 0 and 1.
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
    )
    yield Step(0, state, "converged", best=True)


def _fit_predict(estimator: BaseEstimator, X: Array) -> ArrayLike:
    """Fit; what the data do not allow is a ValueError, also where a solver below calls it otherwise."""
    try:
        return estimator.fit_predict(X)
    except ValueError:
        raise
    except (TypeError, RuntimeError) as error:
        raise ValueError(f"{type(estimator).__name__} cannot cluster these points: {error}") from error


def _objective(estimator: BaseEstimator) -> float:
    """Give what the estimator minimised: k-means tells it, a mixture its negative; others do not."""
    if hasattr(estimator, "lower_bound_"):
        return -float(estimator.lower_bound_)
    return float(getattr(estimator, "inertia_", np.nan))
