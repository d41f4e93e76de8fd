"""A comparison on the page: pictures, numbers, and how far the runs agree with each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from mmc import registry
from mmc.comparison import Attempt, consensus, summary
from mmc.datasets import to_csv_text
from mmc.figures import consensus_figure
from mmc.metrics import matched_labels
from mmc.ui.cells import cell_table, drawn_labels, drawn_points
from mmc.ui.comparing import Comparison
from mmc.ui.controls import address
from mmc.ui.frame import notice

_ALL = "all algorithms"

#: Points of a consensus matrix; more cannot be told apart on a screen.
_MAX_POINTS = 400


def show_comparison(comparison: Comparison) -> None:
    """Show a comparison, whole or on its way.

    Parameters
    ----------
    comparison : Comparison
    """
    views = {"Pictures": _pictures, "Table": _table, "Consensus": _consensus}
    chosen = st.segmented_control(
        "Show", list(views), default="Pictures", required=True, key="compare_show", bind="query-params"
    )
    views[str(chosen)](comparison)


def _pictures(comparison: Comparison) -> None:
    contest = comparison.contest
    rows = [{"title": _title(comparison, r), "picture": r} for r in range(len(contest.data))]
    columns = [{"title": name, "help": registry.get(name).summary} for name in contest.algorithms]
    kept = st.session_state.get("pictures")
    if kept is None or kept.key != comparison.key:
        kept = st.session_state["pictures"] = _Pictures(comparison)
    st.caption(
        "Every picture is the first of the repeats. ARI is the agreement with the reference labels, which no "
        "algorithm has seen: 1 is perfect, 0 is chance. Press a picture to watch that run in the playground."
    )
    cells = [[kept.cell(comparison, r, c) for c in range(len(columns))] for r in range(len(rows))]
    pressed = cell_table("pictures", rows, columns, cells, kept.points, key="contest")
    if pressed:
        try:
            query = address(contest.cell(*pressed))
        except ValueError as error:
            notice(error)
            return
        st.switch_page("pages/1_Playground.py", query_params=query)


class _Pictures:
    """The pictures of a comparison, each made once while the others arrive."""

    def __init__(self, comparison: Comparison) -> None:
        self.key = comparison.key
        self.points = [drawn_points(view) for view in comparison.views]
        self._cells: dict[tuple[int, int], dict[str, Any]] = {}
        self._leaders = [
            None if dataset.y is None else np.unique(dataset.y, return_inverse=True)[1]
            for dataset in comparison.datasets
        ]

    def cell(self, comparison: Comparison, row: int, column: int) -> dict[str, Any]:
        """Describe a cell for `cell_table`."""
        if (row, column) in self._cells:
            return self._cells[row, column]
        name = f"{comparison.contest.algorithms[column]} on {_title(comparison, row)}"
        done = comparison.done(row, column)[:1]
        if not done:
            return {"kind": "wait", "name": f"{name}: waiting", "lines": ["waiting"], "labels": ""}
        cell = self._cells[row, column] = self._drawn(comparison, row, name, done[0])
        return cell

    def _drawn(self, comparison: Comparison, row: int, name: str, attempt: Attempt) -> dict[str, Any]:
        if attempt.error:
            return {"kind": "no", "name": f"{name}: {attempt.error}", "lines": [attempt.error], "labels": ""}
        leader = self._leaders[row]
        if leader is None:  # without a reference the first that arrives decides the colours of its row
            leader = self._leaders[row] = attempt.labels
        known = not np.isnan(attempt.agreement)
        lines = [
            f"ARI {attempt.agreement:.2f}" if known else f"{len(np.unique(attempt.labels))} clusters",
            f"{attempt.seconds:.2f} s" + (", stopped" if attempt.stopped else ""),
        ]
        return {
            "kind": "done",
            "name": f"{name}: {', '.join(lines)}. Open in the playground.",
            "lines": lines,
            "labels": drawn_labels(comparison.views[row], matched_labels(attempt.labels, leader)),
        }


def _table(comparison: Comparison) -> None:
    contest = comparison.contest
    rows = [
        (_title(comparison, r), done)
        for r in range(len(contest.data))
        for c in range(len(contest.algorithms))
        if (done := comparison.done(r, c))
    ]
    if not rows:
        st.caption("Nothing is done yet.")
        return
    table = summary(rows)
    number = st.column_config.NumberColumn
    st.dataframe(
        table,
        hide_index=True,
        height=min(38 * (len(table) + 1), 640),
        column_config={
            "ARI": number(format="%.3f", help="Mean agreement with the reference labels over the repeats."),
            "deviation": number(format="± %.3f", help="Standard deviation of it over the repeats."),
            "best": number("best ARI", format="%.3f", help="The highest of the repeats, known in hindsight."),
            "LSMI": number(
                format="%.3f", help="How much the labels tell about the points; no true labels needed."
            ),
            "seconds": number(format="%.3f", help="Mean time of a fit with all its starts."),
        },
    )
    st.caption("Press the head of a column to sort by it.")
    st.download_button(
        "Table (CSV)",
        lambda: to_csv_text(table),
        "comparison.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
        key="download comparison",
    )


def _consensus(comparison: Comparison) -> None:
    contest = comparison.contest
    left, right = st.columns(2)
    titles = [_title(comparison, r) for r in range(len(contest.data))]
    row = int(
        left.selectbox("Data", range(len(titles)), format_func=titles.__getitem__, key="consensus_data")
    )
    names = [_ALL, *contest.algorithms]
    name = right.selectbox("Runs of", names, key="consensus_of")
    columns = range(len(contest.algorithms)) if name == _ALL else [contest.algorithms.index(str(name))]
    runs = [a.labels for c in columns for a in comparison.done(row, c) if not a.error]
    if not runs:
        st.caption("None of these runs is done yet, or none could be run on these data.")
        return
    n = len(runs[0])
    chosen = np.sort(np.random.default_rng(0).choice(n, min(n, _MAX_POINTS), replace=False))
    y = comparison.datasets[row].y
    shares = consensus([labels[chosen] for labels in runs])
    reference = None if y is None else np.unique(y[chosen], return_inverse=True)[1]
    st.plotly_chart(
        consensus_figure(shares, reference),
        key="consensus",
        config={"displayModeBar": False},
        alt=f"Matrix of how often two points of {titles[row]} share a cluster in {len(runs)} runs.",
    )
    sample = f" {_MAX_POINTS} of {n} points are drawn." if n > _MAX_POINTS else ""
    strip = " The strip shows the reference labels." if y is not None else ""
    st.caption(
        f"How often two points share a cluster in {len(runs)} runs, ordered so that blocks show: a bright "
        f"square is a cluster that every run finds; the colours between are doubt.{strip}{sample}"
    )


def _title(comparison: Comparison, row: int) -> str:
    data = comparison.contest.data[row]
    return data.name or data.source
