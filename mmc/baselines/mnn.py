"""Mean nearest-neighbour clustering: labels that tell much about the points ([SMIC] section 3.7, eq. 22).

Minimised over labellings is the entropy of the clusters, by a nearest-neighbour estimate that is averaged
over all numbers of neighbours:

    Σ_y 1/(n_y − 1) Σ_{i ≠ j: y_i = y_j = y} log(‖x_i − x_j‖² + ε).                             (eq. 22)

Each cluster adds its number of points times the mean logarithm of the squared distances in it. The entropy of
all points is fixed, so that least entropy within clusters is most mutual information: as in [SMIC], but over
labels instead of the parameters of a model.

One step is one sweep over all points, each going to where it lowers the objective most. Costs n² d for the
logarithms, then k n for a sweep and n for each move; memory: two n×n arrays at the peak.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import euclidean_distances
from sklearn.utils import check_random_state

from mmc._fast.mnn import sweep
from mmc._sklearn import Interval, StrOptions
from mmc.base import checked_labels, random_labels
from mmc.baselines.moving import Array, Labels, MovingState, NearestMember
from mmc.kernels import require_finite_products, require_memory
from mmc.stepping import State


class Problem(NamedTuple):
    """The points, the logarithms of their distances, and the labellings to start from."""

    X: Array
    L: Array
    starts: list[Labels]


class MNN(NearestMember):
    """Mean nearest-neighbour clustering of Faivishevsky and Goldberger ([SMIC] eq. 22).

    Parameters
    ----------
    n_clusters : int, default=2
    epsilon : float or "1/n", default="1/n"
        ε, which keeps equal points from an infinite logarithm. It is added to squared distances, so that
        columns should be standardised.
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
        Eq. 22 of `labels_`.
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_init,)
    state_ : MovingState

    Notes
    -----
    A cluster of one point has no distance, and eq. 22 no value; no move leaves a cluster with fewer than two
    points, and there must be two for each. The paper says nothing of new points. Here each joins the cluster
    of its nearest training point, so that `predict` equals `labels_` on the training points, unless equal
    points were parted; `decision_function` is minus the distance to the nearest member of each cluster.

    References
    ----------
    L. Faivishevsky, J. Goldberger: A Nonparametric Information Theoretic Clustering Algorithm. ICML 2010.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 2, None, closed="left")],
        "epsilon": [Interval(Real, 0, None, closed="neither"), StrOptions({"1/n"})],
        "init": [StrOptions({"random"}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        epsilon: float | str = "1/n",
        init: str | ArrayLike = "random",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _prepare(self, X: Array) -> Problem:
        n, k = len(X), self.n_clusters
        if 2 * k > n:
            raise ValueError(
                f"n_clusters={k} is too many for n_samples={n}: every cluster needs two points. "
                f"Choose at most {n // 2} clusters."
            )
        require_memory(n, 2)
        require_finite_products(X)
        if isinstance(self.init, str):
            rng = check_random_state(self.random_state)
            starts = [random_labels(X, k, rng) for _ in range(self.n_init)]
        else:
            starts = [checked_labels(self.init, n, k)]
            if np.bincount(starts[0]).min() < 2:
                raise ValueError("init must give every cluster at least two points.")
        return Problem(X, _logarithms(X, 1.0 / n if isinstance(self.epsilon, str) else self.epsilon), starts)

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self._keep(problem.X)
        return len(problem.starts), (self._sweeps(problem.L, labels) for labels in problem.starts)

    def _sweeps(self, L: Array, start: Labels) -> Iterator[MovingState]:
        labels, k = start.copy(), self.n_clusters
        inside = np.asarray(np.arange(k)[:, None] == labels, dtype=np.float64)
        T = inside @ L
        S = (inside * T).sum(axis=1)
        sizes = np.bincount(labels, minlength=k)
        moved = np.empty(len(labels), dtype=np.int64)
        previous, n_moved = 0.0, 0
        for i in count():
            if i:
                n_moved = int(sweep(L, T, S, labels, sizes, moved))
            objective = float((S / (sizes - 1)).sum())
            yield MovingState(
                labels=labels.copy(),
                objective=objective,
                converged=i > 0 and n_moved == 0,
                progress=i / (i + 5.0),
                what="entropy",
                round=i,
                moved=moved[:n_moved].copy(),
                previous=previous,
            )
            previous = objective


def _logarithms(X: Array, epsilon: float) -> Array:
    """Give log(‖x_i − x_j‖² + ε), and zero where i = j."""
    L = np.asarray(euclidean_distances(X - X.mean(axis=0), squared=True))
    L += epsilon
    np.log(L, out=L)
    np.fill_diagonal(L, 0.0)
    return L
