"""Downloads of a run: labels, experiment, script and animation."""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePath

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from mmc import registry, work
from mmc.datasets import to_csv_text
from mmc.experiment import Data
from mmc.model_file import require_predict
from mmc.ui.data_sidebar import address
from mmc.ui.download_view import File, download_buttons
from mmc.ui.messages import plain
from mmc.ui.picture_view import picture_buttons, picture_words
from mmc.ui.player_view import drawn, told
from mmc.ui.result_store import fetch
from mmc.ui.run_job import Outcome
from mmc.ui.sweep_job import Found

#: Number of cells of a table up to which the file of labels contains it: about 40 MB.
_MAX_CELLS = 2_000_000


def labels_file(
    data: Data,
    labels: NDArray[np.int64],
    confidence: NDArray[np.float64] | None,
    packed: bytes | None,
    n_cells: int,
) -> File:
    """Return the file of labels, which contains the table up to `_MAX_CELLS`.

    Parameters
    ----------
    data : Data
        What was clustered.
    labels, confidence : ndarray of shape (n_samples,)
        Labels and, if it is known, their confidence.
    packed : bytes or None
        The visitor's table, if the data are one.
    n_cells : int
        Number of cells of the table.
    """
    whole = n_cells <= _MAX_CELLS
    added = "cluster" if confidence is None else "cluster and confidence"
    content = f"All rows and columns, {added}."
    if not whole:
        content = f"Row, {added}: the table has more than {_MAX_CELLS:,} cells."

    def make() -> str:
        return fetch(work.write_labels, packed, (data, labels, confidence, whole))

    return File("Labels (CSV)", "labels.csv", "text/csv", make, content)


def model_file(data: Data, model: BaseEstimator, is_fitted: bool, packed: bytes | None) -> File | None:
    """Return the file of a model, or say why there is none.

    Parameters
    ----------
    data : Data
        What was clustered.
    model : estimator
        Model that labels new rows.
    is_fitted : bool
        Whether it is fitted; otherwise the file is made by a new fit.
    packed : bytes or None
        The visitor's table, if the data are one.
    """
    try:
        require_predict(model)
    except ValueError as error:
        st.caption(plain(f"There is no model to take home. {error}"))
        return None

    def make() -> bytes:
        return fetch(work.write_model, packed, (data, model, is_fitted))

    return File(
        "Model (MMC)",
        "model.mmc",
        "application/zip",
        make,
        "Labels other files: at the end of the page “Find clusters” if it has at most 20 MB, or with "
        "python -m mmc predict.",
    )


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

    def page() -> str:
        words = picture_words(outcome)
        objective = registry.get(experiment.algorithm).objective
        task = (drawing.scenes, objective, words.title, words.details, told(outcome, drawing))
        return fetch(work.write_html, task, None)

    def scores() -> str:
        assert found is not None
        return to_csv_text(found.table())

    files = [
        labels_file(
            experiment.data,
            recording.labels,
            recording.end.confidence(),
            outcome.packed,
            outcome.dataset.n_samples * len(names),
        ),
        File(
            "Experiment (JSON)",
            "experiment.json",
            "application/json",
            experiment.to_json,
            "To open it again.",
        ),
        File(
            "Python script", "experiment.py", "text/x-python", experiment.to_script, "Makes the same labels."
        ),
        File("Animation (HTML)", "animation.html", "text/html", page, "One file that plays in any browser."),
    ]
    if outcome.stopped:
        st.caption("There is no model to take home: the run was stopped before its end.")
    elif model := model_file(experiment.data, recording.estimator, True, outcome.packed):
        files.insert(-1, model)
    if found is not None:
        files.insert(
            1, File("Scores (CSV)", "scores.csv", "text/csv", scores, "Every candidate and its score.")
        )
    download_buttons(name, files)
    picture_buttons(name, outcome, drawing)
    if found is not None:
        with suppress(ValueError):  # a candidate may be outside the ranges of the playground
            st.page_link(
                "pages/1_Playground.py",
                label="Open this candidate in the playground",
                icon=":material/scatter_plot:",
                query_params=address(experiment),
            )
    st.caption("The address of this page reproduces the run; a table of your own must be loaded again.")
