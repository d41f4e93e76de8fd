"""Rules in words that tell a cluster from the others, from a small decision tree.

The tree sees the rank of each value instead of the value, so that scikit-learn's float32 neither merges nor
overflows anything. A threshold is then the shortest decimal in the gap between the two neighbouring values,
which selects the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

#: Depth of a tree, columns that it sees, and by how much a shorter rule may be worse in F1.
_DEPTH, _MOST_COLUMNS, _SHORTER = 3, 50, 0.05

#: Number of characters of a column's name in a rule.
_MOST_SHOWN = 60


class Condition(NamedTuple):
    """A condition on one column.

    Attributes
    ----------
    column : str
        Name of the column.
    above, at_most : float
        It holds for above < value ≤ at_most; infinite where there is no bound.
    category : str or None
        Of a column of text, the category whose value is 1, and 0 for all others; None for numbers.
    """

    column: str
    above: float
    at_most: float
    category: str | None = None

    @property
    def text(self) -> str:
        """The condition in words."""
        name = _one_line(self.column)
        if self.category is not None:
            return f"{name} is {'not ' if np.isinf(self.above) else ''}“{_one_line(self.category)}”"
        if np.isinf(self.above):
            return f"{name} ≤ {number_text(self.at_most)}"
        if np.isinf(self.at_most):
            return f"{name} > {number_text(self.above)}"
        return f"{number_text(self.above)} < {name} ≤ {number_text(self.at_most)}"

    def holds(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Return for which values of the column it holds.

        Parameters
        ----------
        values : ndarray of shape (n_samples,)
            Numbers, or texts if there is a category.

        Returns
        -------
        ndarray of shape (n_samples,), bool
        """
        own = values if self.category is None else (values == self.category).astype(np.float64)
        return np.asarray((own > self.above) & (own <= self.at_most))


class Feature(NamedTuple):
    """What a tree sees of a column: its numbers, or where it has one category.

    Attributes
    ----------
    column : str
        Name of the column.
    category : str or None
        Category of a column of text; None for numbers.
    other : str or None
        The other category of a column that has two.
    """

    column: str
    category: str | None = None
    other: str | None = None


@dataclass(frozen=True)
class Rule:
    """A rule for the rows of one cluster, which is not always right.

    Attributes
    ----------
    alternatives : tuple of tuple of Condition
        The rule holds where all conditions of at least one of them hold.
    precision : float
        Share of the rows for which it holds that are in the cluster.
    recall : float
        Share of the cluster's rows for which it holds.
    accuracy : float
        Share of all rows of clusters for which it is right.
    """

    alternatives: tuple[tuple[Condition, ...], ...]
    precision: float = np.nan
    recall: float = np.nan
    accuracy: float = np.nan

    @property
    def text(self) -> str:
        """The rule in words, such as “a ≤ 2.5 and b > 1; or a > 7”."""
        return "; or ".join(" and ".join(c.text for c in each) for each in self.alternatives)

    def holds(self, values: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
        """Return for which rows the rule holds.

        Parameters
        ----------
        values : mapping from str to ndarray of shape (n_samples,)
            Numbers or texts of the columns by their names; where a number is NaN its conditions do not hold.

        Returns
        -------
        ndarray of shape (n_samples,), bool
        """
        parts = []
        for conditions in self.alternatives:
            parts.append(np.logical_and.reduce([c.holds(values[c.column]) for c in conditions]))
        return np.asarray(np.logical_or.reduce(parts))


class Ranks(NamedTuple):
    """Columns without missing values as ranks.

    Attributes
    ----------
    ranks : ndarray of shape (n_samples, n_columns), float32
        Rank of each value among the different values of its column.
    values : list of ndarray
        The different values of each column, ascending.
    features : list of Feature
        What each column is.
    """

    ranks: NDArray[np.float32]
    values: list[NDArray[np.float64]]
    features: list[Feature]


def make_ranks(columns: Mapping[Feature, NDArray[np.float64]]) -> Ranks:
    """Return the ranks of columns without missing values."""
    pairs = [np.unique(values, return_inverse=True) for values in columns.values()]
    ranks = np.column_stack([inverse for _, inverse in pairs]).astype(np.float32)
    return Ranks(ranks, [values for values, _ in pairs], list(columns))


def find_rule(ranks: Ranks, order: Sequence[int], inside: NDArray[np.bool_], seed: int) -> Rule | None:
    """Return the shortest of the good rules that select some rows, without its scores.

    Parameters
    ----------
    ranks : Ranks
        Columns.
    order : sequence of int
        Columns by how telling they are; a tree sees the first `_MOST_COLUMNS`.
    inside : ndarray of shape (n_samples,), bool
        Rows to select.
    seed : int
        Seed of the tree.

    Returns
    -------
    Rule or None
        Of the trees of depth 1 to 3, with and without balanced classes, the one with the fewest conditions
        whose F1 is at most 0.05 below the best; None if no tree selects any of these rows.
    """
    used = list(order[:_MOST_COLUMNS])
    if not used or inside.all() or not inside.any():
        return None
    found: list[tuple[float, int, Rule]] = []
    for weight in (None, "balanced"):
        tree = DecisionTreeClassifier(max_depth=_DEPTH, class_weight=weight, random_state=seed)
        tree.fit(ranks.ranks[:, used], inside)
        for depth in range(1, _DEPTH + 1):
            predicted = np.zeros(len(inside), dtype=bool)
            walk = _Walk(tree.tree_, ranks, used, predicted)
            paths = walk.paths(0, np.arange(len(inside)), depth)
            true = int((predicted & inside).sum())
            if paths and paths != [()] and true:
                f1 = 2 * true / (int(predicted.sum()) + int(inside.sum()))
                rule = Rule(tuple(_merged(path) for path in paths))
                found.append((f1, sum(map(len, rule.alternatives)), rule))
    if not found:
        return None
    best = max(f1 for f1, _, _ in found)
    return min((each for each in found if each[0] >= best - _SHORTER), key=lambda e: (e[1], -e[0]))[2]


class _Walk(NamedTuple):
    """A tree that is cut at a depth, and the rows that it selects, which are marked on the way."""

    tree: Any
    ranks: Ranks
    used: list[int]
    predicted: NDArray[np.bool_]

    def paths(self, node: int, rows: NDArray[np.int64], depth: int) -> list[tuple[Condition, ...]]:
        """Return the conditions on the ways from a node to leaves that select rows; [()] if all do."""
        tree = self.tree
        if depth == 0 or tree.children_left[node] < 0:
            outside, inside = tree.value[node][0]
            self.predicted[rows] = inside > outside
            return [()] if inside > outside else []
        column = self.used[tree.feature[node]]
        mine = self.ranks.ranks[rows, column]
        is_left = mine <= tree.threshold[node]
        low, high = mine[is_left].max(), mine[~is_left].min()
        values, (name, category, other) = self.ranks.values[column], self.ranks.features[column]
        value = shortest_between(float(values[int(low)]), float(values[int(high)]))
        left = self.paths(tree.children_left[node], rows[is_left], depth - 1)
        right = self.paths(tree.children_right[node], rows[~is_left], depth - 1)
        if left == right == [()]:
            return [()]
        above = Condition(name, value, np.inf, category)
        below = Condition(name, -np.inf, value, category)
        if other is not None:
            below = above._replace(category=other)
        return [(below, *path) for path in left] + [(above, *path) for path in right]


def _merged(path: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return one condition for each column instead of several."""
    merged: dict[Feature, Condition] = {}
    for each in path:
        feature = Feature(each.column, each.category)
        known = merged.get(feature, Condition(each.column, -np.inf, np.inf, each.category))
        bounds = max(known.above, each.above), min(known.at_most, each.at_most)
        merged[feature] = Condition(each.column, *bounds, each.category)
    # A row that has one category has no other.
    certain = {each.column for each in merged.values() if each.category is not None and each.above > -np.inf}
    return tuple(each for each in merged.values() if each.column not in certain or each.above > -np.inf)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"


def shortest_between(low: float, high: float) -> float:
    """Return the shortest decimal t with low ≤ t < high, of several the one near the middle.

    Parameters
    ----------
    low, high : float
        Two different values, the smaller one first.

    Returns
    -------
    float

    Examples
    --------
    >>> from mmc.profiling._rules import shortest_between
    >>> shortest_between(1.9, 3.0), shortest_between(2.44, 2.4599)
    (2.0, 2.45)
    """
    with localcontext() as context:
        context.prec = 800  # sums and quotients of any two numbers are exact, or exact enough
        a, b = Decimal(repr(low)), Decimal(repr(high))
        middle = (a + b) / 2
        for power in range((b - a).adjusted() + 1, -400, -1):
            unit = Decimal(1).scaleb(power)
            near = (middle / unit).to_integral_value() * unit
            above = (a / unit).to_integral_value(rounding=ROUND_CEILING) * unit
            for value in (near, above):
                if a <= value < b and low <= float(value) < high:
                    return float(value) + 0.0
    return low


def number_text(value: float) -> str:
    """Return a number as people write it, with all the digits that it needs and a true minus sign."""
    text = repr(float(value))
    if text.endswith(".0"):
        text = text[:-2]
    return text.replace("-", "−") if "e" not in text else text.replace("-", "−", 1) if value < 0 else text
