"""How a stored case is run with the code of today: fits, experiments, scripts, commands and addresses.

What is compared are labels, as they are, and numbers up to rounding, since another machine adds in another
order.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import math
import runpy
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit

import numpy as np

from mmc import cli, registry
from mmc.datasets import load, open_table
from mmc.experiment import Experiment

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TABLE = HERE / "table.csv"

#: Numbers of two machines may differ by this share, confidences by more: some solvers end early.
RTOL, CONFIDENCE_RTOL = 1e-5, 1e-3

#: Seconds within which a page must have its result.
PATIENCE = 120


def stored(name: str) -> list[dict[str, Any]]:
    """Read the cases of a file."""
    path = HERE / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def digest(labels: Any) -> dict[str, Any]:
    """Give the SHA-256 of labels as they are, and the sizes of the clusters."""
    codes = np.ascontiguousarray(labels, dtype="<i8")
    _, sizes = np.unique(codes, return_counts=True)
    return {"sha256": hashlib.sha256(codes.tobytes()).hexdigest(), "sizes": sizes.tolist()}


def same(gives: Any, stored: Any, rtol: float = RTOL) -> bool:
    """Say whether a result is as it was: texts and whole numbers the same, other numbers up to rounding.

    What there is beside the stored entries does not count.
    """
    if isinstance(stored, dict):
        rtol = stored.get("rtol", rtol)
        return all(
            name in gives and same(gives[name], value, CONFIDENCE_RTOL if name == "confidence" else rtol)
            for name, value in stored.items()
            if name != "rtol"
        )
    if isinstance(stored, list):
        return len(gives) == len(stored) and all(
            same(*pair, rtol) for pair in zip(gives, stored, strict=True)
        )
    if isinstance(stored, float):
        return isinstance(gives, float) and math.isclose(gives, stored, rel_tol=rtol, abs_tol=1e-9)
    return bool(gives == stored)


def points(data: Mapping[str, Any]) -> np.ndarray:
    """Load points; `every` takes each so many-th of them."""
    dataset = load(data["source"], **data.get("options", {}))
    X = dataset.standardized().X if data["standardize"] else dataset.X
    return X[:: data.get("every", 1)]


def fit(algorithm: str, parameters: Mapping[str, Any], X: np.ndarray) -> dict[str, Any]:
    """Fit an algorithm of the registry, and give the digest of its labels and its objective."""
    model = registry.get(algorithm).make(parameters)
    labels = model.fit_predict(X)
    value = next(
        (getattr(model, name) for name in ("objective_", "inertia_", "lower_bound_") if hasattr(model, name)),
        None,
    )
    return {**digest(labels), "objective": None if value is None else float(value)}


def experiment(name: str) -> dict[str, Any]:
    """Open a saved experiment and run it."""
    saved = Experiment.from_json((HERE / "experiments" / name).read_text(encoding="utf-8"))
    dataset = saved.data.load(open_table(TABLE) if saved.data.source == "table" else None)
    return digest(saved.make().fit_predict(dataset.X))


def script(name: str, folder: Path) -> dict[str, Any]:
    """Run a saved script in a folder that holds the table, and give the digest of what it writes."""
    shutil.copy(TABLE, folder)
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(str(HERE / "scripts" / name))
    return csv_digest((folder / "labels.csv").read_text(encoding="utf-8"))


def command(line: str, folder: Path) -> dict[str, Any]:
    """Run a command line beside the table and the experiments; OUT in it is a folder for its files."""
    arguments = line.replace("OUT", str(folder)).split()
    out = io.StringIO()
    with (
        contextlib.chdir(HERE),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        try:
            code = cli.main(arguments)
        except SystemExit as end:
            code = end.code
    result: dict[str, Any] = {"exit": code}
    if arguments == ["list"]:
        return result | {"listed": listed(out.getvalue())}
    if out.getvalue():
        result["output"] = csv_digest(out.getvalue())
    for path in sorted(folder.iterdir()):
        read = scores if path.name == "curve.csv" else csv_digest
        result[path.name] = read(path.read_text(encoding="utf-8"))
    return result


def listed(text: str) -> list[str]:
    """Give what the list of algorithms promises: names, parameters with their defaults, data sets."""
    lines, name = [], ""
    for line in text.splitlines():
        if not line.startswith(" "):
            name = line.partition(":")[0]
            lines.append(name)
        elif line.startswith("    --"):
            lines.append(f"{name} {' '.join(line.split())}")
        elif name.startswith("Built-in data"):
            lines.append(f"{name} {line.split()[0]}")
    return lines


def csv_digest(text: str) -> dict[str, Any]:
    """Give the SHA-256 of a CSV text without its confidences, the sizes of clusters, the mean confidence."""
    header, *rows = csv.reader(io.StringIO(text))
    sure = header.index("confidence") if "confidence" in header else None
    kept = [[_rounded(cell) for i, cell in enumerate(row) if i != sure] for row in (header, *rows)]
    content = "\n".join("\t".join(row) for row in kept)
    found = [row[header.index("cluster")] for row in rows]
    clusters = sorted({cell for cell in found if cell}, key=int)
    digested: dict[str, Any] = {
        "sha256": hashlib.sha256(content.encode()).hexdigest(),
        "sizes": [found.count(cluster) for cluster in clusters],
    }
    if sure is not None:
        digested["confidence"] = float(np.mean([float(row[sure]) for row in rows if row[sure]]))
    return digested


def _rounded(cell: str) -> str:
    """Write a number with so many digits as all machines agree on; other text stays as it is."""
    try:
        value = float(cell)
    except ValueError:
        return cell
    return f"{value:.6g}" if abs(value) > 1e-9 else "0"


def scores(text: str) -> dict[str, list[float | None]]:
    """Read a CSV text of scores: the columns of numbers that do not depend on the clock."""
    rows = list(csv.DictReader(io.StringIO(text)))
    columns = {}
    for name in rows[0]:
        with contextlib.suppress(ValueError):
            columns[name] = [float(row[name]) if row[name] else None for row in rows]
    columns.pop("seconds", None)
    return {name: values for name, values in columns.items() if set(values) != {None}}


def page(address: str, table: bool = False) -> dict[str, Any]:
    """Open an address of the app, and give the digests of what the page shows and offers.

    Parameters
    ----------
    address : str
        Such as ``/Playground?data=moons``.
    table : bool
        Whether the visitor loads the table.

    Returns
    -------
    dict
        `labels` of the labels that are offered as CSV, `scores` of a search, `runs` of further labels, and
        `views`, the ways to look at them that are chosen.
    """
    at, files = opened(address, table)
    result: dict[str, Any] = {"views": [group.value for group in at.get("button_group")]}
    if "labels.csv" in files:
        result["labels"] = csv_digest(files["labels.csv"]())
    if "scores.csv" in files:
        result["scores"] = scores(files["scores.csv"]())
    runs = further_labels(at)
    return result | ({"runs": {name: digest(labels) for name, labels in runs.items()}} if runs else {})


def further_labels(at: Any) -> dict[str, Any]:
    """Give the labels that a page shows and offers in no file: of an algorithm beside, a rival, a comparison.

    This is the one place here that knows where a visit keeps its results.
    """
    runs = {}
    visit = at.session_state
    if "playground:" in visit:
        for name, recording in list(visit["playground:"].last.recordings.items())[1:]:
            runs[name] = recording.labels
    if "model-selection:" in visit and visit["model-selection:"].rival is not None:
        for trial in visit["model-selection:"].rival.trials:
            runs[f"rival {trial.index}"] = trial.labels
    if "compare:" in visit:
        comparison = visit["compare:"].last
        for cell in comparison.contest.cells.values():
            for key, experiment in cell.items():
                seed = experiment.parameters.get("random_state", "")
                name = f"{experiment.algorithm} {experiment.data.source} {seed}".strip()
                runs[name] = comparison.trials[key].labels
    return dict(sorted(runs.items()))


def opened(address: str, table: bool = False) -> tuple[Any, dict[str, Callable[[], str]]]:
    """Open an address and wait for its result; give the page and the files that it offers."""
    from streamlit.testing.v1 import AppTest

    parts = urlsplit(address)
    (path,) = (ROOT / "pages").glob(f"*_{parts.path.strip('/')}.py")
    at = AppTest.from_file(ROOT / "app.py", default_timeout=PATIENCE)
    at.switch_page(f"pages/{path.name}")
    for name, values in parse_qs(parts.query, keep_blank_values=True).items():
        at.query_params[name] = values if len(values) > 1 else values[0]
    with _offered() as files:
        _settle(at)
        if table:
            at.file_uploader(key="upload").set_value((TABLE.name, TABLE.read_bytes(), "text/csv"))
            _settle(at)
    problems = [*at.exception, *at.error]
    if problems:
        raise AssertionError(f"{address}: {problems[0].value}")
    return at, files


def _settle(at: Any) -> None:
    """Run a page until its work is done."""
    end = time.monotonic() + PATIENCE
    at.run()
    while len(at.get("progress")):
        assert time.monotonic() < end, "the work of the page does not end"
        time.sleep(0.05)
        at.run()


@contextlib.contextmanager
def _offered() -> Iterator[dict[str, Callable[[], str]]]:
    """Catch the files that a page offers."""
    files: dict[str, Callable[[], str]] = {}

    def button(label: str, data: Callable[[], str], file_name: str, *args: Any, **kwargs: Any) -> bool:
        files[file_name.rpartition("-")[2]] = data
        return False

    with mock.patch("streamlit.download_button", button):
        yield files
