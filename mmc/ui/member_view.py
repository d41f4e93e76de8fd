"""Each kernel of a mixture alone, beside the mixture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from mmc import registry
from mmc.figures import make_view, thumbnail
from mmc.metrics import adjusted_rand_score, majority_accuracy, matched_labels
from mmc.recording import Recording, record
from mmc.registry import MemberPanel
from mmc.stepping import Step
from mmc.ui.jobs import Report
from mmc.ui.page_frame import notice, plain
from mmc.ui.result_store import obtain
from mmc.ui.run_job import Outcome

_PICTURE = 150


@dataclass(frozen=True, eq=False)
class Alone:
    """The result of each kernel of a mixture alone; the mixture is the last.

    Attributes
    ----------
    key : str
        Key of the result.
    labels : tuple of ndarray
        Labels of each kernel.
    table : DataFrame
        One row for each kernel.
    stopped : str
        Why the work ended early; empty if it did not.
    """

    key: str
    labels: tuple[NDArray[np.int64], ...]
    table: pd.DataFrame
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of the labels."""
        return sum(labels.nbytes for labels in self.labels)


def show_members(panel: MemberPanel, outcome: Outcome) -> None:
    """Draw every kernel alone beside the mixture, as the columns K₁, K₂, K₃ and MKC of [MKC] Table 2."""
    key = f"alone {outcome.key}"
    try:
        alone = obtain(key, lambda report: _work(key, panel.parameter, outcome, report))
    except ValueError as error:
        notice(error)
        return
    if alone.stopped:
        notice(f"This comparison was {alone.stopped}; you see the kernels that were done.", "warning")
    view = make_view(outcome.dataset.X, outcome.dataset.feature_names)
    with st.container(horizontal=True, gap="small"):
        for title, labels in zip(alone.table["kernel"], alone.labels, strict=True):
            with st.container(width=_PICTURE + 2, gap=None):
                picture = thumbnail(view, matched_labels(labels, outcome.main.labels), width=150)
                st.image(picture, width=_PICTURE)
                st.caption(f"**{plain(title)}**")
    st.table(alone.table.set_index("kernel"))
    st.caption(panel.caption)


def _work(key: str, parameter: str, outcome: Outcome, report: Report) -> Alone:
    entry = registry.get(outcome.experiment.algorithm)
    kernels = outcome.main.estimator.get_params()[parameter]
    weights = outcome.main.end.weights
    rows: list[dict[str, Any]] = []
    found: list[NDArray[np.int64]] = []

    def add(title: str, weight: str, recording: Recording) -> None:
        found.append(recording.labels)
        rows.append({"kernel": title, "β": weight, **_numbers(outcome, recording)})

    for i, (kernel, (title, weight)) in enumerate(zip(kernels, weights, strict=True)):
        single = entry.make({**outcome.experiment.parameters, parameter: [kernel]})
        single.set_params(init=outcome.main.states[0].labels)

        def go_on(step: Step, done: int = i) -> bool:
            return report((done + step.progress) / len(kernels), step.state.caption)

        recording = record(single, outcome.dataset.X, go_on=go_on)
        add(title, f"{weight:.3f}", recording)
        if not recording.complete:
            break
    add("mixture", "", outcome.main)
    return Alone(key, tuple(found), pd.DataFrame(rows))


def _numbers(outcome: Outcome, recording: Recording) -> dict[str, Any]:
    y, end = outcome.dataset.y, recording.end
    known = {} if y is None else {"accuracy": f"{majority_accuracy(y, recording.labels):.1%}"}
    return {
        "objective": f"{end.objective:.4g}",
        end.position_title: end.position,
        **known,
        "likeness": f"{adjusted_rand_score(outcome.main.labels, recording.labels):.3f}",
    }
