"""Points that belong to no cluster."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from mmc import AutoClusterer
from mmc.datasets import load
from mmc.outliers import find_outliers


def naive(X, labels):
    """Follow the docstring: Tukey's fence on the logarithm of the fifth smallest distance, by cluster."""
    reach = np.log(np.sort(cdist(X, X), axis=1)[:, 5])  # the smallest is that of the point itself
    outside = labels < 0
    for h in set(labels[labels >= 0]):
        first, third = np.percentile(reach[labels == h], [25, 75])
        outside |= (labels == h) & (reach > third + 1.5 * (third - first))
    return outside


@pytest.mark.parametrize("seed", range(5))
def test_the_rule_is_that_of_the_docstring(seed):
    """Random points, some with heavy tails and some without a cluster, get the naive answer."""
    rng = np.random.RandomState(seed)
    X = rng.standard_t(2, size=(120, 1 + seed))
    labels = rng.randint(-1, 3, size=120)
    found = find_outliers(X, labels)
    np.testing.assert_array_equal(found, naive(X, labels))
    assert found[labels >= 0].any()
    assert found[labels < 0].all()


def planted(name):
    """Give a toy set with 15 points far from all others, and which these are."""
    rng = np.random.RandomState(0)
    data = load(name, n_samples=300, random_state=0)
    X = data.X
    far = rng.uniform(X.min(axis=0) - 3 * np.ptp(X, axis=0), X.max(axis=0) + 3 * np.ptp(X, axis=0), (400, 2))
    far = far[cdist(far, X).min(axis=1) > 0.6 * np.ptp(X)][:15]
    assert len(far) == 15
    everything = np.vstack([X, far])
    return (
        everything,
        np.append(data.y, data.y[cdist(far, X).argmin(axis=1)]),
        np.arange(len(everything)) >= 300,
    )


@pytest.mark.parametrize("name", ["moons", "three-gaussians", "rings", "four-gaussians", "spirals"])
def test_planted_outliers_are_found(name):
    """All points that are far away are found, and few of the others are."""
    X, labels, is_far = planted(name)
    found = find_outliers(X, labels)
    assert found[is_far].mean() > 0.9
    assert found[~is_far].mean() < 0.06


def test_a_ring_in_uniform_noise():
    """Most of the noise around a dense ring is found, and hardly a point of the ring."""
    rng = np.random.RandomState(0)
    angle = rng.uniform(0, 2 * np.pi, 500)
    ring = np.c_[np.cos(angle), np.sin(angle)] * rng.normal(1, 0.02, (500, 1))
    noise = rng.uniform(-3, 3, (60, 2))
    noise = noise[abs(np.hypot(*noise.T) - 1) > 0.3]
    found = find_outliers(np.vstack([ring, noise]), np.zeros(500 + len(noise), dtype=int))
    assert found[500:].mean() > 0.9
    assert found[:500].mean() < 0.06


def test_each_cluster_has_its_own_fence():
    """A thin cluster beside a dense one is no noise, although one fence for both would say so."""
    rng = np.random.RandomState(0)
    X = np.vstack([rng.standard_normal((300, 2)) * 0.01, rng.standard_normal((60, 2)) + 10])
    labels = np.repeat([0, 1], [300, 60])
    assert find_outliers(X, labels)[300:].mean() < 0.1
    assert find_outliers(X, np.zeros(360, dtype=int))[300:].mean() > 0.9


@pytest.mark.parametrize("n", [1, 2, 7])
def test_few_points_have_no_outliers(n):
    """With fewer than eight different points none is an outlier, but negative labels stay outside."""
    X = np.append(np.arange(n - 1.0), 1e6)[:, None]
    assert not find_outliers(X, np.zeros(n, dtype=int)).any()
    assert find_outliers(X, np.full(n, -1)).all()
    assert not find_outliers(np.repeat(X, 3, axis=0), np.zeros(3 * n, dtype=int)).any()


def test_points_that_occur_often_are_none():
    """A far place that holds six points is none, one that holds a single point is."""
    X = np.random.RandomState(0).standard_normal((100, 2))
    far = np.array([[50.0, 50.0]])
    for times, is_outlier in ((1, True), (6, False)):
        found = find_outliers(np.vstack([X, np.repeat(far, times, axis=0)]), np.zeros(100 + times, dtype=int))
        assert found[100:].all() == is_outlier
    assert not find_outliers(np.ones((20, 2)), np.zeros(20, dtype=int)).any()


def test_distances_that_are_no_numbers_but_zero():
    """Points so close that their squared distance is lost are no outliers, and cause no warning."""
    X = np.append(np.arange(10) * 1e-170, np.arange(1.0, 20.0))[:, None]
    assert not find_outliers(X, np.zeros(len(X), dtype=int))[:10].any()


def test_lengths_that_differ_are_refused():
    """The message has both numbers."""
    with pytest.raises(ValueError, match="There are 4 points, but 3 labels"):
        find_outliers(np.eye(4), [0, 1, 0])


@pytest.mark.parametrize(("name", "k"), [("three-gaussians", 3), ("rings", 2)])
def test_the_automatic_choice_marks_them(name, k):
    """With outliers=True far points have the label −1, predict assigns them, and other labels stay."""
    X, _, is_far = planted(name)
    X, is_far = X[:302], is_far[:302]  # more of them would be a cluster of their own
    marked, plain = (
        AutoClusterer(k, outliers=flag, n_references=0, n_jobs=1, random_state=0).fit(X)
        for flag in (True, False)
    )
    np.testing.assert_array_equal(marked.labels_, np.where(marked.outliers_, -1, plain.labels_))
    np.testing.assert_array_equal(marked.outliers_, find_outliers(X, plain.labels_))
    assert (plain.labels_ >= 0).all()
    assert (marked.predict(X) >= 0).all()
    assert marked.n_clusters_ == k
    assert (marked.labels_[~is_far] == -1).mean() < 0.06
    assert (marked.labels_[is_far] == -1).all()
