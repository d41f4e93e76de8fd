"""Maximum-likelihood mutual information: [SMIC] section 3.8, after Suzuki, Sugiyama, Sese and Kanamori (2008).

MLMI estimates the mutual information between points and their labels (eq. 23) by fitting the density ratio
r(x, y) = p(x, y) / (p(x) p(y)) with r(x, y; θ) = Σ_{ℓ: y_ℓ = y} θ_ℓ L(x, x_ℓ), so that

    (1/n) Σ_i log r(x_i, y_i; θ)   is largest   subject to   (1/n²) Σ_{i,j} r(x_i, y_j; θ) = 1 and θ ≥ 0.

The maximum itself is the estimate. Like `mmc.infomax.lsmi` it needs no true labels.

=============  ==============  ===========================================================
paper          code            meaning
=============  ==============  ===========================================================
L, γ           L, gamma        Gaussian function and its width
θ              theta           coefficients of the ratio, one for each centre
CV             cv              mean negative log ratio on the held-out folds
=============  ==============  ===========================================================

*How it is solved.* Let m_ℓ be the mean of L(x_i, x_ℓ) over all i, and θ_ℓ = v_ℓ / m_ℓ. The constraint then says
that class y may spend Σ_{ℓ ∈ y} v_ℓ, and the classes together Σ_y (n_y / n) Σ_{ℓ ∈ y} v_ℓ = 1. Since log r splits
into a class's sum of v and the shares within it, the best sum is 1 for every class. So each class by itself finds
the proportions v of a mixture, Σ v = 1, with the highest mean of log Σ_ℓ v_ℓ L(x_i, x_ℓ) / m_ℓ, and sizes drop out.
A primal-dual interior-point method solves this small convex problem to a proven gap of 1e-9.

Costs, with n points, b centres, c classes, g widths and M folds: at most g (M + 1) c such problems, each about
fifteen times (n/c) (b/c)² multiplications. Memory: a few arrays of n b numbers.

Deviations: A fold's fit uses only the centres outside the fold, and means m_ℓ over the points outside it. A class
without a centre has no model, and its ratio is taken to be 1, as if its points told nothing: they add log 1 = 0 and
the constraint still holds. So a class of a few points neither rewards a labelling nor makes it unscorable. A width
at which a point is out of reach of every centre of its class (r = 0) has an infinite cv and is not chosen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve

from mmc.infomax.density_ratio import Array, Centres, Estimate, place_centres

Mask = NDArray[np.bool_]

#: By how much the mean log ratio of a class may at most fall short of its maximum.
_GAP = 1e-9

#: More steps than any problem was seen to need; rounding can keep the gap from falling further.
_MAX_STEPS = 100


class MLMI:
    """The judge of labellings of one set of points, by an estimate of mutual information.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_basis : int, default=200
        At most this many centres, drawn at random.
    n_folds : int, default=5
    gammas : array-like or None, default=None
        Widths to choose from; None means those of the paper, in units of the root of the features' mean variance.
    random_state : int, RandomState or None, default=0
        Draws centres and folds.

    Examples
    --------
    >>> from mmc.datasets import make_moons
    >>> X, y = make_moons(200, random_state=0)
    >>> judge = MLMI(X)
    >>> judge(y).value > judge(X[:, 0] > 0.5).value > judge(X[:, 0] * 0).value
    True
    """

    def __init__(
        self,
        X: ArrayLike,
        *,
        n_basis: int = 200,
        n_folds: int = 5,
        gammas: ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.centres = place_centres(
            X, n_basis=n_basis, n_folds=n_folds, gammas=gammas, random_state=random_state
        )

    def __call__(self, labels: ArrayLike) -> Estimate:
        """Estimate the mutual information between the points and these labels.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Of any kind; only which are equal matters.

        Returns
        -------
        Estimate
            Its only penalty is 0, because there is none.

        Raises
        ------
        ValueError
            If no width reaches every point from other points of its class.
        """
        centres = self.centres
        codes = centres.codes(labels)
        cv = np.array([[_held_out(centres, codes, gamma)] for gamma in centres.gammas])
        if np.isinf(cv).all():
            raise ValueError(
                f"No width up to {centres.gammas.max():.3g} reaches every point from others of its class. "
                "Add larger gammas, or take away points that lie far from all others."
            )
        gamma = float(centres.gammas[cv[:, 0].argmin()])
        everyone = np.ones(len(codes), dtype=bool)
        value = float(_log_ratios(centres, codes, centres.kernel(gamma), everyone).mean())
        return Estimate(value, gamma, 0.0, centres.gammas, np.zeros(1), cv)


def mlmi(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    n_basis: int = 200,
    n_folds: int = 5,
    gammas: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> Estimate:
    """Estimate the mutual information between points and labels, in nats.

    To score several labellings of the same points, make one `MLMI` and call it for each.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,)
    n_basis, n_folds, gammas, random_state
        As for `MLMI`.

    Returns
    -------
    Estimate
        With the chosen γ and the table of cross-validation.
    """
    return MLMI(X, n_basis=n_basis, n_folds=n_folds, gammas=gammas, random_state=random_state)(labels)


def _held_out(centres: Centres, codes: NDArray[np.int64], gamma: float) -> float:
    """Give the mean over folds of the mean −log r on a fold, fitted without it; inf where a point is out of reach."""
    L = centres.kernel(gamma)
    error = 0.0
    for m in range(centres.n_folds):
        train = centres.fold != m
        error -= float(_log_ratios(centres, codes, L, train)[~train].mean()) / centres.n_folds
        if np.isinf(error):
            break
    return error


def _log_ratios(centres: Centres, codes: NDArray[np.int64], L: Array, train: Mask) -> Array:
    """Fit to the points in `train` and give log r at all points with their own labels."""
    theta, has_model = _theta(centres, codes, L, train)
    columns = np.where(codes[centres.basis][:, None] == np.arange(len(has_model)), theta[:, None], 0.0)
    ratios = np.where(has_model[codes], (L @ columns)[np.arange(len(L)), codes], 1.0)
    return np.log(ratios, out=np.full(len(L), -np.inf), where=ratios > 0)


def _theta(centres: Centres, codes: NDArray[np.int64], L: Array, train: Mask) -> tuple[Array, Mask]:
    """Fit θ to the points in `train`, with the centres among them, and say which classes have any.

    Where a point of a class is out of reach of its centres, no θ is better than another and it stays zero.
    """
    c = int(codes.max()) + 1
    theta, has_model = np.zeros(len(centres.basis)), np.zeros(c, dtype=bool)
    for y in range(c):
        centre = np.flatnonzero(train[centres.basis] & (codes[centres.basis] == y))
        has_model[y] = len(centre) > 0
        scaled = L[np.ix_(train & (codes == y), centre)]
        if has_model[y] and scaled.any(axis=1).all():
            means = L[np.ix_(train, centre)].mean(axis=0)
            theta[centre] = _proportions(scaled / means) / means
    return theta, has_model


def _proportions(A: Array) -> Array:
    """Find v ≥ 0 with Σ v = 1 for which the mean of log(A v) is highest.

    At the optimum u_i = 1 / (m s_i), s = A v, is feasible for the dual, z = 1 − Aᵀu ≥ 0, and v z = 0. Newton steps
    lead along u_i s_i = 1/m, v_ℓ z_ℓ = μ while μ falls to zero, with the step and centring rules of Mehrotra.

    Parameters
    ----------
    A : ndarray of shape (m, b)
        Not negative, and no row all zero.
    """
    A = A / A.max(axis=1, keepdims=True)  # rows may be scaled at will, and now every s_i is at least 1/m
    m, b = A.shape
    v = np.full(b, 1.0 / b)
    s = A @ v
    u = 1.0 / s
    u *= 0.5 / (A.T @ u).max()
    z = 1.0 - A.T @ u
    for _ in range(_MAX_STEPS):
        if _gap(A, v, s) <= _GAP:
            break
        D = A.T @ (A * (u / s)[:, None])
        D[np.diag_indices(b)] += z / v
        factor = cho_factor(D, overwrite_a=True, check_finite=False)
        mu = v @ z / b
        for aim in ("predict", "correct"):
            if aim == "predict":
                pull_s, pull_v = 1.0 / m - u * s, -v * z
            else:
                reached = (v + up * dv) @ (z + down * dz) / b
                pull_s, pull_v = pull_s - du * ds, pull_v - dv * dz + mu * (reached / mu) ** 3
            dv = cho_solve(factor, pull_v / v + A.T @ (pull_s / s), check_finite=False)
            ds = A @ dv
            du = (pull_s - u * ds) / s
            dz = -(A.T @ du)
            up = min(_longest(v, dv), _longest(s, ds))
            down = min(_longest(u, du), _longest(z, dz))
        v, s = v + 0.995 * up * dv, s + 0.995 * up * ds
        u, z = u + 0.995 * down * du, z + 0.995 * down * dz
    support = np.where(v < z, 0.0, v)
    if _gap(A, support, A @ support) <= 10.0 * _GAP:
        v = support
    return np.asarray(v / v.sum())
