"""Judges: scores of any labels, by whatever method, without true labels; higher is always better.

`JUDGES` says what each one means and costs. `Judges` scores many labellings of the same points; the functions
score one; `judge_scorer` gives a judge to scikit-learn's searches.
"""

from mmc.judges.agreement import stability
from mmc.judges.functions import (
    JudgeScorer,
    dbcv,
    judge_scorer,
    kernel_of,
    neighbor_agreement,
    normalized_cut,
    require_points,
    silhouette,
    worst_cut,
)
from mmc.judges.scores import OF_LABELS, Judges, LastJudges, Scores
from mmc.judges.table import JUDGES, Judge

__all__ = [
    "JUDGES",
    "OF_LABELS",
    "Judge",
    "JudgeScorer",
    "Judges",
    "LastJudges",
    "Scores",
    "dbcv",
    "judge_scorer",
    "kernel_of",
    "neighbor_agreement",
    "normalized_cut",
    "require_points",
    "silhouette",
    "stability",
    "worst_cut",
]
