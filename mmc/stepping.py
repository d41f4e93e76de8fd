"""States, steps, and the loop that runs every algorithm.

An algorithm is a generator of frozen states. `walk` numbers the states, decides when a start has ended and
continues with the next one. A fit runs the loop to its end, the app draws each step, and closing the iterator
cancels the fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Status = Literal["running", "converged", "max_iter"]


class CurvePoint(NamedTuple):
    """Values of a state on one curve that is drawn over the steps.

    Attributes
    ----------
    title : str
        Title of the axis; if empty, the name of the algorithm's objective.
    values : mapping from str to float
        Value of each line by its name, which may be empty if there is one line.
    log : bool
        Whether the axis is logarithmic.
    level : float or None
        Value that the line should reach, drawn as a dashed line.
    """

    title: str
    values: Mapping[str, float]
    log: bool = False
    level: float | None = None


class Field(NamedTuple):
    """A quantity with one number for each training point, by which a figure can colour the points.

    Attributes
    ----------
    name : str
        Name of the quantity.
    unit : str
        Title of the colour scale.
    values : ndarray of shape (n_samples,)
        Value at each point.
    """

    name: str
    unit: str
    values: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class State:
    """The result of one step, and what can be drawn of it.

    The arrays belong to the state and never change. Figures and pages know only this class; the states of an
    algorithm override the properties below.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Cluster of each point.
    objective : float
        Value that the algorithm minimises, at these labels.
    converged : bool
        Whether the search from this start has ended.
    progress : float
        Estimated share of this start's work that is done, between 0 and 1.
    n_done : int or None
        Number of iterations up to this state if a step is a group of them; None if each step is one.
    n_empty : int
        Clusters that were lost on the way, where that is a failure: of two ends the one that lost fewer wins.
    moved : ndarray
        Indices of the points whose label differs from the previous state's.
    margins : ndarray of shape (n_samples,) or None
        Margin y·f of each point, with the labels that the classifier was trained on.
    loss_function : callable or None
        Loss as a function of the margin, if there are margins.
    lost : str
        Warning of a start that ended with fewer clusters than were asked for; empty if it has them all.
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
    lost: str = ""

    @property
    def caption(self) -> str:
        """One sentence that describes this step."""
        return f"objective {self.objective:.6g}"

    @property
    def line(self) -> str:
        """Name of the line of pseudo-code that this step executes; empty if there is none."""
        return ""

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """Symbol or name and value, as text, of each number that belongs to this step; may be empty."""
        return ()

    @property
    def remark(self) -> str:
        """A sentence where the step looks wrong but is meant so; empty if there is nothing to say."""
        return ""

    @property
    def criterion(self) -> float:
        """Value by which the ends of starts are compared, lower being better: by default the objective."""
        return self.objective

    @property
    def curves(self) -> tuple[CurvePoint, ...]:
        """Values that are drawn over the steps; a curve without any number is left out."""
        return (CurvePoint("", {"": self.objective}),)

    @property
    def position(self) -> int | None:
        """Position on the horizontal axis of the curves; None means the number of the step."""
        return None

    @property
    def position_title(self) -> str:
        """Title of the horizontal axis of the curves."""
        return "step"

    @property
    def margin_lead(self) -> float:
        """Lead of the highest decision value over the next at the end of the margin; 0 draws no margin."""
        return 0.0

    @property
    def weights(self) -> tuple[tuple[str, float], ...]:
        """Name and weight of each kernel, if the algorithm weighs several."""
        return ()

    @property
    def weight_power(self) -> float:
        """Power of the weights at which they add up to one."""
        return 2.0

    @property
    def fields(self) -> tuple[Field, ...]:
        """Quantities by which a figure can colour the points."""
        return ()

    @property
    def changed(self) -> NDArray[np.int64]:
        """Indices of the points that this step is about: by default those that it moved."""
        return self.moved

    @property
    def n_changed(self) -> int:
        """Number of points that this step concerns."""
        return len(self.changed)

    @property
    def ringed(self) -> NDArray[np.float64] | None:
        """Positions of the rings in a figure, as points of the data; None means the points in `changed`."""
        return None

    @property
    def rings(self) -> str:
        """A sentence that says what the rings in a figure mean."""
        return "Rings mark the points that the step moved."

    @property
    def warning(self) -> str:
        """What a user of these labels must know; empty if there is nothing."""
        return self.lost

    def confidence(self) -> NDArray[np.float64] | None:
        """Return how certain the model is of each label, from 0 to 1, or None if it has no such measure."""
        return None


@dataclass(frozen=True, kw_only=True, eq=False)
class OneCluster(State):
    """All points in one cluster, which takes no search.

    Attributes
    ----------
    reason : str
        Why there is one cluster, as a sentence.
    """

    reason: str

    @classmethod
    def of(cls, n: int, reason: str) -> OneCluster:
        """Return the state of `n` points."""
        labels = np.zeros(n, dtype=np.int64)
        return cls(labels=labels, objective=0.0, converged=True, progress=1.0, reason=reason)

    @property
    def caption(self) -> str:
        """One sentence that describes this step."""
        return self.reason


def _is_better(new: State, old: State | None) -> bool:
    """Return whether a state lost fewer clusters, or its criterion is lower by more than rounding.

    Of two equal states the old one stays.
    """
    if old is None or new.n_empty != old.n_empty:
        return old is None or new.n_empty < old.n_empty
    return new.criterion < old.criterion - 1e-9 * max(1.0, abs(old.criterion))


class Step(NamedTuple):
    """One step of a fit.

    Attributes
    ----------
    n_iter : int
        Number of the step within its start; 0 is the start itself.
    state : State
        Result of the step.
    status : {"running", "converged", "max_iter"}
        Whether this start continues, or why it ends here.
    start : int
        Index of the start.
    n_starts : int
        Number of starts.
    best : bool
        Whether this step is the end of the best start so far.
    """

    n_iter: int
    state: State
    status: Status
    start: int = 0
    n_starts: int = 1
    best: bool = False

    @property
    def iterations(self) -> int:
        """Iterations within the start; they differ from `n_iter` if a step is a group of them."""
        return self.n_iter if self.state.n_done is None else self.state.n_done

    @property
    def progress(self) -> float:
        """Share of the whole fit that is done, between 0 and 1."""
        done = 1.0 if self.status != "running" else self.state.progress
        return (self.start + done) / self.n_starts


def walk(starts: Iterable[Iterable[State]], n_starts: int, max_iter: int | None = None) -> Iterator[Step]:
    """Iterate over the states of each start until it has converged or made `max_iter` iterations.

    Parameters
    ----------
    starts : iterable of iterables of State
        States of each start.
    n_starts : int
        Number of starts.
    max_iter : int or None, default=None
        Maximum number of iterations of a start; None means no maximum.

    Yields
    ------
    Step
        Each state with its number and status.
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
