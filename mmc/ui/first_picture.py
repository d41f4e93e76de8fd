"""A picture in the place of a chart until the browser has loaded Plotly, which takes a second or more."""

from __future__ import annotations

import base64
from time import sleep

import streamlit as st

from mmc.ui.visit_state import Visit, state_of

#: Seconds by which the first chart of a visit comes later than its picture: while the browser loads Plotly,
#: for most of a second, it draws nothing else.
HEAD_START = 0.4

_STYLE = """<style>
[class*="st-key-picture_"] {position: relative;}
[data-testid=stLayoutWrapper]:has(> .st-key-KEY) {
  position: absolute; inset: 0; z-index: 1; pointer-events: none;
}
.st-key-KEY, .st-key-KEY :not(img) {height: 100%;}
.st-key-KEY img {width: 100%; height: 100%; object-fit: contain;}
[class*="st-key-picture_"]:has(.main-svg) .st-key-KEY {display: none;}
</style>"""


def first_picture(svg: str, number: int) -> None:
    """Draw a picture over the place of the chart that follows; it disappears when the chart is there.

    It takes no room of its own, so that nothing on the page moves then, and readers of the page are told of
    the chart alone.

    Parameters
    ----------
    svg : str
        The picture.
    number : int
        Number of the chart, from 0.
    """
    key = f"first_{number}"
    content = base64.b64encode(svg.encode()).decode()
    with st.container(key=key):
        st.html(f'{_STYLE.replace("KEY", key)}<img alt="" src="data:image/svg+xml;base64,{content}">')
    visit = state_of(Visit)
    if not visit.has_plotly:
        visit.has_plotly = True
        sleep(HEAD_START)
