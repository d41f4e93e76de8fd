"""`CPMMC` with one kernel and `MKC` with several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mmc._sklearn import StrOptions
from mmc.kernels import LENGTHS
from mmc.maxmargin.cutting_plane.base import CuttingPlaneClusterer
from mmc.maxmargin.cutting_plane.kernel_list import NAMED, KernelSpec, check_kernels
from mmc.ranges import RANGES, real, whole

Array = NDArray[np.float64]


class CPMMC(CuttingPlaneClusterer):
    """Cutting-plane maximum-margin clustering with one kernel ([MKC] eq. 2.3; MKC with a single kernel).

    The margin is found one constraint at a time: each constraint marks the points that lie within the margin.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    kernel : {"rbf", "linear", "poly", "graph", "landmark_graph", "precomputed"}, default="rbf"
        Kernel between points. With "precomputed", `X` is the kernel matrix itself. "graph" is a graph of
        nearest neighbours, "landmark_graph" one that joins points to nearest landmarks: features of either
        stand for the kernel, without an n×n array (`mmc.kernels.low_rank`).
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data that serves as the
        unit of `width` (see `mmc.kernels.dense`). A number is from 1e-100 to 1e100.
    width : float, default=2.0
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    degree : int, default=3
        Degree of the "poly" kernel. Allowed are 1 to 100.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel, which is not negative. Allowed are 0 to 1e6.
    n_neighbors : int, default=10
        Number of neighbours in a graph; a quarter as many landmarks, at least 3. Allowed are 1 to 1,000,000.
    C : float, default=100.0
        Cost of the mean loss (see `mmc.maxmargin.cutting_plane`). Allowed are 1e-9 to 1e9.
    balance : float, default=0.03
        l as a share of n: for two clusters the largest |mean of f|, for many the largest difference between
        the means of two f_p. It is at least 0 and less than 1.
    cluster_sizes : sequence of 2 numbers or None, default=None
        Sizes of the clusters 0 and 1 to aim at, in any unit, for two clusters only: the mean of f then stays
        within l/n of the mean of labels in these sizes, 2 b_c − 1, where b_c of [UMC-RLS] is the share of the
        second. None means equal sizes, as in the paper.
    epsilon : float, default=0.01
        The method ends when no constraint is violated by more than this beyond ξ. Allowed are 1e-9 to 0.99.
    tol : float, default=0.01
        The CCCP ends when the objective changes by a smaller share. Allowed are 0 to 1.
    normalize : bool, default=True
        Whether the kernel is divided by the variance of the points in its feature space, so that C has the
        same meaning for every kernel.
    n_landmarks : int or None, default=None
        Number of landmarks, whose features stand for the kernel without an n×n array. None means the whole
        kernel matrix; for "landmark_graph" 2,000, or a quarter of the points if that is less. As many as
        there are points give the whole matrix. Allowed are 1 to 1,000,000.
    landmarks : {"k-means", "random"}, default="k-means"
        Landmarks are the centres of k-means, or points drawn at random.
    n_components : int or None, default=None
        Number of eigenvectors of a graph. None means seven for each cluster, or five of "landmark_graph".
        Allowed are 1 to 10,000.
    init : {"k-means", "random"} or array-like of shape (n_samples,), default="k-means"
        Labels to start from: those of k-means, random labels with clusters of equal size, or given labels
        from 0 to n_clusters − 1, which make a single start.
    n_init : int, default=5
        Number of starts. Where k-means gives the labels of an earlier start again, random labels take their
        place; of few points there can be fewer starts. The start that ends with the lowest objective is kept,
        among those that lost the fewest clusters. Allowed are 1 to 1,000.
    max_cuts : int, default=200
        Largest number of cuts of a start. Allowed are 1 to 10,000.
    random_state : int, RandomState or None, default=None
        Seed of the random starts. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        Objective with all constraints: ½ Σ‖v_k‖²/β_k + C times the mean loss.
    n_iter_ : int
        Number of cuts of the start that was kept.
    start_objectives_ : ndarray of shape (n_starts,)
        Objective at the end of each start.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_clusters)
        Coefficients of the training points, with one column for each of more than two clusters, unless
        features stand for the kernels.
    coef_ : ndarray of shape (n_features_of_kernels,) or (n_features_of_kernels, n_clusters)
        Coefficients of the features of all kernels in turn, with graphs and landmarks.
    intercept_ : float
        Bias b for two clusters; 0 for more.
    beta_ : ndarray of shape (1,)
        Weight of the kernel, which is 1.
    kernels_ : list of FittedKernel or of FittedFeatures
        Kernels with the widths and scales that were computed from the training points, or their features.
    state_ : CutState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one cut: the most violated constraint is added and the convex problem is solved again, a few
    times. A cut takes M n² operations for M kernels and the solution of a small cone program; memory is M n×n
    arrays. The number of cuts has a bound that does not depend on n ([MKC] Lemma 3.2).

    With graphs or landmarks a cut takes n R operations for R features of all kernels and each value of f at
    a point. There are k such values for k clusters, and one for two. Memory is n (R + 2r + P/2 + 8k) and
    2 k P R numbers for P = `max_cuts` and the r features of the largest kernel.
    `mmc.maxmargin.cutting_plane` lists the deviations from the paper.

    *When a start ends.* The bound supposes that every problem is solved globally, but the CCCP finds local
    solutions. On points without clusters it can relabel them after each cut so that all earlier constraints
    hold, for ever. If after 100 cuts the last 40 have lowered the objective by at most a share `tol`, the
    labels of the best solution so far are fixed. The rest is one convex problem, the next step of the CCCP
    from there: its cuts end with a gap of at most `epsilon`, and its objective is at most C times `epsilon`
    above the best one.

    *Empty clusters.* A cluster that has lost its points never gets any back, because no constraint asks for
    them. If a solution leaves a cluster empty, the labels return to those of the start and are held until no
    constraint is violated by more than `epsilon`; then the CCCP goes on. If a cluster is empty again, the
    labels at which it went on are held to the end. A start without a loss is not affected.

    *How the defaults were chosen.* With three or more clusters the method of the paper lost clusters on 44 of
    113 public and generated sets (samples of at most 300 points, the true number of clusters, at most 20).
    With the return to the first labels it loses none, also on three sets with 26 to 40 clusters. Of every
    second set in the order of names, on which this was chosen, the mean adjusted Rand index rises from 0.449
    to 0.510 (toys 0.519 to 0.559, real sets 0.346 to 0.441), and of the others from 0.486 to 0.526 (toys
    0.575 to 0.621, real sets 0.361 to 0.402; k-means 0.451 there). Tried on 52 sets of the first half with at
    most ten clusters, where 78 clusters were lost and the index was 0.441: not to relabel where a cluster
    would be empty (21 lost, 0.449), and to hold the first labels in every start (13 lost, 0.474), against
    none lost and 0.477. Other defaults did not help: `C` = 1000 lost 80 clusters there, and `balance` = 0
    lost 70 on 51 of the sets (71 before). All these are figures of one start from k-means.

    *Several starts.* The first few cuts can change most labels, so that tiny differences of the points or the
    kernel decide which local solution is reached. Of 68 toy and real sets and pairs of classes with
    two to eight clusters (two samples of 300 points each, the true number of clusters), five starts instead
    of one raise the mean adjusted Rand index from 0.681 to 0.730 on every second one in the order of names,
    the first half, on which this was chosen, and from 0.568 to 0.649 on the other. Six starts were tried too,
    with 0.731 and 0.650.
    The time is five times as long.

    `predict` equals `labels_` on the training points, except if the fit is stopped before the first cut. A
    cluster can be empty at the end if `C` is too small for the labels of the start, and `fit` then warns. The
    mean of the training points is subtracted before the kernel is computed.

    References
    ----------
    B. Zhao, J. T. Kwok, C. Zhang: Multiple Kernel Clustering. SDM 2009.

    Examples
    --------
    >>> from mmc import CPMMC
    >>> from mmc.datasets import make_circle_gaussian
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_circle_gaussian(60, random_state=0)
    >>> model = CPMMC(n_clusters=2, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CuttingPlaneClusterer._parameter_constraints,
        "kernel": [StrOptions({*NAMED, "precomputed"})],
        "gamma": [RANGES["gamma"], StrOptions(set(LENGTHS))],
        "width": [RANGES["width"]],
        "degree": [whole(1, 100)],
        "coef0": [real(0, 1e6)],
        "n_neighbors": [RANGES["n_neighbors"]],
        "n_components": [RANGES["n_components"], None],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "neighbors",
        width: float = 2.0,
        degree: int = 3,
        coef0: float = 1.0,
        n_neighbors: int = 10,
        C: float = 100.0,
        balance: float = 0.03,
        cluster_sizes: Sequence[float] | None = None,
        epsilon: float = 0.01,
        tol: float = 0.01,
        normalize: bool = True,
        n_landmarks: int | None = None,
        landmarks: str = "k-means",
        n_components: int | None = None,
        init: str | ArrayLike = "k-means",
        n_init: int = 5,
        max_cuts: int = 200,
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
        self.balance = balance
        self.cluster_sizes = cluster_sizes
        self.epsilon = epsilon
        self.tol = tol
        self.normalize = normalize
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.n_components = n_components
        self.init = init
        self.n_init = n_init
        self.max_cuts = max_cuts
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _specs(self) -> Sequence[KernelSpec]:
        values = [(name, getattr(self, name)) for name in NAMED.get(self.kernel, ())]
        return [KernelSpec(self.kernel, tuple(pair for pair in values if pair[1] is not None))]


class MKC(CuttingPlaneClusterer):
    """Multiple kernel clustering: the kernel weights maximise the margin too ([MKC] Algorithms 1 to 4).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    kernels : sequence, default=("linear", "poly", "rbf")
        Each kernel is a name ("linear", "poly", "rbf"), a pair of a name and parameters such as ``("rbf",
        {"width": 0.5})``, a callable that takes two arrays of points, or the n×n matrix itself. "poly" takes
        `degree`, `coef0` and `gamma`, "rbf" takes `width` and `gamma`, with the defaults of `CPMMC`. The
        names "graph" and "landmark_graph" are kernels of graphs as `CPMMC` has them, with `n_neighbors` and
        `n_components`.
    beta_norm : float, default=2.0
        p of ‖β‖_p ≤ 1, the constraint on the weights of the kernels ([MKC] eq. 2.4). 1 makes most weights 0;
        the larger p, the more equal they are. The paper takes 2. Allowed are 1 to 100. Numbers
        between 1 and 1.1 are refused, because the weights would settle too slowly.
    C : float, default=100.0
        Cost of the mean loss (see `mmc.maxmargin.cutting_plane`). Allowed are 1e-9 to 1e9.
    balance : float, default=0.03
        l as a share of n: for two clusters the largest |mean of f|, for many the largest difference between
        the means of two f_p. It is at least 0 and less than 1.
    cluster_sizes : sequence of 2 numbers or None, default=None
        Sizes of the clusters 0 and 1 to aim at, in any unit, for two clusters only: the mean of f then stays
        within l/n of the mean of labels in these sizes, 2 b_c − 1, where b_c of [UMC-RLS] is the share of the
        second. None means equal sizes, as in the paper.
    epsilon : float, default=0.01
        The method ends when no constraint is violated by more than this beyond ξ. Allowed are 1e-9 to 0.99.
    tol : float, default=0.01
        The CCCP ends when the objective changes by a smaller share. Allowed are 0 to 1.
    normalize : bool, default=True
        Whether each kernel is divided by the variance of the points in its feature space. Otherwise the
        weights mostly reflect the scales of the kernels.
    n_landmarks : int or None, default=None
        Number of landmarks, whose features stand for each kernel without an n×n array. None means whole
        kernel matrices; if there is a graph in the list, it means 2,000 (for "landmark_graph" a quarter of
        the points if that is less). As many as there are points give the whole matrices. Allowed are 1 to
        1,000,000.
    landmarks : {"k-means", "random"}, default="k-means"
        Landmarks are the centres of k-means, or points drawn at random; they are the same for all kernels.
    init : {"k-means", "random"} or array-like of shape (n_samples,), default="k-means"
        Labels to start from: those of k-means, random labels with clusters of equal size, or given labels
        from 0 to n_clusters − 1, which make a single start.
    n_init : int, default=5
        Number of starts. Where k-means gives the labels of an earlier start again, random labels take their
        place; of few points there can be fewer starts. The start that ends with the lowest objective is kept,
        among those that lost the fewest clusters. Allowed are 1 to 1,000.
    max_cuts : int, default=200
        Largest number of cuts of a start. Allowed are 1 to 10,000.
    random_state : int, RandomState or None, default=None
        Seed of the random starts. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        Objective with all constraints: ½ Σ‖v_k‖²/β_k + C times the mean loss.
    n_iter_ : int
        Number of cuts of the start that was kept.
    start_objectives_ : ndarray of shape (n_starts,)
        Objective at the end of each start.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_clusters)
        Coefficients of the training points, with one column for each of more than two clusters, unless
        features stand for the kernels.
    coef_ : ndarray of shape (n_features_of_kernels,) or (n_features_of_kernels, n_clusters)
        Coefficients of the features of all kernels in turn, with graphs and landmarks.
    intercept_ : float
        Bias b for two clusters; 0 for more.
    beta_ : ndarray of shape (n_kernels,)
        Weights of the kernels, with ‖β‖_p = 1 for p = `beta_norm`.
    kernels_ : list of FittedKernel or of FittedFeatures
        Kernels with the widths and scales that were computed from the training points, or their features.
    state_ : CutState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one cut: the most violated constraint is added and the convex problem is solved again, a few
    times. A cut takes M n² operations for M kernels and the solution of a small cone program; memory is M n×n
    arrays. The number of cuts has a bound that does not depend on n ([MKC] Lemma 3.2).

    With graphs or landmarks a cut takes n R operations for R features of all kernels and each value of f at
    a point. There are k such values for k clusters, and one for two. Memory is n (R + 2r + P/2 + 8k) and
    2 k P R numbers for P = `max_cuts` and the r features of the largest kernel.
    `mmc.maxmargin.cutting_plane` lists the deviations from the paper.

    *When a start ends.* The bound supposes that every problem is solved globally, but the CCCP finds local
    solutions. On points without clusters it can relabel them after each cut so that all earlier constraints
    hold, for ever. If after 100 cuts the last 40 have lowered the objective by at most a share `tol`, the
    labels of the best solution so far are fixed. The rest is one convex problem, the next step of the CCCP
    from there: its cuts end with a gap of at most `epsilon`, and its objective is at most C times `epsilon`
    above the best one.

    *Empty clusters.* A cluster that has lost its points never gets any back, because no constraint asks for
    them. If a solution leaves a cluster empty, the labels return to those of the start and are held until no
    constraint is violated by more than `epsilon`; then the CCCP goes on. If a cluster is empty again, the
    labels at which it went on are held to the end. A start without a loss is not affected.

    *How the defaults were chosen.* With three to twelve clusters the method of the paper lost clusters on 45
    of 82 public and generated sets (samples of at most 300 points, the true number of clusters). With the
    return to the first labels it loses none. Of every second set in the order of names, on which this was
    chosen, the mean adjusted Rand index rises from 0.415 to 0.501 (toys 0.562 to 0.597, real sets 0.324 to
    0.432), and of the others from 0.458 to 0.537 (toys 0.534 to 0.659, real sets 0.392 to 0.457). All these
    are figures of one start from k-means. On the sets of `CPMMC` five starts raise the index from 0.660 to
    0.682 on the first half, and from 0.568 to 0.620 on the other. `CPMMC` says what else was tried.

    `predict` equals `labels_` on the training points, except if the fit is stopped before the first cut. It
    is not possible if a kernel is a matrix. A cluster can be empty at the end if `C` is too small for the
    labels of the start, and `fit` then warns.

    References
    ----------
    B. Zhao, J. T. Kwok, C. Zhang: Multiple Kernel Clustering. SDM 2009.

    Examples
    --------
    >>> from mmc import MKC
    >>> from mmc.datasets import make_circle_gaussian
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_circle_gaussian(60, random_state=0)
    >>> kernels = ["linear", ("poly", {"degree": 2}), ("rbf", {"width": 3})]
    >>> model = MKC(n_clusters=2, kernels=kernels, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    >>> bool(model.beta_[0] < 0.01)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CuttingPlaneClusterer._parameter_constraints,
        "kernels": "no_validation",  # `check_kernels` has better messages
        "beta_norm": [real(1, 100)],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernels: Sequence[Any] = ("linear", "poly", "rbf"),
        beta_norm: float = 2.0,
        C: float = 100.0,
        balance: float = 0.03,
        cluster_sizes: Sequence[float] | None = None,
        epsilon: float = 0.01,
        tol: float = 0.01,
        normalize: bool = True,
        n_landmarks: int | None = None,
        landmarks: str = "k-means",
        init: str | ArrayLike = "k-means",
        n_init: int = 5,
        max_cuts: int = 200,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernels = kernels
        self.beta_norm = beta_norm
        self.C = C
        self.balance = balance
        self.cluster_sizes = cluster_sizes
        self.epsilon = epsilon
        self.tol = tol
        self.normalize = normalize
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.init = init
        self.n_init = n_init
        self.max_cuts = max_cuts
        self.random_state = random_state

    def _validate_params(self) -> None:
        super()._validate_params()
        check_kernels(self.kernels)
        if 1 < self.beta_norm < 1.1:
            raise ValueError(
                f"beta_norm={self.beta_norm:g} is so near to 1 that the weights settle too slowly. Give "
                "1, or a number from 1.1 to 100."
            )

    def _specs(self) -> Sequence[KernelSpec]:
        return check_kernels(self.kernels)
