"""Judges over the numbers of clusters of a search."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from mmc.figures.palette import SYMBOLS, cluster_color

_CHOSEN = "#D55E00"
_HEIGHT = 400

#: Dashes and symbols that tell the curves apart besides their colours.
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


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
