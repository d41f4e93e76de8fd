"""The kernel as a graph over the distinct points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from mmc._points import Points
from mmc.kernels import fit_kernel, require_memory
from mmc.kernels.local_scaling import LocalScaling, find_neighbors
from mmc.kernels.spectral import Matrix

KERNELS = ("local_scaling", "rbf", "precomputed")


@dataclass(frozen=True, eq=False)
class Graph:
    """A kernel on the distinct points.

    Attributes
    ----------
    kernel : callable
        Returns the kernel values between new points and the vertices, as an array or a sparse array.
    matrix : ndarray or csr_array of shape (n_vertices, n_vertices)
        Kernel matrix of the vertices.
    vertex : ndarray of shape (n_samples,)
        Vertex of each sample.
    points : ndarray or csr_array of shape (n_vertices, n_features), or None
        Vertices as points; None for a precomputed kernel.
    n_neighbors : int
        Number of neighbours of local scaling, else 0.
    """

    kernel: Callable[[Points], Matrix]
    matrix: Matrix
    vertex: NDArray[np.int64]
    points: Points | None
    n_neighbors: int

    @property
    def multiplicity(self) -> NDArray[np.int64]:
        """Number of samples at each vertex."""
        return np.bincount(self.vertex)

    def project(self, X: Points) -> Points:
        """Return new points in the form of `points`, which may be principal components."""
        return self.kernel.project(X) if isinstance(self.kernel, LocalScaling) else X

    def light(self) -> Graph:
        """Return the graph without a dense matrix, which would take most of the memory of a state."""
        return self if issparse(self.matrix) else replace(self, matrix=csr_array(self.matrix.shape))


def dense_graph(X: Points, kernel: str, gamma: float | str, width: float) -> Graph:
    """Return the graph of a Gaussian or precomputed kernel, in which every sample is a vertex."""
    require_memory(X.shape[0])
    gram = fit_kernel(X, kernel=kernel, gamma=gamma, width=width)
    points = None if kernel == "precomputed" else X
    return Graph(gram.kernel, gram.matrix, np.arange(X.shape[0]), points, 0)


def make_graph(X: Points, kernel: str, gamma: float | str, width: float, n_neighbors: int) -> Graph:
    """Return the graph of one of `KERNELS`."""
    if kernel == "local_scaling":
        return local_graph(find_neighbors(X, n_neighbors).kernel(n_neighbors))
    return dense_graph(X, kernel, gamma, width)


def local_graph(kernel: LocalScaling) -> Graph:
    """Return the graph of a fitted local-scaling kernel."""
    return Graph(kernel, kernel.matrix, kernel.vertex, kernel.points, kernel.n_neighbors)


def require_vertices(graph: Graph, n_clusters: int) -> None:
    """Refuse more clusters than there are distinct points."""
    m, n = graph.matrix.shape[0], len(graph.vertex)
    if n_clusters > m:
        what = f"the number of points: n_samples={n}" if m == n else f"the {m} distinct points"
        raise ValueError(f"n_clusters={n_clusters} is more than {what}. Choose at most {m} clusters.")
