"""MNN and CLUHSIC move one point at a time."""

from itertools import product

import numpy as np
import pytest

from mmc import CLUHSIC, MNN
from mmc.datasets import make_three_gaussians
from mmc.kernels import fit_kernel
from mmc.metrics import adjusted_rand_score


def entropy(X, labels, epsilon):
    """Write [SMIC] eq. 22 out, pair by pair, with ε in units of the mean variance."""
    total, epsilon = 0.0, epsilon * X.var(axis=0).mean()
    for y in np.unique(labels):
        own = np.flatnonzero(labels == y)
        for i in own:
            for j in own:
                if i != j:
                    total += np.log(((X[i] - X[j]) ** 2).sum() + epsilon) / (len(own) - 1)
    return total


def dependence(K, labels):
    """Give tr(Γ K Γ Π Πᵀ)/n², matrix by matrix."""
    n = len(labels)
    centring = np.eye(n) - np.ones((n, n)) / n
    indicators = np.eye(labels.max() + 1)[labels]
    return np.trace(centring @ K @ centring @ indicators @ indicators.T) / n**2


@pytest.fixture
def few():
    """Nine points in three loose groups."""
    rng = np.random.default_rng(3)
    return np.concatenate([rng.normal(centre, 0.7, (3, 2)) for centre in ((0, 0), (4, 0), (2, 4))])


@pytest.fixture
def clouds():
    """Three clouds of ninety points in all."""
    return make_three_gaussians(90, random_state=1)


def every_labelling(n, k, least):
    """List the labellings of n points in k clusters of at least so many points."""
    for rest in product(range(k), repeat=n - 1):
        labels = np.array([0, *rest])
        if np.bincount(labels, minlength=k).min() >= least:
            yield labels


@pytest.mark.parametrize("k", [2, 3])
def test_mnn_finds_the_least_entropy_of_all_labellings(few, k):
    """On nine points the best of twenty starts is the best there is, and has the value of eq. 22."""
    model = MNN(k, n_init=20, random_state=0).fit(few)
    least = min(entropy(few, labels, 1 / 9) for labels in every_labelling(9, k, 2))
    assert model.objective_ == pytest.approx(entropy(few, model.labels_, 1 / 9))
    assert model.objective_ == pytest.approx(least)


@pytest.mark.parametrize("k", [2, 3])
def test_cluhsic_finds_the_most_dependence_of_all_labellings(few, k):
    """On nine points the best of twenty starts is the best there is."""
    K = fit_kernel(few, gamma="median", width=1.0).matrix
    model = CLUHSIC(k, n_init=20, random_state=0).fit(few)
    most = max(dependence(K, labels) for labels in every_labelling(9, k, 1))
    assert -model.objective_ == pytest.approx(dependence(K, model.labels_))
    assert -model.objective_ == pytest.approx(most)


def test_mnn_states_have_the_naive_value_and_it_falls(clouds):
    """In every state the kept sums give what eq. 22 gives, and no sweep raises it."""
    model = MNN(3, epsilon=0.05, n_init=2, random_state=0)
    last = np.inf
    for step in model.iter_fit(clouds.X):
        last = np.inf if step.n_iter == 0 else last
        assert step.state.objective == pytest.approx(entropy(clouds.X, step.state.labels, 0.05))
        assert step.state.objective <= last
        last = step.state.objective


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "local_scaling"])
def test_cluhsic_states_have_the_naive_value_and_it_falls(clouds, kernel):
    """In every state the kept products give the trace, and no sweep raises the objective."""
    K = fit_kernel(clouds.X, kernel=kernel, gamma="median", width=1.0).matrix
    model = CLUHSIC(3, kernel=kernel, n_init=2, random_state=0)
    last = np.inf
    for step in model.iter_fit(clouds.X):
        last = np.inf if step.n_iter == 0 else last
        assert step.state.objective == pytest.approx(-dependence(K, step.state.labels))
        assert step.state.objective <= last
        last = step.state.objective


@pytest.mark.parametrize(("cls", "least"), [(MNN, 2), (CLUHSIC, 1)])
def test_no_single_move_is_left_that_helps(clouds, cls, least):
    """At the end no point lowers the objective by joining another cluster."""
    X = clouds.X[:30]
    model = cls(3, n_init=1, random_state=4).fit(X)
    K = fit_kernel(X, gamma="median", width=1.0).matrix
    value = (lambda c: entropy(X, c, 1 / 30)) if cls is MNN else (lambda c: -dependence(K, c))
    for j in range(30):
        if (model.labels_ == model.labels_[j]).sum() > least:
            for h in range(3):
                moved = model.labels_.copy()
                moved[j] = h
                assert value(moved) >= model.objective_ - 1e-8


@pytest.mark.parametrize("cls", [MNN, CLUHSIC])
def test_clouds_are_found_and_predicted(clouds, cls):
    """Three clouds are found, and predict gives the training points their labels."""
    model = cls(3, random_state=0).fit(clouds.X)
    assert adjusted_rand_score(clouds.y, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(clouds.X), model.labels_)


def test_cluhsic_values_are_sums_of_the_centred_kernel(clouds):
    """At training points the decision values are Γ K Γ times the indicators."""
    model = CLUHSIC(3, n_init=1, random_state=0).fit(clouds.X)
    K = fit_kernel(clouds.X, gamma="median", width=1.0).matrix
    centring = np.eye(90) - 1 / 90
    values = centring @ K @ centring @ np.eye(3)[model.labels_]
    np.testing.assert_allclose(model.decision_function(clouds.X), values, atol=1e-9)


def test_mnn_keeps_two_points_in_every_cluster(few):
    """More clusters than pairs are refused, as is a start with a cluster of one; as many as pairs work."""
    with pytest.raises(ValueError, match="n_clusters=5 is too many"):
        MNN(5).fit(few)
    with pytest.raises(ValueError, match="at least two points"):
        MNN(2, init=[0] * 8 + [1]).fit(few)
    assert np.bincount(MNN(4, random_state=0).fit(few).labels_).min() == 2


def test_values_that_overflow_are_refused(few):
    """Distances beyond what a number can hold are named before anything is computed."""
    with pytest.raises(ValueError, match="rescale the columns"):
        MNN(2).fit(few * 1e160)


@pytest.mark.parametrize("scale", [1e-120, 1e-12, 3.0, 1e12, 1e120])
@pytest.mark.parametrize("epsilon", ["1/n", 0.01])
def test_mnn_does_not_mind_the_unit(clouds, epsilon, scale):
    """Rescaled points give the same labels, and eq. 22 shifted by 2 n log c."""
    one = MNN(3, epsilon=epsilon, random_state=0).fit(clouds.X)
    other = MNN(3, epsilon=epsilon, random_state=0).fit(scale * clouds.X)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert other.objective_ - one.objective_ == pytest.approx(2 * 90 * np.log(scale))


def test_mnn_measures_epsilon_by_the_columns_that_vary(clouds):
    """A constant column changes nothing."""
    wide = np.column_stack([clouds.X, np.full(90, 7.0)])
    one, other = (MNN(3, random_state=0).fit(X) for X in (clouds.X, wide))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert other.objective_ == pytest.approx(one.objective_)


def test_a_given_start_is_the_only_one(clouds):
    """Given labels make one start, and it is where the search begins."""
    start = np.arange(90) % 3
    for model in (MNN(3, init=start), CLUHSIC(3, init=start)):
        steps = list(model.iter_fit(clouds.X))
        np.testing.assert_array_equal(steps[0].state.labels, start)
        assert {step.n_starts for step in steps} == {1}
