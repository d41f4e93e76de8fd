"""Features of pixels: colour, colour and place, or statistics of the window around each pixel.

*Colour* is red, green and blue from 0 to 255, as in [iterSVR] section IV-D, or Lab, in which equal distances
look about equally large to people; RGB lets a change of light look like a change of colour. The other two
build on Lab for that reason, and their further columns have its units: lightness goes from 0 to 100.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from mmc._checks import nearest, quoted

Array = NDArray[np.float64]

#: Titles of the features by their names.
FEATURES: Mapping[str, str] = MappingProxyType(
    {
        "rgb": "Colour as in the paper (RGB)",
        "lab": "Colour as people see it (Lab)",
        "place": "Colour and place",
        "texture": "Texture windows",
    }
)

#: Largest weight of the place, and widths of windows.
MAX_PLACE, WINDOWS = 5.0, tuple(range(3, 32, 2))

#: Names of the columns.
_COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "rgb": ("red", "green", "blue"),
        "lab": ("L", "a", "b"),
        "place": ("L", "a", "b", "across", "down"),
        "texture": ("mean L", "mean a", "mean b", "deviation of L", "change across", "change down"),
    }
)

#: From linear sRGB to XYZ relative to the white of D65 (IEC 61966-2-1).
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def check_features(features: str, place: float, window: int) -> None:
    """Check the choice of features.

    Parameters
    ----------
    features, place, window : str, float, int
        As in `pixel_features`.

    Raises
    ------
    ValueError
        If one is not allowed; the message names it and what would be right.
    """
    if not isinstance(features, str) or features not in FEATURES:
        raise ValueError(
            f"features={quoted(features)} is not right for an image: {nearest(str(features), FEATURES)}"
        )
    if isinstance(place, bool) or not isinstance(place, int | float) or not 0 <= place <= MAX_PLACE:
        raise ValueError(f"place={quoted(place)} is not right: give a number from 0 to {MAX_PLACE:g}.")
    if isinstance(window, bool) or not isinstance(window, int) or window not in WINDOWS:
        raise ValueError(
            f"window={quoted(window)} is not right: give an odd number from {WINDOWS[0]} to {WINDOWS[-1]}."
        )


def feature_names(features: str) -> tuple[str, ...]:
    """Return the names of the columns of `pixel_features`."""
    return _COLUMNS[features]


def pixel_features(
    pixels: NDArray[np.uint8], features: str = "lab", *, place: float = 0.5, window: int = 7
) -> Array:
    """Return the features of all pixels, row after row of the image.

    Parameters
    ----------
    pixels : ndarray of shape (height, width, 3), uint8
        Red, green and blue of each pixel (sRGB).
    features : {"rgb", "lab", "place", "texture"}, default="lab"
        "place" is Lab and the place. "texture" is, of the window around a pixel, the mean of L, a and b, the
        standard deviation of L, and the mean absolute difference of L between neighbours across and down;
        beyond the border the image is mirrored.
    place : float, default=0.5
        Weight of the place: the longer side of the image counts as much as this share of the way from black
        to white. It matters for "place" alone.
    window : int, default=7
        Width of the window in pixels, odd. It matters for "texture" alone.

    Returns
    -------
    X : ndarray of shape (height · width, n_features)

    Raises
    ------
    ValueError
        If an option is not allowed.

    Examples
    --------
    >>> import numpy as np
    >>> from mmc.images import pixel_features
    >>> pixel_features(np.full((8, 8, 3), 255, dtype=np.uint8), "lab")[0].round(1).tolist()
    [100.0, 0.0, 0.0]
    """
    check_features(features, place, window)
    height, width = pixels.shape[:2]
    if features == "rgb":
        return pixels.reshape(-1, 3).astype(np.float64)
    lab = to_lab(pixels)
    columns = [lab[:, :, 0], lab[:, :, 1], lab[:, :, 2]]
    if features == "place":
        unit = 100.0 * place / max(height, width)
        columns += list(np.broadcast_arrays(unit * np.arange(width), unit * np.arange(height)[:, None]))
    elif features == "texture":
        columns = _texture(lab, window)
    return np.column_stack([column.ravel() for column in columns])


def to_lab(pixels: NDArray[np.uint8]) -> Array:
    """Return colours in CIE L*a*b* for the white of D65.

    Parameters
    ----------
    pixels : ndarray of shape (height, width, 3), uint8
        Colours in sRGB.

    Returns
    -------
    ndarray of shape (height, width, 3)
        Lightness from 0 to 100, green to red, and blue to yellow.
    """
    values = np.arange(256) / 255.0
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)[pixels]
    t = linear @ (_TO_XYZ / _TO_XYZ.sum(axis=1, keepdims=True)).T
    edge = 6.0 / 29.0
    x, y, z = np.moveaxis(np.where(t > edge**3, np.cbrt(t), t / (3 * edge**2) + 4.0 / 29.0), -1, 0)
    return np.stack([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)], axis=-1)


def _texture(lab: Array, window: int) -> list[Array]:
    light = lab[:, :, 0]
    means = [_mean(lab[:, :, c], window) for c in range(3)]
    deviation = np.sqrt(np.maximum(_mean(light**2, window) - means[0] ** 2, 0.0))
    across = np.abs(np.diff(light, axis=1, append=light[:, -1:]))
    down = np.abs(np.diff(light, axis=0, append=light[-1:]))
    return [*means, deviation, _mean(across, window), _mean(down, window)]


def _mean(values: Array, window: int) -> Array:
    return np.asarray(uniform_filter(values, window, mode="reflect"))
