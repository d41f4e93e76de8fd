"""DIFFRAC: labels that a least-squares classifier fits best, by a spectral relaxation ([SMIC] section 3.4).

Bach and Harchaoui (2008) minimise, over the n×k indicators Π of the clusters,

    tr(Π Πᵀ κ Γ (K̃ + nκI)⁻¹ Γ),    K̃ = Γ K Γ,    Γ = I − 11ᵀ/n,

which is the part of the labels that the best ridge classifiers of all clusters leave unexplained. Since κ(K̃
+ nκI)⁻¹ = (I − R)/n with the hat matrix R = K̃ (K̃ + nκI)⁻¹, the trace is small where Πᵀ R Π is large. If the
columns of Π may be any orthonormal vectors, the optimum is known: the constant vector and the k − 1 leading
eigenvectors v_i of K̃, on which R has the values μ_i = λ_i/(λ_i + nκ). They are rounded to labels by k-means
on the rows of (√μ_i v_i), whose scatter is

    Σ_i μ_i − Σ_y e_yᵀ R' e_y/n_y,

with R' the part of R that these eigenvectors span and e_y the indicator of cluster y. This is the trace above
with columns of unit length, except for a constant and the part of the other eigenvectors. The scatter is the
objective.

One step is one round of k-means. The kernel takes n² d, and the eigenvectors take Lanczos iterations of n²;
memory is three n×n arrays at the peak.

Deviations from the paper: it solves a semidefinite program instead. It uses Π with entries 0 and 1, for which
a single cluster of all points would cost nothing, and bounds the cluster sizes; columns of unit length need
no bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from mmc.baselines.moving import Array, Labels
from mmc.baselines.rounds import MeansState, rounds, row_centres, row_starts
from mmc.kernel_base import KernelClusterer
from mmc.kernels import Kernel, require_memory
from mmc.kernels.spectral import leading
from mmc.ranges import RANGES
from mmc.starts import require_points
from mmc.stepping import State


class Problem(NamedTuple):
    """The kernel, its column means, and the rows of its eigenvectors.

    Attributes
    ----------
    kernel : Kernel
    means : ndarray of shape (n_samples,)
        Column means of the kernel matrix.
    rows : ndarray of shape (n_samples, n_clusters - 1)
        √μ_i v_i as columns.
    maps : ndarray of shape (n_samples, n_clusters - 1)
        √μ_i v_i / λ_i: a centred kernel row times this is the row of a point.
    starts : list of ndarray
        Labels to start from.
    """

    kernel: Kernel
    means: Array
    rows: Array
    maps: Array
    starts: list[Labels]


class DIFFRAC(KernelClusterer):
    """Discriminative clustering by least squares, relaxed to eigenvectors ([SMIC] section 3.4).

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
    alpha : float, default=0.001
        Regularisation κ of the classifiers. A larger value reduces the weight of the weaker eigenvectors.
        Allowed are 1e-12 to 1e12.
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
        Scatter of the rows of `embedding_` (see `mmc.baselines.diffrac`).
    n_iter_ : int
        Number of rounds of the start that was kept.
    start_objectives_ : ndarray of shape (n_init,)
        Objective at the end of each start.
    embedding_ : ndarray of shape (n_samples, n_clusters - 1)
        Weighted eigenvectors √μ_i v_i as columns.
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
    One step is one round of k-means on the rows of the eigenvectors. The kernel takes n² d, and the
    eigenvectors take Lanczos iterations of n²; memory is three n×n arrays at the peak. The paper solves a
    semidefinite program instead.

    The row of a new point follows from its kernel values (Nyström), and the point joins the nearest centre:
    `decision_function` is minus the squared distance. `predict` equals `labels_` on the training points once
    a start has converged, except where two centres are equally near. An eigenvector whose eigenvalue is not
    positive has no weight.

    References
    ----------
    F. Bach, Z. Harchaoui: DIFFRAC: a discriminative and flexible framework for clustering. NIPS 20, 2008.

    Examples
    --------
    >>> from mmc import DIFFRAC
    >>> from mmc.datasets import make_three_gaussians
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_three_gaussians(90, noise=0.3, random_state=0)
    >>> model = DIFFRAC(n_clusters=3, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClusterer._parameter_constraints,
        "alpha": [RANGES["alpha"]],
        "max_iter": [RANGES["max_iter"]],
    }

    embedding_: Array

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
        alpha: float = 0.001,
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
        self.alpha = alpha
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _prepare(self, X: Array) -> Problem:
        n, k = X.shape[0], self.n_clusters
        require_points(n, k)
        require_memory(n, 3)
        kernel, K = self._gram(X)
        means = K.mean(axis=0)
        K -= means
        K -= means[:, None] - means.mean()
        eigenvalues, V = leading(K, k - 1)
        counts = eigenvalues > 1e-12 * max(float(np.abs(eigenvalues).max()), 1e-300)
        lambdas = np.where(counts, eigenvalues, 1.0)
        rows = V * np.where(counts, np.sqrt(lambdas / (lambdas + n * self.alpha)), 0.0)
        starts = row_starts(rows, k, self.n_init, check_random_state(self.random_state))
        return Problem(kernel, means, rows, rows / lambdas, starts)

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self.kernel_ = problem.kernel
        self.embedding_ = problem.rows
        self._means = problem.means
        self._maps = problem.maps
        centre = row_centres(problem.rows, self.n_clusters)
        return len(problem.starts), (rounds(centre, labels) for labels in problem.starts)

    def _adopt(self, state: MeansState) -> None:
        """Set nothing more: the kernel and the labels are the model."""

    def _follow(self, X: Array) -> Callable[[MeansState], Array]:
        K = self.kernel_(X)
        K = K - K.mean(axis=1, keepdims=True) - (self._means - self._means.mean())
        rows = K @ self._maps
        return lambda state: -cdist(rows, state.places, "sqeuclidean")
