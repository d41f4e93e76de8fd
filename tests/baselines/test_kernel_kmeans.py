import numpy as np
import pytest
from sklearn.cluster import KMeans

from mmc import KernelKMeans
from mmc.baselines.rounds import Centres, rounds, row_centres
from mmc.datasets import make_circle_gaussian, make_three_gaussians
from mmc.kernels import fit_kernel
from mmc.metrics import adjusted_rand_score
from mmc.starts import seeded_labels


@pytest.fixture
def X():
    """Three clouds of sixty points in all."""
    return make_three_gaussians(60, random_state=1).X


def naive_scatter(K, labels):
    """Add up ‖φ(x_i) − μ_y‖² pair by pair."""
    total = 0.0
    for i, y in enumerate(labels):
        own = np.flatnonzero(labels == y)
        total += K[i, i] - 2 * np.mean([K[i, j] for j in own])
        total += np.mean([[K[a, b] for b in own] for a in own])
    return total


def test_with_a_linear_kernel_it_is_kmeans(X):
    """From the same start the linear kernel ends as scikit-learn's k-means does, with its scatter."""
    start = np.random.default_rng(0).permutation(np.arange(60) % 3)
    model = KernelKMeans(3, kernel="linear", init=start).fit(X)
    centres = np.array([X[start == h].mean(axis=0) for h in range(3)])
    plain = KMeans(3, init=centres, n_init=1, tol=0).fit(X)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert model.objective_ == pytest.approx(plain.inertia_)
    plane = np.random.default_rng(1).normal(0, 3, (200, 2))
    np.testing.assert_allclose(-model.decision_function(plane), plain.transform(plane) ** 2, atol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "local_scaling"])
def test_the_objective_is_the_scatter_and_never_rises(kernel, X):
    """In every state the objective is the naive formula, and from round to round it falls."""
    model = KernelKMeans(3, kernel=kernel, n_init=3, random_state=0)
    K = fit_kernel(X, kernel=kernel).matrix
    last = np.inf
    for step in model.iter_fit(X):
        last = np.inf if step.n_iter == 0 else last
        assert step.state.objective == pytest.approx(naive_scatter(K, step.state.labels))
        assert step.state.objective <= last
        last = step.state.objective
        assert len(np.unique(step.state.labels)) == 3


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_predict_gives_the_labels_of_the_training_points(kernel, X):
    """Every training point is nearest to its own centre."""
    model = KernelKMeans(3, kernel=kernel, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_decision_values_are_squared_distances(X):
    """At training points they are minus K(x, x) − 2 K(x, ·) m + mᵀ K m, also where K(x, x) is not one."""
    for kernel in ("rbf", "poly", "local_scaling"):
        model = KernelKMeans(2, kernel=kernel, n_init=1, random_state=0).fit(X)
        K = fit_kernel(X, kernel=kernel).matrix
        own = model.labels_ == 1
        naive = K.diagonal() - 2 * K[:, own].mean(axis=1) + K[np.ix_(own, own)].mean()
        np.testing.assert_allclose(-model.decision_function(X)[:, 1], naive, atol=1e-9 * np.abs(K).max())


def test_a_precomputed_kernel_gives_the_same_labels(X):
    """The matrix of a kernel stands for the points."""
    K = fit_kernel(X).matrix
    known = KernelKMeans(3, random_state=0).fit(X)
    model = KernelKMeans(3, kernel="precomputed", random_state=0).fit(K)
    np.testing.assert_array_equal(model.labels_, known.labels_)
    np.testing.assert_array_equal(model.predict(K), known.labels_)


def test_a_curved_cluster_is_found():
    """A circle around a cloud, where plain k-means is no better than chance, is mostly found."""
    X, y = make_circle_gaussian(300, random_state=0)
    model = KernelKMeans(2, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.7 > adjusted_rand_score(y, KMeans(2).fit(X).labels_)


def test_an_empty_cluster_takes_the_farthest_point():
    """Where a cluster loses all its points the one farthest from its centre makes a new one."""
    rows = np.array([[0.0], [0.1], [0.2], [10.0], [10.1], [50.0]])
    start = np.array([0, 0, 1, 0, 1, 1])
    centres = row_centres(rows, 3)

    def two_at_first(labels):
        """Put a third centre where it is nobody's nearest."""
        if labels.max() == 2:
            return centres(labels)
        found = row_centres(rows, 2)(labels)
        return Centres(found.places, np.column_stack([found.distances, np.full(6, 1e6)]))

    states = list(rounds(two_at_first, start))
    # 50 is alone with the centre 20.1 and stays; of the others 10.1 is farthest from 3.4.
    assert np.flatnonzero(states[1].labels == 2).tolist() == [4]
    assert all(len(np.unique(state.labels)) == 3 for state in states[1:])
    assert [state.objective for state in states] == sorted((s.objective for s in states), reverse=True)


def test_equal_points_leave_no_cluster_empty():
    """With fewer places than clusters every cluster still has a point."""
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 5, axis=0)
    model = KernelKMeans(4, random_state=0).fit(X)
    assert len(np.unique(model.labels_)) == 4
    assert model.objective_ == pytest.approx(0.0, abs=1e-12)


def test_seeds_are_drawn_by_their_distance():
    """The chance of the second seed is its share of squared distances, so that a far point is nearly sure."""
    places = np.array([0.0, 1.0, 3.0])
    counts = np.zeros(3)
    rng = np.random.RandomState(0)

    class First:
        """Draws the first point, then as it is told."""

        def randint(self, n):
            return 0

        def choice(self, n, p):
            np.testing.assert_allclose(p, [0.0, 0.1, 0.9])
            return rng.choice(n, p=p)

    for _ in range(50):
        labels = seeded_labels(lambda i: (places - places[i]) ** 2, 3, 2, First())
        counts[np.flatnonzero(labels == 1)[-1]] += 1
    assert counts[2] > 40
