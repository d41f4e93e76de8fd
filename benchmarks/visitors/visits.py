"""Visits: what a visitor opens and does, and how one knows that the result is that visitor's own.

Every visitor has data of its own, by the seed, the number of points or the file. A result is right if its
points are those data and its labels are those that the library computes for them without the app.
"""

from __future__ import annotations

import hashlib
import io
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from benchmarks.tools import quiet_labels
from benchmarks.visitors.account import Account
from benchmarks.visitors.page_model import Page
from benchmarks.visitors.tab import Tab
from mmc.comparison import usual, usual_data
from mmc.datasets import CATALOG, Table, open_table
from mmc.experiment import Data, Experiment

LABELS, EXPERIMENT, TABLE = "Labels (CSV)", "Experiment (JSON)", "Table (CSV)"

#: Data sets and algorithms of the visitors, in turn.
CHOICES = (("three-gaussians", "UMCRLS"), ("spirals", "SMIC"), ("moons", "IterSVR"), ("rings", "EvoMMC"))

#: 50 starts, each with a support vector regression in every round, on 2,000 points without clusters to find:
#: about three minutes on an idle core, so that it takes all of the time that the app allows for a run.
SLOW = "Playground?data=noise&n=2000&algorithm=IterSVR&n_init=50"

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
            await self.act(server, stay, account)
        except (OSError, LookupError, RuntimeError, TimeoutError, EOFError) as error:
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
        return _differs(usual(data, algorithm, CATALOG[source].n_clusters, 0), files[LABELS])


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


class Selecting(Visit):
    """A search for the best value of a parameter."""

    takes = (LABELS, EXPERIMENT)
    _values: ClassVar[tuple[int, ...]] = (3, 5, 7)

    @property
    def path(self) -> str:
        """Page and query."""
        values = ",".join(map(str, self._values))
        return f"Model_selection?data=moons&n={self.n}&seed={self.number}&algorithm=SMIC&candidates={values}"

    def wrong(self, files: dict[str, bytes]) -> str:
        """Compare data and candidates with what was asked for, and labels with the library's."""
        experiment = Experiment.from_json(files[EXPERIMENT].decode())
        if experiment.data != usual_data("moons", self.n, self.number):
            return "the data are another visitor's"
        if experiment.parameters["n_neighbors"] not in self._values:
            return "the candidate is another visitor's"
        return _differs(experiment, files[LABELS])


class Tuning(Visit):
    """A map of two parameters."""

    takes = (LABELS, EXPERIMENT)

    @property
    def path(self) -> str:
        """Page and query."""
        query = f"data=spirals&n={self.n}&seed={self.number}&algorithm=UMCRLS&paper_grid=false&across=width"
        return f"Tune?{query}&values_width=1,2&upwards=alpha&values_alpha=0.25,0.5"

    def wrong(self, files: dict[str, bytes]) -> str:
        """Compare data and cell with what was asked for, and labels with the library's."""
        experiment = Experiment.from_json(files[EXPERIMENT].decode())
        if experiment.data != usual_data("spirals", self.n, self.number):
            return "the data are another visitor's"
        if (experiment.parameters["width"] not in (1, 2)) or experiment.parameters["alpha"] not in (
            0.25,
            0.5,
        ):
            return "the cell is another visitor's"
        return _differs(experiment, files[LABELS])


class Comparing(Visit):
    """A comparison of two algorithms on two data sets."""

    sign = TABLE
    takes = (TABLE,)
    _sets: ClassVar[tuple[str, ...]] = ("moons", "rings")
    _algorithms: ClassVar[tuple[str, ...]] = ("KMeans", "SMIC")

    @property
    def path(self) -> str:
        """Page and query."""
        chosen = "&".join(f"sets={key}" for key in self._sets)
        chosen += "".join(f"&algorithms={name}" for name in self._algorithms)
        return f"Compare?{chosen}&points={self.n}&draw={self.number}&repeats=1&compare_show=Table"

    def wrong(self, files: dict[str, bytes]) -> str:
        """Compare the agreement with the reference labels, which depends on the visitor's data."""
        table = pd.read_csv(io.BytesIO(files[TABLE]))
        found = {(row.data, row.algorithm): row.ARI for row in table.itertuples()}
        expected = {}
        for key in self._sets:
            for name in self._algorithms:
                experiment = usual(usual_data(key, self.n, self.number), name, CATALOG[key].n_clusters, 0)
                y = experiment.data.load().y
                expected[key, name] = adjusted_rand_score(y, _labels(experiment.to_json()))
        same = found.keys() == expected.keys() and all(
            np.isclose(found[cell], expected[cell], rtol=0, atol=1e-6) for cell in expected
        )
        return "" if same else f"the table says {found}, the library {expected}"


class Uploading(Visit):
    """A table of the visitor's own, clustered in the playground."""

    takes = (LABELS, EXPERIMENT)

    @property
    def path(self) -> str:
        """Page and query."""
        return "Playground?data=table&n_clusters=3"

    @property
    def content(self) -> bytes:
        """The file."""
        rng = np.random.default_rng(self.number)
        points = rng.normal(size=(120, 3)) + 4 * rng.integers(0, 3, size=(120, 1))
        return pd.DataFrame(points.round(4), columns=["a", "b", "c"]).to_csv(index=False).encode()

    async def stay(self, tab: Tab, stay: float, account: Account) -> None:
        """Upload the file and wait for its result."""
        if not await tab.wait(takes_files, stay):
            return
        await tab.upload(f"visitor-{self.number}.csv", self.content)
        await super().stay(tab, stay, account)

    def wrong(self, files: dict[str, bytes]) -> str:
        """Compare the file with the visitor's own, and labels with the library's."""
        experiment = Experiment.from_json(files[EXPERIMENT].decode())
        if experiment.data.sha256 != hashlib.sha256(self.content).hexdigest():
            return "the table is another visitor's"
        return _differs(experiment, files[LABELS], self.content)


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


#: The visits of kind mixed, in turn.
MIXTURE = (
    Playground,
    Selecting,
    Playground,
    Uploading,
    Playground,
    Comparing,
    Changing,
    Tuning,
    Cancelling,
    Leaving,
    Reloading,
    Losing,
)


def takes_files(page: Page) -> bool:
    """Return whether a page waits for a file."""
    return not page.is_running and page.find("file_uploader") is not None


def _differs(experiment: Experiment, file: bytes, content: bytes | None = None) -> str:
    """Return how a file of labels differs from what the library computes; empty if it does not."""
    dataset = experiment.data.load(_opened(experiment.data, content))
    table = pd.read_csv(io.BytesIO(file))
    names = [*dataset.feature_names]
    if len(table) != len(dataset.X) or not np.allclose(table[names], dataset.frame[names]):
        return "the points are another visitor's"
    same = np.array_equal(table["cluster"], _labels(experiment.to_json(), content))
    return "" if same else "labels differ from the library's"


@lru_cache
def _labels(experiment: str, content: bytes | None = None) -> NDArray[np.int64]:
    """Return the labels of an experiment, given as JSON."""
    read = Experiment.from_json(experiment)
    with threadpool_limits(1):
        return quiet_labels(read.make(), read.data.load(_opened(read.data, content)).X)


def _opened(data: Data, content: bytes | None) -> Table | None:
    return None if content is None else open_table(content, name=data.name)
