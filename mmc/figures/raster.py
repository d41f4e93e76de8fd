"""Pictures as pixels: shapes drawn several times as large and reduced, which smooths their edges."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from mmc.figures.shapes import Line, Marks, Picture, Text, outline, polylines

#: Fonts with Greek letters of the usual systems; Pillow's own, which has none, is the last resort.
_FONTS = (
    "DejaVuSans.ttf",
    "LiberationSans-Regular.ttf",
    "Arial.ttf",
    "Helvetica.ttc",
    "NotoSans-Regular.ttf",
)
_BOLD = (
    "DejaVuSans-Bold.ttf",
    "LiberationSans-Bold.ttf",
    "Arial Bold.ttf",
    "arialbd.ttf",
    "NotoSans-Bold.ttf",
)

_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def to_image(picture: Picture, *, scale: int = 1, smooth: int = 3) -> Image.Image:
    """Draw a picture.

    Parameters
    ----------
    picture : Picture
        Picture to draw.
    scale : int
        Pixels of the image for each pixel of the picture.
    smooth : int
        How many times as large it is drawn before it is reduced.

    Returns
    -------
    PIL.Image.Image
    """
    unit = scale * smooth
    size = (picture.width * unit, picture.height * unit)
    image = Image.new("RGB", size, picture.background or "#FFFFFF")
    canvas = ImageDraw.Draw(image)
    for shape in picture.shapes:
        if isinstance(shape, Line):
            _draw_line(canvas, shape, unit)
        elif isinstance(shape, Marks):
            _draw_marks(canvas, shape, unit)
        else:
            _draw_text(image, canvas, shape, unit)
    return image.reduce(smooth)


def to_png(picture: Picture, *, scale: int = 2) -> bytes:
    """Return a picture as a PNG file.

    Parameters
    ----------
    picture : Picture
        Picture to draw.
    scale : int
        Pixels of the file for each pixel of the picture; 2 is sharp on a projector and in print.

    Returns
    -------
    bytes
    """
    file = io.BytesIO()
    to_image(picture, scale=scale, smooth=2).save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_line(canvas: ImageDraw.ImageDraw, line: Line, unit: int) -> None:
    width = max(1, round(line.width * unit))
    for piece in polylines(line.points):
        for part in _dashes(piece * unit, [length * unit for length in line.dash]):
            canvas.line(_flat(part), fill=line.color, width=width, joint="curve")


def _dashes(points: NDArray[np.float64], dash: list[float]) -> list[NDArray[np.float64]]:
    """Return the dashes of a polyline; the polyline itself if it is solid."""
    lengths = np.hypot(*np.diff(points, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    if not dash or along[-1] <= dash[0]:
        return [points]
    dashes = []
    for begin in np.arange(0.0, along[-1], sum(dash)):
        end = min(begin + dash[0], along[-1])
        between = points[(along > begin) & (along < end)]
        ends = [[np.interp(at, along, points[:, c]) for c in (0, 1)] for at in (begin, end)]
        dashes.append(np.concatenate([ends[:1], between, ends[1:]]))
    return dashes


def _draw_marks(canvas: ImageDraw.ImageDraw, marks: Marks, unit: int) -> None:
    corners = [outline(symbol, marks.size) * unit for symbol in marks.symbols]
    rim = max(1, round((1.5 if marks.hollow else 0.5) * unit))
    r = marks.size / 2 * unit + (rim / 2 if marks.hollow else 0)
    for (x, y), style in zip(marks.points * unit, marks.styles, strict=True):
        color = marks.colors[style]
        paint: dict[str, Any] = {"outline": color if marks.hollow else "#FFFFFF", "width": rim}
        if not marks.hollow:
            paint["fill"] = color
        if len(corners[style]):
            canvas.polygon(_flat(corners[style] + [x, y]), **paint)
        else:
            canvas.ellipse((x - r, y - r, x + r, y + r), **paint)


def _draw_text(image: Image.Image, canvas: ImageDraw.ImageDraw, text: Text, unit: int) -> None:
    font = _font(round(text.size * unit), text.bold)
    if not text.upright:
        canvas.text((text.x * unit, text.y * unit), text.text, text.color, font, _ANCHORS[text.anchor])
        return
    left, top, right, bottom = font.getbbox(text.text, anchor="ls")
    width, height = int(right - left) + 2, int(bottom - top) + 2
    mask = Image.new("L", (width, height))
    ImageDraw.Draw(mask).text((1 - left, 1 - top), text.text, 255, font, "ls")
    mask = mask.transpose(Image.Transpose.ROTATE_90)
    shift = {"start": 1.0, "middle": 0.5, "end": 0.0}[text.anchor]
    corner = (round(text.x * unit + top), round(text.y * unit - shift * width))
    image.paste(text.color, (*corner, corner[0] + height, corner[1] + width), mask)


@cache
def _font(size: int, bold: bool) -> Any:
    for name in (*_BOLD, *_FONTS) if bold else _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def _flat(points: NDArray[np.float64]) -> list[float]:
    return [float(value) for value in points.ravel()]
