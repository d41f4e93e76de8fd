"""States of a search of `AutoClusterer`: the candidates of one set of points, and the best so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mmc.auto.candidates import Candidate
from mmc.auto.choice import Choice, choose, rand_index
from mmc.stepping import State
from mmc.trials import Trial

Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Stage:
    """The candidates of one set of points, and what has come of them.

    Attributes
    ----------
    name : {"sample", "all", "reference"}
        What is searched.
    n_samples : int
        Number of points.
    candidates : tuple of Candidate
        The list, also those that are left out.
    trials : mapping from int to Trial
        Trials by their place in the list.
    alike : mapping from (int, int) to float
        Adjusted Rand index of any two trials of the same number of clusters.
    choice : Choice or None
        The choice among them.
    """

    name: str
    n_samples: int
    candidates: tuple[Candidate, ...]
    trials: Mapping[int, Trial] = field(default_factory=dict)
    alike: Mapping[tuple[int, int], float] = field(default_factory=dict)
    choice: Choice | None = None

    def added(self, trial: Trial) -> Stage:
        """Return the stage with one more trial and the choice anew."""
        trials = {**self.trials, trial.index: trial}
        alike = dict(self.alike)
        if not trial.error:
            k = self.candidates[trial.index].n_clusters
            for i, other in self.trials.items():
                if not other.error and self.candidates[i].n_clusters == k:
                    alike[i, trial.index] = rand_index(other.labels, trial.labels)
        choice = choose([(self.candidates[i], trials[i]) for i in sorted(trials)], alike)
        return replace(self, trials=trials, alike=alike, choice=choice)


@dataclass(frozen=True, kw_only=True, eq=False)
class AutoState(State):
    """The best clustering after one more candidate.

    Attributes
    ----------
    choice : Choice
        The candidates so far and the best of them.
    stages : tuple of Stage
        The searches so far: on a sample, on all points.
    references : tuple of float
        Score of the choice on each reference.
    evidence : float
        Score of the choice with which the references are compared.
    rows : ndarray or None
        Sampled points, if the labels come from a sample; all points have the label of the nearest of them.
    nearest : ndarray of shape (n_samples,) or None
        For each point the place of the nearest one in the sample; None if there is no sample.
    event : str
        What this step was.
    """

    choice: Choice
    stages: tuple[Stage, ...]
    references: tuple[float, ...] = ()
    evidence: float = np.nan
    rows: Labels | None = None
    nearest: Labels | None = None
    event: str = ""

    @property
    def caption(self) -> str:
        """One sentence that describes this step."""
        return f"{self.event} Best so far: {self.choice.best.answer}."

    @property
    def rings(self) -> str:
        """A sentence that says what the picture shows."""
        return "The picture shows the best candidate so far."
