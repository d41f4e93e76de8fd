"""The classifiers of `mmc.maxmargin.machines` in r features, K = Φ Φᵀ, without an n×n array.

A classifier is its weights w, so that f = Φ w + b. The least-squares SVM factors an r×r matrix once, and
training it then takes two products with Φ. SVM and SVR are solved by `mmc.maxmargin.feature_program`, each
from the solution before it. Weights v_i of the points multiply their losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from mmc._points import Points
from mmc.kernels.low_rank import FeatureMap
from mmc.maxmargin.binary import Labels, signs
from mmc.maxmargin.feature_program import Bounds, solve
from mmc.maxmargin.losses import Hinge, Insensitive, Square
from mmc.maxmargin.machines import Array, Machine, Trained


class _Centred(Machine):
    """Base class of classifiers on centred features, in which the bias is the mean of what is left."""

    def __init__(self, Phi: Array, C: float, weights: Array | None) -> None:
        self._C, self._weights = C, weights
        self._mean = np.average(Phi, axis=0, weights=weights)
        self._Phi = Phi - self._mean

    def _trained(self, w: Array, bias: float, **more: Any) -> Trained:
        """Return a classifier on the features as they are."""
        shift = float(self._mean @ w)
        return Trained(w, self._Phi @ w + shift, bias - shift, float(w @ w), **more)


class FeatureLeastSquares(_Centred):
    """The least-squares SVM of [iterSVR] section III-C: ridge regression with λ = 1/C in r features."""

    def __init__(self, Phi: Array, C: float, weights: Array | None = None) -> None:
        super().__init__(Phi, C, weights)
        self.loss, self.price = Square(), C
        rows = self._Phi if weights is None else self._Phi * np.sqrt(weights)[:, None]
        moments = rows.T @ rows
        # Rounding makes eigenvalues that are zero slightly negative, which would count beside a small 1/C.
        ridge = max(1.0 / C, len(moments) * float(np.finfo(float).eps) * float(np.trace(moments)))
        moments[np.diag_indices_from(moments)] += ridge
        self._factor = linalg.cho_factor(moments, lower=True, overwrite_a=True, check_finite=False)

    def train(self, y: Array, before: Trained | None = None) -> Trained:
        """Train on labels −1 and +1."""
        centred = y - np.average(y, weights=self._weights)
        target = centred if self._weights is None else self._weights * centred
        w = linalg.cho_solve(self._factor, self._Phi.T @ target, check_finite=False)
        return self._trained(w, float(np.average(y, weights=self._weights)))


class _Solved(_Centred):
    """Base class of classification and regression by `mmc.maxmargin.feature_program`."""

    def __init__(self, Phi: Array, C: float, weights: Array | None) -> None:
        super().__init__(Phi, C, weights)
        self.price = 2.0 * C
        self._costs = np.full(len(Phi), C) if weights is None else C * weights

    def _solve(self, bounds: Bounds, before: Trained | None) -> Trained:
        found = solve(self._Phi, bounds, None if before is None else before.solution)
        return self._trained(found.w, found.b, complete=found.complete, solution=found)


class FeatureSVM(_Solved):
    """The support vector machine of [iterSVR] eq. 3 in r features."""

    def __init__(self, Phi: Array, C: float, weights: Array | None = None) -> None:
        super().__init__(Phi, C, weights)
        self.loss = Hinge()

    def train(self, y: Array, before: Trained | None = None) -> Trained:
        """Train on labels −1 and +1; if all labels are equal, return the trivial solution f = y."""
        if (y == y[0]).all():
            return self._trained(np.zeros(self._Phi.shape[1]), float(y[0]))
        ends = self._costs * y
        return self._solve(Bounds(y, np.minimum(ends, 0.0), np.maximum(ends, 0.0), 0.0), before)


class FeatureSVR(_Solved):
    """Support vector regression on the labels, [iterSVR] section III-B, in r features."""

    def __init__(self, Phi: Array, C: float, epsilon: float, weights: Array | None = None) -> None:
        super().__init__(Phi, C, weights)
        self.loss, self._epsilon = Insensitive(epsilon), epsilon

    def train(self, y: Array, before: Trained | None = None) -> Trained:
        """Train on labels −1 and +1."""
        return self._solve(Bounds(y, -self._costs, self._costs, self._epsilon), before)


@dataclass(frozen=True, eq=False)
class FeatureJudge:
    """Computes the SVM objective of a labelling, [iterSVR] eq. 3, in r features.

    Like `mmc.maxmargin.machines.Judge` it keeps the points and not what is computed from them, so that a
    stored state does not keep n r numbers.

    Attributes
    ----------
    features : FeatureMap
    X : ndarray or csr_array of shape (n_samples, n_features)
        The training points.
    C : float
        Cost of an error.
    weights : ndarray or None
        Weights of the points.
    """

    features: FeatureMap
    X: Points
    C: float
    weights: Array | None = None

    def objective(self, labels: Labels) -> float:
        """Return min ‖w‖² + 2C Σ v_i ξ_i for these labels; 0 if all labels are equal."""
        machine = FeatureSVM(self.features(self.X), self.C, self.weights)
        y = signs(labels)
        trained = machine.train(y)
        losses = machine.loss(y * (trained.values + trained.bias))
        return trained.norm + machine.price * float(
            losses.sum() if self.weights is None else self.weights @ losses
        )
