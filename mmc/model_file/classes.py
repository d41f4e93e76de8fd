"""The classes of which a model file may hold objects: a list that is made from this library itself.

These are the estimators that can predict, the frozen dataclasses and the named tuples of the packages below,
a few helpers by name, and the classes of scikit-learn that the registry has.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType

from mmc import registry
from mmc.base import StepwiseClusterer
from mmc.datasets import Coding, Scaling
from mmc.datasets._coding import ColumnCoding, Gower
from mmc.maxmargin.machines import Judge
from mmc.model_file.far import Seen
from mmc.trials import Trial

#: Packages and modules whose estimators, dataclasses and named tuples are models or parts of them.
_PLACES = (
    "mmc.auto",
    "mmc.baselines",
    "mmc.clusterers",
    "mmc.infomax",
    "mmc.kernels",
    "mmc.maxmargin",
    "mmc.stepping",
)

#: Further classes that occur in models and their files.
_HELPERS: tuple[type, ...] = (Coding, ColumnCoding, Gower, Judge, Scaling, Seen, Trial)


@cache
def known_classes() -> Mapping[str, type]:
    """Return the classes by the names under which files have them."""
    found = {_name(cls): cls for place in _PLACES for cls in _classes_of(import_module(place))}
    found |= {_name(cls): cls for cls in _HELPERS}
    found |= {
        _name(entry.estimator): entry.estimator
        for entry in registry.ALGORITHMS.values()
        if hasattr(entry.estimator, "predict")
    }
    return MappingProxyType(found)


def name_of(value: object) -> str | None:
    """Return the name of an object's class, or None if files may not have such objects."""
    name = _name(type(value))
    return name if known_classes().get(name) is type(value) else None


def is_tuple(cls: type) -> bool:
    """Return whether a class is a named tuple."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def _name(cls: type) -> str:
    return f"{cls.__module__.partition('._')[0]}.{cls.__qualname__}"  # private modules are moved


def _classes_of(module: ModuleType) -> Iterator[type]:
    """List the classes that are defined in a module, or in the modules of a package."""
    for _, cls in inspect.getmembers(module, inspect.isclass):
        if cls.__module__ == module.__name__ and (
            is_dataclass(cls) or is_tuple(cls) or issubclass(cls, StepwiseClusterer)
        ):
            yield cls
    for each in pkgutil.iter_modules(getattr(module, "__path__", ())):
        yield from _classes_of(import_module(f"{module.__name__}.{each.name}"))
