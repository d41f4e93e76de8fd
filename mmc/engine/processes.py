"""Worker processes as the pool sees them, and the process from which they are forked (`mmc.nursery`)."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections import OrderedDict, deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from mmc.engine.tickets import Task
from mmc.engine.worker import PROCESS

#: Environment variables that set the number of threads of linear-algebra libraries.
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)


@dataclass(eq=False)
class Worker:
    """A worker process.

    Attributes
    ----------
    connection : Connection
        Way to the process and back.
    process : int
        Number of the process.
    task : Task or None
        Task that it runs.
    n_tasks : int
        Number of tasks that it has run.
    kept : ordered dict from int
        Numbers of the batches whose shared object it keeps, the least recently used first.
    busy : bool
        Whether it is not free yet; after a task it first clears up.
    growth : int
        Bytes by which it had grown after its last task.
    """

    connection: Connection
    process: int
    task: Task | None = None
    n_tasks: int = 0
    kept: OrderedDict[int, None] = field(default_factory=OrderedDict)
    busy: bool = False
    growth: int = 0


class Nursery:
    """The process from which workers are forked."""

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        self.ready = False
        self.lost = False
        self._asked: deque[socket.socket] = deque()
        environment = {**os.environ, **dict.fromkeys(_THREADS, "1")}
        environment["PYTHONPATH"] = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "mmc.nursery", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for this process, which then ends the workers
        )
        theirs.close()

    @property
    def n_asked(self) -> int:
        """Number of workers that were asked for and have not come yet."""
        return len(self._asked)

    def ask(self) -> None:
        """Ask for a worker."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self.control, [b"w"], [theirs.fileno()])
            except OSError:
                ours.close()
                return
        self._asked.append(ours)

    def hear(self) -> Worker | None:
        """Return a new worker; None if this is the first message or the process is lost."""
        try:
            content = self.control.recv(PROCESS.size, socket.MSG_WAITALL)
        except OSError:
            content = b""
        if len(content) < PROCESS.size:
            self.lost = True
            return None
        (process,) = PROCESS.unpack(content)
        if not self.ready:
            self.ready = True
            return None
        return Worker(Connection(self._asked.popleft().detach()), process)

    def close(self) -> None:
        """End the process, and with it all workers."""
        self.control.close()
        for connection in self._asked:
            connection.close()
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
