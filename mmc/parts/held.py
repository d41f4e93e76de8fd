"""What a table in parts can do, whoever does it: call functions on parts, keep results, and hold objects.

An object that is held at a part has a state that commands change. It is a function of the last state that is
known here and of the commands since then. If its worker is lost, it is made anew elsewhere from both: that
costs time and nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Command(NamedTuple):
    """A call of a method of every held object, or of one.

    Attributes
    ----------
    name : str
        Name of the method.
    common : tuple
        Arguments that all get.
    each : sequence or None
        A further argument for each part.
    only : int or None
        The part that is called; None means all.
    """

    name: str
    common: tuple[Any, ...]
    each: Sequence[Any] | None = None
    only: int | None = None

    def arguments(self, part: int) -> tuple[Any, ...]:
        """Return the arguments for one part."""
        return self.common if self.each is None else (*self.common, self.each[part])

    def concerns(self, part: int) -> bool:
        """Return whether a part is called."""
        return self.only is None or self.only == part


class Held(ABC):
    """Objects with a state, one at each part.

    They are made by ``make(data, *common)`` and have a method ``restore(state)``.
    """

    @abstractmethod
    def call(
        self, name: str, *common: Any, each: Sequence[Any] | None = None, only: int | None = None
    ) -> list[Any]:
        """Call a method of the objects, in parallel.

        Parameters
        ----------
        name : str
            Name of the method.
        *common : object
            Arguments that all get.
        each : sequence or None, default=None
            A further argument for each part.
        only : int or None, default=None
            The part that is called; None means all.

        Returns
        -------
        list
            Results in the order of the parts.
        """

    @abstractmethod
    def remember(self, states: Sequence[Any]) -> None:
        """Say that these are the states of the objects, which `restore` takes, and forget what was before."""

    @abstractmethod
    def close(self) -> None:
        """Let the objects go."""


class Parts(ABC):
    """Data in parts."""

    @property
    @abstractmethod
    def n_parts(self) -> int:
        """Number of parts."""

    @abstractmethod
    def call(
        self, function: Callable[..., Any], *common: Any, each: Sequence[Any] | None = None
    ) -> list[Any]:
        """Call ``function(data, *common)`` on every part; with `each`, a further argument is its own.

        Returns
        -------
        list
            Results in the order of the parts.
        """

    @abstractmethod
    def viewed(self, function: Callable[..., Any], *common: Any) -> Parts:
        """Return parts with the data ``function(data, *common)``, computed whenever they are needed."""

    @abstractmethod
    def kept(self, function: Callable[..., Any], *common: Any) -> Parts:
        """Return parts with the data ``function(data, *common)``, computed now and kept where they are."""

    @abstractmethod
    def chosen(self, places: Sequence[int]) -> Parts:
        """Return some of the parts."""

    @abstractmethod
    def hold(self, make: Callable[..., Any], *common: Any) -> Held:
        """Make an object with a state at every part: ``make(data, *common)``."""
