"""How likely differences between a cluster and the other rows are where clusters are drawn at random.

Each function returns a p-value for one column and one cluster. Where the clusters were found in the same
columns, they differ in these by construction, and the p-values say less.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, erfc

#: Probability with which some column is taken to tell clusters apart although none does.
LEVEL = 0.01
_TERMS = 20


def kuiper_p_value(separation: float, m: int, n: int) -> float:
    """Return how likely a separation is for two samples of the same source, asymptotically.

    Parameters
    ----------
    separation : float
        Kuiper's statistic.
    m, n : int
        Sizes of the samples.

    Returns
    -------
    float
    """
    size = np.sqrt(m * n / (m + n))
    scaled = (size + 0.155 + 0.24 / size) * separation
    if scaled < 0.4:  # the series needs many terms, and the sum is 1
        return 1.0
    squares = (np.arange(1, _TERMS + 1) * scaled) ** 2
    return float(min(2 * ((4 * squares - 1) * np.exp(-2 * squares)).sum(), 1.0))


def shares_p_value(difference: float, share: float, m: int, n: int) -> float:
    """Return how likely a difference of two shares is, by the normal approximation with a correction.

    Parameters
    ----------
    difference : float
        Difference of the shares of two samples.
    share : float
        Share in both together.
    m, n : int
        Sizes of the samples.

    Returns
    -------
    float
    """
    if not 0 < share < 1:
        return 1.0
    parts = 1 / m + 1 / n
    corrected = max(abs(difference) - parts / 2, 0.0)
    return float(erfc(corrected / np.sqrt(2 * share * (1 - share) * parts)))


def counts_p_value(own: NDArray[np.int64], others: NDArray[np.int64]) -> float:
    """Return how likely the counts of categories in two samples are, by the chi-square test.

    Parameters
    ----------
    own, others : ndarray of shape (n_categories,)
        Counts of both samples.

    Returns
    -------
    float
    """
    counts = np.array([own, others], dtype=np.float64)
    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return 1.0
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    return float(chdtrc(counts.shape[1] - 1, ((counts - expected) ** 2 / expected).sum()))
