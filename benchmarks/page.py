"""How soon a visitor sees the first result: `python -m benchmarks.page`.

Starts the app, opens the playground in headless Chromium several times, and prints the time from the page
being up (its title is there) to the first drawn result, with the size of the figure. The first visit to a
new server imports the libraries and loads or compiles the inner loops; later ones are what visitors see.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from mmc import UMCRLS
from mmc.datasets import load
from mmc.figures import animation, make_scene, make_view
from mmc.recording import record

ROOT = Path(__file__).parents[1]
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
            browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
            print(f"{'visit':>5} {'title':>8} {'result after title':>19} {'chart drawn after title':>24}")
            for visit in range(visits):
                # A new seed each time, so that nothing is taken from the store of results.
                times = measure(browser, f"http://127.0.0.1:{port}/Playground?n=300&seed={visit}")
                print(f"{visit + 1:5} {times[0]:6.2f} s {times[1]:17.2f} s {times[2]:22.2f} s")
    finally:
        server.terminate()
        server.wait()


def wait_until_up(port: int) -> None:
    """Wait for the server to answer."""
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1)
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("The app did not start within 30 seconds.")


def measure(browser: Browser, address: str) -> tuple[float, float, float]:
    """Give the seconds to the title, and from there to the player's caption and to the drawn chart."""
    page = browser.new_page()
    began = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.get_by_role("heading", name="Playground").wait_for()
    title = time.perf_counter()
    page.locator(".mmc-caption").first.wait_for()
    caption = time.perf_counter()
    page.locator(".js-plotly-plot .scatterlayer").first.wait_for()
    chart = time.perf_counter()
    page.close()
    return title - began, caption - title, chart - title


if __name__ == "__main__":
    main()
