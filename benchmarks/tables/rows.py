"""What a row of a table is: planned, computed, and set beside what a paper prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mmc.experiment import Experiment

BETTER, WITHIN, SHORT, MISSING = "better", "within one deviation", "short of it", "missing data"

#: Decimals with which a measure is shown.
DECIMALS = {"ARI": 2, "error %": 2, "accuracy %": 2}
#: Half a unit of the last digit in the papers; of errors some print one decimal.
ROUNDING = {"ARI": 0.005, "error %": 0.05, "accuracy %": 0.005}


class Figures(NamedTuple):
    """Mean, deviation and best of several runs; None where there is no such number."""

    mean: float | None = None
    deviation: float | None = None
    best: float | None = None

    def formatted(self, measure: str) -> str:
        """Write mean and deviation as a paper does."""
        if self.mean is None:
            return "–"
        places = DECIMALS[measure]
        spread = "" if self.deviation is None else f" ± {self.deviation:.{places}f}"
        return f"{self.mean:.{places}f}{spread}"


class Outcome(NamedTuple):
    """What a row came to, the experiment that a visitor can open, and what there is to say."""

    ours: Figures
    experiment: Experiment | None = None
    note: str = ""


@dataclass(frozen=True)
class Plan:
    """A row to compute.

    Attributes
    ----------
    paper, table, set, method : str
        Which number this is; together they name the row.
    protocol : str
        How it is measured, in words.
    measure : {"ARI", "error %", "accuracy %"}
    printed : Figures
        What the paper prints.
    compute : callable or None
        Gives the outcome; it can be sent to another process. None where data are missing.
    missing : str
        The file that would be needed.
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
        """The name of the row."""
        return self.paper, self.table, self.set, self.method


@dataclass(frozen=True)
class Row:
    """A row as it is stored; every field is a column of the CSV file."""

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
        """The name of the row."""
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
    """Set an outcome beside what the paper prints."""
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
    """Give the row of a set that is not there."""
    note = f"There is no {plan.missing} in the folder of the data."
    return finish(plan, Outcome(Figures(), note=note), None)


def verdict(ours: Figures, printed: Figures, measure: str) -> str:
    """Say how our mean compares with the paper's, given the paper's deviation and its rounding."""
    if ours.mean is None or printed.mean is None:
        return MISSING
    gain = (printed.mean - ours.mean) if measure == "error %" else (ours.mean - printed.mean)
    slack = max(printed.deviation or 0.0, ROUNDING[measure]) + 1e-9
    return BETTER if gain > slack else WITHIN if gain >= -slack else SHORT


def summary(scores: Sequence[float] | np.ndarray, *, lowest: bool = False) -> Figures:
    """Give mean, deviation and best of scores; of errors the lowest is best; one score is a mean alone."""
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
