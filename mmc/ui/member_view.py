"""Each kernel of a mixture alone, beside the mixture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from mmc import registry, work
from mmc.engine import Ticket
from mmc.figures import thumbnail
from mmc.metrics import adjusted_rand_score, majority_accuracy, matched_labels
from mmc.recording import Recording
from mmc.registry import MemberPanel
from mmc.ui.messages import notice, plain
from mmc.ui.player_view import drawn
from mmc.ui.result_store import call, obtain
from mmc.ui.run_job import Outcome
from mmc.ui.runner import Report

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
        alone = obtain(
            key,
            lambda report, ticket: _work(key, panel.parameter, outcome, report, ticket),
            own=outcome.upload is not None,
        )
    except ValueError as error:
        notice(error)
        return
    if alone.stopped:
        notice(f"This comparison was {alone.stopped}; you see the kernels that were done.", "warning")
    view = next(iter(drawn(outcome, None).scenes.values())).view
    with st.container(horizontal=True, gap="small"):
        for title, labels in zip(alone.table["kernel"], alone.labels, strict=True):
            with st.container(width=_PICTURE + 2, gap=None):
                picture = thumbnail(view, matched_labels(labels, outcome.main.labels), width=150)
                st.image(picture, width=_PICTURE, alt=f"Clusters of {title}")
                st.caption(f"**{plain(title)}**")
    st.table(alone.table.set_index("kernel"))
    st.caption(panel.caption)


def _work(key: str, parameter: str, outcome: Outcome, report: Report, ticket: Ticket) -> Alone:
    entry = registry.get(outcome.experiment.algorithm)
    kernels = outcome.main.estimator.get_params()[parameter]
    models = [entry.make({**outcome.experiment.parameters, parameter: [kernel]}) for kernel in kernels]
    for model in models:
        model.set_params(init=outcome.main.states[0].labels)
    task = (outcome.experiment.data, models)
    recordings = call(
        work.fits, outcome.packed, task, ticket, lambda share: report(share or 0.0, "one kernel alone")
    )
    weights = [(title, f"{weight:.3f}") for title, weight in outcome.main.end.weights][: len(recordings)]
    rows: list[dict[str, Any]] = []
    for (title, weight), recording in zip(
        [*weights, ("mixture", "")], [*recordings, outcome.main], strict=True
    ):
        rows.append({"kernel": title, "β": weight, **_numbers(outcome, recording)})
    labels = tuple(recording.labels for recording in (*recordings, outcome.main))
    return Alone(key, labels, pd.DataFrame(rows))


def _numbers(outcome: Outcome, recording: Recording) -> dict[str, Any]:
    y, end = outcome.dataset.y, recording.end
    known = {} if y is None else {"accuracy": f"{majority_accuracy(y, recording.labels):.1%}"}
    return {
        "objective": f"{end.objective:.4g}",
        end.position_title: end.position,
        **known,
        "likeness": f"{adjusted_rand_score(outcome.main.labels, recording.labels):.3f}",
    }
