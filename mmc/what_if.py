"""Questions to data: what a clustering would be if one thing about them were different.

A question makes other data of some data. Where the difference is an option of a toy set, such as its noise,
the other data are the set with that option; otherwise they have a change (`Dataset.changed`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple, get_args

from mmc.datasets import CATALOG, load
from mmc.datasets._options import MAX_IMBALANCE, MAX_NOISE
from mmc.experiment import Data

Kind = Literal["move", "noise", "imbalance", "jitter", "thin"]

#: All kinds of questions, in the order in which they are offered.
KINDS: tuple[Kind, ...] = get_args(Kind)

#: Share by which classes become smaller, and what is added to noise that is 0.
_UNEQUAL, _SOME_NOISE = 0.6, 0.1

#: Size of the noise that is added to data of which nobody knows how they were made.
_JITTER = 0.5


class Question(NamedTuple):
    """What is to be different.

    Attributes
    ----------
    kind : str
        "move": one point is elsewhere; "noise": the points stray twice as far from their shape; "imbalance":
        the classes of a toy set are of unequal size; "jitter": half a standard deviation of noise is added;
        "thin": two thirds of the first group, or of all points, are missing.
    point : int
        Point that is moved.
    by : tuple of float
        How far it is moved in each of the first columns, in standard deviations of the column.
    """

    kind: Kind
    point: int = 0
    by: tuple[float, ...] = (2.0, 0.0)

    @property
    def title(self) -> str:
        """The changed data in a few words."""
        return {
            "move": f"Point {self.point} elsewhere",
            "noise": "Twice the noise",
            "imbalance": "Unequal classes",
            "jitter": "Every point shaken",
            "thin": "Two thirds missing",
        }[self.kind]

    @property
    def keeps_rows(self) -> bool:
        """Whether a point of the changed data is a point of the data as they are."""
        return self.kind != "imbalance"

    @property
    def is_option(self) -> bool:
        """Whether the changed data are a toy set with another option."""
        return self.kind in ("noise", "imbalance")


def kinds(data: Data) -> tuple[Kind, ...]:
    """Return the kinds of questions that some data allow.

    Parameters
    ----------
    data : Data
        Data as they are.

    Returns
    -------
    tuple of str
        Options of a toy set where it has them; otherwise points are shaken or left out.
    """
    known = CATALOG[data.source].parameters if data.source in CATALOG else ()
    options: list[Kind] = [kind for kind in ("noise", "imbalance") if kind in known]
    others: tuple[Kind, ...] = ("jitter", "thin")
    return ("move", *(options or others))


def asked(data: Data, question: Question) -> Data:
    """Return the changed data.

    Parameters
    ----------
    data : Data
        Data as they are.
    question : Question
        What is to be different.

    Returns
    -------
    Data

    Raises
    ------
    ValueError
        If the data do not allow the question.
    """
    if question.kind not in kinds(data):
        raise ValueError(
            f"{question.kind!r} cannot be asked of {data.source}: ask one of {', '.join(kinds(data))}."
        )
    options = dict(data.options)
    if question.kind == "noise":
        usual = CATALOG[data.source].noise_default or 0.0
        noise = float(options.get("noise", usual))
        return replace(data, options=options | {"noise": min(2 * noise or _SOME_NOISE, MAX_NOISE)})
    if question.kind == "imbalance":
        share = min(float(options.get("imbalance", 0.0)) + _UNEQUAL, MAX_IMBALANCE)
        return replace(data, options=options | {"imbalance": round(share, 10)})
    if question.kind == "move":
        return replace(data, change={"move": question.point, "by": list(question.by)})
    if question.kind == "jitter":
        return replace(data, change={"jitter": _JITTER})
    return replace(data, change={"thin": 0 if _has_groups(data) else -1})


def question_of(data: Data) -> Question:
    """Return the question whose answer some changed data are.

    Parameters
    ----------
    data : Data
        Data with a change.

    Returns
    -------
    Question

    Raises
    ------
    ValueError
        If no question makes this change.
    """
    change = dict(data.change)
    as_it_is = replace(data, change={})
    moved = Question("move", change.get("move") or 0, tuple(change.get("by", ())))
    for question in (moved, Question("jitter"), Question("thin")):
        if question.kind in kinds(as_it_is) and asked(as_it_is, question).change == change:
            return question
    raise ValueError(
        f"This change is none of the questions of a page: {', '.join(change)}. "
        "Use the command line: python -m mmc run."
    )


def _has_groups(data: Data) -> bool:
    """Return whether there are reference labels."""
    if data.source == "table":
        return data.options.get("label") is not None
    if data.source == "drawn":
        return load("drawn", **data.options).y is not None
    return data.source != "noise"
