"""The one place that knows all algorithms.

Controls in the app, the command line, the table in the README and the contract tests are made from it:
adding an algorithm is one module and one entry here. Defaults are those of the class and are not
repeated; ranges are what a person would sensibly try, while the class itself says what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmc.registry import (
    _baselines,
    _cutting_plane,
    _evolutionary,
    _infomax,
    _iterative,
    _least_squares,
    _semidefinite,
)
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
from mmc.registry._types import Algorithm, Line, Parameter, Rival, Row

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "CoursePanel",
    "GraphPanel",
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
    "get",
    "register",
]


def get(name: str) -> Algorithm:
    """Find an algorithm by its name.

    Parameters
    ----------
    name : str

    Returns
    -------
    Algorithm

    Raises
    ------
    ValueError
        Listing the names that exist.
    """
    if name not in ALGORITHMS:
        raise ValueError(f"There is no algorithm {name!r}; there are {', '.join(ALGORITHMS)}.")
    return ALGORITHMS[name]


def register(entry: Algorithm) -> None:
    """Add an algorithm from outside the library: the app, the command line and comparisons then offer it.

    Parameters
    ----------
    entry : Algorithm
        Its estimator is a `mmc.base.StepwiseClusterer` or a clusterer in the manner of scikit-learn.

    Raises
    ------
    ValueError
        If there is an algorithm of this name already.
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

#: All algorithms by name, in the order in which a page offers them.
ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(_entries)
