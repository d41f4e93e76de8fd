"""Random tables, written in many notations and read back: `python -m benchmarks.files [--tables 20000]`.

Each table is compared with what was written: names, numbers, texts, missing values, the columns that are left
out, and the exported text. A difference is counted as silent unless a note of the reader says it. With
`--speed`, the time and the memory of large files of several kinds are measured instead.
"""

from __future__ import annotations

import argparse
import csv
import io
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.large_files import print_speed
from mmc.datasets import TableError, open_table, to_csv_text
from mmc.datasets._errors import shown

_WORDS = ("anna", "Bert", "Köln", "x-1", "no", "true", "5 kg", "12%", "1/2", "v1.2.3", "a_b", "#tag", "naïve")
_NASTY = (
    "=1+1",
    "+x",
    "@SUM(A1)",
    "<b>bold</b>",
    "**md**",
    "😀 smile",
    'say "hi"',
    "two\nlines",
    "semi;colon",
    "com,ma",
    "tab\tbed",
    "bar|red",
    "don't",
    "`code`",
    "$x^2$",
    "日本",
    "a'b",
)
_GAPS = ("", "NA", "nan", "?", "null", "-", "N/A", "#N/A")
_DOUBTS = (
    "is not certain",
    "was read as data",
    "was read as the column names",
    "were read from the comment",
)


@dataclass
class Column:
    """A column as it is written, and what should be read."""

    cells: list[str]
    expected: list[Any]
    numeric: bool
    kind: str


@dataclass
class Written:
    """A table as a file, and what should be read of it."""

    data: bytes
    names: list[str]
    columns: list[Column]
    says: set[str] = field(default_factory=set)


@dataclass
class _Notation:
    delimiter: str
    decimal: str
    separator: str

    def number(self, value: float | int, digits: int | None = None, *, grouped: bool = False) -> str:
        if isinstance(value, int):
            text = f"{value:,}" if grouped else str(value)
        else:
            text = (f"{value:,.{digits}f}" if grouped else f"{value:.{digits}f}") if digits else repr(value)
        return text.replace(",", "\0").replace(".", self.decimal).replace("\0", self.separator)


def main() -> None:
    """Write and read the tables, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--speed", action="store_true", help="measure large files instead")
    arguments = parser.parse_args()
    if arguments.speed:
        print_speed()
        return
    outcomes = Counter[str]()
    offenders = list[str]()
    for i in range(arguments.tables):
        rng = random.Random(f"{arguments.seed} {i}")
        written = (_parquet_file if rng.random() < 0.15 else _text_file)(rng)
        outcome, what = judged(written)
        outcomes[outcome] += 1
        if what:
            offenders.append(f"table {i}: {outcome}: {what}")
    print(f"{arguments.tables} tables, seed {arguments.seed}")
    for outcome in ("right", "different, and a note says so", "refused by name", "silently wrong", "unnamed"):
        print(f"{outcomes[outcome]:>8}  {outcome}")
    for offender in offenders[:10]:
        print(offender)


def judged(written: Written) -> tuple[str, str]:
    """Read a file and compare; return the outcome, and what is wrong if nothing says it."""
    try:
        table = open_table(written.data)
    except TableError:
        return "refused by name", ""
    except Exception as error:  # whatever it is, it has no name for the user
        return "unnamed", f"{type(error).__name__}: {error} {written.data[:200]!r}"
    problem = (
        _difference(table.frame, written) or _unsaid(table, written) or _badly_exported(table.frame, written)
    )
    if not problem:
        return "right", ""
    if any(doubt in note for note in table.notes for doubt in _DOUBTS):
        return "different, and a note says so", ""
    return "silently wrong", f"{problem}; notes {table.notes}; {written.data[:300]!r}"


def _difference(frame: pd.DataFrame, written: Written) -> str:
    if list(frame.columns) != written.names:
        return f"names {list(frame.columns)} instead of {written.names}"
    for name, column in zip(written.names, written.columns, strict=True):
        if len(frame) != len(column.expected):
            return f"{len(frame)} rows instead of {len(column.expected)}"
        read = [None if pd.isna(value) else value for value in frame[name].tolist()]
        if pd.api.types.is_numeric_dtype(frame[name].dtype) != column.numeric:
            return f"column {name!r} ({column.kind}) has type {frame[name].dtype}"
        if read != column.expected:
            i = next(i for i, (a, b) in enumerate(zip(read, column.expected, strict=True)) if a != b)
            return f"column {name!r} ({column.kind}) has {read[i]!r} instead of {column.expected[i]!r}"
    return ""


def _unsaid(table: Any, written: Written) -> str:
    """Check that notes name the columns that are left out and the decisions that are said."""
    for word in written.says:
        if not any(word in note for note in table.notes):
            return f"no note says {word!r}"
    try:
        dataset = table.dataset(missing="drop")
    except TableError:
        return ""
    said = " ".join(dataset.notes)
    left_out = [name for name in written.names if name not in dataset.feature_names]
    unnamed = [name for name in left_out if shown(name) not in said]
    return f"left out without a word: {unnamed}" if unnamed else ""


def _badly_exported(frame: pd.DataFrame, written: Written) -> str:
    """Check that the export has the texts and whole numbers as they were written."""
    rows = list(csv.reader(io.StringIO(to_csv_text(frame), newline="")))[1:]
    for j, column in enumerate(written.columns):
        for row, expected in zip(rows, column.expected, strict=True):
            if isinstance(expected, str) and row[j].removeprefix("'") != expected.removeprefix("'"):
                return f"exported {row[j]!r} for {expected!r}"
            if isinstance(expected, int) and not isinstance(expected, bool) and row[j] != str(expected):
                return f"exported {row[j]!r} for {expected!r}"
    return ""


def _text_file(rng: random.Random) -> Written:
    notation = _notation(rng)
    whitespace = notation.delimiter == " "
    n_rows, n_columns = rng.randint(2, 40), rng.randint(2, 7)
    columns = [_column(rng, notation, n_rows, whitespace) for _ in range(n_columns)]
    if columns[-1].kind == "nothing" or not any(column.numeric for column in columns):
        columns.append(_floats(rng, notation, n_rows))
    names, lines, says = _named(rng, columns, whitespace)
    if any(column.kind == "thousands" for column in columns):
        says.add("thousands separator")
    quote_all = rng.random() < 0.2 and not whitespace
    newline = rng.choice(("\n", "\r\n", "\n", "\r"))
    has_newlines = any("\n" in cell for line in lines for cell in line)
    if has_newlines and newline == "\r":
        newline = "\n"
    texts = [_line(line, notation.delimiter, quote_all, whitespace and rng.random() < 0.3) for line in lines]
    texts = _decorated(rng, texts, notation.delimiter, says, has_newlines or whitespace)
    text = newline.join(texts) + rng.choice(("", newline, newline * 3))
    return Written(_encoded(rng, text), names, columns, says)


def _notation(rng: random.Random) -> _Notation:
    decimal = rng.choice("..,")
    delimiter = rng.choice((";", "\t", "|") if decimal == "," else (",", ",", ";", "\t", "|", " "))
    other = "." if decimal == "," else ","
    separator = rng.choice((other, other, "'", "\u202f") if delimiter != " " else (other, "'"))
    return _Notation(delimiter, decimal, separator)


def _line(cells: list[str], delimiter: str, quote_all: bool, padded: bool) -> str:
    if delimiter == " ":
        return ("   " if padded else " ").join(cells)
    special = {delimiter, '"', "\n", "\r"}
    quoted = [
        '"' + cell.replace('"', '""') + '"' if quote_all or special & set(cell) or cell[:1] == "#" else cell
        for cell in cells
    ]
    return delimiter.join(quoted)


def _decorated(
    rng: random.Random, texts: list[str], delimiter: str, says: set[str], plain: bool
) -> list[str]:
    """Add what some programs write around a table."""
    texts = list(texts)
    if delimiter != " " and rng.random() < 0.1:
        texts = [text + delimiter for text in texts]
        says.add("end with the delimiter")
    if not plain and rng.random() < 0.15:
        texts.insert(rng.randint(1, len(texts)), rng.choice(("# a remark", "% a remark", "# 3")))
        says.add("left out as comments")
    if rng.random() < 0.15:
        texts[:0] = rng.choice((["# made by hand"], ["% one", "% two"], ["# 2019-01-01 12:00 v2"]))
        says.add("left out as comments")
    if not plain and rng.random() < 0.15:
        texts.insert(rng.randint(0, len(texts)), "")
    if delimiter != " " and rng.random() < 0.1:
        texts.insert(0, f"sep={delimiter}")
        says.add("names the delimiter")
    return texts


def _encoded(rng: random.Random, text: str) -> bytes:
    encodings = ["utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le"]
    if text.isascii():
        encodings.append("latin-1")
    return text.encode(rng.choice(encodings))


def _named(
    rng: random.Random, columns: list[Column], whitespace: bool
) -> tuple[list[str], list[list[str]], set[str]]:
    body = [list(cells) for cells in zip(*(column.cells for column in columns), strict=True)]
    kind = rng.choice(("words", "words", "words", "years", "none"))
    if kind == "years":
        first = rng.randint(1950, 2010)
        texts = [f"{first + j}" for j in range(len(columns))]
        if rng.random() < 0.7:
            texts[0] = "name"
        return texts, [texts, *body], set()
    if kind == "none":
        return [f"column_{j + 1}" for j in range(len(columns))], body, set()
    pool = ["x", "y", "height", "Größe", "kind", "a b", "c,d", "e;f", "<i>", "=z", "größe (m)", "n°", "total"]
    if whitespace:
        pool = [name for name in pool if " " not in name]
    names = rng.sample(pool, len(columns))
    return names, [names, *body], set()


def _column(rng: random.Random, notation: _Notation, n_rows: int, whitespace: bool) -> Column:
    makers: list[Callable[[random.Random, _Notation, int], Column]] = [
        _floats,
        _floats,
        _whole,
        _whole,
        _with_gaps,
        _thousands,
        _padded,
        _words,
        _spoiled,
        _dates,
        _scientific,
        _long_whole,
        _constant,
    ]
    if not whitespace:
        makers += [_nasty, _nothing]
    return rng.choice(makers)(rng, notation, n_rows)


def _floats(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    if rng.random() < 0.5:
        values = [rng.gauss(0, 10 ** rng.randint(-3, 5)) for _ in range(n_rows)]
        return Column([notation.number(value) for value in values], values, True, "fractions")
    digits = rng.choice((1, 2, 3, 4))
    values = [round(rng.uniform(-50, 5000), digits) for _ in range(n_rows)]
    return Column([notation.number(value, digits) for value in values], values, True, "fixed fractions")


def _whole(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    values = [rng.randint(-5, 10 ** rng.randint(1, 15)) for _ in range(n_rows)]
    return Column([str(value) for value in values], values, True, "whole numbers")


def _with_gaps(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    column = rng.choice((_floats, _whole))(rng, notation, n_rows)
    gaps = _GAPS[1:] if notation.delimiter == " " else _GAPS
    for i in range(n_rows - 1):
        if rng.random() < 0.2:
            column.cells[i], column.expected[i] = rng.choice(gaps), None
    return column


def _thousands(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    values: list[Any] = [rng.randint(1, 10**7) for _ in range(n_rows)]
    values[0] = rng.randint(10**6, 10**8)
    digits = None
    if rng.random() < 0.5:
        digits = 2
        values = [value + rng.randint(0, 99) / 100 for value in values]
        values = [round(value, 2) for value in values]
    cells = [notation.number(value, digits, grouped=True) for value in values]
    return Column(cells, values, True, "thousands")


def _padded(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    cells = [f"{rng.randint(0, 99_999):05}" for _ in range(n_rows)]
    cells[rng.randrange(n_rows)] = f"0{rng.randint(1000, 9999)}"
    return Column(cells, list(cells), False, "leading zeros")


def _long_whole(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    cells = [str(rng.randint(10**19, 10**22)) for _ in range(n_rows)]
    return Column(cells, list(cells), False, "long whole numbers")


def _words(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    words = [word for word in _WORDS if " " not in word] if notation.delimiter == " " else _WORDS
    cells = [rng.choice(words) for _ in range(n_rows)]
    cells[-1] = "anna"
    return Column(cells, list(cells), False, "words")


def _nasty(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    cells = [rng.choice(_NASTY) for _ in range(n_rows)]
    return Column(cells, list(cells), False, "nasty texts")


def _spoiled(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    column = _whole(rng, notation, n_rows)
    i = rng.randrange(n_rows)
    cells = list(column.cells)
    cells[i] = rng.choice(("12kg", "n.a.", "7%", "€5", "1-2", "<5", "missing"))
    return Column(cells, list(cells), False, "spoiled numbers")


def _dates(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    form = rng.choice(("{:04}-{:02}-{:02}", "{2:02}.{1:02}.{0:04}", "{1}/{2}/{0}"))
    cells = [
        form.format(rng.randint(1990, 2030), rng.randint(1, 12), rng.randint(1, 28)) for _ in range(n_rows)
    ]
    return Column(cells, list(cells), False, "dates")


def _scientific(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    values = [float(f"{rng.gauss(0, 1):.3e}") * 10.0 ** rng.randint(-20, 20) for _ in range(n_rows)]
    cells = [f"{value:.17e}".replace(".", notation.decimal) for value in values]
    return Column(cells, values, True, "scientific")


def _constant(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    return Column(["7"] * n_rows, [7] * n_rows, True, "constant")


def _nothing(rng: random.Random, notation: _Notation, n_rows: int) -> Column:
    return Column([""] * n_rows, [None] * n_rows, False, "nothing")


def _parquet_file(rng: random.Random) -> Written:
    n_rows = rng.randint(2, 30)
    columns = {f"c{j}": rng.choice(_PARQUET_KINDS)(rng, n_rows) for j in range(rng.randint(1, 6))}
    columns["x"] = pd.Series([rng.gauss(0, 1) for _ in range(n_rows)])
    buffer = io.BytesIO()
    frame = pd.DataFrame(columns)
    frame.to_parquet(buffer, compression=rng.choice(("snappy", "zstd", "gzip", None)))
    kept = {name: column for name, column in columns.items() if not isinstance(column.iloc[0], list)}
    expected = [_expected(column) for column in kept.values()]
    return Written(
        buffer.getvalue(), list(kept), expected, {"several values"} if len(kept) < len(columns) else set()
    )


def _expected(column: pd.Series) -> Column:
    values = [None if pd.isna(value) else value for value in column.tolist()]
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        texts = [None if value is None else str(value) for value in values]
        return Column([], texts, False, "parquet dates")
    if any(isinstance(value, Decimal) for value in values):
        return Column([], [None if value is None else float(value) for value in values], True, "decimals")
    numeric = pd.api.types.is_numeric_dtype(column.dtype)
    return Column([], values, numeric, f"parquet {column.dtype}")


_PARQUET_KINDS: tuple[Callable[[random.Random, int], pd.Series], ...] = (
    lambda rng, n: pd.Series([rng.gauss(0, 100) for _ in range(n)]),
    lambda rng, n: pd.Series([rng.randint(-(2**62), 2**62) for _ in range(n)]),
    lambda rng, n: pd.Series(np.array([rng.randint(0, 255) for _ in range(n)], dtype=np.uint8)),
    lambda rng, n: pd.Series([rng.choice((1, 2, 2**60, None)) for _ in range(n - 1)] + [5], dtype="Int64"),
    lambda rng, n: pd.Series([rng.choice((1.5, None)) for _ in range(n - 1)] + [2.5], dtype="float64"),
    lambda rng, n: pd.Series([rng.choice(_NASTY + _WORDS) for _ in range(n)]),
    lambda rng, n: pd.Series([rng.choice(("01234", "5", "007")) for _ in range(n)]),
    lambda rng, n: pd.Series([rng.random() < 0.5 for _ in range(n)]),
    lambda rng, n: pd.Series([Decimal(rng.randint(1, 10**6)) / 100 for _ in range(n)]),
    lambda rng, n: pd.Series([[1, 2], [3]] * n)[:n],
    lambda rng, n: pd.Series(pd.Categorical([rng.choice("abc") for _ in range(n)])).astype(str),
)


if __name__ == "__main__":
    main()
