"""Iterated training: the machines solve their problems, the rounds keep their rules, the digits come out."""

from itertools import product

import cvxpy as cp
import numpy as np
import pytest

from mmc import CCCPMMC, IterLSSVM, IterSVM, IterSVR
from mmc.datasets import load_digits, make_moons, make_three_gaussians
from mmc.kernels import fit_kernel
from mmc.maxmargin.binary import allowed_sizes
from mmc.maxmargin.iterative.bias import place_bias
from mmc.maxmargin.machines import LeastSquaresMachine, SVMachine, SVRMachine
from mmc.metrics import clustering_error
from mmc.recording import record
from mmc.starts import k_means

BALANCED = [IterSVR, IterLSSVM, IterSVM]
each_balanced = pytest.mark.parametrize("cls", BALANCED)
each_method = pytest.mark.parametrize("cls", [*BALANCED, CCCPMMC])


@pytest.fixture
def X():
    """Sixty points in three clouds."""
    return make_three_gaussians(60, random_state=3).X


def problem(n=20, seed=0):
    """Draw a kernel matrix and labels that cannot be learned without error."""
    rng = np.random.RandomState(seed)
    X = rng.randn(n, 3)
    return fit_kernel(X, gamma=0.3).matrix, np.where(X[:, 0] + rng.randn(n) > 0, 1.0, -1.0)


def primal(K, y, price, loss):
    """Solve min ‖w‖² + price Σ loss(y, f) over w and b, written plainly with a square root of the kernel."""
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    w, b = cp.Variable(len(y)), cp.Variable()
    problem = cp.Problem(cp.Minimize(cp.sum_squares(w) + price * loss(y, root @ w + b)))
    return problem.solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
def test_machines_solve_the_problems_of_the_paper(C):
    """SVM, SVR and least-squares SVM reach the optimum of their programs, price and all."""
    K, y = problem()
    cases = [
        (SVMachine(K, C), lambda y, f: cp.sum(cp.pos(1 - cp.multiply(y, f)))),
        (SVRMachine(K, C, 0.1), lambda y, f: cp.sum(cp.pos(cp.abs(y - f) - 0.1))),
        (LeastSquaresMachine(K.copy(), C, is_psd=True), lambda y, f: cp.sum_squares(y - f)),
    ]
    for machine, loss in cases:
        trained = machine.train(y)
        f = trained.values + trained.bias
        value = trained.norm + machine.price * machine.loss(y * f).sum()
        assert value == pytest.approx(primal(K, y, machine.price, loss), rel=1e-2)
        np.testing.assert_allclose(K @ trained.dual, trained.values, atol=1e-10)
        assert trained.norm == pytest.approx(trained.dual @ K @ trained.dual, abs=1e-10)
        assert trained.complete


def test_one_factor_serves_every_labelling():
    """The least-squares machine gives what the bordered linear system gives, whichever labels come."""
    K, _ = problem(30)
    machine, C = LeastSquaresMachine(K.copy(), 7.0, is_psd=True), 7.0
    system = np.block([[K + np.eye(30) / C, np.ones((30, 1))], [np.ones((1, 30)), np.zeros((1, 1))]])
    for seed in range(4):
        y = np.random.RandomState(seed).choice([-1.0, 1.0], 30)
        plain = np.linalg.solve(system, np.append(y, 0.0))
        trained = machine.train(y)
        np.testing.assert_allclose(trained.dual, plain[:-1], atol=1e-9)
        assert trained.bias == pytest.approx(plain[-1], abs=1e-9)


def test_an_indefinite_kernel_is_cut_to_its_positive_part():
    """The least-squares machine then equals that of the positive part, also on the kernel as it is."""
    rng = np.random.RandomState(2)
    A = rng.randn(25, 25)
    K = A + A.T
    y = rng.choice([-1.0, 1.0], 25)
    trained = LeastSquaresMachine(K.copy(), 2.0, is_psd=False).train(y)
    centred = K - K.mean(0) - K.mean(1)[:, None] + K.mean()
    values, vectors = np.linalg.eigh(centred)
    positive = (vectors * np.maximum(values, 0.0)) @ vectors.T
    expected = LeastSquaresMachine(positive.copy(), 2.0, is_psd=True).train(y)
    np.testing.assert_allclose(trained.values - trained.values.mean(), expected.values, atol=1e-8)
    np.testing.assert_allclose(K @ trained.dual, trained.values, atol=1e-8)


@each_balanced
@pytest.mark.parametrize("balance", [0.0, 0.1, 0.5])
def test_every_round_keeps_its_rules(cls, balance, X):
    """Labels are signs of f within the balance, negative margins are the flips, and f is the model's own."""
    model = cls(balance=balance, init="random", n_init=2, random_state=0)
    before = None
    for step in model.iter_fit(X):
        state = step.state
        f = model.decision_function(X)[:, 1]
        np.testing.assert_allclose(f, state.f, atol=1e-8)
        if step.n_iter == 0:
            before = None
        else:
            np.testing.assert_array_equal(state.labels, state.f > 0)
            assert abs((2 * state.labels - 1).sum()) <= balance * len(X)
            np.testing.assert_array_equal(state.moved, np.flatnonzero(state.labels != before.labels))
            np.testing.assert_array_equal(np.flatnonzero(state.margins < 0), state.moved)
            np.testing.assert_allclose(state.margins, (2 * before.labels - 1) * state.f)
        y = 2 * state.labels - 1
        assert state.loss == pytest.approx(state.loss_function(y * state.f).sum())
        price = model.C if cls is IterLSSVM else 2 * model.C
        assert state.objective == pytest.approx(state.norm + price * state.loss)
        before = state
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@each_balanced
def test_the_end_is_a_fixed_point(cls, X):
    """Training on the labels that were kept and placing the bias gives the same labels."""
    model = cls(balance=0.1, random_state=0).fit(X)
    K = model.kernel_(X)
    machine = model._machine(K.copy(), model.kernel_)
    trained = machine.train(2.0 * model.labels_ - 1.0)
    placed = place_bias(trained.values, allowed_sizes(0.1, len(X)).bound, machine.loss)
    np.testing.assert_array_equal(placed.labels, model.labels_)


def test_the_svm_objective_of_a_state_is_that_of_its_labels(X):
    """It equals the program of eq. 3, and the best of all balanced labellings where the groups are clear."""
    model = IterSVR(balance=0.1, C=5.0, random_state=0).fit(X)
    K, y = model.kernel_(X), 2.0 * model.labels_ - 1.0
    expected = primal(K, y, 10.0, lambda y, f: cp.sum(cp.pos(1 - cp.multiply(y, f))))
    assert model.state_.svm_objective == pytest.approx(expected, rel=2e-3)


@each_balanced
def test_two_clear_groups_are_the_best_of_all_labellings(cls):
    """On eight points no balanced labelling has a lower SVM objective than the one that was found."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [6, 5], [6, 6], [5, 6], [5, 5]], dtype=float)
    model = cls(balance=0.25, random_state=0).fit(X)
    judge = model.state_.judge
    values = {
        labels: judge.objective(np.array(labels))
        for labels in product([0, 1], repeat=8)
        if abs(2 * sum(labels) - 8) <= 2
    }
    assert model.state_.svm_objective == pytest.approx(min(values.values()), rel=1e-3)


def test_without_a_balance_one_cluster_swallows_the_other():
    """CCCPMMC with a small C ends with one cluster and objective 0, where IterSVM keeps two."""
    X = make_moons(100, random_state=0).X
    settings = {"C": 0.1, "width": 0.3, "init": "random", "random_state": 0}
    recording = record(CCCPMMC(**settings), X)
    sizes = [int(state.labels.sum()) for state in recording.states]
    assert sizes[0] == 50
    assert sizes[-1] in (0, 100)
    assert len(sizes) > 3
    assert recording.estimator.objective_ == 0.0
    assert "one cluster" in recording.states[-1].caption
    assert recording.estimator.state_.svm_objective == 0.0
    kept = IterSVM(**settings).fit(X).labels_
    assert 0 < kept.sum() < 100


@pytest.mark.filterwarnings("ignore:CCCPMMC found only 1 of the 2 clusters")
def test_cccp_objective_never_rises(X):
    """The concave-convex procedure descends on ‖w‖² + 2C Σ (1 − |f|)₊."""
    for seed in range(3):
        model = CCCPMMC(C=0.5, init="random", n_init=1, random_state=seed)
        values = [step.state.objective for step in model.iter_fit(X)]
        assert (np.diff(values[1:]) <= 1e-2 * values[1]).all()


@each_method
def test_starts_are_judged_by_the_objective(cls, X):
    """The end with the lowest objective is kept, and equal starts are made once."""
    model = cls(n_init=6, init="random", random_state=0).fit(X)
    assert len(model.start_objectives_) == 6
    assert model.objective_ == pytest.approx(min(model.start_objectives_))
    assert len(cls(n_init=6, init="k-means", random_state=0).fit(X).start_objectives_) < 6
    assert len(cls(n_init=6, init="normalized-cut").fit(X).start_objectives_) == 1


@each_method
def test_given_labels_are_the_start(cls, X):
    """A labelling makes one start, and names its clusters."""
    labels = k_means(X, 2, np.random.RandomState(0))
    states = [step.state for step in cls(init=labels).iter_fit(X)]
    np.testing.assert_array_equal(states[0].labels, labels)
    assert "given" in states[0].caption


def test_k_means_seeds_lie_far_apart():
    """Wherever it begins, it ends with what the paper's k-means found."""
    for pair, error in (((3, 8), 5.3), ((1, 7), 0.0), ((2, 7), 3.1), ((8, 9), 9.3)):
        digits = load_digits(pair)
        for seed in range(3):
            labels = k_means(digits.X, 2, np.random.RandomState(seed))
            assert 100 * clustering_error(digits.y, labels) == pytest.approx(error, abs=0.6)


@each_method
def test_a_precomputed_kernel_gives_the_same(cls, X):
    """A matrix in place of points changes nothing but the starts that need points."""
    model = cls(init="normalized-cut").fit(X)
    given = cls(kernel="precomputed", init="normalized-cut").fit(model.kernel_(X))
    np.testing.assert_array_equal(given.labels_, model.labels_)
    np.testing.assert_allclose(
        given.decision_function(model.kernel_(X[:5])), model.decision_function(X[:5]), atol=1e-6
    )
    with pytest.raises(ValueError, match='init="k-means" needs points'):
        cls(kernel="precomputed").fit(model.kernel_(X))


@each_method
def test_more_clusters_than_two_name_the_remedy(cls, X):
    """Who asks for three is told of RecursiveBinary."""
    with pytest.raises(ValueError, match=rf"RecursiveBinary\({cls.__name__}\(\), n_clusters=3\)"):
        cls(n_clusters=3).fit(X)


@each_balanced
def test_a_balance_that_no_labelling_keeps_is_refused(cls, X):
    """An odd number of points cannot be halved."""
    with pytest.raises(ValueError, match=r"balance=0\.01 .* odd number of 59 points .* at least 0\.017"):
        cls(balance=0.01).fit(X[:59])
    cls(balance=0.017).fit(X[:59])


def test_bounds_of_the_sizes():
    """ℓ is rounded down, and no cluster may be empty."""
    assert allowed_sizes(0.03, 357).bound == 10
    assert allowed_sizes(0.1, 30).bound == 3
    assert allowed_sizes(1.0, 10).bound == 8
    assert allowed_sizes(0.0, 10).bound == 0


def test_equal_points_are_refused_or_parted():
    """Where no distance is known there is a message; equal points among others keep the balance."""
    with pytest.raises(ValueError, match="All points are equal"):
        IterSVM(kernel="linear").fit(np.ones((6, 2)))
    X = np.repeat([[0.0], [1.0], [1.0], [1.0]], 3, axis=0)
    labels = IterLSSVM(balance=0.0, random_state=0).fit(X).labels_
    assert labels.sum() == 6


def test_negative_kernels_start_from_a_gaussian_cut(X):
    """A linear kernel has negative values; the normalised cut then takes a Gaussian one."""
    linear = IterSVR(kernel="linear", init="normalized-cut").fit(X)
    assert linear.state_.origin == "normalized-cut"
    K = linear.kernel_(X)
    with pytest.raises(ValueError, match="without negative values"):
        IterSVR(kernel="precomputed", init="normalized-cut").fit(K)


def test_a_solver_that_is_stopped_early_says_so(X, monkeypatch):
    """A training that would take too long is used as it stands, and the caption tells."""
    monkeypatch.setattr("mmc.maxmargin.machines._EFFORT", 3 * len(X))
    states = [step.state for step in IterSVR(max_iter=2, random_state=0).iter_fit(X)]
    assert not states[1].complete
    assert "stopped early" in states[1].caption


@pytest.mark.parametrize(
    ("pair", "cls", "width", "most"),
    [
        ((3, 8), IterSVM, 3, 5.1),
        ((3, 8), IterLSSVM, 5, 4.8),
        ((3, 8), IterSVR, 5, 4.0),
        ((1, 7), IterSVR, 3, 0.6),
        ((2, 7), IterSVM, 3, 3.7),
        ((2, 7), IterLSSVM, 5, 1.2),
        ((2, 7), IterSVR, 3, 0.6),
        ((8, 9), IterSVM, 3, 5.4),
        ((8, 9), IterLSSVM, 3, 4.8),
        ((8, 9), IterSVR, 3, 4.3),
    ],
)
def test_digits_of_table_iv(pair, cls, width, most):
    """The errors of the paper within 0.6 %, from k-means starts."""
    digits = load_digits(pair)
    gamma = 1.0 / (width * np.linalg.norm(np.ptp(digits.X, axis=0))) ** 2
    model = cls(gamma=gamma, balance=0.03, n_init=1, random_state=0).fit(digits.X)
    assert 100 * clustering_error(digits.y, model.labels_) <= most


def test_the_svm_sticks_and_the_svr_does_not():
    """From the same start and C, regression flips many points and the SVM hardly any (Table I, Figure 5)."""
    digits = load_digits((8, 9))
    start = k_means(digits.X, 2, np.random.RandomState(0))
    settings = {"C": 500.0, "balance": 0.03, "init": start}
    svm, svr = IterSVM(**settings).fit(digits.X), IterSVR(**settings).fit(digits.X)
    assert (svm.labels_ != start).sum() < 0.3 * (svr.labels_ != start).sum()
    assert clustering_error(digits.y, svr.labels_) < clustering_error(digits.y, svm.labels_)
    # Overconfidence is what holds the labels fast.
    assert np.median(svm.state_.margins) > 2 > np.median(svr.state_.margins)


@each_method
def test_two_points_are_two_clusters(cls):
    """The smallest problem works."""
    assert sorted(cls(random_state=0).fit([[0.0, 0.0], [1.0, 1.0]]).labels_) == [0, 1]


def test_forgiving_everything_is_refused():
    """From ε = 1 on f = 0 is forgiven everywhere, and labels would mean nothing."""
    with pytest.raises(ValueError, match=r"'epsilon' parameter .* \[0.0, 1.0\)"):
        IterSVR(epsilon=1.0).fit(np.eye(4))


def test_states_do_not_change_with_the_callers_array(X):
    """The SVM objective is that of the points as they were, also of a precomputed kernel."""
    model = IterSVR(random_state=0).fit(X)
    expected = model.state_.judge.objective(model.labels_)
    K = model.kernel_(X)
    given = IterSVR(kernel="precomputed", init=model.labels_).fit(K)
    X[:], K[:] = 0.0, 0.0
    assert model.state_.svm_objective == pytest.approx(expected)
    assert given.state_.svm_objective == pytest.approx(expected, rel=1e-3)


def test_a_zero_row_starts_from_a_gaussian_cut():
    """A kernel with a row of zeros is no affinity; the normalised cut then takes a Gaussian one."""
    X = np.concatenate([np.zeros((1, 2)), np.random.RandomState(0).rand(11, 2)])
    assert IterSVM(kernel="linear", init="normalized-cut").fit(X).state_.origin == "normalized-cut"
