"""Pictures of segments: what is exported, and what the browser gets."""

import base64
import io
import zlib

import numpy as np
from PIL import Image, ImageColor

from mmc.figures.palette import COLORS
from mmc.figures.segments import (
    borders,
    colors_png,
    mask_png,
    mean_colors,
    packed_labels,
    picture_url,
    segments_of,
)

LABELS = np.array([[0, 0, 2, 2], [0, 0, 2, 2], [0, 0, 0, 2]])
PIXELS = np.arange(36, dtype=np.uint8).reshape(3, 4, 3) * 7


def opened(content):
    """Read a picture back."""
    return Image.open(io.BytesIO(content))


def test_mean_colours_are_the_means():
    """Each pixel has the rounded mean of its segment; numbers without pixels are left out."""
    drawn = mean_colors(PIXELS, LABELS)
    for h in (0, 2):
        expected = np.round(PIXELS[h == LABELS].mean(axis=0))
        assert (drawn[h == LABELS] == expected).all()
    found = segments_of(PIXELS, LABELS)
    assert [(each.number, each.share) for each in found] == [(0, 7 / 12), (2, 5 / 12)]
    assert [ImageColor.getrgb(each.color) for each in found] == [tuple(drawn[0, 0]), tuple(drawn[0, 3])]


def test_borders_lie_between_segments_alone():
    """White before a border and black behind it; all else is the image."""
    drawn = borders(PIXELS, LABELS)
    white = [[0, 1], [1, 1], [1, 2], [2, 2]]
    assert np.argwhere((drawn == 255).all(axis=2)).tolist() == white
    assert (drawn[0, 2] == 0).all()
    np.testing.assert_array_equal(drawn[:, 0], PIXELS[:, 0])
    np.testing.assert_array_equal(borders(PIXELS, np.zeros((3, 4), dtype=int)), PIXELS)


def test_the_mask_comes_back_from_its_file():
    """The values of the PNG file are the labels, in the colours of clusters."""
    image = opened(mask_png(LABELS))
    assert image.mode == "P"
    np.testing.assert_array_equal(np.asarray(image), LABELS)
    assert image.convert("RGB").getpixel((3, 0)) == ImageColor.getrgb(COLORS[2])


def test_colours_come_back_from_their_file():
    """PNG loses nothing."""
    np.testing.assert_array_equal(np.asarray(opened(colors_png(PIXELS))), PIXELS)


def test_the_browser_gets_labels_and_image():
    """Two bytes for each label, lowest first, and a JPEG file in a URL."""
    many = LABELS * 500
    sent = np.frombuffer(zlib.decompress(base64.b64decode(packed_labels(many))), dtype="<u2")
    np.testing.assert_array_equal(sent.reshape(many.shape), many)
    start, _, content = picture_url(PIXELS).partition(",")
    assert start == "data:image/jpeg;base64"
    assert opened(base64.b64decode(content)).size == (4, 3)
