"""Kernel matrices, their widths, and what they cost.

The library speaks scikit-learn's `gamma`: the Gaussian kernel is exp(−gamma d²). Papers that write a
width σ mean gamma = 1/(2σ²) here. `gamma` may be a number, or a word that names a length of the data,
and then σ is `width` times that length:

- ``"neighbors"``: the median distance to the seventh nearest neighbour (to a nearer one below 61 points),
  which follows fine structure;
- ``"median"``: the median distance between two points;
- ``"max"``: the largest distance between two points, the σ₀ of [UMC-RLS] section IV-C.

The polynomial kernel (gamma ⟨x, x'⟩ + coef0)^degree has no width: a word then means one over the total
variance of the features. Local scaling is [SMIC] eq. 8: exp(−d²/(2 σ_i σ_j)) between neighbours, with
σ_i the distance from x_i to its `n_neighbors`-th neighbour, and zero elsewhere.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances, linear_kernel, polynomial_kernel
from sklearn.neighbors import NearestNeighbors

KERNELS = ("rbf", "linear", "poly", "local_scaling", "precomputed")
LENGTHS = ("neighbors", "median", "max")

_NEIGHBOR = 7


class Gram(NamedTuple):
    """A kernel fitted to training points, and its matrix on them."""

    kernel: Kernel
    matrix: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel whose width is settled, ready to compare new points with the training points.

    Attributes
    ----------
    kind : str
        One of `KERNELS`.
    X : ndarray of shape (n_samples, n_features)
    gamma, degree, coef0 : float
    scales : ndarray of shape (n_samples,)
        σ_i of local scaling, else empty.
    n_neighbors : int
    """

    kind: str
    X: NDArray[np.float64]
    gamma: float
    degree: float
    coef0: float
    scales: NDArray[np.float64]
    n_neighbors: int

    @property
    def is_psd(self) -> bool:
        """Whether every matrix of this kernel is positive semi-definite by construction."""
        whole = float(self.degree).is_integer() and self.coef0 >= 0
        return self.kind in ("rbf", "linear") or (self.kind == "poly" and whole)

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Compare points with the training points.

        Parameters
        ----------
        X : ndarray of shape (n_points, n_features)
            For a precomputed kernel, the kernel values themselves.

        Returns
        -------
        ndarray of shape (n_points, n_samples)
        """
        if self.kind == "precomputed":
            return X
        if self.kind == "linear":
            return np.asarray(linear_kernel(X, self.X))
        if self.kind == "poly":
            return np.asarray(polynomial_kernel(X, self.X, self.degree, self.gamma, self.coef0))
        d2 = np.asarray(euclidean_distances(X, self.X, squared=True))
        if self.kind == "rbf":
            d2 *= -self.gamma
            return np.exp(d2, out=d2)
        return _local_scaling_new(d2, self.scales, self.n_neighbors)


def fit_kernel(
    X: NDArray[np.float64],
    *,
    kernel: str = "rbf",
    gamma: float | str = "neighbors",
    width: float = 2.0,
    degree: float = 3,
    coef0: float = 1.0,
    n_neighbors: int = 7,
) -> Gram:
    """Settle a kernel's width on training points and compute its matrix.

    Costs n² d time and one n×n array (two for ``gamma="median"``).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    kernel : {"rbf", "linear", "poly", "local_scaling", "precomputed"}
    gamma : float or {"neighbors", "median", "max"}
    width : float
        σ in units of the length that `gamma` names.
    degree, coef0 : float
        Of the polynomial kernel.
    n_neighbors : int
        Of local scaling.

    Returns
    -------
    Gram
    """
    _check_finite_products(X, kernel, degree)
    empty = np.empty(0)
    if kernel == "rbf":
        d2 = np.asarray(euclidean_distances(X, squared=True))
        if isinstance(gamma, str):
            gamma = 0.5 / (width * _length(X, d2, gamma)) ** 2
        d2 *= -gamma
        return Gram(Kernel(kernel, X, gamma, degree, coef0, empty, n_neighbors), np.exp(d2, out=d2))
    if kernel == "local_scaling":
        graph, scales = local_scaling(X, n_neighbors)
        fitted = Kernel(kernel, X, 0.0, degree, coef0, scales, n_neighbors)
        return Gram(fitted, graph.toarray())
    if kernel == "precomputed":
        return Gram(Kernel(kernel, empty, 0.0, degree, coef0, empty, n_neighbors), _checked_gram(X))
    if isinstance(gamma, str):
        variance = float(X.var(axis=0).sum())
        gamma = 1.0 / variance if variance > 0 else 1.0
    fitted = Kernel(kernel, X, gamma, degree, coef0, empty, n_neighbors)
    return Gram(fitted, fitted(X))


def local_scaling(X: NDArray[np.float64], n_neighbors: int) -> tuple[sparse.csr_array, NDArray[np.float64]]:
    """Compute the sparse local-scaling kernel of [SMIC] eq. 8.

    A point is not its own neighbour, K(x, x) is 1, and a σ_i of zero (duplicates) takes the smallest
    positive one. Costs n·t entries.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_neighbors : int
        t of the paper; at most n_samples − 1 are used.

    Returns
    -------
    kernel : sparse array of shape (n_samples, n_samples)
    scales : ndarray of shape (n_samples,)
        σ_i.
    """
    n = X.shape[0]
    t = min(n_neighbors, n - 1)
    distances, neighbors = NearestNeighbors(n_neighbors=t).fit(X).kneighbors()
    scales = _positive(distances[:, -1])
    rows, cols = np.repeat(np.arange(n), t), neighbors.ravel()
    values = np.exp(-(distances.ravel() ** 2) / (2.0 * scales[rows] * scales[cols]))
    half = sparse.csr_array((values, (rows, cols)), shape=(n, n))
    return sparse.csr_array(half.maximum(half.T) + sparse.eye_array(n, format="csr")), scales


def require_memory(n: int, n_arrays: int = 3) -> None:
    """Refuse a problem whose n×n arrays would not fit, before anything is allocated.

    Parameters
    ----------
    n : int
    n_arrays : int
        How many float64 arrays of n×n are held at the peak.

    Raises
    ------
    ValueError
        Naming the need, the limit (half of this machine's memory) and the remedy.
    """
    need, limit = 8.0 * n_arrays * n**2, _memory() / 2
    if need > limit:
        fits = int((limit / (8.0 * n_arrays)) ** 0.5)
        raise ValueError(
            f"{n} points need about {need / 2**30:.1f} GiB for the kernel matrix and its work space, more "
            f"than the {limit / 2**30:.1f} GiB that may be used here. Cluster a sample of at most {fits} "
            "points and assign the others with predict."
        )


def _memory() -> float:
    """Bytes of memory that this process may hope for: the machine's, or its container's."""
    try:
        total = float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        total = 4.0 * 2**30
    try:
        return min(total, float(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):
        return total


def _length(X: NDArray[np.float64], d2: NDArray[np.float64], name: str) -> float:
    if name == "neighbors":
        t = min(_NEIGHBOR, -(-len(X) // 10))
        distances = NearestNeighbors(n_neighbors=t).fit(X).kneighbors()[0][:, -1]
        length = float(np.median(_positive(distances)))
    elif name == "median":
        # Every pair stands twice, beside the n zeros of the diagonal; those are left out.
        length = float(np.sqrt(np.median(d2[~np.eye(len(d2), dtype=bool)])))
        length = length or float(np.sqrt(d2.max()))
    else:
        length = float(np.sqrt(d2.max()))
    if length == 0.0:
        raise ValueError(
            "All points are equal, so no distance can set the kernel's width: check the columns."
        )
    return length


def _positive(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace zeros, which duplicates cause, by the smallest positive length."""
    if lengths.all():
        return lengths
    positive = lengths[lengths > 0]
    return np.where(lengths > 0, lengths, positive.min() if positive.size else 0.0)


def _local_scaling_new(
    d2: NDArray[np.float64], scales: NDArray[np.float64], n_neighbors: int
) -> NDArray[np.float64]:
    """Extend local scaling to new points; a point that equals a training point is that point."""
    rows = np.arange(len(d2))
    nearest = d2.argmin(axis=1)
    # Rounding leaves a little more than zero between a point and itself.
    same = d2[rows, nearest] <= 1e-18 * max(d2.max(), 1e-300)
    without_itself = d2.copy()
    without_itself[rows[same], nearest[same]] = np.inf
    t = min(n_neighbors, len(scales) - 1)
    own = np.sqrt(np.partition(without_itself, t - 1, axis=1)[:, t - 1])
    own[own == 0] = scales.min()
    reach = 1.0 + 1e-9
    near = (d2 <= (own[:, None] * reach) ** 2) | (d2 <= (scales[None, :] * reach) ** 2)
    K = np.where(near, np.exp(-d2 / (2.0 * own[:, None] * scales[None, :])), 0.0)
    K[rows[same], nearest[same]] = 1.0
    return K


def _checked_gram(K: NDArray[np.float64]) -> NDArray[np.float64]:
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"A precomputed kernel must be a square matrix, this one is {K.shape}.")
    if not np.allclose(K, K.T, rtol=1e-8, atol=1e-10 * max(1.0, float(np.abs(K).max()))):
        raise ValueError("A precomputed kernel must be symmetric; (K + K.T) / 2 makes it so.")
    return K.copy()


def _check_finite_products(X: NDArray[np.float64], kernel: str, degree: float) -> None:
    largest = float(np.abs(X).max())
    power = 1.0 if kernel == "precomputed" else 2.0 * degree if kernel == "poly" else 2.0
    if largest > 0 and power * np.log10(largest) + np.log10(X.shape[1]) > 300:
        raise ValueError(
            f"Values as large as {largest:.3g} overflow when the kernel multiplies them; rescale the columns."
        )
