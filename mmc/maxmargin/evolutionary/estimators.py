"""`EvoMMC` on the whole kernel and `FastEvoMMC` on landmarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mmc._sklearn import Interval, RealNotInt, StrOptions
from mmc.kernel_base import LowRankClusterer
from mmc.kernels import fit_landmark_kernel, require_memory
from mmc.kernels.factor import Features
from mmc.kernels.hat_matrix import hat_matrix, independent, landmark_factor
from mmc.kernels.low_rank_hat import low_rank_hat
from mmc.maxmargin.binary import Array, Labels, signs
from mmc.maxmargin.evolutionary.base import EvolutionaryClusterer, EvoState, Ridge
from mmc.ranges import RANGES


class EvoMMC(EvolutionaryClusterer, LowRankClusterer):
    """Maximum-margin clustering by evolution ([EvoMMC] Algorithm 1).

    Children are copies of their parents with some labels flipped at random, and only the fittest labellings
    survive. In the first generation a child flips almost half of the labels, later a single one. The search
    needs neither gradients nor the training of a classifier.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, which must be 2, or 1 for all points together. For more use `RecursiveBinary`.
    kernel : {"rbf", "linear", "poly", "local_scaling", "graph", "landmark_graph", "precomputed"}, \
            default="rbf"
        Kernel between points. With "precomputed", `X` is the kernel matrix itself. "graph" is a graph of
        nearest neighbours, "landmark_graph" one that joins points to nearest landmarks: features of either
        stand for the kernel, without an n×n array (`mmc.kernels.low_rank`).
    gamma : float or {"neighbors", "median", "max"}, default="median"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data that serves as the
        unit of `width` (see `mmc.kernels.dense`). The paper's exp(−d²/σ²) has gamma = 1/σ². A number is from
        1e-100 to 1e100.
    width : float, default=1.0
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    degree : float, default=3
        Degree of the "poly" kernel. Allowed are 1 to 100.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel. Allowed are -1e6 to 1e6.
    n_neighbors : int, default=7
        Number of neighbours in a graph and of the "local_scaling" kernel; a quarter as many landmarks.
        Allowed are 1 to 1,000,000.
    alpha : float, default=0.5
        Regularisation λn, which [UMC-RLS] calls λ. The paper tries 0.5, 0.005 and 0.001. Allowed are 1e-12 to
        1e12.
    balance : float, default=0.1
        l as a share of the points: the largest difference of the cluster sizes. The paper uses 0.03, 0.1, 0.3
        or 0.4, depending on the data.
    cluster_sizes : sequence of 2 numbers or None, default=None
        Sizes of the clusters 0 and 1 to aim at, in any unit; `balance` then bounds how far the difference of
        the sizes is from theirs. The share of the second is b_c of [UMC-RLS]. None means equal sizes, as in
        the paper.
    n_landmarks : int or None, default=None
        Number of landmarks, whose features stand for the kernel without an n×n array. None means the whole
        kernel matrix; for "landmark_graph" 2,000, or a quarter of the points if that is less. Allowed are 1
        to 1,000,000.
    landmarks : {"k-means", "random"}, default="k-means"
        Landmarks are the centres of k-means, or points drawn at random.
    n_components : int or None, default=None
        Number of eigenvectors of a graph. None means 4: with more, single flips get caught in local minima.
        Allowed are 1 to 10,000.
    n_parents : int, default=10
        μ: number of labellings that survive a generation. Allowed are 1 to 1,000.
    n_children : int, default=10
        ν: number of children in a generation. Allowed are 1 to 1,000.
    patience : int or "auto", default="auto"
        Number of generations without a change after which a start ends. "auto" means 50 n/ν, and at least
        1000. A number is from 1 to 1,000,000,000.
    init : {"random", "k-means"} or array-like of shape (n_samples,), default="random"
        First labellings: random labels, k-means with two seeds that lie far apart (which the paper leaves to
        future work), or given labels 0 and 1. Labellings outside the balance are corrected.
    n_init : int, default=10
        Number of starts. The start that ends with the lowest F is kept. Allowed are 1 to 1,000.
    max_iter : int, default=1_000_000
        τ: largest number of generations of a start. Allowed are 1 to 1,000,000,000.
    random_state : int, RandomState or None, default=None
        Seed of the starts and the flips. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, 0 or 1.
    objective_ : float
        F of `labels_`.
    n_iter_ : int
        Number of generations of the start that was kept.
    start_objectives_ : ndarray of shape (n_init,)
        F at the end of each start.
    dual_coef_ : ndarray of shape (n_samples,)
        Coefficients of the ridge model f, with a whole kernel matrix.
    coef_ : ndarray of shape (r,)
        Coefficients of the features, with a graph or with landmarks.
    intercept_ : float
        Always 0, because the model has no intercept.
    kernel_ : Kernel
        Kernel with the width that was computed from the training points, with a whole kernel matrix.
    features_ : Features
        Features of any points, with a graph or with landmarks.
    state_ : EvoState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is a group of generations: about n/60 changes of the fittest labelling. R takes n³ once, a child
    with one flip takes two look-ups, and a child that survives takes n; memory is three n×n arrays. With a
    graph or landmarks R = W Wᵀ takes n r² once for r features, and a child r; memory is three n×r arrays, and
    2μ n bytes for the labellings. `FastEvoMMC` differs in that its model rests on drawn points (section 3.3).
    A point that is drawn twice for one child flips back, and no cluster is ever empty.

    `predict` equals `labels_` on the training points if no single flip would lower F, which is how a start
    usually ends. The exceptions are points that the balance keeps from flipping.

    *How the defaults were chosen.* μ and ν are those of the paper. Width, penalty and balance were chosen on
    the ten sets with two classes that `IterSVR` names. With a narrow kernel F has very many local minima,
    from which single flips do not escape; `UMCRLS`, whose shaking addresses this, suits moons and spirals
    better.

    References
    ----------
    F. Gieseke, T. Pahikkala, O. Kramer: Fast Evolutionary Maximum Margin Clustering. ICML 2009.

    Examples
    --------
    >>> from mmc import EvoMMC
    >>> from mmc.datasets import make_circle_gaussian
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_circle_gaussian(100, random_state=0)
    >>> model = EvoMMC(n_init=2, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LowRankClusterer._parameter_constraints,
        **EvolutionaryClusterer._parameter_constraints,
        "kernel": LowRankClusterer._parameter_constraints["kernel"],
    }

    #: On moons and spirals of 200 points 14 eigenvectors end at a random labelling, 4 at the true one.
    _usual_components = 4

    coef_: Array
    features_: Features
    _basis: Array | None

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
        alpha: float = 0.5,
        balance: float = 0.1,
        cluster_sizes: Sequence[float] | None = None,
        n_landmarks: int | None = None,
        landmarks: str = "k-means",
        n_components: int | None = None,
        n_parents: int = 10,
        n_children: int = 10,
        patience: int | str = "auto",
        init: str | ArrayLike = "random",
        n_init: int = 10,
        max_iter: int = 1_000_000,
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
        self.balance = balance
        self.cluster_sizes = cluster_sizes
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_components = n_components
        self.n_parents = n_parents
        self.n_children = n_children
        self.patience = patience
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _ridge(self, X: Array, rng: np.random.RandomState) -> Ridge:
        if self._has_low_rank:
            approximation = self._approximation(X, rng)
            hat = low_rank_hat(approximation, self.alpha, n_clusters=2, fit_intercept=False, weights=None)
            return Ridge(hat.factor.W, False, {"features_": hat.factor.features})
        require_memory(X.shape[0])
        kernel, K = self._gram(X)
        R, basis = hat_matrix(K, self.alpha, fit_intercept=False, is_psd=kernel.is_psd)
        return Ridge(R, True, {"kernel_": kernel, "_basis": basis})

    def _adopt(self, state: EvoState) -> None:
        if not self._has_low_rank:
            super()._adopt(state)
        else:
            self.coef_, self.intercept_ = state.products, 0.0

    def _follow(self, X: Array) -> Callable[[EvoState], Array]:
        if not self._has_low_rank:
            return super()._follow(X)
        rows = self.features_(X)

        def values(state: EvoState) -> Array:
            f = np.asarray(rows @ state.products.astype(rows.dtype), dtype=np.float64)
            return np.column_stack([-f, f])

        return values

    def _model(self, state: EvoState) -> tuple[Array, float]:
        y = signs(state.labels)
        if self._basis is not None:
            y = self._basis @ (self._basis.T @ y)
        return (y - state.products) / self.alpha, 0.0


class FastEvoMMC(EvolutionaryClusterer):
    """Maximum-margin clustering by evolution on landmarks ([EvoMMC] section 3.3).

    Only r points, drawn at random, have coefficients, so that neither an n×n array nor n³ time is needed. The
    loss is still that of all points.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, which must be 2, or 1 for all points together. For more use `RecursiveBinary`.
    kernel : {"rbf", "linear", "poly", "precomputed"}, default="rbf"
        Kernel between points. With "precomputed", `X` is the kernel matrix itself.
    gamma : float or {"neighbors", "median", "max"}, default="median"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data that serves as the
        unit of `width` (see `mmc.kernels.dense`). The paper's exp(−d²/σ²) has gamma = 1/σ². A number is from
        1e-100 to 1e100.
    width : float, default=1.0
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    degree : float, default=3
        Degree of the "poly" kernel. Allowed are 1 to 100.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel. Allowed are -1e6 to 1e6.
    alpha : float, default=0.5
        Regularisation λn, which [UMC-RLS] calls λ. The paper tries 0.5, 0.005 and 0.001. Allowed are 1e-12 to
        1e12.
    balance : float, default=0.1
        l as a share of the points: the largest difference of the cluster sizes. The paper uses 0.03, 0.1, 0.3
        or 0.4, depending on the data.
    cluster_sizes : sequence of 2 numbers or None, default=None
        Sizes of the clusters 0 and 1 to aim at, in any unit; `balance` then bounds how far the difference of
        the sizes is from theirs. The share of the second is b_c of [UMC-RLS]. None means equal sizes, as in
        the paper.
    n_landmarks : int, float or "auto", default="auto"
        Number of landmarks, or their share of the points. The paper uses 0.1, and 0.01 of 14,000 points.
        "auto" draws a tenth of the points and drops those that the kernel cannot distinguish from the others.
        A number is from 1 to 1,000,000.
    n_parents : int, default=1
        μ: number of labellings that survive a generation. Allowed are 1 to 1,000.
    n_children : int, default=1
        ν: number of children in a generation. Allowed are 1 to 1,000.
    patience : int or "auto", default="auto"
        Number of generations without a change after which a start ends. "auto" means 50 n/ν, and at least
        1000. A number is from 1 to 1,000,000,000.
    init : {"random", "k-means"} or array-like of shape (n_samples,), default="random"
        First labellings: random labels, k-means with two seeds that lie far apart (which the paper leaves to
        future work), or given labels 0 and 1. Labellings outside the balance are corrected.
    n_init : int, default=10
        Number of starts. The start that ends with the lowest F is kept. Allowed are 1 to 1,000.
    max_iter : int, default=1_000_000
        τ: largest number of generations of a start. Allowed are 1 to 1,000,000,000.
    random_state : int, RandomState or None, default=None
        Seed of the landmarks, the starts and the flips. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, 0 or 1.
    objective_ : float
        F of `labels_`.
    n_iter_ : int
        Number of generations of the start that was kept.
    start_objectives_ : ndarray of shape (n_init,)
        F at the end of each start.
    landmarks_ : ndarray of shape (n_landmarks,)
        Rows of `X` that are landmarks; all starts share them.
    dual_coef_ : ndarray of shape (n_landmarks,)
        Coefficients of the ridge model f.
    intercept_ : float
        Always 0, because the model has no intercept.
    kernel_ : Kernel
        Kernel with the width that was computed from the training points.
    state_ : EvoState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is a group of generations: about n/60 changes of the fittest labelling. The model takes 2 n r²
    once and a child takes r; memory is three n×r arrays. The "local_scaling" kernel is not available, because
    it needs the neighbours of all points.

    Landmarks that do not determine a model, because they repeat each other or the kernel is too wide or too
    simple for so many, are refused with an error if their number or share was given. A length that `gamma`
    names is measured between the points and the landmarks.

    `predict` equals `labels_` on the training points if no single flip would lower F, which is how a start
    usually ends. The exceptions are points that the balance keeps from flipping.

    References
    ----------
    F. Gieseke, T. Pahikkala, O. Kramer: Fast Evolutionary Maximum Margin Clustering. ICML 2009.

    Examples
    --------
    >>> from mmc import FastEvoMMC
    >>> from mmc.datasets import make_circle_gaussian
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_circle_gaussian(200, random_state=0)
    >>> model = FastEvoMMC(n_landmarks=20, random_state=0).fit(X)
    >>> model.dual_coef_.shape
    (20,)
    >>> clustering_error(y, model.labels_)
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **EvolutionaryClusterer._parameter_constraints,
        "kernel": [StrOptions({"rbf", "linear", "poly", "precomputed"})],
        "n_landmarks": [
            RANGES["n_landmarks"],
            Interval(RealNotInt, 0, 1, closed="right"),
            StrOptions({"auto"}),
        ],
    }

    landmarks_: Labels
    _back: Array

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "median",
        width: float = 1.0,
        degree: float = 3,
        coef0: float = 1.0,
        alpha: float = 0.5,
        balance: float = 0.1,
        cluster_sizes: Sequence[float] | None = None,
        n_landmarks: int | float | str = "auto",
        n_parents: int = 1,
        n_children: int = 1,
        patience: int | str = "auto",
        init: str | ArrayLike = "random",
        n_init: int = 10,
        max_iter: int = 1_000_000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.width = width
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.balance = balance
        self.cluster_sizes = cluster_sizes
        self.n_landmarks = n_landmarks
        self.n_parents = n_parents
        self.n_children = n_children
        self.patience = patience
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _ridge(self, X: Array, rng: np.random.RandomState) -> Ridge:
        n, wanted = X.shape[0], 0.1 if isinstance(self.n_landmarks, str) else self.n_landmarks
        r = int(wanted) if isinstance(wanted, Integral) else max(1, round(wanted * n))
        if r > n:
            raise ValueError(
                f"n_landmarks={r} is more than the number of points: n_samples={n}. Choose at most {n}, or a "
                "share such as 0.1."
            )
        require_memory(n, n_columns=r)
        landmarks = np.sort(rng.choice(n, r, replace=False))
        kernel, C = fit_landmark_kernel(
            X,
            landmarks,
            kernel=self.kernel,
            gamma=self.gamma,
            width=self.width,
            degree=self.degree,
            coef0=self.coef0,
        )
        if self.n_landmarks == "auto":
            keep = independent(C[landmarks])
            landmarks, C = landmarks[keep], C[:, keep]
            if self.kernel != "precomputed":
                kernel = replace(kernel, X=kernel.X[keep])
        W, back = landmark_factor(C, landmarks, self.alpha)
        return Ridge(W, False, {"kernel_": kernel, "landmarks_": landmarks, "_back": back})

    @property
    def _n_compared(self) -> int:
        return len(self.landmarks_)

    def _compare(self, X: Array) -> Array:
        return X[:, self.landmarks_] if self.kernel == "precomputed" else self.kernel_(X)

    def _model(self, state: EvoState) -> tuple[Array, float]:
        return self._back @ state.products, 0.0
