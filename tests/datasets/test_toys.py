"""The toys have the sizes, shapes and geometry that they promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from mmc import datasets
from mmc.datasets.toys import class_sizes

TOYS = {
    datasets.make_three_gaussians: 3,
    datasets.make_four_gaussians: 4,
    datasets.make_moons: 2,
    datasets.make_spirals: 2,
    datasets.make_circle_gaussian: 2,
    datasets.make_high_low: 2,
    datasets.make_rings: 2,
    datasets.make_anisotropic: 3,
}
every_toy = pytest.mark.parametrize("make", list(TOYS), ids=lambda make: make.__name__)
every_toy_and_noise = pytest.mark.parametrize(
    "make", [*TOYS, datasets.make_noise], ids=lambda make: make.__name__
)


@every_toy_and_noise
def test_result_has_the_promised_shapes_and_types(make):
    """X is float64 of shape (n, 2) and y is int64 of shape (n,)."""
    X, y = make(101, random_state=0)
    assert X.shape == (101, 2)
    assert X.dtype == np.float64
    assert np.isfinite(X).all()
    assert y.shape == (101,)
    assert y.dtype == np.int64


@every_toy_and_noise
def test_one_seed_gives_one_data_set(make):
    """The same seed gives the same points, another seed others."""
    first, again, other = (make(50, random_state=seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)


@every_toy
@pytest.mark.parametrize("n_samples", [7, 60, 301])
@pytest.mark.parametrize("imbalance", [0.0, 0.35, 0.9])
def test_class_counts_are_exact(make, n_samples, imbalance):
    """Every class has just the size that the imbalance asks for."""
    _, y = make(n_samples, imbalance=imbalance, random_state=0)
    assert np.bincount(y).tolist() == class_sizes(n_samples, TOYS[make], imbalance)


@every_toy
def test_rows_are_shuffled(make):
    """The order of the rows does not give the classes away."""
    _, y = make(100, random_state=0)
    assert np.count_nonzero(np.diff(y)) > 20


@every_toy
def test_noise_moves_the_points_by_its_size(make):
    """With one seed, twice the noise moves every point twice as far from its noiseless place."""
    clean, near, far = (make(40, noise=noise, random_state=3).X for noise in (0.0, 0.1, 0.2))
    np.testing.assert_allclose(far - clean, 2 * (near - clean), atol=1e-12)
    assert np.abs(near - clean).min() > 0


@settings(deadline=None, derandomize=True)
@given(st.integers(1, 6), st.integers(0, 200), st.floats(0.0, 0.9))
def test_class_sizes_share_all_points(n_classes, extra, imbalance):
    """Sizes sum to n, never rise, leave no class empty and follow their quota to within one point."""
    n_samples = n_classes + extra
    sizes = class_sizes(n_samples, n_classes, imbalance)
    assert sum(sizes) == n_samples
    assert min(sizes) >= 1
    assert sizes == sorted(sizes, reverse=True)
    weights = (1 - imbalance) ** np.arange(n_classes)
    quotas = n_samples * weights / weights.sum()
    if quotas.min() >= 1:
        assert np.abs(np.array(sizes) - quotas).max() < 1


def test_class_sizes_by_hand():
    """Half as many in each next class: 70 points are 40, 20 and 10."""
    assert class_sizes(70, 3, 0.5) == [40, 20, 10]
    assert class_sizes(301, 2) == [151, 150]
    assert class_sizes(4, 4, 0.9) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": 1}, "n_samples must be a whole number, at least 2, got 1"),
        ({"n_samples": 10.0}, "n_samples must be a whole number"),
        ({"n_samples": True}, "n_samples must be a whole number"),
        ({"noise": -0.1}, "noise must be a finite number, 0 or larger, got -0.1"),
        ({"noise": np.nan}, "noise must be a finite number"),
        ({"noise": "much"}, "noise must be a finite number"),
        ({"imbalance": 0.95}, "imbalance must be a number from 0 to 0.9, got 0.95"),
        ({"imbalance": -0.1}, "imbalance must be a number from 0 to 0.9"),
        ({"imbalance": np.nan}, "imbalance must be a number from 0 to 0.9"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    """The message names the parameter, its value and what would be right."""
    with pytest.raises(ValueError, match=message):
        datasets.make_moons(**parameters)


def test_three_gaussians_need_three_points():
    """The least number of points is the number of classes."""
    assert sorted(datasets.make_three_gaussians(3, random_state=0).y) == [0, 1, 2]
    with pytest.raises(ValueError, match="at least 3"):
        datasets.make_three_gaussians(2)


def test_four_gaussians_have_the_means_of_the_paper():
    """Toy (a): without noise there are four places, (±2, ±2); with it the deviation is 0.5."""
    X, _ = datasets.make_four_gaussians(40, noise=0, random_state=0)
    assert {tuple(x) for x in X} == {(-2, -2), (-2, 2), (2, -2), (2, 2)}
    X, y = datasets.make_four_gaussians(4000, random_state=0)
    assert np.std(X[y == 3] - [2, 2]) == pytest.approx(0.5, rel=0.05)


def test_circle_points_are_equidistant():
    """Toy (b): without noise the outer class lies on the circle of radius 5 at equal angles."""
    X, y = datasets.make_circle_gaussian(80, noise=0, random_state=0)
    np.testing.assert_allclose(np.linalg.norm(X[y == 1], axis=1), 5)
    angles = np.sort(np.arctan2(*X[y == 1].T))
    np.testing.assert_allclose(np.diff(angles), 2 * np.pi / 40)
    assert np.linalg.norm(X[y == 0], axis=1).max() < 5


@pytest.mark.parametrize("imbalance", [0.0, 0.5])
def test_spirals_grow_from_one_to_three(imbalance):
    """Toy (c): an arm starts at radius 1, makes three quarters of a turn and ends just below radius 3."""
    X, y = datasets.make_spirals(300, noise=0, imbalance=imbalance, random_state=0)
    for arm, sign in ((0, 1), (1, -1)):
        points = sign * X[y == arm]
        radius = np.linalg.norm(points, axis=1)
        points, radius = points[np.argsort(radius)], np.sort(radius)
        size = len(points)
        assert radius[0] == pytest.approx(1)
        assert radius[-1] == pytest.approx(3 - 2 / size)
        turned = np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
        np.testing.assert_allclose(turned, 1.5 * np.pi * np.arange(size) / size, atol=1e-9)


def test_spirals_follow_the_formula_of_the_paper():
    """With equal arms, l_i = 1 + 4 i / n and m_i = 3 π i / n, and the second arm is the negative."""
    n = 60
    i = np.arange(n // 2)
    length, angle = 1 + 4 * i / n, 3 * np.pi * i / n
    arm = length[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    X, y = datasets.make_spirals(n, noise=0, random_state=0)
    np.testing.assert_allclose(np.sort(X[y == 0], axis=0), np.sort(arm, axis=0), atol=1e-12)
    np.testing.assert_allclose(np.sort(X[y == 1], axis=0), np.sort(-arm, axis=0), atol=1e-12)


def test_high_low_deviations():
    """Toy (d): the wide class has deviation 1, the narrow one 0.1, both around the origin."""
    X, y = datasets.make_high_low(4000, random_state=0)
    assert X[y == 0].std() == pytest.approx(1.0, rel=0.05)
    assert X[y == 1].std() == pytest.approx(0.1, rel=0.05)


def test_rings_have_two_radii():
    """Without noise the rings lie at radius 2.5 and 1."""
    X, y = datasets.make_rings(60, noise=0, random_state=0)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), np.where(y == 0, 2.5, 1.0))


@pytest.mark.parametrize(
    ("make", "lowest", "highest"), [("three_gaussians", 0.95, 1), ("anisotropic", 0, 0.7)]
)
def test_k_means_solves_the_easy_toy_and_not_the_long_clouds(make, lowest, highest):
    """The long clouds are separable, but not for k-means."""
    X, y = getattr(datasets, f"make_{make}")(300, random_state=0)
    found = KMeans(3, n_init=5, random_state=0).fit_predict(X)
    assert lowest <= adjusted_rand_score(y, found) <= highest


def test_long_clouds_are_separable():
    """A linear view exists in which the nearest class mean is nearly always the right one."""
    X, y = datasets.make_anisotropic(600, random_state=0)
    within = sum(np.cov(X[y == c].T) for c in range(3)) / 3
    view = X @ np.linalg.inv(np.linalg.cholesky(within)).T
    means = np.array([view[y == c].mean(axis=0) for c in range(3)])
    nearest = np.linalg.norm(view[:, None] - means, axis=2).argmin(axis=1)
    assert np.mean(nearest == y) > 0.98


def test_noise_fills_the_unit_square_and_has_one_class():
    """The null case has no groups: y is all zeros."""
    X, y = datasets.make_noise(400, random_state=0)
    assert X.min() >= 0
    assert X.max() <= 1
    assert np.histogram2d(*X.T, bins=2)[0].min() > 70
    assert not y.any()
