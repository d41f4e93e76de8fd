"""Clusterers that take hints: known labels, points that belong together or apart, and weights of points.

The arguments of `fit` are those of scikit-learn: y holds −1 where nothing is known, and the others are
metadata, which a pipeline passes on after `set_fit_request`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mmc._points import Points
from mmc._sklearn import check_parameters
from mmc.base import StepwiseClusterer
from mmc.hints import Given, Hints, read_hints
from mmc.stepping import Step

#: Names of all hints, as `Given.names` has them.
ALL_HINTS = ("known labels in y", "must_link", "cannot_link", "sample_weight")


class SteeredClusterer(StepwiseClusterer):
    """Base class of clusterers that take hints; a subclass defines `_prepare_steered`."""

    #: Hints that the mathematics of the method allows.
    _takes: ClassVar[tuple[str, ...]] = ALL_HINTS

    #: Why the others are refused, as a sentence.
    _refusal: ClassVar[str] = ""

    n_clusters: int

    def iter_fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Iterator[Step]:
        """Check the input at once, then fit step by step.

        Before each yield the estimator adopts the state and can be used as it is. When the iterator ends or
        is closed, the estimator adopts the end of the best start so far, or the latest state if no start has
        ended. A fit that ends with fewer clusters than asked for emits a `ConvergenceWarning`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,), default=None
            Clusters of known points, from 0 to n_clusters − 1, and −1 for the others, as in scikit-learn's
            semi-supervised methods. A y without −1 is ignored, as by every clusterer.
        must_link : array-like of shape (n_links, 2), default=None
            Pairs of rows of `X` that belong to one cluster.
        cannot_link : array-like of shape (n_links, 2), default=None
            Pairs of rows that belong to different clusters.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the points, above 0. A point of weight 2 counts as the same point twice.

        Returns
        -------
        iterator of Step

        Raises
        ------
        ValueError
            If the parameters, the points or the hints are not allowed.
        """
        check_parameters(self)
        checked = self._fitting_points(X)
        given = Given(y, must_link, cannot_link, sample_weight)
        if refused := [name for name in given.names() if name not in self._takes]:
            raise ValueError(f"{type(self).__name__} takes no {' and no '.join(refused)}. {self._refusal}")
        hints = read_hints(given, checked.shape[0], self.n_clusters)
        if self._is_trivial:
            hints.start(np.zeros(checked.shape[0], dtype=np.int64), 1)  # refuses links apart
        return self._begin(checked, lambda: self._prepare_steered(checked, hints))

    def fit(
        self,
        X: ArrayLike,
        y: object = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit to the end, and emit a `ConvergenceWarning` if there are fewer clusters than asked for.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,), default=None
            Clusters of known points, and −1 for the others; see `iter_fit`.
        must_link : array-like of shape (n_links, 2), default=None
            Pairs of rows of `X` that belong to one cluster.
        cannot_link : array-like of shape (n_links, 2), default=None
            Pairs of rows that belong to different clusters.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the points, above 0.

        Returns
        -------
        self
        """
        steps = self.iter_fit(X, y, must_link=must_link, cannot_link=cannot_link, sample_weight=sample_weight)
        return self._exhaust(steps, X, y)

    def fit_predict(self, X: ArrayLike, y: object = None, **hints: Any) -> NDArray[np.int64]:
        """Fit, and return the labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training points.
        y : array-like of shape (n_samples,), default=None
            Clusters of known points, and −1 for the others; see `iter_fit`.
        **hints : array-like
            Further arguments of `fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self.fit(X, y, **hints).labels_

    @abstractmethod
    def _prepare_steered(self, X: Points, hints: Hints) -> Any:
        """Check `X` against the parameters and build what stays fixed during the search."""

    def _prepare(self, X: Points) -> Any:
        return self._prepare_steered(X, Hints.none(X.shape[0]))
