"""`EvoMMC` on the whole kernel, `FastEvoMMC` on landmarks."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mmc._sklearn import Interval, RealNotInt, StrOptions
from mmc.kernels import fit_landmark_kernel, require_memory
from mmc.kernels.hat_matrix import hat_matrix, independent, landmark_factor
from mmc.maxmargin.binary import Array, Labels, signs
from mmc.maxmargin.evolutionary.base import EvolutionaryClusterer, EvoState, Ridge


class EvoMMC(EvolutionaryClusterer):
    """Maximum-margin clustering by evolution ([EvoMMC] Algorithm 1).

    Labels are flipped at random, and what fits worse than its parents dies. In the first generations a child
    flips half of all labels, later a single one. There are no gradients and no classifier to train: trying a
    flip costs two look-ups.

    Parameters
    ----------
    n_clusters : int, default=2
        Only two; `RecursiveBinary` makes more of them.
    kernel : {"rbf", "linear", "poly", "local_scaling", "precomputed"}, default="rbf"
    gamma : float or {"neighbors", "median", "max"}, default="median"
        Of the Gaussian and polynomial kernels: a number, or the length in which `width` is measured
        (see `mmc.kernels`). The paper's exp(−d²/σ²) has gamma = 1/σ².
    width : float, default=1.0
        Width of the Gaussian kernel as a multiple of the length that `gamma` names.
    degree, coef0 : float, default=3, 1.0
        Of the polynomial kernel.
    n_neighbors : int, default=7
        Of the local-scaling kernel.
    alpha : float, default=0.5
        Regularisation λn: what [UMC-RLS] calls λ. The paper tries 0.5, 0.005 and 0.001.
    balance : float, default=0.1
        l as a share of the points: by how many the sizes of the clusters may differ. The paper takes 0.03,
        0.1, 0.3 or 0.4, depending on the data.
    n_parents, n_children : int, default=10
        μ and ν: labellings that live, and children that are born in a generation.
    patience : int or "auto", default="auto"
        Generations without a change after which a start ends; "auto" means 50 n/ν, and at least 1000.
    init : {"random", "k-means"} or array-like of shape (n_samples,), default="random"
        The first labellings: coin flips; k-means from two seeds that lie far apart, which the paper leaves to
        future work; or given labels, 0 and 1. Those that break the balance are mended.
    n_init : int, default=10
        Number of starts; the one that ends with the lowest F is kept.
    max_iter : int, default=1_000_000
        τ: generations of a start.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    objective_ : float
        F of `labels_`.
    dual_coef_ : ndarray of shape (n_samples,)
        Coefficients of the ridge model f.
    intercept_ : float
        Always 0: the model has none.
    n_iter_ : int
        Generations of the start that was kept.
    start_objectives_ : ndarray of shape (n_init,)
        F at the end of each start.
    state_ : EvoState

    Notes
    -----
    `predict` on the training points equals `labels_` where no single flip would lower F, which is how a start
    usually ends. Points that the balance keeps from flipping are the exception.

    *How the defaults were chosen.* μ and ν are the paper's. Width, penalty and balance were sought on ten
    sets with two classes, as for `IterSVR`. A narrow kernel has so many local minima that single flips stick
    in them: moons and spirals are better left to `UMCRLS`, whose shaking was made for that.

    References
    ----------
    F. Gieseke, T. Pahikkala, O. Kramer: Fast Evolutionary Maximum Margin Clustering. ICML 2009.

    Examples
    --------
    >>> from mmc import EvoMMC
    >>> from mmc.datasets import make_circle_gaussian
    >>> X, y = make_circle_gaussian(200, random_state=0)
    >>> model = EvoMMC(random_state=0).fit(X)
    >>> sorted(int(size) for size in (model.labels_ == y).sum(keepdims=True) % 200)
    [0]
    """

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
        self.n_parents = n_parents
        self.n_children = n_children
        self.patience = patience
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _ridge(self, X: Array, rng: np.random.RandomState) -> Ridge:
        require_memory(len(X))
        kernel, K = self._gram(X)
        R, basis = hat_matrix(K, self.alpha, fit_intercept=False, is_psd=kernel.is_psd)
        return Ridge(R, True, {"kernel_": kernel, "_basis": basis})

    def _fitted(self, A: Array, products: Array) -> Array:
        return products

    def _model(self, state: EvoState) -> tuple[Array, float]:
        y = signs(state.labels)
        if self._basis is not None:
            y = self._basis @ (self._basis.T @ y)
        return (y - state.products) / self.alpha, 0.0


class FastEvoMMC(EvolutionaryClusterer):
    """Maximum-margin clustering by evolution on landmarks ([EvoMMC] section 3.3).

    Only r points, drawn at random, have coefficients, so that neither an n×n array nor n³ time is needed; the
    loss is still that of all points. A child costs r.

    Parameters and attributes are those of `EvoMMC`, except for

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "precomputed"}, default="rbf"
        Local scaling has no landmarks, and so there is no `n_neighbors`.
    n_landmarks : int, float or "auto", default="auto"
        Number of landmarks, or their share of the points. The paper takes 0.1, and 0.01 of 14,000 points.
        "auto" draws a tenth of the points and leaves out those that the kernel cannot tell from the others.
    n_parents, n_children : int, default=1
        μ and ν.

    Attributes
    ----------
    landmarks_ : ndarray of shape (n_landmarks,)
        Rows of the landmarks; all starts share them.
    dual_coef_ : ndarray of shape (n_landmarks,)
        Coefficients of the ridge model f.

    Notes
    -----
    *Landmarks that do not determine a model*, because they repeat each other or the kernel is too wide or too
    simple for so many, are refused with a message if their number or share was given.

    *Lengths* that `gamma` names are measured between the points and the landmarks.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **EvolutionaryClusterer._parameter_constraints,
        "kernel": [StrOptions({"rbf", "linear", "poly", "precomputed"})],
        "n_landmarks": [
            Interval(Integral, 1, None, closed="left"),
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
        self.n_landmarks = n_landmarks
        self.n_parents = n_parents
        self.n_children = n_children
        self.patience = patience
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _ridge(self, X: Array, rng: np.random.RandomState) -> Ridge:
        n, wanted = len(X), 0.1 if isinstance(self.n_landmarks, str) else self.n_landmarks
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

    def _fitted(self, A: Array, products: Array) -> Array:
        return A @ products

    def _compare(self, X: Array) -> Array:
        return X[:, self.landmarks_] if self.kernel == "precomputed" else self.kernel_(X)

    def _model(self, state: EvoState) -> tuple[Array, float]:
        return self._back @ state.products, 0.0
