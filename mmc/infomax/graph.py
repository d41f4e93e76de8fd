"""The kernel as a graph over the distinct points, and its leading eigenvectors.

Eigenvectors are taken in each connected part by itself. A disconnected graph has repeated eigenvalues, and a
solver may answer with any mixture of their vectors; part by part there is nothing to mix, and the largest
eigenvalue of a part is simple (Perron and Frobenius). Among equal eigenvalues larger parts come first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.cluster import KMeans

from mmc.kernels import fit_kernel, require_memory
from mmc.local_scaling import find_neighbors

Array = NDArray[np.float64]
#: An array or a sparse array; scipy has no types of its own.
Matrix = Any

#: Up to this size the full decomposition of a dense matrix is quicker and never misses a vector.
_DENSE = 400

#: Restarts of Lanczos; graphs of many features need fewer than fifty, a chain of points hundreds.
_PATIENCE = 60

#: Links weaker than this share of the strongest one do not join parts: no eigenvector could tell.
_LOST = 1e-13

KERNELS = ("local_scaling", "rbf", "precomputed")


@dataclass(frozen=True, eq=False)
class Graph:
    """A kernel on the distinct points.

    Attributes
    ----------
    kernel : callable
        Compares new points with the vertices; gives an array or a sparse array.
    matrix : ndarray or csr_array of shape (n_vertices, n_vertices)
    vertex : ndarray of shape (n_samples,)
        Which vertex a sample is.
    points : ndarray of shape (n_vertices, n_features) or None
        None where only kernel values are known.
    n_neighbors : int
        Of local scaling, else 0.
    """

    kernel: Callable[[Array], Matrix]
    matrix: Matrix
    vertex: NDArray[np.int64]
    points: Array | None
    n_neighbors: int

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many samples each vertex stands for."""
        return np.bincount(self.vertex)

    def light(self) -> Graph:
        """Give the graph without a dense matrix, which would outweigh all else that a state keeps."""
        return self if issparse(self.matrix) else replace(self, matrix=csr_array(self.matrix.shape))


class Spectrum(NamedTuple):
    """Leading eigenvalues, in falling order, and their vectors as columns."""

    values: Array
    vectors: Array


def dense_graph(X: Array, kernel: str, gamma: float | str, width: float) -> Graph:
    """Make the graph of a Gaussian or precomputed kernel, in which every sample is a vertex."""
    require_memory(len(X))
    gram = fit_kernel(X, kernel=kernel, gamma=gamma, width=width)
    points = None if kernel == "precomputed" else X
    return Graph(gram.kernel, gram.matrix, np.arange(len(X)), points, 0)


def make_graph(X: Array, kernel: str, gamma: float | str, width: float, n_neighbors: int) -> Graph:
    """Make the graph of any of `KERNELS`."""
    if kernel == "local_scaling":
        return local_graph(find_neighbors(X, n_neighbors).kernel(n_neighbors))
    return dense_graph(X, kernel, gamma, width)


def local_graph(kernel: Any) -> Graph:
    """Make the graph of a fitted local-scaling kernel."""
    return Graph(kernel, kernel.matrix, kernel.vertex, kernel.points, kernel.n_neighbors)


def require_vertices(graph: Graph, n_clusters: int) -> None:
    """Refuse more clusters than there are distinct points."""
    m, n = graph.matrix.shape[0], len(graph.vertex)
    if n_clusters > m:
        what = f"the number of points: n_samples={n}" if m == n else f"the {m} distinct points"
        raise ValueError(f"n_clusters={n_clusters} is more than {what}. Choose at most {m} clusters.")


def degree_roots(matrix: Matrix) -> Array:
    """Give the roots of the row sums, by which a kernel is normalised.

    Raises
    ------
    ValueError
        If a row does not add up to something positive.
    """
    degrees = np.asarray(matrix.sum(axis=1)).ravel()
    if (degrees <= 0).any():
        raise ValueError(
            f"Row {int(degrees.argmin())} of the kernel adds up to {degrees.min():.3g}: degrees must be "
            "positive to normalise by them. Use a kernel without negative values, or normalize=False."
        )
    return np.sqrt(degrees)


def scaled(matrix: Matrix, roots: Array) -> Matrix:
    """Divide rows and columns by `roots`: D^-½ K D^-½."""
    if issparse(matrix):
        result = csr_array(matrix, copy=True)
        rows = np.repeat(np.arange(len(roots)), np.diff(result.indptr))
        result.data /= roots[rows] * roots[result.indices]
        return result
    return matrix / np.multiply.outer(roots, roots)


def leading(matrix: Matrix, k: int) -> Spectrum:
    """Find the leading eigenvectors of a symmetric matrix, part by part.

    Parameters
    ----------
    matrix : ndarray or csr_array of shape (m, m)
    k : int
        At most m.

    Returns
    -------
    Spectrum
        Of k eigenvectors.
    """
    m = matrix.shape[0]
    n_parts, part = connected_components(_links(matrix), directed=False)
    sizes = np.bincount(part)
    first = np.unique(part, return_index=True)[1]
    values, owners, vectors = [], [], []
    members_of = np.split(np.argsort(part, kind="stable"), np.cumsum(sizes)[:-1])
    for p in range(n_parts):
        members = members_of[p]
        block = matrix if n_parts == 1 else matrix[members][:, members]
        found = _leading_of_part(block, min(k, len(members)))
        values += list(found.values)
        owners += [p] * len(found.values)
        vectors += [(members, vector) for vector in found.vectors.T]
    owner = np.array(owners)
    # Rounding must not decide between equal eigenvalues, so they are compared to ten digits.
    rounded = np.round(np.array(values) / max(np.abs(values).max(), 1e-300), 10)
    order = np.lexsort((first[owner], -sizes[owner], -rounded))[:k]
    columns = np.zeros((m, k))
    for column, which in enumerate(order):
        members, vector = vectors[which]
        columns[members, column] = vector
    return Spectrum(np.array(values)[order], columns)


def self_tuning_labels(matrix: Matrix, k: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Cluster by spectral clustering: k-means on the rows of the leading eigenvectors of D^-½ K D^-½."""
    rows = leading(scaled(matrix, degree_roots(matrix)), k).vectors
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    model = KMeans(k, n_init=10, random_state=rng).fit(rows / np.where(lengths > 0, lengths, 1.0))
    return np.asarray(model.labels_, dtype=np.int64)


def _links(matrix: Matrix) -> csr_array:
    """Give the pattern of a matrix without the entries that rounding would lose beside the largest one."""
    if not issparse(matrix):
        size = np.abs(matrix)
        return csr_array(size > _LOST * size.max())
    pattern = csr_array(abs(matrix))
    pattern.data = pattern.data > _LOST * pattern.data.max(initial=0.0)
    pattern.eliminate_zeros()
    return pattern


def _leading_of_part(block: Matrix, k: int) -> Spectrum:
    m = block.shape[0]
    if m <= _DENSE or k >= m // 4:
        values, vectors = np.linalg.eigh(block.toarray() if issparse(block) else block)
        return Spectrum(values[::-1][:k], vectors[:, ::-1][:, :k])
    start = np.random.default_rng(0).uniform(0.5, 1.0, m)
    try:
        values, vectors = eigsh(block, k, which="LA", v0=start, ncv=max(4 * k, 40), maxiter=_PATIENCE)
    except ArpackNoConvergence:
        if not issparse(block):
            values, vectors = np.linalg.eigh(block)
        else:
            # Along a chain the leading eigenvalues all but touch; seen from just above they are far apart.
            top = float(eigsh(block, 1, which="LA", v0=start, tol=1e-3, return_eigenvectors=False)[0])
            values, vectors = eigsh(csc_array(block), k, sigma=top + 0.002 * abs(top), v0=start)
    order = np.argsort(-values, kind="stable")[:k]
    return Spectrum(values[order], vectors[:, order])
