"""A table of clusterings as small pictures, or as a heat map that shows pictures on hover."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from mmc.figures import View
from mmc.figures.palette import COLORS
from mmc.metrics import matched_labels
from mmc.ui.elements import component
from mmc.ui.messages import guard
from mmc.ui.visit_state import Visit, state_of

#: Maximum number of points in a picture; more would hide each other.
_MAX_POINTS = 220
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def cell_table(
    mode: str,
    rows: Sequence[dict[str, Any]],
    columns: Sequence[dict[str, Any]],
    cells: Sequence[Sequence[dict[str, Any]]],
    pictures: Sequence[dict[str, Any]],
    *,
    across: str = "",
    upwards: str = "",
    key: str,
    on_press: Callable[[int, int], None] | None = None,
) -> tuple[int, int] | None:
    """Draw a table of cells and return the pressed cell.

    Parameters
    ----------
    mode : {"pictures", "heat"}
        Whether cells show their clustering, or a colour and the clustering on hover.
    rows : sequence of dict
        For each row `title`, and `picture`: the index of its picture.
    columns : sequence of dict
        For each column `title`, and optionally `help`.
    cells : sequence of sequences of dict
        For each cell `status` ("done", "wait" or "no"), `name` in words, `lines` of text, and `labels` from
        `Pictures.labels`; in a heat map also `color`, `ink`, `short` text and whether it is `chosen`.
    pictures : sequence of dict
        Results of `drawn_points`.
    across, upwards : str
        Titles of the columns and of the rows of a heat map.
    key : str
        Key of the component.
    on_press : callable or None
        Called with row and column of a pressed cell, before the page is drawn again.

    Returns
    -------
    pair of int or None
        Row and column of the cell that was pressed since the last run of the page.
    """
    data = {
        "mode": mode,
        "rows": list(rows),
        "columns": list(columns),
        "cells": [list(row) for row in cells],
        "pictures": list(pictures),
        "colors": COLORS,
        "across": across,
        "upwards": upwards,
    }

    @guard()
    def report() -> None:
        if on_press is not None:
            on_press(*map(int, st.session_state[key]["opened"]))

    pressed = _component()(data=data, key=key, on_opened_change=report).opened
    return (int(pressed[0]), int(pressed[1])) if pressed else None


class Pictures:
    """Drawn clusterings of one set of points in matching colours, each computed once.

    Parameters
    ----------
    view : View
        Projection to the plane.
    reference : ndarray of shape (n_samples,) or None
        Labels to which the colours are matched; None means the first clustering.
    """

    def __init__(self, view: View, reference: NDArray[np.int64] | None) -> None:
        self.points = drawn_points(view)
        self._view = view
        self._reference = reference
        self._drawn: dict[Hashable, str] = {}

    def labels(self, name: Hashable, labels: NDArray[np.int64]) -> str:
        """Return the drawn labels of the clustering with this name, as `drawn_labels` does."""
        if self._reference is None:
            self._reference = labels
        if name not in self._drawn:
            self._drawn[name] = drawn_labels(self._view, matched_labels(labels, self._reference))
        return self._drawn[name]


def kept_pictures(key: str, make: Callable[[], list[Pictures]]) -> list[Pictures]:
    """Return the pictures of a result, which stay the same while trials arrive.

    Parameters
    ----------
    key : str
        Key of the result.
    make : callable
        Returns new pictures.
    """
    visit = state_of(Visit)
    if visit.pictures[0] != key:
        visit.pictures = (key, make())
    return visit.pictures[1]


def drawn_points(view: View) -> dict[str, Any]:
    """Return the positions of the drawn points as whole numbers."""
    points = view.points[_drawn(view)]
    low, size = points.min(axis=0), np.ptp(points, axis=0)
    places = np.round(250 * (points - low) / max(float(size.max()), 1e-12)).astype(int)
    width, height = (max(int(side), 1) for side in places.max(axis=0))
    return {"x": places[:, 0].tolist(), "y": places[:, 1].tolist(), "width": width, "height": height}


def drawn_labels(view: View, labels: NDArray[np.int64]) -> str:
    """Return the labels of the drawn points, one character for each."""
    return "".join(_DIGITS[int(label) % len(_DIGITS)] for label in labels[view.sample][_drawn(view)])


def _drawn(view: View) -> NDArray[np.int64]:
    n = len(view.points)
    return np.linspace(0, n - 1, min(_MAX_POINTS, n)).astype(np.int64)


@cache
def _component() -> Any:
    return component("mmc_cells", "cell_table")
