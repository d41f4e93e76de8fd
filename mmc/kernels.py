"""Kernel matrices, their widths, and what they cost.

The library speaks scikit-learn's `gamma`: the Gaussian kernel is exp(−gamma d²). Papers that write a
width σ mean gamma = 1/(2σ²) here. `gamma` may be a number, or a word that names a length of the data,
and then σ is `width` times that length:

- ``"neighbors"``: the median distance to the seventh nearest neighbour (to a nearer one below 61 points),
  which follows fine structure;
- ``"median"``: the median distance between two points;
- ``"max"``: the largest distance between two points, the σ₀ of [UMC-RLS] section IV-C.

The polynomial kernel (gamma ⟨x, x'⟩ + coef0)^degree has no width: a word then means one over the total
variance of the features. Local scaling is [SMIC] eq. 8: exp(−d²/(2 σ_i σ_j)) where d is at most the larger
of σ_i and σ_j, with σ_i the distance from x_i to its `n_neighbors`-th neighbour, and zero elsewhere. A
point is not its own neighbour, neighbours at the same distance all count, and a σ_i of zero (duplicates)
takes the smallest positive one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
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
        if self.kind == "local_scaling":
            distances = cdist(X, self.X)
            own = _own_scales(distances, self.n_neighbors)
            own[own == 0] = self.scales.min()
            return _local_scaling(distances, own, self.scales)
        # Distances do not know where the origin is, but their rounding does.
        centre = self.X.mean(axis=0)
        d2 = np.asarray(euclidean_distances(X - centre, self.X - centre, squared=True))
        d2 *= -self.gamma
        return np.exp(d2, out=d2)


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

    Costs n² d time and one n×n array (two for ``gamma="median"`` and local scaling).

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
        centred = X - X.mean(axis=0)
        d2 = np.asarray(euclidean_distances(centred, squared=True))
        if isinstance(gamma, str):
            gamma = 0.5 / (width * _length(centred, d2, gamma)) ** 2
        d2 *= -gamma
        return Gram(Kernel(kernel, X, gamma, degree, coef0, empty, n_neighbors), np.exp(d2, out=d2))
    if kernel == "local_scaling":
        distances = cdist(X, X)
        _require_spread(float(distances.max()))
        scales = _own_scales(distances, n_neighbors)
        if not scales.any():
            raise ValueError(
                f"Every point has {n_neighbors} or more duplicates, so that local scaling finds no scale: "
                "raise n_neighbors, or use another kernel."
            )
        scales[scales == 0] = scales[scales > 0].min()
        fitted = Kernel(kernel, X, 0.0, degree, coef0, scales, n_neighbors)
        return Gram(fitted, _local_scaling(distances, scales, scales))
    if kernel == "precomputed":
        return Gram(Kernel(kernel, empty, 0.0, degree, coef0, empty, n_neighbors), _checked_gram(X))
    if isinstance(gamma, str):
        variance = float(X.var(axis=0).sum())
        gamma = 1.0 / variance if variance > 0 else 1.0
    fitted = Kernel(kernel, X, gamma, degree, coef0, empty, n_neighbors)
    return Gram(fitted, fitted(X))


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
    largest = float(np.sqrt(d2.max()))
    _require_spread(largest)
    if name == "max":
        return largest
    if name == "median":
        # Every pair stands twice, beside the n zeros of the diagonal; those are left out.
        return float(np.sqrt(np.median(d2[~np.eye(len(d2), dtype=bool)], overwrite_input=True))) or largest
    t = min(_NEIGHBOR, -(-len(X) // 10))
    distances = NearestNeighbors(n_neighbors=t).fit(X).kneighbors()[0][:, -1]
    # Duplicates can bring every distance to zero, though not every point is the same.
    return float(np.median(distances[distances > 0])) if distances.any() else largest


def _require_spread(largest: float) -> None:
    if largest == 0.0:
        raise ValueError(
            "All points are equal, so no distance can set the kernel's width. Check the columns."
        )


def _own_scales(distances: NDArray[np.float64], n_neighbors: int) -> NDArray[np.float64]:
    """Give each row's distance to its t-th neighbour, where one zero is the point itself."""
    others = distances.copy()
    nearest = others.argmin(axis=1)
    rows = np.flatnonzero(others[np.arange(len(others)), nearest] == 0)
    others[rows, nearest[rows]] = np.inf
    t = min(n_neighbors, others.shape[1] - 1)
    others.partition(t - 1, axis=1)
    return others[:, t - 1].copy()


def _local_scaling(
    distances: NDArray[np.float64], own: NDArray[np.float64], scales: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compare points of scale `own` with training points of scale `scales`; in the memory of `distances`."""
    far = distances > np.maximum(own[:, None], scales[None, :])
    distances **= 2
    both = np.multiply.outer(own, scales)
    both *= -2.0
    distances /= both
    np.exp(distances, out=distances)
    distances[far] = 0.0
    return distances


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
