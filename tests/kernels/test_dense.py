"""Kernels equal their plain formulas, and refuse what they cannot hold."""

import math
import tracemalloc

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mmc.kernels import fit_kernel, require_memory


def points(n: int = 25, d: int = 3, seed: int = 0):
    """Draw points whose columns differ in scale and offset."""
    rng = np.random.RandomState(seed)
    return rng.randn(n, d) * rng.uniform(0.5, 2.0, d) + rng.randn(d)


def squared_distances(X):
    """Compute all squared distances by subtracting."""
    return ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)


def local_scaling(X, t):
    """Give the matrix of the kernel and its scales."""
    gram = fit_kernel(X, kernel="local_scaling", n_neighbors=t)
    return gram.matrix, gram.kernel.local.scales


def local_scaling_by_loops(X, t: int):
    """Compute [SMIC] eq. 8 point by point: neighbours either way, no point its own neighbour."""
    n = len(X)
    distance = np.sqrt(squared_distances(X))
    neighbors = []
    scales = []
    for i in range(n):
        others = sorted((j for j in range(n) if j != i), key=lambda j: distance[i, j])
        neighbors.append(set(others[:t]))
        scales.append(distance[i, others[t - 1]])
    K = np.zeros((n, n))
    for i in range(n):
        K[i, i] = 1.0
        for j in range(n):
            if j in neighbors[i] or i in neighbors[j]:
                K[i, j] = math.exp(-(distance[i, j] ** 2) / (2 * scales[i] * scales[j]))
    return K, np.array(scales)


@pytest.mark.parametrize("gamma", [0.05, 1.0])
def test_rbf_is_its_formula(gamma):
    """The Gaussian kernel with a number for gamma is exp(−gamma d²)."""
    X = points()
    gram = fit_kernel(X, kernel="rbf", gamma=gamma)
    np.testing.assert_allclose(gram.matrix, np.exp(-gamma * squared_distances(X)), atol=1e-13)


@pytest.mark.parametrize("width", [0.3, 2.0])
@pytest.mark.parametrize("n", [27, 75])  # an odd number of pairs, so that the median is one of the distances
@pytest.mark.parametrize("name", ["neighbors", "median", "max"])
def test_words_for_gamma_name_a_length(name, n, width):
    """Sigma is `width` times the median 7th-neighbour (nearer if few), median or largest distance."""
    X = points(n)
    neighbor = {27: 3, 75: 7}[n]
    distance = np.sqrt(squared_distances(X))
    length = {
        "neighbors": np.median(np.sort(distance, axis=1)[:, neighbor]),
        "median": np.median(distance[np.triu_indices(len(X), 1)]),
        "max": distance.max(),
    }[name]
    gram = fit_kernel(X, kernel="rbf", gamma=name, width=width)
    assert gram.kernel.gamma == pytest.approx(1.0 / (2.0 * (width * length) ** 2), rel=1e-10)
    expected = np.exp(-(distance**2) / (2.0 * (width * length) ** 2))
    np.testing.assert_allclose(gram.matrix, expected, atol=1e-12)


def test_neighbor_length_of_a_handful_of_points():
    """Up to ten points the nearest neighbour sets the length."""
    X = points(4)
    distance = np.sqrt(squared_distances(X)) + np.diag(np.full(4, np.inf))
    length = np.median(distance.min(axis=1))
    assert fit_kernel(X, width=1.0).kernel.gamma == pytest.approx(0.5 / length**2, rel=1e-10)


@pytest.mark.parametrize("name", ["neighbors", "median"])
def test_lengths_survive_many_duplicates(name):
    """Where most distances are zero, a positive one takes their place."""
    X = np.vstack([np.zeros((20, 2)), [[3.0, 4.0]]])
    gram = fit_kernel(X, gamma=name, width=1.0)
    assert gram.kernel.gamma == pytest.approx(0.5 / 25.0)


@pytest.mark.parametrize("kernel", ["rbf", "local_scaling"])
def test_equal_points_have_no_length(kernel):
    """Data without any positive distance are refused, not turned into NaN."""
    with pytest.raises(ValueError, match=r"points are equal|finds no scale"):
        fit_kernel(np.ones((8, 2)), kernel=kernel)


def test_linear_is_the_inner_product():
    """The linear kernel is X Xᵀ, without centring."""
    X = points()
    np.testing.assert_allclose(fit_kernel(X, kernel="linear").matrix, X @ X.T, atol=1e-12)


@pytest.mark.parametrize(("degree", "coef0"), [(2, 1.0), (3, 0.0), (1, 0.5)])
@pytest.mark.parametrize("gamma", [0.4, "median"])
def test_poly_is_its_formula(degree, coef0, gamma):
    """The polynomial kernel takes a number for gamma, or one over the total variance for a word."""
    X = points()
    scale = gamma if isinstance(gamma, float) else 1.0 / X.var(axis=0).sum()
    gram = fit_kernel(X, kernel="poly", gamma=gamma, degree=degree, coef0=coef0)
    np.testing.assert_allclose(gram.matrix, (scale * (X @ X.T) + coef0) ** degree, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("t", [1, 3, 7])
@pytest.mark.parametrize("seed", [0, 1])
def test_local_scaling_is_equation_8(t, seed):
    """Local scaling equals the loop over [SMIC] eq. 8, is symmetric and has ones on its diagonal."""
    X = points(20, 2, seed)
    K, scales = local_scaling(X, t)
    expected, expected_scales = local_scaling_by_loops(X, t)
    np.testing.assert_allclose(scales, expected_scales, atol=1e-12)
    np.testing.assert_allclose(K, expected, atol=1e-12)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(K.diagonal(), np.ones(20))


def test_local_scaling_keeps_few_entries():
    """A row of the kernel is sparse: at most 2 t n entries beside the diagonal."""
    K, _ = local_scaling(points(60, 2), 4)
    assert np.count_nonzero(K) <= 60 + 2 * 4 * 60
    assert np.count_nonzero(K) >= 60 + 4 * 60


def test_local_scaling_takes_equal_points_as_one():
    """Repeated rows leave the kernel of the distinct ones as it is, and are like one another altogether."""
    X = np.vstack([points(15, 2), np.tile([[0.3, 0.1]], (4, 1)), points(15, 2)[:2]])
    K, scales = local_scaling(X, 2)
    alone, alone_scales = local_scaling_by_loops(X[:16], 2)
    np.testing.assert_allclose(scales, alone_scales, atol=1e-12)
    of = [*range(16), 15, 15, 15, 0, 1]
    np.testing.assert_allclose(K, alone[np.ix_(of, of)], atol=1e-12)


def test_local_scaling_uses_all_neighbors_at_most():
    """More neighbours than there are other points means all of them."""
    X = points(6, 2)
    np.testing.assert_array_equal(local_scaling(X, 50)[0], local_scaling(X, 5)[0])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shift", [0.0, 100.0, 1e4])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "local_scaling"])
def test_training_points_as_new_points(kernel, shift, seed):
    """Compared as new points, the training points give the training matrix again."""
    X = points(40, 2, seed) + shift
    fitted, matrix = fit_kernel(X, kernel=kernel, degree=2)
    np.testing.assert_allclose(fitted(X), matrix, rtol=1e-8, atol=1e-6)
    np.testing.assert_allclose(fitted(X[5:7]), matrix[5:7], rtol=1e-8, atol=1e-6)


@pytest.mark.parametrize("t", [1, 4, 7])
@pytest.mark.parametrize("data", ["grid", "iris"])
def test_tied_neighbors_as_new_points(data, t):
    """Where neighbours tie or rows repeat, training points as new points still give the training matrix."""
    X = load_iris().data if data == "iris" else np.array([(i, j) for i in range(6) for j in range(6)], float)
    fitted, matrix = fit_kernel(X, kernel="local_scaling", n_neighbors=t)
    np.testing.assert_allclose(fitted(X), matrix, atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "local_scaling"])
def test_new_points_have_one_row_each(kernel):
    """New points give finite values, and local scaling compares them with their neighbours only."""
    fitted, matrix = fit_kernel(points(30, 2), kernel=kernel)
    K = fitted(points(4, 2, seed=9))
    assert K.shape == (4, 30)
    assert np.isfinite(K).all()
    assert ((K == 0).mean() > 0.3) == (kernel == "local_scaling")
    assert matrix.shape == (30, 30)


def test_precomputed_is_a_copy():
    """A precomputed matrix comes back equal but as memory of its own, and rows for new points as given."""
    K = np.cov(points(8, 8).T)
    fitted, matrix = fit_kernel(K, kernel="precomputed")
    np.testing.assert_array_equal(matrix, K)
    assert not np.shares_memory(matrix, K)
    np.testing.assert_array_equal(fitted(K[:2]), K[:2])


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((3, 4)), r"square matrix.*\(3, 4\)"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), "symmetric"),
    ],
    ids=["not square", "not symmetric"],
)
def test_precomputed_is_checked(K, message):
    """A precomputed matrix that is not square or not symmetric is refused."""
    with pytest.raises(ValueError, match=message):
        fit_kernel(K, kernel="precomputed")


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "local_scaling", "precomputed"])
def test_overflowing_values_are_named(kernel):
    """Values whose products overflow are refused and named."""
    X = np.eye(4)
    X[1, 1] = 1e308
    with pytest.raises(ValueError, match=r"1e\+308.*rescale"):
        fit_kernel(X, kernel=kernel)


@pytest.mark.parametrize(
    ("kernel", "degree", "coef0", "is_psd"),
    [
        ("rbf", 3, 1.0, True),
        ("linear", 3, 1.0, True),
        ("poly", 3, 1.0, True),
        ("poly", 2, -1.0, False),
        ("local_scaling", 3, 1.0, False),
    ],
)
def test_definite_kernels_are_known(kernel, degree, coef0, is_psd):
    """A kernel that claims to be positive semi-definite has no negative eigenvalue."""
    gram = fit_kernel(points(), kernel=kernel, degree=degree, coef0=coef0)
    assert gram.kernel.is_psd == is_psd
    values = np.linalg.eigvalsh(gram.matrix)
    assert not is_psd or values[0] > -1e-10 * values[-1]


def test_too_many_points_are_refused_before_allocation():
    """Ten million points are refused with the need and the remedy, and nothing is allocated."""
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"10000000 points need about .* GiB.*predict"):
            require_memory(10**7)
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()


def test_few_points_are_not_refused():
    """A hundred points fit on every machine, in however many arrays."""
    assert require_memory(100, n_arrays=10) is None
