"""Lessons: a path of short lessons, each a few questions that an experiment answers."""

import streamlit as st

from mmc import ui

with ui.frame("Lessons"):
    with st.sidebar:
        teacher = ui.teacher_control()
    ui.style_lessons()
    place = ui.find_place()
    if place is None:
        ui.heading(
            "Lessons",
            "Each lesson asks a few questions. Guess, then watch the experiment, and read what has happened. "
            "Nothing is rated, and nobody sees your guesses. Every word is explained before it is used, so "
            "begin at the top.",
        )
        ui.show_path(is_teacher=teacher)
    elif ui.is_for_paper():
        ui.show_for_paper(place, is_teacher=teacher)
    else:
        ui.show_lesson(place, is_teacher=teacher)
