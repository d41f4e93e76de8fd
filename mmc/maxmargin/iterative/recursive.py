"""More clusters than two by repeated splitting, as [iterSVR] section IV-C does with images.

At first one cluster holds all points. While there are fewer clusters than `n_clusters`, one of them is chosen
by the rule `split` and divided by a method for two clusters, which receives only the points of that cluster.
The result is a tree, and a new point descends it from the root.

One step is one step of the method that splits a cluster, start after start; the split ends with the best of
its starts. Costs: k − 1 fits of the method, each on the points of one cluster. With a method on a graph or
with landmarks nothing has n² entries; each split has features of its own.

Points that belong together, and weights, are passed on to the splits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from mmc._points import Points, square_lengths, total_variance
from mmc._sklearn import HasMethods, StrOptions, check_parameters
from mmc.base import StepwiseClusterer, silent_steps
from mmc.hints import Hints
from mmc.maxmargin.iterative.estimators import IterLSSVM
from mmc.ranges import RANGES
from mmc.starts import require_points
from mmc.steered import SteeredClusterer
from mmc.stepping import State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Larger than any margin: decision value of the root, and its negative for clusters that do not exist yet.
_FAR = 1e9


class Split(NamedTuple):
    """A split: the cluster, the number of its second half, the model with its state, and the members."""

    cluster: int
    other: int
    model: StepwiseClusterer
    state: State
    members: Labels


class Problem(NamedTuple):
    """What stays fixed: the points with their hints, and a seed for each split."""

    X: Points
    seeds: list[int]
    hints: Hints


@dataclass(frozen=True, kw_only=True, eq=False)
class RecursiveState(State):
    """A tree during the search.

    Attributes
    ----------
    splits : tuple of Split
        Splits in the order in which they were made; the last one may still change.
    n_splits : int
        Number of splits at the end.
    detail : str
        Description of the method's last step.
    """

    splits: tuple[Split, ...]
    n_splits: int
    detail: str

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        return "split" if self.splits else "start"

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """The last split: what is parted into what, and what it adds to the objective."""
        if not self.splits:
            return (("clusters", "1"), ("points", str(len(self.labels))))
        last = self.splits[-1]
        sizes = np.bincount(last.state.labels, minlength=2)
        return (
            ("split", f"{len(self.splits)} of {self.n_splits}"),
            ("cluster", str(last.cluster)),
            ("its points", str(len(last.members))),
            ("parts", f"{sizes[0]} and {sizes[1]}"),
            ("objective of this split", f"{last.state.objective:.5g}"),
            ("sum of all splits", f"{self.objective:.5g}"),
        )

    @property
    def remark(self) -> str:
        """Why the objective grows with the number of splits, or what the method remarks."""
        if not self.splits:
            return ""
        if len(self.splits) > 1 and self.splits[-1].state.line == "start":
            return "The objective rises with a new split on purpose: it adds up the objectives of all splits."
        return self.splits[-1].state.remark

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        if not self.splits:
            return f"start: one cluster of {len(self.labels)} points"
        last = self.splits[-1]
        where = f"split {len(self.splits)} of {self.n_splits}"
        return f"{where}, cluster {last.cluster} of {len(last.members)} points: {self.detail}"

    def confidence(self) -> Array | None:
        """Return the least confidence of the models on a point's path; None before the first split."""
        result: Array | None = None
        for split in self.splits:
            sure = split.state.confidence()
            if sure is None:
                return None
            result = np.ones(len(self.labels)) if result is None else result
            result[split.members] = np.minimum(result[split.members], sure)
        return result


class RecursiveBinary(SteeredClusterer):
    """Clustering by splitting repeatedly with a method for two clusters ([iterSVR] section IV-C).

    Parameters
    ----------
    estimator : StepwiseClusterer or None, default=None
        A method for two clusters, which is copied for every split. None means ``IterLSSVM()``, the fastest
        one.
    n_clusters : int, default=3
        Number of clusters. Allowed are 1 to 1,000,000.
    split : {"spread", "size"}, default="spread"
        Which cluster is split next: the one with the largest sum of squared distances to its mean (in feature
        space if the kernel is precomputed), or the one with most points. Among equal clusters the one with
        the lower number is split.
    random_state : int, RandomState or None, default=None
        Seed of the splits, each of which gets its own. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        Sum of the objectives of all splits. It compares only trees of the same method.
    splits_ : tuple of Split
        The tree: which cluster was split, the number of its second half, and the fitted method.
    n_iter_ : int
        Number of steps of all splits together.
    start_objectives_ : ndarray of shape (1,)
        Objective at the end of each start.
    state_ : RecursiveState
        Last state of the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one step of the method that splits a cluster. The fit costs k − 1 fits of the method, each on
    the points of one cluster. For many points give a method on a graph or with landmarks, such as
    ``IterSVR(n_landmarks=200)``; landmarks and graphs are those of the cluster that is split.

    *The balance.* The method's `balance` bounds the difference of the two halves, and one cluster against two
    of the same size already differ by a third of the points. The default of `IterLSSVM`, 0.35, allows this.

    *New points* descend the tree. `decision_function` returns for each cluster the smallest margin on the
    path to it, which is positive for the cluster that the point reaches and negative for all others.
    `predict` equals `labels_` on the training points if this holds for the method.

    *A fit that is stopped early* has fewer clusters than `n_clusters`.

    A cluster that cannot be split, because its points are equal or too few or because the method leaves one
    half empty, ends the fit with an error.

    *Hints.* Points that belong together are never parted, and weights count in the splits and in the choice
    of the next cluster, if the method takes such hints. Known labels and points that belong apart are
    refused: a split decides about two parts before it is known which clusters come of them.

    References
    ----------
    K. Zhang, I. W. Tsang, J. T. Kwok: Maximum Margin Clustering Made Practical. IEEE Transactions on Neural
    Networks 20, 2009.

    Examples
    --------
    >>> from mmc import IterSVR, RecursiveBinary
    >>> from mmc.datasets import make_three_gaussians
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_three_gaussians(90, noise=0.3, random_state=0)
    >>> model = RecursiveBinary(IterSVR(), n_clusters=3, random_state=0).fit(X)
    >>> [(split.cluster, split.other) for split in model.splits_]
    [(0, 1), (1, 2)]
    >>> clustering_error(y, model.labels_)
    0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["iter_fit", "follow"]), None],
        "n_clusters": [RANGES["n_clusters"]],
        "split": [StrOptions({"spread", "size"})],
        "random_state": ["random_state"],
    }

    _takes = ("must_link", "sample_weight")
    _refusal = (
        "A split parts a cluster in two before it is known which clusters come of the parts. Use UMCRLS, "
        "which keeps all hints."
    )

    splits_: tuple[Split, ...]

    def __init__(
        self,
        estimator: StepwiseClusterer | None = None,
        n_clusters: int = 3,
        *,
        split: str = "spread",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_clusters = n_clusters
        self.split = split
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_pairwise()
        return tags

    @property
    def _sparse_refusal(self) -> str:
        return self._method(0)._sparse_refusal

    def _is_pairwise(self) -> bool:
        return getattr(self.estimator, "kernel", "") == "precomputed"

    def _validate_params(self) -> None:
        super()._validate_params()
        method = self._method(0)
        check_parameters(method)
        if method.get_params().get("n_clusters") != 2:
            raise ValueError(f"estimator={method!r} must part points in two: set its n_clusters=2.")

    def _prepare_steered(self, X: Points, hints: Hints) -> Problem:
        self._require_hints(hints)
        require_points(X.shape[0], self.n_clusters)
        if self._is_pairwise() and X.shape[0] != X.shape[1]:
            raise ValueError(f"A precomputed kernel must be a square matrix, this one is {X.shape}.")
        rng = check_random_state(self.random_state)
        return Problem(X, [int(rng.randint(2**31 - 1)) for _ in range(self.n_clusters - 1)], hints)

    def _require_hints(self, hints: Hints) -> None:
        method = self._method(0)
        takes = method._takes if isinstance(method, SteeredClusterer) else ()
        given = {"must_link": hints.are_links, "sample_weight": hints.weights is not None}
        if refused := [name for name, is_given in given.items() if is_given and name not in takes]:
            raise ValueError(
                f"{type(method).__name__}, which splits the clusters, takes no {' and no '.join(refused)}. "
                "Use another estimator, such as IterLSSVM(), or UMCRLS, which keeps all hints."
            )

    def _method(self, seed: int) -> StepwiseClusterer:
        method = IterLSSVM() if self.estimator is None else clone(self.estimator)
        return method.set_params(random_state=seed) if "random_state" in method.get_params() else method

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        return 1, [self._states(problem)]

    def _states(self, problem: Problem) -> Iterator[RecursiveState]:
        n_splits = len(problem.seeds)
        state = RecursiveState(
            labels=np.zeros(problem.X.shape[0], dtype=np.int64),
            objective=0.0,
            splits=(),
            n_splits=n_splits,
            detail="",
            moved=np.empty(0, dtype=np.int64),
        )
        yield state
        for number, seed in enumerate(problem.seeds, start=1):
            before = state
            members = self._next_members(problem, before.labels)
            for parted in self._part(problem, members, int(before.labels[members[0]]), number, seed):
                labels = before.labels.copy()
                labels[members[parted.split.state.labels == 1]] = number
                state = RecursiveState(
                    labels=labels,
                    objective=before.objective + parted.split.state.objective,
                    converged=parted.done == 1.0 and number == n_splits,
                    progress=(number - 1 + parted.done) / n_splits,
                    splits=(*before.splits, parted.split),
                    n_splits=n_splits,
                    detail=parted.detail,
                    moved=np.flatnonzero(labels != state.labels),
                )
                yield state

    def _next_members(self, problem: Problem, labels: Labels) -> Labels:
        """Return the points of the cluster that is split next."""
        X, unit, weights = problem.X, problem.hints.unit, problem.hints.weights
        clusters = [np.flatnonzero(labels == h) for h in range(int(labels.max()) + 1)]

        def measure(members: Labels) -> float:
            own = None if weights is None else weights[members]
            if self.split == "size":
                return len(members) if own is None else float(own.sum())
            return self._spread(self._points(X, members), own)

        return max((members for members in clusters if np.ptp(unit[members]) > 0), key=measure)

    def _spread(self, points: Points, weights: Array | None) -> float:
        if weights is not None:
            if self._is_pairwise():
                return float(weights @ points.diagonal() - weights @ points @ weights / weights.sum())
            mean = np.asarray(weights @ points) / weights.sum()
            return float(weights @ square_lengths(points, mean))
        if self._is_pairwise():
            return float(np.trace(points) - points.sum() / len(points))
        return total_variance(points) * float(points.shape[0])

    def _points(self, X: Points, members: Labels) -> Points:
        return X[np.ix_(members, members)] if self._is_pairwise() else X[members]

    def _part(
        self, problem: Problem, members: Labels, cluster: int, other: int, seed: int
    ) -> Iterator[_Parted]:
        """Split a cluster; yield every step of the method, and finally the end that it kept."""
        model = self._method(seed)
        try:
            for step in silent_steps(
                model, self._points(problem.X, members), **_hints_of(problem.hints, members)
            ):
                # The model changes in later steps, and a state must not change with it.
                split = Split(cluster, other, copy(model), step.state, members)
                start = f"start {step.start + 1} of {step.n_starts}, " if step.n_starts > 1 else ""
                yield _Parted(split, start + step.state.caption, 0.99 * step.progress)
        except ValueError as error:
            raise ValueError(self._unsplit(cluster, members, other, str(error))) from error
        sizes = np.bincount(model.labels_, minlength=2)
        if sizes.min() == 0:
            raise ValueError(self._unsplit(cluster, members, other, "One half is empty."))
        detail = f"parted into {sizes[0]} and {sizes[1]} points"
        yield _Parted(Split(cluster, other, model, model.state_, members), detail, 1.0)

    def _unsplit(self, cluster: int, members: Labels, reached: int, reason: str) -> str:
        fewer = f"Ask for at most {reached} clusters, or change" if reached > 1 else "Change"
        return (
            f"Cluster {cluster} of {len(members)} points cannot be split: {reason} {fewer} the parameters of "
            "the method."
        )

    def _adopt(self, state: RecursiveState) -> None:
        self.splits_ = state.splits

    @property
    def _n_compared(self) -> int:
        return sum(split.model._n_compared for split in self.splits_)

    def _follow(self, X: Array) -> Callable[[RecursiveState], Array]:
        decision_values: dict[int, Callable[[State], Array]] = {}

        def values(state: RecursiveState) -> Array:
            # The decision value of a cluster is the smallest margin on the path to it.
            scores = np.full((X.shape[0], self.n_clusters), -_FAR)
            scores[:, 0] = _FAR
            for split in state.splits:
                # All states of a split share one kernel; their models differ only in the coefficients.
                if split.other not in decision_values:
                    points = X[:, split.members] if self._is_pairwise() else X
                    decision_values[split.other] = split.model.follow(points)
                below, above = decision_values[split.other](split.state).T
                margin = (above - below) / 2.0
                scores[:, split.other] = np.minimum(scores[:, split.cluster], margin)
                scores[:, split.cluster] = np.minimum(scores[:, split.cluster], -margin)
            return scores

        return values


class _Parted(NamedTuple):
    """A split after one step, a description of the step, and the share of the split that is done."""

    split: Split
    detail: str
    done: float


def _hints_of(hints: Hints, members: Labels) -> dict[str, Array | Labels]:
    """Return the hints about some points as arguments of `iter_fit`, without those that say nothing."""
    _, first, own = np.unique(hints.unit[members], return_index=True, return_inverse=True)
    links = np.column_stack([first[own], np.arange(len(members))])
    links = links[links[:, 0] != links[:, 1]]
    found: dict[str, Array | Labels] = {"must_link": links} if len(links) else {}
    if hints.weights is not None:
        found["sample_weight"] = hints.weights[members]
    return found
