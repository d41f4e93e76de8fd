"""The profile of a clustering: what each cluster is, in numbers and in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mmc._checks import nearest, quoted
from mmc._optional import pandas as pd
from mmc.datasets import Dataset
from mmc.profiling._chance import LEVEL
from mmc.profiling._columns import CONSTANT, EMPTY, Column, read_columns, read_frame
from mmc.profiling._cuts import are_cut
from mmc.profiling._points import distance_sums, silhouettes, spread_sample, standard_points
from mmc.profiling._result import ClusterProfile, Profile
from mmc.profiling._rules import Feature, Rule, find_rule, make_ranks
from mmc.profiling._summaries import Summary, frequent_categories, summarize
from mmc.profiling._tables import MEDOIDS, MOST_RULES, SILHOUETTES, make_examples, make_notes, make_table

#: Rows that the trees of rules see, at least and at most, and values: rows times columns.
_FEW_ROWS, _MOST_ROWS, _TREE_VALUES = 2000, 20_000, 1_000_000

#: Number of typical and of doubtful rows of a cluster.
_N_EXAMPLES = 3

#: Random orders of labels with which rules are compared; for that rows, at least and at most, and columns.
_SHUFFLES, _FEWEST_ROWS, _CHANCE_ROWS, _CHANCE_COLUMNS = 19, 20, 1000, 50


def profile(
    table: pd.DataFrame | ArrayLike,
    labels: ArrayLike,
    *,
    X: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    confidence: ArrayLike | None = None,
    rule_columns: Sequence[str] | None = None,
    rows: pd.DataFrame | None = None,
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
        Columns that rules may use. None means all columns.
    rows : DataFrame of n_samples rows, default=None
        Rows as they are shown as typical and doubtful ones, such as with dates as they were written. None
        means those of the table.
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

    *Telling* columns are those in which some cluster has a p-value of at most 0.01, divided by the numbers of
    columns and of clusters: asymptotically that of Kuiper's test for numbers, of the chi-square test for
    text, and of a difference in shares for two values. Clusters that were found in the same columns differ in
    them by construction, which these tests do not know. Where no column is telling and no rules are better
    than those for 19 random orders of the labels, nothing tells the clusters apart, and there are no rules.
    For clusters that were found in the columns, the points (at most 1,000 of them) are compared with six
    clouds of the same spread without clusters, which k-means cuts into as many pieces. They are cut, too, if
    neighbours share a cluster as rarely as in some cloud, and if there are as many points between any two
    clusters, relative to their middles.

    *Rules* are those of a decision tree of depth 3 or less, one for each of the 100 largest clusters against
    the others, from the 50 most telling columns that have no missing values: numbers, and the 20 most
    frequent categories of text. Of several trees the shortest is taken whose F1 is at most 0.05 below the
    best. Thresholds are the shortest decimals that select the same rows. Precision, recall and accuracy are
    those on all rows of clusters.

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
    if rows is not None and len(rows) != len(frame):
        raise ValueError(f"rows has {len(rows)} rows for a table of {len(frame)}: give one for each row.")
    quoted_rows = frame if rows is None else read_frame(rows, None)
    present, clusters = np.unique(codes[codes >= 0], return_inverse=True)
    if not len(present):
        raise ValueError("labels has no cluster: all are negative. Give at least one row a label from 0 on.")
    place = np.full(len(codes), -1, dtype=np.int64)
    place[codes >= 0] = clusters
    k, rng = len(present), np.random.default_rng(random_state)
    columns = read_columns(frame)
    sample, values = np.array([], dtype=np.int64), np.array([])
    used = standard_points(columns) if points is None else points
    if used is not None and used.shape[1]:
        sample = spread_sample(place, k, SILHOUETTES, rng)
        values = silhouettes(used[sample], place[sample])
    summaries = _ordered([summarize(column, place, k) for column in columns], k)
    usable = _rule_columns(columns, rule_columns, place >= 0)
    rules = _rules(usable, summaries, place, random_state, rng)
    telling = _telling(summaries, len(columns))
    can_tell = k > 1 and len(clusters) >= _FEWEST_ROWS and not telling
    by_chance = can_tell and _rules_by_chance(usable, summaries, place, random_state, rng)
    if by_chance:
        rules = [None] * k
    cut = False
    if used is not None and used.shape[1] and not by_chance and len(clusters) >= _FEWEST_ROWS:
        few = spread_sample(place, k, _CHANCE_ROWS, rng)
        cut = are_cut(used[few], place[few], k, rng)
    found = []
    for h, size in enumerate(np.bincount(clusters)):
        members, mine = np.flatnonzero(place == h), place[sample] == h
        typical = _typical(used, members, rng)
        doubted, doubt = (sample[mine], values[mine]) if sure is None else (members, sure[members])
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
        examples=make_examples(quoted_rows, found),
        n_samples=len(frame),
        n_outliers=int((codes < 0).sum()),
        accuracy=_accuracy(rules, usable, place),
        silhouette=_weighted_silhouette(found),
        silhouette_rows=sample,
        silhouette_labels=codes[sample],
        silhouette_values=values,
        telling=telling,
        by_chance=by_chance,
        are_cut=cut,
        notes=tuple(make_notes(columns, place, sure is not None, k)),
    )


def profile_dataset(dataset: Dataset, labels: ArrayLike, confidence: ArrayLike | None = None) -> Profile:
    """Say what the clusters of a data set are, in all columns of its table but the reference labels.

    Parameters
    ----------
    dataset : Dataset
        What was clustered; rules use its columns, and rows are shown as they stand in its table.
    labels, confidence : array-like of shape (n_samples,)
        Cluster and, if it is known, confidence of each point.

    Returns
    -------
    Profile
    """
    return profile(
        dataset.described.drop(columns=[] if dataset.label is None else dataset.label),
        labels,
        X=dataset.X,
        confidence=confidence,
        rule_columns=dataset.columns,
        rows=dataset.frame.iloc[dataset.rows],
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


def _telling(summaries: list[list[Summary]], n_columns: int) -> tuple[str, ...]:
    """Return the columns that tell some cluster apart, the most telling first."""
    level = LEVEL / max(n_columns * len(summaries), 1)
    found: dict[str, float] = {}
    for each in chain.from_iterable(summaries):
        if each.p_value <= level:
            found[each.column] = max(found.get(each.column, 0.0), each.separation)
    return tuple(sorted(found, key=lambda name: -found[name]))


class _Usable(NamedTuple):
    """Columns that rules may use: what trees see of them, and their values by name."""

    features: dict[Feature, NDArray[np.float64]]
    values: dict[str, NDArray[Any]]

    def at(self, rows: NDArray[np.int64], features: Sequence[Feature]) -> _Usable:
        """Return some features of some rows."""
        return _Usable(
            {feature: self.features[feature][rows] for feature in features},
            {feature.column: self.values[feature.column][rows] for feature in features},
        )


def _rule_columns(
    columns: Iterable[Column], wanted: Sequence[str] | None, inside: NDArray[np.bool_]
) -> _Usable:
    """Return the columns that rules may use: varying ones that no row of a cluster misses."""
    columns = list(columns)
    names = [column.name for column in columns]
    for name in () if wanted is None else wanted:
        if name not in names:
            raise ValueError(f"rule_columns has {quoted(name)}, which is no column: {nearest(name, names)}")
    usable = _Usable({}, {})
    for column in columns:
        if column.kind in (CONSTANT, EMPTY) or not column.known[inside].all():
            continue
        if wanted is not None and column.name not in wanted:
            continue
        if column.numbers is not None:
            usable.features[Feature(column.name)] = usable.values[column.name] = column.numbers
            continue
        assert column.codes is not None
        usable.values[column.name] = np.array([*column.categories, ""], dtype=object)[column.codes]
        names_of = column.categories
        if len(names_of) == 2:
            usable.features[Feature(column.name, *names_of)] = (column.codes == 0).astype(np.float64)
            continue
        for h in frequent_categories(column, column.codes[inside]):
            usable.features[Feature(column.name, names_of[h])] = (column.codes == h).astype(np.float64)
    return usable


def _rules(
    usable: _Usable,
    summaries: list[list[Summary]],
    place: NDArray[np.int64],
    seed: int,
    rng: np.random.Generator,
) -> list[Rule | None]:
    rules: list[Rule | None] = [None] * len(summaries)
    if not usable.features or len(summaries) < 2:
        return rules
    inside = place >= 0
    most = max(min(_MOST_ROWS, _TREE_VALUES // len(usable.features)), _FEW_ROWS)
    sample = spread_sample(place, len(summaries), most, rng)
    ranks = make_ranks({feature: values[sample] for feature, values in usable.features.items()})
    at: dict[str, list[int]] = {}
    for j, feature in enumerate(usable.features):
        at.setdefault(feature.column, []).append(j)
    sizes = np.bincount(place[inside])
    for h in np.argsort(-sizes, kind="stable")[:MOST_RULES]:
        order = [j for each in summaries[h] for j in at.get(each.column, ())]
        rule = find_rule(ranks, order, place[sample] == h, seed)
        if rule is not None:
            rules[h] = _scored(rule, usable, place, int(h))
    return rules


def _rules_by_chance(
    usable: _Usable,
    summaries: list[list[Summary]],
    place: NDArray[np.int64],
    seed: int,
    rng: np.random.Generator,
) -> bool:
    """Return whether rules for labels in random orders can be as good as those for the labels."""
    rows = spread_sample(place, len(summaries), _CHANCE_ROWS, rng)
    features = list(usable.features)
    if len(features) > _CHANCE_COLUMNS:  # not the most telling, which are so for these labels alone
        features = [features[j] for j in rng.choice(len(features), _CHANCE_COLUMNS, replace=False)]
    few, labels = usable.at(rows, features), place[rows]

    def quality(order: NDArray[np.int64]) -> float:
        return float(np.nan_to_num(_accuracy(_rules(few, summaries, order, seed, rng), few, order)))

    reached = quality(labels)
    return any(quality(rng.permutation(labels)) >= reached for _ in range(_SHUFFLES))


def _scored(rule: Rule, usable: _Usable, place: NDArray[np.int64], h: int) -> Rule:
    inside = place >= 0
    holds, mine = rule.holds(usable.values)[inside], place[inside] == h
    true = int((holds & mine).sum())
    return replace(
        rule,
        precision=true / max(int(holds.sum()), 1),
        recall=true / int(mine.sum()),
        accuracy=float(np.mean(holds == mine)),
    )


def _accuracy(rules: Sequence[Rule | None], usable: _Usable, place: NDArray[np.int64]) -> float:
    """Return for which share of the rows the rule of their own cluster holds and no other."""
    if not any(rules):
        return np.nan
    own, others = np.zeros(len(place), dtype=bool), np.zeros(len(place), dtype=bool)
    for h, rule in enumerate(rules):
        if rule is not None:
            holds = rule.holds(usable.values)
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
