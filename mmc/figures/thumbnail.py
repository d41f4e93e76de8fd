"""A data set as a picture the size of a stamp."""

from __future__ import annotations

import numpy as np

from mmc.datasets import Dataset
from mmc.figures.palette import NEUTRAL, cluster_color
from mmc.figures.scene import make_view

_WIDTH, _HEIGHT = 240, 130


def thumbnail(dataset: Dataset, max_points: int = 220) -> str:
    """Draw the points as an SVG, coloured by the reference labels where there are any.

    Parameters
    ----------
    dataset : Dataset
    max_points : int

    Returns
    -------
    str
        An SVG element of numbers and colours alone.
    """
    view = make_view(dataset.X, dataset.feature_names)
    chosen = np.linspace(0, len(view.points) - 1, min(max_points, len(view.points))).astype(int)
    points = view.points[chosen]
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    scale = min((_WIDTH - 16, _HEIGHT - 16) / np.maximum(np.ptp(points, axis=0), 1e-12))
    places = np.array([_WIDTH, _HEIGHT]) / 2 + (points - centre) * [scale, -scale]
    if dataset.y is None:
        colors = [NEUTRAL] * len(points)
    else:
        codes = np.unique(dataset.y, return_inverse=True)[1][view.sample][chosen]
        colors = [cluster_color(int(c)) for c in codes]
    circles = "".join(
        f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.6" fill="{color}"/>'
        for (px, py), color in zip(places, colors, strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}">{circles}</svg>'
    )
