"""Tables on the command line: which columns are used, how their cells are read, and what becomes of gaps."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

from mmc.cli_files import add_sheet, read_table
from mmc.datasets import USABLE, Dataset, Table, not_used
from mmc.datasets._table import Encode, Missing, Scaler
from mmc.experiment import Data


def add_options(cluster: argparse.ArgumentParser) -> None:
    """Add the options of the table.

    Parameters
    ----------
    cluster : ArgumentParser
        Parser of the command.
    """
    add_sheet(cluster)
    cluster.add_argument("--columns", metavar="A,B,…", help="columns to use; default: all numeric ones")
    cluster.add_argument("--label", metavar="COLUMN", help="reference labels: left out of the clustering")
    cluster.add_argument(
        "--prepare",
        action="store_true",
        help="use every column that can tell rows apart, as the app does: fill gaps, read amounts and dates "
        "as numbers, give words columns of 0 and 1, standardise; other options change parts of it",
    )
    cluster.add_argument(
        "--missing",
        choices=get_args(Missing),
        help="what becomes of missing values: refuse them (default), leave out their rows, or fill them",
    )
    cluster.add_argument(
        "--drop-missing", action="store_true", help="leave out rows with missing values: --missing drop"
    )
    cluster.add_argument(
        "--encode",
        choices=get_args(Encode),
        help="what becomes of words: they are left out (default), get columns of 0 and 1, or rows are "
        "compared by Gower's similarity",
    )
    cluster.add_argument(
        "--kind",
        metavar="COLUMN=KIND",
        action="append",
        default=[],
        help=f"how a column is read: {', '.join(USABLE)}; may be given several times",
    )
    cluster.add_argument(
        "--weight",
        metavar="COLUMN=NUMBER",
        action="append",
        default=[],
        help="how much a column counts in distances; may be given several times",
    )
    cluster.add_argument("--standardize", action="store_true", help="scale every column to variance 1")
    cluster.add_argument(
        "--scaler",
        choices=get_args(Scaler),
        help="how columns are scaled: by mean and standard deviation (default), or by median and quartiles; "
        "implies --standardize",
    )
    cluster.add_argument(
        "--known",
        metavar="COLUMN",
        help="known groups: a column that is empty where nothing is known; rows of one group end in one "
        "cluster",
    )
    cluster.add_argument(
        "--sample-weight", metavar="COLUMN", help="weights of the rows: 2 counts as the same row twice"
    )


def has_hints(arguments: argparse.Namespace) -> bool:
    """Return whether the command says something of the clusters."""
    return arguments.known is not None or arguments.sample_weight is not None


def load(arguments: argparse.Namespace) -> tuple[Data, Dataset]:
    """Read the table and take the points from it.

    Parameters
    ----------
    arguments : Namespace
        Options of the command.

    Returns
    -------
    data : Data
    dataset : Dataset

    Raises
    ------
    ValueError
        If an option is not right, or the table does not allow it.
    """
    return of_table(read_table(arguments.table, arguments.sheet), arguments)


def of_table(table: Table, arguments: argparse.Namespace) -> tuple[Data, Dataset]:
    """Take the points from a table that has been read, see `load`."""
    options = _options(arguments, table)
    if len(table.sheets) > 1:
        options["sheet"] = table.sheet
    name = table.name.encode(errors="replace").decode()  # a file's name may be no text
    standardize = arguments.standardize or arguments.prepare or arguments.scaler is not None
    named = {"known": arguments.known, "weights": arguments.sample_weight}
    hints = {what: column for what, column in named.items() if column is not None}
    if options["columns"] is not None:
        options["columns"] = [each for each in options["columns"] if each not in hints.values()]
    data = Data("table", options, standardize, name, table.sha256, hints)
    dataset = data.load(table)
    if arguments.prepare and not arguments.columns:
        used = (*options["columns"], options["label"], *hints.values())
        if sentence := not_used(table.looks, used):
            dataset = replace(dataset, notes=(sentence, *dataset.notes))
    return data, dataset


def _options(arguments: argparse.Namespace, table: Table) -> dict[str, Any]:
    """Return the options of the table; what is not given is left to the defaults."""
    if arguments.drop_missing and arguments.missing not in (None, "drop"):
        raise ValueError(f"--drop-missing is --missing drop, and --missing is {arguments.missing}: give one.")
    label = arguments.label
    options: dict[str, Any] = {"columns": None, "label": label, "missing": "error"}
    if arguments.prepare:
        options = table.proposal(label)
    kinds = _pairs("--kind", arguments.kind)
    weights = _pairs("--weight", arguments.weight)
    if arguments.columns:
        options["columns"] = arguments.columns.split(",")
        if "kinds" in options:  # of columns that are not used any more
            usual = {
                each.name: each.kind for each in table.looks if each.kind in USABLE and each.kind != "number"
            }
            options["kinds"] = {name: usual[name] for name in options["columns"] if name in usual}
            options["missing"] = "median"
    if arguments.missing or arguments.drop_missing:
        options["missing"] = arguments.missing or "drop"
    if arguments.encode:
        options["encode"] = arguments.encode
    if arguments.scaler:
        options["scaler"] = arguments.scaler
    if kinds:
        options["kinds"] = {**options.get("kinds", {}), **kinds}
        if arguments.prepare and not arguments.columns:
            options["columns"] += [name for name in kinds if name not in options["columns"]]
    if weights:
        options["weights"] = {name: _number(name, text) for name, text in weights.items()}
    return options


def _pairs(option: str, given: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not (name and equals and value):
            raise ValueError(f"{option} {text} is not right: give COLUMN=VALUE.")
        pairs[name] = value
    return pairs


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"--weight {name}={text} is not right: give a number.") from None
