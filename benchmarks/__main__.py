"""List all measurements with what they need and cost: ``python -m benchmarks``."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parent


class Cost(NamedTuple):
    """What a measurement takes with its default options.

    Attributes
    ----------
    time : str
        Order of magnitude on two cores: a minute, minutes (up to ten), an hour, or hours.
    needs : str
        What else it needs; empty if nothing.
    """

    time: str
    needs: str = ""


_DATA = "--data for more sets"
_TESTS = "requirements-dev.txt"

COSTS = {
    "battery": Cost("an hour", _DATA),
    "bombs": Cost("minutes"),
    "bulk": Cost("minutes", "4 GB on disk"),
    "cancel": Cost("minutes"),
    "distributed": Cost("minutes", _TESTS),
    "engine": Cost("minutes"),
    "evolutionary": Cost("minutes", _DATA),
    "factors": Cost("an hour"),
    "files": Cost("minutes"),
    "hostile": Cost("minutes"),
    "images": Cost("minutes"),
    "iterative": Cost("an hour", _DATA),
    "landmarks": Cost("an hour", _DATA),
    "large": Cost("hours", "8 GB of memory"),
    "mkc": Cost("an hour", _DATA),
    "nasty": Cost("an hour"),
    "page": Cost("minutes", f"Chromium, {_TESTS}"),
    "scale": Cost("an hour", f"--data, umap-learn; {_TESTS}"),
    "smic": Cost("an hour", _DATA),
    "steering": Cost("minutes", "--data"),
    "sweeps": Cost("a minute"),
    "tables": Cost("hours", _DATA),
    "umcrls": Cost("minutes", _DATA),
    "versions": Cost("a minute", "other Pythons with the library"),
    "visitors": Cost("minutes"),
}


def commands(folder: Path = _FOLDER) -> dict[str, Path]:
    """Find the measurements: what is a command of its own.

    Parameters
    ----------
    folder : Path
        Folder with the modules.

    Returns
    -------
    dict from str to Path
        The file of each by name.
    """
    files = {path.stem: path for path in folder.glob("*.py") if path.name != "__main__.py"}
    files |= {path.parent.name: path for path in folder.glob("*/__main__.py")}
    return {
        name: path
        for name, path in sorted(files.items())
        if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8") or path.name == "__main__.py"
    }


def purpose(path: Path) -> str:
    """Return the first sentence of a module's docstring, without the command.

    Parameters
    ----------
    path : Path
        File of the module.

    Returns
    -------
    str
    """
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.splitlines()[0].partition(": `")[0].rstrip(".")


def main() -> None:
    """Print the table."""
    rows = [("command", "time", "needs", "what")]
    for name, path in commands().items():
        cost = COSTS[name]
        rows.append((f"python -m benchmarks.{name}", cost.time, cost.needs, purpose(path)))
    widths = [max(len(row[c]) for row in rows) for c in range(3)]
    for *cells, what in rows:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)), what]))
    print("\nTimes are orders of magnitude on two cores, by default; --help says what can be set.")


if __name__ == "__main__":
    main()
