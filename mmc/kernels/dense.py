"""Kernel matrices, their widths, and their memory.

The Gaussian kernel is exp(−gamma d²), as in scikit-learn; a width σ means gamma = 1/(2σ²). `gamma` is a
number or the name of a length of the data, and then σ is `width` times that length:

- ``"neighbors"``: the median distance to the seventh nearest neighbour (to a nearer one below 61 points),
  which follows fine structure;
- ``"median"``: the median distance between two points;
- ``"max"``: the largest distance between two points, the σ₀ of [UMC-RLS] section IV-C.

The polynomial kernel (gamma ⟨x, x'⟩ + coef0)^degree has no width; for it a name means one over the total
variance of the features. `mmc.kernels.local_scaling` describes local scaling; here its matrix is dense.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, issparse
from sklearn.metrics.pairwise import euclidean_distances, linear_kernel, polynomial_kernel
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.sparsefuncs import csc_median_axis_0

from mmc._points import Points, exact_squares, middle, shifted, square_lengths, total_variance
from mmc.kernels.local_scaling import LocalScaling, find_neighbors, require_squares

KERNELS = ("rbf", "linear", "poly", "local_scaling", "precomputed")
LENGTHS = ("neighbors", "median", "max")

_NEIGHBOR = 7

#: Largest rounding error of the exponent of a Gaussian kernel.
_EXPONENT = 1e-6

#: Points whose squared distance from the middle is this many times the usual one are far outliers.
_FAR = 1e8


class Gram(NamedTuple):
    """A kernel fitted to training points, and its matrix on them."""

    kernel: Kernel
    matrix: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Kernel:
    """A fitted kernel, which compares new points with the training points.

    Attributes
    ----------
    name : str
        One of `KERNELS`.
    X : ndarray or csr_array of shape (n_samples, n_features)
        Training points; empty for a precomputed kernel.
    gamma, degree, coef0 : float
        Parameters of the kernel.
    local : LocalScaling or None
        The sparse kernel, for local scaling.
    """

    name: str
    X: Points
    gamma: float
    degree: float
    coef0: float
    local: LocalScaling | None = None

    @property
    def is_psd(self) -> bool:
        """Whether every matrix of this kernel is positive semi-definite by construction."""
        whole = float(self.degree).is_integer() and self.coef0 >= 0
        return self.name in ("rbf", "linear") or (self.name == "poly" and whole)

    def __call__(self, X: Points) -> NDArray[np.float64]:
        """Compare points with the training points.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_points, n_features)
            Points; for a precomputed kernel, the kernel values themselves.

        Returns
        -------
        ndarray of shape (n_points, n_samples)
        """
        if self.name == "precomputed":
            return X
        if self.name == "linear":
            return np.asarray(linear_kernel(X, self.X, dense_output=True))
        if self.name == "poly":
            with np.errstate(over="ignore", invalid="ignore"):  # the fit refuses what is not finite
                return np.asarray(polynomial_kernel(X, self.X, self.degree, self.gamma, self.coef0))
        if self.local is not None:
            return np.asarray(self.local(X).toarray()[:, self.local.vertex])
        return _gaussian(squared_distances(X, self.X, self.gamma), self.gamma)


def fit_kernel(
    X: Points,
    *,
    kernel: str = "rbf",
    gamma: float | str = "neighbors",
    width: float = 2.0,
    degree: float = 3,
    coef0: float = 1.0,
    n_neighbors: int = 7,
) -> Gram:
    """Compute a kernel's width from training points, and its matrix.

    This takes n² d time and one n×n array (two for ``gamma="median"`` and local scaling).

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        Training points, or the matrix of a precomputed kernel.
    kernel : {"rbf", "linear", "poly", "local_scaling", "precomputed"}, default="rbf"
        Kernel.
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data.
    width : float, default=2.0
        σ of the "rbf" kernel in units of the length that `gamma` names.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel.
    n_neighbors : int, default=7
        Number of neighbours of local scaling.

    Returns
    -------
    Gram
    """
    require_finite_products(X, kernel, degree)
    if kernel == "rbf":
        d2 = squared_distances(X)
        if isinstance(gamma, str):
            gamma = _gamma(width, _length(X, d2, gamma))
        if is_rough(X, X, gamma):
            d2 = exact_squares(X, X)
        return Gram(Kernel(kernel, X, gamma, degree, coef0), _gaussian(d2, gamma))
    if kernel == "local_scaling":
        local = find_neighbors(X, n_neighbors).kernel(n_neighbors)
        matrix = local.matrix.toarray()[np.ix_(local.vertex, local.vertex)]
        return Gram(Kernel(kernel, X, 0.0, degree, coef0, local), matrix)
    if kernel == "precomputed":
        return Gram(Kernel(kernel, np.empty(0), 0.0, degree, coef0), checked_gram(X))
    if isinstance(gamma, str):
        gamma = _inverse_variance(X)
    fitted = Kernel(kernel, X, gamma, degree, coef0)
    return Gram(fitted, _finite(fitted(X), fitted))


def fit_landmark_kernel(
    X: Points,
    landmarks: NDArray[np.int64],
    *,
    kernel: str = "rbf",
    gamma: float | str = "neighbors",
    width: float = 2.0,
    degree: float = 3,
    coef0: float = 1.0,
) -> Gram:
    """Compute a kernel's width, and its values between all points and the landmarks, without an n×n array.

    A length that `gamma` names is measured between the points and the landmarks only.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        Points, or the n×n matrix of a precomputed kernel.
    landmarks : ndarray of shape (r,)
        Rows of `X` that are landmarks.
    kernel : {"rbf", "linear", "poly", "precomputed"}, default="rbf"
        Kernel.
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data.
    width : float, default=2.0
        σ of the "rbf" kernel in units of the length that `gamma` names.
    degree : float, default=3
        Degree of the "poly" kernel.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel.

    Returns
    -------
    Gram
        A kernel that compares points with the landmarks, and a matrix with a column for each landmark.
    """
    require_finite_products(X, kernel, degree)
    if kernel == "precomputed":
        return Gram(Kernel(kernel, np.empty(0), 0.0, degree, coef0), checked_gram(X)[:, landmarks])
    if isinstance(gamma, str):
        if kernel == "rbf":
            d2 = squared_distances(X, X[landmarks])
            gamma = _gamma(width, _landmark_length(d2, landmarks, gamma))
        else:
            gamma = _inverse_variance(X)
    fitted = Kernel(kernel, X[landmarks], gamma, degree, coef0)
    return Gram(fitted, _finite(fitted(X), fitted))


def squared_distances(X: Points, Y: Points | None = None, gamma: float = 0.0) -> NDArray[np.float64]:
    """Compute the squared distances between points.

    The fast formula ‖x‖² − 2⟨x, y⟩ + ‖y‖² loses the digits that are small beside the squared norms. If far
    outliers or a narrow kernel make them count, the differences themselves are squared, which takes longer.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_points, n_features)
        Points.
    Y : ndarray or csr_array of shape (n_others, n_features) or None, default=None
        Other points; None means `X`.
    gamma : float, default=0.0
        Coefficient that the distances are multiplied with in an exponent, if it is known.

    Returns
    -------
    ndarray of shape (n_points, n_others)
    """
    others = X if Y is None else Y
    if _has_outliers(X) or is_rough(X, others, gamma):
        return exact_squares(X, others)
    # Distances do not depend on the origin, but their rounding errors do.
    centre = None if issparse(X) else middle(others)
    others = None if Y is None else shifted(Y, centre)
    return np.asarray(euclidean_distances(shifted(X, centre), others, squared=True))


def _has_outliers(X: Points) -> bool:
    """Return whether some points are so far away that the others are all at one place beside them."""
    if issparse(X):
        # The points stay where they are, so that it is the origin from which they may be far.
        squares = square_lengths(X, csc_median_axis_0(csc_array(X)))
        return bool(max(squares.max(), square_lengths(X).max()) / _FAR > np.median(squares))
    squares = square_lengths(X, np.median(X, axis=0))
    return bool(squares.max() / _FAR > np.median(squares))


def is_rough(X: Points, Y: Points, gamma: float) -> bool:
    """Return whether the fast formula for distances makes errors that count in an exponent.

    Parameters
    ----------
    X, Y : ndarray or csr_array of shape (n_points, n_features)
        Points that are compared.
    gamma : float
        Coefficient of the squared distances in the exponent.

    Returns
    -------
    bool
    """
    centre = None if issparse(X) else middle(Y)
    largest = max(float(square_lengths(points, centre).max()) for points in (X, Y))
    return gamma > 0 and 4.0 * float(np.finfo(float).eps) * largest > _EXPONENT / gamma


def _gaussian(d2: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """Return exp(−gamma d²) in the memory of the squared distances."""
    with np.errstate(over="ignore"):  # the exponential of minus infinity is 0
        d2 *= -gamma
    return np.exp(d2, out=d2)


def _finite(K: NDArray[np.float64], kernel: Kernel) -> NDArray[np.float64]:
    """Refuse a kernel matrix with values that are no numbers."""
    if not np.isfinite(K).all():
        raise ValueError(
            f"The {kernel.name!r} kernel with gamma={kernel.gamma:.3g}, coef0={kernel.coef0:g} and "
            f"degree={kernel.degree:g} has values that are infinite or no numbers. Rescale the columns, "
            "choose a smaller degree or gamma, a whole degree or a larger coef0."
        )
    return K


def require_memory(
    n: int, n_arrays: int = 3, n_columns: int | None = None, *, what: str = "points", instead: str = ""
) -> None:
    """Refuse a problem whose arrays would not fit into memory, before they are allocated.

    Parameters
    ----------
    n : int
        Number of points, or of what else has rows.
    n_arrays : int, default=3
        Number of float64 arrays of n×n, or n×`n_columns`, at the peak.
    n_columns : int or None, default=None
        Number of columns, if it is not n.
    what : str, default="points"
        What there are n of.
    instead : str, default=""
        Another remedy, as a sentence.

    Raises
    ------
    ValueError
        If the arrays need more than half of the machine's memory; the message names a remedy.
    """
    limit = _memory() / 2
    fits = limit / (8.0 * n_arrays)  # largest number of entries of one array
    need = 8.0 * n_arrays * n * (n_columns or n)
    if need > limit:
        remedy = (
            f"Cluster a sample of at most {int(fits**0.5)} points and assign the others with predict."
            if n_columns is None
            else f"Use at most {int(fits / n)} landmarks."
        )
        raise ValueError(
            f"{n} {what} need about {need / 2**30:.1f} GiB for the kernel matrix and its work space, more "
            f"than the {limit / 2**30:.1f} GiB that may be used here. {remedy}{instead and ' ' + instead}"
        )


def _memory() -> float:
    """Return the bytes of memory of the machine, or of its container."""
    try:
        total = float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        total = 4.0 * 2**30
    try:
        return min(total, float(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):
        return total


def _length(X: Points, d2: NDArray[np.float64], name: str) -> float:
    largest = float(np.sqrt(d2.max()))
    _require_spread(largest)
    if name == "max":
        return largest
    if name == "median":
        # Every pair occurs twice; the n zeros of the diagonal are left out.
        return float(np.sqrt(np.median(d2[~np.eye(len(d2), dtype=bool)], overwrite_input=True))) or largest
    t = _rank(X.shape[0])
    if _has_outliers(X):
        return _typical(np.sqrt(np.partition(d2, t, axis=0)[t]), largest)
    centred = shifted(X, middle(X))
    return _typical(NearestNeighbors(n_neighbors=t).fit(centred).kneighbors()[0][:, -1], largest)


def _landmark_length(d2: NDArray[np.float64], landmarks: NDArray[np.int64], name: str) -> float:
    largest = float(np.sqrt(d2.max()))
    _require_spread(largest)
    if name == "max":
        return largest
    if name == "median":
        others = np.ones(d2.shape, dtype=bool)
        others[landmarks, np.arange(len(landmarks))] = False
        return float(np.sqrt(np.median(d2[others]))) or largest
    # A landmark is the nearest point to itself, so that its t-th neighbour has index t.
    t = _rank(len(d2))
    return _typical(np.sqrt(np.partition(d2, t, axis=0)[t]), largest)


def _gamma(width: float, length: float) -> float:
    """Return gamma for σ = width · length."""
    square = (width * length) ** 2 if width * length < 1e150 else float("inf")
    if not 1e-300 < square < float("inf"):
        raise ValueError(f"width={width:g} is beyond what can be computed with; choose one nearer to 1.")
    return 0.5 / square


def _rank(n: int) -> int:
    """Return which neighbour measures the length of the data: the seventh, or a nearer one for few points."""
    return min(_NEIGHBOR, -(-n // 10))


def _typical(distances: NDArray[np.float64], largest: float) -> float:
    """Return the median of the positive distances, or `largest` if duplicates make all of them zero."""
    return float(np.median(distances[distances > 0])) if distances.any() else largest


def _inverse_variance(X: Points) -> float:
    variance = total_variance(X)
    return 1.0 / variance if variance > 0 else 1.0


def _require_spread(largest: float) -> None:
    if largest == 0.0:
        raise ValueError(
            "All points are equal, so no distance can set the kernel's width. Check the columns."
        )


def checked_gram(K: NDArray[np.float64]) -> NDArray[np.float64]:
    """Check and copy a given kernel matrix.

    Parameters
    ----------
    K : ndarray

    Returns
    -------
    ndarray of shape (n, n)

    Raises
    ------
    ValueError
        If the matrix is not square, finite and symmetric.
    """
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"A precomputed kernel must be a square matrix, this one is {K.shape}.")
    if not np.isfinite(K).all():
        raise ValueError("A kernel must have finite values everywhere; this one has NaN or infinity.")
    if not np.allclose(K, K.T, rtol=1e-8, atol=1e-10 * max(1.0, float(np.abs(K).max()))):
        raise ValueError("A precomputed kernel must be symmetric; (K + K.T) / 2 makes it so.")
    return K.copy()


def require_finite_products(X: Points, kernel: str = "rbf", degree: float = 1) -> None:
    """Refuse values that overflow or underflow when a kernel, or a squared distance, multiplies them.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    kernel : str, default="rbf"
        One of `KERNELS`.
    degree : float, default=1
        Degree of the "poly" kernel.

    Raises
    ------
    ValueError
        If the values are too large, or their differences too small.
    """
    if kernel != "precomputed":
        require_squares(X)
    largest = float(abs(X).max())
    power = 1.0 if kernel == "precomputed" else 2.0 * degree if kernel == "poly" else 2.0
    if largest > 0 and power * np.log10(largest) + np.log10(X.shape[1]) > 300:
        raise ValueError(
            f"Values as large as {largest:.3g} overflow when the kernel multiplies them; rescale the columns."
        )
