"""An algorithm from outside the library: k-medoids by turns, one class and one registry entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from mmc.base import StepwiseClusterer
from mmc.registry import Algorithm, CoursePanel, Line, Parameter, Quantity
from mmc.stepping import State


@dataclass(frozen=True, kw_only=True, eq=False)
class MedoidState(State):
    """Medoids, and the points that are nearest to each."""

    medoids: np.ndarray
    round: int

    @property
    def line(self) -> str:
        """Name the line of the pseudo-code."""
        return "round" if self.round else "start"

    @property
    def caption(self) -> str:
        """Say what happened."""
        return f"round {self.round}: cost {self.objective:.4g}"

    @property
    def changed(self) -> np.ndarray:
        """Give the medoids."""
        return self.medoids

    @property
    def rings(self) -> str:
        """Say what the rings mean."""
        return "Rings mark the medoids."


class ScratchKMedoids(StepwiseClusterer):
    """Every cluster is a point of the data and those that are nearest to it."""

    def __init__(self, n_clusters: int = 2, *, n_init: int = 3, random_state: int | None = None) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.random_state = random_state

    def _prepare(self, X: np.ndarray) -> Any:
        rng = np.random.RandomState(self.random_state)
        return X, [rng.choice(len(X), self.n_clusters, replace=False) for _ in range(self.n_init)]

    def _starts(self, problem: Any) -> Any:
        self._X, starts = problem
        return len(starts), (self._rounds(medoids) for medoids in starts)

    def _rounds(self, medoids: np.ndarray) -> Iterator[MedoidState]:
        D, before, number = cdist(self._X, self._X), None, 0
        while True:
            labels = D[:, medoids].argmin(axis=1)
            cost = float(D[:, medoids].min(axis=1).sum())
            done = before is not None and np.array_equal(medoids, before)
            yield MedoidState(labels=labels, objective=cost, converged=done, medoids=medoids, round=number)
            before, number = medoids, number + 1
            members = [np.flatnonzero(labels == h) for h in range(self.n_clusters)]
            medoids = np.array([m[D[np.ix_(m, m)].sum(axis=1).argmin()] for m in members])

    def _adopt(self, state: MedoidState) -> None:
        self.medoids_ = self._X[state.medoids]

    def _follow(self, X: np.ndarray) -> Callable[[MedoidState], np.ndarray]:
        return lambda state: -cdist(X, self._X[state.medoids])


ENTRY = Algorithm(
    name="ScratchKMedoids",
    estimator=ScratchKMedoids,
    family="from outside",
    paper="Kaufman and Rousseeuw: Clustering by means of medoids, 1987",
    summary="Every cluster is one of its points.",
    objective="cost",
    meaning="Distances of all points to their medoids, added up; lower is tighter.",
    parameters=(
        Parameter("n_clusters", "int", "Clusters k", "How many.", 2, 20, swept=False, is_n_clusters=True),
        Parameter("n_init", "int", "Starts", "How many starts.", 1, 20),
        Parameter("random_state", "int", "Seed", "The same seed, the same result.", 0, 100, swept=False),
    ),
    max_samples=1000,
    tune="n_init",
    pseudo_code=(
        Line("begin with k medoids", "start"),
        Line("repeat until no medoid changes: the best member is the medoid", "round"),
    ),
    panels=(
        CoursePanel(
            title="Medoid rounds",
            x=Quantity("round", "round"),
            quantities=(Quantity("objective", "cost"), Quantity("error", "error (%)")),
            caption="The cost falls.",
        ),
    ),
)
