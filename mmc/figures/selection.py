"""Figures of model selection: scores of candidates, and the cross-validation behind a score."""

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
    """Draw the scores of candidates and, if it is known, their agreement with reference labels.

    Parameters
    ----------
    names : sequence of str
        Candidates in the order of the grid, without those that have no score yet.
    scores : sequence of float
        Scores; NaN if a candidate failed.
    parameter, score : str
        Titles of the axes.
    at : int
        Index of the candidate that is shown.
    total : int
        Number of candidates in the whole grid.
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
        # A click chooses a candidate; the others should not fade.
        unselected={"marker": {"opacity": 1}},
        hovertemplate=f"{html.escape(parameter)} %{{x}}<br>{html.escape(score)} %{{y:.4g}}<extra></extra>",
    )
    _lay_out(figure, parameter, score, total, with_references=references is not None)
    return figure


def cv_heatmap(widths: np.ndarray, penalties: np.ndarray, errors: np.ndarray) -> go.Figure:
    """Draw the cross-validation error over widths γ and penalties δ, with the lowest one marked.

    Parameters
    ----------
    widths : ndarray of shape (n_widths,)
        Widths γ.
    penalties : ndarray of shape (n_penalties,)
        Penalties δ; with a single one the errors are drawn as a curve over the widths.
    errors : ndarray of shape (n_widths, n_penalties)
        Errors, which may be infinite or NaN.

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
    # The error rises steeply towards small widths, so the worst tenth shares one colour.
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
    """Draw mean and deviation over a quantity, with one curve for each group.

    Parameters
    ----------
    table : DataFrame
        Table with the columns `x`, `curve`, mean and deviation.
    x, curve : str
        Columns with the horizontal position and the group.
    x_title, y_title : str
        Titles of the axes.

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
    """Lay out a curve of scores; the agreement has its own axis, from 0 to 1."""
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
