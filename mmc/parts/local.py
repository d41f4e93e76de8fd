"""Parts that threads of this process compute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

from joblib import effective_n_jobs

from mmc.parts.held import Command, Held, Parts

#: Seconds of a call from which threads are worth their handling.
_WORTH = 0.002


class LocalParts(Parts):
    """Parts in this process.

    Parameters
    ----------
    loads : sequence of callable
        Functions without arguments, each of which returns the data of a part.
    """

    def __init__(self, loads: Sequence[Callable[[], Any]]) -> None:
        self._loads = list(loads)

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self._loads)

    def call(
        self, function: Callable[..., Any], *common: Any, each: Sequence[Any] | None = None
    ) -> list[Any]:
        """Call a function on every part."""
        own = [()] * self.n_parts if each is None else [(value,) for value in each]
        return _side_by_side(
            lambda p: function(self._loads[p](), *common, *own[p]),
            range(self.n_parts),
        )

    def viewed(self, function: Callable[..., Any], *common: Any) -> LocalParts:
        """Return parts that are computed whenever they are needed."""

        def load(before: Callable[[], Any]) -> Callable[[], Any]:
            return lambda: function(before(), *common)

        return LocalParts([load(before) for before in self._loads])

    def kept(self, function: Callable[..., Any], *common: Any) -> LocalParts:
        """Return parts that are computed now."""

        def load(value: Any) -> Callable[[], Any]:
            return lambda: value

        return LocalParts([load(value) for value in self.call(function, *common)])

    def chosen(self, places: Sequence[int]) -> LocalParts:
        """Return some of the parts."""
        return LocalParts([self._loads[p] for p in places])

    def hold(self, make: Callable[..., Any], *common: Any) -> LocalHeld:
        """Make an object with a state at every part."""
        return LocalHeld(self.call(make, *common))


class LocalHeld(Held):
    """Objects in this process, which cannot be lost.

    Parameters
    ----------
    objects : sequence
        One for each part.
    """

    def __init__(self, objects: Sequence[Any]) -> None:
        self._objects = list(objects)
        self._threads = ThreadPoolExecutor(max(1, effective_n_jobs(-1)))
        self._seconds: dict[str, float] = {}

    def call(
        self, name: str, *common: Any, each: Sequence[Any] | None = None, only: int | None = None
    ) -> list[Any]:
        """Call a method of the objects, by threads if it took long enough the last time."""
        command = Command(name, common, each, only)
        places = [p for p in range(len(self._objects)) if command.concerns(p)]

        def run(p: int) -> Any:
            return getattr(self._objects[p], name)(*command.arguments(p))

        began = perf_counter()
        is_long = len(places) > 1 and self._seconds.get(name, 1.0) > _WORTH
        results = list(self._threads.map(run, places)) if is_long else [run(p) for p in places]
        self._seconds[name] = perf_counter() - began
        return results

    def remember(self, states: Sequence[Any]) -> None:
        """Forget nothing: there is no record."""

    def close(self) -> None:
        """Let the objects go."""
        self._objects = []
        self._threads.shutdown(wait=False)


def _side_by_side(function: Callable[[int], Any], places: Iterable[int]) -> list[Any]:
    """Call a function for every part on all cores; results are in order."""
    wanted = list(places)
    n = min(effective_n_jobs(-1), len(wanted))
    if n <= 1:
        return [function(p) for p in wanted]
    with ThreadPoolExecutor(n) as threads:
        return list(threads.map(function, wanted))
