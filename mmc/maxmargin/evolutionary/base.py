"""Base class of the methods of [EvoMMC]: populations, generations, and the states.

`mmc.maxmargin.evolutionary` describes the objective, its symbols and the costs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mmc._fast.evolution import evolve
from mmc._sklearn import StrOptions
from mmc.kernels.neighbors import Floats
from mmc.maxmargin.binary import (
    SIZES,
    Array,
    BinaryClusterer,
    BinaryState,
    Labels,
    Sizes,
    allowed_sizes,
    oriented,
)
from mmc.ranges import RANGES, real
from mmc.starts import draw_starts, k_means
from mmc.stepping import State

Signs = NDArray[np.int8]

#: With patience="auto" the search ends when every point has been tried about this often without success.
_TRIES = 50

#: Approximate number of steps in which the fittest labelling changes n labels.
_GROUPS = 60


class Ridge(NamedTuple):
    """The hat matrix of the ridge model.

    Attributes
    ----------
    A : ndarray of shape (n, n) or (n, r)
        R, or W with R = W Wᵀ; single precision for features of more than 5,000 points.
    dense : bool
        Whether `A` is R itself.
    fitted : dict
        Attributes that the estimator keeps, by name.
    """

    A: Floats
    dense: bool
    fitted: dict[str, Any]

    def values(self, products: Array) -> Array:
        """Return the values of the model at the training points from R y or Wᵀ y."""
        if self.dense:
            return products
        return np.asarray(self.A @ products.astype(self.A.dtype), dtype=np.float64)


class Problem(NamedTuple):
    """What stays fixed during the evolution: the ridge model, and the first labellings of the starts."""

    ridge: Ridge
    sizes: Sizes
    starts: list[Signs]
    origin: str
    seeds: list[int]


@dataclass(frozen=True, kw_only=True, eq=False)
class EvoState(BinaryState):
    """The fittest labelling after some generations.

    Attributes
    ----------
    generation : int
        Number of generations so far.
    n_flips : int
        Number of labels that a child flips in this generation, before the balance is corrected.
    n_better, n_kept : int
        Number of changes of the fittest labelling since the start, and of labels that these changes flipped.
    products : ndarray of shape (n_samples,) or (r,)
        R y, or Wᵀ y with R = W Wᵀ.
    previous : float
        Fitness of the previous state.
    origin : str
        Origin of the first labellings.
    """

    generation: int
    n_flips: int
    n_better: int
    n_kept: int
    products: Array
    previous: float
    origin: str

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        return "generation" if self.generation else "start"

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """The generation with its flips, and F before and after the step."""
        if self.generation == 0:
            return (("t", "0"), ("F", f"{self.objective:.5g}"))
        return (
            ("t", str(self.generation)),
            ("flips a child", str(self.n_flips)),
            ("labels changed", str(len(self.moved))),
            ("improvements so far", str(self.n_better)),
            ("F before", f"{self.previous:.5g}"),
            ("F after", f"{self.objective:.5g}"),
        )

    @property
    def remark(self) -> str:
        """Why many generations bring nothing."""
        if self.generation == 0 or len(self.moved):
            return ""
        return (
            "Generations without improvement are meant: flips are drawn at random, most of them make F worse "
            "and are dropped, and the search ends only when nothing better was found for long."
        )

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        if self.generation == 0:
            return f"start: the fittest of the {self.origin} labellings, F = {self.objective:.4g}"
        n = len(self.moved)
        points = f"{n} point{'' if n == 1 else 's'} changed" if n else "nothing better was found"
        change = f"F {self.previous:.4g} → {self.objective:.4g}" if n else f"F = {self.objective:.4g}"
        return f"generation {self.generation}: {points}, {change}"


class Population:
    """The current labellings, in the form that the compiled generations work on.

    Parameters
    ----------
    A : ndarray of shape (n, n) or (n, r)
        R, or W with R = W Wᵀ.
    dense : bool
        Whether `A` is R itself.
    first : ndarray of shape (μ, n), int8
        The first labellings, as −1 and +1.
    """

    def __init__(self, A: Floats, dense: bool, first: Signs) -> None:
        mu, n = first.shape
        self.Y = np.zeros((2 * mu, n), dtype=np.int8)
        self.P = np.zeros((2 * mu, A.shape[1]))
        self.F = np.zeros(2 * mu)
        self.Y[:mu] = first
        self.P[:mu] = first.astype(np.float64) @ A  # R is symmetric
        square = (self.P[:mu] * (first if dense else self.P[:mu])).sum(axis=1)
        self.F[:mu] = 1.0 - square / n
        self.alive = np.argsort(self.F[:mu], kind="stable")


def mend(y: Signs, bound: float, rng: np.random.RandomState, target: float = 0.0) -> None:
    """Flip as few random labels of one cluster as bring |Σy − target| within the bound, in place."""
    excess = int(y.sum(dtype=np.int64)) - target
    surplus = int(np.ceil((abs(excess) - bound) / 2))
    if surplus > 0:
        larger = np.flatnonzero(y == (1 if excess > 0 else -1))
        chosen = rng.choice(larger, surplus, replace=False)
        y[chosen] = -y[chosen]


def _coin_flips(X: Array, k: int, rng: np.random.RandomState) -> Labels:
    """Draw each label by itself."""
    return np.asarray(rng.randint(0, k, X.shape[0]), dtype=np.int64)


class EvolutionaryClusterer(BinaryClusterer):
    """Base class of the two methods."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BinaryClusterer._parameter_constraints,
        "alpha": [RANGES["alpha"]],
        "balance": [real(0, 1)],
        "cluster_sizes": SIZES,
        "n_parents": [RANGES["n_parents"]],
        "n_children": [RANGES["n_children"]],
        "patience": [RANGES["patience"], StrOptions({"auto"})],
        "init": [StrOptions({"random", "k-means"}), "array-like"],
    }

    alpha: float
    balance: float
    cluster_sizes: Sequence[float] | None
    n_parents: int
    n_children: int
    patience: int | str
    max_iter: int

    @abstractmethod
    def _ridge(self, X: Array, rng: np.random.RandomState) -> Ridge:
        """Compute the ridge model."""

    def _prepare(self, X: Array) -> Problem:
        sizes = allowed_sizes(self.balance, X.shape[0], self.cluster_sizes)
        rng = check_random_state(self.random_state)
        starts = [self._population(X, sizes, rng) for _ in range(self.n_init)]
        seeds = [int(rng.randint(2**31 - 1)) for _ in starts]
        origin = self.init if isinstance(self.init, str) else "given"
        return Problem(self._ridge(X, rng), sizes, starts, origin, seeds)

    def _population(self, X: Array, sizes: Sizes, rng: np.random.RandomState) -> Signs:
        """Draw μ labellings that keep the balance."""
        draws, has_points = {"random": _coin_flips, "k-means": k_means}, self.kernel != "precomputed"
        drawn = draw_starts(
            X, 2, self.init, draws, n_init=self.n_parents, random_state=rng, has_points=has_points
        )
        signs = np.empty((self.n_parents, X.shape[0]), dtype=np.int8)
        drawn = oriented(drawn, sizes.target)
        signs[:] = [2 * start.labels - 1 for start in drawn]  # given labels are those of every parent
        for y in signs:
            mend(y, sizes.bound, rng, sizes.target)
        return signs

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        for name, value in problem.ridge.fitted.items():
            setattr(self, name, value)
        starts = zip(problem.starts, problem.seeds, strict=True)
        return len(problem.starts), (self._generations(problem, first, seed) for first, seed in starts)

    def _generations(self, problem: Problem, first: Signs, seed: int) -> Iterator[EvoState]:
        (A, dense, _), n = problem.ridge, first.shape[1]
        population = Population(A, dense, first)
        rng = np.random.default_rng(seed)
        patience = self.patience
        if isinstance(patience, str):
            patience = max(1000, -(-_TRIES * n // self.n_children))
        generation = stale = n_better = n_kept = 0
        state = self._state(problem, population, None)
        yield state
        while True:
            pause = min(self.max_iter, generation + max(1000, generation // 8))
            generation, stale, better, kept = evolve(
                A,
                dense,
                population.Y,
                population.P,
                population.F,
                population.alive,
                problem.sizes.bound,
                self.n_children,
                generation,
                pause,
                patience,
                stale,
                max(1, n // _GROUPS),
                rng,
                problem.sizes.target,
            )
            n_better += better
            n_kept += kept
            state = self._state(
                problem,
                population,
                state,
                converged=stale >= patience,
                progress=float(np.log1p(generation) / np.log1p(self.max_iter)),
                generation=generation,
                n_better=n_better,
                n_kept=n_kept,
            )
            yield state

    def _state(
        self,
        problem: Problem,
        population: Population,
        before: EvoState | None,
        *,
        generation: int = 0,
        n_better: int = 0,
        n_kept: int = 0,
        **known: Any,
    ) -> EvoState:
        best = population.alive[0]
        labels = (population.Y[best] > 0).astype(np.int64)
        products = population.P[best].copy()
        is_even = problem.sizes.target == 0
        if is_even and before is not None and 2 * (labels != before.labels).sum() > len(labels):
            # A labelling with the two clusters exchanged took over; F is the same for both.
            labels, products = 1 - labels, -products
        return EvoState(
            labels=labels,
            objective=float(population.F[best]),
            n_done=generation,
            generation=generation,
            n_flips=max(1, len(labels) // (generation + 1)),
            n_better=n_better,
            n_kept=n_kept,
            moved=np.flatnonzero(labels != before.labels) if before else np.empty(0, dtype=np.int64),
            products=products,
            f=problem.ridge.values(products),
            previous=before.objective if before else float(population.F[best]),
            origin=problem.origin,
            **known,
        )
