"""What the clusters are, on the command line: a report and a table."""

from __future__ import annotations

import argparse
from pathlib import Path

from numpy.typing import ArrayLike

from mmc.cli_sweep import write_option
from mmc.datasets import Dataset
from mmc.profiling import profile

#: Names of the options, which are names of files.
OPTIONS = ("report", "profile")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where the report and the table go.

    Parameters
    ----------
    parser : ArgumentParser
        Parser of the command.
    """
    parser.add_argument(
        "--report",
        type=Path,
        metavar="FILE",
        help="where a report of what the clusters are goes, as one HTML page",
    )
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="FILE",
        help="where the numbers of the report go, as CSV with a row for each cluster and column",
    )


def write(
    dataset: Dataset, labels: ArrayLike, confidence: ArrayLike | None, arguments: argparse.Namespace
) -> None:
    """Write the files that are asked for; nothing is computed if there are none.

    Parameters
    ----------
    dataset : Dataset
        What was clustered.
    labels, confidence : array-like of shape (n_samples,)
        Labels and, if it is known, their confidence.
    arguments : Namespace
        Options of the command.
    """
    paths = {name: getattr(arguments, name, None) for name in OPTIONS}
    if not any(paths.values()):
        return
    found = profile(
        dataset.frame.iloc[dataset.rows],
        labels,
        X=dataset.X,
        confidence=confidence,
        rule_columns=dataset.feature_names,
    )
    if paths["report"]:
        write_option("report", paths["report"], found.to_html(f"Clusters of {dataset.name}"))
    if paths["profile"]:
        write_option("profile", paths["profile"], found.to_csv())
