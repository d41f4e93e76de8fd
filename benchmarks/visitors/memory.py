"""Memory of a server and of all processes below it, as Linux tells it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

#: Seconds between two measurements; reading shared pages holds up the process that is read.
_PERIOD = 0.5


class Memory(NamedTuple):
    """Memory in MB.

    RSS counts a page that processes share in each of them; PSS divides it among them, so only PSS adds up.
    """

    server_rss: float = 0.0
    server_pss: float = 0.0
    tree_rss: float = 0.0
    tree_pss: float = 0.0
    n_processes: int = 0

    def highest(self, other: Memory) -> Memory:
        """Return the higher of both in every column."""
        return Memory(*map(max, self, other))


class Watch(threading.Thread):
    """Thread that keeps the highest memory of a process and its descendants.

    Parameters
    ----------
    pid : int
        Process of the server.
    """

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.peak = Memory()
        self._pid = pid
        self._ended = threading.Event()

    def run(self) -> None:
        """Measure until `end`."""
        while not self._ended.wait(_PERIOD):
            self.peak = self.peak.highest(measure(self._pid))

    def end(self) -> None:
        """End the thread."""
        self._ended.set()
        self.join()


def measure(pid: int) -> Memory:
    """Return the memory of a process and of all below it, now."""
    sizes = [_sizes(each) for each in family(pid)]
    return Memory(*sizes[0], sum(rss for rss, _ in sizes), sum(pss for _, pss in sizes), len(sizes))


def family(pid: int) -> list[int]:
    """Return the identifiers of a process, which is the first, and of its descendants."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found += [int(child) for child in task.read_text().split()]
            except OSError:  # it has ended
                continue
    return found


def _sizes(pid: int) -> tuple[float, float]:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    except OSError:  # it has ended
        return 0.0, 0.0
    kilobytes = {name: int(rest.split()[0]) for name, rest in (line.split(":", 1) for line in lines)}
    return kilobytes.get("Rss", 0) / 1024, kilobytes.get("Pss", 0) / 1024
