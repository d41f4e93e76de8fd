"""What the cuts cost and which kernels they chose, in bars."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mmc.figures.palette import NEUTRAL, cluster_color
from mmc.maxmargin.cutting_plane.cuts import CutState


def cut_bars(states: Sequence[CutState]) -> go.Figure:
    """Draw the weights of the kernels over the cuts, and how many problems each cut took.

    The bars are β², which add up to one.

    Parameters
    ----------
    states : sequence of CutState

    Returns
    -------
    plotly.graph_objects.Figure
        With one kernel, whose weight is always 1, only the problems.
    """
    cuts = [state.n_cuts for state in states]
    kernels = states[0].kernels
    n_rows = 2 if len(kernels) > 1 else 1
    figure = make_subplots(rows=n_rows, cols=1, shared_xaxes=True, vertical_spacing=0.1)
    if n_rows == 2:
        beta = np.array([state.beta for state in states])
        for k, title in enumerate(kernels):
            figure.add_bar(
                x=cuts,
                y=beta[:, k] ** 2,
                customdata=beta[:, k],
                name=html.escape(title),
                marker={"color": cluster_color(k + 2)},  # not the colours of the first two clusters
                hovertemplate=f"%{{x}} cuts<br>{html.escape(title)} β = %{{customdata:.3f}}<extra></extra>",
                row=1,
                col=1,
            )
        figure.update_yaxes(title="weights β²", range=(0, 1), row=1, col=1)
    figure.add_bar(
        x=cuts,
        y=[state.n_cccp for state in states],
        name="problems",
        showlegend=False,
        marker={"color": NEUTRAL},
        hovertemplate="%{x} cuts<br>%{y} problems solved<extra></extra>",
        row=n_rows,
        col=1,
    )
    figure.update_xaxes(fixedrange=True, automargin=True)
    figure.update_xaxes(title="cuts |Ω|", row=n_rows, col=1)
    figure.update_yaxes(fixedrange=True, automargin=True)
    most = max(state.n_cccp for state in states)
    figure.update_yaxes(title="CCCP iterations", dtick=max(1, -(-most // 5)), row=n_rows, col=1)
    figure.update_layout(
        barmode="stack",
        bargap=0.15,
        height=130 + 180 * n_rows,
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "itemclick": False},
    )
    return figure
