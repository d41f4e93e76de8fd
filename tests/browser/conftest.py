"""A running app and a Chromium to visit it with."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from mmc.ui.data_sidebar import data_title
from mmc.ui.parameter_sidebar import algorithm_title
from tests.browser.waits import wait_for_quiet

ROOT = Path(__file__).resolve().parents[2]

#: Seconds. No test waits for this long; it only ends one that hangs.
_PATIENCE = 120
_FAILED = pytest.StashKey[bool]()
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

expect.set_options(timeout=_PATIENCE * 1000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser as slow, and let it be run twice.

    On a busy machine Streamlit's messages and Chromium may meet in an order that a second run does not
    repeat. What was run twice is listed at the end of the tests: look why.
    """
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Generator[None, object, object]:
    """Remember which tests have failed, for what comes after them."""
    if call.when == "call" and call.excinfo is not None:
        item.stash[_FAILED] = True
    return (yield)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Find Chromium; without one these tests are skipped, but not where they are meant to run always."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if name and (path := shutil.which(name))), None)
    if found is None:
        missing = "no Chromium found; set CHROMIUM to its path"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return found


@pytest.fixture(scope="session")
def app(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the app and give its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += [
        "--server.port",
        str(port),
        "--server.address",
        "127.0.0.1",
        "--server.fileWatcherType",
        "none",
    ]
    log = tmp_path_factory.mktemp("app") / "log.txt"
    with log.open("w") as output:
        server = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        try:
            _wait_for(f"{address}/_stcore/health", server, log)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _wait_for(address: str, server: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        assert server.poll() is None, log.read_text()
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"the app does not start:\n{log.read_text()}")


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """Start Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_ARGUMENTS)
        yield browser
        browser.close()


class SharedPage:
    """A page for one test after the other: Chromium has read the scripts, which halves the time to load.

    A test that begins finds it as a new visitor does: without cookies, stored values and history.

    Parameters
    ----------
    browser : Browser
        Browser to open it in.
    """

    #: Options that a page can take after it was opened.
    OPTIONS = ("viewport", "color_scheme")

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.errors: list[str] = []
        self._open()

    def _open(self) -> None:
        self._context = self._browser.new_context()
        self._context.set_default_timeout(_PATIENCE * 1000)
        self._page = self._context.new_page()
        self._page.on("pageerror", lambda error: self.errors.append(str(error)))

    def begin(self, viewport: ViewportSize, color_scheme: str) -> Page:
        """Give the page to a test."""
        self.errors.clear()
        self._page.set_viewport_size(viewport)
        self._page.emulate_media(media="null", color_scheme=color_scheme)
        self._context.new_cdp_session(self._page).send("Page.resetNavigationHistory")
        return self._page

    def end(self, app: str) -> None:
        """Forget the visitor."""
        self._page.mouse.up()
        self._page.goto(f"{app}/_stcore/health")
        self._page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self._page.goto("about:blank")
        self._page.mouse.move(0, 0)
        self._context.clear_cookies()

    def replace(self) -> None:
        """Open another page, for what a test has left that failed is not known."""
        self._context.close()
        self._open()


@pytest.fixture(scope="session")
def shared_page(browser: Browser) -> SharedPage:
    """Open the page that tests share."""
    return SharedPage(browser)


@pytest.fixture
def new_page(
    browser: Browser, shared_page: SharedPage, app: str, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Open pages, each as a new visitor; the test fails if any of them meets an error in its scripts.

    The first one is the shared page, unless it has options that need one of its own, or is `alone`: what
    cannot be undone, such as a stopped clock or a listener, must not reach other tests.
    """
    errors: list[str] = []
    contexts: list[BrowserContext] = []
    shared: list[Page] = []

    def opened(*, alone: bool = False, **options: object) -> Page:
        options = {"viewport": {"width": 1280, "height": 1000}, "color_scheme": "light", **options}
        if not (alone or shared or contexts or set(options) - set(SharedPage.OPTIONS)):
            shared.append(shared_page.begin(**options))
            return shared[0]
        context = browser.new_context(**options)
        context.set_default_timeout(_PATIENCE * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    if shared:
        if _FAILED in request.node.stash:
            shared_page.replace()
        else:
            shared_page.end(app)
        errors += shared_page.errors
    assert errors == []


@pytest.fixture
def visit(app: str, new_page: Callable[..., Page]) -> Callable[..., Page]:
    """Open the playground at an address and wait for its chart; what it sends goes into `sent` if given."""

    def visited(query: str = "", sent: list | None = None, *, alone: bool = False, **options: object) -> Page:
        page = new_page(alone=alone or sent is not None, **options)
        if sent is not None:
            page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
        page.goto(f"{app}/Playground" + (f"?{query}" if query else ""))
        wait_for_chart(page)
        return page

    return visited


@pytest.fixture
def visit_search(app: str, new_page: Callable[..., Page]) -> Callable[..., Page]:
    """Open the model-selection page at an address; unless `wait` is false, wait for its curve."""

    def visited(query: str = "", wait: bool = True, **options: object) -> Page:
        page = new_page(**options)
        page.goto(f"{app}/Model_selection" + (f"?{query}" if query else ""))
        if wait:
            wait_for_curve(page)
        return page

    return visited


def wait_for_curve(page: Page) -> None:
    """Wait until the curve of all candidates is drawn, and the server has nothing more to say."""
    page.wait_for_selector(".st-key-curve .js-plotly-plot .scatterlayer .points path")
    wait_for_quiet(page)


@pytest.fixture
def searched() -> Callable[[Page], None]:
    """Wait until a page shows its curve."""
    return wait_for_curve


def wait_for_chart(page: Page) -> None:
    """Wait until a chart is drawn, the player is there, and the server has nothing more to say."""
    page.wait_for_selector(".st-key-chart_0 .js-plotly-plot .scatterlayer .points path")
    page.wait_for_selector(".mmc-player .mmc-caption")
    wait_for_quiet(page)


@pytest.fixture
def drawn() -> Callable[[Page], None]:
    """Wait until a page shows its chart."""
    return wait_for_chart


@pytest.fixture
def choose() -> Callable[[Page, str, str], None]:
    """Pick an option of a select box by the key of the box; data and algorithms as the address names them."""

    def chosen(page: Page, key: str, option: str) -> None:
        titles = {"data": data_title, "algorithm": algorithm_title}
        option = titles[key](option) if key in titles else option
        box = page.locator(f".st-key-{key} input")
        box.click()
        box.fill(option)
        page.get_by_role("option", name=option, exact=True).click()

    return chosen
