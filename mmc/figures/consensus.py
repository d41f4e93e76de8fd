"""The matrix of how often points share a cluster, in an order that shows its blocks."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mmc.comparison import consensus_order
from mmc.figures.palette import cluster_color


def consensus_figure(shares: NDArray[np.float64], reference: NDArray[np.int64] | None = None) -> go.Figure:
    """Draw the matrix, with a strip of the reference labels below it if they are known.

    Parameters
    ----------
    shares : ndarray of shape (n, n)
        Result of `mmc.comparison.consensus`.
    reference : ndarray of shape (n,) or None
        Reference labels as numbers from 0.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    order = consensus_order(shares)
    figure = go.Figure(
        go.Heatmap(
            z=np.round(100 * shares[np.ix_(order, order)]).astype(np.uint8),
            x=np.arange(len(order)),
            y=np.arange(len(order)),
            colorscale="Viridis",
            zmin=0,
            zmax=100,
            colorbar={"title": "together", "ticksuffix": " %"},
            hovertemplate="together in %{z} % of the runs<extra></extra>",
        )
    )
    if reference is not None:
        figure.add_scatter(
            x=np.arange(len(order)),
            y=np.full(len(order), 1.035 * len(order)),
            mode="markers",
            marker={
                "color": [cluster_color(int(c)) for c in reference[order]],
                "size": 7,
                "symbol": "line-ns-open",
                "line": {"width": 2},
            },
            hovertemplate="reference label<extra></extra>",
            showlegend=False,
        )
    figure.update_layout(
        height=520,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        xaxis={"visible": False, "constrain": "domain"},
        yaxis={"visible": False, "scaleanchor": "x", "constrain": "domain", "autorange": "reversed"},
    )
    return figure
