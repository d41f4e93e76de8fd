"""`CCCPMMC`: the loop of this package without a balance, the concave-convex procedure."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mmc.kernels import Kernel
from mmc.maxmargin.binary import Array, Labels, Sizes
from mmc.maxmargin.feature_machines import FeatureSVM
from mmc.maxmargin.iterative.base import IterativeClusterer, Problem
from mmc.maxmargin.iterative.bias import Placement
from mmc.maxmargin.machines import Machine, SVMachine, Trained


class CCCPMMC(IterativeClusterer):
    """Maximum-margin clustering by the concave-convex procedure, without a balance ([iterSVR] appendix).

    Without a balance, putting every point into one cluster makes the margin as large as desired. From a good
    start with a large C the procedure keeps its labels. With a small C the larger cluster takes one point
    after the other until the smaller one is empty. The other methods have a balance for this reason.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, which must be 2, or 1 for all points together. For more use `RecursiveBinary`.
    kernel : str, default="rbf"
        Kernel between points: "rbf", "linear", "poly", "local_scaling", "graph", "landmark_graph" or
        "precomputed". "graph" is the graph of nearest neighbours, and "landmark_graph" a graph that joins
        each point to its nearest landmarks; both need no n×n array. With "precomputed", `X` is the kernel
        matrix itself.
    gamma : float or {"neighbors", "median", "max"}, default="max"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data that serves as the
        unit of `width` (see `mmc.kernels.dense`). The paper's exp(−d²/σ²) has gamma = 1/σ². A number is from
        1e-100 to 1e100.
    width : float, default=2.0
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    degree : float, default=3
        Degree of the "poly" kernel. Allowed are 1 to 100.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel. Allowed are -1e6 to 1e6.
    n_neighbors : int, default=7
        Number of neighbours of the "graph" and "local_scaling" kernels; a point of the "landmark_graph" is
        joined to a quarter as many landmarks, at least 3. Allowed are 1 to 1,000,000.
    C : float, default=10.0
        Cost of an error. A small value lets one cluster take all points. Allowed are 1e-9 to 1e9.
    n_landmarks : int or None, default=None
        Number of landmarks. With a number, the "rbf", "linear" and "poly" kernels are approximated from
        their values at the landmarks, without an n×n array; None keeps the whole kernel. For
        "landmark_graph", None means 2,000, or a quarter of the points if that is less. The other kernels take
        none. Allowed are 1 to 1,000,000.
    landmarks : {"k-means", "random"}, default="k-means"
        Landmarks are centres of k-means, or points drawn at random.
    n_components : int or None, default=None
        Number of eigenvectors of the two graphs; None means seven for each cluster, or five for the landmark
        graph. Allowed are 1 to 10,000.
    init : {"k-means", "normalized-cut", "random"} or array-like of shape (n_samples,), default="k-means"
        Labels to start from: k-means with two seeds that lie far apart, the normalised cut of the kernel (of
        a Gaussian kernel if it has negative values, or landmarks stand for a kernel that may have them),
        random labels with clusters of equal size, or given labels 0 and 1.
    n_init : int, default=5
        Number of starts. The start that ends with the lowest objective is kept. Equal starts are run once,
        and "normalized-cut" and given labels make a single start. Allowed are 1 to 1,000.
    max_iter : int, default=50
        Largest number of rounds of a start. Allowed are 1 to 1,000,000,000.
    random_state : int, RandomState or None, default=None
        Seed of the random starts. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, 0 or 1.
    objective_ : float
        ‖w‖² + 2C Σ (1 − |f|)₊; 0 if all points are in one cluster.
    n_iter_ : int
        Number of rounds of the start that was kept.
    start_objectives_ : ndarray of shape (n_starts,)
        Objective at the end of each start.
    features_ : FeatureMap
        Features φ of any points. It is set only for the graphs and with landmarks.
    coef_ : ndarray of shape (r,)
        Weights w of f(x) = ⟨w, φ(x)⟩ + b. It is set only for the graphs and with landmarks.
    dual_coef_ : ndarray of shape (n_samples,)
        Coefficients a_i of f(x) = Σ a_i K(x, x_i) + b. It is set only for a whole kernel.
    intercept_ : float
        Bias b.
    kernel_ : Kernel
        Kernel with the width that was computed from the training points. It is set only for a whole kernel.
    state_ : IterState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one round: relabel by the sign of f, with the bias of the SVM, and train. A round is one
    training by libsvm, between n² and n³; memory is at most three n×n arrays. A cluster can be empty at the
    end, and `fit` then warns.

    *Graphs and landmarks* make the method linear in r features with K ≈ Φ Φᵀ (`mmc.kernels.low_rank`): no
    n×n array is needed. A round is then solved from the solution before it, in some tens of products with Φ
    (`mmc.maxmargin.feature_program`). With every point as a landmark the result is that of the whole kernel.
    Curved clusters on a graph need ``init="normalized-cut"``; the "landmark_graph" needs `n_neighbors` of 9
    or more, because points that are joined to two landmarks fall into parts.

    `predict` equals `labels_` on the training points, except if the fit is stopped at its start.

    *Hints.* Links and known labels hold in every state: points that they join have labels that are known up
    to one sign, which the labelling step chooses for all of them together (see
    `mmc.maxmargin.iterative.signed`). Weights multiply the losses. The starts do not know the weights; they
    are changed as little as the hints need. `predict` knows no hints, so that it may differ from `labels_` at
    points with hints.

    References
    ----------
    K. Zhang, I. W. Tsang, J. T. Kwok: Maximum Margin Clustering Made Practical. IEEE Transactions on Neural
    Networks 20, 2009.

    Examples
    --------
    >>> from mmc import CCCPMMC
    >>> from mmc.datasets import load_digits
    >>> from mmc.metrics import clustering_error
    >>> digits = load_digits((3, 8))
    >>> X, y = digits.X[:80], digits.y[:80]
    >>> clustering_error(y, CCCPMMC(random_state=0).fit(X).labels_)
    0.0
    """

    _remedy = (
        "Without a balance one cluster can take all points: raise C, or use IterSVR, which has a balance, or "
        "check whether the points differ."
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "max",
        width: float = 2.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 7,
        C: float = 10.0,
        n_landmarks: int | None = None,
        landmarks: str = "k-means",
        n_components: int | None = None,
        init: str | ArrayLike = "k-means",
        n_init: int = 5,
        max_iter: int = 50,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.width = width
        self.degree = degree
        self.coef0 = coef0
        self.n_neighbors = n_neighbors
        self.C = C
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_components = n_components
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _machine(self, K: Array, kernel: Kernel, weights: Array | None = None) -> Machine:
        return SVMachine(K, self.C, weights=weights)

    def _feature_machine(self, Phi: Array, weights: Array | None = None) -> Machine:
        return FeatureSVM(Phi, self.C, weights)

    def _sizes(self, n: int, weights: Array | None) -> Sizes:
        return Sizes(0.0, np.inf)

    def _place(self, trained: Trained, problem: Problem, before: Labels) -> Placement:
        f, signed = trained.values + trained.bias, problem.signed
        if signed is None:
            return Placement(trained.bias, (f > 0).astype(np.int64))
        t = signed.choose(signed.costs(f, problem.machine.loss), signed.signs_of(before))
        return Placement(trained.bias, signed.labels(t))
