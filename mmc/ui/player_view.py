"""The stage of a run: the animation with its player, what is told beside it, and the rows of the lasso."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import streamlit as st

from mmc import registry, work
from mmc.figures import Scene, Story, make_story
from mmc.figures.animation import chart_config, player_asset, player_options, player_script, story_options
from mmc.figures.packed import PackedFigure
from mmc.ui.first_picture import first_picture
from mmc.ui.messages import guard, notice
from mmc.ui.result_store import fetch, obtained
from mmc.ui.run_job import Outcome
from mmc.ui.what_if_view import move_button, own_experiment, tell_change
from mmc.work import Drawing

#: Prefixes of the keys of the charts that the player moves.
CHARTS = ("chart", "margins", "weight_bars", "course")

_MAX_ROWS = 1000


def play(outcome: Outcome, columns: tuple[int, int] | None) -> None:
    """Draw the animation of a run; playing and scrubbing happen in the browser alone.

    Parameters
    ----------
    outcome : Outcome
        Run to draw.
    columns : pair of int or None
        Two columns to show; None means the default plane.
    """
    _panel(outcome, drawn(outcome, columns))


def tell(outcome: Outcome, columns: tuple[int, int] | None) -> None:
    """Draw the pseudo-code, the formula and the numbers of the frame that the player shows.

    Parameters
    ----------
    outcome : Outcome
        Run to tell.
    columns : pair of int or None
        Two columns that the animation shows.
    """
    mount_story(told(outcome, drawn(outcome, columns)))


def mount_player(scenes: Mapping[str, Scene], frame: int | None = None) -> None:
    """Draw the player of the charts with the keys `chart_0`, `chart_1`, ….

    Parameters
    ----------
    scenes : mapping from str to Scene
        Scene of each chart.
    frame : int or None
        Frame that is shown at first; None means the last.
    """
    charts = [[f".st-key-{chart}_{i}" for chart in CHARTS] for i in range(len(scenes))]
    _component("Player")(data=player_options(scenes, charts, frame), key="player")


def mount_story(stories: Mapping[str, Story]) -> None:
    """Draw what is told beside the frame that the player shows.

    Parameters
    ----------
    stories : mapping from str to Story
        Texts of each scene.
    """
    _component("Story")(data=story_options(stories), key="story_panel")


def told(outcome: Outcome, drawing: Drawing) -> dict[str, Story]:
    """Return what is told beside each picture of a run, by its title."""
    return {
        title: make_story(scene, registry.get(outcome.players[title][0]))
        for title, scene in drawing.scenes.items()
    }


@st.fragment
@guard()
def _panel(outcome: Outcome, drawing: Drawing) -> None:
    scenes = drawing.scenes
    caught: set[int] = set()
    with st.container(key="presented"):
        st.html(f"<h1>{html.escape(outcome.title)}</h1>")
    if outcome.changed is not None:
        with st.container(key="changed"):
            tell_change(outcome)
    charts = st.container(key="pair" if len(scenes) > 1 else "alone").columns(len(scenes))
    for i, (column, name) in enumerate(zip(charts, scenes, strict=True)):
        with column:
            if len(scenes) > 1:
                algorithm, recording = outcome.players[name]
                value = recording.end.objective
                final = "" if np.isnan(value) else f", final {registry.get(algorithm).objective} {value:.4g}"
                st.markdown(f"**{name}**{final}")
            with st.container(key=f"picture_{i}"):
                first_picture(drawing.first[i], i)
                event: Any = st.plotly_chart(
                    drawing.figures[i],
                    key=f"chart_{i}",
                    height="stretch",
                    on_select="rerun",
                    selection_mode=("lasso", "box"),
                    config=chart_config(),
                    alt=_alternative(outcome, name, scenes[name]),
                )
            found = {
                int(p["customdata"][0] if isinstance(p["customdata"], list) else p["customdata"])
                for p in event["selection"]["points"]
                if "customdata" in p
            }
            caught |= _as_they_were(outcome, name, found)
    mount_player(scenes)
    first = next(iter(scenes.values()))
    rings = " ".join(dict.fromkeys(scene.rings for scene in scenes.values()))
    with st.container(key="below_player"):
        st.caption(f"{first.view.note} {rings} Draw a lasso to see the rows of points, or name them.")
        try:
            caught |= _named_rows(len(outcome.main.labels))
        except ValueError as error:
            notice(error)
        if caught:
            _rows(outcome, sorted(caught))
            if len(caught) == 1:
                move_button(caught.pop())
        if outcome.changed is not None:
            own_experiment(outcome)


def _as_they_were(outcome: Outcome, title: str, points: set[int]) -> set[int]:
    """Return the points of the data as they are that points of a picture were."""
    changed = outcome.changed
    if changed is None or title != changed.title:
        return points
    return set() if changed.rows is None else {int(changed.rows[i]) for i in points}


def _named_rows(n_rows: int) -> set[int]:
    """Draw the field that names rows, for those without a pointer; raise a ValueError if it is wrong."""
    text = st.text_input("Rows", key="rows", placeholder="such as 3, 10-20", width=240)
    named: set[int] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        first, dash, last = (end.strip() for end in part.partition("-"))
        if not (first.isdecimal() and (last.isdecimal() or not dash)):
            raise ValueError(f"Rows: “{part}” is neither a number nor a range such as 10-20.")
        end = int(last) if dash else int(first)
        if not int(first) <= end < n_rows:
            raise ValueError(f"Rows: “{part}” is not within 0 to {n_rows - 1}, the rows of these data.")
        named |= set(range(int(first), end + 1))
    return named


def _rows(outcome: Outcome, caught: list[int]) -> None:
    points = np.array(caught[:_MAX_ROWS])
    table = fetch(work.rows_of, outcome.packed, (outcome.experiment.data, points))
    table.insert(0, "cluster found", outcome.main.labels[points], allow_duplicates=True)
    st.markdown(f"**{len(caught)} selected points**")
    st.dataframe(table, height=260)


def drawn(outcome: Outcome, columns: tuple[int, int] | None) -> Drawing:
    """Return the scenes and figures of a run in a plane, or draw the progress and end the page here."""
    if columns is None and outcome.drawing is not None:
        return outcome.drawing
    key = f"drawing {columns} {len(outcome.main.states)} {outcome.stopped} {outcome.key}"
    task = (outcome.experiment.data, outcome.recordings, outcome.objectives, columns)
    if outcome.changed is not None:
        objectives = {name: registry.get(name).objective for name in outcome.recordings}
        pair = (outcome.experiment.data, outcome.recordings, objectives, columns, outcome.changed)
        return obtained(key, work.draw_pair, outcome.packed, pair, own=outcome.upload is not None)
    return obtained(key, work.draw_run, outcome.packed, task, own=outcome.upload is not None)


def drawn_figure(name: str, outcome: Outcome, make: Callable[..., Any], *arguments: Any) -> PackedFigure:
    """Return a figure of a run that a worker makes, or draw the progress and end the page here.

    Parameters
    ----------
    name : str
        Name of the figure, with all that it depends on besides the run.
    outcome : Outcome
        Run that the figure shows.
    make : callable
        Function of `mmc.figures`.
    *arguments : object
        Its arguments.
    """
    return obtained(f"{name} {outcome.key}", work.draw, arguments, make, own=outcome.upload is not None)


def _alternative(outcome: Outcome, name: str, scene: Scene) -> str:
    algorithm, recording = outcome.players[name]
    if outcome.changed is not None:
        algorithm += f", {name[0].lower()}{name[1:]}"
    sizes = ", ".join(map(str, np.bincount(recording.labels)))
    below = f", with the objective over {len(recording.states)} steps below" if scene.curves else ""
    return (
        f"Scatter plot of {len(recording.labels)} points of {outcome.dataset.name} in clusters of "
        f"{sizes} points found by {algorithm}{below}."
    )


@cache
def _component(part: str) -> Any:
    """Return a part of the player, “Player” or “Story”, as a component."""
    script = player_script()
    entry = f"\nexport default function (c) {{ return mount{part}(c.parentElement, c.data); }}\n"
    return st.components.v2.component(
        f"mmc_{part.lower()}", css=player_asset("player.css"), js=script + entry
    )
