"""What the tests of the pages share."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mmc import engine
from mmc.ui import first_picture

ROOT = Path(__file__).resolve().parents[2]

#: No test waits for this long; it only ends one that hangs.
_SECONDS = 600


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run sweeps and comparisons here, however long the first candidate takes."""
    monkeypatch.setattr(engine, "effective_n_jobs", lambda n_jobs: 1)


@pytest.fixture(autouse=True)
def no_browser_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send a chart at once, as there is no browser that loads Plotly."""
    monkeypatch.setattr(first_picture, "HEAD_START", 0.0)


class _Errors(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(logging.Formatter().format(record))


@pytest.fixture(autouse=True)
def logged_errors() -> Iterator[list[str]]:
    """Fail a test in which a page met an unexpected error; a test that wants one takes it from the list."""
    handler = _Errors()
    logging.getLogger("mmc").addHandler(handler)
    yield handler.messages
    logging.getLogger("mmc").removeHandler(handler)
    assert not handler.messages, handler.messages[0]


def _settle(at: AppTest) -> AppTest:
    """Run the page, and again whenever a job has kept it waiting."""
    at.run()
    while len(at.get("progress")):
        assert at.session_state["visit"].job.wait(_SECONDS), "the job does not end"
        at.run()
    return at


@pytest.fixture
def settle() -> Callable[[AppTest], AppTest]:
    """Run a page until its job is done."""
    return _settle


def _open(page: str, address: dict[str, str | list[str]]) -> AppTest:
    at = AppTest.from_file(ROOT / "app.py", default_timeout=_SECONDS)
    at.switch_page(page)
    for name, value in address.items():
        at.query_params[name] = value
    return at


@pytest.fixture
def find_clusters() -> Callable[..., AppTest]:
    """Open the page that finds clusters at an address; with `wait` false it is only run once."""

    def opened(wait: bool = True, **address: str | list[str]) -> AppTest:
        at = _open("pages/0_Find_clusters.py", address)
        return _settle(at) if wait else at.run()

    return opened


@pytest.fixture
def playground() -> Callable[..., AppTest]:
    """Open the playground at an address."""

    def opened(**address: str | list[str]) -> AppTest:
        return _settle(_open("pages/1_Playground.py", address))

    return opened


@pytest.fixture
def model_selection() -> Callable[..., AppTest]:
    """Open the model-selection page at an address; with `wait` false it is only run once."""

    def opened(wait: bool = True, **address: str | list[str]) -> AppTest:
        at = _open("pages/2_Model_selection.py", address)
        return _settle(at) if wait else at.run()

    return opened


@pytest.fixture
def cutting_planes() -> Callable[..., AppTest]:
    """Open the cutting-planes page at an address."""

    def opened(**address: str | list[str]) -> AppTest:
        return _settle(_open("pages/3_Cutting_planes.py", address))

    return opened


@pytest.fixture
def compare() -> Callable[..., AppTest]:
    """Open the page that compares at an address."""

    def opened(**address: str | list[str]) -> AppTest:
        return _settle(_open("pages/4_Compare.py", address))

    return opened


@pytest.fixture
def tune() -> Callable[..., AppTest]:
    """Open the page that tunes at an address; with `wait` false it is only run once."""

    def opened(wait: bool = True, **address: str | list[str]) -> AppTest:
        at = _open("pages/5_Tune.py", address)
        return _settle(at) if wait else at.run()

    return opened


@pytest.fixture
def root() -> Path:
    """Give the folder that holds app.py."""
    return ROOT
