"""How a fit went, in curves: several quantities over the iterations, and what restarts are worth."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from mmc.figures.palette import cluster_color


class Panel(NamedTuple):
    """One quantity: a column of the tables, the title of its axis, and whether that is logarithmic."""

    column: str
    title: str
    log: bool = False


def course(
    tables: Mapping[str, pd.DataFrame],
    panels: Sequence[Panel],
    *,
    x: str,
    x_title: str,
    log_x: bool = False,
) -> go.Figure:
    """Draw quantities over the iterations, one below the other, with a curve for each algorithm.

    Parameters
    ----------
    tables : mapping from str to DataFrame
        By name of algorithm; a column that a table does not have is left out.
    panels : sequence of Panel
    x : str
        Column of the iterations.
    x_title : str
    log_x : bool

    Returns
    -------
    plotly.graph_objects.Figure
    """
    figure = make_subplots(rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=0.06)
    for row, panel in enumerate(panels, start=1):
        for i, (name, table) in enumerate(tables.items()):
            if panel.column in table:
                figure.add_scatter(
                    x=table[x],
                    y=table[panel.column],
                    name=html.escape(name),
                    legendgroup=name,
                    showlegend=row == 1 and len(tables) > 1,
                    mode="lines+markers" if len(table) <= 60 else "lines",
                    line={"color": cluster_color(i), "dash": ("solid", "dot")[i % 2], "width": 2.5},
                    hovertemplate=f"{html.escape(x_title)} %{{x}}<br>{html.escape(panel.title)} %{{y:.5g}}"
                    "<extra></extra>",
                    row=row,
                    col=1,
                )
        figure.update_yaxes(title=html.escape(panel.title), **_axis(panel.log), row=row, col=1)
    figure.update_xaxes(**_axis(log_x))
    figure.update_xaxes(title=html.escape(x_title), row=len(panels), col=1)
    figure.update_layout(
        height=60 + 150 * len(panels),
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "itemclick": False},
        hovermode="closest",
    )
    return figure


def _axis(log: bool) -> dict[str, object]:
    common: dict[str, object] = {"fixedrange": True, "automargin": True}
    return common | ({"type": "log", "dtick": 1} if log else {})  # a label for each power of ten


def restart_curves(curves: Mapping[str, NDArray[np.float64]], title: str) -> go.Figure:
    """Draw what the best of m starts is worth, over m ([EvoMMC] Figure 2).

    Parameters
    ----------
    curves : mapping from str to ndarray of shape (n_starts,)
        Named mean values of the best of 1, 2, … starts.
    title : str
        Of the vertical axis.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    figure = go.Figure()
    for i, (name, values) in enumerate(curves.items()):
        figure.add_scatter(
            x=np.arange(1, len(values) + 1),
            y=values,
            name=html.escape(name),
            mode="lines+markers",
            line={
                "color": cluster_color(i // 2 if len(curves) > 2 else i),
                "dash": ("solid", "dot")[i % 2],
                "width": 2.5,
            },
            hovertemplate="best of %{x}<br>%{y:.4g}<extra></extra>",
        )
    figure.update_layout(
        height=320,
        margin={"l": 10, "r": 10, "t": 60, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "itemclick": False},
        xaxis={
            "title": "starts",
            "range": (0.5, max(map(len, curves.values())) + 0.5),
            "tickformat": "d",
            "nticks": 10,
            "fixedrange": True,
            "automargin": True,
        },
        yaxis={"title": html.escape(title), "fixedrange": True, "automargin": True},
        showlegend=True,
    )
    return figure
