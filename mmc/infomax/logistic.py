"""The kernel logistic model of MIC: its objectives, their gradients, and the descent ([SMIC] eqs. 24–26)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from scipy.special import log_softmax

from mmc.kernels.spectral import Array, Matrix


class Objective:
    """The objectives and their gradients, as functions of the coefficients as a vector.

    Parameters
    ----------
    matrix : ndarray or csr_array of shape (m, m)
        Kernel matrix of the vertices.
    shares : ndarray of shape (m,)
        Share of the samples at each vertex.
    alpha : float
        Weight λ of the penalty.
    """

    def __init__(self, matrix: Matrix, shares: Array, alpha: float) -> None:
        self.matrix = matrix
        self.shares = shares
        self.alpha = alpha

    def information(self, x: Array) -> tuple[float, Array]:
        """Return −M̂I of [SMIC] eq. 25 plus the penalty, and its gradient."""
        log_p = self.log_posterior(x)
        p = np.exp(log_p)
        gain = log_p - np.log(np.maximum(self.shares @ p, np.finfo(float).tiny))
        information = (p * gain).sum(axis=1)
        # Derivative by the logits; the derivatives of the two logarithms cancel.
        slope = p * (gain - information[:, None]) * self.shares[:, None]
        return self._with_penalty(x, -(self.shares @ information), -slope)

    def cross_entropy(self, x: Array, targets: Array) -> tuple[float, Array]:
        """Return the mean of −log p(y_i|x_i) plus the penalty, and its gradient, for shares of labels."""
        log_p = self.log_posterior(x)
        value = -(self.shares @ (targets * log_p).sum(axis=1))
        return self._with_penalty(x, value, (np.exp(log_p) - targets) * self.shares[:, None])

    def penalty(self, x: Array) -> float:
        """Return (λ/m) Σ_y ‖α_y‖²."""
        a = self._rows(x)[:-1]
        return float(self.alpha / len(a) * np.vdot(a, a))

    def log_posterior(self, x: Array) -> Array:
        """Return log p(y|x_i) at the vertices."""
        return log_posterior(self.matrix, self._rows(x))

    def _with_penalty(self, x: Array, value: float, slope: Array) -> tuple[float, Array]:
        rows = self._rows(x)
        gradient = np.empty_like(rows)
        gradient[:-1] = self.matrix.T @ slope + (2.0 * self.alpha / len(self.shares)) * rows[:-1]
        gradient[-1] = slope.sum(axis=0)
        return float(value) + self.penalty(x), gradient.ravel()

    def _rows(self, x: Array) -> Array:
        return x.reshape(len(self.shares) + 1, -1)


def log_posterior(K: Matrix, coefficients: Array) -> Array:
    """Return the logarithms of the class posteriors of points from their kernel values."""
    return np.asarray(log_softmax(K @ coefficients[:-1] + coefficients[-1], axis=1))


def descend(objective: Callable[[Array], Any], x: Array, n_iterations: int, tol: float) -> OptimizeResult:
    """Minimise by at most `n_iterations` iterations of L-BFGS, until one gains no more than `tol`."""
    # Gradients shrink with the number of points, so that their size is no stopping criterion.
    options = {"maxiter": n_iterations, "ftol": tol, "gtol": 0.0}
    return minimize(objective, x, jac=True, method="L-BFGS-B", options=options)
