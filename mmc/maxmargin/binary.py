"""What the methods for two clusters share: their starts, the balance of sizes, and f(x) for new points."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans

from mmc._sklearn import Interval
from mmc.base import random_labels
from mmc.kernel_base import KernelClusterer
from mmc.stepping import State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: How far the second seed of k-means is from the first, as a share of the farthest point's distance.
_FAR = 0.8

#: How often two seeds are tried.
_N_TRIES = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class BinaryState(State):
    """A labelling in two, and the values that gave it.

    Attributes
    ----------
    f : ndarray of shape (n_samples,)
        Values of the model at the training points.
    moved : ndarray
        Points whose cluster differs from the previous state's.
    """

    f: Array
    moved: Labels

    @property
    def changed(self) -> Labels:
        """Indices of the points that this step moved."""
        return self.moved

    def confidence(self) -> Array:
        """Give y·f, cut off at 0 and 1."""
        return np.clip(signs(self.labels) * self.f, 0.0, 1.0)


class BinaryClusterer(KernelClusterer):
    """A clusterer that parts the points by the sign of f(x) = Σ a_i K(x, x_i) + b; cluster 1 is y = +1."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClusterer._parameter_constraints,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    dual_coef_: Array
    intercept_: float

    init: str | ArrayLike

    def _follow(self, X: Array) -> Callable[[Any], Array]:
        K = self._compare(X)

        def values(state: Any) -> Array:
            dual, intercept = self._model(state)
            f = K @ dual + intercept
            return np.column_stack([-f, f])

        return values

    def _adopt(self, state: Any) -> None:
        self.dual_coef_, self.intercept_ = self._model(state)

    def _compare(self, X: Array) -> Array:
        return self.kernel_(X)

    @abstractmethod
    def _model(self, state: Any) -> tuple[Array, float]:
        """Give the coefficients a and the bias b that belong to a state."""

    def _validate_params(self) -> None:
        super()._validate_params()
        if self.n_clusters != 2:
            name = type(self).__name__
            raise ValueError(
                f"n_clusters={self.n_clusters}: {name} parts points in two. For more clusters use "
                f"RecursiveBinary({name}(), n_clusters={self.n_clusters}), which splits again and again."
            )

    def _require_points(self) -> None:
        """Refuse k-means where there are no points."""
        if self.kernel == "precomputed":
            raise ValueError(
                'init="k-means" needs points, not a precomputed kernel; use "random" or give labels.'
            )


def signs(labels: Labels) -> Array:
    """Give y: +1 for cluster 1, −1 for cluster 0."""
    return np.where(labels == 1, 1.0, -1.0)


def size_bound(balance: float, n: int) -> int:
    """Give the largest |Σy| that is allowed: ℓ of the papers, cut so that no cluster is empty.

    Parameters
    ----------
    balance : float
        ℓ as a share of n.
    n : int

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If no labelling keeps it.
    """
    bound = int(balance * n + 1e-9)
    if n % 2 and bound < 1:
        raise ValueError(
            f"balance={balance:g} lets the sizes of the two clusters differ by {balance * n:.2g} points, but "
            f"an odd number of {n} points cannot be halved. Choose a balance of at least "
            f"{np.ceil(1000 / n) / 1000:g}, or leave out a point."
        )
    return min(bound, n - 2)


def random_halves(X: Array, rng: np.random.RandomState) -> Labels:
    """Draw a labelling of equal sizes."""
    return random_labels(X, 2, rng)


def far_apart_k_means(X: Array, rng: np.random.RandomState) -> Labels:
    """Cluster by k-means from two seeds that lie far apart, as [iterSVR] section IV-A advises.

    The first seed is any point, the second any of those at least 0.8 times as far from it as the farthest. Of
    five such beginnings the one with the smallest sum of squares is kept.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    rng : RandomState

    Returns
    -------
    ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If all points are equal.
    """
    if not np.ptp(X, axis=0).any():
        raise ValueError("All points are equal, so k-means cannot part them. Check the columns.")
    labels = KMeans(2, init=_far_apart, n_init=_N_TRIES, random_state=rng).fit(X).labels_
    return np.asarray(labels, dtype=np.int64)


def _far_apart(X: Array, n_clusters: int, random_state: np.random.RandomState) -> Array:
    first = random_state.randint(len(X))
    distances = np.linalg.norm(X - X[first], axis=1)
    second = random_state.choice(np.flatnonzero(distances >= _FAR * distances.max()))
    return X[[first, second]]
