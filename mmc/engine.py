"""Many independent tasks, run side by side, their results given as they arrive.

Tasks run on a Dask cluster where the environment variable MMC_DASK names one (`mmc._dask`), else in processes
of this computer; where the first task shows that all of them are done sooner than other processes have
started, they run one after another.

A run has its processes to itself. Closing it ends them at once, and when one of them is lost only this run
fails. When a run has come to its end the next one takes over its processes, so that they start once; those
that nobody needs for a minute end. joblib's own pool is shared by all threads, and closing one run would
end the others.
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
from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

from mmc import _dask

#: Seconds of remaining work that are not worth the start of other processes.
WORTH = 5.0

#: The environment variable that names a Dask cluster, such as tcp://host:8786.
CLUSTER = "MMC_DASK"

#: Seconds after which a process without work ends.
_IDLE = 60

#: What tells the libraries of linear algebra how many threads to use.
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
    """Call `function(shared, task)` for every task and give the results as they arrive.

    Closing the iterator cancels what is not done.

    Parameters
    ----------
    function : callable
        Of a module, so that another process finds it.
    shared : object
        What all tasks need, such as the points; sent once.
    tasks : sequence
    n_jobs : int, default=-1
        Processes, as in joblib; −1 means all cores, 1 none beside this one. A cluster uses all it has,
        unless this is 1.
    worth : float or None
        Seconds of remaining work, judged by the first task, from which other processes are started; 0 starts
        them at once, None means `WORTH`. A cluster has started already and gets every task.

    Yields
    ------
    index : int
        Of the task.
    result : object

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
            _end(pool)
        path.unlink()


class _Pools:
    """Processes that no run uses at present, by how many they are."""

    def __init__(self) -> None:
        self._idle: dict[int, list[ProcessPoolExecutor]] = {}
        self._lock = threading.Lock()

    def take(self, n: int) -> ProcessPoolExecutor:
        """Give n processes to a run, those of an earlier one if there are any."""
        with self._lock:
            idle = self._idle.setdefault(n, [])
            while idle:
                pool = idle.pop()
                try:
                    pool.submit(int)
                except BrokenProcessPool:
                    continue  # a process was ended while none was needed
                return pool
        # Two busy pools of BLAS threads slow each other down badly: each process gets its share of the cores.
        share = str(max(1, cpu_count() // n))
        return ProcessPoolExecutor(
            n,
            timeout=_IDLE,
            initializer=_step_back,
            env={name: os.environ.get(name, share) for name in _THREADS},
        )

    def give(self, n: int, pool: ProcessPoolExecutor) -> None:
        """Take the processes of a run that has come to its end."""
        with self._lock:
            self._idle[n].append(pool)


@cache
def _pools() -> _Pools:
    return _Pools()


def _step_back() -> None:
    """Let what a person waits for, such as a page that answers, go before these processes."""
    if hasattr(os, "nice"):
        os.nice(5)


def _end(pool: ProcessPoolExecutor) -> None:
    """End the processes of a run that has not come to its end."""
    # The pool's own way, shutdown(kill_workers=True), fails over tasks that are still in line.
    for process in list(pool._processes.values()):
        process.terminate()
    pool.shutdown()


def _write(shared: Any) -> Path:
    content = pickle.dumps(wrap_non_picklable_objects(shared, keep_wrapper=False))
    with tempfile.NamedTemporaryFile(prefix="mmc-", delete=False) as file:
        file.write(content)
    return Path(file.name)


@lru_cache(maxsize=1)
def _read(path: Path) -> Any:
    """Read what all tasks need, once in each process."""
    return pickle.loads(path.read_bytes())


def _call(function: Callable[[Any, T], R], path: Path, task: T) -> R:
    return function(_read(path), task)
