"""Plotly figures made from results; nothing here knows of a page."""

from mmc.figures.animation import animation, animation_html
from mmc.figures.palette import cluster_color
from mmc.figures.scene import Scene, View, make_scene, make_view
from mmc.figures.thumbnail import thumbnail

__all__ = [
    "Scene",
    "View",
    "animation",
    "animation_html",
    "cluster_color",
    "make_scene",
    "make_view",
    "thumbnail",
]
