"""Base class and states of the clusterers that join or cut along a minimum spanning tree."""

from __future__ import annotations

from dataclasses import dataclass

from mmc.baselines.moving import Array, NearestVertex
from mmc.kernels.spanning_tree import SpanningTree, spanning_tree
from mmc.starts import require_distinct, require_points
from mmc.stepping import State


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeState(State):
    """A number of clusters, each held together by edges of the tree.

    Attributes
    ----------
    n_found : int
        Number of clusters.
    edge : float
        Length of the last edge that was joined or cut; 0 at the start.
    """

    n_found: int
    edge: float


class TreeClusterer(NearestVertex):
    """A clusterer whose clusters are parts of a minimum spanning tree.

    A subclass says by `_core` which neighbour sets the core distances, and defines `_starts`.
    """

    n_clusters: int
    tree_: SpanningTree

    #: The neighbour whose distance is the core distance; one means plain distances.
    @property
    def _core(self) -> int:
        return 1

    def _prepare(self, X: Array) -> SpanningTree:
        require_points(len(X), self.n_clusters)
        tree = spanning_tree(X, self._core)
        require_distinct(tree.n_vertices, self.n_clusters)
        return tree

    def _keep(self, tree: SpanningTree) -> None:
        """Store the tree and the points that new points are compared with."""
        self.tree_ = tree
        self.neighborhood_ = tree.neighborhood


def counted(n: int, what: str) -> str:
    """Return a number and a noun, in the plural where it must be."""
    return f"{n} {what}{'' if n == 1 else 's'}"
