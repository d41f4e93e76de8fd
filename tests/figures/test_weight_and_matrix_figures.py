"""Pictures of cuts, of the weights of kernels and of a relaxed matrix."""

import numpy as np
import pytest

from mmc import CPMMC, MKC, MMC
from mmc.datasets import load
from mmc.figures import animation, animation_html, make_scene, make_view, matrix_figure, weight_bars
from mmc.recording import record


def recorded(model, n=40):
    """Record a fit on three clouds."""
    data = load("three-gaussians", n_samples=n, random_state=0)
    return record(model, data.X), make_view(data.X, data.feature_names)


@pytest.fixture(scope="module")
def cut():
    """Two clusters by two kernels."""
    return recorded(MKC(kernels=["linear", "rbf"], random_state=0))


def test_curves_are_those_of_the_cuts(cut):
    """Below the points are the gap with ε, and the objective with all constraints and with those so far."""
    recording, view = cut
    scene = make_scene(recording, view)
    gap, objective = scene.curves
    assert gap.log
    assert gap.level == recording.estimator.epsilon
    np.testing.assert_allclose(gap.lines[""][:-1], [s.gap for s in recording.states[:-1]])
    assert gap.lines[""][-1] <= gap.level
    np.testing.assert_allclose(objective.lines["all constraints"], [s.objective for s in recording.states])
    np.testing.assert_allclose(objective.lines["those in Ω"][1:], [s.lower for s in recording.states[1:]])
    np.testing.assert_array_equal(scene.steps, [s.n_cuts for s in recording.states])


@pytest.mark.parametrize("k", [2, 3])
def test_rims_lie_where_the_margin_ends(k):
    """On the dotted lines |f| is 1 for two clusters; for more the first leads the second by 1."""
    recording, view = recorded(CPMMC(k, random_state=0))
    scene = make_scene(recording, view)
    rim = scene.rims[-1]
    rim = rim[~np.isnan(rim[:, 0])].astype(np.float64)
    assert len(rim) > 10
    values = np.sort(recording.estimator.decision_function(rim), axis=1)
    lead = values[:, -1] - values[:, -2]
    np.testing.assert_allclose(lead, 2.0 if k == 2 else 1.0, atol=0.12)  # as exact as the grid
    border = scene.borders[-1]
    border = border[~np.isnan(border[:, 0])].astype(np.float64)
    values = np.sort(recording.estimator.decision_function(border), axis=1)
    np.testing.assert_allclose(values[:, -1], values[:, -2], atol=0.12)


def test_every_frame_moves_rim_and_both_places(cut):
    """A frame carries the rim, the rings and a place on each curve, in the order of the traces."""
    recording, view = cut
    scene = make_scene(recording, view)
    figure = animation(scene)
    for i, frame in enumerate(figure.frames):
        data = frame.to_plotly_json()["data"]
        assert len(data) == len(figure.data)
        for drawn, places in ((data[3], scene.rims[i]), (data[2], scene.ringed[i])):
            np.testing.assert_array_equal(drawn["x"], places[:, 0] if len(places) else [np.nan])
        assert len(scene.ringed[i]) == len(recording.states[i].marked)
        places = [trace["x"] for trace in data[4:] if "x" in trace]
        assert places == [[i], [i, i]]


def test_cuts_are_exported(cut):
    """The page that plays without a server holds every caption."""
    recording, view = cut
    page = animation_html({"MKC": make_scene(recording, view)}, "objective", "t")
    assert "points within the margin" in page


def test_bars_show_weights_and_problems(cut):
    """There is a bar for each kernel and cut, and one for the problems solved."""
    recording = cut[0]
    figure = weight_bars(recording.states, [state.n_cccp for state in recording.states], "problems")
    states = recording.states[1:]
    assert [trace.name for trace in figure.data if trace.type == "bar"] == ["linear", "rbf", "problems"]
    np.testing.assert_allclose(figure.data[0].y, [s.beta[0] ** 2 for s in states])
    np.testing.assert_allclose(np.array(figure.data[0].y) + figure.data[1].y, 1.0)
    assert list(figure.data[2].y) == [s.n_cccp for s in states]


def test_one_kernel_has_no_weights_to_show():
    """With a single kernel only the problems are drawn."""
    recording, _ = recorded(CPMMC(random_state=0))
    bars = weight_bars(recording.states, [state.n_cccp for state in recording.states], "problems")
    assert [trace.name for trace in bars.data if trace.type == "bar"] == ["problems"]


def test_marks_above_the_bars_follow_the_player(cut):
    """Each frame puts the marks of both rows to its cut and leaves the bars as they are."""
    states = cut[0].states
    figure = weight_bars(states, [state.n_cccp for state in states], "problems")
    assert len(figure.frames) == len(states)
    for frame, state in zip(figure.frames, states, strict=True):
        data = frame.to_plotly_json()["data"]
        assert [trace["type"] for trace in data] == ["bar", "bar", "bar", "scatter", "scatter"]
        assert [trace["x"] for trace in data[3:]] == [[state.position]] * 2
        assert not any("y" in trace for trace in data[:3])


def test_relaxation_is_ordered_by_its_leading_eigenvector():
    """Rows and columns follow the eigenvector, and the labels and the spectrum stand beside the matrix."""
    recording, _ = recorded(MMC(random_state=0), n=20)
    state = recording.states[-1]
    labels, heat, spectrum = matrix_figure(state.matrix, state.spectrum, state.labels).data
    order = np.asarray(labels.customdata).ravel()
    leading = np.linalg.eigh(state.matrix.astype(float))[1][:, -1]
    assert np.all(np.diff(leading[order]) >= 0)
    np.testing.assert_allclose(heat.z, state.matrix[np.ix_(order, order)], rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(labels.z).ravel(), state.labels[order])
    np.testing.assert_allclose(spectrum.y, state.spectrum[:12])
