"""Which new rows lie far from the points that a model was fitted to.

Up to 1,000 training points are stored, a random sample if there are more. With d the distance of a training
point to the nearest stored point other than itself, and r the 99th percentile of d over the training points
(over 10,000 of them if there are more), a new row is far if its distance to the nearest stored point is more
than 1.5 r. If r is zero because nearly all points are equal, the largest d takes its place. Distances are
Euclidean, between rows as the model gets them, that is after standardisation. Of new rows from where the
training points come from, about one in a hundred or fewer is far; where a row is far, its label is a guess.

Costs for n rows of d features: 1,000 n d multiplications in blocks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from mmc._blocks import in_blocks

Array = NDArray[np.float64]

#: Number of training points that are stored, and of those over which the percentile is taken.
_STORED, _MEASURED = 1_000, 10_000

#: Percentile of the distances, and how many times as far is far.
_PERCENTILE, _TIMES = 99.0, 1.5

#: Number of distances in a block (16 MB).
_BLOCK = 2**21


class Seen(NamedTuple):
    """A summary of the training points.

    Attributes
    ----------
    points : ndarray of shape (n_stored, n_features)
        Stored training points.
    reach : float
        Distance to the nearest of them beyond which a row is far.
    """

    points: Array
    reach: float

    def far(self, X: Array) -> NDArray[np.bool_]:
        """Return which rows are far from all stored points.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,), bool
        """
        return _distances(X, self.points) > self.reach


def summarize(X: Array) -> Seen:
    """Return the summary of training points, the same at every call.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)

    Returns
    -------
    Seen
    """
    order = np.random.RandomState(0).permutation(len(X))[:_MEASURED]
    points = np.array(X[order[:_STORED]])
    own = cdist(points, points)
    np.fill_diagonal(own, np.inf)
    nearest = np.concatenate([own.min(axis=1), _distances(X[order[_STORED:]], points)])
    typical = float(np.percentile(nearest, _PERCENTILE, method="higher"))
    return Seen(points, _TIMES * (typical or float(nearest.max())))


def _distances(X: Array, points: Array) -> Array:
    """Return the distance from each row to the nearest point, in blocks."""
    size = max(1, _BLOCK // len(points))
    return in_blocks(len(X), size, lambda rows: cdist(X[rows], points).min(axis=1))
