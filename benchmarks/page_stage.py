"""What the page of a run costs in the browser: the first result by a link, a changed control, and playing.

All functions read the page as a visitor sees it, so that they measure older versions of the app too
(`python -m benchmarks.page --app DIR`).
"""

from __future__ import annotations

import time
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page, WebSocket

#: A picture of the result: the one that the server has drawn, or the chart.
PICTURE = ".st-key-first_0 img, .st-key-chart_0 .js-plotly-plot .scatterlayer .points path"
CHART = ".st-key-chart_0 .js-plotly-plot .scatterlayer .points path"
NUMBERS = "Adjusted Rand index"

#: Counts the moves of the mark on the curve, which are frames of the animation on the screen, and frames that
#: the browser has painted. With `quickly` the next step is asked for as soon as the last one is painted.
_COUNT = """(range, [milliseconds, quickly]) => new Promise((resolve) => {
  const chart = document.querySelector(".st-key-chart_0 .js-plotly-plot");
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  let drawn = 0, painted = 0, back = false;
  const marks = ".x2y2 .scatterlayer .points path";
  const place = () => [...chart.querySelectorAll(marks)].pop()?.getAttribute("transform");
  let seen = place();
  const began = performance.now();
  function paint() {
    painted++;
    if (place() !== seen) {
      drawn++;
      seen = place();
    }
    const seconds = (performance.now() - began) / 1000;
    if (1000 * seconds >= milliseconds) {
      return resolve([drawn / seconds, painted / seconds]);
    }
    const [at, last] = [Number(range.value), Number(range.max)];
    if (quickly) {
      back = at >= last || (back && at > 0);
      press(back ? "," : ".");
    } else if (at >= last) {
      press("k");
    }
    requestAnimationFrame(paint);
  }
  requestAnimationFrame(paint);
})"""


#: Waits in the page from the next key on until chart and table have one cluster more, in milliseconds: from
#: outside it could be asked only now and then.
_WATCH = """() => {
  const places = [".st-key-chart_0 .legendtext", "[data-testid=stTable] tbody tr"];
  const count = () => places.map((place) => document.querySelectorAll(place).length);
  const before = count();
  window.changed = new Promise((resolve) => {
    const began = () => {
      const start = performance.now();
      const look = () => {
        if (count().every((n, i) => n > before[i])) resolve(performance.now() - start);
        else requestAnimationFrame(look);
      };
      look();
    };
    document.addEventListener("keydown", began, { once: true, capture: true });
  });
}"""


class Arrival(NamedTuple):
    """Seconds from the opening of a link until something is on the screen."""

    title: float
    picture: float
    numbers: float
    chart: float


class Motion(NamedTuple):
    """Frames per second, and messages between page and server meanwhile.

    Attributes
    ----------
    played : float
        Frames of the animation drawn per second at the player's highest speed, which asks for 11.4.
    painted : float
        Frames that the browser painted per second meanwhile: 60 if nothing is late.
    quickest : float
        Frames of the animation drawn per second when each is asked for as soon as the last one is painted.
    messages : int
        Messages sent and received while playing, scrubbing and lighting lines.
    """

    played: float
    painted: float
    quickest: float
    messages: int


def arrive(context: BrowserContext, address: str) -> Arrival:
    """Open a link in a new tab and measure until title, picture, numbers and chart are there."""
    page = context.new_page()
    began = time.perf_counter()
    page.goto(address, wait_until="commit")
    found = {}
    waiting = {
        "title": page.get_by_role("heading", name="Playground"),
        "picture": page.locator(PICTURE),
        "numbers": page.get_by_text(NUMBERS),
        "chart": page.locator(CHART),
    }
    while waiting:
        for name in [name for name, place in waiting.items() if place.count()]:
            found[name] = time.perf_counter() - began
            del waiting[name]
        if time.perf_counter() - began > 60:
            raise SystemExit(f"Nothing to see of: {', '.join(waiting)}")
    page.close()
    return Arrival(**found)


def cold_and_warm(browser: Browser, app: str, visit: int) -> tuple[Arrival, Arrival]:
    """Measure a visitor whose browser has nothing of the app yet, and a second tab of the same browser."""
    context = browser.new_context()
    # New seeds: the server has no result of them.
    cold = arrive(context, f"{app}/Playground?n=300&seed={1000 + 2 * visit}")
    warm = arrive(context, f"{app}/Playground?n=300&seed={1001 + 2 * visit}")
    context.close()
    return cold, warm


def change(context: BrowserContext, app: str, n_changes: int) -> list[float]:
    """Change k at n = 300 and measure until the numbers and the chart of the new result are on the screen."""
    page = context.new_page()
    page.goto(f"{app}/Playground?n=300&seed=77")
    page.locator(CHART).first.wait_for()
    page.wait_for_timeout(2000)
    slider = page.get_by_role("slider", name="Clusters k")
    times = []
    for _ in range(n_changes):
        page.evaluate(_WATCH)
        slider.press("ArrowRight")
        times.append(page.evaluate("() => window.changed") / 1000)
        page.wait_for_timeout(1500)
    page.close()
    return times


def motion(context: BrowserContext, app: str, n: int, seconds: float = 4.0) -> Motion:
    """Play, scrub and light lines at `n` points, and count frames and messages."""
    page = context.new_page()
    messages: list[object] = []

    def listen(socket: WebSocket) -> None:
        for event in ("framesent", "framereceived"):
            socket.on(event, lambda frame: messages.append(frame))

    page.on("websocket", listen)
    page.goto(f"{app}/Playground?n={n}&data=moons&algorithm=UMCRLS")
    page.locator(CHART).first.wait_for()
    page.locator(".mmc-caption").first.wait_for()
    _wait_for_quiet(page, messages)
    if not messages:
        raise SystemExit("No socket of the page was heard.")
    before = len(messages)
    player = page.locator(".mmc-player")
    step = player.get_by_label("Step", exact=True)
    player.locator("select").select_option("4")
    page.locator(".mmc-play").click()
    played, painted = step.evaluate(_COUNT, [1000 * seconds, False])
    page.keyboard.press("Home")
    quickest, _ = step.evaluate(_COUNT, [1000 * seconds, True])
    for key in ("l", "l", "Home", "End", "ArrowLeft"):
        page.keyboard.press(key)
    step.fill("1")
    page.wait_for_timeout(1000)
    page.close()
    return Motion(played, painted, quickest, len(messages) - before)


def _wait_for_quiet(page: Page, messages: list[object]) -> None:
    known = -1
    while len(messages) != known:
        known = len(messages)
        page.wait_for_timeout(1500)
