"""Clustering with the Hilbert-Schmidt independence criterion: CLUHSIC ([SMIC] section 3.7; Song et al. 2007).

Labels are sought that depend on the points as much as possible:

    maximise  tr(K̃ Π A Πᵀ),    K̃ = Γ K Γ,    Γ = I − 11ᵀ/n,

with the n×k indicators Π of the clusters. Here A = I, so that the criterion is Σ_y ‖Σ_{i: y_i = y}
φ̃(x_i)‖²: the clusters should pull away from the mean of all points, each as far as it can. All points in
one cluster are worth nothing, since K̃ is centred.

One step is one sweep over all points, each going to the cluster that raises the criterion most. With T = 2 Π
K̃ the move of a point costs nothing to judge: it is the sweep of [UMC-RLS] Algorithm 1 with K̃ in place of
the hat matrix, for Σ_y p_yᵀ K̃ p_y with p_y = ±1 is four times the criterion. Costs n² d for the kernel, k n
for a sweep and n for each move; memory: two n×n arrays at the peak.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from mmc._fast.rls import sweep
from mmc._sklearn import Interval, StrOptions
from mmc.base import checked_labels, random_labels, require_points
from mmc.baselines.moving import Array, Labels, MovingState
from mmc.kernel_base import KernelClusterer
from mmc.kernels import Kernel, require_memory
from mmc.stepping import State


class Problem(NamedTuple):
    """The kernel, its column means, its centred matrix K̃, and the labellings to start from."""

    kernel: Kernel
    means: Array
    K: Array
    starts: list[Labels]


class CLUHSIC(KernelClusterer):
    """Clustering by the dependence of labels on points, moved one point at a time ([SMIC] section 3.7).

    Parameters
    ----------
    n_clusters : int, default=2
    kernel : {"rbf", "linear", "poly", "local_scaling", "precomputed"}, default="rbf"
    gamma : float or {"neighbors", "median", "max"}, default="median"
        Of the Gaussian and polynomial kernels: a number, or the length in which `width` is measured
        (see `mmc.kernels`). The median distance is the usual choice.
    width : float, default=1.0
        Width σ of the Gaussian kernel as a multiple of the length that `gamma` names.
    degree, coef0 : float, default=3, 1.0
        Of the polynomial kernel.
    n_neighbors : int, default=7
        Of the local-scaling kernel.
    init : "random" or array-like of shape (n_samples,), default="random"
        Labels drawn at random, or given ones, which make one start.
    n_init : int, default=10
        Number of starts; the one that ends lowest is kept.
    max_iter : int, default=100
        Sweeps that a start may take.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    objective_ : float
        −tr(K̃ Π Πᵀ)/n² of `labels_`.
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_init,)
    state_ : MovingState

    Notes
    -----
    `decision_function` gives Σ_{i: y_i = y} k̃(x, x_i), what joining cluster y would add. Where
    no point gains by a move, the own cluster answers highest, so that `predict` equals `labels_` on the
    training points, except for the last point of a cluster, which is never taken away, and for kernels that
    are not positive semi-definite.

    References
    ----------
    L. Song, A. Smola, A. Gretton, K. Borgwardt: A Dependence Maximization View of Clustering. ICML 2007.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClusterer._parameter_constraints,
        "init": [StrOptions({"random"}), "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "median",
        width: float = 1.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 7,
        init: str | ArrayLike = "random",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.width = width
        self.degree = degree
        self.coef0 = coef0
        self.n_neighbors = n_neighbors
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _prepare(self, X: Array) -> Problem:
        n, k = len(X), self.n_clusters
        require_points(n, k)
        require_memory(n, 2)
        if isinstance(self.init, str):
            rng = check_random_state(self.random_state)
            starts = [random_labels(X, k, rng) for _ in range(self.n_init)]
        else:
            starts = [checked_labels(self.init, n, k)]
        kernel, K = self._gram(X)
        means = K.mean(axis=0)
        K -= means
        K -= means[:, None] - means.mean()
        return Problem(kernel, means, K, starts)

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self.kernel_ = problem.kernel
        self._means = problem.means
        return len(problem.starts), (self._sweeps(problem.K, labels) for labels in problem.starts)

    def _sweeps(self, K: Array, start: Labels) -> Iterator[MovingState]:
        labels, n, k = start.copy(), len(start), self.n_clusters
        inside = np.asarray(np.arange(k)[:, None] == labels, dtype=np.float64)
        T = 2.0 * inside @ K
        objective = -0.5 * float(np.vdot(inside, T)) / n**2
        sizes = np.bincount(labels, minlength=k)
        moved = np.empty(n, dtype=np.int64)
        previous, n_moved = 0.0, 0
        for i in count():
            if i:
                previous = objective
                n_moved, change = sweep(K, T, labels, sizes, moved)
                objective += change / (4.0 * n**2)
            yield MovingState(
                labels=labels.copy(),
                objective=objective,
                converged=i > 0 and n_moved == 0,
                progress=i / (i + 5.0),
                what="−dependence",
                round=i,
                moved=moved[:n_moved].copy(),
                previous=previous,
            )

    def _adopt(self, state: MovingState) -> None:
        """Set nothing more: kernel and labels are the model."""

    def _follow(self, X: Array) -> Callable[[MovingState], Array]:
        K = self.kernel_(X)
        K = K - K.mean(axis=1, keepdims=True) - (self._means - self._means.mean())

        def values(state: MovingState) -> Array:
            inside = np.arange(self.n_clusters)[:, None] == state.labels
            return np.asarray(K @ inside.T)

        return values
