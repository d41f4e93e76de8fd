"""Splits with hints: linked points are never parted, weights count, and what no split can keep is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmc import EvoMMC, IterLSSVM, IterSVM, RecursiveBinary
from mmc.datasets import make_three_gaussians
from mmc.hints import Given, read_hints
from mmc.kernels import fit_kernel


@pytest.fixture
def X():
    """Sixty points in three clouds."""
    return make_three_gaussians(60, random_state=1).X


@settings(max_examples=30, deadline=None)
@given(
    links=st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=6),
    weights=st.none() | st.lists(st.sampled_from([1.0, 1.5, 2.0]), min_size=15, max_size=15),
    split=st.sampled_from(["spread", "size"]),
)
def test_linked_points_are_never_parted(links, weights, split):
    """Every state keeps the links, whatever they are."""
    X = np.random.RandomState(0).randn(15, 2)
    model = RecursiveBinary(IterLSSVM(balance=0.99), 3, split=split, random_state=0)
    hints = read_hints(Given(None, links, None, weights), 15, 3)
    states = [step.state for step in model.iter_fit(X, must_link=links or None, sample_weight=weights)]
    assert all(hints.hold(state.labels) for state in states)
    assert len(np.unique(states[-1].labels)) == 3


def test_every_split_gets_the_hints_of_its_points(X):
    """A split is what its method finds on the points of its cluster alone, with their links and weights."""
    weights = np.random.RandomState(0).randint(1, 4, 60).astype(float)
    links = [[0, 1], [1, 2], [10, 30], [31, 32]]
    model = RecursiveBinary(IterLSSVM(n_init=2), 3, random_state=5)
    model.fit(X, must_link=links, sample_weight=weights)
    unit = read_hints(Given(None, links), 60, 3).unit
    for split in model.splits_:
        own = unit[split.members]
        same = np.argwhere(np.triu(own[:, None] == own, 1))
        alone = IterLSSVM(n_init=2, random_state=split.model.random_state)
        alone.fit(X[split.members], must_link=same, sample_weight=weights[split.members])
        np.testing.assert_array_equal(alone.labels_, split.state.labels)


@pytest.mark.parametrize("split", ["spread", "size"])
@pytest.mark.parametrize("pairwise", [False, True])
def test_weights_choose_the_next_cluster_as_copies_would(split, pairwise):
    """Three far groups: after the first split, the pair of groups that weighs or spreads most is split."""
    X = np.concatenate([np.random.RandomState(0).randn(10, 2) * s + c for s, c in ((1, 0), (1, 9), (1, 30))])
    weights = np.repeat([1, 1, 5], 10)
    rows = np.repeat(np.arange(30), weights)
    K = fit_kernel(X, kernel="linear").matrix
    method = IterLSSVM(kernel="precomputed" if pairwise else "linear", balance=0.9, init="random")
    model = RecursiveBinary(method, 3, split=split, random_state=0)
    links = np.column_stack([np.searchsorted(rows, rows), np.arange(len(rows))])
    for labels in (np.repeat([0, 0, 1], 10), np.repeat([0, 1, 1], 10), np.repeat([1, 0, 1], 10)):
        one = model._prepare_steered(K if pairwise else X, read_hints(Given(sample_weight=weights), 30, 3))
        big = K[np.ix_(rows, rows)] if pairwise else X[rows]
        many = model._prepare_steered(big, read_hints(Given(must_link=links), len(rows), 3))
        found = model._next_members(one, labels)
        np.testing.assert_array_equal(
            rows[model._next_members(many, labels[rows])], np.repeat(found, weights[found])
        )


def test_a_cluster_of_linked_points_is_not_split(X):
    """The largest cluster is passed over if its points belong together."""
    links = [[0, i] for i in range(1, 40)]
    labels = (
        RecursiveBinary(IterSVM(balance=0.9), 4, split="size", random_state=0).fit(X, must_link=links).labels_
    )
    assert len(np.unique(labels[:40])) == 1
    assert len(np.unique(labels)) == 4


@pytest.mark.parametrize(
    ("method", "hints", "message"),
    [
        (
            None,
            {"y": [0] + [-1] * 59},
            "RecursiveBinary takes no known labels in y. A split parts .* Use UMCRLS",
        ),
        (None, {"cannot_link": [[0, 1]]}, "RecursiveBinary takes no cannot_link. A split parts"),
        (
            EvoMMC(),
            {"must_link": [[0, 1]]},
            r"EvoMMC, which splits the clusters, takes no must_link\. Use another",
        ),
        (EvoMMC(), {"sample_weight": [2.0] * 60}, "takes no sample_weight"),
    ],
)
def test_what_no_split_keeps_is_refused(X, method, hints, message):
    """The message names the method and what keeps the hint."""
    with pytest.raises(ValueError, match=message):
        RecursiveBinary(method).iter_fit(X, **hints)
