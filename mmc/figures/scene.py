"""Scenes: a recorded fit as plain arrays, with points in the plane and labels and borders for every frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from contourpy import LineType, contour_generator
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from mmc import clusterers
from mmc.recording import Recording
from mmc.stepping import State

#: Maximum number of points, of which a sample is drawn; more make the browser slow.
MAX_POINTS = 2000

#: Minimum share of the variance in two components at which a border is drawn in their plane.
MIN_SHARE = 0.8

_GRID = 48

#: A curve's axis leaves out its first frames if it would be this many times as long with them, and number of
#: frames below which it never does.
_DROP, _MIN_LATER = 3.0, 5

#: Maximum number of clusters between which borders are drawn.
_MAX_BORDERED = 40


@dataclass(frozen=True, eq=False)
class _Columns:
    """Two columns, of which the second may be missing; then the row takes its place."""

    across: int
    upwards: int | None
    rows: NDArray[np.int64]

    def __call__(self, P: NDArray[np.float64], /) -> NDArray[np.float64]:
        upwards = self.rows if self.upwards is None else P[:, self.upwards]
        return np.column_stack([P[:, self.across], upwards])


@dataclass(frozen=True, eq=False)
class View:
    """Projection of points of any dimension to the plane.

    Attributes
    ----------
    points : ndarray of shape (m, 2)
        Points that are drawn.
    sample : ndarray of shape (m,)
        Rows of these points in X.
    titles : tuple of (str, str)
        Titles of the two axes.
    note : str
        What a reader must know about this view; may be empty.
    centre, axes : ndarray of shape (d,) and (2, d), or None
        The plane, centre + u·axes, if a border can be drawn in it.
    project : callable
        Maps positions of the drawn points, of shape (m, d), to the plane, (m, 2).
    others : ndarray of shape (l, 2) or None
        Points of a picture beside this one, for which the axes have room too.
    """

    points: NDArray[np.float64]
    sample: NDArray[np.int64]
    titles: tuple[str, str]
    note: str
    centre: NDArray[np.float64] | None
    axes: NDArray[np.float64] | None
    project: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    others: NDArray[np.float64] | None = None

    @property
    def frame(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Ranges of the two axes."""
        points = self.points if self.others is None else np.concatenate([self.points, self.others])
        return frame_range(points[:, 0]), frame_range(points[:, 1])


def make_view(X: NDArray[np.float64], names: tuple[str, ...], columns: tuple[int, int] | None = None) -> View:
    """Choose the plane: two features, or the first two principal components.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        All points.
    names : tuple of str
        Names of the features.
    columns : pair of int or None
        Two columns to show; None means principal components if there are more than two.

    Returns
    -------
    View
    """
    n, d = X.shape
    sample = np.arange(n)
    note = ""
    if n > MAX_POINTS:
        sample = np.sort(np.random.default_rng(0).choice(n, MAX_POINTS, replace=False))
        note = f"{MAX_POINTS:,} of {n:,} points are drawn. "
    project: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    centre: NDArray[np.float64] | None = None
    axes: NDArray[np.float64] | None = None
    if d == 1:
        titles, project = (names[0], "row"), _Columns(0, None, sample)
    elif d == 2:
        titles, centre, axes = (names[0], names[1]), np.zeros(2), np.eye(2)
        project = np.asarray
    elif columns is not None:
        i, j = columns
        titles, project = (names[i], names[j]), _Columns(i, j, sample)
        note += f"Two of {d} columns are shown; the clustering uses all of them."
    else:
        # Both are exact; the second needs d² memory instead of n·d, and a fraction of the time.
        pca = PCA(2, svd_solver="full" if n <= MAX_POINTS or n < d else "covariance_eigh").fit(X)
        first, second = pca.explained_variance_ratio_
        titles = (f"component 1 ({first:.0%})", f"component 2 ({second:.0%})")
        project = pca.transform
        note += f"The first two principal components show {first + second:.0%} of the variance"
        if first + second >= MIN_SHARE:
            centre, axes = pca.mean_, pca.components_
            note += "; a border is drawn in their plane."
        else:
            note += ", too little to draw a border in their plane."
    return View(project(X[sample]), sample, titles, note, centre, axes, project)


def make_pair(view: View, X: NDArray[np.float64]) -> tuple[View, View]:
    """Return a view and one of other points in the same plane, with the same axes.

    Parameters
    ----------
    view : View
        View of some points.
    X : ndarray of shape (n, d)
        Other points with the same features.

    Returns
    -------
    tuple of (View, View)
    """
    sample = np.arange(len(X))
    if len(X) > MAX_POINTS:
        sample = np.sort(np.random.default_rng(0).choice(len(X), MAX_POINTS, replace=False))
    project = view.project
    if isinstance(project, _Columns):
        project = replace(project, rows=sample)
    points = project(X[sample])
    other = replace(view, points=points, sample=sample, project=project, others=view.points)
    return replace(view, others=points), other


@dataclass(frozen=True, eq=False)
class Curve:
    """A quantity over the frames, on its own axis below the points.

    Attributes
    ----------
    title : str
        Title of the axis; if empty, the name of the algorithm's objective.
    lines : mapping from str to ndarray of shape (n_frames,)
        Values by name, which may be empty if there is one line.
    log : bool
        Whether the axis is logarithmic.
    level : float or None
        Value that the lines should reach, drawn as a dashed line.
    """

    title: str
    lines: Mapping[str, NDArray[np.float64]]
    log: bool = False
    level: float | None = None


@dataclass(frozen=True, eq=False)
class Scene:
    """A recorded fit, ready to be drawn.

    Attributes
    ----------
    view : View
        Projection to the plane.
    n_clusters : int
        Number of clusters.
    labels : list of ndarray of shape (m,), uint8 or uint16
        Labels of the drawn points in each frame.
    ringed : list of ndarray of shape (p, 2), float32
        Positions of the rings in each frame.
    borders : list of ndarray of shape (p, 2), float32
        Polylines between clusters, separated by NaN.
    rims : list of ndarray of shape (p, 2), float32
        Polylines at the ends of the margin; empty if none is drawn.
    steps : ndarray of shape (n_frames,)
        Positions of the frames on the horizontal axis of the curves.
    steps_title : str
        Title of that axis.
    curves : tuple of Curve
        Curves below the points; empty if the algorithm reports no objective.
    captions : list of str
        Description of each frame.
    lines : list of str
        Name of the line of pseudo-code that each frame executes; empty if there is none.
    numbers : list of tuples of (str, str)
        Symbols and their values in each frame.
    remarks : list of str
        What looks wrong in a frame and is meant; mostly empty.
    rings : str
        A sentence that says what the rings mean.
    margins : list of ndarray of shape (n_samples,), float32
        y·f of all points in each frame; empty if the algorithm has no margins.
    loss : callable or None
        Loss as a function of the margin.
    """

    view: View
    n_clusters: int
    labels: list[NDArray[np.uint8 | np.uint16]]
    ringed: list[NDArray[np.float32]]
    borders: list[NDArray[np.float32]]
    rims: list[NDArray[np.float32]]
    steps: NDArray[np.int64]
    steps_title: str
    curves: tuple[Curve, ...]
    captions: list[str]
    lines: list[str]
    numbers: list[tuple[tuple[str, str], ...]]
    remarks: list[str]
    rings: str
    margins: list[NDArray[np.float32]]
    loss: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None


def make_scene(recording: Recording, view: View) -> Scene:
    """Return the frames of a recording.

    The cost is one kernel between 48² grid points and the training points, and one product with it for each
    frame.

    Parameters
    ----------
    recording : Recording
        Recorded fit.
    view : View
        Projection to the plane.

    Returns
    -------
    Scene
    """
    states = recording.states
    n_clusters = 1 + max(int(state.labels.max()) for state in states)
    codes = np.uint8 if n_clusters <= 256 else np.uint16
    borders, rims = _borders(recording, view, states[0].margin_lead)
    places = [i if state.position is None else state.position for i, state in enumerate(states)]
    return Scene(
        view=view,
        n_clusters=n_clusters,
        labels=[state.labels[view.sample].astype(codes) for state in states],
        ringed=[_ringed(state, view).astype(np.float32) for state in states],
        borders=borders,
        rims=rims,
        steps=np.array(places),
        steps_title=states[0].position_title,
        curves=_curves(states),
        captions=[state.caption for state in states],
        lines=[state.line for state in states],
        numbers=[state.numbers for state in states],
        remarks=[state.remark for state in states],
        rings=states[0].rings,
        margins=[state.margins.astype(np.float32) for state in states if state.margins is not None],
        loss=states[0].loss_function,
    )


def with_ring(scene: Scene, row: int) -> Scene:
    """Return a scene in which one point has a ring in every frame.

    Parameters
    ----------
    scene : Scene
        Recorded fit.
    row : int
        The point.

    Returns
    -------
    Scene
    """
    place = scene.view.points[scene.view.sample == row].astype(np.float32)
    rings = f"{scene.rings} Point {row} has a ring in every step.".strip()
    return replace(scene, ringed=[np.concatenate([each, place]) for each in scene.ringed], rings=rings)


def frame_range(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the range of an axis, with some space around the values."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    margin = 0.06 * (high - low) or 1.0
    return low - margin, high + margin


def curve_range(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the range of a curve's axis, in which its course can be seen.

    Most searches begin with a large drop, after which their course would look like a flat line. Where the
    whole range is more than three times that of the later nine tenths of the frames, the axis shows these.

    Parameters
    ----------
    values : ndarray of shape (n_frames,)
        Values in the order of the frames; NaN is passed over.

    Returns
    -------
    (float, float)
    """
    known = values[np.isfinite(values)]
    whole = frame_range(known) if len(known) else (0.0, 1.0)
    later = known[max(1, len(known) // 10) :]
    if len(later) < _MIN_LATER or np.ptp(later) == 0.0:
        return whole
    if np.ptp(known) <= _DROP * np.ptp(later):
        return whole
    return frame_range(later)


def _ringed(state: State, view: View) -> NDArray[np.float64]:
    if state.ringed is not None:
        return view.project(state.ringed[view.sample])
    return view.points[np.isin(view.sample, state.changed)]


def _curves(states: Sequence[State]) -> tuple[Curve, ...]:
    """Join the values of all states to curves."""
    curves = []
    for points in zip(*(state.curves for state in states), strict=True):
        title, values, log, level = points[0]
        lines = {name: np.array([point.values[name] for point in points]) for name in values}
        if not all(np.isnan(line).all() for line in lines.values()):
            curves.append(Curve(title, lines, log, level))
    return tuple(curves)


def _borders(
    recording: Recording, view: View, margin: float
) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
    """Return where two clusters share the highest decision value, and where one leads by `margin` > 0."""
    empty = [np.empty((0, 2), dtype=np.float32)] * len(recording.states)
    if view.centre is None or view.axes is None:
        return empty, empty
    u, v = (np.linspace(*each, _GRID) for each in view.frame)
    plane = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)
    values = clusterers.decision_values(recording.estimator, view.centre + plane @ view.axes)
    if values is None or any(state.labels.max() >= _MAX_BORDERED for state in recording.states):
        return empty, empty
    fields = [values(state) for state in recording.states]
    rims = [_lines(u, v, field, margin) for field in fields] if margin else empty
    return [_lines(u, v, field, 0.0) for field in fields], rims


def _straightened(line: NDArray[np.float64], unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Drop points that lie within a twentieth of a cell of the line between their neighbours."""
    for _ in range(4):
        if len(line) < 5:
            break
        before, point, after = (
            line[i : len(line) - 2 + i : 2][: (len(line) - 1) // 2] / unit for i in range(3)
        )
        along = after - before
        length = np.maximum(np.hypot(*along.T), 1e-12)
        off = np.abs(along[:, 0] * (point - before)[:, 1] - along[:, 1] * (point - before)[:, 0]) / length
        keep = np.ones(len(line), dtype=bool)
        keep[1 : 2 * len(off) : 2] = off > 0.05
        line = line[keep]
    return line


def _lines(
    u: NDArray[np.float64], v: NDArray[np.float64], values: NDArray[np.float64], level: float
) -> NDArray[np.float32]:
    """Return where a cluster leads the best other one by `level`; at 0 the last has no line of its own."""
    k = values.shape[1]
    unit = np.array([u[1] - u[0], v[1] - v[0]])
    pieces: list[NDArray[np.float64]] = []
    for h in range(k if level else k - 1):
        lead = values[:, h] - np.delete(values, h, axis=1).max(axis=1)
        field = contour_generator(u, v, lead.reshape(len(v), len(u)), line_type=LineType.Separate)
        for line in field.lines(level):
            pieces += [_straightened(np.asarray(line), unit), np.full((1, 2), np.nan)]
    return np.concatenate(pieces).astype(np.float32) if pieces else np.empty((0, 2), dtype=np.float32)
