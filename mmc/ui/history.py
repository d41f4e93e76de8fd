"""The browser's Back and Forward: an entry for every experiment, and controls that follow the address."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from mmc.ui._sessions import went_through_history
from mmc.ui.visit_state import Visit, state_of


def keep_history() -> None:
    """Let every change of the address by a visitor be an entry in the browser's history."""
    with st.container(key="mmc_history"):
        _component()(key="history")


def follow_address(*, is_new_page: bool) -> None:
    """Forget the values of controls for which the address speaks now; call it before any control is drawn.

    After Back or Forward these are all controls that have been in the address, and on a new page those that
    its address names. Otherwise controls have values of their own, which the address follows.

    Parameters
    ----------
    is_new_page : bool
        Whether another page was shown before.
    """
    visit = state_of(Visit)
    visit.in_address |= set(st.query_params)
    names = visit.in_address if went_through_history() else set(st.query_params) if is_new_page else set()
    for name in names & {key for key in st.session_state if isinstance(key, str)}:
        del st.session_state[name]


@cache
def _component() -> Any:
    script = Path(__file__).with_name("history.js").read_text(encoding="utf-8")
    return st.components.v2.component("mmc_history", js=script)
