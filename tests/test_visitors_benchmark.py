"""The load test: its visitors see a page as a browser does, and know a result that is not theirs."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.visitors import report
from benchmarks.visitors.__main__ import mixed_up, plan
from benchmarks.visitors.account import Account
from benchmarks.visitors.app import App
from benchmarks.visitors.lesson import Class, _expected
from benchmarks.visitors.mixture import MIXTURE, Uploading
from benchmarks.visitors.page_model import Page
from benchmarks.visitors.visits import Changing, Playground

_STAY = 120


@pytest.fixture(scope="module")
def app():
    """Start the app."""
    with App() as running:
        yield running


def _run(coroutine):
    """Run it in a thread: the main one may have a loop already, that of a browser of other tests."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def _started(run, *fragments):
    message = ForwardMsg()
    message.new_session.config.max_cached_message_age = 2
    message.metadata.run.script_run_id = run
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def _ended(run, *fragments, status=ForwardMsg.FINISHED_SUCCESSFULLY):
    message = ForwardMsg(script_finished=status)
    message.metadata.run.script_run_id = run
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def _element(path, kind, text, fragment="", name=""):
    message = ForwardMsg(hash=name)
    message.metadata.delta_path.extend(path)
    message.metadata.cacheable = bool(name)
    message.delta.fragment_id = fragment
    element = getattr(message.delta.new_element, kind)
    setattr(element, {"progress": "text", "download_button": "label"}.get(kind, "body"), text)
    return message


def _page(*messages):
    page = Page()
    for message in messages:
        page.take(message, message.ByteSize())
    return page


def _texts(page):
    return [part.text for part in page.parts]


def test_what_a_run_does_not_place_again_is_gone_when_it_ends():
    """Until the end of a run the page keeps what it showed, and a run that is cut short removes nothing."""
    first = [_started("1"), _element([0, 0], "markdown", "a"), _element([0, 1], "markdown", "b"), _ended("1")]
    second = [_started("2"), _element([0, 0], "markdown", "c")]
    assert _texts(_page(*first, *second)) == ["c", "b"]
    cut = _ended("2", status=ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    assert _texts(_page(*first, *second, cut)) == ["c", "b"]
    assert _page(*first, *second, cut).is_running
    assert _texts(_page(*first, *second, _ended("2"))) == ["c"]


def test_the_run_of_a_fragment_removes_only_what_the_fragment_had_drawn():
    """The rest of the page stays."""
    first = [_element([0, 0], "markdown", "page"), _element([0, 1], "progress", "half", "fragment")]
    page = _page(_started("1"), *first, _ended("1"), _started("2", "fragment"), _ended("2", "fragment"))
    assert _texts(page) == ["page"]


def test_an_element_in_place_of_a_block_removes_what_was_in_it():
    """The elements of the block are below its path."""
    block = ForwardMsg()
    block.metadata.delta_path.extend([0, 0])
    block.delta.add_block.SetInParent()
    inside = _element([0, 0, 0], "markdown", "inside")
    page = _page(_started("1"), block, inside, _element([0, 0], "markdown", "instead"))
    assert _texts(page) == ["instead"]


def test_a_message_that_is_known_comes_as_its_hash():
    """The element is shown again at the new place; unused for two runs, its hash is no longer offered."""
    known = ForwardMsg(ref_hash="name")
    known.metadata.delta_path.extend([0, 5])
    page = _page(_started("1"), _element([0, 0], "markdown", "long", name="name"), _ended("1"))
    assert list(page.cached) == ["name"]
    page.take(_started("2"), 0)
    page.take(known, 0)
    page.take(_ended("2"), 0)
    assert _texts(page) == ["long"]
    for run in "34":
        page.take(_started(run), 0)
        page.take(_ended(run), 0)
    assert list(page.cached) == []


@pytest.mark.parametrize(
    ("kind", "text", "standing"),
    [
        ("progress", "waiting for a free place: 3 jobs before yours", "waiting"),
        ("progress", "waiting for a free place: yours is the next job", "waiting"),
        ("progress", "40% after 2 s: round 3", "at work"),
        ("alert", r"The server is busy\: 50 jobs wait already, and no more can\.", "busy"),
        ("markdown", "Playground", ""),
    ],
)
def test_the_standing_of_a_job_is_read_from_the_words_of_the_page(kind, text, standing):
    """Escapes of Markdown do not matter."""
    assert _page(_started("1"), _element([0, 0], kind, text)).standing()[0] == standing


def test_an_account_has_a_result_only_when_the_work_is_done():
    """A partial result beside a progress bar is an answer, but not yet the result."""
    account = Account("visitor")
    button = _element([0, 0], "download_button", "Labels (CSV)")
    page = _page(_started("1"), button, _element([0, 1], "progress", "half", "fragment"), _ended("1"))
    assert not account.look(page, "Labels")
    assert (account.answered is not None, account.result) == (True, None)
    for message in (_started("2"), button, _ended("2")):
        page.take(message, 0)
    assert account.look(page, "Labels")
    assert account.result is not None


def test_a_visitor_without_an_answer_misses_the_goal():
    """Whoever was never answered counts as late."""
    good = Account("good", answered=0.5, result=1.0)
    for others, met in (([], True), ([Account("never")], False), ([replace(good, answered=3.0)], False)):
        lines = report.visitor_lines([good, *others], [good], [])
        assert next(line for line in lines if line.title == "first answer").is_met is met


def test_every_kind_of_the_mixture_comes():
    """Visitors take the kinds of visits in turn, and each has its own number."""
    visits = plan("mixed", 24)
    assert {type(visit) for visit in visits} == set(MIXTURE)
    assert len({visit.number for visit in visits}) == 24


@pytest.mark.slow
def test_visitors_get_their_own_results(app):
    """Three visitors at once have the labels that the library computes; another one's result is noticed."""
    visits = [Playground(1), Playground(2), Uploading(3)]

    async def go():
        return await asyncio.gather(*(visit.go(app.server, _STAY) for visit in visits))

    accounts = _run(go())
    assert [account.errors for account in accounts] == [[], [], []]
    assert all(account.result is not None and account.files for account in accounts)
    assert all(account.chart_bytes > 0 for account in accounts)
    assert mixed_up(visits, accounts) == []
    swapped = mixed_up(visits[:2], [accounts[1], accounts[0]])
    assert [text.partition(": ")[2] for text in swapped] == ["the points are another visitor's"] * 2
    assert "another visitor's" in replace(visits[2], number=4).wrong(accounts[2].files)


@pytest.mark.slow
def test_a_visitor_changes_a_control(app):
    """The second result belongs to the new seed, not to that of the address."""
    visit = Changing(5)
    account = _run(visit.go(app.server, _STAY))
    assert account.errors == []
    assert visit.wrong(account.files) == ""
    assert Playground(5).wrong(account.files) != ""


def test_a_class_reads_its_own_answers():
    """Everyone walks through the same lesson; an answer that is not the library's is noticed."""
    visits = plan("lesson", 2, "easy-to-learn")
    assert [visit.path for visit in visits] == ["Lessons?lesson=easy-to-learn"] * 2
    right = {f"answer {i}": text.encode() for i, text in enumerate(_expected("easy-to-learn"))}
    assert len(right) == 2
    assert isinstance(visits[0], Class)
    assert visits[0].wrong(right) == ""
    assert "the answers are" in visits[0].wrong(right | {"answer 1": b"another"})
