"""Drawn pictures of 240×160 pixels with a planted mask, the size of the images of [iterSVR]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Height and width.
SHAPE = (160, 240)

Array = NDArray[np.float64]
Drawn = tuple[NDArray[np.uint8], NDArray[np.int64]]

#: Standard deviation of the noise of each colour.
_NOISE = 10.0


def draw_shapes() -> Drawn:
    """Draw a disc, a square and a triangle in four colours, with noise and a shade from left to right.

    Returns
    -------
    pixels : ndarray of shape (160, 240, 3), uint8
    mask : ndarray of shape (160, 240)
        0 for the ground, 1, 2 and 3 for the shapes.
    """
    y, x = _places()
    mask = np.zeros(SHAPE, dtype=np.int64)
    mask[(x - 60) ** 2 + (y - 55) ** 2 <= 42**2] = 1
    mask[(np.abs(x - 180) <= 38) & (np.abs(y - 60) <= 38)] = 2
    mask[(y >= 98) & (y <= 150) & (np.abs(x - 115) <= 0.75 * (y - 98))] = 3
    colors = np.array([[70, 90, 140], [215, 165, 60], [60, 150, 90], [190, 80, 75]], dtype=np.float64)
    shade = 0.9 + 0.2 * x / SHAPE[1]
    return _noisy(colors[mask] * shade[:, :, None]), mask


def draw_twins() -> Drawn:
    """Draw two tiles of one colour on a ground.

    Returns
    -------
    pixels : ndarray of shape (160, 240, 3), uint8
    mask : ndarray of shape (160, 240)
        0 for the ground, 1 for the tile on the left and 2 for that on the right.
    """
    y, x = _places()
    mask = (1 + (x > SHAPE[1] / 2)) * (np.abs(y - 79.5) < 68) * (np.abs(np.abs(x - 119.5) - 62) < 50)
    colors = np.array([[60, 75, 95], [225, 170, 80], [225, 170, 80]], dtype=np.float64)
    return _noisy(colors[mask]), mask.astype(np.int64)


def draw_textures() -> Drawn:
    """Draw four quarters of one mean colour: plain grey, two directions of stripes, and checks.

    Returns
    -------
    pixels : ndarray of shape (160, 240, 3), uint8
    mask : ndarray of shape (160, 240)
        0 and 1 for plain grey and stripes across, in the upper half; 2 and 3 for stripes upwards and checks.
    """
    y, x = _places()
    mask = 2 * (y >= SHAPE[0] // 2).astype(np.int64) + (x >= SHAPE[1] // 2)
    across, upwards = (y.astype(int) // 2) % 2 * 2 - 1, (x.astype(int) // 2) % 2 * 2 - 1
    wave = np.choose(mask, [np.zeros(SHAPE), 45.0 * across, 45.0 * upwards, 45.0 * across * upwards])
    return _noisy(np.repeat(128.0 + wave[:, :, None], 3, axis=2)), mask


def _places() -> tuple[Array, Array]:
    y, x = np.mgrid[: SHAPE[0], : SHAPE[1]].astype(np.float64)
    return y, x


def _noisy(pixels: Array) -> NDArray[np.uint8]:
    """Add noise, which is the same every time."""
    noise = np.random.RandomState(0).normal(0.0, _NOISE, pixels.shape)
    return np.round(pixels + noise).clip(0, 255).astype(np.uint8)
