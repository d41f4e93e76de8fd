"""What a long labelling has done, kept in a folder beside its output: labels.parquet.part/.

`run.json` says what the labels depend on, `model.mmc` is the fitted model, and `part-00000000.npy` has the
labels of one part of the table. Each file is written whole or not at all, so that a run that is killed loses
the parts it was working on, and goes on with the others.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mmc._checks import quoted
from mmc._files import write_file
from mmc._json import read_json

#: Version of these folders, and the largest run.json.
_VERSION, _MAX_JSON = 1, 2**20

_RUN, _MODEL, _OUTPUT = "run.json", "model.mmc", "output"


class PartFolder:
    """The folder of a run. Where files can be locked, it cannot be opened again until it is closed.

    Parameters
    ----------
    output : str or path
        File of the labels; the folder has its name with “.part” at the end.
    about : mapping
        What the labels depend on, as values that JSON can hold.

    Raises
    ------
    ValueError
        If the folder belongs to another run that has a model, or is open; it is not changed.
    OSError
        If it cannot be made, or the output is a folder.
    """

    def __init__(self, output: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
        self.output = Path(output)
        if self.output.is_dir():
            raise IsADirectoryError(f"{self.output} is a folder, and labels go to a file: give another name.")
        self.path = self.output.with_name(self.output.name + ".part")
        self._about = json.loads(json.dumps({"parts": _VERSION, **about}, sort_keys=True, allow_nan=False))
        self._model = ""
        self._lock = _locked(self.path)
        try:
            self._require_same()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes open the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def model(self) -> bytes | None:
        """Return the content of the model file; None if there is none yet."""
        path = self.path / _MODEL
        content = path.read_bytes() if self._model and path.exists() else None
        return content if content and _hash(content) == self._model else None

    def keep_model(self, content: bytes) -> None:
        """Store the model, from which all labels are made.

        Parameters
        ----------
        content : bytes
            Content of a model file.
        """
        if _hash(content) != self._model:  # labels by another model do not count
            for part in self.path.glob("part-*.npy"):
                part.unlink()
        write_file(self.path / _MODEL, content)
        self._model = _hash(content)
        self._write()

    def part(self, index: int, n_rows: int, width: int) -> NDArray[np.int32] | None:
        """Return a finished part.

        Parameters
        ----------
        index : int
            Number of the part.
        n_rows : int
            Its number of rows.
        width : int
            Number of values of a row.

        Returns
        -------
        ndarray of shape (width, n_rows) or None
            None if it is not finished, or damaged.
        """
        try:
            found = np.load(self._of(index), allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None
        fits = found.dtype == np.int32 and found.shape == (width, n_rows)
        return found if fits else None

    def keep(self, index: int, values: NDArray[np.int32]) -> None:
        """Store a part.

        Parameters
        ----------
        index : int
            Number of the part.
        values : ndarray of shape (width, n_rows)
        """
        content = io.BytesIO()
        np.save(content, values, allow_pickle=False)
        write_file(self._of(index), content.getvalue())

    @property
    def beside(self) -> Path:
        """Where the output is written before it takes its place."""
        return self.path / _OUTPUT

    def drop(self) -> None:
        """Delete the folder of a run that has no model yet, and so no labels."""
        if not self._model:
            shutil.rmtree(self.path, ignore_errors=True)

    def finish(self) -> None:
        """Put the output into its place, and delete the folder."""
        os.replace(self.beside, self.output)
        for name in (_MODEL, _RUN):  # what an interruption leaves is no run
            with suppress(FileNotFoundError):
                (self.path / name).unlink()
        shutil.rmtree(self.path, ignore_errors=True)

    def _of(self, index: int) -> Path:
        return self.path / f"part-{index:08d}.npy"

    def _write(self) -> None:
        content = {**self._about, "model": self._model}
        write_file(self.path / _RUN, json.dumps(content, indent=1, sort_keys=True) + "\n")

    def _require_same(self) -> None:
        run = self.path / _RUN
        names = {each.name for each in self.path.iterdir()}
        is_own = all(name.startswith((".", "part-")) for name in names - {_RUN, _MODEL, _OUTPUT})
        if _RUN not in names:
            if not is_own or _MODEL in names:
                raise ValueError(f"{self.path} is no folder of a labelling: give another --output.")
            self._begin_anew()  # it is of a run that had ended, or had not begun
            return
        try:
            found = read_json(run.read_bytes(), _MAX_JSON)
        except ValueError as error:
            raise ValueError(
                f"{run} cannot be read: {str(error).rstrip('.')}. Delete the folder to begin anew."
            ) from None
        if not isinstance(found, dict):
            raise ValueError(f"{run} holds no run. Delete the folder to begin anew.")
        self._model = str(found.pop("model", ""))
        if not self._model and is_own and found.get("parts") == _VERSION:
            self._begin_anew()
            return
        for name in sorted({*found, *self._about}):
            if found.get(name) != self._about.get(name):
                raise ValueError(
                    f"{self.path} belongs to another run: its {name} is {quoted(found.get(name))}, and this "
                    f"one's is {quoted(self._about.get(name))}. Repeat the command as it was, give another "
                    "--output, or delete the folder to begin anew."
                )

    def _begin_anew(self) -> None:
        """Take the place of a run without a model."""
        for each in self.path.iterdir():  # the folder itself is locked
            if each.is_dir():
                shutil.rmtree(each)
            else:
                each.unlink()
        self._write()


def _locked(folder: Path) -> int | None:
    """Make a folder if there is none, and lock it until the descriptor is closed or the process ends."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows
        folder.mkdir(exist_ok=True)
        return None
    while True:
        folder.mkdir(exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise ValueError(
                f"Another command is at work on {folder}: wait for its end, or give another --output."
            ) from None
        except OSError:  # a file system without locks
            return descriptor
        if folder.exists() and os.path.samestat(os.fstat(descriptor), folder.stat()):
            return descriptor
        os.close(descriptor)  # it was finished and deleted in between


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
