"""Figures of the papers, drawn again from stored results: panels of lines over two axes."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mmc.figures.palette import SYMBOLS, cluster_color

_HEIGHT, _LEGEND = 340, 60
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


def reproduction_figure(drawn: Reproduction) -> go.Figure:
    """Draw the panels side by side; a line has the same colour, dash and symbol in all of them."""
    panels = drawn.panels
    figure = make_subplots(
        cols=len(panels),
        subplot_titles=[html.escape(panel.title) for panel in panels],
        horizontal_spacing=0.3 / max(len(panels), 2),
    )
    names = list(dict.fromkeys(line.name for panel in panels for line in panel.lines))
    told: set[str] = set()
    for column, panel in enumerate(panels, start=1):
        for line in panel.lines:
            i, name = names.index(line.name), html.escape(line.name)
            figure.add_scatter(
                x=line.x,
                y=line.y,
                name=name,
                legendgroup=name,
                showlegend=len(names) > 1 and line.name not in told,
                mode="lines+markers" if line.joined else "markers",
                line={"color": cluster_color(i), "dash": _DASHES[i % len(_DASHES)], "width": 2},
                marker={"symbol": SYMBOLS[i % len(SYMBOLS)], "size": 7, "color": cluster_color(i)},
                hovertemplate=f"{name}<br>{html.escape(panel.x)} %{{x:.4g}}"
                f"<br>{html.escape(panel.y)} %{{y:.4g}}<extra></extra>",
                row=1,
                col=column,
            )
            told.add(line.name)
        shared: dict[str, Any] = {"fixedrange": True, "automargin": True, "row": 1, "col": column}
        figure.update_xaxes(title=html.escape(panel.x), type="log" if panel.log_x else "linear", **shared)
        figure.update_yaxes(title=html.escape(panel.y), type="log" if panel.log_y else "linear", **shared)
    figure.update_layout(
        height=_HEIGHT + (_LEGEND if len(names) > 1 else 0),
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend={"orientation": "h", "yanchor": "top", "y": -0.25, "x": 0},
        dragmode=False,
    )
    return figure


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
