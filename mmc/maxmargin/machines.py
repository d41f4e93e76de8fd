"""The classifiers that maximum-margin clustering trains repeatedly on one kernel matrix.

Training takes labels y in {−1, +1}ⁿ and returns coefficients a, the values K a without a bias, ‖w‖² = aᵀK a,
and the bias that belongs to these labels. The kernel matrix is computed once. scikit-learn's libsvm reads it
in place; it has no warm start, so that every training begins at zero. The least-squares SVM is factored once,
and training it then takes two triangular solves.

Weights v_i of the points multiply their losses: the objective is ‖w‖² + price · Σ v_i loss.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn import config_context

from mmc._sklearn import QuietSVC, QuietSVR
from mmc.kernels import Kernel
from mmc.kernels.hat_matrix import Factor, Spectrum
from mmc.maxmargin.binary import signs
from mmc.maxmargin.losses import Hinge, Insensitive, Loss, Square

Array = NDArray[np.float64]

#: Steps of libsvm times points at which a training is stopped; `Trained.complete` is then False.
_EFFORT = 5e9


class Trained(NamedTuple):
    """A classifier trained on labels.

    Attributes
    ----------
    dual : ndarray of shape (n,)
        Coefficients a, or the weights w of r features.
    values : ndarray of shape (n,)
        K a, or Φ w.
    bias : float
        b.
    norm : float
        ‖w‖².
    complete : bool
        False if the solver was stopped before it converged.
    solution : object
        What a warm start begins with; None if the machine knows none.
    """

    dual: Array
    values: Array
    bias: float
    norm: float
    complete: bool = True
    solution: Any = None


class Machine(ABC):
    """A classifier on a fixed kernel matrix, or on features (`mmc.maxmargin.feature_machines`).

    Attributes
    ----------
    loss : Loss
    price : float
        Factor of the total loss in the objective ‖w‖² + price · Σ v_i loss.
    """

    loss: Loss
    price: float

    @abstractmethod
    def train(self, y: Array, before: Trained | None = None) -> Trained:
        """Train on labels −1 and +1, both of which occur.

        Parameters
        ----------
        y : ndarray of shape (n,)
            Labels.
        before : Trained or None, default=None
            Result for similar labels, from which a machine with warm starts begins.

        Returns
        -------
        Trained
        """


class _LibSVM(Machine):
    """Base class of classification and regression by libsvm."""

    def __init__(self, K: Array, C: float, effort: float | None = None, weights: Array | None = None) -> None:
        self.price = 2.0 * C  # ‖w‖² + 2C Σξ of the paper is twice libsvm's objective
        self._K, self._weights = K, weights
        # The cache holds every row of the kernel in single precision, up to half a gigabyte.
        self._settings: dict[str, Any] = {
            "kernel": "precomputed",
            "C": C,
            "cache_size": min(512, 8 + 4 * len(K) ** 2 / 2**20),
            "max_iter": min(int((effort or _EFFORT) / len(K)), 2**31 - 1),  # libsvm counts in a C int
        }

    def _fit(self, model: Any, y: Array) -> Trained:
        model.random_state = 0  # else it draws a number, which nothing uses, from NumPy's global generator
        with config_context(assume_finite=True):
            model.fit(self._K, y, self._weights)
        dual = np.zeros(len(y))
        dual[model.support_] = model.dual_coef_[0]
        values = self._K @ dual
        norm, complete = float(dual @ values), model.fit_status_ == 0
        return Trained(dual, values, float(model.intercept_[0]), norm, complete)


class SVMachine(_LibSVM):
    """The support vector machine of [iterSVR] eq. 3."""

    def __init__(self, K: Array, C: float, effort: float | None = None, weights: Array | None = None) -> None:
        super().__init__(K, C, effort, weights)
        self.loss = Hinge()

    def train(self, y: Array, before: Trained | None = None) -> Trained:
        """Train on labels −1 and +1; if all labels are equal, return the trivial solution f = y."""
        if (y == y[0]).all():
            return Trained(np.zeros(len(y)), np.zeros(len(y)), float(y[0]), 0.0)
        return self._fit(QuietSVC(**self._settings), y)


class SVRMachine(_LibSVM):
    """Support vector regression on the labels, [iterSVR] section III-B."""

    def __init__(self, K: Array, C: float, epsilon: float, weights: Array | None = None) -> None:
        super().__init__(K, C, weights=weights)
        self.loss = Insensitive(epsilon)
        self._settings["epsilon"] = epsilon

    def train(self, y: Array, before: Trained | None = None) -> Trained:
        """Train on labels −1 and +1."""
        return self._fit(QuietSVR(**self._settings), y)


class LeastSquaresMachine(Machine):
    """The least-squares SVM of [iterSVR] section III-C: ridge regression with λ = 1/C; `K` is overwritten."""

    def __init__(self, K: Array, C: float, *, is_psd: bool) -> None:
        self.loss, self.price = Square(), C
        self._anchor = K[0].copy()
        self._factor = Factor(K, 1.0 / C, is_psd=is_psd)

    def train(self, y: Array, before: Trained | None = None) -> Trained:
        """Train on labels −1 and +1."""
        dual, fitted = self._factor.solve(y)
        values = fitted + (self._anchor @ dual - fitted[0])
        return Trained(dual, values, float((y - values).mean()), float(dual @ values))


class WeightedLeastSquaresMachine(Machine):
    """The least-squares SVM with weights of the points; `K` is overwritten.

    With a = V^½ u for V = diag(v), the optimum of ‖w‖² + C Σ v_i (y_i − f_i)² is that of ridge regression of
    V^½ y on the kernel V^½ K V^½, with V^½ 1 in place of the intercept's 1. The intercept is projected out,
    and one Cholesky factor serves all labels. If a kernel is not known to be positive semi-definite, or
    rounding leaves no factor, an eigendecomposition serves them, with the positive part of that matrix.
    """

    def __init__(self, K: Array, C: float, weights: Array, *, is_psd: bool) -> None:
        self.loss, self.price = Square(), C
        self._anchor = K[0].copy()
        self._weights, self._roots = weights, np.sqrt(weights)
        unit = self._unit = self._roots / np.linalg.norm(self._roots)
        K *= np.multiply.outer(self._roots, self._roots)
        mean = K @ unit
        K -= np.multiply.outer(mean, unit)
        K -= np.multiply.outer(unit, mean - (unit @ mean) * unit)
        self._cholesky: Array | None = None
        if is_psd:
            diagonal = K.diagonal().copy()
            np.fill_diagonal(K, diagonal + 1.0 / C)
            with suppress(linalg.LinAlgError):
                self._cholesky = linalg.cholesky(K, lower=True, check_finite=False)
            np.fill_diagonal(K, diagonal)
        self._spectrum = None if self._cholesky is not None else Spectrum(K, centred=True)

    def train(self, y: Array, before: Trained | None = None) -> Trained:
        """Train on labels −1 and +1."""
        half, fitted = self._solve(self._roots * (y - np.average(y, weights=self._weights)))
        # Rounding mixes the intercept with vectors that the kernel does not know, some of which are left out.
        dual = self._roots * (half - (self._unit @ half) * self._unit)
        values = fitted / self._roots
        values += self._anchor @ dual - values[0]
        bias = float(np.average(y - values, weights=self._weights))
        return Trained(dual, values, bias, float(dual @ values))

    def _solve(self, target: Array) -> tuple[Array, Array]:
        """Return u of ridge regression, and its values."""
        if self._spectrum is None:
            half = linalg.cho_solve((self._cholesky, True), target, check_finite=False)
            return half, target - half / self.price
        values, vectors = self._spectrum.values, self._spectrum.vectors
        parts = vectors.T @ target / (values + 1.0 / self.price)
        return vectors @ parts, vectors @ (values * parts)


class Judge:
    """Computes the SVM objective of a labelling, [iterSVR] eq. 3, by training an SVM on it.

    It keeps the points and not the kernel matrix, so that a stored state does not keep n² numbers. For a
    precomputed kernel it keeps the matrix.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray
        The training points, or the precomputed kernel matrix.
    C : float
        Cost of an error.
    weights : ndarray or None, default=None
        Weights of the points.
    """

    _weights: Array | None = None  # older model files have none

    def __init__(self, kernel: Kernel, X: Array, C: float, weights: Array | None = None) -> None:
        self._kernel, self._X, self._C, self._weights = kernel, X, C, weights

    def objective(self, labels: NDArray[np.int64]) -> float:
        """Return min ‖w‖² + 2C Σ v_i ξ_i for these labels; 0 if all labels are equal."""
        machine = SVMachine(self._kernel(self._X), self._C, weights=self._weights)
        trained = machine.train(signs(labels))
        # At the optimum the dual objective has the same value, and it does not depend on the bias.
        return float(2.0 * np.abs(trained.dual).sum() - trained.norm)
