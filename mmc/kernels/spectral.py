"""Leading eigenvectors of a dense or sparse kernel matrix, and labels from them.

The eigenvectors of each connected component are computed separately. A disconnected graph has repeated
eigenvalues, for which a solver may return any mixture of eigenvectors. Within a component the largest
eigenvalue is simple (Perron and Frobenius). Among equal eigenvalues larger components come first.

How the eigenvectors of a component are found:

- up to 400 vertices by a full decomposition;
- beyond, by Lanczos iterations in float64 to full accuracy;
- of a sparse matrix, where less is enough, in float32: "fine" up to a relative error of 1e-4, which is enough
  to read eigenvectors one by one, and "rough" up to a hundredth in less time and memory, where only the space
  that they span matters and the last of them may be missed.

Along a line or in a plane the leading eigenvalues of a large graph differ by much less than that. Such graphs
are thin: few links have to be cut to divide them, so that the matrix has a sparse factorisation, by which
"fine" and "rough" find the leading eigenvectors well and in less time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, eye_array, issparse, tril
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu
from sklearn.cluster import KMeans

from mmc._warnings import warnings_kept
from mmc.kernels.neighbors import EXACT

Array = NDArray[np.float64]
Floats = NDArray[np.floating]
Accuracy = Literal["full", "fine", "rough"]
#: An array or a sparse array, for which scipy has no types.
Matrix = Any

#: Up to this size the full decomposition of a dense matrix is faster and never misses an eigenvector.
_DENSE = 400

#: Largest number of Lanczos restarts; graphs of many features need fewer than fifty, chains hundreds.
_PATIENCE = 60

#: Relative error at which Lanczos iterations in float32 may stop.
_FINE, _ROUGH = 1e-4, 1e-2

#: A graph of m vertices is thin if its mean profile, in the order of Cuthill and McKee, is below so many √m:
#: in the plane it is 2 to 4 √m, among three features 6 √m, among the pixels of images 20 √m.
_THIN = 5.0

#: Shifts above the largest eigenvalue of a thin graph: to measure it, and to separate it from the next.
_FAR, _NEAR = 2e-3, 1e-6

#: Relative error at which these iterations stop.
_INVERSE = 1e-5

#: Links weaker than this share of the strongest one do not connect components.
_LOST = 1e-13


class Spectrum(NamedTuple):
    """Leading eigenvalues in decreasing order, and their eigenvectors as columns."""

    values: Array
    vectors: Array


def degree_roots(matrix: Matrix, weights: Array | None = None) -> Array:
    """Return the roots of the row sums, by which a kernel is normalised.

    Parameters
    ----------
    matrix : ndarray or csr_array of shape (m, m)
    weights : ndarray of shape (m,) or None, default=None
        How often each column counts.

    Returns
    -------
    ndarray of shape (m,)

    Raises
    ------
    ValueError
        If a row sum is not positive.
    """
    degrees = np.asarray(matrix.sum(axis=1) if weights is None else matrix @ weights).ravel()
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


def leading(matrix: Matrix, k: int, *, accuracy: Accuracy = "full") -> Spectrum:
    """Find the leading eigenvectors of a symmetric matrix, component by component.

    Parameters
    ----------
    matrix : ndarray or csr_array of shape (m, m)
    k : int
        Number of eigenvectors, at most m.
    accuracy : {"full", "fine", "rough"}, default="full"
        Accuracy of the eigenvectors of a large sparse matrix.

    Returns
    -------
    Spectrum
        k eigenvalues and eigenvectors.
    """
    m = matrix.shape[0]
    _, component = connected_components(_links(matrix), directed=False)
    sizes = np.bincount(component)
    first = np.unique(component, return_index=True)[1]
    members_of = np.split(np.argsort(component, kind="stable"), np.cumsum(sizes)[:-1])
    values, owners, vectors = [], [], []
    for p, block in enumerate(_blocks(matrix, members_of)):
        found = _leading_of_part(block, min(k, len(members_of[p])), accuracy)
        values += list(found.values)
        owners += [p] * len(found.values)
        vectors += list(found.vectors.T)
    owner = np.array(owners)
    # Eigenvalues are compared to ten digits, so that rounding does not order equal ones; fewer are known if
    # eigenvectors are float32.
    digits = 10 if accuracy == "full" else 8
    rounded = np.round(np.array(values) / max(np.abs(values).max(), 1e-300), digits)
    order = np.lexsort((first[owner], -sizes[owner], -rounded))[:k]
    columns = np.zeros((m, k), dtype=np.float64 if accuracy == "full" else np.float32)
    for column, which in enumerate(order):
        columns[members_of[owner[which]], column] = vectors[which]
    return Spectrum(np.array(values)[order], columns)


def normalized_spectrum(matrix: Matrix, k: int, *, accuracy: Accuracy = "full") -> Spectrum:
    """Find the leading eigenvectors of D^-½ K D^-½, as `leading` does.

    Parameters
    ----------
    matrix : ndarray or csr_array of shape (m, m)
        Kernel K, whose rows add up to positive degrees D.
    k : int
        Number of eigenvectors, at most m.
    accuracy : {"full", "fine", "rough"}, default="full"
        Accuracy of the eigenvectors of a large sparse matrix.

    Returns
    -------
    Spectrum
    """
    return leading(scaled(matrix, degree_roots(matrix)), k, accuracy=accuracy)


def accuracy_for(matrix: Matrix) -> Accuracy:
    """Return the accuracy of eigenvectors that are read one by one: "full", or "fine" beyond 5,000 points."""
    return "fine" if issparse(matrix) and matrix.shape[0] > EXACT else "full"


def unit_rows(vectors: Floats) -> Floats:
    """Scale the rows of eigenvectors to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))


def spectral_labels(vectors: Floats, k: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Cluster by spectral clustering: k-means on the rows of eigenvectors, scaled to length 1.

    Parameters
    ----------
    vectors : ndarray of shape (n, n_vectors)
        Leading eigenvectors of a normalised kernel.
    k : int
        Number of clusters, at most n.
    rng : RandomState
        Random generator.

    Returns
    -------
    ndarray of shape (n,)
        Labels, all of which occur: where there are fewer different rows than clusters, an empty cluster takes
        the first point of the largest one.
    """
    with warnings_kept():  # k-means warns of empty clusters, which are filled below
        labels = KMeans(k, n_init=10, random_state=rng).fit(unit_rows(vectors)).labels_.astype(np.int64)
    for h in np.flatnonzero(np.bincount(labels, minlength=k) == 0):
        sizes = np.bincount(labels, minlength=k)
        labels[np.flatnonzero(labels == sizes.argmax())[0]] = h
    return np.asarray(labels)


def normalized_cut(matrix: Matrix) -> NDArray[np.int64]:
    """Divide the points into two clusters by the normalised cut of Shi and Malik (2000).

    The points are sorted by the second eigenvector of the normalised kernel, and the cut with the lowest
    cut/assoc(A) + cut/assoc(B) among the n − 1 positions is chosen. Nothing is random. Beside the
    eigenvectors this takes as many operations as the matrix has entries.

    Parameters
    ----------
    matrix : ndarray or csr_array of shape (n, n)
        Matrix without negative values.

    Returns
    -------
    ndarray of shape (n,)
        0 and 1, both of which occur.
    """
    roots = degree_roots(matrix)
    order = np.argsort(leading(scaled(matrix, roots), 2).vectors[:, 1] / roots, kind="stable")
    sparse = issparse(matrix)
    ordered = csr_array(matrix)[order][:, order] if sparse else matrix[np.ix_(order, order)]
    below = np.asarray((tril if sparse else np.tril)(ordered, -1).sum(axis=1)).ravel()
    degrees = np.cumsum(roots[order] ** 2)
    inside = np.cumsum(2.0 * below + ordered.diagonal())
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


def _blocks(matrix: Matrix, members_of: list[NDArray[np.intp]]) -> Iterator[Matrix]:
    """Cut the components out of a matrix; small ones of a sparse matrix are dense."""
    if len(members_of) == 1:
        yield matrix
    elif not issparse(matrix):
        yield from (matrix[np.ix_(members, members)] for members in members_of)
    else:
        order = np.concatenate(members_of)
        ordered = csr_array(matrix)[order][:, order]
        ends = np.cumsum([len(members) for members in members_of])
        for first, end in zip(ends - np.diff(ends, prepend=0), ends, strict=True):
            if end - first > _DENSE:
                yield ordered[first:end, first:end]
                continue
            # There may be thousands; one at a time, a sparse array takes longer than its decomposition.
            block = np.zeros((end - first, end - first))
            entries = slice(ordered.indptr[first], ordered.indptr[end])
            rows = np.repeat(np.arange(end - first), np.diff(ordered.indptr[first : end + 1]))
            columns = ordered.indices[entries] - first
            inside = (columns >= 0) & (columns < end - first)  # faint links between components are left out
            block[rows[inside], columns[inside]] = ordered.data[entries][inside]
            yield block


def _leading_of_part(block: Matrix, k: int, accuracy: Accuracy) -> Spectrum:
    m = block.shape[0]
    if m <= _DENSE or k >= m // 4:
        values, vectors = np.linalg.eigh(block.toarray() if issparse(block) else block)
        return Spectrum(values[::-1][:k], vectors[:, ::-1][:, :k])
    start = np.random.default_rng(0).uniform(0.5, 1.0, m)
    if accuracy == "full" or not issparse(block):
        effort: dict[str, Any] = {"ncv": max(4 * k, 40), "maxiter": _PATIENCE}
    elif _is_thin(block):
        return _leading_of_thin(block, k, start)
    else:
        return _leading_in_single(block, k, start, accuracy)
    try:
        values, vectors = eigsh(block, k, which="LA", v0=start, **effort)
    except ArpackNoConvergence:
        if issparse(block):
            # The leading eigenvalues of a chain are nearly equal; a shift to just above them separates them.
            top = float(eigsh(block, 1, which="LA", v0=start, tol=1e-3, return_eigenvectors=False)[0])
            values, vectors = eigsh(csc_array(block), k, sigma=top + 0.002 * abs(top), v0=start)
        else:
            values, vectors = np.linalg.eigh(block)
    order = np.argsort(-values, kind="stable")[:k]
    return Spectrum(values[order], vectors[:, order])


def _leading_in_single(block: csr_array, k: int, start: Array, accuracy: Accuracy) -> Spectrum:
    ncv, tol = (max(4 * k, 40), _FINE) if accuracy == "fine" else (2 * k + 1, _ROUGH)
    start = start.astype(np.float32)
    rows = eigsh(block.astype(np.float32), k, which="LA", v0=start, ncv=ncv, tol=tol)[1].T
    # Rayleigh quotients have twice as many digits as the eigenvectors.
    values = np.array([(v @ (block @ v)) / (v @ v) for v in (row.astype(np.float64) for row in rows)])
    order = np.argsort(-values, kind="stable")
    return Spectrum(values[order], rows[order].T)


def _is_thin(block: csr_array) -> bool:
    """Return whether few links have to be cut to divide a graph, so that its factorisation is sparse."""
    m = block.shape[0]
    rank = np.empty(m, dtype=np.int64)
    rank[reverse_cuthill_mckee(block, symmetric_mode=True)] = np.arange(m)
    farthest = np.minimum.reduceat(rank[block.indices], block.indptr[:-1])
    return bool(np.maximum(rank - farthest, 0).mean() <= _THIN * np.sqrt(m))


def _leading_of_thin(block: csr_array, k: int, start: Array) -> Spectrum:
    """Find eigenvectors by iterations with (σI − S)⁻¹, which is large where S is near σ."""
    top = float(eigsh(block, 1, which="LA", v0=start, tol=1e-3, return_eigenvectors=False)[0])
    shift = top + _FAR * abs(top)
    shift -= 1.0 / _inverse_spectrum(block, shift, 1, start).values[0]
    shift += _NEAR * abs(top)
    values, vectors = _inverse_spectrum(block, shift, k, start)
    return Spectrum(shift - 1.0 / values, vectors)


def _inverse_spectrum(block: csr_array, shift: float, k: int, start: Array) -> Spectrum:
    m = block.shape[0]
    options = {"SymmetricMode": True}
    factors = splu(
        csc_array(shift * eye_array(m) - block),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options=options,
    )
    inverse = LinearOperator((m, m), matvec=factors.solve, dtype=np.float64)
    values, vectors = eigsh(inverse, k, which="LA", v0=start, ncv=2 * k + 10, tol=_INVERSE)
    order = np.argsort(-values, kind="stable")
    return Spectrum(values[order], vectors[:, order])
