"""The labelling that a search of [UMC-RLS] changes by moving points in blocks, in a table in parts.

It makes the moves of `mmc.maxmargin.rls.factor_search` where the table has one part, up to rounding. Here are
the sums of the clusters, which decide everything; rows of the factor and labels stay with the parts
(`mmc.maxmargin.rls.part`). A block takes two calls of all parts: they offer candidates by their gains, and
move those that are chosen. Of equal gains the one of the earlier part and the earlier row wins. A cluster is
kept alive by the first part that has points of it, which keeps its last one.

The search is apart from that of `FactorSearch`, which knows of hints, shows every block and needs no calls.

Costs of a block: n r multiplications in all parts together for claims, n r k for free moves. To each part go
8 k r bytes, from each come at most 4,096 bytes of gains and 8 k (r + 1) of sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc._fast.rls import MIN_GAIN
from mmc.maxmargin.rls.labelling import Array, Labels, Phase, Position, RLSState, cut_ratio
from mmc.maxmargin.rls.part import Offer, Part, SmallLabels, Sums
from mmc.parts import Held, Parts

#: Number of blocks into which as many claims as there are points are divided.
N_BLOCKS = 300

#: Number of blocks of free moves between two states.
_BLOCKS_OF_A_STATE = 30

#: In float32 a move must lower Q by more than eight times this; smaller gains are rounding errors.
_MIN_GAIN_ROUGH = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class PartedState(RLSState):
    """A labelling of a table in parts; one state is a round of shaking or a group of moves.

    Attributes
    ----------
    n_moved : int
        Number of moves since the last state. Which points moved is not listed.
    sums : ndarray of shape (k, r)
        Sums of the rows of each cluster.
    total : ndarray of shape (r,)
        Sum of all rows.
    """

    n_moved: int
    sums: Array
    total: Array

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        if self.phase == "start":
            return super().caption
        change = f"{self.n_moved:,} moves, Q {self.previous:.4g} → {self.objective:.4g}"
        what = {"claim": f"round {self.round}", "sweep": f"sweep {self.round}", "descent": "steepest moves"}
        return f"{what.get(self.phase, 'every point is free to move')}: {change}"

    @property
    def n_changed(self) -> int:
        """Number of moves."""
        return self.n_moved

    def confidence(self) -> None:  # type: ignore[override]
        """Return nothing: the rows are elsewhere. `decision_function` has the values, part by part."""
        return


class Points(NamedTuple):
    """Points that count one each.

    Attributes
    ----------
    mass : float
        Their number.
    grain : float
        The mass by which claims are counted.
    """

    mass: float
    grain: float = 1.0

    def whole(self, amount: float) -> float:
        """Round down to whole points."""
        return float(np.floor(amount + 1e-9))


class PartedSearch:
    """A search on a factor of the hat matrix whose rows are in parts.

    Parameters
    ----------
    W : Parts
        Rows of the factor.
    sizes : ndarray of shape (n_parts,)
        Number of points of each part.
    dtype : dtype
        Type of the rows.
    k : int
        Number of clusters.
    sizes_are_free : bool, default=True
        Whether clusters may end with any size.
    """

    is_exact = False

    def __init__(
        self, W: Parts, sizes: Labels, dtype: np.dtype, k: int, *, sizes_are_free: bool = True
    ) -> None:
        n = int(sizes.sum())
        self.units = Points(float(n))
        self.position = Position()
        self._held: Held = W.hold(Part, k)
        self._lengths, self._k = sizes, k
        self._size = max(1, n // N_BLOCKS)
        self.block = _BLOCKS_OF_A_STATE * self._size
        self._least = MIN_GAIN / 2.0 if dtype == np.float64 else _MIN_GAIN_ROUGH
        self._free = sizes_are_free
        self._moves = 0
        self._sizes = np.zeros((len(sizes), k), dtype=np.int64)
        self._labels: SmallLabels | None = None

    def begin(self, how: str, *common: Any, each: Sequence[Any] | None = None) -> None:
        """Start from what a method of `Part` gives; where a cluster is empty, it gets one point."""
        answers = self._held.call(how, *common, each=each)
        self._sums = np.sum([answer[0] for answer in answers], axis=0)
        self._sizes = np.array([answer[1] for answer in answers])
        self._labels = None
        for h in np.flatnonzero(self._sizes.sum(axis=0) == 0):
            largest = int(self._sizes.sum(axis=0).argmax())
            self._put(int((self._sizes[:, largest] > 0).argmax()), int(h), largest)
        self._moves = 0
        self._total = self._sums.sum(axis=0)
        self.objective = self._q()

    def resume(self, state: PartedState, position: Position) -> None:
        """Go on where a search has been: with its labels, and its sums to the last digit."""
        self.begin("begin", each=np.split(state.labels, np.cumsum(self._lengths)[:-1]))
        self._sums, self._total, self.position = state.sums.copy(), state.total.copy(), position
        self.objective = self._q()

    @property
    def labels(self) -> SmallLabels:
        """Labels of all points, which come here if they are not."""
        if self._labels is None:
            states = self._held.call("labels")
            self._held.remember(states)
            self._labels = np.concatenate(states)
        return self._labels

    def start(self) -> PartedState:
        """Return the current labelling as the first state."""
        return self._state("start", 0, 0.0)

    def masses(self) -> Array:
        """Return the number of points of each cluster."""
        return self._sizes.sum(axis=0).astype(np.float64)

    def claims(self, round_: int, cluster: int, n_claims: float) -> Iterator[RLSState]:
        """Let a cluster claim points; the state comes at the end of the round."""
        n_left = int(n_claims)
        while n_left > 0:
            most = min(n_left, self._size)
            offers = self._held.call("offer_claims", self._sums, cluster, most, each=self._spare())
            n_moved = self._take(chosen(offers, most))
            n_left = n_left - n_moved if n_moved else 0
        return iter(())

    @property
    def n_unseen(self) -> int:
        """Moves that no state has shown yet."""
        return self._moves

    def round_end(self, round_: int, progress: float, *, is_over: bool) -> Iterator[RLSState]:
        """Yield the state at the end of a round of claims."""
        n_moved = self._moves
        state = self._state("claim", round_, progress)
        self.position = Position(round_, n_moved, is_over)
        yield state

    def descend(self, phase: Phase, round_: int, n_moves: int) -> PartedState:
        """Make at most `n_moves` steepest moves; the state has converged if no move lowers Q."""
        n_left, converged = n_moves, False
        while n_left > 0 and not converged:
            n_done = self._block_of_moves(min(self._size, n_left)) or self._sweep()
            n_left -= n_done
            converged = n_done == 0
        return replace(self._state(phase, round_, 0.5), converged=converged)

    def sweep(self, round_: int) -> PartedState:
        """Visit every point once; the state has converged if none moved."""
        n_moved = self._sweep()
        return replace(self._state("sweep", round_, 0.5), converged=n_moved == 0)

    def close(self) -> None:
        """Let the parts go."""
        self._held.close()

    def _block_of_moves(self, size: int) -> int:
        """Make the steepest moves together and return their number; 0 if they would not lower Q."""
        offers = self._held.call("offer_moves", self._sums, size, self._least, each=self._spare())
        counts = chosen(offers, size)
        if not counts.any():
            return 0
        q, sums, moves = self._q(), self._sums.copy(), self._moves
        count = self._take(counts)
        if self._q() < q:
            return count
        self._undo(sums, moves)
        return 0

    def _sweep(self) -> int:
        """Let all parts visit their points at the same time, or one after another if that would raise Q."""
        q, sums, moves = self._q(), self._sums.copy(), self._moves
        count = self._changed(self._held.call("sweep", self._sums, self._least, each=self._spare()))
        if count == 0 or self._q() < q:
            return count
        self._undo(sums, moves)
        count = 0
        for p in range(len(self._lengths)):
            answer = self._held.call("sweep", self._sums, self._least, each=self._spare(), only=p)[0]
            self._sizes[p] = answer[1]
            count += self._add(answer)
        return count

    def _take(self, counts: Labels) -> int:
        each = list(zip(map(int, counts), self._spare(), strict=True))
        return self._changed(self._held.call("take", each=each))

    def _changed(self, answers: list[Sums]) -> int:
        self._sizes = np.array([answer[1] for answer in answers])
        return sum(self._add(answer) for answer in answers)

    def _add(self, answer: Sums) -> int:
        self._sums = self._sums + answer[0]
        self._labels = None
        self._moves += answer[2]
        return int(answer[2])

    def _put(self, part: int, label: int, from_: int) -> None:
        answer = self._held.call("put", label, from_, only=part)[0]
        self._sizes[part] = answer[1]
        self._add(answer)

    def _undo(self, sums: Array, moves: int) -> None:
        self._sizes = np.array(self._held.call("undo"))
        self._sums, self._moves, self._labels = sums, moves, None

    def _spare(self) -> list[Labels]:
        """Return, for each part, 1 for the clusters that an earlier part keeps alive."""
        keeper = (self._sizes > 0).argmax(axis=0)
        return [(keeper != p).astype(np.int64) for p in range(len(self._lengths))]

    def _models(self) -> Array:
        """Return the coefficients Wᵀ p_h of the ridge models."""
        return 2.0 * self._sums - self._total

    def _q(self) -> float:
        models = self._models()
        return float(len(models) * self.units.mass - np.vdot(models, models))

    def _state(self, phase: Phase, round_: int, progress: float) -> PartedState:
        previous, self.objective = self.objective, self._q()
        n_moved, self._moves = self._moves, 0
        return PartedState(
            labels=self.labels,  # type: ignore[arg-type]
            objective=self.objective,
            progress=progress,
            phase=phase,
            round=round_,
            cluster=-1,
            previous=previous,
            ratio=cut_ratio(self.masses(), (self._sums**2).sum(axis=1)),
            models=self._models(),
            sizes_are_free=self._free,
            n_moved=n_moved,
            sums=self._sums.copy(),
            total=self._total.copy(),
        )


def chosen(offers: Sequence[Offer], most: int) -> NDArray[np.int64]:
    """Return how many candidates each part moves: the best bundles, at most `most` points in all.

    Parameters
    ----------
    offers : sequence of Offer
        Candidates of each part.
    most : int
        Number of points.

    Returns
    -------
    ndarray of shape (n_parts,)
    """
    gains = np.concatenate([offer[0] for offer in offers])
    parts = np.repeat(np.arange(len(offers)), [len(offer[0]) for offer in offers])
    sizes = np.concatenate(
        [np.minimum(offer[1], offer[2] - offer[1] * np.arange(len(offer[0]))) for offer in offers]
    )
    order = np.argsort(gains, kind="stable")  # equal gains in the order of parts and rows
    before = np.cumsum(sizes[order]) - sizes[order]
    taken = np.clip(most - before, 0, sizes[order])
    return np.bincount(parts[order], taken, len(offers)).astype(np.int64)
