"""Errors that users of several algorithms may want to catch."""

from __future__ import annotations


class SolverError(ValueError):
    """Error of a convex program that was not solved.

    Parameters
    ----------
    message : str
        Text with the solver, its status and a remedy.
    status : str, default=""
        Status that the solver reported.
    """

    def __init__(self, message: str, status: str = "") -> None:
        super().__init__(message)
        self.status = status


class LimitError(ValueError):
    """Error of a task that was ended from outside: cancelled, out of time or memory, or its process lost."""


class ClusterLostError(ValueError):
    """Error of a fit whose Dask cluster was lost; with a file for it, the fit can go on from there."""
