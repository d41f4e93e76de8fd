"""Compilation of the inner loops, and the files that keep what was compiled.

numba keeps compiled code in the folder `__pycache__` beside the source, or else in the user's cache folder or
where `NUMBA_CACHE_DIR` says. Such a file saves time and is not needed: where no folder can be written, where
a disk is full or a file is damaged, a function is compiled in every process. Processes that need the same
function at the same time, such as the workers of a new installation, wait for the first of them, which
compiles it for all; locks of files say which one that is, where there are such locks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache

#: Seconds to wait for a process that compiles the same function, and between two looks.
_PATIENCE, _PAUSE = 120.0, 0.02


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles a function with numba, without Python's lock and kept in a file.

    Parameters
    ----------
    **options : dict
        Further options of `numba.njit`, such as ``fastmath``.

    Returns
    -------
    callable
        Decorator; the function is compiled when it is first called.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = njit(nogil=True, **options)(function)
        with suppress(RuntimeError, OSError):  # no folder can be written
            dispatcher._cache = _Cache(function)
        return dispatcher

    return decorate


class _Cache(FunctionCache):
    """The files of a function, which may fail to be read or written at any time."""

    #: Descriptor of the lock, while this process compiles the function.
    _lock: int | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._load(sig, target_context)
        if found is None and self._lock is None:
            self._lock = _locked(os.path.join(self.cache_path, f"{self._impl.filename_base}.lock"))
            found = self._load(sig, target_context)  # another process may have compiled it meanwhile
            if found is not None:
                self._unlock()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(Exception):
            super().save_overload(sig, data)
        self._unlock()

    def _load(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # what unpickling a damaged file raises cannot be foretold
            with suppress(OSError):
                self.flush()  # the next process finds no damaged file
            return None

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(path: str) -> int | None:
    """Lock a file until its descriptor is closed or the process ends; None where that cannot be."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock

        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except (ImportError, OSError):  # Windows, or no folder that can be written
        return None
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
        except OSError:  # a file system without locks
            break
        else:
            return descriptor
    os.close(descriptor)
    return None
