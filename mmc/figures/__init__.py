"""Plotly figures made from results; nothing here knows of a page."""

from mmc.figures.animation import animation, animation_html
from mmc.figures.fields import kernel_graph, posterior_map
from mmc.figures.palette import cluster_color
from mmc.figures.scene import Scene, View, make_scene, make_view
from mmc.figures.selection import band_curves, cv_heatmap, score_curve
from mmc.figures.thumbnail import thumbnail

__all__ = [
    "Scene",
    "View",
    "animation",
    "animation_html",
    "band_curves",
    "cluster_color",
    "cv_heatmap",
    "kernel_graph",
    "make_scene",
    "make_view",
    "posterior_map",
    "score_curve",
    "thumbnail",
]
