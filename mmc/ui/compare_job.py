"""Comparisons: the choice of data sets and algorithms, and the background job that clusters them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import streamlit as st

from mmc import registry
from mmc.comparison import SCORES, Points, compare, repeats, usual, usual_data
from mmc.datasets import CATALOG, Facts
from mmc.engine import Ticket
from mmc.experiment import Data, Experiment
from mmc.figures import View
from mmc.trials import Trial
from mmc.ui.data_sidebar import points_control, usual_k
from mmc.ui.parameter_sidebar import score_control, seed_control
from mmc.ui.result_store import obtain, reached
from mmc.ui.run_job import load, require_table
from mmc.ui.runner import LONG_LIMIT, Report
from mmc.ui.table_sidebar import TABLE, table_controls
from mmc.ui.visit_state import Loaded
from mmc.work import Upload

_FIRST_SETS = ("moons", "circle-gaussian", "anisotropic", "noise")
_FIRST_ALGORITHMS = ("UMCRLS", "SMIC", "CPMMC", "KMeans", "SpectralClustering", "GaussianMixture")

#: Largest number of points of a toy set: every cell is fitted several times, and each scored.
_MOST_POINTS = 20_000


@dataclass(frozen=True)
class Contest:
    """Data sets with their numbers of clusters, algorithms, the number of repeats, and the score."""

    data: tuple[Data, ...]
    n_clusters: tuple[int, ...]
    algorithms: tuple[str, ...]
    n_repeats: int
    score: str = "lsmi"

    @cached_property
    def cells(self) -> dict[tuple[int, int], dict[str, Experiment]]:
        """Experiments of each cell by their key; the picture shows the first."""
        return {
            (r, c): {e.to_json(): e for e in repeats(usual(data, name, k, 0), self.n_repeats)}
            for r, (data, k) in enumerate(zip(self.data, self.n_clusters, strict=True))
            for c, name in enumerate(self.algorithms)
        }

    def cell(self, row: int, column: int) -> Experiment:
        """Return the experiment that the picture of a cell shows."""
        return next(iter(self.cells[row, column].values()))


@dataclass(frozen=True, eq=False)
class Comparison:
    """The finished trials of a contest.

    Attributes
    ----------
    key : str
        Key of the result.
    contest : Contest
        What is compared.
    datasets : tuple of Facts
        What is said of the data of each row.
    views : tuple of View
        View of each row.
    trials : dict from str to Trial
        Trials by the key of their experiment.
    stopped : str
        Why the work ended early; empty if it did not.
    """

    key: str
    contest: Contest
    datasets: tuple[Facts, ...]
    views: tuple[View, ...]
    trials: dict[str, Trial] = field(default_factory=dict)
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of all labellings."""
        return sum(d.nbytes for d in self.datasets) + sum(t.labels.nbytes for t in self.trials.values())

    def done(self, row: int, column: int) -> list[Trial]:
        """Return the finished trials of a cell, the first repeat first."""
        return [self.trials[key] for key in self.contest.cells[row, column] if key in self.trials]


def contest_controls() -> tuple[Contest, Loaded]:
    """Draw the controls of a comparison.

    No control has a name of the playground's address, because a page may not change an address to which its
    own controls are bound, and a cell opens in the playground.

    Returns
    -------
    contest : Contest
        What is compared.
    loaded : Upload, TableError or None
        Table that the visitor has loaded, if a table is chosen.
    """
    sets = st.multiselect(
        "Data sets",
        [*(key for key, entry in CATALOG.items() if entry.kind != "drawn"), TABLE],
        list(_FIRST_SETS),
        key="sets",
        bind="query-params",
        help="One row for each. “noise” has no clusters: it shows what an algorithm invents.",
    )
    if st.toggle("All toy sets", key="all_sets", bind="query-params"):
        sets = [key for key, entry in CATALOG.items() if entry.kind == "toy"]
    n = points_control("Points of a toy set", "points", _MOST_POINTS)
    seed = seed_control("Seed of the data", 2**31 - 1, "draw")
    data = [usual_data(key, n, seed) for key in sets if key != TABLE]
    n_clusters = [usual_k(d.source) for d in data]
    loaded = None
    if TABLE in sets:
        own, loaded = table_controls("table_")
        data.append(own)
        n_clusters.append(
            int(st.slider("Clusters in the table", 2, 20, 3, key="table_k", bind="query-params"))
        )
    st.divider()
    algorithms = st.multiselect(
        "Algorithms",
        list(registry.ALGORITHMS),
        list(_FIRST_ALGORITHMS),
        key="algorithms",
        bind="query-params",
    )
    if st.toggle("All algorithms", key="all_algorithms", bind="query-params"):
        algorithms = list(registry.ALGORITHMS)
    n_repeats = int(
        st.slider(
            "Repeats",
            1,
            10,
            3,
            key="repeats",
            bind="query-params",
            help="How often each algorithm runs on each data set, from another seed each time.",
        )
    )
    score = score_control("Score", "judge", tuple(SCORES))
    if not data or not algorithms:
        raise ValueError("Choose at least one data set and one algorithm on the left.")
    return Contest(tuple(data), tuple(n_clusters), tuple(algorithms), n_repeats, score), loaded


def compared(contest: Contest, loaded: Loaded, draw: Callable[[Comparison], None]) -> Comparison:
    """Return the comparison, or draw its finished part and end the page here.

    Parameters
    ----------
    contest : Contest
        What is compared.
    loaded : Upload, TableError or None
        Table that the visitor has loaded, if any.
    draw : callable
        Draws the trials so far.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If the data cannot be loaded.
    """
    read = [require_table(data, loaded) for data in contest.data]
    upload = next((one for one in read if one is not None), None)
    key = repr(contest)
    before = reached(key, Comparison)

    def do(report: Report, ticket: Ticket) -> Comparison:
        return _work(key, contest, upload, before, report, ticket)

    return obtain(key, do, draw, limit=LONG_LIMIT, own=upload is not None)


def _work(
    key: str,
    contest: Contest,
    upload: Upload | None,
    before: Comparison | None,
    report: Report,
    ticket: Ticket,
) -> Comparison:
    wanted = _wanted(contest)
    loaded = load(contest.data, upload, list(wanted.values()), ticket)
    datasets = tuple(each.facts for each in loaded)
    views = tuple(each.view for each in loaded)
    # Trials of another contest are only used if their scores are the same.
    known = before.trials if before and before.contest.score == contest.score else {}
    trials = {name: known[name] for name in wanted if name in known}
    comparison = Comparison(key, contest, datasets, views, trials)
    todo = [(name, e) for name, e in wanted.items() if name not in trials]
    sources = [data.source for data in contest.data]
    pairs = [(e.data.source, e) for _, e in todo]
    report(len(trials) / len(wanted), "starting", comparison)
    points = {source: Points(each.X, each.facts.y) for source, each in zip(sources, loaded, strict=True)}
    for trial in compare(points, pairs, score=contest.score, ticket=ticket):
        name, experiment = todo[trial.index]
        trials = {**trials, name: trial}
        comparison = replace(comparison, trials=trials)
        caption = f"{experiment.algorithm} on {experiment.data.source} is done"
        report(len(trials) / len(wanted), caption, comparison)
    return comparison


def _wanted(contest: Contest) -> dict[str, Experiment]:
    """Return all experiments by their key: first every cell once, then the repeats."""
    lists = [list(cell.items()) for cell in contest.cells.values()]
    return {key: e for i in range(contest.n_repeats) for cell in lists for key, e in cell[i : i + 1]}
