"""The hat matrix equals the ridge regression it stands for."""

import numpy as np
import pytest

from mmc.kernels import hat_matrix as module
from mmc.kernels.hat_matrix import Factor, Spectrum, hat_matrix

ALPHAS = [2.0**-10, 0.5, 8.0]


def gram(n: int = 30, rank: int | None = None):
    """Make a positive semi-definite matrix, of full rank if not told otherwise."""
    Z = np.random.RandomState(0).randn(n, rank or n)
    return Z @ Z.T / n


def indefinite():
    """Make a symmetric matrix with eigenvalues of both signs."""
    A = np.random.RandomState(0).randn(30, 30)
    return (A + A.T) / np.sqrt(30)


def fitted_by_bordered_system(K, alpha):
    """Solve for the coefficients and an unpenalised intercept together, for every unit label vector."""
    n = len(K)
    ones = np.ones((n, 1))
    bordered = np.block([[K + alpha * np.eye(n), ones], [ones.T, np.zeros((1, 1))]])
    solution = np.linalg.solve(bordered, np.vstack([np.eye(n), np.zeros((1, n))]))
    return K @ solution[:n] + solution[n]


def positive_part(K):
    """Set negative eigenvalues to zero."""
    values, vectors = np.linalg.eigh(K)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def centred(K):
    """Subtract row and column means."""
    H = np.eye(len(K)) - 1.0 / len(K)
    return H @ K @ H


@pytest.mark.parametrize("n", [2, 30, 130])
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("is_psd", [True, False])
def test_hat_matrix_is_its_formula(n, alpha, is_psd):
    """Without an intercept R is K (K + λI)⁻¹, on sizes below and above a tile of the compiled copy."""
    K = gram(n)
    hat = hat_matrix(K.copy(), alpha, fit_intercept=False, is_psd=is_psd)
    np.testing.assert_allclose(hat.R, K @ np.linalg.inv(K + alpha * np.eye(n)), atol=1e-9)
    np.testing.assert_allclose(hat.R, hat.R.T, atol=1e-12)
    assert hat.basis is None


@pytest.mark.parametrize("rank", [None, 3])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_intercept_is_not_penalised(alpha, rank):
    """With an intercept R gives the fitted values of the bordered linear system."""
    K = gram(rank=rank)
    hat = hat_matrix(K.copy(), alpha, fit_intercept=True, is_psd=True)
    np.testing.assert_allclose(hat.R, fitted_by_bordered_system(K, alpha), atol=1e-9)


def test_intercept_fits_a_constant_for_nothing():
    """Constant labels are fitted exactly with an intercept, and shrunk without one."""
    ones = np.ones(30)
    with_intercept = hat_matrix(gram(), 5.0, fit_intercept=True, is_psd=True).R @ ones
    without = hat_matrix(gram(), 5.0, fit_intercept=False, is_psd=True).R @ ones
    np.testing.assert_allclose(with_intercept, ones, atol=1e-12)
    assert without.max() < 0.9


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("alpha", [0.1, 2.0])
def test_indefinite_matrix_counts_by_its_positive_part(alpha, fit_intercept):
    """Negative eigenvalues count as zero, and the basis spans what is left."""
    K = indefinite()
    part = positive_part(centred(K) if fit_intercept else K)
    hat = hat_matrix(K.copy(), alpha, fit_intercept=fit_intercept, is_psd=False)
    expected = part @ np.linalg.inv(part + alpha * np.eye(len(K))) + fit_intercept / len(K)
    np.testing.assert_allclose(hat.R, expected, atol=1e-9)
    assert hat.basis is not None
    np.testing.assert_allclose(hat.basis.T @ hat.basis, np.eye(hat.basis.shape[1]), atol=1e-10)
    np.testing.assert_allclose(hat.basis @ (hat.basis.T @ part), part, atol=1e-9)


def test_wrong_word_on_definiteness_is_noticed():
    """A matrix that is called definite but cannot be factored falls back on its positive part."""
    K = indefinite()
    called = hat_matrix(K.copy(), 0.1, fit_intercept=False, is_psd=True)
    tested = hat_matrix(K.copy(), 0.1, fit_intercept=False, is_psd=False)
    np.testing.assert_allclose(called.R, tested.R, atol=1e-12)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("make", [gram, indefinite, lambda: gram(rank=4)], ids=["full", "indefinite", "low"])
def test_one_spectrum_serves_a_path(make, fit_intercept):
    """Each λ of a path gives what it gives alone, with a basis in the same cases."""
    spectrum = Spectrum.of(make(), fit_intercept=fit_intercept)
    for alpha in ALPHAS:
        alone = hat_matrix(make(), alpha, fit_intercept=fit_intercept, is_psd=make is not indefinite)
        together = spectrum.hat(alpha)
        np.testing.assert_allclose(together.R, alone.R, atol=1e-9)
        assert (together.basis is None) == (alone.basis is None)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_memory_of_the_input_is_reused(fit_intercept):
    """R lies where K lay, which is what keeps the peak of memory low."""
    K = gram()
    assert np.shares_memory(hat_matrix(K, 0.5, fit_intercept=fit_intercept, is_psd=True).R, K)


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize(("least", "is_psd"), [(-1e-12, True), (-1e-3, False)])
def test_negative_by_rounding_is_definite(unit, least, is_psd):
    """A negative eigenvalue counts from a ten-billionth of the largest on, in any unit of the kernel."""
    Q = np.linalg.qr(np.random.RandomState(0).randn(20, 20))[0]
    K = Q * (unit * np.append(least, np.linspace(0.5, 1.0, 19))) @ Q.T
    K = (K + K.T) / 2
    assert Spectrum(K.copy(), centred=False).is_psd == is_psd
    hat = hat_matrix(K.copy(), 0.5 * unit, fit_intercept=False, is_psd=False)
    assert (hat.basis is None) == is_psd


@pytest.mark.parametrize("is_psd", [True, False])
def test_a_definite_kernel_is_not_decomposed(monkeypatch, is_psd):
    """The quicker factor serves every kernel without negative eigenvalues, known to have none or not."""
    monkeypatch.setattr(module, "Spectrum", None)
    hat_matrix(gram(), 0.5, fit_intercept=True, is_psd=is_psd)
    Factor(gram(), 0.5, is_psd=is_psd)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("is_psd", [True, False])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_weight_is_a_number_of_copies(alpha, is_psd, fit_intercept):
    """A point of weight v fits like v equal points with equal labels."""
    K, weights = gram(12), np.arange(12) % 3 + 1
    copies = np.repeat(np.arange(12), weights)
    repeated = K[np.ix_(copies, copies)]
    if fit_intercept:
        fitted = fitted_by_bordered_system(repeated, alpha)
    else:
        fitted = repeated @ np.linalg.inv(repeated + alpha * np.eye(len(copies)))
    firsts = np.searchsorted(copies, np.arange(12))
    hat = hat_matrix(
        K.copy(), alpha, fit_intercept=fit_intercept, is_psd=is_psd, weights=weights.astype(float)
    )
    np.testing.assert_allclose(hat.R, fitted[np.ix_(firsts, firsts)], atol=1e-9)


@pytest.mark.parametrize(
    "make", [gram, lambda: gram(rank=3), indefinite], ids=["definite", "rank 3", "indefinite"]
)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_factor_solves_for_any_labels(make, alpha):
    """Its values at the training points are those of the hat matrix, and its coefficients give them."""
    y = np.sign(np.random.RandomState(1).randn(30))
    dual, fitted = Factor(make(), alpha, is_psd=False).solve(y)
    R = hat_matrix(make(), alpha, fit_intercept=True, is_psd=False).R
    np.testing.assert_allclose(fitted + y.mean(), R @ y, atol=1e-8)
    assert dual.sum() == pytest.approx(0.0, abs=1e-9 / alpha)
    if make is not indefinite:
        np.testing.assert_allclose(centred(make()) @ dual, fitted, atol=1e-8)


def test_a_factor_notices_a_wrong_word_on_definiteness():
    """A kernel that is said to be definite and is not counts by its positive part, as otherwise."""
    y = np.sign(np.random.RandomState(1).randn(30))
    expected = Factor(indefinite(), ALPHAS[0], is_psd=False).solve(y)
    for given, right in zip(Factor(indefinite(), ALPHAS[0], is_psd=True).solve(y), expected, strict=True):
        np.testing.assert_allclose(given, right, rtol=1e-6, atol=1e-8 * np.abs(right).max())


def test_an_indefinite_kernel_with_weights_has_the_basis_of_its_positive_part():
    """The basis spans the positive part of the kernel with weights."""
    K, weights = indefinite(), np.arange(30.0) % 3 + 1
    root = np.sqrt(weights)
    basis = hat_matrix(K.copy(), 0.5, fit_intercept=False, is_psd=False, weights=weights).basis
    positive = positive_part(root[:, None] * K * root)
    np.testing.assert_allclose(basis @ basis.T @ positive, positive, atol=1e-9)
    assert basis.shape[1] == np.linalg.matrix_rank(positive, tol=1e-9)
