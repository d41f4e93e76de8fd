"""Warnings of one call as text, without effects on other threads.

`warnings.catch_warnings` replaces the filters of the whole process. If two threads do so at once, the second
to leave restores what the other has set. Here one filter is added to the list and removed again; it matches
only the warnings of its own thread.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


class _Listener:
    """A stand-in for the pattern of a filter that records the messages of one thread."""

    pattern = ""  # scikit-learn reads it where it copies the filters; the copy matches every message

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.thread: int | None = threading.get_ident()

    def match(self, message: str) -> bool:
        """Record and match the messages of the own thread."""
        if threading.get_ident() != self.thread:
            return False
        self.messages.append(message)
        return True


@contextmanager
def warnings_kept() -> Iterator[list[str]]:
    """Record the warnings of this thread, which are neither shown nor raised.

    Yields
    ------
    list of str
        Messages so far.
    """
    listener = _Listener()
    entry: Any = ("ignore", listener, Warning, None, 0)
    filters: Any = warnings.filters
    filters.insert(0, entry)
    warnings._filters_mutated()  # type: ignore[attr-defined]  # else Python skips what it has shown before
    try:
        yield listener.messages
    finally:
        listener.thread = None  # for copies of the list that another thread may hold
        present: Any = warnings.filters
        for each in (filters, present):
            with suppress(ValueError):
                each.remove(entry)
