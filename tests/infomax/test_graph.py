"""Leading eigenvectors equal LAPACK's, and repeated eigenvalues are taken part by part, larger first."""

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.sparse import csr_array, issparse
from sklearn.metrics import adjusted_rand_score

from mmc.datasets import make_moons
from mmc.infomax.graph import dense_graph, make_graph, require_vertices
from mmc.kernels.local_scaling import find_neighbors
from mmc.kernels.spectral import degree_roots, leading, normalized_spectrum, scaled, spectral_labels

FORMS = {"dense": np.asarray, "sparse": csr_array}
each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def positive_definite(m: int):
    """Draw a positive semi-definite matrix with well separated eigenvalues."""
    rng = np.random.RandomState(0)
    Q = np.linalg.qr(rng.randn(m, m))[0]
    K = (Q * (0.8 ** np.arange(m))) @ Q.T
    return (K + K.T) / 2


def similarity(sizes):
    """Draw a block-diagonal matrix of positive similarities, one block for each part."""
    rng = np.random.RandomState(0)
    blocks = []
    for size in sizes:
        A = rng.uniform(0.2, 1.0, (size, size))
        blocks.append((A + A.T) / 2)
    return block_diag(*blocks)


def normalised(K):
    """Divide by the roots of the degrees, plainly."""
    roots = np.sqrt(K.sum(axis=1))
    return K / roots[:, None] / roots


def assert_same_up_to_sign(found, expected, atol):
    """Compare columns that may differ in sign."""
    signs = np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found * signs, expected, atol=atol)


@each_form
@pytest.mark.parametrize(("m", "k"), [(2, 2), (7, 3), (50, 5), (399, 4), (450, 6), (450, 200), (900, 3)])
def test_leading_equals_the_full_decomposition(m, k, form):
    """Values and vectors are those of LAPACK, by full decomposition or, for large matrices, by Lanczos."""
    K = positive_definite(m)
    values, vectors = np.linalg.eigh(K)
    spectrum = leading(form(K), k)
    simple = min(k, 30)
    np.testing.assert_allclose(spectrum.values, values[::-1][:k], atol=1e-10)
    assert_same_up_to_sign(spectrum.vectors[:, :simple], vectors[:, ::-1][:, :simple], atol=1e-7)
    np.testing.assert_allclose(spectrum.vectors.T @ spectrum.vectors, np.eye(k), atol=1e-9)


@each_form
def test_leading_means_largest_not_farthest_from_zero(form):
    """A negative eigenvalue of large modulus comes last."""
    K = np.array([[-5.0, 0.1, 0.0], [0.1, 2.0, 0.2], [0.0, 0.2, 1.0]])
    np.testing.assert_allclose(leading(form(K), 3).values, np.linalg.eigvalsh(K)[::-1], atol=1e-12)


def test_sparse_graph_beyond_the_dense_size():
    """The graph of seven hundred points has the eigenvectors of its dense matrix."""
    X = np.random.RandomState(0).randn(700, 3)
    graph = make_graph(X, "local_scaling", "neighbors", 2.0, 8)
    S = scaled(graph.matrix, degree_roots(graph.matrix))
    values, vectors = np.linalg.eigh(S.toarray())
    spectrum = leading(S, 4)
    np.testing.assert_allclose(spectrum.values, values[::-1][:4], atol=1e-10)
    assert_same_up_to_sign(spectrum.vectors, vectors[:, ::-1][:, :4], atol=1e-6)


@each_form
def test_lanczos_gives_the_same_every_time(form):
    """Lanczos starts from a fixed vector."""
    K = form(positive_definite(500))
    first, again = leading(K, 5), leading(K, 5)
    np.testing.assert_array_equal(first.vectors, again.vectors)


@each_form
@pytest.mark.parametrize("sizes", [(4, 9, 6), (30, 20, 50), (410, 7, 430)])
def test_parts_have_their_own_vectors(sizes, form):
    """Among equal eigenvalues each vector lives on one part, larger parts come first."""
    sizes = np.array(sizes)
    S = normalised(similarity(sizes))
    spectrum = leading(form(S), 3)
    np.testing.assert_allclose(spectrum.values, 1.0, atol=1e-10)
    part = np.repeat(np.arange(3), sizes)
    owners = [set(part[np.abs(v) > 0]) for v in spectrum.vectors.T]
    assert owners == [{p} for p in np.argsort(-sizes)]
    np.testing.assert_allclose(S @ spectrum.vectors, spectrum.vectors, atol=1e-8)


@each_form
@pytest.mark.parametrize("seed", range(3))
def test_parts_do_not_depend_on_the_order_of_rows(seed, form):
    """Permuted rows give the permuted vectors although the eigenvalue is repeated."""
    S = normalised(similarity([5, 8, 3]))
    order = np.random.RandomState(seed).permutation(16)
    vectors = leading(form(S), 4).vectors
    permuted = leading(form(S[np.ix_(order, order)]), 4).vectors
    assert_same_up_to_sign(permuted, vectors[order], atol=1e-10)


@each_form
def test_more_parts_than_vectors(form):
    """With five parts and two vectors, the two largest parts have them."""
    sizes = [3, 6, 2, 8, 4]
    vectors = leading(form(normalised(similarity(sizes))), 2).vectors
    part = np.repeat(np.arange(5), sizes)
    assert [set(part[v != 0]) for v in vectors.T] == [{3}, {1}]


@each_form
def test_equally_large_parts_come_in_the_order_of_rows(form):
    """Among parts of one size the one with the first row is first."""
    vectors = leading(form(normalised(similarity([4, 4, 4]))), 3).vectors
    assert [int(np.flatnonzero(v)[0]) for v in vectors.T] == [0, 4, 8]


@each_form
def test_fewer_parts_than_vectors(form):
    """When every part has one, the next vectors are the best of any part."""
    S = normalised(similarity([6, 9]))
    spectrum = leading(form(S), 5)
    np.testing.assert_allclose(spectrum.values, np.linalg.eigvalsh(S)[::-1][:5], atol=1e-12)
    np.testing.assert_allclose(S @ spectrum.vectors, spectrum.vectors * spectrum.values, atol=1e-12)


@each_form
def test_larger_eigenvalues_beat_larger_parts(form):
    """Size decides only between equal eigenvalues."""
    K = block_diag(np.full((6, 6), 0.1), np.full((2, 2), 5.0))
    spectrum = leading(form(K), 2)
    np.testing.assert_allclose(spectrum.values, [10.0, 0.6])
    assert np.flatnonzero(np.abs(spectrum.vectors[:, 0]) > 1e-12).tolist() == [6, 7]


@each_form
def test_isolated_vertices(form):
    """A vertex without any neighbour is a part of its own and comes after larger ones of the same value."""
    S = block_diag(np.eye(2), normalised(similarity([3])))
    vectors = leading(form(S), 3).vectors
    assert [np.flatnonzero(v).tolist() for v in vectors.T] == [[2, 3, 4], [0], [1]]


@each_form
def test_identity(form):
    """All vertices apart: the first rows are the first vectors."""
    spectrum = leading(form(np.eye(6)), 4)
    np.testing.assert_array_equal(spectrum.values, 1.0)
    np.testing.assert_array_equal(np.abs(spectrum.vectors), np.eye(6)[:, :4])


@each_form
def test_zero_matrix(form):
    """A matrix of zeros has eigenvalues of zero."""
    spectrum = leading(form(np.zeros((4, 4))), 2)
    np.testing.assert_array_equal(spectrum.values, 0.0)
    np.testing.assert_allclose(spectrum.vectors.T @ spectrum.vectors, np.eye(2))


@each_form
@pytest.mark.parametrize("factor", [1e-12, 1e-9, 1e9])
def test_units_do_not_matter(factor, form):
    """A matrix in other units has the same vectors: small entries are links like others."""
    K = positive_definite(20)
    spectrum, other = leading(form(K), 4), leading(form(factor * K), 4)
    np.testing.assert_allclose(other.values, factor * spectrum.values, rtol=1e-9)
    assert_same_up_to_sign(other.vectors, spectrum.vectors, atol=1e-9)


@each_form
@pytest.mark.parametrize("link", [1e-300, 1e-60, 1e-20])
@pytest.mark.parametrize("sizes", [(9, 4, 6), (3, 20, 12), (440, 20, 450)])
def test_links_lost_in_rounding_do_not_join_parts(sizes, link, form):
    """Parts joined by less than rounding can tell are decomposed as the parts they are."""
    sizes = np.array(sizes)
    K = similarity(sizes)
    ends = np.cumsum(sizes)[:-1]
    K[ends - 1, ends] = K[ends, ends - 1] = link
    vectors = leading(form(normalised(K)), 3).vectors
    part = np.repeat(np.arange(3), sizes)
    shares = np.array([[(v[part == p] ** 2).sum() for p in range(3)] for v in vectors.T])
    np.testing.assert_allclose(shares, np.eye(3)[np.argsort(-sizes)], atol=1e-6)


@each_form
def test_matrix_is_left_alone(form):
    """Decomposing and scaling do not write into the matrix."""
    K = similarity([4, 5])
    matrix = form(K.copy())
    leading(scaled(matrix, degree_roots(matrix)), 3)
    np.testing.assert_array_equal(matrix.toarray() if issparse(matrix) else matrix, K)


@each_form
def test_scaled_is_its_formula(form):
    """Scaling is D^-½ K D^-½ and keeps the form of the matrix."""
    K = similarity([4, 5])
    matrix = form(K)
    roots = degree_roots(matrix)
    np.testing.assert_allclose(roots**2, K.sum(axis=1))
    S = scaled(matrix, roots)
    assert issparse(S) == issparse(matrix)
    expected = np.diag(1 / roots) @ K @ np.diag(1 / roots)
    np.testing.assert_allclose(S.toarray() if issparse(S) else S, expected, atol=1e-14)


@each_form
@pytest.mark.parametrize(("entry", "sum_"), [(0.0, "0"), (-3.0, "-3")])
def test_rows_without_a_positive_sum_are_refused(entry, sum_, form):
    """A row that does not add up to something positive is named, with the remedy."""
    K = np.diag([1.0, 2.0, entry, 1.0])
    with pytest.raises(ValueError, match=rf"Row 2 of the kernel adds up to {sum_}:.*normalize=False"):
        degree_roots(form(K))


@pytest.mark.parametrize("seed", range(3))
def test_self_tuning_solves_two_moons(seed):
    """Spectral clustering with local scaling tells two moons apart, the same way every time."""
    X, y = make_moons(200, random_state=seed)
    graph = make_graph(X, "local_scaling", "neighbors", 2.0, 7)
    vectors = normalized_spectrum(graph.matrix, 2).vectors
    labels, again = (spectral_labels(vectors, 2, np.random.RandomState(0)) for _ in range(2))
    assert adjusted_rand_score(y, labels) == 1.0
    np.testing.assert_array_equal(labels, again)


def test_self_tuning_takes_unreached_vertices():
    """Vertices outside the parts that have a vector are labelled too."""
    vectors = normalized_spectrum(csr_array(similarity([5, 4, 2])), 2).vectors
    labels = spectral_labels(vectors, 2, np.random.RandomState(0))
    assert labels.shape == (11,)
    assert set(labels[:5]) != set(labels[5:9])
    assert set(labels) == {0, 1}


@pytest.mark.parametrize("kernel", ["local_scaling", "rbf"])
def test_vertices_and_counts(kernel):
    """Equal points are one vertex under local scaling, and a vertex each under the Gaussian kernel."""
    X = np.array([[0.0], [1.0], [0.0], [3.0], [0.0]])
    graph = make_graph(X, kernel, 0.5, 2.0, 1)
    np.testing.assert_array_equal(graph.points[graph.vertex], X)
    expected = [3, 1, 1] if kernel == "local_scaling" else [1] * 5
    np.testing.assert_array_equal(graph.multiplicity, expected)
    assert graph.n_neighbors == (1 if kernel == "local_scaling" else 0)
    assert issparse(graph.matrix) == (kernel == "local_scaling")


def test_gaussian_graph_is_its_formula():
    """The Gaussian kernel has a number for gamma as its factor, and compares new points the same way."""
    X = np.random.RandomState(0).randn(12, 2)
    graph = dense_graph(X, "rbf", 0.7, 2.0)
    K = np.exp(-0.7 * ((X[:, None] - X) ** 2).sum(axis=2))
    np.testing.assert_allclose(graph.matrix, K, atol=1e-13)
    np.testing.assert_allclose(graph.kernel(X[:3]), K[:3], atol=1e-13)


@pytest.mark.parametrize("kernel", ["local_scaling", "rbf"])
def test_light_graphs_hold_no_dense_matrix(kernel):
    """What a state keeps is sparse, and of the same shape; the rest is the same."""
    graph = make_graph(np.random.RandomState(0).randn(20, 2), kernel, 0.5, 2.0, 3)
    light = graph.light()
    assert issparse(light.matrix)
    assert light.matrix.shape == (20, 20)
    assert (light.matrix.nnz > 0) == (kernel == "local_scaling")
    assert light.points is graph.points
    assert light.vertex is graph.vertex


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[0.0], [1.0], [2.0]], r"n_clusters=4 is more than the number of points: n_samples=3\. .*at most 3"),
        (
            [[0.0], [1.0], [2.0], [1.0], [0.0]],
            r"n_clusters=4 is more than the 3 distinct points\. .*at most 3",
        ),
    ],
    ids=["points", "distinct"],
)
def test_more_clusters_than_points_are_refused(X, message):
    """The message says whether points are too few, or too few of them distinct."""
    graph = make_graph(np.array(X), "local_scaling", "neighbors", 2.0, 1)
    require_vertices(graph, 3)
    with pytest.raises(ValueError, match=message):
        require_vertices(graph, 4)


@pytest.mark.parametrize("normalize", [True, False])
def test_a_long_chain_is_decomposed(normalize):
    """Along a chain the leading eigenvalues all but touch; they and their vectors are found all the same."""
    K = find_neighbors(np.linspace(0.0, 1.0, 900)[:, None], 2).kernel(2).matrix
    matrix = scaled(K, degree_roots(K)) if normalize else K
    found = leading(matrix, 3)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(matrix.toarray())[::-1][:3], atol=1e-12)
    np.testing.assert_allclose(matrix @ found.vectors, found.vectors * found.values, atol=1e-9)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(3), atol=1e-9)
