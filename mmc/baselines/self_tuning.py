"""Self-tuning spectral clustering: local scaling, eigenvectors, k-means ([SMIC] section 3.2).

The rows of the leading eigenvectors of D^-½ W D^-½ are scaled to length 1, and k-means clusters them. W is
the graph of `mmc.kernels.neighbor_graph`: W_ij = exp(−‖x_i − x_j‖²/(σ_i σ_j)) where one of the two points is
among the t nearest neighbours of the other, σ_i being the distance of x_i to its seventh neighbour.

One step is one round of k-means on the rows. Costs: the neighbours (see `mmc.kernels.neighbors`), Lanczos
iterations of n (t + k) multiplications, and n k² for each round, without an n×n array.

Deviation from the paper: Zelnik-Manor and Perona keep all pairs, and choose the number of clusters by
rotating the eigenvectors.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from mmc.baselines.moving import Array, Labels, NearestVertex
from mmc.baselines.rounds import rounds, row_centres, row_starts
from mmc.kernels.local_scaling import Neighborhood
from mmc.kernels.neighbor_graph import neighbor_graph
from mmc.kernels.spectral import accuracy_for, normalized_spectrum, unit_rows
from mmc.ranges import RANGES
from mmc.starts import require_distinct, require_points
from mmc.stepping import State


class Problem(NamedTuple):
    """The points, their rows in the eigenvectors, and the labels to start from."""

    neighborhood: Neighborhood
    rows: Array
    starts: list[Labels]


class SelfTuningSpectral(NearestVertex):
    """Spectral clustering with the local-scaling similarity of Zelnik-Manor and Perona ([SMIC] section 3.2).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    n_neighbors : int, default=10
        Number t of nearest neighbours that a point is linked to. Its width is the distance to the seventh of
        them, or to the last if they are fewer. Allowed are 1 to 1,000,000.
    n_init : int, default=10
        Number of starts of k-means on the eigenvectors. The start that ends with the smallest scatter is
        kept. Allowed are 1 to 1,000.
    max_iter : int, default=300
        Largest number of rounds of a start. Allowed are 1 to 1,000,000,000.
    random_state : int, RandomState or None, default=None
        Seed of the random starts. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        Scatter of the rows of `embedding_` around their centres.
    n_iter_ : int
        Number of rounds of the start that was kept.
    start_objectives_ : ndarray of shape (n_init,)
        Objective at the end of each start.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Rows of the eigenvectors, scaled to length 1.
    neighborhood_ : Neighborhood
        Distinct points, or their principal components, and their neighbours.
    state_ : MeansState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one round of k-means on the rows of the eigenvectors. The eigenvectors take Lanczos iterations
    of n (t + k) multiplications and a round n k², without an n×n array. The graph has only links to the t
    nearest neighbours, while the paper keeps all pairs. Equal points are one vertex of the graph.

    More than 5,000 points of more than 64 features are compared by their principal components, and the
    eigenvectors of more than 5,000 points have a relative error of up to 1e-4 (see `mmc.kernels.neighbors`
    and `mmc.kernels.spectral`).

    The paper does not define labels for new points. Here a new point joins the cluster of its nearest
    training point, so that `predict` equals `labels_` on the training points; `decision_function` is minus
    the distance to the nearest member of each cluster. This compares each new point with all training points
    (with trees, only with some, if they have at most 15 features), and takes memory for one block of them.

    References
    ----------
    L. Zelnik-Manor, P. Perona: Self-Tuning Spectral Clustering. NIPS 17, 2005.

    Examples
    --------
    >>> from mmc import SelfTuningSpectral
    >>> from mmc.datasets import make_rings
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_rings(100, random_state=0)
    >>> model = SelfTuningSpectral(n_clusters=2, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [RANGES["n_clusters"]],
        "n_neighbors": [RANGES["n_neighbors"]],
        "n_init": [RANGES["n_init"]],
        "max_iter": [RANGES["max_iter"]],
        "random_state": ["random_state"],
    }

    embedding_: Array

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        n_neighbors: int = 10,
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
        graph = neighbor_graph(X, self.n_neighbors)
        require_distinct(graph.n_vertices, k)
        vectors = normalized_spectrum(graph.matrix, k, accuracy=accuracy_for(graph.matrix)).vectors
        rows = np.asarray(unit_rows(vectors)[graph.vertex], dtype=np.float64)
        starts = row_starts(rows, k, self.n_init, check_random_state(self.random_state))
        return Problem(graph.neighborhood, rows, starts)

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self.neighborhood_ = problem.neighborhood
        self.embedding_ = problem.rows
        centre = row_centres(problem.rows, self.n_clusters)
        return len(problem.starts), (rounds(centre, labels) for labels in problem.starts)
