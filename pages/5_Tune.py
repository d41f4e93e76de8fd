"""Tune: two parameters of an algorithm on a grid, with a clustering and a score for every cell."""

import streamlit as st

from mmc import ui
from mmc.experiment import Experiment


def tuned() -> tuple[ui.Found, str, ui.Loaded]:
    """Read the controls and score the cells that they describe; raise a ValueError if that fails."""
    with st.sidebar:
        data, loaded = ui.data_controls("moons")
        st.divider()
        k = ui.usual_k(data.source, data.options.get("classes", ()))
        name = ui.algorithm_control()
        tuning = ui.tuning_controls(name, k)
        parameters = ui.parameter_controls(name, k, without=[*tuning.grid, *tuning.fixed])
    task = ui.Search(Experiment(data, name, {**parameters, **tuning.fixed}), tuning.grid, tuning.score)
    return ui.search_map(task, loaded, tuning.criterion), tuning.criterion, loaded


with ui.frame("Tune"):
    st.title("Tune")
    st.write(
        "Two parameters at once. Every cell is one clustering, coloured by how good it is: the brighter, the "
        "better. Rest on a cell to see its clusters; press it to watch the run below."
    )
    found, criterion, loaded = ui.last_good(ui.Tune, tuned)
    ui.resume_notice(found, "map")
    at = ui.chosen_cell(found, criterion)
    try:
        outcome = ui.run(found.search.candidate(at), loaded, None)
    except ValueError as error:
        ui.notice(error)
        st.stop()
    ui.show_outcome(outcome, found)
