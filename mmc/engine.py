"""Many independent tasks, run side by side, their results given as they arrive.

Tasks run in processes through joblib; where the first one shows that all of them are done sooner than other
processes have started, they run one after another.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any, TypeVar

from joblib import Parallel, delayed

#: Seconds of remaining work that are not worth the start of other processes.
WORTH = 5.0

T = TypeVar("T")
R = TypeVar("R")


def results(
    function: Callable[[Any, T], R],
    shared: Any,
    tasks: Sequence[T],
    *,
    n_jobs: int = -1,
    worth: float | None = None,
) -> Iterator[tuple[int, R]]:
    """Call `function(shared, task)` for every task and give the results as they arrive.

    Closing the iterator cancels what has not begun.

    Parameters
    ----------
    function : callable
        Of a module, so that another process finds it.
    shared : object
        What all tasks need, such as the points; sent once.
    tasks : sequence
    n_jobs : int, default=-1
        Processes, as in joblib; −1 means all cores, 1 none beside this one.
    worth : float or None
        Seconds of remaining work, judged by the first task, from which other processes are started; 0 starts
        them at once, None means `WORTH`.

    Yields
    ------
    index : int
        Of the task.
    result : object
    """
    first = 0
    worth = WORTH if worth is None else worth
    if worth and tasks:
        began = perf_counter()
        yield 0, function(shared, tasks[0])
        first = 1
        if (perf_counter() - began) * (len(tasks) - 1) < worth:
            n_jobs = 1
    work = (delayed(_numbered)(function, shared, i, tasks[i]) for i in range(first, len(tasks)))
    side_by_side = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(work)
    try:
        for numbered in side_by_side:  # noqa: UP028 - closing must not reach the inner iterator first
            yield numbered
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*have been cancelled")  # which is what is meant
            side_by_side.close()


def _numbered(function: Callable[[Any, T], R], shared: Any, index: int, task: T) -> tuple[int, R]:
    return index, function(shared, task)
