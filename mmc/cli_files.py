"""Files of the command line: tables that are read, and outputs that are written whole or not at all."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from mmc._files import write_file
from mmc._optional import pandas as pd
from mmc._optional import pyarrow as pa
from mmc.datasets import Table, open_table, to_csv_text
from mmc.datasets._parts import needs_parts

#: Maximum size of a table; what does not fit in memory is refused later, by the number of rows.
_MAX_BYTES = 2**30

#: Options that name a file to be written.
_OUTPUTS = ("output", "curve", "resume", "save", "save_model", "save_onnx", "candidates", "report", "profile")


def read_table(table: str, sheet: str | None = None) -> Table:
    """Read a table from a file, or from standard input.

    Parameters
    ----------
    table : str
        Name of the file; - for standard input.
    sheet : str, default=None
        Sheet of an Excel workbook; None means the first one with a table.

    Returns
    -------
    Table
    """
    return open_table(sys.stdin.buffer.read() if table == "-" else table, sheet, max_bytes=_MAX_BYTES)


def is_beyond_memory(table: str) -> bool:
    """Return whether a table is a Parquet file that is too large to be read whole.

    Parameters
    ----------
    table : str
        Name of the file; - for standard input.

    Returns
    -------
    bool
    """
    return table != "-" and needs_parts(table, _MAX_BYTES)


def add_sheet(parser: argparse.ArgumentParser) -> None:
    """Add the option of a command that reads a table."""
    parser.add_argument(
        "--sheet", metavar="NAME", help="sheet of an Excel workbook; default: the first one with a table"
    )


def require_writable(arguments: argparse.Namespace, options: Sequence[str] = _OUTPUTS) -> None:
    """Refuse files that cannot be written before anything is computed; no file is created.

    Parameters
    ----------
    arguments : Namespace
        Options of the command.
    options : sequence of str
        Options that name such a file.

    Raises
    ------
    ValueError
        If a file cannot be written; the message names the option.
    """
    for option in options:
        given = getattr(arguments, option, None)
        if given is None or given == "-":
            continue
        path = Path(given)
        if path.is_dir():
            reason = "it is a folder"
        elif not path.parent.is_dir():
            reason = f"there is no folder {path.parent}"
        elif not os.access(path if path.exists() else path.parent, os.W_OK):
            reason = "you may not write there"
        else:
            continue
        raise ValueError(f"--{option.replace('_', '-')} {given} cannot be written: {reason}.")


def write_option(option: str, path: str | Path, content: str | bytes) -> None:
    """Write a file whole, or name the option and leave the old file as it was."""
    try:
        write_file(path, content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ValueError(f"--{option} {path} cannot be written: {error.strerror}.") from error


def write_output(frame: pd.DataFrame, output: str) -> None:
    """Write a table to the file of --output, as Parquet by its ending, else as CSV; - is standard output."""
    if output.lower().endswith(".parquet"):
        write_option("output", output, _parquet(frame))
        return
    text = to_csv_text(frame)
    if output == "-":
        sys.stdout.write(text.replace("\r\n", "\n"))
    else:
        write_option("output", output, text)


def _parquet(frame: pd.DataFrame) -> bytes:
    content = io.BytesIO()
    try:
        frame.to_parquet(content, index=False)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise ValueError(
            f"--output cannot be Parquet, because a column of the table has cells of several types "
            f"({error}). Give a file that ends in .csv."
        ) from error
    return content.getvalue()


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that writes labels."""
    parser.add_argument(
        "--output",
        "-o",
        default="-",
        help="where the labels go, as CSV or, with the ending .parquet, as Parquet; default: standard output",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="say nothing when all went well")
