"""Features of pixels against the plain formulas."""

import numpy as np
import pytest

from mmc.images import pixel_features
from mmc.images.features import feature_names, to_lab

PIXELS = np.random.RandomState(0).randint(0, 256, (9, 12, 3), dtype=np.uint8)


def plain_lab(color):
    """Convert one colour by the formulas of CIE and IEC, one number at a time."""
    linear = []
    for value in color:
        v = value / 255
        linear.append(v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4)
    rows = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
    f = []
    for row in rows:
        t = sum(a * b for a, b in zip(row, linear, strict=True)) / sum(row)
        f.append(t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116)
    return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]


def window_of(values, y, x, window):
    """Cut the window around a pixel out of an image that is mirrored beyond its border."""
    half = window // 2
    padded = np.pad(values, half, mode="symmetric")
    return padded[y : y + window, x : x + window]


def test_lab_of_known_colours():
    """White, black and pure red, as tables of colours have them."""
    colors = np.array([[[255, 255, 255], [0, 0, 0], [255, 0, 0]]], dtype=np.uint8)
    expected = [[100, 0, 0], [0, 0, 0], [53.24, 80.09, 67.20]]
    np.testing.assert_allclose(to_lab(colors)[0], expected, atol=0.01)


def test_lab_by_the_formula():
    """Every colour as the formula gives it, also dark ones."""
    dark = PIXELS // 40
    for pixels in (PIXELS, dark):
        expected = [plain_lab(color) for color in pixels.reshape(-1, 3)]
        np.testing.assert_allclose(to_lab(pixels).reshape(-1, 3), expected, atol=1e-9)


def test_colours_are_rows_of_the_image():
    """RGB is the pixels themselves, row after row."""
    np.testing.assert_array_equal(pixel_features(PIXELS, "rgb"), PIXELS.reshape(-1, 3))


def test_place_is_a_share_of_the_longer_side():
    """Two columns after Lab: steps of 100 times the weight, divided by the longer side."""
    X = pixel_features(PIXELS, "place", place=0.3)
    np.testing.assert_allclose(X[:, :3], pixel_features(PIXELS, "lab"))
    for i, (y, x) in enumerate(np.ndindex(9, 12)):
        assert X[i, 3:].tolist() == pytest.approx([30 * x / 12, 30 * y / 12])


@pytest.mark.parametrize("window", [3, 5, 7])
def test_texture_by_the_formula(window):
    """Means, deviation and mean differences of each window, computed for one pixel after the other."""
    lab = to_lab(PIXELS)
    light = lab[:, :, 0]
    across, down = np.zeros_like(light), np.zeros_like(light)
    across[:, :-1] = np.abs(light[:, 1:] - light[:, :-1])
    down[:-1] = np.abs(light[1:] - light[:-1])
    X = pixel_features(PIXELS, "texture", window=window)
    for i, (y, x) in enumerate(np.ndindex(9, 12)):
        means = [window_of(lab[:, :, c], y, x, window).mean() for c in range(3)]
        deviation = window_of(light, y, x, window).std()
        changes = [window_of(values, y, x, window).mean() for values in (across, down)]
        np.testing.assert_allclose(X[i], [*means, deviation, *changes], atol=1e-6)


@pytest.mark.parametrize("features", ["rgb", "lab", "place", "texture"])
def test_every_column_has_a_name(features):
    """As many names as columns."""
    assert pixel_features(PIXELS, features).shape == (108, len(feature_names(features)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": "Lab"}, "did you mean 'lab'"),
        ({"features": 3}, "features=3 is not right"),
        ({"features": "place", "place": -1.0}, "give a number from 0 to 5"),
        ({"features": "place", "place": float("nan")}, "give a number from 0 to 5"),
        ({"features": "texture", "window": 4}, "give an odd number from 3 to 31"),
        ({"features": "texture", "window": 10**9 + 1}, "give an odd number from 3 to 31"),
    ],
)
def test_options_are_checked(options, message):
    """A wrong option is named with what would be right."""
    with pytest.raises(ValueError, match=message):
        pixel_features(PIXELS, **options)
