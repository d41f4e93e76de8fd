"""Home: what this is, and three doors: learn, explore, cluster a file."""

import streamlit as st

from mmc import ui

with ui.frame("Home"):
    st.title("Clustering that learns a classifier and its labels at once")
    st.write(
        "Maximum-margin and information-maximization clustering look for the labels that a classifier would "
        "find easiest to learn. Here you can watch these algorithms work, step by step, on toy data or on "
        "your own table, and take the labels home."
    )
    learn, explore, own = st.columns(3)
    with learn, st.container(border=True, height="stretch", key="learn"):
        st.subheader("Learn", anchor=False)
        st.write("Guess, watch what happens, and see what each step is for. No paper need be read before.")
        ui.lessons_link()
        ui.best_cards()
    with explore, st.container(border=True, height="stretch", key="explore"):
        st.subheader("Explore", anchor=False)
        st.write("Choose data, algorithm and settings yourself, and see what they change.")
        ui.page_links()
    with own, st.container(border=True, height="stretch", key="own"):
        st.subheader("Cluster my file", anchor=False)
        st.write(
            "Load a table: several methods are tried, and you see which clusters there are and how many. "
            "There is nothing to set, and the labels are yours to take."
        )
        ui.open_table()
    ui.further_cards()
    with st.expander("Open a saved experiment", icon=":material/folder_open:", expanded=True):
        ui.open_experiment()
    ui.warm_up()
