"""Downloads of a run: labels, experiment, script and animation."""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePath

import streamlit as st

from mmc import registry, work
from mmc.datasets import to_csv_text
from mmc.ui._sessions import made_file
from mmc.ui.data_sidebar import address
from mmc.ui.player_view import drawn
from mmc.ui.result_store import fetch
from mmc.ui.run_job import Outcome
from mmc.ui.sweep_job import Found

#: Number of cells of a table up to which the file of labels contains it: about 40 MB.
_MAX_CELLS = 2_000_000


def export_buttons(
    outcome: Outcome, columns: tuple[int, int] | None = None, found: Found | None = None
) -> None:
    """Draw the download buttons; each file is made on request.

    Parameters
    ----------
    outcome : Outcome
        Run to export.
    columns : pair of int or None
        Two columns that the animation shows; None means the default plane.
    found : Found or None
        Search that led to the run.
    """
    experiment, recording = outcome.experiment, outcome.main
    drawing = drawn(outcome, columns)
    name = PurePath(outcome.dataset.name).stem or "table"

    names = outcome.dataset.feature_names if outcome.upload is None else outcome.upload.columns
    whole = outcome.dataset.n_samples * len(names) <= _MAX_CELLS
    content = "All rows and columns, cluster and confidence."
    if not whole:
        content = f"Row, cluster and confidence: the table has more than {_MAX_CELLS:,} cells."

    def labels() -> str:
        task = (experiment.data, recording.labels, recording.end.confidence(), whole)
        return fetch(work.write_labels, outcome.packed, task)

    def page() -> str:
        title = f"{experiment.algorithm} on {outcome.dataset.name}"
        objective = registry.get(experiment.algorithm).objective
        return fetch(work.write_html, (drawing.scenes, objective, title), None)

    def scores() -> str:
        assert found is not None
        return to_csv_text(found.table())

    files = [
        ("Labels (CSV)", "labels.csv", "text/csv", labels, content),
        ("Experiment (JSON)", "experiment.json", "application/json", experiment.to_json, "To open it again."),
        ("Python script", "experiment.py", "text/x-python", experiment.to_script, "Makes the same labels."),
        ("Animation (HTML)", "animation.html", "text/html", page, "One file that plays in any browser."),
    ]
    if found is not None:
        files.insert(1, ("Scores (CSV)", "scores.csv", "text/csv", scores, "Every candidate and its score."))
    with st.container(horizontal=True):
        for label, ending, mime, make, help_ in files:
            file = f"{name}-{ending}"
            st.download_button(
                label,
                made_file(make, file, mime),
                file,
                mime,
                help=help_,
                icon=":material/download:",
                on_click="ignore",
                key=f"download {ending}",
            )
    if found is not None:
        with suppress(ValueError):  # a candidate may be outside the ranges of the playground
            st.page_link(
                "pages/1_Playground.py",
                label="Open this candidate in the playground",
                icon=":material/scatter_plot:",
                query_params=address(experiment),
            )
    st.caption("The address of this page reproduces the run; a table of your own must be loaded again.")
