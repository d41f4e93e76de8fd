"""Names of joblib's process pools that are not public, in one place.

`tests/test_private_apis.py` says what is missing when a new release moves one of them.
"""

from __future__ import annotations

from joblib.externals.loky import ProcessPoolExecutor
from joblib.externals.loky.process_executor import BrokenProcessPool, TerminatedWorkerError

__all__ = ["BrokenProcessPool", "ProcessPoolExecutor", "TerminatedWorkerError", "end_processes"]


def end_processes(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool at once.

    Parameters
    ----------
    pool : ProcessPoolExecutor
        Pool, which cannot be used afterwards.
    """
    # shutdown(kill_workers=True) fails if tasks are still waiting.
    for process in list(pool._processes.values()):
        process.terminate()
    pool.shutdown()
