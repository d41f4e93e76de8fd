"""The labelling that a search of [UMC-RLS] changes by moving points, and its states.

The objective is Q of [UMC-RLS] eq. 10 for a given hat matrix R, or for a factor W of it, R = W Wᵀ;
`mmc.maxmargin.rls` lists the symbols.

With z_h = 1 on cluster h and 0 elsewhere, and n_h its size, cut_h = z_hᵀ (I − R) z_h measures how badly the
model of cluster h is learned. With an intercept Q = 4 Σ_h cut_h, which is lowest for clusters of single
points; starts whose clusters may have any size are therefore compared by Σ_h cut_h / n_h.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mmc._fast import rls as fast
from mmc.hints import Hints
from mmc.kernels.neighbors import Floats
from mmc.maxmargin.rls.units import Units
from mmc.stepping import State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
#: Share of the best ratio of other starts below which one that was told nothing of the clusters, neither
#: sizes nor labels, is preferred.
_CLEARLY = 0.75

#: The starts that are named, by their origin.
_ORIGINS = {"spectral": "spectral clustering of the graph", "known labels": "the known labels"}

Phase = Literal["start", "claim", "descent", "sweep", "release"]


class Turn(NamedTuple):
    """The turn of a cluster to claim points.

    Attributes
    ----------
    target : float
        m, the size that the cluster should have.
    strength : float
        Share of the shaking of the paper: 1, or less in later starts with two clusters.
    size : float
        Size of the cluster before its turn, points counted by their weights.
    n_claims : float
        α, the number of points that it claims in the whole turn.
    """

    target: float
    strength: float
    size: float
    n_claims: float


class Position(NamedTuple):
    """How far the shaking has come.

    Attributes
    ----------
    rounds : int
        Number of rounds that have ended.
    n_moved : int
        Moves of the last one.
    is_over : bool
        Whether it has ended.
    """

    rounds: int = 0
    n_moved: int = 0
    is_over: bool = False


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
    ratio : float
        Σ_h cut_h / n_h.
    models : ndarray of shape (n_clusters, n_samples) or (n_clusters, r)
        Fitted values R p_h(c) of the k ridge models at the training points, or their coefficients Wᵀ p_h(c).
    factor : ndarray of shape (n_samples, r) or None
        W, if `models` are coefficients.
    sizes_are_free : bool
        Whether starts are compared by `ratio`, because clusters may have any size.
    is_shaken : bool
        Whether the start was shaken towards the target sizes. An end that was not must have a `ratio` that is
        lower by a quarter to be preferred, unless the start comes from known labels.
    turn : Turn or None
        Turn to which a claim belongs.
    origin : str
        Where the labels of the start come from.
    """

    phase: Phase
    round: int
    cluster: int
    previous: float
    ratio: float
    models: Array
    factor: Floats | None = None
    sizes_are_free: bool = True
    is_shaken: bool = True
    turn: Turn | None = None
    origin: str = ""

    @property
    def scores(self) -> Array:
        """Fitted values of the k ridge models at the training points, of shape (n_clusters, n_samples)."""
        if self.factor is None:
            return self.models
        return np.asarray(self.models.astype(self.factor.dtype) @ self.factor.T)

    @property
    def criterion(self) -> float:
        """Value by which starts are compared."""
        if not self.sizes_are_free:
            return self.objective
        is_told = self.is_shaken or self.origin == "known labels"
        return self.ratio if is_told else self.ratio / _CLEARLY

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        if self.phase == "start":
            kind = f"start from {_ORIGINS[self.origin]}" if self.origin in _ORIGINS else "start"
            return f"{kind}: Q = {self.objective:.4g}"
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
        return f"descent, step {self.round}: {points} moved, {change}"

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        return self.phase

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """The turn of a cluster, and Q before and after the step."""
        if self.phase == "start":
            return (("Q", f"{self.objective:.5g}"),)
        count = (("points moved", str(len(self.moved))),)
        change = (("Q before", f"{self.previous:.5g}"), ("Q after", f"{self.objective:.5g}"))
        if self.turn is None:
            return (*count, *change)
        m, w, size, alpha = self.turn
        weaker = (("w", f"{w:.3g}"),) if w < 1.0 else ()
        return (
            ("i", str(self.round - 1)),
            ("d", str(self.cluster)),
            ("m", f"{m:.4g}"),
            *weaker,
            ("size of d", f"{size:.10g}"),
            ("α", f"{alpha:.10g}"),
            *count,
            *change,
        )

    @property
    def remark(self) -> str:
        """Why Q may rise in a claim."""
        if self.phase != "claim" or self.objective <= self.previous:
            return ""
        return (
            "Q rises on purpose: the cluster must claim its α points even where that makes Q worse, so that "
            "the search can leave a poor solution. Later rounds claim fewer and Q falls again."
        )

    def confidence(self) -> Array:
        """Return half the lead of the own model's value over the best other one, clipped to [0, 1]."""
        columns = np.arange(len(self.labels))
        others = self.scores.copy()
        others[self.labels, columns] = -np.inf
        lead = self.scores[self.labels, columns] - others.max(axis=0)
        return np.clip(lead / 2.0, 0.0, 1.0)


class Search(Protocol):
    """A labelling that changes by moving units, which are points unless some are linked.

    Attributes
    ----------
    labels : ndarray of shape (n_units,)
        Cluster of each unit.
    units : Units
        What they count, and where they may go.
    block : int
        Largest number of free moves in one step.
    is_exact : bool
        Whether units move one by one.
    position : Position
        Where the shaking begins, which is not at the beginning where a search goes on.
    n_unseen : int
        Moves that no state has shown yet.
    """

    labels: Labels
    units: Units
    block: int
    is_exact: bool
    position: Position
    n_unseen: int

    def start(self) -> RLSState:
        """Return the current labelling as the first state."""

    def masses(self) -> Array:
        """Return what the units of each cluster count."""

    def claims(self, round_: int, cluster: int, n_claims: float) -> Iterator[RLSState]:
        """Let a cluster claim units that count `n_claims`; the progress of the states is that of the turn."""

    def round_end(self, round_: int, progress: float, *, is_over: bool) -> Iterator[RLSState]:
        """Yield what is left to show at the end of a round of claims, with which the shaking may be over."""

    def descend(self, phase: Phase, round_: int, n_moves: int) -> RLSState:
        """Make at most `n_moves` steepest moves; the state has converged if no move lowers Q."""

    def sweep(self, round_: int) -> RLSState:
        """Visit every point once; the state has converged if none moved."""


class WithoutRounds:
    """What a search says of rounds that shows every claim."""

    position = Position()
    n_unseen = 0

    def round_end(self, round_: int, progress: float, *, is_over: bool) -> Iterator[RLSState]:
        """Yield nothing."""
        return iter(())


class DenseSearch(WithoutRounds):
    """A search on a hat matrix, with T and the cluster sizes kept up to date by the compiled loops.

    Parameters
    ----------
    R : ndarray of shape (n_units, n_units)
        Hat matrix, of units where there are hints.
    labels : ndarray of shape (n_units,)
        Labels to start from.
    k : int
        Number of clusters.
    sizes_are_free : bool, default=True
        Whether clusters may end with any size.
    hints : Hints or None, default=None
        What is known; None means nothing.
    shares : ndarray of shape (n_units, n_samples) or None, default=None
        What each unit adds to the fitted values at the points; None means `R`.
    """

    def __init__(
        self,
        R: Array,
        labels: Labels,
        k: int,
        *,
        sizes_are_free: bool = True,
        hints: Hints | None = None,
        shares: Array | None = None,
    ) -> None:
        self.R = R
        self.sizes_are_free = sizes_are_free
        self.labels = labels.copy()
        self.units = Units(hints or Hints.none(len(labels)))
        P = indicators(labels, k)
        self.T: Array = P @ R
        self.sizes = np.bincount(labels, minlength=k)
        self.block = len(labels)
        self.is_exact = True
        self.objective = float(k * self.units.mass - np.vdot(P, self.T))
        self._shares = shares
        self._fitted: Array = self.T if shares is None else P @ shares
        self._fitted_labels = labels.copy()
        self._ones = R.sum(axis=1)
        self._moved = np.empty(len(labels), dtype=np.int64)

    def start(self) -> RLSState:
        """Return the current labelling as the first state."""
        return self._state("start", 0, -1, 0, 0.0, 0.0)

    def masses(self) -> Array:
        """Return what the units of each cluster count."""
        return self.units.masses(self.labels, self.sizes)

    def claims(self, round_: int, cluster: int, n_claims: float) -> Iterator[RLSState]:
        """Let a cluster claim units that count `n_claims`, in one step."""
        count, change = fast.claim(
            self.R, self.T, self.labels, self.sizes, cluster, float(n_claims), self._moved, self.units.rules
        )
        yield self._state("claim", round_, cluster, count, change, 1.0)

    def descend(self, phase: Phase, round_: int, n_moves: int) -> RLSState:
        """Make at most `n_moves` steepest moves; the state has converged if no move lowers Q."""
        count, change = fast.descend(
            self.R,
            self.T,
            self.labels,
            self.sizes,
            min(n_moves, len(self.labels)),
            self._moved,
            self.units.rules,
        )
        state = self._state(phase, round_, -1, count, change, 0.5)
        return replace(state, converged=count < min(n_moves, len(self.labels)))

    def sweep(self, round_: int) -> RLSState:
        """Visit every point once; the state has converged if none moved."""
        count, change = fast.sweep(self.R, self.T, self.labels, self.sizes, self._moved, self.units.rules)
        return replace(self._state("sweep", round_, -1, count, change, 0.5), converged=count == 0)

    def _ratio(self) -> float:
        # R z_h = (R p_h + R 1) / 2 at the points of cluster h, summed over them: z_hᵀ R z_h.
        own = self.T[self.labels, np.arange(len(self.labels))] + self._ones
        kept = np.bincount(self.labels, own, len(self.sizes)) / 2.0
        return cut_ratio(self.masses(), kept)

    def _models(self) -> Array:
        """Return the fitted values at the points, brought up to date where they are not T."""
        if self._shares is not None:
            k, changed = len(self.sizes), np.flatnonzero(self.labels != self._fitted_labels)
            change = indicators(self.labels[changed], k) - indicators(self._fitted_labels[changed], k)
            self._fitted += change @ self._shares[changed]
            self._fitted_labels = self.labels.copy()
        return self._fitted.copy()

    def _state(
        self, phase: Phase, round_: int, cluster: int, count: int, change: float, progress: float
    ) -> RLSState:
        previous = self.objective
        self.objective += change
        return RLSState(
            labels=self.units.labels_of_points(self.labels),
            objective=self.objective,
            progress=progress,
            phase=phase,
            round=round_,
            cluster=cluster,
            moved=self.units.points_of(self._moved[:count]),
            previous=previous,
            ratio=self._ratio(),
            models=self._models(),
            sizes_are_free=self.sizes_are_free,
        )


def cut_ratio(sizes: Array, kept: Array) -> float:
    """Return Σ_h cut_h / n_h, given n_h and z_hᵀ R z_h."""
    used = sizes > 0
    return float((1.0 - kept[used] / sizes[used]).sum())


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
