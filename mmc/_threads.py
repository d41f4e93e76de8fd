"""Limits on the number of BLAS threads that may overlap between threads.

The number belongs to the whole process. If two threads save, change and restore it independently, the second
to leave restores what the first has set, and BLAS keeps one thread for good. Here the first thread to enter
saves the number for all, and it is restored as soon as no thread limits it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import Any

from threadpoolctl import ThreadpoolController


class _BlasThreads:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._n_inside = self._n_limiting = 0

    @cached_property
    def _blas(self) -> ThreadpoolController:
        return ThreadpoolController().select(user_api="blas")

    @contextmanager
    def hold(self, *, limit: bool) -> Iterator[None]:
        with self._lock:
            if not self._n_inside:
                self._before: AbstractContextManager[Any] = self._blas.limit()  # saves, and changes nothing
            self._n_inside += 1
            self._n_limiting += limit
            if limit:
                self._blas.limit(limits=1)
                with self._blas.limit():
                    pass  # threadpoolctl reserves the number for one thread; leaving gives that up
        try:
            yield
        finally:
            with self._lock:
                self._n_inside -= 1
                self._n_limiting -= limit
                if not self._n_limiting:
                    with self._before:
                        pass  # leaving restores what was saved


_threads = _BlasThreads()


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS to one thread, which is fastest for small matrices."""
    with _threads.hold(limit=True):
        yield


@contextmanager
def threads_kept() -> Iterator[None]:
    """Restore the number of BLAS threads after calls that limit it, such as scikit-learn's k-means."""
    with _threads.hold(limit=False):
        yield
