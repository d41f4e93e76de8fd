"""Figures of margins, of how a fit went, and of restarts."""

import json

import numpy as np
import pandas as pd
import pytest

from mmc import UMCRLS, IterSVM, IterSVR
from mmc.datasets import load
from mmc.figures import (
    animation_html,
    course,
    make_scene,
    make_view,
    margin_animation,
    restart_curves,
)
from mmc.recording import record
from mmc.registry import Quantity

DATA = load("moons", n_samples=80, random_state=0).standardized()


def scene_of(model):
    """Record a fit and make its scene."""
    return make_scene(record(model, DATA.X), make_view(DATA.X, DATA.feature_names))


def test_bars_count_every_point_of_every_round():
    """In each frame the points that stay and flip add up to all, and the flips are those of the state."""
    model = IterSVR(init="random", n_init=1, random_state=1)
    recording = record(model, DATA.X)
    scene = make_scene(recording, make_view(DATA.X, DATA.feature_names))
    figure = margin_animation(scene)
    assert len(figure.frames) == len(recording.states) == len(scene.margins)
    for frame, state in zip(figure.frames, recording.states, strict=True):
        stay, flip = (trace["y"] for trace in frame.to_plotly_json()["data"][:2])
        assert stay.sum() + flip.sum() == 80
        if state.round > 0:
            assert flip.sum() == len(state.moved)
    np.testing.assert_array_equal(figure.data[0].y, figure.frames[-1].to_plotly_json()["data"][0]["y"])


@pytest.mark.parametrize(("cls", "beyond"), [(IterSVM, 0.0), (IterSVR, 0.95)])
def test_the_line_is_the_loss_of_the_method(cls, beyond):
    """At a margin of 2 the hinge costs nothing and the ε-insensitive loss nearly 1; flipped they mirror."""
    loss = scene_of(cls(n_init=1, random_state=0)).loss
    assert loss(np.array([2.0]))[0] == pytest.approx(beyond)
    figure = margin_animation(scene_of(cls(n_init=1, random_state=0)))
    pays, other = figure.data[2], figure.data[3]
    np.testing.assert_allclose(pays.y, loss(np.asarray(pays.x)))
    np.testing.assert_allclose(other.y, loss(-np.asarray(other.x)))


def test_margins_of_other_methods_are_refused():
    """A scene without margins has no such figure, and its page has none either."""
    scene = scene_of(UMCRLS(2, n_init=1, random_state=0))
    assert scene.margins == []
    with pytest.raises(ValueError, match="no margins"):
        margin_animation(scene)
    assert 'id="margins-0"' not in animation_html({"UMCRLS": scene}, "Q", "t")


def test_the_exported_page_moves_both_charts():
    """The page has a chart of margins, and the player knows of it."""
    page = animation_html({"IterSVR": scene_of(IterSVR(n_init=1, random_state=0))}, "objective", "t")
    assert 'id="margins-0"' in page
    assert '["#chart-0", "#margins-0"]' in page
    assert page.count("plotly.js v") <= 2


def test_a_course_has_a_panel_for_each_quantity_and_a_curve_for_each_algorithm():
    """What a table does not have is left out, names stay text, and the axis is logarithmic where asked."""
    first = pd.DataFrame({"t": [1, 10], "a": [2.0, 1.0], "b": [5, 6]})
    second = pd.DataFrame({"t": [1, 20], "a": [3.0, 2.0]})
    figure = course(
        {"<b>": first, "two": second},
        [Quantity("a", "A"), Quantity("b", "B", log=True)],
        x=Quantity("t", "t", log=True),
    )
    assert [trace.name for trace in figure.data[:3]] == ["&lt;b&gt;", "two", "&lt;b&gt;"]
    assert [trace.showlegend for trace in figure.data[:3]] == [True, True, False]
    assert figure.layout.xaxis.type == "log"
    assert (figure.layout.yaxis.type, figure.layout.yaxis2.type) == (None, "log")
    json.loads(figure.to_json())


def test_restart_curves_start_at_one():
    """Each curve has a point for every number of starts."""
    figure = restart_curves({"a": np.array([3.0, 2.0]), "b": np.array([1.0, 1.0])}, "error (%)")
    assert [list(trace.x) for trace in figure.data] == [[1, 2], [1, 2]]
    assert figure.layout.yaxis.title.text == "error (%)"
