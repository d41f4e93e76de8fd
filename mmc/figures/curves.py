"""The curves below an animation: their lines, the mark of the current frame, axes that show their course."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mmc.figures.palette import NEUTRAL
from mmc.figures.scene import Curve, Scene, curve_range

#: Range of the axis of each curve, by its title.
Ranges = Mapping[str, tuple[float, float]]


def curve_ranges(scenes: Iterable[tuple[Scene, str]]) -> dict[str, tuple[float, float]]:
    """Return ranges of the curves' axes that are shared by scenes side by side.

    Parameters
    ----------
    scenes : iterable of (Scene, str)
        Each scene with the title of its objective; curves of equal titles share their range.

    Returns
    -------
    dict from str to (float, float)
        Of a logarithmic axis, the range of the powers of ten.
    """
    found: dict[str, list[tuple[float, float]]] = {}
    for scene, objective in scenes:
        for curve in scene.curves:
            limits = found.setdefault(curve.title or objective, [])
            for values in curve.lines.values():
                limits.append(curve_range(np.log10(values) if curve.log else values))
            if curve.level is not None:
                level = float(np.log10(curve.level) if curve.log else curve.level)
                limits.append((level, level))
    return {
        title: (min(low for low, _ in limits), max(high for _, high in limits))
        for title, limits in found.items()
    }


def curve_traces(scene: Scene, curve: Curve, title: str, limits: tuple[float, float]) -> list[go.Scatter]:
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
        **now_on(scene, curve, len(scene.captions) - 1, limits),
        mode="markers",
        marker={"size": 11, "color": "#D55E00"},
        hoverinfo="skip",
    )
    return [*traces, now]


def now_on(scene: Scene, curve: Curve, i: int, limits: tuple[float, float]) -> dict[str, Any]:
    """Return where the curve is in a frame; beyond the axis the marker stays at its end."""
    step = int(scene.steps[i])
    low, high = (10.0**limit for limit in limits) if curve.log else limits
    return {
        "x": [step] * len(curve.lines),
        "y": [float(np.clip(values[i], low, high)) for values in curve.lines.values()],
    }


def lay_out_curve(
    figure: go.Figure, curve: Curve, title: str, limits: tuple[float, float], column: int
) -> None:
    """Set the axes of a curve, say where it begins if that is beyond them, and draw its level."""
    low, high = limits
    fixed = {"fixedrange": True, "automargin": True}
    scale: dict[str, Any] = {"type": "log"} if curve.log else {}
    if curve.log and high - low > 1.2:
        scale["dtick"] = 1  # a label for each power of ten
    figure.update_xaxes(**fixed, row=2, col=column)
    figure.update_yaxes(title=html.escape(title), range=limits, **fixed, **scale, row=2, col=column)
    values = np.concatenate(list(curve.lines.values()))
    most = np.nanmax(np.log10(values) if curve.log else values)
    if most > high:
        figure.add_annotation(
            text=f"begins above, at {np.nanmax(values):.4g}",
            **{"xref": "x domain", "yref": "y domain", "x": 0.98, "y": 1.0},
            **{"xanchor": "right", "yanchor": "top", "showarrow": False, "font": {"size": 11}},
            row=2,
            col=column,
        )
    if curve.level is not None:
        figure.add_hline(
            curve.level, line={"color": "#D55E00", "dash": "dash", "width": 1}, row=2, col=column
        )
