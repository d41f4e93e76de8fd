"""The graph of points and landmarks, and its features, equal loops and dense arrays."""

import math

import numpy as np
import pytest

from mmc.kernels import landmark_graph as module
from mmc.kernels import neighbors
from mmc.kernels.landmark_graph import landmark_graph
from mmc.kernels.landmarks import LANDMARKS


def cloud(n: int = 60, q: int = 2, seed: int = 0):
    """Draw points without ties."""
    return np.random.default_rng(seed).normal(size=(n, q))


def fitted(X, t=3, p=12, r=100, how="k-means"):
    """Build the graph with a fixed seed, and check that it gives the training points their features."""
    graph, features = landmark_graph(X, t, p, r, how, np.random.RandomState(0))
    np.testing.assert_allclose(features, graph(X), atol=1e-8)
    return graph


def nearest(x, landmarks, t: int):
    """Give distances and indices of the nearest landmarks."""
    return sorted((math.dist(x, z), j) for j, z in enumerate(landmarks))[:t]


def scales_by_loop(points, landmarks, t: int):
    """Give the mean, over the points that a landmark is nearest to, of their distance to their last one."""
    found = [nearest(x, landmarks, t) for x in points]
    typical = np.mean([row[-1][0] for row in found if row[-1][0] > 0] or [1.0])
    means = [[row[-1][0] for row in found if row[0][1] == j] for j in range(len(landmarks))]
    return [np.mean(own) if own and np.mean(own) > 0 else typical for own in means]


def weights_by_loop(points, landmarks, scales, t: int):
    """Give Z point by point."""
    Z = np.zeros((len(points), len(landmarks)))
    for i, x in enumerate(points):
        row = nearest(x, landmarks, t)
        for d, j in row:
            own = row[-1][0] if row[-1][0] > 0 else scales[j]
            Z[i, j] = math.exp(-(d**2) / (own * scales[j]))
    return Z / Z.sum(axis=1, keepdims=True)


SETS = {
    "cloud": cloud(),
    "many features": cloud(q=20),
    "repeated": np.repeat(cloud(20), 3, axis=0),
    "far groups": np.vstack([cloud(30), 1000.0 + cloud(30, seed=1)]),
    "outlier": np.vstack([cloud(), [[50.0, 50.0]]]),
}


@pytest.mark.parametrize("how", LANDMARKS)
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("t", [1, 3, 50])
def test_features_are_eigenvectors_of_the_graph(name, t, how):
    """Features of the training points are orthonormal eigenvectors of Z Δ⁻¹ Zᵀ, all positive ones."""
    X = SETS[name]
    graph = fitted(X, t=t, how=how)
    points = X - X.mean(axis=0)
    t = min(t, len(graph.landmarks))
    scales = scales_by_loop(points, graph.landmarks, t)
    np.testing.assert_allclose(graph.scales, scales, rtol=1e-10)
    Z = weights_by_loop(points, graph.landmarks, scales, t)
    Z = Z[:, Z.any(axis=0)]
    S = Z / Z.sum(axis=0) @ Z.T
    V = graph(X)
    np.testing.assert_allclose(S @ V, V * graph.values, atol=1e-8)
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-8)
    expected = np.linalg.eigvalsh(S)[::-1]
    np.testing.assert_allclose(graph.values, expected[expected > 1e-6], atol=1e-10)
    assert graph.values[0] == pytest.approx(1.0)


@pytest.mark.parametrize("t", [1, 3])
def test_new_points_need_the_landmarks_alone(t):
    """Features of new points are z Δ^-½ u / √μ, so that v = Z Δ⁻¹ Zᵀ v / μ extends to them."""
    X, new = cloud(), cloud(7, seed=3)
    graph = fitted(X, t=t)
    arguments = graph.landmarks, graph.scales, t
    Z, z = (weights_by_loop(A - X.mean(axis=0), *arguments) for A in (X, new))
    expected = z / Z.sum(axis=0) @ Z.T @ graph(X) / graph.values
    np.testing.assert_allclose(graph(new), expected, atol=1e-8)


def test_features_are_computed_in_blocks(monkeypatch):
    """Features do not depend on the number of rows that are computed at a time."""
    graph = fitted(cloud())
    together = graph(cloud())
    monkeypatch.setattr(module, "_ROWS", 7)
    np.testing.assert_array_equal(graph(cloud()), together)


def test_the_first_feature_is_constant():
    """In a connected graph the first eigenvector is the intercept."""
    np.testing.assert_allclose(np.abs(fitted(cloud(), t=4)(cloud())[:, 0]), 60**-0.5)


def test_fewer_features_are_the_leading_ones():
    """Asked for few features, the graph has those of the largest eigenvalues."""
    few, all_ = fitted(cloud(), r=3), fitted(cloud())
    np.testing.assert_allclose(few.values, all_.values[:3])
    np.testing.assert_allclose(np.abs(few(cloud())), np.abs(all_(cloud())[:, :3]), atol=1e-8)


@pytest.mark.parametrize("how", LANDMARKS)
def test_more_landmarks_than_points(how):
    """Every different point is a landmark, and there are no more features."""
    X = np.repeat(cloud(6), 2, axis=0)
    graph = fitted(X, p=100, how=how)
    assert len(graph.landmarks) == 6
    assert len(graph.values) <= 6


def test_all_points_equal_are_refused():
    """Without two different points there is no width."""
    with pytest.raises(ValueError, match="All points are equal"):
        fitted(np.ones((10, 2)))


def test_many_points_by_their_components(monkeypatch):
    """Beyond a number of points, components and float32 are used; training points have the same features."""
    monkeypatch.setattr(neighbors, "EXACT", 50)
    monkeypatch.setattr(neighbors, "N_COMPONENTS", 5)
    X = 50.0 + cloud(300, 40) * 0.9 ** np.arange(40)
    graph = fitted(X, p=30, r=4)
    V = graph(X)
    assert graph.landmarks.shape == (30, 5)
    assert V.dtype == np.float32
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-4)
    np.testing.assert_allclose(graph(X[5:9]), V[5:9], atol=1e-5)
