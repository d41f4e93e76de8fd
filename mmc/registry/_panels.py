"""What there is to see of a run beside its steps: panels that a registry entry names and a page draws.

A panel says which attributes of the states, or of the fitted estimator, it draws and what is said below them.
The page knows one way to draw each class of panel and no algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True)
class Quantity:
    """A number that a panel draws over the steps.

    Attributes
    ----------
    name : str
        Attribute of a state, or "error" for the clustering error in percent where reference labels are known.
    title : str
        Title of the axis.
    log : bool
        Whether the axis is logarithmic.
    costly : bool
        Whether reading it takes so long that it is computed in the background.
    """

    name: str
    title: str
    log: bool = False
    costly: bool = False


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A closer look at a run.

    Attributes
    ----------
    title : str
        Name of the panel on the control that chooses it, and in the address.
    caption : str
        Explanation below the picture. Where a class of panel says so, ``{state.…}`` stands for an attribute
        of the last state.
    place : {"run", "candidate"}
        Whether the panel stands beside every run, or on the model-selection page alone.
    """

    title: str
    caption: str = ""
    place: ClassVar[Literal["run", "candidate"]] = "run"


@dataclass(frozen=True, kw_only=True)
class MarginPanel(Panel):
    """The distribution of `margins` beside the loss, one frame for each step."""


@dataclass(frozen=True, kw_only=True)
class CoursePanel(Panel):
    """Quantities over the iterations, one below the other.

    Attributes
    ----------
    x : Quantity
        The iterations; one is added on a logarithmic axis, which has no place for zero.
    quantities : tuple of Quantity
    """

    x: Quantity
    quantities: tuple[Quantity, ...]


@dataclass(frozen=True, kw_only=True)
class WeightPanel(Panel):
    """The squared `weights` of the kernels over the steps as bars, above another quantity.

    Attributes
    ----------
    quantity : Quantity
    weighed : str
        What is said before the caption where there are several kernels.
    """

    quantity: Quantity
    weighed: str


@dataclass(frozen=True, kw_only=True)
class MemberPanel(Panel):
    """Each member of a list of kernels alone, beside the mixture; for runs with several `weights`.

    Attributes
    ----------
    parameter : str
        The parameter that holds the list.
    """

    parameter: str


@dataclass(frozen=True, kw_only=True)
class MatrixPanel(Panel):
    """The `matrix` of the last state, ordered by its leading eigenvector, and its `spectrum`.

    The caption is formatted with the last state.

    Attributes
    ----------
    solved : str
        What is added to the caption, formatted likewise, once the state has converged.
    """

    solved: str


@dataclass(frozen=True, kw_only=True)
class PosteriorPanel(Panel):
    """The posteriors of a fitted estimator with `predict_proba` over the plane."""

    place = "candidate"


@dataclass(frozen=True, kw_only=True)
class GraphPanel(Panel):
    """The links of the fitted estimator's `graph_`, the points coloured by a field of the last state."""

    place = "candidate"


@dataclass(frozen=True, kw_only=True)
class PriorPanel(Panel):
    """The clusterings under several class priors.

    Attributes
    ----------
    parameter : str
        The parameter that holds the class priors.
    settled : tuple of str
        Parameters that the fit has chosen itself, as the attribute with an underscore, and that are kept.
    """

    parameter: str
    settled: tuple[str, ...] = ()
    place = "candidate"
