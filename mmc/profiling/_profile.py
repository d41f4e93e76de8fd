"""The profile of a clustering: what each cluster is, in numbers and in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mmc._checks import nearest, quoted
from mmc._optional import pandas as pd
from mmc.profiling._columns import CONSTANT, EMPTY, Column, read_columns, read_frame
from mmc.profiling._points import distance_sums, silhouettes, spread_sample, standard_points
from mmc.profiling._result import ClusterProfile, Profile
from mmc.profiling._rules import Rule, find_rule, make_ranks
from mmc.profiling._summaries import Summary, summarize
from mmc.profiling._tables import MEDOIDS, MOST_RULES, SILHOUETTES, make_examples, make_notes, make_table

#: Rows that the trees of rules see, at least and at most, and values: rows times columns.
_FEW_ROWS, _MOST_ROWS, _TREE_VALUES = 2000, 20_000, 1_000_000

#: Number of typical and of doubtful rows of a cluster.
_N_EXAMPLES = 3


def profile(
    table: pd.DataFrame | ArrayLike,
    labels: ArrayLike,
    *,
    X: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    confidence: ArrayLike | None = None,
    rule_columns: Sequence[str] | None = None,
    random_state: int = 0,
) -> Profile:
    """Say what the clusters of a table are.

    Every cluster is compared with the rows of the other clusters. Rows that belong to none are counted and
    else left out, as are missing and infinite values from the numbers of their column.

    Parameters
    ----------
    table : DataFrame or array-like of shape (n_samples, n_columns)
        Rows in the units of people. Columns may be numbers or anything else, which is taken as text.
    labels : array-like of shape (n_samples,)
        Cluster of each row as a whole number; negative numbers belong to no cluster.
    X : array-like of shape (n_samples, n_features), default=None
        Points as they were clustered, for distances. None means the columns of numbers, each with variance 1.
    names : sequence of str, default=None
        Names of the columns. None means those of the table.
    confidence : array-like of shape (n_samples,), default=None
        Confidence of each label. If it is given, doubtful rows are those where it is lowest.
    rule_columns : sequence of str, default=None
        Columns that rules may use. None means all columns of numbers.
    random_state : int, default=0
        Seed of the samples and of the trees.

    Returns
    -------
    Profile

    Raises
    ------
    ValueError
        If numbers of rows differ, no row belongs to a cluster, or a column is not there.

    Notes
    -----
    *Effect*. For a column of numbers it is Cohen's d, (m₁ − m₂) / s, with the means m₁ of the cluster and m₂
    of the other rows and the pooled variance s² = ((n₁ − 1) s₁² + (n₂ − 1) s₂²) / (n₁ + n₂ − 2); it is
    infinite if both are constant and differ. For two values it is the difference p₁ − p₂ of the shares of the
    larger value. For text it is half of the sum of |p₁ − p₂| over the categories; the 20 most frequent ones
    that occur more than once are categories of their own, and the others one together. For one cluster alone
    there is none.

    *Separation*, between 0 and 1, orders the columns. For numbers it is Kuiper's statistic: the largest
    difference between the share of the cluster's rows and the share of the other rows in one interval of
    values. It is 1 if an interval has the cluster and nothing else, does not change with the scale and is
    little moved by extreme values. For two values and for text it is the absolute effect.

    *Rules* are those of a decision tree of depth 3 or less, one for each of the 100 largest clusters against
    the others, from the 50 most telling columns of numbers that have no missing values. Of several trees
    the shortest is taken whose F1 is at most 0.05 below the best. Thresholds are the shortest decimals that
    select the same rows. Precision, recall and accuracy are those on all rows of clusters.

    *Typical* rows have the smallest sums of distances to their cluster, *doubtful* ones the lowest
    silhouettes.

    *Costs*. Summaries take d n (log n + k) time for d columns and k clusters, and memory n d. Silhouettes are
    those of at most 5,000 rows, the middle of a cluster is found among at most 2,000 of its rows, and trees
    see at most 20,000 rows and a million values, but always 2,000 rows; beyond that they are samples with a
    part of every cluster.

    Examples
    --------
    >>> import mmc
    >>> from mmc.datasets import load_iris
    >>> iris = load_iris()
    >>> found = mmc.profile(iris.X, iris.codes, names=iris.feature_names)
    >>> found.clusters[0].rule.text, found.clusters[0].columns[0]
    ('petal width (cm) ≤ 0.8', 'petal length (cm)')
    """
    frame = read_frame(table, names)
    codes = _labels(labels, len(frame))
    sure = None if confidence is None else _one_for_each(confidence, "confidence", len(frame))
    points = None if X is None else _points(X, len(frame))
    present, clusters = np.unique(codes[codes >= 0], return_inverse=True)
    if not len(present):
        raise ValueError("labels has no cluster: all are negative. Give at least one row a label from 0 on.")
    place = np.full(len(codes), -1, dtype=np.int64)
    place[codes >= 0] = clusters
    k, rng = len(present), np.random.default_rng(random_state)
    columns = read_columns(frame)
    rows, values = np.array([], dtype=np.int64), np.array([])
    used = standard_points(columns) if points is None else points
    if used is not None and used.shape[1]:
        rows = spread_sample(place, k, SILHOUETTES, rng)
        values = silhouettes(used[rows], place[rows])
    summaries = _ordered([summarize(column, place, k) for column in columns], k)
    usable = _rule_columns(columns, rule_columns, place >= 0)
    rules = _rules(usable, summaries, place, random_state, rng)
    found = []
    for h, size in enumerate(np.bincount(clusters)):
        members, mine = np.flatnonzero(place == h), place[rows] == h
        typical = _typical(used, members, rng)
        doubted, doubt = (rows[mine], values[mine]) if sure is None else (members, sure[members])
        found.append(
            ClusterProfile(
                label=int(present[h]),
                size=int(size),
                share=float(size / len(clusters)),
                confidence=None if sure is None else _mean(sure[members]),
                silhouette=_mean(values[mine]),
                columns=tuple(each.column for each in summaries[h]),
                rule=rules[h],
                typical=typical,
                doubtful=_doubtful(doubted, doubt, typical),
            )
        )
    return Profile(
        clusters=tuple(found),
        columns=tuple(column.name for column in columns),
        table=make_table(found, summaries),
        examples=make_examples(frame, found),
        n_samples=len(frame),
        n_outliers=int((codes < 0).sum()),
        accuracy=_accuracy(rules, usable, place),
        silhouette=_weighted_silhouette(found),
        silhouette_rows=rows,
        silhouette_values=values,
        notes=tuple(make_notes(columns, place, sure is not None, k)),
    )


def _one_for_each(values: ArrayLike, what: str, n: int) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (n,):
        raise ValueError(
            f"{what} has shape {array.shape} for a table of {n} rows: give one value for each row."
        )
    return array


def _labels(labels: ArrayLike, n: int) -> NDArray[np.int64]:
    try:
        values = _one_for_each(labels, "labels", n)
    except (TypeError, ValueError) as error:
        if "for a table" in str(error):
            raise
        raise ValueError(
            "labels are not numbers: give whole numbers, and −1 for rows of no cluster."
        ) from error
    if not np.all(values == np.floor(values)):  # NaN is not either
        raise ValueError(
            "labels are not all whole numbers: give whole numbers, and −1 for rows of no cluster."
        )
    return np.asarray(values.astype(np.int64))


def _points(X: ArrayLike, n: int) -> NDArray[np.float64]:
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2 or len(points) != n:
        raise ValueError(f"X has shape {points.shape} for a table of {n} rows: give one point for each row.")
    if not np.isfinite(points).all():
        raise ValueError("X has missing or infinite values: give the points that were clustered.")
    return points


def _mean(values: NDArray[np.float64]) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else np.nan


def _weighted_silhouette(found: Sequence[ClusterProfile]) -> float:
    """Return the mean silhouette of all rows, where every cluster has the weight of its size."""
    known = [each for each in found if not np.isnan(each.silhouette)]
    total = sum(each.size for each in known)
    return sum(each.silhouette * each.size for each in known) / total if total else np.nan


def _ordered(by_column: list[list[Summary]], k: int) -> list[list[Summary]]:
    """Return for each cluster the summaries of the columns, the most telling first."""

    def key(each: Summary) -> tuple[float, float]:
        return -np.nan_to_num(each.separation, nan=-1.0), -abs(np.nan_to_num(each.effect, nan=0.0))

    return [sorted((column[h] for column in by_column), key=key) for h in range(k)]


def _rule_columns(
    columns: Iterable[Column], wanted: Sequence[str] | None, inside: NDArray[np.bool_]
) -> dict[str, NDArray[np.float64]]:
    """Return the columns that rules may use: varying numbers that no row of a cluster misses."""
    columns = list(columns)
    names = [column.name for column in columns]
    for name in () if wanted is None else wanted:
        if name not in names:
            raise ValueError(f"rule_columns has {quoted(name)}, which is no column: {nearest(name, names)}")
    return {
        column.name: column.numbers
        for column in columns
        if column.numbers is not None
        and column.kind not in (CONSTANT, EMPTY)
        and (wanted is None or column.name in wanted)
        and column.known[inside].all()
    }


def _rules(
    usable: dict[str, NDArray[np.float64]],
    summaries: list[list[Summary]],
    place: NDArray[np.int64],
    seed: int,
    rng: np.random.Generator,
) -> list[Rule | None]:
    rules: list[Rule | None] = [None] * len(summaries)
    if not usable or len(summaries) < 2:
        return rules
    inside = place >= 0
    most = max(min(_MOST_ROWS, _TREE_VALUES // len(usable)), _FEW_ROWS)
    sample = spread_sample(place, len(summaries), most, rng)
    ranks = make_ranks({name: values[sample] for name, values in usable.items()})
    at = {name: j for j, name in enumerate(usable)}
    sizes = np.bincount(place[inside])
    for h in np.argsort(-sizes, kind="stable")[:MOST_RULES]:
        order = [at[each.column] for each in summaries[h] if each.column in at]
        rule = find_rule(ranks, order, place[sample] == h, seed)
        if rule is not None:
            rules[h] = _scored(rule, usable, place, int(h))
    return rules


def _scored(rule: Rule, usable: dict[str, NDArray[np.float64]], place: NDArray[np.int64], h: int) -> Rule:
    inside = place >= 0
    holds, mine = rule.holds(usable)[inside], place[inside] == h
    true = int((holds & mine).sum())
    return replace(
        rule,
        precision=true / max(int(holds.sum()), 1),
        recall=true / int(mine.sum()),
        accuracy=float(np.mean(holds == mine)),
    )


def _accuracy(
    rules: Sequence[Rule | None], usable: dict[str, NDArray[np.float64]], place: NDArray[np.int64]
) -> float:
    """Return for which share of the rows the rule of their own cluster holds and no other."""
    if not any(rules):
        return np.nan
    own, others = np.zeros(len(place), dtype=bool), np.zeros(len(place), dtype=bool)
    for h, rule in enumerate(rules):
        if rule is not None:
            holds = rule.holds(usable)
            own |= holds & (place == h)
            others |= holds & (place != h)
    return float(np.mean((own & ~others)[place >= 0]))


def _typical(
    X: NDArray[np.float64] | None, members: NDArray[np.int64], rng: np.random.Generator
) -> tuple[int, ...]:
    if X is None or not X.shape[1]:
        return ()
    if len(members) > MEDOIDS:
        members = np.sort(rng.choice(members, MEDOIDS, replace=False))
    nearest_first = np.argsort(distance_sums(X[members]), kind="stable")[:_N_EXAMPLES]
    return tuple(map(int, members[nearest_first]))


def _doubtful(
    rows: NDArray[np.int64], doubt: NDArray[np.float64], typical: tuple[int, ...]
) -> tuple[int, ...]:
    known = np.isfinite(doubt) & ~np.isin(rows, typical)
    order = np.argsort(doubt[known], kind="stable")[:_N_EXAMPLES]
    return tuple(map(int, rows[known][order]))
