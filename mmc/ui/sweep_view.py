"""The candidates of a search: the curve of their scores, a picture of each, and the control to select one."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mmc import registry
from mmc.figures import score_curve, thumbnail
from mmc.metrics import matched_labels
from mmc.selection import SCORES
from mmc.trials import Trial
from mmc.ui.messages import guard, plain
from mmc.ui.sweep_job import Found
from mmc.ui.wording import with_labels

BEST = "best"
_PICTURE = 104  # pixels; three fit beside each other on a phone
SCORE_NAMES = {name: score.title for name, score in SCORES.items()}


def score_name(found: Found) -> str:
    """Return the title of the score, which says so if it looks at a sample of the points."""
    return SCORES[found.search.score].title_for(len(found.best.labels))


def look_at(found: Found) -> int:
    """Draw the control that selects a candidate, at first the best, and return the index of its trial."""
    names = _names(found)
    options = [BEST, *(n for n, t in zip(names, found.trials, strict=True) if not t.error)]
    if st.session_state.get("at", BEST) not in options:
        del st.session_state["at"]
    chosen = st.select_slider(
        "Look at",
        options,
        key="at",
        bind="query-params",
        help=f"Which candidate the pictures show. “{BEST}” is the one with the highest score.",
    )
    return found.trials.index(found.best) if chosen == BEST else names.index(str(chosen))


def draw_curve(found: Found, at: int | None = None, key: str = "curve") -> None:
    """Draw the scores; if `at` is given, it is marked and a click selects a candidate."""
    parameter = registry.get(found.search.experiment.algorithm).parameter(found.search.parameter)
    score = score_name(found)
    figure = score_curve(
        _names(found),
        [trial.score for trial in found.trials],
        parameter=parameter.label,
        score=score,
        at=found.trials.index(found.best) if at is None else at,
        total=len(found.search.values),
        references=found.references,
    )
    alt = f"Curve of {score} over {len(found.trials)} candidates for {parameter.label}."
    config = {"displayModeBar": False}
    if at is None:
        st.plotly_chart(figure, key=key, config=config, alt=alt)
    else:
        st.plotly_chart(
            figure, key=key, config=config, alt=alt, on_select=_clicked, selection_mode=("points",)
        )


def draw_pictures(found: Found, at: int | None = None) -> None:
    """Draw the clustering of every candidate as a thumbnail; if `at` is given, each can be selected."""
    shown = found.trials.index(found.best) if at is None else at
    reference = found.trials[shown].labels
    with st.container(horizontal=True, gap="small"):
        for i, (name, trial) in enumerate(zip(_names(found), found.trials, strict=True)):
            with st.container(width=_PICTURE + 2, gap=None):
                if trial.error:
                    st.caption(plain(trial.error))
                else:
                    labels = matched_labels(trial.labels, reference)
                    picture = thumbnail(found.view, labels, width=130)
                    st.image(picture, width=_PICTURE, alt=f"Clusters of candidate {name}")
                text = "failed" if np.isnan(trial.score) else f"{trial.score:.3f}"
                if at is None:
                    st.caption(f"**{name}**: {text}")
                else:
                    st.button(
                        f"**{name}**: {text}",
                        key=f"look {i}",
                        type="primary" if i == at else "secondary",
                        width="stretch",
                        disabled=bool(trial.error),
                        on_click=_choose,
                        args=(name,),
                        help="Show this candidate.",
                    )


def stage_columns() -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Return the places of a search: that of the picture, that of the curve beside it, and that below."""
    picture, curve = st.container(key="stage").columns([5, 3], gap="medium")
    return picture, curve, st.container(key="below")


def draw_growing_search(found: Found) -> None:
    """Draw the finished candidates, the best one large, in the places that they will have in the end."""
    if all(np.isnan(trial.score) for trial in found.trials):
        return
    picture, curve, below = stage_columns()
    with picture, st.container(key="picture_0"):
        st.html(f'<div class="mmc-large">{thumbnail(found.view, found.best.labels, width=200)}</div>')
    with curve:
        draw_curve(found, key="growing_curve")
    with below:
        draw_pictures(found)


def draw_growing_rival(found: Found) -> None:
    """Draw the finished candidates of the rival while the others are running."""
    if any(not np.isnan(trial.score) for trial in found.trials):
        draw_curve(found, key="growing_curve")
        draw_pictures(found)


def draw_rival(found: Found) -> None:
    """Draw the candidates of the method to which the paper compares, and the choice of its own score."""
    search, best = found.search, found.best
    score = score_name(found)
    value = best.parameters[search.parameter]
    agreement = ""
    if found.references is not None:
        chosen = found.references[found.trials.index(best)]
        hindsight = np.nanmax(found.references)
        agreement = f" Its adjusted Rand index is {chosen:.3f}; the best in hindsight has {hindsight:.3f}."
    st.subheader(f"{search.experiment.algorithm}, chosen by {score}")
    left, right = st.columns([3, 2], gap="large")
    with left:
        draw_curve(found, key="rival_curve")
    right.write(f"{score} chooses {value:g}.{agreement}")
    draw_pictures(found)


def summarize_choice(found: Found, at: int) -> None:
    """Draw which candidate was chosen and, if reference labels are known, how good the choice is."""
    best, trial = found.best, found.trials[at]
    name = registry.get(found.search.experiment.algorithm).parameter(found.search.parameter).label
    value = best.parameters[found.search.parameter]
    with st.container(horizontal=True):
        st.metric(f"Chosen: {name}", f"{value:g}", help="The candidate with the highest score.")
        st.metric(score_name(found), f"{trial.score:.4g}", help="Of the candidate that is shown.")
        hindsight(found, trial)
    tell_failures(found)


def hindsight(found: Found, trial: Trial) -> None:
    """Draw the agreement of a candidate and of the best one with the reference labels, if they are known."""
    if found.references is None:
        return
    st.metric(
        "Adjusted Rand index",
        f"{trial.agreement:.3f}",
        help="Of the candidate that is shown, against the reference labels, which no score has seen.",
    )
    st.metric(
        "Best in hindsight",
        f"{np.nanmax(found.references):.3f}",
        help="The highest adjusted Rand index of any candidate: what a perfect score would choose.",
    )


def tell_failures(found: Found) -> None:
    """Draw how many candidates failed, and why the first of them did."""
    failed = [t for t in found.trials if t.error]
    if failed:
        st.caption(
            f"{len(failed)} of {len(found.trials)} candidates failed: "
            f"{plain(with_labels(failed[0].error, found.search.experiment.algorithm))}"
        )


def _names(found: Found) -> list[str]:
    return [f"{trial.parameters[found.search.parameter]:.10g}" for trial in found.trials]


@guard()
def _choose(name: str) -> None:
    st.session_state["at"] = name


@guard()
def _clicked() -> None:
    event: Any = st.session_state["curve"]
    for point in event["selection"]["points"]:
        _choose(str(point["x"]))
