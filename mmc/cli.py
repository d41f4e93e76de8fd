"""The command line: `python -m mmc`.

Labels go to the output and everything else to standard error, so commands can be joined by pipes. Exit codes:
0 done, 1 the data or the parameters do not allow it, 2 the command is not right, 130 stopped by Ctrl-C,
141 nobody reads the output any more, 143 stopped by SIGTERM.

Files are written whole or not at all. A sweep with --resume stores each candidate as it ends.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import numpy as np

import mmc
from mmc import clusterers, engine, registry, schema
from mmc._ending import Terminated, drop_output, ended_by_sigterm
from mmc.cli_sweep import chosen, flag, write_option
from mmc.datasets import CATALOG, Dataset, MissingValuesError, Table, labels_frame, open_table, to_csv_text
from mmc.experiment import Data, Experiment
from mmc.registry import Algorithm, Parameter
from mmc.selection import FOR_K, SCORES, USUAL
from mmc.stepping import Step

_BAR = 30

#: Maximum size of a table; what does not fit in memory is refused later, by the number of rows.
_MAX_BYTES = 2**30

#: Exit codes of a command that was ended from outside: 128 and the number of the signal.
_INTERRUPTED, _CLOSED, _TERMINATED = 130, 141, 143


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    argv : sequence of str or None, default=None
        Arguments; None means those of the process.

    Returns
    -------
    int
        Exit code.
    """
    arguments = _parser(sys.argv[1:] if argv is None else argv).parse_args(argv)
    try:
        with ended_by_sigterm():
            code = int(arguments.run(arguments))
            sys.stdout.flush()  # here, where an error has a message
        return code
    except BrokenPipeError:
        drop_output()
        return _CLOSED
    except MissingValuesError as error:
        _say(f"{error.what}; --drop-missing leaves them out")
        return 1
    except (ValueError, OSError) as error:
        drop_output()
        _say(str(error))
        return 1
    except KeyboardInterrupt as stop:
        _say("\n".join(["stopped", *getattr(stop, "__notes__", [])]), "\n")
        return _TERMINATED if isinstance(stop, Terminated) else _INTERRUPTED


def _say(text: str, before: str = "") -> None:
    with suppress(OSError):  # nobody may be there to read it
        print(f"{before}mmc: {text}", file=sys.stderr, flush=True)


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mmc", description="Maximum-margin and information-maximization clustering."
    )
    parser.add_argument("--version", action="version", version=f"mmc {mmc.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="list the algorithms, their parameters and the built-in data")
    listing.set_defaults(run=_list)
    _add_cluster(commands, _algorithm_in(argv))
    rerun = commands.add_parser("run", help="repeat an experiment that was saved as JSON")
    rerun.add_argument("experiment", type=Path, help="the JSON file")
    rerun.add_argument("--table", metavar="FILE", help="the table, if it used one; - for standard input")
    _add_output(rerun)
    rerun.set_defaults(run=_run)
    return parser


def _add_cluster(commands: argparse._SubParsersAction, algorithm: Algorithm) -> None:
    cluster = commands.add_parser(
        "cluster",
        help="cluster a table",
        description=f"Cluster the numeric columns of a table. Shown are the parameters of {algorithm.name}; "
        "name another one with --algorithm to see its own.",
    )
    cluster.add_argument("table", help="a CSV, TSV or Parquet file, or - for standard input")
    cluster.add_argument(
        "--algorithm", default=algorithm.name, choices=list(registry.ALGORITHMS), help="default: %(default)s"
    )
    cluster.add_argument("--columns", metavar="A,B,…", help="columns to use; default: all numeric ones")
    cluster.add_argument("--label", metavar="COLUMN", help="reference labels: left out of the clustering")
    cluster.add_argument("--standardize", action="store_true", help="scale every column to variance 1")
    cluster.add_argument("--drop-missing", action="store_true", help="leave out rows with missing values")
    cluster.add_argument(
        "--sweep",
        metavar="PARAMETER[=A,B,…]",
        action="append",
        default=[],
        help="try values of a parameter and keep the best; values that are lists are separated by "
        'semicolons, as in "cluster_sizes=1,2;1,1"; may be given twice',
    )
    scores = " ".join(f"{name}: {score.meaning}" for name, score in SCORES.items())
    cluster.add_argument(
        "--score",
        choices=list(SCORES),
        help=f"what makes a value the best; default: {USUAL}, or {FOR_K} where the number of clusters is "
        f"swept. {scores}".replace("%", "%%"),
    )
    cluster.add_argument(
        "--dask",
        metavar="ADDRESS",
        help=f"a Dask cluster to run the sweep, such as tcp://host:8786; default: {engine.CLUSTER}, if set",
    )
    cluster.add_argument("--curve", type=Path, metavar="FILE", help="where the scores of a sweep go, as CSV")
    cluster.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="where the candidates of a sweep are stored as they end; the same command goes on from there",
    )
    cluster.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="where the experiment goes, as JSON that “run” repeats; after a sweep that of the best value",
    )
    _add_output(cluster)
    group = cluster.add_argument_group(f"parameters of {algorithm.name}")
    for parameter in algorithm.parameters:
        names = [flag(parameter)]
        if parameter.is_n_clusters:
            names.insert(0, "-k")
        group.add_argument(
            *names,
            dest=f"parameter_{parameter.name}",
            metavar=_metavar(parameter),
            help=f"{parameter.help} Default: {_usual(algorithm, parameter)}".replace("%", "%%"),
        )
    cluster.set_defaults(run=_cluster)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", "-o", default="-", help="where the labels go; default: standard output")
    parser.add_argument("--quiet", "-q", action="store_true", help="say nothing when all went well")


def _algorithm_in(argv: Sequence[str]) -> Algorithm:
    """Return the algorithm that --algorithm names, because it decides which parameters exist."""
    early = argparse.ArgumentParser(add_help=False)
    early.add_argument("--algorithm")
    name = early.parse_known_args(argv)[0].algorithm
    return registry.ALGORITHMS.get(name or "", next(iter(registry.ALGORITHMS.values())))


def _default(algorithm: Algorithm, parameter: Parameter) -> object:
    """Return the default value; the seed is 0, so a command always gives the same labels."""
    return 0 if parameter.name == "random_state" else algorithm.default(parameter.name)


def _usual(algorithm: Algorithm, parameter: Parameter) -> object:
    """Return the default value as a user writes it."""
    default = _default(algorithm, parameter)
    return parameter.write(default) if parameter.kind == "kernels" or parameter.none else default


def _metavar(parameter: Parameter) -> str:
    if parameter.kind == "choice":
        return "{" + ",".join((*parameter.choices, *(("NUMBER",) if parameter.free else ()))) + "}"
    if parameter.kind == "bool":
        return "{" + ",".join((*parameter.choices, "true", "false")) + "}"
    return {"int": "N", "float": "NUMBER", "numbers": "N,N,…", "kernels": "K,K,…"}[parameter.kind]


def _list(arguments: argparse.Namespace) -> int:
    for entry in registry.ALGORITHMS.values():
        print(f"{entry.name}: {entry.summary}\n    {entry.paper}")
        for parameter in entry.parameters:
            print(f"    {flag(parameter):16} {_metavar(parameter)}  (default {_usual(entry, parameter)})")
    print("\nBuilt-in data (mmc.datasets.load):")
    for key, item in CATALOG.items():
        print(f"    {key:16} {item.summary}")
    return 0


def _cluster(arguments: argparse.Namespace) -> int:
    if arguments.curve and not arguments.sweep:
        raise ValueError("--curve needs --sweep: without a sweep there are no scores.")
    if arguments.resume and not arguments.sweep:
        raise ValueError("--resume needs --sweep: a single fit begins anew.")
    if arguments.dask and not arguments.sweep:
        raise ValueError("--dask needs --sweep: a single fit runs here.")
    _require_writable(arguments)
    entry = registry.get(arguments.algorithm)
    values = {
        parameter.name: _default(entry, parameter) if text is None else parameter.parse(text)
        for parameter in entry.parameters
        for text in [getattr(arguments, f"parameter_{parameter.name}")]
    }
    _require_effect(entry, values, arguments)
    table = _read(arguments.table)
    options = {
        "columns": arguments.columns.split(",") if arguments.columns else None,
        "label": arguments.label,
        "missing": "drop" if arguments.drop_missing else "error",
    }
    name = table.name.encode(errors="replace").decode()  # a file's name may be no text
    data = Data("table", options, arguments.standardize, name, table.sha256)
    dataset = data.load(table)
    experiment = Experiment(data, entry.name, values)
    if arguments.sweep:
        experiment = chosen(experiment, dataset, arguments)
    _fit_andwrite_option(experiment, dataset, arguments)
    if arguments.save:
        write_option("save", arguments.save, experiment.to_json())
    return 0


def _require_effect(entry: Algorithm, values: Mapping[str, Any], arguments: argparse.Namespace) -> None:
    """Refuse a given or swept parameter that has no effect beside the values of the others."""
    swept = {text.partition("=")[0].replace("-", "_") for text in arguments.sweep}
    for parameter in entry.parameters:
        if getattr(arguments, f"parameter_{parameter.name}") is None and parameter.name not in swept:
            continue
        for other, allowed in parameter.when:
            if other not in swept and values.get(other) not in allowed:
                switch = flag(entry.parameter(other))
                raise ValueError(
                    f"{flag(parameter)} has no effect while {switch} is {values.get(other)}: set {switch} to "
                    f"{' or '.join(map(str, allowed))}, or leave {flag(parameter)} out."
                )


def _read(table: str) -> Table:
    """Read a table from a file, or from standard input."""
    return open_table(sys.stdin.buffer.read() if table == "-" else table, max_bytes=_MAX_BYTES)


def _require_writable(arguments: argparse.Namespace) -> None:
    """Refuse files that cannot be written before anything is computed; no file is created."""
    for option in ("output", "curve", "resume", "save"):
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
        raise ValueError(f"--{option} {given} cannot be written: {reason}.")


def _run(arguments: argparse.Namespace) -> int:
    _require_writable(arguments)
    with arguments.experiment.open("rb") as file:
        experiment = Experiment.from_json(file.read(schema.MAX_BYTES + 1))
    data = experiment.data
    if data.source == "table" and arguments.table is None:
        raise ValueError(f"This experiment needs the table {data.name!r}: give it with --table FILE.")
    table = _read(arguments.table) if arguments.table else None
    _fit_andwrite_option(experiment, data.load(table), arguments)
    return 0


def _fit_andwrite_option(experiment: Experiment, dataset: Dataset, arguments: argparse.Namespace) -> None:
    say: TextIO | None = None if arguments.quiet else sys.stderr
    for note in dataset.notes if say else ():
        print(f"note: {note}", file=say)
    on_terminal = say is not None and say.isatty()
    end = clusterers.end(experiment.make(), dataset.X, _show if on_terminal else lambda step: None)
    if on_terminal:
        print(file=say)
    text = to_csv_text(labels_frame(dataset, end.labels, end.confidence()))
    if arguments.output == "-":
        sys.stdout.write(text.replace("\r\n", "\n"))
    else:
        write_option("output", arguments.output, text)
    if say:
        if end.warning:
            print(f"warning: {end.warning}", file=say)
        sizes = ", ".join(map(str, np.bincount(end.labels)))
        objective = "" if np.isnan(end.objective) else f", objective {end.objective:.6g}"
        print(f"{len(end.labels)} points, cluster sizes {sizes}{objective}", file=say)


def _show(step: Step) -> None:
    """Draw the progress of a fit over the previous line."""
    done = int(_BAR * step.progress)
    width = shutil.get_terminal_size().columns
    line = f"[{'#' * done}{'.' * (_BAR - done)}] {step.progress:4.0%} {step.state.caption}"
    print("\r" + line[: width - 1].ljust(width - 1), end="", file=sys.stderr)
