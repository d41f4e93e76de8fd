"""Axes of pictures that are drawn without Plotly: ranges, ticks, grid lines and titles as shapes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc.figures.shapes import Line, Shape, Text, text_width, wrap

#: Heights of the fonts of ticks and titles.
TICK, TITLE = 11.0, 12.0

#: Colour of grid lines on white.
GRID = "#E7E7E7"


class Box(NamedTuple):
    """A rectangle of the picture."""

    left: float
    top: float
    right: float
    bottom: float


class Plane(NamedTuple):
    """A rectangle with a scale for each direction.

    Attributes
    ----------
    box : Box
        The rectangle.
    x, y : pair of float
        Ranges of the axes; of a logarithmic axis those of the exponents.
    log : bool
        Whether the vertical axis is logarithmic.
    """

    box: Box
    x: tuple[float, float]
    y: tuple[float, float]
    log: bool = False

    def places(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the positions in the picture of points of shape (p, 2); a missing value remains NaN."""
        points = np.asarray(points, dtype=float)
        x, y = points[:, 0], points[:, 1]
        if self.log:
            y = np.log10(np.where(y > 0, y, np.nan))
        box = self.box
        across = box.left + (x - self.x[0]) / (self.x[1] - self.x[0]) * (box.right - box.left)
        upwards = box.bottom - (y - self.y[0]) / (self.y[1] - self.y[0]) * (box.bottom - box.top)
        return np.column_stack([across, upwards])

    def with_equal_units(self) -> Plane:
        """Return the plane with one range made longer, so that a unit is as long in both directions."""
        box = self.box
        units = [
            (high - low) / length
            for (low, high), length in ((self.x, box.right - box.left), (self.y, box.bottom - box.top))
        ]
        ranges = []
        for (low, high), unit in zip((self.x, self.y), units, strict=True):
            half = (high - low) / 2 * max(units) / unit
            ranges.append(((low + high) / 2 - half, (low + high) / 2 + half))
        return self._replace(x=ranges[0], y=ranges[1])


def ticks(low: float, high: float, most: int, *, whole: bool = False) -> list[float]:
    """Return round values in a range, at most `most` of them, and only whole numbers if `whole`."""
    step = (high - low) / max(most, 1)
    power = 10.0 ** np.floor(np.log10(step))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step * (1 - 1e-9))
    if whole:
        step = max(step, 1.0)
    first = np.ceil(low / step - 1e-9)
    return [float(step * (first + i)) for i in range(int(np.floor(high / step - first + 1e-9)) + 1)]


def axes(plane: Plane, titles: tuple[str, str], ink: str, *, whole_steps: bool = False) -> list[Shape]:
    """Return grid lines, labels of ticks and titles of the axes.

    Parameters
    ----------
    plane : Plane
        Rectangle and its scales; labels are outside of it.
    titles : pair of str
        Titles of both axes; an empty one is left out.
    ink : str
        Colour of the texts.
    whole_steps : bool
        Whether the horizontal axis counts.

    Returns
    -------
    list of Shape
    """
    box = plane.box
    across = ticks(*plane.x, max(2, int((box.right - box.left) / 90)), whole=whole_steps)
    upwards = ticks(*plane.y, max(2, int((box.bottom - box.top) / 30)), whole=plane.log)
    shapes: list[Shape] = []
    for value in across:
        (place,) = plane._replace(log=False).places(np.array([[value, plane.y[0]]]))
        shapes.append(_rule((place[0], box.top), (place[0], box.bottom)))
        shapes.append(Text(place[0], box.bottom + TICK + 4, _label(value, across), TICK, ink, "middle"))
    for value in upwards:
        (place,) = plane._replace(log=False).places(np.array([[plane.x[0], value]]))
        text = _label(10.0**value, [10.0**value]) if plane.log else _label(value, upwards)
        shapes.append(_rule((box.left, place[1]), (box.right, place[1])))
        shapes.append(Text(box.left - 6, place[1] + TICK / 3, text, TICK, ink, "end"))
    if titles[0]:
        middle = (box.left + box.right) / 2
        shapes.append(Text(middle, box.bottom + TICK + TITLE + 10, titles[0], TITLE, ink, "middle"))
    lines = wrap(titles[1], TITLE, max(box.bottom - box.top, text_width("m" * 12, TITLE)), 1)
    if lines:
        middle = (box.top + box.bottom) / 2
        shapes.append(Text(box.left - 46, middle, lines[0], TITLE, ink, "middle", upright=True))
    return shapes


def _rule(begin: tuple[float, float], end: tuple[float, float]) -> Line:
    return Line(np.array([begin, end]), GRID, 1.0)


def _label(value: float, values: list[float]) -> str:
    """Return a number with the digits that tell it from the others on its axis."""
    largest = max(map(abs, values))
    if largest >= 1e5 or 0 < largest < 1e-3:
        return f"{value:.3g}".replace("-", "−")
    step = min(np.diff(values), default=abs(value))
    digits = max(0, -int(np.floor(np.log10(step) + 1e-9))) if step else 0
    return f"{value + 0.0:.{digits}f}".replace("-", "−")
