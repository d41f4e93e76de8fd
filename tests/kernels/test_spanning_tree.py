"""The minimum spanning tree equals that of scipy, and the tree of the graph comes near it."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from mmc._fast.spanning_tree import graph_tree
from mmc.datasets import make_moons
from mmc.kernels import neighbors
from mmc.kernels.spanning_tree import spanning_tree


def cloud(n=120, q=2, seed=0):
    """Draw points without ties."""
    return np.random.default_rng(seed).normal(size=(n, q))


def apart(n=600, q=2, seed=0, by=40.0):
    """Draw five clouds that are far from each other."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)) + by * rng.normal(size=(5, q))[np.arange(n) % 5]


def reach(X, t):
    """Give all mutual reachability distances."""
    D = cdist(X, X)
    core = np.sort(D, axis=1)[:, min(t, len(X) - 1)]
    return np.maximum(D, np.maximum(core[:, None], core)) if t > 1 else D


def check_tree(tree, n):
    """Check that the edges join all vertices and are sorted."""
    assert tree.ends.shape == (n - 1, 2)
    assert (np.diff(tree.lengths) >= 0).all()
    links = np.zeros((n, n))
    links[tuple(tree.ends.T)] = 1
    assert connected_components(links, directed=False)[0] == 1


@pytest.mark.parametrize("t", [1, 2, 5, 30])
@pytest.mark.parametrize(("n", "q", "seed"), [(2, 1, 0), (3, 2, 1), (40, 1, 2), (120, 3, 3), (200, 20, 4)])
def test_lengths_are_those_of_scipy(n, q, seed, t):
    """The lengths of the edges, which all minimum trees share, are those of scipy's on the whole matrix."""
    X = cloud(n, q, seed)
    tree = spanning_tree(X, t)
    check_tree(tree, n)
    R = reach(X, t)
    np.testing.assert_allclose(tree.lengths, np.sort(minimum_spanning_tree(R).data), rtol=1e-12)
    np.testing.assert_allclose(tree.lengths, R[tuple(tree.ends.T)], rtol=1e-12)


def test_a_grid_has_edges_of_one_length():
    """Where all neighbours are equally far, every edge of the tree is a side of the grid."""
    X = np.stack(np.meshgrid(np.arange(6.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
    tree = spanning_tree(X)
    check_tree(tree, 30)
    assert (tree.lengths == 1).all()


def test_equal_points_are_one_vertex():
    """A point that occurs three times is a vertex of size three, and edges have no length of zero."""
    X = np.repeat(cloud(20), np.arange(20) % 3 + 1, axis=0)
    tree = spanning_tree(X, 3)
    np.testing.assert_array_equal(tree.sizes, np.arange(20) % 3 + 1)
    np.testing.assert_allclose(tree.lengths, spanning_tree(cloud(20), 3).lengths)
    assert tree.lengths[0] > 0
    np.testing.assert_array_equal(np.bincount(tree.vertex), tree.sizes)


def test_ties_of_core_distances_go_to_the_nearer_pair():
    """Of links of the same mutual reachability the tree takes the one with the smaller distance."""
    X = cloud(80, seed=5)
    D, R = cdist(X, X), reach(X, 10)
    tree = spanning_tree(X, 10)
    # Kruskal's search over all pairs, sorted by reachability and then by distance.
    i, j = np.triu_indices(80, 1)
    order = np.lexsort((D[i, j], np.round(R[i, j], 9)))
    ends = np.column_stack([i, j])[order]
    kept = np.empty(len(ends), dtype=bool)
    assert not graph_tree(ends, 80, kept).any()
    assert {tuple(edge) for edge in ends[kept]} == {tuple(edge) for edge in tree.ends}


@pytest.mark.parametrize("t", [1, 5])
@pytest.mark.parametrize(
    "X",
    [cloud(600), make_moons(600, noise=0.03, random_state=0).X, apart(), apart(q=20), apart(700, by=400.0)],
    ids=["one cloud", "moons", "apart", "many features", "far apart"],
)
def test_the_tree_of_many_points_is_nearly_exact(X, t, monkeypatch):
    """The tree of the graph has the whole tree's edges between clouds, and nearly its length."""
    exact = spanning_tree(X, t)
    monkeypatch.setattr(neighbors, "EXACT", len(X) - 1)
    tree = spanning_tree(X, t)
    check_tree(tree, len(X))
    np.testing.assert_allclose(tree.lengths, reach(X, t)[tuple(tree.ends.T)], rtol=1e-9)
    assert tree.lengths.sum() == pytest.approx(exact.lengths.sum(), rel=1e-3)
    assert tree.lengths.sum() >= exact.lengths.sum() * (1 - 1e-12)
    np.testing.assert_allclose(tree.lengths[-4:], exact.lengths[-4:], rtol=1e-6)


@pytest.mark.parametrize("q", [2, 20])
def test_many_small_components_are_joined_exactly(q, monkeypatch):
    """Forty tight groups of thirty points, which no neighbours link, have the tree of all pairs."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.uniform(0, 100, size=(40, q)), 30, axis=0) + 0.001 * rng.normal(size=(1200, q))
    exact = spanning_tree(X)
    monkeypatch.setattr(neighbors, "EXACT", 500)
    np.testing.assert_allclose(spanning_tree(X).lengths, exact.lengths, rtol=1e-9)


def test_many_points_with_equal_ones(monkeypatch):
    """Beyond the limit, too, equal points are one vertex, and points of one place make no edges."""
    X = np.repeat(apart(400), 3, axis=0)
    monkeypatch.setattr(neighbors, "EXACT", 300)
    tree = spanning_tree(X)
    check_tree(tree, 400)
    assert (tree.sizes == 3).all()
    monkeypatch.setattr(neighbors, "EXACT", 500)
    np.testing.assert_allclose(tree.lengths[-4:], spanning_tree(X).lengths[-4:])


def test_components_are_numbered_by_their_first_vertices():
    """A forest keeps the edges that join, in their order, and says which vertices belong together."""
    ends = np.array([[1, 4], [3, 5], [4, 1], [5, 2], [2, 3]])
    kept = np.empty(5, dtype=bool)
    np.testing.assert_array_equal(graph_tree(ends, 6, kept), [0, 1, 2, 2, 1, 2])
    np.testing.assert_array_equal(kept, [True, True, False, True, False])


def test_equal_points_alone_are_refused():
    """Where all points are equal there is nothing to join, and the message says what to check."""
    with pytest.raises(ValueError, match=r"All points are equal.*Check the columns"):
        spanning_tree(np.ones((5, 2)))


def test_constant_columns_change_nothing():
    """A column with one value adds nothing to any distance."""
    X = cloud(50)
    wide = np.column_stack([X, np.full(50, 7.0)])
    np.testing.assert_array_equal(spanning_tree(wide, 3).ends, spanning_tree(X, 3).ends)
