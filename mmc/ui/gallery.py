"""Ready experiments that open the playground with one click."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st


class Lesson(NamedTuple):
    """One card: a title, what there is to see, and the address that shows it."""

    title: str
    text: str
    address: dict[str, str | list[str]]


LESSONS = (
    Lesson(
        "Three Gaussians, shaken",
        "Clusters take turns claiming points until each owns its cloud. Press play and watch Q fall.",
        {"data": "three-gaussians"},
    ),
    Lesson(
        "Moons, where k-means fails",
        "Two half circles that no straight line parts. Beside it, plain descent from the same start sticks.",
        {"data": "moons", "beside": "SteepRLS"},
    ),
    Lesson(
        "Iris",
        "150 flowers, four measurements, three species, found without being told.",
        {"data": "iris", "alpha": "0.0625"},
    ),
    Lesson(
        "Digits 3 and 8",
        "Handwritten digits that look alike: 64 pixels each, nearly all sorted right.",
        {"data": "digits", "classes": ["3", "8"]},
    ),
    Lesson(
        "Nothing but noise",
        "There are no clusters here. See what an algorithm invents, and how low its confidence is.",
        {"data": "noise", "n_clusters": "3"},
    ),
)


def gallery() -> None:
    """Draw the cards."""
    columns = st.columns(3)
    for i, lesson in enumerate(LESSONS):
        with columns[i % 3], st.container(border=True):
            st.markdown(f"#### {lesson.title}")
            st.write(lesson.text)
            st.page_link(
                "pages/1_Playground.py",
                label="Open",
                icon=":material/play_arrow:",
                query_params=lesson.address,
            )
