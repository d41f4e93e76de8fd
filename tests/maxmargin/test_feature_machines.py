"""Classifiers in r features: the optimum of libsvm, of cvxpy and of the normal equations, at any cost."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from mmc.maxmargin import feature_program
from mmc.maxmargin.feature_machines import FeatureLeastSquares, FeatureSVM, FeatureSVR
from mmc.maxmargin.machines import WeightedLeastSquaresMachine


def problem(n=60, r=4, seed=0, scale=1.0):
    """Draw features and labels that cannot be learned without error."""
    rng = np.random.RandomState(seed)
    Phi = scale * rng.randn(n, r) + 3.0
    return Phi, np.where(Phi[:, 0] - 3.0 + rng.randn(n) > 0, 1.0, -1.0), rng.uniform(0.2, 5.0, n)


def value(machine, trained, y, weights=None):
    """Compute the objective ‖w‖² + price Σ v loss plainly."""
    losses = machine.loss(y * (trained.values + trained.bias))
    return trained.norm + machine.price * (losses.sum() if weights is None else weights @ losses)


def of_libsvm(model, Phi, y, weights=None):
    """Train libsvm on the linear kernel; return ‖w‖² and its decision values."""
    Phi = Phi - Phi.mean(axis=0)  # it keeps the kernel in single precision
    model.fit(Phi @ Phi.T, y, weights)
    dual = np.zeros(len(y))
    dual[model.support_] = model.dual_coef_[0]
    return dual @ Phi @ Phi.T @ dual, Phi @ (Phi.T @ dual) + model.intercept_[0]


def primal(Phi, y, price, loss, weights):
    """Solve min ‖w‖² + price Σ v loss(y, f) over w and b."""
    w, b = cp.Variable(Phi.shape[1]), cp.Variable()
    total = cp.sum(cp.multiply(weights, loss(y, Phi @ w + b)))
    return cp.Problem(cp.Minimize(cp.sum_squares(w) + price * total)).solve(solver=cp.CLARABEL)


LOSSES = {
    "svm": lambda y, f: cp.pos(1 - cp.multiply(y, f)),
    "svr": lambda y, f: cp.pos(cp.abs(y - f) - 0.1),
}


@pytest.mark.parametrize("shape", [(60, 4), (60, 1), (20, 50)])
@pytest.mark.parametrize("C", [1e-3, 1.0, 500.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", LOSSES)
def test_others_find_the_same(kind, shape, C, weighted):
    """The objective is that of cvxpy to 1e-6, and the decision values are those of libsvm on Φ Φᵀ."""
    Phi, y, v = problem(*shape)
    v = v if weighted else np.ones(len(y))
    options = {"kernel": "precomputed", "C": C, "tol": 1e-8}
    if kind == "svm":
        machine, plain = FeatureSVM(Phi, C, v), SVC(**options)
    else:
        machine, plain = FeatureSVR(Phi, C, 0.1, v), SVR(epsilon=0.1, **options)
    trained = machine.train(y)
    assert trained.complete
    found = value(machine, trained, y, v)
    centred = Phi - Phi.mean(axis=0)
    assert found == pytest.approx(primal(centred, y, machine.price, LOSSES[kind], v), rel=1e-6)
    norm, f = of_libsvm(plain, Phi, y, v)
    assert found == pytest.approx(norm + machine.price * v @ machine.loss(y * f), rel=3e-3)
    if C > 0.01:  # with a small C many biases may be optimal
        np.testing.assert_allclose(trained.values + trained.bias, f, atol=5e-3 * np.abs(f).max())
    np.testing.assert_allclose(Phi @ trained.dual, trained.values, atol=1e-9 * np.abs(f).max())


@pytest.mark.parametrize("weighted", [False, True])
def test_least_squares_solve_the_problem_of_the_kernel(weighted):
    """w, b and values are those of the n×n system."""
    Phi, y, v = problem()
    own = v if weighted else None
    trained = FeatureLeastSquares(Phi, 7.0, own).train(y)
    ones = v if weighted else np.ones(len(y))
    plain = WeightedLeastSquaresMachine(Phi @ Phi.T, 7.0, ones, is_psd=True).train(y)
    np.testing.assert_allclose(trained.values + trained.bias, plain.values + plain.bias, atol=1e-8)
    assert trained.norm == pytest.approx(plain.norm)


@pytest.mark.parametrize("machine", [FeatureSVM, FeatureSVR], ids=["svm", "svr"])
def test_a_warm_start_ends_where_a_cold_one_does(machine):
    """Whatever labels came before, the optimum is the same."""
    Phi, y, _ = problem(150, 10)
    own = machine(Phi, 500.0) if machine is FeatureSVM else machine(Phi, 500.0, 0.05)
    before = None
    for seed in range(4):
        flipped = np.where(np.random.RandomState(seed).rand(150) < 0.1, -y, y)
        cold, before = own.train(flipped), own.train(flipped, before)
        assert before.complete
        assert value(own, before, flipped) == pytest.approx(value(own, cold, flipped), rel=1e-6)
        f = cold.values + cold.bias
        np.testing.assert_allclose(before.values + before.bias, f, atol=1e-4 * np.abs(f).max())


def test_a_warm_start_takes_fewer_steps(monkeypatch):
    """With three labels flipped, fewer points are between their bounds than at a cold start."""
    sizes = []
    plain = feature_program._Smooth._newton
    monkeypatch.setattr(
        feature_program._Smooth,
        "_newton",
        lambda self, inside, slope: sizes.append(inside.sum()) or plain(self, inside, slope),
    )
    Phi, y, _ = problem(2000, 20)
    machine = FeatureSVR(Phi, 500.0, 0.05)
    before = machine.train(y)
    cold = sum(sizes)
    sizes.clear()
    y[[5, 50, 500]] *= -1.0
    assert machine.train(y, before).complete
    assert sum(sizes) < 0.5 * cold


@pytest.mark.parametrize("C", [1e-9, 1e-3, 500.0, 1e9])
@pytest.mark.parametrize("case", ["equal labels", "duplicates", "separable", "equal points", "one feature"])
def test_odd_cases_come_to_an_end(case, C):
    """The duality gap, or the exact solution, proves the optimum in degenerate cases and at extreme costs."""
    Phi, y, v = problem(40, 3, seed=1)
    if case == "equal labels":
        y[:] = 1.0
    elif case == "duplicates":
        Phi, y = np.repeat(Phi[:8], 5, axis=0), np.tile([1.0, 1.0, -1.0, 1.0], 10)
    elif case == "separable":
        y = np.where(Phi[:, 0] > 3.0, 1.0, -1.0)
    elif case == "equal points":
        Phi[:] = Phi[0]
    else:
        Phi = Phi[:, :1]
    for machine in (FeatureSVM(Phi, C), FeatureSVR(Phi, C, 0.05), FeatureSVR(Phi, C, 0.0, v)):
        trained = machine.train(y)
        assert trained.complete
        if case == "equal labels":
            assert np.abs(trained.values + trained.bias - 1.0).max() <= 0.05 + 1e-5
        if case == "equal points":
            assert trained.norm == pytest.approx(0.0, abs=1e-12)
    ridge = FeatureLeastSquares(Phi, C).train(y)
    centred = Phi - Phi.mean(axis=0)
    slope = ridge.dual / C + centred.T @ (centred @ ridge.dual - y)
    assert np.abs(slope).max() <= 1e-6 * max(1.0, np.abs(centred.T @ y).max())


def test_the_gap_of_a_solution_is_a_proof():
    """Primal and dual objective, written plainly, enclose the optimum; w is that of the dual."""
    Phi, y, _ = problem(200, 6)
    Phi = Phi - Phi.mean(axis=0)
    c = np.full(200, 10.0)
    bounds = feature_program.Bounds(y, -c, c, 0.2)
    found = feature_program.solve(Phi, bounds)
    f = Phi @ found.w + found.b
    primal = 0.5 * found.w @ found.w + (c * np.maximum(np.abs(y - f) - 0.2, 0.0)).sum()
    dual = y @ found.a - 0.2 * np.abs(found.a).sum() - 0.5 * ((Phi.T @ found.a) ** 2).sum()
    assert (np.abs(found.a) <= c).all()
    assert found.a.sum() == pytest.approx(0.0, abs=1e-6)
    assert primal == pytest.approx(dual, rel=1e-6)
    np.testing.assert_allclose(found.w, Phi.T @ found.a, atol=1e-6)
    assert found.gap <= 1e-6
