"""MIC climbs the mutual information of the paper, and its model answers for new points."""

import math
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from mmc.datasets import make_four_gaussians, make_moons
from mmc.infomax.mic import MIC, Objective


def points(n=40, seed=0):
    """Draw two clouds that touch."""
    rng = np.random.RandomState(seed)
    return rng.randn(n, 2) + 2.0 * (np.arange(n) % 2)[:, None]


def problem(m=9, c=3, alpha=0.0, seed=0, sparse=False):
    """Make a small objective with unequal shares, and coefficients to look at it from."""
    rng = np.random.RandomState(seed)
    K = np.exp(-np.abs(rng.randn(m, 1) - rng.randn(1, m)))
    K[K < 0.3] = 0.0
    shares = rng.randint(1, 4, m).astype(float)
    matrix = csr_array(K) if sparse else K
    return Objective(matrix, shares / shares.sum(), alpha), rng.randn((m + 1) * c), rng


def mutual_information(P):
    """Compute [SMIC] eq. 25 sum by sum, for the posteriors of all points."""
    n, c = P.shape
    first = sum(P[i, y] * math.log(P[i, y]) for i in range(n) for y in range(c) if P[i, y] > 0) / n
    shares = [sum(P[i, y] for i in range(n)) / n for y in range(c)]
    return first - sum(share * math.log(share) for share in shares if share > 0)


def central_differences(f, x):
    """Differentiate along each coordinate."""
    h = 1e-6
    steps = h * np.eye(len(x))
    return np.array([(f(x + step) - f(x - step)) / (2 * h) for step in steps])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.7])
@pytest.mark.parametrize("c", [2, 4])
def test_gradient_of_information(c, alpha, sparse):
    """The gradient equals central differences, in the coefficients and the intercepts."""
    objective, x, _ = problem(c=c, alpha=alpha, sparse=sparse)
    expected = central_differences(lambda x: objective.information(x)[0], x)
    np.testing.assert_allclose(objective.information(x)[1], expected, atol=1e-8)


@pytest.mark.parametrize("alpha", [0.0, 0.7])
def test_gradient_of_cross_entropy(alpha):
    """So does the gradient of what pre-training minimises, with labels and with shares of them."""
    objective, x, rng = problem(alpha=alpha)
    targets = rng.dirichlet(np.ones(3), 9)
    targets[:4] = np.eye(3)[[0, 1, 2, 0]]
    expected = central_differences(lambda x: objective.cross_entropy(x, targets)[0], x)
    np.testing.assert_allclose(objective.cross_entropy(x, targets)[1], expected, atol=1e-8)


def test_extreme_coefficients_give_finite_values():
    """Posteriors that round to zero and clusters without any share do no harm."""
    objective, x, _ = problem()
    rows = np.zeros((10, 3))
    rows[-1, 0] = 1e6
    for far in (1e4 * x, rows.ravel()):
        value, gradient = objective.information(far)
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()


@pytest.mark.parametrize("alpha", [0.0, 0.3])
@pytest.mark.parametrize("kernel", ["local_scaling", "rbf"])
def test_information_is_equation_25(kernel, alpha):
    """The fitted value is eq. 25 of the posteriors, and the objective adds the penalty."""
    X = np.vstack([points(), points()[:7]])
    model = MIC(3, kernel=kernel, alpha=alpha, init="random", random_state=0).fit(X)
    penalty = alpha * (model.dual_coef_**2).sum() / len(model.dual_coef_)
    assert model.mutual_information_ == pytest.approx(mutual_information(model.posterior_), abs=1e-10)
    assert model.objective_ == pytest.approx(penalty - model.mutual_information_, abs=1e-10)


@pytest.mark.parametrize("init", ["spectral", "random"])
@pytest.mark.parametrize("kernel", ["local_scaling", "rbf"])
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_every_step_climbs(alpha, kernel, init):
    """The objective never rises; without penalty, mutual information never falls."""
    model = MIC(2, alpha=alpha, kernel=kernel, init=init, random_state=0)
    states = [step.state for step in model.iter_fit(points(60))]
    assert len(states) > 1
    assert (np.diff([state.objective for state in states]) <= 1e-12).all()
    if alpha == 0:
        assert (np.diff([state.mutual_information for state in states]) >= -1e-12).all()


def test_end_is_stationary():
    """Where the climb ends, no coefficient can be changed to gain."""
    model = MIC(2, tol=1e-14, max_iter=200, random_state=0).fit(points())
    graph = model.graph_
    objective = Objective(graph.matrix, graph.multiplicity / 40, model.alpha)
    assert np.abs(objective.information(model.state_.coefficients.ravel())[1]).max() < 1e-6


@pytest.mark.parametrize("kernel", ["local_scaling", "rbf"])
def test_four_gaussians_are_found(kernel):
    """The first toy of the paper is solved without a mistake, and MI is near log 4."""
    X, y = make_four_gaussians(200, random_state=0)
    model = MIC(4, kernel=kernel, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert math.log(4) - 0.1 < model.mutual_information_ <= math.log(4)


def test_moons_are_found():
    """Spectral pre-training brings MIC to clusters that no line parts."""
    X, y = make_moons(200, random_state=0)
    assert adjusted_rand_score(y, MIC(random_state=0).fit(X).labels_) == 1.0


@pytest.mark.parametrize("alpha", [0.0, 0.1])
@pytest.mark.parametrize("kernel", ["local_scaling", "rbf"])
@pytest.mark.parametrize("init", ["spectral", "random"])
def test_predict_on_training_points(init, kernel, alpha):
    """Every training point, as a new point, is itself."""
    X = np.vstack([points(60), points(60)[:5]])
    model = MIC(3, kernel=kernel, init=init, alpha=alpha, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(model.predict_proba(X), model.posterior_, atol=1e-6)


def test_posteriors_add_up_to_one():
    """New points near and far have posteriors, whose largest is the prediction."""
    model = MIC(3, init="random", random_state=0).fit(points())
    new = np.vstack([points(10, seed=5), [[1e3, -1e3]]])
    P = model.predict_proba(new)
    assert P.shape == (11, 3)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    np.testing.assert_array_equal(P.argmax(axis=1), model.predict(new))
    np.testing.assert_array_equal(P, model.decision_function(new))


def test_state_is_told():
    """A state has its confidence, the points it moved and a sentence."""
    states = [step.state for step in MIC(2, init="random", random_state=0).iter_fit(points(60))]
    np.testing.assert_allclose(states[-1].confidence(), states[-1].posterior.max(axis=1))
    for before, after in pairwise(states):
        np.testing.assert_array_equal(after.changed, np.flatnonzero(before.labels != after.labels))
    assert states[0].caption.startswith("start: learned random labels, MI = 0.")
    assert states[1].caption.startswith("2 iterations: ")
    assert f"{len(states[1].moved)} points moved" in states[1].caption


def test_start_has_learned_the_spectral_labels():
    """The first state is the pre-trained model: on clear clusters it answers with the labels it learned."""
    X, y = make_four_gaussians(120, random_state=1)
    first = next(iter(MIC(4, random_state=0).iter_fit(X)))
    assert adjusted_rand_score(first.state.labels, y) == 1.0
    assert first.status == "running"


def test_pretraining_always_has_a_penalty():
    """Without a penalty on the climb, the start is that of a small one, and not driven to certainty."""
    plain, small = (next(iter(MIC(2, alpha=alpha, random_state=0).iter_fit(points()))) for alpha in (0, 0.01))
    np.testing.assert_array_equal(plain.state.posterior, small.state.posterior)
    assert plain.state.objective != small.state.objective


@pytest.mark.parametrize("init", ["given", "spectral"])
def test_duplicates_weigh_as_their_number(init):
    """Every point twice gives the model of every point once; some points twice gives another."""
    X = points(30)
    y = np.arange(30) % 2

    def fit(rows):
        given = y[rows] if init == "given" else init
        return MIC(2, init=given, tol=1e-12, random_state=0).fit(X[rows])

    once, twice = fit(np.arange(30)), fit(np.repeat(np.arange(30), 2))
    some = fit(np.append(np.arange(30), np.arange(0, 8)))
    np.testing.assert_allclose(twice.dual_coef_, once.dual_coef_, atol=1e-6)
    np.testing.assert_array_equal(twice.labels_, np.repeat(once.labels_, 2))
    assert some.dual_coef_.shape == once.dual_coef_.shape
    assert np.abs(some.dual_coef_ - once.dual_coef_).max() > 1e-3


def test_local_scaling_stays_sparse():
    """No array of n×n is made: the peak stays far below it."""
    X = make_four_gaussians(2000, random_state=0).X
    model = MIC(4, max_iter=2, random_state=0)
    model.fit(X[:100])
    tracemalloc.start()
    try:
        model.fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert issparse(model.graph_.matrix)
    assert peak < 8 * 2000**2 / 2


@pytest.mark.parametrize("init", ["random", "given"])
def test_precomputed_equals_rbf(init):
    """A kernel matrix gives what the kernel gives."""
    X = points()
    start = "random" if init == "random" else np.arange(40) % 2
    K = rbf_kernel(X, gamma=0.3)
    points_model = MIC(2, kernel="rbf", gamma=0.3, init=start, random_state=0).fit(X)
    matrix_model = MIC(2, kernel="precomputed", init=start, random_state=0).fit(K)
    np.testing.assert_array_equal(points_model.labels_, matrix_model.labels_)
    assert points_model.objective_ == pytest.approx(matrix_model.objective_, abs=1e-8)
    np.testing.assert_array_equal(matrix_model.predict(K[:5]), matrix_model.labels_[:5])


def test_precomputed_has_a_spectral_start():
    """Without points, spectral clustering of the kernel itself is the start."""
    X, y = make_four_gaussians(100, random_state=0)
    model = MIC(4, kernel="precomputed", random_state=0).fit(rbf_kernel(X, gamma=0.5))
    assert adjusted_rand_score(y, model.labels_) == 1.0


def test_given_labels_are_the_start():
    """Labels make one start, from which clear clusters keep their numbers."""
    X, y = make_four_gaussians(80, random_state=0)
    steps = list(MIC(4, init=y, n_init=5).iter_fit(X))
    assert {step.n_starts for step in steps} == {1}
    np.testing.assert_array_equal(steps[-1].state.labels, y)
    assert "given labels" in steps[0].state.caption


def test_best_start_is_kept():
    """Among several starts the lowest objective wins, and the spectral one is the first."""
    model = MIC(2, n_init=3, random_state=0)
    origins = [step.state.origin for step in model.iter_fit(points(60)) if step.n_iter == 0]
    assert origins == ["spectral", "random", "random"]
    assert model.start_objectives_.shape == (3,)
    assert model.objective_ == model.start_objectives_.min()


def test_max_iter_counts_steps():
    """A step limit stops the climb, and says so."""
    steps = list(MIC(2, max_iter=2, init="random", random_state=0).iter_fit(points(60)))
    assert [step.n_iter for step in steps] == [0, 1, 2]
    assert steps[-1].status == "max_iter"
    assert [step.state.n_iterations for step in steps] == [0, 2, 4]


def test_heavy_penalty_forgets_everything():
    """A penalty that outweighs all information ends in posteriors that are the same everywhere."""
    with pytest.warns(ConvergenceWarning, match="MIC found only 1 of the 2 clusters asked for. Lower alpha"):
        model = MIC(2, alpha=1e3, random_state=0).fit(points())
    assert model.mutual_information_ == pytest.approx(0.0, abs=1e-6)
    assert np.ptp(model.posterior_, axis=0).max() < 1e-3


def test_closing_half_way_is_usable():
    """Whoever stops after the first step can predict what that step said."""
    model = MIC(2, random_state=0)
    steps = model.iter_fit(points())
    first = next(steps)
    steps.close()
    np.testing.assert_array_equal(model.labels_, first.state.labels)
    np.testing.assert_array_equal(model.predict(points()), model.labels_)


@pytest.mark.parametrize("init", ["spectral", "random"])
def test_same_seed_same_result(init):
    """A seed settles the fit; another one matters where the start is random, but not where it is spectral."""
    X = points(60)
    first, again, other = (MIC(2, init=init, random_state=seed).fit(X) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.posterior_, again.posterior_)
    assert (adjusted_rand_score(first.labels_, other.labels_) == 1.0) == (init == "spectral")


@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        ({"n_clusters": 0}, points(), "n_clusters"),
        ({"kernel": "linear"}, points(), "kernel"),
        ({"alpha": -1.0}, points(), "alpha"),
        ({"init": "k-means"}, points(), "init"),
        ({"max_iter": 0}, points(), "max_iter"),
        ({"n_clusters": 41}, points(), r"n_clusters=41 is more than the number of points: n_samples=40"),
        ({"n_clusters": 3}, np.repeat(np.eye(2), 5, axis=0), r"n_clusters=3 is more than the 2 distinct"),
        ({"n_clusters": 3, "kernel": "rbf"}, np.repeat(np.eye(2), 5, axis=0), r"the 2 distinct points"),
        ({}, np.ones((8, 2)), "All points are equal"),
        ({"init": [0, 1]}, points(), "one whole number from 0 to 1 for each of the 40 points"),
        ({"init": np.zeros(40, int)}, points(), "every cluster used"),
        ({"kernel": "precomputed"}, points(), "square"),
        ({"kernel": "precomputed"}, -np.eye(5), r'init="spectral" needs .* init="random"'),
    ],
)
def test_bad_input_is_refused(parameters, X, message):
    """What cannot work is refused by the call of iter_fit, with the parameter and the remedy."""
    with pytest.raises(ValueError, match=message):
        MIC(**parameters).iter_fit(X)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("n", [3, 4, 5])
def test_few_points_are_parted(n, scale):
    """The default penalty does not outweigh what few points on a line tell, in whatever unit."""
    model = MIC(2, random_state=0).fit(scale * np.arange(float(n))[:, None])
    assert len(np.unique(model.labels_)) == 2
    assert model.mutual_information_ > 0.1


def test_few_distinct_points_are_parted():
    """Three different values, each many times, are three vertices of a graph and still two clusters."""
    X = np.repeat([[0.0], [1.0], [2.0]], [10, 20, 10], axis=0)
    assert len(np.unique(MIC(2, random_state=0).fit(X).labels_)) == 2


def test_a_start_that_keeps_its_clusters_is_preferred():
    """The end of a start says how many clusters it lost, whatever the objective."""
    with pytest.warns(ConvergenceWarning):
        steps = list(MIC(2, alpha=1e3, random_state=0).iter_fit(points()))
    assert steps[-1].state.n_empty == 1
