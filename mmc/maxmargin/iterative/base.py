"""Base class of the methods of [iterSVR]: alternating training and labelling, and the states.

`mmc.maxmargin.iterative` describes the objective, its symbols and the costs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from mmc._points import Points
from mmc._sklearn import StrOptions
from mmc.hints import Hints
from mmc.kernel_base import LowRankClusterer
from mmc.kernels import Kernel, fit_kernel, require_memory
from mmc.kernels.factor_cut import affinity_factor, factor_cut
from mmc.kernels.low_rank import Approximation, FeatureMap
from mmc.kernels.spectral import normalized_cut
from mmc.maxmargin.binary import (
    SIZES,
    Array,
    BinaryClusterer,
    BinaryState,
    Labels,
    Sizes,
    allowed_sizes,
    allowed_weights,
    oriented,
    signs,
)
from mmc.maxmargin.feature_machines import FeatureJudge
from mmc.maxmargin.iterative.bias import Placement, place_bias
from mmc.maxmargin.iterative.signed import Signed, place_signed
from mmc.maxmargin.losses import Hinge, Loss
from mmc.maxmargin.machines import Judge, Machine, Trained
from mmc.ranges import RANGES, real
from mmc.starts import Start, draw_starts, k_means, random_labels
from mmc.steered import SteeredClusterer
from mmc.stepping import State

#: Last round in which it is soon for a search to end.
_SOON = 2

#: Remedy for a kernel matrix that does not fit into memory.
_INSTEAD = 'Or use kernel="graph", or n_landmarks, which need no such matrix.'


class Problem(NamedTuple):
    """What stays fixed during the rounds; `signed` is None if there are no hints."""

    kernel: Kernel | FeatureMap
    machine: Machine
    sizes: Sizes
    judge: Judge | FeatureJudge
    starts: list[Start]
    signed: Signed | None


@dataclass(frozen=True, kw_only=True, eq=False)
class IterState(BinaryState):
    """One round of training and labelling.

    Attributes
    ----------
    bias : float
        b, which is included in f.
    dual : ndarray of shape (n_samples,) or (r,)
        Coefficients of the classifier, or its weights of r features.
    margins : ndarray of shape (n_samples,)
        y f with the labels y that the classifier was trained on. Points with a negative margin flip, unless
        hints keep them; at the start, whose bias has not been chosen yet, they lie on the wrong side.
    loss : float
        Σ L(y f) with the labels of this state, weighted if points have weights.
    loss_function : Loss
        L.
    norm : float
        ‖w‖².
    round : int
        Number of the round; 0 is the start.
    origin : str
        Origin of the labels of the start.
    complete : bool
        False if the solver was stopped before it converged.
    judge : Judge or FeatureJudge
        Computes the SVM objective.
    """

    bias: float
    dual: Array
    margins: Array
    loss: float
    loss_function: Loss
    norm: float
    round: int
    origin: str
    complete: bool
    judge: Judge | FeatureJudge

    @cached_property
    def svm_objective(self) -> float:
        """The SVM objective of [iterSVR] eq. 3 at these labels; an SVM is trained at the first access."""
        return self.judge.objective(self.labels)

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        return "round" if self.round else "start"

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """The round with its flips, and the parts of the objective."""
        flips = (("points flipped", str(len(self.moved))),) if self.round else ()
        return (
            ("round", str(self.round)),
            *flips,
            ("b", f"{self.bias:.4g}"),
            ("‖w‖²", f"{self.norm:.5g}"),
            ("Σ loss", f"{self.loss:.5g}"),
            ("objective", f"{self.objective:.5g}"),
        )

    @property
    def remark(self) -> str:
        """Why one cluster may take all points, or none may flip."""
        if self._has_one_cluster:
            return (
                "One cluster has swallowed the other, and that is what this method asks for: without a "
                "balance, one label for all points costs nothing."
            )
        if 0 < self.round <= _SOON and len(self.moved) == 0 and isinstance(self.loss_function, Hinge):
            return (
                "That no point flips so soon is usual with an SVM: its loss asks nothing more of points "
                "that are well on their side, so that the labels are held fast and the end is near the start."
            )
        return ""

    @property
    def _has_one_cluster(self) -> bool:
        return bool(self.labels.min() == self.labels.max())

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        n = len(self.moved)
        if self.round == 0:
            what = f"start: the classifier has learned {self.origin} labels"
        elif n == 0:
            what = f"round {self.round}: no point flips, done"
        else:
            what = f"round {self.round}: {n} point{'' if n == 1 else 's'} flipped"
        if self._has_one_cluster:
            what += ", and all are in one cluster"
        stopped = "" if self.complete else " (the solver was stopped early)"
        return f"{what}, objective {self.objective:.4g}{stopped}"


class IterativeClusterer(SteeredClusterer, BinaryClusterer, LowRankClusterer):
    """Base class of the four methods; each provides its classifier and the choice of the bias."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BinaryClusterer._parameter_constraints,
        **LowRankClusterer._parameter_constraints,
        "C": [RANGES["C"]],
        "balance": [real(0, 1)],
        "cluster_sizes": SIZES,
        "init": [StrOptions({"k-means", "normalized-cut", "random"}), "array-like"],
    }

    C: float
    balance: float
    cluster_sizes: Sequence[float] | None
    max_iter: int
    features_: FeatureMap
    coef_: Array

    @abstractmethod
    def _machine(self, K: Array, kernel: Kernel, weights: Array | None = None) -> Machine:
        """Return the classifier that is trained in every round; it may overwrite `K`."""

    @abstractmethod
    def _feature_machine(self, Phi: Array, weights: Array | None = None) -> Machine:
        """Return the same classifier in the features of a graph or of landmarks."""

    def _sizes(self, n: int, weights: Array | None) -> Sizes:
        """Return the bound on Σ v_i y_i."""
        if weights is None:
            return allowed_sizes(self.balance, n, self.cluster_sizes)
        return allowed_weights(self.balance, weights, self.cluster_sizes)

    def _place(self, trained: Trained, problem: Problem, before: Labels) -> Placement:
        """Choose bias and labels for a classifier that was trained on the labels `before`."""
        loss, (target, bound) = problem.machine.loss, problem.sizes
        if problem.signed is None:
            return place_bias(trained.values, bound, loss, target)
        return place_signed(trained.values, bound, loss, problem.signed, before, target)

    def _prepare_steered(self, X: Points, hints: Hints) -> Problem:
        weights = hints.weights if hints.weights is None else hints.weights.copy()
        sizes = self._sizes(X.shape[0], weights)
        signed = None if hints.are_none else Signed.of(hints)
        if signed is not None:
            signed.balanced(sizes.bound, sizes.target)  # refuses a bound that no labels keep
        X = X.copy()  # the judge reads it later, and the caller's array may change
        if self._has_low_rank:
            return self._feature_problem(X, sizes, signed, weights)
        require_memory(X.shape[0], instead=_INSTEAD)
        kernel, K = self._gram(X)
        starts = self._draw_starts(X, self.random_state, lambda: normalized_cut(self._affinity(X, K)))
        judge = Judge(kernel, X, self.C, weights)
        machine = self._machine(K, kernel, weights)
        return Problem(kernel, machine, sizes, judge, _kept(starts, signed, sizes), signed)

    def _feature_problem(
        self, X: Points, sizes: Sizes, signed: Signed | None, weights: Array | None
    ) -> Problem:
        rng = check_random_state(self.random_state)
        approximation = cache(lambda: self._approximation(X, rng))
        # The same seed draws the same starts as for the whole kernel: before the landmarks.
        starts = self._draw_starts(X, rng, lambda: factor_cut(affinity_factor(approximation(), X, rng)))
        found: Approximation = approximation()
        require_memory(X.shape[0], 4, found.G.shape[1])
        features = found.feature_map()
        machine = self._feature_machine(features.Phi, weights)
        features = features.without_points()
        judge = FeatureJudge(features, X, self.C, weights)
        return Problem(features, machine, sizes, judge, _kept(starts, signed, sizes), signed)

    def _draw_starts(
        self, X: Points, random_state: np.random.RandomState | int | None, cut: Callable[[], Labels]
    ) -> list[Start]:
        """Draw the starts; equal starts are kept once, because they lead to the same end.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_samples, n_features)
        random_state : int, RandomState or None
        cut : callable
            Returns the labels of "normalized-cut".
        """
        once = cache(cut)
        return draw_starts(
            X,
            2,
            self.init,
            {"random": random_labels, "k-means": k_means, "normalized-cut": lambda *_: once()},
            n_init=self.n_init,
            random_state=random_state,
            has_points=self.kernel != "precomputed",
            distinct=True,
        )

    def _affinity(self, X: Array, K: Array) -> Array:
        if K.min() >= 0 and K.sum(axis=1).min() > 0:
            return K
        if self.kernel == "precomputed":
            raise ValueError(
                'init="normalized-cut" needs a kernel without negative values, each row of which adds up to '
                'something positive; use "random" or give labels.'
            )
        return fit_kernel(X).matrix

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        if isinstance(problem.kernel, FeatureMap):
            self.features_ = problem.kernel
        else:
            self.kernel_ = problem.kernel
        return len(problem.starts), (self._rounds(problem, start) for start in problem.starts)

    def _rounds(self, problem: Problem, start: Start) -> Iterator[IterState]:
        machine, labels = problem.machine, start.labels
        trained = machine.train(signs(labels))
        yield self._state(problem, trained, Placement(trained.bias, labels), labels, 0, start.origin)
        for round_ in count(1):
            placed = self._place(trained, problem, labels)
            state = self._state(problem, trained, placed, labels, round_, start.origin)
            yield state
            if state.converged:
                return
            labels = placed.labels
            trained = machine.train(signs(labels), trained)

    def _state(
        self, problem: Problem, trained: Trained, placed: Placement, before: Labels, round_: int, origin: str
    ) -> IterState:
        f = trained.values + placed.bias
        moved = np.flatnonzero(placed.labels != before)
        losses = problem.machine.loss(signs(placed.labels) * f)
        loss = float(losses.sum() if problem.signed is None else problem.signed.weights @ losses)
        return IterState(
            labels=placed.labels,
            objective=trained.norm + problem.machine.price * loss,
            converged=round_ > 0 and len(moved) == 0,
            progress=min(1.0, round_ / self.max_iter),
            f=f,
            bias=placed.bias,
            dual=trained.dual,
            moved=moved,
            margins=signs(before) * f,
            loss=loss,
            loss_function=problem.machine.loss,
            norm=trained.norm,
            round=round_,
            origin=origin,
            complete=trained.complete,
            judge=problem.judge,
        )

    @property
    def _adopted_model(self) -> tuple[Array, float]:
        return (self.coef_, self.intercept_) if self._has_low_rank else super()._adopted_model

    def _model(self, state: IterState) -> tuple[Array, float]:
        return state.dual, state.bias

    def _adopt(self, state: IterState) -> None:
        if self._has_low_rank:
            self.coef_, self.intercept_ = self._model(state)
        else:
            super()._adopt(state)

    def _compare(self, X: Array) -> Array:
        return self.features_(X) if self._has_low_rank else super()._compare(X)


def _kept(starts: list[Start], signed: Signed | None, sizes: Sizes) -> list[Start]:
    """Return the starts as they suit the sizes and keep the hints; those that become equal are kept once."""
    starts = oriented(starts, sizes.target)
    if signed is None:
        return starts
    near = [Start(signed.nearest(start.labels), start.origin) for start in starts]
    return list({start.labels.tobytes(): start for start in reversed(near)}.values())[::-1]
