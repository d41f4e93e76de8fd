"""Numbers of one column in each cluster, against the rows of the other clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc.profiling._chance import counts_p_value, kuiper_p_value, shares_p_value
from mmc.profiling._columns import TEXT, TWO_VALUES, Column

#: Number of categories of a column that are told apart, and of those that are named.
_MOST_CATEGORIES, _MOST_NAMED = 20, 3

#: How large the smaller of two differences is at least, in the larger one, for values on both sides.
_BOTH = 0.25

#: Number of characters of a category in a summary.
_MOST_SHOWN = 40


class Summary(NamedTuple):
    """Numbers of one column in one cluster.

    Attributes
    ----------
    column, kind : str
        Name and kind of the column.
    n_known, n_missing : int
        Number of the cluster's rows with a value, and without.
    minimum, lower_quartile, median, upper_quartile, maximum : float
        Of the cluster; NaN for text.
    rest_median : float
        Median of the rows of the other clusters.
    effect : float
        Cohen's d, or a difference in shares, see `mmc.profile`; NaN where it is not defined.
    separation : float
        From 0, as the other rows, to 1, told apart by an interval of values; NaN where it is not defined.
    p_value : float
        Probability of such a separation where clusters are drawn at random; NaN where it is not defined.
    direction : str
        "higher" or "lower" than the other rows, "between" them or "outside" on both sides; empty for text.
    categories : str
        The most frequent categories with their shares; empty for numbers.
    """

    column: str
    kind: str
    n_known: int
    n_missing: int
    minimum: float = np.nan
    lower_quartile: float = np.nan
    median: float = np.nan
    upper_quartile: float = np.nan
    maximum: float = np.nan
    rest_median: float = np.nan
    effect: float = np.nan
    separation: float = np.nan
    p_value: float = np.nan
    direction: str = ""
    categories: str = ""


def summarize(column: Column, clusters: NDArray[np.int64], n_clusters: int) -> list[Summary]:
    """Return the numbers of a column in each cluster.

    Parameters
    ----------
    column : Column
        Column.
    clusters : ndarray of shape (n_samples,)
        Position of each row's cluster, from 0 on; −1 belongs to none and counts nowhere.
    n_clusters : int
        Number of clusters.

    Returns
    -------
    list of Summary
    """
    sizes = np.bincount(clusters[clusters >= 0], minlength=n_clusters)
    used = (clusters >= 0) & column.known
    known = np.bincount(clusters[used], minlength=n_clusters)
    if column.kind == TEXT:
        assert column.codes is not None
        return _of_text(column, column.codes[used], clusters[used], sizes, known)
    if column.numbers is None or not used.any():
        return [
            Summary(column.name, column.kind, int(m), int(size - m))
            for m, size in zip(known, sizes, strict=True)
        ]
    return _of_numbers(column, column.numbers[used], clusters[used], sizes, known)


def _of_numbers(
    column: Column,
    values: NDArray[np.float64],
    clusters: NDArray[np.int64],
    sizes: NDArray[np.int64],
    known: NDArray[np.int64],
) -> list[Summary]:
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    groups = _grouped(clusters[order], known)
    summaries = []
    for members, size, m in zip(groups, sizes, known, strict=True):
        own, others = ascending[members], np.delete(ascending, members)
        basic = Summary(column.name, column.kind, int(m), int(size - m))
        if len(own):
            halves = np.quantile(own / 2, [0, 0.25, 0.5, 0.75, 1])  # so that no difference overflows
            low, lower, median, upper, high = map(float, 2 * halves)
            basic = basic._replace(
                minimum=low, lower_quartile=lower, median=median, upper_quartile=upper, maximum=high
            )
        if len(others):
            middle = others[[(len(others) - 1) // 2, len(others) // 2]] / 2  # so that no sum overflows
            basic = basic._replace(rest_median=float(middle.sum()))
        if len(own) and len(others):
            largest = ascending[-1]
            difference = float(np.mean(own == largest) - np.mean(others == largest))
            effect = difference if column.kind == TWO_VALUES else cohens_d(own, others)
            separation, direction = interval_separation(own, ascending)
            if column.kind == TWO_VALUES:
                p_value = shares_p_value(
                    difference, float(np.mean(ascending == largest)), len(own), len(others)
                )
            else:
                p_value = kuiper_p_value(separation, len(own), len(others))
            basic = basic._replace(effect=effect, separation=separation, p_value=p_value, direction=direction)
        summaries.append(basic)
    return summaries


def _grouped(clusters: NDArray[np.int64], known: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the positions of each cluster's rows, ascending."""
    return np.split(np.argsort(clusters, kind="stable"), np.cumsum(known)[:-1])


def cohens_d(own: NDArray[np.float64], others: NDArray[np.float64]) -> float:
    """Return the difference of means in units of the pooled standard deviation; infinite if that is 0.

    Parameters
    ----------
    own, others : ndarray
        Values of the cluster and of the other rows.

    Returns
    -------
    float
    """
    scale = max(np.abs(own).max(), np.abs(others).max())
    if scale == 0:
        return 0.0
    a, b = own / scale, others / scale  # so that no square overflows
    degrees = len(a) + len(b) - 2
    spread = ((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum()
    difference = float(a.mean() - b.mean())
    if np.ptp(a) == 0 and np.ptp(b) == 0:  # no rounding here: two constants
        return float(np.sign(a[0] - b[0]) * np.inf) if a[0] != b[0] else 0.0
    return difference / float(np.sqrt(spread / degrees))


def interval_separation(own: NDArray[np.float64], everything: NDArray[np.float64]) -> tuple[float, str]:
    """Return the largest difference between two shares: of own and of other values within one interval.

    Parameters
    ----------
    own, everything : ndarray
        Values of the cluster and of all rows, both ascending; the other rows are those that are not own.

    Returns
    -------
    separation : float
        Between 0 and 1: Kuiper's statistic of the two samples.
    direction : str
        Where the own values are: "higher", "lower", "between" or "outside"; empty if there is no difference.
    """
    m, n = len(own), len(everything)
    just_below = np.searchsorted(own, own, side="left")
    at = np.searchsorted(own, own, side="right")
    low = just_below / m - (np.searchsorted(everything, own, side="left") - just_below) / (n - m)
    high = at / m - (np.searchsorted(everything, own, side="right") - at) / (n - m)
    ahead, behind = max(float(high.max()), 0.0), -min(float(low.min()), 0.0)
    separation = ahead + behind
    if separation == 0:
        return 0.0, ""
    if min(ahead, behind) > _BOTH * max(ahead, behind):
        return separation, "outside" if high.argmax() < low.argmin() else "between"
    return separation, "lower" if ahead > behind else "higher"


def _of_text(
    column: Column,
    codes: NDArray[np.int64],
    clusters: NDArray[np.int64],
    sizes: NDArray[np.int64],
    known: NDArray[np.int64],
) -> list[Summary]:
    frequent = frequent_categories(column, codes)
    place = np.full(len(column.categories), len(frequent))
    place[frequent] = np.arange(len(frequent))
    width = len(frequent) + 1
    counts = np.bincount(clusters * width + place[codes], minlength=len(sizes) * width)
    counts = counts.reshape(len(sizes), width)
    summaries = []
    for row, size, m in zip(counts, sizes, known, strict=True):
        basic = Summary(column.name, column.kind, int(m), int(size - m))
        others = counts.sum(axis=0) - row
        if m:
            named = [h for h in np.argsort(-row[:-1], kind="stable")[:_MOST_NAMED] if row[h]]
            parts = [f"{_cut(column.categories[frequent[h]])} {row[h] / m:.0%}" for h in named]
            left = m - sum(row[h] for h in named)
            basic = basic._replace(categories=", ".join(parts + [f"others {left / m:.0%}"] * bool(left)))
        if m and others.sum():
            separation = np.abs(row / m - others / others.sum()).sum() / 2
            basic = basic._replace(
                effect=float(separation), separation=float(separation), p_value=counts_p_value(row, others)
            )
        summaries.append(basic)
    return summaries


def frequent_categories(column: Column, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the categories of a column of text that are told apart, the most frequent first.

    Parameters
    ----------
    column : Column
        Column of text.
    codes : ndarray of int
        Categories of some rows.

    Returns
    -------
    ndarray of int
    """
    totals = np.bincount(codes, minlength=len(column.categories))
    frequent = np.argsort(-totals, kind="stable")[:_MOST_CATEGORIES]
    return frequent[totals[frequent] > 1]  # of names that occur once, each row would be a category


def _cut(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _MOST_SHOWN else one_line[: _MOST_SHOWN - 1] + "…"
