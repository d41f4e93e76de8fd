"""What an algorithm and its parameters are to a person who chooses among them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Literal, NamedTuple

from sklearn.base import BaseEstimator

from mmc import maxmargin
from mmc.maxmargin.cutting_plane.kernel_list import parse_kernels, text_of
from mmc.registry._panels import Panel

Kind = Literal["int", "float", "choice", "bool", "numbers", "kernels"]


class Row(NamedTuple):
    """A kernel that can be turned on in a list of kernels, with a control for its parameter.

    Attributes
    ----------
    key, label : str
        Name of its controls, and what a person reads.
    kernel : str
    parameter : str
        The one parameter that has a control; empty where there is none.
    values : tuple of float
        Values of the control.
    first : float
        The value that stands for a kernel without parameters.
    help : str
    """

    key: str
    label: str
    kernel: str
    parameter: str = ""
    values: tuple[float, ...] = ()
    first: float = 0.0
    help: str = ""


class Line(NamedTuple):
    """A line of pseudo-code.

    Attributes
    ----------
    text : str
        Leading spaces show how deep it is nested.
    name : str
        What the states of the steps that carry it out call it (`State.line`); empty where no step does.
    """

    text: str
    name: str = ""


class Rival(NamedTuple):
    """The algorithm that a paper compares on the same candidates, and the score that chooses among them."""

    name: str
    score: str


@dataclass(frozen=True)
class Parameter:
    """A parameter as a person meets it.

    Attributes
    ----------
    name : str
        As in the class; `estimator__` before it means a parameter of the estimator that the class is given.
    kind : {"int", "float", "choice", "bool", "numbers", "kernels"}
        A choice may also be a number when `free` is set; numbers and kernels are lists, separated by commas.
    label, help : str
        A few words, and one sentence for someone who has not read the paper.
    low, high : int
        Sensible range of a whole number; where both are the same there is nothing to choose.
    steps : tuple of float
        Sensible values of another number, of a number in place of a choice, or of a whole number whose range
        is too long to walk through.
    choices : tuple of str
    free : bool
        Whether a number may stand in place of a choice.
    advanced : bool
        Whether it is folded away at first.
    swept : bool
        Whether a sweep may try its values; not where it sets the effort, or what the result is about.
    when : tuple of (str, tuple of str)
        The parameter matters only when another one has one of these values.
    is_n_clusters : bool
        Whether it is the number of clusters, however the class calls it.
    none : str
        The choice that means None, where there is one.
    rows : tuple of Row
        Of a list of kernels: those that have controls of their own.
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
        """Under which an address and a control hold it: the number of clusters has one key for all."""
        return "n_clusters" if self.is_n_clusters else self.name

    @property
    def candidates(self) -> tuple[float, ...]:
        """The values that a sweep tries: the steps, or the first ten of a range."""
        if not self.swept:
            return ()
        if self.kind == "int" and not self.steps:
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
        except ValueError as error:
            why = f" ({error})" if self.kind == "kernels" else ""
            raise ValueError(f"{self.name}={text!r} is not right: {self._expected()}.{why}") from None

    def write(self, value: Any) -> str:
        """Write a value as `parse` reads it."""
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
        if self.kind == "int":
            return int(text)
        if self.kind == "float":
            return _number(text)
        if self.kind == "bool":
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
        if self.kind == "choice":
            number = ("a number",) if self.free else ()
            return f"give one of {', '.join((*self.choices, *number))}"
        return {
            "int": "give a whole number",
            "float": "give a number",
            "bool": "give true or false",
            "numbers": "give numbers separated by commas, or nothing",
            "kernels": "give kernels separated by commas, such as linear, poly:degree=2, rbf:width=0.5",
        }[self.kind]


@dataclass(frozen=True)
class Algorithm:
    """An algorithm as a person meets it.

    Attributes
    ----------
    name : str
        Of the class.
    estimator : type
        One of this library, or of scikit-learn as it is.
    family : str
        Algorithms of one family take the same start and can be shown side by side.
    paper : str
    summary : str
        One sentence for someone who has not read the paper.
    objective, meaning : str
        Short name of what is minimised, for the axis of its curve, and a sentence that says what it is; both
        are empty where the estimator does not tell it.
    parameters : tuple of Parameter
    max_samples : int
        Beyond this the app refuses; the library refuses only what memory cannot hold.
    tune : str
        The parameter that decides most, which a sweep tries first; empty where there is none to try.
    grid : mapping from str to tuple
        The grid of the paper: values of two parameters, and what else was set.
    given : mapping
        What stands in place of the class's own defaults.
    pseudo_code : tuple of Line
        The algorithm in a few lines, which its states name.
    panels : tuple of Panel
        What there is to see of a run beside its steps.
    rival : Rival or None
        Who is compared with it when values of `tune` are tried.
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
    pseudo_code: tuple[Line, ...] = ()
    panels: tuple[Panel, ...] = ()
    rival: Rival | None = None

    @property
    def package(self) -> str:
        """Where a script imports the class from."""
        parts = self.estimator.__module__.split(".")
        return "mmc" if parts[0] == "mmc" else ".".join(takewhile(lambda part: part[0] != "_", parts))

    @property
    def clusters(self) -> Parameter | None:
        """The parameter that counts the clusters; None where the algorithm finds their number itself."""
        return next((parameter for parameter in self.parameters if parameter.is_n_clusters), None)

    def default(self, name: str) -> Any:
        """Give the default of a parameter, from the entry or else from the class.

        An estimator that a class is given is named here; the first choice is the one that the class takes
        where it is given none, and its parameters have that one's defaults.
        """
        if name in self.given:
            return self.given[name]
        if name == "estimator":
            return self.parameter(name).choices[0]
        given = self.default("estimator") if "__" in name else None
        own = inspect.signature(self._inner(given) if given else self.estimator).parameters
        return own[name.removeprefix("estimator__")].default

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

    def make(self, values: Mapping[str, Any]) -> BaseEstimator:
        """Make an estimator from some parameters; the others keep their defaults."""
        for name in values:
            self.parameter(name)
        own, method, inner = self.own_and_inner(values)
        if method:
            own["estimator"] = self._inner(method)(**inner)
        return self.estimator(**own)

    def own_and_inner(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], str, dict[str, Any]]:
        """Take parameters apart: the class's own, and the name and parameters of the estimator it is given.

        The class's own include what the entry gives. The name is empty where the class is given none.
        """
        own = {**self.given, **{name: value for name, value in values.items() if "__" not in name}}
        if all(p.name != "estimator" for p in self.parameters):
            return own, "", {}
        inner = {n.removeprefix("estimator__"): v for n, v in values.items() if "__" in n}
        return own, own.get("estimator") or self.default("estimator"), inner

    def _inner(self, name: str) -> type[BaseEstimator]:
        """Find the class of an estimator that the class is given, by its name."""
        choices = self.parameter("estimator").choices
        if name not in choices:
            raise ValueError(f"estimator={name!r} is not right: give one of {', '.join(choices)}.")
        return getattr(maxmargin, name)


def _number(text: str) -> float:
    value = float(text)
    if not abs(value) < float("inf"):
        raise ValueError
    return value
