"""Kernel ridge regression as a linear map of the labels: the hat matrix.

For labels y in {−1, +1} and the ridge model of [UMC-RLS] eqs. 3–5, the fitted values are R y with

    R = K (K + λI)⁻¹ = I − λ (K + λI)⁻¹,

and the regularised risk is F(y) = n − yᵀ R y. (The constant in the paper's Lemma 1 is yᵀy = n, not 1.) With
an unpenalised intercept, K is centred and 11ᵀ/n is added to R.

With weights v of the points and D = diag(v), a point counts like v equal points: the fitted values are R D y
with R = D^-½ K̃ (K̃ + λI)⁻¹ D^-½ and K̃ = D^½ K D^½. For an intercept K is centred by means with weights, and
11ᵀ/Σv is added to R.

For one λ a Cholesky factor and its inverse give R at a fraction of the cost of the eigendecomposition that
the paper uses: n³ multiplications in the memory of K. For many λ one decomposition serves all. A kernel that
is not positive semi-definite is replaced by its positive part; coefficients restricted to that part still
give R y on the training points with the unchanged kernel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from mmc._fast.rls import mirror

Array = NDArray[np.float64]


class Hat(NamedTuple):
    """The hat matrix of a kernel.

    Attributes
    ----------
    R : ndarray of shape (n, n)
        Hat matrix.
    basis : ndarray of shape (n, r) or None
        Orthonormal basis of the positive part of an indefinite kernel; None for other kernels.
    """

    R: Array
    basis: Array | None


def hat_matrix(
    K: Array, alpha: float, *, fit_intercept: bool, is_psd: bool, weights: Array | None = None
) -> Hat:
    """Compute R in the memory of `K`.

    Parameters
    ----------
    K : ndarray of shape (n, n), C order, symmetric
        Kernel matrix, which is overwritten.
    alpha : float
        λ.
    fit_intercept : bool
        Whether the model has an unpenalised intercept.
    is_psd : bool
        Whether `K` is known to be positive semi-definite; otherwise this is tested.
    weights : ndarray of shape (n,) or None, default=None
        Weights of the points; None means 1 for each. A basis is that of the positive part of K̃.

    Returns
    -------
    Hat
    """
    if weights is not None:
        return _weighted_hat(K, alpha, weights, fit_intercept=fit_intercept, is_psd=is_psd)
    if fit_intercept:
        _centre(K)
    diagonal = K.diagonal().copy()
    if (is_psd or _factor(K, diagonal, _jitter(diagonal))) and _factor(K, diagonal, alpha, invert=True):
        K *= -alpha
        return Hat(_finish(K, fit_intercept), None)
    return Spectrum(K, centred=fit_intercept).hat(alpha, out=K)


class Solution(NamedTuple):
    """Coefficients of a ridge model with an intercept, and its centred values at the training points."""

    dual: Array
    fitted: Array


class Factor:
    """Ridge regression with an intercept, factored once for all labels; a solution then takes n².

    Parameters
    ----------
    K : ndarray of shape (n, n), C order, symmetric
        Kernel matrix, which is overwritten.
    alpha : float
        λ.
    is_psd : bool
        Whether `K` is known to be positive semi-definite; otherwise this is tested.
    """

    def __init__(self, K: Array, alpha: float, *, is_psd: bool) -> None:
        self.alpha = alpha
        self._spectrum: Spectrum | None = None
        _centre(K)
        diagonal = K.diagonal().copy()
        if is_psd or _factor(K, diagonal, _jitter(diagonal)):
            np.fill_diagonal(K, diagonal + alpha)
            self._cholesky, info = linalg.lapack.dpotrf(K.T, lower=0, clean=0, overwrite_a=1)
            if info == 0:
                return
            mirror(K)
            np.fill_diagonal(K, diagonal)
        self._spectrum = Spectrum(K, centred=True)

    def solve(self, y: Array) -> Solution:
        """Fit labels: return a = (K + λI)⁻¹ y for the centred K, and K a.

        Parameters
        ----------
        y : ndarray of shape (n,)
            Labels.

        Returns
        -------
        Solution
            The sum of the coefficients is zero, so that K a differs from its centred form only by a constant.
        """
        centred = y - y.mean()
        if self._spectrum is None:
            dual = linalg.lapack.dpotrs(self._cholesky, centred, lower=0)[0]
            return Solution(dual, centred - self.alpha * dual)
        values, vectors = self._spectrum.values, self._spectrum.vectors
        parts = vectors.T @ centred / (values + self.alpha)
        return Solution(vectors @ parts, vectors @ (values * parts))


class Spectrum:
    """An eigendecomposition of a kernel matrix that serves every λ.

    Parameters
    ----------
    K : ndarray of shape (n, n), symmetric
        Kernel matrix, which is overwritten.
    centred : bool
        Whether `K` has been centred for an intercept.
    """

    def __init__(self, K: Array, *, centred: bool) -> None:
        self.centred = centred
        values, vectors = linalg.eigh(K.T, overwrite_a=True, check_finite=False)
        first = int(np.searchsorted(values, 0.0, side="right"))
        self.is_psd = bool(values[0] >= -1e-10 * max(values[-1], 1e-300))
        self.values: Array = values[first:]
        self.vectors: Array = vectors[:, first:]

    @classmethod
    def of(cls, K: Array, *, fit_intercept: bool) -> Spectrum:
        """Decompose `K`, which is centred first for an intercept and is overwritten."""
        if fit_intercept:
            _centre(K)
        return cls(K, centred=fit_intercept)

    def hat(self, alpha: float, out: Array | None = None) -> Hat:
        """Compute R for one λ, in the memory of `out` if given; this takes one product of n×r and r×n."""
        R = np.matmul(self.vectors * (self.values / (self.values + alpha)), self.vectors.T, out=out)
        if self.centred:
            R += 1.0 / len(R)
        return Hat(R, None if self.is_psd else self.vectors)


class LandmarkFactor(NamedTuple):
    """The hat matrix of ridge regression on landmarks, R = W Wᵀ.

    Attributes
    ----------
    W : ndarray of shape (n, r), C order
        Factor of R.
    back : ndarray of shape (r, r)
        The coefficients of the landmarks are back @ (Wᵀ y).
    """

    W: Array
    back: Array


def landmark_factor(C: Array, landmarks: NDArray[np.int64], alpha: float) -> LandmarkFactor:
    """Factor the hat matrix of [EvoMMC] eq. 12, in which only landmarks have coefficients.

    With K_RR = L Lᵀ and Φ = C L⁻ᵀ, the kernel is replaced by Φ Φᵀ (Nyström), and with Φᵀ Φ + λI = M Mᵀ the
    hat matrix is W Wᵀ, W = Φ M⁻ᵀ. This takes 2 n r² multiplications and three n×r arrays.

    Parameters
    ----------
    C : ndarray of shape (n, r)
        Kernel between all points and the landmarks.
    landmarks : ndarray of shape (r,)
        Rows of the landmarks.
    alpha : float
        λ as in `hat_matrix`, which is λn of the paper.

    Returns
    -------
    LandmarkFactor

    Raises
    ------
    ValueError
        If the kernel of the landmarks is singular.
    """
    inner, r = C[landmarks], len(landmarks)
    values = linalg.eigvalsh(inner)
    rank = int((values > r * np.finfo(float).eps * max(float(values[-1]), 0.0)).sum())
    if rank == 0:
        raise ValueError("The kernel is zero at all landmarks. Use another kernel, or another random_state.")
    if rank < r:
        raise ValueError(
            f"The kernel matrix of the {r} landmarks is singular (rank {rank}), so that they determine no "
            f"model. Use at most {rank} landmarks, a narrower kernel, or leave out points that occur twice."
        )
    L = linalg.cholesky(inner, lower=True)
    phi = linalg.solve_triangular(L, C.T, lower=True)
    M = linalg.cholesky(phi @ phi.T + alpha * np.eye(r), lower=True)
    W = np.ascontiguousarray(linalg.solve_triangular(M, phi, lower=True).T)
    back = linalg.solve_triangular(M, linalg.inv(L), lower=True).T
    return LandmarkFactor(W, back)


def independent(inner: Array) -> NDArray[np.int64]:
    """Choose landmarks that the kernel distinguishes well, by a pivoted Cholesky factor.

    Parameters
    ----------
    inner : ndarray of shape (r, r)
        Kernel of the landmarks, positive semi-definite.

    Returns
    -------
    ndarray
        Indices of the landmarks to keep, in increasing order; at least one.
    """
    _, pivots, rank, _ = linalg.lapack.dpstrf(inner, tol=1e-10 * float(inner.diagonal().max()))
    return np.sort(pivots[: max(rank, 1)] - 1)


def _jitter(diagonal: Array) -> float:
    return 1e-10 * max(float(diagonal.mean()), 1e-300)


def _weighted_hat(K: Array, alpha: float, weights: Array, *, fit_intercept: bool, is_psd: bool) -> Hat:
    if fit_intercept:
        mean = weights @ K / weights.sum()
        K -= mean[:, None] + (mean - weights @ mean / weights.sum())[None, :]
    roots = np.sqrt(weights)
    K *= roots[:, None]
    K *= roots
    R, basis = hat_matrix(K, alpha, fit_intercept=False, is_psd=is_psd)
    R /= roots[:, None]
    R /= roots
    if fit_intercept:
        R += 1.0 / weights.sum()
    return Hat(R, basis)


def _centre(K: Array) -> None:
    mean = K.mean(axis=0)
    K -= mean[:, None] + (mean - mean.mean())[None, :]


def _factor(K: Array, diagonal: Array, shift: float, *, invert: bool = False) -> bool:
    """Factor K + shift·I in the lower triangle of K and return whether this succeeded.

    With `invert`, a success leaves the inverse in K; otherwise K is restored from its other triangle.
    """
    np.fill_diagonal(K, diagonal + shift)
    # LAPACK expects Fortran order: the upper triangle of the transposed view is the lower one of K.
    _, info = linalg.lapack.dpotrf(K.T, lower=0, clean=0, overwrite_a=1)
    if info == 0 and invert:
        linalg.lapack.dpotri(K.T, lower=0, overwrite_c=1)
        mirror(K.T)
        return True
    mirror(K)
    np.fill_diagonal(K, diagonal)
    return bool(info == 0)


def _finish(R: Array, fit_intercept: bool) -> Array:
    n = len(R)
    R.reshape(-1)[:: n + 1] += 1.0
    if fit_intercept:
        R += 1.0 / n
    return R
