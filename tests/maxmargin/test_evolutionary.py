"""Evolution: fitness, balance and models are exact after any number of generations; refusals are clear."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from mmc import UMCRLS, EvoMMC, FastEvoMMC
from mmc._fast.evolution import evolve
from mmc.datasets import load, load_digits, make_circle_gaussian, make_three_gaussians
from mmc.kernels import fit_kernel, fit_landmark_kernel
from mmc.kernels.hat_matrix import hat_matrix, independent, landmark_factor
from mmc.maxmargin.evolutionary.base import Population, mend
from mmc.metrics import clustering_error

each_method = pytest.mark.parametrize("cls", [EvoMMC, FastEvoMMC])


@pytest.fixture
def X():
    """Sixty points in three clouds."""
    return make_three_gaussians(60, random_state=3).X


def hat(n, seed=0):
    """Draw points and give R of their kernel, and R of ridge regression on a third of them as a factor."""
    X = np.random.RandomState(seed).randn(n, 2)
    K = fit_kernel(X, gamma=1.0).matrix
    landmarks = np.arange(0, n, 3)
    W = landmark_factor(K[:, landmarks].copy(), landmarks, 0.5).W
    return hat_matrix(K.copy(), 0.5, fit_intercept=False, is_psd=True).R, W


def naive(A, dense, y):
    """Give F(y) = 1 − yᵀRy/n by the formula."""
    R = A if dense else A @ A.T
    return 1.0 - y @ R @ y / len(y)


def population(A, dense, mu, bound, rng):
    """Draw μ labellings that keep the balance."""
    signs = rng.choice(np.array([-1, 1], dtype=np.int8), (mu, len(A)))
    for y in signs:
        mend(y, bound, rng)
    return Population(A, dense, signs)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(
    n=st.integers(2, 40),
    mu=st.integers(1, 5),
    nu=st.integers(1, 5),
    generations=st.integers(1, 400),
    bound=st.integers(0, 40),
    dense=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_fitness_and_balance_are_exact_after_any_mutations(n, mu, nu, generations, bound, dense, seed):
    """Every individual has the fitness of the naive formula to 1e-9, its products, and a valid balance."""
    bound = min(max(bound, n % 2), n - n % 2)
    R, W = hat(n, seed)
    A = R if dense else W
    p = population(A, dense, mu, bound, np.random.RandomState(seed))
    first = p.F[p.alive].copy()
    rng = np.random.default_rng(seed)
    half = generations // 2
    done = evolve(A, dense, p.Y, p.P, p.F, p.alive, bound, nu, 0, half, 10**9, 0, 10**9, rng)
    done = evolve(A, dense, p.Y, p.P, p.F, p.alive, bound, nu, done[0], generations, 10**9, 0, 10**9, rng)
    assert done[0] == generations
    assert len(set(p.alive)) == mu
    for row in p.alive:
        y = p.Y[row].astype(float)
        assert set(np.abs(y)) == {1.0}
        assert abs(y.sum()) <= bound
        assert p.F[row] == pytest.approx(naive(A, dense, y), abs=1e-9)
        np.testing.assert_allclose(p.P[row], A.T @ y, atol=1e-9)
    assert (np.diff(p.F[p.alive]) >= 0).all()
    assert (p.F[p.alive] <= first + 1e-12).all()


def test_generations_do_not_depend_on_where_they_pause():
    """Stopping after every change and going on gives the same labellings as one long run."""
    R, _ = hat(30)
    results = []
    for group in (1, 10**9):
        p = population(R, True, 3, 4, np.random.RandomState(0))
        rng, generation, stale = np.random.default_rng(7), 0, 0
        while generation < 500:
            generation, stale, _, _ = evolve(
                R, True, p.Y, p.P, p.F, p.alive, 4, 2, generation, 500, 10**9, stale, group, rng
            )
        results.append(p.Y[p.alive])
    np.testing.assert_array_equal(*results)


def test_patience_counts_generations_without_a_change():
    """A search that finds nothing better ends after so many generations, also over pauses."""
    R, _ = hat(20)
    p = population(R, True, 1, 4, np.random.RandomState(0))
    rng = np.random.default_rng(0)
    state = evolve(R, True, p.Y, p.P, p.F, p.alive, 4, 1, 0, 10**6, 5000, 0, 10**9, rng)
    assert state[1] == 5000
    before = p.Y[p.alive[0]].copy()
    again = evolve(R, True, p.Y, p.P, p.F, p.alive, 4, 1, state[0], state[0] + 300, 10**6, 0, 10**9, rng)
    assert again[1:] == (300, 0, 0)
    np.testing.assert_array_equal(p.Y[p.alive[0]], before)


def test_the_fittest_of_all_labellings_is_found():
    """On eleven points the best start reaches the lowest F of all labellings that keep the balance."""
    X = np.random.RandomState(4).randn(11, 2)
    model = EvoMMC(balance=0.3, random_state=0).fit(X)
    R = hat_matrix(model.kernel_(X), model.alpha, fit_intercept=False, is_psd=True).R
    every = np.array([y for y in product([-1.0, 1.0], repeat=11) if abs(sum(y)) <= 3])
    lowest = (1.0 - np.einsum("ij,jk,ik->i", every, R, every) / 11).min()
    assert model.objective_ == pytest.approx(lowest, abs=1e-9)


@each_method
def test_states_tell_what_happened(cls, X):
    """Generations and kept flips grow, F falls, moved points are those that changed, f is the model's own."""
    model = cls(n_init=2, random_state=0)
    before = None
    for step in model.iter_fit(X):
        state = step.state
        np.testing.assert_allclose(model.decision_function(X)[:, 1], state.f, atol=1e-7)
        assert abs((2 * state.labels - 1).sum()) <= 0.1 * len(X)
        if step.n_iter == 0:
            assert (state.generation, state.n_flips, state.n_better) == (0, 60, 0)
        else:
            assert state.generation > before.generation
            assert state.objective <= before.objective
            assert state.n_kept >= before.n_kept
            assert state.n_flips == max(1, 60 // (state.generation + 1))
            np.testing.assert_array_equal(state.moved, np.flatnonzero(state.labels != before.labels))
            assert 2 * len(state.moved) <= len(X)
            assert state.n_kept - before.n_kept >= len(state.moved)
        before = state
    assert step.status == "converged"


@each_method
def test_generations_at_most(cls, X):
    """max_iter counts generations, not steps, and so does n_iter_."""
    steps = list(cls(max_iter=700, n_init=1, random_state=0).iter_fit(X))
    assert steps[-1].status == "max_iter"
    assert steps[-1].iterations == steps[-1].state.generation == 700
    assert cls(max_iter=700, n_init=1, random_state=0).fit(X).n_iter_ == 700
    early = cls(patience=5, n_init=1, random_state=0).fit(X)
    assert early.n_iter_ < cls(n_init=1, random_state=0).fit(X).n_iter_


def test_the_objective_is_that_of_umcrls(X):
    """Q of [UMC-RLS] without an intercept is 2nF, and UMCRLS finds nothing to mend near the end."""
    model = EvoMMC(balance=1.0, random_state=0).fit(X)
    settings = {"kernel": "rbf", "gamma": model.kernel_.gamma, "alpha": model.alpha, "fit_intercept": False}
    started = next(UMCRLS(**settings, init=model.labels_).iter_fit(X)).state
    assert started.objective == pytest.approx(2 * len(X) * model.objective_, abs=1e-8)


def test_coefficients_are_those_of_the_paper(X):
    """EvoMMC: (K + λn I) c = y, eq. 9. FastEvoMMC: eq. 13."""
    model = EvoMMC(n_init=1, random_state=0).fit(X)
    y = 2.0 * model.labels_ - 1.0
    K = model.kernel_(X)
    np.testing.assert_allclose((K + model.alpha * np.eye(60)) @ model.dual_coef_, y, atol=1e-8)
    f = K @ model.dual_coef_
    risk = ((y - f) ** 2).mean() + model.alpha / 60 * model.dual_coef_ @ f
    assert model.objective_ == pytest.approx(risk, abs=1e-9)

    fast = FastEvoMMC(n_landmarks=12, n_init=1, random_state=0).fit(X)
    y = 2.0 * fast.labels_ - 1.0
    K_R = fast.kernel_(X).T
    inner = K_R[:, fast.landmarks_]
    c = np.linalg.solve(K_R @ K_R.T + fast.alpha * inner, K_R @ y)
    np.testing.assert_allclose(fast.dual_coef_, c, rtol=1e-4, atol=1e-6)
    risk = ((y - K_R.T @ c) ** 2).mean() + fast.alpha / 60 * c @ inner @ c
    assert fast.objective_ == pytest.approx(risk, abs=1e-8)


def test_all_points_as_landmarks_are_the_exact_model():
    """With every point a landmark the factor gives R itself."""
    X = np.random.RandomState(0).randn(25, 3)
    K = fit_kernel(X, gamma=1.0).matrix
    W = landmark_factor(K.copy(), np.arange(25), 0.3).W
    R = hat_matrix(K.copy(), 0.3, fit_intercept=False, is_psd=True).R
    np.testing.assert_allclose(W @ W.T, R, atol=1e-10)


@each_method
def test_labels_are_what_the_model_says_where_nothing_binds(cls):
    """At a local minimum of F inside the balance, predict on the training points equals labels_."""
    X = make_circle_gaussian(120, random_state=0).X
    model = cls(balance=0.5, random_state=0).fit(X)
    if abs((2 * model.labels_ - 1).sum()) < 0.5 * 120 - 2:
        np.testing.assert_array_equal(model.predict(X), model.labels_)
    else:
        assert (model.predict(X) == model.labels_).mean() > 0.9


def test_local_scaling_keeps_its_positive_part(X):
    """An indefinite kernel still gives a model whose values on the training points are R y."""
    model = EvoMMC(kernel="local_scaling", n_init=1, random_state=0).fit(X)
    np.testing.assert_allclose(model.decision_function(X)[:, 1], model.state_.f, atol=1e-7)


@each_method
def test_a_precomputed_kernel_gives_the_same(cls, X):
    """The matrix in place of the points changes nothing."""
    gamma = 0.4
    K = fit_kernel(X, gamma=gamma).matrix
    points = cls(gamma=gamma, n_init=2, random_state=0).fit(X)
    given = cls(kernel="precomputed", n_init=2, random_state=0).fit(K)
    np.testing.assert_array_equal(points.labels_, given.labels_)
    np.testing.assert_allclose(given.decision_function(K[:4]), points.decision_function(X[:4]), atol=1e-7)
    with pytest.raises(ValueError, match='init="k-means" needs points'):
        cls(kernel="precomputed", init="k-means").fit(K)


@each_method
def test_k_means_starts_are_mended_and_quicker(cls):
    """A start from k-means is fitter than coin flips; given labels stay, unless they break the balance."""
    X = load_digits((3, 8)).X
    steps = {
        init: next(cls(init=init, n_init=1, random_state=0).iter_fit(X)) for init in ("random", "k-means")
    }
    assert steps["k-means"].state.objective < steps["random"].state.objective
    labels = np.arange(len(X)) % 2
    np.testing.assert_array_equal(next(cls(init=labels).iter_fit(X)).state.labels, labels)
    uneven = (np.arange(len(X)) < 20).astype(int)
    mended = next(cls(init=uneven, random_state=0).iter_fit(X)).state.labels
    assert abs((2 * mended - 1).sum()) <= 0.1 * len(X)


@pytest.mark.parametrize(("total", "bound"), [(9, 0), (9, 1), (-9, 3), (5, 5), (1, 0)])
def test_mending_flips_as_few_as_can_be(total, bound):
    """Labels of the larger cluster flip until the bound is kept, and no others."""
    n = 11 if total % 2 else 10
    y = np.where(np.arange(n) < (n + total) // 2, 1, -1).astype(np.int8)
    before = y.copy()
    bound = max(bound, n % 2)
    mend(y, bound, np.random.RandomState(0))
    assert abs(int(y.sum())) <= bound
    assert (y != before).sum() == max(0, -(-(abs(total) - bound) // 2))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_landmarks": 61}, r"n_landmarks=61 is more than the number of points: n_samples=60"),
        (
            {"n_landmarks": 30, "kernel": "linear"},
            r"30 landmarks is singular \(rank 2\).*at most 2 landmarks",
        ),
        ({"n_landmarks": 0.5, "gamma": 1e-6}, "landmarks is singular"),
        ({"n_clusters": 3}, r"RecursiveBinary\(FastEvoMMC\(\), n_clusters=3\)"),
        ({"n_landmarks": 1.5}, "n_landmarks"),
        ({"kernel": "local_scaling"}, "kernel"),
    ],
)
def test_refusals_name_the_cause(parameters, message, X):
    """What cannot be done is refused before the first step, with the remedy."""
    with pytest.raises(ValueError, match=message):
        FastEvoMMC(**parameters, random_state=0).iter_fit(X)


def test_a_balance_that_no_labelling_keeps_is_refused(X):
    """An odd number of points cannot be halved."""
    with pytest.raises(ValueError, match=r"balance=0 .* odd number of 59 points"):
        EvoMMC(balance=0.0).fit(X[:59])


def test_landmarks_that_repeat_others_are_left_out_by_themselves(X):
    """Without a number of landmarks copies are left out; with one they are refused."""
    twice = np.repeat(X, 20, axis=0)
    model = FastEvoMMC(n_init=1, random_state=0).fit(twice)
    assert len(model.landmarks_) < 0.1 * len(twice)
    assert len(np.unique(twice[model.landmarks_], axis=0)) == len(model.landmarks_)
    assert model.dual_coef_.shape == model.landmarks_.shape
    with pytest.raises(ValueError, match="occur twice"):
        FastEvoMMC(n_landmarks=0.5, random_state=0).fit(twice)


def test_independent_landmarks_span_the_kernel():
    """Those that are kept reproduce the kernel of all."""
    X = np.random.RandomState(0).randn(12, 2)
    K = fit_kernel(np.concatenate([X, X]), gamma=0.5).matrix
    keep = independent(K)
    assert len(keep) <= 12
    C = K[:, keep]
    np.testing.assert_allclose(C @ np.linalg.solve(K[np.ix_(keep, keep)], C.T), K, atol=1e-6)


def test_memory_is_refused_before_it_is_taken(monkeypatch, X):
    """Landmarks that would not fit are named with a number that does."""
    monkeypatch.setattr("mmc.kernels.dense._memory", lambda: 2 * 8 * 3 * 60 * 10)
    with pytest.raises(ValueError, match="Use at most 10 landmarks"):
        FastEvoMMC(n_landmarks=20, random_state=0).fit(X)


@pytest.mark.parametrize("length", ["neighbors", "median", "max"])
def test_lengths_between_points_and_landmarks(length, X):
    """With every point a landmark the width is that of the whole kernel."""
    whole = fit_kernel(X, gamma=length, width=1.5)
    landmarks = fit_landmark_kernel(X, np.arange(60), gamma=length, width=1.5)
    assert landmarks.kernel.gamma == pytest.approx(whole.kernel.gamma)
    np.testing.assert_allclose(landmarks.matrix, whole.matrix, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "alpha", "width", "most"),
    [((3, 8), 0.5, 1, 3.4), ((1, 7), 0.5, 5, 0.3), ((2, 7), 0.5, 1, 0.3), ((8, 9), 0.5, 1, 3.8)],
)
@each_method
def test_digits_of_table_1(cls, pair, alpha, width, most):
    """The best of ten runs by F, at the best cell of the paper's grid; landmarks may cost half a per cent."""
    digits = load_digits(pair)
    gamma = 1.0 / (width * np.linalg.norm(np.ptp(digits.X, axis=0))) ** 2
    model = cls(gamma=gamma, alpha=alpha, balance=0.03, random_state=0).fit(digits.X)
    assert 100 * clustering_error(digits.y, model.labels_) <= most + (0.5 if cls is FastEvoMMC else 0.0)


def test_a_refusal_leaves_a_fitted_model_as_it_was(X):
    """Whoever refits with what is refused can still predict, and who never fitted is told so."""
    model = FastEvoMMC(n_landmarks=5, random_state=0).fit(X)
    before = model.predict(X)
    with pytest.raises(ValueError, match="singular"):
        model.set_params(kernel="linear", n_landmarks=20).fit(X)
    np.testing.assert_array_equal(model.predict(X), before)
    never = FastEvoMMC(kernel="linear", n_landmarks=20)
    with pytest.raises(ValueError, match="singular"):
        never.fit(X)
    with pytest.raises(NotFittedError):
        never.predict(X)


def test_landmarks_where_the_kernel_is_zero_are_refused():
    """A single landmark at the origin says nothing in a linear kernel."""
    with pytest.raises(ValueError, match="zero at all landmarks"):
        FastEvoMMC(kernel="linear", n_landmarks=1).fit(np.array([[0.0], [0.0], [0.0], [0.0]]))


def test_all_landmarks_give_the_whole_kernel(X):
    """With every point as a landmark F, labels and model are those of the whole kernel."""
    whole = EvoMMC(n_init=2, random_state=0).fit(X)
    model = EvoMMC(n_init=2, n_landmarks=60, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, whole.labels_)
    assert model.objective_ == pytest.approx(whole.objective_, abs=1e-10)
    np.testing.assert_allclose(model.state_.f, whole.state_.f, atol=1e-8)
    new = X[::2] + 0.1
    np.testing.assert_allclose(model.decision_function(new), whole.decision_function(new), atol=1e-6)
    assert not hasattr(model, "dual_coef_")


@pytest.mark.parametrize(
    "values",
    [
        {"kernel": "graph", "n_components": 6},
        {"kernel": "landmark_graph", "n_landmarks": 30},
        {"n_landmarks": 15},
    ],
    ids=str,
)
@pytest.mark.parametrize("n", [120, 5200])
def test_features_have_the_fitness_of_umcrls(values, n):
    """F is Q of the least-squares search with the same features, f what the model says of the points."""
    X = load("moons", n_samples=n, noise=0.05, random_state=0).X
    model = EvoMMC(n_init=1, init="k-means", max_iter=5000, balance=0.3, random_state=0, **values).fit(X)
    W = model.features_(X).astype(np.float64)
    signs = np.where(model.labels_ == 1, 1.0, -1.0)
    assert model.objective_ == pytest.approx(1.0 - np.square(W.T @ signs).sum() / n, abs=1e-5)
    np.testing.assert_allclose(model.state_.f, W @ (W.T @ signs), atol=1e-3)
    np.testing.assert_allclose(model.coef_, W.T @ signs, atol=1e-2)
    np.testing.assert_allclose(model.decision_function(X)[:, 1], model.state_.f, atol=1e-4)
    assert abs(signs.sum()) <= 0.3 * n
    if values.get("kernel") == "graph":  # whose features are the same whatever is drawn before
        search = UMCRLS(2, init=model.labels_, n_shakes=0, n_neighbors=7, random_state=0, **values)
        first = next(iter(search.iter_fit(X))).state
        assert first.objective == pytest.approx(2 * n * model.objective_, rel=1e-3, abs=1e-3 * n)


def test_a_graph_finds_moons():
    """On the graph of neighbours the two moons are the fittest halves."""
    data = load("moons", n_samples=200, noise=0.05, random_state=0)
    model = EvoMMC(kernel="graph", random_state=0).fit(data.X)
    assert clustering_error(data.y, model.labels_) == 0.0


def test_a_matrix_has_no_landmarks(X):
    """The refusal names the parameter and the kernel."""
    with pytest.raises(ValueError, match="n_landmarks=5 needs a kernel that compares any two points"):
        EvoMMC(kernel="precomputed", n_landmarks=5).fit(X @ X.T)
    with pytest.raises(ValueError, match="kernel='local_scaling' does not"):
        EvoMMC(kernel="local_scaling", n_landmarks=5).fit(X)
