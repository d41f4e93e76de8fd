"""The frame of every page, and the line on values of the address that no control takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mmc.ui._sessions import current_session
from mmc.ui.history import follow_address, keep_history
from mmc.ui.jobs import runner
from mmc.ui.messages import guard, notice
from mmc.ui.visit_state import Visit, state_of

#: Pages in the order in which a newcomer needs them: file, title, icon, and what one does there.
PAGES = (
    ("app.py", "Home", ":material/home:", "where to begin"),
    ("pages/7_Lessons.py", "Lessons", ":material/school:", "one idea after the other"),
    ("pages/0_Find_clusters.py", "Find clusters", ":material/bubble_chart:", "in my file"),
    ("pages/1_Playground.py", "Playground", ":material/scatter_plot:", "watch an algorithm"),
    ("pages/3_Cutting_planes.py", "Cutting planes", ":material/content_cut:", "watch a margin"),
    ("pages/4_Compare.py", "Compare", ":material/grid_view:", "many side by side"),
    ("pages/2_Model_selection.py", "Model selection", ":material/query_stats:", "one setting"),
    ("pages/5_Tune.py", "Tune", ":material/tune:", "two at once"),
    ("pages/8_Images.py", "Images", ":material/image:", "segments of a picture"),
    ("pages/6_Papers.py", "Papers", ":material/menu_book:", "theirs and ours"),
)

_ICON = Path(__file__).with_name("icon.svg")

_STYLE = Path(__file__).with_name("page.css").read_text(encoding="utf-8")


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
        st.html(f"<style>{_STYLE}</style>")
        runner().watch_over(current_session())
        visit = state_of(Visit)
        follow_address(is_new_page=visit.page != title)
        if visit.page != title:
            visit.page, visit.replaced = title, {}
        # Controls that are there already have values of their own, which the address follows.
        unread = [name for name in st.query_params if name not in st.session_state]
        visit.asked = {name: st.query_params.get_all(name) for name in unread}
        with st.sidebar:
            keep_history()
            visit.top = st.container(key="choice", gap="small")
            with st.container(key="pages", gap=None):
                for path, label, icon, what in PAGES:
                    st.page_link(path, label=f"{label}: {what}", icon=icon)
        visit.place, visit.told = None, False
        try:
            yield
        finally:
            visit.in_address |= set(st.query_params)  # also what this run has written
            _tell_replaced()  # of controls that were drawn below the result


def heading(title: str, about: str) -> DeltaGenerator:
    """Draw the title of a page, and beside it a button that opens what the page is about.

    Parameters
    ----------
    title, about : str
        Title and explanation.

    Returns
    -------
    DeltaGenerator
        The line of the title, for further buttons.
    """
    line = st.container(key="heading", horizontal=True, vertical_alignment="center")
    with line:
        st.title(title, width="content")
        with st.popover("What is this?", type="tertiary"):
            st.write(about)
    return line


def replaced_notice() -> None:
    """Say in one line which values of the address no control takes, and what was taken instead.

    Call it after the controls; only the first call in a run draws the line, which stays until the control
    changes. Values of controls that are drawn later are told in the same place when the page ends.
    """
    visit = state_of(Visit)
    if visit.place is None:
        visit.place = st.container()
        _tell_replaced()


def _tell_replaced() -> None:
    visit = state_of(Visit)
    kept = {n: pair for n, pair in visit.replaced.items() if st.session_state.get(n) == pair[1]}
    drawn = {name: texts for name, texts in visit.asked.items() if name in st.session_state}
    visit.asked = {name: texts for name, texts in visit.asked.items() if name not in drawn}
    new = {
        name: (", ".join(texts), st.session_state[name])
        for name, texts in drawn.items()
        if _of_control(st.session_state[name]) and not _same(texts, st.session_state[name])
    }
    visit.replaced = kept | new
    told = visit.replaced if not visit.told else new
    if told:
        visit.told = True
        parts = [
            f"{name}={asked[:40]} ({str(taken)[:40]} was taken)" for name, (asked, taken) in told.items()
        ]
        with visit.place if visit.place is not None else st.container():
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
