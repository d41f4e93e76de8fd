"""Docstrings of public names: complete, true to the signature and the fit, and with examples that run."""

import ast
import doctest
import inspect
import re
from dataclasses import fields
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

import mmc
from mmc import datasets, images, infomax, metrics, profiling, registry
from mmc.base import StepwiseClusterer
from mmc.datasets import make_three_gaussians

ESTIMATORS = [
    entry.estimator
    for entry in registry.ALGORITHMS.values()
    if issubclass(entry.estimator, StepwiseClusterer)
]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__)

#: Public functions and other classes with parameters of their own.
CALLABLES = [
    *(infomax.LSMI, infomax.lsmi, infomax.MLMI, infomax.mlmi, mmc.profile),
    *(value for name in datasets.__all__ if inspect.isfunction(value := getattr(datasets, name))),
    *(value for name in images.__all__ if inspect.isfunction(value := getattr(images, name))),
    *(value for name in metrics.__all__ if (value := getattr(metrics, name)).__module__ == "mmc.metrics"),
]

#: Results of a profile.
RECORDS = (profiling.Profile, profiling.ClusterProfile, profiling.Rule)

#: Modules with examples, found in their text, so that no other module is imported.
ROOT = Path(mmc.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def sections(documented):
    """Return the sections of a numpydoc docstring as lists of lines, by their titles."""
    lines = inspect.cleandoc(documented.__doc__).splitlines()
    starts = [i for i, line in enumerate(lines) if re.fullmatch("-{3,}", line)]
    ends = [start - 1 for start in starts[1:]] + [len(lines)]
    return {lines[start - 1]: lines[start + 1 : end] for start, end in zip(starts, ends, strict=True)}


def entries(lines):
    """Return the types of the entries of a section by name; each entry must have a description."""
    types = {}
    for line, described in pairwise([*lines, ""]):
        if found := re.fullmatch(r"(\*{0,2}\w+(?:, \w+)*) : (.+)", line):
            names, kind = found.groups()
            assert described.startswith("    "), f"{names} has no description"
            types |= dict.fromkeys(names.split(", "), kind)
    return types


def check_parameters(documented):
    """Check that Parameters lists the signature in its order, with the defaults."""
    types = entries(sections(documented).get("Parameters", []))
    signature = inspect.signature(documented).parameters
    assert [name.lstrip("*") for name in types] == list(signature)
    for name, parameter in signature.items():
        if parameter.default is not inspect.Parameter.empty:
            assert "default=" in types[name], name
            assert ast.literal_eval(types[name].partition("default=")[2]) == parameter.default, name


@each_estimator
def test_sections_of_an_estimator(estimator):
    """Every public estimator documents its parameters, attributes, paper and notes, and has an example."""
    assert {"Parameters", "Attributes", "Notes", "References", "Examples"} <= sections(estimator).keys()
    assert any(line.startswith(">>> ") for line in sections(estimator)["Examples"])


@pytest.mark.parametrize("documented", [*ESTIMATORS, *CALLABLES], ids=lambda value: value.__name__)
def test_parameters_and_defaults(documented):
    """Parameters names every parameter of the signature, with its default, and no other."""
    check_parameters(documented)


@each_estimator
def test_attributes(estimator):
    """Attributes names every public attribute that a fit sets, and no other."""
    X, _ = make_three_gaussians(24, random_state=0)
    known = inspect.signature(estimator).parameters
    seed = {"random_state": 0} if "random_state" in known else {}
    # Some attributes belong to a kernel that is a whole matrix, others to one that is not.
    kernels = [{}, *([{"kernel": "rbf"}, {"kernel": "graph"}] if "n_components" in known else [])]
    kernels += [{"n_landmarks": 10}] if "n_landmarks" in known else []
    public = set()
    for kernel in kernels:
        fitted = estimator(**seed, **kernel).fit(pd.DataFrame(X, columns=["a", "b"]))
        public |= {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}
    assert set(entries(sections(estimator)["Attributes"])) == public


@pytest.mark.parametrize("record", [infomax.Estimate, datasets.Dataset, datasets.Entry, *RECORDS])
def test_fields(record):
    """Attributes names every field of a public dataclass, in its order, and no other."""
    assert list(entries(sections(record)["Attributes"])) == [field.name for field in fields(record)]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    """The examples of a module run and give what they show."""
    failed, attempted = doctest.testmod(import_module(name))
    assert attempted > 0
    assert failed == 0


def test_checks_can_fail():
    """A wrong default, a missing parameter and an entry without a description are found."""

    def documented(a: int = 1, b: int = 2) -> None:
        """Do nothing.

        Parameters
        ----------
        a : int, default=1
            First.
        b : int, default=2
            Second.
        """

    check_parameters(documented)
    right = documented.__doc__
    for old, new in (("default=2", "default=3"), ("b : int", "c : int"), ("            Second.\n", "")):
        documented.__doc__ = right.replace(old, new)
        with pytest.raises(AssertionError):
            check_parameters(documented)
