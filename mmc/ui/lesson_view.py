"""A lesson on a page: its terms, and for each step the question, the guess, the experiment and the answer."""

from __future__ import annotations

import html

import numpy as np
import streamlit as st

from mmc import registry
from mmc.figures import make_story
from mmc.figures.animation import chart_config
from mmc.lessons import Step
from mmc.ui.data_sidebar import address
from mmc.ui.first_picture import first_picture
from mmc.ui.lesson_job import taught, tell_what_differs
from mmc.ui.lesson_progress import guess_of, keep_progress, n_done, take_guess
from mmc.ui.lesson_source import Place, all_places, go_to, step_in_address
from mmc.ui.lesson_text import (
    answer_html,
    hints_html,
    question_html,
    table_html,
    terms_html,
    verdict_html,
)
from mmc.ui.messages import notice, plain
from mmc.ui.player_view import mount_player, mount_story
from mmc.work import Taught

_PAGE = "pages/7_Lessons.py"
_PLAYGROUND = "pages/1_Playground.py"


def show_lesson(place: Place, *, is_teacher: bool) -> None:
    """Draw the step of a lesson that the address names.

    Parameters
    ----------
    place : Place
        The lesson.
    is_teacher : bool
        Whether hints for a teacher are shown.
    """
    lesson = place.lesson
    number = step_in_address(lesson)
    step = lesson.steps[number - 1]
    keep_progress(f"{place.key} {number}")
    with st.container(key="lesson_head", gap="xsmall"):
        st.title(plain(lesson.title), anchor=False)
        at = (
            f"Lesson {place.number} of {len(all_places())}"
            if place.number
            else "A lesson from a file or a link"
        )
        about = [at, f"{lesson.minutes} minutes", *([f"After {lesson.paper}"] if lesson.paper else [])]
        st.caption(plain(" · ".join(about)))
    with st.container(key="lesson_bar", horizontal=True, vertical_alignment="center"):
        st.html(_marks(place, number))
        if lesson.terms and number > 1:
            with st.popover("Words of this lesson", type="tertiary", icon=":material/dictionary:"):
                st.html(terms_html(lesson))
    if is_teacher and (hints := hints_html(lesson)):
        with st.expander("Hints for the teacher", icon=":material/school:", expanded=number == 1):
            st.html(hints)
    guess = guess_of(place.key, number)
    if lesson.terms and number == 1:
        with st.expander("Words of this lesson", icon=":material/dictionary:", expanded=guess is None):
            st.html(terms_html(lesson))
    with st.container(key="lesson_step"):
        with st.container(key="lesson_question"):
            st.html(question_html(step))
            if guess is None:
                _ask(place, number, step)
        picture = st.container(key="lesson_picture")
        answer = st.container(key="lesson_answer")
    algorithm = st.container(key="lesson_algorithm")
    with st.container(key="lesson_ways"):
        _ways(place, number)
    try:
        with picture:  # the last, because a page ends here while the work is done
            shown = taught(step)
            if guess is None:
                st.image(
                    shown.before,
                    caption="The points of the experiment, before anything runs.",
                    alt=f"Scatter plot of {plain(step.runs[0].experiment.data.source)}, without clusters.",
                )
            else:
                _player(step, shown)
    except ValueError as error:
        with picture:
            notice(error)
        return
    if guess is not None:
        with answer:
            _answer(place, number, step, guess, shown)
        with algorithm, st.expander("The algorithm, line by line", icon=":material/code:"):
            runs = {run.title: registry.get(run.experiment.algorithm) for run in step.shown}
            mount_story({title: make_story(scene, runs[title]) for title, scene in shown.scenes.items()})


def _marks(place: Place, number: int) -> str:
    """Return a mark for each step: which are done, and which is shown."""
    marks = []
    for i in range(1, len(place.lesson.steps) + 1):
        state = "done" if guess_of(place.key, i) is not None else "open"
        now = " mmc-now" if i == number else ""
        marks.append(f'<span class="mmc-mark mmc-{state}{now}"></span>')
    text = f"Step {number} of {len(marks)}, {n_done(place.key, place.lesson)} done"
    return f'<div class="mmc-marks">{"".join(marks)}<span>{text}</span></div>'


def _ask(place: Place, number: int, step: Step) -> None:
    with st.container(key="lesson_guess"):
        for i, choice in enumerate(step.choices):
            st.button(
                plain(choice),
                on_click=take_guess,
                args=(place.key, number, i),
                key=f"guess {place.key} {number} {i}",
                width="stretch",
            )
        st.button(
            "Just show me" if step.choices else "Show what happens",
            type="tertiary" if step.choices else "primary",
            on_click=take_guess,
            args=(place.key, number, -1),
            key=f"guess {place.key} {number} none",
        )


def _answer(place: Place, number: int, step: Step, guess: int, shown: Taught) -> None:
    st.html(verdict_html(step, guess) + answer_html(step, shown.values))
    tell_what_differs(step, shown)
    st.html(table_html(step, shown.values))
    if step.further is not None:
        with st.container(border=True, key="lesson_further"):
            st.html(f"<p><strong>Try it.</strong> {html.escape(step.further.text)}</p>")
            try:
                query = address(step.further.experiment)
            except ValueError as error:
                st.caption(plain(f"The Playground does not show it: {error}"))
            else:
                if step.further.beside:
                    query["beside"] = step.further.beside
                st.page_link(
                    _PLAYGROUND,
                    label="Open it on the Playground",
                    icon=":material/scatter_plot:",
                    query_params=query,
                )
    st.button(
        "Ask me again",
        type="tertiary",
        on_click=take_guess,
        args=(place.key, number, None),
        key=f"again {place.key} {number}",
    )


def _player(step: Step, shown: Taught) -> None:
    pair = len(shown.scenes) > 1
    with st.container(key="lesson_pair" if pair else "lesson_alone"):
        for i, (title, scene) in enumerate(shown.scenes.items()):
            with st.container(key=f"lesson_chart_{i}"):
                if pair:
                    st.markdown(f"**{plain(title)}**")
                with st.container(key=f"picture_{i}"):
                    if shown.first[i]:
                        first_picture(shown.first[i], i)
                    sizes = ", ".join(map(str, np.bincount(scene.labels[-1])))
                    st.plotly_chart(
                        shown.figures[i],
                        key=f"chart_{i}",
                        height="stretch",
                        config=chart_config() | {"displayModeBar": False},
                        alt=f"Scatter plot: {title}. In the end the drawn points are in clusters of {sizes}.",
                    )
    mount_player(shown.scenes, shown.frame)
    notes = dict.fromkeys(f"{scene.view.note} {scene.rings}".strip() for scene in shown.scenes.values())
    st.caption(" ".join(notes))


def _ways(place: Place, number: int) -> None:
    """Draw the buttons to the step before and the next one, and to the next lesson."""
    lessons = all_places()
    total = len(place.lesson.steps)
    after = lessons[place.number] if place.number and place.number < len(lessons) else None
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        if number > 1:
            st.button(
                "Step back",
                icon=":material/arrow_back:",
                on_click=go_to,
                args=(place.address | {"step": str(number - 1)},),
                key="step_back",
            )
        st.button(
            "All lessons",
            type="tertiary",
            icon=":material/list:",
            on_click=go_to,
            args=({},),
            key="all_lessons",
        )
        if number < total:
            st.button(
                "Next step",
                type="primary",
                icon=":material/arrow_forward:",
                on_click=go_to,
                args=(place.address | {"step": str(number + 1)},),
                key="step_on",
            )
        elif after is not None:
            st.button(
                f"Next lesson: {plain(after.lesson.title)}",
                type="primary",
                icon=":material/arrow_forward:",
                on_click=go_to,
                args=(after.address,),
                key="lesson_on",
            )
    with st.container(horizontal=True):
        st.page_link(
            _PAGE,
            label="This lesson for paper",
            icon=":material/print:",
            query_params=place.address | {"print": "true"},
        )
