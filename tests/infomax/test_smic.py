"""SMIC equals Figure 3 of its paper, and is defined wherever the paper leaves a gap."""

import pickle
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from mmc import SMIC
from mmc.datasets import (
    load,
    make_circle_gaussian,
    make_four_gaussians,
    make_high_low,
    make_moons,
    make_rings,
    make_spirals,
    make_three_gaussians,
)
from mmc.infomax import lsmi
from mmc.kernels.local_scaling import find_neighbors

TOYS = {
    "circle and Gaussian": (make_circle_gaussian(120, random_state=0), 2),
    "spirals": (make_spirals(120, random_state=0), 2),
    "moons": (make_moons(120, random_state=0), 2),
    "rings": (make_rings(120, random_state=0), 2),
    "four Gaussians": (make_four_gaussians(120, random_state=0), 4),
    "high and low": (make_high_low(120, random_state=0), 2),
}
each_toy = pytest.mark.parametrize("toy", TOYS)

#: These labellings have empty clusters, of which the fit warns.
lost_clusters_are_meant = pytest.mark.filterwarnings("ignore:SMIC found only")


def cloud(n: int = 60, d: int = 2, seed: int = 0):
    """Draw one connected cloud of points."""
    return np.random.RandomState(seed).randn(n, d)


def far_apart(sizes):
    """Draw clouds so far from one another that no neighbour is in another one."""
    rng = np.random.RandomState(0)
    y = np.repeat(np.arange(len(sizes)), sizes)
    order = rng.permutation(len(y))
    return (rng.randn(len(y), 2) + 1e4 * np.column_stack([y, y**2]))[order], y[order]


def circle(n: int = 24):
    """Give points at equal distances on a circle, where all but the first eigenvalue come in pairs."""
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def dense_kernel(X, t: int):
    """Give the local-scaling matrix of the distinct points and how often each occurs."""
    fitted = find_neighbors(X, t).kernel(t)
    return fitted.matrix.toarray(), np.bincount(fitted.vertex), fitted.vertex


def figure_3(K, counts, prior, normalize: bool):
    """Read the pseudo code of Figure 3 plainly: labels, posteriors and the value of eq. 8."""
    if normalize:
        D = np.diag(K.sum(axis=1) ** -0.5)
        K = D @ K @ D
    values, phi = np.linalg.eigh(K)
    values, phi = values[::-1], phi[:, ::-1]
    answers = np.empty((len(K), len(prior)))
    smi = -0.5
    for y, share in enumerate(prior):
        signed = phi[:, y] * np.sign(counts @ phi[:, y])
        positive = np.maximum(0, signed)
        answers[:, y] = share * positive / (counts @ positive)
        smi += phi[:, y] @ K @ K @ phi[:, y] / (2 * counts.sum() * share)
    assert np.diff(values[: len(prior) + 1]).max() < -1e-6
    assert (answers.max(axis=1) > 0).all()
    return answers.argmax(axis=1), answers / answers.sum(axis=1, keepdims=True), smi


@lost_clusters_are_meant
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("prior", [None, (1, 3), (0.2, 0.5, 0.3), (1, 1, 2, 4)])
@pytest.mark.parametrize("seed", range(3))
def test_equals_figure_3(seed, prior, normalize):
    """On a connected graph with simple eigenvalues, labels, posteriors and objective are the paper's."""
    X, t = cloud(60, 2, seed), 7
    c = 3 if prior is None else len(prior)
    shares = np.sort(np.full(c, 1 / c) if prior is None else np.array(prior) / np.sum(prior))
    K, counts, _ = dense_kernel(X, t)
    assert connected_components(K)[0] == 1
    labels, posterior, smi = figure_3(K, counts, shares, normalize)
    model = SMIC(c, n_neighbors=t, class_prior=prior, normalize=normalize).fit(X)
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_allclose(model.posterior_, posterior, atol=1e-8)
    assert model.objective_ == pytest.approx(-smi, abs=1e-10)
    assert model.n_neighbors_ == t
    assert model.unresponsive_.size == 0


@pytest.mark.parametrize("normalize", [True, False])
def test_repeated_points_count_as_often_as_they_occur(normalize):
    """Equal points are one vertex, but weigh by their number where answers are scaled and signed."""
    X = np.vstack([cloud(40), np.repeat(cloud(40)[:6], [1, 9, 2, 20, 1, 5], axis=0)])
    K, counts, vertex = dense_kernel(X, 7)
    assert counts.max() == 21
    labels, posterior, smi = figure_3(K, counts, np.full(3, 1 / 3), normalize)
    model = SMIC(3, n_neighbors=7, normalize=normalize).fit(X)
    np.testing.assert_array_equal(model.labels_, labels[vertex])
    np.testing.assert_allclose(model.posterior_, posterior[vertex], atol=1e-8)
    assert model.objective_ == pytest.approx(-smi, abs=1e-10)


@pytest.mark.parametrize("normalize", [True, False])
def test_precomputed_equals_figure_3(normalize):
    """A given kernel is taken as it is."""
    K = rbf_kernel(cloud(50), gamma=2.0)
    labels, posterior, smi = figure_3(K, np.ones(50), np.full(3, 1 / 3), normalize)
    model = SMIC(3, kernel="precomputed", normalize=normalize).fit(K)
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_allclose(model.posterior_, posterior, atol=1e-8)
    assert model.objective_ == pytest.approx(-smi, abs=1e-10)


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("gamma", [0.5, "median"])
def test_gaussian_equals_precomputed(gamma, normalize):
    """The Gaussian kernel by name and the same matrix precomputed give the same, and predict the same."""
    X, new = cloud(50), cloud(20, seed=1)
    named = SMIC(3, kernel="rbf", gamma=gamma, width=0.4, normalize=normalize).fit(X)
    number = named.graph_.kernel.gamma
    given = SMIC(3, kernel="precomputed", normalize=normalize).fit(rbf_kernel(X, gamma=number))
    np.testing.assert_array_equal(named.labels_, given.labels_)
    np.testing.assert_allclose(
        named.predict_proba(new), given.predict_proba(rbf_kernel(new, X, gamma=number)), atol=1e-7
    )
    assert named.n_neighbors_ == 0


@pytest.mark.parametrize("normalize", [True, False])
def test_eigenvectors_are_signed_and_orthonormal(normalize):
    """Fitted eigenvectors belong to the kernel, add up to something positive and are orthonormal."""
    X = cloud(60)
    K = dense_kernel(X, 6)[0]
    if normalize:
        K = K / np.sqrt(np.outer(K.sum(axis=0), K.sum(axis=0)))
    model = SMIC(4, n_neighbors=6, normalize=normalize).fit(X)
    phi = model.eigenvectors_
    np.testing.assert_allclose(K @ phi, phi * model.eigenvalues_, atol=1e-10)
    np.testing.assert_allclose(phi.T @ phi, np.eye(4), atol=1e-10)
    assert (phi.sum(axis=0) > 0).all()
    assert (np.diff(model.eigenvalues_) <= 0).all()


def test_one_step_is_one_eigenvector():
    """After y steps there are y clusters, and each caption names its eigenvector."""
    X = cloud(60)
    model = SMIC(4, n_neighbors=7)
    for y, step in enumerate(model.iter_fit(X), start=1):
        assert model.labels_.max() < y
        assert f"eigenvector {y}, " in step.state.caption
        assert step.status == ("converged" if y == 4 else "running")
        np.testing.assert_array_equal(step.state.posterior[:, y:], 0.0)
        np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert y == 4


def test_steps_name_the_points_that_moved():
    """What a step changes are the points whose label differs from the step before."""
    states = [step.state for step in SMIC(4, n_neighbors=7).iter_fit(cloud(60))]
    for before, after in pairwise(states):
        np.testing.assert_array_equal(after.changed, np.flatnonzero(before.labels != after.labels))
    assert states[0].changed.size == 0
    assert states[1].changed.size > 0


@pytest.mark.parametrize("sizes", [(20, 20), (30, 12), (10, 25, 15)])
@pytest.mark.parametrize("normalize", [True, False])
def test_disconnected_parts_are_the_clusters(sizes, normalize):
    """Clouds without a link are found exactly, in any order of the rows."""
    X, y = far_apart(sizes)
    for seed in range(3):
        order = np.random.RandomState(seed).permutation(len(X))
        model = SMIC(len(sizes), n_neighbors=5, normalize=normalize).fit(X[order])
        assert adjusted_rand_score(y[order], model.labels_) == 1.0
        assert model.unresponsive_.size == 0
        np.testing.assert_allclose(model.state_.confidence(), 1.0)


def test_larger_parts_come_first():
    """Among parts with the eigenvalue 1 the largest is cluster 0, whatever the order of rows."""
    X, y = far_apart([10, 25, 15])
    for seed in range(3):
        order = np.random.RandomState(seed).permutation(50)
        labels = SMIC(3, n_neighbors=5).fit(X[order]).labels_
        np.testing.assert_array_equal(labels, np.array([2, 0, 1])[y[order]])


def test_more_parts_than_clusters():
    """The largest parts become clusters; the others are named silent and follow the nearest of these."""
    X, y = far_apart([20, 30, 8])
    for seed in range(3):
        order = np.random.RandomState(seed).permutation(58)
        model = SMIC(2, n_neighbors=4).fit(X[order])
        np.testing.assert_array_equal(model.labels_, np.array([1, 0, 0])[y[order]])
        np.testing.assert_array_equal(model.unresponsive_, np.flatnonzero(y[order] == 2))
        np.testing.assert_array_equal(model.predict(X[order]), model.labels_)
    assert "8 points without a response follow the nearest with one" in model.state_.caption


@pytest.mark.parametrize("offset", [1e6, 1e9])
@pytest.mark.parametrize("seed", range(3))
def test_silent_points_do_not_know_the_origin(seed, offset):
    """Who is nearest to a silent point does not change when all points are moved."""
    y = np.repeat([0, 1, 2], [20, 30, 8])
    X = cloud(58, seed=seed) + np.array([[-25, 0], [25, 0], [0, 25]])[y]
    X = np.round(X * 2**10) / 2**10  # so that moving them is exact
    model, moved = (SMIC(2, n_neighbors=3).fit(points) for points in (X, X + offset))
    assert model.unresponsive_.size > 0
    np.testing.assert_array_equal(moved.labels_, model.labels_)
    np.testing.assert_array_equal(moved.predict(X + offset), model.labels_)


def test_caption_of_one_silent_point():
    """One point is one point."""
    model = SMIC(2, kernel="precomputed").fit(np.eye(3))
    assert "; 1 point without a response" in model.state_.caption
    assert ";" not in SMIC(3, kernel="precomputed").fit(np.eye(3)).state_.caption


def test_fewer_parts_than_clusters():
    """When every part has a cluster, a further eigenvector parts one of them."""
    X, y = far_apart([40, 15])
    model = SMIC(3, n_neighbors=5).fit(X)
    assert len(set(model.labels_)) == 3
    assert adjusted_rand_score(y, np.where(model.labels_ == model.labels_[y == 1][0], 1, 0)) == 1.0


@pytest.mark.parametrize("n_neighbors", [5, 12])
@pytest.mark.parametrize("c", [2, 3])
def test_links_lost_in_rounding_do_not_mix_clusters(c, n_neighbors):
    """A small group tied to others by links far below rounding does not make the order of rows decide."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], [4, 30, 25])
    X = 0.5 * rng.randn(59, 2) + np.array([[0, 0], [100, 0], [0, 100]])[y]
    labels = SMIC(c, n_neighbors=n_neighbors).fit(X).labels_
    for seed in range(6):
        order = np.random.RandomState(seed).permutation(59)
        permuted = SMIC(c, n_neighbors=n_neighbors).fit(X[order]).labels_
        assert adjusted_rand_score(labels[order], permuted) == 1.0


@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("kernel", ["local_scaling", "rbf"])
@pytest.mark.parametrize("n", [12, 24])
def test_perfect_circle(n, kernel, c):
    """Where an eigenvalue of one part is repeated, the answer is the same every time and whole."""
    X = circle(n)
    model, again = (SMIC(c, n_neighbors=2, kernel=kernel, width=1.0).fit(X) for _ in range(2))
    np.testing.assert_array_equal(model.labels_, again.labels_)
    assert set(model.labels_) == set(range(c))
    assert model.unresponsive_.size == 0
    np.testing.assert_allclose(model.posterior_.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.predict_proba(X), model.posterior_, atol=1e-9)


@pytest.mark.parametrize("n_neighbors", [1, 3, "lsmi"])
def test_equal_points_get_equal_labels(n_neighbors):
    """Repeated rows share their label and their posterior."""
    X = np.random.RandomState(0).randint(0, 4, (60, 2)).astype(float)
    model = SMIC(3, n_neighbors=n_neighbors, random_state=0).fit(X)
    for row in np.unique(X, axis=0):
        same = (row == X).all(axis=1)
        assert len(set(model.labels_[same])) == 1
        assert len(np.unique(model.posterior_[same], axis=0)) == 1


def test_repeating_every_point_changes_nothing():
    """Every point three times gives every label three times."""
    X = cloud(40)
    labels = SMIC(3, n_neighbors=6).fit(X).labels_
    np.testing.assert_array_equal(
        SMIC(3, n_neighbors=6).fit(np.repeat(X, 3, axis=0)).labels_, np.repeat(labels, 3)
    )


@pytest.mark.parametrize("n_neighbors", [14, 15, 500])
def test_more_neighbors_than_points_mean_all(n_neighbors):
    """From n − 1 on, more neighbours change nothing, and the number used is told."""
    X = cloud(15)
    model = SMIC(2, n_neighbors=n_neighbors).fit(X)
    assert model.n_neighbors_ == 14
    np.testing.assert_array_equal(model.labels_, SMIC(2, n_neighbors=14).fit(X).labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_two_points_are_two_clusters():
    """The smallest problem there is."""
    model = SMIC(2, random_state=0).fit([[0.0], [1.0]])
    assert model.labels_.shape == (2,)
    np.testing.assert_array_equal(model.predict([[0.0], [1.0]]), model.labels_)


@lost_clusters_are_meant
def test_clusters_may_stay_empty():
    """A cluster that is nowhere the most probable one has no points, and nothing breaks."""
    X = np.array([[-0.3], [-0.3], [-1.5], [-1.4], [-0.8]])
    model = SMIC(3, n_neighbors=4).fit(X)
    np.testing.assert_array_equal(model.labels_, [1, 1, 0, 0, 0])
    assert model.posterior_.shape == (5, 3)
    assert (model.posterior_[:, 2] > 0).any()
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@lost_clusters_are_meant
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize(
    ("K", "n_positive"),
    [
        (np.ones((5, 5)), 1),
        (np.array([[0.0, 1.0], [1.0, 0.0]]), 1),
        (np.kron(np.eye(2), np.array([[0.1, 1.0], [1.0, 0.1]])), 2),
        (np.ones((4, 4)) - 0.9 * np.eye(4), 1),
    ],
    ids=["one direction", "bipartite", "two bipartite parts", "negative but for one"],
)
def test_eigenvalues_that_are_not_positive_answer_nowhere(K, n_positive, normalize):
    """Such an eigenvector's cluster is empty and its posteriors are zero, here and for new points."""
    c = min(len(K), n_positive + 1)
    model = SMIC(c, kernel="precomputed", normalize=normalize).fit(K)
    assert (model.eigenvalues_ > 1e-10).sum() == n_positive
    np.testing.assert_array_equal(model.posterior_[:, n_positive:], 0.0)
    np.testing.assert_array_equal(model.predict_proba(K)[:, n_positive:], 0.0)
    assert set(model.labels_) == set(range(n_positive))
    np.testing.assert_array_equal(model.predict(K), model.labels_)


@pytest.mark.parametrize("normalize", [True, False])
def test_identity_kernel(normalize):
    """If no two points are alike, the first points are clusters and the others follow, named silent."""
    model = SMIC(2, kernel="precomputed", normalize=normalize).fit(np.eye(5))
    np.testing.assert_array_equal(model.labels_[:2], [0, 1])
    np.testing.assert_array_equal(model.unresponsive_, [2, 3, 4])
    np.testing.assert_allclose(model.posterior_.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(np.eye(5)), model.labels_)


@pytest.mark.parametrize("K", [np.zeros((4, 4)), -np.eye(4)], ids=["zero", "negative"])
def test_kernel_without_a_positive_eigenvalue_is_refused(K):
    """A kernel that answers nowhere is refused, with and without normalisation, and the message says why."""
    with pytest.raises(ValueError, match=r"Row 0 of the kernel adds up to .*normalize=False"):
        SMIC(2, kernel="precomputed").fit(K)
    with pytest.raises(ValueError, match="eigenvalue"):
        SMIC(2, kernel="precomputed", normalize=False).fit(K)


def test_precomputed_kernel_with_negative_values():
    """Negative similarities are fine as they are, and for normalisation as long as every row adds up."""
    X = cloud(30)
    linear = X @ X.T
    with pytest.raises(ValueError, match="adds up to"):
        SMIC(2, kernel="precomputed").fit(linear)
    model = SMIC(2, kernel="precomputed", normalize=False).fit(linear)
    np.testing.assert_array_equal(model.predict(linear), model.labels_)
    lifted = linear + 5.0
    model = SMIC(2, kernel="precomputed").fit(lifted)
    assert (lifted < 0).any()
    np.testing.assert_array_equal(model.predict(lifted), model.labels_)


def test_precomputed_point_like_none():
    """A training point without likeness to any is silent; a new row without a positive answer is labelled."""
    K = np.zeros((7, 7))
    K[:3, :3] = K[3:6, 3:6] = 0.5
    K[np.arange(6), np.arange(6)] = 1.0
    model = SMIC(2, kernel="precomputed", normalize=False).fit(K)
    np.testing.assert_array_equal(model.unresponsive_, [6])
    np.testing.assert_array_equal(model.predict(K), model.labels_)
    new = np.vstack([np.zeros(7), [-1, -1, -1, -0.5, -2, -3, 0], K[4]])
    np.testing.assert_allclose(model.predict_proba(new).sum(axis=1), 1.0)
    assert model.predict(new)[1] == model.predict(new)[2] == model.labels_[3]


@pytest.mark.parametrize("factor", [1e-9, 1e9])
@pytest.mark.parametrize("normalize", [True, False])
def test_units_of_a_precomputed_kernel_do_not_matter(factor, normalize):
    """A kernel in other units gives the same labels, also where all its values are small."""
    K = rbf_kernel(cloud(40), gamma=1.0)
    labels = SMIC(3, kernel="precomputed", normalize=normalize).fit(K).labels_
    scaled = SMIC(3, kernel="precomputed", normalize=normalize).fit(factor * K)
    np.testing.assert_array_equal(scaled.labels_, labels)


MODELS = {
    "local scaling": {"n_neighbors": 6},
    "one neighbour": {"n_neighbors": 1},
    "by LSMI": {"n_neighbors": "lsmi", "random_state": 0},
    "Gaussian": {"kernel": "rbf"},
    "wide Gaussian": {"kernel": "rbf", "gamma": "median", "width": 0.5},
}


@each_toy
@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("settings_", [s for name, s in MODELS.items() if name != "by LSMI"], ids=str)
def test_predict_gives_the_training_labels(toy, settings_, normalize):
    """On the training points predict equals labels_ and predict_proba the posteriors."""
    (X, _), c = TOYS[toy]
    model = SMIC(c, normalize=normalize, **settings_).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(model.predict_proba(X), model.posterior_, atol=1e-6)
    order = np.random.RandomState(0).permutation(len(X))
    np.testing.assert_array_equal(model.predict(X[order][:17]), model.labels_[order][:17])


@pytest.mark.parametrize("prior", [(1, 4), (0.5, 0.5)])
@pytest.mark.parametrize("toy", ["moons", "high and low"])
def test_predict_knows_the_class_prior(toy, prior):
    """With given priors predict equals labels_ too."""
    (X, _), c = TOYS[toy]
    model = SMIC(c, n_neighbors=6, class_prior=prior).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@lost_clusters_are_meant
@pytest.mark.parametrize("settings_", MODELS.values(), ids=MODELS)
def test_digits_in_many_features(settings_):
    """Sixty-four features, ten clusters: predict equals labels_."""
    X = load_digits().data[:160]
    model = SMIC(10, **settings_).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.posterior_.shape == (160, 10)


@lost_clusters_are_meant
@pytest.mark.parametrize(
    ("X", "c", "t", "kernel"),
    [
        ([[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0]], 4, 6, "local_scaling"),
        ([[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]], 4, 3, "rbf"),
        ([[3], [0], [0], [3], [4], [2], [4], [4], [2], [1], [3], [0], [0], [3]], 3, 1, "local_scaling"),
        ([[1, 2], [1, 0], [1, 1], [0, 0], [0, 2]], 4, 3, "rbf"),
        ([[0, 0], [0, 1], [1, 0], [1, 1]], 4, 2, "local_scaling"),
        ([[0, 0], [0, 1], [1, 0], [1, 1]], 3, 1, "rbf"),
    ],
)
@pytest.mark.parametrize("normalize", [True, False])
def test_tied_posteriors_do_not_part_predict_from_labels(X, c, t, kernel, normalize):
    """On symmetric points posteriors tie; rounding must not let predict differ from labels_."""
    X = np.array(X, dtype=float)
    model = SMIC(c, n_neighbors=t, kernel=kernel, normalize=normalize).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    for row in X:
        assert model.predict(row[None])[0] == model.labels_[(row == X).all(axis=1)][0]


@pytest.mark.parametrize("settings_", MODELS.values(), ids=MODELS)
def test_posteriors_are_probabilities_everywhere(settings_):
    """On a grid, and a thousand times farther out, rows are between 0 and 1 and add up to 1."""
    X, _ = make_three_gaussians(90, random_state=0)
    model = SMIC(3, **settings_).fit(X)
    grid = np.array([(a, b) for a in np.linspace(-4, 4, 15) for b in np.linspace(-4, 4, 15)])
    for points in (grid, 1e3 * grid, 1e6 * X):
        posterior = model.predict_proba(points)
        assert posterior.shape == (len(points), 3)
        assert (posterior >= 0).all()
        assert (posterior <= 1).all()
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0)
        taken = posterior[np.arange(len(points)), model.predict(points)]
        np.testing.assert_allclose(taken, posterior.max(axis=1), atol=1e-5)


def test_far_points_follow_the_nearest():
    """A new point that no training point answers to has the posterior of the nearest one."""
    X, y = make_three_gaussians(90, noise=0.3, random_state=0)
    model = SMIC(3, n_neighbors=6).fit(X)
    centres = np.array([X[y == k].mean(axis=0) for k in range(3)])
    labels = [model.labels_[y == k][0] for k in range(3)]
    np.testing.assert_array_equal(model.predict(1e3 * centres), labels)


@pytest.mark.parametrize("kernel", ["local_scaling", "rbf"])
def test_predict_generalises(kernel):
    """New points of the same clouds go to the clouds' clusters."""
    X, _ = make_three_gaussians(90, noise=0.4, random_state=0)
    new, truth = make_three_gaussians(200, noise=0.4, random_state=1)
    model = SMIC(3, kernel=kernel, n_neighbors=7).fit(X)
    assert adjusted_rand_score(truth, model.predict(new)) > 0.97


def test_confidence_is_the_own_posterior():
    """How sure the model is of a point is the posterior of its cluster, the largest of the row."""
    state = SMIC(3, n_neighbors=6).fit(cloud()).state_
    np.testing.assert_allclose(state.confidence(), state.posterior.max(axis=1), atol=1e-5)
    assert (state.confidence() > 1 / 3).all()


@pytest.fixture(scope="module")
def chosen():
    """Walk through the choice by LSMI on points where candidates differ."""
    X, _ = make_circle_gaussian(100, random_state=3)
    model = SMIC(2, normalize=True, random_state=7)
    steps = list(model.iter_fit(X))
    return X, model, steps


@pytest.fixture(scope="module")
def both():
    """Walk through the choice by LSMI between two kernels, where either is better for some candidates."""
    X, _ = make_high_low(100, random_state=0)
    model = SMIC(2, random_state=7)
    return X, model, [step.state for step in model.iter_fit(X)]


def test_the_better_kernel_of_each_candidate_is_kept(both):
    """By default a step has the kernel with the higher LSMI, and the curve is the higher of both curves."""
    X, model, states = both
    each = [SMIC(2, normalize=value, random_state=7) for value in (True, False)]
    walks = [[step.state for step in one.iter_fit(X)] for one in each]
    curves = np.array([one.lsmi_curve_ for one in each])
    assert len(states) == 11
    assert set(curves.argmax(axis=0)) == {0, 1}
    np.testing.assert_array_equal(model.lsmi_curve_, curves.max(axis=0))
    for t, state in enumerate(states[:-1]):
        best = curves[:, t].argmax()
        assert state.model.normalized == (best == 0)
        assert ("the plain kernel" in state.caption) == (best == 1)
        np.testing.assert_array_equal(state.labels, walks[best][t].labels)


def test_the_best_of_both_kernels_is_chosen(both):
    """The end is the fit with the chosen kernel and number of neighbours, and predicts with this kernel."""
    X, model, states = both
    assert model.objective_ == -model.lsmi_curve_.max()
    assert model.normalize_ == states[-1].model.normalized
    alone = SMIC(2, n_neighbors=model.n_neighbors_, normalize=model.normalize_).fit(X)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    new = X[:20] + 0.01
    np.testing.assert_allclose(model.predict_proba(new), alone.predict_proba(new))


@pytest.mark.parametrize("other", [{"n_neighbors": 6}, {"kernel": "rbf"}])
def test_the_kernel_is_normalised_where_there_is_no_choice(other):
    """Without a choice of neighbours the default is the normalised kernel, step by step."""
    X = cloud()
    first, second = (list(SMIC(3, **other, **n).iter_fit(X)) for n in ({}, {"normalize": True}))
    assert len(first) == len(second) == 3
    assert first[-1].state.model.normalized
    np.testing.assert_array_equal(first[-1].state.posterior, second[-1].state.posterior)


def test_normalize_is_true_false_or_auto():
    """Another text is refused, with what is allowed."""
    with pytest.raises(ValueError, match=r"'normalize' parameter of SMIC must be .*'auto'"):
        SMIC(2, normalize="lsmi").fit(cloud())


def test_candidates_are_tried_then_chosen(chosen):
    """One step for each number of neighbours from 1 to 10, and a last one with the chosen."""
    _, model, steps = chosen
    assert [step.state.model.graph.n_neighbors for step in steps[:-1]] == list(range(1, 11))
    assert [step.status for step in steps] == ["running"] * 10 + ["converged"]
    assert [step.state.curve for step in steps[:-1]] == [steps[-1].state.curve[:t] for t in range(1, 11)]
    assert steps[-1].state.caption.startswith(f"chosen: {model.n_neighbors_} neighbour")
    assert all("LSMI = " in step.state.caption for step in steps)


def test_the_highest_estimate_is_chosen(chosen):
    """The chosen number of neighbours is the first with the highest LSMI, and the objective is minus that."""
    _, model, _ = chosen
    assert len(model.lsmi_curve_) == 10
    assert len(set(model.lsmi_curve_)) > 3
    assert model.n_neighbors_ == 1 + model.lsmi_curve_.argmax()
    assert model.objective_ == -model.lsmi_curve_.max()
    assert model.state_.estimate.value == model.lsmi_curve_.max()


def test_candidates_are_clusterings_by_their_number(chosen):
    """Each candidate has the labels of a fit with that number of neighbours, and the LSMI of these."""
    X, model, steps = chosen
    for t, step in enumerate(steps[:-1], start=1):
        alone = SMIC(2, n_neighbors=t).fit(X)
        np.testing.assert_array_equal(step.state.labels, alone.labels_)
        assert step.state.estimate.value == pytest.approx(lsmi(X, alone.labels_, random_state=7).value)
        assert -step.state.objective == model.lsmi_curve_[t - 1] == step.state.estimate.value
    np.testing.assert_array_equal(model.labels_, SMIC(2, n_neighbors=model.n_neighbors_).fit(X).labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_equal_labellings_are_judged_once():
    """Candidates that agree share one estimate."""
    X, _ = far_apart([20, 20])
    states = [step.state for step in SMIC(2, random_state=0).iter_fit(X)]
    same = [s for s in states[:-1] if np.array_equal(s.labels, states[-1].labels)]
    assert len(same) > 3
    assert len({id(s.estimate) for s in same}) == 1
    assert same[0].estimate.value == lsmi(X, same[0].labels, random_state=0).value


def test_random_state_draws_centres_only():
    """Without a choice to make, chance plays no part; with one, the seed decides and repeats itself."""
    X, _ = make_high_low(60, random_state=0)
    fixed = [SMIC(2, n_neighbors=4, random_state=seed).fit(X).labels_ for seed in (0, 1, None)]
    np.testing.assert_array_equal(fixed[0], fixed[1])
    np.testing.assert_array_equal(fixed[0], fixed[2])
    curves = [SMIC(2, random_state=seed).fit(X).lsmi_curve_ for seed in (0, 0, np.random.RandomState(0), 1)]
    np.testing.assert_array_equal(curves[0], curves[1])
    np.testing.assert_array_equal(curves[0], curves[2])
    assert not np.array_equal(curves[0], curves[3])


def test_no_choice_no_curve():
    """Where LSMI was not asked there is no curve and no estimate."""
    model = SMIC(2, n_neighbors=4).fit(cloud())
    assert model.lsmi_curve_.size == 0
    assert model.state_.estimate is None


def test_few_points_have_few_candidates():
    """With five points, one to four neighbours are tried."""
    X = np.array([[0.0], [1.0], [3.0], [7.0], [12.0]])
    model = SMIC(2, random_state=0)
    steps = list(model.iter_fit(X))
    assert [step.state.model.graph.n_neighbors for step in steps[:-1]] == [1, 2, 3, 4]
    assert len(model.lsmi_curve_) == 4


@pytest.mark.parametrize("n_steps", [1, 4])
def test_a_choice_stopped_half_way_is_usable(n_steps):
    """Closing after some candidates leaves the last one tried, ready to predict."""
    X, _ = make_spirals(80, random_state=0)
    model = SMIC(2, normalize=True, random_state=0)
    steps = model.iter_fit(X)
    for _ in range(n_steps):
        step = next(steps)
    steps.close()
    assert model.n_neighbors_ == n_steps
    assert len(model.lsmi_curve_) == n_steps
    assert model.state_ is step.state
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.labels_, SMIC(2, n_neighbors=n_steps).fit(X).labels_)


def mean_rand(make, c: int, normalize: bool | str, seeds) -> float:
    """Average the adjusted Rand index over draws of 200 points, neighbours chosen by LSMI."""
    scores = []
    for seed in seeds:
        X, y = make(200, random_state=seed)
        model = SMIC(c, normalize=normalize, random_state=0).fit(X)
        scores.append(adjusted_rand_score(y, model.labels_))
    return float(np.mean(scores))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "c", "at_least", "n_draws"),
    [(make_circle_gaussian, 2, 0.97, 5), (make_spirals, 2, 0.99, 2), (make_four_gaussians, 4, 1.0, 2)],
)
@pytest.mark.parametrize("normalize", [True, "auto"])
def test_the_figures_of_the_paper(make, c, at_least, n_draws, normalize):
    """With normalisation, chosen or given, the toys of the paper are solved as there."""
    assert mean_rand(make, c, normalize, range(n_draws)) >= at_least


@pytest.mark.slow
def test_the_literal_form_fails_on_the_circle():
    """Without normalisation circle and Gaussian are not told apart."""
    assert mean_rand(make_circle_gaussian, 2, False, range(3)) < 0.6


def test_iris():
    """Species of iris are found about as well as by spectral clustering."""
    X, y = load_iris(return_X_y=True)
    model = SMIC(3, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.6
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@each_toy
@pytest.mark.parametrize("n_neighbors", [3, 8])
def test_order_of_rows_does_not_matter(toy, n_neighbors):
    """Permuted points have the permuted labels, up to their names."""
    (X, _), c = TOYS[toy]
    labels = SMIC(c, n_neighbors=n_neighbors).fit(X).labels_
    for seed in range(2):
        order = np.random.RandomState(seed).permutation(len(X))
        permuted = SMIC(c, n_neighbors=n_neighbors).fit(X[order]).labels_
        assert adjusted_rand_score(labels[order], permuted) == 1.0


@each_toy
@pytest.mark.parametrize("kernel", ["local_scaling", "rbf"])
def test_origin_and_units_do_not_matter(toy, kernel):
    """Moved, turned round and measured in other units, points keep their labels."""
    (X, _), c = TOYS[toy]
    labels = SMIC(c, kernel=kernel, n_neighbors=6).fit(X).labels_
    for other in (X + 1e3, -X, 250.0 * X, X[:, ::-1]):
        again = SMIC(c, kernel=kernel, n_neighbors=6).fit(other).labels_
        assert adjusted_rand_score(labels, again) == 1.0


@pytest.mark.parametrize("priors", [[(1, 3), (3, 1), (0.25, 0.75), (10, 30)], [None, (1, 1), (0.1, 0.1)]])
def test_priors_in_any_unit_and_order(priors):
    """Only the sorted shares count, and equal ones are the default."""
    X = cloud(60)
    models = [SMIC(2, n_neighbors=6, class_prior=prior).fit(X) for prior in priors]
    for model in models[1:]:
        np.testing.assert_allclose(model.posterior_, models[0].posterior_, atol=1e-12)
        assert model.objective_ == pytest.approx(models[0].objective_)


def test_a_larger_prior_never_shrinks_its_cluster():
    """The larger the share of the second cluster, the more points it has."""
    X, _ = make_high_low(120, random_state=1)
    sizes = [
        int((SMIC(2, n_neighbors=6, class_prior=(1, share)).fit(X).labels_ == 1).sum())
        for share in (1, 1.5, 2, 4, 10, 100)
    ]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


@pytest.mark.parametrize(
    "prior", [(1,), (1, 1, 1), (0, 1), (-1, 2), (np.nan, 1), (np.inf, 1), [[1, 1]]], ids=str
)
def test_wrong_priors_are_refused(prior):
    """A prior is one positive number for each cluster."""
    with pytest.raises(ValueError, match=r"class_prior=.*one positive number for each of the 2 clusters"):
        SMIC(2, class_prior=prior).fit(cloud())


@pytest.mark.parametrize(
    ("parameter", "wrong"),
    [
        ("n_clusters", 0),
        ("n_clusters", 2.0),
        ("kernel", "linear"),
        ("n_neighbors", 0),
        ("n_neighbors", "all"),
        ("gamma", -1.0),
        ("gamma", "auto"),
        ("width", 0.0),
        ("normalize", "yes"),
    ],
)
def test_wrong_parameters_are_named(parameter, wrong):
    """Each parameter out of its range is named before any work is done."""
    with pytest.raises(ValueError, match=f"The '{parameter}' parameter of SMIC"):
        SMIC(**{parameter: wrong}).iter_fit(cloud())


def test_more_clusters_than_distinct_points_are_refused():
    """The message counts the distinct points."""
    with pytest.raises(ValueError, match=r"n_clusters=4 is more than the 3 distinct points"):
        SMIC(4).fit(np.repeat(np.arange(3.0), 5)[:, None])
    with pytest.raises(ValueError, match=r"n_clusters=4 is more than the number of points: n_samples=3"):
        SMIC(4).fit(np.arange(3.0)[:, None])


@lost_clusters_are_meant
def test_as_many_clusters_as_points():
    """Every distinct point may be asked to be a cluster."""
    X = cloud(5)
    model = SMIC(5, n_neighbors=2).fit(X)
    assert model.labels_.shape == (5,)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("kernel", ["local_scaling", "rbf"])
def test_equal_points_are_refused(kernel):
    """Data without any distance are refused."""
    with pytest.raises(ValueError, match="All points are equal"):
        SMIC(2, kernel=kernel).fit(np.ones((9, 3)))


@pytest.mark.parametrize("kernel", ["local_scaling", "rbf"])
@pytest.mark.parametrize("n_neighbors", [3, "lsmi"])
def test_values_whose_squares_overflow_are_refused(n_neighbors, kernel):
    """Values too large to be squared are refused by name, like those of every kernel."""
    with pytest.raises(ValueError, match="overflow"):
        SMIC(2, kernel=kernel, n_neighbors=n_neighbors).fit(1e200 * cloud())


@pytest.mark.parametrize("n_neighbors", [1, 3, "lsmi"])
def test_columns_that_all_but_vanish(n_neighbors):
    """Points that differ by less than a square can tell are labelled all the same."""
    X = cloud(20)[[*range(20), 0, 1, 2, 3]]
    X[:, 1] = np.random.RandomState(0).uniform(0, 1e-200, 24)
    model = SMIC(2, n_neighbors=n_neighbors, random_state=0).fit(X)
    assert np.isfinite(model.posterior_).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("settings_", MODELS.values(), ids=MODELS)
def test_input_is_left_alone(settings_):
    """Neither fitting nor predicting writes into the points."""
    X = cloud(40)
    before = X.copy()
    SMIC(2, **settings_).fit(X).predict(X)
    np.testing.assert_array_equal(X, before)
    K = rbf_kernel(X)
    before = K.copy()
    SMIC(2, kernel="precomputed").fit(K).predict(K)
    np.testing.assert_array_equal(K, before)


@pytest.mark.parametrize("settings_", MODELS.values(), ids=MODELS)
def test_pickled_models_predict_the_same(settings_):
    """A model that was stored and loaded gives the same posteriors."""
    X, new = cloud(40), cloud(15, seed=1)
    model = SMIC(3, **settings_).fit(X)
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.predict_proba(new), model.predict_proba(new))
    np.testing.assert_array_equal(loaded.labels_, model.labels_)


def test_states_of_a_dense_kernel_are_light():
    """A state does not keep the kernel matrix: what it weighs grows with n, not with its square."""
    X = cloud(500)
    state = SMIC(2, kernel="rbf").fit(X).state_
    assert len(pickle.dumps(state)) < 8 * 500 * 500 / 10


def test_follow_gives_every_step_at_new_points():
    """One function gives the posteriors at fixed points for any state of the fit."""
    X, new = cloud(50), cloud(12, seed=1)
    model = SMIC(3, n_neighbors=6)
    wanted, states = [], []
    for step in model.iter_fit(X):
        wanted.append(model.predict_proba(new))
        states.append(step.state)
    at = model.follow(new)
    for state, posterior in zip(states, wanted, strict=True):
        np.testing.assert_allclose(at(state), posterior, atol=1e-14)


def test_no_square_array_is_held():
    """Three thousand points in thirty features take less memory than half a matrix of all pairs."""
    n = 3000
    X = np.random.RandomState(0).randn(n, 30) + 4.0 * np.eye(30)[np.arange(n) % 3]
    model = SMIC(3, n_neighbors=10)
    tracemalloc.start()
    try:
        model.fit(X)
        assert tracemalloc.get_traced_memory()[1] < 4 * n**2
        tracemalloc.reset_peak()
        model.predict(X)
        assert tracemalloc.get_traced_memory()[1] < 6 * n**2
    finally:
        tracemalloc.stop()
    assert adjusted_rand_score(np.arange(n) % 3, model.labels_) > 0.9


WHOLE = st.tuples(st.integers(4, 25), st.integers(1, 3)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 4).map(float))
)


@lost_clusters_are_meant
@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    X=WHOLE,
    c=st.integers(2, 4),
    t=st.integers(1, 12) | st.just("lsmi"),
    kernel=st.sampled_from(["local_scaling", "rbf"]),
    normalize=st.booleans(),
)
def test_any_whole_numbers_are_clustered_or_refused(X, c, t, kernel, normalize):
    """Whatever ties and repeats there are, the result is whole, or a message says what is wrong."""
    model = SMIC(c, n_neighbors=t, kernel=kernel, normalize=normalize, random_state=0)
    n_distinct = len(np.unique(X, axis=0))
    if n_distinct == 1 or (kernel == "local_scaling" and n_distinct < c):
        with pytest.raises(ValueError, match=r"All points are equal|distinct points"):
            model.fit(X)
        return
    model.fit(X)
    assert model.labels_.shape == (len(X),)
    assert model.labels_.min() >= 0
    assert model.labels_.max() < c
    assert np.isfinite(model.posterior_).all()
    np.testing.assert_allclose(model.posterior_.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(model.predict_proba(X), model.posterior_, atol=1e-6)
    for row in np.unique(X, axis=0):
        assert len(set(model.labels_[(row == X).all(axis=1)])) == 1


@pytest.mark.parametrize("source", ["high-low", "three-gaussians", "circle-gaussian"])
@pytest.mark.parametrize("start", [None, [5, 1, 1]])
def test_adapted_priors_are_those_of_clustering_again_and_again(source, start):
    """The fit is that of a loop in which the sorted shares of the clusters become the class priors."""
    data = load(source, n_samples=150, imbalance=0.5, random_state=1).standardized()
    k = len(np.unique(data.y))
    prior = np.full(k, 1 / k) if start is None else np.sort(start[:k]) / np.sum(start[:k])
    given = {"n_neighbors": 7, "random_state": 0}
    seen = [prior]
    while True:
        again = SMIC(k, class_prior=seen[-1], **given).fit(data.X)
        shares = np.sort(np.bincount(again.labels_, minlength=k) / 150)
        if any(np.allclose(shares, other) for other in seen):
            break
        seen.append(shares)
    model = SMIC(k, class_prior=start and start[:k], adapt_prior=True, **given).fit(data.X)
    np.testing.assert_array_equal(model.labels_, again.labels_)
    np.testing.assert_allclose(model.class_prior_, seen[-1])
    np.testing.assert_allclose(model.posterior_, again.posterior_)
    assert model.state_.n_rounds == len(seen) - 1
    assert ("settle at" in model.state_.caption) == (len(seen) > 1)
    np.testing.assert_array_equal(model.predict(data.X), model.labels_)


def test_priors_are_adapted_for_each_number_of_neighbours():
    """Where LSMI chooses, each candidate has priors of its own, and those of the chosen one are kept."""
    data = load("high-low", n_samples=100, imbalance=0.5, random_state=2).standardized()
    model = SMIC(2, adapt_prior=True, random_state=0).fit(data.X)
    alone = SMIC(
        2, adapt_prior=True, n_neighbors=model.n_neighbors_, normalize=model.normalize_, random_state=0
    ).fit(data.X)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    np.testing.assert_allclose(model.class_prior_, alone.class_prior_)
    assert model.class_prior_.sum() == pytest.approx(1.0)
