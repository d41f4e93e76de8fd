"""Which lesson a page shows: one of the path, one that a link holds, or one that was opened from a file."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import streamlit as st

from mmc.lessons import Lesson, find_path, pack_lesson, read_lesson, unpack_lesson
from mmc.lessons.links import MAX_LINK
from mmc.ui.messages import guard, notice
from mmc.ui.visit_state import Lessons, state_of

#: Word in the address for a lesson that is too long for a link.
_FILE = "file"

#: Names in the address that say what the page shows.
_NAMES = ("lesson", "own", "step", "print")


class Place(NamedTuple):
    """A lesson, and where it is.

    Attributes
    ----------
    lesson : Lesson
        The lesson.
    address : dict from str to str
        Query parameters that open it.
    number : int or None
        Its number on the path, from 1; None if it is not on it.
    """

    lesson: Lesson
    address: dict[str, str]
    number: int | None = None

    @property
    def key(self) -> str:
        """What tells it apart from other lessons, also from another one with the same `id`."""
        return self.lesson.id if self.number else f"{self.lesson.id}-{self.lesson.digest}"

    @property
    def is_in_link(self) -> bool:
        """Whether its address is all that somebody else needs to open it."""
        return self.address.get("lesson") != _FILE


def all_places() -> list[Place]:
    """Return the lessons of the path in order."""
    lessons = find_path().values()
    return [Place(lesson, {"lesson": lesson.id}, number) for number, lesson in enumerate(lessons, 1)]


def find_place() -> Place | None:
    """Return the lesson that the address names; None if it names none, or one that there is not."""
    try:
        if packed := st.query_params.get("own"):
            return Place(_read(unpack_lesson(packed)), {"own": packed})
    except ValueError as error:
        notice(error)
        return None
    name = st.query_params.get("lesson")
    if name is None:
        return None
    opened = state_of(Lessons).opened
    if name == _FILE and opened is not None:
        return Place(opened, {"lesson": _FILE})
    found = next((place for place in all_places() if place.lesson.id == name), None)
    if found is None and name == _FILE:
        notice("Open the file of this lesson again: it is too long for an address.", "info")
    elif found is None:
        notice(f"There is no lesson {name[:40]} on the path. Here are those that there are.", "warning")
    return found


def step_in_address(lesson: Lesson) -> int:
    """Return the number of the step that the address names, from 1; the nearest if there is no such step."""
    text = st.query_params.get("step", "1")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 1
    return min(max(number, 1), len(lesson.steps))


@guard()
def go_to(address: dict[str, str]) -> None:
    """Change the address; a callback for buttons. What else is in the address stays."""
    for name in _NAMES:
        if name in st.query_params and name not in address:
            del st.query_params[name]
    for name, value in address.items():
        st.query_params[name] = value


def open_lesson() -> None:
    """Draw the control that opens a lesson from a file."""
    upload = st.file_uploader(
        "Lesson (TOML)",
        type=["toml"],
        key="lesson_file",
        help="A text file with questions, experiments and answers. docs/lessons.md says how to write one.",
    )
    if upload is None:
        return
    content = upload.getvalue()
    try:
        lesson = read_lesson(content)
    except ValueError as error:
        notice(error)
        return
    state_of(Lessons).opened = lesson
    packed = pack_lesson(content.decode("utf-8-sig"))
    if not packed:
        notice(
            f"This lesson is too long for a link (more than {MAX_LINK} characters when compressed). It opens "
            "here, and everybody else needs the file.",
            "info",
        )
    st.button(
        "Open this lesson",
        type="primary",
        on_click=go_to,
        args=({"own": packed} if packed else {"lesson": _FILE},),
        key="open_lesson",
    )


@lru_cache(maxsize=64)
def _read(text: str) -> Lesson:
    return read_lesson(text)
