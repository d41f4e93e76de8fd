"""Sweeps on the command line: candidates, the file of --resume, and what is said of the progress."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict, replace
from typing import Any

import mmc
from mmc import engine, registry
from mmc.cli_files import write_option
from mmc.datasets import Dataset, to_csv_text
from mmc.experiment import Experiment
from mmc.registry import Parameter
from mmc.selection import FOR_K, SCORES, USUAL, best, sweep
from mmc.sweep_file import SweepFile
from mmc.trials import Trial


def chosen(experiment: Experiment, dataset: Dataset, arguments: argparse.Namespace) -> Experiment:
    """Run the sweep and return the experiment of the best candidate."""
    entry = registry.get(experiment.algorithm)
    grid: dict[str, list[Any]] = {}
    for text in arguments.sweep:
        name, _, given = text.partition("=")
        known = {flag(p): p for p in entry.parameters}
        parameter = known.get("--" + name.replace("_", "-")) or entry.parameter(name)
        grid[parameter.name] = _candidates(parameter, name, given)
    if arguments.score is None:
        swept = [entry.parameter(name) for name in grid]
        arguments.score = FOR_K if any(p.is_n_clusters for p in swept) else USUAL
    if arguments.dask:
        os.environ[engine.CLUSTER] = arguments.dask
    with _resumed(experiment, grid, arguments) as stored:
        done = stored.trials if stored else []
        run = sweep(experiment.make(), grid, dataset.X, score=arguments.score, done=done)
        earlier = [trial.parameters for trial in done]
        try:
            with closing(run):
                for trial in run:
                    if stored and trial.parameters not in earlier:
                        _store(stored, trial)
                    if not arguments.quiet:
                        _report(trial, len(run.trials), run.total, _score_name(arguments.score, trial))
        except KeyboardInterrupt as stop:
            finished = sum(not trial.error for trial in run.trials)
            stop.add_note(_how_to_go_on(finished, run.total, arguments))
            raise
    if arguments.curve:
        write_option("curve", arguments.curve, to_csv_text(run.table()))
    return replace(experiment, parameters={**experiment.parameters, **best(run.trials).parameters})


def _resumed(
    experiment: Experiment, grid: dict[str, list[Any]], arguments: argparse.Namespace
) -> AbstractContextManager[SweepFile | None]:
    """Open the file of --resume, if it is given."""
    if arguments.resume is None:
        return nullcontext()
    data = {name: value for name, value in asdict(experiment.data).items() if name != "name"}
    if not data["change"]:
        del data["change"]  # so that files of earlier releases are continued
    about = {
        "algorithm": experiment.algorithm,
        "data": data,
        "parameters": {n: v for n, v in experiment.parameters.items() if n not in grid},
        "release": mmc.__version__,
        "score": arguments.score,
        "swept": sorted(grid),
    }
    return closing(SweepFile(arguments.resume, about))


def _store(stored: SweepFile, trial: Trial) -> None:
    try:
        stored.add(trial)
    except OSError as error:
        raise ValueError(
            f"--resume {stored.path} cannot be written: {error.strerror}. It keeps {len(stored.trials)} "
            "candidates, from which the same command goes on."
        ) from error


def _score_name(score: str, trial: Trial) -> str:
    """Return the name of a score, which says so if it looks at a sample of the points."""
    judge = SCORES[score]
    return judge.title_for(len(trial.labels)).replace(judge.title, score, 1)


def _report(trial: Trial, count: int, total: int, score: str) -> None:
    what = ", ".join(f"{name}={value}" for name, value in trial.parameters.items())
    came = f"failed: {trial.error}" if trial.error else f"{score} {trial.score:.6g}"
    print(f"{count} of {total}: {what}, {came}", file=sys.stderr)


def _how_to_go_on(count: int, total: int, arguments: argparse.Namespace) -> str:
    if arguments.resume is None:
        return "With --resume FILE, a sweep that is stopped can go on later."
    return f"{arguments.resume} keeps {count} of {total} candidates, from which the same command goes on."


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


def flag(parameter: Parameter) -> str:
    """Return the option of a parameter."""
    return "--" + parameter.name.replace("__", "-").replace("_", "-")
