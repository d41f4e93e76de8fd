"""DIFFRAC: labels that a least-squares classifier learns best, by a spectral relaxation ([SMIC] section 3.4).

Bach and Harchaoui (2008) minimise, over the n×k indicators Π of the clusters,

    tr(Π Πᵀ κ Γ (K̃ + nκI)⁻¹ Γ),    K̃ = Γ K Γ,    Γ = I − 11ᵀ/n,

which is what the best ridge classifiers of all clusters leave unexplained. Since κ(K̃ + nκI)⁻¹ = (I − R)/n
with the hat matrix R = K̃ (K̃ + nκI)⁻¹, the trace is small where Πᵀ R Π is large. If the columns of Π may be
any orthonormal vectors, the optimum is known: the constant vector and the k − 1 leading eigenvectors v_i of
K̃, on which R has the values μ_i = λ_i/(λ_i + nκ). They are rounded to labels by k-means on the rows of
(√μ_i v_i), whose scatter is

    Σ_i μ_i − Σ_y e_yᵀ R' e_y/n_y,

with R' the part of R that these eigenvectors span and e_y the indicator of cluster y: the trace above with
columns of unit length, but for a constant and for what the other eigenvectors add. That scatter is the
objective.

One step is one round of k-means. Costs n² d for the kernel and Lanczos iterations of n² for the eigenvectors;
memory: three n×n arrays at the peak.

Deviations: the paper solves a semidefinite program instead. It weighs Π by its plain 0 and 1, for which one
cluster of all points would cost nothing, and bounds the sizes of clusters; unit length does without bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from mmc._sklearn import Interval
from mmc.base import require_points
from mmc.baselines.moving import Array, Labels
from mmc.baselines.rounds import MeansState, rounds, row_centres, row_starts
from mmc.kernel_base import KernelClusterer
from mmc.kernels import Kernel, require_memory
from mmc.kernels.spectral import leading
from mmc.stepping import State


class Problem(NamedTuple):
    """The kernel, its column means, and what its eigenvectors give.

    Attributes
    ----------
    kernel : Kernel
    means : ndarray of shape (n_samples,)
    rows : ndarray of shape (n_samples, n_clusters - 1)
        √μ_i v_i as columns.
    maps : ndarray of shape (n_samples, n_clusters - 1)
        √μ_i v_i / λ_i: a centred kernel row times this is a point's own row.
    starts : list of ndarray
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
    alpha : float, default=0.001
        κ, how simple the classifiers must be: the larger, the less do weaker eigenvectors count.
    n_init : int, default=10
        Starts of k-means on the eigenvectors; the one that ends with the least scatter is kept.
    max_iter : int, default=300
        Rounds that a start may take.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    objective_ : float
        Scatter of the rows of the weighed eigenvectors (see the module).
    embedding_ : ndarray of shape (n_samples, n_clusters - 1)
        √μ_i v_i as columns.
    n_iter_ : int
    start_objectives_ : ndarray of shape (n_init,)
    state_ : MeansState

    Notes
    -----
    A new point's row follows from its kernel values (Nyström), and it joins the nearest centre:
    `decision_function` is minus the squared distance. On the training points `predict` equals `labels_` once
    a start has converged, except where two centres are equally near. An eigenvector whose eigenvalue is not
    positive does not count.

    References
    ----------
    F. Bach, Z. Harchaoui: DIFFRAC: a discriminative and flexible framework for clustering. NIPS 20, 2008.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClusterer._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
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
        n, k = len(X), self.n_clusters
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
        """Set nothing more: kernel and labels are the model."""

    def _follow(self, X: Array) -> Callable[[MeansState], Array]:
        K = self.kernel_(X)
        K = K - K.mean(axis=1, keepdims=True) - (self._means - self._means.mean())
        rows = K @ self._maps
        return lambda state: -cdist(rows, state.places, "sqeuclidean")
