"""Figures of the papers, drawn again from stored results: panels of lines over two axes.

Each panel is a figure of its own, so that a page can put them side by side or below each other.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import plotly.graph_objects as go

from mmc.figures.palette import SYMBOLS, cluster_color

_HEIGHT = 380
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


class Line(NamedTuple):
    """A line of a panel, or points that are not joined."""

    name: str
    x: list[float]
    y: list[float]
    joined: bool = True


class Panel(NamedTuple):
    """One pair of axes with its lines; `log_x` and `log_y` make an axis logarithmic."""

    title: str
    x: str
    y: str
    lines: list[Line]
    log_x: bool = False
    log_y: bool = False


class Reproduction(NamedTuple):
    """A figure of a paper, computed again.

    Attributes
    ----------
    paper, figure : str
        Name of the paper, and number of the figure in it.
    title : str
        What the figure shows.
    protocol : str
        How it was computed.
    said : str
        What the paper says of its own figure.
    seconds : float
        CPU seconds that the computation took.
    panels : list of Panel
    """

    paper: str
    figure: str
    title: str
    protocol: str
    said: str
    seconds: float
    panels: list[Panel]


def panel_figures(drawn: Reproduction) -> list[go.Figure]:
    """Draw each panel; a line has the same colour, dash and symbol in all of them."""
    names = list(dict.fromkeys(line.name for panel in drawn.panels for line in panel.lines))
    return [_panel_figure(panel, names) for panel in drawn.panels]


def _panel_figure(panel: Panel, names: list[str]) -> go.Figure:
    figure = go.Figure()
    for line in panel.lines:
        i, name = names.index(line.name), html.escape(line.name)
        figure.add_scatter(
            x=line.x,
            y=line.y,
            name=name,
            mode="lines+markers" if line.joined else "markers",
            line={"color": cluster_color(i), "dash": _DASHES[i % len(_DASHES)], "width": 2},
            marker={"symbol": SYMBOLS[i % len(SYMBOLS)], "size": 7, "color": cluster_color(i)},
            hovertemplate=f"{name}<br>{html.escape(panel.x)} %{{x:.4g}}"
            f"<br>{html.escape(panel.y)} %{{y:.4g}}<extra></extra>",
        )
    axis: dict[str, Any] = {"fixedrange": True, "automargin": True, "zeroline": False}
    figure.update_layout(
        height=_HEIGHT,
        title={"text": html.escape(panel.title), "font": {"size": 14}},
        margin={"l": 10, "r": 10, "t": 40 if panel.title else 10, "b": 10},
        xaxis=axis | {"title": html.escape(panel.x), **_scale(panel.log_x)},
        yaxis=axis | {"title": html.escape(panel.y), **_scale(panel.log_y)},
        showlegend=len(panel.lines) > 1,
        legend={"orientation": "h", "yanchor": "top", "y": -0.25, "x": 0},
        dragmode=False,
    )
    return figure


def _scale(is_log: bool) -> dict[str, Any]:
    """Return what makes an axis logarithmic, with labels at 1, 2 and 5 times powers of ten."""
    return {"type": "log", "dtick": "D2"} if is_log else {"type": "linear"}


def to_json(figures: Iterable[Reproduction]) -> str:
    """Return figures as JSON, one panel in a line."""
    parts = []
    for drawn in figures:
        head = {key: value for key, value in drawn._asdict().items() if key != "panels"}
        panels = [
            panel._asdict() | {"lines": [line._asdict() for line in panel.lines]} for panel in drawn.panels
        ]
        lines = ",\n".join(json.dumps(panel, ensure_ascii=False) for panel in panels)
        parts.append(f'{json.dumps(head, ensure_ascii=False)[:-1]}, "panels": [\n{lines}\n]}}')
    return "[\n" + ",\n".join(parts) + "\n]\n"


def from_json(text: str) -> list[Reproduction]:
    """Read figures that `to_json` wrote.

    Raises
    ------
    ValueError
        If the text is something else.
    """
    try:
        return [
            Reproduction(**(each | {"panels": [_panel(panel) for panel in each["panels"]]}))
            for each in json.loads(text)
        ]
    except (TypeError, KeyError) as error:
        raise ValueError(f"these are not stored figures ({error}).") from error


def _panel(fields: dict[str, Any]) -> Panel:
    return Panel(**(fields | {"lines": [Line(**line) for line in fields["lines"]]}))
