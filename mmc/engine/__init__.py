"""Execution of many independent tasks in parallel; results arrive in the order in which they end.

Tasks run on a Dask cluster if the environment variable MMC_DASK names one (`mmc.engine._dask`), and otherwise
in worker processes of this computer (`mmc.engine._pool`). A script that has not started these yet runs its
first task itself; if that shows that the others take less time than starting processes, it runs them all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from joblib import effective_n_jobs

from mmc.engine import _dask
from mmc.engine._dask import connect
from mmc.engine._pool import Pool, is_started, pool
from mmc.engine.tickets import UNLIMITED, Batch, End, Event, Limits, Part, Ticket
from mmc.engine.worker import Report, call

__all__ = [
    "CLUSTER",
    "UNLIMITED",
    "WORTH",
    "Batch",
    "End",
    "Event",
    "Limits",
    "Part",
    "Pool",
    "Report",
    "Ticket",
    "connect",
    "ends",
    "is_started",
    "pool",
    "results",
]

#: Seconds of remaining work below which no other processes are started.
WORTH = 5.0

#: The environment variable that names a Dask cluster, such as tcp://host:8786.
CLUSTER = "MMC_DASK"

#: Function of a task: it takes what all tasks share, the task, and a function that reports partial results.
Function = Callable[[Any, Any, Report], Any]


def ends(
    function: Function,
    shared: Any,
    tasks: Sequence[Any],
    *,
    n_jobs: int = -1,
    ticket: Ticket | None = None,
    worth: float | None = None,
) -> Iterator[End]:
    """Call `function(shared, task, report)` for every task and yield the ends as they come.

    Closing the iterator or cancelling the ticket ends the tasks that are not done. A task that is ended from
    outside, or whose function raises an error, does not concern the others.

    Parameters
    ----------
    function : callable
        Function of a module, or a local one, which is sent to the workers.
    shared : object
        What all tasks need, such as the points; it is sent once.
    tasks : sequence
        Second argument of each call.
    n_jobs : int, default=-1
        Number of processes as in joblib; −1 means all cores, 1 only this process. A cluster uses all its
        workers unless this is 1.
    ticket : Ticket or None, default=None
        Owner and limits of the tasks, by which they can be cancelled.
    worth : float or None, default=None
        Seconds of remaining work, estimated from the first task, from which processes are started; 0 starts
        them at once, None means `WORTH`. A cluster and processes that run already get every task.

    Yields
    ------
    End

    Raises
    ------
    ValueError
        If the cluster cannot be reached.
    """
    ticket = ticket or Ticket()
    address = os.environ.get(CLUSTER, "")
    if address and n_jobs != 1:
        yield from _dask.ends(address, function, shared, tasks, ticket)
        return
    n = effective_n_jobs(n_jobs) if hasattr(os, "fork") else 1
    first = 0
    worth = WORTH if worth is None else worth
    if n > 1 and worth and tasks and not is_started():
        began = perf_counter()
        yield _end(function, shared, tasks, 0, ticket)
        first = 1
        if (perf_counter() - began) * (len(tasks) - 1) < worth:
            n = 1
    if min(n, len(tasks) - first) > 1 or (n > 1 and is_started()):
        batch = pool().submit(function, shared, tasks[first:], ticket=ticket, n_jobs=n)
        try:
            for event in batch:
                if isinstance(event, End):
                    yield replace(event, index=event.index + first)
        finally:
            batch.close()
        return
    for i in range(first, len(tasks)):
        if ticket.cancelled.is_set():
            return
        yield _end(function, shared, tasks, i, ticket)


def results(
    function: Function,
    shared: Any,
    tasks: Sequence[Any],
    *,
    n_jobs: int = -1,
    worth: float | None = None,
) -> Iterator[tuple[int, Any]]:
    """Call `function(shared, task, report)` for every task and yield the results as they arrive.

    Parameters
    ----------
    function, shared, tasks, n_jobs, worth
        As for `ends`.

    Yields
    ------
    index : int
        Index of the task.
    result : object
        Return value of the function.

    Raises
    ------
    Exception
        The first error of a task; the others are ended.
    """
    run = ends(function, shared, tasks, n_jobs=n_jobs, worth=worth)
    try:
        for end in run:
            if end.error is not None:
                raise end.error
            yield end.index, end.value
    finally:
        run.close()  # type: ignore[attr-defined]


def _end(function: Function, shared: Any, tasks: Sequence[Any], index: int, ticket: Ticket) -> End:
    """Run a task in this process; a task that reports learns from it that the work was cancelled."""
    try:
        return End(index, call(function, shared, tasks[index], lambda part: not ticket.cancelled.is_set()))
    except Exception as error:
        return End(index, error=error)
