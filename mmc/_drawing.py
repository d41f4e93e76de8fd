"""The way from a result up to its picture, which is taken by name and when a picture is asked for.

Pictures know results, so that results cannot import what draws them, and `import mmc` must not load Plotly.
A method such as `model.animate(X)` therefore finds its module by name, here and nowhere else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mmc.notebook import Animation


def animate(*arguments: Any, **options: Any) -> Animation:
    """Call `mmc.notebook.animate`."""
    made: Animation = import_module("mmc.notebook").animate(*arguments, **options)
    return made
