"""A run on a page: animation, panels, numbers, downloads and what the clusters are."""

from __future__ import annotations

import streamlit as st

from mmc.ui.data_sidebar import view_controls
from mmc.ui.export_view import export_buttons
from mmc.ui.messages import notice
from mmc.ui.panel_view import closer_look
from mmc.ui.player_view import play, tell
from mmc.ui.profile_view import describe_run
from mmc.ui.result_view import result_summary
from mmc.ui.run_job import Outcome
from mmc.ui.sweep_job import Found


def show_outcome(outcome: Outcome, found: Found | None = None) -> None:
    """Draw a run: the stage with picture, player and pseudo-code, and below it all else.

    Parameters
    ----------
    outcome : Outcome
        Run to show.
    found : Found or None
        Search that led to the run.
    """
    if outcome.stopped:
        notice(f"This run was {outcome.stopped}; you see what it had reached.", "warning")
    alone = len(outcome.players) == 1
    stage = st.container(key="stage")
    with st.container(key="below"):
        columns = view_controls(outcome.dataset.feature_names)
        left, right = st.columns([3, 2], gap="large")
        with left:
            closer_look(outcome, columns, restarts=found is not None)
        with right:
            st.subheader("What came out")
            result_summary(outcome)
            st.subheader("Take it home")
            export_buttons(outcome, columns, found)
        description = st.container(key="description")
    with stage:
        picture, told = st.columns([5, 3], gap="medium") if alone else (st.container(), st.container())
        with picture:
            play(outcome, columns)
        with told, st.container(key="story"):
            tell(outcome, columns)
    with description:  # the last, because a page ends here while the work is done
        describe_run(outcome)
