"""The effect of known cluster sizes on clusters of unequal size: [SMIC] section 4.2 and Figure 9."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import adjusted_rand_score

from mmc._optional import pandas as pd
from mmc.datasets import load

EQUAL, TRUE = "equal shares assumed", "true shares given"


@dataclass(frozen=True)
class Draw:
    """Adjusted Rand indices on one drawn data set.

    Attributes
    ----------
    smallest : float
        Share of the smallest class.
    equal, true : float
        Adjusted Rand index with equal and with true class priors.
    """

    smallest: float
    equal: float
    true: float


def imbalance_draws(
    estimator: BaseEstimator,
    parameter: str,
    source: str,
    options: Mapping[str, Any],
    imbalances: Sequence[float] = (0.0, 0.25, 0.5, 0.75),
    n_draws: int = 5,
    standardize: bool = True,
) -> Iterator[Draw]:
    """Draw a toy set at several imbalances and cluster each draw with equal and with true class priors.

    Parameters
    ----------
    estimator : clusterer
        Estimator, which is copied.
    parameter : str
        Parameter of the estimator that takes the class priors.
    source : str
        Key of a built-in set with the options `imbalance` and `random_state`.
    options : mapping
        Other options of the set.
    imbalances : sequence of float, default=(0.0, 0.25, 0.5, 0.75)
        Values of `imbalance`.
    n_draws : int, default=5
        Number of draws for each imbalance.
    standardize : bool, default=True
        Whether every column is scaled to mean 0 and variance 1.

    Yields
    ------
    Draw
    """
    for imbalance in imbalances:
        for seed in range(n_draws):
            data = load(source, **{**options, "imbalance": imbalance, "random_state": seed})
            data = data.standardized() if standardize else data
            shares = np.bincount(np.asarray(data.y)) / len(data.X)
            scores = [
                adjusted_rand_score(
                    data.y, clone(estimator).set_params(**{parameter: prior}).fit(data.X).labels_
                )
                for prior in (None, shares)
            ]
            yield Draw(float(shares.min()), scores[0], scores[1])


def summarize(draws: Sequence[Draw]) -> pd.DataFrame:
    """Return mean and deviation of the adjusted Rand index for each share of the smallest class.

    Parameters
    ----------
    draws : sequence of Draw
        Draws of several imbalances.

    Returns
    -------
    DataFrame
        Columns share, prior, mean and deviation.
    """
    kinds: dict[str, Callable[[Draw], float]] = {EQUAL: lambda d: d.equal, TRUE: lambda d: d.true}
    rows = []
    for name, score in kinds.items():
        for share in sorted({round(d.smallest, 3) for d in draws}):
            values = [score(d) for d in draws if round(d.smallest, 3) == share]
            rows.append((share, name, float(np.mean(values)), float(np.std(values))))
    return pd.DataFrame(rows, columns=["share", "prior", "mean", "deviation"])
