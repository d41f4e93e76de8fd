"""Cutting planes: watch a margin being found one constraint at a time, and the kernels being weighed."""

import streamlit as st

from mmc import ui
from mmc.experiment import Experiment

FAMILIES = ("cutting planes", "semidefinite relaxation")


def outcome() -> ui.Outcome:
    """Read the controls and run what they describe; raise a ValueError if that fails."""
    with st.sidebar:
        data, loaded = ui.data_controls()
        st.divider()
        k = ui.usual_k(data.source, data.options.get("classes", ()))
        name = ui.algorithm_control("MKC", FAMILIES)
        parameters = ui.parameter_controls(name, k)
    return ui.run(Experiment(data, name, parameters), loaded, None)


with ui.frame("Cutting planes"):
    ui.heading(
        "Cutting planes",
        "Of all ways to part the points, take the one with the widest empty band between the clusters. That "
        "band has a rule for every set of points, far too many to write down, so the rules are added one at "
        "a time, always the one that is broken most. Relaxed to one convex program, the same wish becomes a "
        "matrix.",
    )
    ui.show_outcome(ui.last_good(ui.CuttingPlanes, outcome))
