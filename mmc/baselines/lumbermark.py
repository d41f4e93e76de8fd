"""Lumbermark: cut long edges of a mutual reachability spanning tree, but no small parts (Gagolewski 2026).

The tree is the minimum spanning tree under the mutual reachability distance max(d(x_i, x_j), c_i, c_j), in
which the core distance c_i is the distance of x_i to its M-th nearest neighbour: points in sparse places are
far from all others, so that single ones do not lie between two clusters as a bridge. The longest edge is cut
that leaves on both sides at least

    max(b, f n / m)

points, where m is the number of clusters after the cut, and so on until there are k clusters. Edges that
would cut off less lead to outliers, and are kept.

Symbols: M `n_neighbors`, b `min_cluster_size`, f `min_cluster_factor`, m `LumbermarkState.n_found`.

Where no edge qualifies, the bound is halved for this cut and all later ones, so that there are always k
clusters if there are k different points.

One step is one cut. Costs: the tree (see `mmc.kernels.spanning_tree`), and n for each cut. Memory: the tree.

Deviations: equal points are one vertex, which counts as often as it occurs, and the M neighbours are
different points; beyond 5,000 different points the tree is that of a graph of neighbours. The author's
package can leave the leaves of the tree out of the counts (its option `skip_leaves`), which this class does
not, so that clusters can differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mmc._fast.tree_clusters import cut, hang, longest_cut
from mmc.baselines.tree import TreeClusterer, TreeState, counted
from mmc.kernels.spanning_tree import SpanningTree
from mmc.ranges import RANGES, real, whole
from mmc.stepping import State


@dataclass(frozen=True, kw_only=True, eq=False)
class LumbermarkState(TreeState):
    """The clusters after some cuts.

    Attributes
    ----------
    least : float
        Number of points that the last cut had to leave on both sides; 0 at the start.
    """

    least: float

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        return "start" if self.n_found == 1 else "cut"

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """Clusters, the edge that was cut, what it cut off, and the length that is left."""
        length = ("length", f"{self.objective:.5g}")
        if self.n_found == 1:
            return (("clusters", "1"), length)
        return (
            ("clusters", str(self.n_found)),
            ("edge cut", f"{self.edge:.4g}"),
            ("points cut off", str(len(self.moved))),
            ("at least", f"{self.least:.4g}"),
            length,
        )

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        if self.n_found == 1:
            return f"start: one tree holds all points, its edges are {self.objective:.4g} long in all"
        off, number = counted(len(self.moved), "point"), self.n_found - 1
        return f"cut {number}: an edge of length {self.edge:.3g}, {off} cut off of at least {self.least:.3g}"

    @property
    def rings(self) -> str:
        """What is said of the rings in a picture."""
        return "Rings mark the part that was cut off, the smaller of the two sides."


class Lumbermark(TreeClusterer):
    """Cuts the longest edges of a spanning tree that leave enough points on both sides.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    n_neighbors : int, default=5
        Number M of the neighbour whose distance is the core distance of a point; it is reduced to the number
        of other points. With 1 the lengths of edges are plain distances. Allowed are 1 to 1,000,000.
    min_cluster_size : int, default=10
        Smallest number of points b on both sides of a cut. Allowed are 1 to 1,000,000.
    min_cluster_factor : float, default=0.25
        Smallest size f of a cluster as a share of the mean size after the cut. Allowed are 0 to 1.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1, in the order of the cuts: the smaller side
        of a cut gets the next number.
    objective_ : float
        Sum of the lengths of the edges within clusters.
    n_iter_ : int
        Number of cuts.
    start_objectives_ : ndarray of shape (1,)
        Objective at the end of each start.
    tree_ : SpanningTree
        Minimum spanning tree of the different points.
    neighborhood_ : Neighborhood
        Different points, or their principal components, and their neighbours.
    state_ : LumbermarkState
        Last state of the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one cut. Nothing is random. Up to 5,000 different points the minimum spanning tree takes n²
    d/2 and is exact; beyond, it is that of a graph of neighbours with links between its components (see
    `mmc.kernels.spanning_tree`). No n×n array is needed, and a cut takes n.

    Where no edge leaves enough points on both sides, the bound is halved for this cut and all later ones. All
    points count, while the author's package can leave out the leaves of the tree (`skip_leaves`); its
    clusters can differ.

    The paper does not define labels for new points. Here a new point joins the cluster of its nearest
    training point, so that `predict` equals `labels_` on the training points; `decision_function` is minus
    the distance to the nearest member of each cluster.

    References
    ----------
    M. Gagolewski: Lumbermark: Resistant clustering by chopping up mutual reachability minimum spanning trees.
    2026.

    Examples
    --------
    >>> from mmc import Lumbermark
    >>> from mmc.datasets import make_moons
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> clustering_error(y, Lumbermark(n_clusters=2).fit(X).labels_)
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [RANGES["n_clusters"]],
        "n_neighbors": [RANGES["n_neighbors"]],
        "min_cluster_size": [whole(1, 1_000_000)],
        "min_cluster_factor": [real(0, 1)],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_neighbors: int = 5,
        min_cluster_size: int = 10,
        min_cluster_factor: float = 0.25,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.min_cluster_size = min_cluster_size
        self.min_cluster_factor = min_cluster_factor

    @property
    def _core(self) -> int:
        return self.n_neighbors

    def _starts(self, problem: SpanningTree) -> tuple[int, Iterable[Iterable[State]]]:
        self._keep(problem)
        return 1, [self._cuts(problem)]

    def _cuts(self, tree: SpanningTree) -> Iterator[LumbermarkState]:
        n, k = len(tree.vertex), self.n_clusters
        parent, rank, order, below = np.empty((4, tree.n_vertices), dtype=np.int64)
        hang(tree.ends, tree.sizes, parent, rank, order, below)
        top = np.zeros(tree.n_vertices, dtype=np.int64)
        number = np.zeros(tree.n_vertices, dtype=np.int64)  # label of a cluster, at its uppermost vertex
        length = float(tree.lengths.sum())
        labels = number[top][tree.vertex]
        yield LumbermarkState(labels=labels, objective=length, n_found=1, edge=0.0, least=0.0)
        share = 1.0
        for m in range(2, k + 1):
            least = max(self.min_cluster_size, self.min_cluster_factor * n / m) * share
            while (lower := longest_cut(rank, top, below, least)) < 0:
                least, share = least / 2.0, share / 2.0
            upper, edge = top[lower], float(tree.lengths[rank[lower]])
            cut(lower, parent, rank, order, top, below)
            number[lower] = m - 1
            if below[lower] > below[upper]:
                number[lower], number[upper] = number[upper], m - 1
            length -= edge
            before, labels = labels, number[top][tree.vertex]
            yield LumbermarkState(
                labels=labels,
                objective=length,
                converged=m == k,
                progress=(m - 1) / (k - 1),
                moved=np.flatnonzero(labels != before),
                n_found=m,
                edge=edge,
                least=least,
            )
