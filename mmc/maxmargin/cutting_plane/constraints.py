"""What differs between two and many clusters ([MKC] sections 2 and 4).

The classes define the labels that f gives, the points that a constraint marks, and its column of the dual.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc.maxmargin.cutting_plane.kernel_list import AnyMember

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

_NONE = -1


class Cut(NamedTuple):
    """A constraint: for each point the class it is compared with, or −1 if the point is not marked."""

    rivals: Labels

    @property
    def marked(self) -> Labels:
        """Indices of the points with c_i = 1."""
        return np.flatnonzero(self.rivals != _NONE)


def lead(f: Array) -> Array:
    """Return |f| for two clusters, and the lead of the largest f_p over the second for many."""
    if f.ndim == 1:
        return np.abs(f)
    best = np.partition(f, -2, axis=1)[:, -2:]
    return np.asarray(best[:, 1] - best[:, 0])


class Sides(ABC):
    """Base class of the two cases, two clusters and many.

    Attributes
    ----------
    n_blocks : int
        Number of values of f at a point.
    free_shifts : bool
        Whether the multipliers of the balance, one for each of these values, have columns in the Gram matrix.
    """

    n_blocks: int
    free_shifts: bool

    @abstractmethod
    def labels(self, f: Array) -> Labels:
        """Return the labels that f, of shape (n, n_blocks), gives."""

    @abstractmethod
    def cut(self, f: Array, labels: Labels) -> Cut:
        """Find the most violated constraint if the points have these labels; those of `f` violate least."""

    @abstractmethod
    def margins(self, f: Array, labels: Labels) -> Array:
        """Return the margin of every point if it has this label."""

    @abstractmethod
    def rows(self, cut: Cut, labels: Labels, points: slice | Labels) -> Array:
        """Return n a_p at some points, of shape (n_points, n_blocks)."""

    @abstractmethod
    def share(self, cut: Cut, labels: Labels) -> float:
        """Return s_p."""

    @abstractmethod
    def first(self, labels: Labels, members: Sequence[AnyMember]) -> Cut:
        """Return the first constraint, for the labels of the start and f = 0."""


class Halves(Sides):
    """Two clusters: one f with a bias, [MKC] section 2; cluster 1 is f > 0."""

    n_blocks, free_shifts = 1, False

    def labels(self, f: Array) -> Labels:
        """Return the labels that f, of shape (n, 1), gives."""
        return (f[:, 0] > 0).astype(np.int64)

    def cut(self, f: Array, labels: Labels) -> Cut:
        """Mark the points within the margin, [MKC] eq. 2.16."""
        return Cut(np.where(self.margins(f, labels) < 1.0, 1 - labels, _NONE))

    def margins(self, f: Array, labels: Labels) -> Array:
        """Return z f."""
        return np.asarray(np.where(labels == 1, 1.0, -1.0) * f[:, 0])

    def rows(self, cut: Cut, labels: Labels, points: slice | Labels) -> Array:
        """Return c∘z at some points."""
        z = np.where(labels[points] == 1, 1.0, -1.0)
        return np.asarray(np.where(cut.rivals[points] != _NONE, z, 0.0))[:, None]

    def share(self, cut: Cut, labels: Labels) -> float:
        """Return the mean of c."""
        return float((cut.rivals != _NONE).mean())

    def first(self, labels: Labels, members: Sequence[AnyMember]) -> Cut:
        """Mark every point."""
        return Cut(1 - labels)


class Classes(Sides):
    """Many clusters: one f_p for each and no bias, [MKC] section 4."""

    free_shifts = True

    def __init__(self, n_clusters: int) -> None:
        self.n_blocks = n_clusters

    def labels(self, f: Array) -> Labels:
        """Return the labels that f, of shape (n, n_clusters), gives."""
        return np.asarray(f.argmax(axis=1), dtype=np.int64)

    def cut(self, f: Array, labels: Labels) -> Cut:
        """Compare the points within the margin with their second best class, [MKC] theorem 4.3."""
        others = f.copy()
        others[np.arange(len(f)), labels] = -np.inf
        second = others.argmax(axis=1)
        return Cut(np.where(f.max(axis=1) - others.max(axis=1) < 1.0, second, _NONE))

    def margins(self, f: Array, labels: Labels) -> Array:
        """Return the lead of each point's class over the best other."""
        others, at = f.copy(), np.arange(len(f))
        others[at, labels] = -np.inf
        return np.asarray(f[at, labels] - others.max(axis=1))

    def rows(self, cut: Cut, labels: Labels, points: slice | Labels) -> Array:
        """Return +1 at a point's class and −1 at its rival, or 0 if they are the same."""
        rivals, own = cut.rivals[points], labels[points]
        rows = np.zeros((len(own), self.n_blocks))
        i = np.flatnonzero((rivals != _NONE) & (rivals != own))
        rows[i, own[i]] = 1.0
        rows[i, rivals[i]] = -1.0
        return rows

    def share(self, cut: Cut, labels: Labels) -> float:
        """Return the share of marked points whose class is not the one that they are compared with."""
        return float(((cut.rivals != _NONE) & (cut.rivals != labels)).mean())

    def first(self, labels: Labels, members: Sequence[AnyMember]) -> Cut:
        """Mark every point and compare it with the nearest other class in the mean of the kernels.

        At f = 0 all constraints that mark every point are violated equally; this one is the most informative.
        """
        counts = np.maximum(np.bincount(labels, minlength=self.n_blocks), 1)
        centres = (
            labels[:, None] == np.arange(self.n_blocks)
        ) / counts  # columns are the classes' mean weights
        distance = np.zeros((len(labels), self.n_blocks))
        for member in members:
            product = member.times(centres)
            distance += np.einsum("ip,ip->p", centres, product) - 2.0 * product
        distance[np.arange(len(labels)), labels] = np.inf
        return Cut(np.asarray(distance.argmin(axis=1), dtype=np.int64))
