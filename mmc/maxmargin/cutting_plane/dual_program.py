"""The convex problem of each cut: a cone program with one variable for each constraint.

The paper's cone program, [MKC] eqs. 2.14 and 4.35, has a weight for every feature of every kernel. Its dual
has one variable for each constraint in the working set Ω, whatever n and the features are. With a column a_p
for each constraint and G_k[p, q] = ⟨a_p, K_k a_q⟩ it is

    maximise  sᵀλ − cost ‖ν‖₁ − ½ ‖(yᵀG_k y)_k‖₂   over  λ ≥ 0,  Σλ ≤ C,  A (λ, ν) = 0

where y = (λ, ν) without the variables that have no column, and ν are the multipliers of the balance.

Symbols
-------
========  ==================================================================================
paper     here
========  ==================================================================================
Ω         the first `len(s)` columns of `grams`
λ         `Solution.weights`
ν         `Solution.shifts`
s_p       `s[p]`: the share of the points that constraint p marks
β         `q / ‖q‖`, where q_k = yᵀG_k y is `Solution.energies[k]`
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
    """

    weights: Array
    shifts: Array
    energies: Array


def solve_dual(grams: Array, s: Array, C: float, *, sizes: Array, cost: float, ties: Array) -> Solution:
    """Maximise the dual.

    This takes a few tens of iterations of M (|Ω| + n_shifts)³ operations.

    Parameters
    ----------
    grams : ndarray of shape (n_kernels, m, m)
        G_k of the columns of the cuts, followed by those of the shifts if these have columns. Shifts without
        columns appear only in the cost.
    s : ndarray of shape (n_cuts,)
        Share of the points that each constraint marks.
    C : float
        Cost of the mean loss.
    sizes : ndarray of shape (n_kernels,)
        Mean diagonals of the kernels, which set the scale of rounding errors.
    cost : float
        Cost of |ν| for each shift.
    ties : ndarray of shape (n_cuts + n_shifts,)
        A, the equation A (λ, ν) = 0.

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
    x = _clarabel(factors, s, C / unit, cost, ties, unit)
    weights = np.clip(x[:P], 0.0, None)
    weights *= min(1.0, C / unit / max(weights.sum(), 1e-300)) * unit
    shifts = unit * x[P : len(ties)]
    y = np.concatenate([weights, shifts])[: grams.shape[1]]
    return Solution(weights, shifts, np.array([np.square(y @ L).sum() for L in factors]))


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


def _clarabel(factors: list[Array], s: Array, C: float, cost: float, ties: Array, unit: float) -> Array:
    """Solve over x = (λ, ν, w, u, t) with w ≥ |ν|, u_k ≥ q_k and t ≥ ‖u‖₂, all in units of `unit`."""
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
    norm = np.zeros((M + 1, width))
    norm[0, at_t] = -1.0
    norm[1:, at_u : at_u + M] = -np.eye(M)
    add(norm, np.zeros(M + 1), clarabel.SecondOrderConeT(M + 1))
    for k, L in enumerate(factors):
        # ‖Lᵀy‖² ≤ u as ‖(2 Lᵀy, u − 1)‖ ≤ u + 1, [MKC] eq. 2.15; y and u are scaled to match.
        m, r = L.shape
        block = np.zeros((r + 2, width))
        block[[0, 1], at_u + k] = -1.0
        block[2:, :m] = -2.0 * np.sqrt(unit) * L.T
        add(block, np.concatenate([[1.0, -1.0], np.zeros(r)]), clarabel.SecondOrderConeT(r + 2))
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
            return np.asarray(solved.x)
    raise SolverError(
        f"Clarabel gave up on the problem of {P} cuts: {solved.status}. Scale the columns of the table, "
        "choose a smaller C, or turn normalisation of the kernels on.",
        str(solved.status),
    )
