"""Class posteriors over the plane, and the graph of a sparse kernel."""

from __future__ import annotations

import html

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, triu
from sklearn.base import BaseEstimator

from mmc.figures.palette import COLORS, NEUTRAL, SYMBOLS, cluster_color
from mmc.figures.scene import View, frame_range

_GRID = 90

#: Maximum number of links, of which the strongest are drawn; more make the browser slow.
_MAX_EDGES = 12_000


def posterior_map(estimator: BaseEstimator, labels: NDArray[np.int64], view: View) -> go.Figure:
    """Draw the class posteriors of a model over the plane ([SMIC] Figures 7 and 8).

    The hue shows the most probable cluster and the paleness its uncertainty.

    Parameters
    ----------
    estimator : estimator
        Fitted estimator with `predict_proba`.
    labels : ndarray of shape (n_samples,)
        Labels of the points that are drawn over the map.
    view : View
        View with a plane.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        If the view has no plane in which posteriors can be computed.
    """
    if view.centre is None or view.axes is None:
        raise ValueError("Posteriors are drawn in a plane, and this view has none.")
    u, v = (np.linspace(*frame_range(view.points[:, c]), _GRID) for c in (0, 1))
    plane = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)
    posterior = estimator.predict_proba(view.centre + plane @ view.axes)
    n_clusters = posterior.shape[1]
    winner = posterior.argmax(axis=1).reshape(_GRID, _GRID)
    sure = posterior.max(axis=1).reshape(_GRID, _GRID)
    # One colour scale serves all clusters: each has a band from pale to full for its certainty.
    strength = np.clip((n_clusters * sure - 1.0) / max(n_clusters - 1.0, 1.0), 0.0, 1.0)
    figure = go.Figure(
        go.Heatmap(
            x=u,
            y=v,
            z=(winner + 0.999 * strength).astype(np.float32),
            zmin=0,
            zmax=n_clusters,
            colorscale=_bands(n_clusters),
            showscale=False,
            customdata=np.dstack([winner, sure]).astype(np.float32),
            hovertemplate="cluster %{customdata[0]}, posterior %{customdata[1]:.2f}<extra></extra>",
        )
    )
    shapes = n_clusters <= len(SYMBOLS)
    drawn = labels[view.sample]
    for h in np.unique(drawn):
        points = view.points[drawn == h]
        figure.add_scatter(
            x=points[:, 0].astype(np.float32),
            y=points[:, 1].astype(np.float32),
            mode="markers",
            name=f"cluster {h}",
            marker={
                "color": cluster_color(int(h)),
                "symbol": SYMBOLS[h] if shapes else 0,
                "size": 7,
                "line": {"width": 1, "color": "white"},
            },
            hoverinfo="skip",
        )
    return _in_the_plane(figure, view)


def kernel_graph(
    matrix: csr_array, vertex: NDArray[np.int64], values: NDArray[np.float64], view: View, title: str
) -> go.Figure:
    """Draw the links of a sparse kernel and the points, coloured by one value each.

    Parameters
    ----------
    matrix : csr_array of shape (n_vertices, n_vertices)
        Kernel matrix.
    vertex : ndarray of shape (n_samples,)
        Vertex of each point.
    values : ndarray of shape (n_samples,)
        Value of each point, such as an entry of an eigenvector.
    view : View
        View of the points.
    title : str
        Title of the colour scale.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    places = np.full((matrix.shape[0], 2), np.nan)
    places[vertex[view.sample]] = view.points
    links = _between(triu(matrix, k=1, format="coo"), ~np.isnan(places[:, 0]))
    strongest = np.argsort(-links.data, kind="stable")[:_MAX_EDGES]
    i, j = links.coords[0][strongest], links.coords[1][strongest]
    lines = np.stack([places[i], places[j], np.full((len(i), 2), np.nan)], axis=1).reshape(-1, 2)
    largest = float(np.abs(values).max()) or 1.0
    figure = go.Figure(
        [
            go.Scatter(
                x=lines[:, 0].astype(np.float32),
                y=lines[:, 1].astype(np.float32),
                mode="lines",
                line={"color": NEUTRAL, "width": 0.8},
                opacity=0.6,
                hoverinfo="skip",
                showlegend=False,
            ),
            go.Scatter(
                x=view.points[:, 0].astype(np.float32),
                y=view.points[:, 1].astype(np.float32),
                mode="markers",
                marker={
                    "size": 9,
                    "color": values[view.sample].astype(np.float32),
                    "colorscale": "RdBu",
                    "reversescale": True,
                    "cmin": -largest,
                    "cmax": largest,
                    "line": {"width": 0.8, "color": NEUTRAL},
                    "colorbar": {"title": html.escape(title)},
                },
                customdata=view.sample.astype(np.int32),
                hovertemplate="row %{customdata}<br>%{marker.color:.3g}<extra></extra>",
                showlegend=False,
            ),
        ]
    )
    return _in_the_plane(figure, view)


def _between(links: coo_array, drawn: NDArray[np.bool_]) -> coo_array:
    """Return the links both of whose ends are drawn."""
    i, j = links.coords
    both = drawn[i] & drawn[j]
    return coo_array((links.data[both], (i[both], j[both])), shape=links.shape)


def _bands(n_clusters: int) -> list[list[object]]:
    scale: list[list[object]] = []
    for h in range(n_clusters):
        color = COLORS[h % len(COLORS)]
        red, green, blue = (int(color[c : c + 2], 16) for c in (1, 3, 5))
        scale.append([h / n_clusters, f"rgba({red},{green},{blue},0.04)"])
        scale.append([(h + 1) / n_clusters, f"rgba({red},{green},{blue},0.6)"])
    return scale


def _in_the_plane(figure: go.Figure, view: View) -> go.Figure:
    figure.update_layout(
        height=520,
        margin={"l": 10, "r": 10, "t": 30, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "itemclick": False},
        dragmode="pan",
    )
    plane = {"zeroline": False, "automargin": True, "showgrid": False, "constrain": "domain"}
    titles = [html.escape(t[:40]) for t in view.titles]
    figure.update_xaxes(title=titles[0], range=frame_range(view.points[:, 0]), **plane)
    figure.update_yaxes(title=titles[1], range=frame_range(view.points[:, 1]), **plane)
    if view.axes is not None:
        figure.update_yaxes(scaleanchor="x")
    return figure
