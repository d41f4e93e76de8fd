"""Figures of the number of clusters: curves of judges, and points in the colours of their clusters."""

import numpy as np
import pytest

from mmc.datasets import load
from mmc.figures import cluster_map, colors_by_row, count_curves, make_view
from mmc.figures.scene import MAX_POINTS

_NASTY = '<b onclick="x">&</b>'


@pytest.fixture(scope="module")
def data():
    """Three clouds of sixty points in all."""
    return load("three-gaussians", n_samples=60, random_state=0)


@pytest.fixture(scope="module")
def view(data):
    """See them as they are."""
    return make_view(data.X, data.feature_names)


def test_every_judge_has_a_curve_and_the_first_stands_out():
    """Curves are over the numbers of clusters; what is looked at has the largest mark, of the first alone."""
    figure = count_curves([2, 3, 5], {"one": [0.1, 0.9, 0.5], "two": [0, 1, 2]}, at=5, chosen=3, most=8)
    curves = {trace.name: trace for trace in figure.data}
    assert list(curves) == ["two", "<b>one</b>"]
    first = curves["<b>one</b>"]
    assert first.x == (2, 3, 5)
    assert first.y == (0.1, 0.9, 0.5)
    assert np.argmax(first.marker.size) == 2
    assert len(set(first.marker.color)) == 2
    assert first.line.width > curves["two"].line.width
    (line,) = figure.layout.shapes
    assert line.x0 == line.x1 == 3
    assert figure.layout.xaxis.range == (1.5, 8.5)


def test_the_axis_has_room_for_what_will_come():
    """A single number of clusters has an axis too, and a long one has fewer ticks."""
    assert count_curves([2], {"one": [0.1]}, at=2, chosen=2, most=2).layout.xaxis.range == (1.5, 3.5)
    assert count_curves([2], {"one": [0.1]}, at=2, chosen=2, most=30).layout.xaxis.dtick == 2


def test_titles_cannot_bring_in_elements():
    """Markup in the title of a judge or of an axis is drawn as text."""
    figure = count_curves([2, 3], {_NASTY: [0, 1]}, at=2, chosen=2, most=3)
    assert _NASTY not in figure.to_json()
    assert "&lt;b onclick" in figure.to_json()
    nasty = make_view(np.arange(8.0).reshape(4, 2), (_NASTY, "y"))
    assert "<b onclick" not in cluster_map(nasty, np.array([0, 1, 0, 1])).to_json()


def test_points_have_the_colours_of_their_clusters(data, view):
    """Every point is drawn once with its label, and every cluster is in the legend."""
    figure = cluster_map(view, data.codes)
    points, *legend = figure.data
    np.testing.assert_array_equal(points.text, data.codes)
    np.testing.assert_array_equal(points.marker.color, colors_by_row(data.codes)[data.codes])
    assert len(set(points.marker.symbol)) == 3
    np.testing.assert_allclose(np.column_stack([points.x, points.y]), data.X, rtol=1e-6)
    assert [entry.name for entry in legend] == ["cluster 0", "cluster 1", "cluster 2"]


def test_colours_do_not_depend_on_the_numbers_of_clusters(data, view):
    """The same clusters under other numbers look the same, and the legend names their new numbers."""
    other = np.array([2, 0, 1])[data.codes]
    one, two = cluster_map(view, data.codes), cluster_map(view, other)
    np.testing.assert_array_equal(one.data[0].marker.color, two.data[0].marker.color)
    np.testing.assert_array_equal(one.data[0].marker.symbol, two.data[0].marker.symbol)
    np.testing.assert_array_equal(two.data[0].text, other)
    shades = [{entry.name: entry.marker.color for entry in figure.data[1:]} for figure in (one, two)]
    assert shades[0]["cluster 0"] == shades[1]["cluster 2"]
    assert colors_by_row(np.array([0, 3, 3])).tolist() == [0, 2, 3, 1]


def test_outliers_are_hollow_and_grey(data, view):
    """Points that belong nowhere are apart from the others, with an entry of their own."""
    away = np.zeros(60, dtype=bool)
    away[[4, 9]] = True
    points, rings, *legend = cluster_map(view, data.codes, away).data
    assert len(points.x) == 58
    assert rings.customdata.tolist() == [4, 9]
    assert rings.marker.symbol == "circle-open"
    assert legend[-1].name == "no cluster"


def test_of_many_points_a_sample_is_drawn():
    """No more points are drawn than a browser can show, each with its own label."""
    many = load("moons", n_samples=MAX_POINTS + 500, random_state=0)
    view = make_view(many.X, many.feature_names)
    points = cluster_map(view, many.codes).data[0]
    assert len(points.x) == MAX_POINTS
    np.testing.assert_array_equal(points.marker.color, many.codes[view.sample])


def test_many_clusters_have_colours_alone():
    """Beyond six clusters there are no shapes, and more than twenty are not all in the legend."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    view = make_view(X, ("x", "y"))
    figure = cluster_map(view, np.arange(60) % 30)
    assert figure.data[0].marker.symbol is None
    assert len(figure.data) == 1 + 20
