"""Semidefinite relaxations bound every labelling, their matrices are feasible, rounding keeps its word."""

import pickle
import subprocess
import sys
from itertools import product

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import NotFittedError

from mmc.datasets import load_digits
from mmc.errors import SolverError
from mmc.kernels import fit_kernel
from mmc.maxmargin.binary import allowed_sizes
from mmc.maxmargin.machines import SVMachine
from mmc.maxmargin.semidefinite import GMMC, MMC, base, programs
from mmc.maxmargin.semidefinite.programs import RIDGE, gmmc_program, mmc_program, positive_part, solve
from mmc.maxmargin.semidefinite.rounding import balanced_signs, round_matrix
from mmc.metrics import clustering_error

each_method = pytest.mark.parametrize("cls", [MMC, GMMC])


@pytest.fixture
def X():
    """Twenty-four points in two clouds."""
    return make_blobs(24, centers=[[0, 0], [6, 0]], random_state=0)[0]


def tiny(n=6):
    """Draw a kernel matrix of a few points."""
    return fit_kernel(np.random.RandomState(0).randn(n, 2), gamma=0.5).matrix


def labellings(n, bound):
    """List all y that keep the balance, each once and not with its mirror image."""
    ys = (np.array([1.0, *rest]) for rest in product((-1.0, 1.0), repeat=n - 1))
    return [y for y in ys if abs(y.sum()) <= bound]


def last(program, solver="CLARABEL", tol=1e-8):
    """Solve a program to the end."""
    return list(solve(program, solver, tol, 60.0))[-1]


def svm_through_the_origin(K, y, C):
    """Give min ‖w‖² + 2C Σξ without a bias, which is eq. 4 with b = 0."""
    values, vectors = np.linalg.eigh(K)
    w = cp.Variable(len(y))
    f = (vectors * np.sqrt(np.maximum(values, 0.0))) @ w
    objective = cp.sum_squares(w) + 2 * C * cp.sum(cp.pos(1 - cp.multiply(y, f)))
    return cp.Problem(cp.Minimize(objective)).solve(solver=cp.CLARABEL)


def inverse(K):
    """Invert K with the ridge of GMMC."""
    return np.linalg.inv(K + RIDGE * np.trace(K) / len(K) * np.eye(len(K)))


@pytest.mark.parametrize(("C", "bound"), [(0.3, 2), (10.0, 0)])
def test_mmc_bounds_every_labelling(C, bound):
    """The optimum of eq. 6 is at most that of eq. 4 with b = 0, whatever the labels, and not far from it."""
    K = tiny()
    best = min(svm_through_the_origin(K, y, C) for y in labellings(6, bound))
    value = last(mmc_program(K, C, bound)).value
    assert 0.5 * best < value <= best * (1 + 1e-6)


def test_mmc_at_a_labelling_is_its_svm():
    """With M = yyᵀ held fast, eq. 6 has the value of the SVM without a bias."""
    K, y = tiny(), np.array([1.0, -1, 1, -1, 1, -1])
    program = mmc_program(K, 2.0, 0)
    (M,) = [v for v in program.problem.variables() if v.shape == (6, 6)]
    fixed = cp.Problem(program.problem.objective, [*program.problem.constraints, np.outer(y, y) == M])
    assert fixed.solve(solver=cp.CLARABEL) == pytest.approx(svm_through_the_origin(K, y, 2.0), rel=1e-3)


def test_gmmc_bounds_every_labelling():
    """The optimum of eq. 7 is at most ‖w‖² + C (Σf)² of any f that keeps a margin of 1 on either side."""
    K, C = tiny(), 10.0
    root = np.linalg.cholesky(inverse(K)).T
    f, b = cp.Variable(6), cp.Variable()
    cost = cp.sum_squares(root @ (f - b)) + C * cp.sum(f) ** 2
    best = min(
        cp.Problem(cp.Minimize(cost), [cp.multiply(y, f) >= 1]).solve(solver=cp.CLARABEL)
        for y in labellings(6, 4)
    )
    value = last(gmmc_program(K, C)).value
    assert 0.5 * best < value <= best * (1 + 1e-6)


@pytest.mark.parametrize("C", [0.5, 10.0])
def test_gmmc_bounds_every_function(C):
    """It is at most ‖w‖² + C (Σf)² + C Σ (1 − f²)₊ for any f at all."""
    K, rng = tiny(), np.random.RandomState(1)
    G, value = inverse(K), last(gmmc_program(K, C)).value
    for _ in range(200):
        f, b = 1.5 * rng.randn(6), rng.randn()
        assert value <= (f - b) @ G @ (f - b) + C * f.sum() ** 2 + C * np.maximum(0, 1 - f**2).sum() + 1e-6


@pytest.mark.parametrize("solver", ["SCS", "CLARABEL"])
def test_mmc_matrix_is_feasible(solver):
    """M* is semi-definite, has a unit diagonal and keeps the balance."""
    M = last(mmc_program(tiny(10), 5.0, 2), solver, 1e-6).matrix
    assert np.linalg.eigvalsh(M).min() > -1e-4
    np.testing.assert_allclose(np.diag(M), 1.0, atol=1e-4)
    assert np.abs(M.sum(axis=1)).max() < 2 + 1e-3


@pytest.mark.parametrize("solver", ["SCS", "CLARABEL"])
@pytest.mark.parametrize("C", [0.6, 10.0])
def test_gmmc_is_solved_with_its_dual(solver, C):
    """The slack matrix of eq. 7 is semi-definite, and M* has the program's value in the relaxed problem."""
    n, K = 10, tiny(10)
    program = gmmc_program(K, C)
    end = last(program, solver, 1e-7)
    (gamma,) = (v.value for v in program.problem.variables())
    G, e = inverse(K), np.ones(n)
    P = np.column_stack([np.eye(n), e])
    A = P.T @ G @ P + C * np.outer([*e, 0], [*e, 0])
    assert np.linalg.eigvalsh(A - np.diag([*gamma, 0])).min() > -1e-4
    without_bias = G - np.outer(G @ e, G @ e) / (e @ G @ e) + C * np.outer(e, e)
    relaxed = np.trace(without_bias @ end.matrix) + C * np.maximum(0, 1 - np.diag(end.matrix)).sum()
    assert relaxed == pytest.approx(end.value, rel=1e-3)


def test_scs_may_lack_a_factor_for_dense_matrices(monkeypatch):
    """Where SCS was built without it, the factor for sparse matrices gives the same value."""
    value = last(gmmc_program(tiny(10), 10.0), "SCS", 1e-6).value
    monkeypatch.setitem(sys.modules, "scs._scs_dense", None)
    assert last(gmmc_program(tiny(10), 10.0), "SCS", 1e-6).value == pytest.approx(value, rel=1e-3)


@each_method
def test_solvers_agree(cls):
    """SCS and Clarabel give the same value to a thousandth, nearly the same matrix and the same labels."""
    digits = load_digits((3, 8))
    ends = [cls(solver=solver, random_state=0).fit(digits.X[:22]) for solver in ("SCS", "CLARABEL")]
    one, other = (model.state_ for model in ends)
    assert one.relaxation == pytest.approx(other.relaxation, rel=1e-3)
    np.testing.assert_allclose(one.matrix, other.matrix, atol=0.02)
    np.testing.assert_array_equal(one.labels, other.labels)
    assert other.converged
    assert ends[1].n_iter_ == other.n_done > 1


@pytest.mark.slow
@each_method
def test_clouds_and_digits_come_out(cls, X):
    """A wide kernel parts two clouds without error, the default one threes and eights with one in fifty."""
    assert clustering_error(X[:, 0] > 3, cls(width=2.0, random_state=0).fit(X).labels_) == 0
    digits = load_digits((3, 8))
    model = cls(random_state=0).fit(digits.X[:50])
    assert clustering_error(digits.y[:50], model.labels_) < 0.021
    np.testing.assert_array_equal(model.predict(digits.X[:50]), model.labels_)
    assert (model.predict(digits.X[50:150]) == (digits.y[50:150] != digits.y[0])).mean() > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("model", [GMMC(random_state=0), MMC(width=0.6, random_state=0)], ids=["GMMC", "MMC"])
def test_moons_come_out(model):
    """GMMC parts two moons as it is, MMC with a narrower kernel."""
    X, y = make_moons(60, noise=0.06, random_state=0)
    assert clustering_error(y, model.fit(X).labels_) == 0


@each_method
def test_states_tell_the_way(cls, X):
    """Each state has its matrix, spectrum, soft labels and moves; the last one is solved."""
    before = None
    for step in cls(random_state=0).iter_fit(X):
        state = step.state
        assert state.matrix.shape == (24, 24)
        assert state.matrix.dtype == np.float32
        np.testing.assert_allclose(state.spectrum, np.linalg.eigvalsh(state.matrix)[::-1], atol=1e-3)
        assert (np.diff(state.spectrum) <= 0).all()
        assert state.labels[0] == 0
        moves = [] if before is None else np.flatnonzero(state.labels != before)
        np.testing.assert_array_equal(state.changed, moves)
        before = state.labels
        assert ("solved after" in state.caption) == state.converged == (step.status == "converged")
    bound = allowed_sizes(cls().balance, 24).bound
    np.testing.assert_array_equal(balanced_signs(state.soft, bound), state.labels)
    assert step.n_iter > 0


@each_method
def test_objective_is_that_of_the_svm(cls, X):
    """The objective is ‖w‖² + 2C Σξ of the SVM whose coefficients predict."""
    model = cls(C=3.0, random_state=0).fit(X)
    f = model.decision_function(X)[:, 1]
    np.testing.assert_allclose(f, model.state_.f, atol=1e-8)
    y = np.where(model.labels_ == 1, 1.0, -1.0)
    K = model.kernel_(X)
    primal = model.dual_coef_ @ K @ model.dual_coef_ + 6.0 * np.maximum(0, 1 - y * f).sum()
    assert model.objective_ == pytest.approx(primal, rel=1e-2)


def judge(n):
    """Make an SVM that judges labellings of random points."""
    return SVMachine(tiny(n), 10.0)


@pytest.mark.parametrize("n_draws", [0, 20])
def test_rank_one_is_rounded_to_its_labels(n_draws):
    """From yyᵀ comes y, with the first point in cluster 0."""
    rng = np.random.RandomState(3)
    y = rng.permutation(np.repeat([-1.0, 1.0], [5, 7]))
    rounded = round_matrix(np.outer(y, y), judge(12), 4, rng.randn(n_draws, 12))
    np.testing.assert_array_equal(rounded.labels, y != y[0])
    np.testing.assert_allclose(rounded.soft, -y[0] * y)
    np.testing.assert_allclose(rounded.spectrum, [12.0] + [0.0] * 11, atol=1e-9)


def test_rounding_keeps_the_balance():
    """Sizes differ by the bound at most, even where the matrix puts all points in one cluster."""
    for n, bound in [(2, 0), (5, 1), (9, 3), (9, 7)]:
        labels = round_matrix(np.ones((n, n)), judge(n), bound, np.empty((0, n))).labels
        assert abs(2 * labels.sum() - n) <= bound < n


def test_threshold_is_the_nearest_that_keeps_the_balance():
    """Of all thresholds that keep the balance, the one that changes fewest signs is taken."""
    rng = np.random.RandomState(0)
    for bound, shift in product((0, 2, 4, 8), (-1, 0, 1)):
        z = rng.randn(10) + shift
        cuts = [z > t for t in (-np.inf, *z)]
        fewest = min((cut != (z > 0)).sum() for cut in cuts if abs(2 * cut.sum() - 10) <= bound)
        labels = balanced_signs(z, bound)
        assert abs(2 * labels.sum() - 10) <= bound
        assert (labels != (z > 0)).sum() == fewest
        assert z[labels == 1].min() > z[labels == 0].max()


def test_two_equal_eigenvalues_are_no_chance():
    """Where two cuts share the leading space, the wider one is found whichever basis comes out of it."""
    rng = np.random.RandomState(0)
    corners = np.array([[0, 0], [4, 0], [0, 2], [4, 2]], dtype=float)
    X = np.repeat(corners, 5, axis=0) + 0.1 * rng.randn(20, 2)
    wide, narrow = np.where(X[:, 0] > 2, 1.0, -1.0), np.where(X[:, 1] > 1, 1.0, -1.0)
    machine = SVMachine(fit_kernel(X, gamma=0.1).matrix, 10.0)
    for seed in range(5):
        noise = 1e-9 * np.random.RandomState(seed).randn(20, 20)
        M = (np.outer(wide, wide) + np.outer(narrow, narrow)) / 2 + noise + noise.T
        rounded = round_matrix(M, machine, 0, rng.randn(20, 20))
        np.testing.assert_array_equal(rounded.labels, X[:, 0] > 2)


@each_method
def test_too_many_points_are_refused_at_once(cls, monkeypatch):
    """The refusal names the number, the limit, the cost and the remedy, before a kernel is made."""
    monkeypatch.setattr(base.SemidefiniteClusterer, "_gram", None)
    limit = cls().max_samples
    with pytest.raises(
        ValueError, match=rf"n_samples={limit + 1} .*max_samples={limit}.*memory.*predict.*raise"
    ):
        cls().iter_fit(np.random.RandomState(0).randn(limit + 1, 2))


@each_method
def test_memory_is_asked_for_before_it_is_taken(cls):
    """Whoever raises the limit beyond the machine's memory is refused too."""
    model = cls(max_samples=10**6, solver="CLARABEL")
    with pytest.raises(ValueError, match="GiB"):
        model.iter_fit(np.zeros((3000, 1)))


@each_method
@pytest.mark.parametrize("solver", ["SCS", "CLARABEL"])
def test_no_time_leaves_no_model(cls, solver, X):
    """A time limit that is reached at once is named, and the estimator is not fitted."""
    model = cls(solver=solver, time_limit=1e-6, tol=1e-9)
    with pytest.raises(SolverError, match=r"(?i)" + solver + r".*time_limit=1e-06.*Raise") as caught:
        model.fit(X)
    assert caught.value.status
    with pytest.raises(NotFittedError):
        model.predict(X)


@each_method
def test_time_limit_leaves_the_last_state(cls, X, monkeypatch):
    """When the limit is reached on the way, the error is raised and the last state can be used."""
    ticks = iter(range(0, 10**6, 10))
    monkeypatch.setattr(programs, "perf_counter", lambda: next(ticks))  # ten seconds for every run
    model, seen = cls(tol=1e-12, time_limit=25.0, random_state=0), []
    with pytest.raises(SolverError, match="time limit reached"):
        seen.extend(step.state for step in model.iter_fit(X))
    assert model.state_ is seen[-1]
    assert model.predict(X).shape == model.labels_.shape == (24,)
    assert not model.state_.converged


def test_solver_error_survives_pickling():
    """The error of a worker process arrives with its status."""
    error = pickle.loads(pickle.dumps(SolverError("no", "infeasible")))
    assert (str(error), error.status) == ("no", "infeasible")


def test_cost_too_small_for_any_margin_is_named(X):
    """GMMC with a tiny C has the solution f = 0, which parts nothing."""
    with pytest.raises(SolverError, match="Raise C") as caught:
        GMMC(C=1e-3).fit(X)
    assert caught.value.status == "trivial"


@pytest.mark.slow
@each_method
def test_same_seed_same_result(cls, X):
    """Two fits with one seed are equal to the last digit."""
    one, two = (cls(random_state=5).fit(X) for _ in range(2))
    np.testing.assert_array_equal(one.state_.matrix, two.state_.matrix)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert one.objective_ == two.objective_


@each_method
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_duplicates_make_a_singular_kernel(cls, kernel, X):
    """Equal points do not hinder the inverse of K, and stay together."""
    twice = np.repeat(X[:10], 2, axis=0) - X[:10].mean(axis=0)
    labels = cls(kernel=kernel, balance=0.6, random_state=0).fit(twice).labels_
    np.testing.assert_array_equal(labels[::2], labels[1::2])


@each_method
def test_points_that_are_all_equal(cls):
    """Without a distance no width can be measured."""
    with pytest.raises(ValueError, match="All points are equal"):
        cls().fit(np.ones((8, 2)))


def test_equal_points_with_a_given_width():
    """The balance parts equal points in MMC; GMMC says that it finds no border between them."""
    labels = MMC(gamma=1.0, random_state=0).fit(np.ones((8, 2))).labels_
    assert abs(2 * labels.sum() - 8) <= 0.35 * 8
    with pytest.raises(SolverError, match="points differ"):
        GMMC(gamma=1.0).fit(np.ones((8, 2)))


def test_kernel_of_zeros_is_refused_by_gmmc():
    """A kernel without an inverse whatever the ridge is named."""
    with pytest.raises(ValueError, match="kernel is zero"):
        GMMC(kernel="linear").fit(np.zeros((6, 2)))


@each_method
def test_kernels_that_are_not_semi_definite(cls, X):
    """The program takes the positive part; the fit goes through."""
    K = np.tanh(0.2 * X[:12] @ X[:12].T - 1.0)
    assert np.linalg.eigvalsh(K).min() < -0.1
    assert np.linalg.eigvalsh(positive_part(K)).min() > -1e-9
    model = cls(kernel="precomputed", tol=1e-3, random_state=0).fit(K)
    assert model.predict(K).shape == (12,)


@each_method
@pytest.mark.parametrize("n", [2, 3])
def test_two_and_three_points(cls, n):
    """The smallest problems have both clusters."""
    labels = cls(balance=0.5, random_state=0).fit(np.arange(n, dtype=float)[:, None] ** 2).labels_
    assert set(labels) == {0, 1}


@pytest.mark.slow
def test_cvxpy_is_loaded_when_it_is_needed():
    """Importing the module loads neither cvxpy nor SCS."""
    code = (
        "import sys, mmc.maxmargin.semidefinite; "
        "sys.exit(', '.join({'cvxpy', 'scs'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
