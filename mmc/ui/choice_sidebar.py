"""The top of the sidebar: what is chosen by its title and picture, and written to the address by its key."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mmc.ui.visit_state import Visit, state_of


def top() -> DeltaGenerator:
    """Return the part of the sidebar above the list of the pages."""
    place = state_of(Visit).top
    return st.container() if place is None else place


def titled_select(
    label: str,
    options: Sequence[str],
    first: str,
    key: str,
    title: Callable[[str], str],
    *,
    on_change: Callable[[], None] | None = None,
    help_: str | None = None,
    icon: str | None = None,
) -> str:
    """Draw a select box that shows titles, and return the chosen option.

    A control that Streamlit binds to the address writes what it shows. This one is bound here, so that the
    address keeps the options, which do not change with their titles.

    Parameters
    ----------
    label : str
        Label of the control.
    options : sequence of str
        Options as they are in the address.
    first : str
        Initial option, which the address leaves out.
    key : str
        Key of the control and name in the address.
    title : callable
        Returns the title of an option.
    on_change : callable or None
        Called when the visitor has chosen.
    help_ : str or None
        Help text.
    icon : str or None
        Icon in the box.

    Returns
    -------
    str
    """
    asked = st.query_params.get(key)
    held = st.session_state.get(key)
    if held not in options:
        st.session_state[key] = asked if asked in options else first
    chosen = st.selectbox(
        label,
        options,
        format_func=title,
        key=key,
        on_change=on_change,
        help=help_,
        icon=icon,
        persist_state="session",
    )
    wanted = None if chosen == first else str(chosen)
    if wanted is None:
        st.query_params.pop(key, None)
    elif asked != wanted:
        st.query_params[key] = wanted
    return str(chosen)
