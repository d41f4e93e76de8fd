"""MLMI equals the paper's convex program, and tells dependence from independence."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from mmc.datasets import make_four_gaussians, make_moons
from mmc.infomax.mlmi import MLMI, _log_ratios, _proportions, _theta, mlmi


def problem(n=36, c=2, seed=0):
    """Draw points of classes that overlap, and their classes."""
    rng = np.random.RandomState(seed)
    y = np.arange(n) % c
    return rng.randn(n, 2) + 1.5 * np.column_stack([y, y % 2]), y


def gaussian(X, centres, gamma):
    """Compute L point by point, [SMIC] eq. 11."""
    return np.array([[np.exp(-((x - z) ** 2).sum() / (2 * gamma**2)) for z in centres] for x in X])


def paper(X, y, gamma, basis=None):
    """Solve the program of [SMIC] section 3.8 as it is written, over all classes jointly."""
    n, basis = len(X), np.arange(len(X)) if basis is None else basis
    L = gaussian(X, X[basis], gamma)
    theta = cp.Variable(len(basis), nonneg=True)
    own = (y[:, None] == y[basis]) * L  # r(x_i, y_i) = own[i] @ theta
    total = sum(L[i] * (y[basis] == y[j]) for i in range(n) for j in range(n))
    program = cp.Problem(cp.Maximize(cp.sum(cp.log(own @ theta)) / n), [total @ theta / n**2 == 1])
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return program.value, theta.value


@pytest.mark.parametrize("gamma", [0.3, 1.0, 5.0])
@pytest.mark.parametrize(("n", "c", "seed"), [(30, 2, 0), (40, 2, 1), (36, 3, 2)])
def test_value_is_the_papers_maximum(n, c, seed, gamma):
    """The value is the optimum of the program over all classes at once."""
    X, y = problem(n, c, seed)
    assert mlmi(X, y, gammas=[gamma]).value == pytest.approx(paper(X, y, gamma)[0], abs=1e-6)


@pytest.mark.parametrize("sizes", [(30, 6), (18, 10, 4)])
def test_value_is_the_papers_maximum_for_unequal_classes(sizes):
    """Classes of different sizes separate as well."""
    X = problem(sum(sizes), seed=3)[0]
    y = np.repeat(np.arange(len(sizes)), sizes)
    assert mlmi(X, y, gammas=[2.0]).value == pytest.approx(paper(X, y, 2.0)[0], abs=1e-6)


@pytest.mark.parametrize("gamma", [0.2, 1.0, 30.0])
def test_theta_meets_the_constraint(gamma):
    """θ is not negative, and the mean ratio over all pairs of a point and a label is one."""
    X, y = problem(40, 3)
    centres = MLMI(X, n_basis=25).centres
    theta, has_model = _theta(centres, y, centres.kernel(gamma), np.ones(40, dtype=bool))
    L = gaussian(X, X[centres.basis], gamma)
    ratios = [L[i] @ (theta * (y[centres.basis] == y[j])) for i in range(40) for j in range(40)]
    assert has_model.all()
    assert (theta >= 0).all()
    assert np.mean(ratios) == pytest.approx(1.0, abs=1e-10)


def test_cross_validation_is_its_definition():
    """The table holds the mean over folds of −log r at held-out pairs, with centres outside the fold."""
    X, y = problem(35, 2, 4)
    judge = MLMI(X, n_basis=25, n_folds=4, gammas=[0.7, 1.5, 4.0])
    centres = judge.centres
    expected = []
    for gamma in centres.gammas:
        errors = []
        for m in range(4):
            train, held = np.flatnonzero(centres.fold != m), np.flatnonzero(centres.fold == m)
            basis = [i for i in centres.basis if centres.fold[i] != m]
            theta = paper(X[train], y[train], gamma, np.searchsorted(train, basis))[1]
            L = gaussian(X[held], X[basis], gamma)
            errors.append(-np.mean(np.log((L * (y[held][:, None] == y[basis])) @ theta)))
        expected.append(np.mean(errors))
    estimate = judge(y)
    assert estimate.cv.shape == (3, 1)
    np.testing.assert_allclose(estimate.cv[:, 0], expected, atol=1e-5)
    assert estimate.gamma == centres.gammas[np.argmin(expected)]


@pytest.mark.parametrize("seed", range(8))
def test_proportions_beat_their_neighbours(seed):
    """On matrices of any shape the optimality conditions hold, with tiny, equal and missing entries."""
    rng = np.random.RandomState(seed)
    m, b = rng.randint(1, 40), rng.randint(1, 30)
    A = [np.exp(-rng.exponential(60.0, (m, b))), np.ones((m, b)) + 1e-8 * rng.rand(m, b)][seed % 2]
    A[A < 1e-60] = 0.0
    A[~A.any(axis=1), 0] = 1e-60
    v = _proportions(A)
    gradient = A.T @ (1.0 / (A @ v)) / m
    assert v.sum() == pytest.approx(1.0)
    assert (v >= 0).all()
    assert gradient.max() < 1.0 + 1e-8
    np.testing.assert_allclose(gradient[v > 0], 1.0, atol=1e-6)


def test_proportions_are_sparse():
    """A column that another one beats everywhere gets exactly nothing."""
    A = np.array([[1.0, 0.1, 0.09], [0.1, 1.0, 0.9], [0.2, 1.0, 0.8]])
    assert _proportions(A)[2] == 0.0


@pytest.mark.parametrize("rename", [lambda y: 7 - 3 * y, lambda y: np.array(["b", "a", "c"])[y]])
def test_names_of_labels_do_not_matter(rename):
    """Permuted numbers and strings give the same answer."""
    X, y = problem(60, 3)
    first, second = mlmi(X, y), mlmi(X, rename(y))
    assert first.value == pytest.approx(second.value, abs=1e-12)
    np.testing.assert_allclose(first.cv, second.cv, atol=1e-10)


def test_answer_is_complete():
    """The candidates, the choice among them and the missing penalty are all there."""
    X, y = problem(50)
    estimate = mlmi(X, y)
    assert estimate.cv.shape == (9, 1)
    assert estimate.gamma == estimate.gammas[estimate.cv[:, 0].argmin()]
    assert estimate.delta == 0.0
    assert estimate.deltas.tolist() == [0.0]


@pytest.mark.parametrize("seed", range(3))
def test_independent_labels_score_nothing(seed):
    """Labels drawn without looking at the points have almost no information."""
    rng = np.random.RandomState(seed)
    assert abs(mlmi(rng.randn(200, 2), rng.randint(2, size=200)).value) < 0.05


def test_separate_classes_score_their_entropy():
    """Four clouds apart from each other have an information of log 4."""
    X, y = make_four_gaussians(200, noise=0.2, random_state=0)
    assert mlmi(X, y).value == pytest.approx(np.log(4), abs=0.02)


@pytest.mark.parametrize("shift", [0.75, 1.5])
def test_gaussians_of_known_information(shift):
    """Two Gaussians on a line come within a fifth of the integral of eq. 23."""

    def integrand(x):
        p = norm.pdf(x, shift)
        return p * np.log(2.0 * p / (p + norm.pdf(x, -shift)))

    truth = quad(integrand, -12, 12)[0]
    rng = np.random.RandomState(0)
    y = rng.randint(2, size=500)
    X = (rng.randn(500) + shift * (2 * y - 1))[:, None]
    assert mlmi(X, y).value == pytest.approx(truth, rel=0.2)


def test_true_moons_rank_first():
    """The true labelling of the moons scores above a cut through both, and that above chance."""
    X, y = make_moons(200, random_state=0)
    judge = MLMI(X)
    chance = np.random.RandomState(0).permutation(y)
    assert judge(y).value > judge(X[:, 0] > 0.5).value > judge(chance).value


def test_one_class_has_no_information():
    """A single class tells nothing."""
    assert mlmi(problem()[0], np.zeros(36)).value == pytest.approx(0.0, abs=1e-3)


def test_class_without_centre_has_ratio_one():
    """A class no point of which is a centre adds nothing, and the other class is fitted as before."""
    X, y = problem(40)
    centres = MLMI(X, n_basis=10).centres
    rest = np.setdiff1d(np.arange(40), centres.basis)
    L, everyone = centres.kernel(1.0), np.ones(40, dtype=bool)
    with_tiny = y.copy()
    with_tiny[rest[0]] = 2
    logs = _log_ratios(centres, with_tiny, L, everyone)
    theta, has_model = _theta(centres, with_tiny, L, everyone)
    assert logs[rest[0]] == 0.0
    assert has_model.tolist() == [True, True, False]
    ratios = [
        L[i] @ (theta * (y[centres.basis] == with_tiny[j])) if with_tiny[j] < 2 else 1.0
        for i in range(40)
        for j in range(40)
    ]
    assert np.mean(ratios) == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("far", [0.0, 1e3])
def test_tiny_class_can_be_scored(far):
    """A class of a single point, even a distant one, leaves the score finite."""
    X, y = make_four_gaussians(80, random_state=0)
    X, y = np.vstack([X, [[far, far]]]), np.append(y, 9)
    estimate = mlmi(X, y, gammas=[0.3, 1.0, 3.0])
    assert np.isfinite(estimate.cv).all()
    assert 1.0 < estimate.value < np.log(5)


def test_duplicates_are_harmless():
    """Points that occur several times give a finite score near that of the points alone."""
    X, y = problem(40)
    once = mlmi(X, y, gammas=[1.0]).value
    twice = mlmi(np.vstack([X, X]), np.append(y, y), gammas=[1.0]).value
    assert twice == pytest.approx(once, abs=1e-8)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_fewer_points_than_folds(n):
    """A handful of points makes as many folds as points."""
    estimate = mlmi(problem(n)[0], np.arange(n) % 2)
    assert np.isfinite(estimate.value)


def test_too_narrow_widths_are_not_chosen():
    """A width at which a held-out point is out of reach has an infinite error, and another is taken."""
    X, y = problem(40)
    estimate = mlmi(X, y, gammas=[1e-4, 1.0])
    assert estimate.cv[:, 0].tolist() == [np.inf, estimate.cv[1, 0]]
    assert estimate.gamma == 1.0


def test_same_seed_same_result():
    """Centres and folds come from the seed alone."""
    X, y = problem(80)
    first, again, other = (mlmi(X, y, n_basis=30, random_state=seed) for seed in (3, 3, 4))
    assert first.value == again.value
    np.testing.assert_array_equal(first.cv, again.cv)
    assert first.value != other.value


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gammas": [1e-6, 1e-5]}, r"every width up to gamma=1e-05 .* larger gammas"),
        ({"gammas": [0.0]}, "gammas must be a list of positive"),
        ({"gammas": []}, "gammas must be a list of positive"),
        ({"n_basis": 0}, "n_basis=0"),
        ({"n_folds": 1}, "n_folds=1"),
        ({"X": np.ones((36, 2))}, "All points are equal"),
        ({"X": np.full((36, 2), np.nan)}, "NaN"),
        ({"labels": [0, 1]}, "36 points, but 2 labels"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    """What cannot be estimated is refused with its cause."""
    X, y = problem()
    given = {"X": X, "labels": y, **arguments}
    with pytest.raises(ValueError, match=message):
        mlmi(**given)
