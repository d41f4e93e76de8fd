"""The animated scatter plot with its curves below, side by side, one frame for each step.

A frame carries only what changes, as typed arrays, and is drawn without a redraw of the whole figure. The
player (`player.js`) plays, pauses, steps and scrubs; the app and exported files share it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from mmc.figures._frames import set_frames
from mmc.figures.curves import Ranges, curve_ranges, curve_traces, lay_out_curve, now_on
from mmc.figures.margins import margin_animation
from mmc.figures.palette import COLORS, NEUTRAL, SYMBOLS, cluster_color, colorscale
from mmc.figures.scene import Scene
from mmc.figures.story import Story

#: Heights of the scatter plot and of the curves below it, if nothing else sets the height of the figure.
_HEIGHT, _CURVE_HEIGHT = 420, 140

#: A number of no symbol, which Plotly draws as a circle.
_CIRCLE = 99

#: Number of clusters in the legend; colours repeat after that many.
_MAX_NAMED = len(COLORS)


def animation(scene: Scene, objective: str = "objective", ranges: Ranges | None = None) -> go.Figure:
    """Draw a recorded fit; the figure shows its last frame at first.

    Parameters
    ----------
    scene : Scene
        Recorded fit.
    objective : str
        Title of the objective's axis.
    ranges : mapping from str to (float, float), or None
        Ranges of the curves' axes; None means those of this scene alone (see `curve_ranges`).

    Returns
    -------
    plotly.graph_objects.Figure
    """
    last = len(scene.captions) - 1
    size = float(np.clip(14 - 2.2 * np.log10(len(scene.view.points)) ** 1.3, 4, 11))
    if ranges is None:
        ranges = curve_ranges([(scene, objective)])
    n_curves = len(scene.curves)
    height = _HEIGHT + _CURVE_HEIGHT * bool(n_curves)
    figure = make_subplots(
        rows=2 if n_curves else 1,
        cols=max(n_curves, 1),
        specs=[[{"colspan": n_curves}, *[None] * (n_curves - 1)], [{}] * n_curves] if n_curves else None,
        row_heights=[_HEIGHT, _CURVE_HEIGHT] if n_curves else None,
        vertical_spacing=80 / height,
        horizontal_spacing=0.18,
    )
    figure.add_traces(
        [
            go.Scatter(
                **_border(scene, last), mode="lines", line={"color": NEUTRAL, "width": 2}, hoverinfo="skip"
            ),
            _points(scene, last, size),
            go.Scatter(
                **_ringed(scene, last),
                mode="markers",
                marker={
                    "symbol": "circle-open",
                    "size": size + 5,
                    "color": NEUTRAL,
                    "line": {"width": 1.5},
                },
                hoverinfo="skip",
            ),
            go.Scatter(
                **_rim(scene, last),
                mode="lines",
                line={"color": NEUTRAL, "width": 1.5, "dash": "dot"},
                hoverinfo="skip",
            ),
            *_legend(scene, size),
        ],
        rows=[1] * (4 + _n_named(scene)),
        cols=[1] * (4 + _n_named(scene)),
    )
    for column, curve in enumerate(scene.curves, start=1):
        title = curve.title or objective
        traces = curve_traces(scene, curve, title, ranges[title])
        figure.add_traces(traces, rows=[2] * len(traces), cols=[column] * len(traces))
    figure.update_traces(showlegend=False, selector=lambda trace: trace.name is None)
    _lay_out(figure, scene, objective, height, ranges)
    limits = [ranges[curve.title or objective] for curve in scene.curves]
    set_frames(figure, (_changes(scene, i, limits) for i in range(last + 1)))
    return figure


def animation_html(
    scenes: Mapping[str, Scene],
    objective: str,
    title: str,
    about: str = "",
    stories: Mapping[str, Story] | None = None,
    plotlyjs: bool | str = True,
) -> str:
    """Return animations with their player as one HTML page, self-contained unless told otherwise.

    Parameters
    ----------
    scenes : mapping from str to Scene
        Named scenes, which run side by side.
    objective : str
        Title of the objective's axis.
    title : str
        Title of the page.
    about : str
        A sentence on data and parameters.
    stories : mapping from str to Story, or None
        What is told beside each scene.
    plotlyjs : bool or str
        True means that the page holds Plotly's script; "cdn", or an address that ends in .js, that a browser
        loads it from there.

    Returns
    -------
    str
    """
    columns = ""
    ranges = curve_ranges((scene, objective) for scene in scenes.values())
    for i, (name, scene) in enumerate(scenes.items()):
        title_ = {"text": html.escape(name), "x": 0.5}
        chart = animation(scene, objective, ranges).update_layout(title=title_, margin_t=60)
        figures = {f"chart-{i}": chart}
        if scene.margins:
            figures[f"margins-{i}"] = margin_animation(scene)
        charts = (
            figure.update_layout(template="plotly_white").to_html(
                full_html=False,
                include_plotlyjs=plotlyjs if key == "chart-0" else False,
                div_id=key,
                config=chart_config(),
                auto_play=False,
            )
            for key, figure in figures.items()
        )
        columns += f'<div class="column">{"".join(charts)}</div>'
    told = stories or {}
    beside = '<div id="story" class="story"></div>' if told else ""
    share = f"{100 / len(scenes):.3f}"
    selectors = [[f"#chart-{i}", f"#margins-{i}"] for i in range(len(scenes))]
    rings = " ".join(dict.fromkeys(scene.rings for scene in scenes.values()))
    mount = _mounted("Player", "player", player_options(scenes, selectors))
    if told:
        mount += _mounted("Story", "story", story_options(told))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{player_asset('player.css')}{player_asset('page.css')}"
        # The width must not depend on the other column, because the first chart is drawn before it exists.
        f" .column {{flex: 0 0 max(min(26rem, 100%), {share}%)}}</style></head>"
        f'<body><header><h1>{html.escape(title)}</h1><p class="about">{html.escape(about)}</p></header>'
        f'<main class="stage"><div class="picture"><div class="charts">{columns}</div>'
        f'<div id="player"></div><p class="about">{html.escape(rings)}</p></div>{beside}</main>'
        # The charts were drawn before the story had its place beside them.
        f"<script>{player_script()}\n{mount}\nwindow.dispatchEvent(new Event('resize'));</script>"
        "</body></html>"
    )


def _mounted(what: str, place: str, options: Mapping[str, Any]) -> str:
    """Return the call that mounts a part of the player; text of the data cannot close the script."""
    literal = json.dumps(options).replace("<", "\\u003c")
    return f"mount{what}(document.getElementById('{place}'), {literal});"


def player_options(
    scenes: Mapping[str, Scene], selectors: list[list[str]], frame: int | None = None
) -> dict[str, Any]:
    """Return the player's options for its charts; a chart that is not on the page is skipped.

    It shows a frame at first, or the last one if that is None.
    """
    options: dict[str, Any] = {
        "charts": selectors,
        "names": list(scenes) if len(scenes) > 1 else [""],
        "captions": [scene.captions for scene in scenes.values()],
    }
    return options if frame is None else options | {"start": frame}


def story_options(stories: Mapping[str, Story]) -> dict[str, Any]:
    """Return what the player's panel shows of each story."""
    return {"stories": [story._asdict() for story in stories.values()]}


def player_script() -> str:
    """Return the player as JavaScript, with all that it needs."""
    return player_asset("frames.js") + player_asset("player.js")


def player_asset(name: str) -> str:
    """Return the text of one of the player's files."""
    return resources.files("mmc.figures").joinpath(name).read_text(encoding="utf-8")


def chart_config() -> dict[str, Any]:
    """Return Plotly's settings for a chart with a lasso and few other buttons."""
    return {
        "displaylogo": False,
        "responsive": True,
        "modeBarButtonsToRemove": ["autoScale2d", "zoomIn2d", "zoomOut2d"],
    }


def _points(scene: Scene, i: int, size: float) -> go.Scatter:
    marker = _marker(scene, i)
    points = scene.view.points.astype(np.float32)
    return go.Scatter(
        x=points[:, 0],
        y=points[:, 1],
        mode="markers",
        marker={
            **marker,
            "size": size,
            "cmin": -0.5,
            "cmax": scene.n_clusters - 0.5,
            "colorscale": colorscale(scene.n_clusters),
            "showscale": False,
            "line": {"width": 0.5, "color": "white"},
        },
        customdata=scene.view.sample.astype(np.int32),
        hovertemplate="row %{customdata}<br>cluster %{marker.color}<br>%{x:.3g}, %{y:.3g}<extra></extra>",
    )


def _marker(scene: Scene, i: int) -> dict[str, Any]:
    labels = scene.labels[i]
    if scene.n_clusters > len(SYMBOLS):
        return {"color": labels}
    return {"color": labels, "symbol": np.array(SYMBOLS, dtype=np.uint8)[labels]}


def _quick(marker: dict[str, Any]) -> dict[str, Any]:
    """Return the marker of a frame, in which circles have a number that Plotly does not take for none.

    For a point of symbol 0 it would read the symbols of all points, which takes half of a frame's time. Any
    number that it does not know is a circle too.
    """
    if "symbol" not in marker:
        return marker
    symbols = marker["symbol"]
    return {**marker, "symbol": np.where(symbols == 0, _CIRCLE, symbols).astype(np.uint8)}


def _border(scene: Scene, i: int) -> dict[str, Any]:
    return _places(scene.borders[i])


def _ringed(scene: Scene, i: int) -> dict[str, Any]:
    return _places(scene.ringed[i])


def _rim(scene: Scene, i: int) -> dict[str, Any]:
    return _places(scene.rims[i])


def _places(points: NDArray[np.float32]) -> dict[str, Any]:
    """Return positions; where there are none, one that is not drawn.

    Without a redraw Plotly keeps what it drew of a trace that becomes empty.
    """
    if len(points) == 0:
        points = np.full((1, 2), np.nan, dtype=np.float32)
    return {"x": points[:, 0], "y": points[:, 1]}


def _legend(scene: Scene, size: float) -> list[go.Scatter]:
    return [
        go.Scatter(
            x=[None],
            y=[None],
            mode="markers",
            name=f"cluster {h}",
            hoverinfo="skip",
            marker={
                "color": cluster_color(h),
                "size": max(size, 8),
                "symbol": SYMBOLS[h] if scene.n_clusters <= len(SYMBOLS) else 0,
            },
        )
        for h in range(_n_named(scene))
    ]


def _n_named(scene: Scene) -> int:
    return min(scene.n_clusters, _MAX_NAMED)


def _changes(scene: Scene, i: int, limits: Sequence[tuple[float, float]]) -> list[dict[str, Any]]:
    """Return the changes of a frame, in the order of the traces."""
    changes = [_border(scene, i), {"marker": _quick(_marker(scene, i))}, _ringed(scene, i), _rim(scene, i)]
    changes += [{}] * _n_named(scene)
    for curve, limit in zip(scene.curves, limits, strict=True):
        changes += [*[{}] * len(curve.lines), now_on(scene, curve, i, limit)]
    return changes


def _lay_out(figure: go.Figure, scene: Scene, objective: str, height: int, ranges: Ranges) -> None:
    titles = [html.escape(t[:40]) for t in scene.view.titles]
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": 34, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "itemclick": False},
        dragmode="lasso",
        hovermode="closest",
        uirevision="fixed",
    )
    plane = {"zeroline": False, "automargin": True}
    across, upwards = scene.view.frame
    # In a low figure a title at its usual distance would lie on the curves.
    figure.update_xaxes(title={"text": titles[0], "standoff": 2}, range=across, **plane, row=1, col=1)
    figure.update_yaxes(title=titles[1], range=upwards, **plane, row=1, col=1)
    if scene.view.axes is not None:
        figure.update_yaxes(scaleanchor="x", row=1, col=1)
    steps = (scene.steps[0] - 0.5, max(scene.steps[-1] + 0.5, 1))
    for column, curve in enumerate(scene.curves, start=1):
        title = curve.title or objective
        lay_out_curve(figure, curve, title, ranges[title], column)
        figure.update_xaxes(title=html.escape(scene.steps_title), range=steps, row=2, col=column)
