"""Visits: what a visitor opens and does, and how one knows that the result is that visitor's own.

Every visitor has data of its own, by the seed, the number of points or the file. A result is right if its
points are those data and its labels are those that the library computes for them without the app.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import ClassVar

from benchmarks.visitors.account import Account
from benchmarks.visitors.own_results import differs
from benchmarks.visitors.page_model import Page
from benchmarks.visitors.tab import Tab
from mmc.comparison import usual, usual_data
from mmc.datasets import CATALOG

#: Label of the button that every run has.
LABELS = "Labels (CSV)"

#: Data sets and algorithms of the visitors, in turn.
CHOICES = (("three-gaussians", "UMCRLS"), ("spirals", "SMIC"), ("moons", "IterSVR"), ("rings", "EvoMMC"))

#: 50 starts, each with a support vector regression in every round, on 2,000 points without clusters to find:
#: about three minutes on an idle core, so that it takes all of the time that the app allows for a run.
SLOW = "Playground?data=noise&n=2000&algorithm=IterSVR&n_init=50"

#: Seconds that a visit may take for connecting, uploads and downloads, besides waiting for results.
_SLACK = 120.0

#: Seconds after which impatient visitors leave, reload or lose their connection.
_SOON = 1.0


@dataclass(frozen=True)
class Visit:
    """A visit that opens a page, waits for its result, takes files home and leaves.

    Parameters
    ----------
    number : int
        Number of the visitor, from which its data follow.
    """

    number: int
    wants_result: ClassVar[bool] = True
    sign: ClassVar[str] = LABELS
    takes: ClassVar[tuple[str, ...]] = (LABELS,)

    @property
    def name(self) -> str:
        """Kind and number of the visit."""
        return f"{type(self).__name__} {self.number}"

    @property
    def n(self) -> int:
        """Number of points."""
        return 300 + 10 * (self.number % 50)

    @property
    def path(self) -> str:
        """Page and query."""
        raise NotImplementedError

    async def go(self, server: str, stay: float) -> Account:
        """Visit the app.

        Parameters
        ----------
        server : str
            Host and port of the app.
        stay : float
            Seconds that the visitor waits for a result.

        Returns
        -------
        Account
            What happened, errors included.
        """
        account = Account(self.name)
        try:
            async with asyncio.timeout(3 * stay + _SLACK):
                await self.act(server, stay, account)
        except Exception as error:  # whatever happens to one visitor, the others go on
            account.errors.append(f"{type(error).__name__}: {error}")
        return account

    async def act(self, server: str, stay: float, account: Account) -> None:
        """Do what this visitor does."""
        async with Tab(server, self.path) as tab:
            try:
                await self.stay(tab, stay, account)
            finally:
                account.close(tab.page)

    async def stay(self, tab: Tab, stay: float, account: Account) -> None:
        """Wait for the result in an open tab and take the files home."""
        await tab.wait(lambda page: account.look(page, self.sign), stay)
        if account.result is not None:
            account.files = {label: await tab.download(label) for label in self.takes}
            account.n_lost = tab.n_lost

    def wrong(self, files: dict[str, bytes]) -> str:
        """Return what is wrong with the result of this visit; empty if nothing is."""
        raise NotImplementedError


class Playground(Visit):
    """A run in the playground."""

    @property
    def seed(self) -> int:
        """Seed of the data."""
        return self.number

    @property
    def choice(self) -> tuple[str, str]:
        """Data set and algorithm."""
        return CHOICES[(self.number + self.number // 12) % len(CHOICES)]

    @property
    def path(self) -> str:
        """Page and query."""
        source, algorithm = self.choice
        return f"Playground?data={source}&algorithm={algorithm}&n={self.n}&seed={self.number}"

    def wrong(self, files: dict[str, bytes]) -> str:
        """Compare points and labels with the library's."""
        source, algorithm = self.choice
        data = usual_data(source, self.n, self.seed)
        return differs(usual(data, algorithm, CATALOG[source].n_clusters, 0), files[LABELS])


class Changing(Playground):
    """A run in the playground, and another one with a new seed of the data."""

    @property
    def seed(self) -> int:
        """Seed of the data after the change."""
        return self.number + 100_000

    async def stay(self, tab: Tab, stay: float, account: Account) -> None:
        """Wait for a result, change the seed, and wait again."""
        await tab.wait(lambda page: account.look(page, self.sign), stay)
        if account.result is not None:
            account.ask_again()
            await tab.set_number("Seed of the data", self.seed)
            await super().stay(tab, stay, account)


class Reloading(Playground):
    """A run in the playground whose page is loaded again before the result is there."""

    async def act(self, server: str, stay: float, account: Account) -> None:
        """Open the page, close it soon, and open it again."""
        async with Tab(server, self.path) as tab:
            await tab.wait(lambda page: account.look(page, self.sign), _SOON)
            account.ask_again()
        await super().act(server, stay, account)


class Losing(Playground):
    """A run in the playground whose connection breaks before the result is there."""

    async def stay(self, tab: Tab, stay: float, account: Account) -> None:
        """Wait a little, lose the connection, resume the session, and wait for the result."""
        await tab.wait(lambda page: account.look(page, self.sign), _SOON)
        if tab.page.session:
            account.ask_again()
            await tab.reconnect()
        await super().stay(tab, stay, account)


class Slow(Visit):
    """The slow address, the same for all, so that no result can be another visitor's."""

    takes = ()

    @property
    def path(self) -> str:
        """Page and query."""
        return SLOW

    def wrong(self, files: dict[str, bytes]) -> str:
        """Find nothing wrong."""
        return ""


class Cancelling(Slow):
    """A slow run that the visitor cancels."""

    wants_result = False

    @property
    def path(self) -> str:
        """Page and query: slow, and not what another visitor computes."""
        return f"{SLOW}&seed={self.number}"

    async def stay(self, tab: Tab, stay: float, account: Account) -> None:
        """Press Cancel as soon as it is there, and wait until the page says so."""

        def offered(page: Page) -> bool:
            return account.look(page, self.sign) or page.find("button", "Cancel") is not None

        if not await tab.wait(offered, stay) or tab.page.find("button", "Cancel") is None:
            return
        pressed = time.perf_counter()
        await tab.press("Cancel")
        if await tab.wait(lambda page: page.find("progress") is None and not page.is_running, stay):
            account.cancelled = time.perf_counter() - pressed
        else:
            account.errors.append("Cancel had no effect")


class Leaving(Cancelling):
    """A slow run whose visitor leaves soon."""

    async def stay(self, tab: Tab, stay: float, account: Account) -> None:
        """Leave."""
        await tab.wait(lambda page: account.look(page, self.sign), min(2 * _SOON, stay))
