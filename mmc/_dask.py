"""Tasks on an existing Dask cluster; `mmc.engine` decides when it is used.

What all tasks need is the result of one task on which the others depend. It is sent once, and if the worker
that holds it is lost, the scheduler computes it again together with the tasks of that worker.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from functools import cache
from typing import Any, TypeVar

#: Seconds to wait for the scheduler.
_PATIENCE = 10

#: Number of times that a failed task is repeated.
_RETRIES = 2

T = TypeVar("T")
R = TypeVar("R")


def results(
    address: str, function: Callable[[Any, T], R], shared: Any, tasks: Sequence[T]
) -> Iterator[tuple[int, R]]:
    """Call `function(shared, task)` on the cluster for every task and yield the results as they arrive.

    Closing the iterator cancels the tasks that are not done.

    Parameters
    ----------
    address : str
        Address of the scheduler.
    function : callable
        Function of a module that the workers have installed.
    shared : object
        What all tasks need.
    tasks : sequence
        Second argument of each call.

    Yields
    ------
    index : int
        Index of the task.
    result : object
        Return value of the function.

    Raises
    ------
    ValueError
        If the cluster cannot be reached or is lost.
    """
    client = connect(address)
    from distributed import KilledWorker, as_completed
    from distributed.comm import CommClosedError

    common = client.submit(_same, shared, pure=False, retries=_RETRIES)
    futures = client.map(_call, tasks, function=function, shared=common, pure=False, retries=_RETRIES)
    waiting = {future: i for i, future in enumerate(futures)}
    del futures
    try:
        for future in as_completed(list(waiting), loop=client.loop):
            yield waiting.pop(future), future.result()
    except (KilledWorker, CancelledError, CommClosedError) as error:
        raise ValueError(
            f"The Dask cluster at {address} was lost on the way ({error}). See whether its scheduler and its "
            "workers still run and have memory enough, and start again."
        ) from error
    finally:
        if client.status == "running":
            client.cancel([common, *waiting])


def connect(address: str) -> Any:
    """Return the client of a cluster; there is one for each address.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as tcp://host:8786.

    Returns
    -------
    distributed.Client

    Raises
    ------
    ValueError
        If the cluster cannot be reached or the package distributed is missing.
    """
    return _clients().get(address)


class _Clients:
    def __init__(self) -> None:
        self._clients: dict[str, Any] = {}
        self._lock = threading.Lock()

    def get(self, address: str) -> Any:
        """Return a connected client."""
        with self._lock:
            client = self._clients.get(address)
            if client is None or client.status != "running":
                client = self._clients[address] = _open(address)
            return client


@cache
def _clients() -> _Clients:
    return _Clients()


def _open(address: str) -> Any:
    try:
        import dask
        from distributed import Client
        from distributed.comm import get_address_host_port
    except ImportError as error:
        raise ValueError(
            f"The Dask cluster {address!r} needs the package distributed, which is not installed. "
            "Install it (python -m pip install distributed), or name no cluster."
        ) from error
    # What all tasks need may be large, but it is sent once.
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "10GB"})
    try:
        get_address_host_port(address)  # a client that fails on a bad address delays the end of the process
        return Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"The Dask cluster {address!r} cannot be reached ({error}). See whether its scheduler runs and "
            "the address is right, such as tcp://host:8786, or name no cluster."
        ) from error


def _same(shared: T) -> T:
    return shared


def _call(task: T, *, function: Callable[[Any, T], R], shared: Any) -> R:
    return function(shared, task)
