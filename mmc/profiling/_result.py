"""The result of a profile, with its tables, its CSV and its report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmc._html import table_html
from mmc._optional import pandas as pd
from mmc.datasets import to_csv_text
from mmc.profiling._report import ClusterText, report_html
from mmc.profiling._rules import Rule


@dataclass(frozen=True, eq=False)
class ClusterProfile:
    """What one cluster is.

    Attributes
    ----------
    label : int
        Label of the cluster.
    size : int
        Number of rows.
    share : float
        Share of the rows that belong to a cluster.
    confidence : float or None
        Mean confidence of its labels, if that was given.
    silhouette : float
        Mean silhouette of its rows; NaN if there is none.
    columns : tuple of str
        All columns, the most telling first.
    rule : Rule or None
        Rule that tells the cluster from the others, if there is one.
    typical : tuple of int
        Positions of typical rows; the first is the medoid.
    doubtful : tuple of int
        Positions of doubtful rows, the most doubtful first.
    """

    label: int
    size: int
    share: float
    confidence: float | None
    silhouette: float
    columns: tuple[str, ...]
    rule: Rule | None
    typical: tuple[int, ...]
    doubtful: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Profile:
    """What the clusters of a table are; the result of `mmc.profile`.

    Attributes
    ----------
    clusters : tuple of ClusterProfile
        Clusters in the order of their labels.
    columns : tuple of str
        Names of the columns, made different where two are the same.
    table : DataFrame
        A row for each cluster and column, the most telling column of a cluster first: `cluster`, `size`,
        `share`, `column`, `kind`, `n_known`, `n_missing`, `minimum`, `lower_quartile`, `median`,
        `upper_quartile`, `maximum`, `rest_median`, `effect`, `separation`,
        `p_value`, `direction` and `categories`.
    examples : DataFrame
        Typical and doubtful rows of each cluster: `cluster`, `example`, `row` (index of the table), and the
        columns of the table.
    n_samples : int
        Number of rows.
    n_outliers : int
        Number of rows that belong to no cluster.
    accuracy : float
        Share of the rows of clusters for which the rule of their cluster holds and no other; NaN if there is
        no rule.
    silhouette : float
        Mean silhouette of all rows of clusters; NaN if there is none.
    silhouette_rows, silhouette_labels, silhouette_values : ndarray of shape (m,)
        Positions of rows, their clusters and their silhouettes.
    telling : tuple of str
        Columns in which some cluster differs from the others more than clusters drawn at random would, the
        most telling first. Empty means that no column by itself tells the clusters apart.
    by_chance : bool
        Whether nothing tells the clusters apart, neither a column nor rules for several, more than clusters
        drawn at random. Of fewer than 20 rows it is never said.
    are_cut : bool
        Whether the clusters are no further apart than those that k-means cuts from clouds without clusters.
    notes : tuple of str
        Sentences on what was left out or is from a sample.
    """

    clusters: tuple[ClusterProfile, ...]
    columns: tuple[str, ...]
    table: pd.DataFrame
    examples: pd.DataFrame
    n_samples: int
    n_outliers: int
    accuracy: float
    silhouette: float
    silhouette_rows: NDArray[np.int64]
    silhouette_labels: NDArray[np.int64]
    silhouette_values: NDArray[np.float64]
    telling: tuple[str, ...]
    by_chance: bool
    are_cut: bool
    notes: tuple[str, ...]

    @property
    def warning(self) -> str:
        """Sentence that nothing tells the clusters apart, or nothing may; empty if something does."""
        if self.by_chance:
            return (
                "Nothing tells the clusters apart: they differ in no column more than clusters drawn at "
                "random would, and no rule finds them."
            )
        if self.are_cut:
            return (
                "Nothing may tell the clusters apart but where they were cut: they run into each other as "
                "much as the pieces into which k-means cuts points without clusters."
            )
        return ""

    def of(self, label: int) -> pd.DataFrame:
        """Return the rows of `table` for one cluster, the most telling column first.

        Parameters
        ----------
        label : int
            Label of the cluster.

        Returns
        -------
        DataFrame
        """
        return self.table[self.table["cluster"] == label].reset_index(drop=True)

    def overview(self) -> pd.DataFrame:
        """Return a table with a row for each cluster: size, share, rule and most telling columns.

        Returns
        -------
        DataFrame
        """
        rows = []
        for each in self.clusters:
            row: dict[str, Any] = {"cluster": each.label, "size": each.size, "share": each.share}
            if each.confidence is not None:
                row["mean confidence"] = each.confidence
            rule = each.rule
            row["rule"] = rule.text if rule else "no rule"
            row["most telling columns"] = "none" if self.by_chance else ", ".join(each.columns[:3])
            row["precision"] = rule.precision if rule else np.nan
            row["recall"] = rule.recall if rule else np.nan
            row["silhouette"] = each.silhouette
            rows.append(row)
        return pd.DataFrame(rows)

    def to_csv(self) -> str:
        """Return `table` as CSV, in which no cell is a formula for a spreadsheet.

        Returns
        -------
        str
        """
        return to_csv_text(self.table)

    def to_html(self, title: str = "What are these clusters?") -> str:
        """Return a report as one HTML page that needs no other file and no network.

        Parameters
        ----------
        title : str, default='What are these clusters?'
            Title of the page.

        Returns
        -------
        str
        """
        texts = [
            ClusterText(
                each.label,
                each.rule.text if each.rule else "",
                self.of(each.label),
                self.examples[self.examples["cluster"] == each.label],
                self.silhouette_values[self.silhouette_labels == each.label],
            )
            for each in self.clusters
        ]
        return report_html(title, self._facts(), self.overview(), texts, self.notes, self.warning)

    def __repr__(self) -> str:
        """Return the facts in a line; the tables are attributes."""
        return f"<Profile: {', '.join(self._facts())}>"

    def _repr_html_(self) -> str:
        note = f"Profile: {', '.join(self._facts())}. {self.warning}"
        return table_html(self.overview().to_dict("records"), note.strip())

    def _facts(self) -> list[str]:
        facts = [f"{self.n_samples:,} rows", f"{len(self.clusters):,} clusters"]
        if self.n_outliers:
            facts.append(f"{self.n_outliers:,} rows belong to no cluster")
        if not np.isnan(self.silhouette):
            facts.append(f"mean silhouette {self.silhouette:.2f}")
        if not np.isnan(self.accuracy):
            facts.append(f"the rules tell {self.accuracy:.1%} of the rows right")
        return facts
