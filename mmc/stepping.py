"""States, steps and the one loop that every algorithm runs in.

An algorithm is a generator of frozen states. `walk` numbers them, decides when a start has ended and
goes on to the next start. Fitting exhausts the steps, the app draws them, closing them is cancelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Status = Literal["running", "converged", "max_iter"]


@dataclass(frozen=True, kw_only=True, eq=False)
class State:
    """What an algorithm knows after one step; arrays belong to the state and never change.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
    objective : float
        What the algorithm minimises, at these labels.
    converged : bool
        Whether the algorithm has nothing left to do from this start.
    progress : float
        Share of this start's work that is done, as far as it can be known, between 0 and 1.
    n_done : int or None
        Iterations behind this state, where a step is a group of them; None where each step is one.
    n_empty : int
        Clusters that were lost on the way, where that is a failure: of two ends the one that lost fewer wins.
    """

    labels: NDArray[np.int64]
    objective: float
    converged: bool = False
    progress: float = 0.0
    n_done: int | None = None
    n_empty: int = 0

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        return f"objective {self.objective:.6g}"

    @property
    def changed(self) -> NDArray[np.int64]:
        """Indices of the points that this step is about; empty where there are none."""
        return np.empty(0, dtype=np.int64)

    @property
    def ringed(self) -> NDArray[np.float64] | None:
        """Where a picture draws rings, as points of the data; None means around the points in `changed`."""
        return None

    @property
    def warning(self) -> str:
        """What a person must know who takes these labels; empty where there is nothing."""
        return ""

    @property
    def rings(self) -> str:
        """What is said of the rings in a picture."""
        return "Rings mark the points that the step moved."

    def confidence(self) -> NDArray[np.float64] | None:
        """How sure the model is of each label, from 0 to 1, or None where it cannot say."""
        return None


def _is_better(new: State, old: State | None) -> bool:
    """Whether a state lost fewer clusters, or its objective is lower by more than rounding.

    Among equals the first stays.
    """
    if old is None or new.n_empty != old.n_empty:
        return old is None or new.n_empty < old.n_empty
    return new.objective < old.objective - 1e-9 * max(1.0, abs(old.objective))


class Step(NamedTuple):
    """One step of a fit.

    Attributes
    ----------
    n_iter : int
        Number of the step within its start; 0 is the start itself.
    state : State
    status : {"running", "converged", "max_iter"}
        Whether this start goes on after this step.
    start : int
    n_starts : int
    best : bool
        Whether this step ends a start, and the best one so far.
    """

    n_iter: int
    state: State
    status: Status
    start: int = 0
    n_starts: int = 1
    best: bool = False

    @property
    def iterations(self) -> int:
        """Iterations within the start: its steps, or what the state says where a step is a group."""
        return self.n_iter if self.state.n_done is None else self.state.n_done

    @property
    def progress(self) -> float:
        """Share of the whole fit that is done, between 0 and 1."""
        done = 1.0 if self.status != "running" else self.state.progress
        return (self.start + done) / self.n_starts


def walk(starts: Iterable[Iterable[State]], n_starts: int, max_iter: int | None = None) -> Iterator[Step]:
    """Walk through the states of each start until it has converged or made `max_iter` iterations.

    Parameters
    ----------
    starts : iterable of iterables of State
    n_starts : int
    max_iter : int or None

    Yields
    ------
    Step
    """
    best: State | None = None
    for start, states in enumerate(starts):
        for n_iter, state in enumerate(states):
            step = Step(n_iter, state, "running", start, n_starts)
            if state.converged:
                step = step._replace(status="converged")
            elif max_iter is not None and step.iterations >= max_iter:
                step = step._replace(status="max_iter")
            if step.status != "running" and _is_better(state, best):
                best = state
                step = step._replace(best=True)
            yield step
            if step.status != "running":
                break
