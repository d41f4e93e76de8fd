"""Base class of the methods for two clusters: f(x), the starts, and the bound on the cluster sizes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mmc.kernel_base import KernelClusterer
from mmc.ranges import RANGES
from mmc.stepping import State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]


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
        if self.n_clusters != 2:
            name = type(self).__name__
            raise ValueError(
                f"n_clusters={self.n_clusters}: {name} parts points in two. For more clusters use "
                f"RecursiveBinary({name}(), n_clusters={self.n_clusters}), which splits again and again."
            )


def signs(labels: Labels) -> Array:
    """Return y: +1 for cluster 1 and −1 for cluster 0."""
    return np.where(labels == 1, 1.0, -1.0)


def size_bound(balance: float, n: int) -> int:
    """Return the largest |Σy| that is allowed: ℓ of the papers, reduced so that no cluster is empty.

    Parameters
    ----------
    balance : float
        ℓ as a share of n.
    n : int
        Number of points.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If no labelling keeps the bound.
    """
    bound = int(balance * n + 1e-9)
    if n % 2 and bound < 1:
        raise ValueError(
            f"balance={balance:g} lets the sizes of the two clusters differ by {balance * n:.2g} points, but "
            f"an odd number of {n} points cannot be halved. Choose a balance of at least "
            f"{np.ceil(1000 / n) / 1000:g}, or leave out a point."
        )
    return min(bound, n - 2)


def weight_bound(balance: float, weights: Array) -> float:
    """Return the largest |Σ v_i y_i| that is allowed, reduced so that no cluster is empty.

    Parameters
    ----------
    balance : float
        ℓ as a share of the total weight.
    weights : ndarray of shape (n,)
        v_i.

    Returns
    -------
    float
    """
    total = float(weights.sum())
    return min(balance * total, total - 2.0 * float(weights.min())) + 1e-9 * total
