"""What the clusters are, on the command line: a report and a table."""

from __future__ import annotations

import argparse
from pathlib import Path

from numpy.typing import ArrayLike

from mmc.cli_files import write_option
from mmc.datasets import Dataset
from mmc.profiling import profile_dataset


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
    report, table = (getattr(arguments, name, None) for name in ("report", "profile"))
    if not (report or table):
        return
    found = profile_dataset(dataset, labels, confidence)
    if report:
        write_option("report", report, found.to_html(f"Clusters of {dataset.name}"))
    if table:
        write_option("profile", table, found.to_csv())
