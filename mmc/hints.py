"""What a user knows of the clusters: labels of some points, points that belong together or apart, weights.

Points that belong together are one *unit*: they move as one and count as many. Known labels fix units, and
some units must not share a cluster. For an objective that is quadratic in the labels, such as Q of
[UMC-RLS], a unit is nothing but a point whose row is the sum of the rows of its points.

Whether k clusters are enough to keep units apart is a question of colouring a graph, which is hard in
general. Here the unit with the fewest clusters left is next (DSATUR, Brélaz 1979), with a bounded number of
steps back, which is enough for links that come from people.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Label of a point whose cluster is not known.
UNKNOWN = -1

#: Number of units that are given a cluster, and given another one, before the search for a start is given up.
_MOST_STEPS = 100_000

_REMEDY = "Take some of them back, or ask for more clusters."


class Given(NamedTuple):
    """Hints as a user gives them, unchecked.

    Attributes
    ----------
    y : array-like of shape (n_samples,) or None
        Clusters of known points, −1 for the others. As everywhere in scikit-learn's clusterers, labels of all
        points are ignored.
    must_link, cannot_link : array-like of shape (n_links, 2) or None
        Pairs of rows that belong to one cluster, or to different ones.
    sample_weight : array-like of shape (n_samples,) or None
        Weights of the points.
    """

    y: object = None
    must_link: ArrayLike | None = None
    cannot_link: ArrayLike | None = None
    sample_weight: ArrayLike | None = None

    def names(self) -> list[str]:
        """Return the names of the arguments that say something."""
        named = ["known labels in y"] if known_labels(self.y) is not None else []
        given = {
            "must_link": self.must_link,
            "cannot_link": self.cannot_link,
            "sample_weight": self.sample_weight,
        }
        return [
            *named,
            *(name for name, value in given.items() if value is not None and np.asarray(value).size),
        ]


#: Nothing is known.
NO_HINTS = Given()


@dataclass(frozen=True, eq=False)
class Hints:
    """Hints that have been checked.

    Attributes
    ----------
    unit : ndarray of shape (n_samples,)
        Unit of each point.
    fixed : ndarray of shape (n_units,)
        Cluster of each unit, −1 where it is not known.
    pointers : ndarray of shape (n_units + 1,)
        Where the units begin, in `others`, with which a unit must not share a cluster.
    others : ndarray
        These units.
    weights : ndarray of shape (n_samples,) or None
        Weights of the points; None if all count the same.
    """

    unit: Labels
    fixed: Labels
    pointers: Labels
    others: Labels
    weights: Array | None = None

    @classmethod
    def none(cls, n: int) -> Hints:
        """Return what is known of n points if nothing is."""
        empty = np.empty(0, dtype=np.int64)
        return cls(np.arange(n), np.full(n, UNKNOWN), np.zeros(n + 1, dtype=np.int64), empty)

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.fixed)

    @cached_property
    def mass(self) -> Array:
        """Sum of the weights of the points of each unit."""
        return np.bincount(self.unit, self.weights, self.n_units).astype(np.float64)

    @cached_property
    def bound(self) -> Labels:
        """Units that may not go to every cluster: their own is known, or others must be elsewhere."""
        return np.flatnonzero((self.fixed >= 0) | (np.diff(self.pointers) > 0))

    @property
    def are_links(self) -> bool:
        """Whether points belong together, apart, or to known clusters."""
        return self.n_units < len(self.unit) or len(self.bound) > 0

    @property
    def are_none(self) -> bool:
        """Whether nothing is known: every point is free and counts the same."""
        return not self.are_links and self.weights is None

    def sums(self, rows: NDArray[np.floating]) -> Array:
        """Return the weighted sum of the rows of each unit.

        Parameters
        ----------
        rows : ndarray of shape (n_samples, r)

        Returns
        -------
        ndarray of shape (n_units, r)
        """
        order = np.argsort(self.unit, kind="stable")
        first = np.flatnonzero(np.diff(self.unit[order], prepend=-1))
        weighted = rows[order] if self.weights is None else rows[order] * self.weights[order, None]
        return np.asarray(np.add.reduceat(weighted, first, axis=0), dtype=np.float64)

    def points_of(self, units: Labels) -> Labels:
        """Return the points of units, in increasing order."""
        chosen = np.zeros(self.n_units, dtype=bool)
        chosen[units] = True
        return np.flatnonzero(chosen[self.unit])

    def neighbors(self, unit: int) -> Labels:
        """Return the units with which a unit must not share a cluster."""
        return self.others[self.pointers[unit] : self.pointers[unit + 1]]

    def hold(self, labels: Labels) -> bool:
        """Return whether a labelling keeps all hints.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,)

        Returns
        -------
        bool
        """
        own = np.full(self.n_units, UNKNOWN)
        own[self.unit] = labels
        starts = np.repeat(np.arange(self.n_units), np.diff(self.pointers))
        return bool(
            (own[self.unit] == labels).all()
            and (own == self.fixed)[self.fixed >= 0].all()
            and (own[starts] != own[self.others]).all()
        )

    def start(self, labels: Labels, k: int) -> Labels:
        """Return the labels of units that are close to those of points and keep the hints.

        Clusters are numbered so that they agree with the known labels as well as possible.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,)
            Labels from 0 to k − 1.
        k : int
            Number of clusters.

        Returns
        -------
        ndarray of shape (n_units,)

        Raises
        ------
        ValueError
            If no labelling is found that keeps the hints.
        """
        labels = agreeing(labels, self.fixed[self.unit], k, self.weights)[labels]
        votes = np.zeros((self.n_units, k))
        np.add.at(votes, (self.unit, labels), 1.0 if self.weights is None else self.weights)
        own = np.where(self.fixed >= 0, self.fixed, votes.argmax(axis=1))
        self._keep_apart(own, votes)
        self._fill(own, k)
        return own.astype(np.int64)

    def _keep_apart(self, own: Labels, votes: Array) -> None:
        """Give units that must not share a cluster the best one that is left, in place."""
        torn = np.flatnonzero(np.diff(self.pointers) > 0)
        if not len(torn):
            return
        place = np.full(self.n_units, -1)
        place[torn] = np.arange(len(torn))
        k = votes.shape[1]
        wishes = np.argsort(-votes[torn], axis=1, kind="stable")
        taken = np.zeros((len(torn), k), dtype=np.int64)  # neighbours in each cluster
        chosen = np.full(len(torn), UNKNOWN)

        def put(i: int, h: int, change: int) -> None:
            np.add.at(taken[:, h], place[self.neighbors(int(torn[i]))], change)
            chosen[i] = h if change > 0 else UNKNOWN

        for fixed in np.flatnonzero(self.fixed[torn] >= 0).tolist():
            put(fixed, int(self.fixed[torn[fixed]]), 1)
        path: list[tuple[int, int]] = []  # units in the order in which they were placed, and their wish
        i, wish = -1, 0
        for _ in range(_MOST_STEPS):
            if i < 0:
                left = np.flatnonzero(chosen < 0)
                if not len(left):
                    own[torn] = chosen
                    return
                i, wish = int(left[(taken[left] > 0).sum(axis=1).argmax()]), 0
            while wish < k and taken[i, wishes[i, wish]]:
                wish += 1
            if wish < k:
                put(i, int(wishes[i, wish]), 1)
                path.append((i, wish))
                i = -1
            elif path:
                i, wish = path.pop()
                put(i, int(wishes[i, wish]), -1)
                wish += 1
            else:
                break
        raise ValueError(f"No labels of {k} clusters were found that keep all hints. {_REMEDY}")

    def _fill(self, own: Labels, k: int) -> None:
        """Give every empty cluster a unit that is free, where there is one, in place."""
        sizes = np.bincount(own, minlength=k)
        for h in np.flatnonzero(sizes == 0):
            free = (self.fixed < 0) & (sizes[own] > 1)
            if free.any():
                unit = int(np.where(free, sizes[own], 0).argmax())  # no unit is in h, so it may go there
                sizes[own[unit]] -= 1
                own[unit], sizes[h] = h, 1


def agreeing(labels: Labels, known: Labels, k: int, weights: Array | None = None) -> Labels:
    """Return the number of each cluster with which labels agree best with known ones.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Labels from 0 to k − 1.
    known : ndarray of shape (n_samples,)
        Known labels, −1 where nothing is known.
    k : int
        Number of clusters.
    weights : ndarray of shape (n_samples,) or None, default=None
        Weights of the points.

    Returns
    -------
    ndarray of shape (k,)
        A permutation; the identity if nothing is known.
    """
    seen = known >= 0
    mass = None if weights is None else weights[seen]
    counts = np.bincount(labels[seen] * k + known[seen], mass, k * k).reshape(k, k)
    return np.asarray(linear_sum_assignment(counts, maximize=True)[1], dtype=np.int64)


def known_labels(y: object) -> NDArray[np.generic] | None:
    """Return labels some of which are −1, and None for labels of all points, which a clustering ignores.

    Parameters
    ----------
    y : object
        What a user gave as y.

    Returns
    -------
    ndarray or None
    """
    if y is None:
        return None
    labels = np.asarray(y)
    if labels.ndim != 1 or labels.dtype.kind not in "iuf" or not (labels == UNKNOWN).any():
        return None
    return labels


def read_hints(given: Given, n: int, k: int) -> Hints:
    """Check hints and find the units.

    Parameters
    ----------
    given : Given
        Hints of the user.
    n : int
        Number of points.
    k : int
        Number of clusters.

    Returns
    -------
    Hints

    Raises
    ------
    ValueError
        If they are not allowed or contradict each other; the message names rows.
    """
    if not given.names():
        return Hints.none(n)
    labels = _labels(given.y, n, k)
    together, apart = _pairs("must_link", given.must_link, n), _pairs("cannot_link", given.cannot_link, n)
    weights = _weights(given.sample_weight, n)
    links = coo_array((np.ones(len(together)), (together[:, 0], together[:, 1])), shape=(n, n))
    n_units, unit = connected_components(links, directed=False)
    unit = unit.astype(np.int64)
    fixed = np.full(n_units, UNKNOWN)
    known = np.flatnonzero(labels >= 0)
    fixed[unit[known]] = labels[known]
    if len(wrong := known[fixed[unit[known]] != labels[known]]):
        raise ValueError(
            f"must_link joins points of different known labels, {_named(wrong)} with others: take a label "
            "or a link back."
        )
    if len(same := np.flatnonzero(unit[apart[:, 0]] == unit[apart[:, 1]])):
        first, second = apart[same[0]]
        raise ValueError(
            f"cannot_link keeps the rows {first} and {second} apart, which must_link joins: take a link back."
        )
    ends = fixed[unit[apart]]
    if len(same := np.flatnonzero((ends[:, 0] >= 0) & (ends[:, 0] == ends[:, 1]))):
        first, second = apart[same[0]]
        raise ValueError(
            f"cannot_link keeps the rows {first} and {second} apart, and both are known to be in cluster "
            f"{ends[same[0], 0]}: take a label or a link back."
        )
    if n_units < k:
        raise ValueError(
            f"must_link leaves {n_units} group{'' if n_units == 1 else 's'} of points, fewer than "
            f"n_clusters={k}. Ask for fewer clusters, or take links back."
        )
    both = np.unique(np.concatenate([unit[apart], unit[apart[:, ::-1]]]), axis=0)
    pointers = np.searchsorted(both[:, 0], np.arange(n_units + 1)).astype(np.int64)
    return Hints(unit, fixed, pointers, np.ascontiguousarray(both[:, 1], dtype=np.int64), weights)


def _labels(y: object, n: int, k: int) -> Labels:
    found = known_labels(y)
    if found is None:
        return np.full(n, UNKNOWN)
    check_consistent_length(found, np.empty(n))
    labels = found.astype(np.int64)
    if (labels != found).any() or labels.min() < UNKNOWN:
        wrong = found[(labels != found) | (labels < UNKNOWN)][0]
        raise ValueError(
            f"y holds {wrong}: known labels are whole numbers from 0 to {k - 1}, and −1 where nothing is "
            "known."
        )
    if labels.max() >= k:
        raise ValueError(
            f"The known labels go up to {labels.max()}, and n_clusters={k} has the clusters 0 to {k - 1}. "
            f"Ask for at least {labels.max() + 1} clusters, or know less."
        )
    return labels


def _pairs(name: str, links: ArrayLike | None, n: int) -> Labels:
    if links is None or not np.asarray(links).size:
        return np.empty((0, 2), dtype=np.int64)
    pairs = check_array(links, dtype=None, input_name=name)
    if pairs.dtype.kind not in "iu" or pairs.shape[1] != 2:
        raise ValueError(f"{name} must hold pairs of row numbers: an array of whole numbers of shape (n, 2).")
    if pairs.min() < 0 or pairs.max() >= n:
        wrong = pairs[(pairs < 0) | (pairs >= n)][0]
        raise ValueError(f"{name} names the row {wrong}, and the rows are 0 to {n - 1}.")
    return np.asarray(pairs, dtype=np.int64)


def _weights(weights: ArrayLike | None, n: int) -> Array | None:
    if weights is None:
        return None
    given = check_array(weights, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if given.shape != (n,):
        raise ValueError(f"sample_weight has the shape {given.shape}: give one number for each of {n} rows.")
    if given.min() <= 0:
        raise ValueError(
            f"sample_weight holds {given.min():g}: weights are above zero. Leave out rows of weight zero."
        )
    return None if (given == 1.0).all() else np.asarray(given)


def _named(rows: Labels) -> str:
    return f"row {rows[0]}" if len(rows) == 1 else f"rows {', '.join(str(row) for row in rows[:3])}"
