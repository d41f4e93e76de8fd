"""The dual of one cut against the paper's cone program, and the pieces around it."""

import warnings

import cvxpy as cp
import numpy as np
import pytest

from mmc.maxmargin.mixture import check_kernels, fit_mixture
from mmc.maxmargin.sides import Classes, Cut, Halves
from mmc.maxmargin.working_set import WorkingSet

KERNELS = ["linear", ("poly", {"degree": 2}), ("rbf", {"width": 0.7})]


def features(K):
    """Give Φ with Φ Φᵀ = K."""
    values, vectors = np.linalg.eigh(K)
    keep = values > 1e-10 * values.max()
    return vectors[:, keep] * np.sqrt(values[keep])


def random_working_set(seed, k, *, skewed=True, n=20, n_cuts=6):
    """Make a working set of random constraints at random labels, and the raw kernels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + 0.8
    labels = (np.argsort(np.argsort(X[:, 0])) * k) // n  # equal parts along the first axis
    if skewed:  # so that the balance has something to do
        labels = rng.permutation(labels)
        labels[: n // 4] = 0
    sides = Halves() if k == 2 else Classes(k)
    members = fit_mixture(X, check_kernels(KERNELS), normalize=True, centre=k == 2)
    working = WorkingSet(members, sides, labels)
    for p in range(n_cuts):  # each marks most of one class and some of the others
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


def cone_program_of_two(working, raw, C, l):  # noqa: E741
    """Solve [MKC] eq. 2.14 as it stands there, over all features."""
    n, M = len(working.labels), len(raw)
    z = np.where(working.labels == 1, 1.0, -1.0)
    Phi = [features(K) for K in raw]
    v = [cp.Variable(P.shape[1]) for P in Phi]
    beta, t, xi, b = cp.Variable(M), cp.Variable(M), cp.Variable(), cp.Variable()
    f = sum(P @ w for P, w in zip(Phi, v, strict=True)) + b
    constraints = [beta >= 0, cp.norm(beta) <= 1, xi >= 0, cp.sum(f) <= l, cp.sum(f) >= -l]
    constraints += [cp.norm(cp.hstack([2 * v[k], t[k] - beta[k]])) <= t[k] + beta[k] for k in range(M)]
    for cut in working.cuts:
        c = (cut.rivals >= 0).astype(float)
        constraints.append(c.sum() / n <= xi + cp.sum(cp.multiply(c * z, f)) / n)
    problem = cp.Problem(cp.Minimize(cp.sum(t) / 2 + C * xi), constraints)
    solve_well(problem)
    return problem.value, beta.value, f.value[:, None], float(abs(f.value.sum()))


def cone_program_of_many(working, raw, C, l):  # noqa: E741
    """Solve [MKC] eq. 4.35 as it stands there, over all features."""
    n, M, m = len(working.labels), len(raw), working.sides.n_blocks
    z = np.eye(m)[working.labels]
    Phi = [features(K) for K in raw]
    v = [cp.Variable((P.shape[1], m)) for P in Phi]
    beta, t, xi = cp.Variable(M), cp.Variable(M), cp.Variable()
    f = sum(P @ w for P, w in zip(Phi, v, strict=True))
    constraints = [beta >= 0, cp.norm(beta) <= 1, xi >= 0]
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
