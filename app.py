"""Home: what this is, and experiments to open."""

import streamlit as st

from mmc import ui

with ui.frame("Home"):
    st.title("Clustering that learns a classifier and its labels at once")
    st.write(
        "Maximum-margin and information-maximization clustering look for the labels that a classifier would "
        "find easiest to learn. Here you can watch these algorithms work, step by step, on toy data or on "
        "your own table, and take the labels home."
    )
    with st.container(border=True):
        st.subheader("Find clusters in my data")
        st.write(
            "Load a table. Several methods are tried, and you see which clusters there are and how many. "
            "There is nothing to set; picture, labels and all candidates are yours to take."
        )
        ui.open_table()
    st.page_link("pages/1_Playground.py", label="Open the playground", icon=":material/scatter_plot:")
    st.subheader("Ready experiments")
    ui.gallery()
    st.subheader("A saved experiment")
    ui.open_experiment()
    ui.warm_up()
