"""What the clusters of a run or of a search are: numbers, rules in words, rows and figures, on request."""

from __future__ import annotations

from pathlib import PurePath
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from mmc import work
from mmc.experiment import Data
from mmc.figures import colors_by_row
from mmc.profiling import ClusterProfile, Profile
from mmc.ui.auto_job import Answer, Shown
from mmc.ui.download_view import File, download_buttons
from mmc.ui.messages import guard, notice, plain
from mmc.ui.parted_job import PartedAnswer
from mmc.ui.result_store import fetch, obtained
from mmc.ui.run_job import Outcome
from mmc.work import Described

_PLAIN = {"displayModeBar": False}

_READING = (
    "Separation is 0 if the cluster has the same values as the other rows, and 1 if an interval of values "
    "has the cluster and nothing else. To the right the cluster is higher, to the left lower, in the middle "
    "between the others or on both sides of them; pale bars are text."
)


class _Asked(NamedTuple):
    """Clusters to describe.

    Attributes
    ----------
    key : str
        What they depend on.
    name : str
        Name of the data.
    data : Data
        What was clustered.
    labels : ndarray of shape (n_samples,)
        Cluster of each point; −1 belongs to none.
    confidence : ndarray of shape (n_samples,) or None
        Confidence of each label, if it is known.
    colors : mapping from int to int, or None
        Positions of the colours in the picture above; None means the labels.
    packed : bytes or None
        The visitor's table, if the data are one.
    """

    key: str
    name: str
    data: Data
    labels: NDArray[np.int64]
    confidence: NDArray[np.float64] | None
    colors: dict[int, int] | None
    packed: bytes | None


def describe_run(outcome: Outcome) -> None:
    """Draw the switch that describes the clusters of a run and, if it is on, what they are.

    Parameters
    ----------
    outcome : Outcome
        Run to describe; of two algorithms a control chooses one.
    """
    if not _is_wanted():
        return
    names = list(outcome.recordings)
    name = names[0]
    if len(names) > 1:
        if st.session_state.get("profile_of") not in (None, *names):
            del st.session_state["profile_of"]
        name = str(
            st.segmented_control("Clusters of", names, default=names[0], required=True, key="profile_of")
        )
    recording = outcome.recordings[name]
    _describe(
        _Asked(
            f"profile {name} {len(recording.states)} {outcome.stopped} {outcome.key}",
            outcome.dataset.name,
            outcome.experiment.data,
            recording.labels,
            recording.end.confidence(),
            None,
            outcome.packed,
        )
    )


def describe_answer(found: Answer, shown: Shown) -> None:
    """Draw the switch that describes the clusters of an answer and, if it is on, what they are.

    Parameters
    ----------
    found : Answer
        Answer to which they belong.
    shown : Shown
        Clusters to describe.
    """
    if not _is_wanted():
        return
    colors = dict(enumerate(colors_by_row(shown.labels).tolist()))
    _describe(
        _Asked(
            f"profile {shown.key}",
            found.dataset.name,
            shown.experiment.data,
            shown.final,
            shown.confidence,
            colors,
            found.packed,
        )
    )


def describe_parted(found: PartedAnswer) -> None:
    """Draw the switch that describes the clusters of a table in parts and, if it is on, those of its sample.

    Parameters
    ----------
    found : PartedAnswer
        Clusters to describe.
    """
    if not _is_wanted():
        return
    labels, wish = found.clusters.labels, found.wish
    st.caption(f"Described are the {len(labels):,} rows of the sample, by their numbers in it.")
    colors = dict(enumerate(colors_by_row(labels).tolist()))
    data, packed = found.sample.data(wish), found.sample.packed(wish)
    key = f"profile {found.key} {found.clusters.progress}"
    _describe(_Asked(key, wish.name, data, labels, None, colors, packed))


def _is_wanted() -> bool:
    st.subheader("What are these clusters?")
    return st.toggle(
        "Describe the clusters",
        key="profile",
        bind="query-params",
        help="Numbers of every column, rules in words, typical and doubtful rows, silhouettes, and a report.",
    )


def _describe(asked: _Asked) -> None:
    task = (asked.data, asked.labels, asked.confidence, asked.colors)
    try:
        described = obtained(
            asked.key,
            work.describe,
            asked.packed,
            task,
            own=asked.packed is not None,
            caption="describing the clusters",
        )
    except ValueError as error:
        notice(error)
        return
    found = described.profile
    _overview(found)
    _one_cluster(described)
    left, right = st.columns([2, 3], gap="large")
    with left:
        _silhouettes(described)
    with right:
        _lines(described)
    for note in found.notes:
        st.caption(plain(note))
    _downloads(asked, found)


def _overview(found: Profile) -> None:
    if found.warning:
        notice(found.warning, "warning")
    number = st.column_config.NumberColumn
    st.dataframe(
        found.overview().round(3),
        hide_index=True,
        height=min(35 * (len(found.clusters) + 1) + 3, 388),
        column_config={
            "cluster": number("Cluster", width="small"),
            "size": number("Rows", width="small"),
            "share": number("Share", format="percent", width="small"),
            "mean confidence": number("Confidence", format="percent", width="small"),
            "rule": st.column_config.TextColumn("Rule in words", width="medium"),
            "precision": number(
                "Precision",
                format="percent",
                width="small",
                help="Share of the rule's rows that are in the cluster.",
            ),
            "recall": number(
                "Recall", format="percent", width="small", help="Share of the cluster that the rule finds."
            ),
            "silhouette": number(
                "Silhouette",
                format="%.2f",
                width="small",
                help="From −1, nearer to another cluster, to 1, far from all others.",
            ),
            "most telling columns": st.column_config.TextColumn("Most telling columns"),
        },
    )
    texts = []
    if not np.isnan(found.accuracy):
        texts.append(f"For {found.accuracy:.1%} of the rows the rule of their cluster holds and no other.")
    if found.n_outliers:
        texts.append(f"{found.n_outliers:,} of {found.n_samples:,} rows belong to no cluster.")
    if texts:
        st.caption(plain(" ".join(texts)))


@st.fragment
@guard()
def _one_cluster(described: Described) -> None:
    """Draw the chosen cluster; a choice draws nothing else of the page anew."""
    found = described.profile
    shown = {each.label: each for each in found.clusters if each.label in described.effects}
    if st.session_state.get("profile_cluster") not in (None, *shown):
        del st.session_state["profile_cluster"]
    label = st.selectbox(
        "Cluster",
        list(shown),
        format_func=lambda h: f"Cluster {h}: {shown[h].size:,} rows",
        key="profile_cluster",
        width=320,
    )
    if len(shown) < len(found.clusters):
        st.caption(f"The {len(shown)} largest clusters can be chosen; the files have them all.")
    cluster = shown[int(label)]
    if cluster.rule is not None:
        rule = cluster.rule
        st.markdown(f"**{plain(rule.text)}**")
        st.caption(
            f"The rule holds for {rule.recall:.1%} of the cluster (recall); {rule.precision:.1%} of the rows "
            f"for which it holds are in it (precision). It is right for {rule.accuracy:.1%} of all rows."
        )
    elif len(found.clusters) > 1:
        st.caption("No short rule finds this cluster.")
    columns = found.of(cluster.label)
    left, right = st.columns([2, 3], gap="large")
    with left:
        if columns["separation"].notna().any():
            st.plotly_chart(
                described.effects[cluster.label],
                key="profile_effects",
                config=_PLAIN,
                alt=f"How well columns tell cluster {cluster.label} apart. "
                f"The most telling is {cluster.columns[0]}.",
            )
            st.caption(_READING)
    with right:
        _rows(found, cluster)
        _numbers(columns)


def _rows(found: Profile, cluster: ClusterProfile) -> None:
    examples = found.examples[found.examples["cluster"] == cluster.label].drop(columns="cluster")
    if not len(examples):
        return
    st.dataframe(examples, hide_index=True, height=35 * (len(examples) + 1) + 3)
    why = "where the confidence" if cluster.confidence is not None else "where the silhouette"
    st.caption(f"Typical rows are in the middle of the cluster, doubtful ones {why} is lowest.")


def _numbers(columns: pd.DataFrame) -> None:
    number = st.column_config.NumberColumn
    with st.expander("Numbers of its columns"):
        st.dataframe(
            columns.drop(columns=["cluster", "size", "share"]),
            hide_index=True,
            height=min(35 * (len(columns) + 1) + 3, 353),
            column_config={
                "column": "Column",
                "kind": "Kind",
                "n_known": number("Values"),
                "n_missing": number("Missing"),
                "minimum": number("Minimum", format="%.4g"),
                "lower_quartile": number("Lower quartile", format="%.4g"),
                "median": number("Median", format="%.4g"),
                "upper_quartile": number("Upper quartile", format="%.4g"),
                "maximum": number("Maximum", format="%.4g"),
                "rest_median": number("Median of the rest", format="%.4g"),
                "effect": number(
                    "Effect",
                    format="%.2f",
                    help="Cohen's d for numbers; difference of shares for two values and for text.",
                ),
                "separation": number("Separation", format="%.2f"),
                "p_value": number(
                    "Chance",
                    format="%.2g",
                    help="Probability of such a separation for a cluster that is drawn at random (p-value). "
                    "Clusters that were found in this column differ in it by construction.",
                ),
                "direction": "Direction",
                "categories": "Categories",
            },
        )


def _silhouettes(described: Described) -> None:
    if described.silhouettes is None:
        return
    mean = described.profile.silhouette
    st.plotly_chart(
        described.silhouettes,
        key="profile_silhouettes",
        config=_PLAIN,
        alt=f"Silhouettes of the rows of each cluster; their mean is {mean:.2f}.",
    )
    st.caption(
        f"Silhouettes: 1 is far from other clusters, below 0 is nearer to another one. The mean is "
        f"{mean:.2f}, the dashed line."
    )


def _lines(described: Described) -> None:
    if described.lines is None:
        return
    st.plotly_chart(
        described.lines,
        key="profile_lines",
        config=_PLAIN,
        alt="Rows as lines over the columns that were clustered, with the median of each cluster.",
    )
    st.caption("Rows as thin lines over the most telling columns, medians of the clusters as thick ones.")


def _downloads(asked: _Asked, found: Profile) -> None:
    title = f"Clusters of {asked.name}"

    def report() -> str:
        return fetch(work.write_profile, found, ("html", title))

    def table() -> str:
        return fetch(work.write_profile, found, ("csv", title))

    files = [
        File("Report (HTML)", "report.html", "text/html", report, "One file that any browser opens."),
        File("Profile (CSV)", "profile.csv", "text/csv", table, "A row for each cluster and column."),
    ]
    download_buttons(PurePath(asked.name).stem or "table", files)
