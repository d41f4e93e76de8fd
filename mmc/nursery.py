"""The process from which workers are forked: `python -m mmc.nursery FD`.

It loads the libraries and compiled loops once and then waits. For every request it forks a worker, which has
all of them at once and shares their memory, so that a worker that was ended is replaced within milliseconds.
It computes nothing itself besides tiny fits that load compiled code. BLAS and OpenMP have one thread here and
in all workers: there are as many workers as cores, and threads of OpenMP do not survive a fork.

The socket FD receives one byte and the descriptor of a worker's connection for each request; the answer is
the worker's process number. If the socket closes, this process ends, and all workers with it.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import socket
import sys
from contextlib import suppress

from mmc.engine.worker import PROCESS, serve
from mmc.trials import load_compiled

#: Modules that most tasks need; what is missing, such as plotly without the app, is left out.
_LIBRARIES = (
    "clarabel",
    "cvxpy",
    "mmc.comparison",
    "mmc.work",
    "plotly.graph_objects",
    "pyarrow.parquet",
    "scs",
    "sklearn.cluster",
    "sklearn.mixture",
)

_PR_SET_PDEATHSIG = 1


def main(control: socket.socket) -> None:
    """Load the libraries and fork workers until the socket closes.

    Parameters
    ----------
    control : socket
        Socket of the process that uses the workers.
    """
    for name in _LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    load_compiled()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # workers that have ended leave no trace
    control.sendall(PROCESS.pack(os.getpid()))
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not request:
            return
        process = os.fork()
        if process == 0:
            control.close()
            _prepare_worker()
            serve(descriptors[0])
            os._exit(0)
        os.close(descriptors[0])
        control.sendall(PROCESS.pack(process))


def _prepare_worker() -> None:
    """Tie the life of this worker to the nursery, and let interactive processes go first."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # The share of a processor is the same as of any process, but one that was waiting interrupts it.
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
