"""Base class of the methods for two clusters: f(x), the starts, and the bound on the cluster sizes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mmc.kernel_base import KernelClusterer
from mmc.ranges import RANGES, size_shares
from mmc.starts import Start
from mmc.stepping import State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: What the parameter `cluster_sizes` may be; `tilt` checks the numbers.
SIZES: list[Any] = ["array-like", None]


@dataclass(frozen=True, kw_only=True, eq=False)
class BinaryState(State):
    """A labelling in two clusters, and the decision values behind it.

    Attributes
    ----------
    f : ndarray of shape (n_samples,)
        Decision values f(x_i) at the training points.
    """

    f: Array

    def confidence(self) -> Array:
        """Return y f, clipped to [0, 1]."""
        return np.clip(signs(self.labels) * self.f, 0.0, 1.0)


class BinaryClusterer(KernelClusterer):
    """Base class of clusterers that label by the sign of f(x) = Σ a_i K(x, x_i) + b; cluster 1 is y = +1."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClusterer._parameter_constraints,
        "max_iter": [RANGES["max_iter"]],
    }

    dual_coef_: Array
    intercept_: float

    init: str | ArrayLike

    def _follow(self, X: Array) -> Callable[[Any], Array]:
        K = self._compare(X)

        def values(state: Any) -> Array:
            known = state is self.state_  # several blocks of points have the same model
            dual, intercept = self._adopted_model if known else self._model(state)
            f = K @ dual + intercept
            return np.column_stack([-f, f])

        return values

    def _adopt(self, state: Any) -> None:
        self.dual_coef_, self.intercept_ = self._model(state)

    @property
    def _adopted_model(self) -> tuple[Array, float]:
        return self.dual_coef_, self.intercept_

    def _compare(self, X: Array) -> Array:
        return self.kernel_(X)

    @abstractmethod
    def _model(self, state: Any) -> tuple[Array, float]:
        """Return the coefficients a and the bias b of a state."""

    def _validate_params(self) -> None:
        super()._validate_params()
        if self.n_clusters > 2:
            name = type(self).__name__
            raise ValueError(
                f"n_clusters={self.n_clusters}: {name} parts points in two. For more clusters use "
                f"RecursiveBinary({name}(), n_clusters={self.n_clusters}), which splits again and again."
            )


def signs(labels: Labels) -> Array:
    """Return y: +1 for cluster 1 and −1 for cluster 0."""
    return np.where(labels == 1, 1.0, -1.0)


class Sizes(NamedTuple):
    """The cluster sizes that are allowed: |Σ v_i y_i − target| ≤ bound, with weights v_i or v_i = 1."""

    target: float
    bound: float


def tilt(cluster_sizes: Sequence[float] | None) -> float:
    """Return 2 b_c − 1 for the share b_c of cluster 1 that is aimed at: the mean of y, 0 for equal sizes.

    [UMC-RLS] bounds the distance of the share of the points with y = +1 from b_c (above its eq. 6).

    Parameters
    ----------
    cluster_sizes : sequence of two positive numbers or None
        Sizes of the clusters 0 and 1 in any unit; None means equal sizes.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If these are no such numbers.
    """
    other, share = size_shares(cluster_sizes, 2)
    return float(share - other)


def oriented(starts: list[Start], target: float) -> list[Start]:
    """Exchange the two clusters of the starts whose sizes then are nearer to the target; given ones stay.

    Parameters
    ----------
    starts : list of Start
    target : float
        Σy to aim at, of which only the sign counts.

    Returns
    -------
    list of Start
    """
    return [
        start
        if start.origin == "given" or signs(start.labels).sum() * target >= 0
        else start._replace(labels=1 - start.labels)
        for start in starts
    ]


def allowed_sizes(balance: float, n: int, cluster_sizes: Sequence[float] | None = None) -> Sizes:
    """Return the bound ℓ of the papers on |Σy − target|, reduced so that no cluster is empty.

    Parameters
    ----------
    balance : float
        ℓ as a share of n.
    n : int
        Number of points.
    cluster_sizes : sequence of two numbers or None
        Sizes to aim at; None means equal sizes, whose target is 0.

    Returns
    -------
    Sizes

    Raises
    ------
    ValueError
        If no labelling keeps the bound.
    """
    aim = tilt(cluster_sizes) * n
    low = max(int(np.ceil(aim - balance * n - 1e-9)), 2 - n)
    high = min(int(np.floor(aim + balance * n + 1e-9)), n - 2)
    if (n + high) // 2 < -(-(n + low) // 2):
        nearest = 2 * min(max(round((n + aim) / 2), 1), n - 1) - n
        least = np.ceil(1000 * abs(nearest - aim) / n) / 1000
        if aim:
            raise ValueError(
                f"balance={balance:g} and cluster_sizes={cluster_sizes!r} leave {n} points no sizes in whole "
                f"numbers. Choose a balance of at least {least:g}, or other sizes."
            )
        raise ValueError(
            f"balance={balance:g} lets the sizes of the two clusters differ by {balance * n:.2g} points, but "
            f"an odd number of {n} points cannot be halved. Choose a balance of at least {least:g}, or leave "
            "out a point."
        )
    return Sizes((low + high) / 2, (high - low) / 2)


def allowed_weights(balance: float, weights: Array, cluster_sizes: Sequence[float] | None = None) -> Sizes:
    """Return the same for points with weights: the bound on |Σ v_i y_i − target|.

    Parameters
    ----------
    balance : float
        ℓ as a share of the total weight.
    weights : ndarray of shape (n,)
        v_i.
    cluster_sizes : sequence of two numbers or None
        Weights of the clusters to aim at; None means equal weights.

    Returns
    -------
    Sizes
    """
    total = float(weights.sum())
    most = total - 2.0 * float(weights.min())
    aim = tilt(cluster_sizes) * total
    low, high = max(aim - balance * total, -most), min(aim + balance * total, most)
    return Sizes((low + high) / 2, (high - low) / 2 + 1e-9 * total)
