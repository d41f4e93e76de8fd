"""The one place that knows all algorithms.

Controls in the app, the command line, the table in the README and the contract tests are made from it:
adding an algorithm is one module and one entry here. Defaults are those of the class and are not
repeated; ranges are what a person would sensibly try, while the class itself says what is allowed.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from mmc.base import StepwiseClusterer
from mmc.infomax import MIC, SMIC
from mmc.kernels import KERNELS, LENGTHS
from mmc.maxmargin import UMCRLS, SteepRLS, StocRLS

Kind = Literal["int", "float", "choice", "bool", "numbers"]


@dataclass(frozen=True)
class Parameter:
    """A parameter as a person meets it.

    Attributes
    ----------
    name : str
        As in the class.
    kind : {"int", "float", "choice", "bool", "numbers"}
        A choice may also be a number when `free` is set; numbers are a list, separated by commas.
    label, help : str
        A few words, and one sentence for someone who has not read the paper.
    low, high : int
        Sensible range of a whole number.
    steps : tuple of float
        Sensible values of another number, or of a number in place of a choice.
    choices : tuple of str
    free : bool
        Whether a number may stand in place of a choice.
    advanced : bool
        Whether it is folded away at first.
    when : tuple of (str, tuple of str)
        The parameter matters only when another one has one of these values.
    """

    name: str
    kind: Kind
    label: str
    help: str
    low: int = 0
    high: int = 0
    steps: tuple[float, ...] = ()
    choices: tuple[str, ...] = ()
    free: bool = False
    advanced: bool = False
    when: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def candidates(self) -> tuple[float, ...]:
        """The values that a sweep tries: the steps, or the first ten of a range."""
        if self.name in ("n_clusters", "random_state"):
            return ()
        if self.kind == "int":
            return tuple(range(max(self.low, 1), min(self.high, max(self.low, 1) + 9) + 1))
        return self.steps

    def matters(self, values: Mapping[str, Any]) -> bool:
        """Whether the parameter has an effect beside these values of the others."""
        return all(values.get(other) in allowed for other, allowed in self.when)

    def parse(self, text: str) -> Any:
        """Read a value written by a person.

        Parameters
        ----------
        text : str

        Returns
        -------
        object
            Of the parameter's kind.

        Raises
        ------
        ValueError
            Naming the parameter, the text and what would be right.
        """
        try:
            return self._parse(text.strip())
        except ValueError:
            raise ValueError(f"{self.name}={text!r} is not right: {self._expected()}.") from None

    def _parse(self, text: str) -> Any:
        if self.kind == "int":
            return int(text)
        if self.kind == "float":
            return _number(text)
        if self.kind == "bool":
            return ("false", "true", "no", "yes", "0", "1").index(text.lower()) % 2 == 1
        if self.kind == "numbers":
            return [_number(part) for part in text.split(",")] if text else None
        if text in self.choices:
            return text
        if self.free:
            return int(text) if text.isdecimal() else _number(text)
        raise ValueError

    def _expected(self) -> str:
        if self.kind == "choice":
            number = " or a number" if self.free else ""
            return f"give one of {', '.join(self.choices)}{number}"
        return {
            "int": "give a whole number",
            "float": "give a number",
            "bool": "give true or false",
            "numbers": "give numbers separated by commas, or nothing",
        }[self.kind]


@dataclass(frozen=True)
class Algorithm:
    """An algorithm as a person meets it.

    Attributes
    ----------
    name : str
        Of the class.
    estimator : type
    family : str
        Algorithms of one family take the same start and can be shown side by side.
    paper : str
    summary : str
        One sentence for someone who has not read the paper.
    objective, meaning : str
        Short name of what is minimised, for the axis of its curve, and a sentence that says what it is.
    parameters : tuple of Parameter
    max_samples : int
        Beyond this the app refuses; the library refuses only what memory cannot hold.
    tune : str
        The parameter that decides most, which a sweep tries first.
    """

    name: str
    estimator: type[StepwiseClusterer]
    family: str
    paper: str
    summary: str
    objective: str
    meaning: str
    parameters: tuple[Parameter, ...]
    max_samples: int
    tune: str

    def default(self, name: str) -> Any:
        """Give the default of a parameter, from the class."""
        return inspect.signature(self.estimator).parameters[name].default

    def parameter(self, name: str) -> Parameter:
        """Find a parameter by its name.

        Raises
        ------
        ValueError
            Listing the names that exist.
        """
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(p.name for p in self.parameters)
        raise ValueError(f"{self.name} has no parameter {name!r}; it has {known}.")

    def make(self, values: Mapping[str, Any]) -> StepwiseClusterer:
        """Make an estimator from some parameters; the others keep their defaults."""
        for name in values:
            self.parameter(name)
        return self.estimator(**values)


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


def _number(text: str) -> float:
    value = float(text)
    if not abs(value) < float("inf"):
        raise ValueError
    return value


_N_CLUSTERS = Parameter("n_clusters", "int", "Clusters k", "How many clusters to look for.", 2, 20)
_RANDOM_STATE = Parameter(
    "random_state",
    "int",
    "Seed",
    "The same seed gives the same starts and the same result.",
    0,
    2**31 - 1,
    advanced=True,
)
_KERNEL = (
    Parameter(
        "kernel",
        "choice",
        "Kernel",
        "How two points are compared: rbf follows curved shapes, linear draws straight borders.",
        choices=tuple(k for k in KERNELS if k != "precomputed"),
    ),
    Parameter(
        "width",
        "float",
        "Kernel width",
        "How far a point reaches, as a multiple of a length of the data. Small: fine detail. Large: smooth.",
        steps=(0.05, *(i / 10 for i in range(1, 11)), 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0),
        when=(("kernel", ("rbf",)), ("gamma", LENGTHS)),
    ),
    Parameter(
        "gamma",
        "choice",
        "Width is measured in",
        "The length that the width multiplies: the usual distance to the 7th neighbour, the median distance "
        "or the largest one. Or type a number: gamma itself.",
        choices=LENGTHS,
        free=True,
        advanced=True,
        when=(("kernel", ("rbf", "poly")),),
    ),
    Parameter(
        "degree",
        "int",
        "Degree",
        "Degree of the polynomial kernel.",
        1,
        8,
        advanced=True,
        when=(("kernel", ("poly",)),),
    ),
    Parameter(
        "coef0",
        "float",
        "Constant term",
        "Added inside the polynomial kernel; with 0 only terms of the highest degree count.",
        steps=(0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0),
        advanced=True,
        when=(("kernel", ("poly",)),),
    ),
    Parameter(
        "n_neighbors",
        "int",
        "Neighbours",
        "How many neighbours a point is compared with, and which one sets its own scale.",
        1,
        30,
        advanced=True,
        when=(("kernel", ("local_scaling",)),),
    ),
)
_RLS_MODEL = (
    _N_CLUSTERS,
    *_KERNEL,
    Parameter(
        "alpha",
        "float",
        "Regularisation λ",
        "How simple the models must be. Small: they follow every point. Large: they smooth over.",
        steps=tuple(2.0**i for i in range(-10, 4)),
    ),
)
_RLS_STARTS = (
    Parameter(
        "n_init", "int", "Starts", "How many times to begin anew; the end with the lowest Q is kept.", 1, 50
    ),
    Parameter(
        "init",
        "choice",
        "How a start is made",
        "Random labels, or the nearest of k points spread out over the data.",
        choices=("random", "k-means++"),
        advanced=True,
    ),
    Parameter(
        "fit_intercept",
        "bool",
        "Intercept",
        "Let each model add a constant, which lets clusters keep different sizes.",
        advanced=True,
    ),
    _RANDOM_STATE,
)
_SHAKING = (
    Parameter(
        "n_shakes",
        "int",
        "Shakes",
        "How many further rounds of claims follow the first; each claims half as many.",
        0,
        40,
    ),
    Parameter(
        "refine",
        "bool",
        "Free descent at the end",
        "Let every point move freely at last, whatever the sizes become.",
    ),
    Parameter(
        "cluster_sizes",
        "numbers",
        "Sizes to aim at",
        "For example 3, 1 for clusters in that proportion; empty means equal sizes.",
        advanced=True,
    ),
)

_GRAPH_KERNEL = Parameter(
    "kernel",
    "choice",
    "Kernel",
    "How two points are compared: local scaling gives every point a width of its own, rbf the same to all.",
    choices=("local_scaling", "rbf"),
)
_RBF_WIDTH = tuple(replace(p, when=(("kernel", ("rbf",)), *p.when[1:])) for p in _KERNEL[1:3])
_SMIC = (
    _N_CLUSTERS,
    _GRAPH_KERNEL,
    Parameter(
        "n_neighbors",
        "choice",
        "Neighbours t",
        "How many neighbours a point is linked to. lsmi tries 1 to 10 and lets the data choose.",
        choices=("lsmi",),
        steps=tuple(range(1, 11)),
        free=True,
        when=(("kernel", ("local_scaling",)),),
    ),
    *_RBF_WIDTH,
    Parameter(
        "normalize",
        "bool",
        "Normalise the graph",
        "Divide every link by how well linked its two points are; without it dense spots win.",
    ),
    Parameter(
        "class_prior",
        "numbers",
        "Shares of the clusters",
        "For example 0.3, 0.7 if one cluster is known to be smaller; empty means equal shares.",
        advanced=True,
    ),
    _RANDOM_STATE,
)

_MIC = (
    _N_CLUSTERS,
    _GRAPH_KERNEL,
    replace(_KERNEL[5], label="Neighbours t", advanced=False),
    *_RBF_WIDTH,
    Parameter(
        "alpha",
        "float",
        "Penalty λ",
        "How simple the model must be. Small: it keeps to its start. Too large: all points look alike.",
        steps=(0.0, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    ),
    Parameter(
        "init",
        "choice",
        "How a start is made",
        "Labels that the model learns first: those of spectral clustering, or random ones.",
        choices=("spectral", "random"),
    ),
    Parameter(
        "n_init",
        "int",
        "Starts",
        "How many times to begin; further starts are random, and the best end is kept.",
        1,
        20,
        advanced=True,
    ),
    Parameter(
        "max_iter",
        "int",
        "Steps at most",
        "How many groups of iterations a start may take.",
        1,
        100,
        advanced=True,
    ),
    Parameter(
        "tol",
        "float",
        "Tolerance",
        "A start ends when an iteration gains no more than this.",
        steps=(1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3),
        advanced=True,
    ),
    _RANDOM_STATE,
)

_SMIC_PAPER = (
    "Sugiyama et al.: Information-Maximization Clustering based on Squared-Loss Mutual Information, 2014"
)
_UMC_RLS_PAPER = "Pahikkala et al.: Unsupervised Multi-Class Regularized Least-Squares Classification, 2012"


def _rls(estimator: type[StepwiseClusterer], summary: str, extra: tuple[Parameter, ...] = ()) -> Algorithm:
    return Algorithm(
        name=estimator.__name__,
        estimator=estimator,
        family="regularised least squares",
        paper=_UMC_RLS_PAPER,
        summary=summary,
        objective="Q",
        meaning="How badly the cluster models fit their own labels; lower is better.",
        parameters=(*_RLS_MODEL, *extra, *_RLS_STARTS),
        max_samples=5000,
        tune="width",
    )


def _infomax(
    estimator: type[StepwiseClusterer], summary: str, parameters: tuple[Parameter, ...]
) -> Algorithm:
    return Algorithm(
        name=estimator.__name__,
        estimator=estimator,
        family="information maximization",
        paper=_SMIC_PAPER,
        summary=summary,
        objective="−information",
        meaning="Minus an estimate of how much the clusters tell about the points; lower is better.",
        parameters=parameters,
        max_samples=5000,
        tune="n_neighbors",
    )


ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(
    {
        entry.name: entry
        for entry in (
            _rls(
                UMCRLS,
                "Clusters take turns claiming points, fewer each round: this shaking escapes poor solutions.",
                _SHAKING,
            ),
            _rls(SteepRLS, "Always makes the single move that helps most, and stops when none does."),
            _rls(
                StocRLS, "Visits the points in order and moves each to where it fits best, until none moves."
            ),
            _infomax(
                SMIC,
                "Reads the clusters off the eigenvectors of a graph of neighbours, in closed form.",
                _SMIC,
            ),
            _infomax(
                MIC,
                "Climbs from spectral clustering to a logistic model that is sure of equal clusters.",
                _MIC,
            ),
        )
    }
)
