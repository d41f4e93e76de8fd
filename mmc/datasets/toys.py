"""Point sets in the plane with a known grouping.

Four of them are the toys of [SMIC] (Sugiyama, Yamada, Kimura and Hachiya: On information-maximization
clustering, ICML 2011): four Gaussians (a), circle and Gaussian (b), two spirals (c), high and low density
(d). The noise is drawn even if its size is zero, so that for one seed the points move smoothly as the noise
grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn import datasets as sklearn_datasets
from sklearn.utils import check_random_state

from mmc.datasets._options import check_imbalance, check_n_samples, check_noise

RandomState = int | np.random.RandomState | None
Floats = npt.NDArray[np.float64]


class Points(NamedTuple):
    """Points of the plane, and the group of each."""

    X: Floats
    y: npt.NDArray[np.int64]


def class_sizes(n_samples: int, n_classes: int, imbalance: float = 0.0) -> list[int]:
    """Divide points among classes in proportion to ``(1 - imbalance)**i``, at least one for each.

    Parameters
    ----------
    n_samples : int
        Number of points, at least ``n_classes`` and at most a million.
    n_classes : int
        Number of classes.
    imbalance : float, default=0.0
        Share by which each class is smaller than the one before it, from 0 (equal sizes) to 0.9.

    Returns
    -------
    list of int
        The sizes in decreasing order; their sum is ``n_samples``.
    """
    check_n_samples(n_samples, n_classes)
    check_imbalance(imbalance)
    weights = (1.0 - float(imbalance)) ** np.arange(n_classes)
    quotas = int(n_samples) * weights / weights.sum()
    sizes = [int(quota) for quota in quotas]
    by_remainder = np.argsort(np.floor(quotas) - quotas, kind="stable")
    for i in by_remainder[: int(n_samples) - sum(sizes)]:
        sizes[i] += 1
    while 0 in sizes:
        # The last of the largest classes gives a point, so that the sizes stay in decreasing order.
        sizes[n_classes - 1 - sizes[::-1].index(max(sizes))] -= 1
        sizes[sizes.index(0)] += 1
    return sizes


def make_three_gaussians(
    n_samples: int = 300, *, noise: float = 0.6, imbalance: float = 0.0, random_state: RandomState = None
) -> Points:
    """Draw three round Gaussians at the corners of a triangle with sides of 2√3.

    Parameters
    ----------
    n_samples : int, default=300
        Number of points in all.
    noise : float, default=0.6
        Standard deviation of each Gaussian.
    imbalance : float, default=0.0
        Share by which each class is smaller than the one before it, from 0 (equal sizes) to 0.9.
    random_state : int, RandomState or None, default=None
        Seed of the draw. An integer makes it reproducible.

    Returns
    -------
    Points
        ``X`` of shape (n_samples, 2) and ``y`` of shape (n_samples,), in random order.

    Examples
    --------
    >>> import numpy as np
    >>> from mmc.datasets import make_three_gaussians
    >>> X, y = make_three_gaussians(70, imbalance=0.5, random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((70, 2), [40, 20, 10])
    """
    angles = np.pi * np.array([1 / 2, 7 / 6, 11 / 6])
    means = 2.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    return _gaussians(means, n_samples, noise, imbalance, random_state)


def make_four_gaussians(
    n_samples: int = 300, *, noise: float = 0.5, imbalance: float = 0.0, random_state: RandomState = None
) -> Points:
    """Draw four round Gaussians with means (±2, ±2), toy (a) of [SMIC].

    Parameters
    ----------
    n_samples : int, default=300
        Number of points in all.
    noise : float, default=0.5
        Standard deviation of each Gaussian.
    imbalance : float, default=0.0
        Share by which each class is smaller than the one before it, from 0 (equal sizes) to 0.9.
    random_state : int, RandomState or None, default=None
        Seed of the draw. An integer makes it reproducible.

    Returns
    -------
    Points
        ``X`` of shape (n_samples, 2) and ``y`` of shape (n_samples,), in random order.
    """
    means = np.array([[-2.0, -2.0], [-2.0, 2.0], [2.0, -2.0], [2.0, 2.0]])
    return _gaussians(means, n_samples, noise, imbalance, random_state)


def make_moons(
    n_samples: int = 300, *, noise: float = 0.05, imbalance: float = 0.0, random_state: RandomState = None
) -> Points:
    """Draw two interleaving half circles.

    Parameters
    ----------
    n_samples : int, default=300
        Number of points in all.
    noise : float, default=0.05
        Standard deviation of the noise that is added to every point.
    imbalance : float, default=0.0
        Share by which each class is smaller than the one before it, from 0 (equal sizes) to 0.9.
    random_state : int, RandomState or None, default=None
        Seed of the draw. An integer makes it reproducible.

    Returns
    -------
    Points
        ``X`` of shape (n_samples, 2) and ``y`` of shape (n_samples,), in random order.
    """
    outer, inner = class_sizes(n_samples, 2, imbalance)
    X, y = sklearn_datasets.make_moons((outer, inner), shuffle=False)
    return _finished([X[y == 0], X[y == 1]], noise, check_random_state(random_state))


def make_spirals(
    n_samples: int = 300, *, noise: float = 0.1, imbalance: float = 0.0, random_state: RandomState = None
) -> Points:
    """Draw two interleaving spirals, toy (c) of [SMIC].

    An arm makes three quarters of a turn while its radius grows from 1 towards 3.

    Parameters
    ----------
    n_samples : int, default=300
        Number of points in all.
    noise : float, default=0.1
        Standard deviation of the noise that is added to every point.
    imbalance : float, default=0.0
        Share by which each class is smaller than the one before it, from 0 (equal sizes) to 0.9.
    random_state : int, RandomState or None, default=None
        Seed of the draw. An integer makes it reproducible.

    Returns
    -------
    Points
        ``X`` of shape (n_samples, 2) and ``y`` of shape (n_samples,), in random order.
    """
    first, second = class_sizes(n_samples, 2, imbalance)
    return _finished([_arm(first), -_arm(second)], noise, check_random_state(random_state))


def make_circle_gaussian(
    n_samples: int = 300, *, noise: float = 0.1, imbalance: float = 0.0, random_state: RandomState = None
) -> Points:
    """Draw a standard Gaussian inside a circle of radius 5, toy (b) of [SMIC].

    Parameters
    ----------
    n_samples : int, default=300
        Number of points in all.
    noise : float, default=0.1
        Standard deviation of the noise that is added to every point.
    imbalance : float, default=0.0
        Share by which each class is smaller than the one before it, from 0 (equal sizes) to 0.9.
    random_state : int, RandomState or None, default=None
        Seed of the draw. An integer makes it reproducible.

    Returns
    -------
    Points
        ``X`` of shape (n_samples, 2) and ``y`` of shape (n_samples,), in random order.
    """
    inside, around = class_sizes(n_samples, 2, imbalance)
    rng = check_random_state(random_state)
    return _finished([rng.standard_normal((inside, 2)), _circle(around, 5.0)], noise, rng)


def make_high_low(
    n_samples: int = 300, *, noise: float = 0.0, imbalance: float = 0.0, random_state: RandomState = None
) -> Points:
    """Draw a wide Gaussian and one with a hundredth of its variance at its centre, toy (d) of [SMIC].

    Parameters
    ----------
    n_samples : int, default=300
        Number of points in all.
    noise : float, default=0.0
        Standard deviation of the noise that is added to every point.
    imbalance : float, default=0.0
        Share by which each class is smaller than the one before it, from 0 (equal sizes) to 0.9.
    random_state : int, RandomState or None, default=None
        Seed of the draw. An integer makes it reproducible.

    Returns
    -------
    Points
        ``X`` of shape (n_samples, 2) and ``y`` of shape (n_samples,), in random order.
    """
    wide, narrow = class_sizes(n_samples, 2, imbalance)
    rng = check_random_state(random_state)
    parts = [rng.standard_normal((wide, 2)), 0.1 * rng.standard_normal((narrow, 2))]
    return _finished(parts, noise, rng)


def make_rings(
    n_samples: int = 300, *, noise: float = 0.1, imbalance: float = 0.0, random_state: RandomState = None
) -> Points:
    """Draw two rings around the same centre, with radii 2.5 and 1.

    Parameters
    ----------
    n_samples : int, default=300
        Number of points in all.
    noise : float, default=0.1
        Standard deviation of the noise that is added to every point.
    imbalance : float, default=0.0
        Share by which each class is smaller than the one before it, from 0 (equal sizes) to 0.9.
    random_state : int, RandomState or None, default=None
        Seed of the draw. An integer makes it reproducible.

    Returns
    -------
    Points
        ``X`` of shape (n_samples, 2) and ``y`` of shape (n_samples,), in random order.
    """
    outer, inner = class_sizes(n_samples, 2, imbalance)
    parts = [_circle(outer, 2.5), _circle(inner, 1.0)]
    return _finished(parts, noise, check_random_state(random_state))


def make_anisotropic(
    n_samples: int = 300, *, noise: float = 0.4, imbalance: float = 0.0, random_state: RandomState = None
) -> Points:
    """Draw three long parallel Gaussians, which are round ones after a shear.

    They are longer than they are far apart, which misleads methods that look for round clusters.

    Parameters
    ----------
    n_samples : int, default=300
        Number of points in all.
    noise : float, default=0.4
        Standard deviation of each Gaussian before the shear.
    imbalance : float, default=0.0
        Share by which each class is smaller than the one before it, from 0 (equal sizes) to 0.9.
    random_state : int, RandomState or None, default=None
        Seed of the draw. An integer makes it reproducible.

    Returns
    -------
    Points
        ``X`` of shape (n_samples, 2) and ``y`` of shape (n_samples,), in random order.
    """
    shear = np.array([[1.0, 2.0], [0.0, 1.0]])
    means = np.array([[-1.3, 0.5], [0.0, 0.0], [1.3, -0.5]]) @ np.linalg.inv(shear)
    X, y = _gaussians(means, n_samples, noise, imbalance, random_state)
    return Points(X @ shear, y)


def make_noise(n_samples: int = 300, *, random_state: RandomState = None) -> Points:
    """Draw uniformly distributed points of the unit square, which have no clusters.

    Parameters
    ----------
    n_samples : int, default=300
        Number of points.
    random_state : int, RandomState or None, default=None
        Seed of the draw. An integer makes it reproducible.

    Returns
    -------
    Points
        ``X`` of shape (n_samples, 2) and ``y``, which is all zeros.
    """
    (size,) = class_sizes(n_samples, 1)
    X = check_random_state(random_state).uniform(size=(size, 2))
    return Points(X, np.zeros(size, dtype=np.int64))


def _gaussians(
    means: Floats, n_samples: int, noise: float, imbalance: float, random_state: RandomState
) -> Points:
    sizes = class_sizes(n_samples, len(means), imbalance)
    parts = [np.tile(mean, (size, 1)) for mean, size in zip(means, sizes, strict=True)]
    return _finished(parts, noise, check_random_state(random_state))


def _arm(size: int) -> Floats:
    t = np.arange(size) / size
    length, angle = 1.0 + 2.0 * t, 1.5 * np.pi * t  # l_i and m_i of [SMIC], with n = 2 size
    return np.column_stack([length * np.cos(angle), length * np.sin(angle)])


def _circle(size: int, radius: float) -> Floats:
    angles = 2.0 * np.pi * np.arange(size) / size
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def _finished(parts: Sequence[Floats], noise: float, rng: np.random.RandomState) -> Points:
    """Stack the classes, add noise and shuffle the rows, so that their order carries no information."""
    check_noise(noise)
    X = np.vstack(parts)
    X = X + float(noise) * rng.standard_normal(X.shape)
    y = np.repeat(np.arange(len(parts), dtype=np.int64), [len(part) for part in parts])
    order = rng.permutation(len(X))
    return Points(X[order], y[order])
