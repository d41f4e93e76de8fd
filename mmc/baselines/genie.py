"""Genie: single linkage that may not leave clusters of too unequal sizes (Gagolewski et al. 2016).

Every point begins as a cluster. Clusters are joined along the edges of the minimum spanning tree, the
shortest first, which alone is single linkage. Before each merge the Gini index of the sizes s_1, …, s_m,

    G = Σ_{i<j} |s_i − s_j| / (n (m − 1)),

is compared with a threshold g. It is 0 where all clusters have the same size, and near 1 where one has nearly
all points. Where G > g, the next merge takes the shortest edge that touches a cluster of the smallest size.
Thus single points far from all others are joined early, and no cluster grows by single points for long.

Symbols: g `gini_threshold`, G `GenieState.gini`, m `GenieState.n_found`.

One step is a group of merges: a fifth of those that are left, and single ones at the end. Costs: the tree
(see `mmc.kernels.spanning_tree`), and at most n √n for all merges. Memory: the tree.

Deviations from the paper: equal points are one vertex, which counts as often as it occurs; and beyond 5,000
different points the tree is that of a graph of neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mmc._fast.tree_clusters import join, number_merges
from mmc.baselines.moving import Labels
from mmc.baselines.tree import TreeClusterer, TreeState, counted
from mmc.kernels.spanning_tree import SpanningTree
from mmc.ranges import RANGES, real
from mmc.stepping import CurvePoint, State

#: Number of clusters, if k is less, that have labels of their own in the states before the last.
SHOWN = 19

#: Share of the merges that are left which one step makes.
_SHARE = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class GenieState(TreeState):
    """The clusters after some merges.

    Attributes
    ----------
    gini : float
        Gini index of the sizes.
    threshold : float
        Gini index above which a smallest cluster must be joined.
    forced : bool
        Whether the last merge had to take a smallest cluster.
    """

    gini: float
    threshold: float
    forced: bool

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        if not self.n_done:
            return "start"
        return "smallest" if self.forced else "join"

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """Merges, clusters, the last edge, and the Gini index beside its threshold."""
        edge = (("last edge", f"{self.edge:.4g}"),) if self.n_done else ()
        return (
            ("merges", str(self.n_done)),
            ("clusters", str(self.n_found)),
            *edge,
            ("G", f"{self.gini:.3f}"),
            ("g", f"{self.threshold:g}"),
            ("length", f"{self.objective:.5g}"),
        )

    @property
    def remark(self) -> str:
        """Why the objective rises."""
        return "The length grows with every merge, as it must: each adds an edge." if self.n_done else ""

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        clusters = counted(self.n_found, "cluster")
        if not self.n_done:
            return f"start: every point is alone, {clusters}"
        return (
            f"{counted(self.n_done, 'merge')}, {clusters}: the last edge is {self.edge:.3g} long, "
            f"Gini index {self.gini:.2f}"
        )

    @property
    def curves(self) -> tuple[CurvePoint, ...]:
        """Length of all edges so far, and the Gini index with its threshold."""
        gini = CurvePoint("Gini index of the sizes", {"": self.gini}, level=self.threshold)
        return (CurvePoint("", {"": self.objective}), gini)

    @property
    def rings(self) -> str:
        """What is said of the rings in a picture."""
        return "Rings mark the points whose cluster was joined to another one, which they now belong to."


class Genie(TreeClusterer):
    """Single linkage with a bound on how unequal the sizes of clusters may be.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    gini_threshold : float, default=0.3
        Gini index of the sizes above which the next merge must take a smallest cluster. With 1 the method is
        single linkage, and with small values clusters have similar sizes. Allowed are 0 to 1.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1; larger clusters come first.
    objective_ : float
        Sum of the lengths of the edges within clusters.
    n_iter_ : int
        Number of merges.
    start_objectives_ : ndarray of shape (1,)
        Objective at the end of each start.
    tree_ : SpanningTree
        Minimum spanning tree of the different points.
    neighborhood_ : Neighborhood
        Different points, or their principal components, and their neighbours.
    state_ : GenieState
        Last state of the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is a group of merges: a fifth of those that are left, and single ones at the end. Nothing is
    random. Up to 5,000 different points the minimum spanning tree takes n² d/2 and is exact; beyond, it is
    that of a graph of neighbours with links between its components (see `mmc.kernels.spanning_tree`). No n×n
    array is needed.

    In the states of a fit clusters have the same labels throughout: with each merge the smaller of the two
    clusters takes the label of the larger one, and the highest label goes. While there are more than 19
    clusters (or `n_clusters`, if that is more), those with higher labels share the next one, so that a
    picture can show them. A fit that is stopped early has such labels.

    Of all ways to join the points to k clusters by edges, single linkage has the smallest sum of lengths; the
    bound on the sizes costs some of it.

    The paper does not define labels for new points. Here a new point joins the cluster of its nearest
    training point, so that `predict` equals `labels_` on the training points; `decision_function` is minus
    the distance to the nearest member of each cluster.

    References
    ----------
    M. Gagolewski, M. Bartoszuk, A. Cena: Genie: A new, fast, and outlier-resistant hierarchical clustering
    algorithm. Information Sciences 363, 2016.

    Examples
    --------
    >>> from mmc import Genie
    >>> from mmc.datasets import make_rings
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_rings(100, random_state=0)
    >>> clustering_error(y, Genie(n_clusters=2).fit(X).labels_)
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [RANGES["n_clusters"]],
        "gini_threshold": [real(0, 1)],
    }

    def __init__(self, n_clusters: int = 2, *, gini_threshold: float = 0.3) -> None:
        self.n_clusters = n_clusters
        self.gini_threshold = gini_threshold

    def _starts(self, problem: SpanningTree) -> tuple[int, Iterable[Iterable[State]]]:
        self._keep(problem)
        return 1, [self._groups(problem)]

    def _groups(self, tree: SpanningTree) -> Iterator[GenieState]:
        m, k = tree.n_vertices, self.n_clusters
        merged, ginis = np.empty(m - k, dtype=np.int64), np.empty(m - k + 1)
        join(tree.ends, tree.sizes, k, float(self.gini_threshold), merged, ginis)
        into, first = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
        number_merges(tree.ends, tree.sizes, merged, into, first)
        lengths = np.concatenate([[0.0], tree.lengths[merged]])
        sums = np.cumsum(lengths)
        before: Labels | None = None
        for n_merges in _stops(m - k):
            labels = _labels(first, into, m - n_merges, max(k, SHOWN))[tree.vertex]
            yield GenieState(
                labels=labels,
                objective=float(sums[n_merges]),
                converged=n_merges == m - k,
                progress=n_merges / max(m - k, 1),
                n_done=n_merges,
                moved=np.empty(0, dtype=np.int64) if before is None else np.flatnonzero(labels != before),
                n_found=m - n_merges,
                edge=float(lengths[n_merges]),
                gini=float(ginis[n_merges]),
                threshold=float(self.gini_threshold),
                forced=n_merges > 0 and bool(ginis[n_merges - 1] > self.gini_threshold),
            )
            before = labels


def _stops(n_merges: int) -> Iterator[int]:
    """Return the numbers of merges after which there is a state."""
    left = n_merges
    while left > 0:
        yield n_merges - left
        left -= max(1, left // _SHARE)
    yield n_merges


def _labels(first: Labels, into: Labels, n_found: int, shown: int) -> Labels:
    """Return the labels of the vertices where `n_found` clusters are left, `shown` at most and the rest."""
    current = np.arange(len(into))
    current[n_found:] = into[n_found:]
    while (current >= n_found).any():  # every way leads down to a cluster that is left
        current = current[current]
    return np.minimum(current, shown)[first]
