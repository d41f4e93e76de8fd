"""Panels: what can be shown of a run besides its steps.

A registry entry names its panels. A panel names the attributes of the states or of the fitted estimator that
it draws, and the text below them. The page has one way to draw each class of panel and knows no algorithm.
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
        Attribute of a state, or "error" for the clustering error in percent if reference labels are known.
    title : str
        Title of the axis.
    log : bool
        Whether the axis is logarithmic.
    costly : bool
        Whether it is slow to read and therefore computed in the background.
    """

    name: str
    title: str
    log: bool = False
    costly: bool = False


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A view of a run.

    Attributes
    ----------
    title : str
        Name of the panel in its control and in the address.
    caption : str
        Explanation below the figure.
    place : {"run", "candidate"}
        Whether the panel is shown with every run, or only on the model-selection page.
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
        Iterations; on a logarithmic axis they are counted from one.
    quantities : tuple of Quantity
        Quantities to draw.
    """

    x: Quantity
    quantities: tuple[Quantity, ...]


@dataclass(frozen=True, kw_only=True)
class WeightPanel(Panel):
    """Powers of the `weights` of the kernels over the steps as bars, above another quantity.

    Attributes
    ----------
    quantity : Quantity
        Quantity below the bars.
    weighed : str
        Text before the caption if there are several kernels.
    """

    quantity: Quantity
    weighed: str


@dataclass(frozen=True, kw_only=True)
class MemberPanel(Panel):
    """Each member of a list of kernels alone, beside the mixture; for runs with several `weights`.

    Attributes
    ----------
    parameter : str
        Parameter that holds the list.
    """

    parameter: str


@dataclass(frozen=True, kw_only=True)
class MatrixPanel(Panel):
    """The `matrix` of the last state, ordered by its leading eigenvector, and its `spectrum`.

    In the caption ``{state.…}`` stands for an attribute of the last state.

    Attributes
    ----------
    solved : str
        Text after the caption once the state has converged, with the same placeholders.
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
        Parameter that holds the class priors.
    settled : tuple of str
        Parameters that the fit has chosen and that are kept, read from attributes with a trailing underscore.
    """

    parameter: str
    settled: tuple[str, ...] = ()
    place = "candidate"
