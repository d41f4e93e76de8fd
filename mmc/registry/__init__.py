"""The registry of all algorithms.

The controls of the app, the command line, the table in the README and the contract tests are made from it. An
algorithm is added by one module and one entry here, or from outside the library by `register`. Defaults are
those of the class and are not repeated. Ranges are values that a user may sensibly try; the class itself
decides what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mmc._checks import nearest, quoted
from mmc.registry import (
    _baselines,
    _cutting_plane,
    _evolutionary,
    _infomax,
    _iterative,
    _least_squares,
    _semidefinite,
)
from mmc.registry._limits import MOST_SAMPLES, Bound, Limit, raised
from mmc.registry._panels import (
    CoursePanel,
    GraphPanel,
    MarginPanel,
    MatrixPanel,
    MemberPanel,
    Panel,
    PosteriorPanel,
    PriorPanel,
    Quantity,
    WeightPanel,
)
from mmc.registry._types import Algorithm, Candidacy, Line, Parameter, Rival, Row

__all__ = [
    "ALGORITHMS",
    "MOST_SAMPLES",
    "Algorithm",
    "Bound",
    "Candidacy",
    "CoursePanel",
    "GraphPanel",
    "Limit",
    "Line",
    "MarginPanel",
    "MatrixPanel",
    "MemberPanel",
    "Panel",
    "Parameter",
    "PosteriorPanel",
    "PriorPanel",
    "Quantity",
    "Rival",
    "Row",
    "WeightPanel",
    "bound",
    "get",
    "most_used_first",
    "raised",
    "register",
]


def get(name: str) -> Algorithm:
    """Return an algorithm by its name.

    Parameters
    ----------
    name : str
        Name of the algorithm.

    Returns
    -------
    Algorithm

    Raises
    ------
    ValueError
        If there is no such algorithm; the message lists the names.
    """
    if name not in ALGORITHMS:
        raise ValueError(f"There is no algorithm {quoted(name)}: {nearest(name, ALGORITHMS)}")
    return ALGORITHMS[name]


def bound(name: str, values: Mapping[str, Any]) -> Bound:
    """Return the maximum number of points in the app for an algorithm with its parameters.

    Parameters
    ----------
    name : str
        Name of the algorithm.
    values : mapping
        Parameters by name; the others have their defaults.

    Returns
    -------
    Bound
        It can be sent to other processes, which need not know the algorithm.

    Raises
    ------
    ValueError
        If there is no such algorithm.
    """
    entry = get(name)
    most = entry.most_samples(values)
    remedy = f"It takes {entry.limit.remedy}." if entry.limit and most < MOST_SAMPLES else ""
    others = tuple(
        (other.name, other.most_samples({})) for other in ALGORITHMS.values() if other is not entry
    )
    return Bound(name, most, entry.setting(values), remedy, others)


def most_used_first() -> list[Algorithm]:
    """Return all algorithms in the order in which people choose from them.

    The order of `ALGORITHMS` is that of the papers, and settles ties of searches; this one does not.

    Returns
    -------
    list of Algorithm
    """
    return sorted(ALGORITHMS.values(), key=lambda entry: entry.order)


def register(entry: Algorithm) -> None:
    """Add an algorithm from outside the library to the app, the command line and comparisons.

    Parameters
    ----------
    entry : Algorithm
        Entry whose estimator is a `mmc.base.StepwiseClusterer` or follows the interface of scikit-learn.

    Raises
    ------
    ValueError
        If an algorithm with this name exists already.
    """
    if entry.name in _entries:
        raise ValueError(f"There is an algorithm {entry.name!r} already; give the entry another name.")
    _entries[entry.name] = entry


_entries = {
    entry.name: entry
    for entry in (
        *_least_squares.ENTRIES,
        *_iterative.ENTRIES,
        *_evolutionary.ENTRIES,
        *_cutting_plane.ENTRIES,
        *_semidefinite.ENTRIES,
        *_infomax.ENTRIES,
        *_baselines.ENTRIES,
    )
}

#: All algorithms by name, in the order in which pages list them.
ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(_entries)

#: The algorithm that keeps every hint (`mmc.hints`), which pages use for marks in a picture.
KEEPS_HINTS = "UMCRLS"
