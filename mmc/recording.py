"""Recordings of fits, for figures and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from mmc import _drawing, clusterers
from mmc._html import table_html
from mmc.errors import SolverError
from mmc.hints import NO_HINTS, Given
from mmc.stepping import State, Step

if TYPE_CHECKING:
    from mmc.notebook import Animation

#: Maximum number of states that are kept; more frames make an animation no clearer.
MAX_FRAMES = 150

#: Memory in bytes of the states that are kept, by which fewer frames of very many points are.
MAX_BYTES = 48 * 2**20

#: Number of frames that are kept whatever their size: the first and the last.
_MIN_FRAMES = 2

#: Memory in bytes from which a recording that is sent has frames in place of states.
_HEAVY = 16 * 2**20

#: What pages show of a state besides its labels and its objective.
_SHOWN = (
    "caption",
    "line",
    "numbers",
    "remark",
    "curves",
    "position",
    "position_title",
    "margin_lead",
    "weights",
    "changed",
    "ringed",
    "rings",
    "warning",
)


class End(NamedTuple):
    """The end of a start.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Final labels.
    objective : float
        Final value of what the algorithm minimises.
    n_empty : int
        Number of lost clusters, where that is a failure.
    """

    labels: NDArray[np.int64]
    objective: float
    n_empty: int = 0


@dataclass(frozen=True, eq=False)
class Recording:
    """A fit and the states of its best start.

    Attributes
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Fitted estimator.
    states : tuple of State
        States of the best start, evenly spread: at most `MAX_FRAMES`, and fewer if these would take too much
        memory. The first and the last are always among them.
    start : int
        Index of the best start.
    ends : tuple of End
        End of each start, in order.
    seconds : float
        Time of the whole fit with all its starts.
    complete : bool
        Whether the fit reached its end.
    failure : str
        Message of a solver that gave up after the first step; empty if none did.
    """

    estimator: BaseEstimator
    states: tuple[State, ...]
    start: int
    ends: tuple[End, ...]
    seconds: float
    complete: bool
    failure: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, including those of the estimator; a shared array counts once."""
        return _nbytes((self.estimator, self.states, self.ends), set())

    def light(self, quantities: Sequence[str] = ()) -> Recording:
        """Return the recording for a page on which its borders are drawn already.

        If it takes much memory, all states but the last become frames, which have no model.

        Parameters
        ----------
        quantities : sequence of str
            Further attributes of the states that the page shows.

        Returns
        -------
        Recording
        """
        if self.nbytes <= _HEAVY:
            return self
        frames = [Frame.of(state, quantities) for state in self.states[:-1]]
        return replace(self, states=(*frames, self.end))

    def within(self, max_bytes: int) -> Recording:
        """Return the recording with fewer states, evenly spread, if they take too much memory.

        Parameters
        ----------
        max_bytes : int
            Memory of the states that are kept, unless the first and the last take more.

        Returns
        -------
        Recording
        """
        spread = _Spread(max_bytes)
        for state in self.states:
            spread.add(state)
        return replace(self, states=spread.thinned())

    @property
    def end(self) -> State:
        """The final state of the best start."""
        return self.states[-1]

    @property
    def labels(self) -> NDArray[np.int64]:
        """The final labels of the best start."""
        return self.end.labels

    def animate(
        self,
        X: ArrayLike,
        *,
        columns: tuple[int | str, int | str] | None = None,
        plotlyjs: bool | str = True,
    ) -> Animation:
        """Return the fit with a player, for a notebook or a page.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points of the fit.
        columns : pair of int or str, default=None
            Two columns that are shown, by their places or their names.
        plotlyjs : bool or str, default=True
            Whether Plotly's script is part of the page, or from where it is loaded; see
            `mmc.notebook.animate`.

        Returns
        -------
        mmc.notebook.Animation

        Raises
        ------
        ValueError
            If these are not the points of the fit.
        """
        return _drawing.animate(self, X, columns=columns, plotlyjs=plotlyjs)

    def __repr__(self) -> str:
        """Return the facts in a line; the arrays of all states would fill pages."""
        return f"<Recording of {self._facts()}>"

    def _repr_html_(self) -> str:
        rows = [
            {
                "start": i,
                "objective": end.objective,
                "clusters": len(np.unique(end.labels[end.labels >= 0])),
                "": "the best" if i == self.start else "",
            }
            for i, end in enumerate(self.ends)
        ]
        problem = self.failure or self.end.warning
        return table_html(rows, f"Recording of {self._facts()}. {problem}".strip())

    def _facts(self) -> str:
        name = " ".join(repr(self.estimator).split())
        ended = "" if self.complete else ", stopped before its end"
        return f"{name}: {len(self.labels):,} points, {len(self.states)} states, {self.seconds:.2g} s{ended}"


def _shown(name: str) -> Any:
    return property(lambda frame: frame.shown[name])


@dataclass(frozen=True, kw_only=True, eq=False)
class Frame(State):
    """What a page shows of a state: labels in few bytes, and the numbers and texts beside them.

    Attributes
    ----------
    shown : mapping from str to object
        Further attributes of the state.
    """

    shown: Mapping[str, Any]

    @classmethod
    def of(cls, state: State, quantities: Sequence[str] = ()) -> Frame:
        """Return the frame of a state.

        Parameters
        ----------
        state : State
            State to show.
        quantities : sequence of str
            Further attributes to show.

        Returns
        -------
        Frame
        """
        return cls(
            labels=state.labels.astype(np.min_scalar_type(-int(state.labels.max()) - 1)),
            objective=state.objective,
            n_empty=state.n_empty,
            margins=state.margins,
            loss_function=state.loss_function,
            shown={name: getattr(state, name) for name in (*_SHOWN, *quantities)},
        )

    def __getattr__(self, name: str) -> Any:
        shown = self.__dict__.get("shown", {})
        if name not in shown:
            raise AttributeError(f"{name} is not shown of this state")
        return shown[name]

    caption = _shown("caption")
    line = _shown("line")
    numbers = _shown("numbers")
    remark = _shown("remark")
    curves = _shown("curves")
    position = _shown("position")
    position_title = _shown("position_title")
    margin_lead = _shown("margin_lead")
    weights = _shown("weights")
    changed = _shown("changed")
    ringed = _shown("ringed")
    rings = _shown("rings")
    warning = _shown("warning")


def within_time(estimator: BaseEstimator, seconds: float) -> BaseEstimator:
    """Limit the time of a solver that cannot be stopped between steps.

    Parameters
    ----------
    estimator : estimator
        Estimator to change, if it has a parameter `time_limit`.
    seconds : float
        Upper bound for `time_limit`.

    Returns
    -------
    estimator
        The same estimator.
    """
    if "time_limit" in estimator.get_params():
        estimator.set_params(time_limit=min(estimator.get_params()["time_limit"], seconds))
    return estimator


def record(
    estimator: BaseEstimator,
    X: ArrayLike,
    *,
    go_on: Callable[[Step], bool] = lambda step: True,
    keep_states: bool = True,
    max_bytes: int = MAX_BYTES,
    hints: Given = NO_HINTS,
) -> Recording:
    """Fit an estimator and record the states of its best start.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Estimator to fit.
    X : array-like of shape (n_samples, n_features)
        Training points.
    go_on : callable
        Called with every step; if it returns False, the fit stops with the states so far.
    keep_states : bool, default=True
        Whether states of the best start are kept along its way, or only its last.
    max_bytes : int, default=50_331_648
        Memory of the states that are kept.
    hints : Given
        What is known of the clusters.

    Returns
    -------
    Recording
        It is incomplete if the fit was stopped, or if a solver gave up after the first step.

    Raises
    ------
    ValueError
        If the parameters or the points are not allowed, or a solver gives up before the first step.
    """
    began = perf_counter()
    recorder = Recorder(keep_states, max_bytes)
    complete, failure = True, ""
    steps = clusterers.steps(estimator, X, hints)
    try:
        for step in steps:
            recorder.add(step)
            if not go_on(step):
                complete = step.status != "running" and step.start == step.n_starts - 1
                steps.close()  # type: ignore[attr-defined]
                break
    except SolverError as error:
        if not recorder.has_begun:
            raise
        complete, failure = False, str(error)
    return recorder.recording(estimator, perf_counter() - began, complete, failure)


class Recorder:
    """The states of the best start, collected step by step.

    States are left out while they arrive, so that each start holds at most twice as many as are kept.

    Parameters
    ----------
    keep_states : bool, default=True
        Whether states of the best start are kept along its way, or only its last.
    max_bytes : int
        Memory of the states that are kept.
    """

    def __init__(self, keep_states: bool = True, max_bytes: int = MAX_BYTES) -> None:
        self._keep_states, self._max_bytes = keep_states, max_bytes
        self._best: tuple[int, tuple[State, ...]] = (0, ())
        self._current = _Spread(max_bytes)
        self._ends: list[End] = []

    @property
    def has_begun(self) -> bool:
        """Whether there is a state."""
        return bool(self._current.states)

    def add(self, step: Step) -> None:
        """Take in the next step."""
        if step.n_iter == 0 or not self._keep_states:
            self._current = _Spread(self._max_bytes)
        self._current.add(step.state)
        if step.status != "running":
            self._ends.append(End(step.state.labels, step.state.objective, step.state.n_empty))
        if step.best:
            self._best = (step.start, self._current.thinned())

    def recording(
        self, estimator: BaseEstimator, seconds: float, complete: bool, failure: str = ""
    ) -> Recording:
        """Return what has been collected; the current start counts if none has ended."""
        start, states = self._best if self._best[1] else (0, self._current.thinned())
        return Recording(estimator, states, start, tuple(self._ends), seconds, complete, failure)


class _Spread:
    """Every m-th state of a start and the last one, where m doubles whenever too many are held.

    Attributes
    ----------
    states : list of State
        The states that are held.
    """

    def __init__(self, max_bytes: int) -> None:
        self.states: list[State] = []
        self._max_bytes = max_bytes
        self._sizes: list[int] = []
        self._every, self._n = 1, 0

    def add(self, state: State) -> None:
        """Take in the next state."""
        if self._n and (self._n - 1) % self._every:
            del self.states[-1], self._sizes[-1]  # it was only the last so far
        self.states.append(state)
        self._sizes.append(_nbytes(state, set()))
        self._n += 1
        while len(self.states) > 2 * self._most:
            last = [] if (self._n - 1) % (2 * self._every) == 0 else [-1]
            held = [*range(0, len(self.states) - bool(last), 2), *last]
            self.states = [self.states[i] for i in held]
            self._sizes = [self._sizes[i] for i in held]
            self._every *= 2

    def thinned(self) -> tuple[State, ...]:
        """Return as many states as are kept, evenly spread."""
        if len(self.states) <= self._most:
            return tuple(self.states)
        keep = np.unique(np.linspace(0, len(self.states) - 1, self._most).round().astype(int))
        return tuple(self.states[i] for i in keep)

    @property
    def _most(self) -> int:
        """Number of frames that are kept, by the mean size of a state."""
        size = max(1, sum(self._sizes) // len(self._sizes))
        return int(np.clip(self._max_bytes // size, _MIN_FRAMES, MAX_FRAMES))


def _nbytes(value: Any, seen: set[int]) -> int:
    """Return the memory of the arrays that a value holds, in containers and attributes at any depth."""
    if value is None or isinstance(value, str | int | float | type):
        return 0
    while isinstance(value, np.ndarray) and isinstance(value.base, np.ndarray):
        value = value.base  # a view keeps the whole array
    if id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes
    held = value if isinstance(value, list | tuple | dict) else getattr(value, "__dict__", {})
    return sum(_nbytes(each, seen) for each in (held.values() if isinstance(held, dict) else held))
