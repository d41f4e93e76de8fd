"""Tables in parts on the command line: Parquet in many files, here or on a Dask cluster."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmc import clusterers, engine
from mmc._optional import pyarrow as pa
from mmc._optional import pyarrow_parquet as pq
from mmc.cli_files import require_writable, write_option
from mmc.cli_predict import sizes
from mmc.hints import Given
from mmc.model_file import model_bytes
from mmc.parts import PartedTable, open_parts
from mmc.stepping import Step

#: The kernel where none is named: the graph that needs no pairs of points.
KERNEL = "landmark_graph"

#: Options of other tables, by what they are called in the arguments.
_REFUSED = (
    *("sheet", "label", "prepare", "missing", "drop_missing", "encode", "kind", "weight", "scaler", "known"),
    *("sample_weight", "sample", "curve", "save", "save_onnx", "report", "profile"),
)


def is_in_parts(arguments: argparse.Namespace) -> bool:
    """Return whether the table is taken part by part: a folder, an address or a pattern, or Parquet on Dask.

    Parameters
    ----------
    arguments : Namespace
        Options of the command.

    Returns
    -------
    bool
    """
    table = arguments.table
    many = "://" in table or "*" in table or Path(table).is_dir()
    return many or bool(arguments.dask and table.endswith((".parquet", ".parq", ".pq")))


def cluster(model: Any, arguments: argparse.Namespace, show: Callable[[Step], None] | None) -> None:
    """Fit a model to a table in parts and write the labels, a file for each part.

    Parameters
    ----------
    model : estimator
        Estimator to fit.
    arguments : Namespace
        Options of the command.
    show : callable or None
        Shows the progress.

    Raises
    ------
    ValueError
        If an option does not apply, or the table does not allow it.
    """
    if not getattr(model, "takes_parts", False):
        raise ValueError(f"{type(model).__name__} takes no table in parts: name another --algorithm.")
    for name in _REFUSED:
        if getattr(arguments, name, None):
            option = "--" + name.replace("_", "-")
            raise ValueError(f"{option} does not apply to a table in parts: leave it out.")
    require_writable(arguments, ("save_model",))
    write = _writer(arguments.output)
    table: Any = open_parts(
        arguments.table,
        client=engine.connect(arguments.dask) if arguments.dask else None,
        columns=arguments.columns.split(",") if arguments.columns else None,
        standardize=arguments.standardize,
        resume=arguments.resume,
    )
    end = clusterers.end(model, table, show or (lambda step: None), Given())
    if show and sys.stderr.isatty():
        print(file=sys.stderr)
    _write(table, model.labels_, write)
    if arguments.save_model:
        write_option("save-model", arguments.save_model, model_bytes(model, table))
    if not arguments.quiet:
        if end.warning:
            print(f"warning: {end.warning}", file=sys.stderr)
        parts = f"{len(table.lengths)} part{'' if len(table.lengths) == 1 else 's'}"
        print(f"{parts}, {sizes(model.labels_)}, objective {end.objective:.6g}", file=sys.stderr)


def _write(table: PartedTable, labels: NDArray[np.int64], write: Callable[[str, pa.Table], None]) -> None:
    ends = np.cumsum(table.lengths)
    for p, own in enumerate(np.split(labels, ends[:-1])):
        write(f"part-{p:05d}.parquet", pa.table({"label": own}))


def _writer(output: str) -> Callable[[str, pa.Table], None]:
    """Return a function that writes a file into the folder of --output, which must be new or empty."""
    if output == "-":
        raise ValueError("A table in parts needs --output FOLDER, where each part gets a file of its labels.")
    try:
        from fsspec.core import url_to_fs

        files, root = url_to_fs(output)
        if files.isfile(root) or (files.isdir(root) and files.ls(root)):
            raise ValueError(f"--output {output} is not empty: give a new folder.")
        files.makedirs(root, exist_ok=True)
    except (ImportError, OSError) as error:
        raise ValueError(f"--output {output} cannot be written: {error}.") from error

    def write(name: str, content: pa.Table) -> None:
        try:
            with files.open(f"{root.rstrip('/')}/{name}", "wb") as file:
                pq.write_table(content, file)
        except OSError as error:
            raise ValueError(f"--output {output} cannot be written: {error}.") from error

    return write
