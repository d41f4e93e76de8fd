"""Changes of points, to see what a clustering makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mmc._checks import quoted
from mmc.datasets._options import check_seed

Floats = npt.NDArray[np.float64]

#: Of a thinned group every third point stays.
_THIRD = 3

#: Largest change, in standard deviations.
MOST_CHANGE = 1000.0


def moved(X: Floats, point: int, by: Sequence[float]) -> Floats:
    """Return the points with one of them at another place.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Points.
    point : int
        Row of the point that moves.
    by : sequence of float
        How far it moves in each of the first columns, in standard deviations of the column.

    Raises
    ------
    ValueError
        If there is no such point, or there are more offsets than columns.
    """
    if point >= len(X):
        raise ValueError(f"move={point} names a point that is not there: the points are 0 to {len(X) - 1}")
    if len(by) > X.shape[1]:
        raise ValueError(f"by has {len(by)} offsets, and the points have {X.shape[1]} columns")
    others = X.copy()
    others[point, : len(by)] += np.asarray(by, dtype=np.float64) * X.std(axis=0)[: len(by)]
    return others


def shaken(X: Floats, jitter: float, seed: int) -> Floats:
    """Return the points with Gaussian noise, in standard deviations of each column."""
    noise = np.random.RandomState(seed).normal(size=X.shape)
    return np.asarray(X + jitter * X.std(axis=0) * noise)


def thinned(codes: npt.NDArray[np.int64] | None, n: int, group: int) -> npt.NDArray[np.int64]:
    """Return the rows that stay if two thirds of a group leave.

    Parameters
    ----------
    codes : ndarray of shape (n,) or None
        Reference labels from 0 without gaps.
    n : int
        Number of points.
    group : int
        Group that is thinned; −1 means that all points are one.

    Raises
    ------
    ValueError
        If there is no such group, or too few points stay.
    """
    if group >= 0 and (codes is None or group > codes.max()):
        known = "there are no reference labels" if codes is None else f"the groups are 0 to {codes.max()}"
        raise ValueError(f"thin={group} names a group that is not there: {known}")
    of = np.arange(n) if group < 0 else np.flatnonzero(codes == group)
    leaving = np.delete(of, np.s_[::_THIRD])
    if n - len(leaving) < 2:
        raise ValueError(f"thin={group} leaves fewer than two of {n} points: take more points")
    return np.delete(np.arange(n), leaving)


def check_change(change: Mapping[str, Any]) -> None:
    """Check arguments of `Dataset.changed`, before anything is allocated.

    Parameters
    ----------
    change : mapping
        Arguments by name.

    Raises
    ------
    ValueError
        If there is no such argument, or a value is not right for it.
    """
    for name, value in change.items():
        if name not in _CHECKS:
            raise ValueError(f"There is no change {quoted(name)}; there are {', '.join(_CHECKS)}.")
        fits, expected = _CHECKS[name]
        if not fits(value):
            raise ValueError(f"{name}={quoted(value)} is not right for a change: give {expected}.")
    if "random_state" in change:
        check_seed(change["random_state"])


def _is_row(value: Any, least: int = 0) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)


def _is_amount(value: Any, least: float = -MOST_CHANGE) -> bool:
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return is_number and bool(least <= value <= MOST_CHANGE)


_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "move": (lambda v: v is None or _is_row(v), "the number of a point, from 0, or null"),
    "by": (
        lambda v: isinstance(v, list | tuple) and all(map(_is_amount, v)),
        f"a list of numbers of at most {MOST_CHANGE:g}",
    ),
    "jitter": (lambda v: _is_amount(v, 0.0), f"a number from 0 to {MOST_CHANGE:g}"),
    "thin": (lambda v: v is None or _is_row(v, -1), "the number of a group, from 0, -1 for all, or null"),
    "random_state": (_is_row, "a seed"),
}
