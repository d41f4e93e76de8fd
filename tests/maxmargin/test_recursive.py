"""Splitting again and again: the tree, its rule, its predictions and its refusals."""

import numpy as np
import pytest
from sklearn.base import clone

from mmc import CCCPMMC, UMCRLS, EvoMMC, IterLSSVM, IterSVR, RecursiveBinary
from mmc.datasets import make_four_gaussians, make_three_gaussians
from mmc.kernels import fit_kernel
from mmc.metrics import adjusted_rand_score

each_split = pytest.mark.parametrize("split", ["spread", "size"])


@pytest.fixture
def X():
    """Ninety points in three clouds."""
    return make_three_gaussians(90, random_state=1).X


@each_split
@pytest.mark.parametrize(
    "method", [IterLSSVM(), IterSVR(), EvoMMC(balance=0.35), UMCRLS()], ids=lambda m: type(m).__name__
)
def test_four_clouds_are_found_by_any_method(method, split):
    """Two splits of two halves give four clusters, and new points go down the same tree."""
    X, y = make_four_gaussians(120, random_state=0)
    model = RecursiveBinary(method, 4, split=split, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert [s.other for s in model.splits_] == [1, 2, 3]


def test_the_tree_is_that_of_its_parts(X):
    """Every split is what its method finds on the points of its cluster alone."""
    model = RecursiveBinary(IterLSSVM(n_init=2), 3, random_state=5).fit(X)
    labels = np.zeros(90, dtype=int)
    for split in model.splits_:
        np.testing.assert_array_equal(split.members, np.flatnonzero(labels == split.cluster))
        alone = clone(split.model).fit(X[split.members])
        np.testing.assert_array_equal(alone.labels_, split.model.labels_)
        labels[split.members[alone.labels_ == 1]] = split.other
    np.testing.assert_array_equal(labels, model.labels_)
    assert model.objective_ == pytest.approx(sum(s.state.objective for s in model.splits_))


def test_the_rule_decides_which_cluster_is_split_next():
    """A large tight cluster is split by size, a small wide one by spread."""
    rng = np.random.RandomState(0)
    tight, wide = 0.1 * rng.randn(60, 2), np.array([20.0, 0.0]) + 4.0 * rng.randn(40, 2)
    X = np.concatenate([tight, wide])
    for split, expected in (("size", tight), ("spread", wide)):
        second = RecursiveBinary(IterLSSVM(), 3, split=split, random_state=0).fit(X).splits_[1]
        assert len(second.members) == len(expected)
        np.testing.assert_array_equal(X[second.members], expected)


def test_answers_are_margins_on_the_way_down(X):
    """The cluster where a point arrives has the one positive answer."""
    model = RecursiveBinary(n_clusters=4, random_state=0).fit(X)
    values = model.decision_function(X + 0.1)
    np.testing.assert_array_equal((values > 0).sum(axis=1), 1)
    first = model.splits_[0]
    down = first.model.decision_function(X + 0.1)[:, 1]
    right = {0: down <= 0, 1: down > 0}
    for h, s in ((s.other, s) for s in model.splits_[1:]):
        root = s.cluster
        while root > 1:
            root = model.splits_[root - 1].cluster
        assert right[root][values.argmax(axis=1) == h].all()


def test_a_precomputed_kernel_gives_the_same(X):
    """With one kernel for all splits a matrix serves as well as points."""
    K = fit_kernel(X, gamma=0.05).matrix
    method = IterLSSVM(gamma=0.05, init="random", n_init=4)
    points = RecursiveBinary(method, 3, split="size", random_state=0).fit(X)
    given = clone(method).set_params(kernel="precomputed")
    matrix = RecursiveBinary(given, 3, split="size", random_state=0).fit(K)
    np.testing.assert_array_equal(points.labels_, matrix.labels_)
    np.testing.assert_array_equal(points.predict(X[:7]), matrix.predict(K[:7]))
    spread = RecursiveBinary(given, 3, split="spread", random_state=0).fit(K)
    assert len(np.unique(spread.labels_)) == 3
    with pytest.raises(ValueError, match="square"):
        RecursiveBinary(given, 3).fit(K[:, :50])


def test_stopped_half_way_it_is_usable(X):
    """After the first split there are two clusters, and a prediction."""
    model = RecursiveBinary(n_clusters=4, random_state=0)
    steps = model.iter_fit(X)
    for step in steps:
        if step.state.splits:
            break
    steps.close()
    assert set(model.predict(X)) == {0, 1}
    assert step.state.confidence().shape == (90,)


@pytest.mark.parametrize(
    ("method", "n_clusters", "message"),
    [
        (None, 91, "n_clusters=91 is more than the number of points: n_samples=90"),
        (UMCRLS(n_clusters=3), 3, "set its n_clusters=2"),
        (IterLSSVM(n_clusters=3), 3, "RecursiveBinary"),
        (IterLSSVM(C=-1.0), 3, "'C' parameter"),
    ],
)
def test_refusals_come_before_the_first_step(method, n_clusters, message, X):
    """What cannot be done is refused by iter_fit itself."""
    with pytest.raises(ValueError, match=message):
        RecursiveBinary(method, n_clusters).iter_fit(X)


def test_a_cluster_that_cannot_be_split_is_named():
    """Equal points end the fit with a message that names the cluster."""
    X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 6, axis=0)
    with pytest.raises(
        ValueError, match=r"Cluster \d of 6 points cannot be split: All points are equal.* at most 2"
    ):
        RecursiveBinary(n_clusters=3, random_state=0).fit(X)


def test_a_split_that_leaves_a_half_empty_is_named(X):
    """A method without a balance may put all points in one half, which is no split."""
    with pytest.raises(ValueError, match=r"One half is empty. Change the parameters"):
        RecursiveBinary(CCCPMMC(C=1e-4), n_clusters=4, random_state=0).fit(X)


def test_every_step_of_the_method_can_be_watched(X):
    """A split with one start has a step for each of its rounds, so that it can be stopped between them."""
    model = RecursiveBinary(IterLSSVM(init="normalized-cut"), 2, random_state=0)
    inner = list(IterLSSVM(init="normalized-cut").iter_fit(X))
    assert len(list(model.iter_fit(X))) == len(inner) + 2


def test_drawing_every_step_compares_points_once_for_each_split(X, monkeypatch):
    """However many steps a split has, following them costs one kernel, and each gives its own answers."""
    model = RecursiveBinary(IterLSSVM(init="random", n_init=3), 3, random_state=0)
    states = [step.state for step in model.iter_fit(X)]
    calls = []
    compare = IterLSSVM._compare
    monkeypatch.setattr(IterLSSVM, "_compare", lambda self, points: calls.append(1) or compare(self, points))
    values = model.follow(X)
    found = [values(state).argmax(axis=1) for state in states]
    assert len(states) > 10
    assert len(calls) == 2
    for state, labels in zip(states, found, strict=True):
        if not state.splits or getattr(state.splits[-1].state, "round", 1) > 0:
            np.testing.assert_array_equal(labels, state.labels)
