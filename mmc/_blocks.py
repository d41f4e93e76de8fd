"""Work on many rows in blocks: bounded memory, and all cores.

Blocks begin at multiples of one number, which depends on the work alone and not on the computer, so that the
same rows always get the same values. They run on threads, each of which takes one thread of OpenMP; the
number of BLAS threads belongs to the process and stays as it is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import numpy as np
from joblib import cpu_count
from numpy.typing import NDArray
from sklearn import config_context, get_config
from threadpoolctl import ThreadpoolController

from mmc._threads import threads_kept

#: Memory of the temporary arrays of a block, which each thread may take (64 MB).
BYTES = 2**26

#: Most rows of a block.
ROWS = 8192


def block_rows(values_per_row: int) -> int:
    """Return the number of rows of a block.

    Parameters
    ----------
    values_per_row : int
        Number of float64 values that a row takes while it is worked on.

    Returns
    -------
    int
        Between 1 and `ROWS`.
    """
    return max(1, min(ROWS, BYTES // (8 * max(values_per_row, 1))))


def in_blocks(n: int, size: int, work: Callable[[slice], NDArray[Any]]) -> NDArray[Any]:
    """Compute one row of a result for each of n rows.

    Parameters
    ----------
    n : int
        Number of rows.
    size : int
        Number of rows of a block.
    work : callable
        Maps a slice of rows to the same rows of the result. It is called for the first rows alone, before it
        is called on several threads at once.

    Returns
    -------
    ndarray of shape (n, …)

    Raises
    ------
    Exception
        The error of the first block that has one; blocks that have not begun are left out.
    """
    first = work(slice(0, min(size, n)))
    if n <= size:
        return first
    result = np.empty((n, *first.shape[1:]), dtype=first.dtype)
    result[:size] = first
    context, config = copy_context(), get_config()
    local = threading.local()

    def store(start: int) -> None:
        if not hasattr(local, "context"):  # the settings of the caller, which a thread has not
            local.context = context.copy()
            _controller().limit(limits=1)  # the number belongs to this thread, which ends with the work
        rows = slice(start, min(start + size, n))
        with config_context(**config):
            result[rows] = local.context.run(work, rows)

    starts = range(size, n, size)
    with threads_kept(), ThreadPoolExecutor(min(int(cpu_count()), len(starts))) as pool:
        for _ in pool.map(store, starts):
            pass
    return result


def _controller() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="openmp")
