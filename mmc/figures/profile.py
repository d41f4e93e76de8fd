"""Figures of what clusters are: columns that tell one apart, silhouettes, and rows as lines over columns."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from mmc.figures.palette import NEUTRAL, cluster_color

#: Bars of a cluster, columns and lines of parallel coordinates, and bands of a silhouette plot.
_MOST_BARS, _MOST_COLUMNS, _MOST_LINES, _MOST_BANDS = 12, 8, 1000, 40

#: Range of standardised values, and number of characters of a name.
_REACH, _MOST_SHOWN = 3.0, 24

#: Number of characters on a line of a name where it can be broken, and of lines.
_LINE, _MOST_IN_NAME = 12, 3

#: Where a bar begins, as a share of its length, by the direction of the cluster.
_BEGINS = {"lower": -1.0, "higher": 0.0}

_FIXED = {"fixedrange": True, "automargin": True}


def effect_bars(columns: pd.DataFrame, color: int = 0) -> go.Figure:
    """Draw how well columns tell a cluster apart: to the right where it is higher, to the left where lower.

    Parameters
    ----------
    columns : DataFrame
        Rows of `mmc.profiling.Profile.table` of one cluster, the most telling column first.
    color : int, default=0
        Position of the cluster's colour.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    shown = columns[columns["separation"].notna()].head(_MOST_BARS)
    lengths = shown["separation"].to_numpy(dtype=float)
    begins = np.array([_BEGINS.get(direction, -0.5) for direction in shown["direction"]]) * lengths
    is_text = (shown["kind"] == "text").to_numpy(dtype=bool)
    figure = go.Figure(
        go.Bar(
            x=lengths,
            y=np.arange(len(shown)),
            base=begins,
            orientation="h",
            marker={
                "color": cluster_color(color),
                "opacity": np.where(is_text, 0.45, 1.0),
                "line": {"width": 0},
            },
            customdata=[_told(row) for row in shown.to_dict("records")],
            hovertemplate="%{customdata}<extra></extra>",
            showlegend=False,
        )
    )
    figure.update_layout(
        height=90 + 26 * max(len(shown), 2),
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        bargap=0.35,
        dragmode=False,
        xaxis={
            "title": "separation",
            "range": (-1.05, 1.05),
            "tickvals": [-1, -0.5, 0, 0.5, 1],
            "ticktext": ["1<br>lower", "0.5", "0", "0.5", "1<br>higher"],
            "zerolinecolor": NEUTRAL,
            **_FIXED,
        },
        yaxis={
            "tickvals": np.arange(len(shown)),
            "ticktext": [_short(name) for name in shown["column"]],
            "range": (max(len(shown), 2) - 0.4, -0.6),
            "showgrid": False,
            "zeroline": False,
            **_FIXED,
        },
    )
    return figure


def silhouette_plot(
    values: NDArray[np.float64], labels: NDArray[np.int64], colors: Mapping[int, int] | None = None
) -> go.Figure:
    """Draw the silhouettes of each cluster as a band, ordered by value, with the mean of all as a line.

    Parameters
    ----------
    values, labels : ndarray of shape (n_samples,)
        Silhouettes and clusters of rows.
    colors : mapping from int to int, default=None
        Position of each cluster's colour; None means its label.

    Returns
    -------
    plotly.graph_objects.Figure
        With at most 40 bands, those of the largest clusters.
    """
    figure = go.Figure()
    present, sizes = np.unique(labels, return_counts=True)
    kept = np.sort(present[np.argsort(-sizes, kind="stable")[:_MOST_BANDS]])
    gap = max(1.0, 0.02 * len(values))
    top, middles = 0.0, []
    for h in map(int, kept):
        band = np.sort(values[labels == h])[::-1]
        color = cluster_color(h if colors is None else colors[h])
        edges = top + np.arange(len(band) + 1)
        figure.add_scatter(
            x=np.concatenate([[0.0], np.repeat(band, 2), [0.0]]).astype(np.float32),
            y=np.concatenate([[edges[0]], np.repeat(edges, 2)[1:-1], [edges[-1]]]).astype(np.float32),
            mode="lines",
            fill="toself",
            line={"width": 0.5, "color": color},
            fillcolor=color,
            name=f"cluster {h}",
            hoverinfo="text",
            text=f"cluster {h}: mean {band.mean():.2f}, {np.mean(band < 0):.0%} below 0",
            showlegend=False,
        )
        middles.append(top + len(band) / 2)
        top += len(band) + gap
    if len(values):
        figure.add_vline(float(np.mean(values)), line={"color": NEUTRAL, "dash": "dash", "width": 1.5})
    figure.update_layout(
        height=340,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        dragmode=False,
        hovermode="closest",
        xaxis={
            "title": "silhouette",
            "range": (min(-0.1, float(values.min(initial=0.0)) - 0.05), 1.0),
            "zerolinecolor": NEUTRAL,
            **_FIXED,
        },
        yaxis={
            "title": "cluster",
            "tickvals": middles,
            "ticktext": [str(h) for h in kept],
            "range": (top, -gap),
            "showgrid": False,
            "zeroline": False,
            **_FIXED,
        },
    )
    return figure


def parallel_coordinates(
    values: NDArray[np.float64],
    labels: NDArray[np.int64],
    names: Sequence[str],
    colors: Mapping[int, int] | None = None,
    random_state: int = 0,
) -> go.Figure:
    """Draw rows as lines over standardised columns, and the medians of clusters as thick lines.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_columns)
        Values of the columns, of which the first eight are drawn; NaN interrupts a line.
    labels : ndarray of shape (n_samples,)
        Cluster of each row; rows with negative labels are not drawn.
    names : sequence of str
        Names of the columns.
    colors : mapping from int to int, default=None
        Position of each cluster's colour; None means its label.
    random_state : int, default=0
        Seed of the sample where there are more than 1,000 rows.

    Returns
    -------
    plotly.graph_objects.Figure
        Values beyond three standard deviations are drawn there.
    """
    inside = np.flatnonzero(labels >= 0)
    shown = np.clip(_standardized(values[inside, :_MOST_COLUMNS]), -_REACH, _REACH)
    mine, d = labels[inside], shown.shape[1]
    drawn = np.arange(len(mine))
    if len(drawn) > _MOST_LINES:
        drawn = np.sort(np.random.default_rng(random_state).choice(len(drawn), _MOST_LINES, replace=False))
    figure = go.Figure()
    opacity = float(np.clip(12 / np.sqrt(max(len(drawn), 1)) / 2, 0.12, 0.6))
    present = [int(h) for h in np.unique(mine)]
    for h in present:
        rows = drawn[mine[drawn] == h]
        lines = np.column_stack([shown[rows], np.full(len(rows), np.nan)])
        color = cluster_color(h if colors is None else colors[h])
        figure.add_scatter(
            x=np.tile(np.append(np.arange(d), d - 1), len(rows)).astype(np.float32),
            y=lines.ravel().astype(np.float32),
            mode="lines",
            line={"color": color, "width": 1},
            opacity=opacity,
            legendgroup=str(h),
            showlegend=False,
            hoverinfo="skip",
        )
    for h in present:
        own = shown[mine == h]
        medians = [float(np.median(c[~np.isnan(c)])) if (~np.isnan(c)).any() else np.nan for c in own.T]
        color = cluster_color(h if colors is None else colors[h])
        figure.add_scatter(
            x=np.arange(d),
            y=medians,
            mode="lines+markers",
            line={"color": color, "width": 4},
            marker={"size": 8, "line": {"width": 1, "color": "white"}},
            name=f"cluster {h}",
            legendgroup=str(h),
            hovertemplate=f"cluster {h}: median %{{y:.2f}}<extra></extra>",
        )
    figure.update_layout(
        height=420,
        margin={"l": 10, "r": 10, "t": 34, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0},
        dragmode=False,
        hovermode="closest",
        xaxis={
            "tickvals": np.arange(d),
            "ticktext": [_in_lines(name) for name in names[:d]],
            "range": (-0.3, d - 0.7),
            "zeroline": False,
            **_FIXED,
        },
        yaxis={"title": "standard deviations from the mean", "zerolinecolor": NEUTRAL, **_FIXED},
    )
    return figure


def _standardized(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns with mean 0 and variance 1; a constant one is 0, and missing values stay NaN."""
    result = np.full(values.shape, np.nan)
    for j, column in enumerate(values.T):
        known = np.isfinite(column)
        if known.any():
            scaled = column[known] / (np.abs(column[known]).max() or 1.0)
            result[known, j] = (scaled - scaled.mean()) / ((np.ptp(scaled) and scaled.std()) or 1.0)
    return result


def _told(row: Mapping[Any, Any]) -> str:
    """Return what is said of a column when the pointer is on its bar."""
    name = html.escape(" ".join(str(row["column"]).split())[:60])
    said = f"<b>{name}</b><br>separation {row['separation']:.2f} {row['direction']}"
    if row["kind"] == "text":
        return f"{said}<br>{html.escape(str(row['categories']))}"
    what = "difference of shares" if row["kind"] == "two values" else "Cohen’s d"
    numbers = f"median {row['median']:.4g}, of the rest {row['rest_median']:.4g}"
    return f"{said}<br>{numbers}<br>{what} {row['effect']:.2f}".replace("-", "−")


def _in_lines(name: str) -> str:
    """Return a name on up to three lines, which cannot bring in elements."""
    lines = [""]
    for part in re.split(r"(?<=[\s_/.-])", " ".join(str(name).split())):
        if len(lines[-1]) + len(part.strip()) <= _LINE or not lines[-1]:
            lines[-1] += part
        else:
            lines.append(part)
    lines = [line if len(line) <= 2 * _LINE else line[: 2 * _LINE - 1] + "…" for line in lines]
    if len(lines) > _MOST_IN_NAME:
        lines = [*lines[: _MOST_IN_NAME - 1], lines[_MOST_IN_NAME - 1].rstrip() + "…"]
    return "<br>".join(map(html.escape, lines))


def _short(name: str) -> str:
    """Return a name that is cut and cannot bring in elements."""
    one_line = " ".join(str(name).split())
    return html.escape(one_line if len(one_line) <= _MOST_SHOWN else one_line[: _MOST_SHOWN - 1] + "…")
