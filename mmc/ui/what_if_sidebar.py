"""The control of a question to the data: what would be if one thing about them were different."""

from __future__ import annotations

from typing import Any, get_args

import streamlit as st

from mmc.experiment import Data
from mmc.ui.choice_sidebar import titled_select
from mmc.ui.parameter_sidebar import seed_control
from mmc.what_if import Kind, Question, kinds, question_of

#: Keys of the controls and names in the address.
WHAT, POINT, ACROSS, UPWARDS = "what", "what_point", "what_across", "what_upwards"

_NOTHING = "nothing"

_TITLES = {
    _NOTHING: "nothing were different",
    "move": "one point were elsewhere",
    "noise": "there were twice the noise",
    "imbalance": "the classes were unequal",
    "jitter": "every point were shaken",
    "thin": "two thirds were missing",
}

#: How far a point can be moved in each direction, in standard deviations.
_FAR = 5.0

_MOST_POINTS = 100_000


def what_if_control(data: Data) -> Question | None:
    """Draw the control of a question to the data, and return the question or None.

    Parameters
    ----------
    data : Data
        Data as they are.
    """
    kind = titled_select(
        "What if …",
        [_NOTHING, *kinds(data)],
        _NOTHING,
        WHAT,
        _TITLES.__getitem__,
        help_="Runs the same algorithm from the same start on data that differ in one respect, beside the "
        "data as they are. Shaken: by half a standard deviation of each column. Missing: of the first group, "
        "or of all points if no groups are known.",
    )
    if kind == _NOTHING:
        return None
    if kind != "move":
        return Question(next(each for each in get_args(Kind) if each == kind))
    point = seed_control(
        "Which point", _MOST_POINTS, POINT, "Its row. Or draw a lasso around one point in the picture."
    )
    by = tuple(
        float(
            st.slider(
                label,
                -_FAR,
                _FAR,
                usual,
                0.25,
                key=key,
                bind="query-params",
                help=f"Along the {nth} column, in standard deviations of it.",
            )
        )
        for label, key, usual, nth in (
            ("Move it across", ACROSS, Question("move").by[0], "first"),
            ("Move it upwards", UPWARDS, Question("move").by[1], "second"),
        )
    )
    return Question("move", point, by if by[1] else by[:1])


def question_address(data: Data) -> dict[str, Any]:
    """Return the query parameters of the question whose answer some changed data are.

    Parameters
    ----------
    data : Data
        Data with a change.

    Raises
    ------
    ValueError
        If no question of the page makes this change.
    """
    question = question_of(data)
    if question.kind != "move":
        return {WHAT: question.kind}
    across, upwards = (*question.by, 0.0, 0.0)[:2]
    if len(question.by) > 2 or max(abs(across), abs(upwards)) > _FAR or question.point > _MOST_POINTS:
        raise ValueError(
            f"by={list(question.by)} is outside of what this page runs, two offsets from {-_FAR:g} to "
            f"{_FAR:g}. Use the command line: python -m mmc run."
        )
    return {WHAT: "move", POINT: question.point, ACROSS: float(across), UPWARDS: float(upwards)}
