"""Finished candidates of a sweep in a file, from which a sweep that was stopped goes on.

The first line says what the sweep is about, and each further line holds one candidate, as JSON. A line is on
the disk before the next candidate is waited for, so that a sweep that is killed loses no finished candidate;
a last line that was cut off is dropped. Candidates that failed are not stored but tried again.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from mmc._checks import quoted
from mmc._files import append_line
from mmc._json import read_json
from mmc.trials import Trial

#: Maximum size of a line: the labels of some million points.
_MAX_LINE = 2**28

#: Version of these files.
_VERSION = 1

#: Attributes of a trial that are not stored: its place may change, and the others are empty or large.
_LEFT_OUT = ("index", "error", "estimate", "scores")


class SweepFile:
    """The finished candidates of a sweep on disk.

    Parameters
    ----------
    path : Path
        File, which is created if it does not exist.
    about : mapping
        What the sweep is about, as values that JSON can hold: data, algorithm, parameters, score.

    Attributes
    ----------
    trials : list of Trial
        Finished candidates, without the estimates behind their scores.

    Raises
    ------
    ValueError
        If the file belongs to another sweep or is no such file; it is not changed.
    OSError
        If the file cannot be read or written.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self.trials: list[Trial] = []
        header = _line({"sweep": _VERSION, **about})
        content = path.read_bytes() if path.exists() else b""
        lines = content.splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        if not whole and not f"{header}\n".encode().startswith(content):
            raise ValueError(f"{path} is no file of a sweep: give another one.")
        if whole:
            _require_same(path, json.loads(header), _read(path, 1, whole[0]))
            for i, line in enumerate(whole[1:], start=2):
                trial = _trial(path, i, line)
                if all(trial.parameters != known.parameters for known in self.trials):
                    self.trials.append(trial)
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        if len(content) > sum(map(len, whole)):
            os.ftruncate(self._descriptor, sum(map(len, whole)))
        if not whole:
            append_line(self._descriptor, header)

    def add(self, trial: Trial) -> None:
        """Store a candidate, unless it failed.

        Parameters
        ----------
        trial : Trial
            Finished candidate.

        Raises
        ------
        OSError
            If it cannot be written. What was stored before stays.
        """
        if trial.error:
            return
        stored = {f.name: getattr(trial, f.name) for f in fields(trial) if f.name not in _LEFT_OUT}
        stored["labels"] = trial.labels.tolist()
        append_line(self._descriptor, _line({name: _written(value) for name, value in stored.items()}))
        self.trials.append(trial)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def _line(content: Mapping[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":"), sort_keys=True, allow_nan=False)


def _written(value: Any) -> Any:
    """Return a value that JSON can hold; NaN and infinity become texts."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _read(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        content = read_json(line, _MAX_LINE)
    except ValueError as error:
        raise ValueError(f"Line {number} of {path} is no line of a sweep: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"Line {number} of {path} is no line of a sweep: it holds no object.")
    return content


def _require_same(path: Path, wanted: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Refuse a file that belongs to another sweep, and name the first difference."""
    if "sweep" not in found:
        raise ValueError(f"{path} is no file of a sweep: give another one.")
    for name in sorted({*wanted, *found}):
        if wanted.get(name) != found.get(name):
            raise ValueError(
                f"{path} belongs to another sweep: its {name} is {quoted(found.get(name))} and this one's is "
                f"{quoted(wanted.get(name))}. Give another file."
            )


def _trial(path: Path, number: int, line: bytes) -> Trial:
    content = _read(path, number, line)
    numbers = {f.name for f in fields(Trial) if f.type == "float"}
    try:
        known: dict[str, Any]
        known = {name: float(value) if name in numbers else value for name, value in content.items()}
        known["labels"] = np.array(content["labels"], dtype=np.int64)
        return Trial(index=0, **known)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"Line {number} of {path} is no candidate of a sweep: {error}.") from None
