"""The convex problem of each cut: a cone program with one variable for each constraint.

The paper's cone program, [MKC] eqs. 2.14 and 4.35, has a weight for every feature of every kernel. Its dual
has one variable for each constraint in the working set Ω, whatever n and the features are. With a column a_p
for each constraint and G_k[p, q] = ⟨a_p, K_k a_q⟩ it is

    maximise  sᵀλ − cost ‖ν‖₁ − ½ ‖(yᵀG_k y)_k‖_r   over  λ ≥ 0,  Σλ ≤ C,  A (λ, ν) = 0

where y = (λ, ν) without the variables that have no column, and ν are the multipliers of the balance. The norm
is dual to that of the weights, ‖β‖_p ≤ 1 with 1/p + 1/r = 1, because ½ Σ_k β_k q_k is at most ½ ‖q‖_r. The
paper takes p = r = 2, a second-order cone, and p = 1 makes r = ∞, a bound on each q_k. For all other p the
problem with fixed β, which has one kernel Σ β_k G_k, is solved by turns with β_k ∝ ‖v_k‖^(2/(p+1)), the best
weights for fixed v_k = β_k Σ λ_p Φ_kᵀa_p. The objective ½ Σ‖v_k‖²/β_k + Cξ falls with each turn, and half of
‖q‖_r − βᵀq bounds its distance from the minimum: a few turns for p = 4 and more, thirty for 1.5, a hundred
for 1.1. (Power cones would need no turns, but Clarabel does not always solve them.)

Symbols
-------
========  ==================================================================================
paper     here
========  ==================================================================================
Ω         the first `len(s)` columns of `grams`
λ         `Solution.weights`
ν         `Solution.shifts`
s_p       `s[p]`: the share of the points that constraint p marks
β         `(q / ‖q‖_r)^(r−1)`, where q_k = yᵀG_k y is `Solution.energies[k]`; p = 1: multipliers
p         `beta_norm`
========  ==================================================================================

The interior-point solver Clarabel, which comes with cvxpy, is called without a modelling layer, because
building the arrays takes less time than updating the numbers of a compiled cvxpy problem (``python -m
benchmarks.mkc --speed``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from mmc._optional import needed
from mmc.errors import SolverError

Array = NDArray[np.float64]

#: Eigenvalues of a Gram matrix below this share of the kernel's mean diagonal are rounding errors.
_RANK = 1e-13

#: A kernel is refused if its Gram matrix has an eigenvalue below minus this share of the largest.
_INDEFINITE = 1e-7

#: Tolerances that are tried in turn; the solver rarely needs a later one.
_TOLERANCES = (1e-9, 1e-8, 1e-6)


#: Where weights and margin are found by turns: by how large a share the objective may be above the minimum,
#: and the largest number of turns.
_TURN_GAP, _MOST_TURNS = 5e-8, 1000


class Solution(NamedTuple):
    """The maximum of the dual.

    Attributes
    ----------
    weights : ndarray of shape (n_cuts,)
        λ.
    shifts : ndarray of shape (n_shifts,)
        ν.
    energies : ndarray of shape (n_kernels,)
        q_k = yᵀG_k y = ‖v_k‖²/β_k².
    beta : ndarray of shape (n_kernels,)
        β, the weights of the kernels.
    norm : float
        ‖q‖_r = Σ_k ‖v_k‖²/β_k.
    """

    weights: Array
    shifts: Array
    energies: Array
    beta: Array
    norm: float


def solve_dual(
    grams: Array, s: Array, C: float, *, sizes: Array, cost: float, ties: Array, beta_norm: float = 2.0
) -> Solution:
    """Maximise the dual.

    This takes a few tens of iterations of M (|Ω| + n_shifts)³ operations, with a `beta_norm` other than 1 and
    2 in each of several turns.

    Parameters
    ----------
    grams : ndarray of shape (n_kernels, m, m)
        G_k of the columns of the cuts, followed by those of the shifts if these have columns. Shifts without
        columns appear only in the cost.
    s : ndarray of shape (n_cuts,)
        Share of the points that each constraint marks, less what the target of the balance gives it.
    C : float
        Cost of the mean loss.
    sizes : ndarray of shape (n_kernels,)
        Mean diagonals of the kernels, which set the scale of rounding errors.
    cost : float
        Cost of |ν| for each shift.
    ties : ndarray of shape (n_cuts + n_shifts,)
        A, the equation A (λ, ν) = 0.
    beta_norm : float, default=2.0
        p of ‖β‖_p ≤ 1: 1, or at least 1.1.

    Returns
    -------
    Solution

    Raises
    ------
    SolverError
        If Clarabel does not solve the problem.
    ValueError
        If a kernel is not positive semi-definite.
    """
    P = len(s)
    factors = [_factor(G, size) for G, size in zip(grams, sizes, strict=True)]
    # In these units the largest multiplier is about 1 for every C and every scale of the kernels.
    size = np.sqrt((np.diagonal(grams, axis1=1, axis2=2)[:, :P] ** 2).sum(axis=0))
    usable = (size > 0) & (s > 0)
    unit = float(np.min(s[usable] / size[usable], initial=C))

    def solution(program: list[Array], p: float) -> Solution:
        x, multipliers = _clarabel(program, s, C / unit, cost, ties, unit, p)
        weights = np.clip(x[:P], 0.0, None)
        weights *= min(1.0, C / unit / max(weights.sum(), 1e-300)) * unit
        shifts = unit * x[P : len(ties)]
        y = np.concatenate([weights, shifts])[: grams.shape[1]]
        energies = np.array([np.square(y @ L).sum() for L in factors])
        return Solution(weights, shifts, energies, *_weights(energies, multipliers, beta_norm))

    if beta_norm in (1, 2):
        return solution(factors, beta_norm)
    beta = np.full(len(factors), len(factors) ** (-1.0 / beta_norm))
    for _ in range(_MOST_TURNS):
        found = solution([np.hstack([np.sqrt(b) * L for b, L in zip(beta, factors, strict=True)])], 2)
        if found.norm - beta @ found.energies <= _TURN_GAP * (s @ found.weights):
            return found._replace(beta=beta)
        beta = (beta**2 * found.energies) ** (1.0 / (beta_norm + 1.0))
        beta /= np.linalg.norm(beta, beta_norm)
    raise SolverError(
        f"The weights of the kernels did not settle with beta_norm={beta_norm:g}. Choose 1 or a larger one.",
        "turns",
    )


def _weights(q: Array, multipliers: Array, p: float) -> tuple[Array, float]:
    """Return β, which maximises Σ β_k q_k over ‖β‖_p ≤ 1, and this maximum ‖q‖_r."""
    norm = float(np.linalg.norm(q, _dual(p)))
    if norm == 0:
        return np.full(len(q), len(q) ** (-1.0 / p)), norm
    if p == 1:  # where several q_k are largest, only their multipliers say how much each kernel counts
        beta = np.clip(multipliers, 0.0, None)
        return beta / beta.sum(), norm
    return (q / norm) ** (1.0 / (p - 1.0)), norm


def _dual(p: float) -> float:
    """Return r with 1/p + 1/r = 1."""
    return p / (p - 1.0) if p > 1 else np.inf


def require_psd(values: Array, largest: float) -> None:
    """Refuse a kernel whose matrix has an eigenvalue that is negative beyond rounding.

    Parameters
    ----------
    values : ndarray
        Eigenvalues.
    largest : float
        The largest of them, or what sets the scale of rounding errors.

    Raises
    ------
    ValueError
        If the kernel is not positive semi-definite.
    """
    if values.min(initial=0.0) < -_INDEFINITE * largest:
        raise ValueError(
            "A kernel is not positive semi-definite, so that it measures no margin: its matrix has a "
            "negative eigenvalue. Use another kernel, or add a constant to the diagonal."
        )


def _factor(G: Array, size: float) -> Array:
    """Return L with L Lᵀ = G."""
    values, vectors = linalg.eigh(G)
    largest = max(size, float(np.abs(values).max(initial=0.0)))
    require_psd(values, largest)
    keep = values > _RANK * largest
    return vectors[:, keep] * np.sqrt(values[keep])


def _clarabel(
    factors: list[Array], s: Array, C: float, cost: float, ties: Array, unit: float, p: float
) -> tuple[Array, Array]:
    """Solve over x = (λ, ν, w, u, t) with w ≥ |ν|, u_k ≥ q_k and t ≥ ‖u‖_r, p 1 or 2, all in units of `unit`.

    Returns x, and the multipliers of u_k ≤ t for p = 1.
    """
    clarabel = needed("clarabel", "convex")

    P, M, S = len(s), len(factors), len(ties) - len(s)
    at_w, at_u, at_t = P + S, P + 2 * S, P + 2 * S + M
    width = at_t + 1
    rows: list[Array] = []
    offsets: list[Array] = []
    cones: list[object] = []

    def add(block: Array, offset: Array, cone: object) -> None:
        """Constrain offset − block x to a cone."""
        rows.append(block)
        offsets.append(offset)
        cones.append(cone)

    if S:
        tie = np.zeros((1, width))
        tie[0, : P + S] = ties
        add(tie, np.zeros(1), clarabel.ZeroConeT(1))
    bounds = np.zeros((P + 1 + 2 * S, width))
    bounds[:P, :P] = -np.eye(P)
    bounds[P, :P] = 1.0
    for sign, first in ((1.0, P + 1), (-1.0, P + 1 + S)):
        bounds[first : first + S, P : P + S] = sign * np.eye(S)
        bounds[first : first + S, at_w : at_w + S] = -np.eye(S)
    limits = np.zeros(len(bounds))
    limits[P] = C
    add(bounds, limits, clarabel.NonnegativeConeT(len(bounds)))
    at_norm = sum(len(block) for block in rows)
    if p == 2:
        norm = np.zeros((M + 1, width))
        norm[0, at_t] = -1.0
        norm[1:, at_u : at_u + M] = -np.eye(M)
        add(norm, np.zeros(M + 1), clarabel.SecondOrderConeT(M + 1))
    else:
        norm = np.zeros((M, width))
        norm[:, at_u : at_u + M], norm[:, at_t] = np.eye(M), -1.0
        add(norm, np.zeros(M), clarabel.NonnegativeConeT(M))
    for k, L in enumerate(factors):
        # ‖Lᵀy‖² ≤ u as ‖(2 Lᵀy, u − 1)‖ ≤ u + 1, [MKC] eq. 2.15; y and u are scaled to match.
        m, rank = L.shape
        block = np.zeros((rank + 2, width))
        block[[0, 1], at_u + k] = -1.0
        block[2:, :m] = -2.0 * np.sqrt(unit) * L.T
        add(block, np.concatenate([[1.0, -1.0], np.zeros(rank)]), clarabel.SecondOrderConeT(rank + 2))
    q = np.zeros(width)
    q[:P], q[at_w : at_w + S], q[at_t] = -s, cost, 0.5
    A, b = sparse.csc_matrix(np.concatenate(rows)), np.concatenate(offsets)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    for tolerance in _TOLERANCES:
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        solver = clarabel.DefaultSolver(sparse.csc_matrix((width, width)), q, A, b, cones, settings)
        solved = solver.solve()
        if str(solved.status) == "Solved":
            return np.asarray(solved.x), np.asarray(solved.z)[at_norm : at_norm + M]
    raise SolverError(
        f"Clarabel gave up on the problem of {P} cuts: {solved.status}. Scale the columns of the table, "
        "choose a smaller C, or turn normalisation of the kernels on.",
        str(solved.status),
    )
