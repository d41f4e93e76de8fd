"""The quantities of a run that a lesson can speak of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mmc.datasets import Dataset
from mmc.judges import JUDGES, Judges
from mmc.metrics import adjusted_rand_score, clustering_error
from mmc.recording import Recording

#: Number of starts whose ends are compared with each other.
_MOST_COMPARED = 30


@dataclass(frozen=True, eq=False)
class Measured:
    """A run whose quantities are wanted.

    Attributes
    ----------
    dataset : Dataset
        Its data.
    recording : Recording
        Its states.
    frame : int
        Number of the frame that is shown.
    first : Measured or None
        First run of the step; None for the first run itself.
    """

    dataset: Dataset
    recording: Recording
    frame: int
    first: Measured | None = None

    @property
    def labels(self) -> NDArray[np.int64]:
        """Final labels."""
        return self.recording.labels

    def iterations(self, state: int) -> float:
        """Return the number of iterations up to a state."""
        n_done = self.recording.states[state].n_done
        return state % len(self.recording.states) if n_done is None else n_done

    def ari(self, state: int) -> float:
        """Return the agreement of a state with the reference labels; NaN if there are none."""
        y = self.dataset.y
        return np.nan if y is None else float(adjusted_rand_score(y, self.recording.states[state].labels))


@dataclass(frozen=True)
class Quantity:
    """A number that a run has.

    Attributes
    ----------
    title : str
        Heading of its column.
    meaning : str
        What it is, in a sentence.
    measure : callable
        Takes a `Measured` and returns the number, or NaN if the run has none.
    form : str
        How it is written in a table: a number of digits, “%” or empty.
    """

    title: str
    meaning: str
    measure: Callable[[Measured], float]
    form: str = ""


def _sizes(run: Measured) -> NDArray[np.int64]:
    sizes = np.bincount(run.labels)
    return sizes[sizes > 0]


def _error(run: Measured) -> float:
    return np.nan if run.dataset.y is None else clustering_error(run.dataset.y, run.labels)


def _objectives(run: Measured) -> list[float]:
    return [end.objective for end in run.recording.ends] or [run.recording.end.objective]


def _n_same(run: Measured) -> float:
    return float(np.isclose(_objectives(run), run.recording.end.objective, rtol=1e-6).sum())


def _start_agreement(run: Measured) -> float:
    ends = [end.labels for end in run.recording.ends[:_MOST_COMPARED]]
    if len(ends) < 2:
        return np.nan
    return float(np.mean([adjusted_rand_score(a, b) for a, b in combinations(ends, 2)]))


def _agreement(run: Measured) -> float:
    if run.first is None or len(run.first.labels) != len(run.labels):
        return np.nan
    return float(adjusted_rand_score(run.first.labels, run.labels))


def _moved(run: Measured) -> float:
    return float(np.sum(run.recording.states[0].labels != run.labels))


def _weight(number: int) -> Callable[[Measured], float]:
    def measure(run: Measured) -> float:
        weights = run.recording.end.weights
        return float(weights[number][1]) if number < len(weights) else np.nan

    return measure


def _judge(name: str) -> Callable[[Measured], float]:
    return lambda run: Judges(run.dataset.X, random_state=0).score(name, run.labels)


#: Quantities by their name in claims and answers.
QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {
        "n_points": Quantity("points", "Number of points.", lambda run: len(run.labels)),
        "n_clusters": Quantity(
            "clusters", "Number of clusters that hold points in the end.", lambda run: len(_sizes(run))
        ),
        "smallest": Quantity("smallest", "Points in the smallest cluster.", lambda run: _sizes(run).min()),
        "largest": Quantity("largest", "Points in the largest cluster.", lambda run: _sizes(run).max()),
        "n_steps": Quantity(
            "steps",
            "Number of the last frame of the player. Of a long run 149 frames after the first are kept.",
            lambda run: len(run.recording.states) - 1,
        ),
        "n_iter": Quantity(
            "iterations",
            "Number of the last iteration, such as a generation; a frame may stand for several.",
            lambda run: run.iterations(-1),
        ),
        "shown_iter": Quantity(
            "iteration shown", "The same at the frame that is shown.", lambda run: run.iterations(run.frame)
        ),
        "shown_step": Quantity("step shown", "Number of the frame that is shown.", lambda run: run.frame),
        "objective": Quantity(
            "objective", "What the algorithm minimises, at the end.", lambda run: run.recording.end.objective
        ),
        "first_objective": Quantity(
            "objective at the start",
            "The objective at the first frame.",
            lambda run: run.recording.states[0].objective,
        ),
        "shown_objective": Quantity(
            "objective where shown",
            "The objective at the frame that is shown.",
            lambda run: run.recording.states[run.frame].objective,
        ),
        "worst_objective": Quantity(
            "worst start",
            "The highest objective with which a start has ended.",
            lambda run: float(np.max(_objectives(run))),
        ),
        "ari": Quantity(
            "adjusted Rand index",
            "Adjusted Rand index of the final labels and the true groups: 1 is perfect, 0 is chance.",
            lambda run: run.ari(-1),
            "2",
        ),
        "first_ari": Quantity(
            "index at the start", "The same at the first frame.", lambda run: run.ari(0), "2"
        ),
        "shown_ari": Quantity(
            "index where shown", "The same at the frame that is shown.", lambda run: run.ari(run.frame), "2"
        ),
        "error": Quantity(
            "error",
            "Share of points that are wrong when clusters and true groups are matched one to one.",
            _error,
            "%",
        ),
        "moved": Quantity("moved", "Number of points whose label in the end is not their first one.", _moved),
        "agreement": Quantity(
            "same as first",
            "Adjusted Rand index of the final labels of this run and of the step's first run.",
            _agreement,
            "2",
        ),
        "n_starts": Quantity("starts", "Number of starts.", lambda run: max(1, len(run.recording.ends))),
        "n_same": Quantity(
            "starts that end here", "Number of starts that end with the best objective.", _n_same
        ),
        "start_agreement": Quantity(
            "agreement of starts",
            "Mean adjusted Rand index between the ends of two starts.",
            _start_agreement,
            "2",
        ),
        **{
            f"weight_{i + 1}": Quantity(
                f"weight {i + 1}",
                f"Weight of kernel {i + 1} of a method that weighs several.",
                _weight(i),
                "2",
            )
            for i in range(4)
        },
        "seconds": Quantity(
            "seconds", "Time of the fit on this computer.", lambda run: run.recording.seconds, "2"
        ),
        **{
            name: Quantity(judge.title, judge.meaning, _judge(name), "3")
            for name, judge in JUDGES.items()
            if name != "stability"  # it needs ten further fits
        },
    }
)


def measure(run: Measured, wanted: Collection[str]) -> dict[str, float]:
    """Return some quantities of a run.

    Parameters
    ----------
    run : Measured
        The run.
    wanted : collection of str
        Names of the quantities.

    Returns
    -------
    dict from str to float
    """
    return {name: float(QUANTITIES[name].measure(run)) for name in sorted(wanted)}
