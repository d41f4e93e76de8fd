"""Pictures of the segments of an image: their mean colours, their borders, and a mask in colours of clusters.

For the browser labels travel as numbers of two bytes for each pixel, deflated, and the image as a JPEG
file.
"""

from __future__ import annotations

import base64
import io
import zlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor

from mmc.figures.palette import COLORS

Labels = NDArray[np.int64]
Pixels = NDArray[np.uint8]

#: Colour of borders, and of the line beside it that keeps it visible on any ground.
_BORDER, _RIM = (255, 255, 255), (0, 0, 0)


class Segment(NamedTuple):
    """A segment of an image.

    Attributes
    ----------
    number : int
        Its label.
    share : float
        Share of the pixels.
    color : str
        Mean colour.
    """

    number: int
    share: float
    color: str


def segments_of(pixels: Pixels, labels: Labels) -> list[Segment]:
    """Return the segments that have pixels, by their numbers.

    Parameters
    ----------
    pixels : ndarray of shape (height, width, 3), uint8
    labels : ndarray of shape (height, width)

    Returns
    -------
    list of Segment
    """
    counts, means = _means(pixels, labels)
    return [
        Segment(int(h), float(counts[h] / labels.size), "#" + bytes(means[h].tolist()).hex())
        for h in np.flatnonzero(counts)
    ]


def mean_colors(pixels: Pixels, labels: Labels) -> Pixels:
    """Give each pixel the mean colour of its segment.

    Parameters
    ----------
    pixels : ndarray of shape (height, width, 3), uint8
    labels : ndarray of shape (height, width)

    Returns
    -------
    ndarray of shape (height, width, 3), uint8
    """
    return _means(pixels, labels)[1][labels]


def borders(pixels: Pixels, labels: Labels) -> Pixels:
    """Draw the borders of the segments on an image.

    Parameters
    ----------
    pixels : ndarray of shape (height, width, 3), uint8
    labels : ndarray of shape (height, width)

    Returns
    -------
    ndarray of shape (height, width, 3), uint8
        A pixel is white if the one on its right or below is of another segment, and that one is black.
    """
    drawn = pixels.copy()
    for axis in (0, 1):
        at = np.diff(labels, axis=axis) != 0
        after = tuple(slice(1, None) if a == axis else slice(None) for a in (0, 1))
        drawn[after][at] = _RIM
    for axis in (0, 1):
        at = np.diff(labels, axis=axis) != 0
        before = tuple(slice(None, -1) if a == axis else slice(None) for a in (0, 1))
        drawn[before][at] = _BORDER
    return drawn


def colors_png(colors: Pixels) -> bytes:
    """Return an image of red, green and blue as a PNG file."""
    return _file(Image.fromarray(colors), "PNG")


def mask_png(labels: Labels) -> bytes:
    """Return labels as a PNG file with a palette: the value of a pixel is its label.

    Parameters
    ----------
    labels : ndarray of shape (height, width)
        At most 256 segments; further ones share the last value.

    Returns
    -------
    bytes
    """
    image = Image.fromarray(labels.clip(0, 255).astype(np.uint8)).convert("L")
    image = Image.frombytes("P", image.size, image.tobytes())
    palette = [ImageColor.getrgb(COLORS[h % len(COLORS)]) for h in range(256)]
    image.putpalette([value for color in palette for value in color])
    return _file(image, "PNG")


def packed_labels(labels: Labels) -> str:
    """Return labels as text for the browser: two bytes each, deflated (zlib), in base64."""
    return base64.b64encode(zlib.compress(labels.astype("<u2").tobytes(), 6)).decode("ascii")


def picture_url(pixels: Pixels) -> str:
    """Return an image as a JPEG file in a URL."""
    return "data:image/jpeg;base64," + base64.b64encode(_file(Image.fromarray(pixels), "JPEG")).decode(
        "ascii"
    )


def _means(pixels: Pixels, labels: Labels) -> tuple[NDArray[np.int64], Pixels]:
    counts = np.bincount(labels.ravel())
    sums = [np.bincount(labels.ravel(), pixels[:, :, c].ravel()) for c in range(3)]
    means = np.stack(sums, axis=1) / np.maximum(counts, 1)[:, None]
    return counts, np.round(means).astype(np.uint8)


def _file(image: Image.Image, kind: str) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **({"quality": 90} if kind == "JPEG" else {"optimize": True}))
    return file.getvalue()
