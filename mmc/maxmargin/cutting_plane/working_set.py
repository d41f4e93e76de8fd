"""The working set Ω of the cutting-plane method, and the convex problem on it.

The columns of the dual and their products with the kernels are stored, so that a new constraint takes one
product with each kernel, and a point that changes its label takes an outer product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc.maxmargin.cutting_plane.constraints import Cut, Sides
from mmc.maxmargin.cutting_plane.dual_program import Solution, solve_dual
from mmc.maxmargin.cutting_plane.kernel_list import Member

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class WorkingSet:
    """Ω with the columns of the dual and their products with the kernels, kept up to date."""

    def __init__(self, members: Sequence[Member], sides: Sides, labels: Labels) -> None:
        self.sides, self.members, self.labels = sides, members, labels
        self.cuts: list[Cut] = []
        n, m, M = len(labels), sides.n_blocks, len(members)
        self.columns = np.zeros((n, 0, m))  # n·a_p
        self.products = np.zeros((M, n, 0, m))  # K_k a_p
        self._sizes = np.array([np.abs(np.diagonal(member.matrix)).mean() for member in members])
        self._of_ones = np.array([member.matrix.mean(axis=1) for member in members])  # K_k 1/n

    def add(self, cut: Cut) -> None:
        """Add a constraint."""
        self.cuts.append(cut)
        column = self.sides.rows(cut, self.labels, slice(None))[:, None]
        self.columns = np.concatenate([self.columns, column], axis=1)
        new = np.stack([member.matrix @ column[:, 0] / len(column) for member in self.members])
        self.products = np.concatenate([self.products, new[:, :, None]], axis=2)

    def relabel(self, labels: Labels) -> None:
        """Set new labels z, at which the constraints are linearised."""
        moved = np.flatnonzero(labels != self.labels)
        n, m = len(labels), self.sides.n_blocks
        self.labels = labels
        if len(moved) == 0:
            return
        rows = np.stack([self.sides.rows(cut, labels, moved) for cut in self.cuts], axis=1)
        change = (rows - self.columns[moved]).reshape(len(moved), -1) / n
        self.columns[moved] = rows
        for k, member in enumerate(self.members):
            self.products[k] += (member.matrix[:, moved] @ change).reshape(n, -1, m)

    def grams(self) -> Array:
        """Return G_k of the columns of the cuts, followed by those of the shifts if these have columns."""
        n, P, m = self.columns.shape
        flat = self.columns.transpose(1, 0, 2).reshape(P, n * m) / n
        G = np.stack([flat @ K.transpose(0, 2, 1).reshape(n * m, P) for K in self.products])
        G = (G + G.transpose(0, 2, 1)) / 2.0
        if not self.sides.free_shifts:
            return G
        # The shift of class p has −1/n in block p of every point.
        whole = np.zeros((len(G), P + m, P + m))
        whole[:, :P, :P] = G
        whole[:, :P, P:] = -self.products.mean(axis=1)
        whole[:, P:, :P] = whole[:, :P, P:].transpose(0, 2, 1)
        whole[:, P:, P:] = self._of_ones.mean(axis=1)[:, None, None] * np.eye(m)
        return whole

    def solve(self, C: float, balance: float) -> Fit:
        """Solve the convex problem for the current labels, [MKC] eqs. 2.13 and 4.35."""
        _, P, m = self.columns.shape
        s = np.array([self.sides.share(cut, self.labels) for cut in self.cuts])
        if self.sides.free_shifts:
            ties = np.concatenate([np.zeros(P), np.ones(m)])
            cost = balance / 2.0  # of a flow between classes, which counts at both of its ends
        else:
            ties = np.concatenate([self.columns[:, :, 0].mean(axis=0), [-1.0]])
            cost = balance
        solution = solve_dual(self.grams(), s, C, sizes=self._sizes, cost=cost, ties=ties)
        return self._primal(solution, s, balance)

    def _primal(self, solution: Solution, s: Array, balance: float) -> Fit:
        """Return the primal solution that belongs to a dual one."""
        n = len(self.columns)
        weights, energies = solution.weights, solution.energies
        norm = float(np.linalg.norm(energies))
        beta = energies / norm if norm > 0 else np.full(len(energies), len(energies) ** -0.5)
        coef = np.einsum("ipm,p->im", self.columns, weights) / n
        f = np.einsum("kipm,p,k->im", self.products, weights, beta, optimize=True)
        bias = 0.0
        if self.sides.free_shifts:
            coef -= solution.shifts / n
            f -= np.outer(beta @ self._of_ones, solution.shifts)
        else:
            coef -= coef.mean(axis=0)
        losses = s - np.einsum("ipm,im->p", self.columns, f, optimize=True) / n
        if not self.sides.free_shifts:
            slopes = self.columns[:, :, 0].mean(axis=0)
            bias = best_bias(losses, slopes, balance)
            losses = losses - slopes * bias
            f = f + bias
        slack = max(0.0, float(losses.max()))
        return Fit(f, coef, bias, beta, slack, 0.5 * norm)


class Fit(NamedTuple):
    """A solution on the working set.

    Attributes
    ----------
    f : ndarray of shape (n, n_blocks)
        Decision values of the training points.
    coef : ndarray of shape (n, n_blocks)
        Coefficients of the training points.
    bias : float
        b.
    beta : ndarray of shape (n_kernels,)
        Weights of the kernels.
    slack : float
        ξ.
    norm : float
        ½ Σ‖v_k‖²/β_k.
    """

    f: Array
    coef: Array
    bias: float
    beta: Array
    slack: float
    norm: float


def best_bias(losses: Array, slopes: Array, bound: float) -> float:
    """Return the bias b in [−bound, bound] that minimises max(0, max_p losses_p − slopes_p b).

    The function is convex and piecewise linear. The lines that are highest at the two ends of an interval
    around the minimum are followed to their crossing, until the crossing lies on the function. If a whole
    interval is optimal, its point nearest to zero is returned.

    Parameters
    ----------
    losses, slopes : ndarray of shape (n_cuts,)
        Values at b = 0, and negative slopes, of the lines.
    bound : float
        Largest |b|.

    Returns
    -------
    float
    """
    losses, slopes = np.append(losses, 0.0), np.append(slopes, 0.0)
    low, high = -bound, bound
    lowest = _minimum(losses, slopes, low, high)
    # The set of minimisers is an interval, and every line bounds it on one side.
    with np.errstate(divide="ignore", invalid="ignore"):
        at = (losses - lowest) / slopes
    left = float(np.max(at[slopes > 0], initial=low))
    right = float(np.min(at[slopes < 0], initial=high))
    best = (left + right) / 2.0 if left > right else min(max(0.0, left), right)  # rounding may exchange them
    return min(max(best, low), high)


def _minimum(losses: Array, slopes: Array, low: float, high: float) -> float:
    """Return the smallest value of max_p losses_p − slopes_p b over an interval."""

    def highest(b: float) -> tuple[float, float, float]:
        values = losses - slopes * b
        p = int(values.argmax())
        return float(values[p]), float(losses[p]), float(slopes[p])

    at_low, at_high = highest(low), highest(high)
    for _ in range(len(losses) + 2):
        if at_low[2] <= 0.0:  # the function rises from here on
            return at_low[0]
        if at_high[2] >= 0.0:
            return at_high[0]
        middle = (at_low[1] - at_high[1]) / (at_low[2] - at_high[2])
        at_middle = highest(middle)
        crossing = at_low[1] - at_low[2] * middle
        if at_middle[0] <= crossing + 1e-12 * max(1.0, abs(crossing)):
            return at_middle[0]
        if at_middle[2] > 0.0:
            at_low = at_middle
        else:
            at_high = at_middle
    return min(at_low[0], at_high[0])
