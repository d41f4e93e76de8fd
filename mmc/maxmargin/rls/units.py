"""Units, which are points that move as one: their rules for the compiled loops, and sums over their points.

Q of [UMC-RLS] is quadratic in the labels, so that a unit is one point: its row of a factor is the sum of the
rows of its points, weighted, and its row of the hat matrix a sum of sums. Where nothing is known every point
is a unit.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mmc._fast.rls import Rules
from mmc.hints import Hints

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
_Float = TypeVar("_Float", bound=np.floating)

#: Columns that are summed at a time.
_COLUMNS = 512


class Units:
    """The units of a search.

    Parameters
    ----------
    hints : Hints
        What is known.

    Attributes
    ----------
    rules : Rules
        What moves of units must keep to.
    mass : float
        Sum of all weights.
    """

    def __init__(self, hints: Hints) -> None:
        self.rules = Rules(hints.mass, hints.bound, hints.fixed, hints.pointers, hints.others)
        self.mass = float(hints.mass.sum())
        self._hints = hints
        self._are_points = hints.n_units == len(hints.unit)

    def labels_of_points(self, labels: Labels) -> Labels:
        """Return a new array with the labels of the points, given those of the units."""
        return labels.copy() if self._are_points else labels[self._hints.unit]

    def points_of(self, units: Labels) -> Labels:
        """Return the points of units that have moved; where points are units, in the same order."""
        return units.copy() if self._are_points else self._hints.points_of(units)

    def masses(self, labels: Labels, sizes: Labels) -> Array:
        """Return the sum of the weights of each cluster, given its number of units."""
        if self._are_points and self._hints.weights is None:
            return sizes.astype(np.float64)
        return np.asarray(np.bincount(labels, self.rules.mass, len(sizes)), dtype=np.float64)

    def whole(self, amount: float) -> float:
        """Round down to what can be claimed: whole points, or multiples of the lightest unit below 1.

        The small term keeps rounding from turning 3 * (1/3) into less than 1.
        """
        grain = self.grain
        return float(np.floor(amount / grain + 1e-9) * grain)

    @property
    def grain(self) -> float:
        """The mass by which claims are counted."""
        return min(1.0, float(self.rules.mass.min()))


def unit_rows(W: NDArray[_Float], hints: Hints) -> NDArray[_Float]:
    """Return the row of each unit, the sum of the weighted rows of its points."""
    if hints.n_units == len(W) and hints.weights is None:
        return W
    result = np.empty((hints.n_units, W.shape[1]), dtype=W.dtype)
    for first in range(0, W.shape[1], _COLUMNS):
        result[:, first : first + _COLUMNS] = hints.sums(W[:, first : first + _COLUMNS])
    return result
