"""Labels for another file by a model that was taken home."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import streamlit as st

from mmc import work
from mmc.errors import LimitError
from mmc.ui.download_view import File, download_buttons
from mmc.ui.messages import notice, plain
from mmc.ui.result_store import obtained
from mmc.ui.upload_job import free, require_room
from mmc.ui.visit_state import FindClusters, state_of
from mmc.work import Labelled

#: Keys of the controls that load a model and a table.
_MODEL, _ROWS = "model_file", "rows_file"

#: Number of clusters whose sizes are told.
_MOST_TOLD = 20


def label_another_file() -> None:
    """Draw the controls that load a model and a table, and the labels of its rows; or the progress."""
    st.subheader("Label another file")
    st.caption(
        "With a model that you have taken home, rows that it has not seen get the label of their cluster. "
        "Columns are found by their names, and rows that lie far from all that the model has seen are marked."
    )
    left, right = st.columns(2, gap="small")
    with left:
        model = st.file_uploader("Model (.mmc), at most 20 MB", type=["mmc"], key=_MODEL)
    with right:
        rows = st.file_uploader(
            "Table: CSV, TSV, Parquet or Excel, at most 20 MB",
            type=["csv", "tsv", "txt", "parquet", "xlsx"],
            key=_ROWS,
            help="The file is read and labelled, and not stored.",
        )
    if model is None or rows is None:
        return
    found = _labelled(model, rows)
    if isinstance(found, ValueError):
        notice(str(found))
        return
    _tell(found)


def _labelled(model: Any, rows: Any) -> Labelled | ValueError:
    """Return the labels of a table, which a worker finds once, or why there are none."""
    state = state_of(FindClusters)
    key = (model.file_id, rows.file_id)
    if state.labelled is not None and state.labelled[0] != key and state.labelled[0][1] == rows.file_id:
        return ValueError("The table is not kept. Load it again, to label it with this model.")
    if state.labelled is None or state.labelled[0] != key:
        found: Labelled | ValueError
        try:
            require_room(rows)
            files = (model.getvalue(), rows.getvalue())
            found = obtained(
                f"label {model.file_id} {rows.file_id}",
                work.label,
                files,
                rows.name,
                own=True,
                caption="labelling the rows",
            )
        except LimitError as error:
            found = ValueError(f"{rows.name!r} cannot be labelled: {error}")
        except ValueError as error:
            found = ValueError(str(error))  # without the frames of the first, which hold the contents
        state.labelled = (key, found)
        free(rows, _ROWS)
    return state.labelled[1]


def _tell(found: Labelled) -> None:
    for note in found.notes:
        st.caption(plain(note))
    if found.warning:
        notice(found.warning, "warning")
    sizes = ", ".join(f"{n} in cluster {h}" for h, n in enumerate(found.sizes[:_MOST_TOLD]))
    more = " and others" if len(found.sizes) > _MOST_TOLD else ""
    st.write(plain(f"{sum(found.sizes)} rows have labels: {sizes}{more}."))
    help_ = "All rows and columns, cluster, and whether a row is far from what the model has seen."
    file = File("Labelled rows (CSV)", "labelled.csv", "text/csv", lambda: found.csv, help_)
    download_buttons(PurePath(found.name).stem or "table", [file])
