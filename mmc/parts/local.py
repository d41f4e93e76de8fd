"""Parts that threads of this process compute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from joblib import effective_n_jobs

from mmc.parts.held import Command, Held, Parts


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

    def call(
        self, name: str, *common: Any, each: Sequence[Any] | None = None, only: int | None = None
    ) -> list[Any]:
        """Call a method of the objects."""
        command = Command(name, common, each, only)
        places = [p for p in range(len(self._objects)) if command.concerns(p)]
        return _side_by_side(lambda p: getattr(self._objects[p], name)(*command.arguments(p)), places)

    def remember(self, states: Sequence[Any]) -> None:
        """Forget nothing: there is no record."""

    def close(self) -> None:
        """Let the objects go."""
        self._objects = []


def _side_by_side(function: Callable[[int], Any], places: Iterable[int]) -> list[Any]:
    """Call a function for every part on all cores; results are in order."""
    wanted = list(places)
    n = min(effective_n_jobs(-1), len(wanted))
    if n <= 1:
        return [function(p) for p in wanted]
    with ThreadPoolExecutor(n) as threads:
        return list(threads.map(function, wanted))
