"""What is stored of a run beside its results: its time, the versions, and whether it has ended."""

from __future__ import annotations

import json
import platform
import time
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path

import mmc
from mmc._files import write_file

RECORD = "run.json"
PACKAGES = ("numpy", "scipy", "scikit-learn")


@dataclass
class Record:
    """A run of the command.

    Attributes
    ----------
    only : str
        The part of the rows that was asked for; empty for all.
    again : bool
        Whether it began from nothing.
    has_ended : bool
        Whether everything was computed.
    seconds : float
        Time that it took, over all the times that it was started.
    versions : dict
        Versions of Python, of mmc, and of each of `PACKAGES`.
    left : int
        Number of rows and figures of all papers that are not computed yet, though their data are there.
    file : Path
        Where it is stored.
    goes_on : bool
        Whether it continues a run from nothing that was stopped.
    """

    only: str
    again: bool
    has_ended: bool
    seconds: float
    versions: dict[str, str]
    file: Path = field(repr=False)
    goes_on: bool = False
    left: int = 0
    _last: float = field(default_factory=time.perf_counter, repr=False)

    @classmethod
    def begun(cls, folder: Path, only: str, *, again: bool) -> Record:
        """Begin a run, or go on with one from nothing that was stopped."""
        versions = {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}
        versions["mmc"] = mmc.__version__
        before = _read(folder / RECORD)
        same = {"only": only, "again": True, "has_ended": False, "versions": versions}
        goes_on = again and all(before.get(key) == value for key, value in same.items())
        seconds = float(before["seconds"]) if goes_on else 0.0
        record = cls(only, again, False, seconds, versions, folder / RECORD, goes_on)
        record.passed()
        return record

    @property
    def told(self) -> str:
        """Time and versions in words."""
        names = ", ".join(f"{name} {text}" for name, text in self.versions.items())
        return f"{self.seconds:.0f} s by {names}"

    def passed(self) -> None:
        """Add the time since the last call, and store the record."""
        now = time.perf_counter()
        self.seconds, self._last = self.seconds + now - self._last, now
        kept = {key: value for key, value in asdict(self).items() if key not in ("file", "goes_on", "_last")}
        write_file(self.file, json.dumps(kept | {"seconds": round(self.seconds, 1)}, indent=1) + "\n")

    def ended(self, left: int) -> None:
        """Say that everything that was asked for was computed, and how much else is left."""
        self.has_ended, self.left = True, left
        self.passed()


def _read(file: Path) -> dict[str, object]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
