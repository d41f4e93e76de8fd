"""Landmarks: few points that stand for all, and Nyström's approximation of a kernel from them.

With landmarks z, K ≈ K(X, z) K(z, z)⁺ K(z, X) = Φ Φᵀ with Φ = K(X, z) U Λ^-½, where U Λ Uᵀ = K(z, z).
Directions in which K(z, z) has an eigenvalue that rounding alone could cause are left out. With every point
as a landmark, Φ Φᵀ = K.

Landmarks are the centres of k-means on a sample of the points, or points drawn at random. k-means costs a few
products of sample and landmarks; Φ takes n p (d + p) multiplications for p landmarks and one n×p array, and
is float32 beyond 5,000 points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse import csr_array, issparse
from sklearn.cluster import KMeans

from mmc._points import Points, canonical, distinct_rows
from mmc._warnings import warnings_kept
from mmc.kernels.dense import Kernel, fit_landmark_kernel, require_memory
from mmc.kernels.neighbors import EXACT, Array, Floats, feature_type

LANDMARKS = ("k-means", "random")

#: Points of the sample of k-means for each landmark, and its number of rounds.
_SAMPLE, _ROUNDS = 20, 5

#: Largest number of distances from which the width of a kernel is measured.
_DISTANCES = 2**24


def choose_landmarks(X: Points, p: int, how: str, rng: np.random.RandomState) -> Points:
    """Choose landmarks; if there are no more distinct points than landmarks, each of them is one.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        Points.
    p : int
        Number of landmarks.
    how : {"k-means", "random"}
        Centres of k-means, or points drawn at random.
    rng : RandomState
        Random generator.

    Returns
    -------
    ndarray or csr_array of shape (at most p, d)
        Distinct points, sparse if `X` is.
    """
    order = rng.permutation(X.shape[0])
    if how == "random" or X.shape[0] <= p:
        # Drawn points may be equal; more are drawn until there are enough or no others.
        drawn = X[np.sort(order[: 2 * p])]
        drawn = drawn[distinct_rows(drawn).first]
        if drawn.shape[0] < min(p, X.shape[0]):
            drawn = X[distinct_rows(X).first]
        return drawn[np.sort(rng.permutation(drawn.shape[0])[:p])]
    sample = X[np.sort(order[: _SAMPLE * p])]
    if len(distinct_rows(sample).first) <= p:  # others may be rare
        return choose_landmarks(X, p, "random", rng)
    seeds = choose_landmarks(sample, p, "random", rng)
    if issparse(X):
        instead = 'Or choose landmarks="random", which stay sparse, or reduce the columns with TruncatedSVD.'
        require_memory(X.shape[1], 4, p, what="columns", instead=instead)  # the centres are dense
        seeds = seeds.toarray()
    with warnings_kept():  # a few rounds are enough
        centres = KMeans(p, init=seeds, n_init=1, max_iter=_ROUNDS).fit(sample).cluster_centers_
    centres = centres[distinct_rows(centres).first]
    return canonical(csr_array(centres)) if issparse(X) else centres


@dataclass(frozen=True, eq=False)
class Nystroem:
    """Features Φ of any points.

    Attributes
    ----------
    kernel : Kernel, or another callable
        Compares points with the landmarks.
    transform : ndarray of shape (p, r)
        U Λ^-½.
    dtype : dtype
        Type of the features.
    """

    kernel: Callable[[Points], Array]
    transform: Array
    dtype: np.dtype

    @property
    def n_compared(self) -> int:
        """Number of landmarks with which one array compares a new point."""
        return len(self.transform)

    def factors(self, X: Points) -> tuple[Floats, Array | None]:
        """Return the kernel values at the landmarks, and what maps them to features."""
        return self.kernel(X), self.transform

    def __call__(self, X: Points) -> Floats:
        """Return the features of points.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_points, n_features)

        Returns
        -------
        ndarray of shape (n_points, r)
        """
        result = np.empty((X.shape[0], self.transform.shape[1]), dtype=self.dtype)
        for first in range(0, X.shape[0], EXACT):
            rows = slice(first, first + EXACT)
            result[rows] = self.kernel(X[rows]) @ self.transform
        return result


def fit_nystroem(
    X: Points, landmarks: Points, parameters: dict[str, Any], rng: np.random.RandomState
) -> Nystroem:
    """Return the features of a kernel from landmarks.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        Training points. The width of the kernel is measured between them and all of them, or a sample if they
        are more than 4,096.
    landmarks : ndarray or csr_array of shape (p, d)
        Landmarks.
    parameters : dict
        Parameters of `fit_landmark_kernel`.
    rng : RandomState
        Random generator.

    Returns
    -------
    Nystroem

    Raises
    ------
    ValueError
        If the kernel is zero at all landmarks.
    """
    n = X.shape[0]
    rows = np.sort(rng.permutation(n)[: max(1, _DISTANCES // n)])
    kernel = fit_landmark_kernel(X, rows, **parameters).kernel
    fitted = Kernel(kernel.name, landmarks.astype(np.float64), kernel.gamma, kernel.degree, kernel.coef0)
    return Nystroem(fitted, inverse_root(fitted(fitted.X)), feature_type(n))


def inverse_root(inner: Array) -> Array:
    """Return U Λ^-½ of the kernel matrix between the landmarks, without directions that may be rounding.

    Parameters
    ----------
    inner : ndarray of shape (p, p)
        K(z, z).

    Returns
    -------
    ndarray of shape (p, r)

    Raises
    ------
    ValueError
        If the kernel is zero at all landmarks.
    """
    values, vectors = linalg.eigh((inner + inner.T) / 2.0)
    kept = values > len(values) * float(np.finfo(float).eps) * max(float(values[-1]), 0.0)
    if not kept.any():
        raise ValueError("The kernel is zero at all landmarks. Use another kernel, or another random_state.")
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))
