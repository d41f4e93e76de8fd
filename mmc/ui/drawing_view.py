"""The canvas on which points are drawn, and the buttons that open it."""

from __future__ import annotations

from functools import cache
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mmc import work
from mmc.datasets import CATALOG, example_drawn, unpack_drawn
from mmc.datasets.drawn import CHARACTERS, MAX_DRAWN, N_GROUPS
from mmc.experiment import Data
from mmc.figures.palette import COLORS, NEUTRAL
from mmc.ui.drawn_points import DRAWN, MOST_IN_ADDRESS, keep_drawing
from mmc.ui.elements import component
from mmc.ui.messages import guard
from mmc.ui.result_store import fetch
from mmc.ui.visit_state import Visit, state_of

_KEY = "canvas"


def drawing(data: Data, bar: DeltaGenerator) -> None:
    """Draw the buttons for drawing, and the canvas if it is open.

    Parameters
    ----------
    data : Data
        Chosen data.
    bar : DeltaGenerator
        Where the buttons are.
    """
    visit = state_of(Visit)
    if data.source != DRAWN:
        visit.is_drawing = False
        if data.source in CATALOG and CATALOG[data.source].kind == "toy":
            bar.button(
                "Draw on it",
                icon=":material/draw:",
                key="draw_on",
                type="tertiary",
                on_click=_take_over,
                args=(data,),
                help=f"Takes these points, a sample if they are more than {MOST_IN_ADDRESS}, onto a canvas "
                "where you add, move and erase some.",
            )
        return
    text = str(data.options.get("points", example_drawn()))
    can_close = _is_drawing(text)
    is_open = visit.is_drawing or not can_close
    bar.button(
        "Done" if is_open else "Draw",
        icon=":material/check:" if is_open else ":material/draw:",
        key="draw",
        on_click=_open_or_close,
        args=(not is_open,),
        disabled=is_open and not can_close,
        help=None if is_open else "A canvas for mouse, finger and keyboard; the run follows what you draw.",
    )
    if is_open:
        _canvas(text)


def _canvas(text: str) -> None:
    visit = state_of(Visit)
    if text != visit.on_canvas:  # the points come from elsewhere: a link, a file, Back, a toy set
        visit.on_canvas = text
        visit.canvas_number += 1
    with st.container(key="drawing_place"):
        _component()(
            data={
                "points": text if _is_drawing(text) or not text else "",
                "number": visit.canvas_number,
                "colors": [NEUTRAL, *COLORS[:N_GROUPS]],
                "most": MAX_DRAWN,
            },
            key=_KEY,
            on_drawn_change=_follow,
        )
        n = len(text) // CHARACTERS
        if n > MOST_IN_ADDRESS:
            st.caption(
                f"A link holds {MOST_IN_ADDRESS} points, and these are {n:,}: take the experiment (JSON) "
                "home to keep them or to pass them on. It opens on the home page."
            )


@guard()
def _follow() -> None:
    """Keep what was drawn; a callback of the canvas."""
    text = str(st.session_state[_KEY]["drawn"])
    state_of(Visit).on_canvas = text
    keep_drawing(text)


@guard()
def _open_or_close(is_open: bool) -> None:
    state_of(Visit).is_drawing = is_open


@guard()
def _take_over(data: Data) -> None:
    """Make a drawing of a toy set; a callback for a button."""
    text = fetch(work.drawing_of, None, (data, MOST_IN_ADDRESS))
    keep_drawing(text)
    st.session_state["data"] = DRAWN
    state_of(Visit).is_drawing = True


def _is_drawing(text: str) -> bool:
    try:
        unpack_drawn(text)
    except ValueError:
        return False
    return True


@cache
def _component() -> Any:
    return component("mmc_drawing", "drawing")
