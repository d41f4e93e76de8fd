"""Pictures of the gallery: the last value of a block if it is an animation or a chart of Plotly.

Pages show the real player and chart, with the one copy of Plotly's script that the documentation has; small
pictures are the last frames, which are drawn without a browser.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import plotly.graph_objects as go

from mmc.figures.raster import to_png
from mmc.figures.still import chart_picture
from mmc.notebook import Animation

#: From a page of the gallery.
_PLOTLY = "../_static/plotly.min.js"

#: Width and height of a small picture.
_SMALL = (400, 280)


def scrape(block: Any, variables: dict[str, Any], configuration: dict[str, Any], **options: Any) -> str:
    """Return the last value of a block as raw HTML, and write its small picture."""
    value = variables["example_globals"].get("___")
    if isinstance(value, Animation):
        path = next(variables["image_path_iterator"])
        with open(path, "wb") as file:
            scene = replace(list(value.scenes.values())[-1], curves=())
            file.write(to_png(chart_picture(scene, value.objective, {}, *_SMALL)))
        return _raw(replace(value, plotlyjs=_PLOTLY)._repr_html_())
    if isinstance(value, go.Figure):
        chart = value.update_layout(template="plotly_white", margin_t=20).to_html(
            full_html=False, include_plotlyjs=False
        )
        return _raw(f'<script src="{_PLOTLY}"></script>{chart}')
    return ""


def _raw(text: str) -> str:
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    return f"\n.. raw:: html\n\n{lines}\n\n"
