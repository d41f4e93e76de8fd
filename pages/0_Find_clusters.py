"""Find clusters: which clusters are there and how many, with nothing to set."""

import streamlit as st

from mmc import ui


def asked() -> tuple[ui.Answer | ui.PartedAnswer, bool]:
    """Read the controls and search as they say; raise a ValueError if that fails."""
    with st.sidebar:
        data, loaded = ui.data_controls("four-gaussians", ui.tables_of_server())
        st.divider()
        wish = ui.parted_controls(data) if ui.of_server(data) else ui.auto_controls()
    if isinstance(wish, ui.PartedWish):
        return ui.cluster_parts(wish), False
    ui.draw_own_table(data, loaded)
    question = ui.Question(data, wish.n_clusters, wish.max_clusters, wish.seed)
    return ui.answer(question, loaded, ui.draw_growing), wish.outliers


with ui.frame("Find clusters"):
    st.title("Find clusters")
    st.write(
        "Which clusters are there, and how many? Several methods are tried with every number of clusters, "
        "and judged without true labels. You need to set nothing."
    )
    found, marked = ui.last_good(ui.FindClusters, asked)
    if isinstance(found, ui.PartedAnswer):
        ui.show_parted(found)
        st.stop()
    ui.resume_notice(found, "search")
    answer = st.container()
    left, right = st.columns(2, gap="large")
    pictures = st.container()
    at = ui.look_at_count(found)
    with right:
        ui.draw_counts(found, at)
    with left:
        picture = st.container()
        steer = ui.is_steered()
        if steer:
            ui.marks_controls(found)
        column = ui.look_at_column(found)
    shown = found.shown(at)
    try:
        shown = (steer and ui.steered(found, at)) or shown
        shown = ui.with_outliers(found, shown) if marked else shown
    except ValueError as error:
        ui.notice(error)
    with answer:
        ui.tell_answer(found, shown)
    with picture:
        ui.draw_clusters(found, shown, marks=ui.marked_points(found) if steer else None, column=column)
    with pictures:
        ui.draw_counted(found, at)
    ui.tell_why(found, at, shown)
    description = st.container(key="description")
    st.subheader("All candidates")
    ui.draw_candidates(found)
    st.subheader("Take it home")
    ui.take_answer(found, shown)
    ui.label_another_file()
    with description:  # the last, because a page ends here while the work is done
        ui.describe_answer(found, shown)
