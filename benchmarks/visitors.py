"""Measure many visitors at once: `python -m benchmarks.visitors [--visitors 20]`.

Starts the app, and visitors open the playground together in headless Chromium, each with its own seed and
number of points. Each download must contain the visitor's own points, with the labels that the library
computes without the app. Memory is that of the server and its children: before, when the app has been used
and is idle; at its peak; and two minutes after all have left.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.async_api import Browser, Page, async_playwright

from benchmarks.page import FLAGS, ROOT, wait_until_up
from mmc.comparison import usual, usual_data
from mmc.datasets import CATALOG
from mmc.experiment import Experiment

#: Data sets and algorithms of the visitors, in turn.
CHOICES = (("three-gaussians", "UMCRLS"), ("spirals", "SMIC"), ("moons", "IterSVR"), ("rings", "EvoMMC"))

#: Seconds that a visitor waits for a result.
PATIENCE = 600

#: Maximum memory after the visits, as a multiple of that before.
GOAL = 1.5


@dataclass(frozen=True)
class Visit:
    """The request of a visitor."""

    number: int
    source: str
    algorithm: str

    @property
    def n(self) -> int:
        """Number of points, different for each visitor."""
        return 300 + 10 * (self.number % 50)

    @property
    def experiment(self) -> Experiment:
        """Experiment that the page runs."""
        data = usual_data(self.source, self.n, self.number)
        return usual(data, self.algorithm, CATALOG[self.source].n_clusters, 0)

    @property
    def address(self) -> str:
        """Address of the page that shows the experiment."""
        return f"Playground?data={self.source}&algorithm={self.algorithm}&n={self.n}&seed={self.number}"


@dataclass(frozen=True)
class Answer:
    """The result that a visitor downloaded."""

    visit: Visit
    table: pd.DataFrame
    seconds: float

    def wrong(self) -> str:
        """Return what is wrong; empty if nothing is."""
        experiment = self.visit.experiment
        dataset = experiment.data.load()
        points = self.table[list(dataset.feature_names)].to_numpy()
        if points.shape != dataset.X.shape or not np.allclose(
            points, dataset.frame[[*dataset.feature_names]]
        ):
            return f"{self.visit}: the points are another visitor's"
        same = np.array_equal(self.table["cluster"], experiment.make().fit_predict(dataset.X))
        return "" if same else f"{self.visit}: labels differ from the library's"


class Memory(threading.Thread):
    """Thread that watches the memory of a process and its children, in MB."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.peak = 0.0
        self._pid = pid

    def run(self) -> None:
        """Update the peak several times a second."""
        while True:
            self.peak = max(self.peak, self.now())
            time.sleep(0.2)

    def now(self) -> float:
        """Return the current memory of all processes."""
        return sum(_resident(pid) for pid in _family(self._pid)) / 2**20


def main() -> None:
    """Run the visits and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visitors", type=int, default=20)
    parser.add_argument("--after", type=float, default=120, help="seconds to wait when all have left")
    arguments = parser.parse_args()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.port", str(port), "--server.address", "127.0.0.1"]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_until_up(port)
            failures = asyncio.run(_measure(f"http://127.0.0.1:{port}", server.pid, arguments))
        finally:
            server.terminate()
            server.wait()
        log.seek(0)
        said = [line for line in log.read().decode().splitlines() if "Error" in line or "Traceback" in line]
    for line in [*failures, *said]:
        print(f"  {line}")
    print(f"errors: {len(failures) + len(said)}")
    sys.exit(bool(failures or said))


async def _measure(app: str, pid: int, arguments: argparse.Namespace) -> list[str]:
    memory = Memory(pid)
    started = memory.now()
    async with async_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        for i, choice in enumerate(CHOICES):
            await _visit(browser, app, Visit(1000 + i, *choice))
        await asyncio.sleep(5)
        idle = memory.now()
        print(f"memory when started {started:.0f} MB, used and idle {idle:.0f} MB", flush=True)
        memory.start()
        visits = [Visit(i, *CHOICES[i % len(CHOICES)]) for i in range(arguments.visitors)]
        began = time.perf_counter()
        given = await asyncio.gather(*(_visit(browser, app, v) for v in visits), return_exceptions=True)
        spent = time.perf_counter() - began
        await browser.close()
    answers = [answer for answer in given if isinstance(answer, Answer)]
    failures = [
        f"{type(e).__name__}: {str(e).splitlines()[0]}" for e in given if isinstance(e, BaseException)
    ]
    print(f"{len(answers)} of {len(visits)} visitors have their result after {spent:.0f} s", end="")
    print(f", the median one after {np.median([a.seconds for a in answers]):.0f} s" if answers else "")
    peak = memory.peak
    left = time.monotonic()
    wrong = [text for text in (answer.wrong() for answer in answers) if text]
    print(
        f"{len(answers) - len(wrong)} of {len(answers)} results are their own and equal the library's",
        flush=True,
    )
    await asyncio.sleep(max(0.0, arguments.after - (time.monotonic() - left)))
    after = memory.now()
    ratio = after / idle
    print(f"memory at the peak {peak:.0f} MB, {arguments.after:.0f} s after all left {after:.0f} MB")
    print(f"ratio after / idle: {ratio:.2f} (goal: at most {GOAL})")
    return failures + wrong


async def _visit(browser: Browser, app: str, visit: Visit) -> Answer:
    """Open the page as a new visitor, wait for the result, download it and leave."""
    context = await browser.new_context(viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(PATIENCE * 1000)
    errors: list[str] = []
    try:
        page = await context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        began = time.perf_counter()
        await page.goto(f"{app}/{visit.address}", wait_until="commit")
        await page.locator(".js-plotly-plot .scatterlayer").first.wait_for()
        seconds = time.perf_counter() - began
        await page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')")
        # One file each, because a slow browser delays a second download.
        table = pd.read_csv(io.StringIO(await _take(page, "Labels (CSV)")))
        for kind in ("stException", "stAlertContentError"):
            errors += await page.get_by_test_id(kind).all_inner_texts()
    finally:
        await context.close()
    if errors:
        raise RuntimeError(f"visitor {visit.number}: {errors[0]}")
    return Answer(visit, table, seconds)


async def _take(page: Page, label: str) -> str:
    """Download a file."""
    async with page.expect_download() as download:
        await page.get_by_role("button", name=label).click()
    path = await (await download.value).path()
    return Path(path).read_text(encoding="utf-8")


def _family(pid: int) -> list[int]:
    """Return the identifiers of a process and all its descendants."""
    family = [pid]
    for parent in family:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                family += [int(child) for child in task.read_text().split()]
            except OSError:
                continue
    return family


def _resident(pid: int) -> int:
    """Return the memory that a process holds, in bytes."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


if __name__ == "__main__":
    main()
