"""Frames of a Plotly figure, set without a check of every array, which would take most of a figure's time.

This is beyond Plotly's public interface; `tests/test_private_apis.py` says what is missing when a new release
moves it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import plotly.graph_objects as go


def set_frames(figure: go.Figure, frames: Iterable[list[dict[str, Any]]]) -> None:
    """Give a figure its frames, named by their numbers.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Is changed.
    frames : iterable of lists of dict
        Of each frame what changes in the traces, which are scatter plots, in their order. A trace that stays
        has an empty dict: Plotly forgets the drawing of a trace that a frame leaves out, and a lasso fails
        after that.
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
