"""The second phase of k-means as in MATLAB, which the authors of two papers use: single points move."""

from __future__ import annotations

import numpy as np

from benchmarks.tables.sets import Array, Labels


def settled(X: Array, labels: Labels) -> Labels:
    """Move single points in turn, until no move makes the sum of squares smaller.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    labels : ndarray of shape (n_samples,)
        Clusters, each of at least one point.

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    labels = np.array(labels, dtype=np.int64)
    every, last = np.arange(len(X)), -1
    sizes = np.bincount(labels)
    squares = np.empty((len(X), len(sizes)))
    stale = range(len(sizes))
    while True:
        for h in stale:
            squares[:, h] = ((X - X[labels == h].mean(axis=0)) ** 2).sum(axis=1)
        own = sizes[labels]
        costs = squares * (sizes / (sizes + 1))
        costs[every, labels] = squares[every, labels] * own / np.maximum(own - 1, 1)
        gains = costs[every, labels] - costs.min(axis=1)
        movable = np.flatnonzero(
            (gains > 1e-9 * squares.max()) & (own > 1)
        )  # the last point of a cluster stays
        if not len(movable):
            return labels
        last = movable[np.argmin((movable - last - 1) % len(X))]
        stale = (int(labels[last]), int(costs[last].argmin()))
        labels[last] = stale[1]
        sizes = np.bincount(labels, minlength=len(sizes))


def sum_of_squares(X: Array, labels: Labels) -> float:
    """Return the sum of squared distances of the points from the centres of their clusters.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    labels : ndarray of shape (n_samples,)
        Clusters.

    Returns
    -------
    float
    """
    return float(sum(((X[labels == h] - X[labels == h].mean(axis=0)) ** 2).sum() for h in np.unique(labels)))
