"""What a reader has done of the lessons: kept in the browser, and never on the server."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from mmc.lessons import Lesson
from mmc.ui.messages import guard
from mmc.ui.visit_state import Lessons, state_of

#: Number of lessons and of steps of which the browser may tell.
_MOST_LESSONS, _MOST_STEPS = 200, 8


def keep_progress(place: str) -> None:
    """Exchange what is done with the browser, and let the page begin at its top if the place is new.

    Parameters
    ----------
    place : str
        What the page shows.
    """
    state = state_of(Lessons)
    known = {lesson: {str(i): c for i, c in steps.items()} for lesson, steps in state.guesses.items()}
    with st.container(key="lesson_progress_place"):
        given = _component()(
            data={"known": known, "forget": state.forgotten, "place": place},
            key="lesson_progress",
            on_stored_change=lambda: None,
        )
    if given.stored is not None and given.stored != state.received:
        state.received = given.stored
        for lesson, done in _checked(given.stored).items():
            state.guesses[lesson] = done | state.guesses.get(lesson, {})


def guess_of(lesson: str, step: int) -> int | None:
    """Return the reader's guess; −1 means that the answer was opened without one, None that it was not."""
    return state_of(Lessons).guesses.get(lesson, {}).get(step)


@guard()
def take_guess(lesson: str, step: int, choice: int | None) -> None:
    """Keep a guess, or forget it if it is None; a callback for buttons."""
    steps = state_of(Lessons).guesses.setdefault(lesson, {})
    if choice is None:
        steps.pop(step, None)
    else:
        steps[step] = choice


def n_done(key: str, lesson: Lesson) -> int:
    """Return the number of steps of a lesson whose answer the reader has seen."""
    done = state_of(Lessons).guesses.get(key, {})
    return sum(step in done for step in range(1, len(lesson.steps) + 1))


@guard()
def forget_progress() -> None:
    """Forget everything, here and in the browser; a callback for a button."""
    state = state_of(Lessons)
    state.guesses = {}
    state.forgotten += 1


def _checked(stored: Any) -> dict[str, dict[int, int]]:
    """Return what is right of something that a browser has sent."""
    found: dict[str, dict[int, int]] = {}
    if not isinstance(stored, dict) or len(stored) > _MOST_LESSONS:
        return found
    for lesson, steps in stored.items():
        if not (
            isinstance(lesson, str) and re.fullmatch(r"[a-z0-9-]{1,60}", lesson) and isinstance(steps, dict)
        ):
            continue
        right = {
            int(step): choice
            for step, choice in steps.items()
            if re.fullmatch(rf"[1-{_MOST_STEPS}]", str(step)) and type(choice) is int and -1 <= choice < 4
        }
        if right:
            found[lesson] = right
    return found


@cache
def _component() -> Any:
    script = Path(__file__).with_name("lesson_progress.js").read_text(encoding="utf-8")
    return st.components.v2.component("mmc_lesson_progress", js=script)
