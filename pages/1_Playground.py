"""Playground: choose data, algorithm and parameters, watch every step, and download the labels."""

import streamlit as st

from mmc import ui
from mmc.experiment import Experiment


def outcome() -> ui.Outcome:
    """Read the controls and run what they describe; raise a ValueError if that fails."""
    with st.sidebar:
        data, loaded = ui.data_controls()
        data = ui.with_marks(data)
        st.divider()
        k = ui.usual_k(data.source, data.options.get("classes", ()))
        name = ui.algorithm_control()
        above = st.container()
        question = ui.what_if_control(data)
        beside = ui.beside_control(name, disabled=question is not None)
        with above:
            parameters = ui.parameter_controls(name, k)
    ui.drawing(data, title_line)
    return ui.run(Experiment(data, name, parameters), loaded, beside, question)


with ui.frame("Playground"):
    title_line = ui.heading(
        "Playground",
        "Choose data and an algorithm on the left, and watch every step of it: play, pause, step and scrub. "
        "Beside the picture the line of the algorithm that runs is lit. Keys: space plays, the arrows step, "
        "Home and End go to the ends, L turns the light off, F fills the screen. "
        "Draw puts the points on a canvas, and “What if …” on the left runs changed data beside these.",
    )
    ui.show_outcome(ui.last_good(ui.Playground, outcome))
