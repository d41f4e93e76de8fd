"""Measure the time until a visitor sees a result, and the animation: `python -m benchmarks.page`.

Starts the app and visits it with headless Chromium. First come the figures of one run (`page_stage.py`): the
time from a link to picture, numbers and chart, in a browser that has nothing of the app and in one that has;
the time of a changed control at n = 300; and frames per second and messages to and from the server while the
animation plays. `--app DIR` measures another version of the app, `--beside DIR` measures two in turn, with
the ratio, and `--stage` ends here. Then the playground is opened several times, by its address and from the
home page, and a control is changed; the first visit includes the server's imports and Plotly's script. On the
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
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from benchmarks import page_stage
from mmc import UMCRLS
from mmc.datasets import load
from mmc.figures import animation, make_scene, make_view
from mmc.recording import record

ROOT = Path(__file__).parents[1]
#: Positions in the gallery of cards with reference labels and about 300 points.
CARDS = (0, 2, 3)

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visits", type=int, default=6)
    parser.add_argument("--app", type=Path, default=ROOT, metavar="DIR", help="version of the app to measure")
    parser.add_argument(
        "--beside", type=Path, metavar="DIR", help="another version to measure in turn with it"
    )
    parser.add_argument("--stage", action="store_true", help="measure the page of one run alone")
    given = parser.parse_args()
    with sync_playwright() as playwright, ExitStack() as stack:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        folders = [given.app, *([given.beside] if given.beside else [])]
        apps = [stack.enter_context(running(folder)) for folder in folders]
        print_stage(browser, apps, given.visits)
        if not given.stage:
            print_visits(browser.new_context(), apps[0], given.visits)


def print_stage(browser: Browser, apps: list[str], visits: int) -> None:
    """Print medians of what the page of one run costs, a column for each app, and the ratio of two."""
    rows: dict[str, list[float]] = {}
    for app in apps:  # the first visit of a server loads its modules
        page_stage.cold_and_warm(browser, app, -1)
    pairs = [[page_stage.cold_and_warm(browser, app, i) for app in apps] for i in range(visits)]
    for w, cache in enumerate(("cold", "warm")):
        for field in page_stage.Arrival._fields:
            values = [[getattr(pair[a][w], field) for pair in pairs] for a in range(len(apps))]
            rows[f"link, {cache} cache: {field} after, s"] = [statistics.median(each) for each in values]
    changes = [page_stage.change(browser.new_context(), app, 5) for app in apps]
    rows["changed control, n = 300: numbers and chart, s"] = [statistics.median(each) for each in changes]
    for n in (300, 2000):
        moved = [page_stage.motion(browser.new_context(), app, n) for app in apps]
        rows[f"n = {n}: frames/s when each follows the last at once"] = [each.quickest for each in moved]
        rows[f"n = {n}: frames/s at the player's 4x"] = [each.played for each in moved]
        rows[f"n = {n}: paints/s of the browser meanwhile"] = [each.painted for each in moved]
        rows[f"n = {n}: messages while playing, scrubbing, lighting"] = [each.messages for each in moved]
    print(f"medians of {visits} visits{'; app, the one beside it, ratio' if len(apps) > 1 else ''}")
    for name, values in rows.items():
        ratio = f"{values[0] / values[1]:8.2f}" if len(values) > 1 and values[1] else ""
        print(f"{name:<58}" + "".join(f"{value:9.2f}" for value in values) + ratio)


def print_visits(browser: BrowserContext, app: str, visits: int) -> None:
    """Print the times of visits from the home page and by a link, and of the pages that show much work."""
    dataset = load("three-gaussians", n_samples=300, random_state=0).standardized()
    scene = make_scene(
        record(UMCRLS(3, random_state=0), dataset.X), make_view(dataset.X, dataset.feature_names)
    )
    print(
        f"figure, n = 300, {len(scene.captions)} frames: {len(animation(scene, 'Q').to_json()) / 1000:.0f} kB"
    )
    print(f"{'by':>5} {'title':>8} {'numbers after':>14} {'chart after':>12} {'next result':>12}")
    for visit in range(visits):
        # A new seed each time bypasses the store of results.
        title, numbers, chart, changed = measure(browser, app, visit)
        way = "home" if visit % 2 else "link"
        print(f"{way:>5} {title:6.2f} s {numbers:12.2f} s {chart:10.2f} s {changed:10.2f} s")
    for name, first in (("cell of Compare", first_cell), ("candidate", first_candidate)):
        times = sorted(first(browser, app, i) for i in range(5))
        print(f"first {name}: median {times[2]:.2f} s, at most {times[-1]:.2f} s after the click")
    times = sorted(measure_views(browser, app))
    middle = statistics.median(times)
    print(f"another view of a comparison at work: median {middle:.2f} s, at most {times[-1]:.2f} s")


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Start the app of a folder and give its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    server = subprocess.Popen(
        [*command, "--server.port", str(port), "--server.address", "127.0.0.1"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_up(port)
        yield f"http://127.0.0.1:{port}"
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
        page.get_by_role("link", name="Open", exact=True).nth(CARDS[visit // 2 % len(CARDS)]).click()
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
