"""The command line: `mmc`, or `python -m mmc` where the library is not installed.

Labels go to the output and everything else to standard error, so commands can be joined by pipes. Exit codes:
0 done, 1 the data or the parameters do not allow it, 2 the command is not right, 130 stopped by Ctrl-C,
141 nobody reads the output any more, 143 stopped by SIGTERM.

Files are written whole or not at all. A sweep with --resume stores each candidate as it ends.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

import mmc
from mmc import (
    cli_app,
    cli_auto,
    cli_bulk,
    cli_parts,
    cli_profile,
    cli_table,
    clusterers,
    engine,
    registry,
    schema,
)
from mmc._ending import Terminated, drop_output, ended_by_sigterm
from mmc.bulk import SAMPLE, draw_sample, model_of, reading, table_parts, usual_size
from mmc.cli_auto import AUTO
from mmc.cli_files import (
    add_output,
    is_beyond_memory,
    read_table,
    require_writable,
    write_option,
    write_output,
)
from mmc.cli_predict import add_predict, require_onnx_option, sizes, write_model, write_onnx
from mmc.cli_sweep import chosen, flag
from mmc.datasets import CATALOG, Dataset, MissingValuesError, labels_frame
from mmc.experiment import Experiment
from mmc.images import ImageExperiment, holds_image, open_picture, pixel_table, segment
from mmc.model_file import require_predict
from mmc.registry import Algorithm, Parameter
from mmc.selection import FOR_K, SCORES, USUAL
from mmc.stepping import Step

_BAR = 30

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
        filled = "; --missing median fills them" if getattr(arguments, "prepare", None) is not None else ""
        _say(f"{error.what}; --drop-missing leaves them out{filled}")
        return 1
    except (ValueError, OSError, ImportError) as error:
        drop_output()
        _say(str(error))
        return 1
    except KeyboardInterrupt as stop:
        _say("\n".join(["stopped", *getattr(stop, "__notes__", [])]), "\n")
        return _TERMINATED if isinstance(stop, Terminated) else _INTERRUPTED


def _prog() -> str:
    """Return how the command was called."""
    return "mmc" if Path(sys.argv[0]).stem == "mmc" else "python -m mmc"


def _say(text: str, before: str = "") -> None:
    with suppress(OSError):  # nobody may be there to read it
        print(f"{before}mmc: {text}", file=sys.stderr, flush=True)


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_prog(), description="Maximum-margin and information-maximization clustering."
    )
    parser.add_argument("--version", action="version", version=f"mmc {mmc.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="list the algorithms, their parameters and the built-in data")
    listing.set_defaults(run=_list)
    _add_cluster(commands, _choice_in(argv))
    rerun = commands.add_parser("run", help="repeat an experiment that was saved as JSON")
    rerun.add_argument("experiment", type=Path, help="the JSON file")
    rerun.add_argument(
        "--table",
        metavar="FILE",
        help="the table or the image, if it used one; - for a table on standard input",
    )
    add_output(rerun)
    rerun.set_defaults(run=_run)
    add_predict(commands)
    cli_app.add_app(commands)
    return parser


def _add_cluster(commands: argparse._SubParsersAction[argparse.ArgumentParser], choice: _Choice) -> None:
    shown = " and ".join(
        filter(None, (AUTO if choice.is_auto else "", choice.algorithm.name if choice.algorithm else ""))
    )
    cluster = commands.add_parser(
        "cluster",
        help="cluster a table",
        description=f"Cluster the numeric columns of a table. Shown are the parameters of {shown}; "
        "name another one with --algorithm to see its own.",
    )
    cluster.add_argument(
        "table",
        help="a CSV, TSV, Parquet or Excel file, or - for standard input; or Parquet in parts: a folder, a "
        "pattern or an address such as s3://…, for which --output names a folder",
    )
    _add_common(cluster, AUTO if choice.is_auto or choice.algorithm is None else choice.algorithm.name)
    if choice.is_auto:
        cli_auto.add_options(cluster, is_named=choice.algorithm is None)
    if choice.algorithm is not None:
        _add_parameters(cluster, choice.algorithm)
    if choice.misplaced:
        cluster.error(
            f"{choice.misplaced} needs --algorithm {AUTO}: with -k, another parameter or --sweep alone, the "
            f"algorithm is {_usual_algorithm().name}"
        )
    cluster.set_defaults(run=_cluster)


def _add_common(cluster: argparse.ArgumentParser, default: str) -> None:
    """Add the options that do not depend on the algorithm."""
    cluster.add_argument(
        "--algorithm",
        default=default,
        choices=[AUTO, *registry.ALGORITHMS],
        help=f"default: {AUTO}, which tries several and chooses; with -k, another parameter or --sweep alone "
        f"it is {_usual_algorithm().name}",
    )
    cli_table.add_options(cluster)
    cli_bulk.add_sample(cluster)
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
        help=f"a Dask cluster to run a sweep, {AUTO} or a fit to Parquet in parts, such as tcp://host:8786; "
        f"default for the first two: {engine.CLUSTER}, if set",
    )
    cluster.add_argument("--curve", type=Path, metavar="FILE", help="where the scores of a sweep go, as CSV")
    cluster.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="where the candidates of a sweep are stored as they end, or the progress of a fit to a table in "
        "parts; the same command goes on from there",
    )
    cluster.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="where the experiment goes, as JSON that “run” repeats; after a sweep that of the best value, "
        f"with {AUTO} that of the chosen method, without outliers",
    )
    cluster.add_argument(
        "--save-model",
        type=Path,
        metavar="FILE",
        help="where the fitted model goes, which “predict” labels other tables with; usually .mmc",
    )
    cluster.add_argument(
        "--save-onnx",
        type=Path,
        metavar="FILE",
        help="where the fitted model goes as an ONNX file, which other programs run; needs skl2onnx",
    )
    cli_profile.add_options(cluster)
    add_output(cluster)


def _add_parameters(cluster: argparse.ArgumentParser, algorithm: Algorithm) -> None:
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


class _Choice(NamedTuple):
    """The algorithm of a command, because it decides which parameters exist.

    Attributes
    ----------
    algorithm : Algorithm or None
        The algorithm whose parameters are options; None if the choice itself is named.
    is_auto : bool
        Whether the algorithm is chosen.
    misplaced : str
        An option of the choice where nothing is chosen; empty if there is none.
    """

    algorithm: Algorithm | None
    is_auto: bool = False
    misplaced: str = ""


def _choice_in(argv: Sequence[str]) -> _Choice:
    """Return the algorithm that --algorithm names, or else what the other options mean."""
    early = argparse.ArgumentParser(add_help=False)
    early.add_argument("--algorithm")
    name = early.parse_known_args(argv)[0].algorithm
    usual = _usual_algorithm()
    if name == AUTO:
        return _Choice(None, is_auto=True)
    if name is not None or "cluster" not in argv:
        return _Choice(registry.ALGORITHMS.get(name or "", usual))
    early = argparse.ArgumentParser(prog=f"{_prog()} cluster", add_help=False)
    _add_common(early, AUTO)
    _add_parameters(early, usual)
    given, rest = early.parse_known_args(argv)
    if given.sweep or any(v is not None for n, v in vars(given).items() if n.startswith("parameter_")):
        return _Choice(usual, misplaced=cli_auto.misplaced(rest))
    return _Choice(usual, is_auto=True)


def _usual_algorithm() -> Algorithm:
    """Return the algorithm of a command that gives parameters and names none."""
    return next(iter(registry.ALGORITHMS.values()))


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
    if cli_parts.is_in_parts(arguments):
        return _cluster_parts(arguments)
    if arguments.curve and not arguments.sweep:
        raise ValueError("--curve needs --sweep: without a sweep there are no scores.")
    if arguments.resume and not arguments.sweep:
        raise ValueError("--resume needs --sweep: a single fit begins anew.")
    is_auto = arguments.algorithm == AUTO
    if arguments.dask and not arguments.sweep and not is_auto:
        raise ValueError(f"--dask needs --sweep or --algorithm {AUTO}: a single fit runs here.")
    if arguments.sweep and is_auto:
        raise ValueError(f"--sweep needs an algorithm, and {AUTO} tries several: name one with --algorithm.")
    if cli_table.has_hints(arguments) and (is_auto or arguments.sweep):
        raise ValueError(
            "--known and --sample-weight need one algorithm that keeps them, and the number of clusters: "
            "give -k, which means UMCRLS, without --sweep."
        )
    if arguments.save_onnx and is_auto:
        raise ValueError(
            f"--save-onnx needs an algorithm, and {AUTO} tries several: name one with --algorithm."
        )
    require_writable(arguments)
    is_streamed = arguments.sample is not None or is_beyond_memory(arguments.table)
    if is_streamed:
        cli_bulk.require_streamable(arguments)
    if is_auto:
        return _cluster_streamed(arguments, None) if is_streamed else _cluster_by_itself(arguments)
    entry = registry.get(arguments.algorithm)
    values = _values(entry, arguments)
    _require_effect(entry, values, arguments)
    if arguments.save_model or is_streamed:
        require_predict(entry.make(values))
    if is_streamed:
        return _cluster_streamed(arguments, values)
    data, dataset = cli_table.load(arguments)
    if arguments.save_onnx:
        require_onnx_option(entry.make(values), dataset)
    experiment = Experiment(data, entry.name, values)
    if arguments.sweep:
        experiment = chosen(experiment, dataset, arguments)
    _fit_and_write(experiment, dataset, arguments)
    if arguments.save:
        write_option("save", arguments.save, experiment.to_json())
    return 0


def _cluster_parts(arguments: argparse.Namespace) -> int:
    if arguments.algorithm == AUTO or arguments.sweep:
        raise ValueError(
            "A table in parts needs one algorithm, and the number of clusters: give -k, without --sweep."
        )
    entry = registry.get(arguments.algorithm)
    values = _values(entry, arguments)
    if "kernel" in values and arguments.parameter_kernel is None:
        values["kernel"] = cli_parts.KERNEL
    _require_effect(entry, values, arguments)
    say = _say_step if arguments.progress else None
    cli_parts.cluster(entry.make(values), arguments, _show if _on_terminal(arguments) else say)
    return 0


def _values(entry: Algorithm, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the values of the parameters."""
    return {
        parameter.name: _default(entry, parameter) if text is None else parameter.parse(text)
        for parameter in entry.parameters
        for text in [getattr(arguments, f"parameter_{parameter.name}")]
    }


def _cluster_by_itself(arguments: argparse.Namespace) -> int:
    data, dataset = cli_table.load(arguments)
    _say_notes(dataset, arguments)
    found = cli_auto.find(data, dataset, arguments, _show if _on_terminal(arguments) else None)
    _write_labels(dataset, found.labels, found.confidence, arguments)
    if arguments.save:
        write_option("save", arguments.save, found.experiment.to_json())
    if arguments.save_model:
        write_model(found.model, dataset, arguments)
    if not arguments.quiet:
        print(sizes(found.labels), file=sys.stderr)
    return 0


def _cluster_streamed(arguments: argparse.Namespace, values: Mapping[str, Any] | None) -> int:
    """Find the clusters of a sample, and label all rows; the parameters are None if the method is chosen."""
    source = cli_bulk.source_of(arguments)
    parts = table_parts(source)
    seed = (getattr(arguments, "random_state", 0) if values is None else values.get("random_state")) or 0
    size = arguments.sample
    if size is None:
        most = SAMPLE if values is None else registry.get(arguments.algorithm).most_samples(values)
        size = usual_size(len(parts.columns), most)

    def make(watch: cli_bulk.Watch) -> bytes:
        if not arguments.quiet:
            print(
                f"note: The clusters are found on a sample of {min(size, parts.n_rows):,} of "
                f"{parts.n_rows:,} rows, and all rows are labelled by its model (--sample).",
                file=sys.stderr,
            )
        sample = draw_sample(parts, size, seed, see=reading(parts, watch))
        data, dataset = cli_table.of_table(sample, arguments)
        watch.end()
        _say_notes(dataset, arguments)
        if values is None:
            model = cli_auto.find(data, dataset, arguments, _show if watch.on_terminal else None).model
            return model_of(model, dataset)
        estimator = Experiment(data, arguments.algorithm, values).make()
        see = _show if watch.on_terminal else lambda step: None
        warning = clusterers.end(estimator, dataset.X, see, dataset.hints).warning
        if watch.on_terminal:
            print(file=sys.stderr)
        if warning and not arguments.quiet:
            print(f"warning: {warning}", file=sys.stderr)
        return model_of(estimator, dataset)

    about = {"--sample": size, "seed": seed}
    summary = cli_bulk.label(source, parts, make, arguments, about=about, far=False)
    cli_bulk.say(summary, arguments)
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


def _run(arguments: argparse.Namespace) -> int:
    require_writable(arguments)
    with arguments.experiment.open("rb") as file:
        content = file.read(schema.MAX_BYTES + 1)
    if holds_image(content):
        return _run_image(ImageExperiment.from_json(content), arguments)
    experiment = Experiment.from_json(content)
    data = experiment.data
    if data.source == "table" and arguments.table is None:
        raise ValueError(f"This experiment needs the table {data.name!r}: give it with --table FILE.")
    table = read_table(arguments.table, data.options.get("sheet")) if arguments.table else None
    _fit_and_write(experiment, data.load(table), arguments)
    return 0


def _run_image(experiment: ImageExperiment, arguments: argparse.Namespace) -> int:
    image = experiment.image
    if not image.picture and arguments.table is None:
        raise ValueError(f"This experiment needs the image {image.name!r}: give it with --table FILE.")
    picture = image.load(open_picture(arguments.table) if arguments.table else None)
    found = segment(picture, experiment.make(), **image.options)
    write_output(pixel_table(found.labels), arguments.output)
    if not arguments.quiet:
        print(sizes(found.labels.ravel()), file=sys.stderr)
    return 0


def _fit_and_write(experiment: Experiment, dataset: Dataset, arguments: argparse.Namespace) -> None:
    _say_notes(dataset, arguments)
    on_terminal = _on_terminal(arguments)
    model = experiment.make()
    see = _show if on_terminal else lambda step: None
    end = clusterers.end(model, dataset.X, see, dataset.hints)
    if on_terminal:
        print(file=sys.stderr)
    _write_labels(dataset, end.labels, end.confidence(), arguments)
    if not arguments.quiet:
        if end.warning:
            print(f"warning: {end.warning}", file=sys.stderr)
        objective = "" if np.isnan(end.objective) else f", objective {end.objective:.6g}"
        print(f"{sizes(end.labels)}{objective}", file=sys.stderr)
    if getattr(arguments, "save_model", None):
        write_model(model, dataset, arguments)
    if getattr(arguments, "save_onnx", None):
        write_onnx(model, dataset, arguments)


def _say_notes(dataset: Dataset, arguments: argparse.Namespace) -> None:
    for note in () if arguments.quiet else dataset.notes:
        print(f"note: {note}", file=sys.stderr)


def _on_terminal(arguments: argparse.Namespace) -> bool:
    """Return whether somebody watches the progress."""
    return not arguments.quiet and sys.stderr.isatty()


def _write_labels(
    dataset: Dataset, labels: ArrayLike, confidence: ArrayLike | None, arguments: argparse.Namespace
) -> None:
    write_output(labels_frame(dataset, labels, confidence), arguments.output)
    cli_profile.write(dataset, labels, confidence, arguments)


def _say_step(step: Step) -> None:
    """Say how far a fit is where there is no terminal."""
    print(f"{step.progress:4.0%} {step.state.caption}", file=sys.stderr, flush=True)


def _show(step: Step) -> None:
    """Draw the progress of a fit over the previous line."""
    done = int(_BAR * step.progress)
    width = shutil.get_terminal_size().columns
    line = f"[{'#' * done}{'.' * (_BAR - done)}] {step.progress:4.0%} {step.state.caption}"
    print("\r" + line[: width - 1].ljust(width - 1), end="", file=sys.stderr)
