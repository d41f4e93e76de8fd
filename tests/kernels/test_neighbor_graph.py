"""The graph of nearest neighbours, its eigenvectors and features equal loops and dense arrays."""

import math

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from mmc.kernels import neighbors
from mmc.kernels.neighbor_graph import GraphFeatures, neighbor_graph


def cloud(n: int = 40, q: int = 2, seed: int = 0):
    """Draw points without ties."""
    return np.random.default_rng(seed).normal(size=(n, q))


def far_groups(sizes=(20, 12, 9)):
    """Draw groups so far apart that no neighbour is in another one."""
    return np.vstack([1000.0 * p + cloud(size, seed=p) for p, size in enumerate(sizes)])


GRID = np.array([(i, j) for i in range(6) for j in range(6)], dtype=float)
DATA = {
    "cloud": cloud(),
    "many features": cloud(q=30),
    "grid": GRID,
    "far groups": far_groups(),
    "outlier": np.vstack([cloud(30), [[1e6, 1e6]]]),
    "two points": np.array([[0.0], [3.0]]),
}
each_set = pytest.mark.parametrize("name", DATA)


def scales_by_loop(X, t: int):
    """Give the distance of each point to its seventh neighbour, or a nearer one for few points."""
    return [sorted(math.dist(x, z) for z in X)[min(7, t, -(-len(X) // 10))] for x in X]


def graph_by_loop(X, t: int):
    """Give W point by point; equally near neighbours count in their order."""
    n, t = len(X), min(t, len(X) - 1)
    scales = scales_by_loop(X, t)
    W = np.zeros((n, n))
    for i in range(n):
        others = sorted((math.dist(X[i], X[j]), j) for j in range(n) if j != i)
        for d, j in others[:t]:
            W[i, j] = max(math.exp(-(d**2) / (scales[i] * scales[j])), 1e-10)
    return np.maximum(W, W.T)


def normalised(W):
    """Give D^-½ W D^-½."""
    roots = np.sqrt(W.sum(axis=1))
    return W / roots[:, None] / roots


@each_set
@pytest.mark.parametrize("t", [1, 3, 7, 10, 100])
def test_graph_is_its_formula(name, t):
    """W equals the loop for fewer neighbours than the scale's, as many, more, and more than there are."""
    X = DATA[name]
    graph = neighbor_graph(X, t)
    np.testing.assert_allclose(graph.matrix.toarray(), graph_by_loop(X, t), rtol=1e-9)
    assert graph.n_neighbors == min(t, len(X) - 1)
    assert graph.n_vertices == len(X)


def test_equal_points_are_one_vertex():
    """Points that occur several times have one vertex, and the graph is that of the different points."""
    X = np.repeat(cloud(15), 3, axis=0)[np.random.default_rng(0).permutation(45)]
    graph = neighbor_graph(X, 4)
    distinct = np.array(list(dict.fromkeys(map(tuple, X))))
    np.testing.assert_array_equal(distinct[graph.vertex], X)
    np.testing.assert_allclose(graph.matrix.toarray(), graph_by_loop(distinct, 4), rtol=1e-9)


@pytest.mark.parametrize("X", [np.ones((5, 2)), np.zeros((2, 1))])
def test_all_points_equal_are_refused(X):
    """Without two different points there is no graph."""
    with pytest.raises(ValueError, match="All points are equal"):
        neighbor_graph(X, 3)


@each_set
@pytest.mark.parametrize("t", [3, 10])
def test_eigenvectors_are_those_of_the_dense_matrix(name, t):
    """All eigenvectors with an eigenvalue of at least 0.01 are found when more are asked for."""
    graph = neighbor_graph(DATA[name], t)
    S = normalised(graph.matrix.toarray())
    values, vectors = graph.spectrum(1000, rough=False)
    expected = np.linalg.eigvalsh(S)[::-1]
    np.testing.assert_allclose(values, expected[expected >= 0.01], atol=1e-10)
    np.testing.assert_allclose(S @ vectors, vectors * values, atol=1e-10)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-10)


def test_parts_have_their_own_eigenvectors():
    """The first eigenvectors of a disconnected graph are one for each part, larger parts first."""
    graph = neighbor_graph(far_groups(), 5)
    assert connected_components(graph.matrix)[0] == 3
    values, vectors = graph.spectrum(3, rough=False)
    np.testing.assert_allclose(values, 1.0)
    part = np.repeat([0, 1, 2], [20, 12, 9])
    np.testing.assert_array_equal(np.abs(vectors) > 1e-12, part[:, None] == [0, 1, 2])


def test_an_outlier_is_linked_faintly():
    """A point whose weights would vanish keeps a positive degree, and finite features."""
    X = DATA["outlier"]
    graph = neighbor_graph(X, 3)
    degrees = graph.matrix.sum(axis=1)
    assert degrees[-1] >= 3e-10
    features = GraphFeatures(graph, graph.spectrum(6, rough=False))
    assert np.isfinite(features(np.vstack([X, [[1e9, -1e9]]]))).all()


def nystroem_by_loop(X, x, t: int, values, vectors):
    """Give S(x, ·) v / μ of one new point."""
    n, t = len(X), min(t, len(X) - 1)
    scales, degrees = scales_by_loop(X, t), graph_by_loop(X, t).sum(axis=1)
    near = sorted((math.dist(x, X[j]), j) for j in range(n))[:t]
    own = near[min(7, t, -(-n // 10)) - 1][0]
    weights = {j: max(math.exp(-(d**2) / (own * scales[j])), 1e-10) for d, j in near}
    total = sum(weights.values())
    return sum(w / math.sqrt(total * degrees[j]) * vectors[j] for j, w in weights.items()) / values


@each_set
@pytest.mark.parametrize("t", [2, 10])
def test_new_points_follow_the_formula_of_nystroem(name, t):
    """Features of new points equal the sum over their neighbours."""
    X = DATA[name]
    graph = neighbor_graph(X, t)
    spectrum = graph.spectrum(5, rough=False)
    new = X[:4] + 0.3 * cloud(len(X[:4]), X.shape[1], seed=9)
    found = GraphFeatures(graph, spectrum)(new)
    expected = [nystroem_by_loop(X, x, t, *spectrum) for x in new]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


@each_set
@pytest.mark.parametrize("rough", [False, True])
def test_training_points_have_their_own_features(name, rough):
    """A training point that is given again has its row of the eigenvectors."""
    X = np.vstack([DATA[name], DATA[name][:2]])
    graph = neighbor_graph(X, 5)
    spectrum = graph.spectrum(4, rough=rough)
    np.testing.assert_array_equal(GraphFeatures(graph, spectrum)(X), spectrum.vectors[graph.vertex])


def test_training_points_are_known_by_their_components(monkeypatch):
    """The same holds where points are compared by principal components, in blocks of any size."""
    monkeypatch.setattr(neighbors, "EXACT", 50)
    monkeypatch.setattr(neighbors, "N_COMPONENTS", 5)
    X = 50.0 + cloud(300, 40) * 0.9 ** np.arange(40)
    graph = neighbor_graph(X, 10)
    assert graph.neighborhood.points.shape == (300, 5)
    spectrum = graph.spectrum(6, rough=True)
    features = GraphFeatures(graph, spectrum)
    assert features(X).dtype == np.float32
    for rows in (slice(None), slice(7, 8), slice(100, 133)):
        np.testing.assert_array_equal(features(X[rows]), spectrum.vectors[rows])
