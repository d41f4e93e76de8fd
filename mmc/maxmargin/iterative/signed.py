"""Hints about two clusters: components of points whose labels are known up to one common sign.

With two clusters, points that must not share one have opposite labels. The points that links join, of either
kind, therefore have the labels t s_i with known signs s_i, and t = ±1 is all that is left to choose for a
component. A known label fixes t. In the balance |Σ v_i y_i − target| ≤ ℓ a component counts Σ v_i s_i.

The choice of the bias is that of `mmc.maxmargin.iterative.bias`, with components in place of points: at every
midpoint between neighbouring values of f₀ each component takes the sign of less loss, and among the midpoints
whose labels keep the balance the one of smallest loss wins. This takes n² for n points; beyond 5,000 points
five hundred of the midpoints are tried first, and then those beside the best of them. Where no midpoint
keeps the balance, components are moved from the heavier cluster, those of the least additional loss for their
weight first. If all components weigh the same, no choice of signs is better at that midpoint; else the best
choice is a knapsack problem, and this one may miss it by little. Where even that finds nothing, the labels
stay as they were and only the bias is chosen anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mmc.hints import Hints
from mmc.kernels.neighbors import EXACT
from mmc.maxmargin.binary import Array, Labels, signs
from mmc.maxmargin.iterative.bias import Placement
from mmc.maxmargin.losses import Loss

#: Number of signs that are tried before the search for labels within the balance is given up.
_MOST_STEPS = 100_000

#: Number of losses that are computed at a time.
_BLOCK = 2**21

#: Number of midpoints that are tried first if there are many.
_COARSE = 500

#: Losses and weights that differ by a smaller share are equal up to rounding.
_TIE = 1e-10


class Costs(NamedTuple):
    """Loss of each component with t = +1 and with t = −1; the components are the last axis."""

    up: Array
    down: Array

    def of(self, t: Array) -> Array:
        """Return the loss of each component with the signs t."""
        return np.where(t > 0, self.up, self.down)


@dataclass(frozen=True, eq=False)
class Signed:
    """Components of points, and the signs of the points within them.

    Attributes
    ----------
    component : ndarray of shape (n_samples,)
        Component of each point.
    sign : ndarray of shape (n_samples,)
        s_i, −1 or +1; the label of a point is t s_i.
    fixed : ndarray of shape (n_components,)
        t of each component, 0 where it is free.
    weights : ndarray of shape (n_samples,)
        v_i.
    """

    component: Labels
    sign: Array
    fixed: Array
    weights: Array

    @classmethod
    def of(cls, hints: Hints) -> Signed:
        """Find the components.

        Parameters
        ----------
        hints : Hints
            What is known, with links and labels for two clusters.

        Returns
        -------
        Signed

        Raises
        ------
        ValueError
            If no labels of two clusters keep the hints; the message names rows.
        """
        m = hints.n_units
        here = np.repeat(np.arange(m), np.diff(hints.pointers))
        # Every unit stands twice, for either sign; a link joins one sign of a unit with the other of another.
        pairs = (np.ones(len(here)), (here, hints.others + m))
        _, found = connected_components(coo_array(pairs, shape=(2 * m, 2 * m)), directed=False)
        plus, minus = found[:m], found[m:]
        if (odd := plus == minus).any():
            raise ValueError(
                f"cannot_link keeps row {_row(hints, int(odd.argmax()))} apart from itself, by a ring of an "
                "odd number of links, and there are two clusters only. Take one of these links back, or use "
                "UMCRLS with more clusters."
            )
        component = np.unique(np.minimum(plus, minus), return_inverse=True)[1]
        sign = np.where(plus < minus, 1.0, -1.0)
        fixed = np.zeros(int(component.max()) + 1)
        known = np.flatnonzero(hints.fixed >= 0)
        t = signs(hints.fixed[known]) * sign[known]
        fixed[component[known]] = t
        if (wrong := fixed[component[known]] != t).any():
            unit = known[wrong.argmax()]
            other = known[(component[known] == component[unit]) & ~wrong][0]
            first, second = sorted((_row(hints, other), _row(hints, unit)))
            raise ValueError(
                f"The known labels of the rows {first} and {second} contradict the "
                "chain of links that joins them. Take a label or a link back."
            )
        weights = np.ones(len(hints.unit)) if hints.weights is None else hints.weights
        return cls(component[hints.unit], sign[hints.unit], fixed, weights)

    @property
    def mass(self) -> Array:
        """Return Σ v_i s_i of each component, which is its share of the balance if t = 1."""
        return np.asarray(np.bincount(self.component, self.weights * self.sign), dtype=np.float64)

    def labels(self, t: Array) -> Labels:
        """Return the labels 0 and 1 of the points, for the signs of the components."""
        return (t[self.component] * self.sign > 0).astype(np.int64)

    def signs_of(self, labels: Labels) -> Array:
        """Return the signs of the components, for labels that keep the hints."""
        t = np.empty(len(self.fixed))
        t[self.component] = signs(labels) * self.sign
        return t

    def nearest(self, labels: Labels) -> Labels:
        """Return labels that keep the hints and are close to given ones.

        The two clusters are exchanged if the known labels then fit better. If one of them is empty, the
        component that fits its label least goes there, where one is free.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,)
            Labels 0 and 1.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        votes = np.bincount(self.component, self.weights * self.sign * signs(labels))
        if votes @ self.fixed < 0:
            labels, votes = 1 - labels, -votes
        t = np.where(votes == 0, self.signs_of(labels), np.sign(votes))
        t = np.where(self.fixed != 0, self.fixed, t)
        found, free = self.labels(t), np.flatnonzero(self.fixed == 0)
        if found.min() == found.max() and len(free):
            t[free[np.abs(votes[free]).argmin()]] *= -1.0
        return self.labels(t)

    def balanced(self, bound: float, target: float = 0.0) -> Labels:
        """Return labels that keep the hints and |Σ v_i y_i − target| ≤ bound.

        Parameters
        ----------
        bound : float
        target : float, default=0.0

        Returns
        -------
        ndarray of shape (n_samples,)

        Raises
        ------
        ValueError
            If none were found.
        """
        free = np.flatnonzero((self.fixed == 0) & (self.mass != 0))
        free = free[np.argsort(-np.abs(self.mass[free]), kind="stable")]
        sizes = np.abs(self.mass[free])
        chosen, difference = _divide(sizes, float(self.mass @ self.fixed) - target, bound)
        if difference > bound:
            whole = self.weights.sum()
            aim = f" from cluster_sizes, a difference of {target:g}," if target else ""
            raise ValueError(
                f"No labels were found that keep the hints and whose clusters differ{aim} by at most "
                f"{bound:g} of {whole:g} in weight, as balance asks; the best differ by {difference:g}. "
                f"Choose a balance of at least {np.ceil(1000 * difference / whole) / 1000:g}, or take hints "
                "back."
            )
        t = np.where(self.fixed != 0, self.fixed, 1.0)
        t[free] = chosen * np.sign(self.mass[free])
        return self.labels(t)

    def costs(self, f: Array, loss: Loss) -> Costs:
        """Return the losses of the components with either sign.

        Parameters
        ----------
        f : ndarray of shape (..., n_samples)
            Values of the model.
        loss : Loss

        Returns
        -------
        Costs
        """
        order = np.argsort(self.component, kind="stable")
        first = np.flatnonzero(np.diff(self.component[order], prepend=-1))
        margins, weights = (f * self.sign)[..., order], self.weights[order]
        return Costs(
            np.add.reduceat(weights * loss(margins), first, axis=-1),
            np.add.reduceat(weights * loss(-margins), first, axis=-1),
        )

    def choose(self, costs: Costs, before: Array) -> Array:
        """Return for each component the sign of less loss, or the one before if both cost the same.

        Parameters
        ----------
        costs : Costs
        before : ndarray of shape (n_components,)

        Returns
        -------
        ndarray of the shape of the costs
        """
        gap = costs.up - costs.down
        same = np.abs(gap) <= _TIE * (costs.up + costs.down)
        return np.where(self.fixed != 0, self.fixed, np.where(same, before, -np.sign(gap)))


def place_signed(
    f0: Array, bound: float, loss: Loss, signed: Signed, before: Labels, target: float = 0.0
) -> Placement:
    """Find the bias, and labels that keep the hints and the balance.

    Parameters
    ----------
    f0 : ndarray of shape (n,)
        Values of the model without its bias.
    bound : float
        Largest |Σ v_i y_i − target|. Some labels keep it.
    loss : Loss
    signed : Signed
        Components of the points.
    before : ndarray of shape (n,)
        Labels that the model was trained on, which keep the hints.
    target : float, default=0.0

    Returns
    -------
    Placement
    """
    values = np.unique(f0)
    values = values[
        np.diff(values, prepend=-np.inf) > _TIE * np.abs(f0).max()
    ]  # equal up to rounding is equal
    t = (values[1:] + values[:-1]) / 2 if len(values) > 1 else values
    if len(t) <= EXACT:
        return _place_at(t, f0, bound, loss, signed, before, target)
    step = -(-len(t) // _COARSE)
    rough = _place_at(t[step // 2 :: step], f0, bound, loss, signed, before, target)
    near = int(np.searchsorted(t, -rough.bias))
    near_t = t[max(0, near - step) : near + step + 1]
    return _place_at(near_t, f0, bound, loss, signed, before, target)


def _place_at(
    t: Array, f0: Array, bound: float, loss: Loss, signed: Signed, before: Labels, target: float
) -> Placement:
    """Choose among given thresholds."""
    old, mass = signed.signs_of(before), signed.mass
    totals, sums = np.empty(len(t)), np.empty(len(t))
    size = max(1, _BLOCK // len(f0))
    for block in (slice(first, first + size) for first in range(0, len(t), size)):
        costs = signed.costs(f0 - t[block, None], loss)
        chosen = signed.choose(costs, old)
        totals[block], sums[block] = costs.of(chosen).sum(axis=-1), np.abs(chosen @ mass - target)
    kept = sums <= bound
    if kept.any():
        lowest = totals[kept].min()
        best = kept & (totals <= lowest + _TIE * max(len(f0), lowest))
        at = int(np.where(best, sums, np.inf).argmin())
        chosen = signed.choose(signed.costs(f0 - t[at], loss), old)
        return Placement(-float(t[at]), signed.labels(chosen))
    return _place_by_moving(f0, t, totals, bound, loss, signed, before, target)


def _place_by_moving(
    f0: Array,
    t: Array,
    totals: Array,
    bound: float,
    loss: Loss,
    signed: Signed,
    before: Labels,
    target: float,
) -> Placement:
    """Choose a bias where at none of them the components keep the balance by themselves."""
    old, mass = signed.signs_of(before), signed.mass
    least, bias, best = np.inf, 0.0, before
    for at in np.argsort(totals, kind="stable"):
        if totals[at] >= least:  # moving components only adds to the loss
            break
        costs = signed.costs(f0 - t[at], loss)
        moved = _moved(signed, costs, signed.choose(costs, old), bound, target)
        if moved is not None and (total := float(costs.of(moved).sum())) < least:
            least, bias, best = total, -float(t[at]), signed.labels(moved)
    if np.isfinite(least):
        return Placement(bias, best)
    labels = before if abs(old @ mass - target) <= bound else signed.balanced(bound, target)
    y = signs(labels)
    losses = [float(signed.weights @ loss(y * (f0 - threshold))) for threshold in t]
    return Placement(-float(t[int(np.argmin(losses))]), labels)


def _moved(signed: Signed, costs: Costs, t: Array, bound: float, target: float) -> Array | None:
    """Move components from the cluster that is too heavy at the least cost; None if that is not enough."""
    mass = signed.mass
    sums = float(t @ mass) - target
    sizes = 2.0 * t * mass * np.sign(sums)  # by so much the difference shrinks
    open_ = np.flatnonzero((signed.fixed == 0) & (sizes > 0))
    price = (costs.of(-t) - costs.of(t))[open_] / sizes[open_]
    found, left = t.copy(), abs(sums)
    moved = []
    for c in open_[np.argsort(price, kind="stable")].tolist():
        if left <= bound:
            break
        if left - sizes[c] >= -bound:
            found[c], left = -t[c], left - sizes[c]
            moved.append(c)
    for c in reversed(moved):  # small ones may not be needed after a large one
        if left + sizes[c] <= bound:
            found[c], left = t[c], left + sizes[c]
    return found if left <= bound else None


def _divide(sizes: Array, start: float, bound: float) -> tuple[Array, float]:
    """Find signs of decreasing sizes for which |start + Σ ± size| is at most a bound, or small.

    Larger sizes are placed first, each so that the sum shrinks, and then otherwise, unless what is left
    cannot make up for it.

    Parameters
    ----------
    sizes : ndarray of shape (m,)
        Positive numbers in decreasing order.
    start : float
    bound : float

    Returns
    -------
    signs : ndarray of shape (m,)
    difference : float
        The absolute sum with these signs.
    """
    m = len(sizes)
    rest = np.append(np.cumsum(sizes[::-1])[::-1], 0.0).tolist()
    path = np.empty(m)
    best, least = path, np.inf
    open_ = [(0, start, 0.0)]  # how many signs are placed, the sum with them, and the last of them
    for _ in range(_MOST_STEPS + m):
        if not open_ or least <= bound:
            break
        i, total, last = open_.pop()
        if i:
            path[i - 1] = last
        if i == m:
            if abs(total) < least:
                best, least = path.copy(), abs(total)
        elif abs(total) - rest[i] < least:
            inward = -1.0 if total > 0 else 1.0
            open_ += [(i + 1, total + way * sizes[i], way) for way in (-inward, inward)]
    return best, float(least)


def _row(hints: Hints, unit: int) -> int:
    return int(np.flatnonzero(hints.unit == unit)[0])
