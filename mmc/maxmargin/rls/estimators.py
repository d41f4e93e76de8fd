"""`UMCRLS`, `SteepRLS` and `StocRLS`: three searches for the labelling of smallest Q."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mmc._sklearn import Interval
from mmc.maxmargin.rls.base import LeastSquaresClusterer
from mmc.maxmargin.rls.labelling import Array, Labels, RLSState, Search


class UMCRLS(LeastSquaresClusterer):
    """Multi-class least-squares clustering by steepest descent with shaking ([UMC-RLS] Algorithm 3).

    In each round every cluster in turn claims points from the others: those that lower Q most, or raise
    it least. The number of points falls by half from round to round, which shakes the labelling out of
    poor local minima at first and lets it settle at last.

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
    alpha : float, default=0.5
        Regularisation λ of the ridge models.
    n_shakes : int, default=20
        s of the paper; s + 1 rounds are made.
    cluster_sizes : sequence of n_clusters numbers or None, default=None
        Sizes towards which the claims pull the clusters, in any unit; None means equal sizes, as in
        the paper.
    refine : bool, default=True
        End with a steepest descent in which every point is free to move, so that the sizes are no
        longer bound. False is the algorithm of the paper.
    fit_intercept : bool, default=True
        Give each ridge model an unpenalised intercept (the kernel is centred). False is the paper's.
    n_init : int, default=10
        Number of starts; the one that ends with the lowest Q is kept.
    init : {"random", "k-means++"} or array-like of shape (n_samples,), default="random"
        How a start is made; given labels make one start.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    objective_ : float
        Q of `labels_`.
    n_iter_ : int
        Steps of the start that was kept.
    dual_coef_ : ndarray of shape (n_samples, n_clusters)
    intercept_ : ndarray of shape (n_clusters,)
    start_objectives_ : ndarray of shape (n_init,)
        Q at the end of each start.
    state_ : RLSState

    Notes
    -----
    `predict` on the training points equals `labels_` when `refine` is set: at a local minimum of Q every
    point's own model answers highest. (The one exception is the last point of a cluster, which no search
    takes away.) Without `refine` the sizes are held near their targets, and points at the border may be
    closer to another model.

    With two clusters the first round of the paper lets one cluster take every point and then the other,
    so that all starts would end alike. The first start does just that; each further one shakes a little
    less, down to a quarter of the strength.

    Q does not compare clusterings of different `alpha` or kernel. All points in one cluster would
    minimise Q when an intercept is fitted; the shaking keeps away from that, and no search empties a
    cluster.

    *How the defaults were chosen.* On twelve sets (seven toys, iris, wine, breast cancer, digits 3 and 8,
    900 digits) one setting was sought whose mean adjusted Rand index is high, not the best for each:
    ``python -m benchmarks.umcrls --defaults`` prints the comparison. A width in units of the distance to
    the seventh neighbour follows thin structures that a share of the largest distance blurs; the
    intercept and the final free descent let unbalanced clusters keep their sizes.

    References
    ----------
    T. Pahikkala, A. Airola, F. Gieseke, O. Kramer: Unsupervised Multi-Class Regularized Least-Squares
    Classification. ICDM 2012.

    Examples
    --------
    >>> from mmc import UMCRLS
    >>> from mmc.datasets import make_moons
    >>> X, y = make_moons(200, random_state=0)
    >>> model = UMCRLS(n_clusters=2, random_state=0).fit(X)
    >>> int((model.predict(X) == model.labels_).sum())
    200
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LeastSquaresClusterer._parameter_constraints,
        "n_shakes": [Interval(Integral, 0, None, closed="left")],
        "cluster_sizes": ["array-like", None],
        "refine": ["boolean"],
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
        alpha: float = 0.5,
        n_shakes: int = 20,
        cluster_sizes: Sequence[float] | None = None,
        refine: bool = True,
        fit_intercept: bool = True,
        n_init: int = 10,
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
            fit_intercept=fit_intercept,
            n_init=n_init,
            init=init,
            random_state=random_state,
        )
        self.n_shakes = n_shakes
        self.cluster_sizes = cluster_sizes
        self.refine = refine

    def _draw_starts(self, X: Array) -> list[Labels]:
        self._shares()
        return super()._draw_starts(X)

    def _shares(self) -> Array:
        k = self.n_clusters
        if self.cluster_sizes is None:
            return np.full(k, 1.0 / k)
        sizes = np.asarray(self.cluster_sizes, dtype=np.float64)
        if sizes.shape != (k,) or not np.isfinite(sizes).all() or (sizes <= 0).any():
            raise ValueError(
                f"cluster_sizes={self.cluster_sizes!r} must hold one positive number "
                f"for each of the {k} clusters."
            )
        return sizes / sizes.sum()

    def _states(self, search: Search, part: float) -> Iterator[RLSState]:
        n, k, rounds = len(search.labels), self.n_clusters, self.n_shakes + 1
        targets = n * self._shares()
        # At full strength the larger of two clusters takes every point and no start makes a difference.
        strength = 1.0 - 0.75 * part if 2.0 * targets.max() >= n else 1.0
        yield search.start()
        for i in range(rounds):
            for d in range(k):
                last = i == rounds - 1 and d == k - 1
                # [UMC-RLS] eq. 11; the tiny term keeps e.g. 3 * (1/3) from falling below 1
                n_claims = int(strength * targets[d] / 2.0**i + targets[d] - search.sizes[d] + 1e-9)
                if n_claims > 0 or (last and not self.refine):
                    state = search.claim(i + 1, d, n_claims, (i + (d + 1) / k) / rounds)
                    yield replace(state, converged=last and not self.refine)
        while self.refine:
            state = search.descend("release", rounds + 1, n)
            yield replace(state, converged=len(state.moved) < n)


class SteepRLS(LeastSquaresClusterer):
    """Least-squares clustering by plain steepest descent ([UMC-RLS] Algorithm 2).

    Each move takes the point and the cluster that lower Q most, until none does. It sticks in poor
    local minima; it is here to be watched beside `UMCRLS`. One step is a group of about n/40 moves.

    Parameters and attributes are those of `UMCRLS` without shaking: `n_clusters`, `kernel`, `gamma`,
    `width`, `degree`, `coef0`, `n_neighbors`, `alpha`, `fit_intercept`, `n_init`, `init`, `random_state`.
    `predict` on the training points equals `labels_`, except for the last point of a cluster.
    """

    def _states(self, search: Search, part: float) -> Iterator[RLSState]:
        yield search.start()
        group = max(1, len(search.labels) // 40)
        for round_ in count(1):
            state = search.descend("descent", round_, group)
            yield replace(state, converged=len(state.moved) < group)


class StocRLS(LeastSquaresClusterer):
    """Least-squares clustering by stochastic descent ([UMC-RLS] Algorithm 1).

    Points are visited in order, and each goes to the cluster that lowers Q most, until a whole sweep
    moves none. The only randomness is in the start. One step is a sweep.

    Parameters and attributes are those of `UMCRLS` without shaking: `n_clusters`, `kernel`, `gamma`,
    `width`, `degree`, `coef0`, `n_neighbors`, `alpha`, `fit_intercept`, `n_init`, `init`, `random_state`.
    `predict` on the training points equals `labels_`, except for the last point of a cluster.
    """

    def _states(self, search: Search, part: float) -> Iterator[RLSState]:
        yield search.start()
        for round_ in count(1):
            state = search.sweep(round_)
            yield replace(state, converged=len(state.moved) == 0)
