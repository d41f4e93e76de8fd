"""The ranges of the parameters that several estimators have, each in one place.

A value outside of its range is refused before any work, with a message that names the parameter, the value
and the range. The bounds lie far beyond what is useful; they keep a fit from running for years, from filling
the memory with starts, and from overflowing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from mmc._sklearn import Interval, check_parameters


def whole(low: int, high: int) -> Interval:
    """Return the range of a whole number, both ends included."""
    return Interval(Integral, low, high, closed="both")


def real(low: float, high: float) -> Interval:
    """Return the range of a real number, both ends included."""
    return Interval(Real, low, high, closed="both")


#: Ranges by the names of the parameters.
RANGES: Mapping[str, Interval] = MappingProxyType(
    {
        "n_clusters": whole(1, 1_000_000),
        "n_init": whole(1, 1_000),  # starts are drawn before the first step
        "max_iter": whole(1, 1_000_000_000),
        "max_cuts": whole(1, 10_000),
        "max_samples": whole(2, 1_000_000),
        "n_neighbors": whole(1, 1_000_000),
        "n_landmarks": whole(1, 1_000_000),
        "n_components": whole(1, 10_000),
        "n_shakes": whole(0, 1_000),  # every round halves the claims
        "n_draws": whole(0, 10_000),
        "n_parents": whole(1, 1_000),
        "n_children": whole(1, 1_000),
        "patience": whole(1, 1_000_000_000),
        "degree": real(1, 100),
        "coef0": real(-1e6, 1e6),
        "gamma": real(1e-100, 1e100),
        "width": real(1e-6, 1e6),
        "alpha": real(1e-12, 1e12),
        "C": real(1e-9, 1e9),  # the solvers fail beyond
        "time_limit": real(1e-6, 1e9),
    }
)

#: Parameters of scikit-learn's clusterers for which it has no upper bound, and the names of their ranges.
_OF_SCIKIT_LEARN = {
    "n_clusters": "n_clusters",
    "n_components": "n_clusters",
    "n_init": "n_init",
    "max_iter": "max_iter",
    "n_neighbors": "n_neighbors",
}


def size_shares(cluster_sizes: Sequence[float] | None, k: int) -> NDArray[np.float64]:
    """Return the share of each cluster that the parameter `cluster_sizes` asks for.

    Parameters
    ----------
    cluster_sizes : sequence of k positive numbers or None
        Sizes in any unit; None means equal sizes.
    k : int
        Number of clusters.

    Returns
    -------
    ndarray of shape (k,)

    Raises
    ------
    ValueError
        If these are no such numbers.
    """
    if cluster_sizes is None:
        return np.full(k, 1.0 / k)
    sizes = np.asarray(cluster_sizes, dtype=np.float64)
    if sizes.shape != (k,) or not np.isfinite(sizes).all() or (sizes <= 0).any():
        raise ValueError(
            f"cluster_sizes={cluster_sizes!r} must hold one positive number for each of the {k} clusters."
        )
    return np.asarray(sizes / sizes.sum())


def check_ranges(estimator: BaseEstimator) -> None:
    """Check the parameters of a clusterer of scikit-learn, its whole numbers also against `RANGES`.

    Parameters
    ----------
    estimator : estimator
        Clusterer of scikit-learn, or one that follows its interface.

    Raises
    ------
    ValueError
        If a parameter is not allowed.
    """
    values = estimator.get_params(deep=False)
    for name, known in _OF_SCIKIT_LEARN.items():
        value, high = values.get(name), RANGES[known].right
        if isinstance(value, Integral) and value > high:
            raise ValueError(
                f"The {name!r} parameter of {type(estimator).__name__} must be at most {high}. "
                f"Got {value!r} instead."
            )
    if hasattr(estimator, "_parameter_constraints"):
        check_parameters(estimator)
