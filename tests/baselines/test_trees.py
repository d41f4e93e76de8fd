"""Genie and Lumbermark equal naive forms that compute everything anew, and find what they are meant for."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from mmc import Genie, Lumbermark
from mmc.baselines.genie import SHOWN
from mmc.datasets import make_moons, make_rings, make_three_gaussians
from mmc.figures import animation, make_scene, make_view
from mmc.kernels import neighbors
from mmc.kernels.spanning_tree import spanning_tree
from mmc.metrics import adjusted_rand_score
from mmc.recording import record

BOTH = pytest.mark.parametrize("cls", [Genie, Lumbermark])


def groups(n=40, seed=0, q=2):
    """Draw points of a few groups, without ties."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)) + 4.0 * rng.normal(size=(3, q))[rng.integers(0, 3, n)]


def same(a, b):
    """Say whether two labellings are one partition."""
    return adjusted_rand_score(a, b) == 1.0


def gini(sizes):
    """Give the Gini index of sizes by its definition."""
    n, m = sum(sizes), len(sizes)
    return sum(abs(a - b) for a, b in combinations(sizes, 2)) / (n * (m - 1)) if m > 1 else 0.0


def naive_genie(X, k, threshold):
    """Join clusters of samples, with all sizes and all distances between clusters computed anew."""
    places = np.unique(X, axis=0)
    clusters = [list(np.flatnonzero((place == X).all(axis=1))) for place in places]
    D = cdist(X, X)
    while len(clusters) > k:
        sizes = [len(c) for c in clusters]
        pairs = list(combinations(range(len(clusters)), 2))
        if gini(sizes) > threshold:
            pairs = [(a, b) for a, b in pairs if min(sizes[a], sizes[b]) == min(sizes)]
        a, b = min(pairs, key=lambda pair: D[np.ix_(clusters[pair[0]], clusters[pair[1]])].min())
        clusters[a] += clusters.pop(b)
    labels = np.empty(len(X), dtype=int)
    for h, members in enumerate(clusters):
        labels[members] = h
    return labels


def naive_lumbermark(X, k, t, least, factor):
    """Cut the tree, with the sides of every edge counted anew for every cut."""
    tree = spanning_tree(X, t)
    edges = [tuple(edge) for edge in tree.ends]

    def parts(edges):
        A = np.zeros((tree.n_vertices, tree.n_vertices))
        for i, j in edges:
            A[i, j] = 1
        return connected_components(A, directed=False)[1][tree.vertex]

    share = 1.0
    for m in range(2, k + 1):
        chosen = None
        while chosen is None:
            need = share * max(least, factor * len(X) / m)
            for edge in reversed(edges):
                labels = parts([other for other in edges if other != edge])
                sides = [np.sum(labels == labels[np.flatnonzero(tree.vertex == v)[0]]) for v in edge]
                if min(sides) >= need:
                    chosen = edge
                    break
            else:
                share /= 2.0
        edges.remove(chosen)
    return parts(edges)


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_genie_is_its_definition(seed, threshold):
    """Merges along the tree with sums kept up to date equal those between clusters with all computed anew."""
    X = groups(30 + 3 * seed, seed)
    for k in (2, 3, 7):
        assert same(Genie(k, gini_threshold=threshold).fit(X).labels_, naive_genie(X, k, threshold))


@pytest.mark.parametrize("threshold", [0.0, 0.3, 1.0])
def test_equal_points_count_in_the_gini_index(threshold):
    """A point that occurs five times is a cluster of five."""
    X = np.repeat(groups(16, 3), np.random.default_rng(0).integers(1, 6, 16), axis=0)
    for k in (2, 4):
        assert same(Genie(k, gini_threshold=threshold).fit(X).labels_, naive_genie(X, k, threshold))


def test_the_gini_index_of_every_state_is_that_of_its_sizes():
    """While every cluster has its own label, the state's Gini index is that of the labels' counts."""
    X = np.repeat(groups(40, 1), 2, axis=0)[:70]
    seen = 0
    for step in Genie(2, gini_threshold=0.2).iter_fit(X):
        if step.state.n_found <= SHOWN:
            assert step.state.gini == pytest.approx(gini(np.bincount(step.state.labels)))
            seen += 1
    assert seen > 5


@pytest.mark.parametrize("seed", range(3))
def test_without_a_bound_genie_is_single_linkage(seed):
    """With a threshold of one the clusters are those of scipy's single linkage."""
    X = groups(150, seed)
    for k in (2, 5, 20):
        known = fcluster(linkage(X, "single"), k, criterion="maxclust")
        assert same(Genie(k, gini_threshold=1.0).fit(X).labels_, known)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("t", "least", "factor"), [(1, 1, 0.0), (5, 10, 0.25), (3, 4, 0.9), (5, 30, 0.0)])
def test_lumbermark_is_its_definition(seed, t, least, factor):
    """Cuts with sizes kept up to date equal those with both sides of every edge counted anew."""
    X = groups(40, seed)
    for k in (2, 3, 6):
        model = Lumbermark(k, n_neighbors=t, min_cluster_size=least, min_cluster_factor=factor).fit(X)
        assert same(model.labels_, naive_lumbermark(X, k, t, least, factor))


def test_equal_points_count_on_both_sides_of_a_cut():
    """A place where four points lie is cut off if four are enough, and not if they are too few."""
    X = np.concatenate([np.repeat([[9.0, 9.0]], 4, axis=0), groups(40, 2)])
    assert same(Lumbermark(3, min_cluster_size=4).fit(X).labels_, naive_lumbermark(X, 3, 5, 4, 0.25))
    model = Lumbermark(2, min_cluster_size=5, min_cluster_factor=0).fit(X)
    assert np.bincount(model.labels_).min() >= 5


def test_the_objective_is_the_length_within_clusters():
    """Both report the sum of the edges of the tree whose ends have the same label."""
    X = groups(60, 4)
    for model in (Genie(4).fit(X), Lumbermark(4).fit(X)):
        i, j = model.tree_.ends.T
        within = model.labels_[i] == model.labels_[j]
        assert model.objective_ == pytest.approx(model.tree_.lengths[within].sum())


def test_every_cut_parts_one_cluster():
    """A cut gives the smaller side of one cluster the next label, and the picture rings these points."""
    states = [step.state for step in Lumbermark(5).iter_fit(groups(200, 1))]
    assert [state.n_found for state in states] == [1, 2, 3, 4, 5]
    for before, after in pairwise(states):
        off = after.labels == after.n_found - 1
        np.testing.assert_array_equal(np.flatnonzero(off), after.moved)
        np.testing.assert_array_equal(before.labels[~off], after.labels[~off])
        (parted,) = np.unique(before.labels[off])
        assert off.sum() <= (after.labels == parted).sum()


def test_merges_remove_the_highest_labels():
    """Labels only fall on the way, single merges come last, and many clusters share one label."""
    states = [step.state for step in Genie(3).iter_fit(groups(200, 1))]
    assert [state.n_found for state in states[-5:]] == [7, 6, 5, 4, 3]
    assert states[0].n_found == 200
    for before, after in pairwise(states):
        assert (after.labels <= before.labels).all()
    for state in states:
        np.testing.assert_array_equal(np.unique(state.labels), np.arange(min(state.n_found, SHOWN + 1)))
    assert (np.diff(np.bincount(states[-1].labels)) <= 0).all()


def test_the_line_says_whether_the_last_merge_was_forced():
    """Without a bound no merge is forced; with the strictest one the last merge of unequal clusters is."""
    X = groups(50, 2)
    free = {step.state.line for step in Genie(2, gini_threshold=1.0).iter_fit(X)}
    assert free == {"start", "join"}
    assert "smallest" in {step.state.line for step in Genie(2, gini_threshold=0.0).iter_fit(X)}


@BOTH
def test_the_order_of_rows_and_the_origin_do_not_matter(cls):
    """Permuted rows and shifted points make the same clusters."""
    X = groups(150, 6)
    labels = cls(4).fit(X).labels_
    order = np.random.default_rng(0).permutation(150)
    assert same(labels[order], cls(4).fit(X[order]).labels_)
    assert same(labels, cls(4).fit(X + 1000.0).labels_)


@BOTH
@pytest.mark.parametrize("make", [make_moons, make_rings])
def test_bent_clusters_are_found(cls, make):
    """Moons and rings are told apart."""
    data = make(300, random_state=0)
    assert same(data.y, cls(2).fit(data.X).labels_)


@BOTH
def test_a_point_far_away_is_no_cluster(cls):
    """Single linkage makes a cluster of a stray point; these do not."""
    clouds = make_three_gaussians(150, noise=0.3, random_state=0)
    X = np.concatenate([clouds.X, [[40.0, 40.0]]])
    labels = cls(3).fit(X).labels_
    assert same(clouds.y, labels[:-1])
    assert not same(clouds.y, Genie(3, gini_threshold=1.0).fit(X).labels_[:-1])


@BOTH
def test_labels_of_new_points_are_those_of_the_nearest(cls):
    """Training points keep their labels, and decision values are distances to the nearest members."""
    X = np.repeat(groups(60, 3), 2, axis=0)
    model = cls(3).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    new = groups(20, 8)
    nearest = [cdist(new, X[model.labels_ == h]).min(axis=1) for h in range(3)]
    np.testing.assert_allclose(-model.decision_function(new), np.array(nearest).T)


@BOTH
@pytest.mark.parametrize("q", [2, 30])
def test_many_points(cls, q, monkeypatch):
    """With the tree of a graph the same clusters are found, and training points keep their labels."""
    rng = np.random.default_rng(0)
    X = (
        rng.normal(size=(900, q))
        + 12.0 * np.eye(3, q)[np.arange(900) % 3] * (1 + np.arange(3) % 2)[:, None][np.arange(900) % 3]
    )
    exact = cls(3).fit(X)
    monkeypatch.setattr(neighbors, "EXACT", 500)
    monkeypatch.setattr(neighbors, "N_COMPONENTS", 10)
    model = cls(3).fit(X)
    assert model.neighborhood_.points.shape == (900, min(q, 10))
    assert same(exact.labels_, model.labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@BOTH
def test_as_many_clusters_as_different_points(cls):
    """Three places make three clusters and no more, however many points are there."""
    X = np.repeat([[0.0], [1.0], [5.0]], 4, axis=0)
    assert same(np.repeat([0, 1, 2], 4), cls(3).fit(X).labels_)
    assert same(np.repeat([0, 0, 1], 4), cls(2).fit(X).labels_)
    assert same([0, 1, 2], cls(3).fit([[0.0], [1.0], [5.0]]).labels_)
    with pytest.raises(ValueError, match="n_clusters=4 is more than the number of different points, 3"):
        cls(4).fit(X)
    with pytest.raises(ValueError, match="All points are equal"):
        cls(2).fit(np.ones((6, 2)))


def test_a_bound_that_cannot_be_kept_is_halved():
    """Points on a line in equal distances can be cut to single ones, and the state has the bound."""
    X = np.arange(12.0)[:, None] ** 1.1
    model = Lumbermark(12).fit(X)
    np.testing.assert_array_equal(np.bincount(model.labels_), np.ones(12))
    assert model.state_.least <= 1.0
    states = [step.state for step in Lumbermark(3).iter_fit(X)]
    assert [state.least for state in states] == [0.0, 5.0, 2.5]


@BOTH
def test_every_state_can_be_drawn(cls):
    """Pictures of all states have borders, and captions that name numbers alone."""
    X = groups(120, 2)
    recording = record(cls(3), X)
    scene = make_scene(recording, make_view(X, ("a", "b")))
    assert len(animation(scene).frames) == len(recording.states)
    assert all(len(border) for border in scene.borders[1:])
    assert not any("nan" in caption or "inf" in caption for caption in scene.captions)


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.7])
def test_genie_is_that_of_the_authors(threshold):
    """On points without ties the authors' package gives the same clusters."""
    package = pytest.importorskip("genieclust", exc_type=ImportError)
    for seed in range(3):
        X = groups(200, seed, q=3)
        theirs = package.Genie(n_clusters=4, gini_threshold=threshold).fit_predict(X)
        assert same(theirs, Genie(4, gini_threshold=threshold).fit(X).labels_)
