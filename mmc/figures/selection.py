"""Figures of model selection: scores over candidates, and the table of cross-validation behind a score."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from mmc.figures.palette import cluster_color

_CHOSEN = "#D55E00"


def score_curve(
    names: Sequence[str],
    scores: Sequence[float],
    *,
    parameter: str,
    score: str,
    at: int,
    total: int,
    references: Sequence[float] | None = None,
) -> go.Figure:
    """Draw scores over candidates, with the agreement with reference labels laid over them where it is known.

    Parameters
    ----------
    names : sequence of str
        The candidates in the order of the grid; those without a score yet are left out.
    scores : sequence of float
        NaN where a candidate failed.
    parameter, score : str
        Names of the axes.
    at : int
        Which one is looked at.
    total : int
        How many there will be.
    references : sequence of float or None
        Adjusted Rand index of each candidate.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    figure = go.Figure()
    names = [html.escape(name) for name in names]
    if references is not None:
        figure.add_scatter(
            x=list(names),
            y=list(references),
            name="agreement with the reference (ARI)",
            yaxis="y2",
            mode="lines+markers",
            line={"color": cluster_color(2), "dash": "dot", "width": 2},
            marker={"symbol": "square", "size": 7},
            unselected={"marker": {"opacity": 1}},
            hovertemplate=f"{html.escape(parameter)} %{{x}}<br>ARI %{{y:.3f}}<extra></extra>",
        )
    figure.add_scatter(
        x=list(names),
        y=list(scores),
        name=html.escape(score),
        mode="lines+markers",
        line={"color": cluster_color(0), "width": 2.5},
        marker={
            "size": [15 if i == at else 10 for i in range(len(names))],
            "color": [_CHOSEN if i == at else cluster_color(0) for i in range(len(names))],
            "opacity": 1,
        },
        # A click chooses a candidate; it should not pale the others.
        unselected={"marker": {"opacity": 1}},
        hovertemplate=f"{html.escape(parameter)} %{{x}}<br>{html.escape(score)} %{{y:.4g}}<extra></extra>",
    )
    _lay_out(figure, parameter, score, total, with_references=references is not None)
    return figure


def cv_heatmap(widths: np.ndarray, penalties: np.ndarray, errors: np.ndarray) -> go.Figure:
    """Draw the error of cross-validation over widths γ and penalties δ, with the lowest one marked.

    Parameters
    ----------
    widths : ndarray of shape (n_widths,)
    penalties : ndarray of shape (n_penalties,)
        With a single penalty the table is drawn as a curve over the widths.
    errors : ndarray of shape (n_widths, n_penalties)

    Returns
    -------
    plotly.graph_objects.Figure
    """
    gammas, deltas = _powers(widths), _powers(penalties)
    finite = np.where(np.isfinite(errors), errors, np.nan)
    g, d = np.unravel_index(np.nanargmin(finite), finite.shape)
    layout = {
        "height": 420,
        "margin": {"l": 10, "r": 10, "t": 10, "b": 10},
        "xaxis": {"title": "width γ", "type": "category", "automargin": True},
    }
    if len(deltas) == 1:
        figure = go.Figure(go.Scatter(x=gammas, y=finite[:, 0], mode="lines+markers"))
        figure.update_layout(**layout, yaxis={"title": "held-out error", "automargin": True})
        return figure.add_scatter(**_mark([gammas[g]], [finite[g, 0]]), showlegend=False).update_layout(
            showlegend=False
        )
    # The error rises steeply towards small widths; beyond the worst tenth a colour says no more.
    figure = go.Figure(
        go.Heatmap(
            x=gammas,
            y=deltas,
            z=finite.T,
            zmax=float(np.nanquantile(finite, 0.9)),
            colorscale="Viridis",
            reversescale=True,
            colorbar={"title": "error"},
            hovertemplate="γ %{x}<br>δ %{y}<br>held-out error %{z:.4g}<extra></extra>",
        )
    )
    figure.add_scatter(**_mark([gammas[g]], [deltas[d]]))
    figure.update_layout(**layout, yaxis={"title": "penalty δ", "type": "category", "automargin": True})
    return figure


def band_curves(table: pd.DataFrame, *, x: str, curve: str, x_title: str, y_title: str) -> go.Figure:
    """Draw mean and deviation over a quantity, one curve for each kind.

    Parameters
    ----------
    table : DataFrame
        With the columns `x`, `curve`, mean and deviation.
    x, curve : str
    x_title, y_title : str

    Returns
    -------
    plotly.graph_objects.Figure
    """
    figure = go.Figure()
    for i, (name, part) in enumerate(table.groupby(curve, sort=False)):
        figure.add_scatter(
            x=part[x],
            y=part["mean"],
            name=str(name),
            mode="lines+markers",
            line={"color": cluster_color(i), "dash": ("solid", "dot")[i % 2], "width": 2.5},
            error_y={"array": part["deviation"], "thickness": 1, "width": 4},
        )
    figure.update_layout(
        height=300,
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0},
        xaxis={"title": html.escape(x_title), "automargin": True, "fixedrange": True},
        yaxis={"title": html.escape(y_title), "automargin": True, "fixedrange": True},
    )
    return figure


def _lay_out(figure: go.Figure, parameter: str, score: str, total: int, *, with_references: bool) -> None:
    """Lay out a curve of scores; agreement has an axis of its own, from 0 to 1."""
    figure.update_layout(
        height=320,
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "itemclick": False},
        clickmode="event+select",
        dragmode=False,
        hovermode="closest",
        xaxis={
            "title": html.escape(parameter),
            "type": "category",
            "range": (-0.5, max(total, 2) - 0.5),
            "fixedrange": True,
            "automargin": True,
        },
        yaxis={"title": html.escape(score), "fixedrange": True, "automargin": True},
        yaxis2={
            "title": "ARI",
            "overlaying": "y",
            "side": "right",
            "range": (-0.1, 1.1),
            "tickmode": "array",
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "automargin": True,
            "visible": with_references,
        },
    )


def _mark(x: Sequence[object], y: Sequence[object]) -> Mapping[str, object]:
    return {
        "x": x,
        "y": y,
        "mode": "markers",
        "marker": {"symbol": "circle-open", "size": 20, "color": _CHOSEN, "line": {"width": 4}},
        "hoverinfo": "skip",
    }


def _powers(values: np.ndarray) -> list[str]:
    return [f"{float(f'{value:.2g}'):g}" for value in values]
