"""From an experiment to a result: run it in a job, remember it, and keep the last good one on the page."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace

import plotly.graph_objects as go
import streamlit as st

from mmc import registry
from mmc.datasets import Dataset
from mmc.experiment import Experiment
from mmc.recording import Recording, record
from mmc.ui.jobs import Report, submit, watch

#: Memory for results kept for all visitors together, so that a link that many open is computed once.
_MAX_BYTES = 256 * 2**20

#: Seconds to wait for a quick result before a progress bar is shown.
_PATIENCE = 0.8


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished run and what it was made from.

    Attributes
    ----------
    key : str
    experiment : Experiment
    dataset : Dataset
    recordings : mapping from str to Recording
        By name of algorithm; the first is the experiment's own.
    stopped : str
        Why it ended early; empty where it did not.
    """

    key: str
    experiment: Experiment
    dataset: Dataset
    recordings: Mapping[str, Recording]
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of the data and of all states."""
        table = int(self.dataset.frame.memory_usage().sum())
        return table + self.dataset.X.nbytes + sum(r.nbytes for r in self.recordings.values())

    @property
    def main(self) -> Recording:
        """The recording of the experiment itself."""
        return next(iter(self.recordings.values()))


class NotYet(ValueError):
    """Something is still to be given before there can be a run."""


class _Store:
    """The last results, the least recently used going first."""

    def __init__(self) -> None:
        self._results: OrderedDict[str, Outcome] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Outcome | None:
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)

    def put(self, outcome: Outcome) -> None:
        with self._lock:
            self._results[outcome.key] = outcome
            while sum(kept.nbytes for kept in self._results.values()) > _MAX_BYTES:
                self._results.popitem(last=False)


def run(experiment: Experiment, content: bytes | None, beside: str | None) -> Outcome:
    """Give the outcome of an experiment, or show its progress and end the page here.

    Parameters
    ----------
    experiment : Experiment
    content : bytes or None
        Of the table, where the data are one.
    beside : str or None
        A second algorithm to run from the same start.

    Returns
    -------
    Outcome

    Raises
    ------
    ValueError
        If the data or the parameters do not allow it; the message names cause and remedy.
    """
    if experiment.data.source == "table" and content is None:
        raise NotYet("Load a table in the panel on the left: CSV, TSV or Parquet, at most 20 MB.")
    key = f"{experiment.to_json()} {beside}"
    known = _store().get(key)
    if known is not None:
        return known
    limit = registry.get(experiment.algorithm).max_samples
    job = submit(key, lambda report: _work(key, experiment, content, beside, limit, report))
    if not job.wait(_PATIENCE):
        watch(job)
        st.stop()
    if job.error is not None:
        raise job.error
    if job.result is None:
        raise ValueError("Cancelled before there was a result. Change a control to run again.")
    if job.stopped:
        return replace(job.result, stopped=job.stopped)
    _store().put(job.result)
    return job.result


def _work(
    key: str, experiment: Experiment, content: bytes | None, beside: str | None, limit: int, report: Report
) -> Outcome:
    dataset = experiment.data.load(content)
    if len(dataset.X) > limit:
        raise ValueError(
            f"{len(dataset.X)} points are more than the {limit} that this page runs at once. "
            "Take a sample of the rows, or use the command line: python -m mmc cluster."
        )
    share = 0.5 if beside else 1.0
    model = experiment.make()
    main = record(model, dataset.X, go_on=lambda s: report(share * s.progress, s.state.caption))
    recordings = {experiment.algorithm: main}
    if beside:
        other = registry.get(beside)
        common = {name: v for name, v in experiment.parameters.items() if name in _names(other)}
        second = other.make({**common, "init": main.states[0].labels})
        recordings[beside] = record(
            second, dataset.X, go_on=lambda s: report(0.5 + 0.5 * s.progress, s.state.caption)
        )
    return Outcome(key, experiment, dataset, recordings)


def _names(entry: registry.Algorithm) -> set[str]:
    return {parameter.name for parameter in entry.parameters}


def warm_up() -> None:
    """Make ready what the playground needs while the first page is read.

    The browser takes more than a second for Plotly's script; an empty chart out of sight makes it load.
    """
    st.html("<style>.st-key-warm_up {position: absolute; left: -9999px;}</style>")
    st.plotly_chart(go.Figure(), key="warm_up", height=40, alt="empty")
    _compile()


@st.cache_resource(show_spinner=False)
def _compile() -> None:
    """Compile the inner loops once for the server."""
    model = registry.get("UMCRLS").make({"n_init": 1})
    threading.Thread(target=model.fit, args=([[0.0], [1.0], [5.0], [6.0]],), daemon=True).start()


@st.cache_resource(show_spinner=False)
def _store() -> _Store:
    return _Store()
