"""The memory of the server's process: how it is given back when visitors have left."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

#: Parameter of mallopt for the number of heaps (glibc, malloc.h).
_M_ARENA_MAX = -8


def keep_few_heaps() -> None:
    """Let all threads share two heaps; with one for each of many threads, memory comes back late.

    What is loaded by now stays, and collecting garbage need not look at it again.
    """
    with suppress(OSError, AttributeError):  # a C library other than glibc
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)
    gc.freeze()


def give_back_memory() -> None:
    """Collect cycles of objects, such as sessions that were closed, and give free memory to the system."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
