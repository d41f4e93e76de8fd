"""The factor of the hat matrix equals the solution of its normal equations."""

import numpy as np
import pytest

from mmc.kernels import factor as module
from mmc.kernels.factor import ridge_factor
from mmc.kernels.neighbors import is_rough


def draw(n: int, r: int, seed: int = 0):
    """Draw features whose columns do not have mean zero."""
    return 1.0 + np.random.default_rng(seed).normal(size=(n, r))


def hat(G, penalties, new, *, fit_intercept: bool):
    """Solve the normal equations, in which the intercept is a column of ones without a penalty."""
    if fit_intercept:
        G, new = (np.column_stack([A, np.ones(len(A))]) for A in (G, new))
        penalties = np.append(penalties, 0.0)
    return new @ np.linalg.solve(G.T @ G + np.diag(penalties), G.T)


PENALTIES = {
    "equal": np.full(4, 0.5),
    "growing": np.arange(4.0),
    "none": np.zeros(4),
    "large": np.full(4, 1e6),
}


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("which", PENALTIES)
def test_product_is_the_hat_matrix(which, fit_intercept, monkeypatch):
    """W Wᵀ is G (Gᵀ G + diag ω)⁻¹ Gᵀ, also if the moments are summed in blocks."""
    monkeypatch.setattr(module, "EXACT", 7)
    G = draw(30, 4)
    W = ridge_factor(G, lambda X: X, PENALTIES[which], fit_intercept=fit_intercept).W
    np.testing.assert_allclose(W @ W.T, hat(G, PENALTIES[which], G, fit_intercept=fit_intercept), atol=1e-12)
    assert W.flags["C_CONTIGUOUS"]
    assert W.shape[1] == 4 + fit_intercept


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_of_new_points_give_the_values_of_the_models(fit_intercept):
    """The product of a new point's row with W is its row of the hat matrix, as for training points."""
    G, new, penalties = draw(30, 4), draw(6, 4, seed=1), PENALTIES["growing"]
    W, features = ridge_factor(G, np.exp, penalties, fit_intercept=fit_intercept)
    expected = hat(G, penalties, new, fit_intercept=fit_intercept)
    np.testing.assert_allclose(
        features(np.log(np.abs(new))) @ W.T,
        hat(G, penalties, np.abs(new), fit_intercept=fit_intercept),
        atol=1e-12,
    )
    np.testing.assert_allclose(features.rows(new) @ W.T, expected, atol=1e-12)
    np.testing.assert_array_equal(features.rows(G), W)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_more_features_than_points(fit_intercept):
    """A penalty makes the model unique where features are more than points, or equal."""
    G = np.hstack([draw(5, 9), draw(5, 9)])
    penalties = np.full(18, 0.3)
    W = ridge_factor(G, lambda X: X, penalties, fit_intercept=fit_intercept).W
    np.testing.assert_allclose(W @ W.T, hat(G, penalties, G, fit_intercept=fit_intercept), atol=1e-10)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_single_precision_stays(fit_intercept):
    """Features in float32 give a factor in float32, which is right to six digits."""
    G = draw(400, 4)
    W, features = ridge_factor(
        G.astype(np.float32), lambda X: X, PENALTIES["equal"], fit_intercept=fit_intercept
    )
    assert W.dtype == features.rows(G[:3].astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(W @ W.T, hat(G, PENALTIES["equal"], G, fit_intercept=fit_intercept), atol=1e-6)


def test_rough_means_more_than_five_thousand_points():
    """The number of points decides on the precision."""
    assert not is_rough(5_000)
    assert is_rough(5_001)
