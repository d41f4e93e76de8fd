"""The animation with its player, and the rows of the points in the lasso."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import streamlit as st

from mmc import registry, work
from mmc.figures import Scene
from mmc.figures.animation import chart_config, player_asset, player_options
from mmc.figures.packed import PackedFigure
from mmc.ui.first_picture import first_picture
from mmc.ui.messages import guard
from mmc.ui.result_store import fetch, obtained
from mmc.ui.run_job import Outcome
from mmc.work import Drawing

#: Prefixes of the keys of the charts that the player moves.
CHARTS = ("chart", "margins")

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


@st.fragment
@guard()
def _panel(outcome: Outcome, drawing: Drawing) -> None:
    scenes = drawing.scenes
    caught: set[int] = set()
    for i, (column, name) in enumerate(zip(st.columns(len(scenes)), scenes, strict=True)):
        with column:
            if len(scenes) > 1:
                value = outcome.recordings[name].end.objective
                final = "" if np.isnan(value) else f", final {registry.get(name).objective} {value:.4g}"
                st.markdown(f"**{name}**{final}")
            first_picture(drawing.first[i], f"chart_{i}", drawing.figures[i].to_dict()["layout"]["height"])
            event: Any = st.plotly_chart(
                drawing.figures[i],
                key=f"chart_{i}",
                on_select="rerun",
                selection_mode=("lasso", "box"),
                config=chart_config(),
                alt=_alternative(outcome, name, scenes[name]),
            )
            caught |= {
                int(p["customdata"][0] if isinstance(p["customdata"], list) else p["customdata"])
                for p in event["selection"]["points"]
                if "customdata" in p
            }
    _component()(
        data=player_options(scenes, [[f".st-key-{c}_{i}" for c in CHARTS] for i in range(len(scenes))]),
        key="player",
    )
    first = next(iter(scenes.values()))
    rings = " ".join(dict.fromkeys(scene.rings for scene in scenes.values()))
    st.caption(f"{first.view.note} {rings} Draw a lasso to see the rows of points.")
    if caught:
        _rows(outcome, sorted(caught))


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
    recording = outcome.recordings[name]
    sizes = ", ".join(map(str, np.bincount(recording.labels)))
    below = f", with the objective over {len(recording.states)} steps below" if scene.curves else ""
    return (
        f"Scatter plot of {len(recording.labels)} points of {outcome.dataset.name} in clusters of "
        f"{sizes} points found by {name}{below}."
    )


@cache
def _component() -> Any:
    script = player_asset("player.js")
    entry = "\nexport default function (c) { return mountPlayer(c.parentElement, c.data); }\n"
    return st.components.v2.component("mmc_player", css=player_asset("player.css"), js=script + entry)
