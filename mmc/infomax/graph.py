"""The kernel as a graph over the distinct points.

Weights are multiplicities. Under local scaling equal points are one vertex, whose kernel does not depend on
how many there are; elsewhere a point that is there twice has two vertices, so that a weight of 2 counts twice
in every sum over the kernel.

Vertices that belong together are a unit, and the eigenvectors are those of the kernel averaged over units.
With P the projector onto vectors that are constant within units, this is P K P, of which linked points have
equal rows; normalised by degrees D it is P D^-½ K D^-½ P, with P the projector onto D^½ times such vectors,
which are the labels that normalised cuts allow. It has as many eigenvectors as there are units, and they are
found on the graph whose vertices are the units, which is not larger and as sparse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components

from mmc._points import Points
from mmc.hints import Hints
from mmc.kernels import fit_kernel, require_memory
from mmc.kernels.local_scaling import LocalScaling, find_neighbors
from mmc.kernels.spectral import Array, Matrix, Spectrum, accuracy_for, degree_roots, leading, scaled

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
    weights : ndarray of shape (n_samples,) or None
        Weights of the samples; None if all count the same.
    unit : ndarray of shape (n_vertices,) or None
        Unit of each vertex; None if no vertices belong together.
    """

    kernel: Callable[[Points], Matrix]
    matrix: Matrix
    vertex: NDArray[np.int64]
    points: Points | None
    n_neighbors: int
    weights: Array | None = None
    unit: NDArray[np.int64] | None = None

    @property
    def multiplicity(self) -> NDArray[np.int64] | Array:
        """Number of samples at each vertex, or the sum of their weights."""
        return np.bincount(self.vertex, self.weights)

    @property
    def copies(self) -> Array | None:
        """How often each vertex counts in a sum over the kernel; None if all count once."""
        return None if self.n_neighbors else self.weights

    def degree_roots(self) -> Array:
        """Return the roots of the degrees, by which the kernel is normalised."""
        return degree_roots(self.matrix, self.copies)

    def leading(self, k: int, *, normalized: bool) -> Spectrum:
        """Find the leading eigenvectors of the (normalised) kernel, averaged over units.

        Parameters
        ----------
        k : int
            Number of eigenvectors, at most the number of units.
        normalized : bool
            Whether the kernel is normalised by its degrees.

        Returns
        -------
        Spectrum
            The vectors have one entry for each vertex; a vertex that counts w times has the weight w in their
            products.
        """
        accuracy, copies = accuracy_for(self.matrix), self.copies
        roots = self.degree_roots() if normalized else None
        if copies is None and self.unit is None:
            return leading(self.matrix if roots is None else scaled(self.matrix, roots), k, accuracy=accuracy)
        m = self.matrix.shape[0]
        unit = np.arange(m) if self.unit is None else self.unit
        weight = np.ones(m) if copies is None else copies
        own = np.ones(m) if roots is None else roots
        sizes = np.sqrt(np.bincount(unit, weight * own**2))
        total = csr_array((weight, (unit, np.arange(m))), shape=(len(sizes), m))
        merged = total @ (total @ self.matrix).T
        values, vectors = leading(scaled(merged, sizes), k, accuracy=accuracy)
        return Spectrum(values, vectors[unit] * (own / sizes[unit])[:, None])

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


def with_hints(graph: Graph, hints: Hints) -> Graph:
    """Return the graph with weights, and with units of the samples that belong together or to known clusters.

    Parameters
    ----------
    graph : Graph
    hints : Hints

    Returns
    -------
    Graph
    """
    if hints.are_none:
        return graph
    graph = replace(graph, weights=hints.weights)
    if not hints.are_links:
        return graph
    m, n_units = graph.matrix.shape[0], hints.n_units
    # The nodes are the vertices, the units of the samples, and the known clusters.
    known = np.flatnonzero(hints.fixed >= 0)
    ends = (
        np.concatenate([graph.vertex, m + known]),
        np.concatenate([m + hints.unit, m + n_units + hints.fixed[known]]),
    )
    size = m + n_units + int(hints.fixed.max(initial=-1)) + 1
    nodes = coo_array((np.ones(len(ends[0])), ends), shape=(size, size))
    unit = connected_components(nodes, directed=False)[1][:m]
    unit = np.unique(unit, return_inverse=True)[1]
    return replace(graph, unit=unit.astype(np.int64)) if unit.max() + 1 < m else graph


def require_vertices(graph: Graph, n_clusters: int) -> None:
    """Refuse more clusters than there are distinct points, or groups of them."""
    if graph.unit is not None and n_clusters > (n_units := int(graph.unit.max()) + 1):
        raise ValueError(
            f"n_clusters={n_clusters} is more than the {n_units} groups of points that links and known "
            f"labels leave. Choose at most {n_units} clusters, or take hints back."
        )
    m, n = graph.matrix.shape[0], len(graph.vertex)
    if n_clusters > m:
        what = f"the number of points: n_samples={n}" if m == n else f"the {m} distinct points"
        raise ValueError(f"n_clusters={n_clusters} is more than {what}. Choose at most {m} clusters.")
