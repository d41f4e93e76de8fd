"""What the methods of [iterSVR] share: training and labelling by turns, and the states of that.

The objective, its symbols and its costs are told in `mmc.maxmargin.iterative`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from mmc._sklearn import Interval, StrOptions
from mmc.base import checked_labels
from mmc.kernels import Kernel, fit_kernel, require_memory
from mmc.kernels.spectral import normalized_cut
from mmc.maxmargin.binary import (
    Array,
    BinaryClusterer,
    BinaryState,
    Labels,
    far_apart_k_means,
    random_halves,
    signs,
    size_bound,
)
from mmc.maxmargin.iterative.bias import Placement, place_bias
from mmc.maxmargin.losses import Loss
from mmc.maxmargin.machines import Judge, Machine, Trained
from mmc.metrics import in_order
from mmc.stepping import State


class Start(NamedTuple):
    """Labels to begin with, and where they are from."""

    labels: Labels
    origin: str


class Problem(NamedTuple):
    """What stays fixed during the rounds."""

    kernel: Kernel
    machine: Machine
    bound: int
    judge: Judge
    starts: list[Start]


@dataclass(frozen=True, kw_only=True, eq=False)
class IterState(BinaryState):
    """A round of training and labelling.

    Attributes
    ----------
    bias : float
        b, which is part of f.
    dual : ndarray of shape (n_samples,)
        Coefficients of the classifier.
    margins : ndarray of shape (n_samples,)
        y·f with the labels y that the classifier was trained on. Whoever is below zero flips; at the start,
        whose bias is not placed yet, it is on the wrong side.
    loss : float
        Σ L(y·f) with the labels of this state.
    loss_function : Loss
        L.
    norm : float
        ‖w‖².
    round : int
        0 is the start.
    origin : str
        Where the labels of the start are from.
    complete : bool
        False if libsvm was stopped before it had converged.
    judge : Judge
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
    judge: Judge

    @cached_property
    def svm_objective(self) -> float:
        """The SVM objective of [iterSVR] eq. 3 at these labels; trains an SVM when first asked for."""
        return self.judge.objective(self.labels)

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
        if self.labels.min() == self.labels.max():
            what += ", and all are in one cluster"
        stopped = "" if self.complete else " (the solver was stopped early)"
        return f"{what}, objective {self.objective:.4g}{stopped}"


class IterativeClusterer(BinaryClusterer):
    """The loop that the four methods share; each gives its machine and how its bias is placed."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BinaryClusterer._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "balance": [Interval(Real, 0, 1, closed="both")],
        "init": [StrOptions({"k-means", "normalized-cut", "random"}), "array-like"],
    }

    C: float
    balance: float
    max_iter: int

    @abstractmethod
    def _machine(self, K: Array, kernel: Kernel) -> Machine:
        """Make the machine that is trained in every round; it may overwrite `K`."""

    def _bound(self, n: int) -> int:
        """Give the largest |Σy| that is allowed."""
        return size_bound(self.balance, n)

    def _place(self, trained: Trained, problem: Problem) -> Placement:
        """Choose bias and labels for a trained classifier."""
        return place_bias(trained.values, problem.bound, problem.machine.loss)

    def _prepare(self, X: Array) -> Problem:
        bound = self._bound(len(X))
        require_memory(len(X))
        X = X.copy()  # the judge reads it later, when the caller's array may have changed
        kernel, K = self._gram(X)
        starts = self._draw_starts(X, K)
        return Problem(kernel, self._machine(K, kernel), bound, Judge(kernel, X, self.C), starts)

    def _draw_starts(self, X: Array, K: Array) -> list[Start]:
        """Draw the starts; equal ones are kept once, because from one start there is one way.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        K : ndarray of shape (n_samples, n_samples)
            The kernel, which "normalized-cut" reads as an affinity if it has no negative values.
        """
        if not isinstance(self.init, str):
            return [Start(checked_labels(self.init, len(X), 2), "given")]
        if self.init == "normalized-cut":
            return [Start(normalized_cut(self._affinity(X, K)), self.init)]
        if self.init == "k-means":
            self._require_points()
        rng = check_random_state(self.random_state)
        draw = random_halves if self.init == "random" else far_apart_k_means
        distinct: dict[bytes, Start] = {}
        for _ in range(self.n_init):
            labels = draw(X, rng)
            distinct.setdefault(in_order(labels).tobytes(), Start(labels, self.init))
        return list(distinct.values())

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
        self.kernel_ = problem.kernel
        return len(problem.starts), (self._rounds(problem, start) for start in problem.starts)

    def _rounds(self, problem: Problem, start: Start) -> Iterator[IterState]:
        machine, labels = problem.machine, start.labels
        trained = machine.train(signs(labels))
        yield self._state(problem, trained, Placement(trained.bias, labels), labels, 0, start.origin)
        for round_ in count(1):
            placed = self._place(trained, problem)
            state = self._state(problem, trained, placed, labels, round_, start.origin)
            yield state
            if state.converged:
                return
            labels = placed.labels
            trained = machine.train(signs(labels))

    def _state(
        self, problem: Problem, trained: Trained, placed: Placement, before: Labels, round_: int, origin: str
    ) -> IterState:
        f = trained.values + placed.bias
        moved = np.flatnonzero(placed.labels != before)
        loss = float(problem.machine.loss(signs(placed.labels) * f).sum())
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

    def _model(self, state: IterState) -> tuple[Array, float]:
        return state.dual, state.bias
