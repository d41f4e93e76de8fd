"""Landmarks are distinct points, and Nyström's features are their formula."""

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from mmc.kernels import landmarks as module
from mmc.kernels import neighbors
from mmc.kernels.landmarks import LANDMARKS, choose_landmarks, fit_nystroem

each_way = pytest.mark.parametrize("how", LANDMARKS)


def cloud(n: int = 50, d: int = 3, seed: int = 0):
    """Draw points without ties."""
    return np.random.default_rng(seed).normal(size=(n, d))


def chosen(X, p, how, seed=0):
    """Choose with a fixed seed."""
    return choose_landmarks(X, p, how, np.random.RandomState(seed))


@each_way
def test_as_many_as_asked_for_and_all_different(how):
    """Landmarks are different, and the same every time."""
    found = chosen(cloud(500), 20, how)
    assert found.shape == (20, 3)
    assert len(np.unique(found, axis=0)) == 20
    np.testing.assert_array_equal(found, chosen(cloud(500), 20, how))


def test_random_landmarks_are_points():
    """Drawn landmarks are training points, other ones with another seed."""
    X = cloud()
    assert set(map(tuple, chosen(X, 10, "random"))) <= set(map(tuple, X))
    assert (chosen(X, 10, "random") != chosen(X, 10, "random", seed=1)).any()


def test_centres_lie_nearer_than_drawn_points():
    """k-means landmarks represent the points better than drawn ones."""
    X = cloud(600, 2)
    scatter = [(pairwise_distances(X, chosen(X, 12, how)).min(axis=1) ** 2).sum() for how in LANDMARKS]
    assert scatter[0] < 0.8 * scatter[1]


@each_way
@pytest.mark.parametrize("p", [12, 13, 1000])
def test_no_more_than_there_are_different_points(how, p):
    """With as many landmarks as different points, or more, every one of them is a landmark."""
    X = np.repeat(cloud(12), 4, axis=0)
    found = chosen(X, p, how)
    np.testing.assert_array_equal(np.unique(found, axis=0), np.unique(X, axis=0))


@each_way
def test_rare_points_are_found_among_many_equal_ones(how):
    """Where nearly all points are equal, there are still as many different landmarks as there can be."""
    X = np.vstack([np.zeros((400, 2)), cloud(5, 2)])
    assert len(np.unique(chosen(X, 6, how), axis=0)) == 6


KERNELS = {
    "rbf": {"kernel": "rbf", "gamma": 0.3},
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "gamma": 0.5, "degree": 2, "coef0": 1.0},
}


def values(name, X, Z):
    """Compute a kernel plainly."""
    if name == "rbf":
        return np.exp(-0.3 * ((X[:, None] - Z) ** 2).sum(axis=2))
    return X @ Z.T if name == "linear" else (0.5 * X @ Z.T + 1.0) ** 2


@pytest.mark.parametrize("name", KERNELS)
def test_with_all_points_the_kernel_is_exact(name):
    """With every point as a landmark Φ Φᵀ = K, also where K has a lower rank."""
    X = cloud()
    features = fit_nystroem(X, X, KERNELS[name], np.random.RandomState(0))
    Phi = features(X)
    np.testing.assert_allclose(Phi @ Phi.T, values(name, X, X), atol=1e-6)
    rank = {"rbf": len(X), "linear": 3, "poly": 10}[name]
    assert Phi.shape[1] <= rank


@pytest.mark.parametrize("name", KERNELS)
def test_features_are_the_formula_of_nystroem(name, monkeypatch):
    """Between any points Φ Φᵀ = K(x, z) K(z, z)⁺ K(z, x), computed in blocks."""
    X, Z, new = cloud(), cloud(8, seed=1), cloud(30, seed=2)
    features = fit_nystroem(X, Z, KERNELS[name], np.random.RandomState(0))
    inner = np.linalg.pinv(values(name, Z, Z), rcond=1e-12, hermitian=True)
    monkeypatch.setattr(module, "EXACT", 7)
    expected = values(name, new, Z) @ inner @ values(name, Z, X)
    np.testing.assert_allclose(features(new) @ features(X).T, expected, atol=1e-6)


def test_many_points_have_features_in_single_precision(monkeypatch):
    """Beyond a number of points features are float32."""
    X = cloud()
    assert fit_nystroem(X, X[:5], KERNELS["rbf"], np.random.RandomState(0))(X).dtype == np.float64
    monkeypatch.setattr(neighbors, "EXACT", 49)
    assert fit_nystroem(X, X[:5], KERNELS["rbf"], np.random.RandomState(0))(X).dtype == np.float32


def test_a_kernel_that_is_zero_at_all_landmarks_is_refused():
    """The linear kernel at the origin gives no feature."""
    with pytest.raises(ValueError, match="zero at all landmarks"):
        fit_nystroem(cloud(), np.zeros((1, 3)), KERNELS["linear"], np.random.RandomState(0))
