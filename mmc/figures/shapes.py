"""A picture as a list of shapes, and its SVG text.

`mmc.figures.still` lays a picture out as shapes; this module writes them as SVG and `mmc.figures.raster` as
pixels, so that both show the same. Lengths are in pixels, and the origin is the upper left corner.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

#: Estimated width of a character as a share of its height, for the length of a line. It is a little more than
#: the mean of the usual fonts, because a viewer may have another one.
_CHARACTER = 0.58


class Line(NamedTuple):
    """Polylines.

    Attributes
    ----------
    points : ndarray of shape (p, 2)
        Vertices; NaN separates one polyline from the next.
    color : str
        Colour as #RRGGBB.
    width : float
        Width.
    dash : tuple of float
        Lengths of a dash and the gap behind it; empty means a solid line.
    """

    points: NDArray[np.float64]
    color: str
    width: float
    dash: tuple[float, ...] = ()


class Marks(NamedTuple):
    """Markers of several points.

    Attributes
    ----------
    points : ndarray of shape (p, 2)
        Centres.
    styles : ndarray of shape (p,)
        Number of the style of each.
    symbols : sequence of int
        Plotly's number of the symbol of each style.
    colors : sequence of str
        Colour of each style.
    size : float
        Size as Plotly counts it: the diameter of a circle.
    hollow : bool
        Whether only the outline is drawn, in the colour; otherwise the outline is thin and white.
    """

    points: NDArray[np.float64]
    styles: NDArray[np.int64]
    symbols: Sequence[int]
    colors: Sequence[str]
    size: float
    hollow: bool = False


class Text(NamedTuple):
    """One line of text, which is never read as markup.

    Attributes
    ----------
    x, y : float
        Position of the base line.
    text : str
        The text.
    size : float
        Height of the font.
    color : str
        Colour as #RRGGBB.
    anchor : {"start", "middle", "end"}
        Which part of the text is at the position.
    bold : bool
        Whether the font is bold.
    upright : bool
        Whether the text runs from the bottom to the top.
    """

    x: float
    y: float
    text: str
    size: float
    color: str
    anchor: str = "start"
    bold: bool = False
    upright: bool = False


Shape = Line | Marks | Text


class Picture(NamedTuple):
    """Shapes on a canvas.

    Attributes
    ----------
    width, height : int
        Size of the canvas.
    background : str
        Colour behind the shapes; empty means none.
    shapes : list of Shape
        Shapes from the lowest to the uppermost.
    """

    width: int
    height: int
    background: str
    shapes: list[Shape]


def outline(symbol: int, size: float) -> NDArray[np.float64]:
    """Return the corners of one of Plotly's symbols around the origin; a circle, 0, has none.

    Parameters
    ----------
    symbol : int
        Number of the symbol.
    size : float
        Its size.

    Returns
    -------
    ndarray of shape (p, 2)
    """
    r = size / 2
    cross = [(-3, -1), (-1, -1), (-1, -3), (1, -3), (1, -1), (3, -1)]
    cross += [(-x, -y) for x, y in cross]
    corners = {
        0: [],
        1: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        2: [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
        3: [(0.4 * x, 0.4 * y) for x, y in cross],
        4: [((x - y) * 0.4 * math.sqrt(0.5), (x + y) * 0.4 * math.sqrt(0.5)) for x, y in cross],
        5: [(0, -1), (2 / math.sqrt(3), 0.5 + 1e-9), (-2 / math.sqrt(3), 0.5 + 1e-9)],
    }
    return r * np.array(corners[symbol]).reshape(-1, 2)


def polylines(points: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return polylines that are separated by NaN, each of at least two points."""
    gaps = np.flatnonzero(np.isnan(points).any(axis=1))
    pieces = np.split(points, gaps)
    cleaned = [piece[~np.isnan(piece).any(axis=1)] for piece in pieces]
    return [piece for piece in cleaned if len(piece) > 1]


def text_width(text: str, size: float) -> float:
    """Return the estimated width of a line of text."""
    return _CHARACTER * size * len(text)


def wrap(text: str, size: float, width: float, max_lines: int) -> list[str]:
    """Return text as lines that fit a width; what does not fit into them is cut off with an ellipsis.

    Parameters
    ----------
    text : str
        Text to wrap.
    size : float
        Height of the font.
    width : float
        Width of the lines.
    max_lines : int
        Maximum number of lines.

    Returns
    -------
    list of str
    """
    room = max(8, int(width / (_CHARACTER * size)))
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= room:
            lines[-1] += f" {word}"
            continue
        while len(word) > room:
            lines.append(word[:room])
            word = word[room:]
        if word:
            lines.append(word)
    if len(lines) > max_lines:
        lines = lines[:max_lines]
        lines[-1] = f"{lines[-1][: room - 1].rstrip()}…"
    return lines


def to_svg(picture: Picture) -> str:
    """Return a picture as SVG.

    Parameters
    ----------
    picture : Picture
        Picture to write.

    Returns
    -------
    str
        SVG document, whose texts are escaped.
    """
    width, height = picture.width, picture.height
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif">'
    ]
    if picture.background:
        parts.append(f'<rect width="{width}" height="{height}" fill="{picture.background}"/>')
    for number, shape in enumerate(picture.shapes):
        if isinstance(shape, Line):
            parts.append(_line(shape))
        elif isinstance(shape, Marks):
            parts += _marks(shape, number)
        else:
            parts.append(_text(shape))
    return "".join([*parts, "</svg>"])


def _line(line: Line) -> str:
    path = "".join("M" + _pairs(piece) for piece in polylines(line.points))
    dash = f' stroke-dasharray="{" ".join(map(_number, line.dash))}"' if line.dash else ""
    width = _number(line.width)
    return (
        f'<path d="{path}" fill="none" stroke="{line.color}" stroke-width="{width}"{dash}/>' if path else ""
    )


def _marks(marks: Marks, number: int) -> Iterable[str]:
    """Define each style once and refer to it at every point."""
    for style in np.unique(marks.styles):
        name = f"m{number}-{style}"
        color = marks.colors[style]
        paint = f'fill="none" stroke="{color}" stroke-width="1.5"'
        if not marks.hollow:
            paint = f'fill="{color}" stroke="#fff" stroke-width=".5"'
        corners = outline(marks.symbols[style], marks.size)
        shape = f'<path id="{name}" d="M{_pairs(corners)}Z" {paint}/>'
        if not len(corners):
            shape = f'<circle id="{name}" r="{_number(marks.size / 2)}" {paint}/>'
        yield f"<defs>{shape}</defs>"
    for (x, y), style in zip(marks.points, marks.styles, strict=True):
        yield f'<use href="#m{number}-{style}" x="{_number(x)}" y="{_number(y)}"/>'


def _text(text: Text) -> str:
    x, y = _number(text.x), _number(text.y)
    bold = ' font-weight="bold"' if text.bold else ""
    turned = f' transform="rotate(-90 {x} {y})"' if text.upright else ""
    return (
        f'<text x="{x}" y="{y}" font-size="{_number(text.size)}" fill="{text.color}" '
        f'text-anchor="{text.anchor}"{bold}{turned}>{escape(_printable(text.text))}</text>'
    )


def _printable(text: str) -> str:
    """Replace characters that XML does not allow, which a user's file may have."""
    return "".join(c if c.isprintable() else " " for c in text)


def _pairs(points: NDArray[np.float64]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
