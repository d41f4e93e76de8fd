"""Rounds of k-means (Lloyd's algorithm) for any way of computing distances.

In a round every point moves to its nearest centre, and centres are the means of their points. A cluster that
loses all its points takes the point that lies farthest from its own centre. The scatter, the sum of squared
distances to the own centre, falls in every round but the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from mmc.baselines.moving import Array, Labels, MovingState
from mmc.starts import seeded_labels


class Centres(NamedTuple):
    """Centres of a labelling, and the distance of each point to each.

    Attributes
    ----------
    places : ndarray
        Data that determine the distances to the centres, with one entry for each.
    distances : ndarray of shape (n_samples, n_clusters)
        Squared distances.
    """

    places: Array
    distances: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class MeansState(MovingState):
    """A labelling and its centres.

    Attributes
    ----------
    places : ndarray
        Data that determine the distances to the centres, with one entry for each.
    """

    places: Array


def rounds(centre: Callable[[Labels], Centres], labels: Labels) -> Iterator[MeansState]:
    """Run rounds from a labelling until none lowers the scatter.

    Parameters
    ----------
    centre : callable
        Returns the centres of a labelling without empty clusters.
    labels : ndarray of shape (n_samples,)
        Labels to start from.

    Yields
    ------
    MeansState
        The first one is the start, the last one a round that moves no point.
    """
    nobody = np.empty(0, dtype=np.int64)
    places, distances = centre(labels)
    last = MeansState(
        labels=labels,
        objective=_scatter(distances, labels),
        what="scatter",
        round=0,
        moved=nobody,
        previous=np.inf,
        places=places,
    )
    while last.objective < last.previous - 1e-12 * abs(last.objective):
        yield last
        nearest = _filled(distances.argmin(axis=1), distances)
        places, distances = centre(nearest)
        before, last = (
            last,
            replace(
                last,
                labels=nearest,
                objective=_scatter(distances, nearest),
                progress=(last.round + 1) / (last.round + 6),  # most starts need at most ten rounds
                round=last.round + 1,
                moved=np.flatnonzero(nearest != last.labels),
                previous=last.objective,
                places=places,
            ),
        )
    yield replace(before, converged=True, progress=1.0, round=last.round, moved=nobody)


def row_centres(rows: Array, k: int) -> Callable[[Labels], Centres]:
    """Return a function that computes centres with the distances between the rows of an array."""

    def centre(labels: Labels) -> Centres:
        means = members(labels, k) @ rows
        return Centres(means, cdist(rows, means, "sqeuclidean"))

    return centre


def row_starts(rows: Array, k: int, n_init: int, rng: np.random.RandomState) -> list[Labels]:
    """Draw starts for k-means on the rows of an array."""
    return [
        seeded_labels(lambda i: ((rows - rows[i]) ** 2).sum(axis=1), len(rows), k, rng) for _ in range(n_init)
    ]


def members(labels: Labels, k: int) -> Array:
    """Return an array of shape (k, n) that averages over each cluster: 1/n_y where a point is in y."""
    inside = np.asarray(np.arange(k)[:, None] == labels, dtype=np.float64)
    return inside / inside.sum(axis=1, keepdims=True)


def _scatter(distances: Array, labels: Labels) -> float:
    return float(distances[np.arange(len(labels)), labels].sum())


def _filled(labels: NDArray[np.intp], distances: Array) -> Labels:
    """Give every empty cluster the point farthest from its own centre, but not the last of a cluster."""
    filled = np.array(labels, dtype=np.int64)
    sizes = np.bincount(filled, minlength=distances.shape[1])
    for h in np.flatnonzero(sizes == 0):
        own = distances[np.arange(len(filled)), filled].copy()
        own[sizes[filled] == 1] = -np.inf
        farthest = int(own.argmax())
        sizes[filled[farthest]] -= 1
        filled[farthest], sizes[h] = h, 1
        distances[farthest, h] = 0.0  # it lies on its own centre now
    return filled
