"""Hints of a user: units, contradictions, and starts that keep them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmc.hints import Given, Hints, known_labels, read_hints


@st.composite
def problems(draw):
    """Return a number of points and clusters, and hints that may contradict each other."""
    n, k = draw(st.integers(3, 7)), draw(st.integers(2, 3))
    rows = st.integers(0, n - 1)
    pairs = st.lists(st.tuples(rows, rows), max_size=4)
    y = draw(st.lists(st.sampled_from([-1, -1, *range(k)]), min_size=n, max_size=n))
    return n, k, Given(np.array([*y[:-1], -1]), draw(pairs), draw(pairs))


def allowed(labels, hints):
    """Return whether labels keep hints, by the words of their documentation."""
    known = all(y in (-1, label) for y, label in zip(hints.y, labels, strict=True))
    together = all(labels[i] == labels[j] for i, j in hints.must_link)
    return known and together and all(labels[i] != labels[j] for i, j in hints.cannot_link)


@settings(max_examples=300, deadline=None)
@given(problems(), st.randoms())
def test_hints_are_kept_wherever_they_can_be(problem, random):
    """A start keeps all hints if any labelling does, and is refused otherwise."""
    n, k, hints = problem
    ways = [labels for labels in product(range(k), repeat=n) if allowed(labels, hints)]
    try:
        read = read_hints(hints, n, k)
        own = read.start(np.array([random.randrange(k) for _ in range(n)]), k)
    except ValueError:
        if len(set(map(tuple, hints.must_link))) == 0:
            assert not ways
        else:  # fewer groups than clusters are refused as well
            assert not any(len(set(labels)) == k for labels in ways) or not ways
        return
    labels = own[read.unit]
    assert allowed(labels, hints)
    assert read.hold(labels)
    for other in product(range(k), repeat=n):
        assert read.hold(np.array(other)) == allowed(other, hints)


def test_units_are_sums_of_their_points():
    """Linked points are one unit, with the sum of their weighted rows and of their weights."""
    rows = np.arange(12.0).reshape(6, 2)
    weights = np.array([1.0, 2.0, 3.0, 1.0, 1.0, 0.5])
    hints = read_hints(Given(None, [[0, 4], [4, 5]], None, weights), 6, 2)
    assert hints.n_units == 4
    assert hints.unit[0] == hints.unit[4] == hints.unit[5]
    for unit in range(4):
        points = np.flatnonzero(hints.unit == unit)
        np.testing.assert_array_equal(hints.points_of(np.array([unit])), points)
        np.testing.assert_allclose(hints.sums(rows)[unit], (weights[points, None] * rows[points]).sum(axis=0))
        assert hints.mass[unit] == weights[points].sum()


def test_a_start_agrees_with_known_labels():
    """Clusters of a start are numbered as the known labels are."""
    labels = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    y = np.array([2, -1, -1, 0, -1, -1, 1, -1])
    own = read_hints(Given(y), 8, 3).start(labels, 3)
    assert own.tolist() == [2, 2, 2, 0, 0, 1, 1, 1]


def test_many_links_are_kept_apart():
    """A ring of odd length needs three clusters, and two are refused."""
    ring = [[i, (i + 1) % 501] for i in range(501)]
    hints = read_hints(Given(None, None, ring), 501, 3)
    start = hints.start(np.zeros(501, dtype=np.int64), 3)
    assert hints.hold(start)
    with pytest.raises(ValueError, match="No labels of 2 clusters"):
        read_hints(Given(None, None, ring), 501, 2).start(np.zeros(501, dtype=np.int64), 2)


def test_labels_of_all_points_are_ignored():
    """As in every clusterer of scikit-learn, so that true labels never enter a fit by way of a pipeline."""
    assert known_labels([0, 1, 1]) is None
    assert known_labels(["a", "b"]) is None
    assert read_hints(Given([0, 1, 1]), 3, 2).are_none
    assert known_labels([0, -1, 1]) is not None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Given([0, 3, -1, 0]), "known labels go up to 3, and n_clusters=2 has the clusters 0 to 1"),
        (Given([0, 1.5, -1, 0]), "y holds 1.5: known labels are whole numbers from 0 to 1"),
        (Given([0, 0.5, -1, 0]), "y holds 0.5"),
        (Given([0, -2, -1, 0]), "y holds -2"),
        (Given([0, 1, -1, 0], [[0, 1]]), "must_link joins points of different known labels, row"),
        (
            Given(None, [[0, 1], [1, 2]], [[2, 0]]),
            "keeps the rows 2 and 0 apart, which must_link",
        ),
        (Given(None, None, [[2, 2]]), "cannot_link keeps the rows 2 and 2 apart"),
        (Given([0, 0, -1, -1], None, [[0, 1]]), "both are known to be in cluster 0"),
        (Given(None, [[0, 1], [1, 2], [2, 3]]), "must_link leaves 1 group of points"),
        (Given(None, [[0, 4]]), "must_link names the row 4, and the rows are 0 to 3"),
        (Given(None, [[0.5, 1]]), "must_link must hold pairs"),
        (Given(None, None, [[0, 1, 2]]), "cannot_link must hold pairs"),
        (Given(sample_weight=[1, 1, 0, 1]), "weights are above zero"),
        (Given(sample_weight=[1, 1, 1]), "give one number for each of 4 rows"),
    ],
)
def test_what_cannot_be_is_refused(given, message):
    """Messages name the argument, the value and the remedy."""
    with pytest.raises(ValueError, match=message):
        read_hints(given, 4, 2)


def test_nothing_known_is_nothing():
    """Empty links and equal weights leave every point free."""
    for hints in (Hints.none(5), read_hints(Given(None, [], [], np.ones(5)), 5, 2)):
        assert hints.are_none
        assert hints.hold(np.array([0, 1, 0, 1, 1]))
        assert hints.start(np.array([0, 1, 0, 1, 1]), 2).tolist() == [0, 1, 0, 1, 1]
