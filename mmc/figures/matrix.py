"""The matrix of a semidefinite relaxation, its spectrum and its labels."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from mmc.figures.palette import NEUTRAL, cluster_color, colorscale

#: Number of eigenvalues that are drawn.
_N_VALUES = 12


def matrix_figure(
    matrix: NDArray[np.floating], spectrum: NDArray[np.float64], labels: NDArray[np.int64]
) -> go.Figure:
    """Draw M* as a heatmap ordered by its leading eigenvector, its spectrum, and the rounded labels.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_samples)
        Matrix M*.
    spectrum : ndarray of shape (n_samples,)
        Eigenvalues in descending order.
    labels : ndarray of shape (n_samples,)
        Labels in two clusters.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    M = np.asarray(matrix, dtype=np.float64)
    leading = np.linalg.eigh(M)[1][:, -1]
    order = np.argsort(leading)
    n = len(order)
    figure = make_subplots(rows=3, cols=1, row_heights=[0.06, 0.66, 0.28], vertical_spacing=0.05)
    figure.add_heatmap(
        z=labels[order][None].astype(np.uint8),
        zmin=-0.5,
        zmax=1.5,
        colorscale=colorscale(2),
        showscale=False,
        customdata=order[None],
        hovertemplate="row %{customdata}<br>rounded to cluster %{z}<extra></extra>",
        row=1,
        col=1,
    )
    largest = float(np.abs(M).max()) or 1.0
    figure.add_heatmap(
        z=M[np.ix_(order, order)].astype(np.float32),
        zmin=-largest,
        zmax=largest,
        colorscale="RdBu",
        reversescale=True,
        colorbar={"title": "M*", "len": 0.6, "y": 0.62},
        hovertemplate="M* = %{z:.3f}<extra></extra>",
        row=2,
        col=1,
    )
    values = spectrum[:_N_VALUES]
    figure.add_bar(
        x=np.arange(1, len(values) + 1),
        y=values,
        marker={"color": [cluster_color(0), *[NEUTRAL] * (len(values) - 1)]},
        hovertemplate="eigenvalue %{x}<br>%{y:.3g}<extra></extra>",
        row=3,
        col=1,
    )
    fixed = {"fixedrange": True, "automargin": True}
    bare = {"showticklabels": False, "ticks": "", "showgrid": False, "range": (-0.5, n - 0.5)}
    figure.update_xaxes(**fixed)
    figure.update_yaxes(**fixed)
    figure.update_xaxes(**bare, row=1, col=1)
    figure.update_yaxes(showticklabels=False, title="labels", row=1, col=1)
    figure.update_xaxes(**bare, row=2, col=1)
    figure.update_yaxes(**bare | {"range": (n - 0.5, -0.5)}, title="points", row=2, col=1)
    figure.update_xaxes(title="eigenvalues of M*", dtick=1, row=3, col=1)
    figure.update_layout(height=620, margin={"l": 10, "r": 10, "t": 20, "b": 10}, showlegend=False)
    return figure
