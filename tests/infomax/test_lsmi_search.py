"""The search for labels of largest LSMI: its gains against LSMI itself, its ends, and new points."""

from itertools import pairwise

import numpy as np
import pytest

from mmc import SMIC, LSMISearch
from mmc.datasets import load
from mmc.infomax import LSMI
from mmc.infomax.lsmi_search import Search


def points(n, seed=0):
    """Draw points without clusters, and labels of three that all occur."""
    rng = np.random.RandomState(seed)
    return rng.rand(n, 2), rng.permutation(np.arange(n) % 3)


def value(L, basis, labels, k, delta):
    """Evaluate [SMIC] eqs. 13 and 14 as they stand there."""
    n, total = len(L), -0.5
    for y in range(k):
        mine = [j for j, i in enumerate(basis) if labels[i] == y]
        H = (labels == y).sum() / n**2 * sum(np.outer(row, row) for row in L[:, mine])
        h = L[labels == y][:, mine].sum(axis=0) / n
        theta = np.linalg.solve(H + delta * np.eye(len(mine)), h)
        total += theta @ h - 0.5 * theta @ H @ theta
    return total


def make_search(n=24, b=10, seed=0, delta=0.01):
    """Make a search, and what `value` needs."""
    X, labels = points(n, seed)
    centres = LSMI(X, n_basis=b, random_state=seed).centres
    L = centres.kernel(0.3)
    return Search(L, centres.basis, labels, 3, 0.3, delta), L, centres.basis, labels, delta


def test_the_value_is_that_of_lsmi():
    """With the width and penalty that cross-validation chose the search measures what LSMI does."""
    X, labels = points(60)
    judge = LSMI(X, n_basis=20)
    found = judge(labels)
    L = judge.centres.kernel(found.gamma)
    search = Search(L, judge.centres.basis, labels, 3, found.gamma, found.delta)
    assert search.value() == pytest.approx(found.value, abs=1e-12)
    assert search.value() == pytest.approx(value(L, judge.centres.basis, labels, 3, found.delta), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_gains_of_single_moves_are_differences_of_lsmi(seed):
    """For every point that is no centre, and every centre, each move gains what eq. 14 says."""
    search, L, basis, labels, delta = make_search(seed=seed)
    before = value(L, basis, labels, 3, delta)
    gains = search._gains()
    for i in range(len(labels)):
        for y in range(3):
            moved = labels.copy()
            moved[i] = y
            gain = value(L, basis, moved, 3, delta) - before
            if i in basis:
                at = list(basis).index(i)
                old = int(labels[i])
                if y != old:
                    own = search._own(old) + search._own(y)
                    found = search._with(old, i, at, -1) + search._with(y, i, at, 1) - own
                    assert found == pytest.approx(gain, abs=1e-12)
            elif y != labels[i]:
                assert gains[i, y] == pytest.approx(gain, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_rounds_end_where_no_single_move_helps(seed):
    """LSMI grows with every round, stays exact, and at the end no labelling one move away has more."""
    search, L, basis, _, delta = make_search(seed=seed)
    last = search.value()
    while search.round():
        assert search.value() > last
        last = search.value()
        assert last == pytest.approx(value(L, basis, search.labels, 3, delta), abs=1e-10)
        np.testing.assert_array_equal(search.sizes, np.bincount(search.labels, minlength=3))
    for i in range(24):
        for y in range(3):
            other = search.labels.copy()
            other[i] = y
            if len(np.unique(other)) == 3:
                assert value(L, basis, other, 3, delta) <= last + 1e-9


@pytest.mark.parametrize("source", ["moons", "high-low", "noise"])
@pytest.mark.parametrize("init", ["SMIC", "k-means", "random"])
def test_the_end_has_at_least_the_lsmi_of_the_start(source, init):
    """With γ and δ chosen for either, and the objective is that of LSMI with the same seed."""
    data = load(source, n_samples=80, random_state=1).standardized()
    model = LSMISearch(3, init=init, random_state=2)
    states = [step.state for step in model.iter_fit(data.X)]
    judge = LSMI(data.X, random_state=2)
    assert -model.objective_ == pytest.approx(judge(model.labels_).value)
    assert -states[0].objective == pytest.approx(judge(states[0].labels).value)
    assert model.objective_ <= states[0].objective
    assert len(np.unique(model.labels_)) == 3
    if init == "SMIC":
        np.testing.assert_array_equal(states[0].labels, SMIC(3, random_state=2).fit(data.X).labels_)
    chosen = [state.objective for state in states if state.chosen]
    assert chosen == sorted(chosen, reverse=True)
    for before, state in pairwise(states):
        np.testing.assert_array_equal(state.moved, np.flatnonzero(before.labels != state.labels))


def test_wrong_labels_are_mended():
    """From the moons with a tenth of the labels exchanged the search returns to the moons."""
    data = load("moons", n_samples=100, random_state=0).standardized()
    init = np.array(data.y)
    init[::10] = 1 - init[::10]
    model = LSMISearch(2, init=init, random_state=0).fit(data.X)
    assert (model.labels_ != data.y).sum() == 0
    assert model.n_iter_ >= 2


def test_decision_values_are_the_posterior_and_far_points_join_the_nearest_centre():
    """The values are p(y) r(x, y) of eq. 10; where all Gaussians vanish the nearest centre decides."""
    data = load("three-gaussians", n_samples=90, random_state=0).standardized()
    model = LSMISearch(3, n_basis=30, random_state=0).fit(data.X)
    of_centre = model.labels_[LSMI(data.X, n_basis=30, random_state=0).centres.basis]
    new = data.X[:5] + 0.1
    L = np.exp(-((new[:, None] - model.centres_[None]) ** 2).sum(axis=2) / (2 * model.gamma_**2))
    shares = np.bincount(model.labels_) / 90
    expected = np.column_stack(
        [shares[y] * (L[:, of_centre == y] @ model.theta_[of_centre == y]) for y in range(3)]
    )
    np.testing.assert_allclose(model.decision_function(new), expected)
    assert (model.predict(data.X) == model.labels_).mean() > 0.95
    far = 1e4 * np.array([[1.0, 0.0], [-1.0, 0.3]])
    nearest = ((far[:, None] - model.centres_[None]) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(far), of_centre[nearest])


def test_points_that_return_are_explained():
    """Some start ends with points that go back, and some choice lowers LSMI; both are said to be meant."""
    said = set()
    moons = load("moons", n_samples=60, random_state=0).standardized().X
    for X, seed in ((moons, 0), (points(40, seed=3)[0], 3)):
        for step in LSMISearch(3, init="random", n_init=3, random_state=seed).iter_fit(X):
            said.add(step.state.remark.split(" ")[0])
            if "return" in step.state.remark:
                assert "return, done" in step.state.caption
    assert said == {"", "The", "That"}
