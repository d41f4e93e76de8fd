"""The working set Ω of the cutting-plane method, and the convex problem on it.

`mmc.maxmargin.cutting_plane.kernel_set` holds the columns of the dual with whole kernel matrices,
`mmc.maxmargin.cutting_plane.feature_set` with features.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc.maxmargin.cutting_plane.constraints import Cut, Sides
from mmc.maxmargin.cutting_plane.dual_program import Solution, solve_dual

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


class WorkingSet(ABC):
    """Ω with the columns of the dual and their products with the kernels, kept up to date.

    Parameters
    ----------
    sides : Sides
    labels : ndarray of shape (n,)
        Labels z at which the constraints are linearised.
    sizes : ndarray of shape (n_kernels,)
        Mean diagonals of the kernels.

    Attributes
    ----------
    n_coefficients : int
        Number of coefficients of a solution for each value of f at a point.
    """

    n_coefficients: int

    def __init__(self, sides: Sides, labels: Labels, sizes: Array) -> None:
        self.sides, self.labels, self._sizes = sides, labels, sizes
        self.cuts: list[Cut] = []

    @abstractmethod
    def add(self, cut: Cut) -> None:
        """Add a constraint."""

    @abstractmethod
    def relabel(self, labels: Labels) -> None:
        """Set new labels z, at which the constraints are linearised."""

    @abstractmethod
    def grams(self) -> Array:
        """Return G_k of the columns of the cuts, followed by those of the shifts if these have columns."""

    @abstractmethod
    def _slopes(self) -> Array:
        """Return 1ᵀa_p of every constraint, for two clusters."""

    @abstractmethod
    def _model(self, solution: Solution, beta: Array) -> Model:
        """Return f, its coefficients and the products with the columns, all without the bias."""

    def solve(self, C: float, balance: float, *, target: float = 0.0, beta_norm: float = 2.0) -> Fit:
        """Solve the convex problem for the current labels, [MKC] eqs. 2.13 and 4.35.

        Parameters
        ----------
        C : float
            Cost of ξ.
        balance : float
            Largest distance of the mean of f from `target` for two clusters; for many, largest difference
            between the means of two f_p.
        target : float, default=0.0
            Mean of f to aim at, for two clusters only.
        beta_norm : float, default=2.0
            p of ‖β‖_p ≤ 1.

        Returns
        -------
        Fit
        """
        P, m = len(self.cuts), self.sides.n_blocks
        s = np.array([self.sides.share(cut, self.labels) for cut in self.cuts])
        if self.sides.free_shifts:
            ties = np.concatenate([np.zeros(P), np.ones(m)])
            cost = balance / 2.0  # of a flow between classes, which counts at both of its ends
        else:
            # With b = target + b' and |b'| ≤ balance a constraint asks for less by target · 1ᵀa_p.
            s = s - target * self._slopes()
            ties = np.concatenate([self._slopes(), [-1.0]])
            cost = balance
        solution = solve_dual(
            self.grams(), s, C, sizes=self._sizes, cost=cost, ties=ties, beta_norm=beta_norm
        )
        return self._primal(solution, s, balance, target)

    def _primal(self, solution: Solution, s: Array, balance: float, target: float) -> Fit:
        """Return the primal solution that belongs to a dual one."""
        f, coef, products = self._model(solution, solution.beta)
        bias, losses = 0.0, s - products
        if not self.sides.free_shifts:
            slopes = self._slopes()
            shift = best_bias(losses, slopes, balance)
            losses = losses - slopes * shift
            bias = target + shift
            f = f + bias
        slack = max(0.0, float(losses.max()))
        return Fit(f, coef, bias, solution.beta, slack, 0.5 * solution.norm)


class Model(NamedTuple):
    """What a solution of the dual says of the points, without the bias.

    Attributes
    ----------
    f : ndarray of shape (n, n_blocks)
        Decision values of the training points.
    coef : ndarray of shape (n_coefficients, n_blocks)
        Coefficients of the kernels or features.
    products : ndarray of shape (n_cuts,)
        a_pᵀf.
    """

    f: Array
    coef: Array
    products: Array


class Fit(NamedTuple):
    """A solution on the working set.

    Attributes
    ----------
    f : ndarray of shape (n, n_blocks)
        Decision values of the training points.
    coef : ndarray of shape (n_coefficients, n_blocks)
        Coefficients of the training points, or of the features.
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
