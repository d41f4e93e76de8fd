"""One start of the cutting-plane method: the sequence of cuts, and the CCCP between them.

`mmc.maxmargin.cutting_plane` describes the problem, its symbols and the costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mmc.maxmargin.cutting_plane.constraints import Cut, Sides, lead
from mmc.maxmargin.cutting_plane.feature_set import FeatureSet
from mmc.maxmargin.cutting_plane.features import FeatureMember
from mmc.maxmargin.cutting_plane.kernel_list import Member
from mmc.maxmargin.cutting_plane.kernel_set import KernelSet
from mmc.maxmargin.cutting_plane.working_set import Fit, WorkingSet
from mmc.stepping import CurvePoint, State

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Largest number of problems of one CCCP; with many clusters its objective may rise.
_MAX_CCCP = 50

#: Number of cuts without a better solution after which the labels of the best one are fixed, and the number
#: of cuts before which they never are.
_PATIENCE, _MIN_CUTS = 40, 100

#: Share of ε at which a solution with an empty cluster ends although its labels are held: a cluster of few
#: points adds less than ε to the mean loss.
_STRICT = 0.01


@dataclass(frozen=True, kw_only=True, eq=False)
class CutState(State):
    """The solution on a working set, and the constraint that it violates most.

    Attributes
    ----------
    f : ndarray of shape (n_samples,) or (n_samples, n_clusters)
        f(x) for two clusters, whose sign is the label; otherwise f_p(x), the largest of which gives the
        label. Before the first cut f is zero, and the labels are those of the start.
    slack : float
        ξ of the solution on Ω.
    violation : float
        ξ that all constraints together would need: the mean loss of the points, [MKC] eq. 2.11. If a cluster
        is empty although the labels are held, it is the mean loss of the held labels.
    held : bool
        Whether the labels at which the constraints are linearised are held, so that the problem is convex.
    marked : ndarray
        Points that the most violated constraint marks, c_i = 1: those within the margin.
    n_cuts : int
        |Ω|.
    n_cccp : int
        Number of convex problems that were solved on Ω.
    lower : float
        Objective on Ω alone, ½ Σ‖v_k‖²/β_k + Cξ.
    beta : ndarray of shape (n_kernels,)
        Weights of the kernels.
    kernels : tuple of str
        Titles of the kernels.
    coef : ndarray of shape (n_samples,) or (n_samples, n_clusters)
        Coefficients of the points, the same for every kernel: f = Σ_k β_k K_k coef + bias. If features stand
        for the kernels, those of the features of all kernels in turn: f = Σ_k Φ_k coef_k + bias.
    bias : float
        Mean of f for two clusters; 0 for many.
    epsilon : float
        The gap at which the method ends.
    previous : float
        Objective of the previous state; NaN at the start.
    beta_norm : float
        p of ‖β‖_p = 1.
    """

    f: Array
    slack: float
    violation: float
    marked: Labels
    n_cuts: int
    n_cccp: int
    lower: float
    beta: Array
    kernels: tuple[str, ...]
    coef: Array
    bias: float
    epsilon: float
    held: bool = False
    previous: float = np.nan
    beta_norm: float = 2.0

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        if self.n_cuts == 0:
            return "start"
        if self.held:
            return "held"
        return "lost" if self.n_empty else "cut"

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """ξ on Ω, what all constraints need, the violation beside ε, and the objectives with either."""
        loss = (("mean loss", f"{self.violation:.4g}"), ("violation", f"{self.gap:.4g}"))
        first = (("|Ω|", str(self.n_cuts)), ("points marked", str(len(self.marked))))
        if self.n_cuts == 0:
            return (*first, ("ξ", "0"), *loss, ("ε", f"{self.epsilon:g}"))
        beta = (("β", ", ".join(f"{b:.2f}" for b in self.beta)),) if len(self.beta) > 1 else ()
        return (
            *first,
            ("ξ", f"{self.slack:.4g}"),
            *loss,
            ("ε", f"{self.epsilon:g}"),
            ("problems solved", str(self.n_cccp)),
            *beta,
            ("objective on Ω", f"{self.lower:.5g}"),
            ("objective", f"{self.objective:.5g}"),
        )

    @property
    def remark(self) -> str:
        """Why a cluster may be empty, labels held, or the objective far above that on Ω."""
        if self.n_cuts and self.n_empty and not self.held and not self.converged:
            return (
                "A cluster lost all its points, and no constraint can give it any back: the labels return to "
                "those that had all clusters, and the next cuts hold them."
            )
        if self.held:
            return "The labels are held on purpose: with fixed labels the problem is convex and surely ends."
        if self.objective > self.previous:
            return (
                "That the objective rises is no mistake: only that on Ω is made as low as possible, and Ω "
                "does not hold all constraints yet."
            )
        return ""

    @property
    def curves(self) -> tuple[CurvePoint, ...]:
        """The gap, and the objective with all constraints and with those in the working set."""
        lower = self.lower if self.n_cuts else np.nan
        return (
            # A logarithmic axis has no place for a gap that has closed.
            CurvePoint("gap", {"": max(self.gap, self.epsilon / 10)}, log=True, level=self.epsilon),
            CurvePoint("", {"all constraints": self.objective, "those in Ω": lower}, log=True),
        )

    @property
    def position(self) -> int:
        """The number of cuts."""
        return self.n_cuts

    @property
    def position_title(self) -> str:
        """Title of the axis of the curves."""
        return "cuts |Ω|"

    @property
    def margin_lead(self) -> float:
        """Lead at which the margin ends: two clusters have the decision values −f and f, many f_p itself."""
        return 2.0 if self.f.ndim == 1 else 1.0

    @property
    def weights(self) -> tuple[tuple[str, float], ...]:
        """The kernels with their weights β."""
        return tuple(zip(self.kernels, map(float, self.beta), strict=True))

    @property
    def weight_power(self) -> float:
        """Power of the weights at which they add up to one, p of ‖β‖_p."""
        return self.beta_norm

    @property
    def gap(self) -> float:
        """Amount by which the newest constraint is violated."""
        return self.violation - self.slack

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        if self.n_cuts == 0:
            return "start: no constraint yet, so every point is within the margin"
        empty = ""
        if self.n_empty:
            empty = f"; {self.n_empty} cluster{'s are' if self.n_empty > 1 else ' is'} empty"
            if not (self.held or self.converged):
                empty += ", so the labels return to those that had all and are held"
        n = len(self.marked)
        what = f"{n} point{'' if n == 1 else 's'} within the margin, gap {self.gap:.2g}"
        end = ", done" if self.converged else ""
        return f"{self.n_cuts} cut{'s' if self.n_cuts > 1 else ''}: {what}{empty}{end}"

    @property
    def changed(self) -> Labels:
        """Points that the newest constraint marks."""
        return self.marked

    @property
    def rings(self) -> str:
        """What is said of the points in `changed`, which a picture rings."""
        return (
            "Rings mark the points within the margin (dotted): the newest constraint is about them. Below: "
            "by how much it is violated, and the objective with all constraints, and (dashed) with those so "
            "far."
        )

    def confidence(self) -> Array:
        """Return the distance of each point to the border as a share of the margin, at most 1."""
        return np.clip(lead(self.f), 0.0, 1.0)


def cutting_planes(
    members: Sequence[Member] | Sequence[FeatureMember],
    sides: Sides,
    labels: Labels,
    *,
    C: float,
    balance: float,
    epsilon: float,
    tol: float,
    target: float = 0.0,
    beta_norm: float = 2.0,
) -> Iterator[CutState]:
    """Add the most violated constraint and solve again until none is violated by more than ε.

    These are [MKC] Algorithms 1 and 3. Their bound on the number of cuts (Lemma 3.2) supposes that every
    problem on Ω is solved globally. The CCCP finds local solutions, and on points without clusters it can
    relabel them after every cut so that all earlier constraints hold without effort, and never end. Therefore
    the labels are fixed at those of the best solution so far when, after `_MIN_CUTS` cuts, `_PATIENCE` in a
    row have not lowered its objective by a share of more than `tol`. What remains is one step of the CCCP
    from this solution: a convex problem, for which the bound holds, and whose solution is at most C ε worse
    than the best one.

    A cluster that has lost its points never gets any back, because no constraint asks for them. With many
    clusters and few cuts this happens easily. When a solution leaves a cluster empty, the labels return to
    those of the start and are held until no constraint is violated by more than ε. Then the CCCP goes on. If
    a cluster is empty once more, the labels return to those at which the CCCP went on, and stay.

    Parameters
    ----------
    members : sequence of Member or of FeatureMember
        Kernels with their matrices, or with features.
    sides : Sides
    labels : ndarray of shape (n,)
        The start: the labels z at which the first constraint is linearised.
    C, balance, epsilon, tol, beta_norm : float
        Parameters of `CPMMC` and `MKC`.
    target : float, default=0.0
        Mean of f to aim at, for two clusters.

    Yields
    ------
    CutState
        The first one belongs to the empty working set, v = 0.
    """
    n, m, M = len(labels), sides.n_blocks, len(members)
    titles = tuple(member.title for member in members)
    progress, previous = 0.0, np.nan

    def state(
        fit: Fit, cut: Cut, found: Labels, before: Labels, *, n_cccp: int, held: bool, known: bool
    ) -> CutState:
        nonlocal progress, previous
        f = fit.f if m > 1 else fit.f[:, 0]
        n_cuts, n_empty = len(working.cuts), max(m, 2) - len(np.unique(found))
        margins = sides.margins(fit.f, working.labels) if held and n_empty else lead(f)
        violation = float(np.clip(1.0 - margins, 0.0, None).mean())
        gap = violation - fit.slack
        done = np.log(max(gap, epsilon)) / np.log(epsilon)  # from a gap of one to ε
        progress = max(progress, float(min(done, 0.99)))
        may_end = n_cuts > 0 and (held or not n_empty)
        before_it, previous = previous, fit.norm + C * violation
        return CutState(
            labels=found,
            objective=previous,
            previous=before_it,
            converged=may_end and (known or gap <= epsilon * (_STRICT if n_empty else 1.0)),
            progress=progress,
            n_empty=n_empty,
            f=f,
            slack=fit.slack,
            violation=violation,
            marked=cut.marked,
            n_cuts=n_cuts,
            n_cccp=n_cccp,
            lower=fit.norm + C * fit.slack,
            beta=fit.beta,
            kernels=titles,
            coef=fit.coef if m > 1 else fit.coef[:, 0],
            bias=fit.bias,
            moved=np.flatnonzero(found != before),
            epsilon=epsilon,
            held=held,
            beta_norm=beta_norm,
        )

    working = _working_set(members, sides, labels)
    solve = partial(working.solve, C, balance, target=target, beta_norm=beta_norm)
    no_coef = np.zeros((working.n_coefficients, m))
    nothing = Fit(np.zeros((n, m)), no_coef, 0.0, np.full(M, M ** (-1.0 / beta_norm)), 0.0, 0.0)
    cut = sides.first(labels, members)
    yield state(nothing, cut, labels, labels, n_cccp=0, held=False, known=False)
    best, best_at, best_labels = np.inf, 0, labels
    complete, held, for_good = labels, False, False
    while True:
        before = working.labels
        working.add(cut)
        fit, n_cccp = (solve(), 1) if held else _cccp(working, solve, C, tol)
        found = sides.labels(fit.f)
        cut = sides.cut(fit.f, working.labels if held else found)
        # With many clusters the CCCP need not converge, and a constraint that Ω already holds has no effect.
        known = any(np.array_equal(cut.rivals, old.rivals) for old in working.cuts)
        reached = state(fit, cut, found, before, n_cccp=n_cccp, held=held, known=known)
        solved = held and reached.converged and not reached.n_empty
        if solved and not for_good and not np.array_equal(found, working.labels):  # the CCCP goes on
            held, for_good, complete = False, True, found
            cut, reached = sides.cut(fit.f, found), replace(reached, converged=False)
        yield reached
        if held:
            continue
        if reached.n_empty:
            held = True
            working.relabel(complete)
            cut = sides.cut(fit.f, complete)
            continue
        n_cuts = len(working.cuts)
        if reached.objective < best:
            best_at = n_cuts if reached.objective < (1.0 - tol) * best else best_at
            best, best_labels = reached.objective, found
        if n_cuts >= _MIN_CUTS and n_cuts - best_at >= _PATIENCE:
            held = for_good = True
        working.relabel(best_labels if held else found)


def _working_set(
    members: Sequence[Member] | Sequence[FeatureMember], sides: Sides, labels: Labels
) -> WorkingSet:
    matrices = [member for member in members if isinstance(member, Member)]
    if matrices:
        return KernelSet(matrices, sides, labels)
    return FeatureSet([member for member in members if isinstance(member, FeatureMember)], sides, labels)


def _cccp(working: WorkingSet, solve: Callable[[], Fit], C: float, tol: float) -> tuple[Fit, int]:
    """Solve, relabel and linearise there, [MKC] Algorithms 2 and 4, until the objective hardly changes.

    With many clusters the labels may repeat in a cycle, which also ends the loop.
    """
    last, n_solved = np.inf, 0
    seen = {working.labels.tobytes()}
    while True:
        fit = solve()
        n_solved += 1
        value = fit.norm + C * fit.slack
        labels = working.sides.labels(fit.f)
        if labels.tobytes() in seen or abs(last - value) <= tol * value or n_solved == _MAX_CCCP:
            return fit, n_solved
        seen.add(labels.tobytes())
        last = value
        working.relabel(labels)
