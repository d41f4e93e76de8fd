"""Papers: the claim of each paper, and its tables and figures computed again."""

import streamlit as st

from mmc import ui

with ui.frame("Papers"):
    st.title("Papers")
    st.write(
        "Every method here comes from a paper, and every paper has a table. These are the same tables "
        "computed again with this library, by the papers' own rules: where a paper takes the best setting "
        "by looking at the true groups, so do these tables. Elsewhere in this app true groups never steer a "
        "clustering: the agreement shown after a run, and the criterion “ari” and “best in hindsight” on "
        "Tune and Model selection, only compare with them. A number of ours is better than the paper's, "
        "within one deviation of it, or short of it; where data are not at hand, it is missing, and where no "
        "labelling of the set has the printed number, it is not attainable."
    )
    st.caption(
        "Names as in the papers: KM is k-means, GMM a mixture of Gaussians, SC and NC are spectral "
        "clusterings; K1, K2 and K3 are MKC with a linear, a polynomial or a Gaussian kernel alone. ARI is "
        "the adjusted Rand index."
    )
    tables = ui.stored_tables()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = ui.paper_control(tables)
        ui.download_control(chosen)
    for name, rows in ui.by_paper(chosen):
        ui.show_paper(name, rows)
    ui.run_note(tables)
