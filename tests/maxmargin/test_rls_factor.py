"""The searches of [UMC-RLS] on factors: exactness, blocks, starts, new points and edge cases."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from mmc import UMCRLS, SteepRLS, StocRLS
from mmc.datasets import make_moons, make_rings
from mmc.maxmargin.rls import base, factor_search
from mmc.maxmargin.rls.factor_search import FactorSearch
from mmc.maxmargin.rls.labelling import DenseSearch
from mmc.metrics import adjusted_rand_score

every_search = pytest.mark.parametrize("Search", [UMCRLS, SteepRLS, StocRLS])
every_factor = pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "graph"},
        {"kernel": "landmark_graph"},
        {"kernel": "landmark_graph", "landmarks": "random", "n_landmarks": 20},
        {"kernel": "rbf", "n_landmarks": 25},
        {"kernel": "poly", "n_landmarks": 25, "landmarks": "random"},
        {"kernel": "linear", "n_landmarks": 10, "fit_intercept": False},
    ],
    ids=lambda settings: "-".join(map(str, settings.values())),
)


def blobs(n=90, k=3, d=2):
    """Draw points around k centres that overlap a little."""
    return make_blobs(n, d, centers=k, cluster_std=1.5, random_state=0)[0]


def factor(n, r, seed):
    """Draw a factor whose product has eigenvalues below 1, as a hat matrix has."""
    rng = np.random.RandomState(seed)
    W = np.linalg.qr(rng.randn(n, r))[0] * rng.uniform(0.2, 1.0, r)
    return np.ascontiguousarray(W), rng.permutation(np.arange(n) % 3)


def both(W, labels, *, block):
    """Return the search on the factor and the dense search on its product."""
    squares = (W**2).sum(axis=1)
    return FactorSearch(W, squares, labels, 3, block=block), DenseSearch(W @ W.T, labels, 3)


def assert_own_model_wins(model, X):
    """Check that points have the highest decision value for their cluster, unless they are its last one."""
    free = np.bincount(model.labels_)[model.labels_] > 1
    assert_array_equal(model.predict(X)[free], model.labels_[free])


# --- exactness ------------------------------------------------------------------------------------


@every_search
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_all_points_as_landmarks_give_the_dense_labels(Search, fit_intercept, kernel):
    """With r = n and blocks of one, labels, Q, ratio and decision values are those of the whole kernel."""
    X = np.random.RandomState(1).randn(70, 3)
    for seed in range(3):
        common = {"kernel": kernel, "fit_intercept": fit_intercept, "n_init": 3, "random_state": seed}
        dense = Search(3, **common).fit(X)
        low = Search(3, n_landmarks=70, **common).fit(X)
        assert_array_equal(low.labels_, dense.labels_)
        assert_allclose(low.start_objectives_, dense.start_objectives_, rtol=1e-8)
        assert low.state_.ratio == pytest.approx(dense.state_.ratio, rel=1e-8)
        assert low.n_iter_ == dense.n_iter_
        new = np.random.RandomState(2).randn(20, 3)
        assert_allclose(low.decision_function(new), dense.decision_function(new), atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_steps_on_a_factor_are_those_on_its_product(seed):
    """Claims, descent and sweeps in blocks of one move the same points in the same order."""
    W, labels = factor(60, 12, seed)
    ours, dense = both(W, labels, block=1)
    for d in (0, 1, 2, 0):
        (mine,), (theirs,) = ours.claims(1, d, 12), dense.claims(1, d, 12)
        assert_array_equal(mine.moved, theirs.moved)
        assert mine.objective == pytest.approx(theirs.objective, rel=1e-10)
        assert mine.ratio == pytest.approx(theirs.ratio, rel=1e-10)
        assert_allclose(mine.scores, theirs.scores, atol=1e-10)
        assert_array_equal(mine.labels, theirs.labels)
    mine, theirs = ours.descend("release", 1, 60), dense.descend("release", 1, 60)
    assert mine.converged
    assert_array_equal(mine.labels, theirs.labels)
    ours, dense = both(W, labels, block=1)
    mine, theirs = ours.sweep(1), dense.sweep(1)
    assert_array_equal(mine.moved, theirs.moved)
    assert mine.converged == theirs.converged


@pytest.mark.parametrize("block", [2, 7, 30])
def test_a_block_of_claims_takes_the_best_points_of_its_models(block):
    """A block is the points with the lowest change of Q at its beginning, by [UMC-RLS] eq. 13."""
    W, labels = factor(60, 12, 0)
    search, dense = both(W, labels, block=block)
    change = dense.T[labels, np.arange(60)] - dense.T[1] - 2.0 * dense.R.diagonal()
    change[labels == 1] = np.inf
    (state,) = search.claims(1, 1, block)
    assert set(state.moved) == set(np.argsort(change)[: len(state.moved)])
    assert len(state.moved) == min(block, 40)
    naive = np.where(np.arange(3)[:, None] == state.labels, 1.0, -1.0)
    assert state.objective == pytest.approx(naive.size - np.einsum("hi,ij,hj", naive, W @ W.T, naive))


@pytest.mark.parametrize("block", [1, 5, 20])
def test_free_descent_in_blocks_lowers_q_and_ends_in_a_local_minimum(block):
    """Every step lowers Q, and at the end no single move does."""
    W, labels = factor(60, 12, 3)
    search, _ = both(W, labels, block=block)
    last = search.objective
    for _ in range(200):
        state = search.descend("release", 1, block)
        assert state.objective <= last
        last = state.objective
        if state.converged:
            break
    assert state.converged
    fresh = DenseSearch(W @ W.T, state.labels, 3)
    assert fresh.descend("release", 1, 60).converged
    assert_array_equal(fresh.labels, state.labels)


def test_blocks_end_where_single_claims_do_on_clear_clusters():
    """On clear clusters blocks of three and of one find the same clusters, and Q differs little on others."""
    same, worse = 0, []
    for seed in range(20):
        X = make_blobs(150, 2, centers=3, cluster_std=1.0 + seed / 10, random_state=seed)[0]
        model = UMCRLS(3, n_init=1, random_state=seed).fit(X)
        W = model.state_.factor
        start = np.random.RandomState(seed).permutation(np.arange(150) % 3)
        ends = [
            _last(model, FactorSearch(W, (W**2).sum(axis=1), start, 3, block=block), start)
            for block in (1, 3)
        ]
        same += adjusted_rand_score(ends[0].labels, ends[1].labels) == 1.0
        worse.append(ends[1].objective / ends[0].objective)
    assert same >= 12
    assert np.median(worse) == pytest.approx(1.0, abs=0.02)
    assert max(worse) < 2.0


def _last(model, search, start):
    for state in model._states(search, base.Start(start, "random"), 0.0):
        if state.converged:
            return state
    raise AssertionError("the search has no end")


# --- float32 and many points ----------------------------------------------------------------------


@every_factor
def test_float32_finds_the_clusters_of_float64(settings, monkeypatch):
    """Beyond the limit features are float32, and clear clusters are the same."""
    X = make_blobs(400, 5, centers=4, cluster_std=1.0, random_state=1)[0]
    fine = UMCRLS(4, n_init=3, random_state=0, **settings).fit(X)
    for module in ("neighbors", "landmarks", "factor"):
        monkeypatch.setattr(f"mmc.kernels.{module}.EXACT", 100)
    rough = UMCRLS(4, n_init=3, random_state=0, **settings).fit(X)
    assert rough.state_.factor.dtype == np.float32
    assert fine.state_.factor.dtype == np.float64
    assert adjusted_rand_score(fine.labels_, rough.labels_) > 0.97
    assert_array_equal(rough.predict(X), rough.labels_)


def test_each_block_is_a_step():
    """With n/300 of two or more, every block of claims is a step with as many points, or a rest."""
    X = blobs(900)
    states = [step.state for step in UMCRLS(3, n_init=1, random_state=0).iter_fit(X) if step.start == 0]
    claims = [len(state.moved) for state in states if state.phase == "claim"]
    assert max(claims) == 900 // factor_search.N_BLOCKS
    assert len(claims) > 300
    progress = [state.progress for state in states if state.phase == "claim"]
    assert progress == sorted(progress)


# --- starts ---------------------------------------------------------------------------------------


def test_one_more_start_comes_from_spectral_clustering():
    """A graph adds a start that is not shaken; given labels, held sizes and other kernels do not."""
    X = blobs()
    model = UMCRLS(3, n_init=2, random_state=0)
    phases = {}
    for step in model.iter_fit(X):
        phases.setdefault(step.start, []).append(step.state.phase)
    assert len(phases) == 3
    assert "claim" in phases[0]
    assert "claim" not in phases[2]
    for settings in ({"refine": False}, {"kernel": "rbf"}, {"init": np.arange(90) % 3}):
        n_starts = len(UMCRLS(3, n_init=2, random_state=0).set_params(**settings).fit(X).start_objectives_)
        assert n_starts == (1 if "init" in settings else 2)


def test_the_number_of_starts_depends_on_the_number_of_points(monkeypatch):
    """n_init="auto" makes ten starts, and three beyond the limit."""
    X = blobs()
    assert len(UMCRLS(3, kernel="rbf", random_state=0).fit(X).start_objectives_) == 10
    monkeypatch.setattr(base, "EXACT", 50)
    assert len(UMCRLS(3, kernel="rbf", random_state=0).fit(X).start_objectives_) == 3


# --- new points -----------------------------------------------------------------------------------


@every_search
@every_factor
def test_predict_equals_labels_on_the_training_points(Search, settings):
    """At a local minimum every point has the highest decision value for its own cluster, when asked again."""
    X = blobs()
    model = Search(3, n_init=2, random_state=0, **settings).fit(X)
    assert_own_model_wins(model, X)
    assert_array_equal(model.predict(X[::7]), model.predict(X)[::7])
    assert_allclose(model.decision_function(X), model.state_.scores.T, atol=1e-8)


@pytest.mark.parametrize("kernel", ["graph", "landmark_graph"])
@pytest.mark.parametrize("make", [make_moons, make_rings])
def test_new_points_follow_the_structure(kernel, make):
    """Half of the points train, and the other half get their classes."""
    data = make(400, random_state=0)
    model = UMCRLS(2, kernel=kernel, random_state=0).fit(data.X[::2])
    assert adjusted_rand_score(data.y[1::2], model.predict(data.X[1::2])) > 0.95


@every_factor
def test_a_pickled_model_predicts_the_same(settings):
    """A model survives pickling, which sends it to other processes."""
    X = blobs()
    model = UMCRLS(3, n_init=1, random_state=0, **settings).fit(X)
    new = np.random.RandomState(0).randn(30, 2)
    assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(new), model.decision_function(new))


def test_states_share_the_factor():
    """A state holds coefficients, not values at every point, so that a recording stays small."""
    states = [step.state for step in UMCRLS(3, n_init=1, random_state=0).iter_fit(blobs())]
    assert len({id(state.factor) for state in states}) == 1
    assert all(state.models.shape == (3, states[0].factor.shape[1]) for state in states)


# --- edge cases -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["graph", "landmark_graph"])
def test_equal_points_get_equal_labels(kernel):
    """Every point three times: copies share their cluster, and no eigenvalue of the hat matrix exceeds 1."""
    X = np.repeat(blobs(60), 3, axis=0)
    model = UMCRLS(3, kernel=kernel, n_init=3, random_state=0).fit(X)
    assert (model.labels_.reshape(-1, 3) == model.labels_[::3, None]).all()
    assert np.linalg.svd(model.state_.factor, compute_uv=False).max() <= 1.0 + 1e-9
    assert model.objective_ >= -1e-9


@pytest.mark.parametrize("kernel", ["graph", "landmark_graph"])
def test_parts_without_links_become_clusters(kernel):
    """Three far groups are components of the graph, and are found whatever their sizes."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], [60, 30, 12])
    X = rng.randn(102, 2) + 1e3 * y[:, None]
    model = UMCRLS(3, kernel=kernel, n_init=2, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1.0


@every_search
@pytest.mark.parametrize("kernel", ["graph", "landmark_graph"])
@pytest.mark.parametrize("settings", [{"n_neighbors": 500}, {"n_components": 500}, {"n_neighbors": 1}])
def test_more_neighbours_or_eigenvectors_than_there_are(Search, kernel, settings):
    """Numbers beyond what the graph has mean all of them."""
    X = blobs(40)
    model = Search(3, kernel=kernel, n_init=2, random_state=0, **settings).fit(X)
    assert len(np.unique(model.labels_)) == 3
    assert_own_model_wins(model, X)


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("kernel", ["graph", "landmark_graph"])
def test_very_few_points(kernel, n):
    """Two to five points are clustered."""
    X = np.arange(n, dtype=float)[:, None] ** 2
    assert len(np.unique(UMCRLS(2, kernel=kernel, random_state=0).fit(X).labels_)) == 2


def test_an_isolated_point_is_defined():
    """A point ten million widths away has a label, finite decision values, and leaves the others alone."""
    data = make_moons(100, random_state=0)
    X = np.vstack([data.X, [[1e7, 1e7]]])
    model = UMCRLS(2, random_state=0).fit(X)
    assert np.isfinite(model.decision_function(X)).all()
    assert adjusted_rand_score(data.y, model.labels_[:-1]) > 0.9


@pytest.mark.parametrize("settings", [{"kernel": "landmark_graph"}, {"kernel": "rbf"}])
def test_fewer_landmarks_than_clusters_are_refused(settings):
    """The message names both numbers and the remedy."""
    with pytest.raises(ValueError, match=r"n_clusters=5 is more than the 3 different landmarks.*n_landmarks"):
        UMCRLS(5, n_landmarks=3, **settings).iter_fit(blobs())


@pytest.mark.parametrize("kernel", ["local_scaling", "precomputed"])
def test_landmarks_need_a_kernel_of_any_two_points(kernel):
    """Kernels that are given or built from neighbours take no landmarks."""
    X = np.eye(30) if kernel == "precomputed" else blobs()
    with pytest.raises(ValueError, match="n_landmarks=5 needs a kernel"):
        UMCRLS(2, kernel=kernel, n_landmarks=5).iter_fit(X)


@pytest.mark.parametrize("kernel", ["graph", "landmark_graph"])
def test_equal_points_alone_are_refused(kernel):
    """All points at one place have no distances."""
    with pytest.raises(ValueError, match="All points are equal"):
        UMCRLS(2, kernel=kernel).iter_fit(np.ones((20, 2)))


def test_alpha_path_refuses_what_it_cannot_do():
    """A path of λ needs a whole kernel, and says so."""
    with pytest.raises(ValueError, match="alpha_path decomposes a kernel matrix"):
        UMCRLS(2).alpha_path(blobs(), [0.1, 1.0])
