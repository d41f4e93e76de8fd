"""States of methods that move points between clusters, and labels for new points by the nearest known one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from mmc.base import StepwiseClusterer
from mmc.kernels.local_scaling import Neighborhood
from mmc.kernels.neighbors import is_rough, nearest_of
from mmc.stepping import State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Number of distances in one block (16 MB).
_BLOCK = 2**21


@dataclass(frozen=True, kw_only=True, eq=False)
class MovingState(State):
    """A labelling during the search, and the points that the last step moved.

    Attributes
    ----------
    what : str
        Short name of the objective.
    round : int
        Number of the round, from 1; 0 is the start.
    previous : float
        Objective before the step.
    """

    what: str
    round: int
    previous: float

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        if self.round == 0:
            return f"start: {self.what} = {self.objective:.4g}"
        if len(self.moved) == 0:
            return f"round {self.round}: no point moves, {self.what} = {self.objective:.4g}"
        points = f"{len(self.moved)} point{'s' if len(self.moved) != 1 else ''}"
        return f"round {self.round}: {points} moved, {self.what} {self.previous:.4g} → {self.objective:.4g}"

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """The round with the points that moved, and the objective before and after it."""
        if self.round == 0:
            return ((self.what, f"{self.objective:.5g}"),)
        before = self.previous if len(self.moved) else self.objective
        return (
            ("round", str(self.round)),
            ("points moved", str(len(self.moved))),
            (f"{self.what} before", f"{before:.5g}"),
            (f"{self.what} after", f"{self.objective:.5g}"),
        )

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        return "round" if self.round else "start"


class NearestMember(StepwiseClusterer):
    """A clusterer in which a new point joins the cluster of the nearest training point."""

    def _keep(self, X: Array) -> None:
        """Store the points that new points are compared with."""
        self._points = X

    def _adopt(self, state: Any) -> None:
        """Set nothing more: the points and the labels are the model."""

    @property
    def _n_compared(self) -> int:
        return int(self.state_.labels.max()) + 1  # distances to points are computed in blocks of their own

    def _follow(self, X: Array) -> Callable[[State], Array]:
        return lambda state: nearest_members(X, self._points, state.labels)


class NearestVertex(StepwiseClusterer):
    """The same on the different training points, or their principal components, of which there may be many.

    A subclass sets `neighborhood_` before its first state.
    """

    neighborhood_: Neighborhood

    def _adopt(self, state: Any) -> None:
        """Set nothing more: the points and the labels are the model."""

    @property
    def _n_compared(self) -> int:
        return int(self.state_.labels.max()) + 1

    def _follow(self, X: Array) -> Callable[[State], Array]:
        near = self.neighborhood_
        new, points = near.centre(X), near.centred

        def values(state: State) -> Array:
            if not is_rough(len(points)):
                return nearest_members(new, points[near.vertex], state.labels)
            clusters = range(int(state.labels.max()) + 1)
            members = (np.unique(near.vertex[state.labels == h]) for h in clusters)
            return -np.hstack([nearest_of(points[mine], new, 1).distances for mine in members])

        return values


def nearest_members(X: Array, points: Array, labels: Labels) -> Array:
    """Return minus the distance from each point to the nearest member of each cluster.

    This takes one distance for each pair of points, computed in blocks.

    Parameters
    ----------
    X : ndarray of shape (n_points, n_features)
    points : ndarray of shape (n_samples, n_features)
    labels : ndarray of shape (n_samples,)
        Whole numbers from 0 without gaps.

    Returns
    -------
    ndarray of shape (n_points, n_clusters)
    """
    order = np.argsort(labels, kind="stable")
    members = points[order]
    first = np.searchsorted(labels[order], np.arange(labels.max() + 1))
    size = max(1, _BLOCK // len(points))
    blocks = [cdist(X[i : i + size], members) for i in range(0, len(X), size)]
    return -np.concatenate([np.minimum.reduceat(block, first, axis=1) for block in blocks])
