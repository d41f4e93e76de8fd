"""The points of one part in a search of [UMC-RLS] that is spread over parts.

A part has rows of the factor and labels of its points. It offers its best candidates by their gains alone,
in bundles of equal number, and moves as many as it is told; what goes back are k×r sums.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc._fast import parts as loops
from mmc._fast.factor import lowest
from mmc.kernels.neighbors import Array, Floats

Labels = NDArray[np.int64]
#: Labels in the smallest type that holds them.
SmallLabels = NDArray[np.unsignedinteger]

#: Largest number of bundles that a part offers.
_BUNDLES = 1024


class Sums(NamedTuple):
    """What moves have changed.

    Attributes
    ----------
    sums : ndarray of shape (k, r)
        Sums of the rows of each cluster, or what has been added to them.
    sizes : ndarray of shape (k,)
        Points of each cluster of this part.
    n_moved : int
        Number of points that moved.
    """

    sums: Array
    sizes: Labels
    n_moved: int


class Offer(NamedTuple):
    """Candidates of a part.

    Attributes
    ----------
    gains : ndarray
        The highest gain of each bundle; within a bundle and from bundle to bundle they increase.
    size : int
        Candidates of a bundle; the last one may have fewer.
    n_offered : int
        Number of all candidates.
    """

    gains: Floats
    size: int
    n_offered: int


class Part:
    """Labels of the points of a part, and their moves.

    Parameters
    ----------
    W : ndarray of shape (n, r)
        Rows of the factor.
    k : int
        Number of clusters.
    """

    def __init__(self, W: Floats, k: int) -> None:
        n = len(W)
        self._W, self._k = W, k
        self._squares = np.empty(n, dtype=W.dtype)
        loops.squares(W, self._squares)
        self._labels: SmallLabels = np.zeros(n, dtype=label_type(k))
        self._sizes = np.zeros(k, dtype=np.int64)
        self._gain = np.empty(n, dtype=W.dtype)
        self._target: SmallLabels = np.zeros(n, dtype=self._labels.dtype)
        self._chosen = np.empty(n, dtype=np.int64)
        self._forget()

    def restore(self, labels: SmallLabels) -> None:
        """Take labels that are known elsewhere."""
        self._labels = labels.astype(self._labels.dtype)
        self._sizes = np.bincount(labels, minlength=self._k)
        self._forget()

    def begin(self, labels: SmallLabels) -> Sums:
        """Start from given labels, and return the sums of all points."""
        self.restore(labels)
        return self._all()

    def begin_randomly(self, how: tuple[list[int], int]) -> Sums:
        """Start from clusters of equal size, drawn at random: the seed, and the row of the first point."""
        seed, first = how
        rng = np.random.default_rng(seed)
        return self.begin(rng.permutation((first + np.arange(len(self._labels))) % self._k))

    def begin_nearest(self, projection: Array, centres: Array) -> Sums:
        """Start from the nearest centre of each row, projected and scaled to length 1."""
        labels = np.empty_like(self._labels)
        loops.nearest(self._W, projection, centres, labels)
        return self.begin(labels)

    def put(self, label: int, from_: int) -> Sums:
        """Move the first point of a cluster to another one, which is empty."""
        j = np.flatnonzero(self._labels == from_)[:1]
        return self._move(j, np.full(1, label, dtype=self._target.dtype), np.ones(self._k, dtype=np.int64))

    def labels(self) -> SmallLabels:
        """Return the labels."""
        return self._labels.copy()

    def offer_claims(self, sums: Array, cluster: int, most: int, spare: Labels) -> Offer:
        """Look for the best points that a cluster may claim."""
        loops.claim_gains(self._W, self._squares, sums, self._labels, self._sizes, spare, cluster, self._gain)
        self._target[:] = cluster
        return self._offer(most, np.inf)

    def offer_moves(self, sums: Array, most: int, least: float, spare: Labels) -> Offer:
        """Look for the best moves that lower Q."""
        loops.best_moves(
            self._W, self._squares, sums, self._labels, self._sizes, spare, self._gain, self._target
        )
        return self._offer(most, -least)

    def take(self, how: tuple[int, Labels]) -> Sums:
        """Move the first of the candidates: how many, and which clusters are kept alive elsewhere."""
        count, spare = how
        points = self._chosen[:count]
        return self._move(points, self._target[points], spare)

    def sweep(self, sums: Array, least: float, spare: Labels) -> Sums:
        """Visit every point once, and move it where that lowers Q as far as this part knows."""
        change = np.zeros_like(sums)
        old = np.empty_like(self._labels)
        count = loops.sweep(
            self._W,
            self._squares,
            sums,
            self._labels,
            self._sizes,
            spare,
            least,
            self._chosen,
            old,
            change,
        )
        self._moved, self._old = self._chosen[:count].copy(), old[:count].copy()
        return Sums(change, self._sizes.copy(), int(count))

    def undo(self) -> Labels:
        """Take back the last moves, and return the sizes."""
        self._labels[self._moved] = self._old
        self._sizes = np.bincount(self._labels, minlength=self._k)
        self._forget()
        return self._sizes.copy()

    def _all(self) -> Sums:
        sums, sizes = np.zeros((self._k, self._W.shape[1])), np.zeros(self._k, dtype=np.int64)
        loops.cluster_sums(self._W, self._labels, sums, sizes)
        return Sums(sums, sizes, len(self._labels))

    def _offer(self, most: int, below: float) -> Offer:
        most = min(most, len(self._gain))
        count = int(lowest(self._gain, most, below, self._chosen))
        size = max(1, -(-most // _BUNDLES))
        ends = np.minimum(np.arange(size, count + size, size), count) - 1
        return Offer(self._gain[self._chosen[ends]], size, count)

    def _move(self, points: Labels, target: SmallLabels, spare: Labels) -> Sums:
        change = np.zeros((self._k, self._W.shape[1]))
        points, old = points.copy(), np.empty(len(points), dtype=self._labels.dtype)
        count = loops.move(self._W, self._labels, self._sizes, spare, points, target, change, old)
        self._moved, self._old = points[:count], old[:count]
        return Sums(change, self._sizes.copy(), int(count))

    def _forget(self) -> None:
        self._moved, self._old = np.empty(0, dtype=np.int64), self._labels[:0].copy()


def label_type(k: int) -> np.dtype:
    """Return the smallest type of labels from 0 to k − 1."""
    return np.min_scalar_type(k - 1)
