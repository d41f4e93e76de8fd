"""The candidates of `AutoClusterer`: settings of the registry's algorithms, for each number of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator

from mmc import registry
from mmc.registry import Algorithm, Candidacy


class Candidate(NamedTuple):
    """A setting of an algorithm that may be tried.

    Attributes
    ----------
    algorithm : str
        Name of the algorithm in the registry.
    setting : dict
        Parameters by which it differs from the algorithm's defaults.
    n_clusters : int
        Number of clusters.
    parameters : dict
        All parameters that are set: those of the setting, the number of clusters and the seed.
    left_out : str
        Why it is not tried; empty if it is.
    """

    algorithm: str
    setting: dict[str, Any]
    n_clusters: int
    parameters: dict[str, Any]
    left_out: str = ""

    @property
    def method(self) -> str:
        """The algorithm and its setting, without the number of clusters."""
        values = ", ".join(f"{name}={value}" for name, value in self.setting.items())
        return f"{self.algorithm}({values})" if values else self.algorithm

    def make(self) -> BaseEstimator:
        """Return a new estimator with these parameters."""
        return registry.get(self.algorithm).make(self.parameters)


def list_candidates(shape: tuple[int, ...], n_clusters: Iterable[int], random_state: int) -> list[Candidate]:
    """List all candidates for some points, those that take little time first.

    Parameters
    ----------
    shape : tuple of int
        Numbers of points and of columns.
    n_clusters : iterable of int
        Numbers of clusters to try.
    random_state : int
        Seed of the algorithms.

    Returns
    -------
    list of Candidate
        Also those that are left out because of the size of the data.
    """
    entrants = [(entry, each) for entry in registry.ALGORITHMS.values() for each in entry.candidacies]
    entrants.sort(key=lambda pair: pair[1].rank)
    counts: Sequence[int] = list(n_clusters)
    return [
        _candidate(entry, each, k, random_state, each.refusal(*shape))
        for entry, each in entrants
        for k in counts
    ]


def _candidate(entry: Algorithm, candidacy: Candidacy, k: int, seed: int, left_out: str) -> Candidate:
    assert entry.clusters is not None  # algorithms that find k themselves cannot be compared at one k
    parameters = {**candidacy.parameters, entry.clusters.name: k}
    if any(parameter.name == "random_state" for parameter in entry.parameters):
        parameters["random_state"] = seed
    return Candidate(entry.name, dict(candidacy.parameters), k, parameters, left_out)
