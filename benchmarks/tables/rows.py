"""The rows of a table: planned, computed, and compared with the figures that a paper prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mmc.experiment import Experiment

BETTER, WITHIN, SHORT, MISSING = "better", "within one deviation", "short of it", "missing data"

#: Number of decimals of each measure.
DECIMALS = {"ARI": 2, "error %": 2, "accuracy %": 2}
#: Half a unit of the last digit in the papers, some of which print errors with one decimal.
ROUNDING = {"ARI": 0.005, "error %": 0.05, "accuracy %": 0.005}


class Figures(NamedTuple):
    """Mean, deviation and best of several runs; None if there is no such number."""

    mean: float | None = None
    deviation: float | None = None
    best: float | None = None

    def formatted(self, measure: str) -> str:
        """Return mean and deviation as a paper prints them."""
        if self.mean is None:
            return "–"
        places = DECIMALS[measure]
        spread = "" if self.deviation is None else f" ± {self.deviation:.{places}f}"
        return f"{self.mean:.{places}f}{spread}"


class Outcome(NamedTuple):
    """The figures of a row, the experiment that a visitor can open, and a note."""

    ours: Figures
    experiment: Experiment | None = None
    note: str = ""


@dataclass(frozen=True)
class Plan:
    """A row to compute.

    Attributes
    ----------
    paper, table, set, method : str
        Key of the row.
    protocol : str
        Description of the measurement.
    measure : {"ARI", "error %", "accuracy %"}
        Unit of the figures.
    printed : Figures
        Figures that the paper prints.
    compute : callable or None
        Returns the outcome, in any process; None if data are missing.
    missing : str
        File that is needed.
    """

    paper: str
    table: str
    set: str
    method: str
    protocol: str
    measure: str
    printed: Figures
    compute: Callable[[], Outcome] | None
    missing: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Key of the row."""
        return self.paper, self.table, self.set, self.method


@dataclass(frozen=True)
class Row:
    """A stored row; every field is a column of the CSV file."""

    paper: str
    table: str
    set: str
    method: str
    protocol: str
    measure: str
    ours_mean: float | None
    ours_deviation: float | None
    ours_best: float | None
    paper_mean: float | None
    paper_deviation: float | None
    paper_best: float | None
    verdict: str
    seconds: float | None
    experiment: str
    note: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Key of the row."""
        return self.paper, self.table, self.set, self.method

    @property
    def ours(self) -> Figures:
        """Our figures."""
        return Figures(self.ours_mean, self.ours_deviation, self.ours_best)

    @property
    def printed(self) -> Figures:
        """The paper's figures."""
        return Figures(self.paper_mean, self.paper_deviation, self.paper_best)


def finish(plan: Plan, outcome: Outcome, seconds: float | None) -> Row:
    """Return the row of an outcome beside the figures of the paper."""
    ours = Figures(*(None if value is None else round(float(value), 4) for value in outcome.ours))
    written = outcome.experiment.to_json() if outcome.experiment is not None else ""
    return Row(
        *plan.key,
        plan.protocol,
        plan.measure,
        *ours,
        *plan.printed,
        verdict(ours, plan.printed, plan.measure),
        None if seconds is None else round(seconds, 1),
        " ".join(written.split()),
        outcome.note,
    )


def absent(plan: Plan) -> Row:
    """Return the row of a set that is missing."""
    note = f"There is no {plan.missing} in the folder of the data."
    return finish(plan, Outcome(Figures(), note=note), None)


def verdict(ours: Figures, printed: Figures, measure: str) -> str:
    """Return how our mean compares with the paper's, given the paper's deviation and rounding."""
    if ours.mean is None or printed.mean is None:
        return MISSING
    gain = (printed.mean - ours.mean) if measure == "error %" else (ours.mean - printed.mean)
    slack = max(printed.deviation or 0.0, ROUNDING[measure]) + 1e-9
    return BETTER if gain > slack else WITHIN if gain >= -slack else SHORT


def summary(scores: Sequence[float] | np.ndarray, *, lowest: bool = False) -> Figures:
    """Return mean, deviation and best of scores; of errors the lowest is best; one score has only a mean."""
    values = np.asarray(scores, dtype=np.float64)
    if len(values) == 1:
        return Figures(float(values[0]))
    return Figures(float(values.mean()), float(values.std()), float(values.min() if lowest else values.max()))


def figures(text: str) -> Figures:
    """Read figures as a paper prints them: ``mean``, ``mean±deviation``, ``mean±deviation/best`` or ``-``."""
    if text == "-":
        return Figures()
    rest, _, best = text.partition("/")
    mean, _, deviation = rest.partition("±")
    return Figures(float(mean), float(deviation) if deviation else None, float(best) if best else None)
