"""Weights of kernels over the steps of a fit, as bars."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mmc.figures._frames import Mark, follow_steps
from mmc.figures.palette import NEUTRAL, cluster_color
from mmc.stepping import State


def weight_bars(states: Sequence[State], counts: Sequence[int], title: str) -> go.Figure:
    """Draw the weights of the kernels over the steps, and a count for each step below them.

    The bars are powers of the weights which add up to one. A mark above the bars follows the player.

    Parameters
    ----------
    states : sequence of State
        States with `weights` and a `position`; the first, before any step, has no bars.
    counts : sequence of int
        Count for each state.
    title : str
        Title of the axis of the counts.

    Returns
    -------
    plotly.graph_objects.Figure
        Only the counts if there is one kernel, whose weight is always 1.
    """
    frames = [float(state.position or 0) for state in states]
    place_title = html.escape(states[0].position_title)
    states, counts = states[1:] or states, counts[1:] or counts
    places = [state.position for state in states]
    weights = np.array([[weight for _, weight in state.weights] for state in states])
    power = states[0].weight_power
    n_rows = 2 if weights.shape[1] > 1 else 1
    figure = make_subplots(rows=n_rows, cols=1, shared_xaxes=True, vertical_spacing=0.1)
    if n_rows == 2:
        for k, name in enumerate(html.escape(name) for name, _ in states[0].weights):
            figure.add_bar(
                x=places,
                y=weights[:, k] ** power,
                customdata=weights[:, k],
                name=name,
                marker={"color": cluster_color(k + 2)},  # not the colours of the first two clusters
                hovertemplate=f"{place_title} %{{x}}<br>{name} β = %{{customdata:.3f}}<extra></extra>",
                row=1,
                col=1,
            )
        exponent = "" if power == 1 else "²" if power == 2 else f"<sup>{power:g}</sup>"
        figure.update_yaxes(title=f"weights β{exponent}", range=(0, 1), row=1, col=1)
    figure.add_bar(
        x=places,
        y=list(counts),
        name=html.escape(title),
        showlegend=False,
        marker={"color": NEUTRAL},
        hovertemplate=f"{place_title} %{{x}}<br>{html.escape(title)} %{{y}}<extra></extra>",
        row=n_rows,
        col=1,
    )
    figure.update_xaxes(fixedrange=True, automargin=True)
    figure.update_xaxes(title=place_title, row=n_rows, col=1)
    figure.update_yaxes(fixedrange=True, automargin=True)
    figure.update_yaxes(title=html.escape(title), dtick=max(1, -(-max(counts) // 5)), row=n_rows, col=1)
    figure.update_layout(
        barmode="stack",
        bargap=0.15,
        height=130 + 180 * n_rows,
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "itemclick": False},
    )
    tops = [1.0, float(max(counts))][-n_rows:]
    follow_steps(figure, [Mark(frames, [top] * len(frames), row) for row, top in enumerate(tops, start=1)])
    return figure
