"""The dual of one cut against the paper's cone program, and the pieces around it."""

import itertools
import warnings

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mmc.errors import SolverError
from mmc.maxmargin.cutting_plane import dual_program
from mmc.maxmargin.cutting_plane.constraints import Classes, Cut, Halves
from mmc.maxmargin.cutting_plane.dual_program import solve_dual
from mmc.maxmargin.cutting_plane.kernel_list import check_kernels, fit_mixture
from mmc.maxmargin.cutting_plane.kernel_set import KernelSet
from mmc.maxmargin.cutting_plane.working_set import best_bias

KERNELS = ["linear", ("poly", {"degree": 2}), ("rbf", {"width": 0.7})]


def features(K):
    """Give Φ with Φ Φᵀ = K."""
    values, vectors = np.linalg.eigh(K)
    keep = values > 1e-10 * values.max()
    return vectors[:, keep] * np.sqrt(values[keep])


def random_working_set(seed, k, *, skewed=True):
    """Make a working set of six random constraints at random labels, and the raw kernels."""
    n = 20
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + 0.8
    labels = (np.argsort(np.argsort(X[:, 0])) * k) // n  # equal parts along the first axis
    if skewed:  # so that the balance has something to do
        labels = rng.permutation(labels)
        labels[: n // 4] = 0
    sides = Halves() if k == 2 else Classes(k)
    members = fit_mixture(X, check_kernels(KERNELS), normalize=True, centre=k == 2)
    working = KernelSet(members, sides, labels)
    for p in range(6):  # each marks most of one class and some of the others
        rivals = (labels + rng.integers(1, k, n)) % k
        marked = rng.random(n) < np.where(labels == p % k, 0.9, 0.4)
        working.add(Cut(np.where(marked, rivals, -1)))
    raw = [m.matrix for m in fit_mixture(X, check_kernels(KERNELS), normalize=True, centre=False)]
    return working, raw


def solve_well(problem):
    """Solve as exactly as the solver can; the weights of the kernels need more than its default."""
    for tol in (1e-10, 1e-9, 1e-8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the status says the same
            problem.solve(solver="CLARABEL", tol_gap_abs=tol, tol_gap_rel=tol, tol_feas=tol)
        if problem.status == "optimal":
            return
    pytest.fail(problem.status)


def cone_program_of_two(working, raw, C, l, p=2, target=0.0):  # noqa: E741
    """Solve [MKC] eq. 2.14 as it stands there, over all features, also with ‖β‖_p and another mean of f."""
    n, M = len(working.labels), len(raw)
    z = np.where(working.labels == 1, 1.0, -1.0)
    Phi = [features(K) for K in raw]
    v = [cp.Variable(P.shape[1]) for P in Phi]
    beta, t, xi, b = cp.Variable(M), cp.Variable(M), cp.Variable(), cp.Variable()
    f = sum(P @ w for P, w in zip(Phi, v, strict=True)) + b
    constraints = [beta >= 0, cp.norm(beta, p) <= 1, xi >= 0, cp.abs(cp.sum(f) - target * n) <= l]
    constraints += [cp.norm(cp.hstack([2 * v[k], t[k] - beta[k]])) <= t[k] + beta[k] for k in range(M)]
    for cut in working.cuts:
        c = (cut.rivals >= 0).astype(float)
        constraints.append(c.sum() / n <= xi + cp.sum(cp.multiply(c * z, f)) / n)
    problem = cp.Problem(cp.Minimize(cp.sum(t) / 2 + C * xi), constraints)
    solve_well(problem)
    return problem.value, beta.value, f.value[:, None], float(abs(f.value.sum()))


def cone_program_of_many(working, raw, C, l, p=2):  # noqa: E741
    """Solve [MKC] eq. 4.35 as it stands there, over all features."""
    n, M, m = len(working.labels), len(raw), working.sides.n_blocks
    z = np.eye(m)[working.labels]
    Phi = [features(K) for K in raw]
    v = [cp.Variable((P.shape[1], m)) for P in Phi]
    beta, t, xi = cp.Variable(M), cp.Variable(M), cp.Variable()
    f = sum(P @ w for P, w in zip(Phi, v, strict=True))
    constraints = [beta >= 0, cp.norm(beta, p) <= 1, xi >= 0]
    constraints += [
        cp.norm(cp.hstack([2 * cp.vec(v[k], order="F"), t[k] - beta[k]])) <= t[k] + beta[k] for k in range(M)
    ]
    constraints += [cp.sum(f[:, p] - f[:, q]) <= l for p in range(m) for q in range(m) if p != q]
    for cut in working.cuts:
        c = np.where(cut.rivals[:, None] >= 0, np.eye(m)[cut.rivals], 0.0)
        ce = c.sum(axis=1, keepdims=True)
        left = cp.sum(cp.multiply(ce * z - c, f)) / n + (c * z).sum() / n
        constraints.append(left >= ce.sum() / n - xi)
    problem = cp.Problem(cp.Minimize(cp.sum(t) / 2 + C * xi), constraints)
    solve_well(problem)
    sums = f.value.sum(axis=0)
    return problem.value, beta.value, f.value, float(sums.max() - sums.min())


@pytest.mark.parametrize("C", [0.5, 8.0])
@pytest.mark.parametrize("balance", [0.0, 0.02, 5.0])
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", [0, 1])
def test_dual_equals_the_cone_program(seed, k, balance, C):
    """Value, β and f of the dual are those of the paper's program, whether the balance binds or not."""
    working, raw = random_working_set(seed, k, skewed=balance < 1)
    fit = working.solve(C, balance)
    program = cone_program_of_two if k == 2 else cone_program_of_many
    value, beta, f, imbalance = program(working, raw, C, balance * len(working.labels))
    assert fit.norm + C * fit.slack == pytest.approx(value, abs=1e-4 * max(1, value))
    np.testing.assert_allclose(fit.beta, beta, atol=1e-4)
    np.testing.assert_allclose(fit.f, f, atol=1e-4)
    if balance == 0.02:
        assert imbalance == pytest.approx(0.02 * len(f), rel=1e-3)  # it binds here
    if balance == 5.0:
        assert imbalance < 4.9 * len(f)  # and here it does not


@pytest.mark.parametrize("p", [1, 1.25, 3, 10])
@pytest.mark.parametrize(("k", "target"), [(2, 0.0), (2, -0.4), (3, 0.0)])
def test_dual_with_another_norm_equals_the_cone_program(p, k, target):
    """Also with ‖β‖_p ≤ 1 and a target of the balance value, β and f are those of the cone program."""
    working, raw = random_working_set(0, k)
    extra = {"target": target} if k == 2 else {}
    fit = working.solve(8.0, 0.02, beta_norm=p, **extra)
    program = cone_program_of_two if k == 2 else cone_program_of_many
    value, beta, f, _ = program(working, raw, 8.0, 0.02 * len(working.labels), p, **extra)
    assert fit.norm + 8.0 * fit.slack == pytest.approx(value, abs=1e-4 * value)
    assert np.linalg.norm(fit.beta, p) == pytest.approx(1.0)
    np.testing.assert_allclose(fit.beta, beta, atol=3e-3)  # the objective is flat in β
    np.testing.assert_allclose(fit.f, f, atol=3e-3)


def test_a_norm_of_one_shares_the_weight_of_equal_kernels():
    """Where several kernels are the best, their multipliers say how much each counts, and f is the same."""
    one, _ = random_working_set(0, 2)
    twice = KernelSet([one.members[2]] * 2, one.sides, one.labels)
    alone = KernelSet([one.members[2]], one.sides, one.labels)
    for cut in one.cuts:
        twice.add(cut)
        alone.add(cut)
    both, single = twice.solve(8.0, 0.02, beta_norm=1.0), alone.solve(8.0, 0.02)
    assert both.beta.sum() == pytest.approx(1.0)
    assert both.norm == pytest.approx(single.norm, rel=1e-4)
    np.testing.assert_allclose(both.f, single.f, atol=1e-4)


def test_products_follow_the_labels():
    """After points have changed their labels, the Gram matrices are those of a working set made anew."""
    for k in (2, 3):
        working, _ = random_working_set(5, k)
        labels = (working.labels + (np.arange(len(working.labels)) % 4 == 0)) % k
        fresh = KernelSet(working.members, working.sides, labels)
        for cut in working.cuts:
            fresh.add(cut)
        working.relabel(labels)
        np.testing.assert_allclose(working.grams(), fresh.grams(), atol=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_constraint_is_the_most_violated(k):
    """No other constraint asks for a larger ξ ([MKC] theorems 2.2 and 4.3), by trying all of them."""
    rng = np.random.default_rng(k)
    n = 5
    sides = Halves() if k == 2 else Classes(k)
    f = 0.8 * rng.normal(size=(n, sides.n_blocks))
    labels = sides.labels(f)

    def asks_for(cut):
        return sides.share(cut, labels) - float((sides.rows(cut, labels, slice(None)) * f).sum()) / n

    others = [Cut(np.array(rivals)) for rivals in itertools.product(range(-1, k), repeat=n)]
    assert asks_for(sides.cut(f, labels)) == pytest.approx(max(map(asks_for, others)))


@settings(deadline=None, derandomize=True)
@given(
    hnp.arrays(float, st.integers(1, 8), elements=st.floats(-2, 2)),
    st.integers(0, 2**16),
    st.sampled_from([0.0, 0.1, 1.5]),
)
def test_bias_is_the_best(losses, seed, bound):
    """No end and no crossing of two lines is better, and among the best the bias is the nearest to zero."""
    slopes = np.random.default_rng(seed).integers(-3, 4, len(losses)) / 3.0

    def value(b):
        return max(0.0, float((losses - slopes * b).max()))

    b = best_bias(losses, slopes, bound)
    lines = [(0.0, 0.0), *zip(losses, slopes, strict=True)]
    crossings = [(h - i) / (g - j) for h, g in lines for i, j in lines if g != j]
    places = [-bound, bound, *(c for c in crossings if abs(c) <= bound)]
    assert abs(b) <= bound
    assert value(b) == pytest.approx(min(map(value, places)), abs=1e-9)
    assert b == 0 or value(b * (1 - 1e-3)) > value(b) - 1e-12


def test_solver_failure_is_named(monkeypatch):
    """What Clarabel says is in the error, with a remedy."""
    working, _ = random_working_set(0, 2)
    monkeypatch.setattr(dual_program, "_TOLERANCES", (1e-30,))
    with pytest.raises(SolverError, match=r"gave up on the problem of 6 cuts: .*smaller C") as error:
        working.solve(1.0, 0.1)
    assert error.value.status


def test_indefinite_kernel_is_refused():
    """A matrix with a negative eigenvalue measures no margin."""
    grams = -np.eye(2)[None]
    with pytest.raises(ValueError, match="not positive semi-definite"):
        solve_dual(grams, np.ones(2), 1.0, sizes=np.ones(1), cost=0.0, ties=np.zeros(2))
