"""Kernel k-means: k-means in the feature space of a kernel ([SMIC] section 3.1; Girolami 2002).

The method minimises over labellings the scatter of [SMIC] eq. 20 in feature space,

    Σ_y Σ_{i: y_i = y} ‖φ(x_i) − μ_y‖²,    μ_y = (1/n_y) Σ_{i: y_i = y} φ(x_i).

Distances need only kernel values: ‖φ(x) − μ_y‖² = K(x, x) − 2 K(x, ·) m_y + m_yᵀ K m_y, where m_y is 1/n_y on
cluster y and 0 elsewhere.

One step is one round, in which every point moves to its nearest centre. The kernel takes n² d and a round k
n²; memory is the n×n kernel, twice while it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mmc._sklearn import StrOptions
from mmc.baselines.moving import Array, Labels
from mmc.baselines.rounds import Centres, MeansState, members, rounds
from mmc.kernel_base import KernelClusterer
from mmc.kernels import Gram, Kernel, require_memory
from mmc.ranges import RANGES
from mmc.starts import Start, draw_starts, random_labels, require_points, seeded_labels
from mmc.stepping import State


class Problem(NamedTuple):
    """The kernel and the labellings to start from."""

    gram: Gram
    starts: list[Start]


class KernelKMeans(KernelClusterer):
    """k-means in the feature space of a kernel ([SMIC] section 3.1).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    kernel : {"rbf", "linear", "poly", "local_scaling", "precomputed"}, default="rbf"
        Kernel between points. With "precomputed", `X` is the kernel matrix itself.
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data that serves as the
        unit of `width` (see `mmc.kernels.dense`). A number is from 1e-100 to 1e100.
    width : float, default=2.0
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    degree : float, default=3
        Degree of the "poly" kernel. Allowed are 1 to 100.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel. Allowed are -1e6 to 1e6.
    n_neighbors : int, default=7
        Number of neighbours of the "local_scaling" kernel. Allowed are 1 to 1,000,000.
    init : {"k-means++", "random"} or array-like of shape (n_samples,), default="k-means++"
        Labels to start from: the nearest of seeds that lie far apart in feature space, random labels with
        clusters of equal size, or given labels from 0 to n_clusters − 1, which make a single start.
    n_init : int, default=10
        Number of starts. The start that ends with the smallest scatter is kept. Allowed are 1 to 1,000.
    max_iter : int, default=300
        Largest number of rounds of a start. Allowed are 1 to 1,000,000,000.
    random_state : int, RandomState or None, default=None
        Seed of the random starts. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        Scatter of `labels_` in feature space.
    n_iter_ : int
        Number of rounds of the start that was kept.
    start_objectives_ : ndarray of shape (n_init,)
        Objective at the end of each start.
    kernel_ : Kernel
        Kernel with the width that was computed from the training points.
    state_ : MeansState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one round, in which every point moves to its nearest centre. The kernel takes n² d and a round
    k n²; memory is two n×n arrays at the peak.

    `decision_function` is minus the squared distance to each centre. `predict` equals `labels_` on the
    training points once a start has converged, except where two centres are equally near or the kernel is not
    positive semi-definite. Then distances may be negative, and a start ends before the scatter would rise.

    References
    ----------
    M. Girolami: Mercer Kernel-Based Clustering in Feature Space. IEEE Transactions on Neural Networks 13,
    2002.

    Examples
    --------
    >>> from mmc import KernelKMeans
    >>> from mmc.datasets import make_three_gaussians
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_three_gaussians(90, noise=0.3, random_state=0)
    >>> model = KernelKMeans(n_clusters=3, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClusterer._parameter_constraints,
        "init": [StrOptions({"random", "k-means++"}), "array-like"],
        "max_iter": [RANGES["max_iter"]],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "neighbors",
        width: float = 2.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 7,
        init: str | ArrayLike = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
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
        gram = self._gram(X)
        K, diagonal = gram.matrix, gram.matrix.diagonal()

        def seeded(X: Array, k: int, rng: np.random.RandomState) -> Labels:
            """Draw seeds that are far apart in feature space, which a precomputed kernel has too."""
            return seeded_labels(lambda i: diagonal + K[i, i] - 2.0 * K[i], n, k, rng)

        draws = {"random": random_labels, "k-means++": seeded}
        starts = draw_starts(X, k, self.init, draws, n_init=self.n_init, random_state=self.random_state)
        return Problem(gram, starts)

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self.kernel_: Kernel = problem.gram.kernel
        centre = _kernel_centres(problem.gram.matrix, self.n_clusters)
        return len(problem.starts), (rounds(centre, start.labels) for start in problem.starts)

    def _adopt(self, state: MeansState) -> None:
        """Set nothing more: the kernel and the labels are the model."""

    def _follow(self, X: Array) -> Callable[[MeansState], Array]:
        K = self.kernel_(X)
        own = self._own_values(X)

        def values(state: MeansState) -> Array:
            return 2.0 * K @ members(state.labels, self.n_clusters).T - state.places - own[:, None]

        return values

    def _own_values(self, X: Array) -> Array:
        """Return K(x, x); zero for a precomputed kernel, where it is unknown and does not change labels."""
        kernel = self.kernel_
        if kernel.name == "precomputed":
            return np.zeros(X.shape[0])
        if kernel.name in ("rbf", "local_scaling"):
            return np.ones(X.shape[0])
        squares = np.einsum("ij,ij->i", X, X)
        return (
            squares if kernel.name == "linear" else (kernel.gamma * squares + kernel.coef0) ** kernel.degree
        )


def _kernel_centres(K: Array, k: int) -> Callable[[Labels], Centres]:
    diagonal = K.diagonal()[:, None]

    def centre(labels: Labels) -> Centres:
        M = members(labels, k)
        products = K @ M.T
        norms = np.einsum("hi,ih->h", M, products)
        return Centres(norms, diagonal - 2.0 * products + norms)

    return centre
