"""The frame of every page, and the line on values of the address that no control takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from mmc.ui._sessions import current_session
from mmc.ui.jobs import runner
from mmc.ui.messages import guard, notice
from mmc.ui.visit_state import Visit, state_of

_PAGES = (
    ("app.py", "Home", ":material/home:"),
    ("pages/0_Find_clusters.py", "Find clusters", ":material/bubble_chart:"),
    ("pages/1_Playground.py", "Playground", ":material/scatter_plot:"),
    ("pages/2_Model_selection.py", "Model selection", ":material/query_stats:"),
    ("pages/3_Cutting_planes.py", "Cutting planes", ":material/content_cut:"),
    ("pages/4_Compare.py", "Compare", ":material/grid_view:"),
    ("pages/5_Tune.py", "Tune", ":material/tune:"),
    ("pages/6_Papers.py", "Papers", ":material/menu_book:"),
)

_ICON = Path(__file__).with_name("icon.svg")

_STYLE = """<style>
.block-container {padding-top: 2.5rem; padding-bottom: 3rem;}
h1 {font-size: 2.1rem !important;}
[data-testid="stMetricValue"] {font-size: 1.6rem;}
</style>"""


@contextmanager
def frame(title: str) -> Iterator[None]:
    """Set up a page, whose body is the block: its title, its width, the links to the other pages, the guard.

    Parameters
    ----------
    title : str
        Title of the page.
    """
    with guard():
        st.set_page_config(page_title=f"{title} · mmc", page_icon=str(_ICON), layout="wide")
        st.html(_STYLE)
        runner().watch_over(current_session())
        visit = state_of(Visit)
        if visit.page != title:
            visit.page, visit.replaced = title, {}
        # Controls that are there already have values of their own, which the address follows.
        unread = [name for name in st.query_params if name not in st.session_state]
        visit.asked = {name: st.query_params.get_all(name) for name in unread}
        with st.sidebar.container(horizontal=True):
            for path, label, icon in _PAGES:
                st.page_link(path, label=label, icon=icon)
        yield


def replaced_notice() -> None:
    """Say in one line which values of the address no control takes, and what was taken instead.

    Call it after the controls. Only the first call in a run draws the line, which stays until the control
    changes.
    """
    visit = state_of(Visit)
    if visit.asked is None:
        return
    for name, texts in visit.asked.items():
        value = st.session_state.get(name)
        if name in st.session_state and _of_control(value) and not _same(texts, value):
            visit.replaced[name] = (", ".join(texts), value)
    visit.asked = None
    visit.replaced = {n: kept for n, kept in visit.replaced.items() if st.session_state.get(n) == kept[1]}
    if visit.replaced:
        parts = [
            f"{name}={asked[:40]} ({str(taken)[:40]} was taken)"
            for name, (asked, taken) in visit.replaced.items()
        ]
        notice(f"The address asks for what the controls do not take: {', '.join(parts)}.", "warning")


def _of_control(value: object) -> bool:
    """Return whether a control that is bound to the address may have this value."""
    values = value if isinstance(value, list | tuple) else [value]
    return all(each is None or isinstance(each, str | int | float) for each in values)


def _same(texts: list[str], value: object) -> bool:
    """Return whether a value equals the texts in the address."""
    values = value if isinstance(value, list | tuple) else [value]
    return len(texts) == len(values) and all(map(_is, texts, values))


def _is(text: str, value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return text.lower() == str("" if value is None else value).lower()
    try:
        return float(text) == value
    except ValueError:
        return False
