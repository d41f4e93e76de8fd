"""The health check of a server, ten times a second, from a process of its own.

Every check has its own connection and begins on time, whether or not those before it are answered, so that a
server that stands still for a second costs ten checks and not one. The process runs until its standard input
is closed, then prints the seconds that each check took.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

#: Seconds between two checks, and the longest time that one waits; a check without an answer counts as that.
PERIOD = 0.1
LONGEST = 60.0


class Probe:
    """The process that checks, running from the beginning of a `with` block.

    Parameters
    ----------
    server : str
        Host and port.
    """

    def __init__(self, server: str) -> None:
        host, port = server.rsplit(":", 1)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.visitors.health", host, port],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def seconds(self) -> list[float]:
        """End the checks and return how long each took."""
        printed, _ = self._process.communicate(timeout=2 * LONGEST)
        return [float(line) for line in printed.split()]


async def _check(host: str, port: int, taken: list[float]) -> None:
    began, seconds = time.perf_counter(), LONGEST
    try:
        async with asyncio.timeout(LONGEST):
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(f"GET /_stcore/health HTTP/1.0\r\nHost: {host}:{port}\r\n\r\n".encode())
            if (await reader.readline()).split()[1:2] == [b"200"]:
                seconds = time.perf_counter() - began
            writer.close()
    except (OSError, TimeoutError):
        pass
    taken.append(seconds)


async def _check_until_told(host: str, port: int) -> list[float]:
    told = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    taken: list[float] = []
    checks: set[asyncio.Task[None]] = set()
    due = time.perf_counter()
    while not told.done():
        check = asyncio.create_task(_check(host, port, taken))
        checks.add(check)
        check.add_done_callback(checks.discard)
        due += PERIOD
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
    await asyncio.gather(*checks)
    return taken


if __name__ == "__main__":
    for one in asyncio.run(_check_until_told(sys.argv[1], int(sys.argv[2]))):
        print(one)
