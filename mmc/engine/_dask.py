"""Tasks on an existing Dask cluster; `mmc.engine` decides when it is used.

What all tasks need is the result of one task on which the others depend. It is sent once, and if the worker
that holds it is lost, the scheduler computes it again together with the tasks of that worker.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from functools import cache
from typing import Any

from mmc.engine.tickets import End, Ticket
from mmc.engine.worker import call
from mmc.errors import LimitError

#: Seconds to wait for the scheduler.
_PATIENCE = 10

#: Number of times that a failed task is repeated.
_RETRIES = 2


def ends(
    address: str, function: Callable[..., Any], shared: Any, tasks: Sequence[Any], ticket: Ticket
) -> Iterator[End]:
    """Call `function(shared, task, report)` on the cluster for every task and yield the ends as they come.

    Closing the iterator or cancelling the ticket cancels the tasks that are not done. Limits of time and
    memory are those of the cluster's workers.

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
    ticket : Ticket
        By which the tasks can be cancelled.

    Yields
    ------
    End

    Raises
    ------
    ValueError
        If the cluster cannot be reached or is lost.
    """
    client = connect(address)
    from distributed import KilledWorker, as_completed
    from distributed.comm.core import CommClosedError

    common = client.submit(_same, shared, pure=False, retries=_RETRIES)
    futures = client.map(_call, tasks, function=function, shared=common, pure=False, retries=_RETRIES)
    waiting = {future: i for i, future in enumerate(futures)}
    del futures
    ticket.on_cancel(lambda: client.cancel(list(waiting)))
    try:
        for future in as_completed(list(waiting), loop=client.loop):
            index = waiting.pop(future)
            if ticket.cancelled.is_set():
                return
            try:
                yield End(index, future.result())
            except KilledWorker as error:
                yield End(
                    index,
                    error=LimitError(
                        f"The workers of the Dask cluster that ran this were lost ({error}), most often "
                        "because memory ran out. Take fewer points, or give the workers more memory."
                    ),
                )
            except (CancelledError, CommClosedError):
                raise
            except Exception as error:
                yield End(index, error=error)
    except (CancelledError, CommClosedError) as error:
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
        from distributed.comm.addressing import get_address_host_port
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


def _same(shared: Any) -> Any:
    return shared


def _call(task: Any, *, function: Callable[..., Any], shared: Any) -> Any:
    return call(function, shared, task, lambda part: True)
