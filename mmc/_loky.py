"""What this library uses of joblib's process pools beyond their public interface, in one place.

`tests/test_private_apis.py` says what is missing when a new release moves one of these.
"""

from __future__ import annotations

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

__all__ = ["BrokenProcessPool", "ProcessPoolExecutor", "TerminatedWorkerError", "end_processes"]


def end_processes(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool, whatever they do.

    Parameters
    ----------
    pool : ProcessPoolExecutor
        Cannot be used any more.
    """
    # The pool's own way, shutdown(kill_workers=True), fails over tasks that are still in line.
    for process in list(pool._processes.values()):
        process.terminate()
    pool.shutdown()
