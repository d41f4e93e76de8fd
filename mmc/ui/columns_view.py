"""The columns of a visitor's table: what each is, how it is read, and how much it counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from mmc.datasets import USABLE, Look
from mmc.ui.messages import notice, plain
from mmc.ui.visit_state import Reading, Visit, state_of
from mmc.work import Upload

#: What is said of a kind whose cells need no explanation.
_USUAL = {
    "number": "a number as it stands",
    "yes/no": "two columns of 0 and 1",
    "category": "a column of 0 and 1 for every word",
    "date": "days since 1970",
    "amount": "a number",
}
_HEIGHT, _ROW, _MOST_ROWS = 38, 35, 12


def reading(table: Upload) -> Reading:
    """Return how the visitor wants columns of a table to be read, and what they weigh.

    Parameters
    ----------
    table : Upload
        Table that the visitor has loaded.

    Returns
    -------
    Reading
    """
    return state_of(Visit).readings.get(table.key, Reading({}, {}))


def draw_columns(table: Upload, options: Mapping[str, Any], key: str) -> None:
    """Draw a row for each column, in which the way it is read and its weight can be changed.

    Parameters
    ----------
    table : Upload
        Table that the visitor has loaded.
    options : mapping
        Options of the table.
    key : str
        Key of the controls.
    """
    frame = _frame(table, options)
    for note in table.notes:
        st.caption(plain(note))
    with st.form(f"columns_form_{key}", border=False):
        edited = st.data_editor(
            frame,
            key=f"columns_table_{key}_{table.key}_{hash(frame.to_csv())}",
            hide_index=True,
            height=_HEIGHT + _ROW * min(len(frame), _MOST_ROWS),
            disabled=["column", "values", "missing", "different", "done", "examples"],
            column_config={
                "used": st.column_config.CheckboxColumn(
                    "Used", width="small", help="Click to use a column or to leave it out."
                ),
                "column": st.column_config.TextColumn("Column", pinned=True),
                "kind": st.column_config.SelectboxColumn(
                    "Read as", options=list(USABLE), help="Click to read a column in another way."
                ),
                "values": st.column_config.BarChartColumn(
                    "Values",
                    y_min=0,
                    help="Rows over the range of the values, or of the most frequent words.",
                ),
                "missing": st.column_config.NumberColumn("Missing", format="%d", width="small"),
                "different": st.column_config.NumberColumn(
                    "Different", format="%d", width="small", help="Number of different values."
                ),
                "weight": st.column_config.NumberColumn(
                    "Weight",
                    min_value=0.01,
                    max_value=1000.0,
                    width="small",
                    help="How much the column counts in distances.",
                ),
                "done": st.column_config.TextColumn("What is done", width="large"),
                "examples": st.column_config.TextColumn("First values", width="medium"),
            },
        )
        apply = st.form_submit_button("Use the columns like this")
    if apply:
        _take(table, options["label"], frame, edited)


def _frame(table: Upload, options: Mapping[str, Any]) -> pd.DataFrame:
    own = reading(table)
    used = set(options["columns"])
    return pd.DataFrame(
        {
            "used": [each.name in used for each in table.looks],
            "column": [each.name for each in table.looks],
            "kind": pd.Series(
                [
                    own.kinds.get(each.name) or (each.kind if each.kind in USABLE else None)
                    for each in table.looks
                ],
                dtype=object,
            ),
            "values": [list(each.histogram) for each in table.looks],
            "missing": [each.n_missing for each in table.looks],
            "different": [each.n_values for each in table.looks],
            "weight": [own.weights.get(each.name, 1.0) for each in table.looks],
            "done": [_done(each, own, options) for each in table.looks],
            "examples": [", ".join(each.examples) for each in table.looks],
        }
    )


def _done(each: Look, own: Reading, options: Mapping[str, Any]) -> str:
    """Say in words what becomes of a column."""
    if each.name == options["label"]:
        return "the reference labels"
    if each.name not in options["columns"]:
        return each.words if each.words.startswith("left out") else f"left out: {each.words or 'not chosen'}"
    kind = own.kinds.get(each.name) or each.kind
    same = kind == each.kind
    text = (each.words if same else "") or _USUAL.get(kind, "a column of 0 and 1 for every word")
    if options["encode"] == "gower" and kind in ("yes/no", "category"):
        text = "compared as equal or not"
    if each.n_missing and options["missing"] != "error":
        how = {"drop": "rows left out", "median": "filled", "most_frequent": "filled"}[options["missing"]]
        text += f"; {each.n_missing} missing, {how}"
    return text


def _take(table: Upload, label: str | None, before: pd.DataFrame, after: pd.DataFrame) -> None:
    """Keep what was changed, and run the page again with it."""
    columns = [name for name in after["column"][after["used"]] if name != label]
    if not columns:
        notice("No column is used: tick at least one.")
        return
    own = reading(table)
    kinds, weights = dict(own.kinds), dict(own.weights)
    for name, old, new in zip(before["column"], before["kind"], after["kind"], strict=True):
        if new != old and new in USABLE:
            kinds[name] = new
    for name, weight in zip(after["column"], after["weight"], strict=True):
        if weight is None or pd.isna(weight) or not weight > 0:
            notice("Weights are numbers above 0.")
            return
        weights[name] = float(weight)
    weights = {name: weight for name, weight in weights.items() if weight != 1}
    visit = state_of(Visit)
    visit.readings[table.key] = Reading(kinds, weights)
    visit.columns[table.key] = columns
    st.rerun()
