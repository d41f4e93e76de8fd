"""Figures of model selection: what they mark, what they leave out, and what cannot enter them."""

import re

import numpy as np
import pandas as pd
import pytest

from mmc import MIC, SMIC
from mmc.datasets import load
from mmc.figures import (
    band_curves,
    cluster_color,
    cv_heatmap,
    fields,
    kernel_graph,
    make_view,
    posterior_map,
    score_curve,
    thumbnail,
)
from mmc.figures.scene import MAX_POINTS
from mmc.infomax import Estimate, lsmi, mlmi

_NASTY = '<b onclick="x">&</b>'
_CURVE = {"parameter": "Neighbours t", "score": "LSMI", "total": 10}


@pytest.fixture(scope="module")
def data():
    """Three clouds of sixty points in all."""
    return load("three-gaussians", n_samples=60, random_state=0)


@pytest.fixture(scope="module")
def view(data):
    """See them as they are."""
    return make_view(data.X, data.feature_names)


@pytest.fixture(scope="module")
def model(data):
    """Cluster them with three neighbours."""
    return SMIC(3, n_neighbors=3).fit(data.X)


def estimate(cv, deltas=None):
    """Make an estimate by hand."""
    cv = np.asarray(cv, dtype=float)
    gammas = np.array([10.0**i for i in range(cv.shape[0])])
    deltas = np.asarray(deltas or [0.01 * 10**i for i in range(cv.shape[1])])
    g, d = np.unravel_index(np.nanargmin(cv), cv.shape)
    return Estimate(0.5, float(gammas[g]), float(deltas[d]), gammas, deltas, cv)


def distinct_edges(figure):
    """Read the drawn links back as pairs of places, without direction."""
    line = np.column_stack([figure.data[0].x, figure.data[0].y]).reshape(-1, 3, 2)
    assert np.isnan(line[:, 2]).all()
    return {frozenset([tuple(a), tuple(b)]) for a, b, _ in line.tolist()}


@pytest.mark.parametrize("at", [0, 2])
def test_the_curve_marks_the_candidate_that_is_looked_at(at):
    """One marker is larger and of another colour than the rest: that of `at`."""
    names, scores = ["1", "2", "5"], [0.1, 0.3, 0.2]
    (trace,) = score_curve(names, scores, at=at, **_CURVE).data
    assert (list(trace.x), list(trace.y)) == (names, scores)
    sizes, colors = list(trace.marker.size), list(trace.marker.color)
    others = [i for i in range(3) if i != at]
    assert {sizes[i] for i in others} == {min(sizes)}
    assert sizes[at] > min(sizes)
    assert {colors[i] for i in others} == {cluster_color(0)}
    assert colors[at] != cluster_color(0)


def test_references_have_an_axis_of_their_own():
    """Only with reference labels is there a second curve, on the right, from below 0 to above 1."""
    names, scores = ["1", "2"], [0.1, 0.3]
    alone = score_curve(names, scores, at=0, **_CURVE)
    assert len(alone.data) == 1
    assert alone.layout.yaxis2.visible is False
    both = score_curve(names, scores, at=0, references=[0.4, 1.0], **_CURVE)
    (laid,) = [trace for trace in both.data if trace.yaxis == "y2"]
    assert list(laid.y) == [0.4, 1.0]
    assert both.layout.yaxis2.visible
    assert both.layout.yaxis2.overlaying == "y"
    low, high = both.layout.yaxis2.range
    assert low < 0 < 1 < high


def test_a_growing_curve_leaves_room_for_what_is_to_come():
    """The axis has a place for each of the candidates from the first one on, in the order of the grid."""
    axis = score_curve(["7"], [0.1], at=0, **_CURVE).layout.xaxis
    assert axis.type == "category"
    assert tuple(axis.range) == (-0.5, 9.5)


def test_a_failed_candidate_is_a_gap():
    """A score that is no number stays none in the picture, and the others keep their places."""
    (trace,) = score_curve(["1", "2", "3"], [0.1, np.nan, 0.2], at=0, **_CURVE).data
    assert np.isnan(trace.y[1])
    assert list(trace.x) == ["1", "2", "3"]


def test_names_cannot_become_marks():
    """Whatever parameter, score and candidates are called, no tag of theirs is in the curve."""
    options = {**_CURVE, "parameter": _NASTY, "score": _NASTY}
    figure = score_curve([_NASTY, "2"], [0.1, 0.2], at=0, references=[0.0, 1.0], **options)
    assert figure.layout.xaxis.title.text == "&lt;b onclick=&quot;x&quot;&gt;&amp;&lt;/b&gt;"
    assert "<b" not in figure.layout.yaxis.title.text
    for trace in figure.data:
        assert "<b " not in trace.hovertemplate
        assert "<b " not in trace.name
        assert not [name for name in trace.x if "<b " in name]


def heatmap(found):
    """Draw the cross-validation of an estimate."""
    return cv_heatmap(found.gammas, found.deltas, found.cv)


def test_the_ring_is_around_the_lowest_error():
    """The table has a row for each penalty and a column for each width; the ring is at its minimum."""
    cv = np.random.default_rng(0).normal(size=(4, 3))
    heat, ring = heatmap(estimate(cv)).data
    assert (heat.type, ring.type) == ("heatmap", "scatter")
    np.testing.assert_allclose(heat.z, cv.T)
    assert (len(heat.x), len(heat.y)) == (4, 3)
    g, d = np.unravel_index(cv.argmin(), cv.shape)
    assert (ring.x[0], ring.y[0]) == (heat.x[g], heat.y[d])
    assert ring.marker.symbol == "circle-open"


def test_the_ring_is_at_the_chosen_width_and_penalty(data):
    """For an estimate of real labels, the ring names the width and the penalty that were chosen."""
    found = lsmi(data.X, data.y)
    heat, ring = heatmap(found).data
    assert float(ring.x[0]) == pytest.approx(found.gamma, rel=0.05)
    assert float(ring.y[0]) == pytest.approx(found.delta, rel=0.05)
    assert len(set(heat.x)) == len(found.gammas)
    assert len(set(heat.y)) == len(found.deltas)


@pytest.mark.parametrize("worst", [np.inf, np.nan])
def test_errors_without_end_are_left_empty(worst):
    """Cells without a finite error are empty, and neither ring nor colours are led astray by them."""
    cv = [[worst, 0.5, 0.1], [0.4, worst, 0.2]]
    heat, ring = heatmap(estimate(cv)).data
    assert np.isnan(heat.z[0][0])
    assert np.isnan(heat.z[1][1])
    assert (ring.x[0], ring.y[0]) == (heat.x[0], heat.y[2])
    assert np.isfinite(heat.zmax)


def test_a_single_penalty_is_drawn_as_a_curve(data):
    """MLMI has no penalty: its errors are a curve over the widths with the ring on it."""
    found = mlmi(data.X, data.y)
    curve, ring = heatmap(found).data
    assert curve.type == ring.type == "scatter"
    assert len(curve.x) == len(found.gammas)
    finite = np.isfinite(found.cv[:, 0])
    np.testing.assert_allclose(np.asarray(curve.y, dtype=float)[finite], found.cv[finite, 0])
    assert float(ring.x[0]) == pytest.approx(found.gamma, rel=0.05)
    assert ring.y[0] == pytest.approx(found.cv.min())


@pytest.mark.parametrize("worst", [np.inf, np.nan])
def test_a_curve_of_errors_leaves_out_what_has_no_end(worst):
    """Widths without a finite error are gaps, and the ring is at the lowest of the others."""
    curve, ring = heatmap(estimate([[worst], [0.3], [0.2], [0.4]], deltas=[0.0])).data
    assert np.isnan(curve.y[0])
    assert (ring.x[0], ring.y[0]) == (curve.x[2], 0.2)


@pytest.mark.parametrize("make", [SMIC, MIC])
def test_posteriors_are_those_of_the_model(make, data, view):
    """At each place of the grid the band is the likeliest cluster's, and its depth says how sure it is."""
    model = make(3, n_neighbors=3, random_state=0).fit(data.X)
    heat = posterior_map(model, model.labels_, view).data[0]
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, len(heat.y), 50), rng.integers(0, len(heat.x), 50)
    places = np.column_stack([np.asarray(heat.x)[columns], np.asarray(heat.y)[rows]])
    posterior = model.predict_proba(places)
    z, known = np.asarray(heat.z)[rows, columns], np.asarray(heat.customdata)[rows, columns]
    np.testing.assert_array_equal(np.floor(z), posterior.argmax(axis=1))
    np.testing.assert_array_equal(known[:, 0], posterior.argmax(axis=1))
    np.testing.assert_allclose(known[:, 1], posterior.max(axis=1), atol=1e-6)
    np.testing.assert_allclose(z - np.floor(z), 0.999 * (3 * posterior.max(axis=1) - 1) / 2, atol=1e-5)
    assert (heat.zmin, heat.zmax) == (0, 3)


def test_each_band_goes_from_pale_to_full_in_its_clusters_colour(model, view):
    """Three clusters have three bands of the palette's colours, each paler where it begins."""
    scale = posterior_map(model, model.labels_, view).data[0].colorscale
    assert [place for place, _ in scale] == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 1])
    for h in range(3):
        red, green, blue = (int(cluster_color(h)[c : c + 2], 16) for c in (1, 3, 5))
        pale, full = (
            re.fullmatch(r"rgba\((\d+),(\d+),(\d+),(.*)\)", c).groups() for _, c in scale[2 * h :][:2]
        )
        assert tuple(map(int, pale[:3])) == tuple(map(int, full[:3])) == (red, green, blue)
        assert float(pale[3]) < 0.1 < 0.5 < float(full[3])


def test_the_points_of_the_map_have_the_colours_and_shapes_of_their_clusters(model, data, view):
    """Each cluster's points are drawn once, in its colour and with a shape of its own."""
    clusters = posterior_map(model, model.labels_, view).data[1:]
    assert [trace.name for trace in clusters] == ["cluster 0", "cluster 1", "cluster 2"]
    for h, trace in enumerate(clusters):
        own = data.X[model.labels_ == h]
        np.testing.assert_allclose(np.column_stack([trace.x, trace.y]), own, rtol=1e-6)
        assert trace.marker.color == cluster_color(h)
    assert len({trace.marker.symbol for trace in clusters}) == 3


def test_posteriors_need_a_plane():
    """Where the view is no plane of the features the map is refused."""
    digits = load("digits", classes=[3, 8])
    hidden = make_view(digits.X, digits.feature_names)
    assert hidden.axes is None
    with pytest.raises(ValueError, match="plane"):
        posterior_map(SMIC(2, n_neighbors=5).fit(digits.X), digits.y, hidden)


def test_posteriors_are_drawn_in_the_plane_of_components():
    """With four features the grid lies in the plane of the two components."""
    iris = load("iris").standardized()
    plane = make_view(iris.X, iris.feature_names)
    model = SMIC(3, n_neighbors=7).fit(iris.X)
    heat = posterior_map(model, model.labels_, plane).data[0]
    corner = plane.centre + np.array([heat.x[0], heat.y[0]]) @ plane.axes
    assert heat.customdata[0][0][1] == pytest.approx(model.predict_proba(corner[None]).max(), abs=1e-6)


def test_titles_of_the_plane_cannot_become_marks(model, data):
    """Names of columns are escaped in every figure of the plane."""
    named = make_view(data.X, (_NASTY, "x" * 100))
    graph = model.graph_
    drawn = kernel_graph(graph.matrix, graph.vertex, model.eigenvectors_[:, 1], named, _NASTY)
    for figure in (posterior_map(model, model.labels_, named), drawn):
        assert "<b onclick" not in figure.to_json().encode().decode("unicode_escape")
        assert len(figure.layout.yaxis.title.text) == 40


def test_the_links_are_those_of_the_kernel(model, data, view):
    """Each pair of points whose kernel is not zero is linked once; the colours are the given values."""
    graph = model.graph_
    figure = kernel_graph(graph.matrix, graph.vertex, model.eigenvectors_[:, 1], view, "entry")
    i, j = np.nonzero(np.triu(graph.matrix.toarray(), 1))
    points = data.X.astype(np.float32)
    assert np.array_equal(graph.vertex, np.arange(60))
    assert distinct_edges(figure) == {
        frozenset([tuple(points[a].tolist()), tuple(points[b].tolist())]) for a, b in zip(i, j, strict=True)
    }
    marker = figure.data[1].marker
    np.testing.assert_allclose(marker.color, model.eigenvectors_[:, 1], rtol=1e-5)
    assert marker.cmax == -marker.cmin == pytest.approx(np.abs(model.eigenvectors_[:, 1]).max())


def test_equal_points_share_a_vertex(data):
    """Where points occur twice, all are drawn, and links lead between the distinct ones."""
    X = np.repeat(data.X[:20], 2, axis=0)
    model = SMIC(2, n_neighbors=2).fit(X)
    graph = model.graph_
    assert graph.matrix.shape == (20, 20)
    twice = make_view(X, data.feature_names)
    figure = kernel_graph(graph.matrix, graph.vertex, model.eigenvectors_[:, 1], twice, "entry")
    assert len(figure.data[1].x) == 40
    assert len(distinct_edges(figure)) == np.count_nonzero(np.triu(graph.matrix.toarray(), 1))


def test_only_the_strongest_links_are_drawn_when_there_are_many(model, view, monkeypatch):
    """Beyond the limit the links of the highest kernel values stay."""
    monkeypatch.setattr(fields, "_MAX_EDGES", 10)
    graph = model.graph_
    figure = kernel_graph(graph.matrix, graph.vertex, model.eigenvectors_[:, 1], view, "entry")
    upper = np.triu(graph.matrix.toarray(), 1)
    assert len(figure.data[0].x) == 30
    place = {tuple(p): i for i, p in enumerate(view.points.astype(np.float32).tolist())}
    drawn = sorted(upper[tuple(sorted(place[end] for end in edge))] for edge in distinct_edges(figure))
    np.testing.assert_allclose(drawn, np.sort(upper[upper > 0])[-10:])


def test_links_to_points_that_are_not_drawn_are_left_out():
    """Of many points a sample is drawn, and every line that is drawn ends at two of its points."""
    X = np.random.default_rng(0).normal(size=(MAX_POINTS + 500, 2))
    model = SMIC(2, n_neighbors=2).fit(X)
    sampled = make_view(X, ("a", "b"))
    graph = model.graph_
    figure = kernel_graph(graph.matrix, graph.vertex, model.eigenvectors_[:, 1], sampled, "entry")
    assert len(figure.data[1].x) == MAX_POINTS
    line = np.column_stack([figure.data[0].x, figure.data[0].y]).reshape(-1, 3, 2)
    whole = line[~np.isnan(line[:, :2]).any(axis=(1, 2)), :2].reshape(-1, 2)
    known = set(map(tuple, sampled.points.astype(np.float32).tolist()))
    assert len(whole) > MAX_POINTS
    assert set(map(tuple, whole.tolist())) <= known


def test_an_eigenvector_of_zeros_has_a_scale(model, view):
    """Values that are all zero do not make an empty range of colours."""
    graph = model.graph_
    figure = kernel_graph(graph.matrix, graph.vertex, np.zeros(60), view, "entry")
    assert figure.data[1].marker.cmin < figure.data[1].marker.cmax


def test_bands_have_a_curve_for_each_kind_with_its_deviation():
    """The curves are those of the table, in the order of their first rows, told apart by more than colour."""
    table = pd.DataFrame(
        {
            "share": [0.1, 0.5, 0.1, 0.5],
            "prior": ["true", "true", "equal", "equal"],
            "mean": [0.9, 1.0, 0.5, 0.9],
            "deviation": [0.1, 0.0, 0.2, 0.05],
        }
    )
    figure = band_curves(table, x="share", curve="prior", x_title="<i>share</i>", y_title="ARI")
    assert [trace.name for trace in figure.data] == ["true", "equal"]
    assert list(figure.data[1].x) == [0.1, 0.5]
    assert list(figure.data[1].y) == [0.5, 0.9]
    assert list(figure.data[1].error_y.array) == [0.2, 0.05]
    assert figure.data[0].line.dash != figure.data[1].line.dash
    assert figure.data[0].line.color != figure.data[1].line.color
    assert figure.layout.xaxis.title.text == "&lt;i&gt;share&lt;/i&gt;"


@pytest.mark.parametrize("numbers", [[0, 1, 2], [4, 0, 0], [19, 20, 7]], ids=str)
def test_a_thumbnail_has_the_colours_of_the_clusters(numbers, view):
    """Each point has the colour that its cluster has in the other figures."""
    labels = np.array(numbers)[np.arange(60) % 3]
    fills = re.findall(r'fill="(#\w{6})"', thumbnail(view, labels))
    assert fills == [cluster_color(int(h)) for h in labels]


@pytest.mark.parametrize("labels", [None, np.arange(60) % 3], ids=["none", "three"])
def test_no_text_of_the_data_enters_a_thumbnail(labels, data):
    """Whatever columns are called, the picture holds numbers and colours alone."""
    named = make_view(data.X, (_NASTY, "<script>"))
    svg = thumbnail(named, labels, width=130)
    circle = r'<circle cx="-?[\d.]+" cy="-?[\d.]+" r="2\.6" fill="#[0-9A-F]{6}"/>'
    frame = r'<svg xmlns="http://www\.w3\.org/2000/svg" viewBox="0 0 130 130" width="130" height="130">'
    assert re.fullmatch(rf"{frame}({circle}){{60}}</svg>", svg, flags=re.IGNORECASE)


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9, 0.0])
def test_a_thumbnail_holds_all_its_points(scale, data):
    """In whatever unit the points are, each lies within the picture."""
    svg = thumbnail(make_view(data.X * scale, ("a", "b")), None, width=130)
    places = np.array(re.findall(r'cx="([^"]+)" cy="([^"]+)"', svg), dtype=float)
    assert places.shape == (60, 2)
    assert (places >= 0).all()
    assert (places <= 130).all()


def test_a_thumbnail_of_many_points_draws_some_with_their_own_labels():
    """Of a view that is a sample itself, no more than asked for are drawn, each in its label's colour."""
    n = MAX_POINTS + 1000
    X = np.column_stack([np.arange(n, dtype=float), np.zeros(n)])
    svg = thumbnail(make_view(X, ("a", "b")), (np.arange(n) >= n // 2).astype(int), max_points=100)
    found = re.findall(r'cx="([^"]+)" cy="[^"]+" r="2.6" fill="([^"]+)"', svg)
    assert len(found) == 100
    for x, color in found:
        if abs(float(x) - 120) > 2:
            assert color == cluster_color(int(float(x) > 120))
