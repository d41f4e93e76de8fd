"""What is said of each judge: one place for the texts of the pages, the command line and the README."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Judge(NamedTuple):
    """A score of labels, as a user sees it.

    Attributes
    ----------
    title : str
        Name in tables and on axes.
    meaning : str
        One sentence for a person who has not read the papers.
    cost : str
        Time in words, for n points.
    chooses_k : bool
        Whether its values for different numbers of clusters can be compared.
    """

    title: str
    meaning: str
    cost: str
    chooses_k: bool = True


#: All judges by their key. "stability" needs the estimator, the others only points and labels.
JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "lsmi": Judge(
            "LSMI",
            "How much the points tell about the labels: squared-loss mutual information. It grows with the "
            "number of clusters.",
            "proportional to n",
            chooses_k=False,
        ),
        "worst_cut": Judge(
            "Worst-learned cluster",
            "How well a smooth model can learn to tell the worst cluster from the rest; 0 is perfect, −1 is "
            "not at all.",
            "n³ once up to 2,000 points, beyond that proportional to n",
        ),
        "normalized_cut": Judge(
            "Normalized cut",
            "How few links between near neighbours lead from one cluster into another; 0 is none, −1 is all.",
            "little more than a search for neighbours",
        ),
        "dbcv": Judge(
            "Density (DBCV)",
            "Whether the gap around each cluster is wider than the gaps within it; from −1, bad, to 1, good.",
            "n², from a sample of 5,000 points if there are more",
        ),
        "neighbors": Judge(
            "Neighbour agreement",
            "The share of the 5 nearest neighbours of a point that are in its own cluster; 1 is all.",
            "little more than a search for neighbours",
        ),
        "stability": Judge(
            "Stability",
            "Whether parts of the points give the same clusters: agreement of fits to ten random subsamples "
            "of 80 %.",
            "ten more fits",
        ),
        "silhouette": Judge(
            "Silhouette",
            "Whether points are nearer to their own cluster than to the next one on average, which favours "
            "round clusters; from −1 to 1.",
            "n², from a sample of 5,000 points if there are more",
        ),
        "mlmi": Judge(
            "MLMI",
            "How much the points tell about the labels: ordinary mutual information. It grows with the "
            "number of clusters.",
            "proportional to n, but many times longer than LSMI",
            chooses_k=False,
        ),
    }
)
