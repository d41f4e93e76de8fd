"""The sparse kernel equals the loop over [SMIC] eq. 7, ties and repeated points included."""

import math
import tracemalloc

import numpy as np
import pytest
from scipy.sparse import issparse

from mmc.kernels import local_scaling, neighbors
from mmc.kernels.local_scaling import find_neighbors


def cloud(n: int = 30, d: int = 2, seed: int = 0):
    """Draw points without ties."""
    return np.random.RandomState(seed).randn(n, d)


def grid(side: int = 6, step: float = 1.0):
    """Give the points of a square grid, where many distances tie."""
    return step * np.array([(i, j) for i in range(side) for j in range(side)], dtype=float)


def repeated():
    """Give a grid of which some points occur two or four times, in mixed order."""
    X = np.vstack([grid(4), grid(4)[:5], np.tile(grid(4)[7], (3, 1))])
    return X[np.random.RandomState(0).permutation(len(X))]


DATA = {
    "cloud": cloud(),
    "grid": grid(),
    "tenths": grid(6, 0.1),
    "line": np.arange(12.0)[:, None],
    "many features": cloud(40, 40),
    "binary": np.random.RandomState(0).randint(0, 2, (40, 12)).astype(float),
    "unequal": np.vstack([cloud(15), 30.0 + 1e-3 * cloud(15, seed=1)]),
}
each_set = pytest.mark.parametrize("name", DATA)


def kernel_of(X, t: int):
    """Fit the kernel for exactly t neighbours."""
    return find_neighbors(X, t).kernel(t)


def distinct(X):
    """List the distinct rows in the order in which they first appear."""
    return np.array(list(dict.fromkeys(map(tuple, X))))


def scale_by_loop(distances, t: int):
    """Give the t-th of the distances, and who is at most as far away, all ties counted."""
    scale = sorted(distances.values())[t - 1]
    return scale, {j for j, d in distances.items() if d <= scale * (1 + 1e-10)}


def equation_7(points, t: int):
    """Compute [SMIC] eq. 7 point by point; nobody is their own neighbour."""
    n = len(points)
    d = [[math.dist(p, q) for q in points] for p in points]
    found = [scale_by_loop({j: d[i][j] for j in range(n) if j != i}, t) for i in range(n)]
    K = np.eye(n)
    for i, (scale_i, near_i) in enumerate(found):
        for j, (scale_j, near_j) in enumerate(found):
            if i != j and (j in near_i or i in near_j):
                K[i, j] = math.exp(-(d[i][j] ** 2) / (2 * scale_i * scale_j))
    return K, np.array([scale for scale, _ in found])


def equation_7_for_new(new, points, t: int):
    """Compare new points with the training points, each with the scale it would have among them."""
    scales = equation_7(points, t)[1]
    K = np.zeros((len(new), len(points)))
    for i, x in enumerate(new):
        d = {j: math.dist(x, p) for j, p in enumerate(points)}
        scale, near = scale_by_loop(d, t)
        for j in d:
            if j in near or d[j] <= scales[j] * (1 + 1e-10):
                K[i, j] = math.exp(-(d[j] ** 2) / (2 * scale * scales[j]))
    return K


@each_set
@pytest.mark.parametrize("t", range(1, 11))
def test_matrix_is_equation_7(name, t):
    """Matrix and scales equal the loop for every number of neighbours, also where distances tie."""
    points = distinct(DATA[name])
    fitted = kernel_of(DATA[name], t)
    K, scales = equation_7(points, t)
    np.testing.assert_array_equal(fitted.points, points)
    np.testing.assert_allclose(fitted.scales, scales, rtol=1e-12)
    np.testing.assert_allclose(fitted.matrix.toarray(), K, atol=1e-9)
    np.testing.assert_array_equal(fitted.matrix.toarray() != 0, K != 0)


def test_ties_count():
    """On a grid the four nearest points are neighbours already for t = 1."""
    K = kernel_of(grid(), 1).matrix.toarray()
    inner = 7
    assert np.flatnonzero(K[inner]).tolist() == [1, 6, 7, 8, 13]
    np.testing.assert_allclose(K[inner, [1, 6, 8, 13]], math.exp(-0.5))


@each_set
def test_one_search_serves_every_number(name):
    """A search for ten neighbours gives the same kernels as a search for each number."""
    neighbors = find_neighbors(DATA[name], 10)
    for t in (1, 2, 5, 10):
        fitted, alone = neighbors.kernel(t), kernel_of(DATA[name], t)
        assert fitted.n_neighbors == alone.n_neighbors == t
        np.testing.assert_allclose(fitted.scales, alone.scales, rtol=1e-12)
        np.testing.assert_allclose(fitted.matrix.toarray(), alone.matrix.toarray(), atol=1e-9)


@each_set
@pytest.mark.parametrize("t", [1, 4])
def test_matrix_is_symmetric_with_ones_on_its_diagonal(name, t):
    """The matrix is exactly symmetric, one on its diagonal and between zero and one elsewhere."""
    K = kernel_of(DATA[name], t).matrix.toarray()
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(K.diagonal(), 1.0)
    assert (K >= 0).all()
    assert (K <= 1).all()


@pytest.mark.parametrize("t", [1, 3, 10])
@pytest.mark.parametrize("d", [2, 20])
def test_matrix_is_sparse(d, t):
    """Without ties there are between t and 2 t entries in a row beside the diagonal, on average."""
    K = kernel_of(cloud(300, d), t).matrix
    assert issparse(K)
    assert 300 * t <= K.nnz - 300 <= 2 * 300 * t
    assert (K.data != 0).all()


@each_set
@pytest.mark.parametrize("seed", range(3))
def test_order_of_rows_does_not_matter(name, seed):
    """Permuted rows give the permuted matrix, also where neighbours tie or points repeat."""
    X = DATA[name]
    order = np.random.RandomState(seed).permutation(len(X))
    for t in (1, 4, 9):
        K, permuted = (
            fitted.matrix.toarray()[np.ix_(fitted.vertex, fitted.vertex)]
            for fitted in (kernel_of(X, t), kernel_of(X[order], t))
        )
        np.testing.assert_allclose(permuted, K[np.ix_(order, order)], atol=1e-9)


def test_equal_points_are_one_vertex():
    """Repeated rows share a vertex and leave the kernel of the distinct points as it is."""
    X = repeated()
    fitted = kernel_of(X, 3)
    assert len(fitted.points) == 16
    np.testing.assert_array_equal(fitted.points[fitted.vertex], X)
    np.testing.assert_allclose(fitted.matrix.toarray(), equation_7(distinct(X), 3)[0], atol=1e-12)


def test_signed_zeros_are_equal():
    """Minus zero is zero, not another point at distance zero."""
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 0.0], [2.0, -0.0], [5.0, 5.0]])
    fitted = kernel_of(X, 1)
    np.testing.assert_array_equal(fitted.vertex, [0, 0, 1, 1, 2])
    assert np.isfinite(fitted.matrix.toarray()).all()


@pytest.mark.parametrize("name", [*DATA, "repeated"])
@pytest.mark.parametrize("t", [1, 2, 5, 10])
def test_training_points_as_new_points(name, t):
    """Compared as new points, the training points give their rows of the training matrix."""
    X = repeated() if name == "repeated" else DATA[name]
    fitted = kernel_of(X, t)
    np.testing.assert_allclose(fitted(X).toarray(), fitted.matrix.toarray()[fitted.vertex], atol=1e-9)


@each_set
@pytest.mark.parametrize("t", [1, 4])
def test_new_points_have_their_own_scale(name, t):
    """A new point is compared by eq. 7 with the scale it has among the training points."""
    X = DATA[name]
    fitted = kernel_of(X, t)
    new = np.vstack([X.mean(axis=0), X[:4] + 0.3, X[0] + 50.0])
    K = fitted(new)
    assert issparse(K)
    np.testing.assert_allclose(K.toarray(), equation_7_for_new(new, fitted.points, t), atol=1e-9)


def test_new_points_do_not_depend_on_each_other():
    """Rows for new points are the same together and one at a time."""
    fitted = kernel_of(cloud(), 3)
    new = cloud(10, seed=5)
    together = fitted(new).toarray()
    np.testing.assert_array_equal(np.vstack([fitted(x[None]).toarray() for x in new]), together)


@pytest.mark.parametrize("t", [29, 30, 1000])
def test_more_neighbors_than_points_mean_all(t):
    """From n − 1 on, every other point is a neighbour, and new points have that many too."""
    X = cloud(30)
    fitted = kernel_of(X, t)
    assert fitted.n_neighbors == find_neighbors(X, t).most == 29
    np.testing.assert_allclose(fitted.matrix.toarray(), equation_7(X, 29)[0], atol=1e-12)
    assert ((fitted(X[:3] + 0.01).toarray() > 0).sum(axis=1) >= 29).all()


@pytest.mark.parametrize("t", [1, 5, 10])
def test_all_distances_equal_give_the_complete_graph(t):
    """Where every other point is equally near, every other point is a neighbour."""
    K = kernel_of(np.eye(30), t).matrix.toarray()
    np.testing.assert_allclose(K, np.where(np.eye(30, dtype=bool), 1.0, math.exp(-0.5)), atol=1e-12)


@pytest.mark.parametrize("d", [2, 40])
@pytest.mark.parametrize("offset", [1e3, 1e6, -1e6])
def test_offsets_do_not_matter(offset, d):
    """Points far from the origin have the kernel they have near it."""
    X = cloud(60, d)
    for t in (1, 7):
        K = kernel_of(X, t).matrix.toarray()
        moved = kernel_of(X + offset, t)
        np.testing.assert_allclose(moved.matrix.toarray(), K, atol=1e-7)
        np.testing.assert_allclose(moved(X + offset).toarray(), K, atol=1e-7)


@pytest.mark.parametrize("factor", [1e-100, 1e-6, 1e6, 1e100])
def test_units_do_not_matter(factor):
    """The kernel of scaled points is the kernel of the points."""
    X = cloud()
    np.testing.assert_allclose(
        kernel_of(factor * X, 4).matrix.toarray(), kernel_of(X, 4).matrix.toarray(), atol=1e-9
    )


@pytest.mark.parametrize("t", [1, 5])
def test_far_groups_in_many_features(t):
    """Two clouds much farther apart than wide keep their own neighbours, whatever the search rounds away."""
    X = cloud(200, 20)
    X[:100] += 1e8
    K = kernel_of(X, t).matrix.toarray()
    np.testing.assert_allclose(K, equation_7(X, t)[0], atol=1e-6)


def test_points_closer_than_a_square_can_tell():
    """Points whose squared distance underflows give a finite kernel all the same."""
    X = np.array([[0.0], [1e-200], [1.0], [2.0], [3.0]])
    K = kernel_of(X, 1).matrix.toarray()
    assert np.isfinite(K).all()
    np.testing.assert_array_equal(K.diagonal(), 1.0)
    np.testing.assert_allclose(K[2:, 2:], equation_7(X[2:], 1)[0], atol=1e-9)


@pytest.mark.parametrize("t", [1, 7])
def test_two_points(t):
    """Two points are each other's only neighbour."""
    fitted = kernel_of(np.array([[0.0, 0.0], [3.0, 4.0]]), t)
    assert fitted.n_neighbors == 1
    np.testing.assert_allclose(fitted.scales, 5.0)
    np.testing.assert_allclose(fitted.matrix.toarray(), [[1, math.exp(-0.5)], [math.exp(-0.5), 1]])


def test_equal_points_are_refused():
    """Data without any positive distance are refused."""
    with pytest.raises(ValueError, match="All points are equal"):
        find_neighbors(np.ones((8, 2)), 3)


def test_input_is_left_alone():
    """Neither fitting nor comparing changes the points given."""
    X = repeated()
    before = X.copy()
    kernel_of(X, 3)(X)
    np.testing.assert_array_equal(X, before)


def peak(function) -> int:
    """Measure the most memory that a call holds at once, in bytes."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_no_square_array_is_held():
    """Neither fitting nor comparing as many new points takes memory like a matrix of all pairs."""
    n = 4000
    X = cloud(n, 20)
    fitted = kernel_of(X, 10)
    assert peak(lambda: kernel_of(X, 10)) < 4 * n**2
    assert peak(lambda: fitted(X)) < 4 * n**2


@pytest.mark.parametrize("name", ["cloud", "many features", "unequal"])
@pytest.mark.parametrize("t", [1, 4])
def test_new_points_beside_many(name, t, monkeypatch):
    """Beyond a number of points rows come from products of matrices, and are those of eq. 7 all the same."""
    X = DATA[name]
    fitted = kernel_of(X, t)
    new = np.vstack([X.mean(axis=0), X[:4], X[:4] + 0.3, X[2], X[0] + 50.0])
    expected = fitted(new).toarray()
    monkeypatch.setattr(local_scaling, "EXACT", 10)
    np.testing.assert_allclose(fitted(new).toarray(), expected, atol=1e-9)
    np.testing.assert_array_equal(fitted(X).toarray(), fitted.matrix.toarray())
    monkeypatch.setattr(local_scaling, "_BLOCK", 3 * len(X))
    np.testing.assert_allclose(fitted(new).toarray(), expected, atol=1e-9)


def test_components_of_training_points_are_known_again(monkeypatch):
    """Where points are compared by principal components, a training point has its row of the matrix."""
    for where in (local_scaling, neighbors):
        monkeypatch.setattr(where, "EXACT", 50)
    monkeypatch.setattr(neighbors, "N_COMPONENTS", 5)
    X = 50.0 + cloud(300, 40) * 0.9 ** np.arange(40)
    fitted = kernel_of(X, 5)
    assert fitted.points.shape == (300, 5)
    np.testing.assert_allclose(fitted.matrix.toarray(), equation_7(fitted.points, 5)[0], atol=1e-5)
    for rows in (slice(None), slice(7, 8), slice(100, 133)):
        np.testing.assert_array_equal(fitted(X[rows]).toarray(), fitted.matrix[rows].toarray())
