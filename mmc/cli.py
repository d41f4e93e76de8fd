"""The command line: `python -m mmc`.

Labels go to the output and everything else to standard error, so commands can be joined by pipes. Exit codes:
0 done, 1 the data or the parameters do not allow it, 2 the command is not right, 130 stopped by the user.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np

import mmc
from mmc import clusterers, engine, registry
from mmc.datasets import CATALOG, Dataset, MissingValuesError, Table, labels_frame, open_table, to_csv_text
from mmc.experiment import Data, Experiment
from mmc.registry import Algorithm, Parameter
from mmc.selection import SCORES, best, sweep
from mmc.stepping import Step

_BAR = 30

#: Maximum size of a table; what does not fit in memory is refused later, by the number of rows.
_MAX_BYTES = 2**30


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
        return int(arguments.run(arguments))
    except BrokenPipeError:
        sys.stderr.close()  # the reader has closed the pipe; Python would report an error while flushing
        return 1
    except MissingValuesError as error:
        print(f"mmc: {error.what}; --drop-missing leaves them out", file=sys.stderr)
        return 1
    except (ValueError, OSError) as error:
        print(f"mmc: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nmmc: stopped", file=sys.stderr)
        return 130


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
    cluster.add_argument(
        "--score", default="lsmi", choices=SCORES, help="what makes a value the best; default: %(default)s"
    )
    cluster.add_argument(
        "--dask",
        metavar="ADDRESS",
        help=f"a Dask cluster to run the sweep, such as tcp://host:8786; default: {engine.CLUSTER}, if set",
    )
    cluster.add_argument("--curve", type=Path, metavar="FILE", help="where the scores of a sweep go, as CSV")
    cluster.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="where the experiment goes, as JSON that “run” repeats; after a sweep that of the best value",
    )
    _add_output(cluster)
    group = cluster.add_argument_group(f"parameters of {algorithm.name}")
    for parameter in algorithm.parameters:
        names = [_flag(parameter)]
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


def _flag(parameter: Parameter) -> str:
    return "--" + parameter.name.replace("__", "-").replace("_", "-")


def _metavar(parameter: Parameter) -> str:
    if parameter.kind == "choice":
        return "{" + ",".join((*parameter.choices, *(("NUMBER",) if parameter.free else ()))) + "}"
    return {"int": "N", "float": "NUMBER", "bool": "{true,false}", "numbers": "N,N,…", "kernels": "K,K,…"}[
        parameter.kind
    ]


def _list(arguments: argparse.Namespace) -> int:
    for entry in registry.ALGORITHMS.values():
        print(f"{entry.name}: {entry.summary}\n    {entry.paper}")
        for parameter in entry.parameters:
            print(f"    {_flag(parameter):16} {_metavar(parameter)}  (default {_usual(entry, parameter)})")
    print("\nBuilt-in data (mmc.datasets.load):")
    for key, item in CATALOG.items():
        print(f"    {key:16} {item.summary}")
    return 0


def _cluster(arguments: argparse.Namespace) -> int:
    if arguments.curve and not arguments.sweep:
        raise ValueError("--curve needs --sweep: without a sweep there are no scores.")
    if arguments.dask and not arguments.sweep:
        raise ValueError("--dask needs --sweep: a single fit runs here.")
    _require_writable(arguments)
    entry = registry.get(arguments.algorithm)
    values = {
        parameter.name: _default(entry, parameter) if text is None else parameter.parse(text)
        for parameter in entry.parameters
        for text in [getattr(arguments, f"parameter_{parameter.name}")]
    }
    table = _read(arguments.table)
    options = {
        "columns": arguments.columns.split(",") if arguments.columns else None,
        "label": arguments.label,
        "missing": "drop" if arguments.drop_missing else "error",
    }
    data = Data("table", options, arguments.standardize, table.name, table.sha256)
    dataset = data.load(table)
    experiment = Experiment(data, entry.name, values)
    if arguments.sweep:
        experiment = _chosen(experiment, dataset, arguments)
    _fit_and_write(experiment, dataset, arguments)
    if arguments.save:
        arguments.save.write_text(experiment.to_json(), encoding="utf-8")
    return 0


def _read(table: str) -> Table:
    """Read a table from a file, or from standard input."""
    return open_table(sys.stdin.buffer.read() if table == "-" else table, max_bytes=_MAX_BYTES)


def _require_writable(arguments: argparse.Namespace) -> None:
    """Refuse files that cannot be written before anything is computed; no file is created."""
    for option in ("output", "curve", "save"):
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


def _chosen(experiment: Experiment, dataset: Dataset, arguments: argparse.Namespace) -> Experiment:
    """Run the sweep and return the experiment of the best candidate."""
    entry = registry.get(experiment.algorithm)
    grid: dict[str, list[Any]] = {}
    for text in arguments.sweep:
        name, _, given = text.partition("=")
        known = {_flag(p): p for p in entry.parameters}
        parameter = known.get("--" + name.replace("_", "-")) or entry.parameter(name)
        grid[parameter.name] = _candidates(parameter, name, given)
    if arguments.dask:
        os.environ[engine.CLUSTER] = arguments.dask
    run = sweep(experiment.make(), grid, dataset.X, score=arguments.score)
    for trial in run:
        if not arguments.quiet:
            what = ", ".join(f"{name}={value}" for name, value in trial.parameters.items())
            came = f"failed: {trial.error}" if trial.error else f"{arguments.score} {trial.score:.6g}"
            print(f"{len(run.trials)} of {run.total}: {what}, {came}", file=sys.stderr)
    if arguments.curve:
        arguments.curve.write_text(to_csv_text(run.table()), encoding="utf-8", newline="")
    return replace(experiment, parameters={**experiment.parameters, **best(run.trials).parameters})


def _candidates(parameter: Parameter, name: str, given: str) -> list[Any]:
    """Return the values that a sweep tries: the given ones, or the usual ones if none are given."""
    if parameter.name == "estimator":
        raise ValueError("--sweep tries values of parameters; choose the method with --estimator.")
    is_list = parameter.kind in ("numbers", "kernels")
    if given:
        return [parameter.parse(part) for part in given.split(";" if is_list else ",")]
    if not parameter.candidates:
        values = f'"{name}=A,B;C,D;…", as each value is a list' if is_list else f"{name}=A,B,…"
        raise ValueError(f"--sweep {name} needs values: --sweep {values}")
    return list(parameter.candidates)


def _run(arguments: argparse.Namespace) -> int:
    _require_writable(arguments)
    experiment = Experiment.from_json(arguments.experiment.read_text(encoding="utf-8"))
    data = experiment.data
    if data.source == "table" and arguments.table is None:
        raise ValueError(f"This experiment needs the table {data.name!r}: give it with --table FILE.")
    table = _read(arguments.table) if arguments.table else None
    _fit_and_write(experiment, data.load(table), arguments)
    return 0


def _fit_and_write(experiment: Experiment, dataset: Dataset, arguments: argparse.Namespace) -> None:
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
        Path(arguments.output).write_text(text, encoding="utf-8", newline="")
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
