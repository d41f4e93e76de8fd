"""The file that keeps the progress of a fit to a table in parts.

It is an archive of arrays and one text of JSON, and reading it runs no code. It holds features, starts, ends
of starts, and the labels and sums of the search that was under way.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmc._checks import quoted
from mmc._files import write_file
from mmc._json import read_json
from mmc.kernels.factor import Features
from mmc.kernels.parted import raw_arrays, raw_of
from mmc.maxmargin.rls.labelling import Position
from mmc.maxmargin.rls.parted_search import PartedState

#: Version of these files.
_VERSION = 1

#: Maximum size of the text in such a file.
_MAX_TEXT = 2**26

#: Numbers and words of a state.
_FIELDS = (
    *("objective", "converged", "progress", "phase", "round", "cluster", "previous", "ratio"),
    *("sizes_are_free", "is_shaken", "origin", "n_moved", "lost"),
)
_ARRAYS = ("labels", "models", "sums", "total")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """How far a fit is.

    Attributes
    ----------
    ends : sequence of PartedState
        Ends of the starts that are done.
    state : PartedState or None
        Latest state of the next start; None if it has none.
    position : Position
        How far its shaking has come.
    features : Features
        Rows of the factor for any points.
    starts : sequence of (str, ndarray)
        Where each search begins.
    """

    ends: Sequence[PartedState]
    state: PartedState | None
    position: Position
    features: Features
    starts: Sequence[Any]

    def write(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write the file whole.

        Parameters
        ----------
        path : Path
            File.
        about : mapping
            What the fit is about, which the reader compares.
        """
        text: dict[str, Any] = {"fit": _VERSION, "about": _plain(about), "position": list(self.position)}
        text["raw"], raw = raw_arrays(self.features.raw)
        text["n"] = self.features.n
        arrays: dict[str, NDArray[Any]] = {f"raw.{name}": value for name, value in raw.items()}
        arrays["transform"] = self.features.transform
        if self.features.mean is not None:
            arrays["mean"] = self.features.mean
        text["starts"] = [start[0] for start in self.starts]
        arrays.update({f"start.{i}": start[1] for i, start in enumerate(self.starts)})
        states = [*self.ends, *([] if self.state is None else [self.state])]
        text["ends"] = len(self.ends)
        text["states"] = [{name: _number(getattr(s, name)) for name in _FIELDS} for s in states]
        for i, state in enumerate(states):
            arrays.update({f"state.{i}.{name}": getattr(state, name) for name in _ARRAYS})
        content = io.BytesIO()
        arrays["text"] = np.frombuffer(json.dumps(text).encode(), dtype=np.uint8)
        np.savez(content, **arrays)  # type: ignore[arg-type]
        write_file(path, content.getvalue())


def read_checkpoint(path: Path, about: Mapping[str, Any]) -> Checkpoint | None:
    """Read a file; None if there is none yet.

    Parameters
    ----------
    path : Path
        File.
    about : mapping
        What the fit is about.

    Returns
    -------
    Checkpoint or None

    Raises
    ------
    ValueError
        If the file belongs to another fit, or is no such file.
    """
    if not path.exists():
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        text = read_json(arrays.pop("text").tobytes(), _MAX_TEXT)
        if text["fit"] != _VERSION:
            raise ValueError(f"its version is {quoted(text['fit'])}")
        _require_same(path, _plain(about), text["about"])
        return _made(text, arrays)
    except _OtherFitError:
        raise
    except (OSError, KeyError, TypeError, ValueError, AttributeError, zipfile.BadZipFile, EOFError) as error:
        raise ValueError(
            f"{path} is no file of a fit to a table in parts ({error}): give another one."
        ) from error


class _OtherFitError(ValueError):
    """Error of a file that belongs to another fit."""


def _require_same(path: Path, wanted: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    for name in sorted({*wanted, *found}):
        if wanted.get(name) != found.get(name):
            raise _OtherFitError(
                f"{path} belongs to another fit: its {name} is {quoted(found.get(name))} and this one's is "
                f"{quoted(wanted.get(name))}. Give another file."
            )


def _made(text: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Checkpoint:
    raw = {name[4:]: value for name, value in arrays.items() if name.startswith("raw.")}
    features = Features(raw_of(text["raw"], raw), arrays["transform"], arrays.get("mean"), text["n"])
    starts = [(origin, arrays[f"start.{i}"]) for i, origin in enumerate(text["starts"])]
    states = []
    for i, values in enumerate(text["states"]):
        known: dict[str, Any] = {name: values[name] for name in _FIELDS}
        known.update({name: arrays[f"state.{i}.{name}"] for name in _ARRAYS})
        states.append(PartedState(**known))
    n_ends = int(text["ends"])
    state = states[n_ends] if len(states) > n_ends else None
    return Checkpoint(states[:n_ends], state, Position(*text["position"]), features, starts)


def _plain(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return what JSON can hold; a generator of random numbers is no more than that."""
    plain = json.loads(json.dumps(dict(about), default=lambda value: type(value).__name__))
    assert isinstance(plain, dict)
    return plain


def _number(value: Any) -> Any:
    """Return a number of NumPy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value
