"""Features Φ of a kernel: Φ Φᵀ is the kernel of landmarks, or the regularised Laplacian of a graph."""

import numpy as np
import pytest

from mmc.datasets import make_moons
from mmc.kernels import low_rank
from mmc.kernels.low_rank import approximate

OPTIONS = {"n_clusters": 2, "landmarks": "k-means"}


def features(X, kernel, n_landmarks=None, n_components=None, **parameters):
    """Compute features with a fixed seed."""
    rng = np.random.RandomState(0)
    found = approximate(
        X, kernel, parameters, n_landmarks=n_landmarks, n_components=n_components, rng=rng, **OPTIONS
    )
    return found, found.feature_map()


def test_landmarks_have_the_features_of_nystroem():
    """With every point as a landmark Φ Φᵀ is the kernel matrix itself."""
    X = make_moons(40, random_state=0).X
    _, found = features(X, "rbf", 40, gamma=0.7)
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    np.testing.assert_allclose(found.Phi @ found.Phi.T, np.exp(-0.7 * distances), atol=1e-10)
    assert (found.scale == 1.0).all()


@pytest.mark.parametrize("kernel", ["graph", "landmark_graph"])
def test_a_graph_has_its_regularised_laplacian(kernel):
    """Φ Φᵀ = n Σ v vᵀ / (1 + ρ (1 − μ)), written plainly."""
    X = make_moons(150, random_state=0).X
    approximation, found = features(X, kernel, n_components=9, n_neighbors=8)
    G, _, roughness = approximation
    plain = sum(
        len(X) * np.outer(v, v) / (1.0 + low_rank._ROUGHNESS * rough)
        for v, rough in zip(G.T, roughness, strict=True)
    )
    np.testing.assert_allclose(found.Phi @ found.Phi.T, plain, atol=1e-9)
    assert found.Phi.shape == (150, 9)
    assert 0.1 < np.diag(plain).mean() <= 9.0 + 1e-9


@pytest.mark.parametrize(
    ("kernel", "parameters"),
    [("rbf", {"gamma": "median"}), ("graph", {"n_neighbors": 8}), ("landmark_graph", {"n_neighbors": 8})],
)
@pytest.mark.parametrize("n", [120, 5100])
def test_training_points_come_out_as_they_went_in(kernel, parameters, n):
    """The map gives the rows of Φ, in double precision, also without the points; and Φ is G scaled."""
    X = make_moons(n, random_state=0).X
    approximation, found = features(X, kernel, None if kernel == "graph" else 60, **parameters)
    assert found.Phi.dtype == np.float64
    np.testing.assert_allclose(found.Phi, approximation.G * found.scale, rtol=1e-6)
    light = found.without_points()
    np.testing.assert_allclose(light(X[:50]), found.Phi[:50], atol=1e-4 * np.abs(found.Phi).max())
    assert light.Phi.shape == (0, found.Phi.shape[1])
