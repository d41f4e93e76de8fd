"""The bias that makes a loss smallest while the clusters stay balanced.

Once w is known, [iterSVR] section III-D asks for the bias b and labels y with |Σy| ≤ ℓ that make the loss
smallest. By Propositions 1 and 2 the labels are the signs of f = f₀ + b, so that every point has the margin
|f|, and it is enough to try the midpoints between neighbouring values of f₀ that keep the balance. The paper
adds up the loss anew for each of them, ℓ·n in all. Here sorted values and their running sums give the loss at
a midpoint by a few look-ups, n log n in all.
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


def place_bias(f0: Array, bound: int, loss: Loss) -> Placement:
    """Find the bias of smallest loss among the midpoints that keep |Σy| ≤ bound ([iterSVR] III-D).

    Among equal losses the most even sizes are taken. Where equal values leave no midpoint between sizes that
    are allowed, the points are parted by their order, as evenly as can be, so that the balance holds.

    Parameters
    ----------
    f0 : ndarray of shape (n,)
        Values of the model without its bias.
    bound : int
        Largest difference of the two sizes; at most n − 2, and such that a labelling exists.
    loss : Loss

    Returns
    -------
    Placement
    """
    n = len(f0)
    order = np.argsort(f0, kind="stable")
    centre = float(f0.mean())
    values = f0[order] - centre  # running sums of values far from zero would lose digits
    lower = np.arange(-(-(n - bound) // 2), (n + bound) // 2 + 1)  # sizes of the lower cluster
    t = (values[lower - 1] + values[lower]) / 2
    apart = t < values[lower]
    best = np.ones(len(t), dtype=bool)
    if apart.any():
        totals = np.where(apart, loss.totals(Sums(values), t), np.inf)
        best = totals <= totals.min() + 1e-10 * max(n, totals.min())  # closer ones differ by rounding alone
    chosen = int(np.where(best, np.abs(2 * lower - n), n + 1).argmin())
    labels = np.empty(n, dtype=np.int64)
    labels[order] = np.arange(n) >= lower[chosen]
    return Placement(-float(t[chosen]) - centre, labels)
