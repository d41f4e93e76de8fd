"""Model selection: score every candidate without true labels, and look at its clustering."""

import streamlit as st

from mmc import ui
from mmc.experiment import Experiment


def searched() -> tuple[ui.Found, bool, ui.Loaded]:
    """Read the controls and score the candidates that they describe; raise a ValueError if that fails."""
    with st.sidebar:
        data, loaded = ui.data_controls()
        st.divider()
        k = ui.usual_k(data.source, data.options.get("classes", ()))
        name = ui.algorithm_control("SMIC", tuned=True)
        parameter, text, score = ui.sweep_controls(name, k)
        above = st.container()
        beside = ui.rival_control(name, parameter)
        with above:
            parameters = ui.parameter_controls(name, k, without=[parameter])
    values = ui.read_candidates(name, parameter, text)
    task = ui.Search(Experiment(data, name, parameters), {parameter: values}, score)
    return ui.search(task, loaded, ui.draw_growing_search), beside, loaded


with ui.frame("Model selection"):
    ui.heading(
        "Model selection",
        "Most clusterings depend on a parameter that nobody tells you. Here every candidate is clustered "
        "and then scored without true labels: the higher the score, the better. Each score has its own idea "
        "of a good clustering, which its help explains.",
    )
    found, beside, loaded = ui.last_good(ui.ModelSelection, searched)
    ui.resume_notice(found, "search")
    picture, curve, below = ui.stage_columns()
    with curve:
        above = st.container()
        at = ui.look_at(found)
        with above:
            ui.draw_curve(found, at)
        ui.summarize_choice(found, at)
    with below:
        ui.draw_pictures(found, at)
    try:
        if beside:
            with below:
                rival = ui.search(ui.rival(found.search), loaded, ui.draw_growing_rival)
                ui.state_of(ui.ModelSelection).rival = rival
                ui.draw_rival(rival)
        with picture:
            outcome = ui.run(found.search.candidate(found.trials[at].index), loaded, None)
            ui.play(outcome, None)
        with below:
            ui.tell(outcome, None)
            ui.show_candidate(found, at, outcome, loaded)
            st.subheader("Take it home")
            ui.export_buttons(outcome, found=found)
    except ValueError as error:
        ui.notice(error)
        st.stop()
