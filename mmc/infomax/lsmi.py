"""Least-squares mutual information: [SMIC] section 2.4, Sugiyama, Niu, Yamada, Kimura and Hachiya (2013).

LSMI estimates the squared-loss mutual information between points and their labels

    SMI = ½ ∫ Σ_y p(x) p(y) (p(x, y) / (p(x) p(y)) − 1)² dx                              (eq. 1)

by fitting the density ratio r(x, y) = Σ_{ℓ: y_ℓ = y} θ_ℓ L(x, x_ℓ) by least squares (eqs. 10–13). It needs no
true labels: it asks how well the labels could be told from the points, and so judges the labelling of any
algorithm.

=============  ==============  ===========================================================
paper          code            meaning
=============  ==============  ===========================================================
L, γ           L, gamma        Gaussian function and its width
δ              deltas          ridge penalty
Ĥ, ĥ           H, h            second moments and class means of the Gaussians
CV             cv              mean error on the held-out folds
=============  ==============  ===========================================================

Costs, with n points, b centres, c classes, g widths and M folds: g n b² once for all labellings (the moments
of each fold do not depend on labels), then for each labelling g n b for ĥ and g M c reductions of Ĥ (b/c by
b/c) to tridiagonal form, after which every δ costs b/c. Memory: n b + g M b² numbers.

Deviations: the first sums of CV_m and of eq. 14 run over all pairs of an x and a y, so class y enters with
its count. A fold's fit uses only the centres outside the fold. A class without a centre, or without a point
in the training folds, contributes nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from mmc._threads import one_thread
from mmc.infomax.density_ratio import Array, Codes, Estimate, penalties, place_centres
from mmc.infomax.ridge_path import ridge_path


class LSMI:
    """The judge of labellings of one set of points; what does not depend on labels is computed once.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_basis : int, default=200
        At most this many centres, drawn at random.
    n_folds : int, default=5
    gammas, deltas : array-like or None, default=None
        Widths and penalties to choose from; None means those of the paper, the widths in units of the root
        of the features' mean variance.
    random_state : int, RandomState or None, default=0
        Draws centres and folds.

    Examples
    --------
    >>> from mmc.datasets import make_moons
    >>> X, y = make_moons(200, random_state=0)
    >>> judge = LSMI(X)
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
        deltas: ArrayLike | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.deltas = penalties(deltas)
        self.centres = place_centres(
            X, n_basis=n_basis, n_folds=n_folds, gammas=gammas, random_state=random_state
        )
        self._moments: dict[float, Array] = {}

    def __call__(self, labels: ArrayLike) -> Estimate:
        """Estimate SMI between the points and these labels.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Of any kind; only which are equal matters.

        Returns
        -------
        Estimate
        """
        with one_thread():
            return self._estimate(self.centres.codes(labels))

    def _estimate(self, codes: Codes) -> Estimate:
        centres = self.centres
        c, M = int(codes.max()) + 1, centres.n_folds
        group = centres.fold * c + codes
        counts = np.asarray(np.bincount(group, minlength=M * c).reshape(M, c), dtype=np.int64)
        cv = np.empty((len(centres.gammas), len(self.deltas)))
        sums = []
        for g, gamma in enumerate(centres.gammas):
            h = _with_total(_group_sums(centres.kernel(gamma), group, M * c).reshape(M, c, -1))
            G = self._fold_moments(gamma)
            cv[g] = np.mean([self._held_out(m, codes, counts, G, h) for m in range(M)], axis=0)
            sums.append(h[-1])
        best, at = np.unravel_index(np.argmin(cv), cv.shape)
        gamma, delta = float(centres.gammas[best]), float(self.deltas[at])
        value = self._value(codes, counts.sum(axis=0), gamma, delta, sums[best])
        return Estimate(value, gamma, delta, centres.gammas, self.deltas, cv)

    def _fold_moments(self, gamma: float) -> Array:
        """Give Σ_i L_iℓ L_iℓ' over every fold and, at last, over all points; kept for the next labelling."""
        if gamma not in self._moments:
            L, fold = self.centres.kernel(gamma), self.centres.fold
            parts = [L[fold == m] for m in range(self.centres.n_folds)]
            self._moments[gamma] = _with_total(np.stack([part.T @ part for part in parts]))
        return self._moments[gamma]

    def _held_out(self, m: int, codes: Codes, counts: Codes, G: Array, h: Array) -> Array:
        """Give CV_m for every δ: fit without fold m, and measure on fold m."""
        here, rest = counts[m], counts.sum(axis=0) - counts[m]
        size, others = here.sum(), rest.sum()
        free = self.centres.fold[self.centres.basis] != m
        error = np.zeros(len(self.deltas))
        for y in np.flatnonzero(rest):
            centre = np.flatnonzero(free & (codes[self.centres.basis] == y))
            square = np.ix_(centre, centre)
            mine, total = G[m][square], G[-1][square]
            mean = (h[-1, y, centre] - h[m, y, centre]) / others
            theta = ridge_path((total - mine) * (rest[y] / others**2), mean, self.deltas)
            ratio_squared = (theta * (mine @ theta)).sum(axis=0)
            error += here[y] * ratio_squared / (2.0 * size**2) - h[m, y, centre] @ theta / size
        return error

    def _value(self, codes: Codes, counts: Codes, gamma: float, delta: float, h: Array) -> float:
        """Fit to all points and give LSMI, [SMIC] eq. 14."""
        n = counts.sum()
        G = self._fold_moments(gamma)[-1]
        value = -0.5
        for y in range(len(counts)):
            centre = np.flatnonzero(codes[self.centres.basis] == y)
            H, mean = G[np.ix_(centre, centre)] * (counts[y] / n**2), h[y, centre] / n
            theta = ridge_path(H, mean, np.array([delta]))[:, 0]
            value += float(theta @ mean - 0.5 * theta @ H @ theta)
        return value


def lsmi(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    n_basis: int = 200,
    n_folds: int = 5,
    gammas: ArrayLike | None = None,
    deltas: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> Estimate:
    """Estimate the squared-loss mutual information between points and labels.

    To score several labellings of the same points, make one `LSMI` and call it for each.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,)
    n_basis, n_folds, gammas, deltas, random_state
        As for `LSMI`.

    Returns
    -------
    Estimate
        With the chosen γ and δ and the table of cross-validation.
    """
    judge = LSMI(X, n_basis=n_basis, n_folds=n_folds, gammas=gammas, deltas=deltas, random_state=random_state)
    return judge(labels)


def _with_total(parts: Array) -> Array:
    return np.concatenate([parts, parts.sum(axis=0, keepdims=True)])


def _group_sums(L: Array, group: Codes, n_groups: int) -> Array:
    """Add up the rows of each group."""
    member = csr_array((np.ones(len(L)), (group, np.arange(len(L)))), shape=(n_groups, len(L)))
    return np.asarray(member @ L)
