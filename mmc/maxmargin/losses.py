"""Losses of the margin y f, and their totals at many thresholds at once.

All three losses consist of two sums over the points, with a = |f|: the sum of a, and the sum of the tent (h −
a)₊ of half width h:

    hinge              (1 − a)₊               tent(1)
    ε-insensitive      (|a − 1| − ε)₊         tent(1 − ε) + Σ(a − h) + tent(h),  h = 1 + ε square
    (a − 1)²               Σa² − 2Σa + n
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Sums:
    """Sums over sorted values, at many thresholds at once.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Values in increasing order.
    """

    def __init__(self, values: Array) -> None:
        self.values = values
        self._running = np.concatenate([[0.0], np.cumsum(values)])

    def tent(self, t: Array, h: float) -> Array:
        """Return Σ (h − |v − t|)₊ over the values v."""
        if h <= 0:
            return np.zeros(len(t))
        low, middle, high = (np.searchsorted(self.values, at, side="right") for at in (t - h, t, t + h))
        below = (middle - low) * (h - t) + self._running[middle] - self._running[low]
        above = (high - middle) * (h + t) - self._running[high] + self._running[middle]
        return below + above

    def absolute(self, t: Array) -> Array:
        """Return Σ |v − t| over the values v."""
        middle = np.searchsorted(self.values, t, side="right")
        below, whole = self._running[middle], self._running[-1]
        return middle * t - below + whole - below - (len(self.values) - middle) * t


class Loss(ABC):
    """A loss of the margin."""

    @abstractmethod
    def __call__(self, margins: Array) -> Array:
        """Return the loss of each point, from y f."""

    @abstractmethod
    def totals(self, sums: Sums, t: Array) -> Array:
        """Return the total loss at each threshold if every point has the label of its side."""


@dataclass(frozen=True)
class Hinge(Loss):
    """Loss of the SVM, which is zero beyond a margin of 1."""

    def __call__(self, margins: Array) -> Array:
        """Return the loss of each point, from y f."""
        return np.maximum(0.0, 1.0 - margins)

    def totals(self, sums: Sums, t: Array) -> Array:
        """Return the total loss at each threshold."""
        return sums.tent(t, 1.0)


@dataclass(frozen=True)
class Insensitive(Loss):
    """Loss of support vector regression, which penalises margins above 1 as much as margins below 1.

    Attributes
    ----------
    epsilon : float
        Deviations up to this size cost nothing; 0 is the Laplacian loss.
    """

    epsilon: float

    def __call__(self, margins: Array) -> Array:
        """Return the loss of each point, from y f."""
        return np.maximum(0.0, np.abs(1.0 - margins) - self.epsilon)

    def totals(self, sums: Sums, t: Array) -> Array:
        """Return the total loss at each threshold."""
        far = 1.0 + self.epsilon
        beyond = sums.absolute(t) - far * len(sums.values) + sums.tent(t, far)
        return sums.tent(t, 1.0 - self.epsilon) + beyond


@dataclass(frozen=True)
class Square(Loss):
    """Loss of the least-squares SVM."""

    def __call__(self, margins: Array) -> Array:
        """Return the loss of each point, from y f."""
        return (1.0 - margins) ** 2

    def totals(self, sums: Sums, t: Array) -> Array:
        """Return the total loss at each threshold."""
        n, mean = len(sums.values), sums.values.mean()
        squares = ((sums.values - mean) ** 2).sum() + n * (t - mean) ** 2
        return squares - 2.0 * sums.absolute(t) + n
