"""The answer of a search for clusters: words, curves, a picture for each number, and candidates."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from mmc import work
from mmc.auto import Judged, certainty, summary, table
from mmc.auto.choice import SUPPORT
from mmc.datasets import to_csv_text
from mmc.figures import cluster_map, colors_by_row, column_map, count_curves, thumbnail
from mmc.figures.packed import pack
from mmc.judges import JUDGES, OF_LABELS
from mmc.metrics import adjusted_rand_score, matched_labels
from mmc.ui.auto_job import Answer, Shown
from mmc.ui.data_sidebar import address
from mmc.ui.download_view import File, download_buttons
from mmc.ui.export_view import labels_file, model_file
from mmc.ui.messages import guard, notice, plain
from mmc.ui.result_store import obtained
from mmc.ui.visit_state import FindClusters, state_of

T = TypeVar("T")

BEST = "best"
#: Number of columns among which one can be chosen in a list.
_MOST_COLUMNS = 200

_PICTURE = 104  # pixels; three fit beside each other on a phone

#: Judges whose curves are drawn below the support.
_CURVES = ("normalized_cut", "worst_cut", "dbcv", "silhouette")

_AGREEMENT = "Agreement"

#: What it means that a part of the support is higher, and that it is lower.
_MEANS = {
    "agreement": ("the methods agree more", "the methods agree less"),
    "normalized_cut": ("fewer links between neighbours are cut", "more links between neighbours are cut"),
    "worst_cut": ("the worst cluster is easier to learn", "the worst cluster is harder to learn"),
}

#: Differences of a judge below this are not mentioned.
_SAME = 0.02


def tell_answer(found: Answer, shown: Shown) -> None:
    """Draw the answer, or what is shown instead of it, in a line."""
    text = summary(found.state)
    if shown.title:
        st.subheader(plain(shown.title))
    elif certainty(found.state).has_clusters:
        st.subheader(plain(f"{text.partition('. ')[0]}."))
    else:
        notice(text, "info")


def look_at_count(found: Answer) -> int:
    """Draw the control that selects a number of clusters, at first the chosen one, and return the number."""
    counts = {str(k): k for k in found.by_count}
    if st.session_state.get("at_k", BEST) not in (BEST, *counts):
        del st.session_state["at_k"]
    if len(counts) == 1:
        return found.best.candidate.n_clusters
    chosen = st.select_slider(
        "Look at",
        [BEST, *counts],
        key="at_k",
        bind="query-params",
        help=f"How many clusters the picture shows. “{BEST}” is the number that was chosen.",
    )
    return counts.get(str(chosen), found.best.candidate.n_clusters)


def draw_clusters(
    found: Answer,
    shown: Shown,
    key: str = "clusters",
    marks: Sequence[NDArray[np.int64]] | None = None,
    column: str | None = None,
) -> None:
    """Draw clusters as a picture.

    Parameters
    ----------
    found : Answer
        Answer to which they belong.
    shown : Shown
        Clusters.
    key : str
        Key of the picture.
    marks : sequence of ndarray, or None
        Points that the visitor has marked; if it is given, more can be marked in the picture.
    column : str or None
        Column of the table by which points are coloured instead.
    """
    labels = shown.labels
    sizes = ", ".join(map(str, np.bincount(labels)))
    marked = None if marks is None else tuple(map(np.ndarray.tobytes, marks))
    alt = f"Scatter plot of {len(labels)} points in {len(np.unique(labels))} clusters of {sizes} points."
    if column is not None:
        values = column_values(found, column)
        figure = _drawn(
            key,
            (found.key, column, marked is None),
            lambda: pack(column_map(found.view, values, column, can_mark=marks is not None)),
        )
        alt = f"Scatter plot of {len(labels)} points in the colours of a column of the table."
    else:
        figure = _drawn(
            key,
            (shown.key, marked),
            lambda: pack(cluster_map(found.view, labels, shown.outliers, marks)),
        )
    config = {"displayModeBar": False}
    if marks is None:
        st.plotly_chart(figure, key=key, config=config, alt=alt)
    else:
        st.plotly_chart(
            figure, key=key, config=config, alt=alt, on_select="rerun", selection_mode=("lasso", "box")
        )
    texts = [*shown.notes, found.view.note]
    if shown.outliers is not None:
        texts.append(f"{shown.outliers.sum():,} of {len(shown.outliers):,} points belong nowhere.")
    if text := " ".join(filter(None, texts)):
        st.caption(plain(text))


def look_at_column(found: Answer) -> str | None:
    """Draw the control that colours the points by a column of the table, and return the column."""
    columns = found.dataset.feature_names if found.upload is None else found.upload.columns
    if len(columns) > _MOST_COLUMNS:
        return None
    if st.session_state.get("color") not in (None, *columns):
        del st.session_state["color"]
    return st.selectbox(
        "Colour by",
        [None, *columns],
        format_func=lambda column: "clusters" if column is None else column,
        key="color",
        help="Shows how the values of a column lie among the points.",
    )


def column_values(found: Answer, column: str) -> NDArray[Any]:
    """Return the values of a column at all points."""
    return obtained(
        f"values {column} {found.key}",
        work.values_of,
        found.packed,
        (found.question.data, column),
        own=found.upload is not None,
    )


def draw_counts(found: Answer, at: int, key: str = "counts", *, growing: bool = False) -> None:
    """Draw the judges over the numbers of clusters; unless it is growing a click selects a number."""
    by_count, chosen = found.compared.by_count, found.compared.best.candidate.n_clusters
    curves = {"Support": [each.support for each in by_count.values()]}
    curves[_AGREEMENT] = [each.agreement for each in by_count.values()]
    for name in _CURVES:
        curves[JUDGES[name].title] = [each.values[name] for each in by_count.values()]
    most = found.question.max_clusters
    figure = _drawn(
        "counts",
        (found.key, len(found.state.stages[0].trials), at),
        lambda: pack(count_curves(list(by_count), curves, at=at, chosen=chosen, most=most)),
    )
    best = found.compared.best.support
    alt = (
        f"Curves of {len(curves)} judges over {len(by_count)} numbers of clusters. The support is highest, "
        f"{best:.2f}, for {chosen} clusters."
    )
    config = {"displayModeBar": False}
    if growing:
        st.plotly_chart(figure, key=key, config=config, alt=alt)
    else:
        st.plotly_chart(
            figure, key=key, config=config, alt=alt, on_select=_clicked, selection_mode=("points",)
        )
    parts = " + ".join(_title(name).lower() for name in SUPPORT)
    st.caption(
        f"Support = {parts}. The number where it is highest is chosen. Density and silhouette are there "
        "to compare."
    )


def draw_counted(found: Answer, at: int | None = None) -> None:
    """Draw the best clustering of each number as a thumbnail; if `at` is given, each can be selected."""
    shown = found.by_count[found.best.candidate.n_clusters if at is None else at]
    depends = (found.key, len(found.state.stages[0].trials), shown.answer, len(shown.labels))
    pictures = _drawn("counted", depends, lambda: _thumbnails(found, shown))
    with st.container(horizontal=True, gap="small"):
        for k, picture in pictures.items():
            with st.container(width=_PICTURE + 2, gap=None):
                st.image(picture, width=_PICTURE, alt=f"The best {k} clusters")
                if at is None:
                    st.caption(f"{k} clusters")
                else:
                    st.button(
                        f"{k} clusters",
                        key=f"look {k}",
                        type="primary" if k == at else "secondary",
                        width="stretch",
                        on_click=_choose,
                        args=(str(k),),
                        help="Show this number of clusters.",
                    )


def tell_why(found: Answer, k: int, shown: Shown) -> None:
    """Draw how sure the answer is, and why the number that is looked at was chosen or why it was not."""
    if certainty(found.state).has_clusters:
        st.write(plain(summary(found.state).partition(". ")[2]))
    by_count = found.compared.by_count
    looked, best = by_count[k], found.compared.best
    if found.question.n_clusters is not None:
        text = f"The number was given. Of all methods {found.best.candidate.method} has the highest score, "
        text += f"{found.best.score:.2f}."
    elif looked is best:
        values = ", ".join(f"{_title(name).lower()} {_number(best.values[name])}" for name in SUPPORT)
        asked = f"Why {k}?" if certainty(found.state).has_clusters else f"Why {k}, if there were clusters?"
        text = f"{asked} Its support is the highest, {best.support:.2f}: {values}."
        if found.compared.runner_up is not None:
            next_ = found.compared.runner_up
            text += f" Next are {next_.candidate.n_clusters} clusters with {next_.support:.2f}: "
            text += f"{_differences(next_, best)}."
    else:
        text = f"Why not {k}? The support of {looked.answer} is {looked.support:.2f}, that of "
        text += f"{best.candidate.n_clusters} is {best.support:.2f}: {_differences(looked, best)}."
    if found.dataset.y is not None:
        index = adjusted_rand_score(found.dataset.y, shown.labels)
        text += (
            f" The adjusted Rand index with the reference labels, which no judge has seen, is {index:.3f}."
        )
    st.write(plain(text))


def draw_candidates(found: Answer) -> None:
    """Draw all candidates as a table, and what the search finds in points without clusters."""
    number = st.column_config.NumberColumn
    n = max(stage.n_samples for stage in found.state.stages)
    judges = {
        name: number(JUDGES[name].title_for(n), format="%.3f", help=JUDGES[name].meaning)
        for name in OF_LABELS
    }
    rows = table(found.state).sort_values("chosen", ascending=False, kind="stable")
    st.dataframe(
        rows,
        hide_index=True,
        height=min(36 * (len(rows) + 1), 360),
        column_config={
            "algorithm": "Algorithm",
            "setting": st.column_config.TextColumn("Setting", help="What differs from the defaults."),
            "n_clusters": number("Clusters"),
            "n_samples": number("Points", help="How many points were clustered: a sample, or all."),
            "score": number(
                "Score",
                format="%.3f",
                help="Support + density: chooses the method for each number of clusters.",
            ),
            "support": number(
                "Support",
                format="%.3f",
                help="Agreement + normalized cut + worst-learned cluster: chooses the number of clusters.",
            ),
            "agreement": number(
                _AGREEMENT,
                format="%.3f",
                help="Mean adjusted Rand index with the other methods of as many clusters; 1 is the same.",
            ),
            **judges,
            "seconds": number("Seconds", format="%.3f", help="Time of the fit without the judges."),
            "chosen": st.column_config.CheckboxColumn("Chosen"),
            "left_out": st.column_config.TextColumn(
                "Why left out", help="Why a candidate was not tried, or failed; empty if it was judged."
            ),
        },
    )
    out = int((rows["left_out"] != "").sum())
    if out:
        st.caption(f"{out} of {len(rows)} candidates were not judged; the last column says why.")
    sure = certainty(found.state)
    if sure.references:
        values = ", ".join(map(_number, sure.references))
        st.caption(
            f"What a score is worth: in {len(sure.references)} sets of points without clusters, spread as "
            f"these are, the same search finds scores of {values}; here {_number(sure.evidence)}."
        )


def draw_growing(found: Answer) -> None:
    """Draw what a search has so far, in the places that the answer will have."""
    k = found.best.candidate.n_clusters
    st.subheader(f"{k} clusters so far")
    left, right = st.columns(2, gap="large")
    with left:
        draw_clusters(found, found.shown(k), key="growing_clusters")
    with right:
        draw_counts(found, found.compared.best.candidate.n_clusters, "growing_counts", growing=True)
    draw_counted(found)


def take_answer(found: Answer, shown: Shown) -> None:
    """Draw the download buttons of what is looked at, and the link that opens it in the playground.

    Parameters
    ----------
    found : Answer
        Answer to which it belongs.
    shown : Shown
        Clusters to export.
    """
    experiment = shown.experiment
    columns = found.dataset.feature_names if found.upload is None else found.upload.columns

    def candidates() -> str:
        rows: pd.DataFrame = table(found.state)
        return to_csv_text(rows)

    files = [
        labels_file(
            experiment.data,
            shown.final,
            shown.confidence,
            found.packed,
            found.dataset.n_samples * len(columns),
        ),
        File("Candidates (CSV)", "candidates.csv", "text/csv", candidates, "The table above."),
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
    ]
    if model := model_file(experiment.data, experiment.make(), False, found.packed):
        files.append(model)
    download_buttons(PurePath(found.dataset.name).stem or "table", files)
    with suppress(ValueError):  # a candidate may be outside the ranges of the playground
        st.page_link(
            "pages/1_Playground.py",
            label="Watch it run",
            icon=":material/play_circle:",
            query_params=address(experiment),
            help="Opens this candidate in the playground, step by step.",
        )
    st.caption("The address of this page reproduces the search; a table of your own must be loaded again.")


def _thumbnails(found: Answer, shown: Judged) -> dict[int, str]:
    """Return a picture of the best clustering of each number, in the colours of the one that is shown."""
    labels = found.labels(shown)
    reference = colors_by_row(labels)[labels]
    return {
        k: thumbnail(found.view, matched_labels(found.labels(judged), reference), width=130)
        for k, judged in found.by_count.items()
    }


def _drawn(name: str, depends: Hashable, make: Callable[[], T]) -> T:
    """Return what is drawn under a name, which is made anew only if what it depends on has changed."""
    kept = state_of(FindClusters).drawn
    if name not in kept or kept[name][0] != depends:
        kept[name] = (depends, make())
    return kept[name][1]


def _number(value: float) -> str:
    """Return a number with two digits, a minus sign as it is printed, and no minus before zero."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _differences(one: Judged, other: Judged) -> str:
    """Return in words how the parts of the support of one candidate differ from those of another."""
    said = [
        f"{means[value < than]} ({_number(value)} against {_number(than)})"
        for name, means in _MEANS.items()
        if abs((value := one.values[name]) - (than := other.values[name])) >= _SAME
    ]
    return ", ".join(said) or "the judges hardly differ"


def _title(name: str) -> str:
    return JUDGES[name].title if name in JUDGES else _AGREEMENT


@guard()
def _choose(name: str) -> None:
    st.session_state["at_k"] = name


@guard()
def _clicked() -> None:
    event: Any = st.session_state["counts"]
    for point in event["selection"]["points"]:
        _choose(f"{point['x']:g}")
