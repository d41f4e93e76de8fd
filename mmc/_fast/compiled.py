"""Compilation of the inner loops, and the files that keep what was compiled.

numba keeps compiled code in the folder `__pycache__` beside the source, or else in the user's cache folder or
where `NUMBA_CACHE_DIR` says. Such a file saves time and is not needed: where no folder can be written, where
a disk is full or a file is damaged, a function is compiled in every process.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache


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

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # what unpickling a damaged file raises cannot be foretold
            with suppress(OSError):
                self.flush()  # the next process finds no damaged file
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(Exception):
            super().save_overload(sig, data)
