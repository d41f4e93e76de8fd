"""The tables of the papers beside ours, from the last stored run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import streamlit as st

from mmc._site import find_site
from mmc.datasets import to_csv_text
from mmc.experiment import Experiment
from mmc.ui._sessions import made_file
from mmc.ui.data_sidebar import address
from mmc.ui.messages import notice, plain
from mmc.ui.page_frame import replaced_notice

#: File that `python -m benchmarks.tables` writes.
RESULTS = find_site() / "results" / "tables.csv"

COMMAND = "python -m benchmarks.tables --data DIR"
ALL = "All"
_WIDE = ("Note", "How it is measured")

#: Width in pixels of the columns with sentences and, at most on the average, of a letter in them.
_WIDTH, _LETTER = 400, 7.5

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
    "missing data": ("○ missing data", "#888888"),
}


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
    """Draw the claim of a paper, its numbers beside ours, and links to the experiments."""
    paper, numbers = PAPERS[name], " and ".join(rows["table"].unique())
    st.subheader(f"{name}, {'tables' if ' and ' in numbers else 'table'} {plain(numbers)}")
    st.write(paper.claim)
    st.caption(plain(f"{paper.title}. {_count(rows)}"))
    shown = _beside(rows)
    row = _row_height(shown)
    st.dataframe(
        shown.style.map(_color, subset=["How it compares"]),
        hide_index=True,
        height=row * min(len(shown), _ROWS_SHOWN) + 38,
        row_height=row,
        column_config={wide: st.column_config.TextColumn(width=_WIDTH) for wide in _WIDE},
        key=f"table {name}",
    )
    _open_links(rows)


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


def _beside(rows: pd.DataFrame) -> pd.DataFrame:
    measure = " / ".join(rows["measure"].unique())
    texts = {
        "Data": rows["set"],
        "Method": rows["method"],
        f"Ours, {measure}": _formatted(rows, "ours"),
        f"Paper, {measure}": _formatted(rows, "paper"),
        "How it compares": rows["verdict"].map(lambda verdict: MARKS[verdict][0]),
        "Best of ours": rows["ours_best"].map(_number),
        "Best of paper": rows["paper_best"].map(_number),
        "Seconds": rows["seconds"].map(lambda value: "–" if pd.isna(value) else f"{value:.1f}"),
        **{title: rows[column] for title, column in zip(_WIDE, ("note", "protocol"), strict=True)},
    }
    shown = pd.DataFrame(texts)
    return shown.drop(columns=[c for c in ("Best of ours", "Best of paper") if (shown[c] == "–").all()])


def _formatted(rows: pd.DataFrame, whose: str) -> list[str]:
    pairs = zip(rows[f"{whose}_mean"], rows[f"{whose}_deviation"], strict=True)
    return [
        _number(mean) if pd.isna(deviation) else f"{_number(mean)} ± {_number(deviation)}"
        for mean, deviation in pairs
    ]


def _number(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.2f}"


def _count(rows: pd.DataFrame) -> str:
    counts = rows["verdict"].value_counts()
    texts = [f"{counts[verdict]} {mark}" for verdict, (mark, _) in MARKS.items() if verdict in counts]
    return f"{len(rows)} numbers: {', '.join(texts)}"


def _color(mark: object) -> str:
    return next((f"color: {color}" for text, color in MARKS.values() if text == mark), "")


def _row_height(shown: pd.DataFrame) -> int:
    """Return the height in pixels at which the longest note is shown whole, in as many lines as it needs."""
    longest = max(len(text) for wide in _WIDE for text in shown[wide])
    return max(35, 20 * ceil(longest * _LETTER / _WIDTH) + 14)


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
