"""Ridge regression on few features: the hat matrix as a product W Wᵀ of n×r arrays.

For features G of n×r and penalties ω of their coefficients, M Mᵀ = Gᵀ G + diag(ω) gives the hat matrix
R = W Wᵀ with W = G M⁻ᵀ. With an unpenalised intercept the columns of G are centred first, and W gets one more
column of 1/√n. The value of the model with labels y at a point is w·(Wᵀ y), w being its row.

With weights v of the points, a point counts like v equal points: moments, mean and n are sums with weights,
and the value of a model is w·(Wᵀ (v y)).

Features come from landmarks (`mmc.kernels.landmarks`), from a graph of neighbours
(`mmc.kernels.neighbor_graph`), or from a graph of landmarks (`mmc.kernels.landmark_graph`).

Costs: n r² multiplications and two n×r arrays. Beyond 5,000 points W is float32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy import linalg

from mmc._points import Points
from mmc.kernels.neighbors import EXACT, Array, Floats


class RawFeatures(Protocol):
    """Features of any points."""

    @property
    def n_compared(self) -> int:
        """Number of values that one array holds of a new point."""

    def __call__(self, X: Points, /) -> Floats:
        """Return the features of new points, an array of shape (n_points, r)."""

    def factors(self, X: Points, /) -> tuple[Floats, Array | None]:
        """Return two arrays whose product are the features, the second of which does not depend on X."""


@dataclass(frozen=True, eq=False)
class Features:
    """Rows of W for any points.

    Attributes
    ----------
    raw : callable
        Returns the features of new points, an array of shape (n_points, r).
    transform : ndarray of shape (r, r)
        M⁻ᵀ.
    mean : ndarray of shape (r,) or None
        Mean of the features of the training points, if there is an intercept.
    n : float
        Number of training points, or the sum of their weights.
    """

    raw: RawFeatures
    transform: Array
    mean: Array | None
    n: float

    @property
    def n_compared(self) -> int:
        """Number of values that one array holds of a new point."""
        return self.raw.n_compared

    def __call__(self, X: Points) -> Floats:
        """Return the rows of new points.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_points, n_features)

        Returns
        -------
        ndarray of shape (n_points, n_columns)
        """
        return self.rows(self.raw(X))

    def follow(self, X: Points) -> Callable[[Array], Array]:
        """Return a function that computes the values of models at new points.

        Kernel values at landmarks are multiplied with one column for each model, not with a column for each
        feature, which are many more.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_points, n_features)

        Returns
        -------
        callable
            Maps models, an array of shape (k, n_columns), to their values of shape (n_points, k).
        """
        left, right = self.raw.factors(X)
        if right is None:
            rows = self.rows(left)
            return lambda models: np.asarray(rows @ models.T.astype(rows.dtype), dtype=np.float64)

        def values(models: Array) -> Array:
            r = len(self.transform)
            weights = self.transform @ models[:, :r].T
            found = np.asarray(left @ (right @ weights))
            return found if self.mean is None else found + (self.n**-0.5 * models[:, r] - self.mean @ weights)

        return values

    def rows(self, G: Floats) -> Floats:
        """Return the rows of points whose features are known."""
        transform = self.transform.astype(G.dtype)
        if self.mean is None:
            return np.ascontiguousarray(G @ transform)
        result = np.empty((len(G), G.shape[1] + 1), dtype=G.dtype)
        result[:, :-1] = (G - self.mean.astype(G.dtype)) @ transform
        result[:, -1] = self.n**-0.5
        return result


class Factor(NamedTuple):
    """A hat matrix W Wᵀ.

    Attributes
    ----------
    W : ndarray of shape (n, r)
        Factor, in C order.
    features : Features
        Rows of W for new points.
    """

    W: Floats
    features: Features


def ridge_factor(
    G: Floats,
    raw: RawFeatures,
    penalties: Array,
    *,
    fit_intercept: bool,
    weights: Array | None = None,
) -> Factor:
    """Factor the hat matrix of ridge regression on features.

    Parameters
    ----------
    G : ndarray of shape (n, r)
        Features of the training points.
    raw : callable
        Returns the features of new points.
    penalties : ndarray of shape (r,)
        Penalty of each coefficient, not negative.
    fit_intercept : bool
        Whether there is an unpenalised intercept.
    weights : ndarray of shape (n,) or None, default=None
        Weights of the training points; None means 1 for each.

    Returns
    -------
    Factor
    """
    mean = None
    if fit_intercept:
        mean = G.mean(axis=0, dtype=np.float64) if weights is None else weights @ G / weights.sum()
    moments = np.zeros((G.shape[1], G.shape[1]))
    for first in range(0, len(G), EXACT):
        rows = G[first : first + EXACT].astype(np.float64)
        rows = rows if mean is None else rows - mean
        moments += rows.T @ (rows if weights is None else rows * weights[first : first + EXACT, None])
    moments[np.diag_indices_from(moments)] += penalties
    transform = linalg.inv(linalg.cholesky(moments, lower=True)).T
    features = Features(raw, transform, mean, len(G) if weights is None else float(weights.sum()))
    return Factor(features.rows(G), features)
