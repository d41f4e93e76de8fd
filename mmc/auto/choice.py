"""The choice among candidates: of the method for each number of clusters, and of that number.

Every candidate is judged without true labels (`mmc.judges`), and by its agreement: the mean adjusted Rand
index between its labels and those of the other methods with as many clusters. Different ideas of a cluster
agree where clusters are plain to see, and rarely where there are none.

- For each number of clusters the method with the highest score is taken,
  score = agreement + normalized_cut + worst_cut + dbcv.
- Of these, the number with the highest support is taken,
  support = agreement + normalized_cut + worst_cut.
  DBCV grows when small pieces are split off, so that it does not choose the number.

The judges have comparable ranges and no weights. Among equals the candidate comes first that was listed
first. LSMI takes no part: it compares the settings of one method well, and different methods poorly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc.auto.candidates import Candidate
from mmc.trials import Trial

#: Judges that are added up to choose the number of clusters, and the method.
SUPPORT = ("agreement", "normalized_cut", "worst_cut")
SCORE = (*SUPPORT, "dbcv")

#: Judges of labels without which no choice can be made.
NEEDED = ("normalized_cut", "dbcv", "worst_cut")

#: Labels whose adjusted Rand index is higher are the same answer in other words.
SAME = 0.95


class Judged(NamedTuple):
    """A candidate that has been tried, with what the judges say of it.

    Attributes
    ----------
    candidate : Candidate
        What was tried.
    trial : Trial
        Its labels, time and scores.
    agreement : float
        Mean adjusted Rand index with the other methods of the same number of clusters; 0 if there is none.
    """

    candidate: Candidate
    trial: Trial
    agreement: float = 0.0

    @property
    def labels(self) -> NDArray[np.int64]:
        """Labels of the points."""
        return self.trial.labels

    @property
    def values(self) -> Mapping[str, float]:
        """All judges by name, and the agreement."""
        return {"agreement": self.agreement, **self.trial.scores}

    @property
    def score(self) -> float:
        """What chooses the method for a number of clusters."""
        return sum(self.values[name] for name in SCORE)

    @property
    def support(self) -> float:
        """What chooses the number of clusters."""
        return sum(self.values[name] for name in SUPPORT)

    @property
    def found(self) -> str:
        """Number of clusters in words, by the labels: a method may find fewer than it is asked for."""
        k = len(np.unique(self.labels))
        return f"{k} cluster{'' if k == 1 else 's'}"

    @property
    def answer(self) -> str:
        """Number of clusters and method, in words."""
        return f"{self.found} by {self.candidate.method}"


class Choice(NamedTuple):
    """The candidates that have been tried, and the best of them.

    Attributes
    ----------
    judged : tuple of Judged
        All that were tried, in the order of the list.
    by_count : mapping from int to Judged
        The best for each number of clusters.
    best : Judged
        The best of all.
    runner_up : Judged or None
        The best whose labels differ, of the same number of clusters if that was given, and else of any.
    """

    judged: tuple[Judged, ...]
    by_count: Mapping[int, Judged]
    best: Judged
    runner_up: Judged | None

    @property
    def lead(self) -> float:
        """How far the best is ahead of the runner-up; infinite if there is none."""
        if self.runner_up is None:
            return float("inf")
        if self.runner_up.candidate.n_clusters == self.best.candidate.n_clusters:
            return self.best.score - self.runner_up.score
        return self.best.support - self.runner_up.support


def choose(tried: Sequence[tuple[Candidate, Trial]], alike: Mapping[tuple[int, int], float]) -> Choice | None:
    """Judge what has been tried, and choose.

    Parameters
    ----------
    tried : sequence of (Candidate, Trial)
        Candidates and their trials, in the order of the list; failed ones are passed over.
    alike : mapping from (int, int) to float
        Adjusted Rand index of any two trials of the same number of clusters, by their indices.

    Returns
    -------
    Choice or None
        None if no candidate has labels.
    """
    done = [(candidate, trial) for candidate, trial in tried if not trial.error]
    if not done:
        return None
    shared: dict[int, list[float]] = {trial.index: [] for _, trial in done}
    for (i, j), value in alike.items():
        shared[i].append(value)
        shared[j].append(value)
    judged = tuple(Judged(c, t, _mean(shared[t.index])) for c, t in done)
    by_count: dict[int, Judged] = {}
    for each in judged:
        k = each.candidate.n_clusters
        if k not in by_count or each.score > by_count[k].score:
            by_count[k] = each
    best = max(by_count.values(), key=lambda each: (each.support, -each.candidate.n_clusters))
    return Choice(judged, dict(sorted(by_count.items())), best, _runner_up(judged, by_count, best))


def rand_index(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Return the adjusted Rand index of two labellings from 0 on, as scikit-learn's does, but quicker.

    Parameters
    ----------
    one, other : ndarray of shape (n_samples,)
        Labels.

    Returns
    -------
    float
    """
    k = int(other.max()) + 1
    table = np.bincount(one * k + other, minlength=(int(one.max()) + 1) * k).reshape(-1, k).astype(float)
    both, left, right = (
        float((counts * (counts - 1.0)).sum()) for counts in (table, table.sum(axis=1), table.sum(axis=0))
    )
    pairs = len(one) * (len(one) - 1.0)
    expected, most = left * right / pairs, 0.5 * (left + right)
    return 1.0 if most == expected else (both - expected) / (most - expected)


def _mean(values: Sequence[float]) -> float:
    """Return the mean to the last bit in any order, as the order is that in which candidates end."""
    return fsum(values) / len(values) if values else 0.0


def _runner_up(judged: Sequence[Judged], by_count: Mapping[int, Judged], best: Judged) -> Judged | None:
    if len(by_count) > 1:
        others = [each for each in by_count.values() if each is not best]
        return max(others, key=lambda each: each.support)
    others = [each for each in judged if rand_index(each.labels, best.labels) <= SAME]
    return max(others, key=lambda each: each.score, default=None)
