"""CPMMC and MKC with features in place of kernel matrices."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from mmc import CPMMC, MKC
from mmc.datasets import load
from mmc.kernels import dense, landmarks
from mmc.maxmargin.cutting_plane import feature_set
from mmc.maxmargin.cutting_plane.constraints import Classes, Cut, Halves
from mmc.maxmargin.cutting_plane.feature_set import FeatureSet
from mmc.maxmargin.cutting_plane.features import Landmarks, fit_features
from mmc.maxmargin.cutting_plane.kernel_list import check_kernels, fit_mixture
from mmc.maxmargin.cutting_plane.kernel_set import KernelSet
from mmc.metrics import adjusted_rand_score

KERNELS = ["linear", ("poly", {"degree": 2}), ("rbf", {"width": 0.7})]


def random_sets(seed, k, *, normalize=True, n=24):
    """Make working sets of random constraints at random labels, with matrices and with all landmarks."""
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(n, 3)) + 0.8, rng.integers(0, k, n)
    sides = Halves() if k == 2 else Classes(k)
    specs = check_kernels(KERNELS)
    whole = fit_mixture(X, specs, normalize=normalize, centre=k == 2)
    few = fit_features(X, specs, Landmarks(n, "random", 0), n_clusters=k, normalize=normalize, n_columns=5)
    sets = KernelSet(whole, sides, labels), FeatureSet(few, sides, labels)
    for _ in range(5):
        cut = Cut(np.where(rng.random(n) < 0.7, (labels + rng.integers(0, k, n)) % k, -1))
        for each in sets:
            each.add(cut)
    return *sets, rng


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(0, 2**16), st.sampled_from([2, 3, 4]), st.booleans(), st.sampled_from([1, 50, 2**22]))
def test_features_of_all_points_are_the_matrices(seed, k, normalize, block):
    """Gram matrices, f, β, ξ and norm agree, also after labels have changed, in blocks of any size."""
    dense_set, low, rng = random_sets(seed, k, normalize=normalize)
    size, feature_set._BLOCK = feature_set._BLOCK, block
    try:
        for _ in range(2):
            G = dense_set.grams()
            np.testing.assert_allclose(low.grams(), G, atol=1e-9 * np.abs(G).max())
            labels = np.where(rng.random(24) < 0.4, rng.integers(0, k, 24), low.labels)
            for each in (dense_set, low):
                each.relabel(labels)
    finally:
        feature_set._BLOCK = size
    one, other = dense_set.solve(2.0, 0.1), low.solve(2.0, 0.1)
    for name in ("slack", "norm", "bias"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), abs=1e-5)
    np.testing.assert_allclose(other.beta, one.beta, atol=1e-4)
    np.testing.assert_allclose(other.f, one.f, atol=1e-4)


@pytest.mark.parametrize("values", [{}, {"C": 5.0}, {"normalize": False}, {"balance": 0.0}], ids=str)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_all_landmarks_give_the_dense_method(k, values):
    """Labels, β, objective, number of cuts and predictions are those of the whole matrices."""
    X = load("three-gaussians", n_samples=90, random_state=0).X
    dense_model = MKC(k, random_state=0, **values).fit(X)
    model = MKC(k, n_landmarks=90, random_state=0, **values).fit(X)
    np.testing.assert_array_equal(model.labels_, dense_model.labels_)
    np.testing.assert_allclose(model.beta_, dense_model.beta_, atol=1e-6)
    assert model.objective_ == pytest.approx(dense_model.objective_, rel=1e-6)
    assert model.n_iter_ == dense_model.n_iter_
    new = X[::3] + 0.2
    np.testing.assert_allclose(model.decision_function(new), dense_model.decision_function(new), atol=1e-5)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert not hasattr(model, "dual_coef_")


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_one_kernel_with_all_landmarks(kernel):
    """So it is for CPMMC with each kernel, on digits."""
    X, y = load_digits(return_X_y=True)
    X = X[(y == 3) | (y == 8)]
    one = CPMMC(kernel=kernel, random_state=0).fit(X)
    same = CPMMC(kernel=kernel, n_landmarks=len(X), random_state=0).fit(X)
    np.testing.assert_array_equal(same.labels_, one.labels_)
    assert same.objective_ == pytest.approx(one.objective_, rel=1e-5)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "model",
    [
        CPMMC(kernel="graph"),
        CPMMC(kernel="landmark_graph", n_landmarks=40, landmarks="random", n_components=6),
        CPMMC(n_landmarks=25),
        MKC(kernels=["graph", ("landmark_graph", {"n_neighbors": 8}), "poly"], n_landmarks=30),
        MKC(kernels=["graph", ("graph", {"n_components": 4})]),
    ],
    ids=str,
)
def test_states_and_predictions_are_the_model(model, k):
    """F is what the coefficients give, for the states and new points; clusters that are plain are found."""
    X, y = make_blobs(150, 2, centers=k, cluster_std=0.7, random_state=3)
    steps = list(model.set_params(n_clusters=k, random_state=0).iter_fit(X))
    assert steps[-1].status == "converged"
    assert adjusted_rand_score(y, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    values = model.decision_function(X)
    np.testing.assert_allclose(values[:, 1] if k == 2 else values, model.state_.f, atol=1e-8)
    assert model.coef_.shape == model.state_.coef.shape
    for step in steps[1:]:
        state = step.state
        assert np.linalg.norm(state.beta) == pytest.approx(1.0)
        if k == 2:
            assert state.f.mean() == pytest.approx(state.bias, abs=1e-9)
            assert abs(state.bias) <= 0.03 + 1e-9


def test_a_graph_parts_what_a_kernel_of_distances_cannot():
    """Two moons are the two parts of the graph of neighbours."""
    data = load("moons", n_samples=200, noise=0.05, random_state=0)
    model = CPMMC(kernel="graph", init="random", n_init=5, random_state=0).fit(data.X)
    assert adjusted_rand_score(data.y, model.labels_) == 1.0


def test_equal_kernels_share_their_weight():
    """Landmarks are the same for all kernels of a list, so that identical kernels weigh the same."""
    X = load("moons", n_samples=120, random_state=0).X
    model = MKC(kernels=["rbf", "rbf", "linear"], n_landmarks=30, random_state=0).fit(X)
    assert model.beta_[0] == pytest.approx(model.beta_[1], abs=1e-6)


@pytest.mark.parametrize("k", [2, 3])
def test_a_kernel_that_tells_nothing_has_no_weight(k):
    """A constant kernel has a weight of zero, as its matrix has."""
    X = load("three-gaussians", n_samples=60, random_state=0).X

    def flat(A, B):
        return np.ones((len(A), len(B)))

    model = MKC(k, kernels=["rbf", *([flat] if k == 2 else [])], n_landmarks=20, random_state=0).fit(X)
    alone = MKC(k, kernels=["rbf"], n_landmarks=20, random_state=0).fit(X)
    np.testing.assert_allclose(model.beta_[1:], 0.0, atol=1e-9)
    np.testing.assert_array_equal(model.labels_, alone.labels_)


def test_callables_have_landmarks():
    """A callable is compared with landmarks alone; one that is no kernel is refused."""
    X = load("moons", n_samples=100, random_state=0).X
    shapes = []

    def narrow(A, B):
        shapes.append((len(A), len(B)))
        return rbf_kernel(A, B, gamma=0.7)

    called = MKC(kernels=["linear", narrow], n_landmarks=30, random_state=0).fit(X)
    named = MKC(kernels=["linear", ("rbf", {"gamma": 0.7})], n_landmarks=30, random_state=0).fit(X)
    assert {n for _, n in shapes} == {30}
    np.testing.assert_allclose(called.decision_function(X), named.decision_function(X), atol=1e-6)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        MKC(kernels=[lambda A, B: -rbf_kernel(A, B)], n_landmarks=30, random_state=0).fit(X)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (CPMMC(kernel="precomputed", init="random", n_landmarks=5), "'precomputed' is a matrix"),
        (MKC(kernels=["rbf", np.eye(30)], n_landmarks=5), "n_landmarks=5 and graphs .*'matrix' is a matrix"),
        (MKC(kernels=["graph", np.eye(30)]), "Leave n_landmarks and graphs out"),
        (MKC(kernels=[("graph", {"n_neighbors": 0})]), "n_neighbors=0 of the kernel 'graph'"),
        (MKC(kernels=[("graph", {"n_components": 2.5})]), "n_components=2.5 .* whole number"),
        (MKC(kernels=[("graph", {"width": 1})]), "does not take 'width', it has n_neighbors, n_components"),
        (MKC(4, n_landmarks=3), "n_clusters=4 is more than the 3 different landmarks"),
        (CPMMC(n_landmarks=0), "n_landmarks"),
        (CPMMC(kernel="graph", n_neighbors=0), "n_neighbors"),
    ],
    ids=str,
)
def test_what_has_no_features_is_refused(model, message):
    """The message names the parameter and what would be right."""
    X = np.random.default_rng(0).normal(size=(30, 30))
    X = X @ X.T if getattr(model, "kernel", "") == "precomputed" else X
    with pytest.raises(ValueError, match=message):
        model.fit(X)


@pytest.mark.parametrize(
    "model",
    [CPMMC(n_landmarks=500), CPMMC(kernel="graph", n_components=500), MKC(4, n_landmarks=500)],
    ids=str,
)
def test_features_beyond_memory_are_refused_before_they_are_made(model, monkeypatch):
    """Memory is asked for with the features of all kernels, and cuts."""
    monkeypatch.setattr(dense, "_memory", lambda: 2.0 * 8 * 3000 * 900)
    monkeypatch.setattr("mmc.maxmargin.cutting_plane.features.approximate", None)
    with pytest.raises(ValueError, match=r"GiB that may be used here\. Use at most \d+ landmarks"):
        model.set_params(init="random", random_state=0).fit(np.random.default_rng(0).normal(size=(3000, 2)))


def test_no_square_array_and_a_light_model(monkeypatch):
    """Neither a fit nor a prediction makes an n×n array, and the model keeps no features of all points."""
    n = 6000
    X, y = make_blobs(n, 3, centers=4, random_state=1)
    monkeypatch.setattr(landmarks, "_DISTANCES", 2**20)  # of the width; their number does not grow with n
    model = MKC(4, n_landmarks=40, random_state=0)
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    peak_of_predict = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n**2 * 8 / 8
    assert peak_of_predict < n**2 * 8 / 8
    assert adjusted_rand_score(y, model.labels_) > 0.95
    kept = MKC(4, n_landmarks=40, random_state=0)
    kept.kernels_, kept.beta_ = model.kernels_, model.beta_
    assert len(pickle.dumps(kept)) < 200_000


def test_labels_are_held_after_a_loss_as_with_matrices():
    """Where a cluster is lost the states take the same course, cut by cut."""
    X, _ = make_blobs(100, 10, centers=5, cluster_std=3.0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        courses = [
            [(s.state.n_empty, s.state.held) for s in CPMMC(5, n_landmarks=p, random_state=0).iter_fit(X)]
            for p in (None, 100)
        ]
    assert any(n_empty for n_empty, _ in courses[0])
    assert courses[0] == courses[1]


def test_the_same_seed_gives_the_same_result():
    """Landmarks are drawn after the starts with the seed, and a generator serves as well."""
    X = load("moons", n_samples=150, random_state=0).X
    one, same, other = (
        CPMMC(n_landmarks=10, landmarks="random", random_state=seed).fit(X)
        for seed in (0, np.random.RandomState(0), 1)
    )
    assert one.state_.f.tobytes() == same.state_.f.tobytes()
    assert one.state_.f.tobytes() != other.state_.f.tobytes()
