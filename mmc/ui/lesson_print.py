"""A lesson for paper: all steps below each other, each with the picture of the frame that it speaks of."""

from __future__ import annotations

import base64
import html
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from mmc.ui.lesson_job import taught, tell_what_differs
from mmc.ui.lesson_source import Place, go_to
from mmc.ui.lesson_text import answer_html, choices_html, hints_html, question_html, table_html, terms_html
from mmc.ui.messages import notice


def is_for_paper() -> bool:
    """Return whether the address asks for a lesson as it is printed."""
    return st.query_params.get("print") == "true"


def show_for_paper(place: Place, *, is_teacher: bool) -> None:
    """Draw a lesson as it is printed.

    Parameters
    ----------
    place : Place
        The lesson.
    is_teacher : bool
        Whether the hints for a teacher follow on a page of their own.
    """
    lesson = place.lesson
    with st.container(key="print_controls", horizontal=True, vertical_alignment="center"):
        _component()(key="print_button")
        st.button(
            "Back to the lesson", on_click=go_to, args=(place.address,), key="print_back", type="tertiary"
        )
    parts = [
        f"<h1>{html.escape(lesson.title)}</h1>",
        f"<p>{html.escape(lesson.summary)}<br><em>{html.escape(lesson.paper)}</em></p>",
        terms_html(lesson),
    ]
    try:
        for number, step in enumerate(lesson.steps, 1):
            shown = taught(step)
            tell_what_differs(step, shown)
            source = f"data:image/svg+xml;base64,{base64.b64encode(shown.still.encode()).decode()}"
            titles = html.escape(" and ".join(shown.scenes))
            pair = " mmc-pair" if len(shown.scenes) > 1 else ""
            parts.append(
                f'<section class="mmc-printed{pair}"><figure>'
                f'<img alt="Picture of {titles}" src="{source}"></figure>'
                f"<div><h2>{number}</h2>{question_html(step)}{choices_html(step)}"
                f"{answer_html(step, shown.values)}{table_html(step, shown.values)}</div></section>"
            )
    except ValueError as error:
        notice(error)
        return
    if is_teacher and (hints := hints_html(lesson)):
        parts.append(f'<section class="mmc-for-teacher"><h2>For the teacher</h2>{hints}</section>')
    with st.container(key="printed"):
        st.html("".join(parts))


@cache
def _component() -> Any:
    here = Path(__file__).parent
    return st.components.v2.component(
        "mmc_print",
        css=(here / "lesson_button.css").read_text(encoding="utf-8"),
        js=(here / "lesson_print.js").read_text(encoding="utf-8"),
    )
