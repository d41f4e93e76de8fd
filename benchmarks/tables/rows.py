"""The rows of a table: planned, computed, and compared with the figures that a paper prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mmc.experiment import Experiment

BETTER, WITHIN, SHORT, MISSING = "better", "within one deviation", "short of it", "missing data"
#: No labelling of the set has the printed figure; or both figures are shown, and nothing is claimed.
UNATTAINABLE, SHOWN = "not attainable", "shown only"

#: Number of decimals of each measure.
DECIMALS = {"ARI": 2, "error %": 2, "accuracy %": 2, "seconds": 3, "rounds": 1, "exponent": 2}
#: Half a unit of the last digit in the papers, some of which print errors with one decimal.
ROUNDING = {"ARI": 0.005, "error %": 0.05, "accuracy %": 0.005}
#: Measures of which neither the larger nor the smaller is better, or that other machines change.
UNJUDGED = ("seconds", "rounds", "exponent")


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
    """What a computation found.

    Attributes
    ----------
    ours : Figures
        Figures of the row.
    experiment : Experiment or None
        Experiment that a visitor can open.
    note : str
    spread : float
        Deviation between draws of the points, if the paper does not name its own; the verdict forgives it.
    unattainable : str
        Why no labelling has the printed figure, see `out_of_reach`.
    beside : sequence of Outcome
        Outcomes of the rows beside it, see `Plan`.
    """

    ours: Figures
    experiment: Experiment | None = None
    note: str = ""
    spread: float = 0.0
    unattainable: str = ""
    beside: Sequence[Outcome] = ()


@dataclass(frozen=True)
class Plan:
    """A row to compute.

    Attributes
    ----------
    paper, table, set, method : str
        Key of the row.
    protocol : str
        Description of the measurement.
    measure : str
        Unit of the figures, one of `DECIMALS`.
    printed : Figures
        Figures that the paper prints.
    compute : callable or None
        Returns the outcome, in any process; None if data are missing.
    missing : str
        File that is needed.
    beside : tuple of Plan
        Further rows that the same computation gives, such as its time.
    judged : bool
        Whether there is a verdict; False if the points are not the paper's.
    cause : str
        Why the row falls short, if it does.
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
    beside: tuple[Plan, ...] = ()
    judged: bool = True
    cause: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Key of the row."""
        return self.paper, self.table, self.set, self.method

    @property
    def all(self) -> tuple[Plan, ...]:
        """The row and those beside it."""
        return self, *self.beside


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
    if plan.measure in UNJUDGED or not plan.judged:
        told = MISSING if ours.mean is None else SHOWN
    else:
        told = (
            UNATTAINABLE
            if outcome.unattainable
            else verdict(ours, plan.printed, plan.measure, outcome.spread)
        )
    return Row(
        *plan.key,
        plan.protocol,
        plan.measure,
        *ours,
        *plan.printed,
        told,
        None if seconds is None else round(seconds, 1),
        " ".join(written.split()),
        " ".join(filter(None, (outcome.note, outcome.unattainable))),
    )


def finish_all(plan: Plan, outcome: Outcome, seconds: float) -> list[Row]:
    """Return the rows of a computation; the seconds stand in the first."""
    rows = [finish(plan, outcome, seconds)]
    return rows + [finish(*each, None) for each in zip(plan.beside, outcome.beside, strict=True)]


def absent(plan: Plan) -> Row:
    """Return the row of a set that is missing."""
    note = f"There is no {plan.missing} in the folder of the data."
    return finish(plan, Outcome(Figures(), note=note), None)


def verdict(ours: Figures, printed: Figures, measure: str, spread: float = 0.0) -> str:
    """Return how our mean compares with the paper's.

    Forgiven is the largest of the paper's deviation, its rounding, and the deviation between draws.
    """
    if ours.mean is None or printed.mean is None:
        return MISSING
    gain = (printed.mean - ours.mean) if measure == "error %" else (ours.mean - printed.mean)
    slack = max(printed.deviation or 0.0, rounding(printed.mean, measure), spread) + 1e-9
    return BETTER if gain > slack else WITHIN if gain >= -slack else SHORT


def rounding(printed: float, measure: str) -> float:
    """Return half a unit of the last digit; an accuracy that ends in zero may have only one."""
    return 0.05 if measure == "accuracy %" and round(printed, 1) == printed else ROUNDING[measure]


def out_of_reach(printed: Figures, measure: str, n: int) -> str:
    """Return why no labelling of n points has the printed figure, or an empty text if one has.

    A mean over different labellings may be anything, so only figures without deviation are looked at.
    """
    if printed.mean is None or printed.deviation:
        return ""
    count = printed.mean * n / 100
    slack = rounding(printed.mean, measure) * n / 100 + 1e-9
    if abs(count - round(count)) <= slack:
        return ""
    below, above = int(count), int(count) + 1
    return (
        f"No labelling of these {n} points has {printed.mean:g} %: {below} of them are "
        f"{100 * below / n:.2f} %, {above} are {100 * above / n:.2f} %."
    )


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
