"""Fitted models on the command line: --save-model, and the command that labels another table with one."""

from __future__ import annotations

import argparse
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from mmc import cli_bulk
from mmc.bulk import table_parts
from mmc.cli_files import (
    add_output,
    add_sheet,
    is_beyond_memory,
    read_table,
    require_writable,
    write_option,
    write_output,
)
from mmc.datasets import Dataset
from mmc.model_file import load_model, model_bytes
from mmc.onnx_file import onnx_bytes, require_onnx


def add_predict(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command.

    Parameters
    ----------
    commands : action
        Commands of the parser.
    """
    predict = commands.add_parser(
        "predict",
        help="label a table with a model that was saved",
        description="Label the rows of a table with a model that “cluster --save-model” has saved. Columns "
        "are found by their names and standardised as those of the model were. The column “far” says which "
        "rows are far from all that the model was fitted to.",
    )
    predict.add_argument("model", help="the model file")
    predict.add_argument("table", help="a CSV, TSV, Parquet or Excel file, or - for standard input")
    add_sheet(predict)
    predict.add_argument("--drop-missing", action="store_true", help="give rows with missing values no label")
    cli_bulk.add_stream(predict)
    add_output(predict)
    predict.set_defaults(run=_predict)


def write_model(model: BaseEstimator, dataset: Dataset, arguments: argparse.Namespace) -> None:
    """Write the file of --save-model.

    Parameters
    ----------
    model : estimator
        Fitted estimator.
    dataset : Dataset
        The points to which it was fitted.
    arguments : Namespace
        Options of the command.

    Raises
    ------
    ValueError
        If the model cannot predict, or the file cannot be written.
    """
    content = model_bytes(
        model, dataset.X, columns=dataset.columns, scaling=dataset.scaling, coding=dataset.coding
    )
    write_option("save-model", arguments.save_model, content)


def require_onnx_option(model: BaseEstimator, dataset: Dataset) -> None:
    """Refuse --save-onnx before the fit if its file could not be written.

    Parameters
    ----------
    model : estimator
        Estimator that will be fitted.
    dataset : Dataset
        The points to which it will be fitted.

    Raises
    ------
    ValueError
        If the model or the preparation of its columns has no such form, or a package is missing.
    """
    try:
        require_onnx(model)
    except ImportError as error:
        raise ValueError(f"--save-onnx: {error}.") from error
    if dataset.coding is not None:
        raise ValueError(
            "--save-onnx: words, dates, amounts, gaps or weights of these columns are prepared in a way for "
            "which an ONNX file has no form. Use columns of numbers without gaps, or --save-model."
        )


def write_onnx(model: BaseEstimator, dataset: Dataset, arguments: argparse.Namespace) -> None:
    """Write the file of --save-onnx.

    Parameters
    ----------
    model : estimator
        Fitted estimator.
    dataset : Dataset
        The points to which it was fitted.
    arguments : Namespace
        Options of the command.

    Raises
    ------
    ValueError
        If the model cannot be written in this form, or the file cannot be written.
    """
    write_option("save-onnx", arguments.save_onnx, onnx_bytes(model, scaling=dataset.scaling))


def sizes(labels: NDArray[np.int64]) -> str:
    """Return the numbers of points, in all and in each cluster, in words."""
    n_outliers = int((labels < 0).sum())
    outliers = f", {n_outliers} outlier{'' if n_outliers == 1 else 's'}" if n_outliers else ""
    counts = ", ".join(map(str, np.bincount(labels[labels >= 0])))
    return f"{len(labels)} points, cluster sizes {counts}{outliers}"


def _predict(arguments: argparse.Namespace) -> int:
    require_writable(arguments)
    if arguments.stream or is_beyond_memory(arguments.table):
        return _predict_streamed(arguments)
    saved = load_model(arguments.model)
    table = read_table(arguments.table, arguments.sheet)
    found = saved.label(table, missing="drop" if arguments.drop_missing else "error")
    write_output(found.frame(), arguments.output)
    if not arguments.quiet:
        for note in found.dataset.notes:
            print(f"note: {note}", file=sys.stderr)
        if found.warning:
            print(f"warning: {found.warning}", file=sys.stderr)
        print(sizes(found.labels), file=sys.stderr)
    return 0


def _predict_streamed(arguments: argparse.Namespace) -> int:
    cli_bulk.require_streamable(arguments)
    content = Path(arguments.model).read_bytes()
    load_model(content)  # refused before anything is stored
    source = cli_bulk.source_of(arguments)
    about = {"model file": sha256(content).hexdigest()}
    summary = cli_bulk.label(
        source, table_parts(source), lambda watch: content, arguments, about=about, far=True
    )
    cli_bulk.say(summary, arguments)
    return 0
