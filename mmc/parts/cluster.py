"""Parts on the workers of a Dask cluster.

Data that are kept are results of tasks, which the scheduler computes again from the source if their worker
is lost. Objects with a state are Dask actors: a call goes to their worker and not through the queue of tasks,
and takes some milliseconds. An actor that is lost is made again on another worker, where the last known state
and the commands since then bring it to where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from importlib import import_module
from typing import Any, NamedTuple

from mmc.errors import ClusterLostError
from mmc.parts.held import Command, Held, Parts

#: Number of times that a failed task is repeated, and a lost object is made anew for one command.
_RETRIES = 3

#: Seconds to wait for a word of the scheduler.
_PATIENCE = 10.0


def require_release(client: Any) -> None:
    """Refuse a cluster whose workers lack this library or have another release of it.

    Parameters
    ----------
    client : distributed.Client
        Connection to the scheduler.

    Raises
    ------
    ValueError
        If a worker cannot take part; the message names it.
    """
    here = _release()
    found = _guarded(client, lambda: client.run(_release, on_error="return"))
    for worker, there in found.items():
        if there != here:
            what = f"mmc {there}" if isinstance(there, str) else f"no mmc ({there})"
            raise ValueError(f"The worker {worker} has {what}, and this is mmc {here}: install the same one.")


def _release() -> str:
    return str(import_module("mmc").__version__)


class ClusterParts(Parts):
    """Parts on the workers of a cluster.

    Parameters
    ----------
    client : distributed.Client
        Connection to the scheduler.
    data : sequence of dask.delayed.Delayed or distributed.Future
        Data of each part.
    """

    def __init__(self, client: Any, data: Sequence[Any]) -> None:
        self._client = client
        self._data = list(data)

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self._data)

    def call(
        self, function: Callable[..., Any], *common: Any, each: Sequence[Any] | None = None
    ) -> list[Any]:
        """Call a function on every part; the results come here."""
        futures = self._computed(function, common, each)
        return list(_guarded(self._client, lambda: self._client.gather(futures)))

    def viewed(self, function: Callable[..., Any], *common: Any) -> ClusterParts:
        """Return parts that are computed whenever they are needed."""
        with self._client.as_current():
            return ClusterParts(self._client, self._delayed(function, common, None))

    def kept(self, function: Callable[..., Any], *common: Any) -> ClusterParts:
        """Return parts that are computed now and stay on their workers."""
        from distributed import wait

        futures = self._computed(function, common, None)
        _guarded(self._client, lambda: wait(futures))
        for future in futures:
            if future.status == "error":
                _guarded(self._client, future.result)
        return ClusterParts(self._client, futures)

    def chosen(self, places: Sequence[int]) -> ClusterParts:
        """Return some of the parts."""
        return ClusterParts(self._client, [self._data[p] for p in places])

    def hold(self, make: Callable[..., Any], *common: Any) -> ClusterHeld:
        """Make an object with a state at every part."""
        return ClusterHeld(self._client, self._data, make, common)

    def _delayed(
        self, function: Callable[..., Any], common: tuple[Any, ...], each: Sequence[Any] | None
    ) -> list[Any]:
        from dask.delayed import delayed

        shared = delayed(_Shared(common), pure=False)  # it is sent to each worker once
        called = delayed(_call, pure=False)
        own = [()] * self.n_parts if each is None else [(value,) for value in each]
        return [called(data, function, shared, *own[p]) for p, data in enumerate(self._data)]

    def _computed(
        self, function: Callable[..., Any], common: tuple[Any, ...], each: Sequence[Any] | None
    ) -> list[Any]:
        with self._client.as_current():  # futures among the arguments belong to it
            delayed = self._delayed(function, common, each)
            return list(_guarded(self._client, lambda: self._client.compute(delayed, retries=_RETRIES)))


class _Shared(NamedTuple):
    """Arguments that all parts get; a name hides them from Dask, which would look into a plain tuple."""

    common: tuple[Any, ...]


def _call(data: Any, function: Callable[..., Any], shared: _Shared, *own: Any) -> Any:
    return function(data, *shared[0], *own)


class Answer(NamedTuple):
    """What a method of an object has returned or raised."""

    value: Any = None
    error: Exception | None = None


class Holder:
    """An actor that holds the object of one part.

    Parameters
    ----------
    data : object
        Data of the part.
    make : callable
        Makes the object.
    common : tuple
        Further arguments of `make`.
    """

    def __init__(self, data: Any, make: Callable[..., Any], common: tuple[Any, ...]) -> None:
        self._object = make(data, *common)

    def run(self, name: str, arguments: tuple[Any, ...]) -> Answer:
        """Call a method; its error is told apart from a worker that is lost."""
        try:
            return Answer(getattr(self._object, name)(*arguments))
        except Exception as error:
            return Answer(error=error)

    def replay(self, state: Any, commands: list[tuple[str, tuple[Any, ...]]]) -> Answer:
        """Restore a state, repeat commands and return the answer of the last one."""
        if state is not None:
            self._object.restore(state)
        answer = Answer()
        for name, arguments in commands:
            answer = self.run(name, arguments)
        return answer


class ClusterHeld(Held):
    """Objects with a state on the workers of a cluster.

    Parameters
    ----------
    client : distributed.Client
        Connection to the scheduler.
    data : sequence of distributed.Future or dask.delayed.Delayed
        Data of each part.
    make : callable
        Makes an object from the data of a part.
    common : tuple
        Further arguments of `make`.
    """

    def __init__(
        self, client: Any, data: Sequence[Any], make: Callable[..., Any], common: tuple[Any, ...]
    ) -> None:
        self._client, self._data = client, list(data)
        self._make, self._common = make, common
        self._states: list[Any] = [None] * len(self._data)
        self._log: list[Command] = []
        self._actors: list[Any] = [None] * len(self._data)
        #: How many objects had to be made again.
        self.n_lost = 0
        futures = [self._submit(p) for p in range(len(self._data))]
        for p, future in enumerate(futures):
            self._actors[p] = _guarded(client, future.result)

    def call(
        self, name: str, *common: Any, each: Sequence[Any] | None = None, only: int | None = None
    ) -> list[Any]:
        """Call a method of the objects."""
        command = Command(name, common, each, only)
        self._log.append(command)
        places = [p for p in range(len(self._data)) if command.concerns(p)]
        with self._client.as_current():  # actors look for the client of the moment
            pending = {p: self._started(p, command) for p in places}
            answers = [self._answer(p, pending[p]) for p in places]
        for answer in answers:
            if answer.error is not None:
                raise answer.error
        return [answer.value for answer in answers]

    def remember(self, states: Sequence[Any]) -> None:
        """Forget the commands before these states."""
        self._states, self._log = list(states), []

    def close(self) -> None:
        """Let the objects go."""
        self._actors = []

    def _submit(self, part: int) -> Any:
        return self._client.submit(
            Holder, self._data[part], self._make, self._common, actor=True, pure=False, retries=_RETRIES
        )

    def _started(self, part: int, command: Command) -> Any:
        """Begin a call; None if the object is known to be lost."""
        actor = self._actors[part]
        try:
            return None if actor is None else actor.run(command.name, command.arguments(part))
        except Exception:  # the scheduler has said that the worker is gone
            return None

    def _answer(self, part: int, pending: Any) -> Answer:
        """Wait for an answer, and make the object anew as long as its worker is lost."""
        reason: Exception | None = None
        for attempt in range(_RETRIES + 1):
            try:
                if attempt == 0 and pending is not None:
                    return _checked(pending.result())
                if attempt > 0 or pending is None:
                    return self._again(part)
            except Exception as error:
                _require_running(self._client, error)
                reason = error
        raise ClusterLostError(
            f"Part {part} of the table was lost {_RETRIES + 1} times with its worker ({reason}), most often "
            "because memory ran out. Give the workers more memory, or make the parts smaller."
        ) from reason

    def _again(self, part: int) -> Answer:
        self.n_lost += 1
        self._actors[part] = None
        actor = self._submit(part).result()
        self._actors[part] = actor
        commands = [
            (command.name, command.arguments(part)) for command in self._log if command.concerns(part)
        ]
        return _checked(actor.replay(self._states[part], commands).result())


def _checked(answer: Any) -> Answer:
    if not isinstance(answer, Answer):
        raise OSError(f"no answer of an object, but {type(answer).__name__}")
    return answer


def _guarded(client: Any, do: Callable[[], Any]) -> Any:
    """Do something on the cluster, and say so if the cluster is lost on the way."""
    from distributed import KilledWorker

    try:
        with client.as_current():
            return do()
    except KilledWorker as error:
        raise ClusterLostError(
            f"Workers of the Dask cluster were lost again and again in the same task ({error}), most often "
            "because memory ran out. Give the workers more memory, or make the parts smaller."
        ) from error
    except (CancelledError, OSError, RuntimeError, TimeoutError) as error:
        _require_running(client, error)
        raise


def _require_running(client: Any, error: Exception) -> None:
    """Raise an error if the scheduler is gone; what else has happened is left to the caller."""
    if client.status == "running" and not isinstance(error, CancelledError):
        try:
            client.sync(client.scheduler.identity, callback_timeout=_PATIENCE)
            return
        except Exception as other:  # whatever a connection that breaks just now raises
            error = other
    address = getattr(client.scheduler, "address", "?")
    raise ClusterLostError(
        f"The Dask cluster at {address} was lost on the way ({type(error).__name__}: {error}). See whether "
        "its scheduler runs."
    ) from error
