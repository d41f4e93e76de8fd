"""SelfTuningSpectral and DIFFRAC round eigenvectors to labels by k-means."""

from itertools import product

import numpy as np
import pytest
from sklearn.cluster import KMeans

from mmc import DIFFRAC, SelfTuningSpectral
from mmc.datasets import make_moons, make_three_gaussians
from mmc.kernels import factor, fit_kernel, neighbors, spectral
from mmc.kernels.neighbor_graph import neighbor_graph
from mmc.kernels.spectral import normalized_spectrum, spectral_labels
from mmc.metrics import adjusted_rand_score


@pytest.fixture
def X():
    """Three clouds of sixty points in all."""
    return make_three_gaussians(60, random_state=1).X


def hat(X, alpha):
    """Give K̃ and K̃ (K̃ + nκI)⁻¹ by plain inversion."""
    n = len(X)
    centring = np.eye(n) - np.ones((n, n)) / n
    K = centring @ fit_kernel(X).matrix @ centring
    return K, K @ np.linalg.inv(K + n * alpha * np.eye(n))


def test_the_scatter_is_the_trace_of_the_paper_with_unit_columns(X):
    """With all eigenvectors kept, n tr(Π Πᵀ A) = k − 1 − Σ e R e/n_y; the scatter lacks only a constant."""
    n, kappa = len(X), 0.01
    K, R = hat(X, kappa)
    centring = np.eye(n) - np.ones((n, n)) / n
    A = kappa * centring @ np.linalg.inv(K + n * kappa * np.eye(n)) @ centring
    values, V = np.linalg.eigh(K)
    mu = values[-2:] / (values[-2:] + n * kappa)
    leading = V[:, -2:] * mu @ V[:, -2:].T
    for labels in (np.arange(n) % 3, np.sort(np.arange(n) % 3)):
        unit = np.eye(3)[labels] / np.sqrt(np.bincount(labels))
        assert n * np.trace(unit @ unit.T @ A) == pytest.approx(2 - np.trace(unit.T @ R @ unit))
        first = next(iter(_from(DIFFRAC(3, alpha=kappa), X, labels)))
        assert first.objective == pytest.approx(mu.sum() - np.trace(unit.T @ leading @ unit))


def _from(model, X, labels):
    """Give the states of a start from given labels."""
    problem = model._prepare(X)._replace(starts=[labels])
    _, (states,) = model._starts(problem)
    return states


def test_diffrac_rounds_to_the_best_labelling():
    """On eight points the best of twenty starts has the least scatter of all labellings."""
    X = np.random.default_rng(5).normal(size=(8, 2))
    model = DIFFRAC(3, n_init=20, random_state=0).fit(X)
    rows = model.embedding_
    least = np.inf
    for rest in product(range(3), repeat=7):
        labels = np.array([0, *rest])
        if len(np.unique(labels)) == 3:
            centres = np.array([rows[labels == h].mean(axis=0) for h in range(3)])
            least = min(least, ((rows - centres[labels]) ** 2).sum())
    assert model.objective_ == pytest.approx(least)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "local_scaling"])
def test_diffrac_rows_of_training_points_follow_from_their_kernel_values(kernel, X):
    """A training point that is given again gets its own row, and its own label."""
    model = DIFFRAC(3, kernel=kernel, random_state=0).fit(X)
    distances = ((model.embedding_[:, None] - model.state_.places) ** 2).sum(axis=2)
    np.testing.assert_allclose(-model.decision_function(X), distances, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_a_large_kappa_mutes_weak_eigenvectors(X):
    """The second eigenvector counts the less beside the first, the larger κ is."""
    shares = []
    for kappa in (1e-4, 1e-2, 1.0):
        squares = (DIFFRAC(3, alpha=kappa, random_state=0).fit(X).embedding_ ** 2).sum(axis=0)
        shares.append(squares[1] / squares[0])
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.9


def test_eigenvectors_that_are_missing_do_not_count():
    """A linear kernel on a line has one eigenvector; three clusters are found on it all the same."""
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    model = DIFFRAC(3, kernel="linear", random_state=0).fit(X)
    assert (model.embedding_[:, 1] == 0).all()
    assert adjusted_rand_score([0, 0, 1, 1, 2, 2], model.labels_) == 1.0


def test_self_tuning_is_kmeans_on_unit_rows(X):
    """Its end is no worse than scikit-learn's k-means on the same rows, which have length one."""
    model = SelfTuningSpectral(3, random_state=0).fit(X)
    rows = model.embedding_
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0)
    plain = KMeans(3, n_init=10, random_state=0).fit(rows)
    assert model.objective_ == pytest.approx(plain.inertia_)
    vectors = normalized_spectrum(neighbor_graph(X, 10).matrix, 3).vectors
    labels = spectral_labels(vectors, 3, np.random.RandomState(0))
    assert adjusted_rand_score(labels, model.labels_) == 1.0


def test_self_tuning_finds_moons_and_new_points_follow_the_nearest():
    """Two moons are told apart, and a point beside one of its points joins it."""
    moons = make_moons(200, noise=0.05, random_state=0)
    model = SelfTuningSpectral(2, random_state=0).fit(moons.X)
    assert adjusted_rand_score(moons.y, model.labels_) == 1.0
    np.testing.assert_array_equal(model.predict(moons.X + 1e-6), model.labels_)
    distances = np.linalg.norm(moons.X[:, None] - moons.X, axis=2)
    nearest = [distances[:, model.labels_ == h].min(axis=1) for h in range(2)]
    np.testing.assert_allclose(-model.decision_function(moons.X), np.array(nearest).T)


def test_self_tuning_counts_equal_points_once():
    """Three different points can make three clusters and no more, however often each occurs."""
    X = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
    labels = SelfTuningSpectral(3, n_neighbors=1, random_state=0).fit(X).labels_
    assert adjusted_rand_score(np.repeat([0, 1, 2], 4), labels) == 1.0
    with pytest.raises(ValueError, match="n_clusters=4 is more than the number of different points, 3"):
        SelfTuningSpectral(4).fit(X)


@pytest.mark.parametrize("q", [2, 30])
def test_self_tuning_of_many_points(q, monkeypatch):
    """Beyond a number of points components and single precision are used; new points follow the nearest."""
    rng = np.random.default_rng(0)
    y = np.arange(900) % 3
    X = 20.0 + rng.normal(size=(900, q)) + 12.0 * np.eye(3, q)[y] + 12.0 * (y == 2)[:, None] * np.eye(q)[1]
    exact = SelfTuningSpectral(3, random_state=0).fit(X)
    for where in (factor, neighbors, spectral):
        monkeypatch.setattr(where, "EXACT", 500)
    monkeypatch.setattr(neighbors, "N_COMPONENTS", 10)
    model = SelfTuningSpectral(3, random_state=0).fit(X)
    assert model.neighborhood_.points.shape == (900, min(q, 10))
    assert adjusted_rand_score(exact.labels_, model.labels_) == 1.0
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    new = X[:40] + 0.1
    places, points = (model.neighborhood_.centre(A) for A in (new, X))
    distances = np.linalg.norm(places[:, None] - points, axis=2)
    nearest = [distances[:, model.labels_ == h].min(axis=1) for h in range(3)]
    np.testing.assert_allclose(-model.decision_function(new), np.array(nearest).T, rtol=1e-5)


def test_self_tuning_predicts_equal_points_alike():
    """Points that occur several times are one place, which new points are compared with."""
    X = np.repeat(make_three_gaussians(30, random_state=0).X, 3, axis=0)
    model = SelfTuningSpectral(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.labels_, np.repeat(model.labels_[::3], 3))
