"""The page of all lessons: the path, what is done of it, hints for teachers, and lessons from files."""

from __future__ import annotations

import html
from pathlib import Path

import streamlit as st

from mmc.ui.lesson_progress import forget_progress, keep_progress, n_done
from mmc.ui.lesson_source import Place, all_places, open_lesson
from mmc.ui.lesson_text import glossary_html, hints_html
from mmc.ui.messages import plain
from mmc.ui.visit_state import Lessons, state_of

_PAGE = "pages/7_Lessons.py"

_STYLE = Path(__file__).with_name("lesson.css").read_text(encoding="utf-8")


def style_lessons() -> None:
    """Send the style of lessons."""
    st.html(f"<style>{_STYLE}</style>")


def teacher_control() -> bool:
    """Draw the switch to the teacher's view, and return whether it is on."""
    return st.toggle(
        "Teacher's view",
        key="teacher",
        bind="query-params",
        help="Hints for each lesson: how much time, what to ask, what goes wrong.",
    )


def show_path(*, is_teacher: bool) -> None:
    """Draw the path of lessons.

    Parameters
    ----------
    is_teacher : bool
        Whether hints for a teacher are shown.
    """
    keep_progress("path")
    places = all_places()
    done = sum(n_done(place.key, place.lesson) == len(place.lesson.steps) for place in places)
    minutes = sum(place.lesson.minutes for place in places)
    st.caption(
        f"{len(places)} lessons, {minutes} minutes in all; {done} done. What is done is kept in this browser "
        "and nowhere else."
    )
    with st.container(key="lesson_path", gap="small"):
        for place in places:
            _row(place, is_teacher)
    if state_of(Lessons).guesses:
        st.button("Forget what I have done", type="tertiary", on_click=forget_progress, key="forget_progress")
    with st.expander("All words, and the lesson that explains each", icon=":material/dictionary:"):
        st.html(glossary_html([(place.number, place.lesson) for place in places if place.number]))
    with st.expander("A lesson from a file", icon=":material/folder_open:"):
        open_lesson()


def _row(place: Place, is_teacher: bool) -> None:
    lesson = place.lesson
    done, total = n_done(place.key, lesson), len(lesson.steps)
    icon = "check_circle" if done == total else "timelapse" if done else "radio_button_unchecked"
    with st.container(key=f"lesson_row_{place.number}", gap=None):
        st.page_link(
            _PAGE,
            label=f"**{place.number}. {plain(lesson.title)}**",
            icon=f":material/{icon}:",
            query_params=place.address,
        )
        state = "done" if done == total else f"{done} of {total} steps done" if done else f"{total} steps"
        st.html(
            f'<p class="mmc-summary">{html.escape(lesson.summary)} '
            f"<span>{lesson.minutes} min · {state}</span></p>"
        )
        if is_teacher:
            st.html(hints_html(lesson))
            st.page_link(
                _PAGE,
                label="For paper",
                icon=":material/print:",
                query_params=place.address | {"print": "true"},
            )
