"""A run on a page: animation, panels, numbers and downloads."""

from __future__ import annotations

import streamlit as st

from mmc.ui.data_sidebar import view_controls
from mmc.ui.export_view import export_buttons
from mmc.ui.messages import notice
from mmc.ui.panel_view import closer_look, pseudo_code
from mmc.ui.player_view import play
from mmc.ui.result_view import result_summary
from mmc.ui.run_job import Outcome
from mmc.ui.sweep_job import Found


def show_outcome(outcome: Outcome, found: Found | None = None) -> None:
    """Draw a run: figure and numbers side by side, or one below the other if there are two figures.

    Parameters
    ----------
    outcome : Outcome
        Run to show.
    found : Found or None
        Search that led to the run.
    """
    if outcome.stopped:
        notice(f"This run was {outcome.stopped}; you see what it had reached.", "warning")
    alone = len(outcome.recordings) == 1
    picture, numbers = st.columns([3, 2], gap="large") if alone else (st.container(), st.container())
    with picture:
        columns = view_controls(outcome.dataset.feature_names)
        play(outcome, columns)
        pseudo_code(outcome)
    with numbers:
        closer_look(outcome, columns, restarts=found is not None)
        st.subheader("What came out")
        result_summary(outcome)
        st.subheader("Take it home")
        export_buttons(outcome, columns, found)
