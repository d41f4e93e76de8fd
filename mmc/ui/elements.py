"""Components of pages that build their own controls, from a script and a style beside this module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st


def component(name: str, file: str) -> Any:
    """Make a component of Streamlit, whose script can use the functions of elements.js.

    Parameters
    ----------
    name : str
        Name of the component.
    file : str
        Name of its script and its style, without the ending.

    Returns
    -------
    callable
        Mounts the component.
    """
    script, style, shared = (
        Path(__file__).with_name(each).read_text(encoding="utf-8")
        for each in (f"{file}.js", f"{file}.css", "elements.js")
    )
    return st.components.v2.component(name, css=style, js=shared + script)
