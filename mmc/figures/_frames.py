"""Frames of a Plotly figure, set without validation, which would take most of a figure's time.

This is not part of Plotly's public interface; `tests/test_private_apis.py` says what is missing when a new
release moves it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import plotly.graph_objects as go


def set_frames(figure: go.Figure, frames: Iterable[list[dict[str, Any]]]) -> None:
    """Set the frames of a figure, named by their numbers.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Figure to change, whose traces are scatter plots.
    frames : iterable of lists of dict
        For each frame the changes of every trace, in order. A trace without changes has an empty dict,
        because Plotly forgets the drawing of a trace that a frame leaves out, and the lasso then fails.
    """
    figure._frame_objs = tuple(
        go.Frame(
            name=str(i),
            traces=list(range(len(changes))),
            data=[{"type": "scatter", **change} for change in changes],
            _validate=False,
        )
        for i, changes in enumerate(frames)
    )
