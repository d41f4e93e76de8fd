"""The labelling that a search of [UMC-RLS] changes by moving points, and its states.

The objective is Q of [UMC-RLS] eq. 10 for a given hat matrix R; `mmc.maxmargin.rls` lists the symbols.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmc._fast import rls as fast
from mmc.stepping import State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Phase = Literal["start", "claim", "descent", "sweep", "release"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RLSState(State):
    """A labelling during the search, and what the last step changed.

    Attributes
    ----------
    phase : {"start", "claim", "descent", "sweep", "release"}
        Kind of the step.
    round : int
        Number of the round of shaking, the group of steepest moves or the sweep, from 1; 0 is the start.
    cluster : int
        Cluster that claimed points; −1 if the step does not belong to a single cluster.
    previous : float
        Q before the step.
    scores : ndarray of shape (n_clusters, n_samples)
        Fitted values R p_h(c) of the k ridge models at the training points.
    """

    phase: Phase
    round: int
    cluster: int
    previous: float
    scores: Array

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        if self.phase == "start":
            return f"start: Q = {self.objective:.4g}"
        points = f"{len(self.moved)} point{'s' if len(self.moved) != 1 else ''}"
        change = f"Q {self.previous:.4g} → {self.objective:.4g}"
        if self.phase == "claim":
            return f"round {self.round}: cluster {self.cluster} claims {points}, {change}"
        if len(self.moved) == 0:
            return f"every point is free to move and none does, Q = {self.objective:.4g}"
        if self.phase == "release":
            return f"every point is free to move: {points} moved, {change}"
        if self.phase == "sweep":
            return f"sweep {self.round} over all points: {points} moved, {change}"
        return f"steepest moves, group {self.round}: {points} moved, {change}"

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        return self.phase

    def confidence(self) -> Array:
        """Return half the lead of the own model's value over the best other one, clipped to [0, 1]."""
        columns = np.arange(len(self.labels))
        others = self.scores.copy()
        others[self.labels, columns] = -np.inf
        lead = self.scores[self.labels, columns] - others.max(axis=0)
        return np.clip(lead / 2.0, 0.0, 1.0)


class Search:
    """A labelling that changes, with T and the cluster sizes kept up to date by the compiled loops."""

    def __init__(self, R: Array, labels: Labels, k: int) -> None:
        self.R = R
        self.labels = labels.copy()
        P = indicators(labels, k)
        self.T: Array = P @ R
        self.sizes = np.bincount(labels, minlength=k)
        self.objective = float(P.size - np.vdot(P, self.T))
        self._moved = np.empty(len(labels), dtype=np.int64)

    def start(self) -> RLSState:
        """Return the current labelling as the first state."""
        return self._state("start", 0, -1, 0, 0.0, 0.0)

    def claim(self, round_: int, cluster: int, n_claims: int, progress: float) -> RLSState:
        """Let a cluster claim `n_claims` points."""
        count, change = fast.claim(self.R, self.T, self.labels, self.sizes, cluster, n_claims, self._moved)
        return self._state("claim", round_, cluster, count, change, progress)

    def descend(self, phase: Phase, round_: int, n_moves: int) -> RLSState:
        """Make at most `n_moves` steepest moves; fewer moves mean a local minimum."""
        count, change = fast.descend(
            self.R, self.T, self.labels, self.sizes, min(n_moves, len(self.labels)), self._moved
        )
        return self._state(phase, round_, -1, count, change, 0.5)

    def sweep(self, round_: int) -> RLSState:
        """Visit every point once; no move means a local minimum."""
        count, change = fast.sweep(self.R, self.T, self.labels, self.sizes, self._moved)
        return self._state("sweep", round_, -1, count, change, 0.5)

    def _state(
        self, phase: Phase, round_: int, cluster: int, count: int, change: float, progress: float
    ) -> RLSState:
        previous = self.objective
        self.objective += change
        return RLSState(
            labels=self.labels.copy(),
            objective=self.objective,
            progress=progress,
            phase=phase,
            round=round_,
            cluster=cluster,
            moved=self._moved[:count].copy(),
            previous=previous,
            scores=self.T.copy(),
        )


def indicators(labels: Labels, k: int) -> Array:
    """Encode a labelling as the vectors p_h(c) of [UMC-RLS] eq. 8.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
    k : int
        Number of clusters.

    Returns
    -------
    ndarray of shape (k, n_samples)
        Row h is +1 where the label is h and −1 elsewhere.
    """
    return np.where(np.arange(k)[:, None] == labels[None, :], 1.0, -1.0)
