"""The distribution of margins over the rounds of iterated training, and their losses.

This combines [iterSVR] Figures 2 to 6. The bars count the points by y·f, with the labels y that the
classifier was trained on; points below zero flip. The solid line is the loss of a point, the dashed line its
loss with the other label.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mmc.figures._frames import set_frames
from mmc.figures.palette import NEUTRAL, cluster_color
from mmc.figures.scene import Scene

_HEIGHT = 330
_BINS = 48

#: Colours of the loss and of the points that flip.
_LOSS, _FLIP = cluster_color(0), cluster_color(3)


def margin_animation(scene: Scene) -> go.Figure:
    """Draw the distribution of y·f beside the loss, one frame for each round; the last is shown at first.

    Parameters
    ----------
    scene : Scene
        Scene with margins.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        If the states of the scene have no margins.
    """
    if not scene.margins or scene.loss is None:
        raise ValueError("These states have no margins to draw.")
    edges = _edges(scene.margins)
    x = np.linspace(edges[0], edges[-1], 241)
    pays, would_pay = scene.loss(x), scene.loss(-x)
    figure = go.Figure([*_bars(scene.margins[-1], edges), *_lines(x, pays, would_pay)])
    tallest = max(int(_counts(margins, edges).max()) for margins in scene.margins)
    dearest = float(max(pays.max(), min(would_pay.max(), 2.0 * pays.max()), 1.0))
    _lay_out(figure, edges, tallest, dearest)
    set_frames(figure, ([*_outlines(margins, edges), {}, {}] for margins in scene.margins))
    return figure


def _bars(margins: NDArray[np.float32], edges: NDArray[np.float64]) -> list[go.Scatter]:
    looks = (("right side", NEUTRAL), ("wrong side", _FLIP))
    return [
        go.Scatter(
            **outline,
            name=name,
            mode="lines",
            fill="tozeroy",
            hoverinfo="skip",
            line={"color": color, "width": 1, "shape": "hv"},
        )
        for outline, (name, color) in zip(_outlines(margins, edges), looks, strict=True)
    ]


def _lines(
    x: NDArray[np.float64], pays: NDArray[np.float64], would_pay: NDArray[np.float64]
) -> list[go.Scatter]:
    looks = ((pays, "loss", 2.5, "solid"), (would_pay, "loss with the other label", 1.5, "dash"))
    return [
        go.Scatter(
            x=x,
            y=values,
            name=name,
            yaxis="y2",
            mode="lines",
            line={"color": _LOSS, "width": width, "dash": dash},
            hovertemplate=f"y·f %{{x:.2f}}<br>{name} %{{y:.2f}}<extra></extra>",
        )
        for values, name, width, dash in looks
    ]


def _lay_out(figure: go.Figure, edges: NDArray[np.float64], tallest: int, dearest: float) -> None:
    fixed = {"fixedrange": True, "automargin": True}
    figure.update_layout(
        height=_HEIGHT,
        margin={"l": 10, "r": 10, "t": 50, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "font": {"size": 11}},
        dragmode=False,
        uirevision="fixed",
        xaxis={
            "title": "margin y·f",
            "range": (edges[0], edges[-1]),
            "zeroline": True,
            "zerolinecolor": NEUTRAL,
            **fixed,
        },
        yaxis={"title": "points", "range": (0, 1.08 * tallest), **fixed},
        yaxis2={
            "title": "loss",
            "overlaying": "y",
            "side": "right",
            "range": (0, 1.08 * dearest),
            "showgrid": False,
            "tickmode": "auto",
            "nticks": 5,
            **fixed,
        },
    )


def _edges(margins: list[NDArray[np.float32]]) -> NDArray[np.float64]:
    """Return bin edges for nearly all margins, with an edge at zero."""
    everything = np.concatenate(margins)
    low = min(-0.5, float(np.quantile(everything, 0.002)))
    high = max(1.6, float(np.quantile(everything, 0.998)))
    width = (high - low) / _BINS
    return width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)


def _counts(margins: NDArray[np.float32], edges: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count the points in each bin; points beyond the ends count in the outermost bins."""
    width = edges[1] - edges[0]
    inside = np.clip(margins.astype(np.float64), edges[0] + width / 2, edges[-1] - width / 2)
    return np.histogram(inside, edges)[0]


def _outlines(margins: NDArray[np.float32], edges: NDArray[np.float64]) -> list[dict[str, Any]]:
    """Return the outlines of the bars for the points on the right side and on the wrong side."""
    parts = (margins[margins >= 0], margins[margins < 0])
    return [
        {"x": edges.astype(np.float32), "y": np.append(_counts(part, edges), 0).astype(np.int32)}
        for part in parts
    ]
