"""The search for clusters with nothing set: its controls, and the background job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from mmc import registry, work
from mmc.auto import AutoState, Choice, Judged
from mmc.auto import search as search_clusters
from mmc.datasets import Facts
from mmc.engine import Ticket
from mmc.experiment import Data, Experiment
from mmc.figures import View
from mmc.ui.parameter_sidebar import forget_outside, reach, seed_control
from mmc.ui.result_store import call, obtain, obtained
from mmc.ui.run_job import require_table
from mmc.ui.runner import LONG_LIMIT, Report
from mmc.ui.visit_state import Loaded
from mmc.work import Upload, Wish

#: Choice of the control that leaves the number of clusters to the search.
_FOUND = "found by itself"

#: Largest number of clusters that can be given, and up to which a search can be asked to try.
_MOST_GIVEN, _MOST_TRIED = 50, 30
_USUAL_MOST = 12

#: Number of searches on points without clusters, as `AutoClusterer` makes them.
_N_REFERENCES = 4


@dataclass(frozen=True)
class Question:
    """Data, and what is asked of them.

    Attributes
    ----------
    data : Data
        What is clustered.
    n_clusters : int or None
        Number of clusters; None means that it is to be found.
    max_clusters : int
        Largest number that is tried.
    seed : int
        Seed of the search.
    """

    data: Data
    n_clusters: int | None
    max_clusters: int
    seed: int


@dataclass(frozen=True, eq=False)
class Answer:
    """The clusters that a search has found, which may be incomplete.

    Attributes
    ----------
    key : str
        Key of the result.
    question : Question
        What was asked.
    dataset : Facts
        What is said of the data.
    view : View
        Projection to the plane.
    state : AutoState
        The candidates so far and the best of them.
    upload : Upload or None
        Table of the visitor that the data come from.
    stopped : str
        Why the work ended early; empty if it did not.
    """

    key: str
    question: Question
    dataset: Facts
    view: View
    state: AutoState
    upload: Upload | None = None
    stopped: str = ""

    @property
    def nbytes(self) -> int:
        """Memory of all labellings."""
        kept = [trial.labels for stage in self.state.stages for trial in stage.trials.values()]
        kept += [each for each in (self.state.labels, self.state.nearest) if each is not None]
        return self.dataset.nbytes + self.view.points.nbytes + sum(each.nbytes for each in kept)

    @property
    def packed(self) -> bytes | None:
        """The table for workers, if there is one."""
        return None if self.upload is None else self.upload.packed

    @property
    def best(self) -> Judged:
        """The chosen candidate."""
        return self.state.choice.best

    @property
    def compared(self) -> Choice:
        """The choice among numbers of clusters, which may be that of a sample."""
        choice = self.state.stages[0].choice
        assert choice is not None
        return choice

    @property
    def by_count(self) -> Mapping[int, Judged]:
        """The best candidate for each number of clusters; for the chosen number the one of all points."""
        return {**self.compared.by_count, self.best.candidate.n_clusters: self.best}

    def is_of_sample(self, judged: Judged) -> bool:
        """Return whether a candidate has clustered a sample alone."""
        return len(judged.labels) < self.dataset.n_samples

    def labels(self, judged: Judged) -> NDArray[np.int64]:
        """Return the labels of all points, where there is a sample that of the nearest point in it."""
        if not self.is_of_sample(judged):
            return judged.labels
        assert self.state.nearest is not None
        return judged.labels[self.state.nearest]

    def shown(self, k: int) -> Shown:
        """Return the best clusters of a number of clusters."""
        judged = self.by_count[k]
        candidate = judged.candidate
        notes = [] if judged is self.best else [f"You look at {judged.answer}, not at the answer."]
        if self.is_of_sample(judged):
            notes.append(
                f"{len(judged.labels):,} points were clustered; the others have the label of the nearest of "
                "them."
            )
        return Shown(
            f"{candidate.method} {candidate.n_clusters} {len(judged.labels)} {self.key}",
            Experiment(self.question.data, candidate.algorithm, candidate.parameters),
            self.labels(judged),
            notes=tuple(notes),
        )


@dataclass(frozen=True, eq=False)
class Shown:
    """Clusters of all points that a page shows.

    Attributes
    ----------
    key : str
        What they depend on.
    experiment : Experiment
        What repeats them on all points.
    labels : ndarray of shape (n_samples,)
        Cluster of each point.
    outliers : ndarray of shape (n_samples,), bool, or None
        Points that belong nowhere.
    confidence : ndarray of shape (n_samples,) or None
        Confidence of each label, if it is known.
    notes : tuple of str
        What is said below the picture.
    title : str
        What is said above it instead of the answer of the search; empty if nothing is.
    """

    key: str
    experiment: Experiment
    labels: NDArray[np.int64]
    outliers: NDArray[np.bool_] | None = None
    confidence: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()
    title: str = ""

    @property
    def final(self) -> NDArray[np.int64]:
        """Cluster of each point, −1 for outliers."""
        return self.labels if self.outliers is None else np.where(self.outliers, -1, self.labels)


class Asked(NamedTuple):
    """What the controls of a search say besides the data.

    Attributes
    ----------
    n_clusters : int or None
        Number of clusters; None means that it is to be found.
    max_clusters, seed : int
        Largest number that is tried, and the seed.
    outliers : bool
        Whether points that belong nowhere are marked.
    """

    n_clusters: int | None
    max_clusters: int
    seed: int
    outliers: bool


def auto_controls() -> Asked:
    """Draw the controls of a search for clusters; all of them may stay as they are."""
    options = [_FOUND, *map(str, range(2, _MOST_GIVEN + 1))]
    chosen = str(
        st.selectbox(
            "Number of clusters",
            options,
            key="k",
            bind="query-params",
            help=f"“{_FOUND}” tries all numbers and chooses one. If you know the number, give it, and only "
            "the method is chosen.",
        )
    )
    given = None if chosen == _FOUND else int(chosen)
    low, high = reach("most", 2, _MOST_TRIED, _MOST_TRIED)
    forget_outside("most", low, high)
    most = int(
        st.slider(
            "At most",
            low,
            high,
            _USUAL_MOST,
            key="most",
            bind="query-params",
            disabled=given is not None,
            help="The largest number of clusters that is tried. More take longer.",
        )
    )
    marked = st.toggle(
        "Mark points that belong nowhere",
        key="outliers",
        bind="query-params",
        help="Points that are much farther from others than the points of their cluster usually are get the "
        "label −1.",
    )
    seed = seed_control(
        "Seed",
        2**31 - 1,
        "random_state",
        "The same seed gives the same answer; try another to see whether it holds.",
    )
    return Asked(given, most if given is None else given, seed, marked)


def answer(question: Question, loaded: Loaded, draw: Callable[[Answer], None]) -> Answer:
    """Return the answer of a search, or draw what it has so far and end the page here.

    Parameters
    ----------
    question : Question
        Data, and what is asked of them.
    loaded : Upload, TableError or None
        Table that the visitor has loaded, if any.
    draw : callable
        Draws the answer so far.

    Returns
    -------
    Answer

    Raises
    ------
    ValueError
        If the data do not allow it, or no candidate could be fitted.
    """
    upload = require_table(question.data, loaded)
    key = repr(question)

    def do(report: Report, ticket: Ticket) -> Answer:
        return _work(key, question, upload, report, ticket)

    return obtain(key, do, draw, limit=LONG_LIMIT, own=upload is not None)


def with_outliers(found: Answer, shown: Shown) -> Shown:
    """Find the points that belong to no cluster, or draw the progress and end the page here."""
    task = (shown.experiment.data, shown.labels)
    own = found.upload is not None
    outliers = obtained(
        f"outliers {shown.key}", work.outliers, found.packed, task, own=own, caption="looking for outliers"
    )
    return replace(shown, key=f"outliers {shown.key}", outliers=outliers)


def _work(key: str, question: Question, upload: Upload | None, report: Report, ticket: Ticket) -> Answer:
    names = [entry.name for entry in registry.ALGORITHMS.values() if entry.candidacies]
    bound = max((registry.bound(name, {}) for name in names), key=lambda each: each.n_samples)
    wish = Wish(question.n_clusters, question.max_clusters, _N_REFERENCES, LONG_LIMIT, question.seed)
    (X, facts, view), plan = call(
        work.prepare, upload and upload.packed, (question.data, bound, wish), ticket
    )
    if plan is None:
        raise ValueError("All points are equal: they are one cluster, and there is nothing to search.")
    found: Answer | None = None
    for state in search_clusters(X, plan, ticket):
        found = Answer(key, question, facts, view, state, upload)
        report(state.progress, state.caption, found)
    assert found is not None  # else the search has raised an error
    return found
