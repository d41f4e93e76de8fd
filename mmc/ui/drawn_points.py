"""The points that a visitor has drawn: in the address while they fit, otherwise with the visit alone."""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

from mmc.datasets.drawn import CHARACTERS
from mmc.experiment import Data
from mmc.ui.visit_state import Visit, state_of

DRAWN = "drawn"

#: Key of the drawing in the address and in the session.
DRAWING = "drawing"

#: Number of points that an address holds; browsers and messengers cut longer ones.
MOST_IN_ADDRESS = 400

#: Number of longer drawings that a visit remembers.
_N_KEPT = 50

#: Begin of the name of a drawing that is too long for the address; no drawing begins so.
_MARK = "~"


def drawn_options() -> dict[str, Any]:
    """Return the options of the drawn data, and keep the address in step with them."""
    text = _in_address()
    return {} if text is None else {"points": text}


def keep_drawing(text: str) -> None:
    """Make a text the drawing of the visit."""
    st.session_state[DRAWING] = _short(text)


def take_drawing(data: Data) -> None:
    """Remember the drawing of an experiment whose address is opened next."""
    if data.source == DRAWN and "points" in data.options:
        _short(data.options["points"])


def drawing_address(text: str) -> str:
    """Return a drawing as an address holds it: the points, or a name that only this visit knows."""
    return text if len(text) <= MOST_IN_ADDRESS * CHARACTERS else _name(text)


def is_lost() -> bool:
    """Return whether the address names a drawing that is not of this visit."""
    held = st.session_state.get(DRAWING) or ""
    return held.startswith(_MARK) and held not in state_of(Visit).drawings


def _in_address() -> str | None:
    """Return the drawing, None if there is none, and write it to the address."""
    if not isinstance(st.session_state.get(DRAWING), str):
        st.session_state[DRAWING] = st.query_params.get(DRAWING)
    held = st.session_state[DRAWING]
    if held is None:
        return None
    if st.query_params.get(DRAWING) != held:
        st.query_params[DRAWING] = held
    return state_of(Visit).drawings.get(held) if held.startswith(_MARK) else held


def _short(text: str) -> str:
    """Return a drawing as the address holds it; one that is too long is remembered."""
    short = drawing_address(text)
    if short != text:
        drawings = state_of(Visit).drawings
        drawings.pop(short, None)
        while len(drawings) >= _N_KEPT:
            drawings.pop(next(iter(drawings)))
        drawings[short] = text
    return short


def _name(text: str) -> str:
    return _MARK + hashlib.sha256(text.encode()).hexdigest()[:12]
