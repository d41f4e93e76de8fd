"""Base class of MMC and GMMC: solving a semidefinite program in steps, rounding each step, and the states.

`mmc.maxmargin.semidefinite` describes the programs, their symbols and the costs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mmc._sklearn import StrOptions
from mmc.errors import SolverError
from mmc.kernels import Kernel, require_memory
from mmc.maxmargin.binary import SIZES, Array, BinaryClusterer, BinaryState, Labels, Sizes, allowed_sizes
from mmc.maxmargin.machines import SVMachine
from mmc.maxmargin.semidefinite.programs import Iterate, Program, positive_part, solve
from mmc.maxmargin.semidefinite.rounding import Rounded, round_matrix
from mmc.ranges import RANGES, real
from mmc.stepping import State

#: Number of random vectors that are rounded in each step before the program is solved.
_N_ON_THE_WAY = 20

#: Limit on steps of libsvm times points for one labelling, because hundreds of labellings are evaluated.
_EFFORT = 3e6

#: The mean diagonal of the kernel, or its inverse, must be below this; beyond it the solvers never end.
_SIZE = 1e8

#: A matrix whose largest eigenvalue is below this share of n is trivial; the diagonal should be about 1.
_NOTHING = 1e-3


class Problem(NamedTuple):
    """What stays fixed during the fit."""

    kernel: Kernel
    K: Array
    machine: SVMachine
    sizes: Sizes
    directions: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class SemidefiniteState(BinaryState):
    """A matrix in place of yyᵀ, and the labels that it is rounded to.

    Attributes
    ----------
    matrix : ndarray of shape (n_samples, n_samples)
        M, in single precision.
    spectrum : ndarray of shape (n_samples,)
        Eigenvalues of M in decreasing order; a single non-zero one means that M is yyᵀ.
    soft : ndarray of shape (n_samples,)
        The vector that is rounded to the labels.
    relaxation : float
        Value of the program; until it is solved, the value at a point near its constraints.
    dual : ndarray of shape (n_samples,)
        Coefficients of the SVM that is trained on these labels.
    bias : float
        Bias of this SVM.
    solver : str
        Name of the solver.
    previous : float
        Objective of the previous state; NaN at the start.
    """

    matrix: NDArray[np.float32]
    spectrum: Array
    soft: Array
    relaxation: float
    dual: Array
    bias: float
    solver: str
    previous: float = np.nan

    @property
    def share(self) -> float:
        """Share of the first eigenvalue in the sum of all; 1 means that M is yyᵀ."""
        return float(self.spectrum[0] / max(np.maximum(self.spectrum, 0.0).sum(), 1e-300))

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        return "solved" if self.converged else "solve"

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """How far the solver is, the value of the program, and the objective of the labels."""
        return (
            ("solver", self.solver),
            ("status", "solved" if self.converged else "still solving"),
            ("iterations", str(self.n_done)),
            ("value of the program", f"{self.relaxation:.5g}"),
            ("weight of the first eigenvalue", f"{self.share:.0%}"),
            ("SVM objective of the labels", f"{self.objective:.5g}"),
        )

    @property
    def remark(self) -> str:
        """Why the objective of the labels may rise on the way."""
        if not self.objective > self.previous:
            return ""
        return (
            "That the objective of the labels rises is no mistake: the solver improves the matrix M, and "
            "the labels are only what M would be rounded to now."
        )

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        done = "solved" if self.converged else "still solving"
        return (
            f"{self.solver} {done} after {self.n_done} iterations: the program's value is "
            f"{self.relaxation:.4g}, the first eigenvector carries {self.share:.0%} of the matrix, "
            f"and the labels have the objective {self.objective:.4g}"
        )


class SemidefiniteClusterer(BinaryClusterer):
    """Base class of MMC and GMMC."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: rule
            for name, rule in BinaryClusterer._parameter_constraints.items()
            if name not in ("n_init", "max_iter")
        },
        "C": [RANGES["C"]],
        "balance": [real(0, 1)],
        "cluster_sizes": SIZES,
        "n_draws": [RANGES["n_draws"]],
        "solver": [StrOptions({"SCS", "CLARABEL"})],
        "tol": [real(1e-12, 0.99)],
        "time_limit": [RANGES["time_limit"]],
        "max_samples": [RANGES["max_samples"]],
    }

    C: float
    balance: float
    n_draws: int
    solver: str
    tol: float
    time_limit: float
    max_samples: int

    #: Sizes of the clusters to aim at; the program of GMMC knows none.
    cluster_sizes: Sequence[float] | None = None

    #: How the cost grows, for the error message about too many points.
    _cost: ClassVar[str]

    @abstractmethod
    def _program(self, K: Array, sizes: Sizes) -> Program:
        """Return the program; `K` is positive semi-definite."""

    @abstractmethod
    def _n_arrays(self, n: int) -> int:
        """Return the memory that the solver needs, in n×n arrays."""

    def _prepare(self, X: Array) -> Problem:
        n = X.shape[0]
        if n > self.max_samples:
            name = type(self).__name__
            raise ValueError(
                f"n_samples={n} is more than max_samples={self.max_samples}: the semidefinite program of "
                f"{name} {self._cost}. Cluster a sample of at most {self.max_samples} points and assign the "
                f"others with predict, or raise max_samples if you have the time and the memory."
            )
        require_memory(n, self._n_arrays(n))
        sizes = allowed_sizes(self.balance, n, self.cluster_sizes)
        kernel, K = self._gram(X)
        size = float(np.abs(np.diagonal(K)).mean())
        if size > 0 and not 1.0 / _SIZE < size < _SIZE:
            raise ValueError(
                f"The values of the kernel are about {size:.3g}, with which the program cannot be solved. "
                "Standardise the columns, or use the 'rbf' kernel."
            )
        directions = check_random_state(self.random_state).standard_normal((self.n_draws, n))
        return Problem(kernel, K, SVMachine(K, self.C, _EFFORT), sizes, directions)

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self.kernel_ = problem.kernel
        return 1, [self._states(problem)]

    def _states(self, problem: Problem) -> Iterator[SemidefiniteState]:
        K = problem.K if problem.kernel.is_psd else positive_part(problem.K)
        target, bound = problem.sizes
        program = self._program(K, problem.sizes)
        before: Labels | None = None
        progress, first, previous = 0.0, 0.0, np.nan
        for iterate in solve(program, self.solver, self.tol, self.time_limit):
            directions = problem.directions if iterate.solved else problem.directions[:_N_ON_THE_WAY]
            rounded = round_matrix(iterate.matrix, problem.machine, bound, directions, target)
            if iterate.solved and rounded.spectrum[0] < _NOTHING * len(K):
                raise SolverError(
                    f"With C={self.C:g} the best solution of {type(self).__name__} is f = 0, which pays for "
                    f"every point and parts none. Raise C, take a smaller width, or see whether the points "
                    f"differ.",
                    "trivial",
                )
            # Residuals fall by about the same factor in every step, so their logarithm measures progress.
            way = max(float(np.log(max(iterate.residual, 1e-300) / self.tol)), 0.0)
            first = first or way
            progress = max(progress, min(0.99, 1.0 - way / first) if first else 0.0)
            moved = np.arange(0) if before is None else np.flatnonzero(rounded.labels != before)
            before = rounded.labels
            yield replace(self._state(iterate, rounded, moved, progress), previous=previous)
            previous = rounded.objective

    def _state(self, iterate: Iterate, rounded: Rounded, moved: Labels, progress: float) -> SemidefiniteState:
        return SemidefiniteState(
            labels=rounded.labels,
            objective=rounded.objective,
            converged=iterate.solved,
            progress=1.0 if iterate.solved else progress,
            n_done=iterate.n_done,
            f=rounded.trained.values + rounded.trained.bias,
            moved=moved,
            matrix=iterate.matrix.astype(np.float32),
            spectrum=rounded.spectrum,
            soft=rounded.soft,
            relaxation=iterate.value,
            dual=rounded.trained.dual,
            bias=rounded.trained.bias,
            solver=self.solver,
        )

    def _model(self, state: SemidefiniteState) -> tuple[Array, float]:
        return state.dual, state.bias
