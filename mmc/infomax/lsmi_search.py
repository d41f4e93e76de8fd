"""Clustering by a search for the labels of largest LSMI, which [SMIC] section 5 leaves to future work.

LSMI (`mmc.infomax.lsmi`) estimates how much the points tell about their labels. [SMIC] uses it to choose
among clusterings, and warns in section 2.4 that a greedy search for its maximum may not find a good solution.
This is such a search, begun at a good place: from the labels of SMIC, points move to other clusters one by
one while LSMI grows.

With the width γ and the penalty δ that the cross-validation chooses for the labels of the start, each class y
adds θ_yᵀh_y − ½ θ_yᵀH_yθ_y to LSMI (eqs. 13 and 14), where H_y = n_y/n² LᵀL at the centres of the class. When
no move helps, γ and δ are chosen anew for the labels that were reached. If LSMI as the cross-validation has
it is then larger than before, the search goes on from there, else it ends at the labels of before. The end
thus has at least the LSMI of the start.

=============  ==============  ===========================================================
paper          code            meaning
=============  ==============  ===========================================================
L, γ           L, gamma        Gaussians between points and centres, and their width
δ              delta           ridge penalty
θ              theta           a coefficient for each centre, in the ratio of its own class
n_y            sizes           number of points of each class
=============  ==============  ===========================================================

One step is a round. First the points that are no centres are visited, those of the largest gain first: in the
eigenvectors of LᵀL at the centres of a class, H_y and h_y without or with a point take b/c operations. Then
the centres are visited in turn, which take their Gaussian with them to the other class: that needs two linear
systems for each class, (b/c)³ operations.

Costs for n points, b centres and c clusters: a round takes n b operations and b² (b/c)² for the centres, the
choice of γ and δ that of an LSMI. Memory: a few arrays of n b numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state

from mmc._sklearn import StrOptions
from mmc._threads import one_thread
from mmc.base import StepwiseClusterer, silent_steps
from mmc.infomax.density_ratio import Array, gaussian
from mmc.infomax.lsmi import LSMI
from mmc.infomax.smic import SMIC
from mmc.kernels import require_memory
from mmc.kernels.local_scaling import require_squares
from mmc.ranges import RANGES, whole
from mmc.starts import Draw, Start, draw_starts, k_means, random_labels, require_points
from mmc.stepping import State

Labels = NDArray[np.int64]

#: A move must gain more than this; smaller gains are rounding errors.
_MIN_GAIN = 1e-10

#: Number of arrays of n b numbers at the same time.
_N_ARRAYS = 6

#: Larger than any squared distance: that to the centres of a cluster without any.
_FAR = 1e300


class Problem(NamedTuple):
    """What stays fixed during the search."""

    judge: LSMI
    starts: list[Start]


@dataclass(frozen=True, kw_only=True, eq=False)
class LSMIState(State):
    """Labels on the way, with the density ratio that belongs to them.

    Attributes
    ----------
    round : int
        Number of the round; 0 is the start.
    gamma, delta : float
        Width and penalty.
    chosen : bool
        Whether the cross-validation has chosen them for these labels.
    theta : ndarray of shape (n_basis,)
        Coefficients of the centres.
    centre_labels : ndarray of shape (n_basis,)
        Clusters of the centres.
    shares : ndarray of shape (n_clusters,)
        Share of the points in each cluster.
    previous : float
        Objective of the previous state; NaN at the start.
    origin : str
        Origin of the labels of the start.
    """

    round: int
    gamma: float
    delta: float
    chosen: bool
    theta: Array
    centre_labels: Labels
    shares: Array
    previous: float
    origin: str

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        if self.round == 0:
            return "start"
        return "choice" if self.chosen else "round"

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """The round with its moves, γ and δ, and LSMI."""
        moves = (("round", str(self.round)), ("points moved", str(len(self.moved)))) if self.round else ()
        return (
            *moves,
            ("γ", f"{self.gamma:.4g}"),
            ("δ", f"{self.delta:.4g}"),
            ("LSMI", f"{-self.objective:.5g}"),
        )

    @property
    def remark(self) -> str:
        """Why LSMI may fall, or why points may return."""
        if not (self.round and self.chosen):
            return ""
        if self.converged and len(self.moved):
            return (
                "The points return on purpose: with width and penalty chosen for them, the labels that were "
                "reached have a lower LSMI than those of before."
            )
        if self.objective > self.previous + _MIN_GAIN:
            return (
                "That LSMI falls here is no mistake: it is measured with another width and penalty, and "
                "compares with the last time that these were chosen."
            )
        return ""

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        n = len(self.moved)
        points = f"{n} point{'' if n == 1 else 's'}"
        if self.round == 0:
            return f"start: the {self.origin} labels have LSMI = {-self.objective:.4g}"
        if not self.chosen:
            return f"round {self.round}: {points} moved, LSMI = {-self.objective:.4g}"
        end = f"; {points} return, done" if self.converged and n else ", done" if self.converged else ""
        return f"γ = {self.gamma:.3g} and δ = {self.delta:.3g} chosen anew, LSMI = {-self.objective:.4g}{end}"


class LSMISearch(StepwiseClusterer):
    """Clustering by moving points while their least-squares mutual information grows ([SMIC] section 5).

    The search is greedy: it mends labels that are nearly right, and stays close to wrong ones.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    init : {"SMIC", "k-means", "random"} or array-like of shape (n_samples,), default="SMIC"
        Labels to start from: those of `SMIC` with its defaults, k-means, random labels with clusters of equal
        size, or given labels from 0 to n_clusters − 1.
    n_init : int, default=1
        Number of starts. With "SMIC" all but the first are random; given labels make a single start. The
        start that ends with the highest LSMI is kept. Allowed are 1 to 1,000.
    n_basis : int, default=200
        Largest number of centres of LSMI. Allowed are 2 to 2,000.
    max_iter : int, default=100
        Largest number of steps of a start, which are rounds and choices of width and penalty. Allowed are 1
        to 1,000,000,000.
    random_state : int, RandomState or None, default=None
        Seed of the starts, and of the centres and folds of LSMI. An integer makes the fit reproducible, and
        gives LSMI the centres and folds that `SMIC` has with the same seed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        −LSMI of `labels_`, with the width and penalty that cross-validation chooses for them if the search
        has ended.
    n_iter_ : int
        Number of steps after the first of the start that was kept.
    start_objectives_ : ndarray of shape (n_starts,)
        Objective at the end of each start.
    gamma_, delta_ : float
        Width and penalty.
    centres_ : ndarray of shape (n_basis, n_features)
        Centres of the Gaussians.
    theta_ : ndarray of shape (n_basis,)
        Coefficients θ of the density ratio, each in the ratio of its centre's own cluster.
    state_ : LSMIState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is a round, in which every point is visited, or the choice of width and penalty. A round takes
    n b operations for b centres, and b² (b/c)² for the centres themselves; memory is a few arrays of n b
    numbers. No cluster loses its last point.

    *What it gives.* A larger LSMI, which is not the same as better clusters. Ten draws of 200 points give
    these means (``python -m benchmarks.smic --search``):

    ===============  ===================  ===================  ====================  ================
    toy set          SMIC: Rand, LSMI     search: Rand, LSMI   best of five random   LSMI of classes
    ===============  ===================  ===================  ====================  ================
    four-gaussians   1.000, 1.489         1.000, 1.489         1.000, 1.489          1.489
    circle-gaussian  0.996, 0.498         0.994, 0.498         0.122, 0.471          0.497
    spirals          1.000, 0.498         1.000, 0.498         0.000, 0.488          0.498
    high-low         0.619, 0.456         0.588, 0.459         0.223, 0.452          0.391
    three-gaussians  0.970, 0.990         0.970, 0.990         0.956, 0.986          0.970
    moons            1.000, 0.498         1.000, 0.498         0.455, 0.488          0.498
    anisotropic      0.970, 0.987         0.964, 0.988         0.459, 0.965          0.989
    ===============  ===================  ===================  ====================  ================

    Rand is the adjusted Rand index. The labels of SMIC have about the LSMI of the classes or more already,
    and what the search adds is no gain for the clusters. From random labels it finds round clouds, but
    neither circles nor spirals: it ends in local maxima, as [SMIC] section 2.4 expects. It takes about a
    third longer than SMIC alone.

    *New points* belong to the cluster with the largest p(y) r(x, y), the density ratio times the share of the
    cluster, which estimates the class posterior. A point without a positive value, which lies far from all
    centres, joins the cluster of the nearest centre. On the training points this gives `labels_` but for
    points near a border, where smooth functions cannot follow single labels.

    References
    ----------
    M. Sugiyama, G. Niu, M. Yamada, M. Kimura, H. Hachiya: Information-Maximization Clustering based on
    Squared-Loss Mutual Information. Neural Computation 26, 2014.

    Examples
    --------
    >>> from mmc import LSMISearch, SMIC
    >>> from mmc.datasets import make_moons
    >>> X, y = make_moons(60, random_state=0)
    >>> model = LSMISearch(n_clusters=2, random_state=0).fit(X)
    >>> bool(model.objective_ <= SMIC(n_clusters=2, random_state=0).fit(X).objective_)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [RANGES["n_clusters"]],
        "init": [StrOptions({"SMIC", "k-means", "random"}), "array-like"],
        "n_init": [RANGES["n_init"]],
        "n_basis": [whole(2, 2_000)],
        "max_iter": [RANGES["max_iter"]],
        "random_state": ["random_state"],
    }

    centres_: Array
    gamma_: float
    delta_: float
    theta_: Array

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        init: str | ArrayLike = "SMIC",
        n_init: int = 1,
        n_basis: int = 200,
        max_iter: int = 100,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.n_basis = n_basis
        self.max_iter = max_iter
        self.random_state = random_state

    def _prepare(self, X: Array) -> Problem:
        n, k = X.shape[0], self.n_clusters
        require_points(n, k)
        require_memory(n, _N_ARRAYS, min(n, self.n_basis))
        require_squares(X)
        rng = check_random_state(self.random_state)
        seed = self.random_state if isinstance(self.random_state, Integral) else rng.randint(2**31 - 1)
        judge = LSMI(X, n_basis=self.n_basis, max_samples=n, random_state=int(seed))
        self.centres_ = X[judge.centres.basis]

        def by_smic(X: Any, k: int, rng: np.random.RandomState) -> Labels:
            model = SMIC(k, random_state=int(seed))
            for _ in silent_steps(model, X):
                pass
            return model.labels_

        draws: dict[str, Draw] = {"SMIC": by_smic, "k-means": k_means, "random": random_labels}
        draw = partial(draw_starts, X, k, draws=draws, random_state=rng)
        if isinstance(self.init, str) and self.init == "SMIC":
            return Problem(judge, [*draw("SMIC", n_init=1), *draw("random", n_init=self.n_init - 1)])
        return Problem(judge, draw(self.init, n_init=self.n_init, distinct=True))

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        return len(problem.starts), (self._rounds(problem.judge, start) for start in problem.starts)

    def _rounds(self, judge: LSMI, start: Start) -> Iterator[LSMIState]:
        best = judge(start.labels)
        search = self._search(judge, start.labels, best.gamma, best.delta)
        state = self._state(search, best.value, None, start, 0, chosen=True)
        yield state
        kept, round_ = start.labels, 0
        while True:
            round_ += 1
            with one_thread():
                n_moved = search.round()
            if n_moved:
                state = self._state(search, search.value(), state, start, round_, chosen=False)
                yield state
                continue
            found = judge(search.labels)
            goes_on = found.value > best.value + _MIN_GAIN
            same = (found.gamma, found.delta) == (search.gamma, search.delta)
            if goes_on:
                best, kept = found, search.labels
            search = self._search(judge, kept, best.gamma, best.delta)
            done = same or not goes_on
            state = self._state(search, best.value, state, start, round_, chosen=True, converged=done)
            yield state
            if done:
                return

    def _search(self, judge: LSMI, labels: Labels, gamma: float, delta: float) -> Search:
        centres = judge.centres
        return Search(centres.kernel(gamma), centres.basis, labels, self.n_clusters, gamma, delta)

    def _state(
        self,
        search: Search,
        value: float,
        before: LSMIState | None,
        start: Start,
        round_: int,
        *,
        chosen: bool,
        converged: bool = False,
    ) -> LSMIState:
        labels = search.labels.copy()
        return LSMIState(
            labels=labels,
            objective=-value,
            converged=converged,
            progress=1.0 if converged else min(0.99, round_ / self.max_iter),
            moved=np.flatnonzero(labels != before.labels) if before else np.empty(0, dtype=np.int64),
            round=round_,
            gamma=search.gamma,
            delta=search.delta,
            chosen=chosen,
            theta=search.theta(),
            centre_labels=labels[search.basis],
            shares=search.sizes / len(labels),
            previous=before.objective if before else np.nan,
            origin=start.origin,
        )

    def _adopt(self, state: LSMIState) -> None:
        self.gamma_, self.delta_, self.theta_ = state.gamma, state.delta, state.theta

    @property
    def _n_compared(self) -> int:
        return len(self.centres_)

    def _follow(self, X: Array) -> Callable[[LSMIState], Array]:
        centre = self.centres_.mean(axis=0)
        d2 = np.asarray(euclidean_distances(X - centre, self.centres_ - centre, squared=True))

        def values(state: LSMIState) -> Array:
            members = [state.centre_labels == y for y in range(len(state.shares))]
            coefficients = np.column_stack([state.theta * mine for mine in members])
            found = gaussian(d2, state.gamma) @ coefficients * state.shares
            far = found.max(axis=1) <= 0
            for y, mine in enumerate(members):
                found[far, y] = -np.min(d2[far][:, mine], axis=1, initial=_FAR)
            return found

        return values


class Search:
    """Labels that change point by point, with LSMI for a fixed width and penalty.

    Parameters
    ----------
    L : ndarray of shape (n, b)
        Gaussians between points and centres.
    basis : ndarray of shape (b,)
        Points that are centres.
    labels : ndarray of shape (n,)
        Labels to begin with.
    k : int
        Number of clusters.
    gamma, delta : float
        Width and penalty.
    """

    def __init__(self, L: Array, basis: Labels, labels: Labels, k: int, gamma: float, delta: float) -> None:
        self.L, self.basis, self.labels, self.k = L, basis, labels.copy(), k
        self.gamma, self.delta = gamma, delta
        self.sizes = np.bincount(labels, minlength=k)
        self._sums = np.stack([L[labels == y].sum(axis=0) for y in range(k)]) / len(L)
        self._G = L.T @ L
        self._classes = [self._class(y) for y in range(k)]
        self._inner = np.ones(len(L), dtype=bool)
        self._inner[basis] = False

    def value(self) -> float:
        """Return LSMI of the labels, [SMIC] eq. 14."""
        return sum(self._own(y) for y in range(self.k)) - 0.5

    def theta(self) -> Array:
        """Return the coefficient of each centre, [SMIC] eq. 13."""
        theta = np.zeros(len(self.basis))
        for y, each in enumerate(self._classes):
            theta[each.members] = each.vectors @ (each.g / (self._scale(y) * each.values + self.delta))
        return theta

    def round(self) -> int:
        """Visit all points, move those whose move gains, and return their number."""
        return self._move_points() + self._move_centres()

    def _move_points(self) -> int:
        gains = self._gains()
        best = gains.max(axis=1)
        n_moved = 0
        for i in np.argsort(-best, kind="stable")[: int((best > _MIN_GAIN).sum())].tolist():
            gain = self._gains(slice(i, i + 1))[0]  # others have moved since
            y = int(gain.argmax())
            if gain[y] > _MIN_GAIN:
                before = self.labels[i]
                self._classes[before].g -= self._classes[before].rows[i]
                self._classes[y].g += self._classes[y].rows[i]
                self._relabel(i, y)
                n_moved += 1
        return n_moved

    def _gains(self, points: slice = slice(None)) -> Array:
        """Return what LSMI gains when each of these points moves to each cluster; −∞ where none may."""
        labels = self.labels[points]
        left, joined = np.empty(len(labels)), np.empty((len(labels), self.k))
        for y, each in enumerate(self._classes):
            rows, own, mine = each.rows[points], self._own(y), labels == y
            joined[:, y] = self._values(y, each.g + rows, 1) - own
            left[mine] = self._values(y, each.g - rows[mine], -1) - own
        gains = left[:, None] + joined
        gains[np.arange(len(labels)), labels] = -np.inf
        gains[~self._inner[points] | (self.sizes[labels] == 1)] = -np.inf
        return gains

    def _move_centres(self) -> int:
        n_moved = 0
        for at, i in enumerate(self.basis.tolist()):
            before = int(self.labels[i])
            if self.sizes[before] == 1:
                continue
            own = [self._own(y) for y in range(self.k)]
            left = self._with(before, i, at, -1) - own[before]
            gains = [
                left + self._with(y, i, at, 1) - own[y] if y != before else -np.inf for y in range(self.k)
            ]
            y = int(np.argmax(gains))
            if gains[y] > _MIN_GAIN:
                self._relabel(i, y)
                self._classes[before], self._classes[y] = self._class(before), self._class(y)
                n_moved += 1
        return n_moved

    def _relabel(self, i: int, y: int) -> None:
        before = self.labels[i]
        self.sizes[before] -= 1
        self.sizes[y] += 1
        self._sums[before] -= self.L[i] / len(self.L)
        self._sums[y] += self.L[i] / len(self.L)
        self.labels[i] = y

    def _with(self, y: int, i: int, at: int, change: int) -> float:
        """Return what class y adds to LSMI with a centre more or less, which is a point too."""
        n, members = len(self.L), self._classes[y].members
        members = np.append(members, at) if change > 0 else members[members != at]
        h = self._sums[y, members] + change * self.L[i, members] / n
        H = self._G[np.ix_(members, members)] * ((self.sizes[y] + change) / n**2)
        theta = np.linalg.solve(H + self.delta * np.eye(len(h)), h)
        return float(theta @ h - 0.5 * theta @ H @ theta)

    def _class(self, y: int) -> _Class:
        members = np.flatnonzero(self.labels[self.basis] == y)
        values, vectors = np.linalg.eigh(self._G[np.ix_(members, members)])
        rows = self.L[:, members] @ vectors / len(self.L)
        return _Class(members, np.maximum(values, 0.0), vectors, rows, self._sums[y, members] @ vectors)

    def _own(self, y: int) -> float:
        return float(self._values(y, self._classes[y].g, 0))

    def _values(self, y: int, g: Array, change: int) -> Array:
        """Return θᵀh − ½ θᵀHθ for several h of a class with so many points more."""
        s = self._scale(y, change) * self._classes[y].values
        return np.asarray(g**2 @ (1.0 / (s + self.delta) - 0.5 * s / (s + self.delta) ** 2))

    def _scale(self, y: int, change: int = 0) -> float:
        return float(self.sizes[y] + change) / len(self.L) ** 2


@dataclass
class _Class:
    """The centres of a class, the eigenvalues and eigenvectors of LᵀL at them, and points and h in these."""

    members: Labels
    values: Array
    vectors: Array
    rows: Array
    g: Array
