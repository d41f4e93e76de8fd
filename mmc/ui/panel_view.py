"""A closer look at a run: margins and what they cost, how the fit went, and what its starts are worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mmc.figures import (
    Panel,
    Scene,
    course,
    cut_bars,
    margin_animation,
    relaxation_figure,
    restart_curves,
)
from mmc.maxmargin.cutting_plane.cuts import CutState
from mmc.maxmargin.evolutionary.base import EvoState
from mmc.maxmargin.iterative.base import IterState
from mmc.maxmargin.semidefinite.base import SemidefiniteState
from mmc.metrics import clustering_error
from mmc.recording import Recording
from mmc.selection import best_of_starts
from mmc.stepping import State
from mmc.ui.jobs import Report
from mmc.ui.kernel_sidebar import kernels_alone
from mmc.ui.page_frame import notice
from mmc.ui.player_view import drawn
from mmc.ui.result_store import obtain
from mmc.ui.run_job import Outcome

_ROUNDS = (
    Panel("svm_objective", "SVM objective"),
    Panel("objective", "own objective"),
    Panel("error", "error (%)"),
    Panel("flips", "points flipped"),
)
_GENERATIONS = (
    Panel("objective", "fitness F"),
    Panel("n_flips", "flips a child", log=True),
    Panel("n_kept", "flips kept"),
    Panel("error", "error (%)"),
)


def closer_look(outcome: Outcome, columns: tuple[int, int] | None, restarts: bool = False) -> None:
    """Let a person choose how to look at a run, where there is more to see than its steps.

    Parameters
    ----------
    outcome : Outcome
    columns : pair of int or None
        The two columns that the animation shows.
    restarts : bool
        Whether the starts are worth a look even where there is nothing else to see.
    """
    scenes, _ = drawn(outcome, columns)
    first = outcome.main.states[0]
    views: dict[str, Callable[[], None]] = {}
    if any(scene.margins for scene in scenes.values()):
        views["Margins"] = lambda: _margins(scenes)
    if isinstance(first, IterState):
        views["Rounds"] = lambda: _rounds(outcome)
    if isinstance(first, EvoState):
        views["Generations"] = lambda: _generations(outcome)
    if isinstance(first, CutState):
        views["Cuts"] = lambda: _cuts(outcome)
        if len(first.kernels) > 1:
            views["Kernels"] = lambda: kernels_alone(outcome)
    if isinstance(first, SemidefiniteState):
        views["Relaxation"] = lambda: _relaxations(outcome)
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


def _margins(scenes: Mapping[str, Scene]) -> None:
    shown = [(i, name, scene) for i, (name, scene) in enumerate(scenes.items()) if scene.margins]
    for column, (i, name, scene) in zip(st.columns(len(shown)), shown, strict=True):
        with column:
            if len(scenes) > 1:
                st.markdown(f"**{name}**")
            st.plotly_chart(
                margin_animation(scene),
                key=f"margins_{i}",
                config={"displayModeBar": False},
                alt="How many points have which margin, and what a margin costs.",
            )
    st.caption(
        "y·f is how far a point lies on the side of its label; 1 is what the classifier aims at, and points "
        "on the wrong side flip. The line is the loss that a point pays there, dashed what it would pay with "
        "the other label: where the dashed line is far above the full one, the label is held fast. Move the "
        "player to see the rounds."
    )


def _rounds(outcome: Outcome) -> None:
    try:
        judged = obtain(f"svm objectives {outcome.key}", lambda report: _judge(outcome, report))
    except ValueError as error:
        notice(error)
        return
    if judged.stopped:
        notice(f"Training the SVMs was {judged.stopped}; their curve ends early.", "warning")
    tables = {
        name: _table(outcome, recording, ("round", "objective"))
        .assign(flips=[len(state.moved) for state in _rounds_of(recording)])
        .assign(svm_objective=values)
        for (name, recording), values in zip(outcome.recordings.items(), judged.values, strict=True)
    }
    _draw(tables, _ROUNDS, x="round", x_title="round")
    st.caption(
        "The SVM objective says how good a labelling is, whichever method found it: an SVM is trained on it, "
        "and lower means a wider margin ([iterSVR] Figures 1 and 5). Each method has an objective of its own "
        "as well, with its own loss."
    )


def _generations(outcome: Outcome) -> None:
    tables = {
        name: _table(outcome, recording, ("generation", "objective", "n_flips", "n_kept"))
        for name, recording in outcome.recordings.items()
    }
    # A logarithmic axis has no place for the start itself.
    tables = {name: table.assign(generation=table["generation"] + 1) for name, table in tables.items()}
    _draw(tables, _GENERATIONS, x="generation", x_title="generation + 1", log_x=True)
    st.caption(
        "Most is won early, while a child still flips many labels; of the later generations nearly all bring "
        "nothing. “Flips kept” adds up the labels that the fittest labelling changed."
    )


def _cuts(outcome: Outcome) -> None:
    for i, (name, recording) in enumerate(outcome.recordings.items()):
        if len(outcome.recordings) > 1:
            st.markdown(f"**{name}**")
        cuts = _cuts_of(recording)
        st.plotly_chart(
            cut_bars(cuts[1:] or cuts),
            key=f"cut_bars_{i}",
            config={"displayModeBar": False},
            alt=f"Weights of {len(cuts[0].kernels)} kernels and CCCP iterations over {len(cuts) - 1} cuts.",
        )
    weighed = any(len(state.kernels) > 1 for state in _cuts_of(outcome.main))
    weights = (
        "With every cut the margin decides anew how much each kernel counts: the bars are the squares of the "
        "weights β, which add up to one. "
    )
    st.caption(
        f"{weights if weighed else ''}Between two cuts labels and border are found by turns, each time by "
        "solving one small problem: those are the CCCP iterations."
    )


def _cuts_of(recording: Recording) -> list[CutState]:
    return [state for state in recording.states if isinstance(state, CutState)]


def _relaxations(outcome: Outcome) -> None:
    for i, (name, recording) in enumerate(outcome.recordings.items()):
        state = recording.states[-1]
        if not isinstance(state, SemidefiniteState):
            continue
        if len(outcome.recordings) > 1:
            st.markdown(f"**{name}**")
        st.plotly_chart(
            relaxation_figure(state),
            key=f"relaxation_{i}",
            config={"displayModeBar": False},
            alt="The matrix of the relaxation, ordered by its leading eigenvector, and its eigenvalues.",
        )
        st.caption(
            "Labels alone would make a matrix with a single eigenvalue above zero. This one has "
            f"{state.share:.0%} of its weight on the first: the nearer to 100 %, the less was lost by "
            f"relaxing. The strip on top shows the labels it was rounded to.{_bound(name, state)}"
        )


def _bound(name: str, state: SemidefiniteState) -> str:
    """Say what the program's value is good for, once it is solved."""
    if not state.converged:
        return ""
    limited = ", if its border goes through the origin" if name == "MMC" else ""
    return f" No labelling costs the program less than {state.relaxation:.4g}{limited}."


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
        errors = [100.0 * clustering_error(y, end.labels) for end in recording.ends]
        curves[f"{before}error of the lowest objective"] = best_of_starts(keys, errors)
        curves[f"{before}lowest error"] = best_of_starts(errors, errors)
    title = "objective" if y is None else "error (%)"
    st.plotly_chart(
        restart_curves(curves, title),
        key="restarts",
        config={"displayModeBar": False},
        alt=f"What the best of several starts is worth: {title} over the number of starts.",
    )
    told = (
        "The lowest error needs the reference labels to choose by, as Figure 2 of the paper does; without "
        "them the lowest objective is all one has. "
        if y is not None
        else ""
    )
    st.caption(f"Mean over all ways to take so many of the starts. {told}More starts are set on the left.")


@dataclass(frozen=True, eq=False)
class _Judged:
    key: str
    values: tuple[tuple[float, ...], ...]
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        return 64 * sum(map(len, self.values))


def _judge(outcome: Outcome, report: Report) -> _Judged:
    """Train an SVM on the labels of every round."""
    total = sum(len(recording.states) for recording in outcome.recordings.values())
    done, stopped = 0, False
    values = []
    for recording in outcome.recordings.values():
        row = []
        for state in _rounds_of(recording):
            row.append(np.nan if stopped else state.svm_objective)
            done += 1
            stopped = stopped or not report(done / total, "training an SVM on the labels of every round")
        values.append(tuple(row))
    return _Judged(f"svm objectives {outcome.key}", tuple(values))


def _rounds_of(recording: Recording) -> list[IterState]:
    return [state for state in recording.states if isinstance(state, IterState)]


def _table(outcome: Outcome, recording: Recording, names: tuple[str, ...]) -> pd.DataFrame:
    states: tuple[State, ...] = recording.states
    table = pd.DataFrame({name: [getattr(state, name) for state in states] for name in names})
    if outcome.dataset.y is not None:
        table["error"] = [100.0 * clustering_error(outcome.dataset.y, state.labels) for state in states]
    return table


def _draw(tables: Mapping[str, pd.DataFrame], panels: tuple[Panel, ...], **axes: Any) -> None:
    known = [p for p in panels if any(p.column in table for table in tables.values())]
    st.plotly_chart(
        course(tables, known, **axes),
        key="course",
        config={"displayModeBar": False},
        alt=f"{', '.join(panel.title for panel in known)} of {', '.join(tables)}.",
    )
