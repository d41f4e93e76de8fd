"""Running the experiments of a step, and measuring what its text speaks of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from mmc import registry
from mmc.datasets import Dataset
from mmc.lessons.lesson import LessonRun, Step
from mmc.lessons.quantities import Measured, measure
from mmc.recording import Recording, record, within_time

#: Quantities of each run by the name of the run, which is empty for the first one.
Values = Mapping[str, Mapping[str, float]]


class StepRun(NamedTuple):
    """The runs of a step.

    Attributes
    ----------
    datasets : tuple of Dataset
        Data of each run.
    recordings : tuple of Recording
        States of each run.
    frame : int or None
        Number of the frame that the step shows; None means the end of each run.
    values : mapping from str to mapping from str to float
        Quantities of each run by its name.
    """

    datasets: tuple[Dataset, ...]
    recordings: tuple[Recording, ...]
    frame: int | None
    values: Values


def run_step(
    step: Step, seconds: float = 60.0, go_on: Callable[[float, str], bool] = lambda share, caption: True
) -> StepRun:
    """Run all experiments of a step.

    Parameters
    ----------
    step : Step
        The step.
    seconds : float
        Time limit of solvers that cannot be stopped between steps.
    go_on : callable
        Called with the share that is done and a caption; if it returns False, the work ends.

    Returns
    -------
    StepRun

    Raises
    ------
    ValueError
        If an experiment cannot run, or was stopped.
    """
    datasets: list[Dataset] = []
    recordings: list[Recording] = []
    measured: list[Measured] = []
    frame: int | None = None
    for number, run in enumerate(step.runs):
        known = [i for i in range(number) if step.runs[i].experiment.data == run.experiment.data]
        dataset = datasets[known[0]] if known else run.experiment.data.load()
        recording = _record(run, dataset, recordings, number / len(step.runs), step, seconds, go_on)
        datasets.append(dataset)
        recordings.append(recording)
        if number == 0 and not step.moment.is_end:
            frame = step.moment.frame([state.line for state in recording.states])
        last = len(recording.states) - 1
        at = last if frame is None else min(frame, last)
        measured.append(Measured(dataset, recording, at, measured[0] if measured else None))
    values = {run.name: measure(each, step.wanted) for run, each in zip(step.runs, measured, strict=True)}
    return StepRun(tuple(datasets), tuple(recordings), frame, values)


def lookup(values: Values) -> dict[str, float]:
    """Return quantities by the names that claims and answers use.

    Parameters
    ----------
    values : mapping from str to mapping from str to float
        Quantities of each run.

    Returns
    -------
    dict from str to float
    """
    return {
        f"{run}.{name}" if run else name: value
        for run, measured in values.items()
        for name, value in measured.items()
    }


def _record(
    run: LessonRun,
    dataset: Dataset,
    before: list[Recording],
    done: float,
    step: Step,
    seconds: float,
    go_on: Callable[[float, str], bool],
) -> Recording:
    registry.bound(run.experiment.algorithm, run.experiment.parameters).check(len(dataset.X))
    model = within_time(run.experiment.make(), seconds)
    if run.same_start:
        model.set_params(init=before[0].states[0].labels)
    share = 1 / len(step.runs)
    recording = record(
        model,
        dataset.X,
        go_on=lambda each: go_on(done + share * each.progress, each.state.caption),
        hints=dataset.hints,
    )
    if recording.failure:
        raise ValueError(f"{run.title}: {recording.failure}")
    if not recording.complete:
        raise ValueError("The experiment was stopped before its end.")
    return recording
