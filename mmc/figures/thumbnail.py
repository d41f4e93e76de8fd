"""A small picture of labelled points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmc.figures.palette import NEUTRAL, cluster_color
from mmc.figures.scene import View

_HEIGHT = 130


def thumbnail(
    view: View, labels: NDArray[np.int64] | None, *, width: int = 240, max_points: int = 220
) -> str:
    """Return the points as an SVG of height 130, coloured by their labels if there are any.

    Parameters
    ----------
    view : View
        Projection to the plane.
    labels : ndarray of shape (n_samples,) or None
        Labels of all points as numbers from 0.
    width : int
        Width in pixels.
    max_points : int
        Maximum number of points that are drawn.

    Returns
    -------
    str
        SVG element that contains only numbers and colours.
    """
    chosen = np.linspace(0, len(view.points) - 1, min(max_points, len(view.points))).astype(int)
    points = view.points[chosen]
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    scale = min((width - 16, _HEIGHT - 16) / np.maximum(np.ptp(points, axis=0), 1e-12))
    places = np.array([width, _HEIGHT]) / 2 + (points - centre) * [scale, -scale]
    if labels is None:
        colors = [NEUTRAL] * len(points)
    else:
        colors = [cluster_color(int(c)) for c in labels[view.sample][chosen]]
    circles = "".join(
        f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.6" fill="{color}"/>'
        for (px, py), color in zip(places, colors, strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT}" width="{width}" '
        f'height="{_HEIGHT}">{circles}</svg>'
    )
