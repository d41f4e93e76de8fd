"""States, steps and the one loop that every algorithm runs in.

An algorithm is a generator of frozen states. `walk` numbers them, decides when a start has ended and
goes on to the next start. Fitting exhausts the steps, the app draws them, closing them is cancelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Status = Literal["running", "converged", "max_iter"]


class CurvePoint(NamedTuple):
    """The values of a state on a curve that a picture draws over the steps, on an axis of its own.

    Attributes
    ----------
    title : str
        Title of the axis; empty stands for the name of the algorithm's objective.
    values : mapping from str to float
        One value for each line, by its name; a single line needs no name.
    log : bool
        Whether the axis is logarithmic.
    level : float or None
        The value that the line is to reach, drawn as a dashed line.
    """

    title: str
    values: Mapping[str, float]
    log: bool = False
    level: float | None = None


class Field(NamedTuple):
    """One number for each training point, by which a picture can colour the points.

    Attributes
    ----------
    name : str
    unit : str
        Title of the colour scale.
    values : ndarray of shape (n_samples,)
    """

    name: str
    unit: str
    values: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class State:
    """The result of one step, with everything that can be drawn of it.

    Arrays belong to the state and never change. Pictures and pages know this class alone: whatever an
    algorithm wants to have drawn, its states tell by overriding the properties below.

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
    moved : ndarray
        Indices of the points whose label differs from the previous state's.
    margins : ndarray of shape (n_samples,) or None
        The margin y·f of each point, with the labels that the classifier was trained on.
    loss_function : callable or None
        The loss of a margin, where there are margins.
    """

    labels: NDArray[np.int64]
    objective: float
    converged: bool = False
    progress: float = 0.0
    n_done: int | None = None
    n_empty: int = 0
    moved: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    margins: NDArray[np.float64] | None = None
    loss_function: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        return f"objective {self.objective:.6g}"

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code, in the registry entry, that this step carries out."""
        return ""

    @property
    def curves(self) -> tuple[CurvePoint, ...]:
        """Values that are drawn over the steps; a curve without a single number is left out."""
        return (CurvePoint("", {"": self.objective}),)

    @property
    def position(self) -> int | None:
        """Place on the axis of the curves; None means the number of the step."""
        return None

    @property
    def position_title(self) -> str:
        """Title of the axis of the curves."""
        return "step"

    @property
    def margin_lead(self) -> float:
        """Lead of a decision value over the next one at which the margin ends; 0 where none is drawn."""
        return 0.0

    @property
    def weights(self) -> tuple[tuple[str, float], ...]:
        """Names and weights of the kernels, where the algorithm weighs several."""
        return ()

    @property
    def fields(self) -> tuple[Field, ...]:
        """Quantities by which a picture can colour the points."""
        return ()

    @property
    def changed(self) -> NDArray[np.int64]:
        """Indices of the points that this step is about: by default those that it moved."""
        return self.moved

    @property
    def n_changed(self) -> int:
        """Number of the points that this step is about."""
        return len(self.changed)

    @property
    def ringed(self) -> NDArray[np.float64] | None:
        """Places of the rings in a picture, as points of the data; None rings the points in `changed`."""
        return None

    @property
    def rings(self) -> str:
        """Meaning of the rings in a picture, in a sentence."""
        return "Rings mark the points that the step moved."

    @property
    def warning(self) -> str:
        """What a person who takes these labels must know; empty where there is nothing."""
        return ""

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
