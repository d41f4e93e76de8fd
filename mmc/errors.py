"""Errors that a user of several algorithms may want to catch."""

from __future__ import annotations


class SolverError(ValueError):
    """A convex program was not solved.

    Parameters
    ----------
    message : str
        Names the solver, what it reported and what to do.
    status : str
        What the solver reported.
    """

    def __init__(self, message: str, status: str = "") -> None:
        super().__init__(message)
        self.status = status
