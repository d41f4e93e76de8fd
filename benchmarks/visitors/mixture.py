"""Visits of the other pages and with files, and the mixture of all."""

from __future__ import annotations

import hashlib
import io
from typing import ClassVar

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from benchmarks.visitors.account import Account
from benchmarks.visitors.own_results import differs, labels
from benchmarks.visitors.page_model import Page
from benchmarks.visitors.tab import Tab
from benchmarks.visitors.visits import (
    LABELS,
    Cancelling,
    Changing,
    Leaving,
    Losing,
    Playground,
    Reloading,
    Visit,
)
from mmc.comparison import usual, usual_data
from mmc.datasets import CATALOG
from mmc.experiment import Experiment

EXPERIMENT, TABLE = "Experiment (JSON)", "Table (CSV)"


class Selecting(Visit):
    """A search for the best value of a parameter."""

    takes: ClassVar[tuple[str, ...]] = (LABELS, EXPERIMENT)
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
        return differs(experiment, files[LABELS])


class Finding(Visit):
    """A search for clusters with nothing set."""

    takes: ClassVar[tuple[str, ...]] = (LABELS, EXPERIMENT)

    @property
    def path(self) -> str:
        """Page and query."""
        return f"Find_clusters?data=moons&n={self.n}&seed={self.number}&most=3"

    def wrong(self, files: dict[str, bytes]) -> str:
        """Compare the data with what was asked for, and labels with the library's."""
        experiment = Experiment.from_json(files[EXPERIMENT].decode())
        if experiment.data != usual_data("moons", self.n, self.number):
            return "the data are another visitor's"
        return differs(experiment, files[LABELS])


class Tuning(Visit):
    """A map of two parameters."""

    takes: ClassVar[tuple[str, ...]] = (LABELS, EXPERIMENT)

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
        return differs(experiment, files[LABELS])


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
                expected[key, name] = adjusted_rand_score(y, labels(experiment))
        same = found.keys() == expected.keys() and all(
            np.isclose(found[cell], expected[cell], rtol=0, atol=1e-6) for cell in expected
        )
        return "" if same else f"the table says {found}, the library {expected}"


class Uploading(Visit):
    """A table of the visitor's own, clustered in the playground."""

    takes: ClassVar[tuple[str, ...]] = (LABELS, EXPERIMENT)

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
        return differs(experiment, files[LABELS], self.content)


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
    Finding,
    Cancelling,
    Leaving,
    Reloading,
    Losing,
)


def takes_files(page: Page) -> bool:
    """Return whether a page waits for a file."""
    return not page.is_running and page.find("file_uploader") is not None
