"""Pages that are made from the library when the documentation is built: tables of algorithms and judges, API.

They are written before Sphinx looks for pages, into `generated/`, and are never typed.
"""

from __future__ import annotations

import csv
import inspect
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import mmc
from mmc import registry
from mmc.judges import JUDGES

#: Methods of each paper whose figures stand on its page, as the stored run names them.
METHODS = {
    "UMC-RLS": ("UMC-RLS",),
    "iterSVR": ("iterSVR",),
    "EvoMMC": ("EvoMMC", "FastEvoMMC"),
    "MKC": ("MKC",),
    "SMIC": ("SMIC", "SMIC, normalised", "MIC"),
}

#: Modules of the reference, with what is said of each. They list their `__all__`, or what they define.
MODULES = {
    "mmc.notebook": "Animations in notebooks and as pages.",
    "mmc.datasets": "Toy sets, bundled sets, drawn points, and tables as they are.",
    "mmc.judges": "Scores of any labels without true labels.",
    "mmc.infomax": "LSMI and MLMI as functions, and the estimators of the paper.",
    "mmc.metrics": "Scores against reference labels.",
    "mmc.selection": "Sweeps over parameters.",
    "mmc.comparison": "Several algorithms on several data sets.",
    "mmc.outliers": "Points that belong to no cluster.",
    "mmc.profiling": "What clusters are.",
    "mmc.model_file": "Fitted models as files.",
    "mmc.onnx_file": "Models for other programs.",
    "mmc.bulk": "Tables beyond memory.",
    "mmc.parts": "Tables in parts.",
    "mmc.images": "Images as points: pictures, features of pixels, segments.",
    "mmc.experiment": "A run as JSON and as a script.",
    "mmc.recording": "The recorded states of a fit.",
    "mmc.stepping": "States, steps and the one loop.",
    "mmc.base": "The base class of all algorithms.",
    "mmc.registry": "One entry for each algorithm.",
}


def setup(app: Any) -> dict[str, Any]:
    """Connect the writing of pages, and the signs of docstrings."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("config-inited", write_pages)
    app.connect("autodoc-process-docstring", escape, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Any, config: object) -> None:
    """Write all generated pages, each only if it differs from what is there."""
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    pages = {
        "algorithms.inc.md": algorithms(),
        "points.inc.md": points(),
        "judges.inc.md": judges(),
        "papers.inc.md": papers(),
        **{f"{paper.lower()}.inc.md": figures(paper, methods) for paper, methods in METHODS.items()},
        "reference.rst": reference(),
    }
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    known = {f"mmc.{name}" for name in mmc.__all__}
    known |= {f"{module}.{name}" for module in MODULES for name in public(module)}
    for path in (folder / "api").glob("*.rst"):
        if path.stem not in known:
            path.unlink()  # of a name that there was in an earlier build


def escape(app: Any, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Keep signs of formulas in docstrings from being markup: bars, and underscores at the ends of names."""
    for i, line in enumerate(lines):
        if line.strip() == "Examples":
            break
        head, colon, rest = line.partition(" : ") if re.match(r"\w+ : ", line) else ("", "", line)
        parts = re.split(r"(`+[^`]*`+)", rest)
        parts[::2] = [re.sub(r"(?<=\w)_(?!\w)|\|", r"\\\g<0>", part) for part in parts[::2]]
        lines[i] = head + colon + "".join(parts)


def algorithms() -> str:
    """Return the table of all algorithms."""
    rows = [(_linked(entry), entry.summary, entry.paper) for entry in registry.ALGORITHMS.values()]
    return table(("name", "what it does", "paper"), rows)


def points() -> str:
    """Return the table of the number of clusters and of points that each algorithm takes in the app."""
    rows = []
    for entry in registry.ALGORITHMS.values():
        clusters = entry.clusters
        if clusters is None:
            found = "found by itself"
        else:
            found = "two" if clusters.low == clusters.high else "any number"
        predicts = "yes" if hasattr(entry.estimator, "predict") else "no"
        rows.append((_linked(entry), found, f"{entry.most_samples({}):,}", predicts))
    return table(("name", "clusters", "points in the app", "predicts new points"), rows)


def judges() -> str:
    """Return the table of the judges."""
    rows = [
        (f"`{name}`", judge.title, judge.meaning, "yes" if judge.chooses_k else "no", judge.cost)
        for name, judge in JUDGES.items()
    ]
    return table(("name", "title", "meaning", "chooses the number of clusters", "cost"), rows)


def papers() -> str:
    """Return how often the stored run reaches the papers' figures."""
    verdicts = ("better", "within one deviation", "short of it")
    counts = Counter((f"[{row['paper']}] {row['table']}", row["verdict"]) for row in stored_run())
    names = dict.fromkeys(name for name, _ in counts)
    rows = [(name, *(str(counts[name, verdict]) for verdict in verdicts)) for name in names]
    return table(("table", *verdicts), rows)


def figures(paper: str, methods: Sequence[str]) -> str:
    """Return what the stored run says of a paper's own methods, on the sets that were there."""
    columns = ("table", "set", "method", "measure", "ours_mean", "paper_mean", "verdict")
    rows = [
        [row[column] for column in columns]
        for row in stored_run()
        if row["paper"] == paper and row["method"] in methods and row["ours_mean"]
    ]
    return table(("table", "set", "method", "measure", "ours", "paper", "verdict"), rows)


def stored_run() -> list[dict[str, str]]:
    """Return the rows of the papers' tables as they were last computed."""
    with open(Path(mmc.__file__).parents[1] / "results" / "tables.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def reference() -> str:
    """Return the page of the reference, whose names get a page each."""
    entries = registry.ALGORITHMS.values()
    own = {entry.name for entry in entries if entry.package == "mmc"}
    lines = [*_headed("API reference", "="), "All public names, from the docstrings of the code.", ""]
    lines += _section("mmc", "Estimators", [entry.name for entry in entries if entry.name in own])
    others = [name for name in mmc.__all__ if name not in own]
    lines += _section("mmc", "Everything else in ``mmc``", others)
    for module, said in MODULES.items():
        lines += _section(module, f"``{module}``", public(module), said)
    return "\n".join(lines)


def public(module: str) -> list[str]:
    """Return the public classes and functions of a module that are not in `mmc` itself."""
    found = import_module(module)
    names = getattr(found, "__all__", None) or [
        name
        for name, value in vars(found).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module
    ]
    return [
        name
        for name in names
        if name not in mmc.__all__
        and (inspect.isclass(value := getattr(found, name)) or inspect.isfunction(value))
        and value.__module__.startswith("mmc.")
    ]


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return (
        "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
        + "\n"
    )


def _linked(entry: registry.Algorithm) -> str:
    return f"{{py:obj}}`{entry.name} <mmc.{entry.name}>`" if entry.package == "mmc" else f"`{entry.name}`"


def _headed(title: str, line: str) -> list[str]:
    return [title, line * len(title), ""]


def _section(module: str, title: str, names: Sequence[str], said: str = "") -> list[str]:
    """Return a section with a table of names, each with a page."""
    listed = ["   " + name for name in names]
    head = [*_headed(title, "-"), *([said, ""] if said else []), f".. currentmodule:: {module}", ""]
    return [*head, ".. autosummary::", "   :toctree: api", "   :nosignatures:", "", *listed, ""]
