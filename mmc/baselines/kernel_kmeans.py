"""Kernel k-means: k-means in the space that a kernel spans ([SMIC] section 3.1; Girolami 2002).

Minimised over labellings is the scatter of [SMIC] eq. 20 in feature space,

    Σ_y Σ_{i: y_i = y} ‖φ(x_i) − μ_y‖²,    μ_y = (1/n_y) Σ_{i: y_i = y} φ(x_i),

and distances need kernel values only: ‖φ(x) − μ_y‖² = K(x, x) − 2 K(x, ·) m_y + m_yᵀ K m_y, where m_y is
1/n_y on cluster y and 0 elsewhere.

One step is one round in which every point goes to its nearest centre. Costs n² d for the kernel and k n² for
each round; memory: the n×n kernel, twice while it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from mmc._sklearn import Interval, StrOptions
from mmc.base import checked_labels, random_labels, require_points
from mmc.baselines.moving import Array, Labels
from mmc.baselines.rounds import Centres, MeansState, members, rounds, seeded_labels
from mmc.kernel_base import KernelClusterer
from mmc.kernels import Gram, Kernel, require_memory
from mmc.stepping import State


class Problem(NamedTuple):
    """The kernel and the labellings to start from."""

    gram: Gram
    starts: list[Labels]


class KernelKMeans(KernelClusterer):
    """k-means in the feature space of a kernel ([SMIC] section 3.1).

    Parameters
    ----------
    n_clusters : int, default=2
    kernel : {"rbf", "linear", "poly", "local_scaling", "precomputed"}, default="rbf"
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Of the Gaussian and polynomial kernels: a number, or the length in which `width` is measured
        (see `mmc.kernels`).
    width : float, default=2.0
        Width σ of the Gaussian kernel as a multiple of the length that `gamma` names.
    degree, coef0 : float, default=3, 1.0
        Of the polynomial kernel.
    n_neighbors : int, default=7
        Of the local-scaling kernel.
    init : {"k-means++", "random"} or array-like of shape (n_samples,), default="k-means++"
        How a start is made: seeds far apart in feature space, labels drawn at random, or given labels, which
        make one start.
    n_init : int, default=10
        Number of starts; the one that ends with the least scatter is kept.
    max_iter : int, default=300
        Rounds that a start may take.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    objective_ : float
        Scatter of `labels_` in feature space.
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_init,)
    state_ : MeansState

    Notes
    -----
    `decision_function` is minus the squared distance to each centre. On the training points `predict` equals
    `labels_` once a start has converged, except where two centres are equally near or the kernel is not
    positive semi-definite: then distances may be negative, and a start ends before the scatter would rise.

    References
    ----------
    M. Girolami: Mercer Kernel-Based Clustering in Feature Space. IEEE Transactions on
    Neural Networks 13, 2002.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClusterer._parameter_constraints,
        "init": [StrOptions({"random", "k-means++"}), "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
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
        n, k = len(X), self.n_clusters
        require_points(n, k)
        require_memory(n, 2)
        if not isinstance(self.init, str):
            given = checked_labels(self.init, n, k)
            return Problem(self._gram(X), [given])
        gram = self._gram(X)
        K, diagonal = gram.matrix, gram.matrix.diagonal()
        rng = check_random_state(self.random_state)

        def draw() -> Labels:
            if self.init == "random":
                return random_labels(X, k, rng)
            return seeded_labels(lambda i: diagonal + K[i, i] - 2.0 * K[i], n, k, rng)

        return Problem(gram, [draw() for _ in range(self.n_init)])

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self.kernel_: Kernel = problem.gram.kernel
        centre = _kernel_centres(problem.gram.matrix, self.n_clusters)
        return len(problem.starts), (rounds(centre, labels) for labels in problem.starts)

    def _adopt(self, state: MeansState) -> None:
        """Set nothing more: kernel and labels are the model."""

    def _follow(self, X: Array) -> Callable[[MeansState], Array]:
        K = self.kernel_(X)
        own = self._own_values(X)

        def values(state: MeansState) -> Array:
            return 2.0 * K @ members(state.labels, self.n_clusters).T - state.places - own[:, None]

        return values

    def _own_values(self, X: Array) -> Array:
        """Give K(x, x); unknown for a precomputed kernel, where it is left out of every cluster's value."""
        kernel = self.kernel_
        if kernel.kind == "precomputed":
            return np.zeros(len(X))
        if kernel.kind in ("rbf", "local_scaling"):
            return np.ones(len(X))
        squares = np.einsum("ij,ij->i", X, X)
        return (
            squares if kernel.kind == "linear" else (kernel.gamma * squares + kernel.coef0) ** kernel.degree
        )


def _kernel_centres(K: Array, k: int) -> Callable[[Labels], Centres]:
    diagonal = K.diagonal()[:, None]

    def centre(labels: Labels) -> Centres:
        M = members(labels, k)
        products = K @ M.T
        norms = np.einsum("hi,ih->h", M, products)
        return Centres(norms, diagonal - 2.0 * products + norms)

    return centre
