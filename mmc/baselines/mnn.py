"""Mean nearest-neighbour clustering: clusters of lowest entropy ([SMIC] section 3.7, eq. 22).

The method minimises over labellings the entropy of the clusters, by a nearest-neighbour estimate that is
averaged over all numbers of neighbours:

    Σ_y 1/(n_y − 1) Σ_{i ≠ j: y_i = y_j = y} log(‖x_i − x_j‖² + ε s²).                          (eq. 22)

Each cluster adds its number of points times the mean logarithm of the squared distances in it. The entropy of
all points is fixed, so that the lowest entropy within clusters is the highest mutual information: as in
[SMIC], but over labels instead of the parameters of a model.

Deviation from the paper: s², the mean variance of the columns that vary, is the unit of ε, so that the labels
do not depend on the scale of the points. It is 1 for standardised columns, which the paper has.

One step is one sweep over all points, each of which moves to the cluster that lowers the objective most. The
logarithms take n² d, a sweep k n and a move n; memory is two n×n arrays at the peak.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mmc._fast.mnn import sweep
from mmc._sklearn import StrOptions
from mmc.baselines.moving import Array, Labels, MovingState, NearestMember
from mmc.kernels import require_finite_products, require_memory, squared_distances
from mmc.ranges import RANGES, real
from mmc.starts import Start, draw_starts, random_labels
from mmc.stepping import State


class Logarithms(NamedTuple):
    """Logarithms of the squared distances, and their unit.

    Attributes
    ----------
    L : ndarray of shape (n_samples, n_samples)
        log(‖x_i − x_j‖²/s² + ε), and zero where i = j.
    log_unit : float
        log s².
    """

    L: Array
    log_unit: float


class Problem(NamedTuple):
    """The points, the logarithms of their distances, and the labellings to start from."""

    X: Array
    logarithms: Logarithms
    starts: list[Start]


class MNN(NearestMember):
    """Mean nearest-neighbour clustering of Faivishevsky and Goldberger ([SMIC] eq. 22).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    epsilon : float or "1/n", default="1/n"
        ε, which keeps the logarithm finite for equal points. It is added to squared distances in units of the
        mean variance of the columns that vary, so that the labels do not depend on the scale of the points. A
        number is from 1e-12 to 1e12.
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
        Eq. 22 of `labels_`.
    n_iter_ : int
        Number of sweeps of the start that was kept.
    start_objectives_ : ndarray of shape (n_init,)
        Objective at the end of each start.
    state_ : MovingState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one sweep over all points, each of which moves to the cluster that lowers the objective most.
    The logarithms take n² d, a sweep k n and a move n; memory is two n×n arrays at the peak.

    Eq. 22 has no value for a cluster of one point. No move leaves a cluster with fewer than two points, and
    there must be two points for each cluster.

    The paper does not define labels for new points. Here a new point joins the cluster of its nearest
    training point, so that `predict` equals `labels_` on the training points, unless equal points have
    different labels; `decision_function` is minus the distance to the nearest member of each cluster.

    References
    ----------
    L. Faivishevsky, J. Goldberger: A Nonparametric Information Theoretic Clustering Algorithm. ICML 2010.

    Examples
    --------
    >>> from mmc import MNN
    >>> from mmc.datasets import make_three_gaussians
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_three_gaussians(90, noise=0.3, random_state=0)
    >>> model = MNN(n_clusters=3, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [RANGES["n_clusters"]],
        "epsilon": [real(1e-12, 1e12), StrOptions({"1/n"})],
        "init": [StrOptions({"random"}), "array-like"],
        "n_init": [RANGES["n_init"]],
        "max_iter": [RANGES["max_iter"]],
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
        draws = {"random": random_labels}
        starts = draw_starts(X, k, self.init, draws, n_init=self.n_init, random_state=self.random_state)
        if np.bincount(starts[0].labels).min() < 2:
            raise ValueError("init must give every cluster at least two points.")
        return Problem(X, _logarithms(X, 1.0 / n if isinstance(self.epsilon, str) else self.epsilon), starts)

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self._keep(problem.X)
        return len(problem.starts), (
            self._sweeps(problem.logarithms, start.labels) for start in problem.starts
        )

    def _sweeps(self, logarithms: Logarithms, start: Labels) -> Iterator[MovingState]:
        L, log_unit = logarithms
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
            objective = float((S / (sizes - 1)).sum() + len(labels) * log_unit)
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


def _logarithms(X: Array, epsilon: float) -> Logarithms:
    """Return log(‖x_i − x_j‖²/s² + ε) and log s², computed so that neither overflows nor underflows."""
    centred = X - X.mean(axis=0)
    largest = float(np.abs(centred).max()) or 1.0
    variances = (centred / largest).var(axis=0)
    s = largest * (float(np.sqrt(variances[variances > 0].mean())) if variances.any() else 1.0)
    L = squared_distances(centred / s)
    L += epsilon
    np.log(L, out=L)
    np.fill_diagonal(L, 0.0)
    return Logarithms(L, 2.0 * float(np.log(s)))
