"""Runs of experiments as background jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from sklearn.base import BaseEstimator

from mmc import registry, work
from mmc._sklearn import check_parameters
from mmc.datasets import CATALOG, Facts, TableError
from mmc.engine import Ticket
from mmc.errors import LimitError
from mmc.experiment import Data, Experiment
from mmc.recording import Recorder, Recording, within_time
from mmc.registry import CoursePanel, WeightPanel
from mmc.ui.jobs import runner
from mmc.ui.result_store import NotYet, call, obtain
from mmc.ui.runner import TIME_LIMIT, Report
from mmc.ui.visit_state import Loaded, Visit, state_of
from mmc.ui.wanted_file import wanted_file
from mmc.what_if import Question, asked
from mmc.work import AS_IT_IS, Begun, Change, Changed, Drawing, Steps, Upload


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished run and its experiment.

    Attributes
    ----------
    key : str
        Key of the result.
    experiment : Experiment
        What was run.
    dataset : Facts
        What is said of the data; workers have the points.
    recordings : mapping from str to Recording
        Recordings by algorithm; the first is the experiment's own.
    drawing : Drawing or None
        Pictures in the default plane; None if the run was stopped before they were made.
    changed : Changed or None
        The run on changed data beside it, if a question was asked.
    upload : Upload or None
        Table of the visitor that the data come from.
    stopped : str
        Why the work ended early; empty if it did not.
    """

    key: str
    experiment: Experiment
    dataset: Facts
    recordings: Mapping[str, Recording]
    drawing: Drawing | None = None
    upload: Upload | None = None
    stopped: str = ""
    changed: Changed | None = None

    @property
    def nbytes(self) -> int:
        """Memory of the reference labels, of all recordings and of their pictures."""
        pictures = 0 if self.drawing is None else self.drawing.nbytes
        other = 0 if self.changed is None else self.changed.nbytes
        return self.dataset.nbytes + sum(r.nbytes for r in self.recordings.values()) + pictures + other

    @property
    def main(self) -> Recording:
        """The recording of the experiment itself."""
        return next(iter(self.recordings.values()))

    @property
    def packed(self) -> bytes | None:
        """The table for workers, if there is one."""
        return None if self.upload is None else self.upload.packed

    @property
    def title(self) -> str:
        """What ran on what, in the words of people."""
        names = " and ".join(registry.get(name).title or name for name in self.recordings)
        source = self.experiment.data.source
        title = f"{names} on {CATALOG[source].title if source in CATALOG else self.dataset.name}"
        if self.changed is None:
            return title
        return f"{title}, {AS_IT_IS.lower()} and with {self.changed.title[0].lower()}{self.changed.title[1:]}"

    @property
    def players(self) -> dict[str, tuple[str, Recording]]:
        """Algorithm and recording of each picture of the stage, by its title."""
        if self.changed is None:
            return {name: (name, recording) for name, recording in self.recordings.items()}
        name = self.experiment.algorithm
        return {AS_IT_IS: (name, self.main), self.changed.title: (name, self.changed.recording)}

    @property
    def objectives(self) -> dict[str, str]:
        """Title of the objective of each picture."""
        return {title: registry.get(name).objective for title, (name, _) in self.players.items()}


def run(
    experiment: Experiment, loaded: Loaded, beside: str | None, question: Question | None = None
) -> Outcome:
    """Return the outcome of an experiment, or draw its progress and end the page here.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    loaded : Upload, TableError or None
        Table that the visitor has loaded, if any.
    beside : str or None
        Second algorithm to run from the same start.
    question : Question or None
        What is to be different in the data beside these; there is no second algorithm then.

    Returns
    -------
    Outcome

    Raises
    ------
    ValueError
        If the data or the parameters do not allow it; the message names cause and remedy.
    """
    upload = require_table(experiment.data, loaded)
    key = f"{experiment.to_json()} {beside}" + (f" {question}" if question else "")
    return obtain(
        key,
        lambda report, ticket: _work(key, experiment, upload, beside, report, ticket, question),
        own=upload is not None,
    )


def _work(
    key: str,
    experiment: Experiment,
    upload: Upload | None,
    beside: str | None,
    report: Report,
    ticket: Ticket,
    question: Question | None = None,
) -> Outcome:
    models = {experiment.algorithm: within_time(experiment.make(), TIME_LIMIT)}
    change = None
    if question:
        change = Change(asked(experiment.data, question), question.title, question.keeps_rows)
    elif beside:
        models[beside] = _companion(experiment, beside)
    task = work.Run(
        experiment.data,
        models,
        {name: registry.get(name).objective for name in models},
        tuple(registry.bound(name, _given(name, model)) for name, model in models.items()),
        same_start=all(_takes_labels(name) for name in models),
        quantities={name: _quantities(name) for name in models},
        change=change,
    )
    gives = _Collected(report)
    try:
        ran = call(work.run, upload and upload.packed, task, ticket, gives.add)
        facts, recordings, drawing, changed = ran
    except LimitError:
        # The worker was ended in the middle of a step; what it has sent before is left.
        recordings = {name: each for name, each in gives.recordings().items() if name in models}
        drawing = changed = None
        if gives.facts is None or not recordings:
            raise
        facts = gives.facts
    ended = [*recordings.values(), *([changed.recording] if changed else [])]
    failure = next((recording.failure for recording in ended if recording.failure), "")
    stopped = f"ended by the solver ({failure})" if failure else ""
    return Outcome(key, experiment, facts, recordings, drawing, upload, stopped, changed)


class _Collected:
    """The steps of a run as they arrive."""

    def __init__(self, report: Report) -> None:
        self.facts: Facts | None = None
        self._report = report
        self._recorders: dict[str, Recorder] = {}
        self._estimators: dict[str, BaseEstimator] = {}
        self._began = monotonic()

    def add(self, part: Begun | Steps | None) -> None:
        """Take in what a worker has sent; None means that the run begins again."""
        if part is None:
            self._recorders, self._estimators = {}, {}
        elif isinstance(part, Begun):
            self.facts = part.facts
        else:
            recorder = self._recorders.setdefault(part.name, Recorder())
            for step in part.steps:
                recorder.add(step)
            if part.estimator is not None:
                self._estimators[part.name] = part.estimator
            self._report(part.progress, part.caption)

    def recordings(self) -> dict[str, Recording]:
        """Return what has been recorded so far of the algorithms whose estimator is known."""
        seconds = monotonic() - self._began
        return {
            name: self._recorders[name].recording(estimator, seconds, complete=False)
            for name, estimator in self._estimators.items()
        }


def load(
    data: Sequence[Data], upload: Upload | None, experiments: Sequence[Experiment], ticket: Ticket
) -> list[work.Loaded]:
    """Load data sets and their views in a worker.

    Raises
    ------
    ValueError
        If there are more points than any of the experiments takes, or the data cannot be loaded.
    """
    bounds = [registry.bound(each.algorithm, each.parameters) for each in experiments]
    task = (data, max(bounds, key=lambda bound: bound.n_samples))
    return call(work.load, upload and upload.packed, task, ticket)


def require_table(data: Data, loaded: Loaded) -> Upload | None:
    """Return the table if one is chosen; raise a ValueError if it is missing or cannot be read."""
    if data.source != "table":
        return None
    if loaded is None:
        if wanted := wanted_file():
            raise NotYet(wanted.text, wanted.recipe)
        raise NotYet(
            "Load a table in the panel on the left: CSV, TSV, Parquet or Excel, at most 20 MB and "
            f"{registry.MOST_SAMPLES:,} rows."
        )
    if isinstance(loaded, TableError):
        raise loaded
    return loaded


def _companion(experiment: Experiment, name: str) -> BaseEstimator:
    """Return the second algorithm with the shared parameters, checked before the first one runs."""
    shared = {}
    first = registry.get(experiment.algorithm)
    known = {first.parameter(n).key: value for n, value in experiment.parameters.items()}
    for parameter in registry.get(name).parameters:
        value = known.get(parameter.key)
        offered = parameter.kind != "choice" or parameter.free or value in parameter.choices
        if parameter.kind == "bool":
            offered = isinstance(value, bool) or value in parameter.choices
        if value is not None and offered:
            shared[parameter.name] = value
    model = within_time(registry.get(name).make(shared), TIME_LIMIT)
    check_parameters(model)
    return model


def _given(name: str, model: BaseEstimator) -> dict[str, Any]:
    """Return the parameters of an estimator that its entry knows by name."""
    return {
        n: v for n, v in model.get_params().items() if any(p.name == n for p in registry.get(name).parameters)
    }


def _quantities(name: str) -> tuple[str, ...]:
    """Return the attributes of states that the panels of an algorithm show at no cost."""
    shown = []
    for panel in registry.get(name).panels:
        if isinstance(panel, CoursePanel):
            shown += [panel.x, *panel.quantities]
        elif isinstance(panel, WeightPanel):
            shown.append(panel.quantity)
    return tuple(q.name for q in shown if not q.costly and q.name != "error")


def _takes_labels(name: str) -> bool:
    """Return whether an algorithm accepts labels to start from."""
    return any(parameter.name == "init" for parameter in registry.get(name).parameters)


def warm_up() -> None:
    """Prepare the playground while the visitor reads the first page.

    Worker processes are started. An empty chart out of sight makes the browser load Plotly's script, which
    takes more than a second.
    """
    runner()
    state_of(Visit).has_plotly = True
    st.html("<style>.st-key-warm_up {position: absolute; left: -9999px; visibility: hidden;}</style>")
    st.plotly_chart(go.Figure(), key="warm_up", height=40, alt="empty")
