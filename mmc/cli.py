"""The command line: `python -m mmc`.

Exit codes: 0 done, 1 the data or the parameters do not allow it, 2 the command is not right, 130 stopped by
the user. Labels go to the output, everything else to standard error, so that commands can be joined.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from sklearn.base import BaseEstimator

import mmc
from mmc import clusterers, engine, registry
from mmc.datasets import CATALOG, Dataset, MissingValuesError, labels_frame, load_table, to_csv_text
from mmc.experiment import Experiment
from mmc.registry import Algorithm, Parameter
from mmc.selection import SCORES, best, sweep
from mmc.stepping import Step

_BAR = 30

#: What memory cannot hold is refused later, by the number of rows.
_MAX_BYTES = 2**30


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    argv : sequence of str or None
        Arguments; None takes those of the process.

    Returns
    -------
    int
        Exit code.
    """
    arguments = _parser(sys.argv[1:] if argv is None else argv).parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except BrokenPipeError:
        sys.stderr.close()  # the reader has gone; Python would complain while flushing
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
    rerun = commands.add_parser("run", help="repeat an experiment that the app saved as JSON")
    rerun.add_argument("experiment", type=Path, help="the JSON file")
    rerun.add_argument("--table", type=Path, help="the table it used, if it used one")
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
        help="try values of a parameter and keep the best; may be given twice",
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
    _add_output(cluster)
    group = cluster.add_argument_group(f"parameters of {algorithm.name}")
    for parameter in algorithm.parameters:
        names = [_flag(parameter)]
        if parameter.counts:
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
    """Look for --algorithm first: it decides which parameters there are."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--algorithm")
    name = early.parse_known_args(argv)[0].algorithm
    return registry.ALGORITHMS.get(name or "", next(iter(registry.ALGORITHMS.values())))


def _default(algorithm: Algorithm, parameter: Parameter) -> object:
    """Give the default; a command gives the same labels every time, so its seed is 0."""
    return 0 if parameter.name == "random_state" else algorithm.default(parameter.name)


def _usual(algorithm: Algorithm, parameter: Parameter) -> object:
    """Give the default as a person would write it."""
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
    entry = registry.get(arguments.algorithm)
    values = {
        parameter.name: _default(entry, parameter) if text is None else parameter.parse(text)
        for parameter in entry.parameters
        for text in [getattr(arguments, f"parameter_{parameter.name}")]
    }
    dataset = load_table(
        sys.stdin.buffer.read() if arguments.table == "-" else arguments.table,
        columns=arguments.columns.split(",") if arguments.columns else None,
        label=arguments.label,
        missing="drop" if arguments.drop_missing else "error",
        standardize=arguments.standardize,
        max_bytes=_MAX_BYTES,
    )
    if arguments.sweep:
        values |= _chosen(entry, values, dataset, arguments)
    elif arguments.curve:
        raise ValueError("--curve needs --sweep: without a sweep there are no scores.")
    elif arguments.dask:
        raise ValueError("--dask needs --sweep: a single fit runs here.")
    return _fit_and_write(entry.make(values), dataset, arguments)


def _chosen(
    entry: Algorithm, values: dict[str, Any], dataset: Dataset, arguments: argparse.Namespace
) -> Mapping[str, Any]:
    """Sweep, and give the parameters of the best candidate."""
    grid: dict[str, list[Any]] = {}
    for text in arguments.sweep:
        name, _, given = text.partition("=")
        known = {_flag(p): p for p in entry.parameters}
        parameter = known.get("--" + name.replace("_", "-")) or entry.parameter(name)
        if parameter.name == "estimator":
            raise ValueError("--sweep tries values of parameters; choose the method with --estimator.")
        if not given and not parameter.candidates:
            raise ValueError(f"--sweep {name} needs values: --sweep {name}=A,B,…")
        tried = [parameter.parse(part) for part in given.split(",")] if given else parameter.candidates
        grid[parameter.name] = list(tried)
    if arguments.dask:
        os.environ[engine.CLUSTER] = arguments.dask
    run = sweep(entry.make(values), grid, dataset.X, score=arguments.score)
    for trial in run:
        if not arguments.quiet:
            what = ", ".join(f"{name}={value}" for name, value in trial.parameters.items())
            came = f"failed: {trial.error}" if trial.error else f"{arguments.score} {trial.score:.6g}"
            print(f"{len(run.trials)} of {run.total}: {what}, {came}", file=sys.stderr)
    if arguments.curve:
        arguments.curve.write_text(to_csv_text(run.table()), encoding="utf-8", newline="")
    return best(run.trials).parameters


def _run(arguments: argparse.Namespace) -> int:
    experiment = Experiment.from_json(arguments.experiment.read_text(encoding="utf-8"))
    content = arguments.table.read_bytes() if arguments.table else None
    return _fit_and_write(experiment.make(), experiment.data.load(content), arguments)


def _fit_and_write(model: BaseEstimator, dataset: Dataset, arguments: argparse.Namespace) -> int:
    say: TextIO | None = None if arguments.quiet else sys.stderr
    for note in dataset.notes if say else ():
        print(f"note: {note}", file=say)
    on_terminal = say is not None and say.isatty()
    end = clusterers.end(model, dataset.X, _show if on_terminal else lambda step: None)
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
    return 0


def _show(step: Step) -> None:
    """Draw how far a fit is, over what was drawn before."""
    done = int(_BAR * step.progress)
    width = shutil.get_terminal_size().columns
    line = f"[{'#' * done}{'.' * (_BAR - done)}] {step.progress:4.0%} {step.state.caption}"
    print("\r" + line[: width - 1].ljust(width - 1), end="", file=sys.stderr)
