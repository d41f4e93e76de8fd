"""Figures of what clusters are: bars of columns, silhouettes, and rows as lines."""

import numpy as np
import pandas as pd
import pytest

import mmc
from mmc.figures import cluster_color, effect_bars, parallel_coordinates, silhouette_plot
from mmc.figures.packed import pack

_NASTY = '<b onclick="x">&</b>'


@pytest.fixture(scope="module")
def found():
    """Profile of three groups in fourteen columns, one of them with markup in its name, and a text."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 10)
    table = pd.DataFrame(rng.normal(size=(30, 14)), columns=[_NASTY, *(f"c{i}" for i in range(13))])
    table[_NASTY] += 5.0 * labels
    table["town"] = np.array(["a", "b", _NASTY])[labels]
    return mmc.profile(table, labels)


def test_bars_are_the_separations_on_their_side(found):
    """At most twelve bars, as long as the separation: left is lower, right higher, else in the middle."""
    for each in found.clusters:
        columns = found.of(each.label)
        (bars,) = effect_bars(columns, each.label).data
        assert len(bars.x) == 12
        np.testing.assert_allclose(bars.x, columns["separation"][:12])
        for begin, length, direction in zip(bars.base, bars.x, columns["direction"][:12], strict=True):
            share = {"lower": -1.0, "higher": 0.0}.get(direction, -0.5)
            assert begin == pytest.approx(share * length)
        assert bars.marker.color == cluster_color(each.label)


def test_names_cannot_bring_in_elements(found):
    """Markup in the name of a column or in a category is drawn as text."""
    shown = found.of(0)
    X = np.arange(12.0).reshape(4, 3)
    figures = [effect_bars(shown), parallel_coordinates(X, np.array([0, 0, 1, 1]), [_NASTY, "a", "b"])]
    for figure in figures:
        assert "<b onclick" not in str(pack(figure).to_dict())
        assert "&lt;b" in str(pack(figure).to_dict())


def test_bars_of_one_cluster_are_none():
    """Without other clusters there is no separation, and an empty figure."""
    table = mmc.profile(np.eye(3), [0, 0, 0]).of(0)
    assert len(effect_bars(table).data[0].x) == 0


def test_bands_hold_all_silhouettes(found):
    """Each cluster is a band of its size in its colour, and the mean is marked."""
    labels = np.repeat([0, 1, 2], 10)[found.silhouette_rows]
    figure = silhouette_plot(found.silhouette_values, labels, {0: 2, 1: 1, 2: 0})
    assert [band.fillcolor for band in figure.data] == [cluster_color(c) for c in (2, 1, 0)]
    for h, band in enumerate(figure.data):
        assert np.ptp(band.y) == 10
        assert band.x.max() == pytest.approx(max(found.silhouette_values[labels == h].max(), 0), abs=1e-6)
    (line,) = figure.layout.shapes
    assert line.x0 == pytest.approx(found.silhouette_values.mean())


def test_lines_are_few_and_standardised():
    """At most eight columns and a thousand rows are drawn; rows of no cluster are not; medians are of all."""
    rng = np.random.default_rng(0)
    values, labels = rng.normal(5, 3, size=(1500, 10)), np.tile([0, 1, -1], 500)
    figure = parallel_coordinates(values, labels, [f"c{i}" for i in range(10)])
    lines, medians = figure.data[:2], figure.data[2:]
    assert sum(np.isnan(trace.y).sum() for trace in lines) == 1000
    assert all(len(trace.x) == 8 for trace in medians)
    inside = values[labels >= 0, :8]
    z = (inside - inside.mean(axis=0)) / inside.std(axis=0)
    np.testing.assert_allclose(medians[1].y, np.median(z[labels[labels >= 0] == 1], axis=0))


def test_missing_and_constant_values_are_drawn_without_warning():
    """A gap interrupts a line, and a constant column is at the mean."""
    values = np.array([[1.0, 4, np.nan], [2, 4, 1], [3, 4, 2]])
    figure = parallel_coordinates(values, np.array([0, 0, 1]), ["a", "b", "c"])
    assert np.isnan(figure.data[0].y[2])
    assert figure.data[0].y[1] == 0
