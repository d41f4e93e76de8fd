"""The normalised cut is the best along the second eigenvector, and large graphs have their eigenvectors."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.cluster import KMeans

from mmc.datasets import make_four_gaussians, make_moons
from mmc.kernels import fit_kernel, spectral
from mmc.kernels.local_scaling import find_neighbors
from mmc.kernels.neighbor_graph import neighbor_graph
from mmc.kernels.spectral import (
    accuracy_for,
    degree_roots,
    leading,
    normalized_cut,
    normalized_spectrum,
    scaled,
    spectral_labels,
    unit_rows,
)
from mmc.metrics import adjusted_rand_score


def ncut(K, labels):
    """Give cut/assoc(A) + cut/assoc(B) by the definition."""
    cut = K[np.ix_(labels == 0, labels == 1)].sum()
    return cut / K[labels == 0].sum() + cut / K[labels == 1].sum()


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_lowest_along_its_order(seed):
    """No other place to cut the order of the second eigenvector has a lower value."""
    X = np.random.RandomState(seed).randn(30, 2)
    K = fit_kernel(X, gamma=1.0).matrix
    degrees = K.sum(axis=1)
    vector = np.linalg.eigh(K / np.sqrt(np.outer(degrees, degrees)))[1][:, -2] / np.sqrt(degrees)
    ranks = np.argsort(np.argsort(vector))
    values = [ncut(K, (ranks >= first).astype(int)) for first in range(1, 30)]
    found = normalized_cut(K)
    assert ncut(K, found) == pytest.approx(min(values))
    assert set(found) == {0, 1}


def test_it_parts_what_is_apart():
    """Moons are parted with a narrow kernel, and two unconnected parts in any case."""
    X, y = make_moons(200, random_state=0)
    labels = normalized_cut(fit_kernel(X, gamma="neighbors", width=1.0).matrix)
    assert max((labels == y).mean(), (labels != y).mean()) > 0.98
    K = np.kron(np.eye(2), np.ones((4, 4)))
    labels = normalized_cut(K)
    assert sorted(np.bincount(labels)) == [4, 4]
    assert len(set(labels[:4])) == 1


def test_a_row_without_links_is_refused():
    """Degrees must be positive."""
    with pytest.raises(ValueError, match="adds up to 0"):
        normalized_cut(np.diag([1.0, 1.0, 0.0]))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [30, 500])
def test_sparse_and_dense_matrices_have_the_same_cut(n, seed):
    """A neighbour graph is cut in the same way as the dense array of its weights."""
    X = np.random.default_rng(seed).normal(size=(n, 2))
    X[: n // 3] += 4.0
    W = neighbor_graph(X, 5).matrix
    np.testing.assert_array_equal(normalized_cut(W), normalized_cut(W.toarray()))
    K = fit_kernel(X, gamma=1.0).matrix
    np.testing.assert_array_equal(normalized_cut(csr_array(K)), normalized_cut(K))


def grouped(n: int, q: int):
    """Draw points of six overlapping groups."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, q)) + 2.0 * rng.normal(size=(6, q))[np.arange(n) % 6]


@pytest.mark.parametrize("accuracy", ["fine", "rough"])
@pytest.mark.parametrize("q", [2, 20], ids=["plane", "many features"])
@pytest.mark.parametrize("normalize", [True, False])
def test_large_graphs_have_their_eigenvectors(q, accuracy, normalize):
    """In single precision eigenvalues and residuals are good enough; fine eigenvectors are the exact ones."""
    K = find_neighbors(grouped(2000, q), 10).kernel(10).matrix
    S = scaled(K, degree_roots(K)) if normalize else K
    exact, found = leading(S, 4), leading(S, 4, accuracy=accuracy)
    assert found.vectors.dtype == np.float32
    np.testing.assert_allclose(found.values, exact.values, rtol=1e-2 if accuracy == "rough" else 1e-4)
    cosines = np.abs((found.vectors * exact.vectors).sum(axis=0))
    if accuracy == "fine":
        np.testing.assert_allclose(cosines, 1.0, atol=1e-3)
    residuals = np.linalg.norm(S @ found.vectors - found.vectors * found.values, axis=0)
    assert residuals.max() < 0.02 * exact.values[0]


@pytest.mark.parametrize(("q", "thin"), [(1, True), (2, True), (10, False)])
def test_graphs_in_the_plane_are_thin(q, thin):
    """Only graphs of few features are factored."""
    X = np.random.default_rng(0).normal(size=(3000, q))
    assert spectral._is_thin(neighbor_graph(X, 10).matrix) == thin


@pytest.mark.parametrize("accuracy", ["fine", "rough"])
def test_large_parts_come_first_in_single_precision(accuracy):
    """Rounding does not put the eigenvalue 1 of a large part behind those of small ones."""
    rng = np.random.default_rng(0)
    small = [500.0 + 100.0 * p + rng.normal(size=(8, 20)) for p in range(3)]
    W = neighbor_graph(np.vstack([*small, rng.normal(size=(1500, 20))]), 5).matrix
    values, vectors = normalized_spectrum(W, 4, accuracy=accuracy)
    np.testing.assert_allclose(values, 1.0, atol=1e-7)
    assert [int(np.abs(v).argmax()) // 8 for v in vectors.T[1:]] == [0, 1, 2]
    assert (vectors[24:, 0] != 0).all()


def test_nearly_equal_eigenvalues_are_told_apart():
    """In the plane rough eigenvectors are as good as exact ones, although eigenvalues differ by 1e-5."""
    X, y = make_four_gaussians(6000, random_state=0)
    graph = neighbor_graph(X, 10)
    values, vectors = graph.spectrum(4, rough=True)
    assert 1.0 - values[-1] < 1e-3
    labels = spectral_labels(vectors, 4, np.random.RandomState(0))[graph.vertex]
    assert adjusted_rand_score(y, labels) > 0.999


def test_thousands_of_parts():
    """A graph of many small parts has the eigenvectors of the largest ones first."""
    sizes = np.r_[np.full(1500, 2), 7, 5, 3]
    blocks = np.repeat(np.arange(len(sizes)), sizes)
    rows, columns = np.nonzero(blocks[:, None] == blocks)
    K = csr_array((np.ones(len(rows)), (rows, columns)))
    values, vectors = normalized_spectrum(K, 3)
    np.testing.assert_allclose(values, 1.0)
    assert [set(blocks[v != 0]) for v in vectors.T] == [{1500}, {1501}, {1502}]


def test_accuracy_follows_the_size(monkeypatch):
    """Large sparse matrices are decomposed in single precision, dense ones and small ones never."""
    K = csr_array(np.eye(10))
    assert accuracy_for(K) == "full"
    monkeypatch.setattr(spectral, "EXACT", 9)
    assert accuracy_for(K) == "fine"
    assert accuracy_for(K.toarray()) == "full"


def test_spectral_labels_are_kmeans_on_unit_rows():
    """Rows are scaled to length one, but rows of zeros, and scikit-learn's k-means clusters them."""
    vectors = np.vstack([np.random.default_rng(0).normal(size=(40, 3)), np.zeros((2, 3))])
    rows = unit_rows(vectors)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1.0] * 40 + [0.0] * 2)
    plain = KMeans(3, n_init=10, random_state=np.random.RandomState(0)).fit(rows).labels_
    np.testing.assert_array_equal(spectral_labels(vectors, 3, np.random.RandomState(0)), plain)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_every_cluster_is_used(k):
    """Where rows are equal, clusters take a point each."""
    labels = spectral_labels(np.ones((6, 2)), k, np.random.RandomState(0))
    np.testing.assert_array_equal(np.unique(labels), np.arange(k))
