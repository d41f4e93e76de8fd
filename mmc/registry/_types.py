"""The entries of the registry: algorithms and parameters as a user sees them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Literal, NamedTuple

from sklearn.base import BaseEstimator

from mmc import maxmargin
from mmc.maxmargin.cutting_plane.kernel_list import parse_kernels, text_of
from mmc.registry._limits import Limit
from mmc.registry._panels import Panel

#: Largest number of clusters that a sweep tries unless others are given.
_MOST_CLUSTERS = 10

Kind = Literal["int", "float", "choice", "bool", "numbers", "kernels"]


class Row(NamedTuple):
    """A kernel that can be switched on in a list of kernels, with a control for its parameter.

    Attributes
    ----------
    key : str
        Key of its controls.
    label : str
        Label of its control.
    kernel : str
        Name of the kernel.
    parameter : str
        Parameter that has a control; empty if there is none.
    values : tuple of float
        Values of the control.
    first : float
        Value of a kernel that is given without parameters.
    help : str
        Help text of the control.
    title : str
        Label of the control of the parameter; empty if its name is one.
    """

    key: str
    label: str
    kernel: str
    parameter: str = ""
    values: tuple[float, ...] = ()
    first: float = 0.0
    help: str = ""
    title: str = ""


class Line(NamedTuple):
    """A line of pseudo-code.

    Attributes
    ----------
    text : str
        Text, in which leading spaces show the nesting.
    name : str
        Value of `State.line` in the steps that execute it; empty if no step does.
    """

    text: str
    name: str = ""


class Rival(NamedTuple):
    """The algorithm to which a paper compares another on the same candidates.

    Attributes
    ----------
    name : str
        Name of the algorithm.
    score : str
        Score that chooses among its candidates.
    """

    name: str
    score: str


@dataclass(frozen=True)
class Parameter:
    """A parameter as a user sees it.

    Attributes
    ----------
    name : str
        Name in the class; with the prefix `estimator__` a parameter of the inner estimator.
    kind : {"int", "float", "choice", "bool", "numbers", "kernels"}
        Type of the value; numbers and kernels are lists, separated by commas.
    label : str
        Name in a few words.
    help : str
        One sentence for a user who has not read the paper.
    low, high : int
        Sensible range of a whole number; if both are equal there is no control.
    steps : tuple of float
        Sensible values of another number, of a number in place of a choice, or of a whole number with a long
        range.
    choices : tuple of str
        Values of a choice, or those of a bool beside true and false.
    free : bool
        Whether a number may replace a choice.
    advanced : bool
        Whether the control is folded away at first.
    swept : bool
        Whether a sweep may try its values; False for effort and for what the result is about.
    when : tuple of (str, tuple of str)
        Other parameters and the values of them for which this one has an effect.
    is_n_clusters : bool
        Whether it is the number of clusters, whatever its name in the class.
    none : str
        Choice that means None; empty if there is none.
    rows : tuple of Row
        Kernels of a list of kernels that have controls.
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
    swept: bool = True
    when: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_n_clusters: bool = False
    none: str = ""
    rows: tuple[Row, ...] = ()

    @property
    def key(self) -> str:
        """Key of the control and name in the address; all numbers of clusters share one key."""
        return "n_clusters" if self.is_n_clusters else self.name

    @property
    def candidates(self) -> tuple[float, ...]:
        """Values that a sweep tries: the steps, or the first ten of a range; at most ten clusters."""
        if not self.swept or (self.is_n_clusters and self.low == self.high):
            return ()
        if self.is_n_clusters:
            return tuple(range(self.low, min(self.high, _MOST_CLUSTERS) + 1))
        if self.kind == "int" and not self.steps:
            return tuple(range(max(self.low, 1), min(self.high, max(self.low, 1) + 9) + 1))
        return self.steps

    def matters(self, values: Mapping[str, Any]) -> bool:
        """Return whether the parameter has an effect.

        Parameters
        ----------
        values : mapping
            Values of the other parameters.

        Returns
        -------
        bool
        """
        return all(values.get(other) in allowed for other, allowed in self.when)

    def parse(self, text: str) -> Any:
        """Read a value that a user has written.

        Parameters
        ----------
        text : str
            Text of the value.

        Returns
        -------
        object
            Value of the parameter's kind.

        Raises
        ------
        ValueError
            If the text is no such value; the message names the parameter, the text and what is expected.
        """
        try:
            return self._parse(text.strip())
        except ValueError as error:
            why = f" ({error})" if self.kind == "kernels" else ""
            raise ValueError(f"{self.name}={text!r} is not right: {self._expected()}.{why}") from None

    def write(self, value: Any) -> str:
        """Return a value as text that `parse` reads.

        Parameters
        ----------
        value : object
            Value of the parameter's kind.

        Returns
        -------
        str
        """
        if self.kind == "kernels":
            return text_of(value)
        if value is None and self.none:
            return self.none
        if isinstance(value, list | tuple):
            return ", ".join(f"{number:.10g}" for number in value)
        if isinstance(value, bool):
            return str(value).lower()
        return f"{value:.10g}" if isinstance(value, float) else str(value)

    def _parse(self, text: str) -> Any:
        if self.is_n_clusters and int(text) < 2:
            raise ValueError  # an estimator takes 1, and puts all points into one cluster
        if self.kind == "int":
            return int(text)
        if self.kind == "float":
            return _number(text)
        if self.kind == "bool" and text not in self.choices:
            return ("false", "true", "no", "yes", "0", "1").index(text.lower()) % 2 == 1
        if self.kind == "numbers":
            return [_number(part) for part in text.split(",")] if text else None
        if self.kind == "kernels":
            return parse_kernels(text)
        if text in self.choices:
            return None if text == self.none else text
        if self.free:
            value = _number(text)
            return int(value) if "." not in text and value.is_integer() else value
        raise ValueError

    def _expected(self) -> str:
        if self.is_n_clusters:
            return "give a whole number of at least 2"
        if self.kind == "choice":
            number = ("a number",) if self.free else ()
            return f"give one of {', '.join((*self.choices, *number))}"
        return {
            "int": "give a whole number",
            "float": "give a number",
            "bool": f"give {' or '.join((*self.choices, 'true', 'false'))}",
            "numbers": "give numbers separated by commas, or nothing",
            "kernels": "give kernels separated by commas, such as linear, poly:degree=2, rbf:width=0.5",
        }[self.kind]


@dataclass(frozen=True)
class Candidacy:
    """A setting with which an algorithm is a candidate of `mmc.AutoClusterer`, and the sizes it is for.

    Attributes
    ----------
    parameters : mapping
        Parameters that differ from the defaults, without the number of clusters and the seed.
    rank : int
        Candidates of a low rank take little time and are tried first.
    min_samples : int
        Minimum number of points for which it is tried.
    max_samples, max_features : int or None
        Maximum numbers of points and of columns; None means any number.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    rank: int = 0
    min_samples: int = 2
    max_samples: int | None = None
    max_features: int | None = None

    def refusal(self, n_samples: int, n_features: int) -> str:
        """Return why it is not tried on data of a size; empty if it is.

        Parameters
        ----------
        n_samples, n_features : int
            Size of the data.

        Returns
        -------
        str
        """
        if n_samples < self.min_samples:
            return f"it is for {self.min_samples:,} points or more"
        if self.max_samples is not None and n_samples > self.max_samples:
            return f"it is for at most {self.max_samples:,} points"
        if self.max_features is not None and n_features > self.max_features:
            return f"it is for at most {self.max_features:,} columns"
        return ""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm as a user sees it.

    Attributes
    ----------
    name : str
        Name of the class.
    estimator : type
        Class of this library, or a class that follows the interface of scikit-learn.
    family : str
        Algorithms of one family accept the same start and can be shown side by side.
    paper : str
        Authors, title and year.
    summary : str
        One sentence for a user who has not read the paper.
    objective : str
        Short name of what is minimised; empty if the estimator does not report it.
    meaning : str
        A sentence that explains the objective; empty if there is none.
    parameters : tuple of Parameter
        Parameters that a user can set.
    max_samples : int
        Maximum number of points in the app, for parameters to which no higher `limit` applies; the library
        refuses only what memory cannot hold.
    tune : str
        Parameter with the largest effect, which a sweep tries first; empty if there is none.
    grid : mapping from str to tuple
        Grid of the paper: the values of two parameters, and single values of others.
    given : mapping
        Values that replace the defaults of the class.
    published : mapping
        Settings of the paper, where the defaults differ from them; empty if they do not.
    pseudo_code : tuple of Line
        The algorithm in a few lines.
    panels : tuple of Panel
        What can be shown of a run besides its steps.
    rival : Rival or None
        Algorithm that is compared when values of `tune` are tried.
    limit : Limit or None
        Maximum number of points that depends on the parameters; None if `max_samples` holds for all.
    candidacies : tuple of Candidacy
        Settings with which it takes part in `mmc.AutoClusterer`; empty if it does not.
    title : str
        Name for people, such as “Shaking (UMC-RLS)”; empty if the name of the class is all there is.
    formula : str
        What is minimised, as one line of plain text, never markup; empty if there is none.
    order : int
        Place in a list from which people choose, most used first; equal ones keep the registry's order.
    """

    name: str
    estimator: type[BaseEstimator]
    family: str
    paper: str
    summary: str
    objective: str
    meaning: str
    parameters: tuple[Parameter, ...]
    max_samples: int
    tune: str
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    published: Mapping[str, Any] = field(default_factory=dict)
    pseudo_code: tuple[Line, ...] = ()
    panels: tuple[Panel, ...] = ()
    rival: Rival | None = None
    limit: Limit | None = None
    candidacies: tuple[Candidacy, ...] = ()
    title: str = ""
    formula: str = ""
    order: int = 100

    @property
    def package(self) -> str:
        """Package from which a script imports the class."""
        parts = self.estimator.__module__.split(".")
        return "mmc" if parts[0] == "mmc" else ".".join(takewhile(lambda part: part[0] != "_", parts))

    @property
    def clusters(self) -> Parameter | None:
        """Parameter with the number of clusters; None if the algorithm finds it itself."""
        return next((parameter for parameter in self.parameters if parameter.is_n_clusters), None)

    def default(self, name: str) -> Any:
        """Return the default of a parameter, from the entry or else from the class.

        The default of `estimator` is the name of its first choice, whose defaults its parameters have.

        Parameters
        ----------
        name : str
            Name of the parameter.

        Returns
        -------
        object
        """
        if name in self.given:
            return self.given[name]
        if name == "estimator":
            return self.parameter(name).choices[0]
        given = self.default("estimator") if "__" in name else None
        own = inspect.signature(self._inner(given) if given else self.estimator).parameters
        return own[name.removeprefix("estimator__")].default

    def most_samples(self, values: Mapping[str, Any]) -> int:
        """Return the maximum number of points in the app.

        Parameters
        ----------
        values : mapping
            Parameters by name; the others have their defaults.

        Returns
        -------
        int
        """
        if self.limit is None:
            return self.max_samples
        return max(self.max_samples, self.limit.n_samples(self._with_defaults(self.limit, values)))

    def setting(self, values: Mapping[str, Any]) -> str:
        """Return the parameters on which the maximum number of points depends, as text; may be empty.

        Parameters
        ----------
        values : mapping
            Parameters by name; the others have their defaults.

        Returns
        -------
        str
            For example “ with kernel=rbf”.
        """
        if self.limit is None:
            return ""
        all_ = self._with_defaults(self.limit, values)
        return " with " + " and ".join(f"{n}={self.parameter(n).write(v)}" for n, v in all_.items())

    def _with_defaults(self, limit: Limit, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: values[name] if name in values else self.default(name) for name in limit.parameters}

    def parameter(self, name: str) -> Parameter:
        """Return a parameter by its name.

        Parameters
        ----------
        name : str
            Name of the parameter.

        Returns
        -------
        Parameter

        Raises
        ------
        ValueError
            If there is no such parameter; the message lists the names.
        """
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(p.name for p in self.parameters)
        raise ValueError(f"{self.name} has no parameter {name!r}; it has {known}.")

    def make(self, values: Mapping[str, Any]) -> BaseEstimator:
        """Return an estimator with some parameters; the others keep their defaults.

        Parameters
        ----------
        values : mapping
            Parameters by name.

        Returns
        -------
        estimator

        Raises
        ------
        ValueError
            If a parameter does not exist.
        """
        for name in values:
            self.parameter(name)
        own, method, inner = self.own_and_inner(values)
        if method:
            own["estimator"] = self._inner(method)(**inner)
        return self.estimator(**own)

    def own_and_inner(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], str, dict[str, Any]]:
        """Split parameters into those of the class and those of its inner estimator.

        Parameters
        ----------
        values : mapping
            Parameters by name.

        Returns
        -------
        own : dict
            Parameters of the class, including those that the entry gives.
        name : str
            Name of the inner estimator; empty if there is none.
        inner : dict
            Parameters of the inner estimator.
        """
        own = {**self.given, **{name: value for name, value in values.items() if "__" not in name}}
        if all(p.name != "estimator" for p in self.parameters):
            return own, "", {}
        inner = {n.removeprefix("estimator__"): v for n, v in values.items() if "__" in n}
        return own, own.get("estimator") or self.default("estimator"), inner

    def _inner(self, name: str) -> type[BaseEstimator]:
        """Return the class of an inner estimator by its name."""
        choices = self.parameter("estimator").choices
        if name not in choices:
            raise ValueError(f"estimator={name!r} is not right: give one of {', '.join(choices)}.")
        return getattr(maxmargin, name)


def _number(text: str) -> float:
    value = float(text)
    if not abs(value) < float("inf"):
        raise ValueError
    return value
