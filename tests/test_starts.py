"""Starts: given labels make one, drawn ones follow the seed, and what cannot be drawn is refused."""

import numpy as np
import pytest

from mmc.starts import draw_starts, k_means, k_means_plus_plus, random_labels, seeded_labels

DRAWS = {"random": random_labels, "k-means": k_means, "k-means++": k_means_plus_plus}
X = np.array([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]])


def draw(init, k=2, n_init=3, **options):
    """Draw starts for four points in two clear groups."""
    return draw_starts(X, k, init, DRAWS, n_init=n_init, random_state=0, **options)


def test_given_labels_make_one_start():
    """Labels are copied, called given, and need no points."""
    given = np.array([1, 0, 1, 0])
    (start,) = draw(given, has_points=False)
    assert start.origin == "given"
    assert start.labels is not given
    np.testing.assert_array_equal(start.labels, given)


@pytest.mark.parametrize("init", [[0, 1, 0], [0, 0, 0, 0], [0, 1, 2, 1], [0.0, 1.0, 0.5, 1.0]])
def test_labels_that_are_not_right_are_refused(init):
    """One whole number from 0 to k − 1 for each point, and every cluster used."""
    with pytest.raises(ValueError, match="from 0 to 1 for each of the 4 points"):
        draw(init)


def test_starts_are_those_of_the_drawing_function():
    """Each start is the next draw of one random generator, and has the name that drew it."""
    rng = np.random.RandomState(0)
    expected = [random_labels(X, 2, rng) for _ in range(3)]
    starts = draw("random")
    assert [start.origin for start in starts] == ["random"] * 3
    np.testing.assert_array_equal([start.labels for start in starts], expected)


def test_equal_starts_are_kept_once_where_that_is_asked_for():
    """Partitions count, not the numbers of the clusters, and the first of equals stays in its place."""
    drawn = draw("k-means", n_init=10)
    assert len(drawn) == 10
    (kept,) = draw("k-means", n_init=10, distinct=True)
    assert kept.labels.tolist() == drawn[0].labels.tolist()
    random = [start.labels.tolist() for start in draw("random", n_init=10)]
    distinct = [start.labels.tolist() for start in draw("random", n_init=10, distinct=True)]
    assert distinct == [
        labels
        for i, labels in enumerate(random)
        if all(other not in (labels, [1 - label for label in labels]) for other in random[:i])
    ]


def test_what_is_drawn_instead_of_an_equal_start():
    """The first start is that of k-means, which is the same again; the other two halvings come by chance."""
    starts = draw("k-means", n_init=20, distinct=True, spare="random")
    assert [start.origin for start in starts] == ["k-means", "random", "random"]
    together = {frozenset(np.flatnonzero(start.labels == start.labels[0])) for start in starts}
    assert together == {frozenset((0, i)) for i in (1, 2, 3)}


@pytest.mark.parametrize("init", ["k-means", "k-means++"])
def test_what_needs_points_is_refused_without_them(init):
    """A precomputed kernel has no points; random labels need none."""
    with pytest.raises(ValueError, match=rf'init="{init.replace("+", "[+]")}" needs points.*"random"'):
        draw(init, has_points=False)
    assert len(draw("random", has_points=False)) == 3


@pytest.mark.parametrize("k", [2, 3])
def test_k_means_needs_different_points(k):
    """Where there are fewer places than clusters the message says so."""
    with pytest.raises(ValueError, match=r"All points are equal|fewer than 3 different points"):
        k_means(np.zeros((5, 2)), k, np.random.RandomState(0))


def test_seeds_at_one_place_leave_no_cluster_empty():
    """Also where all points are equal every cluster is used."""
    labels = seeded_labels(lambda i: np.zeros(5), 5, 3, np.random.RandomState(0))
    assert set(labels.tolist()) == {0, 1, 2}
