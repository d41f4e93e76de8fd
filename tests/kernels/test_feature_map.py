"""Features Φ with K ≈ Φ Φᵀ."""

import numpy as np
import pytest

from mmc.datasets import load
from mmc.kernels import fit_kernel
from mmc.kernels.low_rank import GRAPHS, approximate

X = load("three-gaussians", n_samples=90, random_state=0).X


def features(kernel, points=X, **values):
    """Approximate a kernel with all points as landmarks unless others are given."""
    usual = {"n_clusters": 3, "n_landmarks": len(points), "landmarks": "random", "n_components": None}
    parameters = {"n_neighbors": 10} if kernel in GRAPHS else {}
    return approximate(points, kernel, parameters, rng=np.random.RandomState(0), **usual | values)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_all_landmarks_give_the_kernel(kernel):
    """With every point as a landmark Φ Φᵀ is the matrix."""
    Phi = features(kernel).feature_map().Phi
    K = fit_kernel(X, kernel=kernel).matrix
    np.testing.assert_allclose(Phi @ Phi.T, K, atol=1e-8 * np.abs(K).max())


@pytest.mark.parametrize("kernel", GRAPHS)
def test_a_graph_is_a_regularised_laplacian_kernel(kernel):
    """Φ Φᵀ = n Σ v_i v_iᵀ / (1 + 100 (1 − μ_i)), written out."""
    approximation = features(kernel, n_landmarks=None)
    Phi = approximation.feature_map().Phi
    K = np.zeros((90, 90))
    for v, roughness in zip(approximation.G.T, approximation.roughness, strict=True):
        K += 90.0 * np.outer(v, v) / (1.0 + 100.0 * roughness)
    np.testing.assert_allclose(Phi @ Phi.T, K, atol=1e-10)


@pytest.mark.parametrize("kernel", [*GRAPHS, "rbf"])
@pytest.mark.parametrize("n", [90, 5100])
def test_rows_of_training_points_come_again(kernel, n):
    """The map gives Φ for the training points, in double precision however features are stored."""
    points = load("three-gaussians", n_samples=n, random_state=0).X
    approximation = features(kernel, points, n_landmarks=20)
    found = approximation.feature_map()
    assert found.Phi.dtype == np.float64
    assert not np.shares_memory(found.Phi, approximation.G)
    np.testing.assert_allclose(found(points), found.Phi, atol=2e-5 * np.abs(found.Phi).max())
    np.testing.assert_allclose(found(points[:7]), found.Phi[:7], atol=2e-5 * np.abs(found.Phi).max())
    light = found.without_points()
    assert light.Phi.shape == (0, found.Phi.shape[1])
    np.testing.assert_array_equal(light(points[:7]), found(points[:7]))
