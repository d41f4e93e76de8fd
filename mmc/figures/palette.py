"""Colours and symbols of clusters that colour-blind people can distinguish."""

from __future__ import annotations

#: The first eight remain distinct under the common kinds of colour blindness and are visible on light and
#: dark backgrounds. Further clusters have to be identified by the number in the hover text.
COLORS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#A6761D",
    "#7570B3",
    "#66A61E",
    "#E7298A",
    "#1B9E77",
    "#B2ABD2",
    "#8C510A",
    "#80CDC1",
    "#F4A582",
    "#4575B4",
    "#999999",
    "#C51B7D",
    "#7FBC41",
    "#D8B365",
)

#: Plotly's numbers for circle, square, diamond, triangle, cross and x.
SYMBOLS = (0, 1, 2, 5, 3, 4)

#: Grey that is readable on light and dark backgrounds.
NEUTRAL = "#888888"


def cluster_color(cluster: int) -> str:
    """Return the colour of a cluster; colours repeat after twenty."""
    return COLORS[cluster % len(COLORS)]


def colorscale(k: int) -> list[list[object]]:
    """Return a Plotly colour scale of `k` equal bands, for colours given as numbers from 0 to k − 1."""
    bands: list[list[object]] = []
    for h in range(k):
        bands += [[h / k, cluster_color(h)], [(h + 1) / k, cluster_color(h)]]
    return bands
