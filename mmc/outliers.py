"""Points that belong to no cluster.

The rule is Tukey's fence on the logarithm of how far a point is from its own kind: with d_i the distance of
point i to its fifth nearest neighbour, and q₁, q₃ the quartiles of log d within its cluster, a point is an
outlier if log d_i > q₃ + 1.5 (q₃ − q₁). Each cluster has its own fence, so that a thin cluster is not noise
beside a dense one. Of a cluster without outliers some points in a hundred may lie beyond the fence. Outliers
that form a clump of more than five points are not found: they are close to each other. Neither is a point
that occurs more than five times.

Costs: one search for neighbours (`mmc.kernels.neighbors`), memory n.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d

from mmc.kernels.local_scaling import find_neighbors

#: The neighbour whose distance counts, and the factor of the fence.
_NEIGHBOR, _FENCE = 5, 1.5


def find_outliers(X: ArrayLike, labels: ArrayLike) -> NDArray[np.bool_]:
    """Find points that are much farther from others than their cluster's points usually are.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    labels : array-like of shape (n_samples,)
        Cluster of each point; negative labels belong to no cluster and are outliers.

    Returns
    -------
    ndarray of shape (n_samples,), bool
        Whether a point is an outlier. With fewer than eight different points none is.

    Raises
    ------
    ValueError
        If the numbers of points and labels differ.

    Examples
    --------
    >>> import numpy as np
    >>> from mmc.datasets import make_moons
    >>> from mmc.outliers import find_outliers
    >>> X, y = make_moons(200, random_state=0)
    >>> far = np.vstack([X, [[5.0, 5.0]]])
    >>> bool(find_outliers(far, np.append(y, 0))[-1])
    True
    """
    points = check_array(X, dtype=np.float64, order="C")
    codes = column_or_1d(labels)
    if len(codes) != len(points):
        raise ValueError(f"There are {len(points)} points, but {len(codes)} labels. Give one for each point.")
    return beyond_fences(reaches(points), codes)


def reaches(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each point is from its own kind, which does not depend on labels.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.

    Returns
    -------
    ndarray of shape (n_samples,)
        Logarithm of the distance to the fifth nearest neighbour; minus infinity for a point that occurs more
        than five times, and for all if there are fewer than eight different points.
    """
    nowhere = np.full(len(X), -np.inf)
    if len(X) < 2 or not np.ptp(X, axis=0).any():
        return nowhere
    near = find_neighbors(X, _NEIGHBOR)
    if near.most < _NEIGHBOR + 2:
        return nowhere
    D = near.distances
    with np.errstate(divide="ignore"):  # a distance may be too small for a number other than 0
        reach = np.log(D.data[D.indptr[:-1] + _NEIGHBOR - 1])
    reach[np.bincount(near.vertex) > _NEIGHBOR] = -np.inf  # these have neighbours enough where they are
    return np.asarray(reach[near.vertex])


def beyond_fences(reach: NDArray[np.float64], labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which points lie beyond the fence of their cluster.

    Parameters
    ----------
    reach : ndarray of shape (n_samples,)
        Result of `reaches`.
    labels : ndarray of shape (n_samples,)
        Cluster of each point; negative labels belong to no cluster.

    Returns
    -------
    ndarray of shape (n_samples,), bool
    """
    outside = np.asarray(labels < 0)
    for h in np.unique(labels[~outside]):
        mine = labels == h
        finite = reach[mine & np.isfinite(reach)]
        if len(finite):
            low, high = np.percentile(finite, [25, 75])
            outside[mine] = reach[mine] > high + _FENCE * (high - low)
    return outside
