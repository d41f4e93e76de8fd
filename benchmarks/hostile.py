"""Give the library mutated experiment files and the pages hostile addresses: `python -m benchmarks.hostile`.

Each file is a valid experiment with some bytes or some values changed. It must open as an experiment that is
checked, can be written and read again, and loads its data, or be refused by a message that names the cause.
Each address gives controls of a page values that nobody would type. The page must open, and may say what it
did not take. Bad is everything else: another exception, a message of an unexpected error, a stack trace or a
path of the server on the page, or no end. The command prints all that is bad and then ends with code 1.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from streamlit.testing.v1 import AppTest

from mmc import registry
from mmc.datasets import CATALOG, open_table
from mmc.experiment import Data, Experiment
from mmc.ui.data_sidebar import address

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("app.py", *sorted(f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py")))

#: Seconds after which a file or a page counts as hanging.
PATIENCE = 60

FINE, SAID, BAD = "fine", "said", "bad"

#: What no page may show.
PRIVATE = (
    "Traceback",
    str(ROOT),
    f"{Path.home()}/",
    "site-packages",
    sys.prefix,
    'File "',
    "Something went wrong",
)

TABLE = open_table(b"a,b,kind\n1,2,x\n2,1,x\n8,9,y\n9,8,y\n", name="table.csv")

#: Values that a program may write by mistake, or a visitor on purpose.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 3, 99, 2**31, 2**32, 2**63, 10**30, 10**400, 0.5, -0.0, 1e-320, 1e308),
    *(float("nan"), float("inf"), float("-inf"), "", "false", "true", "1", "NaN", "rbf", "table", "\ud800"),
    *("\x00", "é" * 20_000, "../../etc/passwd", "__class__", [], {}, [[]], [0, 0], [3, 8], [1, "2"], [None]),
    *(
        {"a": {}},
        [[0.0, 1.0]],
        ["rbf", {"width": -1}],
        list(range(3000)),
        [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]],
    ),
)

#: Texts of an address.
TEXTS = (
    *("", " ", "0", "-0", "-1", "1", "2", "1e309", "-1e309", "1e308", "1e-320", "nan", "inf", "-inf", "null"),
    *(
        "None",
        "true",
        "maybe",
        "0x10",
        "1_0",
        "1e3",
        "3.7",
        "٣",
        "½",
        "9" * 19,
        "9" * 5000,
        "[]",
        "{}",
        "1,2,3",
    ),
    *(
        "1,,2",
        ",",
        ";",
        "1;2",
        "nan,nan",
        "linear," * 300,
        "rbf:width=nan",
        "poly:degree=99999",
        "x:y=z",
        "\x00",
    ),
    *(
        "../../etc/passwd",
        "file:///etc/passwd",
        "<script>alert(1)</script>",
        "$\\frac{1}{0}$",
        ":red[x]",
        "\u202e",
    ),
    *(
        "A" * 8000,
        "😀",
        "\ufeff",
        "%s%n",
        "{0.__class__}",
        "precomputed",
        "table",
        "RecursiveBinary",
        "digits",
    ),
)


def main(argv: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("--files", type=int, default=2000, help="mutated files; default: %(default)s")
    parser.add_argument(
        "--addresses", type=int, default=300, help="addresses for each page; default: %(default)s"
    )
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    arguments = parser.parse_args(argv)
    logging.disable(logging.WARNING)  # Streamlit warns that a page runs without a server
    try:
        bad = _report("files", _files(arguments.files, Random(arguments.seed))) if arguments.files else 0
        for page in PAGES if arguments.addresses else ():
            bad += _report(page, _addresses(page, arguments.addresses, Random(f"{arguments.seed} {page}")))
    finally:
        logging.disable(logging.NOTSET)
    return 1 if bad else 0


def _report(what: str, verdicts: Iterator[tuple[str, str]]) -> int:
    began = perf_counter()
    counts: Counter[str] = Counter()
    for verdict, why in verdicts:
        counts[verdict] += 1
        if verdict == BAD:
            print(f"bad: {what}: {why}", flush=True)
    numbers = ", ".join(f"{counts[verdict]} {verdict}" for verdict in (FINE, SAID, BAD))
    print(f"{what}: {counts.total()} in {perf_counter() - began:.0f} s: {numbers}", flush=True)
    return counts[BAD]


def _files(count: int, rng: Random) -> Iterator[tuple[str, str]]:
    """Yield the verdict of each mutated file."""
    good = list(_experiments())
    for _ in range(count):
        experiment = rng.choice(good)
        content = _other_values(experiment, rng) if rng.random() < 0.6 else experiment.to_json().encode()
        if rng.random() < 0.5:
            content = _other_bytes(content, rng)
        began = perf_counter()
        try:
            verdict, why = _judge_file(content)
        except Exception as error:  # whatever is raised is what is looked for
            verdict, why = BAD, f"{type(error).__name__}: {error}"
        if perf_counter() - began > PATIENCE:
            verdict, why = BAD, f"took {perf_counter() - began:.0f} s"
        yield verdict, f"{why[:300]} for {content[:2000]!r}"


def _experiments() -> Iterator[Experiment]:
    """Yield an experiment of each algorithm and of each data set, with all parameters written."""
    options = {"columns": ["a", "b"], "label": "kind", "missing": "drop"}
    sources = [
        *(Data("table", options, True, "table.csv", TABLE.sha256), Data("digits", {"classes": [3, 8]})),
        Data("moons", {"n_samples": 60, "noise": 0.1, "imbalance": 0.5, "random_state": 7}),
        *(Data(key) for key in CATALOG),
    ]
    for i, entry in enumerate(registry.ALGORITHMS.values()):
        values = {p.name: 0 if p.name == "random_state" else entry.default(p.name) for p in entry.parameters}
        yield Experiment(sources[i % len(sources)], entry.name, values)


def _judge_file(content: bytes) -> tuple[str, str]:
    try:
        experiment = Experiment.from_json(content)
    except ValueError as error:
        return _named(error)
    if Experiment.from_json(experiment.to_json()) != experiment:
        return BAD, "written and read again it is another experiment"
    experiment.make()
    compile(experiment.to_script(), "script", "exec")
    for use in (lambda: address(experiment), lambda: experiment.data.load(TABLE)):
        try:
            use()
        except ValueError as error:
            return _named(error)
    return FINE, ""


def _named(error: ValueError) -> tuple[str, str]:
    """Return whether a refusal is a message for a person."""
    text = str(error)
    fine = 10 < len(text) < 2000 and not isinstance(error, UnicodeError | json.JSONDecodeError)
    return (SAID, text) if fine else (BAD, f"{type(error).__name__}: {text}")


def _other_values(experiment: Experiment, rng: Random) -> bytes:
    """Write an experiment with one to three fields replaced, renamed, removed, added or given twice."""
    content = json.loads(experiment.to_json())
    twice = ""
    for _ in range(rng.choice((1, 1, 2, 3))):
        place, name = rng.choice(list(_places(content)))
        kind = rng.choice(("replace", "replace", "replace", "rename", "remove", "add", "twice"))
        if kind == "replace" or not isinstance(place, dict):
            place[name] = deepcopy(rng.choice(VALUES))
        elif kind == "rename":
            place[f"{name}_"[rng.randrange(2) :]] = place.pop(name)
        elif kind == "remove":
            del place[name]
        elif kind == "add":
            place[rng.choice(("extra", "mmc", "n_samples", "__proto__", "é", "columns"))] = deepcopy(
                rng.choice(VALUES)
            )
        else:
            twice = json.dumps(name)
    text = json.dumps(content, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, 1)))
    if twice:
        text = text.replace(f"{twice}:", f"{twice}: 0, {twice}:", 1)
    return text.encode(errors="surrogatepass")


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every field of a JSON value, as the object or list that holds it and its name or position."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for name, value in list(items):
        yield node, name
        if isinstance(value, dict | list):
            yield from _places(value)


def _other_bytes(content: bytes, rng: Random) -> bytes:
    """Change, insert, remove, repeat or cut off some bytes."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(data) + 1)
        length = rng.choice((1, 1, 2, 8, 50))
        kind = rng.choice(("change", "insert", "remove", "repeat", "cut"))
        if kind == "change":
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == "insert":
            data[at:at] = rng.choice(
                (b"\x00", b"\xff", b"\xef\xbb\xbf", b"{", b"]", b'"', b"[" * 3000, b"9" * 400)
            )
        elif kind == "remove":
            del data[at : at + length]
        elif kind == "repeat":
            data[at:at] = data[at : at + length] * rng.choice((1, 3))
        elif rng.random() < 0.2:
            del data[at:]
    return bytes(data)


def _addresses(page: str, count: int, rng: Random) -> Iterator[tuple[str, str]]:
    """Yield the verdict of each hostile address of a page."""
    names = _names_of(page)
    for _ in range(count):
        # Few points and one start, unless the address says otherwise, so that a page takes no time.
        query: dict[str, list[str]] = {"n": ["40"], "points": ["40"], "n_init": ["1"]}
        query |= {"data": [rng.choice(list(CATALOG))]} if rng.random() < 0.3 else {}
        query |= {"algorithm": [rng.choice(list(registry.ALGORITHMS))]} if rng.random() < 0.3 else {}
        for name in rng.choices(names, k=rng.choice((1, 1, 2, 4, 12))):
            query[name] = rng.choices(TEXTS, k=rng.choice((1, 1, 1, 2, 40)))
        shown = str({name: [text[:60] for text in texts[:3]] for name, texts in query.items()})
        try:
            verdict, why = _judge_page(page, query)
        except Exception as error:  # a page that hangs, or a test of it that fails
            verdict, why = BAD, f"{type(error).__name__}: {error}"
        yield verdict, f"{why[:500]} for {shown}"


def _names_of(page: str) -> list[str]:
    """Return names that an address of a page may give: of its controls, of all parameters, and of state."""
    at = _open(page, {"n": ["40"], "points": ["40"], "n_init": ["1"]})
    kinds = ("selectbox", "slider", "number_input", "select_slider", "text_input", "toggle", "multiselect")
    drawn = [element.key for kind in kinds for element in at.get(kind) if element.key]
    parameters = [p.key for entry in registry.ALGORITHMS.values() for p in entry.parameters]
    return sorted(
        {*drawn, *parameters, "seed", "classes", "scale", "show", "look", "paper", "visit", "embed", "x"}
    )


def _open(page: str, query: dict[str, list[str]]) -> AppTest:
    at = AppTest.from_file(ROOT / "app.py", default_timeout=PATIENCE)
    if page != "app.py":
        at.switch_page(page)
    for name, texts in query.items():
        at.query_params[name] = texts
    at.run()
    for button in at.button:
        if button.label == "Cancel":  # work that takes longer is fine, and not waited for
            button.click()
            return at.run()
    return at


def _judge_page(page: str, query: dict[str, list[str]]) -> tuple[str, str]:
    at = _open(page, query)
    if at.exception:
        return BAD, f"exception {at.exception[0].value}"
    notices = [element.value for kind in ("error", "warning", "info") for element in at.get(kind)]
    texts = [
        *notices,
        *(element.value for kind in ("caption", "markdown", "text") for element in at.get(kind)),
    ]
    for text in map(str, texts):
        leaked = [private for private in PRIVATE if private in text]
        if leaked:
            return BAD, f"shows {leaked[0]!r}: {text}"
    return (SAID if notices else FINE), ""


if __name__ == "__main__":
    sys.exit(main())
