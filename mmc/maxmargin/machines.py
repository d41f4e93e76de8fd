"""The classifiers that iterative maximum-margin clustering trains again and again, on one kernel matrix.

Each is given labels y in {−1, +1}ⁿ and answers with coefficients a, the values K a without a bias,
‖w‖² = aᵀK a, and the bias that belongs to these very labels. The kernel matrix is made once. scikit-learn's
libsvm reads it where it lies; it knows no warm start, so that every training begins at zero. The machine of
least squares is factored once, and training it is one pair of triangular solves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context

from mmc._sklearn import QuietSVC, QuietSVR
from mmc.kernels import Kernel
from mmc.kernels.hat_matrix import Factor
from mmc.maxmargin.binary import signs
from mmc.maxmargin.losses import Hinge, Insensitive, Loss, Square

Array = NDArray[np.float64]

#: Steps of libsvm times points: a training that needs more is stopped there, which its answer says.
_EFFORT = 5e9


class Trained(NamedTuple):
    """A classifier trained on labels.

    Attributes
    ----------
    dual : ndarray of shape (n,)
        Coefficients a.
    values : ndarray of shape (n,)
        K a.
    bias : float
    norm : float
        ‖w‖².
    complete : bool
        False if the solver was stopped before it had converged.
    """

    dual: Array
    values: Array
    bias: float
    norm: float
    complete: bool = True


class Machine(ABC):
    """A classifier on a fixed kernel matrix.

    Attributes
    ----------
    loss : Loss
    price : float
        What the total loss is multiplied with in the objective ‖w‖² + price · Σ loss.
    """

    loss: Loss
    price: float

    @abstractmethod
    def train(self, y: Array) -> Trained:
        """Train on labels −1 and +1, both of which occur."""


class _LibSVM(Machine):
    """What classification and regression by libsvm share."""

    def __init__(self, K: Array, C: float, effort: float | None = None) -> None:
        self.price = 2.0 * C  # ‖w‖² + 2C Σξ of the paper is twice libsvm's objective
        self._K = K
        # Room for every row of the kernel in single precision, up to half a gigabyte.
        self._settings: dict[str, Any] = {
            "kernel": "precomputed",
            "C": C,
            "cache_size": min(512, 8 + 4 * len(K) ** 2 / 2**20),
            "max_iter": min(int((effort or _EFFORT) / len(K)), 2**31 - 1),  # libsvm counts in C
        }

    def _fit(self, model: Any, y: Array) -> Trained:
        model.random_state = 0  # else it draws a number, which nothing uses, from NumPy's global generator
        with config_context(assume_finite=True):
            model.fit(self._K, y)
        dual = np.zeros(len(y))
        dual[model.support_] = model.dual_coef_[0]
        values = self._K @ dual
        norm, complete = float(dual @ values), model.fit_status_ == 0
        return Trained(dual, values, float(model.intercept_[0]), norm, complete)


class SVMachine(_LibSVM):
    """The support vector machine of [iterSVR] eq. 3."""

    def __init__(self, K: Array, C: float, effort: float | None = None) -> None:
        super().__init__(K, C, effort)
        self.loss = Hinge()

    def train(self, y: Array) -> Trained:
        """Train on labels −1 and +1; labels that are all alike have the trivial solution f = y."""
        if (y == y[0]).all():
            return Trained(np.zeros(len(y)), np.zeros(len(y)), float(y[0]), 0.0)
        return self._fit(QuietSVC(**self._settings), y)


class SVRMachine(_LibSVM):
    """Support vector regression on the labels, [iterSVR] section III-B."""

    def __init__(self, K: Array, C: float, epsilon: float) -> None:
        super().__init__(K, C)
        self.loss = Insensitive(epsilon)
        self._settings["epsilon"] = epsilon

    def train(self, y: Array) -> Trained:
        """Train on labels −1 and +1."""
        return self._fit(QuietSVR(**self._settings), y)


class LeastSquaresMachine(Machine):
    """The least-squares SVM of [iterSVR] section III-C: ridge regression with λ = 1/C; `K` is overwritten."""

    def __init__(self, K: Array, C: float, *, is_psd: bool) -> None:
        self.loss, self.price = Square(), C
        self._anchor = K[0].copy()
        self._factor = Factor(K, 1.0 / C, is_psd=is_psd)

    def train(self, y: Array) -> Trained:
        """Train on labels −1 and +1."""
        dual, fitted = self._factor.solve(y)
        values = fitted + (self._anchor @ dual - fitted[0])
        return Trained(dual, values, float((y - values).mean()), float(dual @ values))


class Judge:
    """Gives the SVM objective of any labelling, [iterSVR] eq. 3, by training an SVM on it.

    It holds the points and not the kernel matrix, so that a state that is kept does not keep n² numbers; only
    a precomputed matrix has nothing else to keep.

    Parameters
    ----------
    kernel : Kernel
    X : ndarray
        What the kernel compares: the training points, or a precomputed matrix itself.
    C : float
    """

    def __init__(self, kernel: Kernel, X: Array, C: float) -> None:
        self._kernel, self._X, self._C = kernel, X, C

    def objective(self, labels: NDArray[np.int64]) -> float:
        """Give min ‖w‖² + 2C Σξ for these labels; 0 where all are alike."""
        trained = SVMachine(self._kernel(self._X), self._C).train(signs(labels))
        # At the optimum the dual has the same value, and it does not depend on the bias.
        return float(2.0 * np.abs(trained.dual).sum() - trained.norm)
