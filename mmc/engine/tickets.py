"""What a pool of workers takes and gives: batches of tasks, tickets that cancel them, and events."""

from __future__ import annotations

import pickle
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from time import monotonic
from typing import Any, NamedTuple, Protocol

import cloudpickle

from mmc.engine.worker import unpacked_error

#: Seconds that a task has to end by itself after it was asked to.
GRACE = 0.35


@dataclass(frozen=True)
class Part:
    """A partial result of a task; None if the task begins again because its worker was lost.

    Attributes
    ----------
    index : int
        Index of the task.
    value : object
        What the task reported.
    """

    index: int
    value: Any


@dataclass(frozen=True)
class End:
    """The end of a task.

    Attributes
    ----------
    index : int
        Index of the task.
    value : object
        Return value of the function; None if there is none.
    error : Exception or None
        Error of the function, or a `LimitError` if the task was ended from outside.
    """

    index: int
    value: Any = None
    error: Exception | None = None


Event = Part | End


class Limits(NamedTuple):
    """Limits of each task.

    Attributes
    ----------
    seconds : float
        Time of a task; it then ends with what it has.
    memory : int or None
        Bytes that a task may take beyond what its worker has; None means no limit.
    """

    seconds: float = float("inf")
    memory: int | None = None


#: Numbers of the batches of this process.
_numbers = count()

#: No limits.
UNLIMITED = Limits()


class Ticket:
    """The place of some work in the line, by which it can be cancelled from any thread.

    Parameters
    ----------
    owner : str
        User to whom the work belongs; users take turns.
    limits : Limits
        Limits of each task.
    urgent : bool
        Whether the tasks are short and somebody waits for them; they are the next to begin.

    Attributes
    ----------
    cancelled : threading.Event
        Whether the work was cancelled.
    began : float or None
        Time at which the first task began, by `time.monotonic`; None if none has.
    """

    def __init__(self, owner: str = "", limits: Limits = UNLIMITED, urgent: bool = False) -> None:
        self.owner = owner
        self.limits = limits
        self.urgent = urgent
        self.cancelled = threading.Event()
        self.began: float | None = None
        self._on_cancel: list[Callable[[], None]] = []
        self._batch: Batch | None = None

    @property
    def place(self) -> int:
        """Number of users who have their turn before this work begins; 0 if it has begun."""
        return self._batch.place if self._batch else 0

    def cancel(self) -> None:
        """End the work: tasks that wait are dropped, those that run are asked to return what they have."""
        self.cancelled.set()
        for end in list(self._on_cancel):
            end()

    def add(self, batch: Batch) -> None:
        """Take in a batch, whose place is that of the work from now on."""
        self._batch = batch
        self.on_cancel(batch.close)

    def on_cancel(self, end: Callable[[], None]) -> None:
        """Call a function when the work is cancelled, at once if it is already."""
        self._on_cancel.append(end)
        if self.cancelled.is_set():
            end()


@dataclass(eq=False)
class Task:
    """A task in the line or in a worker."""

    index: int
    content: bytes
    batch: Batch
    attempts: int = 0
    cause: str = ""
    deadline: float = float("inf")

    def stop(self, cause: str) -> None:
        """Note why the task must end, and when its worker is ended if it does not."""
        self.cause = self.cause or cause
        self.deadline = monotonic() + GRACE


class Line(Protocol):
    """A line of tasks that wait for workers."""

    def place(self, batch: Batch) -> int:
        """Return how many users have their turn before the first task of a batch."""
        ...

    def cancel(self, batch: Batch) -> None:
        """Drop the tasks of a batch that wait, and ask those that run to end."""
        ...


class Batch(Iterator[Event]):
    """Tasks that were submitted together; iterate over it to receive their events as they arrive.

    Closing it cancels the tasks that have not ended; the iterator then ends with what these still return.
    """

    def __init__(self, line: Line, ticket: Ticket, shared: Any, n_tasks: int, n_jobs: int) -> None:
        self.ticket = ticket
        # The content of a file may wait for long in a long line, so it is not copied.
        self.shared = shared if isinstance(shared, bytes) else cloudpickle.dumps(shared)
        self.is_raw = isinstance(shared, bytes)
        self.number = next(_numbers)
        self.n_jobs = n_jobs
        self.n_running = 0
        self.n_unfinished = n_tasks
        self.begun = False
        self._line = line
        self._left = n_tasks
        self._events: queue.SimpleQueue[tuple[str, int, Any]] = queue.SimpleQueue()

    def __next__(self) -> Event:
        if not self._left:
            raise StopIteration
        what, index, content = self._events.get()
        if what == "part":
            return Part(index, None if content is None else pickle.loads(content))
        self._left -= 1
        if what == "done":
            return End(index, pickle.loads(content))
        return End(index, error=unpacked_error(content) if what == "failed" else content)

    @property
    def place(self) -> int:
        """Number of users who have their turn before the first task begins; 0 if it has begun."""
        return 0 if self.begun else self._line.place(self)

    def put(self, what: str, index: int, content: Any) -> None:
        """Receive an event."""
        self._events.put((what, index, content))

    def close(self) -> None:
        """Cancel the tasks that have not ended."""
        self._line.cancel(self)
