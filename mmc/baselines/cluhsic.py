"""Clustering with the Hilbert-Schmidt independence criterion: CLUHSIC ([SMIC] section 3.7; Song et al. 2007).

The method looks for labels that depend on the points as much as possible:

    maximise  tr(K̃ Π A Πᵀ),    K̃ = Γ K Γ,    Γ = I − 11ᵀ/n,

with the n×k indicators Π of the clusters. Here A = I, so that the criterion is Σ_y ‖Σ_{i: y_i = y} φ̃(x_i)‖²:
the sums of the clusters lie far from the mean of all points. A single cluster of all points has the value 0,
because K̃ is centred.

One step is one sweep over all points, each of which moves to the cluster that raises the criterion most. With
T = 2 Π K̃ the gain of a move takes no further work: the sweep is that of [UMC-RLS] Algorithm 1 with K̃ in
place of the hat matrix, because Σ_y p_yᵀ K̃ p_y with p_y = ±1 is four times the criterion. The kernel takes
n² d, a sweep k n, and a move n; memory is two n×n arrays at the peak.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mmc._fast.rls import no_rules, sweep
from mmc._sklearn import StrOptions
from mmc.baselines.moving import Array, Labels, MovingState
from mmc.kernel_base import KernelClusterer
from mmc.kernels import Kernel, require_memory
from mmc.ranges import RANGES
from mmc.starts import Start, draw_starts, random_labels, require_points
from mmc.stepping import State


class Problem(NamedTuple):
    """The kernel, its column means, its centred matrix K̃, and the labellings to start from."""

    kernel: Kernel
    means: Array
    K: Array
    starts: list[Start]


class CLUHSIC(KernelClusterer):
    """Clustering that maximises the dependence of labels on points, one point at a time ([SMIC] section 3.7).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    kernel : {"rbf", "linear", "poly", "local_scaling", "precomputed"}, default="rbf"
        Kernel between points. With "precomputed", `X` is the kernel matrix itself.
    gamma : float or {"neighbors", "median", "max"}, default="median"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data that serves as the
        unit of `width` (see `mmc.kernels.dense`). The median distance is the usual choice. A number is from
        1e-100 to 1e100.
    width : float, default=1.0
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    degree : float, default=3
        Degree of the "poly" kernel. Allowed are 1 to 100.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel. Allowed are -1e6 to 1e6.
    n_neighbors : int, default=7
        Number of neighbours of the "local_scaling" kernel. Allowed are 1 to 1,000,000.
    init : "random" or array-like of shape (n_samples,), default="random"
        Labels to start from: random labels with clusters of equal size, or given labels from 0 to n_clusters
        − 1, which make a single start.
    n_init : int, default=10
        Number of starts. The start that ends with the lowest objective is kept. Allowed are 1 to 1,000.
    max_iter : int, default=100
        Largest number of sweeps of a start. Allowed are 1 to 1,000,000,000.
    random_state : int, RandomState or None, default=None
        Seed of the random starts. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        −tr(K̃ Π Πᵀ)/n² of `labels_`.
    n_iter_ : int
        Number of sweeps of the start that was kept.
    start_objectives_ : ndarray of shape (n_init,)
        Objective at the end of each start.
    kernel_ : Kernel
        Kernel with the width that was computed from the training points.
    state_ : MovingState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one sweep over all points, each of which moves to the cluster that lowers the objective most.
    The kernel takes n² d, a sweep k n and a move n; memory is two n×n arrays at the peak.

    `decision_function` returns Σ_{i: y_i = y} k̃(x, x_i), the gain of joining cluster y. If no move gains,
    the own cluster of every point has the highest value. `predict` then equals `labels_` on the training
    points, except for the last point of a cluster, which is never taken away, and for kernels that are not
    positive semi-definite.

    References
    ----------
    L. Song, A. Smola, A. Gretton, K. Borgwardt: A Dependence Maximization View of Clustering. ICML 2007.

    Examples
    --------
    >>> from mmc import CLUHSIC
    >>> from mmc.datasets import make_three_gaussians
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_three_gaussians(90, noise=0.3, random_state=0)
    >>> model = CLUHSIC(n_clusters=3, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClusterer._parameter_constraints,
        "init": [StrOptions({"random"}), "array-like"],
        "max_iter": [RANGES["max_iter"]],
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
        n, k = X.shape[0], self.n_clusters
        require_points(n, k)
        require_memory(n, 2)
        draws = {"random": random_labels}
        starts = draw_starts(X, k, self.init, draws, n_init=self.n_init, random_state=self.random_state)
        kernel, K = self._gram(X)
        means = K.mean(axis=0)
        K -= means
        K -= means[:, None] - means.mean()
        return Problem(kernel, means, K, starts)

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self.kernel_ = problem.kernel
        self._means = problem.means
        return len(problem.starts), (self._sweeps(problem.K, start.labels) for start in problem.starts)

    def _sweeps(self, K: Array, start: Labels) -> Iterator[MovingState]:
        labels, n, k = start.copy(), len(start), self.n_clusters
        inside = np.asarray(np.arange(k)[:, None] == labels, dtype=np.float64)
        T = 2.0 * inside @ K
        objective = -0.5 * float(np.vdot(inside, T)) / n**2
        sizes = np.bincount(labels, minlength=k)
        moved = np.empty(n, dtype=np.int64)
        previous, n_moved, rules = 0.0, 0, no_rules(n)
        for i in count():
            if i:
                previous = objective
                n_moved, change = sweep(K, T, labels, sizes, moved, rules)
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
        """Set nothing more: the kernel and the labels are the model."""

    def _follow(self, X: Array) -> Callable[[MovingState], Array]:
        K = self.kernel_(X)
        K = K - K.mean(axis=1, keepdims=True) - (self._means - self._means.mean())

        def values(state: MovingState) -> Array:
            inside = np.arange(self.n_clusters)[:, None] == state.labels
            return np.asarray(K @ inside.T)

        return values
