"""The bias that minimises a loss while the cluster sizes stay within a bound.

For a given w, [iterSVR] section III-D asks for the bias b and the labels y with |Σy| ≤ ℓ that minimise the
loss; here Σy may also be near a target other than 0. By Propositions 1 and 2 the labels are the signs of
f = f₀ + b, so that every point has the margin |f|, and it suffices to try the midpoints between neighbouring
values of f₀ that keep the bound. The paper sums the loss anew for each midpoint, which takes ℓ n in all. Here
sorted values and their running sums give the loss at a midpoint by a few look-ups, n log n in all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc.maxmargin.losses import Array, Loss, Sums


class Placement(NamedTuple):
    """A bias, and the labels 0 and 1 that it gives."""

    bias: float
    labels: NDArray[np.int64]


def place_bias(f0: Array, bound: float, loss: Loss, target: float = 0.0) -> Placement:
    """Find the bias of smallest loss among the midpoints that keep |Σy − target| ≤ bound ([iterSVR] III-D).

    Among equal losses the sizes closest to the target are chosen. If equal values leave no midpoint between
    allowed sizes, the points are divided by their order, as near to the target as possible, so that the
    bound holds.

    Parameters
    ----------
    f0 : ndarray of shape (n,)
        Values of the model without its bias.
    bound : float
        Largest distance of Σy from the target. Some labelling keeps it, and none with an empty cluster.
    loss : Loss
    target : float, default=0.0
        Σy to aim at; 0 means clusters of equal size.

    Returns
    -------
    Placement
    """
    n = len(f0)
    order = np.argsort(f0, kind="stable")
    centre = float(f0.mean())
    values = f0[order] - centre  # running sums of values far from zero would lose digits
    first, last = np.ceil((n - target - bound) / 2), np.floor((n - target + bound) / 2)
    lower = np.arange(int(first), int(last) + 1)  # sizes of the lower cluster
    t = (values[lower - 1] + values[lower]) / 2
    apart = t < values[lower]
    best = np.ones(len(t), dtype=bool)
    if apart.any():
        totals = np.where(apart, loss.totals(Sums(values), t), np.inf)
        best = totals <= totals.min() + 1e-10 * max(n, totals.min())  # smaller differences are rounding
    chosen = int(np.where(best, np.abs(2 * lower - n + target), np.inf).argmin())
    labels = np.empty(n, dtype=np.int64)
    labels[order] = np.arange(n) >= lower[chosen]
    return Placement(-float(t[chosen]) - centre, labels)
