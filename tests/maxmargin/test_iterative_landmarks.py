"""Iterated training in r features: results of the whole kernel, starts, hints, sparse points and trees."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from mmc import CCCPMMC, IterLSSVM, IterSVM, IterSVR, RecursiveBinary
from mmc.datasets import load, make_moons, make_three_gaussians
from mmc.kernels import fit_kernel
from mmc.kernels.factor_cut import factor_cut
from mmc.kernels.spectral import normalized_cut
from mmc.maxmargin.machines import SVMachine

METHODS = [IterSVR, IterLSSVM, IterSVM, CCCPMMC]
each_method = pytest.mark.parametrize("cls", METHODS)
SPARING = [
    {"kernel": "graph"},
    {"kernel": "landmark_graph"},
    {"n_landmarks": 15},
    {"kernel": "linear", "n_landmarks": 5},
]
each_form = pytest.mark.parametrize("form", SPARING, ids=lambda form: "-".join(map(str, form.values())))


@pytest.fixture
def X():
    """Ninety points in three clouds."""
    return make_three_gaussians(90, random_state=3).X


@each_method
@pytest.mark.parametrize(
    "kernel",
    [{}, {"gamma": "neighbors", "width": 1.0}, {"kernel": "linear"}, {"kernel": "poly", "degree": 2}],
    ids=["wide", "narrow", "linear", "poly"],
)
def test_with_all_points_the_method_is_that_of_the_whole_kernel(cls, kernel):
    """Labels are equal and decision values are, to the tolerance of libsvm."""
    X = load("moons", n_samples=120, random_state=0).standardized().X
    whole = cls(random_state=0, **kernel).fit(X)
    sparing = cls(random_state=0, n_landmarks=120, **kernel).fit(X)
    np.testing.assert_array_equal(whole.labels_, sparing.labels_)
    f, g = whole.decision_function(X), sparing.decision_function(X)
    np.testing.assert_allclose(f, g, atol=5e-3 * np.abs(f).max())
    np.testing.assert_array_equal(whole.start_objectives_.shape, sparing.start_objectives_.shape)
    assert sparing.state_.svm_objective == pytest.approx(whole.state_.svm_objective, rel=1e-3, abs=1e-9)


@each_method
@each_form
def test_training_points_keep_their_labels(cls, form, X):
    """A state holds r coefficients, and new points with the training points' rows get their labels."""
    model = cls(random_state=0, C=10.0, **form).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(model.decision_function(X)[:, 1], model.state_.f, atol=1e-7)
    r = model.coef_.shape[0]
    assert r < 30
    assert model.state_.dual.shape == (r,)
    np.testing.assert_allclose(model.features_(X) @ model.coef_ + model.intercept_, model.state_.f, atol=1e-7)
    assert not hasattr(model, "dual_coef_")
    assert not hasattr(model, "kernel_")


@each_method
@each_form
def test_the_same_seed_gives_the_same(cls, form, X):
    """Everything is repeated from the seed, step by step as in one go."""
    once, again = (cls(random_state=5, n_init=3, **form).fit(X) for _ in range(2))
    np.testing.assert_array_equal(once.coef_, again.coef_)
    stepped = cls(random_state=5, n_init=3, **form)
    for _ in stepped.iter_fit(X):
        pass
    np.testing.assert_array_equal(once.coef_, stepped.coef_)


@each_form
def test_the_svm_objective_needs_no_matrix(form, X):
    """The judge's objective is that of libsvm on Φ Φᵀ."""
    model = IterLSSVM(random_state=0, **form).fit(X)
    Phi = model.features_(X)
    trained = SVMachine(Phi @ Phi.T, 100.0).train(np.where(model.labels_ == 1, 1.0, -1.0))
    expected = 2.0 * np.abs(trained.dual).sum() - trained.norm
    assert model.state_.svm_objective == pytest.approx(expected, rel=2e-3)


def test_moons_are_divided_on_the_graph():
    """With a graph as the kernel, curved clusters are found from the cut."""
    moons = make_moons(300, random_state=0)
    for cls in (IterSVR, IterLSSVM, IterSVM):
        for kernel in ("graph", "landmark_graph"):
            model = cls(kernel=kernel, init="normalized-cut", random_state=0).fit(moons.X)
            assert adjusted_rand_score(moons.y, model.labels_) > 0.95


def test_the_cut_of_a_factor_is_that_of_its_kernel():
    """With F Fᵀ = K the labels are those of the n×n matrix, up to their names."""
    X = make_three_gaussians(80, random_state=0).X
    K = fit_kernel(X).matrix
    values, vectors = np.linalg.eigh(K)
    F = vectors * np.sqrt(np.maximum(values, 0.0))
    assert adjusted_rand_score(normalized_cut(K), factor_cut(F)) == 1.0


@each_form
def test_starts_from_a_cut(form, X):
    """Every form has a normalised cut, which is one start and the same for every seed."""
    models = [IterLSSVM(init="normalized-cut", random_state=seed, **form).fit(X) for seed in (0, 0)]
    assert models[0].state_.origin == "normalized-cut"
    assert len(models[0].start_objectives_) == 1
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)


@each_method
@each_form
def test_hints_hold_in_every_state(cls, form, X):
    """Known labels, links of both kinds and weights go through."""
    y = np.full(len(X), -1)
    y[[0, 1]] = 0, 1
    weights = np.random.RandomState(0).uniform(0.5, 2.0, len(X))
    hints = {"must_link": [[2, 3], [3, 4]], "cannot_link": [[5, 6]], "sample_weight": weights}
    for step in cls(random_state=0, n_init=2, **form).iter_fit(X, y, **hints):
        labels = step.state.labels
        assert (labels[:2] == [0, 1]).all()
        assert labels[2] == labels[3] == labels[4]
        assert labels[5] != labels[6]


@each_method
def test_a_weight_of_two_counts_as_the_same_point_twice(cls, X):
    """Machines, balance and objective count a point by its weight; the features are given for both."""
    twice = np.vstack([X, X[:20]])
    weights = np.where(np.arange(len(X)) < 20, 2.0, 1.0)
    init = (X[:, 0] > np.median(X[:, 0])).astype(int)
    options = {"kernel": "linear", "n_landmarks": 2, "landmarks": "random", "C": 1.0, "random_state": 0}
    one = cls(init=init, **options).fit(X, sample_weight=weights)
    many = cls(init=np.append(init, init[:20]), **options).fit(twice)
    np.testing.assert_array_equal(one.labels_, many.labels_[: len(X)])
    assert one.objective_ == pytest.approx(many.objective_, rel=1e-4)


@each_form
def test_sparse_points_give_the_same(form, X):
    """Sparse points come to the labels of dense ones."""
    X = np.maximum(X, 0.0)
    form = {"landmarks": "random", **form}
    dense, sparse = (IterLSSVM(random_state=0, **form).fit(points) for points in (X, csr_array(X)))
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)
    np.testing.assert_array_equal(sparse.predict(csr_array(X)), sparse.labels_)


def test_what_has_no_landmarks_is_refused(X):
    """Local scaling and precomputed kernels say what to do instead."""
    with pytest.raises(ValueError, match="needs a kernel that compares any two points"):
        IterSVR(kernel="local_scaling", n_landmarks=5).fit(X)
    with pytest.raises(ValueError, match="n_clusters=2 is more than the 1 different landmarks"):
        IterSVR(n_landmarks=1).fit(X)


@each_form
def test_trees_pass_the_form_on(form):
    """Each split has features of its own points, and a tree labels the training points as it did."""
    data = make_three_gaussians(90, noise=0.3, random_state=0)
    model = RecursiveBinary(IterSVR(balance=0.4, **form), n_clusters=3, random_state=0).fit(data.X)
    assert len(np.unique(model.labels_)) == 3
    np.testing.assert_array_equal(model.predict(data.X), model.labels_)
    if form.get("n_landmarks"):
        assert adjusted_rand_score(data.y, model.labels_) > 0.9


@pytest.mark.slow
def test_many_points_take_seconds_and_no_square():
    """Twenty thousand points, where an n×n array would take 3 GB."""
    data = make_three_gaussians(20_000, noise=0.3, random_state=0)
    for cls in METHODS:
        model = cls(n_landmarks=50, n_init=1, random_state=0).fit(data.X)
        assert (model.predict(data.X) == model.labels_).mean() > 0.9999
    tree = RecursiveBinary(IterLSSVM(n_landmarks=50), n_clusters=3, random_state=0).fit(data.X)
    assert adjusted_rand_score(data.y, tree.labels_) > 0.95
