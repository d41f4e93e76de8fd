"""Reading lessons from TOML: strict in names, types and sizes, with messages that name the field."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from mmc import registry
from mmc._checks import nearest, quoted
from mmc.datasets import CATALOG
from mmc.experiment import Data, Experiment
from mmc.lessons import _fields
from mmc.lessons.claims import Claim, placeholders
from mmc.lessons.lesson import Further, Hints, Lesson, LessonRun, Moment, Step, Term
from mmc.lessons.quantities import QUANTITIES

#: Maximum size of a file.
MAX_BYTES = 2**16

#: Maximum number of points of an experiment of a lesson.
MAX_SAMPLES = 20_000

#: Maximum number of experiments whose pictures a step shows.
MAX_SHOWN = 2

#: Largest whole number, and number of tables and lists within each other.
_MAX_WHOLE, _MAX_DEPTH = 2**53, 10

_NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")


def read_lesson(content: str | bytes) -> Lesson:
    """Read a lesson.

    Parameters
    ----------
    content : str or bytes
        TOML; bytes are in UTF-8.

    Returns
    -------
    Lesson

    Raises
    ------
    ValueError
        If it is no lesson. The message names the field, its value and what would be right.
    """
    try:
        return _lesson(_toml(content))
    except ValueError as error:
        raise ValueError(f"This is no lesson that can be opened: {error}") from None


def _toml(content: str | bytes) -> dict[str, Any]:
    if len(content) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES} bytes.")
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ValueError("it is no text in UTF-8.") from None
    try:
        fields = tomllib.loads(content.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(
            f"it is no TOML ({error}). Look at this line and those before it for quotes that do not close, a "
            "comma or a bracket that is missing, or single brackets in place of double ones."
        ) from None
    except (ValueError, OverflowError):  # a number of thousands of digits
        raise ValueError("it holds a number or a date that is out of all range.") from None
    except RecursionError:
        raise ValueError(_too_deep()) from None
    _check_values(fields, 1)
    return fields


def _check_values(value: Any, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise ValueError(_too_deep())
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            _check_values(each, depth + 1)
    elif isinstance(value, int | float) and not abs(value) <= _MAX_WHOLE:  # also not a number
        raise ValueError(f"the number {quoted(value)} is too large or no number.")
    elif not isinstance(value, str | int | float):
        raise ValueError(f"{quoted(str(value))} is a date or a time, which no field takes.")


def _too_deep() -> str:
    return f"more than {_MAX_DEPTH} lists or tables are within each other."


def _lesson(fields: dict[str, Any]) -> Lesson:
    _fields.check(fields, _fields.LESSON)
    terms = []
    for number, each in enumerate(fields.get("terms", []), 1):
        _fields.check(each, _fields.TERM, f"terms[{number}].")
        terms.append(Term(each["word"], each["means"]))
    hints = fields.get("hints", {})
    _fields.check(hints, _fields.HINTS, "hints.")
    return Lesson(
        fields["id"],
        fields["title"],
        fields["summary"],
        fields.get("paper", ""),
        fields["minutes"],
        tuple(terms),
        tuple(_step(each, f"steps[{number}].") for number, each in enumerate(fields["steps"], 1)),
        Hints(hints.get("time", ""), tuple(hints.get("ask", ())), tuple(hints.get("wrong", ()))),
    )


def _step(fields: dict[str, Any], place: str) -> Step:
    _fields.check(fields, _fields.STEP, place)
    guess = fields.get("guess", {"choices": []})
    if "guess" in fields:
        _fields.check(guess, _fields.GUESS, f"{place}guess.")
    right = guess.get("right")
    if right is not None and right > len(guess["choices"]):
        raise ValueError(f"{place}guess.right={right}: there are {len(guess['choices'])} choices.")
    runs = _runs(fields, place)
    moment = _moment(fields.get("frame", "last"), runs[0].experiment, f"{place}frame")
    columns = tuple(fields.get("columns", ("n_clusters", "ari")))
    for name in columns:
        if name not in QUANTITIES:
            raise ValueError(
                f"{place}columns: there is no quantity {quoted(name)}: {nearest(name, QUANTITIES)}"
            )
    try:
        claims = tuple(Claim.read(text) for text in fields.get("claims", ()))
        step = Step(
            fields["question"],
            tuple(guess["choices"]),
            None if right is None else right - 1,
            runs,
            moment,
            columns,
            fields["answer"],
            claims,
            _further(fields.get("further"), runs[0].experiment, f"{place}further."),
        )
        placeholders(step.answer)
    except ValueError as error:
        raise ValueError(f"{place.rstrip('.')}: {error}") from None
    _check_names(step, place.rstrip("."))
    return step


def _runs(fields: dict[str, Any], place: str) -> tuple[LessonRun, ...]:
    main = fields["experiment"]
    _fields.check(main, _fields.EXPERIMENT, f"{place}experiment.")
    first = _experiment(main, None, f"{place}experiment.")
    runs = [LessonRun("", main.get("title") or _title(first), first)]
    for number, each in enumerate(fields.get("others", []), 1):
        where = f"{place}others[{number}]."
        _fields.check(each, _fields.OTHER, where)
        name = each["name"]
        if not _NAME.fullmatch(name) or name in QUANTITIES or any(run.name == name for run in runs):
            raise ValueError(
                f"{where}name={quoted(name)} is not right: give small letters, digits and _, and neither the "
                "name of a quantity nor that of another run of this step."
            )
        experiment = _experiment(each, first, where)
        same_start = each.get("same_start", False)
        if same_start and not (_takes_labels(first) and _takes_labels(experiment)):
            raise ValueError(
                f"{where}same_start=true is not right: one of the two does not start from labels."
            )
        runs.append(LessonRun(name, each["title"], experiment, same_start, each.get("show", True)))
    titles = [run.title for run in runs]
    if len(set(titles)) < len(titles):
        raise ValueError(f"{place}others: two runs have the same title; give each its own.")
    if sum(run.is_shown for run in runs) > MAX_SHOWN:
        raise ValueError(
            f"{place}others: more than {MAX_SHOWN} runs would be shown as pictures. Write show = false where "
            "a row of the table is enough."
        )
    return tuple(runs)


def _experiment(fields: Mapping[str, Any], base: Experiment | None, place: str) -> Experiment:
    """Return an experiment; what is not given is as in `base`, if there is one."""
    data = fields.get("data", {})
    _fields.check(data, _fields.DATA, f"{place}data.")
    old = None if base is None else base.data
    source = data.get("source", old and old.source)
    if source not in CATALOG:
        raise ValueError(
            f"{place}data.source={quoted(source)} is not right: {nearest(str(source), CATALOG)} A lesson has "
            "built-in data, so that everybody sees the same."
        )
    kept = dict(old.options) if old is not None and old.source == source else {}
    usual = old.standardize if old is not None and old.source == source else CATALOG[source].standardize
    algorithm = fields.get("algorithm", base and base.algorithm)
    same = base is not None and base.algorithm == algorithm
    parameters = {**(base.parameters if same and base is not None else {}), **fields.get("parameters", {})}
    options = {**kept, **data.get("options", {})}
    experiment = Experiment(Data(source, options, data.get("standardize", usual)), str(algorithm), parameters)
    try:
        experiment.check()
        n_samples = options.get("n_samples", 0)
        if type(n_samples) is int and n_samples > MAX_SAMPLES:
            raise ValueError(
                f"n_samples={n_samples} is too large: a lesson takes at most {MAX_SAMPLES} points."
            )
        registry.bound(experiment.algorithm, parameters).check(n_samples)
    except ValueError as error:
        raise ValueError(f"{place.rstrip('.')}: {error}") from None
    return experiment


def _title(experiment: Experiment) -> str:
    entry = registry.get(experiment.algorithm)
    return entry.title or entry.name


def _takes_labels(experiment: Experiment) -> bool:
    return any(parameter.name == "init" for parameter in registry.get(experiment.algorithm).parameters)


def _moment(value: Any, experiment: Experiment, place: str) -> Moment:
    if isinstance(value, dict):
        ((which, line),) = value.items()
        known = [each.name for each in registry.get(experiment.algorithm).pseudo_code if each.name]
        if line not in known:
            raise ValueError(
                f"{place}: {experiment.algorithm} has no line {quoted(line)}: {nearest(line, known)}"
            )
        return Moment("first" if which == "first" else "last", line)
    if isinstance(value, str):
        return Moment("first" if value == "first" else "last")
    return Moment("number", number=value)


def _further(fields: dict[str, Any] | None, base: Experiment, place: str) -> Further | None:
    if fields is None:
        return None
    _fields.check(fields, _fields.FURTHER, place)
    beside = fields.get("beside", "")
    if beside:
        registry.get(beside)
    return Further(fields["text"], _experiment(fields, base, place), beside)


def _check_names(step: Step, place: str) -> None:
    """Check that answer and claims name runs and quantities that there are."""
    runs = {run.name for run in step.runs}
    for name in sorted(step.names):
        run, _, quantity = name.rpartition(".")
        if run not in runs:
            others = sorted(runs - {""})
            raise ValueError(f"{place}: {quoted(name)} is of no run of this step: {nearest(run, others)}")
        if quantity not in QUANTITIES:
            raise ValueError(f"{place}: {_no_quantity(quantity)}")


def _no_quantity(name: str) -> str:
    return f"there is no quantity {quoted(name)}: {nearest(name, QUANTITIES)}"
