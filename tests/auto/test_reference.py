"""Points without clusters that resemble given ones."""

import numpy as np
import pytest

from mmc.auto.reference import reference_points


@pytest.fixture
def X():
    """Give a stretched, turned cloud far from the origin."""
    rng = np.random.RandomState(0)
    return rng.standard_normal((400, 3)) @ np.array([[3.0, 1, 0], [0, 1, 0], [0.5, 0, 0.1]]) + [10.0, -5, 2]


def test_a_gaussian_cloud_has_mean_and_covariance(X):
    """Over many draws the mean and the covariance are those of the points."""
    rng = np.random.RandomState(1)
    drawn = np.vstack([reference_points(X, 0, rng) for _ in range(100)])
    np.testing.assert_allclose(drawn.mean(axis=0), X.mean(axis=0), atol=0.06)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(X.T), atol=0.02 * np.cov(X.T).max())


def test_a_box_reaches_as_far_as_the_points(X):
    """Along each principal axis the box is as long as the points reach, and evenly filled."""
    drawn = reference_points(X, 1, np.random.RandomState(1))
    axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2]
    along, box = (X - X.mean(axis=0)) @ axes.T, (drawn - X.mean(axis=0)) @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    assert (box >= low - 1e-9).all()
    assert (box <= high + 1e-9).all()
    share = np.sort((box - low) / (high - low), axis=0)
    assert abs(share - np.linspace(0, 1, 400)[:, None]).max() < 0.1


@pytest.mark.parametrize("kind", [0, 1])
def test_degenerate_points(kind):
    """Constant columns stay constant, wide data are allowed, and the same seed gives the same points."""
    rng = np.random.RandomState(0)
    flat = np.c_[rng.standard_normal(30), np.full(30, 7.0)]
    np.testing.assert_allclose(reference_points(flat, kind, rng)[:, 1], 7.0)
    wide = rng.standard_normal((5, 20))
    drawn = [reference_points(wide, kind, np.random.RandomState(3)) for _ in range(2)]
    assert drawn[0].shape == (5, 20)
    np.testing.assert_array_equal(*drawn)
