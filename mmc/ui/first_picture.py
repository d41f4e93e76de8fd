"""A picture in the place of a chart until the browser has loaded Plotly, which takes a second or more."""

from __future__ import annotations

import base64

import streamlit as st

_STYLE = """<style>
[data-testid=stVerticalBlock]:has(> [data-testid=stLayoutWrapper] > .st-key-KEY) {position: relative;}
[data-testid=stLayoutWrapper]:has(> .st-key-KEY) {
  position: absolute; left: 0; width: 100%; z-index: 1; pointer-events: none;
}
.st-key-KEY img {width: 100%; height: HEIGHTpx; object-fit: contain;}
[data-testid=stVerticalBlock]:has(.st-key-CHART .main-svg) .st-key-KEY {display: none;}
</style>"""


def first_picture(svg: str, chart: str, height: int) -> None:
    """Draw the picture over the place of the chart that follows; it disappears when the chart is there.

    It takes no room of its own, so that nothing on the page moves then, and readers of the page are told of
    the chart alone.

    Parameters
    ----------
    svg : str
        The picture.
    chart : str
        Key of the chart.
    height : int
        Height of the chart.
    """
    key = f"first_{chart}"
    style = _STYLE.replace("KEY", key).replace("CHART", chart).replace("HEIGHT", str(height))
    content = base64.b64encode(svg.encode()).decode()
    with st.container(key=key):
        st.html(f'{style}<img alt="" src="data:image/svg+xml;base64,{content}">')
