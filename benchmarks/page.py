"""Measure the time until a visitor sees the first result: `python -m benchmarks.page`.

Starts the app, opens the playground several times in headless Chromium, and prints the time from the title of
the page to the first drawn result, and the size of the figure. The first visit includes the server's imports
and the loading of Plotly, which later visits of the same browser have done. Then a control is changed. On the
idle server a control of Compare and of Model selection is changed, and the time is measured until the first
cell and the first candidate of the new work are there. Last, all algorithms are compared on all toy sets, and
the time is measured until another view of the comparison is there while it goes on.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import BrowserContext, sync_playwright

from mmc import UMCRLS
from mmc.datasets import load
from mmc.figures import animation, make_scene, make_view
from mmc.recording import record

ROOT = Path(__file__).parents[1]
#: Positions in the gallery of lessons with reference labels and about 300 points.
LESSONS = (0, 2, 3)

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visits", type=int, default=6)
    visits = parser.parse_args().visits
    dataset = load("three-gaussians", n_samples=300, random_state=0).standardized()
    scene = make_scene(
        record(UMCRLS(3, random_state=0), dataset.X), make_view(dataset.X, dataset.feature_names)
    )
    print(
        f"figure, n = 300, {len(scene.captions)} frames: {len(animation(scene, 'Q').to_json()) / 1000:.0f} kB"
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    server = subprocess.Popen(
        [*command, "--server.port", str(port), "--server.address", "127.0.0.1"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_up(port)
        with sync_playwright() as playwright:
            path = shutil.which("chromium") or shutil.which("google-chrome")
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS).new_context()
            print(f"{'by':>5} {'title':>8} {'numbers after':>14} {'chart after':>12} {'next result':>12}")
            for visit in range(visits):
                # A new seed each time bypasses the store of results.
                times = measure(browser, f"http://127.0.0.1:{port}", visit)
                title, numbers, chart, changed = times
                way = "home" if visit % 2 else "link"
                print(f"{way:>5} {title:6.2f} s {numbers:12.2f} s {chart:10.2f} s {changed:10.2f} s")
            for name, first in (("cell of Compare", first_cell), ("candidate", first_candidate)):
                times = sorted(first(browser, f"http://127.0.0.1:{port}", i) for i in range(5))
                print(f"first {name}: median {times[2]:.2f} s, at most {times[-1]:.2f} s after the click")
            times = sorted(measure_views(browser, f"http://127.0.0.1:{port}"))
            middle = statistics.median(times)
            print(f"another view of a comparison at work: median {middle:.2f} s, at most {times[-1]:.2f} s")
    finally:
        server.terminate()
        server.wait()


def wait_until_up(port: int) -> None:
    """Wait until the server responds."""
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1)
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("The app did not start within 30 seconds.")


def measure(browser: BrowserContext, app: str, visit: int) -> tuple[float, float, float, float]:
    """Return the seconds to the title, from there to the numbers and to the chart, and after a change of k.

    Even visits open the address itself, odd ones come from the home page after some seconds.
    """
    page = browser.new_page()
    if visit % 2:
        page.goto(app)
        page.get_by_role("heading", name="Ready experiments").wait_for()
        page.wait_for_timeout(5000)
        began = time.perf_counter()
        page.get_by_role("link", name="Open", exact=True).nth(LESSONS[visit // 2 % len(LESSONS)]).click()
    else:
        began = time.perf_counter()
        page.goto(f"{app}/Playground?n=300&seed={visit}", wait_until="commit")
    page.get_by_role("heading", name="Playground").wait_for()
    title = time.perf_counter()
    page.get_by_text("Adjusted Rand index").first.wait_for()
    numbers = time.perf_counter()
    page.locator(".js-plotly-plot .scatterlayer").first.wait_for()
    chart = time.perf_counter()
    page.wait_for_timeout(1500)
    legend = page.locator(".legendtext")
    k = legend.count()
    page.get_by_role("slider", name="Clusters k").press("ArrowRight")
    changed = time.perf_counter()
    legend.nth(k).wait_for()
    done = time.perf_counter()
    page.close()
    return title - began, numbers - title, chart - title, done - changed


def first_cell(browser: BrowserContext, app: str, visit: int) -> float:
    """Return the seconds from a changed seed of the data to the first cell of the new comparison."""
    page = browser.new_page()
    page.goto(f"{app}/Compare?draw={100 * visit}&sets=moons&algorithms=UMCRLS&algorithms=KMeans")
    page.locator(".mmc-pictures .mmc-done").nth(1).wait_for()
    page.wait_for_timeout(2000)
    page.get_by_test_id("stNumberInputStepUp").first.click()
    began = time.perf_counter()
    page.locator(".mmc-pictures .mmc-wait").first.wait_for()
    page.locator(".mmc-pictures .mmc-done").first.wait_for()
    seconds = time.perf_counter() - began
    page.close()
    return seconds


def first_candidate(browser: BrowserContext, app: str, visit: int) -> float:
    """Return the seconds from a changed seed of the data to the first candidate of the new search."""
    page = browser.new_page()
    page.goto(f"{app}/Model_selection?seed={100 * visit}")
    page.get_by_text("Best in hindsight").wait_for()
    page.wait_for_timeout(2000)
    page.get_by_test_id("stNumberInputStepUp").first.click()
    began = time.perf_counter()
    page.locator(".st-key-growing_curve").wait_for()
    seconds = time.perf_counter() - began
    page.close()
    return seconds


def measure_views(browser: BrowserContext, app: str) -> list[float]:
    """Give the seconds until another view is there, while all algorithms are compared on all toy sets."""
    page = browser.new_page()
    page.set_default_timeout(600_000)
    page.goto(f"{app}/Compare?all_sets=true&all_algorithms=true&repeats=1")
    page.locator(".mmc-pictures .mmc-done").first.wait_for()
    times = []
    for i in range(20):
        view, sign = (("Table", "[data-testid=stDataFrame]"), ("Pictures", ".mmc-pictures"))[i % 2]
        button = page.get_by_role("radio", name=view, exact=True)
        began = time.perf_counter()
        button.click()
        page.locator(sign).first.wait_for(state="attached")
        times.append(time.perf_counter() - began)
        page.wait_for_timeout(500)
    if not page.get_by_role("button", name="Cancel").count():
        raise SystemExit("The comparison ended too soon to be measured.")
    page.close()
    return times[2:]  # the first time a view loads its scripts


if __name__ == "__main__":
    main()
