"""Points that somebody has drawn, and the compact text in which an address or a file holds them.

Four characters of base64url (RFC 4648) are one point: 24 bits, of which the first 10 are its place from left
to right, the next 10 its place from bottom to top, and the last 4 its group, 1 to 4, or 0 for none.
"""

from __future__ import annotations

import base64
import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mmc._checks import quoted
from mmc._optional import pandas as pd
from mmc.datasets._dataset import Dataset, from_arrays

#: Number of places in each direction, and largest number of a group.
N_PLACES, N_GROUPS = 1024, 4

#: Largest number of points, and characters of each.
MAX_DRAWN, CHARACTERS = 2000, 4

#: Width and height of the drawing area in the units of the points.
WIDTH, HEIGHT = 3.0, 2.0

_NAMES = ("x1", "x2")


class Drawn(NamedTuple):
    """Points of a drawing.

    Attributes
    ----------
    places : ndarray of shape (n, 2)
        Places from left to right and from bottom to top, whole numbers from 0 to 1023.
    groups : ndarray of shape (n,)
        Group of each point, 1 to 4, or 0 for none.
    """

    places: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]

    @property
    def X(self) -> npt.NDArray[np.float64]:
        """The points, from 0 to 3 across and from 0 to 2 upwards."""
        return self.places * np.array([WIDTH, HEIGHT]) / (N_PLACES - 1)


def pack_drawn(places: npt.ArrayLike, groups: npt.ArrayLike | None = None) -> str:
    """Write drawn points as text.

    Parameters
    ----------
    places : array-like of int, shape (n, 2)
        Places from 0 to 1023, from left to right and from bottom to top.
    groups : array-like of int, shape (n,), default=None
        Group of each point, 1 to 4, or 0 for none; None means that no point has one.

    Returns
    -------
    str
        Four characters for each point.

    Raises
    ------
    ValueError
        If a place or a group is out of range, there are more than 2,000 points, or all are equal.

    Examples
    --------
    >>> from mmc.datasets import pack_drawn, unpack_drawn
    >>> text = pack_drawn([[0, 1023], [512, 0]], [1, 2])
    >>> text, unpack_drawn(text).places.tolist()
    ('AD_xgAAC', [[0, 1023], [512, 0]])
    """
    at = np.asarray(places)
    of = np.zeros(len(at), dtype=np.int64) if groups is None else np.asarray(groups)
    if at.ndim != 2 or at.shape[1] != 2 or at.dtype.kind not in "iu":
        raise ValueError(f"places must be pairs of whole numbers, got an array {at.dtype} of {at.shape}")
    if of.shape != (len(at),) or of.dtype.kind not in "iu":
        raise ValueError(f"groups must be one whole number for each point, got an array of {of.shape}")
    if at.size and not (at.min() >= 0 and at.max() < N_PLACES):
        raise ValueError(f"places must be from 0 to {N_PLACES - 1}, got {at.min()} to {at.max()}")
    if of.size and not (of.min() >= 0 and of.max() <= N_GROUPS):
        raise ValueError(f"groups must be from 0 to {N_GROUPS}, got {of.min()} to {of.max()}")
    _check_points(at)
    numbers = (at[:, 0].astype(np.uint32) << 14) | (at[:, 1].astype(np.uint32) << 4) | of.astype(np.uint32)
    packed = numbers.astype(">u4").view(np.uint8).reshape(-1, 4)[:, 1:]
    return base64.urlsafe_b64encode(packed.tobytes()).decode("ascii")


def unpack_drawn(text: str) -> Drawn:
    """Read drawn points from text.

    Parameters
    ----------
    text : str
        What `pack_drawn` has written.

    Returns
    -------
    Drawn

    Raises
    ------
    ValueError
        If the text is anything else.
    """
    if not isinstance(text, str):
        raise ValueError(f"points must be a text in quotes, as a drawing writes it, got {quoted(text)}")
    if len(text) > CHARACTERS * MAX_DRAWN:
        raise ValueError(f"points has {len(text)} characters: a drawing has at most {MAX_DRAWN} points")
    if re.fullmatch("([A-Za-z0-9_-]{4})*", text) is None:
        raise ValueError(f"points={quoted(text)} is no drawing: a point is four letters, digits, '-' or '_'")
    packed = np.frombuffer(base64.urlsafe_b64decode(text), dtype=np.uint8).reshape(-1, 3).astype(np.int64)
    numbers = packed @ np.array([65536, 256, 1])
    places = np.column_stack([numbers >> 14, numbers >> 4 & N_PLACES - 1])
    groups = numbers & 15
    if groups.size and groups.max() > N_GROUPS:
        i = int(groups.argmax())
        raise ValueError(f"points names the group {groups[i]} for point {i}: groups are 1 to {N_GROUPS}")
    _check_points(places)
    return Drawn(places, groups)


def check_drawn(text: Any) -> None:
    """Check the text of a drawing; see `unpack_drawn`."""
    unpack_drawn(text)


def example_drawn() -> str:
    """Return a small drawing: two arcs, each a group.

    Returns
    -------
    str
        What `pack_drawn` writes.
    """
    t = np.linspace(0, np.pi, 36)
    wobble = 16 * np.sin(40 * t)  # as a hand draws
    upper = np.column_stack([400 - 260 * np.cos(t), 470 + (380 + wobble) * np.sin(t)])
    lower = np.column_stack([650 - 260 * np.cos(t), 560 - (380 + wobble) * np.sin(t)])
    places = np.round(np.concatenate([upper, lower])).astype(np.int64)
    return pack_drawn(places, np.repeat([1, 2], len(t)))


def drawn_from(X: npt.NDArray[np.float64], y: npt.NDArray[np.int64] | None, most: int) -> str:
    """Write points of the plane as a drawing that fills the area, a sample of them if there are many.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
        Points.
    y : ndarray of shape (n,) or None
        Reference labels as numbers from 0; the first four become groups.
    most : int
        Largest number of points.

    Returns
    -------
    str
        What `pack_drawn` writes.

    Raises
    ------
    ValueError
        If there are not two columns, or all points are equal.
    """
    if X.shape[1] != 2:
        raise ValueError(f"{X.shape[1]} columns cannot be drawn: take a set of two")
    rows = np.arange(len(X))
    if len(X) > most:
        rows = np.sort(np.random.default_rng(0).choice(len(X), most, replace=False))
    points = X[rows]
    area = np.array([WIDTH, HEIGHT])
    low, size = points.min(axis=0), np.ptp(points, axis=0)
    scale = 0.9 * (area / np.maximum(size, 1e-12 * max(float(size.max()), 1e-300))).min()
    centred = (points - low - size / 2) * scale + area / 2
    places = np.clip(np.round(centred / area * (N_PLACES - 1)), 0, N_PLACES - 1).astype(np.int64)
    groups = None if y is None else np.where(y[rows] < N_GROUPS, y[rows] + 1, 0)
    return pack_drawn(places, groups)


def load_drawn(points: str | None = None) -> Dataset:
    """Load points that were drawn.

    The groups are the reference labels if there are several and every point has one. If some points have a
    group, these are in the column ``group`` of the table, for `Dataset.with_hints`.

    Parameters
    ----------
    points : str, default=None
        What `pack_drawn` has written; None means an example, two arcs.

    Returns
    -------
    Dataset
        At most 2,000 points of the plane, not standardised.

    Examples
    --------
    >>> from mmc.datasets import load
    >>> data = load("drawn", points="AD_xgAAC_AAC")
    >>> data.X.round(2).tolist(), data.y.tolist()
    ([[0.0, 2.0], [1.5, 0.0], [2.96, 0.0]], [0, 1, 1])
    """
    drawing = unpack_drawn(example_drawn() if points is None else points)
    groups = drawing.groups
    if groups.all() and len(np.unique(groups)) > 1:
        return from_arrays(drawing.X, groups - 1, _NAMES, "drawn")
    data = from_arrays(drawing.X, None, _NAMES, "drawn")
    if groups.any():
        data.frame["group"] = pd.array(groups, dtype="Int64")
        data.frame.loc[groups == 0, "group"] = pd.NA
    return data


def _check_points(places: npt.NDArray[Any]) -> None:
    """Check that there are enough points, and not too many."""
    if len(places) > MAX_DRAWN:
        raise ValueError(f"a drawing has at most {MAX_DRAWN} points, and these are {len(places)}")
    if len(places) < 2 or (places == places[0]).all():
        raise ValueError("a drawing needs two points at different places: draw some more")
