"""A comparison on the page: pictures, numbers, and the agreement between runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from mmc import registry
from mmc.comparison import SCORES, consensus, summary
from mmc.datasets import to_csv_text
from mmc.figures import consensus_figure
from mmc.ui._sessions import made_file
from mmc.ui.cell_table import Pictures, cell_table, kept_pictures
from mmc.ui.compare_job import Comparison
from mmc.ui.data_sidebar import address
from mmc.ui.messages import notice

_ALL = "all algorithms"

#: Maximum number of points in a consensus matrix; more cannot be distinguished on a screen.
_MAX_POINTS = 400


def show_comparison(comparison: Comparison) -> None:
    """Draw a comparison, which may be incomplete."""
    views = {"Pictures": _pictures, "Table": _table, "Consensus": _consensus}
    chosen = st.segmented_control(
        "Show", list(views), default="Pictures", required=True, key="compare_show", bind="query-params"
    )
    views[str(chosen)](comparison)


def _pictures(comparison: Comparison) -> None:
    contest = comparison.contest
    rows = [{"title": _title(comparison, r), "picture": r} for r in range(len(contest.data))]
    columns = [{"title": name, "help": registry.get(name).summary} for name in contest.algorithms]
    pairs = zip(comparison.views, comparison.datasets, strict=True)
    pictures = kept_pictures(comparison.key, lambda: [Pictures(view, data.codes) for view, data in pairs])
    st.caption(
        "Every picture is the first of the repeats. ARI is the agreement with the reference labels, which no "
        "algorithm has seen: 1 is perfect, 0 is chance. Press a picture to watch that run in the playground."
    )
    cells = [[_cell(comparison, r, c, pictures[r]) for c in range(len(columns))] for r in range(len(rows))]
    points = [picture.points for picture in pictures]
    pressed = cell_table("pictures", rows, columns, cells, points, key="contest")
    if pressed:
        try:
            query = address(contest.cell(*pressed))
        except ValueError as error:
            notice(error)
            return
        st.switch_page("pages/1_Playground.py", query_params=query)


def _cell(comparison: Comparison, row: int, column: int, pictures: Pictures) -> dict[str, Any]:
    name = f"{comparison.contest.algorithms[column]} on {_title(comparison, row)}"
    done = comparison.done(row, column)[:1]
    if not done:
        return {"status": "wait", "name": f"{name}: waiting", "lines": ["waiting"], "labels": ""}
    trial = done[0]
    if trial.error:
        return {"status": "no", "name": f"{name}: {trial.error}", "lines": [trial.error], "labels": ""}
    known = not np.isnan(trial.agreement)
    lines = [
        f"ARI {trial.agreement:.2f}" if known else f"{len(np.unique(trial.labels))} clusters",
        f"{trial.seconds:.2f} s" + (", stopped" if trial.stopped else ""),
    ]
    score = f"{SCORES[comparison.contest.score].title_for(len(trial.labels))} {trial.score:.3g}"
    return {
        "status": "done",
        "name": f"{name}: {', '.join([*lines, score])}. Open in the playground.",
        "lines": lines,
        "labels": pictures.labels(column, trial.labels),
    }


def _table(comparison: Comparison) -> None:
    contest = comparison.contest
    rows = [
        (_title(comparison, r), contest.algorithms[c], done)
        for r in range(len(contest.data))
        for c in range(len(contest.algorithms))
        if (done := comparison.done(r, c))
    ]
    if not rows:
        st.caption("Nothing is done yet.")
        return
    judge = SCORES[contest.score]
    title = judge.title_for(max(len(trial.labels) for _, _, done in rows for trial in done))
    table = summary(rows, contest.score)
    number = st.column_config.NumberColumn
    st.dataframe(
        table,
        hide_index=True,
        height=min(38 * (len(table) + 1), 640),
        column_config={
            "ARI": number(format="%.3f", help="Mean agreement with the reference labels over the repeats."),
            "deviation": number(format="± %.3f", help="Standard deviation of it over the repeats."),
            "best": number("best ARI", format="%.3f", help="The highest of the repeats, known in hindsight."),
            judge.title: number(title, format="%.3f", help=f"{judge.meaning} No true labels needed."),
            "seconds": number(format="%.3f", help="Mean time of a fit with all its starts."),
        },
    )
    st.caption(
        f"{title} is the score of labels without the reference: higher is better. Press the head of a "
        "column to sort by it."
    )
    st.download_button(
        "Table (CSV)",
        made_file(lambda: to_csv_text(table), "comparison.csv", "text/csv"),
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
    runs = [t.labels for c in columns for t in comparison.done(row, c) if not t.error]
    if not runs:
        st.caption("None of these runs is done yet, or none could be run on these data.")
        return
    n = len(runs[0])
    chosen = np.sort(np.random.default_rng(0).choice(n, min(n, _MAX_POINTS), replace=False))
    codes = comparison.datasets[row].codes
    shares = consensus([labels[chosen] for labels in runs])
    st.plotly_chart(
        consensus_figure(shares, None if codes is None else codes[chosen]),
        key="consensus",
        config={"displayModeBar": False},
        alt=f"Matrix of how often two points of {titles[row]} share a cluster in {len(runs)} runs.",
    )
    sample = f" {_MAX_POINTS} of {n:,} points are drawn." if n > _MAX_POINTS else ""
    strip = " The strip shows the reference labels." if codes is not None else ""
    st.caption(
        f"How often two points share a cluster in {len(runs)} runs, ordered so that blocks show: a bright "
        f"square is a cluster that every run finds; the colours between are doubt.{strip}{sample}"
    )


def _title(comparison: Comparison, row: int) -> str:
    data = comparison.contest.data[row]
    return data.name or data.source
