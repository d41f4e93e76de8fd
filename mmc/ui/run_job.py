"""Runs of experiments as background jobs."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st
from sklearn.base import BaseEstimator

from mmc import registry
from mmc._sklearn import check_parameters
from mmc.datasets import Dataset, Table, TableError
from mmc.experiment import Data, Experiment
from mmc.recording import Recording, record, within_time
from mmc.ui.jobs import TIME_LIMIT, Report
from mmc.ui.result_store import NotYet, obtain
from mmc.ui.visit_state import Loaded


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished run and its experiment.

    Attributes
    ----------
    key : str
        Key of the result.
    experiment : Experiment
        What was run.
    dataset : Dataset
        Data of the experiment.
    recordings : mapping from str to Recording
        Recordings by algorithm; the first is the experiment's own.
    stopped : str
        Why the work ended early; empty if it did not.
    """

    key: str
    experiment: Experiment
    dataset: Dataset
    recordings: Mapping[str, Recording]
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of the data and of all recordings."""
        return self.dataset.nbytes + sum(r.nbytes for r in self.recordings.values())

    @property
    def main(self) -> Recording:
        """The recording of the experiment itself."""
        return next(iter(self.recordings.values()))


def run(experiment: Experiment, loaded: Loaded, beside: str | None) -> Outcome:
    """Return the outcome of an experiment, or draw its progress and end the page here.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    loaded : Table, TableError or None
        Table that the visitor has loaded, if any.
    beside : str or None
        Second algorithm to run from the same start.

    Returns
    -------
    Outcome

    Raises
    ------
    ValueError
        If the data or the parameters do not allow it; the message names cause and remedy.
    """
    table = require_table(experiment.data, loaded)
    key = f"{experiment.to_json()} {beside}"
    return obtain(key, lambda report: _work(key, experiment, table, beside, report))


def load_within(experiment: Experiment, table: Table | None) -> Dataset:
    """Return the data of an experiment; raise a ValueError if they are too many for a page."""
    dataset = experiment.data.load(table)
    limit = registry.get(experiment.algorithm).max_samples
    if len(dataset.X) > limit:
        raise ValueError(
            f"{len(dataset.X)} points are more than the {limit} that {experiment.algorithm} runs with here. "
            "Take fewer points or another algorithm, or use the command line: python -m mmc cluster."
        )
    return dataset


def require_table(data: Data, loaded: Loaded) -> Table | None:
    """Return the table if one is chosen; raise a ValueError if it is missing or cannot be read."""
    if data.source != "table":
        return None
    if loaded is None:
        raise NotYet("Load a table in the panel on the left: CSV, TSV or Parquet, at most 20 MB.")
    if isinstance(loaded, TableError):
        raise loaded
    return loaded


def _work(
    key: str, experiment: Experiment, table: Table | None, beside: str | None, report: Report
) -> Outcome:
    dataset = load_within(experiment, table)
    share = 0.5 if beside else 1.0
    second = _companion(experiment, beside) if beside else None
    model = within_time(experiment.make(), TIME_LIMIT)
    main = record(model, dataset.X, go_on=lambda s: report(share * s.progress, s.state.caption))
    recordings = {experiment.algorithm: main}
    if beside and second is not None:
        if _takes_labels(beside) and _takes_labels(experiment.algorithm):
            second.set_params(init=main.states[0].labels)
        recordings[beside] = record(
            second, dataset.X, go_on=lambda s: report(0.5 + 0.5 * s.progress, s.state.caption)
        )
    failure = next((recording.failure for recording in recordings.values() if recording.failure), "")
    return Outcome(
        key, experiment, dataset, recordings, f"ended by the solver ({failure})" if failure else ""
    )


def _companion(experiment: Experiment, name: str) -> BaseEstimator:
    """Return the second algorithm with the shared parameters, checked before the first one runs."""
    shared = {}
    first = registry.get(experiment.algorithm)
    known = {first.parameter(n).key: value for n, value in experiment.parameters.items()}
    for parameter in registry.get(name).parameters:
        value = known.get(parameter.key)
        offered = parameter.kind != "choice" or parameter.free or value in parameter.choices
        if value is not None and offered:
            shared[parameter.name] = value
    model = within_time(registry.get(name).make(shared), TIME_LIMIT)
    check_parameters(model)
    return model


def _takes_labels(name: str) -> bool:
    """Return whether an algorithm accepts labels to start from."""
    return any(parameter.name == "init" for parameter in registry.get(name).parameters)


def warm_up() -> None:
    """Prepare the playground while the visitor reads the first page.

    An empty chart out of sight makes the browser load Plotly's script, which takes more than a second.
    """
    st.html("<style>.st-key-warm_up {position: absolute; left: -9999px;}</style>")
    st.plotly_chart(go.Figure(), key="warm_up", height=40, alt="empty")
    _compile()


@st.cache_resource(show_spinner=False)
def _compile() -> None:
    """Compile the inner loops, once for the server."""

    def fit() -> None:
        for name in ("UMCRLS", "EvoMMC"):
            registry.get(name).make({"n_init": 1}).fit([[0.0], [1.0], [5.0], [6.0]])

    threading.Thread(target=fit, daemon=True).start()
