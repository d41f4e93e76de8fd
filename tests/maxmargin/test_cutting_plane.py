"""CPMMC and MKC as a user meets them."""

import itertools
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from mmc import CPMMC, MKC
from mmc.datasets import load
from mmc.errors import SolverError
from mmc.maxmargin.cutting_plane import cuts, dual_program, kernel_list
from mmc.maxmargin.cutting_plane.constraints import Classes, Halves
from mmc.maxmargin.cutting_plane.kernel_list import parse_kernels, text_of
from mmc.metrics import adjusted_rand_score, majority_accuracy


def two_blobs():
    """Two clouds of equal size, far apart."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(-2, 0.6, (15, 2)), rng.normal(2, 0.6, (15, 2))])


def digits(*classes):
    """Load some of scikit-learn's digits."""
    X, y = load_digits(return_X_y=True)
    keep = np.isin(y, classes)
    return X[keep], y[keep]


@pytest.mark.parametrize(("pair", "least"), [((1, 7), 1.0), ((2, 7), 0.99), ((3, 8), 0.95), ((8, 9), 0.95)])
def test_digits_as_in_the_paper(pair, least):
    """Pairs of digits are told apart as well as in [MKC] Table 2, with one setting for all."""
    X, y = digits(*pair)
    model = MKC(kernels=["linear", "poly", ("rbf", {"gamma": "median", "width": 1})], C=20, random_state=0)
    assert majority_accuracy(y, model.fit_predict(X)) >= least


def test_four_digits():
    """Four digits at once, by the constraints of section 4."""
    X, y = digits(0, 6, 8, 9)
    kernels = ["linear", ("poly", {"degree": 4}), ("rbf", {"gamma": "median", "width": 0.5})]
    model = MKC(4, kernels=kernels, C=16, balance=0, epsilon=0.02, random_state=0)
    assert majority_accuracy(y, model.fit_predict(X)) >= 0.945


@pytest.mark.slow
@pytest.mark.parametrize(("k", "n"), [(2, 8), (3, 6)])
def test_ends_near_the_best_labelling(k, n):
    """On a few points no labelling has a lower objective, by trying all of them as starts."""
    rng = np.random.default_rng(3)
    X = rng.normal(0, 0.4, (n, 2)) + np.array([[0, 0], [3, 0], [0, 3]])[np.arange(n) % k]
    found = MKC(k, C=10, epsilon=1e-4, tol=0, random_state=0).fit(X)
    best = np.inf
    for start in itertools.product(range(k), repeat=n):
        if list(dict.fromkeys(start)) == list(range(k)):  # one name for each labelling
            model = MKC(k, C=10, epsilon=1e-4, tol=0, init=np.array(start))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(X)
            if not model.state_.n_empty:
                best = min(best, model.objective_)
    assert found.objective_ <= best * 1.01


def test_states_tell_one_cut_each():
    """Every state adds a constraint and marks the points within the margin; the last gap is below ε."""
    X, _ = digits(3, 8)
    states = [step.state for step in MKC(C=20, epsilon=0.02, n_init=1, random_state=0).iter_fit(X)]
    assert [state.n_cuts for state in states] == list(range(len(states)))
    assert states[0].violation == 1.0
    assert states[0].slack == 0.0
    assert len(states[0].marked) == len(X)
    for state in states[1:]:
        np.testing.assert_array_equal(state.marked, np.flatnonzero(np.abs(state.f) < 1))
        assert state.violation == pytest.approx(np.maximum(0, 1 - np.abs(state.f)).mean())
        assert np.linalg.norm(state.beta) == pytest.approx(1.0)
        assert state.n_cccp >= 1
        assert abs(state.f.mean()) <= 0.03 + 1e-9
        np.testing.assert_array_equal(state.labels, state.f > 0)
    assert [state.gap <= 0.02 for state in states] == [False] * (len(states) - 1) + [True]


@pytest.mark.parametrize("k", [2, 3])
def test_prediction_is_the_model(k):
    """On the training points the prediction is the labels and the decision values are f."""
    X = load("three-gaussians", n_samples=60, random_state=0).X
    model = MKC(k, random_state=0).fit(X)
    values = model.decision_function(X)
    f = model.state_.f
    np.testing.assert_allclose(values[:, 1] if k == 2 else values, f, atol=1e-8)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_one_kernel_is_cpmmc():
    """MKC with a single kernel and CPMMC are the same method."""
    X, _ = digits(3, 8)
    one = CPMMC(gamma="median", width=0.8, random_state=0).fit(X)
    same = MKC(kernels=[("rbf", {"gamma": "median", "width": 0.8})], random_state=0).fit(X)
    np.testing.assert_array_equal(one.labels_, same.labels_)
    assert one.objective_ == same.objective_


def test_kernels_may_be_names_callables_and_matrices():
    """However a kernel is given, the fit is the same; a matrix cannot predict for other points."""
    X = two_blobs()

    def narrow(A, B):
        return rbf_kernel(A, B, gamma=0.7)

    by_name = MKC(kernels=["linear", ("rbf", {"gamma": 0.7})], n_init=1, random_state=0).fit(X)
    by_call = MKC(kernels=["linear", narrow], n_init=1, random_state=0).fit(X)
    by_matrix = MKC(kernels=["linear", narrow(X, X)], n_init=1, random_state=0).fit(X)
    np.testing.assert_allclose(by_name.state_.f, by_call.state_.f, atol=1e-6)
    np.testing.assert_allclose(by_name.state_.f, by_matrix.state_.f, atol=1e-6)
    new = X[:5] + 0.1
    np.testing.assert_allclose(by_name.decision_function(new), by_call.decision_function(new), atol=1e-6)
    with pytest.raises(ValueError, match="Give callables to predict"):
        by_matrix.predict(new)


def test_precomputed_kernel():
    """CPMMC takes the kernel in place of the points, and rows of it to predict."""
    X = two_blobs()
    K = rbf_kernel(X, gamma=0.5)
    model = CPMMC(kernel="precomputed", init="random", n_init=5, random_state=0).fit(K)
    assert adjusted_rand_score(np.arange(30) >= 15, model.labels_) == 1.0
    np.testing.assert_array_equal(model.predict(K), model.labels_)
    with pytest.raises(ValueError, match='init="k-means" needs points'):
        CPMMC(kernel="precomputed").fit(K)


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        ("rbf", "give a list"),
        ([], "at least one"),
        (["sigmoid"], "there are linear, poly, rbf"),
        ([("rbf", {"degree": 2})], "does not take 'degree'"),
        ([("rbf", {"width": -1})], "width=-1"),
        ([("poly", {"degree": 2.5})], "degree=2.5"),
        ([3], "is no kernel"),
        ([("rbf", {"width": 10**400})], "from 1e-6 to 1e6"),
        ([("rbf", {"width": 1e-300})], "from 1e-6 to 1e6"),
        ([("rbf", {"width": True})], "width=True"),
        ([("rbf", {"gamma": np.ones(2)})], "gamma=array"),
        ([("poly", {"degree": 20, "gamma": 1e30})], "gamma=1e\\+30, .* degree=20 has values that are"),
        ((name for name in ["rbf"]), "give a list"),
        (["x" * 5000], r"no kernel 'x{56}\.\.\."),
        ([np.eye(4)], "matrix of 4 rows"),
        ([lambda A, B: np.ones(3)], "30 rows and 30 columns"),
        ([lambda A, B: np.full((len(A), len(B)), np.nan)], "finite values"),
    ],
)
def test_wrong_kernels_are_named(kernels, message):
    """A kernel that is none is refused with what would be right."""
    with pytest.raises(ValueError, match=message):
        MKC(kernels=kernels).fit(two_blobs())


def test_kernels_are_written_and_read():
    """Text gives the same kernels again; a callable cannot be written."""
    kernels = ["linear", ["poly", {"degree": 2}], ["rbf", {"width": 0.5, "gamma": "max"}]]
    text = text_of(kernels)
    assert text == "linear, poly:degree=2, rbf:width=0.5:gamma=max"
    assert parse_kernels(text) == kernels
    with pytest.raises(ValueError, match="cannot be written"):
        text_of([rbf_kernel])
    with pytest.raises(ValueError, match="name=value"):
        parse_kernels("rbf:0.5")


@pytest.mark.parametrize("k", [2, 3])
def test_kernel_of_zeros_has_no_weight(k):
    """A kernel that tells no points apart gets the weight 0, whether it is zero or constant."""
    X = load("three-gaussians", n_samples=60, random_state=0).X
    flat = [np.zeros((60, 60)), *([np.ones((60, 60))] if k == 2 else [])]
    model = MKC(k, kernels=["rbf", *flat], random_state=0).fit(X)
    assert model.beta_[0] == pytest.approx(1.0)
    np.testing.assert_allclose(model.beta_[1:], 0.0, atol=1e-9)
    alone = MKC(k, kernels=["rbf"], random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, alone.labels_)


def test_only_a_kernel_of_zeros():
    """Without anything to tell points apart there is no margin: one cluster, which the warning says."""
    with pytest.warns(ConvergenceWarning, match="MKC found only 1 of the 2 clusters"):
        model = MKC(kernels=[np.zeros((30, 30))], random_state=0).fit(two_blobs())
    assert model.state_.n_empty == 1


def test_equal_kernels_share_their_weight():
    """Two identical kernels weigh the same."""
    X, _ = digits(3, 8)
    model = MKC(kernels=["rbf", "rbf", "linear"], random_state=0).fit(X)
    assert model.beta_[0] == pytest.approx(model.beta_[1], abs=1e-6)


def test_no_slack_in_the_balance():
    """With balance 0 the mean of f is exactly zero."""
    X, _ = digits(3, 8)
    model = MKC(balance=0.0, random_state=0).fit(X)
    assert model.intercept_ == 0.0
    assert model.state_.f.mean() == pytest.approx(0.0, abs=1e-9)


def test_tiny_C_gives_the_trivial_solution():
    """When errors cost nothing, f is nearly zero and ξ is one; its sign still parts the points."""
    model = MKC(C=1e-6, balance=0.0, random_state=0).fit(two_blobs())
    assert model.state_.slack == pytest.approx(1.0, abs=1e-4)
    assert np.abs(model.state_.f).max() < 1e-4
    assert adjusted_rand_score(np.arange(30) >= 15, model.labels_) == 1.0


def test_huge_C_gives_the_hard_margin():
    """When errors cost everything, no point of separable clouds is within the margin."""
    model = MKC(kernels=["linear"], C=1e8, epsilon=1e-6, random_state=0).fit(two_blobs())
    assert model.state_.slack == pytest.approx(0.0, abs=1e-6)
    assert np.abs(model.state_.f).min() >= 1 - 1e-4


def test_equal_points():
    """Points that are all equal cannot be parted: k-means says so, and a random start ends in one cluster."""
    X = np.ones((12, 2))
    with pytest.raises(ValueError, match="All points are equal"):
        MKC(random_state=0).fit(X)
    with pytest.raises(ValueError, match="fewer than 3 different points"):
        MKC(3, random_state=0).fit(X)
    with pytest.warns(ConvergenceWarning, match="MKC found only 1 of the 2"):
        model = MKC(kernels=["linear", "poly"], init="random", random_state=0).fit(X)
    assert len(set(model.labels_)) == 1


def test_lost_cluster_is_told_and_loses_to_others():
    """A start in which the CCCP empties a cluster says so, and any start that keeps both is preferred."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (36, 2)), rng.normal(3, 0.3, (4, 2))])
    lost = MKC(C=0.1, balance=0.9, random_state=0)
    with pytest.warns(ConvergenceWarning, match="try more starts"):
        lost.fit(X)
    assert "1 cluster is empty" in lost.state_.caption
    assert set(lost.labels_) == {lost.labels_[0]}
    kept = MKC(C=0.01, balance=0.9, init="random", n_init=6, random_state=0).fit(X)
    assert kept.state_.n_empty == 0
    assert kept.start_objectives_.min() < kept.objective_


@pytest.mark.parametrize("cls", [CPMMC, MKC])
@pytest.mark.parametrize(("d", "k", "spread", "least"), [(10, 5, 3.0, 0.9), (20, 6, 4.0, 1.0)])
def test_all_of_many_clusters_are_kept(cls, d, k, spread, least):
    """Where the CCCP empties a cluster after a few cuts, the labels return and every cluster is found."""
    X, y = make_blobs(20 * k, d, centers=k, cluster_std=spread, random_state=0)
    steps = list(cls(k, n_init=1, random_state=0).iter_fit(X))
    assert any(step.state.n_empty for step in steps)
    assert steps[-1].state.n_empty == 0
    assert adjusted_rand_score(y, steps[-1].state.labels) >= least


def test_labels_are_held_after_a_loss_until_no_constraint_is_violated():
    """After the first loss come the labels of the start, and the solution for them is that of all cuts."""
    X, _ = make_blobs(100, 10, centers=5, cluster_std=3.0, random_state=0)
    states = [step.state for step in CPMMC(5, n_init=1, random_state=0).iter_fit(X)]
    lost = next(i for i, state in enumerate(states) if state.n_empty)
    assert not states[lost].held
    assert not states[lost].converged
    assert "the labels return to those that had all and are held" in states[lost].caption
    held = list(itertools.takewhile(lambda state: state.held, states[lost + 1 :]))
    assert held
    assert held[-1].gap <= held[-1].epsilon
    np.testing.assert_array_equal(held[-1].labels, states[0].labels)
    assert all(state.n_cccp == 1 for state in held)


def test_a_second_loss_ends_with_the_labels_that_had_all():
    """If the CCCP empties a cluster again, the labels at which it went on are held to the end."""
    X, _ = make_blobs(100, 5, centers=5, cluster_std=4.0, random_state=2)
    states = [step.state for step in CPMMC(5, n_init=1, random_state=0).iter_fit(X)]
    losses = [i for i, state in enumerate(states) if state.n_empty and not state.held]
    assert len(losses) == 2
    assert all(state.held for state in states[losses[1] + 1 :])
    assert states[-1].converged
    assert states[-1].n_empty == 0
    assert states[-1].gap <= states[-1].epsilon


@pytest.mark.parametrize("sides", [Halves(), Classes(3)])
def test_margins_of_labels_are_their_loss_and_mark_the_cut(sides):
    """The margin of a label is its lead over the best other, and a cut marks the margins below one."""
    rng = np.random.default_rng(0)
    f = 2.0 * rng.normal(size=(40, sides.n_blocks))
    values = np.hstack([-f / 2, f / 2]) if sides.n_blocks == 1 else f
    labels = rng.integers(0, values.shape[1], 40)
    naive = [v[y] - max(np.delete(v, y)) for v, y in zip(values, labels, strict=True)]
    np.testing.assert_allclose(sides.margins(f, labels), naive, atol=1e-12)
    best = sides.labels(f)
    np.testing.assert_array_equal(sides.cut(f, best).marked, np.flatnonzero(sides.margins(f, best) < 1))


def test_failing_solver_leaves_the_last_state(monkeypatch):
    """When a later cut fails, the error says why and the estimator keeps what it had."""
    X, _ = digits(3, 8)
    model = MKC(C=20, random_state=0)
    steps = model.iter_fit(X)
    for _ in range(3):
        last = next(steps)
    monkeypatch.setattr(dual_program, "_TOLERANCES", (1e-30,))
    with pytest.raises(SolverError, match="gave up"):
        next(steps)
    assert model.state_ is last.state
    assert model.predict(X).shape == (len(X),)


def test_number_of_cuts_is_limited():
    """The fit ends after `max_cuts` cuts, and says that it has not converged."""
    X, _ = digits(3, 8)
    steps = list(MKC(C=100, max_cuts=3, random_state=0).iter_fit(X))
    assert steps[-1].state.n_cuts == 3
    assert steps[-1].status == "max_iter"


def test_cccp_is_limited(monkeypatch):
    """The CCCP stops at its limit even where the objective keeps changing."""
    X, _ = digits(8, 9)
    monkeypatch.setattr(cuts, "_MAX_CCCP", 2)
    states = [step.state for step in MKC(C=20, tol=0, random_state=0).iter_fit(X)]
    assert max(state.n_cccp for state in states) == 2


def test_best_start_is_kept():
    """Of several starts the lowest objective is kept; random ones follow where k-means repeats itself."""
    X, _ = digits(8, 9)
    model = MKC(C=20, init="random", n_init=4, random_state=1).fit(X)
    assert len(model.start_objectives_) == 4
    assert model.objective_ == model.start_objectives_.min()
    model = MKC(C=20, n_init=4, random_state=0).fit(X)
    assert len(model.start_objectives_) == 4
    assert model.start_objectives_[0] == MKC(C=20, n_init=1, random_state=0).fit(X).objective_
    assert model.objective_ == model.start_objectives_.min()


def test_reference_labels_do_not_matter():
    """The fit is the same bit for bit whatever labels come with the points."""
    X, y = digits(3, 8)
    a = MKC(random_state=0).fit(X, y)
    b = MKC(random_state=0).fit(X, np.random.default_rng(0).permutation(y))
    assert a.labels_.tobytes() == b.labels_.tobytes()
    assert a.state_.f.tobytes() == b.state_.f.tobytes()
    assert a.objective_ == b.objective_


def test_a_larger_norm_makes_weights_more_equal():
    """With p = 1 the linear kernel weighs nothing on circles, with p = 100 all weigh the same, ‖β‖_p is 1."""
    circles = load("circle-gaussian", n_samples=60, random_state=0)
    kernels = ["linear", ("poly", {"degree": 2}), ("rbf", {"width": 3})]
    models = [MKC(2, kernels=kernels, beta_norm=p, random_state=0).fit(circles.X) for p in (1, 2, 4, 100)]
    spreads = [float(np.ptp(model.beta_)) for model in models]
    assert spreads == sorted(spreads, reverse=True)
    assert models[0].beta_[0] < 1e-6
    assert models[-1].beta_.min() > 0.9
    for model, p in zip(models, (1, 2, 4, 100), strict=True):
        assert np.linalg.norm(model.beta_, p) == pytest.approx(1.0)
        assert adjusted_rand_score(circles.y, model.labels_) == 1
        np.testing.assert_array_equal(model.predict(circles.X), model.labels_)


def test_scales_do_not_decide_the_weights():
    """Normalised, a kernel a million times larger weighs the same; otherwise it takes all."""
    X = two_blobs()
    K = rbf_kernel(X, gamma=0.5)
    small = MKC(kernels=["linear", K], random_state=0).fit(X)
    large = MKC(kernels=["linear", 1e6 * K], random_state=0).fit(X)
    raw = MKC(kernels=["linear", 1e6 * K], normalize=False, random_state=0).fit(X)
    np.testing.assert_allclose(small.beta_, large.beta_, atol=1e-5)
    assert raw.beta_[1] > 0.999


def test_circles_end():
    """With four clusters and a small C labels come back again and again; the fit ends all the same."""
    X, _ = digits(1, 2, 7, 9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MKC(4, kernels=["linear", "rbf"], C=2**-6, balance=0, random_state=0).fit(X)
    assert model.n_iter_ < 50
    assert model.state_.converged


@pytest.mark.parametrize("k", [2, 3])
def test_the_origin_does_not_matter(k):
    """Points that are far from the origin have the same clusters and weights."""
    X = load("three-gaussians", n_samples=60, random_state=0).X
    near, far = (MKC(k, random_state=0).fit(points) for points in (X, X + 1e5))
    np.testing.assert_array_equal(near.labels_, far.labels_)
    np.testing.assert_allclose(near.beta_, far.beta_, atol=1e-3)
    np.testing.assert_array_equal(far.predict(X + 1e5), far.labels_)


def test_a_fitted_model_is_light_and_can_be_pickled():
    """It keeps no matrix of all points, and a callable kernel goes with it."""
    X = load("moons", n_samples=300, random_state=0).X
    model = MKC(kernels=["linear", "poly", rbf_kernel], random_state=0).fit(X)
    pickled = pickle.dumps(model)
    assert len(pickled) < 300 * 300 * 8 / 4
    np.testing.assert_array_equal(pickle.loads(pickled).predict(X), model.labels_)


def test_many_kernels_are_refused_before_they_are_made(monkeypatch):
    """Memory is asked for, with all kernels counted."""
    monkeypatch.setattr(kernel_list, "fit_kernel", None)
    with pytest.raises(ValueError, match="GiB"):
        MKC(kernels=["linear"] * 2000, init="random").fit(np.zeros((4000, 2)))


def test_a_matrix_may_be_a_table():
    """A DataFrame is a matrix as well."""
    X = two_blobs()
    K = rbf_kernel(X, gamma=0.5)
    one, two = (MKC(kernels=[kernel], random_state=0).fit(X) for kernel in (K, pd.DataFrame(K)))
    np.testing.assert_array_equal(one.state_.f, two.state_.f)


@pytest.mark.parametrize("cls", [CPMMC, MKC])
def test_points_without_clusters_come_to_an_end(cls):
    """Where the CCCP would relabel points for ever, the best labels are fixed and the gap closes."""
    n = 300 if cls is CPMMC else 100
    X = load("moons", n_samples=n, noise=50, random_state=0).standardized().X
    model = cls(5, C=100, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # whether clusters are lost is another matter
        steps = list(model.iter_fit(X))
    assert steps[-1].status == "converged"
    assert steps[-1].state.gap <= model.epsilon
    best = min(step.state.objective for step in steps[1:])
    assert model.objective_ <= best + model.C * model.epsilon
