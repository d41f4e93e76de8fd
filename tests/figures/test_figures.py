import json

import numpy as np
import pytest

from mmc import UMCRLS, SteepRLS
from mmc.datasets import load
from mmc.figures import animation, animation_html, cluster_color, make_scene, make_view, with_ring
from mmc.figures.scene import MAX_POINTS
from mmc.recording import record


@pytest.fixture(scope="module")
def recording():
    """Record a fit of the default toy set."""
    return record(UMCRLS(3, random_state=0), load("three-gaussians", random_state=0).X)


@pytest.fixture(scope="module")
def scene(recording):
    """Make its scene."""
    return make_scene(recording, make_view(load("three-gaussians", random_state=0).X, ("x1", "x2")))


def test_scene_has_a_frame_for_every_state(recording, scene):
    """Labels, captions, objective and border are those of the states."""
    assert len(scene.labels) == len(scene.borders) == len(scene.captions) == len(recording.states)
    np.testing.assert_array_equal(scene.labels[-1], recording.labels)
    np.testing.assert_allclose(scene.curves[0].lines[""], [s.objective for s in recording.states])


def test_border_is_where_two_clusters_tie(recording, scene):
    """On the border the two best answers are nearly equal, compared with their spread over the plane."""
    border = scene.borders[-1]
    border = border[~np.isnan(border[:, 0])].astype(float)
    values = np.sort(recording.estimator.decision_function(border), axis=1)
    assert len(border) > 20
    assert np.median(values[:, -1] - values[:, -2]) < 0.05


def test_default_figure_is_small_and_carries_only_changes(scene):
    """The figure of the default set stays under 300 kB; frames hold typed arrays, not lists."""
    text = animation(scene, "Q").to_json()
    assert len(text) < 300_000
    frame = json.loads(text)["frames"][3]
    assert frame["data"][1]["marker"]["color"]["dtype"] == "u1"
    assert "x" not in frame["data"][1]


def test_figure_shows_the_last_frame_first(scene):
    """The figure before any play is the result."""
    figure = animation(scene, "Q")
    np.testing.assert_array_equal(figure.data[1].marker.color, scene.labels[-1])
    assert len(figure.frames) == len(scene.captions)


def test_a_frame_that_moved_nothing_has_rings_that_are_nowhere():
    """Its arrays are not empty, which Plotly would ignore, so that no ring of an earlier frame stays."""
    data = load("moons", n_samples=80, random_state=0)
    recording = record(SteepRLS(2, random_state=0), data.X)
    figure = animation(make_scene(recording, make_view(data.X, data.feature_names)), "Q")
    still = [i for i, state in enumerate(recording.states) if state.n_changed == 0]
    assert 0 in still
    for i, frame in enumerate(figure.frames):
        rings = frame.to_plotly_json()["data"][2]
        assert len(rings["x"]) == len(rings["y"]) > 0
        assert np.isnan(rings["x"]).all() == (i in still)


def test_views_say_what_they_show():
    """More than two features are seen through components with their share, or through two columns."""
    iris = load("iris")
    view = make_view(iris.X, iris.feature_names)
    assert "98% of the variance" in view.note
    assert view.points.shape == (150, 2)
    assert make_view(iris.X, iris.feature_names, (2, 0)).titles == (
        iris.feature_names[2],
        iris.feature_names[0],
    )
    digits = load("digits")
    hidden = make_view(digits.X, digits.feature_names)
    assert "too little" in hidden.note
    assert hidden.axes is None


def test_one_feature_and_many_points():
    """One feature is drawn against the row; of many points a sample is drawn and said."""
    X = np.arange(3 * MAX_POINTS, dtype=float).reshape(-1, 1)
    view = make_view(X, ("x",))
    assert len(view.points) == MAX_POINTS
    assert view.note.startswith("2,000 of 6,000 points are drawn.")


def test_html_is_one_file_and_names_cannot_break_out(scene):
    """The exported page holds the library and the player, and names from data stay text."""
    page = animation_html({"</script><b>": scene}, "Q", "<script>alert(1)</script>")
    assert "mountPlayer" in page
    assert "<script>alert(1)" not in page
    assert "</script><b>" not in page
    assert 'src="http' not in page


def test_colours_are_distinct():
    """Twenty clusters have twenty colours."""
    assert len({cluster_color(h) for h in range(20)}) == 20


def test_one_point_keeps_its_ring(scene):
    """It is ringed in every frame, beside those of the step, and the text says so."""
    ringed = with_ring(scene, 7)
    for before, after in zip(scene.ringed, ringed.ringed, strict=True):
        np.testing.assert_array_equal(after[:-1], before)
        np.testing.assert_allclose(after[-1], scene.view.points[7], rtol=1e-6)
    assert "Point 7" in ringed.rings
