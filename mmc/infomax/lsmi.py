"""Least-squares mutual information ([SMIC] section 2.4; Sugiyama, Niu, Yamada, Kimura, Hachiya 2013).

LSMI estimates the squared-loss mutual information between points and their labels

    SMI = ½ ∫ Σ_y p(x) p(y) (p(x, y) / (p(x) p(y)) − 1)² dx                              (eq. 1)

by fitting the density ratio r(x, y) = Σ_{ℓ: y_ℓ = y} θ_ℓ L(x, x_ℓ) by least squares (eqs. 10–13). It needs no
true labels: it measures how well the points determine the labels, and so scores the labelling of any
algorithm.

=============  ==============  ===========================================================
paper          code            meaning
=============  ==============  ===========================================================
L, γ           L, gamma        Gaussian function and its width
δ              deltas          ridge penalty
Ĥ, ĥ           H, h            second moments and class means of the Gaussians
CV             cv              mean error on the held-out folds
=============  ==============  ===========================================================

Costs for n points, b centres, c classes, g widths and M folds: g n b² once for all labellings (the moments of
a fold do not depend on labels), then for each labelling g n b for ĥ and g M c reductions of Ĥ (b/c by b/c) to
tridiagonal form, after which every δ takes b/c. Memory: n b + g M b² numbers. Of more than
20,000 points (`max_samples`) a sample of so many takes the place of the n points.

Deviations from the paper: the first sums of CV_m and of eq. 14 run over all pairs of an x and a y, so that
class y is weighted by its count. The fit without a fold uses only the centres outside the fold. A class
without a centre, or without a point in the training folds, contributes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from mmc._threads import one_thread
from mmc.infomax.density_ratio import (
    MOST,
    Array,
    Centres,
    Codes,
    Estimate,
    KernelFunction,
    penalties,
    place_centres,
    place_kernels,
)
from mmc.infomax.ridge_path import ridge_path


class LSMI:
    """Squared-loss mutual information between one set of points and any labels of them ([SMIC] section 2.4).

    An instance is called with labels and returns an `Estimate`. What does not depend on labels is computed
    once, so that one instance scores many labellings at a low cost.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points, or what `kernel` asks for.
    n_basis : int, default=200
        Largest number of centres, which are drawn at random from the points.
    n_folds : int, default=5
        Number of folds of the cross-validation.
    gammas : array-like or None, default=None
        Candidates for the width. None means those of the paper, in units of the root of the features' mean
        variance.
    deltas : array-like or None, default=None
        Candidates for the penalty. None means those of the paper.
    max_samples : int, default=20_000
        Largest number of points that are used. Of more points a random sample of so many is, in which a small
        cluster may have few points or none.
    kernel : {"rbf", "precomputed"}, callable or sequence of callables, default="rbf"
        L between points and centres. "rbf" is the Gaussian of [SMIC] eq. 11, whose width is chosen among
        `gammas`. With "precomputed", `X` is a kernel matrix or a list of them; a callable takes two sequences
        of objects, such as texts, and returns the matrix of their kernel values. Of several kernels the
        cross-validation chooses one. Only the columns of the centres are used, and each kernel is divided
        by its mean value at the centres with themselves.
    random_state : int, RandomState or None, default=0
        Seed of the sample, centres and folds.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the points in all means. They do not change how the centres are drawn.

    Attributes
    ----------
    centres : Centres
        Centres and folds.
    deltas : ndarray
        Candidates for the penalty.

    Notes
    -----
    A call takes about g n b + g M c (b/c)³ operations for b centres, c classes, g widths and M folds, and the
    first one g n b² more. Centres and folds do not depend on the labels, so that the scores of several
    labellings of the same points are comparable. `mmc.infomax.lsmi` lists the deviations from the paper.

    References
    ----------
    M. Sugiyama, G. Niu, M. Yamada, M. Kimura, H. Hachiya: Information-Maximization Clustering based on
    Squared-Loss Mutual Information. Neural Computation 26, 2014.

    Examples
    --------
    >>> from mmc.datasets import make_moons
    >>> from mmc.infomax import LSMI
    >>> X, y = make_moons(100, random_state=0)
    >>> score = LSMI(X)
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
        deltas: ArrayLike | None = None,
        max_samples: int = MOST,
        kernel: str | KernelFunction | Sequence[KernelFunction] = "rbf",
        random_state: int | np.random.RandomState | None = 0,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        self.deltas = penalties(deltas)
        drawn: dict[str, Any] = {
            "n_basis": n_basis,
            "n_folds": n_folds,
            "max_samples": max_samples,
            "random_state": random_state,
        }
        self.centres: Centres
        if kernel == "rbf":
            self.centres = place_centres(X, gammas=gammas, **drawn)
        else:
            self.centres = place_kernels(X, _functions(kernel, gammas), **drawn)
        self._weights = None
        if sample_weight is not None:
            weights = np.asarray(sample_weight, dtype=np.float64)
            self._weights = weights if self.centres.rows is None else weights[self.centres.rows]
        self._moments: dict[float, Array] = {}

    def __call__(self, labels: ArrayLike) -> Estimate:
        """Estimate SMI between the points and these labels.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Labels of any type; only their equality matters.

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
        counts = np.bincount(group, self._weights, M * c).reshape(M, c)
        cv = np.empty((len(centres.gammas), len(self.deltas)))
        sums = []
        for g, gamma in enumerate(centres.gammas):
            h = _with_total(_group_sums(centres.kernel(gamma), group, M * c, self._weights).reshape(M, c, -1))
            G = self._fold_moments(gamma)
            cv[g] = np.mean([self._held_out(m, codes, counts, G, h) for m in range(M)], axis=0)
            sums.append(h[-1])
        best, at = np.unravel_index(np.argmin(cv), cv.shape)
        gamma, delta = float(centres.gammas[best]), float(self.deltas[at])
        value = self._value(codes, counts.sum(axis=0), gamma, delta, sums[best])
        return Estimate(value, gamma, delta, centres.gammas, self.deltas, cv)

    def _fold_moments(self, gamma: float) -> Array:
        """Return Σ_i L_iℓ L_iℓ' over every fold and finally over all points; the result is cached."""
        if gamma not in self._moments:
            L, fold = self.centres.kernel(gamma), self.centres.fold
            parts = [L[fold == m] for m in range(self.centres.n_folds)]
            if self._weights is None:
                moments = [part.T @ part for part in parts]
            else:
                own = [self._weights[fold == m] for m in range(self.centres.n_folds)]
                moments = [part.T @ (part * v[:, None]) for part, v in zip(parts, own, strict=True)]
            self._moments[gamma] = _with_total(np.stack(moments))
        return self._moments[gamma]

    def _held_out(self, m: int, codes: Codes, counts: Codes | Array, G: Array, h: Array) -> Array:
        """Return CV_m for every δ: the error on fold m of the fit without fold m."""
        here, rest = counts[m], np.delete(counts, m, axis=0).sum(axis=0)
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

    def _value(self, codes: Codes, counts: Codes | Array, gamma: float, delta: float, h: Array) -> float:
        """Fit to all points and return LSMI, [SMIC] eq. 14."""
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
    max_samples: int = MOST,
    kernel: str | KernelFunction | Sequence[KernelFunction] = "rbf",
    random_state: int | np.random.RandomState | None = 0,
) -> Estimate:
    """Estimate the squared-loss mutual information between points and labels.

    To score several labellings of the same points, create one `LSMI` and call it with each.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points, or what `kernel` asks for.
    labels : array-like of shape (n_samples,)
        Labels of any type; only their equality matters.
    n_basis : int, default=200
        Largest number of centres, which are drawn at random from the points.
    n_folds : int, default=5
        Number of folds of the cross-validation.
    gammas : array-like or None, default=None
        Candidates for the width. None means those of the paper, in units of the root of the features' mean
        variance.
    deltas : array-like or None, default=None
        Candidates for the penalty. None means those of the paper.
    max_samples : int, default=20_000
        Largest number of points that are used. Of more points a random sample of so many is, in which a small
        cluster may have few points or none.
    kernel : {"rbf", "precomputed"}, callable or sequence of callables, default="rbf"
        L between points and centres. "rbf" is the Gaussian of [SMIC] eq. 11, whose width is chosen among
        `gammas`. With "precomputed", `X` is a kernel matrix or a list of them; a callable takes two sequences
        of objects, such as texts, and returns the matrix of their kernel values. Of several kernels the
        cross-validation chooses one. Only the columns of the centres are used, and each kernel is divided
        by its mean value at the centres with themselves.
    random_state : int, RandomState or None, default=0
        Seed of the sample, centres and folds.

    Returns
    -------
    Estimate
        LSMI, with the chosen γ and δ and the table of the cross-validation.

    Examples
    --------
    >>> from mmc.datasets import make_moons
    >>> from mmc.infomax import lsmi
    >>> X, y = make_moons(100, random_state=0)
    >>> lsmi(X, y).value > lsmi(X, X[:, 0] > 0.5).value
    True
    """
    judge = LSMI(
        X,
        n_basis=n_basis,
        n_folds=n_folds,
        gammas=gammas,
        deltas=deltas,
        max_samples=max_samples,
        kernel=kernel,
        random_state=random_state,
    )
    return judge(labels)


def _functions(kernel: Any, gammas: ArrayLike | None) -> Sequence[KernelFunction] | None:
    """Return the kernels as functions, or None for matrices."""
    if gammas is not None:
        raise ValueError("gammas are the widths of the Gaussian kernel; leave them out with another kernel.")
    if isinstance(kernel, str) and kernel == "precomputed":
        return None
    functions: tuple[KernelFunction, ...] = (kernel,) if callable(kernel) else tuple(kernel)
    if isinstance(kernel, str) or not functions or not all(map(callable, functions)):
        raise ValueError(
            f'kernel={kernel!r} must be "rbf", "precomputed", a callable or a list of callables.'
        )
    return functions


def _with_total(parts: Array) -> Array:
    return np.concatenate([parts, parts.sum(axis=0, keepdims=True)])


def _group_sums(L: Array, group: Codes, n_groups: int, weights: Array | None) -> Array:
    """Add up the rows of each group, with weights if there are any."""
    values = np.ones(len(L)) if weights is None else weights
    member = csr_array((values, (group, np.arange(len(L)))), shape=(n_groups, len(L)))
    return np.asarray(member @ L)
