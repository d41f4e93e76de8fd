"""Ridge systems for many penalties at once."""

import numpy as np
import pytest

from mmc.infomax.ridge_path import ridge_path


@pytest.mark.parametrize("rank", [3, 200])
@pytest.mark.parametrize("b", [1, 2, 23, 24, 25, 80])
def test_every_penalty_is_solved(b, rank):
    """Each column solves its own system, below and above the size at which the way changes."""
    rng = np.random.default_rng(b)
    A = rng.standard_normal((rank, b))
    H, h, deltas = A.T @ A / rank, rng.standard_normal(b), np.array([1e-3, 0.1, 10.0])
    theta = ridge_path(H, h, deltas)
    for column, delta in enumerate(deltas):
        expected = np.linalg.solve(H + delta * np.eye(b), h)
        np.testing.assert_allclose(theta[:, column], expected, rtol=1e-9, atol=1e-9)


def test_arguments_are_left_alone():
    """Neither matrix nor right-hand side is written into."""
    H, h = np.full((30, 30), 0.5) + np.eye(30), np.arange(30.0)
    before = H.copy(), h.copy()
    ridge_path(H, h, np.array([1.0]))
    np.testing.assert_array_equal(H, before[0])
    np.testing.assert_array_equal(h, before[1])


def test_a_penalty_lost_in_rounding():
    """Where the penalty is too small to make the matrix definite, the answer is finite all the same."""
    A = np.random.default_rng(0).standard_normal((3, 60))
    theta = ridge_path(A.T @ A, A[0], np.array([1e-25]))
    assert np.isfinite(theta).all()
