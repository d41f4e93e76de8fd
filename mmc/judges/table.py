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
    max_samples : int or None
        Largest number of points that it looks at; of more it looks at a random sample of so many.
    """

    title: str
    meaning: str
    cost: str
    chooses_k: bool = True
    max_samples: int | None = None

    def title_for(self, n_samples: int) -> str:
        """Return the title of the score of so many points, which says so if it is that of a sample.

        Parameters
        ----------
        n_samples : int
            Number of points.

        Returns
        -------
        str
        """
        if self.max_samples is None or n_samples <= self.max_samples:
            return self.title
        return f"{self.title}, sample of {self.max_samples:,}"


#: Largest number of points of the judges that compare all pairs, and of the others; of more than that they
#: look at a random sample.
PAIRS, POINTS = 5_000, 20_000

_SAMPLED = f"from a sample of {POINTS:,} points if there are more"
_SAMPLED_PAIRS = f"from a sample of {PAIRS:,} points if there are more"


#: All judges by their key. "stability" needs the estimator, the others only points and labels.
JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "lsmi": Judge(
            "LSMI",
            "How much the points tell about the labels: squared-loss mutual information. It grows with the "
            "number of clusters.",
            f"proportional to n, {_SAMPLED}",
            chooses_k=False,
            max_samples=POINTS,
        ),
        "worst_cut": Judge(
            "Worst-learned cluster",
            "How well a smooth model can learn to tell the worst cluster from the rest; 0 is perfect, −1 is "
            "not at all.",
            f"n³ once up to 2,000 points, beyond that proportional to n, {_SAMPLED}",
            max_samples=POINTS,
        ),
        "normalized_cut": Judge(
            "Normalized cut",
            "How few links between near neighbours lead from one cluster into another; 0 is none, −1 is all.",
            f"little more than a search for neighbours, {_SAMPLED}",
            max_samples=POINTS,
        ),
        "dbcv": Judge(
            "Density (DBCV)",
            "Whether the gap around each cluster is wider than the gaps within it; from −1, bad, to 1, good.",
            f"n², {_SAMPLED_PAIRS}",
            max_samples=PAIRS,
        ),
        "neighbors": Judge(
            "Neighbour agreement",
            "The share of the 5 nearest neighbours of a point that are in its own cluster; 1 is all.",
            f"little more than a search for neighbours, {_SAMPLED}",
            max_samples=POINTS,
        ),
        "stability": Judge(
            "Stability",
            "Whether parts of the points give the same clusters: agreement of fits to ten random subsamples "
            "of 80 %.",
            f"ten more fits, {_SAMPLED}",
            max_samples=POINTS,
        ),
        "silhouette": Judge(
            "Silhouette",
            "Whether points are nearer to their own cluster than to the next one on average, which favours "
            "round clusters; from −1 to 1.",
            f"n², {_SAMPLED_PAIRS}",
            max_samples=PAIRS,
        ),
        "mlmi": Judge(
            "MLMI",
            "How much the points tell about the labels: ordinary mutual information. It grows with the "
            "number of clusters.",
            f"proportional to n, but many times longer than LSMI, {_SAMPLED}",
            chooses_k=False,
            max_samples=POINTS,
        ),
    }
)
