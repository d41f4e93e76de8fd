"""Execution of many independent tasks in parallel; results arrive in the order in which they end.

Tasks run on a Dask cluster if the environment variable MMC_DASK names one (`mmc._dask`), and otherwise in
processes of this computer. If the first task shows that the others take less time than starting processes,
all tasks run in this process.

A run has its processes to itself. Closing it ends them at once, and a lost process makes only this run fail.
After a run has ended, the next one uses its processes; idle processes end after a minute. joblib's own pool
does not suit, because all threads share it and closing one run would end the others.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from functools import cache, lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from joblib import cpu_count, effective_n_jobs, wrap_non_picklable_objects

from mmc import _dask
from mmc._loky import BrokenProcessPool, ProcessPoolExecutor, TerminatedWorkerError, end_processes

#: Seconds of remaining work below which no other processes are started.
WORTH = 5.0

#: The environment variable that names a Dask cluster, such as tcp://host:8786.
CLUSTER = "MMC_DASK"

#: Seconds after which a process without work ends.
_IDLE = 60

#: Environment variables that set the number of threads of linear-algebra libraries.
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)

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
    """Call `function(shared, task)` for every task and yield the results as they arrive.

    Closing the iterator cancels the tasks that are not done.

    Parameters
    ----------
    function : callable
        Function of a module, which other processes can import.
    shared : object
        What all tasks need, such as the points; it is sent once.
    tasks : sequence
        Second argument of each call.
    n_jobs : int, default=-1
        Number of processes as in joblib; −1 means all cores, 1 only this process. A cluster uses all its
        workers unless this is 1.
    worth : float or None, default=None
        Seconds of remaining work, estimated from the first task, from which other processes are started; 0
        starts them at once, None means `WORTH`. A cluster gets every task.

    Yields
    ------
    index : int
        Index of the task.
    result : object
        Return value of the function.

    Raises
    ------
    ValueError
        If the cluster cannot be reached, or a process was ended from outside.
    """
    address = os.environ.get(CLUSTER, "")
    if address and n_jobs != 1:
        yield from _dask.results(address, function, shared, tasks)
        return
    n = effective_n_jobs(n_jobs)
    first = 0
    worth = WORTH if worth is None else worth
    if worth and tasks:
        began = perf_counter()
        yield 0, function(shared, tasks[0])
        first = 1
        if (perf_counter() - began) * (len(tasks) - 1) < worth:
            n = 1
    if min(n, len(tasks) - first) > 1:
        yield from _in_processes(function, shared, tasks, first, n)
    else:
        for i in range(first, len(tasks)):
            yield i, function(shared, tasks[i])


def _in_processes(
    function: Callable[[Any, T], R], shared: Any, tasks: Sequence[T], first: int, n: int
) -> Iterator[tuple[int, R]]:
    path = _write(shared)
    pools = _pools()
    pool = pools.take(n)
    whole = False
    try:
        futures = {pool.submit(_call, function, path, tasks[i]): i for i in range(first, len(tasks))}
        for future in as_completed(list(futures)):
            yield futures.pop(future), future.result()
        whole = True
    except TerminatedWorkerError as error:
        raise ValueError(
            "One of the processes that shared the work was ended from outside, most often because memory ran "
            "out. Take fewer points, or fewer processes at once (n_jobs)."
        ) from error
    finally:
        if whole:
            pools.give(n, pool)
        else:
            end_processes(pool)
        path.unlink()


class _Pools:
    """Idle process pools by their number of processes."""

    def __init__(self) -> None:
        self._idle: dict[int, list[ProcessPoolExecutor]] = {}
        self._lock = threading.Lock()

    def take(self, n: int) -> ProcessPoolExecutor:
        """Return a pool of n processes, an idle one if there is any."""
        with self._lock:
            idle = self._idle.setdefault(n, [])
            while idle:
                pool = idle.pop()
                try:
                    pool.submit(int)
                except BrokenProcessPool:
                    continue  # a process was ended while the pool was idle
                return pool
        # Busy pools of BLAS threads slow each other down badly, so each process gets its share of the cores.
        share = str(max(1, cpu_count() // n))
        return ProcessPoolExecutor(
            n,
            timeout=_IDLE,
            initializer=_step_back,
            env={name: os.environ.get(name, share) for name in _THREADS},
        )

    def give(self, n: int, pool: ProcessPoolExecutor) -> None:
        """Keep the pool of a run that has ended."""
        with self._lock:
            self._idle[n].append(pool)


@cache
def _pools() -> _Pools:
    return _Pools()


def _step_back() -> None:
    """Lower the priority of this process, so that pages stay responsive."""
    if hasattr(os, "nice"):
        os.nice(5)


def _write(shared: Any) -> Path:
    content = pickle.dumps(wrap_non_picklable_objects(shared, keep_wrapper=False))
    with tempfile.NamedTemporaryFile(prefix="mmc-", delete=False) as file:
        file.write(content)
    return Path(file.name)


@lru_cache(maxsize=1)
def _read(path: Path) -> Any:
    """Return what all tasks need; each process reads it once."""
    return pickle.loads(path.read_bytes())


def _call(function: Callable[[Any, T], R], path: Path, task: T) -> R:
    return function(_read(path), task)
