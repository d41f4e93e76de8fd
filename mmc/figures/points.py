"""Pictures of points: in the colours of their clusters, or of a column of their table."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mmc.figures.palette import COLORS, NEUTRAL, SYMBOLS, cluster_color, colorscale
from mmc.figures.scene import View, frame_range

_HEIGHT = 400

#: Colours of rings around marked points, in turn.
_MARKED = ("#D55E00", "#7F7F7F", "#CC79A7")


def cluster_map(
    view: View,
    labels: NDArray[np.int64],
    outliers: NDArray[np.bool_] | None = None,
    marks: Sequence[NDArray[np.int64]] | None = None,
) -> go.Figure:
    """Draw points in the colours of their clusters, which follow the order of the rows (see `colors_by_row`).

    Parameters
    ----------
    view : View
        Projection to the plane.
    labels : ndarray of shape (n_samples,)
        Cluster of each point, from 0 on.
    outliers : ndarray of shape (n_samples,), bool, or None, default=None
        Points that belong to no cluster, which are drawn as hollow grey circles.
    marks : sequence of ndarray, or None, default=None
        Rows of marked points, which get rings. If it is given, dragging draws around points.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    n_clusters = int(labels.max()) + 1
    colors = colors_by_row(labels)
    drawn, rows = labels[view.sample], view.sample
    away = np.zeros(len(drawn), dtype=bool) if outliers is None else outliers[view.sample]
    size = float(np.clip(14 - 2.2 * np.log10(len(drawn)) ** 1.3, 4, 11))
    figure = go.Figure(
        _dots(
            view.points[~away],
            rows[~away],
            size=size,
            marker={
                **_look(colors[drawn[~away]], n_clusters),
                "cmin": -0.5,
                "cmax": n_clusters - 0.5,
                "colorscale": colorscale(n_clusters),
                "line": {"width": 0.5, "color": "white"},
            },
            says="cluster %{text}",
            text=drawn[~away],
        )
    )
    if outliers is not None:
        ring = {"color": NEUTRAL, "symbol": "circle-open", "line": {"width": 1.5}}
        figure.add_trace(_dots(view.points[away], rows[away], size=size, marker=ring, says="no cluster"))
    for h in range(min(n_clusters, len(COLORS))):
        symbol = SYMBOLS[colors[h]] if n_clusters <= len(SYMBOLS) else 0
        figure.add_trace(
            _key(f"cluster {h}", {"color": cluster_color(int(colors[h])), "symbol": symbol}, size)
        )
    if outliers is not None:
        figure.add_trace(_key("no cluster", {"color": NEUTRAL, "symbol": "circle-open"}, size))
    for i, points in enumerate(marks or ()):
        ringed = np.isin(rows, points)
        figure.add_trace(
            go.Scatter(
                x=view.points[ringed, 0].astype(np.float32),
                y=view.points[ringed, 1].astype(np.float32),
                mode="markers",
                name=f"mark {i + 1}",
                hoverinfo="skip",
                marker={
                    "size": size + 5,
                    "symbol": "circle-open" if i % 2 == 0 else "square-open",
                    "color": _MARKED[i % len(_MARKED)],
                    "line": {"width": 2},
                },
            )
        )
    _plane(figure, view, "lasso" if marks is not None else False)
    return figure


def column_map(view: View, values: NDArray[Any], name: str, *, can_mark: bool = False) -> go.Figure:
    """Draw points in the colours of a column: a scale for numbers, a colour for each of the usual words.

    Parameters
    ----------
    view : View
        Projection to the plane.
    values : ndarray of shape (n_samples,)
        Numbers, NaN where they are missing, or words, empty where they are missing.
    name : str
        Name of the column.
    can_mark : bool, default=False
        Whether dragging draws around points.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    drawn = values[view.sample]
    size = float(np.clip(14 - 2.2 * np.log10(len(drawn)) ** 1.3, 4, 11))
    figure = go.Figure()
    title = html.escape(name[:40])
    if values.dtype != object:
        there = np.isfinite(drawn)
        scale = {
            "color": drawn[there],
            "colorscale": "Viridis",
            "showscale": True,
            "colorbar": {"title": {"text": title, "side": "right"}, "thickness": 12},
        }
        shown = [f"{value:.6g}" for value in drawn[there]]
        figure.add_trace(
            _dots(view.points[there], view.sample[there], size=size, marker=scale, says="%{text}", text=shown)
        )
    else:
        there = drawn != ""
        words, counts = np.unique(values[values != ""].astype(str), return_counts=True)
        usual = words[np.argsort(-counts, kind="stable")][: len(COLORS) - 1].tolist()
        for i, word in enumerate(usual):
            of = drawn == word
            shown = [html.escape(word[:40])] * int(of.sum())
            marker = {"color": cluster_color(i), "symbol": SYMBOLS[i % len(SYMBOLS)]}
            figure.add_trace(
                _dots(view.points[of], view.sample[of], size=size, marker=marker, says="%{text}", text=shown)
            )
            figure.add_trace(_key(html.escape(word[:20]), marker, size))
        others = there & ~np.isin(drawn.astype(str), usual)
        if others.any():
            shown = [html.escape(str(word)[:40]) for word in drawn[others]]
            marker = {"color": NEUTRAL}
            figure.add_trace(
                _dots(
                    view.points[others],
                    view.sample[others],
                    size=size,
                    marker=marker,
                    says="%{text}",
                    text=shown,
                )
            )
            figure.add_trace(_key("other words", marker, size))
    if not there.all():
        ring = {"color": NEUTRAL, "symbol": "circle-open", "line": {"width": 1.5}}
        figure.add_trace(
            _dots(view.points[~there], view.sample[~there], size=size, marker=ring, says="missing")
        )
        figure.add_trace(_key("missing", {"color": NEUTRAL, "symbol": "circle-open"}, size))
    _plane(figure, view, "lasso" if can_mark else False)
    return figure


def _plane(figure: go.Figure, view: View, dragmode: str | bool) -> None:
    """Lay out a picture of points."""
    plane = {"zeroline": False, "automargin": True}
    titles = [html.escape(title[:40]) for title in view.titles]
    figure.update_layout(
        height=_HEIGHT,
        margin={"l": 10, "r": 10, "t": 34, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "itemclick": False},
        dragmode=dragmode,
        hovermode="closest",
        xaxis={"title": titles[0], "range": frame_range(view.points[:, 0]), **plane},
        yaxis={"title": titles[1], "range": frame_range(view.points[:, 1]), **plane},
    )
    if view.axes is not None:
        figure.update_yaxes(scaleanchor="x")


def colors_by_row(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each cluster in the order of their first rows, which chooses its colour.

    Clusterings of the same points that number their clusters otherwise then have the same colours.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        Cluster of each point, from 0 on.

    Returns
    -------
    ndarray of shape (n_clusters,)

    Examples
    --------
    >>> import numpy as np
    >>> from mmc.figures import colors_by_row
    >>> colors_by_row(np.array([2, 2, 0, 1])).tolist()
    [1, 2, 0]
    """
    present, rows = np.unique(labels, return_index=True)
    places = np.empty(int(labels.max()) + 1, dtype=np.int64)
    places[np.setdiff1d(np.arange(len(places)), present)] = np.arange(len(present), len(places))
    places[present[np.argsort(rows)]] = np.arange(len(present))
    return places


def _dots(
    points: NDArray[np.float64],
    rows: NDArray[np.int64],
    *,
    size: float,
    marker: dict[str, Any],
    says: str,
    text: NDArray[np.int64] | Sequence[str] | None = None,
) -> go.Scatter:
    return go.Scatter(
        x=points[:, 0].astype(np.float32),
        y=points[:, 1].astype(np.float32),
        mode="markers",
        marker={"size": size, "showscale": False, **marker},
        customdata=rows.astype(np.int32),
        text=text,
        hovertemplate=f"row %{{customdata}}<br>{says}<br>%{{x:.3g}}, %{{y:.3g}}<extra></extra>",
        showlegend=False,
    )


def _look(labels: NDArray[np.int64], n_clusters: int) -> dict[str, Any]:
    """Return colours of points and, where there are few clusters, shapes."""
    codes = labels.astype(np.uint8 if n_clusters <= 256 else np.uint16)
    if n_clusters > len(SYMBOLS):
        return {"color": codes}
    return {"color": codes, "symbol": np.array(SYMBOLS, dtype=np.uint8)[codes]}


def _key(name: str, marker: dict[str, Any], size: float) -> go.Scatter:
    """Return an entry of the legend."""
    return go.Scatter(
        x=[None],
        y=[None],
        mode="markers",
        name=name,
        hoverinfo="skip",
        marker={**marker, "size": max(size, 8)},
    )
