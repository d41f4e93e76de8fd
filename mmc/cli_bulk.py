"""Tables beyond memory on the command line: which are streamed, the options, and the progress."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import mmc
from mmc.bulk import SAMPLE, Progress, Source, Summary, about_source, run
from mmc.cli_files import read_table, write_option
from mmc.datasets._parts import TableParts, is_parquet

_BAR = 30

#: Arguments that do not change the labels.
_NO_MATTER = ("table", "output", "quiet", "progress", "save_model", "run", "stream", "model", "sample")

#: Options that need all rows in memory, and their values if they are not given.
_WHOLE: dict[str, object] = {
    "sweep": [],
    "curve": None,
    "resume": None,
    "save": None,
    "save_onnx": None,
    "report": None,
    "profile": None,
    "known": None,
    "sample_weight": None,
    "outliers": False,
}


def add_sample(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that clusters.

    Parameters
    ----------
    parser : ArgumentParser
        Parser of the command.
    """
    parser.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help="find the clusters on N rows, drawn with the seed, and label all rows with their model; a "
        "Parquet file is then read a part at a time, and the output has the numbers of the rows and their "
        f"clusters. Default: all rows, but {SAMPLE:,} (fewer if the method takes fewer) of a Parquet file "
        "that is too large to be read whole",
    )
    _add_progress(parser)


def add_stream(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that labels.

    Parameters
    ----------
    parser : ArgumentParser
        Parser of the command.
    """
    parser.add_argument(
        "--stream",
        action="store_true",
        help="read a Parquet file a part at a time; the output has the numbers of the rows, their clusters "
        "and “far”. This is the default for files that are too large to be read whole",
    )
    _add_progress(parser)


def _add_progress(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--progress",
        action="store_true",
        help="say how far a streamed table is, and the time left, or how far the fit to a table in parts is, "
        "also where standard error is no terminal",
    )


def source_of(arguments: argparse.Namespace) -> Source:
    """Return a Parquet file by its name, and any other table in memory.

    Parameters
    ----------
    arguments : Namespace
        Options of the command.

    Returns
    -------
    str or Table
    """
    table = str(arguments.table)
    return table if table != "-" and is_parquet(table) else read_table(table, arguments.sheet)


def require_streamable(arguments: argparse.Namespace) -> None:
    """Refuse options that need all rows in memory.

    Parameters
    ----------
    arguments : Namespace
        Options of the command.

    Raises
    ------
    ValueError
        If there is one, or the output is no file; the message names it.
    """
    for name, usual in _WHOLE.items():
        if getattr(arguments, name, usual) != usual:
            raise ValueError(
                f"--{name.replace('_', '-')} needs all rows in memory, and this table is read a part at a "
                "time. Leave it out, or give a table of fewer rows."
            )
    if arguments.output == "-":
        raise ValueError(
            "--output is needed for a table that is read a part at a time, because what is done is kept "
            "beside it: give a file that ends in .parquet or .csv."
        )


def label(
    source: Source,
    parts: TableParts,
    make: Callable[[Watch], bytes],
    arguments: argparse.Namespace,
    *,
    about: Mapping[str, Any],
    far: bool,
) -> Summary:
    """Label a table a part at a time, with its progress.

    Parameters
    ----------
    source : str or Table
        The table.
    parts : TableParts
        Its parts.
    make : callable
        Returns the content of a model file; it is called with what shows the progress.
    arguments : Namespace
        Options of the command.
    about : mapping
        What the labels depend on beside the options.
    far : bool
        Whether to say which rows are far.

    Returns
    -------
    Summary
    """
    watch = Watch(arguments)

    def keep_model(content: bytes) -> None:
        if getattr(arguments, "save_model", None):
            write_option("save-model", arguments.save_model, content)

    given = {
        f"--{name.removeprefix('parameter_').replace('_', '-')}": None if value is None else str(value)
        for name, value in vars(arguments).items()
        if name not in _NO_MATTER
    }
    try:
        return run(
            parts,
            arguments.output,
            lambda: make(watch),
            {**about_source(source, parts), **given, **about, "release": mmc.__version__},
            drop_missing=arguments.drop_missing or getattr(arguments, "missing", None) == "drop",
            far=far,
            keep_model=keep_model,
            see=watch,
        )
    finally:
        watch.end()


def say(summary: Summary, arguments: argparse.Namespace) -> None:
    """Say what came of a labelling.

    Parameters
    ----------
    summary : Summary
        What came of it.
    arguments : Namespace
        Options of the command.
    """
    if arguments.quiet:
        return
    for note in summary.notes:
        print(f"note: {note}", file=sys.stderr)
    if summary.n_kept:
        print(f"note: {summary.n_kept:,} rows were labelled by an earlier run.", file=sys.stderr)
    if summary.n_far:
        print(
            f"warning: {summary.n_far} of {summary.n_rows} rows are far from all points that the model was "
            "fitted to (column “far”): their labels are guesses.",
            file=sys.stderr,
        )
    without = f", {summary.n_without} without a label" if summary.n_without else ""
    sizes = ", ".join(map(str, summary.sizes))
    print(f"{summary.n_rows} points, cluster sizes {sizes}{without}", file=sys.stderr)


class Watch:
    """The progress of a run on standard error: a bar on a terminal, else a line now and then if asked for.

    Parameters
    ----------
    arguments : Namespace
        Options of the command.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.on_terminal = sys.stderr.isatty() and not arguments.quiet
        self._is_shown = self.on_terminal or arguments.progress
        self._stage, self._began, self._said = "", 0.0, 0.0
        self._is_open = False

    def __call__(self, progress: Progress) -> None:
        """Show how far a run is."""
        if not self._is_shown:
            return
        now = time.monotonic()
        if progress.stage != self._stage:
            self.end()
            self._stage, self._began, self._said = progress.stage, now, 0.0
        is_done = progress.done >= progress.total
        if now - self._said < (0.1 if self.on_terminal else 1.0) and not is_done:
            return
        self._said = now
        share = progress.done / max(progress.total, 1)
        line = f"{share:4.0%} {progress.stage}, {_left(progress, now - self._began)}"
        if not self.on_terminal:
            print(line, file=sys.stderr, flush=True)
            return
        bar = int(_BAR * share)
        width = shutil.get_terminal_size().columns
        line = f"[{'#' * bar}{'.' * (_BAR - bar)}] {line}"
        print("\r" + line[: width - 1].ljust(width - 1), end="", file=sys.stderr, flush=True)
        self._is_open = True

    def end(self) -> None:
        """Begin a new line."""
        if self._is_open:
            print(file=sys.stderr)
        self._is_open = False


def _left(progress: Progress, seconds: float) -> str:
    """Return the time left in words, by the rows of this run."""
    done = progress.done - progress.kept
    if progress.done >= progress.total:
        return f"done in {_spoken(seconds)}"
    if done <= 0:
        return "time left unknown"
    return f"{_spoken(seconds * (progress.total - progress.done) / done)} left"


def _spoken(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
