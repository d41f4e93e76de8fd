"""A table of clusterings as small pictures, or as coloured fields that show their picture on hover."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from mmc.figures import View
from mmc.figures.palette import COLORS
from mmc.metrics import matched_labels
from mmc.ui.visit_state import Visit, state_of

#: Points of a picture; more would only hide each other.
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
    """Show a table of cells and say which one was pressed.

    Parameters
    ----------
    mode : {"pictures", "heat"}
        Whether cells show their clustering, or a colour and the clustering when the pointer is there.
    rows : sequence of dict
        `title`, and `picture`: which of the pictures belongs to the row.
    columns : sequence of dict
        `title`, and `help` if there is more to say.
    cells : sequence of sequences of dict
        `status` ("done", "wait" or "no"), `name` in words, `lines` of text, `labels` as `Pictures` gives
        them; for a heat map also `color`, `ink`, `short` text and whether it is `chosen`.
    pictures : sequence of dict
        As `drawn_points` gives them.
    across, upwards : str
        What the columns and the rows of a heat map are.
    key : str
    on_press : callable or None
        Takes row and column of a cell that is pressed, before the page is drawn again.

    Returns
    -------
    pair of int or None
        Row and column of the cell that was pressed just now.
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

    def report() -> None:
        if on_press is not None:
            on_press(*map(int, st.session_state[key]["opened"]))

    pressed = _component()(data=data, key=key, on_opened_change=report).opened
    return (int(pressed[0]), int(pressed[1])) if pressed else None


class Pictures:
    """Clusterings of one set of points as they are drawn, in colours that match, each made once.

    Parameters
    ----------
    view : View
    reference : ndarray of shape (n_samples,) or None
        Labels that decide the colours; without them the first clustering does.
    """

    def __init__(self, view: View, reference: NDArray[np.int64] | None) -> None:
        self.points = drawn_points(view)
        self._view = view
        self._reference = reference
        self._drawn: dict[Hashable, str] = {}

    def labels(self, name: Hashable, labels: NDArray[np.int64]) -> str:
        """Give the labels of the clustering of this name, as `drawn_labels` does."""
        if self._reference is None:
            self._reference = labels
        if name not in self._drawn:
            self._drawn[name] = drawn_labels(self._view, matched_labels(labels, self._reference))
        return self._drawn[name]


def kept_pictures(key: str, make: Callable[[], list[Pictures]]) -> list[Pictures]:
    """Give the pictures that belong to a key, the same ones while results arrive.

    Parameters
    ----------
    key : str
        Of the result that they show.
    make : callable

    Returns
    -------
    list of Pictures
    """
    visit = state_of(Visit)
    if visit.pictures[0] != key:
        visit.pictures = (key, make())
    return visit.pictures[1]


def drawn_points(view: View) -> dict[str, Any]:
    """Give the places of the points of a picture, as whole numbers."""
    points = view.points[_drawn(view)]
    low, size = points.min(axis=0), np.ptp(points, axis=0)
    places = np.round(250 * (points - low) / max(float(size.max()), 1e-12)).astype(int)
    width, height = (max(int(side), 1) for side in places.max(axis=0))
    return {"x": places[:, 0].tolist(), "y": places[:, 1].tolist(), "width": width, "height": height}


def drawn_labels(view: View, labels: NDArray[np.int64]) -> str:
    """Give the labels of the points of a picture, one sign for each."""
    return "".join(_DIGITS[int(label) % len(_DIGITS)] for label in labels[view.sample][_drawn(view)])


def _drawn(view: View) -> NDArray[np.int64]:
    n = len(view.points)
    return np.linspace(0, n - 1, min(_MAX_POINTS, n)).astype(np.int64)


@cache
def _component() -> Any:
    here = Path(__file__).parent
    return st.components.v2.component(
        "mmc_cells",
        css=(here / "cell_table.css").read_text(encoding="utf-8"),
        js=(here / "cell_table.js").read_text(encoding="utf-8"),
    )
