"""`IterSVR`, `IterLSSVM` and `IterSVM`: one loop with three classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mmc._sklearn import Interval
from mmc.kernels import Kernel
from mmc.maxmargin.binary import Array
from mmc.maxmargin.feature_machines import FeatureLeastSquares, FeatureSVM, FeatureSVR
from mmc.maxmargin.iterative.base import IterativeClusterer
from mmc.maxmargin.machines import (
    LeastSquaresMachine,
    Machine,
    SVMachine,
    SVRMachine,
    WeightedLeastSquaresMachine,
)


class IterSVR(IterativeClusterer):
    """Maximum-margin clustering by support vector regression on its own labels ([iterSVR] Algorithm 2).

    Support vector regression fits f to −1 or +1 at every point, so that a margin above 1 costs as much as a
    margin below 1. No label is fixed by a large margin: points at the border flip from round to round, and
    the border can leave a poor start.

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
    C : float, default=500.0
        Cost of an error. A large value lets f follow the labels more closely. Allowed are 1e-9 to 1e9.
    epsilon : float, default=0.05
        Errors up to this size cost nothing. It is less than 1, because from 1 on f = 0 costs nothing. 0 is
        the Laplacian loss. Near 1, margins above 1 cost almost nothing and points keep their labels. Allowed
        are 0 to below 1.
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
    balance : float, default=0.35
        ℓ as a share of the points: the largest difference of the cluster sizes. The paper uses 0.03 for
        classes of equal size and 0.15 otherwise.
    cluster_sizes : sequence of 2 numbers or None, default=None
        Sizes of the clusters 0 and 1 to aim at, in any unit; `balance` then bounds how far the difference of
        the sizes is from theirs. The share of the second is b_c of [UMC-RLS]. None means equal sizes, as in
        the paper.
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
        ‖w‖² + 2C Σ (|1 − y f| − ε)₊ at `labels_`.
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
    One step is one round: choose the bias, relabel, and train. A round is one training by libsvm, between n²
    and n³; memory is at most three n×n arrays. The bias is found in n log n instead of the paper's ℓ n.

    *Graphs and landmarks* make the method linear in r features with K ≈ Φ Φᵀ (`mmc.kernels.low_rank`): no
    n×n array is needed. A round is then solved from the solution before it, in some tens of products with Φ
    (`mmc.maxmargin.feature_program`). With every point as a landmark the result is that of the whole kernel.
    Curved clusters on a graph need ``init="normalized-cut"``; the "landmark_graph" needs `n_neighbors` of 9
    or more, because points that are joined to two landmarks fall into parts.

    `predict` equals `labels_` on the training points, because the labels are the signs of f. The exceptions
    are a fit that is stopped at its start, and equal points that the balance puts into different clusters.

    *How the defaults were chosen.* C and ε are those of the paper. Width and balance were chosen on ten sets
    with two classes (five toys, breast cancer, four pairs of digits). A wide kernel makes a stiff border,
    which lets points flip. With a narrow kernel f follows any labels, and the result is the start. Curved
    shapes such as moons or spirals therefore need another start (`init="normalized-cut"` with a narrow
    kernel) or another method.

    *Hints.* Links and known labels hold in every state: points that they join have labels that are known up
    to one sign, which the labelling step chooses for all of them together (see
    `mmc.maxmargin.iterative.signed`). A round then takes n² more, or 1,000 n beyond 5,000 points.
    Weights multiply the losses and count in the balance. The starts do not know the weights; they are changed
    as little as the hints need. `predict` knows no hints, so that it may differ from `labels_` at points with
    hints.

    References
    ----------
    K. Zhang, I. W. Tsang, J. T. Kwok: Maximum Margin Clustering Made Practical. IEEE Transactions on Neural
    Networks 20, 2009.

    Examples
    --------
    >>> from mmc import IterSVR
    >>> from mmc.datasets import load_digits
    >>> from mmc.metrics import clustering_error
    >>> digits = load_digits((3, 8))
    >>> X, y = digits.X[:80], digits.y[:80]
    >>> model = IterSVR(random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **IterativeClusterer._parameter_constraints,
        "epsilon": [Interval(Real, 0, 1, closed="left")],
    }

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
        C: float = 500.0,
        epsilon: float = 0.05,
        n_landmarks: int | None = None,
        landmarks: str = "k-means",
        n_components: int | None = None,
        balance: float = 0.35,
        cluster_sizes: Sequence[float] | None = None,
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
        self.epsilon = epsilon
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_components = n_components
        self.balance = balance
        self.cluster_sizes = cluster_sizes
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _machine(self, K: Array, kernel: Kernel, weights: Array | None = None) -> Machine:
        return SVRMachine(K, self.C, self.epsilon, weights)

    def _feature_machine(self, Phi: Array, weights: Array | None = None) -> Machine:
        return FeatureSVR(Phi, self.C, self.epsilon, weights)


class IterSVM(IterativeClusterer):
    """Maximum-margin clustering by training an SVM on its own labels ([iterSVR] Algorithm 1).

    The hinge loss asks for margins of at least 1 and does not penalise larger ones. Most points therefore get
    a large margin, and flipping one costs much. The labels hardly ever change from those of the start, which
    a comparison with `IterSVR` shows.

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
        Cost of an error. The default is that of the paper. Allowed are 1e-9 to 1e9.
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
    balance : float, default=0.35
        ℓ as a share of the points: the largest difference of the cluster sizes. The paper uses 0.03 for
        classes of equal size and 0.15 otherwise.
    cluster_sizes : sequence of 2 numbers or None, default=None
        Sizes of the clusters 0 and 1 to aim at, in any unit; `balance` then bounds how far the difference of
        the sizes is from theirs. The share of the second is b_c of [UMC-RLS]. None means equal sizes, as in
        the paper.
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
        ‖w‖² + 2C Σ (1 − y f)₊ at `labels_`.
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
    One step is one round: choose the bias, relabel, and train. A round is one training by libsvm, between n²
    and n³; memory is at most three n×n arrays. The bias is found in n log n instead of the paper's ℓ n.

    *Graphs and landmarks* make the method linear in r features with K ≈ Φ Φᵀ (`mmc.kernels.low_rank`): no
    n×n array is needed. A round is then solved from the solution before it, in some tens of products with Φ
    (`mmc.maxmargin.feature_program`). With every point as a landmark the result is that of the whole kernel.
    Curved clusters on a graph need ``init="normalized-cut"``; the "landmark_graph" needs `n_neighbors` of 9
    or more, because points that are joined to two landmarks fall into parts.

    `predict` equals `labels_` on the training points, because the labels are the signs of f. The exceptions
    are a fit that is stopped at its start, and equal points that the balance puts into different clusters.

    *Hints.* Links and known labels hold in every state: points that they join have labels that are known up
    to one sign, which the labelling step chooses for all of them together (see
    `mmc.maxmargin.iterative.signed`). A round then takes n² more, or 1,000 n beyond 5,000 points.
    Weights multiply the losses and count in the balance. The starts do not know the weights; they are changed
    as little as the hints need. `predict` knows no hints, so that it may differ from `labels_` at points with
    hints.

    References
    ----------
    K. Zhang, I. W. Tsang, J. T. Kwok: Maximum Margin Clustering Made Practical. IEEE Transactions on Neural
    Networks 20, 2009.

    Examples
    --------
    >>> from mmc import IterSVM
    >>> from mmc.datasets import load_digits
    >>> from mmc.metrics import clustering_error
    >>> digits = load_digits((3, 8))
    >>> X, y = digits.X[:80], digits.y[:80]
    >>> model = IterSVM(random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    """

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
        balance: float = 0.35,
        cluster_sizes: Sequence[float] | None = None,
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
        self.balance = balance
        self.cluster_sizes = cluster_sizes
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _machine(self, K: Array, kernel: Kernel, weights: Array | None = None) -> Machine:
        return SVMachine(K, self.C, weights=weights)

    def _feature_machine(self, Phi: Array, weights: Array | None = None) -> Machine:
        return FeatureSVM(Phi, self.C, weights)


class IterLSSVM(IterativeClusterer):
    """Maximum-margin clustering by training a least-squares SVM on its own labels ([iterSVR] section III-C).

    The square loss penalises deviations of f from −1 and +1 on both sides, as the loss of `IterSVR` does. The
    matrix of the linear system is the same in every round, so that it is factored once.

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
    C : float, default=100.0
        Cost of an error. 1/C is λ of ridge regression with an intercept. The default is that of the paper.
        Allowed are 1e-9 to 1e9.
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
    balance : float, default=0.35
        ℓ as a share of the points: the largest difference of the cluster sizes. The paper uses 0.03 for
        classes of equal size and 0.15 otherwise.
    cluster_sizes : sequence of 2 numbers or None, default=None
        Sizes of the clusters 0 and 1 to aim at, in any unit; `balance` then bounds how far the difference of
        the sizes is from theirs. The share of the second is b_c of [UMC-RLS]. None means equal sizes, as in
        the paper.
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
        ‖w‖² + C Σ (1 − y f)² at `labels_`.
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
    One step is one round: choose the bias, relabel, and solve. The factorisation takes n³/3 once and a round
    takes n², while the paper factors in every round; memory is at most three n×n arrays. A kernel that is not
    positive semi-definite is replaced by its positive part. With weights of points this needs an
    eigendecomposition, about ten times as long, if the kernel is "local_scaling" or "precomputed".

    *Graphs and landmarks* make the method linear in r features with K ≈ Φ Φᵀ (`mmc.kernels.low_rank`): no
    n×n array is needed. One factorisation takes n r², and a round n r. With every point as a landmark the
    result is that of the whole kernel. Curved clusters on a graph need ``init="normalized-cut"``.

    `predict` equals `labels_` on the training points, because the labels are the signs of f. The exceptions
    are a fit that is stopped at its start, and equal points that the balance puts into different clusters.

    *Hints.* Links and known labels hold in every state: points that they join have labels that are known up
    to one sign, which the labelling step chooses for all of them together (see
    `mmc.maxmargin.iterative.signed`). A round then takes n² more, or 1,000 n beyond 5,000 points.
    Weights multiply the losses and count in the balance. The starts do not know the weights; they are changed
    as little as the hints need. `predict` knows no hints, so that it may differ from `labels_` at points with
    hints.

    References
    ----------
    K. Zhang, I. W. Tsang, J. T. Kwok: Maximum Margin Clustering Made Practical. IEEE Transactions on Neural
    Networks 20, 2009.

    Examples
    --------
    >>> from mmc import IterLSSVM
    >>> from mmc.datasets import load_digits
    >>> from mmc.metrics import clustering_error
    >>> digits = load_digits((3, 8))
    >>> X, y = digits.X[:80], digits.y[:80]
    >>> model = IterLSSVM(random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    """

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
        C: float = 100.0,
        n_landmarks: int | None = None,
        landmarks: str = "k-means",
        n_components: int | None = None,
        balance: float = 0.35,
        cluster_sizes: Sequence[float] | None = None,
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
        self.balance = balance
        self.cluster_sizes = cluster_sizes
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _machine(self, K: Array, kernel: Kernel, weights: Array | None = None) -> Machine:
        if weights is not None:
            return WeightedLeastSquaresMachine(K, self.C, weights, is_psd=kernel.is_psd)
        return LeastSquaresMachine(K, self.C, is_psd=kernel.is_psd)

    def _feature_machine(self, Phi: Array, weights: Array | None = None) -> Machine:
        return FeatureLeastSquares(Phi, self.C, weights)
