"""Curves of several quantities over the iterations of a fit, and of the best of several starts."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from mmc.figures._frames import Mark, follow_steps
from mmc.figures.palette import cluster_color
from mmc.registry import Quantity


def course(tables: Mapping[str, pd.DataFrame], quantities: Sequence[Quantity], *, x: Quantity) -> go.Figure:
    """Draw quantities over the iterations, one below the other, with a curve for each algorithm.

    A mark on each curve follows the player.

    Parameters
    ----------
    tables : mapping from str to DataFrame
        For each algorithm a table with the quantities as columns; a missing column is left out.
    quantities : sequence of Quantity
        Quantities to draw.
    x : Quantity
        Iterations.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    figure = make_subplots(rows=len(quantities), cols=1, shared_xaxes=True, vertical_spacing=0.06)
    for row, quantity in enumerate(quantities, start=1):
        for i, (name, table) in enumerate(tables.items()):
            if quantity.name in table:
                figure.add_scatter(
                    x=table[x.name],
                    y=table[quantity.name],
                    name=html.escape(name),
                    legendgroup=name,
                    showlegend=row == 1 and len(tables) > 1,
                    mode="lines+markers" if len(table) <= 60 else "lines",
                    line={"color": cluster_color(i), "dash": ("solid", "dot")[i % 2], "width": 2.5},
                    hovertemplate=f"{html.escape(x.title)} %{{x}}<br>{html.escape(quantity.title)} "
                    "%{y:.5g}<extra></extra>",
                    row=row,
                    col=1,
                )
        figure.update_yaxes(title=html.escape(quantity.title), **_axis(quantity.log), row=row, col=1)
    n_frames = max(map(len, tables.values()))
    follow_steps(
        figure,
        [
            Mark(_padded(table[x.name], n_frames), _padded(table[quantity.name], n_frames), row)
            for row, quantity in enumerate(quantities, start=1)
            for table in tables.values()
            if quantity.name in table
        ],
    )
    figure.update_xaxes(**_axis(x.log))
    figure.update_xaxes(title=html.escape(x.title), row=len(quantities), col=1)
    figure.update_layout(
        height=60 + 150 * len(quantities),
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "itemclick": False},
        hovermode="closest",
    )
    return figure


def _padded(values: pd.Series, length: int) -> list[float]:
    """Return values with the last one repeated, as a run that has ended stays where it is."""
    known = [float(value) for value in values]
    return known + known[-1:] * (length - len(known))


def _axis(log: bool) -> dict[str, object]:
    common: dict[str, object] = {"fixedrange": True, "automargin": True}
    return common | ({"type": "log", "dtick": 1} if log else {})  # a label for each power of ten


def restart_curves(curves: Mapping[str, NDArray[np.float64]], title: str) -> go.Figure:
    """Draw the mean value of the best of m starts over m ([EvoMMC] Figure 2).

    Parameters
    ----------
    curves : mapping from str to ndarray of shape (n_starts,)
        Named mean values of the best of 1, 2, … starts.
    title : str
        Title of the vertical axis.

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
