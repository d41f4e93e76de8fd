"""Visits of a class: everyone walks through the same lesson, question by question."""

from __future__ import annotations

import asyncio
import html
import re
import time
from dataclasses import dataclass
from functools import lru_cache

from benchmarks.visitors.account import Account
from benchmarks.visitors.page_model import Page
from benchmarks.visitors.tab import Tab
from benchmarks.visitors.visits import Visit
from mmc.lessons import QUANTITIES, fill, find_path, lookup, run_step, to_html

#: Seconds that the quickest reader needs for a question or an answer, and how many more others need. A class
#: reads more slowly, so that fewer ask at once.
READING, SPREAD = 1.0, 3.0


@dataclass(frozen=True)
class Class(Visit):
    """A visitor who guesses, reads and goes on, from the first question of a lesson to the last answer.

    Parameters
    ----------
    lesson : str
        `id` of the lesson.
    """

    lesson: str = "descent-and-shaking"

    @property
    def path(self) -> str:
        """Page and query."""
        return f"Lessons?lesson={self.lesson}"

    async def stay(self, tab: Tab, stay: float, account: Account) -> None:
        """Answer every question with the first choice; what is shown is compared afterwards."""
        steps = find_path()[self.lesson].steps
        for number in range(1, len(steps) + 1):
            if not await self._until(tab, stay, account, lambda page, n=number: _asks(page, n)):
                return
            account.answered = account.seconds if account.answered is None else account.answered
            await self._read(number)
            await tab.press(steps[number - 1].choices[0])
            if not await self._until(tab, stay, account, _answers):
                return
            account.files[f"answer {number}"] = _answer(tab.page).encode()
            await self._read(number + 100)
            if number < len(steps):
                await tab.press("Next step")
        account.result = account.seconds

    def wrong(self, files: dict[str, bytes]) -> str:
        """Compare the answers with those that the library's own runs fill."""
        steps = find_path()[self.lesson].steps
        pairs = zip(files.values(), _expected(self.lesson), steps, strict=False)
        for found, expected, step in pairs:
            timed = "seconds" in step.wanted  # each run has its own
            if _without_times(found.decode(), timed) != _without_times(expected, timed):
                return f"the answers are {found.decode()}, not {expected}"
        return ""

    async def _until(self, tab: Tab, stay: float, account: Account, shown: object) -> bool:
        began = time.perf_counter()
        done = await tab.wait(lambda page: shown(page) or bool(page.errors), stay)  # type: ignore[operator]
        account.steps.append(time.perf_counter() - began)
        if not done:
            account.errors.append("a step of the lesson never came")
        return done and not tab.page.errors

    async def _read(self, number: int) -> None:
        await asyncio.sleep(READING + SPREAD * (self.number * 7 + number * 3) % 10 / 10)


def _asks(page: Page, number: int) -> bool:
    """Return whether a page shows the question of a step and its points."""
    text = page.html()
    return not page.is_running and f"Step {number} of" in text and page.find("imgs") is not None


def _answers(page: Page) -> bool:
    return not page.is_running and "mmc-answer" in page.html() and page.find("plotly_chart") is not None


def _answer(page: Page) -> str:
    return _words(page.html().partition('<div class="mmc-answer">')[2].partition("</div>")[0])


def _words(text: str) -> str:
    return re.sub(r"\s", "", html.unescape(re.sub("<[^>]+>", "", text)))


def _without_times(text: str, timed: bool) -> str:
    return re.sub(r"[0-9.]+seconds", "seconds", text) if timed else text


@lru_cache(maxsize=4)
def _expected(lesson: str) -> list[str]:
    forms = {name: quantity.form for name, quantity in QUANTITIES.items()}
    steps = find_path()[lesson].steps
    return [_words(to_html(fill(step.answer, lookup(run_step(step).values), forms))) for step in steps]
