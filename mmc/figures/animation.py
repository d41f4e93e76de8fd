"""The animated scatter plot with curves below it, one frame for each step.

A frame carries only what changes, as typed arrays, and is drawn without a redraw of the whole figure. The
player (`player.js`) plays, pauses, steps and scrubs; the app and exported files share it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mmc.figures._frames import set_frames
from mmc.figures.margins import margin_animation
from mmc.figures.palette import COLORS, NEUTRAL, SYMBOLS, cluster_color, colorscale
from mmc.figures.scene import Curve, Scene, frame_range

#: Heights of the scatter plot and of each curve below it.
_HEIGHT, _CURVE_HEIGHT = 470, 150

#: Number of clusters in the legend; colours repeat after that many.
_MAX_NAMED = len(COLORS)


def animation(scene: Scene, objective: str = "objective") -> go.Figure:
    """Draw a recorded fit; the figure shows its last frame at first.

    Parameters
    ----------
    scene : Scene
        Recorded fit.
    objective : str
        Title of the objective's axis.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    last = len(scene.captions) - 1
    size = float(np.clip(14 - 2.2 * np.log10(len(scene.view.points)) ** 1.3, 4, 11))
    n_curves = len(scene.curves)
    height = _HEIGHT + _CURVE_HEIGHT * n_curves
    figure = make_subplots(
        rows=1 + n_curves,
        cols=1,
        row_heights=[_HEIGHT, *[_CURVE_HEIGHT] * n_curves],
        vertical_spacing=75 / height,
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
    for row, curve in enumerate(scene.curves, start=2):
        traces = _curve_traces(scene, curve, curve.title or objective)
        figure.add_traces(traces, rows=[row] * len(traces), cols=[1] * len(traces))
    figure.update_traces(showlegend=False, selector=lambda trace: trace.name is None)
    _lay_out(figure, scene, objective, height)
    set_frames(figure, (_changes(scene, i) for i in range(last + 1)))
    return figure


def animation_html(scenes: Mapping[str, Scene], objective: str, title: str) -> str:
    """Return animations with their player as one self-contained HTML page.

    Parameters
    ----------
    scenes : mapping from str to Scene
        Named scenes, which run side by side.
    objective : str
        Title of the objective's axis.
    title : str
        Title of the page.

    Returns
    -------
    str
    """
    columns = ""
    for i, (name, scene) in enumerate(scenes.items()):
        title_ = {"text": html.escape(name), "x": 0.5}
        figures = {f"chart-{i}": animation(scene, objective).update_layout(title=title_, margin_t=60)}
        if scene.margins:
            figures[f"margins-{i}"] = margin_animation(scene)
        charts = (
            figure.update_layout(template="plotly_white").to_html(
                full_html=False,
                include_plotlyjs=key == "chart-0",
                div_id=key,
                config=chart_config(),
                auto_play=False,
            )
            for key, figure in figures.items()
        )
        columns += f'<div class="column">{"".join(charts)}</div>'
    share = f"{100 / len(scenes):.3f}"
    selectors = [[f"#chart-{i}", f"#margins-{i}"] for i in range(len(scenes))]
    options = json.dumps(player_options(scenes, selectors))
    safe = options.replace("<", "\\u003c")  # text of the data must not close the script
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{player_asset('player.css')} body {{font-family: sans-serif; margin: 1rem}}"
        # The width must not depend on the other column, because the first chart is drawn before it exists.
        f" .charts {{display: flex; flex-wrap: wrap}} .column {{flex: 0 0 max(min(26rem, 100%), {share}%);"
        " min-width: 0}</style></head>"
        f'<body><h1 style="font-size: 1.2rem">{html.escape(title)}</h1><div class="charts">{columns}</div>'
        f'<div id="player"></div><script>{player_asset("player.js")}\n'
        f"mountPlayer(document.getElementById('player'), {safe});</script></body></html>"
    )


def player_options(scenes: Mapping[str, Scene], selectors: list[list[str]]) -> dict[str, Any]:
    """Return the player's options for its charts; a chart that is not on the page is skipped."""
    return {
        "charts": selectors,
        "names": list(scenes) if len(scenes) > 1 else [""],
        "captions": [scene.captions for scene in scenes.values()],
    }


def player_asset(name: str) -> str:
    """Return the text of the player's script or style sheet."""
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


def _border(scene: Scene, i: int) -> dict[str, Any]:
    return {"x": scene.borders[i][:, 0], "y": scene.borders[i][:, 1]}


def _ringed(scene: Scene, i: int) -> dict[str, Any]:
    return {"x": scene.ringed[i][:, 0], "y": scene.ringed[i][:, 1]}


def _rim(scene: Scene, i: int) -> dict[str, Any]:
    return {"x": scene.rims[i][:, 0], "y": scene.rims[i][:, 1]}


def _curve_traces(scene: Scene, curve: Curve, title: str) -> list[go.Scatter]:
    """Return the lines of a curve and, last, the marker of the current frame."""
    traces = [
        go.Scatter(
            x=scene.steps,
            y=values,
            mode="lines",
            line={"color": NEUTRAL, "width": 2, "dash": ("solid", "dash")[number % 2]},
            hovertemplate=f"{scene.steps_title} %{{x}}<br>{html.escape(name or title)} %{{y:.4g}}"
            "<extra></extra>",
        )
        for number, (name, values) in enumerate(curve.lines.items())
    ]
    now = go.Scatter(
        **_now(scene, curve, len(scene.captions) - 1),
        mode="markers",
        marker={"size": 11, "color": "#D55E00"},
        hoverinfo="skip",
    )
    return [*traces, now]


def _now(scene: Scene, curve: Curve, i: int) -> dict[str, Any]:
    step = int(scene.steps[i])
    return {"x": [step] * len(curve.lines), "y": [float(values[i]) for values in curve.lines.values()]}


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


def _changes(scene: Scene, i: int) -> list[dict[str, Any]]:
    """Return the changes of a frame, in the order of the traces."""
    changes = [_border(scene, i), {"marker": _marker(scene, i)}, _ringed(scene, i), _rim(scene, i)]
    changes += [{}] * _n_named(scene)
    for curve in scene.curves:
        changes += [*[{}] * len(curve.lines), _now(scene, curve, i)]
    return changes


def _lay_out(figure: go.Figure, scene: Scene, objective: str, height: int) -> None:
    points, titles = scene.view.points, [html.escape(t[:40]) for t in scene.view.titles]
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": 34, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "itemclick": False},
        dragmode="lasso",
        hovermode="closest",
        uirevision="fixed",
    )
    plane = {"zeroline": False, "automargin": True}
    figure.update_xaxes(title=titles[0], range=frame_range(points[:, 0]), **plane, row=1, col=1)
    figure.update_yaxes(title=titles[1], range=frame_range(points[:, 1]), **plane, row=1, col=1)
    if scene.view.axes is not None:
        figure.update_yaxes(scaleanchor="x", row=1, col=1)
    steps = (scene.steps[0] - 0.5, max(scene.steps[-1] + 0.5, 1))
    for row, curve in enumerate(scene.curves, start=2):
        _lay_out_curve(figure, curve, curve.title or objective, steps, row)
    if scene.curves:
        figure.update_xaxes(title=html.escape(scene.steps_title), row=1 + len(scene.curves), col=1)


def _lay_out_curve(figure: go.Figure, curve: Curve, title: str, steps: tuple[float, float], row: int) -> None:
    values = np.concatenate([*curve.lines.values(), [] if curve.level is None else [curve.level]])
    low, high = frame_range(np.log10(values) if curve.log else values)
    fixed = {"fixedrange": True, "automargin": True}
    scale: dict[str, Any] = {"type": "log"} if curve.log else {}
    if curve.log and high - low > 1.2:
        scale["dtick"] = 1  # a label for each power of ten
    figure.update_xaxes(range=steps, **fixed, row=row, col=1)
    figure.update_yaxes(title=html.escape(title), range=(low, high), **fixed, **scale, row=row, col=1)
    if curve.level is not None:
        figure.add_hline(curve.level, line={"color": "#D55E00", "dash": "dash", "width": 1}, row=row, col=1)
