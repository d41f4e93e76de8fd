"""Figures that were made in another process, as plain data that need no further work.

Plotly validates a figure again when it is unpickled, which takes longer than making it. Streamlit asks a
figure for its content as a dict and writes that as JSON; the content here is ready for it. This is not part
of Plotly's public interface; `tests/test_private_apis.py` says what is missing when a new release moves it.
"""

from __future__ import annotations

import json
from typing import Any

import plotly.graph_objects as go


class PackedFigure(go.Figure):
    """A figure that can be shown and sent, but not changed.

    Parameters
    ----------
    content : dict
        The figure as plain data.
    """

    def __init__(self, content: dict[str, Any]) -> None:
        object.__setattr__(self, "content", content)

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedFigure, (self.content,)

    def to_dict(self) -> dict[str, Any]:
        """Return the content, which must not be changed."""
        return self.content

    @property
    def nbytes(self) -> int:
        """Approximate memory of the content."""
        return _size(self.content)


def pack(figure: go.Figure) -> PackedFigure:
    """Return a figure as plain data, with arrays in the encoding that is sent to the browser.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        Figure to pack.

    Returns
    -------
    PackedFigure
    """
    return PackedFigure(json.loads(figure.to_json(validate=False)))


def _size(value: Any) -> int:
    if isinstance(value, dict):
        return 64 + sum(_size(each) for each in value.values())
    if isinstance(value, list):
        return 64 + sum(map(_size, value))
    return len(value) if isinstance(value, str) else 16
