"""Finished rows on disk: a CSV file from which a later run continues, and the same rows as Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields, replace
from itertools import groupby
from pathlib import Path

from benchmarks.tables.rows import DECIMALS, MISSING, SHORT, SHOWN, Plan, Row
from mmc._files import write_file

CSV, MARKDOWN = "tables.csv", "tables.md"
#: Numbers of tables in their order.
_TABLES = ("I", "I and II", "II", "IV", "V", "VI", "VIII", "1", "2", "3", "5-4 of the thesis")
_COLUMNS = [field.name for field in fields(Row)]
_NUMBERS = {field.name for field in fields(Row) if "float" in str(field.type)}


class Store:
    """The rows in a folder; each added row is written at once.

    Parameters
    ----------
    folder : Path
        Folder, which is created if it does not exist.
    plans : iterable of Plan
        All rows in their order.
    """

    def __init__(self, folder: Path, plans: Iterable[Plan]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._plans = {plan.key: plan for plan in in_order(list(plans))}
        self._rows = self._stored()

    @property
    def rows(self) -> list[Row]:
        """All rows so far, in the order of the plans."""
        return [self._rows[key] for key in self._plans if key in self._rows]

    def has(self, plan: Plan) -> bool:
        """Return whether a row and those beside it are finished."""
        return all(each.key in self._rows and self._rows[each.key].verdict != MISSING for each in plan.all)

    def forget(self, plans: Iterable[Plan]) -> None:
        """Remove rows and those beside them, so that they are computed again."""
        lost = {each.key for plan in plans for each in plan.all}
        self._rows = {key: row for key, row in self._stored().items() if key not in lost}
        self._write()

    def add(self, *rows: Row) -> None:
        """Keep rows and write both files; what another process has added meanwhile stays."""
        self._rows = self._stored() | {row.key: settled(row, self._plans[row.key]) for row in rows}
        self._write()

    def _stored(self) -> dict[tuple[str, str, str, str], Row]:
        file = self.folder / CSV
        known = read(file) if file.is_file() else []
        # A row that was measured by another protocol does not count.
        return {
            row.key: settled(row, self._plans[row.key])
            for row in known
            if row.key in self._plans and row.protocol == self._plans[row.key].protocol
        }

    def _write(self) -> None:
        write_file(self.folder / CSV, to_csv(self.rows))
        write_file(self.folder / MARKDOWN, to_markdown(self.rows))


def in_order(plans: Sequence[Plan]) -> list[Plan]:
    """Return the rows and those beside them by paper, number of the table, and set."""
    every = [row for plan in plans for row in plan.all]
    papers = list(dict.fromkeys(plan.paper for plan in plans))
    sets = list(dict.fromkeys((plan.paper, plan.table, plan.set) for plan in every))
    return sorted(
        every,
        key=lambda plan: (papers.index(plan.paper), _TABLES.index(plan.table), sets.index(plan.key[:3])),
    )


def settled(row: Row, plan: Plan) -> Row:
    """Return a row as its plan wants it: without a verdict, or with the cause if it falls short."""
    if not plan.judged and row.verdict != MISSING:
        return replace(row, verdict=SHOWN)
    if row.verdict == SHORT and plan.cause not in row.note:
        return replace(row, note=f"{row.note} {plan.cause}".strip())
    return row


def to_csv(rows: Iterable[Row]) -> str:
    """Return rows as CSV; a missing value is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in rows:
        writer.writerow(["" if value is None else value for value in astuple(row)])
    return text.getvalue()


def read(file: Path) -> list[Row]:
    """Read rows that `to_csv` wrote.

    Raises
    ------
    ValueError
        If the columns differ, or a cell that should be a number is none.
    """
    with file.open(encoding="utf-8", newline="") as content:
        reader = csv.DictReader(content)
        if reader.fieldnames != _COLUMNS:
            raise ValueError(f"{file.name} has other columns than these tables; take it away or use --again.")
        return [
            Row(**{name: _number(text) if name in _NUMBERS else text for name, text in line.items()})
            for line in reader
        ]


def to_markdown(rows: Iterable[Row]) -> str:
    """Return one Markdown table for each table of a paper, with notes below it."""
    parts = [
        "# The papers' tables, computed again\n",
        "\n*Better*, *within one deviation* and *short of it* compare our mean with the paper's, by the "
        "deviation that the paper prints (at least half a unit of its last digit) or, where the paper does "
        "not name its draw of points, by ours between draws if that is larger. *Not attainable* is a figure "
        "that no labelling of the set has. *Shown only* are times and counts, and figures of other points. "
        "Best is one single run.\n",
    ]
    for (paper, table), group in groupby(rows, key=lambda row: (row.paper, row.table)):
        lines, notes = [], {}
        for row in group:
            places = DECIMALS[row.measure]
            best = "/".join(
                "–" if value is None else f"{value:.{places}f}" for value in (row.ours_best, row.paper_best)
            )
            for text in (row.protocol, row.note):
                if text:
                    notes.setdefault(text, len(notes) + 1)
            marks = ", ".join(str(notes[text]) for text in (row.protocol, row.note) if text)
            seconds = "–" if row.seconds is None else f"{row.seconds:.1f}"
            cells = (row.set, row.method, row.measure, row.ours.formatted(row.measure))
            cells += (row.printed.formatted(row.measure), row.verdict, best, seconds, marks)
            lines.append(f"| {' | '.join(map(_cell, cells))} |\n")
        parts.append(f"\n## [{paper}] Table {table}\n")
        parts.append(
            "\n| set | method | measure | ours | paper | verdict | best ours/paper | seconds | notes |\n"
        )
        parts.append("|---|---|---|---|---|---|---|---|---|\n")
        parts += [*lines, "\n", *(f"{number}. {text}\n" for text, number in notes.items())]
    return "".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _number(text: str) -> float | None:
    return float(text) if text else None
