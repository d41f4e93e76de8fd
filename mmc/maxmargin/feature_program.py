"""Support vector machines in r features with an unpenalised bias, solved with warm starts.

For features φ_i, targets y_i and f_i = ⟨w, φ_i⟩ + b, both machines minimise over w and b

    ½‖w‖² + Σ_i max over a_i of a_i (y_i − f_i) − ε |a_i|,    lower_i ≤ a_i ≤ upper_i

with lower ≤ 0 ≤ upper. The SVM with labels ±1 and costs c_i has ε = 0 and a_i between 0 and c_i y_i, support
vector regression −c_i ≤ a_i ≤ c_i. At the optimum w = Φᵀ a and Σ a_i = 0, and a is the solution of the dual.

The method of multipliers separates f from z = Φ w + b. What is left of it is one smooth problem in w and b
for each step width σ, with

    a = clip(soft(a_old + σ (y − f), σ ε), lower, upper),    gradient (w − Φᵀ a, −Σ a_i),

which is solved by Newton's method; then a is the new a_old, and σ grows. Only points whose a_i is between its
bounds enter the matrix of a Newton step, (I + σ Σ φ_i φ_iᵀ), and there are few of them near the end. a obeys
the bounds and belongs to the margins z exactly, so that |z − f| = |a − a_old| / σ, at most max (upper −
lower) / σ, is what remains to be done; it is also the violation by which libsvm stops.

Costs for n points: a Newton step takes two products with Φ (2 n r), m r² for m points between their bounds,
and r³/3. Memory: some arrays of n beside Φ. A warm start begins with a_old, w, b and a large σ.

Rounding limits what can be solved: where (upper − lower) ‖φ‖² is above 10⁷, a solution may be incomplete.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

Array = NDArray[np.float64]

#: Largest violation |z − f|, and largest relative duality gap, of a solution.
_VIOLATION, _GAP = 1e-5, 1e-6

#: σ times the mean of ‖φ‖² at a cold start, and by how much σ grows from one step to the next.
_FIRST, _GROWS = 1e3, 5.0

#: A warm start begins with so large a share of the last σ.
_AGAIN = 1e-3

#: Largest σ times the sum of ‖φ‖²: beyond, rounding leaves nothing of the matrix of a Newton step.
_LARGEST = 1e14

#: Largest numbers of steps of the method of multipliers, of Newton steps for each of them, and of the search
#: along a step.
_OUTER, _NEWTON, _SEARCH = 60, 60, 40

#: Penalty of b in a Newton step, as a share of all σ, and tries to find a factor of its matrix.
_NO_PENALTY, _TRIES = 1e-12, 4

#: Points whose share of that matrix is computed at a time.
_ROWS = 4096

#: Share of the slope that may be left at the end of a step.
_NEAR = 0.1

_TINY = float(np.finfo(float).tiny)

#: Share of the objective by which a Newton step must lower it.
_GAIN = 1e-17


class Bounds(NamedTuple):
    """The loss of each point.

    Attributes
    ----------
    target : ndarray of shape (n,)
        y_i.
    lower, upper : ndarray of shape (n,)
        Bounds of a_i, with 0 between them; they differ.
    epsilon : float
        ε.
    """

    target: Array
    lower: Array
    upper: Array
    epsilon: float

    def loss(self, f: Array) -> float:
        """Return the total loss of decision values."""
        s = self.target - f
        above, below = self.upper * (s - self.epsilon), self.lower * (s + self.epsilon)
        return float(np.maximum(np.maximum(above, below), 0.0).sum())

    def dual(self, a: Array) -> float:
        """Return yᵀ a − ε Σ |a_i|, the dual objective without −½‖Φᵀ a‖²."""
        return float(self.target @ a - self.epsilon * np.abs(a).sum())


class Solution(NamedTuple):
    """A solution, from which another search can begin.

    Attributes
    ----------
    w : ndarray of shape (r,)
    b : float
        Bias for centred features.
    a : ndarray of shape (n,)
        Solution of the dual.
    gap : float
        Relative duality gap.
    sigma : float
        Last σ.
    complete : bool
        Whether the violation and the duality gap are within their tolerances.
    """

    w: Array
    b: float
    a: Array
    gap: float
    sigma: float
    complete: bool


def solve(Phi: Array, bounds: Bounds, before: Solution | None = None) -> Solution:
    """Find the best w and b.

    Parameters
    ----------
    Phi : ndarray of shape (n, r)
        Features. They should be centred, which keeps the matrices well conditioned.
    bounds : Bounds
        The loss of each point.
    before : Solution or None, default=None
        Solution of a similar problem in the same features, to begin with.

    Returns
    -------
    Solution
    """
    found = _multiplied(Phi, bounds, before)
    if before is None or found.complete:
        return found
    cold = _multiplied(Phi, bounds, None)
    return cold if cold.complete or cold.gap < found.gap else found


def _multiplied(Phi: Array, bounds: Bounds, before: Solution | None) -> Solution:
    """Search by the method of multipliers."""
    spread = bounds.upper - bounds.lower
    weights = spread / spread.max()
    squares = np.einsum("ij,ij->i", Phi, Phi)
    mean, total = max(float(squares.mean()), _TINY), max(float(weights @ squares), _TINY)
    largest = _LARGEST / total
    sigma = min(float(spread.max()) / 2.0, _FIRST / mean, largest)
    w, b, a = np.zeros(Phi.shape[1]), float(bounds.target.mean()), np.zeros(len(Phi))
    if before is not None:
        w, b, a = before.w, before.b, np.clip(before.a, bounds.lower, bounds.upper)
        sigma = max(sigma, min(_AGAIN * before.sigma, largest))
    best: Solution | None = None
    for _ in range(_OUTER):
        w, b, reached, is_flat = _Smooth(Phi, bounds, a, sigma * weights).minimise(w, b)
        violation = float(np.abs((reached - a) / (sigma * weights)).max())
        a = reached
        gap = _gap(Phi, bounds, w, b, a)
        found = Solution(w, b, a, gap, sigma, violation <= _VIOLATION and gap <= _GAP)
        if found.complete:
            return found
        if best is None or gap < best.gap:
            best = found
        sigma = min(sigma * _GROWS, largest) if is_flat else sigma / _GROWS
    assert best is not None
    return best


def _gap(Phi: Array, bounds: Bounds, w: Array, b: float, a: Array) -> float:
    """Return the duality gap, relative to the objective; Σ a_i counts as far as it is not zero."""
    image = Phi.T @ a
    primal = 0.5 * float(w @ w) + bounds.loss(Phi @ w + b)
    dual = bounds.dual(a) - 0.5 * float(image @ image)
    return (abs(primal - dual) + abs(b * float(a.sum()))) / max(primal, _TINY)


class _Minimum(NamedTuple):
    """Minimum of the smooth problem with its a, and whether the last step had nothing to gain."""

    w: Array
    b: float
    a: Array
    is_flat: bool


class _Smooth:
    """The smooth problem of one step of the method of multipliers."""

    def __init__(self, Phi: Array, bounds: Bounds, old: Array, sigma: Array) -> None:
        self._Phi, self._bounds, self._old, self._sigma = Phi, bounds, old, sigma

    def multipliers(self, f: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Return a for decision values, and which of them are between their bounds."""
        target, lower, upper, epsilon = self._bounds
        t = self._old + self._sigma * (target - f)
        if epsilon > 0:
            t -= np.clip(t, -self._sigma * epsilon, self._sigma * epsilon)
        a = np.clip(t, lower, upper)
        inside = a == t
        return a, inside & (t != 0) if epsilon > 0 else inside

    def minimise(self, w: Array, b: float) -> _Minimum:
        """Return the minimum, by Newton's method with a search along each step."""
        Phi, bounds = self._Phi, self._bounds
        f = Phi @ w + b
        a, inside = self.multipliers(f)
        for _ in range(_NEWTON):
            slope = np.append(w - Phi.T @ a, -a.sum())
            step = self._newton(inside, slope)
            first = float(slope @ step)
            if first >= -_GAIN * (0.5 * float(w @ w) + bounds.loss(f)):
                return _Minimum(w, b, a, True)
            along = Phi @ step[:-1] + step[-1]
            t = self._search(f, a, first, float(step[:-1] @ step[:-1]), along)
            w, b, f = w + t * step[:-1], b + t * float(step[-1]), f + t * along
            a, inside = self.multipliers(f)
        return _Minimum(w, b, a, False)

    def _newton(self, inside: NDArray[np.bool_], slope: Array) -> Array:
        r = self._Phi.shape[1]
        H = np.zeros((r + 1, r + 1))
        points = np.flatnonzero(inside)
        for first in range(0, len(points), _ROWS):
            block = points[first : first + _ROWS]
            rows = np.empty((len(block), r + 1))
            rows[:, :r], rows[:, r] = self._Phi[block], 1.0
            rows *= np.sqrt(self._sigma[block])[:, None]
            H += rows.T @ rows
        ridge = np.ones(r + 1)
        ridge[r] = _NO_PENALTY * self._sigma.sum()  # where no point is between its bounds, b has no slope
        for _ in range(_TRIES):
            try:
                factor = linalg.cho_factor(H + np.diag(ridge), overwrite_a=True, check_finite=False)
            except linalg.LinAlgError:
                ridge += np.finfo(float).eps * (r + 1) * H.trace()
                continue
            return np.asarray(-linalg.cho_solve(factor, slope, check_finite=False))
        return -slope / (ridge + H.trace())

    def _search(self, f: Array, a: Array, first: float, square: float, along: Array) -> float:
        """Return the length of a step at which the slope along it is near zero; at 0 it is `first`."""

        def slope(t: float) -> float:
            return first + t * square - float((self.multipliers(f + t * along)[0] - a) @ along)

        low, at_low, high, at_high = 0.0, first, 1.0, slope(1.0)
        while at_high < _NEAR * first:
            low, at_low, high = high, at_high, 2.0 * high
            at_high = slope(high)
        for _ in range(_SEARCH):
            if at_high <= -_NEAR * first:
                return high
            t = (low * at_high - high * at_low) / (at_high - at_low)  # a secant, by the rule of Illinois
            at = slope(t)
            if abs(at) <= -_NEAR * first:
                return t
            if at < 0:
                low, at_low, at_high = t, at, at_high / 2.0
            else:
                high, at_high, at_low = t, at, at_low / 2.0
        return low or high
