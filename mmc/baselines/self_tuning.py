"""Self-tuning spectral clustering: local scaling, eigenvectors, k-means ([SMIC] section 3.2).

The rows of the leading eigenvectors of D^-½ W D^-½ are scaled to length 1, and k-means clusters them; W is
the local-scaling similarity W_ij = exp(−‖x_i − x_j‖²/(2 σ_i σ_j)), σ_i the distance of x_i to its t-th
neighbour.

One step is one round of k-means on the rows. Costs: the neighbours (see `mmc.kernels.local_scaling`), Lanczos
iterations of n (t + k) multiplications, and n k² for each round; no n×n array is held.

Deviation: W is the sparse kernel of [SMIC] eq. 7, which keeps the t nearest neighbours; Zelnik-Manor and
Perona keep all pairs, leave out the 2, and choose the number of clusters by rotating the eigenvectors.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from mmc._sklearn import Interval
from mmc.base import require_points
from mmc.baselines.moving import Array, Labels, NearestMember
from mmc.baselines.rounds import rounds, row_centres, row_starts
from mmc.kernels.local_scaling import find_neighbors
from mmc.kernels.spectral import unit_rows
from mmc.stepping import State


class Problem(NamedTuple):
    """The points, their rows in the eigenvectors, and the labellings to start from."""

    X: Array
    rows: Array
    starts: list[Labels]


class SelfTuningSpectral(NearestMember):
    """Spectral clustering with the local-scaling similarity of Zelnik-Manor and Perona ([SMIC] section 3.2).

    Parameters
    ----------
    n_clusters : int, default=2
    n_neighbors : int, default=7
        t of local scaling: which neighbour sets a point's own width, and how many it is linked to.
    n_init : int, default=10
        Starts of k-means on the eigenvectors; the one that ends with the least scatter is kept.
    max_iter : int, default=300
        Rounds that a start may take.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    objective_ : float
        Scatter of the rows of the eigenvectors around their centres.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Rows of the eigenvectors, of length 1.
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_init,)
    state_ : MeansState

    Notes
    -----
    The paper says nothing of new points. Here each joins the cluster of its nearest training point, so that
    `predict` equals `labels_` on the training points; `decision_function` is minus the distance to the
    nearest member of each cluster. Equal points are one vertex of the graph.

    References
    ----------
    L. Zelnik-Manor, P. Perona: Self-Tuning Spectral Clustering. NIPS 17, 2005.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 2, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    embedding_: Array

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_neighbors: int = 7,
        n_init: int = 10,
        max_iter: int = 300,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _prepare(self, X: Array) -> Problem:
        k = self.n_clusters
        require_points(len(X), k)
        local = find_neighbors(X, self.n_neighbors).kernel(self.n_neighbors)
        m = len(local.points)
        if k > m:
            raise ValueError(
                f"n_clusters={k} is more than the number of different points, {m}. "
                f"Choose at most {m} clusters."
            )
        rows = unit_rows(local.matrix, k)[local.vertex]
        return Problem(X, rows, row_starts(rows, k, self.n_init, check_random_state(self.random_state)))

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self._keep(problem.X)
        self.embedding_ = problem.rows
        centre = row_centres(problem.rows, self.n_clusters)
        return len(problem.starts), (rounds(centre, labels) for labels in problem.starts)
