"""The work of the pages that worker processes do: reading files, loading data, fits, figures and exports.

Each function takes what its tasks share, the task, and a function that reports progress and returns whether
to continue (`mmc.engine`). A table travels as the bytes in which it was packed, so that the server never
holds a table itself; data sets go back to the server without their table.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from mmc.datasets import Dataset, Table, labels_frame, numeric_columns, open_table, to_csv_text
from mmc.engine import Report
from mmc.engine.worker import memory_limit
from mmc.experiment import Data
from mmc.figures import Scene, View, animation, animation_html, make_scene, make_view
from mmc.figures.packed import PackedFigure, pack
from mmc.imbalance import Draw, imbalance_draws
from mmc.recording import Recording, record
from mmc.stepping import Step

#: Memory in bytes for reading a file; the reader refuses what needs more, as far as it can tell before.
_READ_MEMORY = 300 * 2**20

#: Seconds between two reports of a fit.
_REPORT = 0.1

#: Maximum size in bytes of an estimator that is sent with the first report of its fit.
_MAX_ESTIMATOR = 32 * 2**20


@dataclass(frozen=True, eq=False)
class Upload:
    """A table that was read from a file of a visitor.

    Attributes
    ----------
    name : str
        Name of the file.
    sha256 : str
        SHA-256 of its content.
    columns, numeric : tuple of str
        Names of all columns, and of those that can be clustered.
    packed : bytes
        The table, for workers.
    """

    name: str
    sha256: str
    columns: tuple[str, ...]
    numeric: tuple[str, ...]
    packed: bytes

    @property
    def nbytes(self) -> int:
        """Memory of the table."""
        return len(self.packed)


class Loaded(NamedTuple):
    """Data and their view.

    Attributes
    ----------
    dataset : Dataset
        Points and labels, without the table.
    view : View
        Default plane.
    """

    dataset: Dataset
    view: View


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
    """

    columns: tuple[int, int] | None
    scenes: Mapping[str, Scene]
    figures: tuple[PackedFigure, ...]

    @property
    def nbytes(self) -> int:
        """Memory of the figures; scenes take about as much."""
        return 2 * sum(figure.nbytes for figure in self.figures)


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
    max_samples : int
        Maximum number of points.
    same_start : bool
        Whether the second estimator takes the start of the first as `init`.
    """

    data: Data
    models: Mapping[str, BaseEstimator]
    objectives: Mapping[str, str]
    max_samples: int
    same_start: bool = False


class Ran(NamedTuple):
    """What a run gives.

    Attributes
    ----------
    dataset : Dataset
        Points and labels, without the table.
    recordings : mapping from str to Recording
        Recordings by algorithm.
    drawing : Drawing or None
        Their pictures; None if the run was stopped, so that it ends at once.
    """

    dataset: Dataset
    recordings: Mapping[str, Recording]
    drawing: Drawing | None


class Begun(NamedTuple):
    """First report of a run: its data."""

    dataset: Dataset


class Steps(NamedTuple):
    """A report of a fit.

    Attributes
    ----------
    name : str
        Name of the algorithm.
    progress : float
        Share of the run that is done.
    steps : list of Step
        Steps since the last report.
    estimator : estimator or None
        With the first report the estimator, which can then draw borders of all states.
    """

    name: str
    progress: float
    steps: list[Step]
    estimator: BaseEstimator | None


def read(content: bytes, name: str, report: Report) -> Upload:
    """Read the content of a file, within the memory that a file of the maximum size needs."""
    with memory_limit(_READ_MEMORY):
        table = open_table(content, name=name)
    columns = tuple(str(column) for column in table.frame.columns)
    numeric = tuple(numeric_columns(table.frame))
    return Upload(table.name, table.sha256, columns, numeric, pickle.dumps(table, protocol=5))


def load(packed: bytes | None, task: tuple[Sequence[Data], str, int], report: Report) -> list[Loaded]:
    """Load data sets of at most so many points, which an algorithm can take, and choose their planes."""
    data, algorithm, max_samples = task
    datasets = [_within(_load(packed, each), algorithm, max_samples) for each in data]
    return [Loaded(_light(each), make_view(each.X, each.feature_names)) for each in datasets]


def run(packed: bytes | None, task: Run, report: Report) -> Ran:
    """Load the data, fit the estimators one after another, and draw them if they were not stopped."""
    dataset = _within(_load(packed, task.data), next(iter(task.models)), task.max_samples)
    light = _light(dataset)
    report(Begun(light))
    recordings: dict[str, Recording] = {}
    for name, model in task.models.items():
        if recordings and task.same_start:
            first = next(iter(recordings.values()))
            model.set_params(init=first.states[0].labels)
        stream = _Stream(name, model, len(recordings), len(task.models), report)
        recordings[name] = record(model, dataset.X, go_on=stream)
        if not (recordings[name].complete or recordings[name].failure):
            return Ran(light, recordings, None)
    return Ran(light, recordings, draw_run(dataset, (recordings, task.objectives, None), report))


class _Stream:
    """Sends the steps of a fit as they are made, several at a time."""

    def __init__(self, name: str, model: BaseEstimator, done: int, total: int, report: Report) -> None:
        self._name, self._model = name, model
        self._done, self._total = done, total
        self._report = report
        self._steps: list[Step] = []
        self._sent = perf_counter()
        self._first = True

    def __call__(self, step: Step) -> bool:
        self._steps.append(step)
        if perf_counter() - self._sent < _REPORT:
            return True
        small = self._first and len(pickle.dumps(self._model, protocol=5)) <= _MAX_ESTIMATOR
        progress = (self._done + step.progress) / self._total
        go_on = self._report(Steps(self._name, progress, self._steps, self._model if small else None))
        self._steps, self._sent, self._first = [], perf_counter(), False
        return go_on


def draw_run(
    dataset: Dataset,
    task: tuple[Mapping[str, Recording], Mapping[str, str], tuple[int, int] | None],
    report: Report,
) -> Drawing:
    """Draw recordings in a plane."""
    recordings, objectives, columns = task
    view = make_view(dataset.X, dataset.feature_names, columns)
    scenes = {name: make_scene(recording, view) for name, recording in recordings.items()}
    figures = tuple(pack(animation(scene, objectives[name])) for name, scene in scenes.items())
    return Drawing(columns, scenes, figures)


def draw(arguments: Sequence[Any], make: Callable[..., Any], report: Report) -> PackedFigure:
    """Make one figure."""
    return pack(make(*arguments))


def write_html(arguments: Sequence[Any], task: None, report: Report) -> str:
    """Write animations as one HTML page."""
    return animation_html(*arguments)


def write_labels(
    packed: bytes | None, task: tuple[Data, NDArray[np.int64], NDArray[np.float64] | None], report: Report
) -> str:
    """Write the table of the data with its labels as CSV."""
    data, labels, confidence = task
    return to_csv_text(labels_frame(_load(packed, data), labels, confidence))


def rows_of(packed: bytes | None, task: tuple[Data, NDArray[np.int64]], report: Report) -> pd.DataFrame:
    """Return the rows of the table that belong to some points."""
    data, points = task
    dataset = _load(packed, data)
    return dataset.frame.iloc[dataset.rows[points]].copy()


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


def fits(X: NDArray[np.float64], models: Sequence[BaseEstimator], report: Report) -> list[Recording]:
    """Fit estimators one after another; the last may be incomplete."""
    recordings: list[Recording] = []
    for model in models:

        def go_on(step: Step) -> bool:
            return report((len(recordings) + step.progress) / len(models))

        recordings.append(record(model, X, go_on=go_on))
        if not recordings[-1].complete:
            break
    return recordings


def imbalance(arguments: Mapping[str, Any], task: None, report: Report) -> list[Draw]:
    """Draw data of unequal shares, see `mmc.imbalance.imbalance_draws`."""
    draws: list[Draw] = []
    for one in imbalance_draws(**arguments):
        draws.append(one)
        if not report(len(draws) / 20):
            break
    return draws


def _load(packed: bytes | None, data: Data) -> Dataset:
    table: Table | None = None if packed is None else pickle.loads(packed)
    return data.load(table)


def _light(dataset: Dataset) -> Dataset:
    return replace(dataset, frame=pd.DataFrame())


def _within(dataset: Dataset, algorithm: str, max_samples: int) -> Dataset:
    if len(dataset.X) > max_samples:
        raise ValueError(
            f"{len(dataset.X)} points are more than the {max_samples} that {algorithm} runs with here. "
            "Take fewer points or another algorithm, or use the command line: python -m mmc cluster."
        )
    return dataset
