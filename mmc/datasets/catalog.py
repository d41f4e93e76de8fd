"""The catalogue of the built-in data sets, and one function that loads them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from numpy.random import RandomState

from mmc._checks import quoted
from mmc.datasets import bundled, toys
from mmc.datasets._dataset import Dataset, from_arrays
from mmc.datasets._options import CHECKS
from mmc.datasets.drawn import check_drawn, load_drawn


@dataclass(frozen=True)
class Entry:
    """One built-in data set.

    Attributes
    ----------
    key : str
        Name of the set for `load`.
    title, summary : str
        A heading, and one sentence about the content.
    kind : {"toy", "bundled", "drawn"}
        Random points in the plane, measured data, or points that somebody has drawn.
    n_clusters : int
        Number of groups of the reference labelling; 2 if there is none.
    standardize : bool
        Whether the set should be standardized before clustering.
    parameters : tuple of str
        Names of the parameters that `load` accepts for it.
    noise_default, noise_max : float or None
        Default and largest sensible noise; None if there is no noise parameter.
    loader : callable
        Returns the `Dataset`; takes ``parameters`` by name.
    """

    key: str
    title: str
    summary: str
    kind: Literal["toy", "bundled", "drawn"]
    n_clusters: int
    standardize: bool
    parameters: tuple[str, ...]
    noise_default: float | None
    noise_max: float | None
    loader: Callable[..., Dataset]


#: The check of each argument by its name.
_CHECKS = {**CHECKS, "points": check_drawn}


def load(key: str, **parameters: Any) -> Dataset:
    """Load a built-in data set.

    Parameters
    ----------
    key : str
        A key of `CATALOG`, for example ``"moons"``.
    **parameters : dict
        Values of ``CATALOG[key].parameters``, for example ``n_samples=100``.

    Returns
    -------
    Dataset
        The data, not standardized.

    Raises
    ------
    ValueError
        If there is no such set or parameter, or a value is of another type or out of range.

    Examples
    --------
    >>> from mmc.datasets import load
    >>> load("moons", n_samples=100, random_state=0).X.shape
    (100, 2)
    """
    written = {n: v for n, v in parameters.items() if v is not None and not isinstance(v, RandomState)}
    check_options(key, written)
    return CATALOG[key].loader(**parameters)


def check_options(key: str, options: Mapping[str, Any]) -> None:
    """Check arguments of a built-in data set before anything is allocated.

    Parameters
    ----------
    key : str
        A key of `CATALOG`.
    options : mapping
        Arguments by name, as an experiment or an address writes them: a seed is a number.

    Raises
    ------
    ValueError
        If there is no such set or argument, or a value is of another type or out of range.
    """
    if key not in CATALOG:
        raise ValueError(f"there is no data set {quoted(key)}; known ones are {', '.join(CATALOG)}")
    known = CATALOG[key].parameters
    for name, value in options.items():
        if name not in known:
            takes = ", ".join(known) or "no parameters"
            raise ValueError(f"the data set {key!r} does not take {quoted(name)}; it takes {takes}")
        _CHECKS[name](value)


def _load_toy(make: Callable[..., toys.Points], key: str, **parameters: Any) -> Dataset:
    X, y = make(**parameters)
    return from_arrays(X, None if make is toys.make_noise else y, ("x1", "x2"), key)


def _toy(
    key: str,
    title: str,
    make: Callable[..., toys.Points],
    n_clusters: int,
    noise_max: float | None,
    summary: str,
) -> Entry:
    signature = inspect.signature(make).parameters
    noise_default = signature["noise"].default if "noise" in signature else None
    loader = partial(_load_toy, make, key)
    return Entry(
        key, title, summary, "toy", n_clusters, True, tuple(signature), noise_default, noise_max, loader
    )


def _bundled(
    key: str, title: str, loader: Callable[..., Dataset], n_clusters: int, standardize: bool, summary: str
) -> Entry:
    parameters = tuple(inspect.signature(loader).parameters)
    return Entry(key, title, summary, "bundled", n_clusters, standardize, parameters, None, None, loader)


_ENTRIES = (
    _toy(
        "moons",
        "Two moons",
        toys.make_moons,
        2,
        0.4,
        "Two half circles that reach into each other, so no straight line separates them.",
    ),
    _toy(
        "circle-gaussian",
        "Circle and Gaussian",
        toys.make_circle_gaussian,
        2,
        1.5,
        "A round cloud inside a circle: both groups have the same centre.",
    ),
    _toy(
        "three-gaussians",
        "Three Gaussians",
        toys.make_three_gaussians,
        3,
        2.0,
        "Three round clouds that just touch: the easy case, which every method should solve.",
    ),
    _toy(
        "spirals",
        "Two spirals",
        toys.make_spirals,
        2,
        0.5,
        "Two arms wound around each other: what belongs together is a path, not a cloud.",
    ),
    _toy(
        "rings",
        "Two rings",
        toys.make_rings,
        2,
        0.6,
        "A small ring inside a larger one, around the same centre.",
    ),
    _toy(
        "four-gaussians",
        "Four Gaussians",
        toys.make_four_gaussians,
        4,
        2.0,
        "Four round clouds at the corners of a square, clearly apart.",
    ),
    _toy(
        "anisotropic",
        "Long clouds",
        toys.make_anisotropic,
        3,
        1.5,
        "Three long parallel clouds, which k-means cuts across because it expects round ones.",
    ),
    _toy(
        "high-low",
        "High and low density",
        toys.make_high_low,
        2,
        0.5,
        "A small dense cloud in the middle of a wide thin one: the groups differ only in their density.",
    ),
    _toy(
        "noise",
        "Nothing but noise",
        toys.make_noise,
        2,
        None,
        "Points spread evenly over a square: there are no clusters, yet most methods will report some.",
    ),
    _bundled(
        "iris",
        "Iris flowers",
        bundled.load_iris,
        3,
        True,
        "Flowers of three species, measured in four lengths; one species is easy to tell, two overlap.",
    ),
    _bundled(
        "wine",
        "Wines",
        bundled.load_wine,
        3,
        True,
        "Wines from three growers, measured in 13 chemical properties of very different scale.",
    ),
    _bundled(
        "digits",
        "Handwritten digits",
        bundled.load_digits,
        10,
        False,
        "Handwritten digits as images of 8 by 8 pixels; two that are easily confused are 3 and 8.",
    ),
    _bundled(
        "breast-cancer",
        "Breast cancer",
        bundled.load_breast_cancer,
        2,
        True,
        "Malignant and benign tumours, measured in 30 properties of their cell nuclei.",
    ),
    Entry(
        "drawn",
        "Drawn by hand",
        "Points that you draw yourself, with up to four groups; until then two arcs.",
        "drawn",
        2,
        True,
        ("points",),
        None,
        None,
        load_drawn,
    ),
)

#: All sets by key, in the order in which people choose from them: toys first, the most used at their head.
CATALOG: Mapping[str, Entry] = MappingProxyType({entry.key: entry for entry in _ENTRIES})
