"""The numbers of a run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from mmc import registry
from mmc.metrics import adjusted_rand_score, clustering_error
from mmc.ui.messages import notice, plain
from mmc.ui.run_job import Outcome
from mmc.ui.wording import with_labels

#: Maximum number of clusters of an algorithm in the table.
_MAX_ROWS = 20


def result_summary(outcome: Outcome) -> None:
    """Draw cluster sizes, objective, time and, if reference labels are known, the agreement with them."""
    for note in outcome.dataset.notes:
        st.caption(plain(note))
    for name, recording in outcome.recordings.items():
        if len(outcome.recordings) > 1:
            st.markdown(f"**{name}**")
        _metrics(outcome, name)
        if recording.end.warning:
            notice(with_labels(recording.end.warning, name), "warning")
    # st.dataframe would load one more large script on the first visit.
    st.table(_sizes(outcome))
    for name, recording in outcome.recordings.items():
        more = int(recording.labels.max()) + 1 - _MAX_ROWS
        if more > 0:
            st.caption(f"{name} found {more} further clusters; the file of labels has them all.")


def _metrics(outcome: Outcome, name: str) -> None:
    recording, y = outcome.recordings[name], outcome.dataset.y
    ends = [end.objective for end in recording.ends]
    objective = recording.end.objective
    same = int(np.isclose(ends, objective, rtol=1e-6).sum())
    with st.container(horizontal=True):
        if not np.isnan(objective):
            st.metric(
                registry.get(name).objective,
                f"{objective:.4g}",
                help=f"What the algorithm minimises. {registry.get(name).meaning}",
            )
        st.metric("Time", f"{recording.seconds:.2f} s", help="All starts together.")
        if len(ends) > 1:
            st.metric(
                "Starts that end here", f"{same} of {len(ends)}", help="With the same lowest objective."
            )
        if y is not None:
            st.metric(
                "Adjusted Rand index",
                f"{adjusted_rand_score(y, recording.labels):.3f}",
                help="Agreement with the reference labels: 1 is perfect, 0 is chance. Never used in the fit.",
            )
            st.metric(
                "Clustering error",
                f"{clustering_error(y, recording.labels):.1%}",
                help="Share of points that are wrong when clusters and classes are matched one to one.",
            )


def _sizes(outcome: Outcome) -> pd.DataFrame:
    parts = []
    for name, recording in outcome.recordings.items():
        sizes = np.bincount(recording.labels)
        table = pd.DataFrame({"cluster": range(len(sizes)), "points": sizes})
        table["share"] = [f"{share:.1%}" for share in sizes / sizes.sum()]
        confidence = recording.end.confidence()
        if confidence is not None:
            means = np.bincount(recording.labels, confidence) / np.maximum(sizes, 1)
            table["mean confidence"] = [f"{mean:.1%}" for mean in means]
        if len(outcome.recordings) > 1:
            table.insert(0, "algorithm", name)
        parts.append(table.head(_MAX_ROWS))
    return pd.concat(parts, ignore_index=True)
