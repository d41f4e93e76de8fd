"""Maximum-likelihood mutual information ([SMIC] section 3.8; Suzuki, Sugiyama, Sese, Kanamori 2008).

MLMI estimates the mutual information between points and their labels (eq. 23), in nats, by fitting the
density ratio p(x, y) / (p(x) p(y)) with the model r(x, y; θ) = Σ_{ℓ: y_ℓ = y} θ_ℓ L(x, x_ℓ):

    (1/n) Σ_i log r(x_i, y_i; θ)   is maximised with   (1/n²) Σ_{i,j} r(x_i, y_j; θ) = 1   and   θ ≥ 0.

The maximum is the estimate. Like LSMI it needs no true labels, and scores the labelling of any algorithm.

=============  ==============  ===========================================================
paper          code            meaning
=============  ==============  ===========================================================
L, γ           L, gamma        Gaussian function and its width
θ              theta           coefficients of the ratio, one for each centre
CV             cv              mean negative log ratio on the held-out folds
=============  ==============  ===========================================================

*Solution.* Let m_ℓ be the mean of L(x_i, x_ℓ) over all i, and θ_ℓ = v_ℓ / m_ℓ. The constraint becomes Σ_y
(n_y/n) Σ_{ℓ: y_ℓ = y} v_ℓ = 1, and at the optimum the sum of v is 1 in every class, whatever its size. Each
class therefore has its own problem: the proportions v of a mixture with the highest mean of log Σ_ℓ v_ℓ
L(x_i, x_ℓ) / m_ℓ over its points. An interior-point method solves this small convex problem to a proven gap,
usually in ten steps.

Costs for n points, b centres, c classes, g widths and M folds: g M c such problems for each labelling, with
(n/c) (b/c)² multiplications a step. Memory: a few arrays of n b numbers. Of more than 20,000
points (`max_samples`) a sample of so many takes the place of the n points.

Deviations from the paper: the fit without a fold uses only the centres outside the fold. A class without a
centre there has no model, and its ratio is taken as 1, which keeps the constraint; its points contribute log
1 = 0. A class of a few points therefore neither raises a score nor makes it impossible to compute. A width at
which some point is out of reach of all centres of its class (r = 0) has an infinite cv and is not chosen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cho_factor, cho_solve

from mmc._threads import one_thread
from mmc.infomax.density_ratio import MOST, Array, Centres, Codes, Estimate, place_centres

Mask = NDArray[np.bool_]

#: Largest gap between the mean log ratio of a class and its maximum.
_GAP = 1e-11

#: Largest number of steps; observed problems need about a dozen.
_MAX_STEPS = 100


class MLMI:
    """Mutual information between one set of points and any labels of them ([SMIC] section 3.8).

    An instance is called with labels and returns an `Estimate` in nats.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    n_basis : int, default=200
        Largest number of centres, which are drawn at random from the points.
    n_folds : int, default=5
        Number of folds of the cross-validation.
    gammas : array-like or None, default=None
        Candidates for the width. None means those of the paper, in units of the root of the features' mean
        variance.
    max_samples : int, default=20_000
        Largest number of points that are used. Of more points a random sample of so many is, in which a small
        cluster may have few points or none.
    random_state : int, RandomState or None, default=0
        Seed of the sample, centres and folds.

    Attributes
    ----------
    centres : Centres
        Centres and folds.

    Notes
    -----
    A call solves g M c small convex problems for c classes, g widths and M folds, each in about ten steps of
    (n/c) (b/c)² operations for b centres. Centres and folds do not depend on the labels, so that the scores
    of several labellings of the same points are comparable. `mmc.infomax.mlmi` lists the deviations from the
    paper.

    References
    ----------
    T. Suzuki, M. Sugiyama, J. Sese, T. Kanamori: Approximating Mutual Information by Maximum Likelihood
    Density Ratio Estimation. JMLR Workshop and Conference Proceedings 4, 2008.

    Examples
    --------
    >>> from mmc.datasets import make_moons
    >>> from mmc.infomax import MLMI
    >>> X, y = make_moons(100, random_state=0)
    >>> score = MLMI(X)
    >>> score(y).value > score(X[:, 0] > 0.5).value > score(X[:, 0] * 0).value
    True
    """

    def __init__(
        self,
        X: ArrayLike,
        *,
        n_basis: int = 200,
        n_folds: int = 5,
        gammas: ArrayLike | None = None,
        max_samples: int = MOST,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.centres = place_centres(
            X,
            n_basis=n_basis,
            n_folds=n_folds,
            gammas=gammas,
            max_samples=max_samples,
            random_state=random_state,
        )

    def __call__(self, labels: ArrayLike) -> Estimate:
        """Estimate the mutual information between the points and these labels.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Labels of any type; only their equality matters.

        Returns
        -------
        Estimate
            Its only penalty is 0, because the method has none.

        Raises
        ------
        ValueError
            If at every width some point is out of reach of all centres of its class.
        """
        with one_thread():
            return self._estimate(self.centres.codes(labels))

    def _estimate(self, codes: Codes) -> Estimate:
        centres = self.centres
        cv = np.array([[_held_out(centres, codes, gamma)] for gamma in centres.gammas])
        if np.isinf(cv).all():
            raise ValueError(
                f"With every width up to gamma={centres.gammas.max():.3g} some point is out of reach of all "
                "centres of its class. Give larger gammas, or look for points far from all others."
            )
        gamma = float(centres.gammas[cv.argmin()])
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
    max_samples: int = MOST,
    random_state: int | np.random.RandomState | None = 0,
) -> Estimate:
    """Estimate the mutual information between points and labels, in nats.

    To score several labellings of the same points, create one `MLMI` and call it with each.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    labels : array-like of shape (n_samples,)
        Labels of any type; only their equality matters.
    n_basis : int, default=200
        Largest number of centres, which are drawn at random from the points.
    n_folds : int, default=5
        Number of folds of the cross-validation.
    gammas : array-like or None, default=None
        Candidates for the width. None means those of the paper, in units of the root of the features' mean
        variance.
    max_samples : int, default=20_000
        Largest number of points that are used. Of more points a random sample of so many is, in which a small
        cluster may have few points or none.
    random_state : int, RandomState or None, default=0
        Seed of the sample, centres and folds.

    Returns
    -------
    Estimate
        MLMI, with the chosen γ and the table of the cross-validation.

    Examples
    --------
    >>> from mmc.datasets import make_moons
    >>> from mmc.infomax import mlmi
    >>> X, y = make_moons(100, random_state=0)
    >>> mlmi(X, y).value > mlmi(X, X[:, 0] > 0.5).value
    True
    """
    return MLMI(
        X, n_basis=n_basis, n_folds=n_folds, gammas=gammas, max_samples=max_samples, random_state=random_state
    )(labels)


def _held_out(centres: Centres, codes: Codes, gamma: float) -> float:
    """Return the mean over the folds of the mean of −log r on each, fitted without it."""
    L = centres.kernel(gamma)
    error = 0.0
    for m in range(centres.n_folds):
        train = centres.fold != m
        error -= float(_log_ratios(centres, codes, L, train)[~train].mean()) / centres.n_folds
        if np.isinf(error):
            break
    return error


def _log_ratios(centres: Centres, codes: Codes, L: Array, train: Mask) -> Array:
    """Fit to the points in `train`, and return log r of all points at their own labels."""
    theta, has_model = _theta(centres, codes, L, train)
    by_class = np.zeros((len(theta), len(has_model)))
    by_class[np.arange(len(theta)), codes[centres.basis]] = theta
    ratios = np.where(has_model[codes], (L @ by_class)[np.arange(len(L)), codes], 1.0)
    return np.log(ratios, out=np.full(len(L), -np.inf), where=ratios > 0)


def _theta(centres: Centres, codes: Codes, L: Array, train: Mask) -> tuple[Array, Mask]:
    """Fit θ to the points in `train` with the centres among them, and return which classes have a centre.

    If a point of a class is out of reach of its centres, no θ is better than another, and zero is returned.
    """
    c = int(codes.max()) + 1
    means = (train / train.sum()) @ L
    theta, has_model = np.zeros(len(centres.basis)), np.zeros(c, dtype=bool)
    for y in range(c):
        centre = np.flatnonzero(train[centres.basis] & (codes[centres.basis] == y))
        own = L[np.ix_(train & (codes == y), centre)]
        has_model[y] = len(centre) > 0
        if has_model[y] and own.any(axis=1).all():
            theta[centre] = _proportions(own / means[centre]) / means[centre]
    return theta, has_model


def _proportions(A: Array) -> Array:
    """Find v ≥ 0 with Σ v = 1 for which the mean of log(A v) is highest.

    With s = A v, the dual variables are u_i = 1/(m s_i) and z = 1 − Aᵀu; at the optimum z ≥ 0 and v z = 0.
    Newton steps follow u_i s_i = 1/m, v_ℓ z_ℓ = μ, while μ falls to zero by Mehrotra's rule. The mean of
    log(A v) is at most log max_ℓ (Aᵀu)_ℓ below its maximum, by Jensen's inequality.

    Parameters
    ----------
    A : ndarray of shape (m, b)
        Matrix without negative values and without a row of zeros.

    Returns
    -------
    ndarray of shape (b,)
        v, exactly zero where the optimum is.
    """
    A = A / A.max(axis=1, keepdims=True)  # keeps the optimum, where every s_i is then at least 1/m
    m, b = A.shape
    v = np.full(b, 1.0 / b)
    s = A @ v
    u = 0.5 / (s * (A.T @ (1.0 / s)).max())
    z = 1.0 - A.T @ u
    for _ in range(_MAX_STEPS):
        gradient = A.T @ (1.0 / s) * (v.sum() / m)
        if np.log(gradient.max()) <= _GAP:
            break
        newton = _Newton(A, v, s, u, z)
        off_s, off_v, mu = 1.0 / m - u * s, -v * z, v @ z / b
        step = newton.step(off_s, off_v)
        left = (v + step.primal * step.dv) @ (z + step.dual * step.dz) / b
        aim = mu * (left / mu) ** 3
        step = newton.step(off_s - step.du * step.ds, off_v - step.dv * step.dz + aim)
        if min(step.primal, step.dual) < 0.1:  # the correction failed; take a centring step instead
            step = newton.step(off_s, off_v + 0.5 * mu)
        v, s = v + 0.995 * step.primal * step.dv, s + 0.995 * step.primal * step.ds
        u, z = u + 0.995 * step.dual * step.du, z + 0.995 * step.dual * step.dz
    v = np.where(v < 1.0 - gradient, 0.0, v)
    return np.asarray(v / v.sum())


class _Step(NamedTuple):
    """A direction, and the shares of it (at most 1) that keep all variables positive."""

    dv: Array
    ds: Array
    du: Array
    dz: Array
    primal: float
    dual: float


class _Newton:
    """The linearised conditions u s = 1/m, v z = μ, ds = A dv, dz = −Aᵀ du, factored once."""

    def __init__(self, A: Array, v: Array, s: Array, u: Array, z: Array) -> None:
        self.A, self.v, self.s, self.u, self.z = A, v, s, u, z
        matrix = A.T @ (A * (u / s)[:, None])
        matrix[np.diag_indices(len(v))] += z / v
        self.factor = cho_factor(matrix, overwrite_a=True, check_finite=False)

    def step(self, off_s: Array, off_v: Array) -> _Step:
        """Solve for the direction that changes u s by `off_s` and v z by `off_v`, to first order."""
        A, v, s, u, z = self.A, self.v, self.s, self.u, self.z
        dv = cho_solve(self.factor, off_v / v + A.T @ (off_s / s), check_finite=False)
        ds = A @ dv
        du = (off_s - u * ds) / s
        dz = -(A.T @ du)
        primal = 1.0 / max(1.0, float((-dv / v).max()), float((-ds / s).max()))
        dual = 1.0 / max(1.0, float((-du / u).max()), float((-dz / z).max()))
        return _Step(dv, ds, du, dz, primal, dual)
