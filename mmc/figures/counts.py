"""Figures of a search for the number of clusters: a clustering as a picture, and judges over the numbers."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mmc.figures.palette import COLORS, NEUTRAL, SYMBOLS, cluster_color, colorscale
from mmc.figures.scene import View, frame_range

_CHOSEN = "#D55E00"
_HEIGHT = 400

#: Dashes and symbols that tell the curves apart besides their colours.
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def cluster_map(
    view: View, labels: NDArray[np.int64], outliers: NDArray[np.bool_] | None = None
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
    plane = {"zeroline": False, "automargin": True}
    titles = [html.escape(title[:40]) for title in view.titles]
    figure.update_layout(
        height=_HEIGHT,
        margin={"l": 10, "r": 10, "t": 34, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "itemclick": False},
        dragmode=False,
        hovermode="closest",
        xaxis={"title": titles[0], "range": frame_range(view.points[:, 0]), **plane},
        yaxis={"title": titles[1], "range": frame_range(view.points[:, 1]), **plane},
    )
    if view.axes is not None:
        figure.update_yaxes(scaleanchor="x")
    return figure


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
    >>> from mmc.figures.counts import colors_by_row
    >>> colors_by_row(np.array([2, 2, 0, 1])).tolist()
    [1, 2, 0]
    """
    present, rows = np.unique(labels, return_index=True)
    places = np.empty(int(labels.max()) + 1, dtype=np.int64)
    places[np.setdiff1d(np.arange(len(places)), present)] = np.arange(len(present), len(places))
    places[present[np.argsort(rows)]] = np.arange(len(present))
    return places


def count_curves(
    counts: Sequence[int],
    curves: Mapping[str, Sequence[float]],
    *,
    at: int,
    chosen: int,
    most: int,
) -> go.Figure:
    """Draw judges over the number of clusters, higher being better, with the chosen number marked.

    Parameters
    ----------
    counts : sequence of int
        Numbers of clusters, in ascending order.
    curves : mapping from str to sequence of float
        Values by the title of the judge. The first is the one that chooses, and stands out.
    at, chosen : int
        Numbers of clusters that is shown, and that was chosen.
    most : int
        Largest number of clusters that will be tried.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    figure = go.Figure()
    for i, (title, values) in reversed(list(enumerate(curves.items()))):
        name = html.escape(title)
        first = i == 0
        marker: dict[str, Any] = {
            "symbol": SYMBOLS[i % len(SYMBOLS)],
            "size": 10 if first else 6,
            "opacity": 1,
        }
        if first:
            marker["size"] = [15 if k == at else 10 for k in counts]
            marker["color"] = [_CHOSEN if k == at else cluster_color(0) for k in counts]
        figure.add_scatter(
            x=list(counts),
            y=list(values),
            name=f"<b>{name}</b>" if first else name,
            legendrank=i,
            mode="lines+markers",
            line={
                "color": cluster_color(_COLOR_OF[i % len(_COLOR_OF)]),
                "dash": _DASHES[i % len(_DASHES)],
                "width": 3.5 if first else 1.5,
            },
            marker=marker,
            unselected={"marker": {"opacity": 1}},
            hovertemplate=f"%{{x}} clusters<br>{name} %{{y:.2f}}<extra></extra>",
        )
    figure.add_vline(
        chosen,
        line={"color": _CHOSEN, "dash": "dash", "width": 1.5},
        annotation={"text": f"chosen: {chosen}", "font": {"color": _CHOSEN}, "yanchor": "bottom"},
    )
    low = min(counts)
    figure.update_layout(
        height=_HEIGHT,
        margin={"l": 10, "r": 10, "t": 34, "b": 10},
        legend={
            "orientation": "h",
            "yanchor": "top",
            "y": -0.22,
            "x": 0,
            "entrywidth": 0.5,
            "entrywidthmode": "fraction",
        },
        clickmode="event+select",
        dragmode=False,
        hovermode="closest",
        xaxis={
            "title": "number of clusters",
            "range": (low - 0.5, max(most, low + 1) + 0.5),
            "dtick": 1 if most - low < 16 else 2,
            "tick0": 0,
            "fixedrange": True,
            "automargin": True,
            "zeroline": False,
        },
        yaxis={"title": "higher is better", "fixedrange": True, "automargin": True},
    )
    return figure


#: Colours of the curves; that of the mark is not among them.
_COLOR_OF = (0, 2, 1, 4, 5, 7, 6)


def _dots(
    points: NDArray[np.float64],
    rows: NDArray[np.int64],
    *,
    size: float,
    marker: dict[str, Any],
    says: str,
    text: NDArray[np.int64] | None = None,
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
