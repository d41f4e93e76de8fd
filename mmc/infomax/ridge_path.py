"""Solve (H + δI) θ = h for many δ with one reduction of H.

H = Q T Qᵀ with T tridiagonal takes less work than an eigendecomposition, and every δ is then a tridiagonal
system of linear cost. With nine δ and 40 to 100 unknowns this takes half the time or less. Small matrices are
decomposed, which is simpler and not slower.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

Array = NDArray[np.float64]

_SMALL = 24


def ridge_path(H: Array, h: Array, deltas: Array) -> Array:
    """Solve (H + δI) θ = h for every δ.

    Parameters
    ----------
    H : ndarray of shape (b, b)
        Positive semi-definite matrix.
    h : ndarray of shape (b,)
    deltas : ndarray of shape (n_deltas,)
        Positive numbers.

    Returns
    -------
    ndarray of shape (b, n_deltas)
    """
    if len(h) < _SMALL:
        return _by_eigenvectors(H, h, deltas)
    reflectors, diagonal, off, tau, _ = lapack.dsytrd(H, lower=1)
    Q = np.asfortranarray(reflectors[1:, :-1])  # of all rows but the first, which Q does not change
    g = np.array(h)[:, None]
    g[1:] = _rotated(Q, tau, g[1:], "T")
    theta = np.empty((len(h), len(deltas)), order="F")
    for column, delta in enumerate(deltas):
        *_, solution, info = lapack.dptsv(diagonal + delta, off, g)
        if info != 0:  # δ is smaller than the rounding error of H
            return _by_eigenvectors(H, h, deltas)
        theta[:, column] = solution[:, 0]
    theta[1:] = _rotated(Q, tau, theta[1:], "N")
    return theta


def _rotated(Q: Array, tau: Array, rows: Array, form: str) -> Array:
    return np.asarray(lapack.dormqr("L", form, Q, tau, np.asfortranarray(rows), 64 * len(rows))[0])


def _by_eigenvectors(H: Array, h: Array, deltas: Array) -> Array:
    values, vectors = np.linalg.eigh(H)
    return np.asarray(vectors @ ((vectors.T @ h)[:, None] / (np.maximum(values, 0.0)[:, None] + deltas)))
