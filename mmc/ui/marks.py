"""What a visitor has said about the clusters of some data, on any page."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from mmc.experiment import Data
from mmc.ui.visit_state import Marks, Visit, state_of
from mmc.work import table_key


def marks_of(data: Data) -> Marks:
    """Return what the visitor knows of the clusters of some data."""
    return state_of(Visit).marks.get(_key(data), Marks())


def keep_marks(data: Data, marks: Marks) -> None:
    """Keep what the visitor knows of the clusters of some data."""
    state_of(Visit).marks[_key(data)] = marks


def with_marks(data: Data) -> Data:
    """Draw the switch that keeps the visitor's marks, if there are any, and return the data with them."""
    hints = marks_of(data).hints()
    if not hints:
        return data
    kept = st.toggle(
        "Keep my marks",
        value=True,
        key="keep_marks",
        help="What you said on the page “Find clusters” about points that belong together or apart. It is in "
        "the experiment file, not in the address.",
    )
    return replace(data, hints=hints) if kept else data


def take_marks(data: Data) -> None:
    """Set the marks as an experiment has them."""
    hints = data.hints
    marks = Marks(
        tuple(tuple(group) for group in hints.get("together", ())),
        tuple((int(g), int(h)) for g, h in hints.get("apart", ())),
        hints.get("known"),
    )
    keep_marks(data, marks)


def _key(data: Data) -> str:
    """Return what rows of data are named by: the file, or the set with its options."""
    if data.sha256:
        return table_key(data.sha256, data.options.get("sheet"))
    return repr((data.source, sorted(data.options.items())))
