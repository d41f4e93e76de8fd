"""The least-squares searches are exact, end well, and keep the contract of steps."""

from functools import cache
from itertools import product, zip_longest

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from mmc import UMCRLS, SteepRLS, StocRLS
from mmc.datasets import make_moons

SEARCHES = [UMCRLS, SteepRLS, StocRLS]
every_search = pytest.mark.parametrize("Search", SEARCHES)
N_PROBLEMS = 40


def naive_objective(K, labels, k, alpha, fit_intercept):
    """Train the k ridge models anew ([UMC-RLS] eqs. 4, 5) and add up their regularised risks."""
    n = len(K)
    total = 0.0
    for h in range(k):
        y = np.where(labels == h, 1.0, -1.0)
        a, b = np.linalg.solve(K + alpha * np.eye(n), y), 0.0
        if fit_intercept:
            ones = np.ones((n, 1))
            bordered = np.block([[K + alpha * np.eye(n), ones], [ones.T, np.zeros((1, 1))]])
            *a, b = np.linalg.solve(bordered, np.append(y, 0.0))
        f = K @ a
        total += ((y - f - b) ** 2).sum() + alpha * np.dot(a, f)
    return total


def rbf(X, gamma):
    """Compute the Gaussian kernel by subtracting."""
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))


def blobs(n=60, k=3, seed=0):
    """Draw clusters of equal size that are well apart."""
    X, _ = make_blobs(n, centers=5.0 * np.eye(k, max(k, 3)), cluster_std=0.8, random_state=seed)
    return X


def moons():
    """Draw two moons."""
    return make_moons(120, random_state=0).X


def paper(Search):
    """Give the settings under which a search is the paper's."""
    return {"fit_intercept": False, **({"refine": False} if Search is UMCRLS else {})}


def best_of_starts(Search, X, **params):
    """Fit, and list the labels at the end of each start."""
    steps = list(Search(**params).iter_fit(X))
    return [step.state for step in steps if step.status != "running"]


# --- exactness ------------------------------------------------------------------------------------


@every_search
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_objective_is_exact_after_every_step(Search, fit_intercept, kernel, k, seed):
    """After each step Q equals the risk of models that are trained anew."""
    rng = np.random.RandomState(seed)
    X = rng.randn(rng.randint(6, 10), 2)
    gamma, alpha = rng.uniform(0.2, 1.0), rng.choice([2.0**-6, 0.1, 1.0])
    K = rbf(X, gamma) if kernel == "rbf" else X @ X.T
    model = Search(
        k, kernel=kernel, gamma=gamma, alpha=alpha, fit_intercept=fit_intercept, n_init=3, random_state=seed
    )
    for step in model.iter_fit(X):
        naive = naive_objective(K, step.state.labels, k, alpha, fit_intercept)
        assert step.state.objective == pytest.approx(naive, abs=1e-9)
    assert model.objective_ == pytest.approx(naive_objective(K, model.labels_, k, alpha, fit_intercept))


@every_search
def test_objective_does_not_drift(Search):
    """After thousands of updates Q still equals the risk of models that are trained anew."""
    X = blobs(400, 4)
    model = Search(4, kernel="rbf", gamma=0.5, alpha=0.1, n_init=1, random_state=0).fit(X)
    assert model.objective_ == pytest.approx(
        naive_objective(rbf(X, 0.5), model.labels_, 4, 0.1, True), rel=1e-10
    )


@pytest.mark.parametrize("Search", [SteepRLS, StocRLS])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_descent_ends_in_a_local_minimum(Search, fit_intercept):
    """No single move of a point lowers Q any further, and Q never rose on the way."""
    X = np.random.RandomState(3).randn(9, 2)
    model = Search(3, kernel="rbf", gamma=0.5, fit_intercept=fit_intercept, n_init=1, random_state=0)
    objectives = [step.state.objective for step in model.iter_fit(X)]
    assert objectives == sorted(objectives, reverse=True)
    K = rbf(X, 0.5)
    for j, d in product(range(9), range(3)):
        moved = model.labels_.copy()
        moved[j] = d
        if len(np.unique(moved)) == 3:
            assert naive_objective(K, moved, 3, 0.5, fit_intercept) > model.objective_ - 1e-8


# --- brute force ----------------------------------------------------------------------------------


@cache
def all_labellings(n, k):
    """List the labellings that use every cluster, up to the name of the first point's cluster."""
    labellings = np.array([(0, *rest) for rest in product(range(k), repeat=n - 1)])
    return labellings[[len(set(row)) == k for row in labellings.tolist()]]


def minimum(K, alpha, k, *, balanced):
    """Enumerate Q = Σ_h (n − yᵀ R y) over labellings, of equal sizes where `balanced`."""
    n = len(K)
    labellings = all_labellings(n, k)
    R = K @ np.linalg.inv(K + alpha * np.eye(n))
    P = np.where(labellings[:, None, :] == np.arange(k)[:, None], 1.0, -1.0)
    Q = n * k - np.einsum("chi,ij,chj->c", P, R, P, optimize=True)
    if balanced:
        sizes = (P > 0).sum(axis=2)
        Q = Q[((sizes == n // k) | (sizes == -(-n // k))).all(axis=1)]
    return Q.min()


def random_problem(seed):
    """Draw n of 6 to 9 points around k of 2 or 3 centres."""
    rng = np.random.RandomState(seed)
    n, k = 6 + seed % 4, 2 + (seed // 4) % 2
    return rng.randn(n, 2) + 3.0 * rng.randn(k, 2)[np.arange(n) % k], k


def hits(Search, alpha, **params):
    """Count the problems on which one of ten starts ends at the minimum over balanced labellings."""
    count = 0
    for seed in range(N_PROBLEMS):
        X, k = random_problem(seed)
        n = len(X)
        lowest = minimum(rbf(X, 0.3), alpha, k, balanced=True)
        ends = best_of_starts(
            Search,
            X,
            n_clusters=k,
            kernel="rbf",
            gamma=0.3,
            alpha=alpha,
            n_init=10,
            random_state=seed,
            **params,
        )
        for state in ends:
            sizes = np.bincount(state.labels, minlength=k)
            balanced = sizes.min() >= n // k and sizes.max() <= -(-n // k)
            if balanced and state.objective <= lowest + 1e-8:
                count += 1
                break
    return count


@pytest.mark.parametrize("alpha", [0.1, 2.0])
def test_shaking_finds_the_balanced_minimum_most_often(alpha):
    """On small random problems shaking reaches the best balanced labelling more often than descent."""
    umc, steep, stoc = (hits(Search, alpha, **paper(Search)) for Search in SEARCHES)
    assert umc >= 0.85 * N_PROBLEMS
    assert umc >= steep
    assert umc >= stoc


@every_search
def test_no_search_beats_the_enumeration(Search):
    """The free minimum of Q over all labellings is a bound, and the descents with restarts touch it."""
    reached = []
    for seed in range(0, N_PROBLEMS, 4):
        X, k = random_problem(seed)
        lowest = minimum(rbf(X, 0.3), 0.5, k, balanced=False)
        model = Search(k, kernel="rbf", gamma=0.3, fit_intercept=False, random_state=seed).fit(X)
        assert model.objective_ >= lowest - 1e-8
        reached.append(model.objective_ <= lowest + 1e-8)
    assert np.mean(reached) >= 0.7


# --- model ----------------------------------------------------------------------------------------


@every_search
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "local_scaling", "precomputed"])
def test_decision_function_gives_the_scores(Search, fit_intercept, kernel):
    """On training points the decision values are the fitted values of every state; K may be indefinite."""
    X = np.random.RandomState(1).randn(30, 2)
    if kernel == "precomputed":
        A = np.random.RandomState(2).randn(30, 30)
        X = (A + A.T) / 8.0
        assert np.linalg.eigvalsh(X)[0] < -0.5
    model = Search(3, kernel=kernel, fit_intercept=fit_intercept, n_init=2, random_state=0)
    for step in model.iter_fit(X):
        np.testing.assert_allclose(model.decision_function(X), step.state.scores.T, atol=1e-8)
    np.testing.assert_allclose(model.decision_function(X), model.state_.scores.T, atol=1e-8)


def test_coefficients_solve_the_ridge_system():
    """Dual coefficients are (K + λI)⁻¹ p_h, and with an intercept they add up to nothing."""
    X = blobs()
    plain = UMCRLS(3, kernel="rbf", gamma=0.3, fit_intercept=False, n_init=1, random_state=0).fit(X)
    P = np.where(plain.labels_[:, None] == np.arange(3), 1.0, -1.0)
    expected = np.linalg.solve(rbf(X, 0.3) + 0.5 * np.eye(len(X)), P)
    np.testing.assert_allclose(plain.dual_coef_, expected, atol=1e-9)
    np.testing.assert_array_equal(plain.intercept_, np.zeros(3))
    biased = UMCRLS(3, kernel="rbf", gamma=0.3, n_init=1, random_state=0).fit(X)
    np.testing.assert_allclose(biased.dual_coef_.sum(axis=0), np.zeros(3), atol=1e-9)


@every_search
@pytest.mark.parametrize("data", [blobs, moons], ids=["blobs", "moons"])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "local_scaling"])
def test_predict_repeats_the_labels(Search, data, fit_intercept, kernel):
    """On its training points a model that ended in a local minimum predicts its labels."""
    X = data()
    model = Search(2, kernel=kernel, fit_intercept=fit_intercept, n_init=3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("data", [blobs, moons], ids=["blobs", "moons"])
def test_new_points_join_their_neighbours(data):
    """A point beside a training point is put into its cluster."""
    X = data()
    model = UMCRLS(2, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X + 1e-6), model.labels_)


def test_follow_serves_every_state():
    """One function made for some points gives the decision values of each state of the fit."""
    X = blobs()
    model = UMCRLS(3, n_init=1, random_state=0)
    values = None
    for step in model.iter_fit(X):
        values = values or model.follow(X[:5])
        np.testing.assert_allclose(values(step.state), step.state.scores[:, :5].T, atol=1e-8)
    assert values is not None


@pytest.mark.parametrize("refine", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "local_scaling"])
def test_alpha_path_equals_separate_fits(kernel, refine):
    """Each model of a path has the labels, objective and answers of a fit of its own."""
    X = moons()
    alphas = [2.0**-7, 0.1, 0.5]
    model = UMCRLS(2, kernel=kernel, refine=refine, n_init=2, random_state=3)
    path = model.alpha_path(X, alphas)
    assert [fitted.alpha for fitted in path] == alphas
    assert not hasattr(model, "labels_")
    for fitted in path:
        alone = UMCRLS(2, kernel=kernel, refine=refine, n_init=2, random_state=3, alpha=fitted.alpha).fit(X)
        np.testing.assert_array_equal(fitted.labels_, alone.labels_)
        assert fitted.objective_ == pytest.approx(alone.objective_, rel=1e-8)
        np.testing.assert_allclose(fitted.decision_function(X[:4]), alone.decision_function(X[:4]), atol=1e-6)


def test_confidence_is_the_lead_of_the_own_model():
    """Confidence lies within 0 and 1 and is half the distance to the runner-up."""
    model = UMCRLS(3, random_state=0).fit(blobs())
    scores = np.sort(model.state_.scores, axis=0)
    np.testing.assert_allclose(model.state_.confidence(), np.clip((scores[-1] - scores[-2]) / 2, 0, 1))
    assert model.state_.confidence().min() > 0


# --- sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize(("n", "k"), [(60, 3), (61, 3), (80, 5), (59, 2)])
def test_sizes_end_balanced_without_refinement(n, k, fit_intercept):
    """Where the clusters are as clear as many, the last claims leave each within two points of n/k."""
    model = UMCRLS(k, refine=False, fit_intercept=fit_intercept, n_init=3, random_state=0).fit(blobs(n, k))
    assert np.abs(np.bincount(model.labels_, minlength=k) - n / k).max() <= 2


@pytest.mark.parametrize("sizes", [[3, 1], [0.25, 0.75], [30, 30]])
def test_cluster_sizes_pull_the_sizes(sizes):
    """Targets in any unit are met to within two points when nothing is freed afterwards."""
    X = np.random.RandomState(0).randn(80, 2)
    model = UMCRLS(2, cluster_sizes=sizes, refine=False, random_state=0).fit(X)
    expected = 80 * np.array(sizes) / np.sum(sizes)
    assert np.abs(np.bincount(model.labels_, minlength=2) - expected).max() <= 2


def test_refinement_frees_the_sizes():
    """Two clusters of 3:1 are cut apart by equal sizes, and found when points are free at last."""
    X = np.vstack([blobs(90, 1, seed=0) * 0.5, blobs(30, 1, seed=1) * 0.5 + 6.0])
    y = np.repeat([0, 1], [90, 30])
    held = UMCRLS(2, kernel="rbf", gamma="max", width=0.4, refine=False, random_state=0).fit(X)
    freed = UMCRLS(2, kernel="rbf", gamma="max", width=0.4, refine=True, random_state=0).fit(X)
    assert adjusted_rand_score(y, held.labels_) < 0.5
    assert adjusted_rand_score(y, freed.labels_) == 1.0


@every_search
@pytest.mark.parametrize("k", [2, 4, 6])
def test_no_cluster_is_emptied(Search, k):
    """Every state uses every cluster, even where single points are clusters."""
    X = np.random.RandomState(0).randn(6, 2)
    for step in Search(k, alpha=5.0, kernel="rbf", gamma="max", random_state=0).iter_fit(X):
        assert len(np.unique(step.state.labels)) == k


# --- steps ----------------------------------------------------------------------------------------


@every_search
def test_states_say_what_moved(Search):
    """Labels differ from the previous state at the moved points, and Q from the value it names."""
    before = None
    for step in Search(3, n_init=2, random_state=0).iter_fit(blobs()):
        state = step.state
        if step.n_iter == 0:
            assert (state.phase, state.round, state.cluster, len(state.moved)) == ("start", 0, -1, 0)
        else:
            assert state.previous == before.objective
            differs = np.flatnonzero(state.labels != before.labels)
            # A steepest descent may move a point away and back within one step.
            assert set(differs) <= set(state.moved.tolist())
            if state.phase in ("claim", "sweep"):
                assert sorted(state.moved) == differs.tolist()
            np.testing.assert_array_equal(state.changed, state.moved)
        before = state


def test_claims_name_round_and_cluster():
    """In a claim the moved points join the claiming cluster, and rounds and clusters come in order."""
    states = [step.state for step in UMCRLS(3, n_init=1, random_state=0).iter_fit(blobs())]
    claims = [state for state in states if state.phase == "claim"]
    order = [(state.round, state.cluster) for state in claims]
    assert order == sorted(set(order))
    assert order[:3] == [(1, 0), (1, 1), (1, 2)]
    for state in claims:
        assert len(state.moved) > 0
        assert (state.labels[state.moved] == state.cluster).all()
    assert [states[0].phase, states[-1].phase] == ["start", "release"]


@pytest.mark.parametrize("n_shakes", [0, 1, 6])
def test_number_of_claims_is_equation_11(n_shakes):
    """Round i lets a cluster claim the floor of n/(2^i k) + n/k − size points, and none below one."""
    n, k = 61, 3
    sizes = np.zeros(k)
    claims = {}
    for step in UMCRLS(k, n_shakes=n_shakes, refine=False, n_init=1, random_state=0).iter_fit(blobs(n)):
        state = step.state
        if state.phase == "claim":
            claims[state.round - 1, state.cluster] = (len(state.moved), sizes)
        sizes = np.bincount(state.labels, minlength=k)
        if state.phase == "start":
            assert sizes.max() - sizes.min() <= 1
    assert max(round_ for round_, _ in claims) == n_shakes
    for (i, d), (count, before) in claims.items():
        assert count == max(0, int(np.floor(n / (2**i * k) + n / k - before[d])))


@pytest.mark.parametrize(
    ("Search", "second"),
    [
        (UMCRLS, "round 1: cluster 0 claims 20 points, Q "),
        (SteepRLS, "descent, step 1: 1 point moved, Q "),
        (StocRLS, "sweep 1 over all points: "),
    ],
)
def test_captions_tell_the_step(Search, second):
    """The captions of the first, second and last state say in words what happened."""
    model = Search(3, n_init=1, random_state=0)
    captions = [step.state.caption for step in model.iter_fit(blobs(60, 3))]
    assert captions[0].startswith("start: Q = ")
    assert captions[1].startswith(second)
    assert "free to move" in captions[-1]
    assert captions[-1].endswith(f"{model.objective_:.4g}")


@every_search
def test_captions_count_in_words(Search):
    """A caption says 1 point, but 0 or 2 points, and names Q before and after where it changed."""
    seen = set()
    for step in Search(3, n_init=5, random_state=0).iter_fit(blobs(39, 3)):
        state, n = step.state, len(step.state.moved)
        if n > 0:
            assert f"{n} point{'' if n == 1 else 's'} " in state.caption.replace(",", " ")
            assert f"Q {state.previous:.4g} → {state.objective:.4g}" in state.caption
            seen.add(n == 1)
    assert seen


@every_search
def test_states_never_change_later(Search):
    """Arrays of a state are its own: later steps leave them as they were."""
    kept = []
    for step in Search(3, n_init=2, random_state=0).iter_fit(blobs()):
        state = step.state
        arrays = (state.labels, state.moved, state.scores)
        kept.append((arrays, tuple(array.copy() for array in arrays)))
    for arrays, copies in kept:
        for array, copy in zip(arrays, copies, strict=True):
            np.testing.assert_array_equal(array, copy)


@every_search
def test_estimator_adopts_each_state(Search):
    """At each yield the estimator has the labels, objective and model of the step."""
    X = blobs()
    model = Search(3, n_init=2, random_state=0)
    for step in model.iter_fit(X):
        np.testing.assert_array_equal(model.labels_, step.state.labels)
        assert model.objective_ == step.state.objective
        assert model.state_ is step.state


@every_search
def test_progress_never_falls(Search):
    """Progress runs from 0 to 1 over all starts."""
    progress = [step.progress for step in Search(3, n_init=3, random_state=0).iter_fit(blobs())]
    assert progress[0] >= 0.0
    assert progress[-1] == 1.0
    assert progress == sorted(progress)


@every_search
@pytest.mark.parametrize("kernel", ["rbf", "graph"])
def test_restarts_are_judged_by_how_badly_each_cluster_is_learned(Search, kernel):
    """Where sizes are free, the start with the lowest Σ_h cut_h / n_h is kept, computed from R by hand."""
    X = np.random.RandomState(0).randn(50, 2)
    model = Search(4, kernel=kernel, n_init=6, random_state=0)
    ends = [step.state for step in model.iter_fit(X) if step.status != "running"]
    ratios = []
    for state in ends:
        Z = np.eye(4)[state.labels]
        scores = state.scores.T  # R p_h, and the p_h add up to −2 at each of four clusters
        RZ = (scores - scores.sum(axis=1, keepdims=True) / 2.0) / 2.0
        ratios.append(sum(1.0 - Z[:, h] @ RZ[:, h] / Z[:, h].sum() for h in range(4)))
        assert state.ratio == pytest.approx(ratios[-1], abs=1e-9)
    best = ends[int(np.argmin(ratios))]
    assert model.objective_ == best.objective
    assert len(set(np.round(ratios, 6))) > 1


def test_restarts_with_held_sizes_are_judged_by_the_objective():
    """Without the free descent all ends have the same sizes, and the lowest Q is kept."""
    X = np.random.RandomState(0).randn(50, 2)
    model = UMCRLS(4, n_init=6, refine=False, random_state=0).fit(X)
    assert model.start_objectives_.shape == (6,)
    assert model.objective_ == pytest.approx(model.start_objectives_.min(), rel=1e-12)
    assert len(set(model.start_objectives_.round(6))) > 1


@every_search
def test_same_seed_same_result(Search):
    """A seed settles the result; asking for steps or for the fit makes no difference."""
    X = np.random.RandomState(0).randn(50, 2)
    first = Search(3, random_state=5).fit(X)
    again = Search(3, random_state=5)
    for _ in again.iter_fit(X):
        pass
    np.testing.assert_array_equal(first.labels_, again.labels_)
    np.testing.assert_array_equal(first.start_objectives_, again.start_objectives_)
    other = Search(3, random_state=6).fit(X)
    assert not np.array_equal(first.start_objectives_, other.start_objectives_)


@every_search
def test_closing_keeps_the_best_finished_start(Search):
    """Stopped in its fourth start, the estimator holds the best end of the first three."""
    X = np.random.RandomState(0).randn(50, 2)
    model = Search(4, n_init=6, random_state=0)
    steps = model.iter_fit(X)
    ends = []
    for step in steps:
        if step.status != "running":
            ends.append(step.state)
        if step.start == 3:
            break
    steps.close()
    best = min(ends, key=lambda state: state.criterion)
    assert model.objective_ == best.objective
    np.testing.assert_array_equal(model.labels_, best.labels)
    np.testing.assert_array_equal(model.start_objectives_, [state.objective for state in ends])
    np.testing.assert_allclose(model.decision_function(X), best.scores.T, atol=1e-8)


@every_search
def test_closing_in_the_first_start_keeps_the_latest_state(Search):
    """Stopped before any start has ended, the estimator is fitted with what it last saw."""
    X = blobs()
    model = Search(3, random_state=0)
    steps = model.iter_fit(X)
    next(steps)
    step = next(steps)
    steps.close()
    np.testing.assert_array_equal(model.labels_, step.state.labels)
    assert model.predict(X[:5]).shape == (5,)


# --- invariance -----------------------------------------------------------------------------------


@pytest.mark.parametrize("Search", [SteepRLS, UMCRLS])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_permuted_rows_permute_the_result(Search, fit_intercept):
    """With the start given, the order of the rows does not matter."""
    X = np.random.RandomState(0).randn(40, 2)
    init = np.random.RandomState(1).permutation(np.arange(40) % 3)
    order = np.random.RandomState(2).permutation(40)
    plain = Search(3, init=init, fit_intercept=fit_intercept).fit(X)
    permuted = Search(3, init=init[order], fit_intercept=fit_intercept).fit(X[order])
    np.testing.assert_array_equal(permuted.labels_, plain.labels_[order])
    assert permuted.objective_ == pytest.approx(plain.objective_)


@pytest.mark.parametrize("Search", [SteepRLS, StocRLS])
@pytest.mark.parametrize("names", [[1, 2, 0], [2, 1, 0]])
def test_renamed_clusters_rename_the_result(Search, names):
    """Other names for the clusters of the start give other names for those of the result."""
    X = np.random.RandomState(0).randn(40, 2)
    init = np.random.RandomState(1).permutation(np.arange(40) % 3)
    plain = Search(3, init=init).fit(X)
    renamed = Search(3, init=np.array(names)[init]).fit(X)
    np.testing.assert_array_equal(renamed.labels_, np.array(names)[plain.labels_])


@pytest.mark.parametrize("names", [[1, 2, 0], [2, 1, 0]])
def test_shaking_finds_blobs_under_every_name(names):
    """Clusters claim in the order of their names, but on clear clusters the partition stays the same."""
    X = blobs()
    init = np.random.RandomState(1).permutation(np.arange(len(X)) % 3)
    plain = UMCRLS(3, init=init).fit(X)
    renamed = UMCRLS(3, init=np.array(names)[init]).fit(X)
    assert adjusted_rand_score(plain.labels_, renamed.labels_) == 1.0


@every_search
@pytest.mark.parametrize("shift", [10.0, 1e4])
def test_shifted_data_give_the_same_labels(Search, shift):
    """The Gaussian kernel does not see where the origin is."""
    X = moons()
    plain = Search(2, n_init=1, random_state=0).fit(X)
    shifted = Search(2, n_init=1, random_state=0).fit(X + shift)
    np.testing.assert_array_equal(shifted.labels_, plain.labels_)


def test_intercept_makes_the_linear_kernel_shift_free():
    """With an intercept a linear model does not see the origin either, without one it does."""
    X = np.random.RandomState(0).randn(40, 2)
    plain, shifted = (UMCRLS(2, kernel="linear", random_state=0).fit(Z) for Z in (X, X + 3.0))
    assert adjusted_rand_score(shifted.labels_, plain.labels_) == 1.0
    assert shifted.objective_ == pytest.approx(plain.objective_)
    through_origin = [
        UMCRLS(2, kernel="linear", fit_intercept=False, random_state=0).fit(Z) for Z in (X, X + 3.0)
    ]
    assert through_origin[0].objective_ != pytest.approx(through_origin[1].objective_, rel=1e-3)


@every_search
def test_precomputed_equals_the_kernel_it_holds(Search):
    """A Gaussian matrix that is given leads where the kernel itself leads."""
    X = blobs()
    points = Search(3, kernel="rbf", gamma=0.3, random_state=0).fit(X)
    matrix = Search(3, kernel="precomputed", random_state=0).fit(rbf(X, 0.3))
    np.testing.assert_array_equal(points.labels_, matrix.labels_)


@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_clear_clusters_are_found(init):
    """Default settings solve the toys of their kind."""
    X, y = make_blobs(90, centers=5.0 * np.eye(3), cluster_std=0.8, random_state=0)
    assert adjusted_rand_score(y, UMCRLS(3, init=init, random_state=0).fit_predict(X)) == 1.0
    X, y = make_moons(200, random_state=0)
    assert adjusted_rand_score(y, UMCRLS(2, init=init, random_state=0).fit_predict(X)) == 1.0


@every_search
def test_input_and_parameters_stay_as_they_were(Search):
    """Neither the data, nor a given matrix, nor given labels, nor a parameter is changed."""
    X = rbf(blobs(), 0.3)
    init = np.arange(len(X)) % 3
    X.flags.writeable = init.flags.writeable = False
    model = Search(3, kernel="precomputed", init=init)
    before = model.get_params()
    model.fit(X)
    for (name, old), (same, new) in zip_longest(before.items(), model.get_params().items()):
        assert name == same
        assert new is old
    np.testing.assert_array_equal(init, np.arange(len(X)) % 3)


# --- errors ---------------------------------------------------------------------------------------


@every_search
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_clusters": 21}, r"n_clusters=21 .*n_samples=20"),
        ({"n_clusters": 0}, "n_clusters"),
        ({"alpha": 0.0}, "alpha"),
        ({"gamma": "widest"}, "gamma"),
        ({"init": "first"}, "init"),
        ({"init": [0, 1]}, "init must be"),
        ({"init": np.zeros(20, dtype=int)}, "every cluster used"),
        ({"init": np.arange(20) % 3}, "from 0 to 1"),
        ({"init": np.arange(20) % 2 * 1.0}, "whole number"),
        ({"init": "k-means++", "kernel": "precomputed"}, "precomputed"),
        ({"kernel": "precomputed"}, "square"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(Search, params, message):
    """A parameter that cannot work is refused by name when the steps are asked for, not later."""
    X = np.random.RandomState(0).randn(20, 2)
    with pytest.raises(ValueError, match=message):
        Search(**params).iter_fit(X)


@pytest.mark.parametrize("sizes", [[1], [1, 2, 3], [1, 0], [1, -2], [1, np.nan], [[1, 2]]], ids=str)
def test_bad_cluster_sizes_are_named(sizes):
    """Target sizes must be one positive number for each cluster."""
    with pytest.raises(ValueError, match="cluster_sizes"):
        UMCRLS(2, cluster_sizes=sizes).iter_fit(blobs())


@every_search
def test_bad_data_are_named(Search):
    """Equal points, an asymmetric matrix and values that overflow are refused with the reason."""
    with pytest.raises(ValueError, match="points are equal"):
        Search(2).iter_fit(np.ones((10, 2)))
    with pytest.raises(ValueError, match="symmetric"):
        Search(2, kernel="precomputed").iter_fit(np.triu(np.ones((10, 10))))
    with pytest.raises(ValueError, match=r"1e\+308"):
        Search(2).iter_fit(np.array([[1e308, 0.0], [0.0, 1.0], [2.0, 1.0]]))


@every_search
def test_too_many_points_are_refused_at_once(Search):
    """Ten million points are refused with a remedy before any matrix is made."""
    X = np.zeros((10**7, 1), dtype=np.float64)
    with pytest.raises(ValueError, match=r"10000000 points need about .*sample of at most .*graph"):
        Search(2, kernel="rbf").iter_fit(X)
