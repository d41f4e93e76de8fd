"""The loop of a worker process: it receives tasks and sends their reports and results.

A task ends early if its user asks for it: `report` then returns False, and the task returns what it has. If
it does not, the pool ends this process. A task has a limit on the memory that it may take beyond what the
worker has; an allocation beyond it fails in the task and nowhere else.
"""

from __future__ import annotations

import gc
import os
import pickle
import struct
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import cloudpickle

from mmc.errors import LimitError

try:
    import resource
except ImportError:  # a system without such limits
    resource = None  # type: ignore[assignment]

#: The number of a process, as the nursery sends it.
PROCESS = struct.Struct("q")

#: Takes a partial result and returns whether to continue.
Report = Callable[[Any], bool]

#: Maximum size of a message in bytes; a larger result would harm the process that receives it.
_MAX_MESSAGE = 512 * 2**20


class RemoteTraceback(Exception):
    """The stack trace of an error in a worker, as the cause of the error."""


class _Packed(NamedTuple):
    """What tasks share, not unpickled yet."""

    content: bytes


def serve(descriptor: int) -> None:
    """Run tasks until the connection closes.

    Parameters
    ----------
    descriptor : int
        File descriptor of the connection to the pool.
    """
    connection = Connection(descriptor)
    kept: dict[int, Any] = {}
    gc.freeze()  # what was loaded before the fork is never collected
    before = _resident()
    while True:
        try:
            message = pickle.loads(connection.recv_bytes())
        except (EOFError, OSError):
            return
        match message:
            case "keep", number, content, is_raw:
                kept[number] = content if is_raw else _Packed(content)
            case "drop", number:
                kept.pop(number, None)
            case "task", content, number, memory:
                end = _run(connection, content, kept, number, memory)
                _send(connection, end)
                del end
                gc.collect()
                connection.send_bytes(pickle.dumps(("free", _resident() - before)))
            case ("stop",):
                pass  # for a task that has ended meanwhile


def call(
    function: Callable[..., Any], shared: Any, task: Any, report: Report, memory: int | None = None
) -> Any:
    """Call the function of a task; memory that cannot be had is a LimitError that names the limit."""
    try:
        return function(shared, task, report)
    except MemoryError as error:
        limit = "there is" if memory is None else f"the {memory / 2**20:.0f} MB that a task may use here"
        raise LimitError(
            f"This needs more memory than {limit}. Take fewer points or columns, or run it where there is "
            "more memory."
        ) from error


def packed_error(error: Exception) -> bytes:
    """Pickle an error with its stack trace; an error that cannot be pickled is replaced by its message."""
    trace = "".join(traceback.format_exception(error))
    try:
        content = pickle.dumps((error, trace))
        pickle.loads(content)
    except Exception:
        kind = ValueError if isinstance(error, ValueError) else RuntimeError
        content = pickle.dumps((kind(str(error)), trace))
    return content


def unpacked_error(content: bytes) -> Exception:
    """Return an error that `packed_error` has pickled; its cause is the stack trace of the worker."""
    error, trace = pickle.loads(content)
    error.__cause__ = RemoteTraceback(f"\n{trace}")
    return error


def _run(
    connection: Connection, content: bytes, kept: dict[int, Any], number: int, memory: int | None
) -> tuple[str, bytes]:
    """Run one task and return its last message."""
    go_on = True

    def report(part: Any) -> bool:
        nonlocal go_on
        _send(connection, ("part", _packed(part)))
        while go_on and connection.poll():
            go_on = pickle.loads(connection.recv_bytes()) != ("stop",)
        return go_on

    try:
        with memory_limit(memory):
            function, task = pickle.loads(content)
            if isinstance(kept[number], _Packed):  # unpacked by the first task, within its limits
                kept[number] = pickle.loads(kept[number].content)
            return "done", _packed(call(function, kept[number], task, report, memory))
    except Exception as error:
        return "failed", packed_error(error)


def _packed(value: Any) -> bytes:
    try:
        content = pickle.dumps(value, protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError):  # a class of the user's script, sent by value
        content = cloudpickle.dumps(value)
    if len(content) > _MAX_MESSAGE:
        raise LimitError(
            f"The result takes {len(content) / 2**20:.0f} MB, and at most {_MAX_MESSAGE / 2**20:.0f} MB can "
            "be given back. Take fewer points or columns."
        )
    return content


def _send(connection: Connection, message: tuple[str, bytes]) -> None:
    connection.send_bytes(pickle.dumps(message, protocol=5))


def _resident() -> int:
    """Return the memory of this process that no other shares, in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = file.read().split()
    except OSError:
        return 0
    return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def memory_limit(memory: int | None) -> Iterator[None]:
    """Let allocations fail that need this much more than the process has now.

    Parameters
    ----------
    memory : int or None
        Bytes; None means no limit.
    """
    if memory is None or resource is None:
        yield
        return
    try:
        with open("/proc/self/statm", "rb") as file:
            now = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + memory, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
