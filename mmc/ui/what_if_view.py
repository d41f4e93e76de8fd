"""The answer to a question to the data: what changed in the result, and the changed data as an experiment."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from mmc import registry
from mmc.experiment import Experiment
from mmc.metrics import adjusted_rand_score, clustering_error, matched_labels
from mmc.ui.data_sidebar import address
from mmc.ui.messages import guard, plain
from mmc.ui.run_job import Outcome
from mmc.ui.visit_state import Visit, state_of
from mmc.ui.what_if_sidebar import POINT, WHAT

_PAGE = "Playground"


def tell_change(outcome: Outcome) -> None:
    """Say in a sentence what is different in the result on changed data.

    Parameters
    ----------
    outcome : Outcome
        Run with one on changed data beside it.
    """
    st.markdown(plain(what_changed(outcome)))


def what_changed(outcome: Outcome) -> str:
    """Return a sentence on what is different in the result on changed data.

    Parameters
    ----------
    outcome : Outcome
        Run with one on changed data beside it.
    """
    changed = outcome.changed
    assert changed is not None
    parts = []
    after = changed.recording.labels
    if changed.rows is not None:
        before = outcome.main.labels[changed.rows]
        n = round(clustering_error(before, after) * len(after))
        moved = "no point is" if n == 0 else "1 point is" if n == 1 else f"{n:,} points are"
        rand = adjusted_rand_score(before, after)
        colors = "" if (matched_labels(after, before) == after).all() else ", colours aside"
        parts.append(f"{moved} in another cluster than before{colors} (adjusted Rand index {rand:.3f})")
    y, other = outcome.dataset.y, changed.facts.y
    if y is not None and other is not None:
        was, now = adjusted_rand_score(y, outcome.main.labels), adjusted_rand_score(other, after)
        parts.append(f"agreement with the reference {was:.3f} → {now:.3f}")
    was, now = outcome.main.end.objective, changed.recording.end.objective
    if not np.isnan(was) and not np.isnan(now):
        parts.append(f"{registry.get(outcome.experiment.algorithm).objective} {was:.4g} → {now:.4g}")
    left = outcome.dataset.n_samples - changed.facts.n_samples
    if left:
        parts.append(f"{left:,} of {outcome.dataset.n_samples:,} points are missing")
    return f"{changed.title}: {'; '.join(parts)}."


def own_experiment(outcome: Outcome) -> None:
    """Draw what opens the changed data alone: a link, or the experiment as a file.

    Parameters
    ----------
    outcome : Outcome
        Run with one on changed data beside it.
    """
    assert outcome.changed is not None
    own = replace(outcome.experiment, data=outcome.changed.data)
    if not own.data.change and (link := _link(own)):
        st.link_button("Open the changed data alone", link, icon=":material/open_in_new:")
        return
    st.download_button(
        "Changed experiment (JSON)",
        own.to_json(),
        "changed.json",
        "application/json",
        icon=":material/download:",
        on_click="ignore",
        help="python -m mmc run runs it alone; the home page opens it with this question.",
    )


def move_button(point: int) -> None:
    """Draw the button that asks what would be if a point were elsewhere, on the page that can be asked.

    Parameters
    ----------
    point : int
        Point that was selected in the picture.
    """
    if state_of(Visit).page == _PAGE and st.button(
        "What if this point were elsewhere?",
        icon=":material/open_with:",
        on_click=_ask_to_move,
        args=(point,),
    ):
        st.rerun()  # the whole page, of which this is a fragment


@guard()
def _ask_to_move(point: int) -> None:
    st.session_state[WHAT] = "move"
    st.session_state[POINT] = point


def _link(experiment: Experiment) -> str:
    """Return a link to the playground, or an empty text if the experiment is outside of what it runs."""
    try:
        return f"{_PAGE}?{urlencode(address(experiment), doseq=True)}"
    except ValueError:
        return ""
