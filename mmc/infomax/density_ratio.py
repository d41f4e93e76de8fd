"""What the two estimators of dependence share: centres, folds, widths, and the form of their result.

Both [SMIC] section 2.4 (LSMI) and section 3.8 (MLMI) fit the density ratio p(x, y) / (p(x) p(y)) with
Gaussian functions centred at points of the same class, and choose the width by cross-validation. Centres and
folds do not depend on the labels, so that the scores of several labellings of the same points compare. Nor
does the sample of 20,000 points that stands for more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_array, check_random_state, column_or_1d

from mmc._points import canonical, largest_spread, middle, shifted, total_variance
from mmc.metrics import in_order

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

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
        The chosen width.
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
        L = self.d2 * (-0.5 / gamma**2)
        np.exp(L, out=L)
        L[L < _FLUSH] = 0.0
        return L

    def codes(self, labels: ArrayLike) -> Codes:
        """Return the labels as numbers from 0, in the order of their first appearance."""
        given = column_or_1d(labels)
        if len(given) != self.n_points:
            raise ValueError(f"There are {self.n_points} points, but {len(given)} labels.")
        return in_order(given if self.rows is None else given[self.rows])


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
    n = points.shape[0]
    if n_basis < 1 or n_folds < 2:
        raise ValueError(f"n_basis={n_basis} must be at least 1 and n_folds={n_folds} at least 2.")
    if max_samples < 2:
        raise ValueError(f"max_samples={max_samples} must be at least 2.")
    centred = shifted(points, middle(points))
    largest = max(float(centred.max()), -float(centred.min()))
    if not _SMALLEST < largest < 1.0 / _SMALLEST or largest_spread(points) == 0.0:
        raise ValueError(
            "All points are equal, or their values overflow when squared: no width fits. Check the columns."
        )
    rng = check_random_state(random_state)
    rows = None
    if n > max_samples:
        rows, n = np.sort(rng.permutation(n)[:max_samples]), max_samples
        centred = centred[rows]
    basis = np.sort(rng.permutation(n)[:n_basis])
    fold = rng.permutation(np.arange(n) % min(n_folds, n))
    d2 = np.asarray(euclidean_distances(centred, centred[basis], squared=True))
    spread = float(np.sqrt(total_variance(points) / points.shape[1]))
    widths = spread * np.array(GAMMAS) if gammas is None else np.asarray(gammas, dtype=np.float64)
    _require_positive("gammas", widths)
    return Centres(points.shape[0], rows, d2, basis, fold, widths)


def penalties(deltas: ArrayLike | None) -> Array:
    """Check the candidates for δ; None means `DELTAS`."""
    values = np.array(DELTAS) if deltas is None else np.asarray(deltas, dtype=np.float64)
    _require_positive("deltas", values)
    return values


def _require_positive(name: str, values: Array) -> None:
    in_range = (values > _SMALLEST) & (values < 1.0 / _SMALLEST)
    if values.ndim != 1 or len(values) == 0 or not in_range.all():
        raise ValueError(f"{name} must be a list of positive numbers, none too small or large to be squared.")
