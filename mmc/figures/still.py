"""One frame of a recorded fit as a picture that is drawn without a browser: SVG and PNG.

The picture has a title, a line about data and parameters, and for each algorithm the legend, the points with
borders and rings, the curves with a marker at the frame, and the caption of the frame. `lay_out` makes the
shapes of all that; the two formats only write them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from mmc.figures._axes import GRID, Box, Plane, axes
from mmc.figures.curves import Ranges, curve_ranges, now_on
from mmc.figures.palette import COLORS, NEUTRAL, SYMBOLS, cluster_color
from mmc.figures.raster import to_png
from mmc.figures.scene import Curve, Scene, View
from mmc.figures.shapes import Line, Marks, Picture, Shape, Text, text_width, to_svg, wrap

_INK, _NOW = "#333333", "#D55E00"

#: Space around the picture, between its columns, and the height of a curve with its ticks.
_PAD, _GAP, _CURVE = 24.0, 28.0, 120.0

#: Width of the labels and the title beside an axis.
_LABELS = 58.0

#: Heights of the fonts of title, caption, legend and small print, and of a line as a multiple of them.
_TITLE, _CAPTION, _LEGEND, _SMALL, _LEADING = 21.0, 15.0, 13.0, 12.0, 1.35


class Words(NamedTuple):
    """Texts of a picture.

    Attributes
    ----------
    title : str
        Title.
    details : str
        Data and parameters.
    objectives : mapping from str to str, or None
        Title of the objective of each scene.
    """

    title: str = ""
    details: str = ""
    objectives: Mapping[str, str] | None = None


def still_svg(scenes: Mapping[str, Scene], words: Words | None = None, frame: int | None = None) -> str:
    """Return a frame as an SVG document.

    Parameters
    ----------
    scenes : mapping from str to Scene
        Recorded fits by name, which are drawn side by side.
    words : Words or None
        Title and other texts; None means that there are none.
    frame : int or None
        Number of the frame; None means the last. A fit that has ended before shows its end.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no such frame.
    """
    return to_svg(lay_out(scenes, words, frame))


def still_png(scenes: Mapping[str, Scene], words: Words | None = None, frame: int | None = None) -> bytes:
    """Return a frame as a PNG file; parameters and errors are those of `still_svg`.

    Parameters
    ----------
    scenes : mapping from str to Scene
        Recorded fits by name.
    words : Words or None
        Title and other texts.
    frame : int or None
        Number of the frame; None means the last.

    Returns
    -------
    bytes
    """
    return to_png(lay_out(scenes, words, frame))


def n_frames(scenes: Mapping[str, Scene]) -> int:
    """Return the number of frames of the longest of some scenes."""
    return max(len(scene.captions) for scene in scenes.values())


def lay_out(scenes: Mapping[str, Scene], words: Words | None = None, frame: int | None = None) -> Picture:
    """Return a frame as shapes; all frames of the same scenes have the same size.

    Parameters
    ----------
    scenes : mapping from str to Scene
        Recorded fits by name.
    words : Words or None
        Title and other texts.
    frame : int or None
        Number of the frame; None means the last.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If there is no such frame.
    """
    words = words or Words()
    last = n_frames(scenes) - 1
    frame = last if frame is None else frame
    if not 0 <= frame <= last:
        raise ValueError(f"frame must be from 0 to {last}; got {frame}")
    width = 900 if len(scenes) == 1 else 640 * len(scenes)
    shapes, top = _heading(words, width)
    share = (width - 2 * _PAD - _GAP * (len(scenes) - 1)) / len(scenes)
    bottom = 0.0
    titles = {name: (words.objectives or {}).get(name, "objective") for name in scenes}
    ranges = curve_ranges((scene, titles[name]) for name, scene in scenes.items())
    for i, (name, scene) in enumerate(scenes.items()):
        left = _PAD + i * (share + _GAP)
        column = Box(left, top, left + share, top)
        heading = name if len(scenes) > 1 else ""
        drawn, end = _column(heading, scene, titles[name], ranges, column, frame)
        shapes += drawn
        bottom = max(bottom, end)
    height = int(np.ceil((bottom + _PAD) / 2) * 2)  # films need an even number
    return Picture(width, height, "#FFFFFF", shapes)


def chart_picture(scene: Scene, objective: str, ranges: Ranges, width: int, height: int) -> Picture:
    """Return the last frame as the chart shows it: legend, points and curves, without background and texts.

    Parameters
    ----------
    scene : Scene
        Recorded fit.
    objective : str
        Title of the objective's axis.
    ranges : mapping from str to (float, float)
        Ranges of the curves' axes (see `curve_ranges`).
    width, height : int
        Size of the chart.

    Returns
    -------
    Picture
    """
    legend, top = _legend(scene, Box(4.0, 8.0, width - 4.0, height), NEUTRAL)
    box = Box(4.0, top, width - 4.0, height - 8.0)
    shapes = legend + _charts(scene, objective, ranges, box, len(scene.captions) - 1, NEUTRAL)
    on_any = [_on_any_background(shape) for shape in shapes]
    return Picture(width, height, "", on_any)


def points_picture(view: View, width: int, height: int) -> Picture:
    """Return the points alone, before anything has been clustered, without background.

    Parameters
    ----------
    view : View
        Points in the plane.
    width, height : int
        Size.

    Returns
    -------
    Picture
    """
    box = Box(_LABELS, 8.0, width - 10.0, height - 40.0)
    plane = Plane(box, *view.frame)
    if view.axes is not None:
        plane = plane.with_equal_units()
    titles = (view.titles[0][:40], view.titles[1][:40])
    places = plane.places(view.points)
    marks = Marks(places, np.zeros(len(places), dtype=np.int64), (0,), (NEUTRAL,), marker_size(len(places)))
    shapes = [_on_any_background(shape) for shape in axes(plane, titles, NEUTRAL)]
    return Picture(width, height, "", [*shapes, marks])


def _on_any_background(shape: Shape) -> Shape:
    """Return a grid line as one that is visible on light and dark pages; other shapes are so already."""
    if isinstance(shape, Line) and shape.color == GRID:
        return shape._replace(color="#88888838")
    return shape


def _heading(words: Words, width: int) -> tuple[list[Shape], float]:
    shapes: list[Shape] = []
    y = _PAD
    for line in wrap(words.title, _TITLE, width - 2 * _PAD, 2):
        shapes.append(Text(_PAD, y + _TITLE, line, _TITLE, _INK, bold=True))
        y += _LEADING * _TITLE
    for line in wrap(words.details, _SMALL, width - 2 * _PAD, 3):
        shapes.append(Text(_PAD, y + _SMALL, line, _SMALL, "#666666"))
        y += _LEADING * _SMALL
    return shapes, y + (8.0 if shapes else 0.0)


def _column(
    name: str, scene: Scene, objective: str, ranges: Ranges, box: Box, frame: int
) -> tuple[list[Shape], float]:
    """Draw one scene below the upper edge of a box; return the shapes and where they end."""
    last = len(scene.captions) - 1
    i = min(frame, last)
    shapes: list[Shape] = []
    y = box.top
    if name:
        shapes.append(Text(box.left, y + 16, name, 16, _INK, bold=True))
        y += 26
    legend, y = _legend(scene, box._replace(top=y), _INK)
    shapes += legend
    end = y + 430 + (_CURVE + 46) * bool(scene.curves)
    shapes += _charts(scene, objective, ranges, box._replace(top=y, bottom=end), i, _INK)
    y = end + 14
    width = box.right - box.left
    captions = [_caption(scene, j) for j in range(last + 1)] + [f"{_caption(scene, last)} (has ended)"]
    most = max(len(wrap(caption, _CAPTION, width, 4)) for caption in captions)
    for j, line in enumerate(wrap(captions[min(frame, last + 1)], _CAPTION, width, most)):
        shapes.append(Text(box.left, y + _CAPTION + j * _LEADING * _CAPTION, line, _CAPTION, _INK))
    y += most * _LEADING * _CAPTION + 4
    for line in wrap(f"{scene.view.note} {scene.rings}", _SMALL, width, 3):
        shapes.append(Text(box.left, y + _SMALL, line, _SMALL, "#666666"))
        y += _LEADING * _SMALL
    return shapes, y


def _caption(scene: Scene, i: int) -> str:
    return f"{i} of {len(scene.captions) - 1} · {scene.captions[i]}"


def _legend(scene: Scene, box: Box, ink: str) -> tuple[list[Shape], float]:
    """Draw the legend in as many rows as it needs; return the shapes and where they end."""
    symbols, colors = _styles(scene)
    named = min(scene.n_clusters, len(COLORS))
    shapes: list[Shape] = []
    x, y = box.left, box.top + _LEGEND
    for h in range(named):
        width = 18 + text_width(f"cluster {h}", _LEGEND) + 10
        if x + width > box.right and x > box.left:
            x, y = box.left, y + 1.6 * _LEGEND
        centre = np.array([[x + 6, y - 0.36 * _LEGEND]])
        shapes.append(Marks(centre, np.array([h]), symbols, colors, 10.0))
        shapes.append(Text(x + 16, y, f"cluster {h}", _LEGEND, ink))
        x += width
    return shapes, y + 12


def _charts(scene: Scene, objective: str, ranges: Ranges, box: Box, i: int, ink: str) -> list[Shape]:
    """Draw the points of a frame into a box, and the curves below them, side by side, with their axes."""
    n_curves = len(scene.curves)
    below = (_CURVE + 26) * bool(n_curves)
    left, right, bottom = box.left + _LABELS, box.right - 6, box.bottom - below - 40
    shapes = _points(scene, Box(left, box.top, right, bottom), i, ink)
    share = (right - left + _LABELS) / max(n_curves, 1)
    for number, curve in enumerate(scene.curves):
        begin = left + number * share
        area = Box(begin, bottom + 54, begin + share - _LABELS, box.bottom - 38)
        title = curve.title or objective
        shapes += _curve(scene, curve, title, ranges[title], area, i, ink)
    return shapes


def _points(scene: Scene, box: Box, i: int, ink: str) -> list[Shape]:
    points = scene.view.points
    plane = Plane(box, *scene.view.frame)
    if scene.view.axes is not None:
        plane = plane.with_equal_units()
    symbols, colors = _styles(scene)
    size = marker_size(len(points))
    labels = scene.labels[i].astype(np.int64)
    rings = plane.places(scene.ringed[i])
    across, upwards = (title[:40] for title in scene.view.titles)
    return [
        *axes(plane, (across, upwards), ink),
        Line(plane.places(scene.borders[i]), NEUTRAL, 2.0),
        Marks(plane.places(points), labels, symbols, colors, size),
        Marks(rings, np.zeros(len(rings), dtype=np.int64), (0,), ("#555555",), size + 5, hollow=True),
        Line(plane.places(scene.rims[i]), NEUTRAL, 1.5, (2.0, 3.0)),
    ]


def _curve(
    scene: Scene, curve: Curve, title: str, limits: tuple[float, float], box: Box, i: int, ink: str
) -> list[Shape]:
    """Draw the lines of a curve, the level that they should reach, and a marker at the frame."""
    low, high = (10.0**limit for limit in limits) if curve.log else limits
    steps = (float(scene.steps[0]) - 0.5, float(max(scene.steps[-1] + 0.5, 1)))
    plane = Plane(box, steps, limits, curve.log)
    shapes = axes(plane, (scene.steps_title, title), ink, whole_steps=True)
    if curve.level is not None:
        ends = np.array([[steps[0], curve.level], [steps[1], curve.level]])
        shapes.append(Line(plane.places(ends), _NOW, 1.0, (4.0, 3.0)))
    for number, line in enumerate(curve.lines.values()):
        places = plane.places(np.column_stack([scene.steps, np.clip(line, low, high)]))
        shapes.append(Line(places, "#777777", 2.0, ((), (7.0, 4.0))[number % 2]))
    mark = now_on(scene, curve, i, limits)
    now = plane.places(np.column_stack([mark["x"], mark["y"]]))
    now = now[~np.isnan(now).any(axis=1)]
    shapes.append(Marks(now, np.zeros(len(now), dtype=np.int64), (0,), (_NOW,), 11.0))
    return shapes


def marker_size(n: int) -> float:
    """Return the size of the markers of `n` points."""
    return float(np.clip(14 - 2.2 * np.log10(n) ** 1.3, 4, 11))


def _styles(scene: Scene) -> tuple[list[int], list[str]]:
    """Return the symbol and the colour of every cluster."""
    k = scene.n_clusters
    symbols = list(SYMBOLS[:k]) if k <= len(SYMBOLS) else [0] * k
    return symbols, [cluster_color(h) for h in range(k)]
