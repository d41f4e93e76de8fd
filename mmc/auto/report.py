"""What is said of a search: its table, how sure it is, and the result in words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mmc._optional import pandas as pd
from mmc.auto.choice import Judged
from mmc.auto.reference import MARGIN
from mmc.auto.states import AutoState, Stage
from mmc.judges import OF_LABELS

#: Leads below this are said to be small: the order of two such candidates changes with the draw of points.
_SMALL = 0.1

#: Agreement above which methods are said to agree.
_AGREE = 0.8


class Certainty(NamedTuple):
    """How sure a choice is.

    Attributes
    ----------
    lead : float
        How far the best candidate is ahead of the runner-up; infinite if there is none.
    runner_up : str
        Number of clusters and method of the runner-up; empty if there is none.
    agreement : float
        Mean adjusted Rand index of the best candidate with the other methods of as many clusters.
    evidence : float
        Score of the choice.
    references : tuple of float
        Scores that the same search finds on points without clusters.
    """

    lead: float
    runner_up: str
    agreement: float
    evidence: float
    references: tuple[float, ...]

    @property
    def has_clusters(self) -> bool:
        """Whether the evidence is higher than every reference by more than chance explains."""
        return not self.references or self.evidence > max(self.references) + MARGIN


def certainty(state: AutoState) -> Certainty:
    """Return how sure the choice of a state is.

    Parameters
    ----------
    state : AutoState

    Returns
    -------
    Certainty
    """
    counted = state.stages[0].choice  # where numbers of clusters were compared
    assert counted is not None
    judged = state.choice if len(counted.by_count) == 1 else counted
    other = judged.runner_up
    return Certainty(
        judged.lead,
        "" if other is None else other.answer,
        state.choice.best.agreement,
        counted.best.score,
        state.references,
    )


def summary(state: AutoState) -> str:
    """Return the result of a search in words.

    Parameters
    ----------
    state : AutoState

    Returns
    -------
    str
        Some sentences.
    """
    best, sure = state.choice.best, certainty(state)
    sentences = []
    if sure.has_clusters:
        sentences.append(f"{best.found}, found by {best.candidate.method}.")
    else:
        sentences.append(
            "These data show no clusters: the same search finds as much in points without any "
            f"({max(sure.references):.2f} there, {sure.evidence:.2f} here). The labels are the best of no "
            f"good ones: {best.answer}."
        )
    sentences.append(_agreement(best, state))
    if sure.runner_up:
        close = "is close" if sure.lead < _SMALL else "is clearly behind"
        sentences.append(f"The next best answer, {sure.runner_up}, {close} (by {sure.lead:.2f}).")
    if sure.references and sure.has_clusters:
        sentences.append(
            f"In points without clusters the same search finds {max(sure.references):.2f} at most, here "
            f"{sure.evidence:.2f}."
        )
    if state.rows is not None:
        sentences.append(
            f"Only a sample of {len(state.rows):,} points was clustered; the others have the label of the "
            "nearest of these."
        )
    elif len(state.stages) > 1:
        sentences.append(
            f"The number of clusters was judged on a sample of {state.stages[0].n_samples:,} points."
        )
    return " ".join(sentences)


def table(state: AutoState) -> pd.DataFrame:
    """Return one row for each candidate of a search.

    Parameters
    ----------
    state : AutoState

    Returns
    -------
    DataFrame
        Candidates of all stages in the order of the list, with all judges; left-out ones say why.
    """
    return pd.DataFrame([row for stage in state.stages for row in _rows(stage, state)])


def _rows(stage: Stage, state: AutoState) -> list[dict[str, Any]]:
    judged = {} if stage.choice is None else {id(each.trial): each for each in stage.choice.judged}
    rows = []
    for i, candidate in enumerate(stage.candidates):
        trial = stage.trials.get(i)
        found = judged.get(id(trial))
        values = {} if found is None else found.values
        rows.append(
            {
                "algorithm": candidate.algorithm,
                "setting": ", ".join(f"{name}={value}" for name, value in candidate.setting.items()),
                "n_clusters": candidate.n_clusters,
                "n_samples": stage.n_samples,
                "score": np.nan if found is None else found.score,
                "support": np.nan if found is None else found.support,
                "agreement": values.get("agreement", np.nan),
                **{name: values.get(name, np.nan) for name in OF_LABELS},
                "seconds": np.nan if trial is None else trial.seconds,
                "chosen": found is not None and found is state.choice.best,
                "left_out": candidate.left_out or _not_tried(trial),
            }
        )
    return rows


def _not_tried(trial: Any) -> str:
    return "the search ended before" if trial is None else trial.error


def _agreement(best: Judged, state: AutoState) -> str:
    peers = [e for e in state.choice.judged if e.candidate.n_clusters == best.candidate.n_clusters]
    others = len(peers) - 1
    if not others:
        return "No other method was tried."
    say = "agree" if best.agreement >= _AGREE else "disagree in part" if best.agreement > 0.4 else "disagree"
    if others == 1:
        say = say.replace("agree", "agrees")
        return f"The other method {say} with it (adjusted Rand index {best.agreement:.2f})."
    return f"The {others} other methods {say} with it (mean adjusted Rand index {best.agreement:.2f})."
