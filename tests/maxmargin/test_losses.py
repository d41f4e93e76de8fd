"""The scan of the bias equals the exhaustive one of the paper, for every loss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmc.maxmargin.iterative.bias import place_bias
from mmc.maxmargin.losses import Hinge, Insensitive, Square, Sums

LOSSES = [Hinge(), Insensitive(0.0), Insensitive(0.05), Insensitive(0.9), Insensitive(1.5), Square()]
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)


def exhaustive(f0, bound, loss):
    """Try every midpoint of two different values that keeps the balance, and add up the loss anew."""
    values, n = np.sort(f0), len(f0)
    found = []
    for lower in range(1, n):
        t = (values[lower - 1] + values[lower]) / 2
        y = np.where(f0 - t > 0, 1.0, -1.0)
        if values[lower - 1] < values[lower] and abs(y.sum()) <= bound:
            found.append((loss(y * (f0 - t)).sum(), abs(y.sum()), t))
    lowest = min(found, default=(np.inf,))[0]
    return lowest, min((f for f in found if f[0] <= lowest + 1e-9), key=lambda f: f[1:], default=(np.nan,))[
        -1
    ]


@each_loss
@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_the_scan_equals_the_exhaustive_one(loss, scale):
    """The same loss is reached at the same bias, near the origin and far from it."""
    rng = np.random.RandomState(0)
    for n, bound in [(2, 0), (7, 1), (7, 5), (40, 0), (41, 13), (60, 58)]:
        f0 = scale * rng.randn(n) + rng.choice([0.0, 100.0])
        placed = place_bias(f0, bound, loss)
        lowest, t = exhaustive(f0, bound, loss)
        y = 2.0 * placed.labels - 1.0
        assert abs(y.sum()) <= bound
        np.testing.assert_array_equal(f0 + placed.bias > 0, placed.labels == 1)
        assert loss(y * (f0 + placed.bias)).sum() == pytest.approx(lowest, abs=1e-9)
        assert placed.bias == pytest.approx(-t, abs=1e-9)


@each_loss
@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    values=st.lists(st.integers(-6, 6), min_size=2, max_size=12),
    bound=st.integers(0, 12),
)
def test_the_scan_copes_with_equal_values(loss, values, bound):
    """Equal values are not parted where that can be helped; where it cannot the balance holds."""
    f0, n = np.array(values) / 3.0, len(values)
    bound = min(max(bound, n % 2), n - 2)
    if bound < n % 2:
        return
    placed = place_bias(f0, bound, loss)
    y = 2.0 * placed.labels - 1.0
    assert abs(y.sum()) <= bound
    lowest, _ = exhaustive(f0, bound, loss)
    if np.isfinite(lowest):
        np.testing.assert_array_equal(f0 + placed.bias > 0, placed.labels == 1)
        assert loss(y * (f0 + placed.bias)).sum() == pytest.approx(lowest, abs=1e-9)


def test_sums_equal_plain_ones():
    """Tents and absolute values are added up as if one by one."""
    rng = np.random.RandomState(1)
    values, t = np.sort(rng.randn(50)), rng.randn(20)
    sums = Sums(values)
    d = np.abs(values[None, :] - t[:, None])
    np.testing.assert_allclose(sums.absolute(t), d.sum(axis=1), atol=1e-12)
    for h in (0.0, 0.3, 1.0, 10.0):
        np.testing.assert_allclose(sums.tent(t, h), np.maximum(0, h - d).sum(axis=1), atol=1e-12)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (Hinge(), [2.0, 1.0, 0.5, 0.0, 0.0]),
        (Insensitive(0.0), [2.0, 1.0, 0.5, 0.0, 2.0]),
        (Insensitive(0.5), [1.5, 0.5, 0.0, 0.0, 1.5]),
        (Square(), [4.0, 1.0, 0.25, 0.0, 4.0]),
    ],
    ids=repr,
)
def test_losses_are_those_of_the_paper(loss, expected):
    """Hinge, Laplacian, ε-insensitive and square loss at a few margins."""
    np.testing.assert_allclose(loss(np.array([-1.0, 0.0, 0.5, 1.0, 3.0])), expected)
