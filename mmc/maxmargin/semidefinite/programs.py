"""The semidefinite programs of [iterSVR] eqs. 6 and 7 as cvxpy models, and their solution in steps.

`mmc.maxmargin.semidefinite` describes the programs, their symbols and the costs. cvxpy is imported only when
a program is built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc._optional import needed
from mmc._threads import one_thread
from mmc.errors import SolverError

Array = NDArray[np.float64]

#: Ridge that is added to K before it is inverted, as a share of the mean diagonal.
RIDGE = 1e-4

#: Iterations of SCS in the first step, and at most in a step. SCS adapts its scale only within longer runs.
_FIRST_RUN, _LONGEST_RUN = 25, 200


class Program(NamedTuple):
    """A semidefinite program as a cvxpy model.

    Attributes
    ----------
    problem : cvxpy.Problem
    matrix : callable
        Returns M of the solved model.
    dense : bool
        Whether the constraints are dense, which decides how SCS solves its linear systems.
    """

    problem: Any
    matrix: Callable[[], Array]
    dense: bool


class Iterate(NamedTuple):
    """A point that a solver has reached.

    Attributes
    ----------
    matrix : ndarray of shape (n, n)
        M.
    value : float
        Value of the program's objective.
    residual : float
        Largest residual of SCS.
    n_done : int
        Number of iterations so far.
    solved : bool
        Whether this is the solution.
    """

    matrix: Array
    value: float
    residual: float
    n_done: int
    solved: bool


def mmc_program(K: Array, C: float, l: float, target: float = 0.0) -> Program:  # noqa: E741, the paper's ℓ
    """Build [iterSVR] eq. 6, for a sum Σy within ℓ of a target.

    (Me)_i stands for y_i Σy, whose absolute value is at most |target| + ℓ, and eᵀMe for (Σy)², which is at
    least (|target| − ℓ)² if that difference is positive. With a target of 0 they are the paper's constraints.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Kernel matrix.
    C : float
        Cost of an error.
    l : float
        ℓ, the largest |Σy − target|.
    target : float, default=0.0

    Returns
    -------
    Program
    """
    cp = needed("cvxpy", "convex")

    n = len(K)
    e = np.ones(n)
    M = cp.Variable((n, n), PSD=True)
    delta = cp.Variable((1, 1))
    mu, nu = cp.Variable((n, 1), nonneg=True), cp.Variable((n, 1), nonneg=True)
    c = e[:, None] + mu - nu
    constraints = [
        cp.bmat([[cp.multiply(M, K), c], [c.T, delta - 2.0 * C * cp.sum(nu)]]) >> 0,
        cp.diag(M) == e,
        M @ e <= abs(target) + l,
        M @ e >= -abs(target) - l,
    ]
    if abs(target) > l:
        constraints.append(cp.sum(M) >= (abs(target) - l) ** 2)
    return Program(
        cp.Problem(cp.Minimize(cp.sum(delta)), constraints), lambda: np.asarray(M.value), dense=False
    )


def gmmc_program(K: Array, C: float) -> Program:
    """Build [iterSVR] eq. 7, with C for C_e, a ridge of `RIDGE` and the constraint in other coordinates.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Kernel matrix.
    C : float
        Cost of an error.

    Returns
    -------
    Program

    Raises
    ------
    ValueError
        If the kernel is zero.
    SolverError
        If its inverse cannot be computed.
    """
    cp = needed("cvxpy", "convex")

    n = len(K)
    if not np.trace(K) > 0:
        raise ValueError(
            "The kernel is zero at every point, so that nothing can be parted. Check the columns."
        )
    e, e0 = np.ones(n), np.append(np.ones(n), 0.0)
    P = np.column_stack([np.eye(n), e])
    A = P.T @ np.linalg.solve(K + RIDGE * np.trace(K) / n * np.eye(n), P) + C * np.outer(e0, e0)
    A = (A + A.T) / 2.0
    try:
        T = np.linalg.inv(np.linalg.cholesky(A)).T  # TᵀAT = I; a congruence keeps definiteness
    except np.linalg.LinAlgError as error:
        raise SolverError(
            f"The kernel of these points cannot be inverted beside C={C:g} ({error}). Choose a smaller C or "
            "another width, or rescale the columns.",
            "singular",
        ) from error
    gamma = cp.Variable(n)
    slack = A - cp.diag(cp.hstack([gamma, 0.0]))
    constraints = [T.T @ slack @ T >> 0, gamma >= 0, gamma <= C]

    def matrix() -> Array:
        return np.asarray(T @ constraints[0].dual_value @ T.T)[:n, :n]

    return Program(cp.Problem(cp.Maximize(cp.sum(gamma)), constraints), matrix, dense=True)


def positive_part(K: Array) -> Array:
    """Return a symmetric matrix without its negative eigenvalues."""
    values, vectors = np.linalg.eigh(K)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def solve(program: Program, solver: str, tol: float, time_limit: float) -> Iterator[Iterate]:
    """Solve a program, and report intermediate points.

    Parameters
    ----------
    program : Program
    solver : {"SCS", "CLARABEL"}
    tol : float
        Absolute and relative accuracy.
    time_limit : float
        Seconds of solving; the time between the iterates does not count.

    Yields
    ------
    Iterate
        The last one is the solution.

    Raises
    ------
    SolverError
        If the program is not solved.
    """
    return (_by_scs if solver == "SCS" else _by_clarabel)(program, tol, time_limit)


def _by_clarabel(program: Program, tol: float, time_limit: float) -> Iterator[Iterate]:
    cp = needed("cvxpy", "convex")

    settings = {"time_limit": time_limit, **dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), tol)}
    data, chain, inverse = program.problem.get_problem_data(cp.CLARABEL, solver_opts=settings)
    result = chain.solve_via_data(program.problem, data, solver_opts=settings)
    solution = chain.invert(result, inverse)
    if solution.status != cp.OPTIMAL:
        raise _failure("Clarabel", solution.status, time_limit)
    program.problem.unpack(solution)
    yield Iterate(program.matrix(), float(program.problem.value), 0.0, result.iterations, True)


def _by_scs(program: Program, tol: float, time_limit: float) -> Iterator[Iterate]:
    scs = needed("scs", "convex")

    began = perf_counter()
    data, chain, inverse = program.problem.get_problem_data("SCS")
    cone = {"z": data["dims"].zero, "l": data["dims"].nonneg, "s": data["dims"].psd}
    settings: dict[str, Any] = {"eps_abs": tol, "eps_rel": tol, "verbose": False}
    if program.dense:
        settings["linear_solver"] = "cpu_dense"  # a sparse factor of a dense matrix takes ten times longer
    start: dict[str, Array] = {}
    spent, n_done, run = perf_counter() - began, 0, _FIRST_RUN
    while True:
        began = perf_counter()
        if spent >= time_limit:
            raise _failure("SCS", "time limit reached", time_limit)
        settings |= {"max_iters": run, "time_limit_secs": time_limit - spent}
        with one_thread():
            result = _scs(data, cone, settings).solve(**start)
        info = result["info"]
        solved = info["status_val"] == scs.SOLVED
        n_done += info["iter"]
        spent += perf_counter() - began
        if info["status_val"] in (scs.SOLVED, scs.SOLVED_INACCURATE):
            if spent >= time_limit and not solved:
                raise _failure("SCS", "time limit reached", time_limit)
            program.problem.unpack(chain.invert(result, inverse))
            residual = max(info["res_pri"], info["res_dual"], abs(info["gap"]))
            yield Iterate(program.matrix(), float(program.problem.value), residual, n_done, solved)
            if solved:
                return
            start = {name: result[name] for name in ("x", "y", "s")}
            settings["scale"] = info["scale"]
        elif info["status_val"] not in (scs.INFEASIBLE_INACCURATE, scs.UNBOUNDED_INACCURATE):
            raise _failure("SCS", info["status"], time_limit)  # short runs often guess the other two
        run = min(2 * run, _LONGEST_RUN)


def _scs(data: dict[str, Any], cone: dict[str, Any], settings: dict[str, Any]) -> Any:
    """Set SCS up; where it was built without a factor for dense matrices it takes the one for sparse ones."""
    scs = needed("scs", "convex")

    try:
        return scs.SCS(data, cone, **settings)
    except ImportError:
        del settings["linear_solver"]
        return scs.SCS(data, cone, **settings)


def _failure(solver: str, status: str, time_limit: float) -> SolverError:
    other = 'another kernel width or solver="CLARABEL"' if solver == "SCS" else 'solver="SCS"'
    return SolverError(
        f"{solver} did not solve the program within time_limit={time_limit:g} seconds ({status}). Raise "
        f"time_limit, loosen tol, or take fewer points, {other}.",
        status,
    )
