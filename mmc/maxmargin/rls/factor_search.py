"""The labelling that a search of [UMC-RLS] changes by moving points in blocks, on a factor of the hat matrix.

A block of claims takes n r multiplications, whatever its size, and a block of free moves takes n r k.
`mmc.maxmargin.rls.labelling` has the search on the whole matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mmc._fast import factor as blocks
from mmc._fast.rls import MIN_GAIN
from mmc.hints import Hints
from mmc.kernels.neighbors import Floats
from mmc.maxmargin.rls.labelling import Array, Labels, Phase, RLSState, WithoutRounds, cut_ratio
from mmc.maxmargin.rls.units import Units

#: Number of blocks into which as many claims as there are points are divided.
N_BLOCKS = 300

#: In float32 a move must lower Q by more than eight times this; smaller gains are rounding errors.
_MIN_GAIN_ROUGH = 1e-6

#: Points whose decision values are computed at a time.
_ROWS = 8192


class FactorSearch(WithoutRounds):
    """A search on a factor W of the hat matrix, which moves points in blocks.

    All points of a block are chosen by the models before the block. With blocks of one point it makes the
    moves of `DenseSearch` on W Wᵀ, up to rounding. If a block of moves would not lower Q, the points are
    visited one after another instead, and each moves only if that lowers Q.

    Parameters
    ----------
    W : ndarray of shape (n_units, r)
        Factor, with a row for each unit where there are hints.
    squares : ndarray of shape (n_units,)
        Squared norms of its rows.
    labels : ndarray of shape (n_units,)
        Labels to start from.
    k : int
        Number of clusters.
    block : int or None, default=None
        Number of units of a block; None means n/300.
    sizes_are_free : bool, default=True
        Whether clusters may end with any size.
    hints : Hints or None, default=None
        What is known; None means nothing.
    points : ndarray of shape (n_samples, r) or None, default=None
        Rows of the points; None means `W`.
    """

    def __init__(
        self,
        W: Floats,
        squares: Floats,
        labels: Labels,
        k: int,
        *,
        block: int | None = None,
        sizes_are_free: bool = True,
        hints: Hints | None = None,
        points: Floats | None = None,
    ) -> None:
        n, r = W.shape
        self.sizes_are_free = sizes_are_free
        self.W, self.squares = W, squares
        self._points = W if points is None else points
        self.units = Units(hints or Hints.none(n))
        self.labels = labels.copy()
        self.block = block or max(1, n // N_BLOCKS)
        self.is_exact = self.block == 1
        self.sizes = np.bincount(labels, minlength=k)
        self._sums = np.zeros((k, r))
        for first in range(0, n, _ROWS):
            rows = slice(first, first + _ROWS)
            Z = (np.arange(k)[:, None] == labels[None, rows]).astype(np.float64)
            self._sums += Z @ W[rows]
        self._total = self._sums.sum(axis=0)
        self._least = MIN_GAIN / 2.0 if W.dtype == np.float64 else _MIN_GAIN_ROUGH
        self._gain = np.empty(n, dtype=W.dtype)
        self._target = np.empty(n, dtype=np.int64)
        self._chosen = np.empty(n, dtype=np.int64)
        self.objective = self._q()

    def start(self) -> RLSState:
        """Return the current labelling as the first state."""
        return self._state("start", 0, -1, self._chosen[:0], 0.0)

    def masses(self) -> Array:
        """Return what the units of each cluster count."""
        return self.units.masses(self.labels, self.sizes)

    def claims(self, round_: int, cluster: int, n_claims: float) -> Iterator[RLSState]:
        """Let a cluster claim units that count `n_claims`, and yield a state after each block."""
        rules = self.units.rules
        if self.is_exact:  # a turn of single claims is one step, as in the dense search
            count = blocks.claim_one_by_one(
                self.W,
                self.squares,
                self._sums,
                self.labels,
                self.sizes,
                cluster,
                float(n_claims),
                self._gain,
                self._chosen,
                rules,
            )
            yield self._state("claim", round_, cluster, self._chosen[:count].copy(), 1.0)
            return
        self._target[:] = cluster
        n_left, points = float(n_claims), self._chosen[:0]
        while n_left > 0:
            sums = self._rough_sums()
            blocks.claim_gains(
                self.W, self.squares, sums, self.labels, self.sizes, cluster, self._gain, rules
            )
            most = min(int(np.ceil(n_left / self.units.grain)), self.block)
            count = blocks.lowest(self._gain, most, np.inf, self._chosen)
            points = self._chosen[:count].copy()
            count = blocks.move(
                self.W, self._sums, self.labels, self.sizes, points, self._target, n_left, rules
            )
            points = points[:count]
            n_left = n_left - float(rules.mass[points].sum()) if count else 0.0
            if n_left > 0:
                yield self._state("claim", round_, cluster, points, 1.0 - n_left / n_claims)
        yield self._state("claim", round_, cluster, points, 1.0)

    def descend(self, phase: Phase, round_: int, n_moves: int) -> RLSState:
        """Make at most `n_moves` steepest moves; the state has converged if no move lowers Q."""
        before, n_left, converged = self.labels.copy(), n_moves, False
        while n_left > 0 and not converged:
            n_done = self._block_of_moves(min(self.block, n_left)) or self._sweep()
            n_left -= n_done
            converged = n_done == 0
        moved = np.flatnonzero(self.labels != before)
        return replace(self._state(phase, round_, -1, moved, 0.5), converged=converged)

    def sweep(self, round_: int) -> RLSState:
        """Visit every point once; the state has converged if none moved."""
        moved = self._chosen[: self._sweep()].copy()
        return replace(self._state("sweep", round_, -1, moved, 0.5), converged=len(moved) == 0)

    def _block_of_moves(self, size: int) -> int:
        """Make the steepest moves together and return their number; 0 if they would not lower Q."""
        self._find_moves()
        count = blocks.lowest(self._gain, size, -self._least, self._chosen)
        if count == 0:
            return 0
        q, points = self._q(), self._chosen[:count].copy()
        old, sums, sizes = self.labels[points], self._sums.copy(), self.sizes.copy()
        chosen, rules = self._chosen[:count], self.units.rules
        blocks.move(self.W, self._sums, self.labels, self.sizes, chosen, self._target, np.inf, rules)
        if self._q() < q:
            return count
        self.labels[points], self._sums, self.sizes = old, sums, sizes
        return 0

    def _sweep(self) -> int:
        return int(
            blocks.sweep(
                self.W,
                self.squares,
                self._sums,
                self.labels,
                self.sizes,
                self._least,
                self._chosen,
                self.units.rules,
            )
        )

    def _find_moves(self) -> None:
        sums = np.ascontiguousarray(self._rough_sums().T)
        for first in range(0, len(self.W), _ROWS):
            T = self.W[first : first + _ROWS] @ sums
            blocks.best_moves(
                T,
                first,
                self.squares,
                self.labels,
                self.sizes,
                self._gain,
                self._target,
                self.units.rules,
            )

    def _rough_sums(self) -> Floats:
        return self._sums.astype(self.W.dtype)

    def _models(self) -> Array:
        """Return the coefficients Wᵀ p_h of the ridge models."""
        return 2.0 * self._sums - self._total

    def _q(self) -> float:
        models = self._models()
        return float(len(models) * self.units.mass - np.vdot(models, models))

    def _state(self, phase: Phase, round_: int, cluster: int, moved: Labels, progress: float) -> RLSState:
        previous, self.objective = self.objective, self._q()
        return RLSState(
            labels=self.units.labels_of_points(self.labels),
            objective=self.objective,
            progress=progress,
            phase=phase,
            round=round_,
            cluster=cluster,
            moved=self.units.points_of(moved),
            previous=previous,
            ratio=cut_ratio(self.masses(), (self._sums**2).sum(axis=1)),
            models=self._models(),
            factor=self._points,
            sizes_are_free=self.sizes_are_free,
        )
