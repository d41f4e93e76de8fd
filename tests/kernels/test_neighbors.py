"""Distinct rows, principal components and nearest neighbours equal their naive forms."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from mmc._points import distinct_rows
from mmc.kernels import neighbors
from mmc.kernels.neighbors import fit_components, nearest_of, nearest_others


def cloud(n: int = 60, q: int = 3, seed: int = 0):
    """Draw points without ties."""
    return np.random.default_rng(seed).normal(size=(n, q))


def by_brute_force(points, X, t: int, *, others: bool):
    """Sort the points by distance, and equal distances by index."""
    distances = np.sqrt(((X[:, None] - points) ** 2).sum(axis=2))
    if others:
        np.fill_diagonal(distances, np.inf)
    indices = np.argsort(distances, axis=1, kind="stable")[:, :t]
    return np.take_along_axis(distances, indices, axis=1), indices


def test_distinct_rows_are_those_of_a_dictionary():
    """Every row has the position of its first occurrence among the different ones."""
    X = np.random.default_rng(0).integers(0, 3, size=(50, 3)).astype(float)
    places = {row: i for i, row in enumerate(dict.fromkeys(map(tuple, X)))}
    first, vertex = distinct_rows(X)
    np.testing.assert_array_equal(vertex, [places[tuple(row)] for row in X])
    np.testing.assert_array_equal(X[first], list(places))
    assert (np.diff(first) > 0).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_minus_zero_is_zero(dtype):
    """Rows that differ only in the sign of a zero are equal, and the points are not changed."""
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, -0.0], [1.0, 0.0]], dtype=dtype)
    first, vertex = distinct_rows(X)
    np.testing.assert_array_equal(first, [0, 2])
    np.testing.assert_array_equal(vertex, [0, 0, 1, 1])
    assert np.signbit(X[1, 0])


def test_distinct_rows_of_views():
    """Rows that do not lie one after another in memory are compared by their values."""
    X = np.asfortranarray(np.repeat(cloud(10), 2, axis=0))
    np.testing.assert_array_equal(distinct_rows(X).vertex, np.repeat(np.arange(10), 2))
    np.testing.assert_array_equal(distinct_rows(X[:, ::2]).vertex, np.repeat(np.arange(10), 2))


@pytest.mark.parametrize(("n", "q"), [(30, 8), (60, 3)], ids=["few points", "few features"])
def test_few_points_or_features_are_only_shifted(n, q, monkeypatch):
    """Up to a number of points or features there is no projection."""
    monkeypatch.setattr(neighbors, "EXACT", 30)
    monkeypatch.setattr(neighbors, "N_COMPONENTS", 3)
    X = 5.0 + cloud(n, q)
    components = fit_components(X)
    assert components.axes is None
    np.testing.assert_allclose(components(X), X - X.mean(axis=0))


def test_principal_components_are_those_of_scikit_learn(monkeypatch):
    """Beyond, projections equal those of PCA up to sign, for new points too, in several blocks of rows."""
    monkeypatch.setattr(neighbors, "EXACT", 30)
    monkeypatch.setattr(neighbors, "N_COMPONENTS", 3)
    monkeypatch.setattr(neighbors, "_ROWS", 50)
    X, new = 100.0 + cloud(220, 8) * 2.0 ** np.arange(8), 100.0 + cloud(70, 8, seed=1)
    components, pca = fit_components(X), PCA(3).fit(X)
    signs = np.sign((components.axes * pca.components_.T).sum(axis=0))
    for points in (X, new):
        found = components(points)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found * signs, pca.transform(points), atol=1e-3)
    largest = components.axes[np.abs(components.axes).argmax(axis=0), np.arange(3)]
    assert (largest > 0).all()


@pytest.mark.parametrize("q", [1, 2, 20], ids=["line", "tree", "all pairs"])
@pytest.mark.parametrize("t", [1, 5, 59])
def test_neighbours_are_those_of_all_distances(q, t):
    """The other points are found with their distances, also all of them."""
    X = cloud(q=q)
    distances, indices = by_brute_force(X, X, t, others=True)
    found = nearest_others(X, t)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-12)


def test_equally_near_neighbours_come_in_their_order():
    """On a circle both neighbours are equally far, and the first comes first."""
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    np.testing.assert_array_equal(nearest_others(X, 3).indices, [[1, 3, 2], [0, 2, 3], [1, 3, 0], [0, 2, 1]])


@pytest.mark.parametrize("q", [2, 20])
@pytest.mark.parametrize("t", [1, 4, 60])
def test_neighbours_of_new_points(q, t):
    """New points are compared with all points, and a point that is given again is its own neighbour."""
    points, new = cloud(q=q), np.vstack([cloud(9, q, seed=1), cloud(q=q)[:5]])
    distances, indices = by_brute_force(points, new, t, others=False)
    found = nearest_of(points, new, t)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-12)
    np.testing.assert_array_equal(found.distances[9:, 0], 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("copies", [1, 30], ids=["spread", "crowded"])
def test_approximate_neighbours_are_nearly_all(copies, monkeypatch):
    """Beyond a number of points of many features more than nine of ten neighbours are found."""
    monkeypatch.setattr(neighbors, "PAIRS", 500)
    centres = cloud(2400 // copies, 20)
    X = np.repeat(centres, copies, axis=0) + 1e-3 * cloud(len(centres) * copies, 20, seed=1)
    found = nearest_others(X.astype(np.float32), 10)
    expected = by_brute_force(X, X, 10, others=True)[1]
    own = np.arange(len(X))[:, None]
    assert (found.indices != own).all()
    assert all(len(set(row)) == 10 for row in found.indices)
    assert np.mean([len(set(a) & set(b)) for a, b in zip(found.indices, expected, strict=True)]) > 9.0
    naive = np.linalg.norm(X[:, None] - X[found.indices], axis=2)
    np.testing.assert_allclose(found.distances, naive, rtol=1e-3)
    assert (np.diff(found.distances, axis=1) >= 0).all()
