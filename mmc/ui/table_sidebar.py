"""The controls of a table of the visitor: which file, which columns, and what becomes of gaps and words."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mmc import registry
from mmc.datasets import USABLE, not_used, propose
from mmc.experiment import Data
from mmc.ui.choice_sidebar import titled_select
from mmc.ui.columns_view import draw_columns, reading
from mmc.ui.messages import notice, plain
from mmc.ui.upload_job import KEY, read_pasted, read_sheet, read_upload
from mmc.ui.visit_state import Loaded, Reading, Visit, state_of
from mmc.ui.wanted_file import wanted_file
from mmc.work import Upload, table_key

TABLE = "table"
_FIND = "pages/0_Find_clusters.py"

_MISSING = {
    "median": "filled with the median",
    "most_frequent": "filled with the most frequent",
    "drop": "their rows are left out",
}
_WORDS = {
    "onehot": "columns of 0 and 1",
    "gower": "Gower's similarity",
    "none": "left out",
}

#: Kinds of columns that cannot be used whatever one does.
_SAME = ("constant", "empty")

#: Number of characters that can be pasted.
_MOST_PASTED = 1_000_000


def table_controls(prefix: str = "") -> tuple[Data, Loaded]:
    """Draw the controls that load a table and choose its columns.

    Parameters
    ----------
    prefix : str
        Prefix of the names in the address, for pages that must not share them with the playground.

    Returns
    -------
    data : Data
        Chosen data.
    loaded : Upload, TableError or None
        Table, why it cannot be read, or None if there is none yet.
    """
    _load_control()
    visit = state_of(Visit)
    if isinstance(visit.loaded, Upload) and len(visit.loaded.sheets) > 1:
        visit.loaded = _sheet_control(visit.loaded)
    table = visit.loaded
    if not isinstance(table, Upload):
        return Data(TABLE), table
    _take_old_address(prefix)
    label = _label_control(table)
    words = titled_select(
        "Words and dates",
        list(_WORDS),
        "onehot",
        f"{prefix}words",
        _WORDS.__getitem__,
        help_="A column of words becomes a column of 0 and 1 for every word. Gower's similarity compares "
        "rows column by column, so that every column counts the same. Or only numbers are used.",
    )
    used = _columns_control(table, label)
    missing = titled_select(
        "Missing values",
        list(_MISSING),
        "median",
        f"{prefix}missing",
        _MISSING.__getitem__,
        help_="The median is the middle value of a column; a missing word becomes the most frequent one.",
    )
    options = _options(table, label, used, words, missing)
    _tell_columns(table, options)
    if st.button(
        "Look at the columns", icon=":material/table_view:", key=f"{prefix}show_columns", width="stretch"
    ):
        _columns_dialog(table, options)
    scale = "yes" if words == "gower" else _scale_word(True, prefix, robust=True)
    if scale == "robust":
        options["scaler"] = "robust"
    return Data(TABLE, options, scale != "no", table.name, table.sha256), table


def scale_control(recommended: bool) -> bool:
    """Draw the control of whether columns are standardised, and return the choice.

    Parameters
    ----------
    recommended : bool
        What is usual for these data.
    """
    return _scale_word(recommended) == "yes"


def scale_word(data: Data) -> str:
    """Return how the address writes whether columns are standardised."""
    if data.standardize and data.options.get("scaler") == "robust":
        return "robust"
    return "yes" if data.standardize else "no"


def table_address(data: Data) -> dict[str, str]:
    """Return the query parameters of a table, without its columns, which belong to the visitor's file."""
    missing = data.options.get("missing", "error")
    return {
        "missing": missing if missing in _MISSING else "median",
        "words": data.options.get("encode", "none"),
    }


def take_columns(data: Data) -> None:
    """Set the controls of a table's columns as an experiment has them."""
    options = data.options
    key = table_key(data.sha256, options.get("sheet"))
    st.session_state[f"sheet_{data.sha256[:8]}"] = options.get("sheet")
    st.session_state[f"label_{key}"] = options.get("label")
    st.session_state[f"columns_{key}"] = options.get("columns") or []
    kinds, weights = options.get("kinds") or {}, options.get("weights") or {}
    state_of(Visit).readings[key] = Reading(dict(kinds), dict(weights))


def draw_own_table(data: Data, loaded: Loaded) -> None:
    """Draw the columns of the visitor's table, if the data are one, where they can be changed.

    Parameters
    ----------
    data : Data
        Chosen data.
    loaded : Upload, TableError or None
        Table that the visitor has loaded.
    """
    if data.source != TABLE or not isinstance(loaded, Upload):
        return
    n = len(data.options["columns"])
    title = f"Your table: {loaded.n_rows:,} rows, {n:,} of {len(loaded.looks):,} columns are used"
    if loaded.notes:
        title += f", {len(loaded.notes)} note{'' if len(loaded.notes) == 1 else 's'} on how it was read"
    with st.expander(title, icon=":material/table_view:"):
        draw_columns(loaded, data.options, "here")


def open_table() -> None:
    """Draw the control that loads a table and opens the page that finds its clusters."""
    new = _load_control()
    loaded = state_of(Visit).loaded
    query = {"data": TABLE}
    if isinstance(loaded, Upload):
        if new:
            st.switch_page(_FIND, query_params=query)
        label = plain(f"Clusters of {loaded.name}")
        st.page_link(_FIND, label=label, icon=":material/table:", query_params=query)
        return
    if loaded is not None:
        notice(loaded)
    st.page_link(_FIND, label="Or see it with an example", icon=":material/bubble_chart:")


@st.dialog("Columns of your table", width="large")
def _columns_dialog(table: Upload, options: dict[str, Any]) -> None:
    draw_columns(table, options, "dialog")


def _sheet_control(table: Upload) -> Loaded:
    """Draw the control of the sheet of a workbook, and return what is in the chosen one."""
    key = f"sheet_{table.sha256[:8]}"
    if st.session_state.get(key) not in table.sheets:
        st.session_state[key] = table.sheet
    chosen = st.selectbox("Sheet", table.sheets, key=key)
    if chosen == table.sheet:
        return table
    found = read_sheet(table, chosen)
    if isinstance(found, Upload):
        return found
    notice(found)  # the former sheet stays
    return table


def _take_old_address(prefix: str) -> None:
    """Follow links of releases in which words were left out and rows with gaps refused or left out."""
    if st.query_params.get(f"{prefix}drop") is not None:
        del st.query_params[f"{prefix}drop"]
        st.session_state[f"{prefix}missing"] = "drop"
        st.session_state[f"{prefix}words"] = "none"


def _label_control(table: Upload) -> str | None:
    columns, key = table.columns, f"label_{table.key}"
    if st.session_state.get(key) not in (None, *columns):
        del st.session_state[key]
    wanted = wanted_file()
    named = [each.name for each in table.looks if each.is_label and not each.n_missing]
    if wanted is not None and wanted.label in columns:
        st.session_state.setdefault(key, wanted.label)
    elif named:
        st.session_state.setdefault(key, named[0])
    return st.selectbox(
        "Reference labels",
        [None, *columns],
        format_func=lambda c: "none" if c is None else c,
        key=key,
        help="A column with known groups. It is left out of the clustering and only used to score it.",
    )


def _columns_control(table: Upload, label: str | None) -> list[str]:
    """Draw the control of the columns to use; none chosen means the proposed ones."""
    key = f"columns_{table.key}"
    possible = [each.name for each in table.looks if each.kind not in _SAME and each.name != label]
    chosen = state_of(Visit).columns.pop(table.key, st.session_state.get(key, []))
    if chosen == propose(table.looks, label)["columns"]:
        chosen = []
    st.session_state[key] = [c for c in chosen if c in possible]
    return st.multiselect("Columns to use", possible, key=key, placeholder="those that tell rows apart")


def _options(table: Upload, label: str | None, used: list[str], words: str, missing: str) -> dict[str, Any]:
    """Return the options of the table."""
    own = reading(table)
    looks = {each.name: each for each in table.looks}
    columns = used or propose(table.looks, label)["columns"]
    kinds = {
        name: kind
        for name in columns
        if (kind := own.kinds.get(name) or looks[name].kind) in USABLE and kind != "number"
    }
    if words == "none":
        columns = [
            c for c in columns if kinds.get(c) not in ("yes/no", "category") and _is_number(looks[c].kind)
        ]
        columns = columns or used
        kinds = {name: kind for name, kind in kinds.items() if name in columns}
    weights = {name: weight for name, weight in own.weights.items() if name in columns}
    gaps = any(looks[name].n_missing for name in columns)
    options: dict[str, Any] = {
        "columns": columns,
        "label": label,
        "missing": missing if gaps else "error",
        "encode": words,
        "kinds": kinds,
    }
    if len(table.sheets) > 1:
        options["sheet"] = table.sheet
    return options | ({"weights": weights} if weights else {})


def _is_number(kind: str) -> bool:
    return kind in ("number", "amount", "date", "id")


def _tell_columns(table: Upload, options: dict[str, Any]) -> None:
    """Say which columns are not used, and why."""
    if sentence := not_used(table.looks, (*options["columns"], options["label"])):
        st.caption(plain(sentence))


def _scale_word(recommended: bool, prefix: str = "", *, robust: bool = False) -> str:
    choice = st.selectbox(
        "Standardise the columns",
        ["as usual", "yes", *(["robust"] if robust else []), "no"],
        key=f"{prefix}scale",
        bind="query-params",
        help="Standardising gives every column of numbers mean 0 and variance 1, so that no unit outweighs "
        f"another. {'Robust: by median and quartiles, which outliers hardly move. ' if robust else ''}"
        f"Usual for these data: {'yes' if recommended else 'no'}.",
    )
    return ("yes" if recommended else "no") if choice == "as usual" else choice


def _load_control() -> bool:
    """Draw the control that loads a file or takes pasted text, and return whether it has just read one."""
    upload = st.file_uploader(
        f"CSV, TSV, Parquet or Excel, at most 20 MB and {registry.MOST_SAMPLES:,} rows",
        type=["csv", "tsv", "txt", "parquet", "xlsx"],
        key=KEY,
        help="The file stays in this server's memory for your visit and is never stored.",
    )
    visit = state_of(Visit)
    visit.pasted = _paste_control() or visit.pasted
    if visit.pasted:  # until it has been read, which may take several runs of the page
        visit.loaded = read_pasted(visit.pasted)
        visit.pasted = ""
        return True
    if upload is None or upload.file_id == visit.upload:
        return False
    visit.loaded = read_upload(upload)
    visit.upload = upload.file_id
    return True


def _paste_control() -> str:
    """Draw the control that takes a table as text, and return what was given last."""
    with (
        st.popover("Or paste a table", icon=":material/content_paste:", width="stretch"),
        st.form("paste", border=False),
    ):
        text = st.text_area(
            "Rows of a spreadsheet or a web page",
            key="pasted",
            height=160,
            max_chars=_MOST_PASTED,
            placeholder="height\tweight\tkind\n1.82\t75\tadult\n…",
            help="With the names of the columns in the first row. Cells are separated by tabs, as a "
            "spreadsheet copies them, or by commas or semicolons.",
        )
        given = st.form_submit_button("Use this table", width="stretch")
    return text if given else ""
