"""Views of a run besides its steps: the panels of its registry entry, and restarts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mmc import registry, work
from mmc.figures import Scene, course, margin_animation, matrix_figure, restart_curves, weight_bars
from mmc.metrics import clustering_error
from mmc.registry import CoursePanel, MarginPanel, MatrixPanel, MemberPanel, Panel, Quantity, WeightPanel
from mmc.selection import best_of_starts
from mmc.ui.member_view import show_members
from mmc.ui.messages import notice
from mmc.ui.player_view import drawn, drawn_figure
from mmc.ui.result_store import obtained
from mmc.ui.run_job import Outcome

_PLAIN = {"displayModeBar": False}

#: Number of labels whose comparison with the reference takes the server's time for a quarter of a second.
_MANY_LABELS = 500_000


def closer_look(outcome: Outcome, columns: tuple[int, int] | None, restarts: bool = False) -> None:
    """Draw the control that chooses a view of a run, and the view; nothing if there is none.

    Parameters
    ----------
    outcome : Outcome
        Run to show.
    columns : pair of int or None
        Two columns that the animation shows.
    restarts : bool
        Whether to offer the restarts even if there is no other view.
    """
    scenes = drawn(outcome, columns).scenes
    views: dict[str, Callable[[], None]] = {
        panel.title: partial(_DRAWERS[type(panel)], panel, outcome, scenes)
        for panel in registry.get(outcome.experiment.algorithm).panels
        if panel.place == "run" and _has_something(panel, outcome)
    }
    several = any(len(recording.ends) > 1 for recording in outcome.recordings.values())
    if several and (views or restarts):
        views["Restarts"] = lambda: _restarts(outcome)
    if not views:
        return
    st.subheader("A closer look")
    if st.session_state.get("look") not in (None, *views):
        del st.session_state["look"]
    chosen = st.segmented_control(
        "Look at",
        list(views),
        default=next(iter(views)),
        required=True,
        key="look",
        bind="query-params",
        label_visibility="collapsed",
    )
    views[str(chosen)]()


def _has_something(panel: Panel, outcome: Outcome) -> bool:
    """Return whether this run has what the panel draws."""
    first = outcome.main.states[0]
    if isinstance(panel, MarginPanel):
        return first.margins is not None
    return not isinstance(panel, MemberPanel) or len(first.weights) > 1


def _margins(panel: MarginPanel, outcome: Outcome, scenes: Mapping[str, Scene]) -> None:
    shown = [(i, name, scene) for i, (name, scene) in enumerate(scenes.items()) if scene.margins]
    for column, (i, name, scene) in zip(st.columns(len(shown)), shown, strict=True):
        with column:
            if len(scenes) > 1:
                st.markdown(f"**{name}**")
            st.plotly_chart(
                drawn_figure(f"margins {name}", outcome, margin_animation, scene),
                key=f"margins_{i}",
                config=_PLAIN,
                alt="How many points have which margin, and what a margin costs.",
            )
    st.caption(panel.caption)


def _course(panel: CoursePanel, outcome: Outcome, scenes: Mapping[str, Scene]) -> None:
    costly = [quantity for quantity in panel.quantities if quantity.costly]
    try:
        computed = _computed(panel, costly, outcome) if costly else {}
    except ValueError as error:
        notice(error)
        return
    tables = {}
    for i, name in enumerate(outcome.recordings):
        cheap = [q for q in (panel.x, *panel.quantities) if not q.costly]
        table = pd.DataFrame({q.name: _values(q, outcome, name) for q in cheap})
        table = table.assign(**{q.name: computed[q.name][i] for q in costly}).dropna(axis=1, how="all")
        # A logarithmic axis has no zero.
        table[panel.x.name] += int(panel.x.log)
        tables[name] = table
    known = [q for q in panel.quantities if any(q.name in table for table in tables.values())]
    longest = int(np.argmax([len(table) for table in tables.values()]))  # whose frames the chart has
    st.plotly_chart(
        course(tables, known, x=panel.x),
        key=f"course_{longest}",
        config=_PLAIN,
        alt=f"{', '.join(quantity.title for quantity in known)} of {', '.join(tables)}.",
    )
    st.caption(panel.caption)


def _weights(panel: WeightPanel, outcome: Outcome, scenes: Mapping[str, Scene]) -> None:
    weighed = False
    for i, (name, recording) in enumerate(outcome.recordings.items()):
        states = recording.states
        weighed = weighed or len(states[-1].weights) > 1
        if len(outcome.recordings) > 1:
            st.markdown(f"**{name}**")
        counts = [getattr(state, panel.quantity.name) for state in states]
        st.plotly_chart(
            weight_bars(states, counts, panel.quantity.title),
            key=f"weight_bars_{i}",
            config=_PLAIN,
            alt=f"Weights of {len(states[-1].weights)} kernels and {panel.quantity.title} over the steps.",
        )
    st.caption(f"{panel.weighed if weighed else ''}{panel.caption}")


def _members(panel: MemberPanel, outcome: Outcome, scenes: Mapping[str, Scene]) -> None:
    show_members(panel, outcome)


def _matrix(panel: MatrixPanel, outcome: Outcome, scenes: Mapping[str, Scene]) -> None:
    for i, (name, recording) in enumerate(outcome.recordings.items()):
        state: Any = recording.end
        if len(outcome.recordings) > 1:
            st.markdown(f"**{name}**")
        st.plotly_chart(
            drawn_figure(
                f"matrix {name}", outcome, matrix_figure, state.matrix, state.spectrum, state.labels
            ),
            key=f"matrix_{i}",
            config=_PLAIN,
            alt="The matrix of the relaxation, ordered by its leading eigenvector, and its eigenvalues.",
        )
        st.caption((panel.caption + panel.solved * state.converged).format(state=state))


_DRAWERS: Mapping[type[Panel], Callable[..., None]] = {
    MarginPanel: _margins,
    CoursePanel: _course,
    WeightPanel: _weights,
    MemberPanel: _members,
    MatrixPanel: _matrix,
}


def _restarts(outcome: Outcome) -> None:
    y = outcome.dataset.y
    curves: dict[str, np.ndarray] = {}
    for name, recording in outcome.recordings.items():
        before = f"{name}: " if len(outcome.recordings) > 1 else ""
        objectives = [end.objective for end in recording.ends]
        order = np.lexsort((objectives, [end.n_empty for end in recording.ends]))  # as the fit chooses
        keys = np.argsort(order)
        if y is None:
            curves[f"{before}lowest objective"] = best_of_starts(keys, objectives)
            continue
        errors = _errors(f"ends {name}", outcome, [end.labels for end in recording.ends])
        curves[f"{before}error of the lowest objective"] = best_of_starts(keys, errors)
        curves[f"{before}lowest error"] = best_of_starts(errors, errors)
    title = "objective" if y is None else "error (%)"
    st.plotly_chart(
        restart_curves(curves, title),
        key="restarts",
        config=_PLAIN,
        alt=f"What the best of several starts is worth: {title} over the number of starts.",
    )
    hindsight = (
        "The lowest error needs the reference labels to choose by; without them the lowest objective is all "
        "one has. "
        if y is not None
        else ""
    )
    st.caption(
        f"Mean over all ways to take so many of these starts. {hindsight}More starts are set on the left."
    )


def _computed(
    panel: CoursePanel, costly: list[Quantity], outcome: Outcome
) -> Mapping[str, list[list[float]]]:
    """Return the costly quantities of all states, computed by a worker."""
    return obtained(
        f"{panel.title} {outcome.key}",
        work.quantities,
        [recording.states for recording in outcome.recordings.values()],
        [quantity.name for quantity in costly],
        own=outcome.upload is not None,
        caption=f"computing the {', '.join(quantity.title for quantity in costly)} of every step",
    )


def _values(quantity: Quantity, outcome: Outcome, name: str) -> list[float]:
    """Return a quantity of every state of an algorithm."""
    states = outcome.recordings[name].states
    if quantity.name != "error":
        return [getattr(state, quantity.name) for state in states]
    return _errors(f"states {name}", outcome, [state.labels for state in states])


def _errors(what: str, outcome: Outcome, labellings: list[np.ndarray]) -> list[float]:
    """Return the clustering errors in percent, of many labels by a worker; NaN if no reference is known."""
    y = outcome.dataset.y
    if y is None:
        return [np.nan] * len(labellings)
    if len(y) * len(labellings) <= _MANY_LABELS:
        return [100.0 * clustering_error(y, labels) for labels in labellings]
    shares = obtained(
        f"errors of {what} {outcome.key}",
        work.errors,
        (y, labellings),
        None,
        own=outcome.upload is not None,
        caption="comparing with the reference labels",
    )
    return [100.0 * share for share in shares]
