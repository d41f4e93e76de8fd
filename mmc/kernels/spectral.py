"""Leading eigenvectors of a dense or sparse kernel matrix, and labels from them.

The eigenvectors of each connected component are computed separately. A disconnected graph has repeated
eigenvalues, for which a solver may return any mixture of eigenvectors. Within a component the largest
eigenvalue is simple (Perron and Frobenius). Among equal eigenvalues larger components come first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from sklearn.cluster import KMeans

from mmc._warnings import warnings_kept

Array = NDArray[np.float64]
#: An array or a sparse array, for which scipy has no types.
Matrix = Any

#: Up to this size the full decomposition of a dense matrix is faster and never misses an eigenvector.
_DENSE = 400

#: Largest number of Lanczos restarts; graphs of many features need fewer than fifty, chains hundreds.
_PATIENCE = 60

#: Relative error at which Lanczos iterations may stop where a rough result is enough.
_ROUGH = 1e-2

#: Links weaker than this share of the strongest one do not connect components.
_LOST = 1e-13


class Spectrum(NamedTuple):
    """Leading eigenvalues in decreasing order, and their eigenvectors as columns."""

    values: Array
    vectors: Array


def degree_roots(matrix: Matrix) -> Array:
    """Return the roots of the row sums, by which a kernel is normalised.

    Raises
    ------
    ValueError
        If a row sum is not positive.
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


def leading(matrix: Matrix, k: int, *, rough: bool = False) -> Spectrum:
    """Find the leading eigenvectors of a symmetric matrix, component by component.

    Parameters
    ----------
    matrix : ndarray or csr_array of shape (m, m)
    k : int
        Number of eigenvectors, at most m.
    rough : bool, default=False
        Whether Lanczos iterations in float32 with a relative error of a hundredth are enough.

    Returns
    -------
    Spectrum
        k eigenvalues and eigenvectors.
    """
    m = matrix.shape[0]
    n_components, component = connected_components(_links(matrix), directed=False)
    sizes = np.bincount(component)
    first = np.unique(component, return_index=True)[1]
    values, owners, vectors = [], [], []
    members_of = np.split(np.argsort(component, kind="stable"), np.cumsum(sizes)[:-1])
    for p in range(n_components):
        members = members_of[p]
        block = matrix if n_components == 1 else matrix[members][:, members]
        found = _leading_of_part(block, min(k, len(members)), rough)
        values += list(found.values)
        owners += [p] * len(found.values)
        vectors += [(members, vector) for vector in found.vectors.T]
    owner = np.array(owners)
    # Eigenvalues are compared to ten digits, so that rounding does not order equal ones.
    rounded = np.round(np.array(values) / max(np.abs(values).max(), 1e-300), 10)
    order = np.lexsort((first[owner], -sizes[owner], -rounded))[:k]
    columns = np.zeros((m, k), dtype=np.float32 if rough else np.float64)
    for column, which in enumerate(order):
        members, vector = vectors[which]
        columns[members, column] = vector
    return Spectrum(np.array(values)[order], columns)


def unit_rows(matrix: Matrix, k: int) -> Array:
    """Return the rows of the leading eigenvectors of D^-½ K D^-½, scaled to length 1; zero rows stay."""
    rows = leading(scaled(matrix, degree_roots(matrix)), k).vectors
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def self_tuning_labels(matrix: Matrix, k: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Cluster by spectral clustering: k-means on the rows of the leading eigenvectors of D^-½ K D^-½."""
    with warnings_kept():  # fewer clusters than k are reported at the end of the fit
        model = KMeans(k, n_init=10, random_state=rng).fit(unit_rows(matrix, k))
    return np.asarray(model.labels_, dtype=np.int64)


def normalized_cut(matrix: Array) -> NDArray[np.int64]:
    """Divide the points into two clusters by the normalised cut of Shi and Malik (2000).

    The points are sorted by the second eigenvector of the normalised kernel, and the cut with the lowest
    cut/assoc(A) + cut/assoc(B) among the n − 1 positions is chosen. Nothing is random. This takes n² beside
    the eigenvectors.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        Matrix without negative values.

    Returns
    -------
    ndarray of shape (n,)
        0 and 1, both of which occur.
    """
    roots = degree_roots(matrix)
    order = np.argsort(leading(scaled(matrix, roots), 2).vectors[:, 1] / roots, kind="stable")
    ordered = matrix[np.ix_(order, order)]
    degrees = np.cumsum(roots[order] ** 2)
    inside = np.cumsum(2.0 * np.tril(ordered, -1).sum(axis=1) + ordered.diagonal())
    cut = (degrees - inside)[:-1]
    first = int((cut / degrees[:-1] + cut / (degrees[-1] - degrees[:-1])).argmin()) + 1
    labels = np.empty(len(order), dtype=np.int64)
    labels[order] = np.arange(len(order)) >= first
    return labels


def _links(matrix: Matrix) -> csr_array:
    """Return the pattern of a matrix without entries that are negligible beside the largest one."""
    if not issparse(matrix):
        size = np.abs(matrix)
        return csr_array(size > _LOST * size.max())
    pattern = csr_array(abs(matrix))
    pattern.data = pattern.data > _LOST * pattern.data.max(initial=0.0)
    pattern.eliminate_zeros()
    return pattern


def _leading_of_part(block: Matrix, k: int, rough: bool) -> Spectrum:
    m = block.shape[0]
    if m <= _DENSE or k >= m // 4:
        values, vectors = np.linalg.eigh(block.toarray() if issparse(block) else block)
        return Spectrum(values[::-1][:k], vectors[:, ::-1][:, :k])
    start = np.random.default_rng(0).uniform(0.5, 1.0, m)
    effort: dict[str, Any] = {"ncv": max(4 * k, 40)}
    if rough:
        block, start = block.astype(np.float32), start.astype(np.float32)
        effort = {"ncv": 2 * k + 1, "tol": _ROUGH}
    try:
        values, vectors = eigsh(block, k, which="LA", v0=start, maxiter=_PATIENCE, **effort)
    except ArpackNoConvergence:
        if not issparse(block):
            values, vectors = np.linalg.eigh(block)
        else:
            # The leading eigenvalues of a chain are nearly equal; a shift to just above them separates them.
            top = float(eigsh(block, 1, which="LA", v0=start, tol=1e-3, return_eigenvectors=False)[0])
            values, vectors = eigsh(csc_array(block), k, sigma=top + 0.002 * abs(top), v0=start)
    order = np.argsort(-values, kind="stable")[:k]
    return Spectrum(values[order], vectors[:, order])
