"""Clustering with nothing set on the command line: its options, its progress, and the chosen experiment."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc import clusterers, engine
from mmc.auto import AutoClusterer
from mmc.cli_files import write_option
from mmc.datasets import Dataset, to_csv_text
from mmc.experiment import Data, Experiment
from mmc.stepping import Step

#: What --algorithm calls it.
AUTO = "auto"

#: Options that only it has.
FLAGS = ("--max-clusters", "--outliers", "--references", "--time-limit", "--candidates")


class Found(NamedTuple):
    """The result of a search.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Cluster of each point; −1 for outliers if these are asked for.
    confidence : ndarray of shape (n_samples,) or None
        How certain the chosen candidate is of each label, if it has such a measure.
    experiment : Experiment
        The chosen candidate.
    model : AutoClusterer
        The fitted search, which labels new points.
    """

    labels: NDArray[np.int64]
    confidence: NDArray[np.float64] | None
    experiment: Experiment
    model: AutoClusterer


def add_options(parser: argparse.ArgumentParser, is_named: bool) -> None:
    """Add the options of a search.

    Parameters
    ----------
    parser : ArgumentParser
        Parser of the command.
    is_named : bool
        Whether --algorithm names it; only then the number of clusters and the seed are its options, which
        otherwise mean those of the usual algorithm.
    """
    usual = AutoClusterer().get_params()
    group = parser.add_argument_group(
        f"parameters of {AUTO}",
        "Several methods are tried for several numbers of clusters, and the best is chosen without true "
        "labels.",
    )
    if is_named:
        group.add_argument(
            "-k", "--n-clusters", type=int, metavar="N", help="number of clusters; default: it is chosen too"
        )
        group.add_argument(
            "--random-state", type=int, default=0, metavar="N", help="seed; default: %(default)s"
        )
    group.add_argument(
        "--max-clusters",
        type=int,
        default=usual["max_clusters"],
        metavar="N",
        help="largest number of clusters that is tried; default: %(default)s",
    )
    group.add_argument(
        "--outliers", action="store_true", help="give the label -1 to points that belong to no cluster"
    )
    group.add_argument(
        "--references",
        type=int,
        default=usual["n_references"],
        metavar="N",
        help="how often points without clusters are searched too, which tells whether there are clusters at "
        "all; 0 saves half of the time; default: %(default)s",
    )
    group.add_argument(
        "--time-limit",
        type=float,
        default=usual["time_limit"],
        metavar="SECONDS",
        help="time after which the best so far is taken; default: %(default)s",
    )
    group.add_argument("--candidates", metavar="FILE", help="where the table of candidates goes, as CSV")


def misplaced(arguments: Sequence[str]) -> str:
    """Return the first argument that is an option of a search alone; empty if there is none."""
    given = (argument.partition("=")[0] for argument in arguments)
    return next((argument for argument in given if argument in FLAGS), "")


def find(
    data: Data, dataset: Dataset, arguments: argparse.Namespace, see: Callable[[Step], object] | None
) -> Found:
    """Search for clusters, say what comes of it, and write the table of candidates if it is asked for.

    Parameters
    ----------
    data : Data
        Source of the points, for the experiment.
    dataset : Dataset
        The points.
    arguments : Namespace
        Options of the command.
    see : callable or None
        Called with every step; None says the candidates line by line.

    Returns
    -------
    Found

    Raises
    ------
    ValueError
        If the points or the parameters do not allow it, or no candidate ends within the time limit.
    """
    if (asked := getattr(arguments, "n_clusters", None)) is not None and asked < 2:
        raise ValueError(f"n_clusters='{asked}' is not right: give a whole number of at least 2.")
    if arguments.dask:
        os.environ[engine.CLUSTER] = arguments.dask
    model = AutoClusterer(
        getattr(arguments, "n_clusters", None),
        max_clusters=arguments.max_clusters,
        outliers=arguments.outliers,
        n_references=arguments.references,
        time_limit=arguments.time_limit,
        random_state=getattr(arguments, "random_state", 0),
    )
    try:
        clusterers.end(model, dataset.X, see or (lambda step: None if arguments.quiet else _report(step)))
    except KeyboardInterrupt as stop:
        stop.add_note("With --time-limit SECONDS, a search ends by itself with the best so far.")
        raise
    if see:
        print(file=sys.stderr)
    found = _found(model, data, dataset)
    if arguments.candidates:
        write_option("candidates", arguments.candidates, to_csv_text(model.table_))
    if not arguments.quiet:
        print(model.summary_, file=sys.stderr)
        if arguments.save and _is_sampled(model):
            print(
                f"warning: {arguments.save} clusters all points, so that its labels may differ from these.",
                file=sys.stderr,
            )
    return found


def _report(step: Step) -> None:
    print(step.state.caption, file=sys.stderr)


def _is_sampled(model: AutoClusterer) -> bool:
    """Return whether the search has ended on a sample of the points."""
    return getattr(model.state_, "rows", None) is not None


def _found(model: AutoClusterer, data: Data, dataset: Dataset) -> Found:
    candidate = model.best_candidate_  # a table in which nothing varies is refused when it is read
    experiment = Experiment(data, candidate.algorithm, candidate.parameters)
    if _is_sampled(model):
        return Found(model.labels_, None, experiment, model)
    confidence = clusterers.end(experiment.make(), dataset.X).confidence()
    return Found(model.labels_, confidence, experiment, model)
