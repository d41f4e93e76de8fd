"""Frames of a Plotly figure, set without validation, which would take most of a figure's time.

This is not part of Plotly's public interface; `tests/test_private_apis.py` says what is missing when a new
release moves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go


def set_frames(figure: go.Figure, frames: Iterable[list[dict[str, Any]]]) -> None:
    """Set the frames of a figure, named by their numbers.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Figure to change.
    frames : iterable of lists of dict
        For each frame the changes of every trace, in order. A trace without changes has an empty dict,
        because Plotly forgets the drawing of a trace that a frame leaves out, and the lasso then fails.
    """
    kinds = [trace.type for trace in figure.data]
    figure._frame_objs = tuple(
        go.Frame(
            name=str(i),
            traces=list(range(len(changes))),
            data=[{"type": kind, **change} for kind, change in zip(kinds, changes, strict=True)],
            _validate=False,
        )
        for i, changes in enumerate(frames)
    )


class Mark(NamedTuple):
    """Where a chart shows the current frame.

    Attributes
    ----------
    x, y : sequence of float
        Place of the mark in each frame.
    row : int
        Row of the subplots.
    """

    x: Sequence[float]
    y: Sequence[float]
    row: int


def follow_steps(figure: go.Figure, marks: Sequence[Mark]) -> None:
    """Add marks that follow the player to a figure of subplots in one column.

    The last frame is shown at first.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Figure to change.
    marks : sequence of Mark
        Marks, all with as many frames.
    """
    before = len(figure.data)
    for mark in marks:
        figure.add_scatter(
            x=[mark.x[-1]],
            y=[mark.y[-1]],
            mode="markers",
            marker={"size": 11, "color": "#D55E00"},
            hoverinfo="skip",
            showlegend=False,
            row=mark.row,
            col=1,
        )
    frames = range(len(marks[0].x)) if marks else ()
    set_frames(
        figure, ([*[{}] * before, *({"x": [mark.x[i]], "y": [mark.y[i]]} for mark in marks)] for i in frames)
    )
