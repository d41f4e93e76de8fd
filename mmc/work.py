"""The work of the pages that worker processes do: reading files, loading data, fits, figures and exports.

Each function takes what its tasks share, the task, and a function that reports progress and returns whether
to continue (`mmc.engine`). A table travels as the bytes in which it was packed, so that the server never
holds a table itself, and of a run it gets the facts of the data, not the points.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from mmc import clusterers
from mmc._optional import pandas as pd
from mmc.auto import Plan, make_plan
from mmc.datasets import Dataset, Facts, Look, Table, drawn_from, labels_frame, open_table, to_csv_text
from mmc.engine import Report
from mmc.engine.worker import memory_limit
from mmc.experiment import Data
from mmc.figures import (
    Scene,
    View,
    animation,
    animation_html,
    curve_ranges,
    effect_bars,
    make_pair,
    make_scene,
    make_view,
    parallel_coordinates,
    silhouette_plot,
    with_ring,
)
from mmc.figures.movie import film_gif, film_mp4
from mmc.figures.packed import PackedFigure, pack
from mmc.figures.shapes import to_svg
from mmc.figures.still import Words, chart_picture, points_picture, still_png, still_svg
from mmc.imbalance import Draw, imbalance_draws
from mmc.lessons import Step as LessonStep
from mmc.lessons import Values, run_step
from mmc.metrics import clustering_error
from mmc.model_file import load_model, model_bytes
from mmc.outliers import find_outliers
from mmc.profiling import Profile, profile_dataset
from mmc.recording import MAX_BYTES, Recording, record
from mmc.registry import Bound
from mmc.stepping import Step

#: Title of the picture of data beside that of changed data.
AS_IT_IS = "As it is"

#: Memory in bytes for reading a file; the reader refuses what needs more, as far as it can tell before.
_READ_MEMORY = 300 * 2**20

#: Seconds between two reports of a fit.
_REPORT = 0.1

#: Maximum size in bytes of an estimator that is sent with the first report of its fit, and of a state.
_MAX_ESTIMATOR, _MAX_STATE = 32 * 2**20, 4 * 2**20

#: Memory in bytes of the states of a fit until they are drawn.
_MAX_STATES = 600 * 2**20

#: Number of points from which a report has only the last of the steps on the way.
_MANY = 20_000

#: Number of clusters whose columns are drawn.
_MOST_DESCRIBED = 40

#: Width and height of the first picture, which is fitted to its place.
_FIRST_SIZE = (660, 540)

#: Maximum number of values, points times columns, of the data of a search or a comparison.
MAX_VALUES = 8_000_000


def table_key(sha256: str, sheet: str | None) -> str:
    """Return what tells a table apart from others: the begin of a SHA-256, and the sheet of several."""
    return sha256[:8] + (f" {sheet}" if sheet else "")


@dataclass(frozen=True, eq=False)
class Upload:
    """A table that was read from a file of a visitor.

    Attributes
    ----------
    name : str
        Name of the file.
    sha256 : str
        SHA-256 of its content.
    looks : tuple of Look
        What the columns are.
    n_rows : int
        Number of rows.
    packed : bytes
        The table, for workers.
    sheets : tuple of str
        Names of the sheets of a workbook; empty for other formats.
    sheet : str
        The sheet that was read; empty for other formats.
    content : bytes
        The file, if it has several sheets, so that another one can be read.
    notes : tuple of str
        What was decided or left out while it was read.
    """

    name: str
    sha256: str
    looks: tuple[Look, ...]
    n_rows: int
    packed: bytes
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    content: bytes = b""
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(each.name for each in self.looks)

    @property
    def key(self) -> str:
        """What tells it apart from other files, and from other sheets of the same."""
        return table_key(self.sha256, self.sheet if len(self.sheets) > 1 else None)

    @property
    def nbytes(self) -> int:
        """Memory of the table and the file."""
        return len(self.packed) + len(self.content)


@dataclass(frozen=True, eq=False)
class Labelled:
    """A table that a saved model has labelled.

    Attributes
    ----------
    name : str
        Name of the file.
    csv : bytes
        The table with the columns ``cluster`` and ``far``.
    sizes : tuple of int
        Number of rows in each cluster.
    notes : tuple of str
        What was left out or changed.
    warning : str
        How many rows are far from what the model was fitted to; empty if none is.
    """

    name: str
    csv: bytes
    sizes: tuple[int, ...]
    notes: tuple[str, ...]
    warning: str

    @property
    def nbytes(self) -> int:
        """Memory of the table."""
        return len(self.csv)


class Loaded(NamedTuple):
    """Data and their view.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    facts : Facts
        What pages say of the data.
    view : View
        Default plane.
    """

    X: NDArray[np.float64]
    facts: Facts
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


@dataclass(frozen=True, eq=False)
class Taught:
    """What a page shows of the runs of a lesson's step.

    Attributes
    ----------
    values : mapping from str to mapping from str to float
        Quantities of each run by its name.
    frame : int or None
        Number of the frame that is shown first; None means the end of each run.
    scenes : mapping from str to Scene
        Scene of each shown run by its title.
    figures : tuple of PackedFigure
        Animation of each.
    first : tuple of str
        Last frame of each as SVG, if that is shown first; otherwise empty texts.
    before : str
        The points before anything has been clustered, as SVG.
    still : str
        The shown frame of all scenes as SVG, for paper.
    """

    values: Values
    frame: int | None
    scenes: Mapping[str, Scene]
    figures: tuple[PackedFigure, ...]
    first: tuple[str, ...]
    before: str
    still: str

    @property
    def nbytes(self) -> int:
        """Memory of the figures and pictures; scenes take about as much."""
        drawn = sum(figure.nbytes for figure in self.figures) + sum(map(len, self.first))
        return 2 * drawn + len(self.before) + len(self.still)


@dataclass(frozen=True, eq=False)
class Described:
    """What the clusters of some data are.

    Attributes
    ----------
    profile : Profile
        Numbers, rules and rows.
    effects : mapping from int to PackedFigure
        Columns that tell a cluster apart, for the largest clusters by their labels.
    silhouettes, lines : PackedFigure or None
        Silhouettes, and rows as lines over columns; None where there is nothing to draw.
    """

    profile: Profile
    effects: Mapping[int, PackedFigure]
    silhouettes: PackedFigure | None
    lines: PackedFigure | None

    @property
    def nbytes(self) -> int:
        """Memory of the tables and the figures."""
        tables = (self.profile.table, self.profile.examples)
        figures = [*self.effects.values(), self.silhouettes, self.lines]
        drawn = sum(figure.nbytes for figure in figures if figure is not None)
        return drawn + int(sum(table.memory_usage(deep=True).sum() for table in tables))


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


def read(content: bytes, name: str | tuple[str, str], report: Report) -> Upload:
    """Read the content of a file, within the memory that a file of the maximum size needs.

    The task is the name of the file, or that and the name of a sheet.
    """
    called, sheet = (name, None) if isinstance(name, str) else name
    with memory_limit(_READ_MEMORY):
        table = open_table(content, sheet, name=called)
    packed = pickle.dumps(replace(table), protocol=5)
    kept = content if len(table.sheets) > 1 else b""
    return Upload(
        table.name,
        table.sha256,
        table.looks,
        len(table.frame),
        packed,
        table.sheets,
        table.sheet,
        kept,
        table.notes,
    )


def load(packed: bytes | None, task: tuple[Sequence[Data], Bound], report: Report) -> list[Loaded]:
    """Load the data sets of a search or a comparison, and choose their planes."""
    data, bound = task
    datasets = [_load(packed, each) for each in data]
    for each in datasets:
        bound.check(len(each.X))
        if each.X.size > MAX_VALUES:
            raise ValueError(
                f"{len(each.X)} points of {each.X.shape[1]} columns are {each.X.size} values, more than the "
                f"{MAX_VALUES} that a search or a comparison takes here. Take fewer points or columns; a "
                "single run in the playground may have them all."
            )
    return [Loaded(each.X, each.facts, make_view(each.X, each.feature_names)) for each in datasets]


class Wish(NamedTuple):
    """What a search for clusters is asked for.

    Attributes
    ----------
    n_clusters : int or None
        Number of clusters; None means that it is to be found.
    max_clusters : int
        Largest number that is tried.
    n_references : int
        Number of searches on points without clusters.
    seconds : float
        Time limit.
    seed : int
        Seed.
    """

    n_clusters: int | None
    max_clusters: int
    n_references: int
    seconds: float
    seed: int


def prepare(
    packed: bytes | None, task: tuple[Data, Bound, Wish], report: Report
) -> tuple[Loaded, Plan | None]:
    """Load the data of a search for clusters, and plan it; there is no plan if all points are equal."""
    data, bound, wish = task
    (loaded,) = load(packed, ([data], bound), report)
    plan = make_plan(
        loaded.X, wish.n_clusters, wish.max_clusters, wish.n_references, wish.seconds, -1, wish.seed
    )
    return loaded, plan


def outliers(packed: bytes | None, task: tuple[Data, NDArray[np.int64]], report: Report) -> NDArray[np.bool_]:
    """Find the points of some data that belong to no cluster."""
    data, labels = task
    return find_outliers(_load(packed, data).X, labels)


def steer(
    packed: bytes | None, task: tuple[Data, BaseEstimator], report: Report
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
    """Fit an estimator to data with hints, and return labels and, if there is one, their confidence."""
    data, model = task
    dataset = _load(packed, data)
    end = clusterers.end(model, dataset.X, lambda step: report(step.progress), dataset.hints)
    return end.labels, end.confidence()


def values_of(packed: bytes | None, task: tuple[Data, str], report: Report) -> NDArray[Any]:
    """Return the values of a column of the table at the points: numbers, or words."""
    data, name = task
    values = _load(packed, data).described[name]
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(values.isna(), "", values.astype(object).map(str)).astype(object)


def run(packed: bytes | None, task: Run, report: Report) -> Ran:
    """Load the data, fit the estimators one after another, and draw them if they were not stopped."""
    dataset = _load(packed, task.data)
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
        other = _load(packed, task.change.data)
        changed = _changed(dataset, other, task, recordings, fresh, report)
        if not (changed.recording.complete or changed.recording.failure):
            return Ran(facts, {name: each.within(MAX_BYTES) for name, each in recordings.items()}, None)
    drawing = _drawing(dataset, recordings, task.objectives, None, changed, other)
    light = {name: each.light(task.quantities.get(name, ())) for name, each in recordings.items()}
    if changed is not None:
        changed = replace(changed, recording=changed.recording.light())
    return Ran(facts, light, drawing, changed)


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


def draw_run(
    packed: bytes | None,
    task: tuple[Data, Mapping[str, Recording], Mapping[str, str], tuple[int, int] | None],
    report: Report,
) -> Drawing:
    """Draw recordings of some data in a plane."""
    data, recordings, objectives, columns = task
    return _drawing(_load(packed, data), recordings, objectives, columns)


def draw_pair(
    packed: bytes | None,
    task: tuple[Data, Mapping[str, Recording], Mapping[str, str], tuple[int, int] | None, Changed],
    report: Report,
) -> Drawing:
    """Draw a recording of some data and one of changed data in a plane."""
    data, recordings, objectives, columns, changed = task
    other = _load(packed, changed.data)
    return _drawing(_load(packed, data), recordings, objectives, columns, changed, other)


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
        to_svg(chart_picture(scene, objectives[name], ranges, *_FIRST_SIZE)) for name, scene in scenes.items()
    )
    return Drawing(columns, scenes, figures, first)


def teach(packed: None, step: LessonStep, report: Report) -> Taught:
    """Run the experiments of a step of a lesson, and draw those that are shown."""
    runs = run_step(step, go_on=lambda share, caption: report(share))
    views = [make_view(data.X, data.feature_names) for data in runs.datasets]
    shown = [i for i, run in enumerate(step.runs) if run.is_shown]
    scenes = {step.runs[i].title: make_scene(runs.recordings[i], views[i]) for i in shown}
    if all(len(scene.captions) == 1 for scene in scenes.values()):  # a curve of one point says nothing
        scenes = {title: replace(scene, curves=()) for title, scene in scenes.items()}
    objectives = dict(zip(scenes, step.objectives, strict=True))
    ranges = curve_ranges((scene, objectives[title]) for title, scene in scenes.items())
    return Taught(
        runs.values,
        runs.frame,
        scenes,
        tuple(
            # A finger on the picture scrolls the page.
            pack(animation(scene, objectives[title], ranges).update_layout(dragmode=False))
            for title, scene in scenes.items()
        ),
        tuple(
            to_svg(chart_picture(scene, objectives[title], ranges, *_FIRST_SIZE))
            if runs.frame is None
            else ""
            for title, scene in scenes.items()
        ),
        to_svg(points_picture(views[0], *_FIRST_SIZE)),
        still_svg(scenes, Words(objectives=objectives), runs.frame),
    )


def draw(arguments: Sequence[Any], make: Callable[..., Any], report: Report) -> PackedFigure:
    """Make one figure."""
    return pack(make(*arguments))


def write_html(arguments: Sequence[Any], task: None, report: Report) -> str:
    """Write animations as one HTML page."""
    return animation_html(*arguments)


def write_still(scenes: Mapping[str, Scene], task: tuple[str, Words, int], report: Report) -> bytes:
    """Write a frame as a file of a format, "svg" or "png"."""
    ending, words, frame = task
    if ending == "svg":
        return still_svg(scenes, words, frame).encode()
    return still_png(scenes, words, frame)


def write_film(scenes: Mapping[str, Scene], task: tuple[str, Words], report: Report) -> bytes:
    """Write the animation as a file of a format, "gif" or "mp4"."""
    ending, words = task
    return (film_gif if ending == "gif" else film_mp4)(scenes, words, report)


def write_labels(
    packed: bytes | None,
    task: tuple[Data, NDArray[np.int64], NDArray[np.float64] | None, bool],
    report: Report,
) -> str:
    """Write the labels as CSV, beside the whole table of the data or beside the numbers of its rows."""
    data, labels, confidence, whole = task
    dataset = _load(packed, data)
    if not whole:
        dataset = replace(dataset, frame=pd.DataFrame({"row": np.arange(len(dataset.frame))}))
    return to_csv_text(labels_frame(dataset, labels, confidence))


def describe(
    packed: bytes | None,
    task: tuple[Data, NDArray[np.int64], NDArray[np.float64] | None, Mapping[int, int] | None],
    report: Report,
) -> Described:
    """Say what clusters are, in all columns of the table; rules use those that were clustered.

    The task is the data, the label of each point, the confidence of each if it is known, and the positions of
    the clusters' colours.
    """
    data, labels, confidence, colors = task
    dataset = _load(packed, data)
    found = profile_dataset(dataset, labels, confidence)
    largest = sorted(found.clusters, key=lambda each: -each.size)[:_MOST_DESCRIBED]
    effects = {
        each.label: pack(
            effect_bars(found.of(each.label), each.label if colors is None else colors[each.label])
        )
        for each in sorted(largest, key=lambda each: each.label)
    }
    silhouettes = lines = None
    if np.isfinite(found.silhouette_values).any():
        silhouettes = pack(silhouette_plot(found.silhouette_values, found.silhouette_labels, colors))
    order = found.table.groupby("column", sort=False)["separation"].max().sort_values(ascending=False)
    telling = [name for name in order.index if name in dataset.feature_names]
    if len(telling) > 1:
        X = dataset.X[:, [dataset.feature_names.index(name) for name in telling]]
        lines = pack(parallel_coordinates(X, labels, telling, colors))
    return Described(found, effects, silhouettes, lines)


def write_profile(found: Profile, task: tuple[str, str], report: Report) -> str:
    """Write a profile as a file of a format, "html" or "csv", under a title."""
    ending, title = task
    return found.to_html(title) if ending == "html" else found.to_csv()


def write_model(packed: bytes | None, task: tuple[Data, BaseEstimator, bool], report: Report) -> bytes:
    """Write a model of some data as a file; it is fitted first if it is not."""
    data, model, is_fitted = task
    dataset = _load(packed, data)
    if not is_fitted:
        clusterers.end(model, dataset.X, hints=dataset.hints)
    return model_bytes(
        model, dataset.X, columns=dataset.columns, scaling=dataset.scaling, coding=dataset.coding
    )


def label(files: tuple[bytes, bytes], name: str, report: Report) -> Labelled:
    """Label a table with a saved model, both given as contents of files, each read within its memory."""
    model, table = files
    with memory_limit(_READ_MEMORY):
        saved = load_model(model)
    with memory_limit(_READ_MEMORY):
        rows = open_table(table, name=name)
    found = saved.label(rows, missing="drop")
    sizes = tuple(int(n) for n in np.bincount(found.labels))
    csv = to_csv_text(found.frame()).encode()
    return Labelled(rows.name, csv, sizes, found.dataset.notes, found.warning)


def drawing_of(packed: bytes | None, task: tuple[Data, int], report: Report) -> str:
    """Write data of two columns as a drawing of at most so many points."""
    data, most = task
    dataset = replace(data, standardize=False).load()
    return drawn_from(dataset.X, dataset.codes, most)


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


def fits(packed: bytes | None, task: tuple[Data, Sequence[BaseEstimator]], report: Report) -> list[Recording]:
    """Fit estimators to some data one after another; the last may be incomplete."""
    data, models = task
    X = _load(packed, data).X
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
