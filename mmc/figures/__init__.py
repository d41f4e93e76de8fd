"""Figures of results, most of them Plotly's; they know no page and no algorithm."""

from mmc.figures.animation import animation, animation_html
from mmc.figures.consensus import consensus_figure
from mmc.figures.counts import count_curves
from mmc.figures.course import course, restart_curves
from mmc.figures.curves import curve_ranges
from mmc.figures.fields import kernel_graph, posterior_map
from mmc.figures.margins import margin_animation
from mmc.figures.matrix import matrix_figure
from mmc.figures.movie import film_gif, film_mp4
from mmc.figures.palette import cluster_color
from mmc.figures.points import cluster_map, colors_by_row, column_map
from mmc.figures.profile import effect_bars, parallel_coordinates, silhouette_plot
from mmc.figures.scene import MAX_POINTS, Scene, View, make_pair, make_scene, make_view, with_ring
from mmc.figures.selection import band_curves, cv_heatmap, score_curve
from mmc.figures.still import Words, still_png, still_svg
from mmc.figures.story import Story, make_story
from mmc.figures.thumbnail import thumbnail
from mmc.figures.weights import weight_bars

__all__ = [
    "MAX_POINTS",
    "Scene",
    "Story",
    "View",
    "Words",
    "animation",
    "animation_html",
    "band_curves",
    "cluster_color",
    "cluster_map",
    "colors_by_row",
    "column_map",
    "consensus_figure",
    "count_curves",
    "course",
    "curve_ranges",
    "cv_heatmap",
    "effect_bars",
    "film_gif",
    "film_mp4",
    "kernel_graph",
    "make_pair",
    "make_scene",
    "make_story",
    "make_view",
    "margin_animation",
    "matrix_figure",
    "parallel_coordinates",
    "posterior_map",
    "restart_curves",
    "score_curve",
    "silhouette_plot",
    "still_png",
    "still_svg",
    "thumbnail",
    "weight_bars",
    "with_ring",
]
