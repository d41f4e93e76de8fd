"""Compare: several algorithms on several data sets, as pictures, numbers and agreement between runs."""

import streamlit as st

from mmc import ui


def comparison() -> ui.Comparison:
    """Read the controls and run what they describe; raise a ValueError if that fails."""
    with st.sidebar:
        contest, loaded = ui.contest_controls()
    return ui.compared(contest, loaded, ui.show_comparison)


with ui.frame("Compare"):
    st.title("Compare")
    st.write(
        "Rows are data sets, columns are algorithms, each with its usual settings and as many clusters as "
        "the data have. No algorithm is best everywhere: see where each one's idea of a cluster fits, and "
        "what it finds where there is nothing to find."
    )
    found = ui.last_good(ui.Compare, comparison)
    ui.resume_notice(found, "comparison")
    ui.show_comparison(found)
