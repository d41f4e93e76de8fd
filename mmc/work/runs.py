"""Fits, which report their steps as they are made, what is computed from them, and their pictures."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from mmc import clusterers
from mmc.datasets import Dataset, Facts
from mmc.engine import Report
from mmc.experiment import Data
from mmc.figures import (
    Scene,
    animation,
    curve_ranges,
    make_pair,
    make_scene,
    make_view,
    with_ring,
)
from mmc.figures.packed import PackedFigure, pack
from mmc.figures.shapes import to_svg
from mmc.figures.still import chart_picture
from mmc.imbalance import Draw, imbalance_draws
from mmc.metrics import clustering_error
from mmc.recording import MAX_BYTES, Recording, record
from mmc.registry import Bound
from mmc.stepping import Step
from mmc.work.tables import dataset_of

#: Title of the picture of data beside that of changed data.
AS_IT_IS = "As it is"

#: Width and height of the first picture, which is fitted to its place.
FIRST_SIZE = (660, 540)

#: Seconds between two reports of a fit.
_REPORT = 0.1

#: Maximum size in bytes of an estimator that is sent with the first report of its fit, and of a state.
_MAX_ESTIMATOR, _MAX_STATE = 32 * 2**20, 4 * 2**20

#: Memory in bytes of the states of a fit until they are drawn.
_MAX_STATES = 600 * 2**20

#: Number of points from which a report has only the last of the steps on the way.
_MANY = 20_000


@dataclass(frozen=True, eq=False)
class Drawing:
    """The pictures of a run.

    Attributes
    ----------
    columns : pair of int or None
        Two columns that are shown; None means the default plane.
    scenes : mapping from str to Scene
        Scene of each algorithm.
    figures : tuple of PackedFigure
        Animation of each scene.
    first : tuple of str
        Last frame of each as SVG, which a browser shows before it has loaded Plotly.
    """

    columns: tuple[int, int] | None
    scenes: Mapping[str, Scene]
    figures: tuple[PackedFigure, ...]
    first: tuple[str, ...] = ()

    @property
    def nbytes(self) -> int:
        """Memory of the figures; scenes take about as much."""
        return 2 * sum(figure.nbytes for figure in self.figures) + sum(map(len, self.first))


class Change(NamedTuple):
    """Changed data beside the data of a run.

    Attributes
    ----------
    data : Data
        The changed data.
    title : str
        What was changed.
    keeps_rows : bool
        Whether each of their points is one of the data of the run, which is told by its row.
    """

    data: Data
    title: str
    keeps_rows: bool


@dataclass(frozen=True, eq=False)
class Changed:
    """A run on changed data.

    Attributes
    ----------
    data : Data
        The changed data.
    title : str
        What was changed.
    facts : Facts
        What pages say of the data.
    recording : Recording
        Recording of the same algorithm.
    rows : ndarray of shape (n,) or None
        Point of the first run that each point was before it was changed; None if they have no counterparts.
    """

    data: Data
    title: str
    facts: Facts
    recording: Recording
    rows: NDArray[np.int64] | None

    @property
    def nbytes(self) -> int:
        """Memory of the recording."""
        return self.recording.nbytes


class Run(NamedTuple):
    """A run to do.

    Attributes
    ----------
    data : Data
        Data to cluster.
    models : mapping from str to estimator
        One or two estimators by the name of their algorithm; the second starts where the first did.
    objectives : mapping from str to str
        Title of the objective of each.
    bounds : tuple of Bound
        Maximum number of points of each.
    same_start : bool
        Whether the second estimator takes the start of the first as `init`.
    quantities : mapping from str to tuple of str
        Attributes of the states that panels of each algorithm show.
    change : Change or None
        Changed data on which the first estimator runs too.
    """

    data: Data
    models: Mapping[str, BaseEstimator]
    objectives: Mapping[str, str]
    bounds: tuple[Bound, ...]
    same_start: bool = False
    quantities: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    change: Change | None = None


class Ran(NamedTuple):
    """What a run gives.

    Attributes
    ----------
    facts : Facts
        What pages say of the data.
    recordings : mapping from str to Recording
        Recordings by algorithm.
    drawing : Drawing or None
        Their pictures; None if the run was stopped, so that it ends at once.
    changed : Changed or None
        The run on changed data, if there is one.
    """

    facts: Facts
    recordings: Mapping[str, Recording]
    drawing: Drawing | None
    changed: Changed | None = None


class Begun(NamedTuple):
    """First report of a run: the facts of its data."""

    facts: Facts


class Steps(NamedTuple):
    """A report of a fit.

    Attributes
    ----------
    name : str
        Name of the algorithm.
    progress : float
        Share of the run that is done.
    caption : str
        Description of the last step.
    steps : list of Step
        Steps since the last report: of many points only the last and those that begin or end a start, and
        none if the estimator or a state is too large to be sent.
    estimator : estimator or None
        With the first report the estimator, which can then draw borders of all states.
    """

    name: str
    progress: float
    caption: str
    steps: list[Step]
    estimator: BaseEstimator | None


def run(packed: bytes | None, task: Run, report: Report) -> Ran:
    """Load the data, fit the estimators one after another, and draw them if they were not stopped."""
    dataset = dataset_of(packed, task.data)
    for bound in task.bounds:
        bound.check(len(dataset.X))
    facts = dataset.facts
    report(Begun(facts))
    recordings: dict[str, Recording] = {}
    total = len(task.models) + (task.change is not None)
    fresh = clone(next(iter(task.models.values())))  # before it is fitted
    for name, model in task.models.items():
        if recordings and task.same_start:
            first = next(iter(recordings.values()))
            model.set_params(init=first.states[0].labels)
        stream = _Stream(name, model, len(recordings), total, report)
        recordings[name] = record(model, dataset.X, go_on=stream, max_bytes=_MAX_STATES, hints=dataset.hints)
        if not (recordings[name].complete or recordings[name].failure):
            stopped = {each: recording.within(MAX_BYTES) for each, recording in recordings.items()}
            return Ran(facts, stopped, None)
    changed, other = None, None
    if task.change is not None:
        other = dataset_of(packed, task.change.data)
        changed = _changed(dataset, other, task, recordings, fresh, report)
        if not (changed.recording.complete or changed.recording.failure):
            return Ran(facts, {name: each.within(MAX_BYTES) for name, each in recordings.items()}, None)
    drawing = _drawing(dataset, recordings, task.objectives, None, changed, other)
    light = {name: each.light(task.quantities.get(name, ())) for name, each in recordings.items()}
    if changed is not None:
        changed = replace(changed, recording=changed.recording.light())
    return Ran(facts, light, drawing, changed)


def draw_run(
    packed: bytes | None,
    task: tuple[Data, Mapping[str, Recording], Mapping[str, str], tuple[int, int] | None],
    report: Report,
) -> Drawing:
    """Draw recordings of some data in a plane."""
    data, recordings, objectives, columns = task
    return _drawing(dataset_of(packed, data), recordings, objectives, columns)


def draw_pair(
    packed: bytes | None,
    task: tuple[Data, Mapping[str, Recording], Mapping[str, str], tuple[int, int] | None, Changed],
    report: Report,
) -> Drawing:
    """Draw a recording of some data and one of changed data in a plane."""
    data, recordings, objectives, columns, changed = task
    other = dataset_of(packed, changed.data)
    return _drawing(dataset_of(packed, data), recordings, objectives, columns, changed, other)


def steer(
    packed: bytes | None, task: tuple[Data, BaseEstimator], report: Report
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Fit an estimator to data with hints, and return labels and, if there is one, their confidence."""
    data, model = task
    dataset = dataset_of(packed, data)
    end = clusterers.end(model, dataset.X, lambda step: report(step.progress), dataset.hints)
    return end.labels, end.confidence()


def fits(packed: bytes | None, task: tuple[Data, Sequence[BaseEstimator]], report: Report) -> list[Recording]:
    """Fit estimators to some data one after another; the last may be incomplete."""
    data, models = task
    X = dataset_of(packed, data).X
    recordings: list[Recording] = []
    for model in models:

        def go_on(step: Step) -> bool:
            return report((len(recordings) + step.progress) / len(models))

        recordings.append(record(model, X, go_on=go_on))
        if not recordings[-1].complete:
            break
    return recordings


def quantities(
    states: Sequence[Sequence[Any]], names: Sequence[str], report: Report
) -> dict[str, list[list[float]]]:
    """Compute quantities of all states; those that there is no time for are NaN."""
    total, done, go_on = len(names) * sum(map(len, states)), 0, True
    values: dict[str, list[list[float]]] = {}
    for name in names:
        rows = values[name] = [[np.nan] * len(row) for row in states]
        for i, row in enumerate(states):
            for j, state in enumerate(row):
                if go_on:
                    rows[i][j] = getattr(state, name)
                    done += 1
                    go_on = report(done / total)
    return values


def errors(
    arguments: tuple[NDArray[np.int64], Sequence[NDArray[np.int64]]], task: None, report: Report
) -> list[float]:
    """Return the clustering error of labellings; of those that there is no time for it is NaN."""
    y, labellings = arguments
    values = [np.nan] * len(labellings)
    for i, labels in enumerate(labellings):
        values[i] = clustering_error(y, labels)
        if not report((i + 1) / len(labellings)):
            break
    return values


def imbalance(arguments: Mapping[str, Any], task: None, report: Report) -> list[Draw]:
    """Draw data of unequal shares, see `mmc.imbalance.imbalance_draws`."""
    draws: list[Draw] = []
    for one in imbalance_draws(**arguments):
        draws.append(one)
        if not report(len(draws) / 20):
            break
    return draws


def _changed(
    dataset: Dataset,
    other: Dataset,
    task: Run,
    recordings: Mapping[str, Recording],
    model: BaseEstimator,
    report: Report,
) -> Changed:
    """Fit the first estimator to changed data, from the same start if the points have counterparts."""
    assert task.change is not None
    for bound in task.bounds:
        bound.check(len(other.X))
    rows = np.searchsorted(dataset.rows, other.rows) if task.change.keeps_rows else None
    first = next(iter(recordings.values()))
    if task.same_start and rows is not None:
        start = first.states[0].labels
        if len(np.unique(start[rows])) == len(np.unique(start)):  # no cluster has left
            model.set_params(init=start[rows])
    stream = _Stream(task.change.title, model, len(recordings), len(recordings) + 1, report)
    recording = record(model, other.X, go_on=stream, max_bytes=_MAX_STATES, hints=other.hints)
    return Changed(task.change.data, task.change.title, other.facts, recording, rows)


class _Stream:
    """Sends the steps of a fit as they are made, several at a time."""

    def __init__(self, name: str, model: BaseEstimator, done: int, total: int, report: Report) -> None:
        self._name, self._model = name, model
        self._done, self._total = done, total
        self._report = report
        self._steps: list[Step] = []
        self._sent = perf_counter()
        self._small: bool | None = None

    def __call__(self, step: Step) -> bool:
        self._add(step)
        if perf_counter() - self._sent < _REPORT:
            return True
        first = self._small is None
        if first:
            sizes = [len(pickle.dumps(each, protocol=5)) for each in (self._model, step.state)]
            self._small = sizes[0] <= _MAX_ESTIMATOR and sizes[1] <= _MAX_STATE
        progress = (self._done + step.progress) / self._total
        steps = self._steps if self._small else []
        model = self._model if first and self._small else None
        go_on = self._report(Steps(self._name, progress, step.state.caption, steps, model))
        self._steps, self._sent = [], perf_counter()
        return go_on

    def _add(self, step: Step) -> None:
        """Keep a step until the next report; of many points one on the way takes the place of another."""
        is_many = len(step.state.labels) >= _MANY
        if is_many and step.n_iter and self._steps and self._steps[-1].n_iter:
            self._steps.pop()
        self._steps.append(step)


def _drawing(
    dataset: Dataset,
    recordings: Mapping[str, Recording],
    objectives: Mapping[str, str],
    columns: tuple[int, int] | None,
    changed: Changed | None = None,
    other: Dataset | None = None,
) -> Drawing:
    view = make_view(dataset.X, dataset.feature_names, columns)
    if changed is None or other is None:
        scenes = {name: make_scene(recording, view) for name, recording in recordings.items()}
    else:
        (name, recording), *_ = recordings.items()
        pair = make_pair(view, other.X)
        scenes = {
            AS_IT_IS: make_scene(recording, pair[0]),
            changed.title: make_scene(changed.recording, pair[1]),
        }
        if "move" in changed.data.change:
            scenes = {title: with_ring(scene, changed.data.change["move"]) for title, scene in scenes.items()}
        objectives = dict.fromkeys(scenes, objectives[name])
    ranges = curve_ranges((scene, objectives[name]) for name, scene in scenes.items())
    figures = tuple(pack(animation(scene, objectives[name], ranges)) for name, scene in scenes.items())
    first = tuple(
        to_svg(chart_picture(scene, objectives[name], ranges, *FIRST_SIZE)) for name, scene in scenes.items()
    )
    return Drawing(columns, scenes, figures, first)
