"""Measure many visitors at once: `python -m benchmarks.visitors --visitors N --kind KIND`.

Starts the app and N visitors, each a WebSocket that speaks Streamlit's protocol; no browser is needed. Kinds:

playground: everyone runs the playground on data of its own.
mixed: also searches, comparisons, maps and uploads; some cancel, leave, reload or lose their connection.
flood: everyone opens the same slow address and stays for about a minute.
lesson: a class opens one lesson, and everyone walks through it.
bombs: every file of `benchmarks.bombs` is uploaded once, while N others use the playground.

Meanwhile another process asks for the health check ten times a second, and memory is measured. A result must
be its visitor's own and equal the library's. Exit code 1 means that a goal is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

from benchmarks.visitors import report
from benchmarks.visitors.account import Account
from benchmarks.visitors.app import App
from benchmarks.visitors.bomb import Bomb, bombs
from benchmarks.visitors.health import Probe
from benchmarks.visitors.lesson import Class
from benchmarks.visitors.memory import Memory, Watch, measure
from benchmarks.visitors.mixture import MIXTURE
from benchmarks.visitors.visits import CHOICES, Playground, Slow, Visit
from mmc.lessons import find_path

#: Visitors of each kind, and seconds that each waits for a result, unless told otherwise.
USUAL = {
    "playground": (20, 600.0),
    "mixed": (200, 600.0),
    "flood": (120, 65.0),
    "lesson": (30, 60.0),
    "bombs": (10, 120.0),
}

#: Number of the first visitor who warms the server up; nobody else has its data.
_WARM = 10_000

#: Visitors who arrive in a second, unless told otherwise.
_RATE = 10.0

#: Threads for uploads and downloads, so that none waits for another.
_N_THREADS = 64

#: Seconds between the last visit that warms up and the measurement of the idle server.
_CALM = 5.0


@dataclass(frozen=True)
class Day:
    """What happened.

    Attributes
    ----------
    accounts : sequence of Account
        What the visitors saw, in the order of the visits.
    health : sequence of float
        Seconds that the health checks took.
    load : float
        Share of one core that this process needed for all visitors.
    idle, peak : Memory or None
        Memory of the app, if it was started here.
    """

    accounts: Sequence[Account]
    health: Sequence[float]
    load: float
    idle: Memory | None
    peak: Memory | None


def main() -> None:
    """Run the visits and print what came of them."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.visitors",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--kind", choices=USUAL, default="playground")
    parser.add_argument(
        "--visitors", type=int, metavar="N", help="by default 20, mixed 200, flood 120, lesson 30, bombs 10"
    )
    parser.add_argument("--lesson", choices=find_path(), default=Class.lesson, help="id of the lesson")
    parser.add_argument("--address", metavar="HOST:PORT", help="a running app, whose memory is not measured")
    parser.add_argument(
        "--over",
        type=float,
        metavar="SECONDS",
        help="time in which they arrive; 0 is all at once, and by default ten arrive every second",
    )
    parser.add_argument("--stay", type=float, metavar="SECONDS", help="how long each waits for a result")
    parser.add_argument(
        "--rest", type=float, default=120.0, metavar="SECONDS", help="from the last visit to the end"
    )
    arguments = parser.parse_args()
    n, stay = USUAL[arguments.kind]
    n = n if arguments.visitors is None else arguments.visitors
    if n < 1:
        parser.error(f"--visitors {n}: at least one must come")
    if arguments.address and not arguments.address.rpartition(":")[2].isdecimal():
        parser.error(f"--address {arguments.address}: give host and port, as in 127.0.0.1:8501")
    over = n / _RATE if arguments.over is None else arguments.over
    stay = stay if arguments.stay is None else arguments.stay
    visits = plan(arguments.kind, n, arguments.lesson)
    print(
        f"{arguments.kind}: {n} visitors arrive within {over:g} s and stay for at most {stay:g} s", flush=True
    )
    lines = asyncio.run(run(visits, arguments.address, stay=stay, over=over, rest=arguments.rest))
    for line in lines:
        print(line)
    sys.exit(not all(line.is_met for line in lines))


def plan(kind: str, n: int, lesson: str = Class.lesson) -> list[Visit]:
    """Return the visits of a kind; a class walks through the lesson with this `id`."""
    if kind == "lesson":
        return [Class(i, lesson) for i in range(n)]
    if kind == "mixed":
        return [MIXTURE[i % len(MIXTURE)](i) for i in range(n)]
    if kind == "flood":
        return [Slow(i) for i in range(n)]
    harm = [Bomb(i, *item) for i, item in enumerate(bombs().items())] if kind == "bombs" else []
    return [*harm, *(Playground(i) for i in range(n))]


async def run(
    visits: Sequence[Visit], address: str | None, *, stay: float, over: float, rest: float
) -> list[report.Line]:
    """Let visitors come to a running app, or to one that is started for them.

    Parameters
    ----------
    visits : sequence of Visit
        What the visitors do.
    address : str or None
        Host and port of the app; None starts one.
    stay : float
        Seconds that each waits for a result.
    over : float
        Seconds in which they arrive, one after another.
    rest : float
        Seconds from the last visit to the last measurement of memory.

    Returns
    -------
    list of Line
    """
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_N_THREADS))
    with ExitStack() as stack:
        app = None if address else stack.enter_context(App())
        server = address or app.server  # type: ignore[union-attr]
        day = await _visit(visits, server, app, stay, over)
        checking = asyncio.create_task(asyncio.to_thread(mixed_up, visits, day.accounts))
        after = None
        if app is not None:
            await asyncio.sleep(rest)
            after = measure(app.pid)
        wrong = await checking
        complaints = app.complaints() if app is not None else []
    pairs = list(zip(visits, day.accounts, strict=True))
    people = [account for visit, account in pairs if not isinstance(visit, Bomb)]
    wanting = [account for visit, account in pairs if visit.wants_result]
    lines = [*report.visitor_lines(people, wanting, wrong), report.health_line(day.health)]
    taught = [account for visit, account in pairs if isinstance(visit, Class)]
    lines += [report.step_line(taught)] if taught else []
    harm = [account for visit, account in pairs if isinstance(visit, Bomb)]
    if harm:
        lines += report.bomb_lines(harm, day.idle, day.peak)
    if day.idle is not None and day.peak is not None and after is not None:
        lines += report.memory_lines(day.idle, day.peak, after, rest)
    lines.append(report.Line("load of the visitors", f"{day.load:.0%} of one core"))
    lines.append(report.Line("errors in the log", f"{len(complaints)}", "0", not complaints))
    return lines + [report.Line("  logged", text[:160]) for text in complaints[:5]]


def mixed_up(visits: Sequence[Visit], accounts: Sequence[Account]) -> list[str]:
    """Return the results that are not their visitor's own, in words."""
    pairs = [(v, v.wrong(a.files)) for v, a in zip(visits, accounts, strict=True) if a.files]
    return [f"{visit.name}: {text}" for visit, text in pairs if text]


async def _visit(visits: Sequence[Visit], server: str, app: App | None, stay: float, over: float) -> Day:
    kinds = {
        type(visit): visit for visit in visits if visit.wants_result and not isinstance(visit, Slow | Class)
    }
    first = [Playground(_WARM + i) for i in range(len(CHOICES))]
    for visit in [*first, *(kind(_WARM + 100) for kind in kinds)]:
        await visit.go(server, stay)
    await asyncio.sleep(_CALM)
    idle = measure(app.pid) if app is not None else None
    watch = Watch(app.pid) if app is not None else None
    with Probe(server) as probe:
        if watch is not None:
            watch.start()
        gap = over / len(visits)
        began, busy = time.perf_counter(), time.process_time()
        accounts = await asyncio.gather(*(_arrive(v, server, stay, i * gap) for i, v in enumerate(visits)))
        load = (time.process_time() - busy) / (time.perf_counter() - began)
        health = await asyncio.to_thread(probe.seconds)
        if watch is not None:
            watch.end()
    return Day(accounts, health, load, idle, watch.peak if watch is not None else None)


async def _arrive(visit: Visit, server: str, stay: float, seconds: float) -> Account:
    await asyncio.sleep(seconds)
    return await visit.go(server, stay)


if __name__ == "__main__":
    main()
