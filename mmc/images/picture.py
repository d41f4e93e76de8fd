"""Images as pixels: photographs that come with scikit-learn, drawn pictures, and files of a user.

A file is data, never trusted: it is PNG or JPEG by its first bytes, whatever its name, and its size in bytes
and the number of pixels that its header gives are checked before anything is decoded.
"""

from __future__ import annotations

import hashlib
import io
import os
import struct
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_sample_image

from mmc._checks import nearest, quoted
from mmc._optional import needed
from mmc._optional import pil_image as Image
from mmc._warnings import warnings_kept
from mmc.images.drawn import draw_shapes, draw_textures, draw_twins

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

#: Maximum size of a file in bytes, and of its image in pixels, by its header.
MAX_BYTES, MAX_PIXELS = 20 * 2**20, 25_000_000

#: Number of pixels to which a larger image is reduced; the photographs of scikit-learn have 273,280.
MOST_PIXELS = 300_000

#: Pixels of the shorter side of the smallest image.
LEAST_SIDE = 8

#: Formats by their first bytes.
_FORMATS: Mapping[bytes, str] = MappingProxyType({b"\x89PNG\r\n\x1a\n": "Png", b"\xff\xd8\xff": "Jpeg"})

#: What Pillow raises where a file is broken.
_BROKEN = (OSError, SyntaxError, ValueError, TypeError, LookupError, EOFError, struct.error, zlib.error)

#: The tag of EXIF with the orientation, and how an image is turned upright.
_ORIENTATION = 0x0112
_UPRIGHT = {
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}


class PictureError(ValueError):
    """Error of a file that is no image, is broken, or too large; the message names cause and remedy."""


@dataclass(frozen=True, eq=False)
class Picture:
    """An image as pixels.

    Attributes
    ----------
    name : str
        Key of a built-in picture, or name of a file.
    pixels : ndarray of shape (height, width, 3), uint8
        Red, green and blue of each pixel (sRGB).
    mask : ndarray of shape (height, width) or None
        Segment of each pixel, if the picture was drawn from segments; it never enters a fit.
    sha256 : str
        SHA-256 of the file; empty for a built-in picture.
    notes : tuple of str
        What was changed when the file was read, in words.
    """

    name: str
    pixels: NDArray[np.uint8]
    mask: NDArray[np.int64] | None = None
    sha256: str = ""
    notes: tuple[str, ...] = ()


class BuiltIn(NamedTuple):
    """A built-in picture.

    Attributes
    ----------
    title, summary : str
        What people read.
    make : callable
        Returns pixels and mask.
    n_segments : int
        Number of segments to begin with; that of the mask, if there is one.
    features : str
        Features that tell its segments apart.
    """

    title: str
    summary: str
    make: Callable[[], tuple[NDArray[np.uint8], NDArray[np.int64] | None]]
    n_segments: int
    features: str


def _photograph(file: str) -> Callable[[], tuple[NDArray[np.uint8], None]]:
    return lambda: (np.array(load_sample_image(file), dtype=np.uint8), None)


#: Built-in pictures by key.
PICTURES: Mapping[str, BuiltIn] = MappingProxyType(
    {
        "china": BuiltIn(
            "Summer palace (photograph)",
            "A palace between trees under a pale sky: one of the two photographs of scikit-learn.",
            _photograph("china.jpg"),
            4,
            "lab",
        ),
        "flower": BuiltIn(
            "Dahlia (photograph)",
            "A bright flower before dark leaves: the other photograph of scikit-learn.",
            _photograph("flower.jpg"),
            4,
            "lab",
        ),
        "shapes": BuiltIn(
            "Shapes (drawn)",
            "A disc, a square and a triangle on a ground: colours tell them apart, through noise and shade.",
            draw_shapes,
            4,
            "lab",
        ),
        "twins": BuiltIn(
            "Twin tiles (drawn)",
            "Two tiles of one colour on a ground: only their places tell one from the other.",
            draw_twins,
            3,
            "place",
        ),
        "textures": BuiltIn(
            "Textures (drawn)",
            "Stripes across, stripes upwards, checks and plain grey, all of one mean colour: texture alone "
            "tells them apart.",
            draw_textures,
            4,
            "texture",
        ),
    }
)


def load_picture(key: str) -> Picture:
    """Return a built-in picture.

    Parameters
    ----------
    key : str
        Key in `PICTURES`.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If there is none with this key.

    Examples
    --------
    >>> from mmc.images import load_picture
    >>> load_picture("china").pixels.shape
    (427, 640, 3)
    """
    if key not in PICTURES:
        raise ValueError(f"There is no built-in picture {quoted(key)}: {nearest(key, PICTURES)}")
    pixels, mask = PICTURES[key].make()
    return Picture(key, pixels, mask)


def open_picture(source: str | os.PathLike[str] | bytes, *, name: str = "") -> Picture:
    """Read a PNG or JPEG file.

    Transparent pixels lie on white, 16 bits become 8, an orientation in EXIF is applied, and an image of more
    than 300,000 pixels is reduced to that; `Picture.notes` says so. Of several images the first is taken.

    Parameters
    ----------
    source : str, path or bytes
        File, or its content.
    name : str, default=""
        Name of the file, if its content is given.

    Returns
    -------
    Picture

    Raises
    ------
    PictureError
        If it is no PNG or JPEG file, is broken, has more than 20 MB or 25 million pixels, or fewer than
        8 pixels on a side.
    """
    if not isinstance(source, bytes):
        name = name or Path(source).name
        if Path(source).stat().st_size > MAX_BYTES:
            raise PictureError(_too_many_bytes(name))
        source = Path(source).read_bytes()
    if len(source) > MAX_BYTES:
        raise PictureError(_too_many_bytes(name))
    form = next((each for start, each in _FORMATS.items() if source.startswith(start)), None)
    if form is None:
        raise PictureError(f"{quoted(name)} is no PNG or JPEG file, by its content. Save it as one of these.")
    opener = getattr(needed(f"PIL.{form}ImagePlugin", "figures"), f"{form}ImageFile")  # that format alone
    try:
        with warnings_kept(), opener(io.BytesIO(source)) as image:
            _check_size(name, *image.size)
            picture = _read(name, image)
    except PictureError:
        raise
    except _BROKEN as error:
        raise PictureError(f"{quoted(name)} is broken: {error}. Save the image anew.") from None
    return replace(picture, sha256=hashlib.sha256(source).hexdigest())


def _too_many_bytes(name: str) -> str:
    return f"{quoted(name)} has more than {MAX_BYTES // 2**20} MB. Save the image smaller."


def _check_size(name: str, width: int, height: int) -> None:
    """Refuse an image by the size that its header gives, before it is decoded."""
    size = f"{quoted(name)} has {width:,} × {height:,} pixels"
    if width * height > MAX_PIXELS:
        raise PictureError(f"{size}, more than the {MAX_PIXELS:,} that are read. Save the image smaller.")
    if min(width, height) < LEAST_SIDE:
        raise PictureError(f"{size}, too few to segment: give at least {LEAST_SIDE} on each side.")


def _read(name: str, image: ImageFile) -> Picture:
    """Decode an image whose size has been checked."""
    notes = []
    width, height = image.size
    share = (MOST_PIXELS / (width * height)) ** 0.5
    smaller = max(1, int(width * share)), max(1, int(height * share))
    turn = None
    with suppress(*_BROKEN):  # EXIF that cannot be read says nothing
        turn = _UPRIGHT.get(int(image.getexif().get(_ORIENTATION, 1)))
    if share < 1:
        image.draft("RGB", smaller)  # a JPEG file is decoded at a half, a quarter or an eighth
    flat: Image.Image = image
    if image.mode.startswith("I"):  # 16 bits of grey, of which the upper 8 are taken
        flat = Image.fromarray((np.asarray(image) >> 8).clip(0, 255).astype(np.uint8))
        notes.append("Its 16 bits are read as 8.")
    is_clear = image.has_transparency_data
    flat = flat.convert("RGBA" if is_clear else "RGB")
    if share < 1:
        flat = flat.resize(smaller, Image.Resampling.BOX)
        notes.append(f"Its {width:,} × {height:,} pixels are reduced to {smaller[0]:,} × {smaller[1]:,}.")
    if is_clear:
        flat = Image.alpha_composite(Image.new("RGBA", flat.size, "#FFFFFF"), flat).convert("RGB")
        notes.append("Transparent pixels lie on white.")
    if turn is not None:
        flat = flat.transpose(Image.Transpose[turn])
        notes.append("It is turned as its EXIF data say.")
    if min(flat.size) < LEAST_SIDE:
        raise PictureError(
            f"{quoted(name)} is {width:,} × {height:,} pixels, too narrow to be reduced to {MOST_PIXELS:,}. "
            "Cut a part out of it."
        )
    return Picture(name, np.array(flat, dtype=np.uint8), notes=tuple(notes))
