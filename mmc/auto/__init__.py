"""Clusters with nothing set: candidates of several methods, judged without true labels.

`AutoClusterer` is the estimator. `plan` says what is asked for, `candidates` lists what is tried, `choice`
says how the best is found, `states` are the steps, `reference` draws points without clusters, `search` does
the work, and `report` puts it into words.
"""

from mmc.auto.candidates import Candidate
from mmc.auto.choice import Choice, Judged
from mmc.auto.estimator import AutoClusterer
from mmc.auto.plan import Plan, make_plan
from mmc.auto.report import Certainty, certainty, summary, table
from mmc.auto.search import search
from mmc.auto.states import AutoState, Stage

__all__ = [
    "AutoClusterer",
    "AutoState",
    "Candidate",
    "Certainty",
    "Choice",
    "Judged",
    "Plan",
    "Stage",
    "certainty",
    "make_plan",
    "search",
    "summary",
    "table",
]
