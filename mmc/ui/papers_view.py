"""The tables and figures of the papers beside ours, from the last stored run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from mmc._site import find_site
from mmc.datasets import to_csv_text
from mmc.experiment import Experiment
from mmc.figures.reproduced import Reproduction, from_json, panel_figures
from mmc.ui._sessions import made_file
from mmc.ui.data_sidebar import address
from mmc.ui.messages import notice, plain
from mmc.ui.page_frame import replaced_notice

#: File that `python -m benchmarks.tables` writes; figures and the record of the run are beside it.
RESULTS = find_site() / "results" / "tables.csv"
FIGURES, RECORD = "figures.json", "run.json"

COMMAND = "python -m benchmarks.tables --data DIR"
ALL = "All"
_OPEN = "Open"

#: Number of rows that a table shows without scrolling.
_ROWS_SHOWN = 12

_TEXTS = ("paper", "table", "set", "method", "protocol", "measure", "verdict", "experiment", "note")
_NUMBERS = (
    "ours_mean",
    "ours_deviation",
    "ours_best",
    "paper_mean",
    "paper_deviation",
    "paper_best",
    "seconds",
)


class Paper(NamedTuple):
    """The title and the claim of a paper."""

    title: str
    claim: str


PAPERS = {
    "UMC-RLS": Paper(
        "Pahikkala, Airola, Gieseke, Kramer: Unsupervised Multi-Class Regularized Least-Squares "
        "Classification, 2012",
        "When clusters take turns claiming points, many at first and fewer in each round, nearly every "
        "random start ends well, and better than with plain descent, k-means or mixtures.",
    ),
    "iterSVR": Paper(
        "Zhang, Tsang, Kwok: Maximum Margin Clustering Made Practical, 2009",
        "A regression that learns its own labels again and again lets points change sides where a support "
        "vector machine does not, and does as well as the semidefinite programs in a fraction of their time.",
    ),
    "SMIC": Paper(
        "Sugiyama, Niu, Yamada, Kimura, Hachiya: Information-Maximization Clustering based on Squared-Loss "
        "Mutual Information, 2014",
        "The clusters that say most about the points can be read off eigenvectors, with nothing to start "
        "from, and the same measure of information chooses the number of neighbours without true labels.",
    ),
    "EvoMMC": Paper(
        "Gieseke, Pahikkala, Kramer: Fast Evolutionary Maximum Margin Clustering, 2009",
        "Flipping labels at random and keeping what fits better parts digits and letters with fewer errors "
        "than earlier methods, because a generation costs next to nothing.",
    ),
    "MKC": Paper(
        "Zhao, Kwok, Zhang: Multiple Kernel Clustering, 2009",
        "When the margin weighs several kernels at once, the clusters are as good as with the best single "
        "kernel, and nobody has to know which one that is.",
    ),
}

#: Mark and colour of each verdict, visible on light and dark backgrounds.
MARKS = {
    "better": ("▲ better", "#009E73"),
    "within one deviation": ("● within one deviation", "#3B8EC2"),
    "short of it": ("▼ short of it", "#D55E00"),
    "not attainable": ("◇ not attainable", "#A06CC0"),
    "missing data": ("○ missing data", "#888888"),
    "shown only": ("· shown only", "#888888"),
}
#: Verdicts on numbers that can be compared.
COMPARED = ("better", "within one deviation", "short of it")


def stored_tables() -> pd.DataFrame:
    """Return the last stored run, or say how to make one and end the page here.

    Returns
    -------
    DataFrame
        One row for each number of a paper.
    """
    if not RESULTS.is_file():
        st.info("No run has been stored yet. This command computes the tables and stores them:")
        st.code(COMMAND, language=None)
        st.stop()
    try:
        return _read(RESULTS)
    except (OSError, ValueError) as error:
        notice(f"The stored run in {RESULTS.name} cannot be read: {error} Compute it again:", "warning")
        st.code(f"{COMMAND} --again", language=None)
        st.stop()


def paper_control(table: pd.DataFrame) -> pd.DataFrame:
    """Draw the control that chooses one paper or all, and return its rows."""
    known = [name for name in PAPERS if (table["paper"] == name).any()]
    chosen = st.pills("Paper", [ALL, *known], default=ALL, required=True, key="paper", bind="query-params")
    replaced_notice()
    return table if chosen == ALL else table[table["paper"] == chosen]


def by_paper(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the name and the rows of each known paper, in the order of `PAPERS`."""
    for name in PAPERS:
        rows = table[table["paper"] == name]
        if len(rows):
            yield name, rows


def show_paper(name: str, rows: pd.DataFrame) -> None:
    """Draw the claim of a paper, how far it is reproduced, and its tables and figures in tabs."""
    paper, drawn = PAPERS[name], [each for each in stored_figures() if each.paper == name]
    st.subheader(name)
    st.write(paper.claim)
    st.write(f"**How far it is reproduced.** {_extent(rows, drawn)}")
    st.caption(plain(paper.title))
    tables = [str(table) for table in rows["table"].unique()]
    tabs = st.tabs(
        [plain(f"Table {table}") for table in tables] + [plain(f"Figure {d.figure}") for d in drawn]
    )
    for tab, table in zip(tabs, tables, strict=False):
        with tab:
            _show_table(f"{name} {table}", rows[rows["table"] == table])
    for tab, each in zip(tabs[len(tables) :], drawn, strict=True):
        with tab:
            _show_figure(each)


def stored_figures() -> list[Reproduction]:
    """Return the figures of the last stored run; none if they cannot be read."""
    with suppress(OSError, ValueError):
        return from_json((RESULTS.parent / FIGURES).read_text(encoding="utf-8"))
    return []


def run_note(table: pd.DataFrame) -> None:
    """Say by which versions the tables were computed, and how long that took.

    Parameters
    ----------
    table : DataFrame
        All rows of the stored run.
    """
    spent = table["seconds"].sum() + sum(drawn.seconds for drawn in stored_figures())
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        record = json.loads((RESULTS.parent / RECORD).read_text(encoding="utf-8"))
        versions = ", ".join(f"{name} {text}" for name, text in record["versions"].items())
        text = f"Computed by {versions}; all rows and figures took {spent / 60:.0f} minutes of one core."
        if record["again"] and record["has_ended"] and not record["only"]:
            text += f" The last run from nothing took {record['seconds'] / 60:.0f} minutes."
        if record["left"]:
            text += f" Not computed yet: {record['left']} rows."
        st.caption(plain(text))


def download_control(table: pd.DataFrame) -> None:
    """Draw the button that downloads the rows as CSV."""
    st.download_button(
        "These tables (CSV)",
        made_file(lambda: to_csv_text(table), "tables.csv", "text/csv"),
        "tables.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
        key="download tables",
    )


def _read(file: Path) -> pd.DataFrame:
    table = pd.read_csv(file, dtype=dict.fromkeys(_TEXTS, str), keep_default_na=False, na_values={})
    if missing := sorted({*_TEXTS, *_NUMBERS} - set(table.columns)):
        raise ValueError(f"it has no column {missing[0]}.")
    for column in _NUMBERS:
        table[column] = pd.to_numeric(table[column].replace("", None))
    if unknown := sorted(set(table["verdict"]) - set(MARKS)):
        raise ValueError(f"the verdict {unknown[0]!r} is not known.")
    return table


def _extent(rows: pd.DataFrame, drawn: list[Reproduction]) -> str:
    """Return in words how many numbers are reached, and which figures are drawn."""
    counts = {verdict: int((rows["verdict"] == verdict).sum()) for verdict in MARKS}
    compared = sum(counts[verdict] for verdict in COMPARED)
    reached = compared - counts["short of it"]
    text = f"{reached} of {compared} numbers that can be compared are within one deviation of the paper's or "
    text += f"better ({counts['better']} better); short of it: {counts['short of it']}."
    for verdict, told in (
        ("not attainable", "The printed number is of no labelling of the set"),
        ("missing data", "The data are not at hand"),
        ("shown only", "Without a verdict (times, counts, other points)"),
    ):
        text += f" {told}: {counts[verdict]}." if counts[verdict] else ""
    if drawn:
        numbers = [each.figure for each in drawn]
        text += f" Drawn again: {'figures' if len(numbers) > 1 else 'figure'} {', '.join(numbers)}."
    return plain(text)


def _show_table(key: str, rows: pd.DataFrame) -> None:
    notes = list(
        dict.fromkeys(text for pair in zip(rows["protocol"], rows["note"], strict=True) for text in pair)
    )
    notes = [text for text in notes if text]
    shown = _beside(rows, notes)
    st.dataframe(
        shown.style.map(_color, subset=["How it compares"]),
        hide_index=True,
        height=35 * min(len(shown), _ROWS_SHOWN) + 38,
        column_config={_OPEN: st.column_config.LinkColumn(display_text=":material/play_arrow:")},
        key=f"table {key}",
    )
    with st.expander(f"How it is measured, and notes ({len(notes)})", icon=":material/notes:"):
        st.markdown("\n".join(f"{number}. {plain(text)}" for number, text in enumerate(notes, start=1)))
    _open_links(rows)


def _show_figure(drawn: Reproduction) -> None:
    st.write(plain(f"{drawn.title}. In the paper: {drawn.said}"))
    figures = panel_figures(drawn)
    for first in range(0, len(figures), 2):
        for i, column in enumerate(st.columns(2)[: len(figures) - first], start=first):
            panel = drawn.panels[i]
            with column:
                st.plotly_chart(
                    figures[i],
                    key=f"figure {drawn.paper} {drawn.figure} {i}",
                    config={"displayModeBar": False},
                    alt=f"{panel.title} {panel.y} over {panel.x}: {', '.join(x.name for x in panel.lines)}.",
                )
    st.caption(plain(f"{drawn.protocol} Computed in {drawn.seconds:g} s."))


def _beside(rows: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    measure = " / ".join(rows["measure"].unique())
    texts = {
        "Data": rows["set"],
        "Method": rows["method"],
        f"Ours, {measure}": _formatted(rows, "ours"),
        f"Paper, {measure}": _formatted(rows, "paper"),
        "How it compares": rows["verdict"].map(lambda verdict: MARKS[verdict][0]),
        "Notes": [
            ", ".join(str(notes.index(text) + 1) for text in pair if text)
            for pair in zip(rows["protocol"], rows["note"], strict=True)
        ],
        _OPEN: [_link(text) for text in rows["experiment"]],
        "Best of ours": rows["ours_best"].map(_number),
        "Best of paper": rows["paper_best"].map(_number),
        "Seconds": rows["seconds"].map(lambda value: "–" if pd.isna(value) else f"{value:.1f}"),
    }
    shown = pd.DataFrame(texts)
    lacking = [c for c in ("Best of ours", "Best of paper", "Seconds") if (shown[c] == "–").all()]
    return shown.drop(columns=lacking + ([] if shown[_OPEN].any() else [_OPEN]))


def _link(experiment: str) -> str:
    """Return the address of the playground with an experiment; empty if there is none that this app runs."""
    with suppress(ValueError):
        return f"Playground?{urlencode(address(Experiment.from_json(experiment)), doseq=True)}"
    return ""


def _formatted(rows: pd.DataFrame, whose: str) -> list[str]:
    pairs = zip(rows[f"{whose}_mean"], rows[f"{whose}_deviation"], strict=True)
    return [
        _number(mean) if pd.isna(deviation) else f"{_number(mean)} ± {_number(deviation)}"
        for mean, deviation in pairs
    ]


def _number(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.2f}"


def _color(mark: object) -> str:
    return next((f"color: {color}" for text, color in MARKS.values() if text == mark), "")


def _open_links(rows: pd.DataFrame) -> None:
    links = []
    for row in rows[rows["experiment"] != ""].itertuples():
        with suppress(ValueError):  # a file may contain an experiment that this app does not run
            links.append((f"{row.set}: {row.method}", address(Experiment.from_json(str(row.experiment)))))
    if not links:
        return
    with (
        st.expander(f"Open in the playground ({len(links)})", icon=":material/scatter_plot:"),
        st.container(horizontal=True),
    ):
        for label, query in links:
            st.page_link(
                "pages/1_Playground.py",
                label=plain(label),
                icon=":material/play_arrow:",
                query_params=query,
            )
