"""`UMCRLS`, `SteepRLS` and `StocRLS`: three searches for the labelling of smallest Q."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from mmc.hints import Hints
from mmc.kernels.low_rank_hat import LowRank
from mmc.kernels.spectral import spectral_labels
from mmc.maxmargin.rls.base import LeastSquaresClusterer, Problem, steered
from mmc.maxmargin.rls.labelling import Array, RLSState, Search, Turn
from mmc.ranges import RANGES, size_shares
from mmc.starts import Start

#: Rounds after which the shaking is below a hundredth of its first strength.
_CALM = 7


class UMCRLS(LeastSquaresClusterer):
    """Multi-class least-squares clustering by steepest descent with shaking ([UMC-RLS] Algorithm 3).

    In each round every cluster in turn claims points from the others: those that lower Q most or raise it
    least. The number of claimed points halves from round to round. The large claims of the first rounds let
    the labelling leave poor local minima, and the small claims of the last rounds let it converge.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    kernel : str, default="graph"
        Kernel between points: "graph", "landmark_graph", "rbf", "linear", "poly", "local_scaling" or
        "precomputed". "graph" is the graph of nearest neighbours, and "landmark_graph" a graph that joins
        each point to its nearest landmarks; both need no n×n array. "rbf" is the kernel of the paper. With
        "precomputed", `X` is the kernel matrix itself.
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data that serves as the
        unit of `width` (see `mmc.kernels.dense`). A number is from 1e-100 to 1e100.
    width : float, default=2.0
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    degree : float, default=3
        Degree of the "poly" kernel. Allowed are 1 to 100.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel. Allowed are -1e6 to 1e6.
    n_neighbors : int, default=10
        Number of neighbours of the "graph" and "local_scaling" kernels; a point of the "landmark_graph" is
        joined to a quarter as many landmarks, at least 3. Allowed are 1 to 1,000,000.
    alpha : float, default=0.5
        Regularisation λ of the ridge models. Allowed are 1e-12 to 1e12.
    n_landmarks : int or None, default=None
        Number of landmarks. With a number, the "rbf", "linear" and "poly" kernels are approximated from
        their values at the landmarks, without an n×n array; None keeps the whole kernel. For
        "landmark_graph", None means 2,000, or a quarter of the points if that is less. The other kernels take
        none. Allowed are 1 to 1,000,000.
    landmarks : {"k-means", "random"}, default="k-means"
        Landmarks are centres of k-means, or points drawn at random.
    n_components : int or None, default=None
        Number of eigenvectors of the two graphs; None means seven for each cluster, or five for the landmark
        graph, and twice as many if every cluster has a known point. Allowed are 1 to 10,000.
    n_shakes : int, default=20
        s of the paper; the search makes s + 1 rounds. Allowed are 0 to 1,000.
    cluster_sizes : sequence of n_clusters numbers or None, default=None
        Target sizes of the clusters for the claims, in any unit. None means equal sizes, as in the paper.
    refine : bool, default=True
        Whether the search ends with a steepest descent in which every point may move, so that the target
        sizes no longer hold. False gives the algorithm of the paper.
    fit_intercept : bool, default=True
        Whether each ridge model has an unpenalised intercept, for which the kernel is centred. False gives
        the models of the paper. The graphs need none: their first eigenvector plays its part.
    n_init : int or "auto", default="auto"
        Number of starts; "auto" means 10, or 3 with more than 5,000 points. With a graph and
        `refine`, one more start comes from spectral clustering of the graph and is not shaken; with known
        labels of every cluster one more comes from them. The start with the lowest Σ_h cut_h / n_h is kept
        (see Notes), or with the lowest Q if `refine` is False. A number is from 1 to 1,000.
    init : {"random", "k-means++"} or array-like of shape (n_samples,), default="random"
        Labels to start from: random labels with clusters of equal size, the nearest of k-means++ seeds, or
        given labels from 0 to n_clusters − 1, which make a single start.
    random_state : int, RandomState or None, default=None
        Seed of the random starts. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        Q of `labels_`.
    n_iter_ : int
        Number of steps of the start that was kept.
    start_objectives_ : ndarray of shape (n_starts,)
        Q at the end of each start.
    features_ : Features
        Features of any points. It is set only for the graphs and with landmarks.
    coef_ : ndarray of shape (n_clusters, r)
        Coefficients of the features in the ridge models. It is set only for the graphs and with landmarks.
    dual_coef_ : ndarray of shape (n_samples, n_clusters)
        Coefficients of the ridge models, one column for each cluster. It is set only for a whole kernel.
    intercept_ : ndarray of shape (n_clusters,)
        Intercepts of the ridge models; zeros if `fit_intercept` is False. It is set only for a whole kernel.
    kernel_ : Kernel
        Kernel with the width that was computed from the training points. It is set only for a whole kernel.
    state_ : RLSState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    *Steps and costs.* With a whole kernel one step is the claim of one cluster, or a group of up to n moves
    of the final descent. R takes n³ multiplications once and each claimed point n; memory is at most three
    n×n arrays. On a graph or with landmarks R is a product of an n×r array with its transpose
    (`mmc.kernels.factor`), and points are claimed in blocks of n/300, which take n r multiplications each;
    one step is one block, and shaking ends early if it goes in circles. Below 600 points blocks have one
    point, and the search is that of the whole kernel.

    *Graphs.* On "graph" the penalty is the roughness of the models on the graph of neighbours, and their
    features are the leading eigenvectors of the graph (`mmc.kernels.neighbor_graph`, which says what is
    exact). "landmark_graph" takes n p multiplications for p landmarks instead of comparing all pairs of
    points, and is less precise (`mmc.kernels.landmark_graph`).

    *Choice between starts.* With cut_h = z_hᵀ(I − R)z_h, z_h being 1 on cluster h of n_h points and 0
    elsewhere, Q = 4 Σ_h cut_h for models with an intercept. That is lowest where clusters are single points,
    so Q must not choose between ends whose sizes differ; Σ_h cut_h / n_h may, as in the normalised cut. The
    shaken starts aim at the target sizes, and the one from spectral clustering at none: its end is kept only
    if its sum is lower by a quarter, which it is where clusters have very different sizes.

    With `refine`, `predict` equals `labels_` on the training points, because at a local minimum of Q every
    point has the highest decision value for its own cluster. The exceptions are the last point of a cluster,
    which no search takes away, and points that hints hold in their cluster. Without `refine` the sizes stay
    near their targets, and points at the border may have a higher decision value for another cluster.

    *Tables in parts.* `fit` takes Dask arrays, Dask data frames and a `mmc.parts.PartedTable` with the
    "landmark_graph" or landmarks, and `predict` is lazy for those of Dask. Points stay in their parts, on the
    workers of a cluster where there is one; labels depend on the seed and the parts alone. One step is a
    round of shaking or a group of moves, and landmarks and starts are others than those of the same points in
    one place. Hints are refused.

    *Hints.* Known labels, links and weights (see `fit`) hold in every state. Linked points are one unit, and
    move as one: as Q is quadratic in the labels, a unit is a point whose row of the factor or of R is the sum
    of the rows of its points. A known unit is never claimed, and a unit never goes where one is that must be
    apart from it; starts are changed where they would break a hint (`mmc.hints`). The target sizes and α
    count points by their weights: a turn ends when what was claimed reaches α. A point of weight 2 counts as
    the same point twice in the ridge models, in Q and in the sizes; neighbours, widths, landmarks and the
    "landmark_graph" do not depend on weights. Hints with a whole kernel take one more n×n array where there
    are weights or linked points.

    If every cluster has a known point, one more start labels all points by the ridge model of the known ones
    alone, in which clusters weigh the same, and is not shaken. Its end is compared with those of shaken
    starts as they are with each other. Known labels do not change the target sizes, which are equal unless
    `cluster_sizes` are given. A graph has twice as many eigenvectors then. With five known labels in a
    hundred (``python -m benchmarks.steering --data DIR``) the mean adjusted Rand index of the other points of
    nine sets is 0.970, against 0.844 without labels and 0.899 for scikit-learn's label spreading on ten
    neighbours. The number of eigenvectors was settled on five of the sets.

    With two clusters, in the first round of the paper one cluster takes every point and then the other does,
    so that all starts would end with the same labels. Here only the first start does this, and each later
    start shakes a little less, down to a quarter of the strength.

    Q does not compare clusterings with different `alpha` or kernel. With an intercept, a single cluster of
    all points would minimise Q; the shaking keeps away from it, and no search empties a cluster.

    *As in the paper.* ``UMCRLS(k, kernel="rbf")`` searches with the Gaussian kernel;
    ``gamma="max", fit_intercept=False, refine=False`` besides gives the models and the search of the paper.

    *How the defaults were chosen.* ``python -m benchmarks.umcrls --defaults --data DIR`` compares methods
    on twelve small sets and nineteen of a public battery. The numbers of neighbours and eigenvectors, the
    unit of `alpha` and the choice between starts were settled on every second one of them, with a look at
    digits of USPS and MNIST. On these sixteen sets the mean adjusted Rand index is 0.897, against 0.777
    with the Gaussian kernel and starts compared by Q, the default before, and 0.858 for scikit-learn's
    spectral clustering on ten neighbours; on the fifteen others it is 0.955 against 0.825 and 0.827.

    References
    ----------
    T. Pahikkala, A. Airola, F. Gieseke, O. Kramer: Unsupervised Multi-Class Regularized Least-Squares
    Classification. ICDM 2012.

    Examples
    --------
    >>> from mmc import UMCRLS
    >>> from mmc.datasets import make_moons
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_moons(100, random_state=0)
    >>> model = UMCRLS(n_clusters=2, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LeastSquaresClusterer._parameter_constraints,
        "n_shakes": [RANGES["n_shakes"]],
        "cluster_sizes": ["array-like", None],
        "refine": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "graph",
        gamma: float | str = "neighbors",
        width: float = 2.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 10,
        alpha: float = 0.5,
        n_landmarks: int | None = None,
        landmarks: str = "k-means",
        n_components: int | None = None,
        n_shakes: int = 20,
        cluster_sizes: Sequence[float] | None = None,
        refine: bool = True,
        fit_intercept: bool = True,
        n_init: int | str = "auto",
        init: str | ArrayLike = "random",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_clusters,
            kernel=kernel,
            gamma=gamma,
            width=width,
            degree=degree,
            coef0=coef0,
            n_neighbors=n_neighbors,
            alpha=alpha,
            n_landmarks=n_landmarks,
            landmarks=landmarks,
            n_components=n_components,
            fit_intercept=fit_intercept,
            n_init=n_init,
            init=init,
            random_state=random_state,
        )
        self.n_shakes = n_shakes
        self.cluster_sizes = cluster_sizes
        self.refine = refine

    def _prepare_steered(self, X: Array, hints: Hints) -> Problem:
        self._shares()
        model, starts, _ = super()._prepare_steered(X, hints)
        embedding = model.embedding if isinstance(model, LowRank) else None
        if embedding is not None and self.refine and isinstance(self.init, str):
            rng = check_random_state(self.random_state)
            start = Start(spectral_labels(embedding, self.n_clusters, rng), "spectral")
            starts = [*starts, steered(start, hints, self.n_clusters)]
        return Problem(model, starts, hints)

    @property
    def _sizes_are_free(self) -> bool:
        return self.refine

    def _shares(self) -> Array:
        return size_shares(self.cluster_sizes, self.n_clusters)

    def _states(self, search: Search, start: Start, share_before: float) -> Iterator[RLSState]:
        is_shaken = start.origin not in ("spectral", "known labels")
        yield replace(search.start(), is_shaken=is_shaken, origin=start.origin)
        if is_shaken:
            yield from self._shake(search, share_before)
        n_moves = search.block if search.block > 1 else len(search.labels)
        while self.refine:
            state = search.descend("release", self.n_shakes + 2, n_moves)
            yield replace(state, is_shaken=is_shaken, origin=start.origin)

    def _shake(self, search: Search, share_before: float) -> Iterator[RLSState]:
        mass, k, rounds = search.units.mass, self.n_clusters, self.n_shakes + 1
        targets, grain = mass * self._shares(), search.units.grain
        # At full strength the larger of two clusters takes every point, and all starts end equal.
        strength = 1.0 - 0.75 * share_before if 2.0 * targets.max() >= mass else 1.0
        first, n_before, is_over = search.position
        for i in range(rounds if is_over else first, rounds):
            before, n_moved = search.labels.copy(), 0
            for d in range(k):
                is_last = i == rounds - 1 and d == k - 1 and not self.refine
                size = float(search.masses()[d])
                # [UMC-RLS] eq. 11
                n_claims = search.units.whole(strength * targets[d] / 2.0**i + targets[d] - size)
                if n_claims > 0 or is_last:
                    turn = Turn(float(targets[d]), strength, size, max(n_claims, 0.0))
                    for state in search.claims(i + 1, d, n_claims):
                        n_moved += len(state.moved)
                        converged = is_last and state.progress == 1.0
                        progress = (i + (d + state.progress) / k) / rounds
                        yield replace(state, progress=progress, converged=converged, turn=turn)
            n_moved += search.n_unseen
            # Once a round shakes by less than one point, it depends on the labels alone: a round that ends as
            # it began would be repeated to the end. Blocks are not exact, and end where rounds go in circles.
            is_still = (strength * targets / 2.0**i + targets % grain < grain).all()
            repeats = is_still and np.array_equal(search.labels, before)
            circles = not search.is_exact and i >= _CALM and n_moved > 0.9 * n_before
            is_over = self.refine and bool(repeats or circles)
            for state in search.round_end(i + 1, (i + 1) / rounds, is_over=is_over):
                yield replace(state, converged=i == rounds - 1 and not self.refine)
            if is_over:
                return
            n_before = n_moved


class SteepRLS(LeastSquaresClusterer):
    """Least-squares clustering by plain steepest descent ([UMC-RLS] Algorithm 2).

    Each move takes the point and the cluster that lower Q most, until no move lowers Q. The search often ends
    in a poor local minimum, which a comparison with `UMCRLS` shows.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    kernel : str, default="graph"
        Kernel between points: "graph", "landmark_graph", "rbf", "linear", "poly", "local_scaling" or
        "precomputed". "graph" is the graph of nearest neighbours, and "landmark_graph" a graph that joins
        each point to its nearest landmarks; both need no n×n array. "rbf" is the kernel of the paper. With
        "precomputed", `X` is the kernel matrix itself.
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data that serves as the
        unit of `width` (see `mmc.kernels.dense`). A number is from 1e-100 to 1e100.
    width : float, default=2.0
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    degree : float, default=3
        Degree of the "poly" kernel. Allowed are 1 to 100.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel. Allowed are -1e6 to 1e6.
    n_neighbors : int, default=10
        Number of neighbours of the "graph" and "local_scaling" kernels; a point of the "landmark_graph" is
        joined to a quarter as many landmarks, at least 3. Allowed are 1 to 1,000,000.
    alpha : float, default=0.5
        Regularisation λ of the ridge models. Allowed are 1e-12 to 1e12.
    n_landmarks : int or None, default=None
        Number of landmarks. With a number, the "rbf", "linear" and "poly" kernels are approximated from
        their values at the landmarks, without an n×n array; None keeps the whole kernel. For
        "landmark_graph", None means 2,000, or a quarter of the points if that is less. The other kernels take
        none. Allowed are 1 to 1,000,000.
    landmarks : {"k-means", "random"}, default="k-means"
        Landmarks are centres of k-means, or points drawn at random.
    n_components : int or None, default=None
        Number of eigenvectors of the two graphs; None means seven for each cluster, or five for the landmark
        graph, and twice as many if every cluster has a known point. Allowed are 1 to 10,000.
    fit_intercept : bool, default=True
        Whether each ridge model has an unpenalised intercept, for which the kernel is centred. False gives
        the models of the paper. The graphs need none: their first eigenvector plays its part.
    n_init : int or "auto", default="auto"
        Number of starts; "auto" means 10, or 3 with more than 5,000 points. The start with
        the lowest Σ_h cut_h / n_h is kept (see `UMCRLS`). A number is from 1 to 1,000.
    init : {"random", "k-means++"} or array-like of shape (n_samples,), default="random"
        Labels to start from: random labels with clusters of equal size, the nearest of k-means++ seeds, or
        given labels from 0 to n_clusters − 1, which make a single start.
    random_state : int, RandomState or None, default=None
        Seed of the random starts. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        Q of `labels_`.
    n_iter_ : int
        Number of steps of the start that was kept.
    start_objectives_ : ndarray of shape (n_starts,)
        Q at the end of each start.
    features_ : Features
        Features of any points. It is set only for the graphs and with landmarks.
    coef_ : ndarray of shape (n_clusters, r)
        Coefficients of the features in the ridge models. It is set only for the graphs and with landmarks.
    dual_coef_ : ndarray of shape (n_samples, n_clusters)
        Coefficients of the ridge models, one column for each cluster. It is set only for a whole kernel.
    intercept_ : ndarray of shape (n_clusters,)
        Intercepts of the ridge models; zeros if `fit_intercept` is False. It is set only for a whole kernel.
    kernel_ : Kernel
        Kernel with the width that was computed from the training points. It is set only for a whole kernel.
    state_ : RLSState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is a group of about n/40 moves. R takes n³ multiplications once and a move takes k n; memory is
    at most three n×n arrays. On a graph or with landmarks points move in blocks of n/300, which take k n r
    multiplications each, in memory n r (see `UMCRLS`). No move empties a cluster.

    `predict` equals `labels_` on the training points, except for the last point of a cluster and where hints
    hold a point in its cluster. Q does not compare clusterings with different `alpha` or kernel. Hints work
    as in `UMCRLS`, with one more start if every cluster has a known point.

    References
    ----------
    T. Pahikkala, A. Airola, F. Gieseke, O. Kramer: Unsupervised Multi-Class Regularized Least-Squares
    Classification. ICDM 2012.

    Examples
    --------
    >>> from mmc import SteepRLS
    >>> from mmc.datasets import make_three_gaussians
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_three_gaussians(90, noise=0.3, random_state=0)
    >>> model = SteepRLS(n_clusters=3, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    """

    def _states(self, search: Search, start: Start, share_before: float) -> Iterator[RLSState]:
        yield replace(search.start(), origin=start.origin)
        group = max(1, len(search.labels) // 40)
        for round_ in count(1):
            yield search.descend("descent", round_, group)


class StocRLS(LeastSquaresClusterer):
    """Least-squares clustering by stochastic descent ([UMC-RLS] Algorithm 1).

    The search visits the points in order and moves each to the cluster that lowers Q most, until a whole
    sweep moves no point. Only the start is random.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    kernel : str, default="graph"
        Kernel between points: "graph", "landmark_graph", "rbf", "linear", "poly", "local_scaling" or
        "precomputed". "graph" is the graph of nearest neighbours, and "landmark_graph" a graph that joins
        each point to its nearest landmarks; both need no n×n array. "rbf" is the kernel of the paper. With
        "precomputed", `X` is the kernel matrix itself.
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data that serves as the
        unit of `width` (see `mmc.kernels.dense`). A number is from 1e-100 to 1e100.
    width : float, default=2.0
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    degree : float, default=3
        Degree of the "poly" kernel. Allowed are 1 to 100.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel. Allowed are -1e6 to 1e6.
    n_neighbors : int, default=10
        Number of neighbours of the "graph" and "local_scaling" kernels; a point of the "landmark_graph" is
        joined to a quarter as many landmarks, at least 3. Allowed are 1 to 1,000,000.
    alpha : float, default=0.5
        Regularisation λ of the ridge models. Allowed are 1e-12 to 1e12.
    n_landmarks : int or None, default=None
        Number of landmarks. With a number, the "rbf", "linear" and "poly" kernels are approximated from
        their values at the landmarks, without an n×n array; None keeps the whole kernel. For
        "landmark_graph", None means 2,000, or a quarter of the points if that is less. The other kernels take
        none. Allowed are 1 to 1,000,000.
    landmarks : {"k-means", "random"}, default="k-means"
        Landmarks are centres of k-means, or points drawn at random.
    n_components : int or None, default=None
        Number of eigenvectors of the two graphs; None means seven for each cluster, or five for the landmark
        graph, and twice as many if every cluster has a known point. Allowed are 1 to 10,000.
    fit_intercept : bool, default=True
        Whether each ridge model has an unpenalised intercept, for which the kernel is centred. False gives
        the models of the paper. The graphs need none: their first eigenvector plays its part.
    n_init : int or "auto", default="auto"
        Number of starts; "auto" means 10, or 3 with more than 5,000 points. The start with
        the lowest Σ_h cut_h / n_h is kept (see `UMCRLS`). A number is from 1 to 1,000.
    init : {"random", "k-means++"} or array-like of shape (n_samples,), default="random"
        Labels to start from: random labels with clusters of equal size, the nearest of k-means++ seeds, or
        given labels from 0 to n_clusters − 1, which make a single start.
    random_state : int, RandomState or None, default=None
        Seed of the random starts. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        Q of `labels_`.
    n_iter_ : int
        Number of steps of the start that was kept.
    start_objectives_ : ndarray of shape (n_starts,)
        Q at the end of each start.
    features_ : Features
        Features of any points. It is set only for the graphs and with landmarks.
    coef_ : ndarray of shape (n_clusters, r)
        Coefficients of the features in the ridge models. It is set only for the graphs and with landmarks.
    dual_coef_ : ndarray of shape (n_samples, n_clusters)
        Coefficients of the ridge models, one column for each cluster. It is set only for a whole kernel.
    intercept_ : ndarray of shape (n_clusters,)
        Intercepts of the ridge models; zeros if `fit_intercept` is False. It is set only for a whole kernel.
    kernel_ : Kernel
        Kernel with the width that was computed from the training points. It is set only for a whole kernel.
    state_ : RLSState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one sweep over all points. R takes n³ multiplications once, and a sweep takes k n and n more
    for each point that moves; memory is at most three n×n arrays. On a graph or with landmarks a sweep takes
    k n r multiplications, in memory n r (see `UMCRLS`). No move empties a cluster.

    `predict` equals `labels_` on the training points, except for the last point of a cluster and where hints
    hold a point in its cluster. Q does not compare clusterings with different `alpha` or kernel. Hints work
    as in `UMCRLS`, with one more start if every cluster has a known point.

    References
    ----------
    T. Pahikkala, A. Airola, F. Gieseke, O. Kramer: Unsupervised Multi-Class Regularized Least-Squares
    Classification. ICDM 2012.

    Examples
    --------
    >>> from mmc import StocRLS
    >>> from mmc.datasets import make_three_gaussians
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_three_gaussians(90, noise=0.3, random_state=0)
    >>> model = StocRLS(n_clusters=3, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    """

    def _states(self, search: Search, start: Start, share_before: float) -> Iterator[RLSState]:
        yield replace(search.start(), origin=start.origin)
        for round_ in count(1):
            yield search.sweep(round_)
