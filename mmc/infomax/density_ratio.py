"""What the two estimators of dependence share: centres, folds, widths, and the form of their result.

Both [SMIC] section 2.4 (LSMI) and section 3.8 (MLMI) fit the density ratio p(x, y) / (p(x) p(y)) with
Gaussian functions centred at points of the same class, and choose the width by cross-validation. Centres and
folds do not depend on the labels, so that the scores of several labellings of the same points compare. Nor
does the sample of 20,000 points that stands for more.

Of objects that are no points, such as texts or graphs, a kernel takes the place of the Gaussian ([SMIC]
section 2.4 needs "a kernel function" alone, and section 5 names structured objects): its values between all
objects and the centres are the basis, and where several kernels are given, they are the candidates in place
of the widths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_array, check_random_state, column_or_1d

from mmc._points import canonical, largest_spread, middle, shifted, total_variance
from mmc.metrics import in_order

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

#: Maps two sequences of m and k objects to the array of shape (m, k) of their kernel values.
KernelFunction = Callable[[Any, Any], ArrayLike]

#: Widths γ and penalties δ of [SMIC] section 4.3.1, for data of unit variance.
GAMMAS = tuple(10.0 ** (e / 2) for e in range(-4, 5))
DELTAS = tuple(10.0 ** (e / 2) for e in range(-6, 3))

#: Largest number of points in the means; a sample of so many stands for more.
MOST = 20_000

#: Values of the Gaussian below this are taken as zero: products of much smaller ones are denormal and slow.
_FLUSH = 1e-100

#: Numbers below this, or above one over it, are refused: soon their squares would be denormal or infinite.
_SMALLEST = 1e-150


@dataclass(frozen=True, eq=False)
class Estimate:
    """An estimate of the dependence between points and labels.

    Attributes
    ----------
    value : float
        The estimate.
    gamma : float
        The chosen width; of given kernels the index of the chosen one.
    delta : float
        The chosen penalty; 0 for MLMI, which has none.
    gammas, deltas : ndarray
        The candidates.
    cv : ndarray of shape (n_gammas, n_deltas)
        Loss on the held-out folds, lower is better: for LSMI the squared error of the ratio up to a
        constant, for MLMI the mean negative logarithm of the ratio.
    """

    value: float
    gamma: float
    delta: float
    gammas: Array
    deltas: Array
    cv: Array


def gaussian(d2: Array, gamma: float) -> Array:
    """Return L of [SMIC] eq. 11 for squared distances.

    Parameters
    ----------
    d2 : ndarray
        Squared distances.
    gamma : float
        Width.

    Returns
    -------
    ndarray of the same shape
    """
    L = d2 * (-0.5 / gamma**2)
    np.exp(L, out=L)
    L[L < _FLUSH] = 0.0
    return L


@dataclass(frozen=True, eq=False)
class Centres:
    """Centres and folds of a set of points; all arrays are about the points of the sample, if there is one.

    Attributes
    ----------
    n_points : int
        Number of points.
    rows : ndarray or None
        Points of the sample in increasing order; None if no sample is taken.
    d2 : ndarray of shape (n_samples, n_basis)
        Squared distances of all points to the centres.
    basis : ndarray of shape (n_basis,)
        Indices of the points that are centres.
    fold : ndarray of shape (n_samples,)
        Fold of each point.
    gammas : ndarray
        Candidates for the width.
    """

    n_points: int
    rows: NDArray[np.int64] | None
    d2: Array
    basis: NDArray[np.int64]
    fold: NDArray[np.int64]
    gammas: Array

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.fold.max()) + 1

    def kernel(self, gamma: float) -> Array:
        """Return L of [SMIC] eq. 11 between all points and the centres."""
        return gaussian(self.d2, gamma)

    def codes(self, labels: ArrayLike) -> Codes:
        """Return the labels as numbers from 0, in the order of their first appearance."""
        given = column_or_1d(labels)
        if len(given) != self.n_points:
            raise ValueError(f"There are {self.n_points} points, but {len(given)} labels.")
        return in_order(given if self.rows is None else given[self.rows])


@dataclass(frozen=True, eq=False)
class KernelCentres(Centres):
    """Centres whose basis functions are given kernels; the candidates `gammas` are their indices.

    Attributes
    ----------
    kernels : ndarray of shape (n_kernels, n_samples, n_basis)
        Kernels between all objects and the centres, each divided by the mean of its values at the centres
        with themselves, so that the penalties suit any scale.
    """

    kernels: Array

    def kernel(self, gamma: float) -> Array:
        """Return a kernel between all objects and the centres."""
        return np.asarray(self.kernels[int(gamma)])


class _Drawn(NamedTuple):
    """The sample, if there is one, and the centres and folds in it."""

    rows: NDArray[np.int64] | None
    basis: NDArray[np.int64]
    fold: NDArray[np.int64]


def place_centres(
    X: ArrayLike,
    *,
    n_basis: int,
    n_folds: int,
    gammas: ArrayLike | None,
    max_samples: int = MOST,
    random_state: int | np.random.RandomState | None,
) -> Centres:
    """Draw centres and folds, and before them a sample if there are more points than allowed.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    n_basis : int
        Largest number of centres.
    n_folds : int
        At least 2; at most one for each point is made.
    gammas : array-like or None
        Candidates for the width. None means `GAMMAS` times the root of the features' mean variance, which is
        the paper's list for standardised data.
    max_samples : int, default=20_000
        Largest number of points that are used; of more a random sample of so many is.
    random_state : int, RandomState or None
        Seed of the sample, centres and folds.

    Returns
    -------
    Centres

    Raises
    ------
    ValueError
        If all points are equal, or if they or the parameters are out of range.
    """
    points = canonical(check_array(X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2))
    centred = shifted(points, middle(points))
    largest = max(float(centred.max()), -float(centred.min()))
    if not _SMALLEST < largest < 1.0 / _SMALLEST or largest_spread(points) == 0.0:
        raise ValueError(
            "All points are equal, or their values overflow when squared: no width fits. Check the columns."
        )
    rows, basis, fold = _draw(points.shape[0], n_basis, n_folds, max_samples, random_state)
    if rows is not None:
        centred = centred[rows]
    d2 = np.asarray(euclidean_distances(centred, centred[basis], squared=True))
    spread = float(np.sqrt(total_variance(points) / points.shape[1]))
    widths = spread * np.array(GAMMAS) if gammas is None else np.asarray(gammas, dtype=np.float64)
    _require_positive("gammas", widths)
    return Centres(points.shape[0], rows, d2, basis, fold, widths)


def place_kernels(
    objects: Any,
    functions: Sequence[KernelFunction] | None,
    *,
    n_basis: int,
    n_folds: int,
    max_samples: int = MOST,
    random_state: int | np.random.RandomState | None,
) -> KernelCentres:
    """Draw centres and folds of objects that only kernels compare, in the order of `place_centres`.

    Parameters
    ----------
    objects : array-like of shape (n, n) or (n_kernels, n, n), or sequence of n objects
        Kernel matrices, or what `functions` take.
    functions : sequence of callable or None
        Kernels; None if `objects` holds matrices.
    n_basis, n_folds, max_samples, random_state
        As for `place_centres`.

    Returns
    -------
    KernelCentres

    Raises
    ------
    ValueError
        If a matrix or what a function returns has not the right shape, is not finite, or has no positive
        values at the centres with themselves.
    """
    matrices = None
    if functions is None:
        given = np.asarray(objects, dtype=np.float64)
        matrices = given[None] if given.ndim == 2 else given
        if matrices.ndim != 3 or matrices.shape[1] != matrices.shape[2] or len(matrices) == 0:
            raise ValueError(
                "A precomputed kernel is a matrix of shape (n, n), or several of them; this one has the "
                f"shape {given.shape}."
            )
    n = len(objects) if matrices is None else matrices.shape[1]
    if n < 2:
        raise ValueError(f"At least 2 objects are needed; there are {n}.")
    drawn = _draw(n, n_basis, n_folds, max_samples, random_state)
    rows = np.arange(n) if drawn.rows is None else drawn.rows
    centres = rows[drawn.basis]
    if matrices is not None:
        kernels = [matrix[np.ix_(rows, centres)] for matrix in matrices]
    else:
        pick = objects.__getitem__ if isinstance(objects, np.ndarray) else lambda at: [objects[i] for i in at]
        every, some = pick(rows), pick(centres)
        kernels = [np.array(function(every, some), dtype=np.float64) for function in functions or ()]
    scaled = []
    for kernel in kernels:
        if kernel.shape != (len(rows), len(centres)) or not np.isfinite(kernel).all():
            raise ValueError(
                f"A kernel must give finite numbers in the shape {(len(rows), len(centres))}, the objects "
                f"times the centres; this one has the shape {kernel.shape}."
            )
        size = float(kernel[drawn.basis, np.arange(len(centres))].mean())
        if not _SMALLEST < size < 1.0 / _SMALLEST:
            raise ValueError(
                f"The values of a kernel between objects and themselves must be positive; their mean is "
                f"{size:.3g}."
            )
        scaled.append(kernel / size)
    numbers = np.arange(len(scaled), dtype=np.float64)
    return KernelCentres(n, drawn.rows, np.empty(0), drawn.basis, drawn.fold, numbers, np.stack(scaled))


def _draw(
    n: int,
    n_basis: int,
    n_folds: int,
    max_samples: int,
    random_state: int | np.random.RandomState | None,
) -> _Drawn:
    if n_basis < 1 or n_folds < 2:
        raise ValueError(f"n_basis={n_basis} must be at least 1 and n_folds={n_folds} at least 2.")
    if max_samples < 2:
        raise ValueError(f"max_samples={max_samples} must be at least 2.")
    rng, rows = check_random_state(random_state), None
    if n > max_samples:
        rows, n = np.sort(rng.permutation(n)[:max_samples]), max_samples
    basis = np.sort(rng.permutation(n)[:n_basis])
    return _Drawn(rows, basis, rng.permutation(np.arange(n) % min(n_folds, n)))


def penalties(deltas: ArrayLike | None) -> Array:
    """Check the candidates for δ; None means `DELTAS`."""
    values = np.array(DELTAS) if deltas is None else np.asarray(deltas, dtype=np.float64)
    _require_positive("deltas", values)
    return values


def _require_positive(name: str, values: Array) -> None:
    in_range = (values > _SMALLEST) & (values < 1.0 / _SMALLEST)
    if values.ndim != 1 or len(values) == 0 or not in_range.all():
        raise ValueError(f"{name} must be a list of positive numbers, none too small or large to be squared.")
