"""Where the column names are: under titles, in the first row, or nowhere; and names that all differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mmc.datasets._cells import is_missing, is_number, is_number_in_some_notation, looks_numeric
from mmc.datasets._errors import listed

_LABEL = re.compile("[0-9]{1,4}")
_FIRST_YEAR, _LAST_YEAR = 1800, 2100
# So many numbers one after another, from 0 or 1, are taken for the numbers of columns.
_SHORTEST_COUNT = 3
# Rows that are looked at for titles above the table, and the share of its cells that a header has.
_LOOKED, _MOST_TITLES, _FULL = 50, 20, 0.75


class Header(NamedTuple):
    """Whether the first row is a header, and a note where that is in doubt."""

    found: bool
    notes: tuple[str, ...] = ()


def find_header(
    first: Sequence[str], decimal: str, is_numeric: Sequence[bool], head: Callable[[int], list[str]]
) -> Header:
    """Decide whether the first row contains the column names.

    Parameters
    ----------
    first : sequence of str
        The cells of the first row.
    decimal : str
        The decimal mark of the file.
    is_numeric : sequence of bool
        For each column, whether the cells below the first row are numbers.
    head : callable
        Returns for a column some of the cells below the first row.

    Returns
    -------
    Header
    """
    number = [looks_numeric(cell, decimal) for cell in first]
    words = [j for j, cell in enumerate(first) if not number[j] and not is_missing(cell)]
    if not any(number):
        doubtful = bool(words) and any(is_numeric) and not any(is_numeric[j] for j in words)
        return Header(bool(words), (_read_as_names(first, "none of it is a number"),) if doubtful else ())
    if not first[0].strip() and list(first[1:]) == [str(i) for i in range(len(first) - 1)]:
        return Header(True)  # a table with numbered columns and an unnamed index, as pandas writes it
    labels = [j for j in range(len(first)) if number[j]]
    if any(is_numeric[j] for j in words):
        plain = all(_LABEL.fullmatch(first[j].strip()) for j in labels)
        return Header(
            True, () if plain else (_read_as_names(first, "it has words above columns of numbers"),)
        )
    verdict = _are_labels([first[j].strip() for j in labels], [head(j) for j in labels], decimal, bool(words))
    if verdict and not any(first[j] in head(j) for j in words):
        return Header(True, (_read_as_names(first, "its numbers differ in kind from those below it"),))
    if verdict is None or words:
        return Header(False, (_read_as_data(first),))
    return Header(False)


def _read_as_names(first: Sequence[str], why: str) -> str:
    return (
        f"The first row, {listed(first)}, was read as the column names, because {why}. If it is data, put "
        f"a row of names above it."
    )


def _read_as_data(first: Sequence[str]) -> str:
    return (
        f"The first row, {listed(first)}, was read as data, and the columns are called column_1 and so on. "
        f"If it contains the column names, begin the numbers among them with a letter."
    )


def _are_labels(cells: list[str], heads: list[list[str]], decimal: str, beside_words: bool) -> bool | None:
    """Return whether numbers of the first row are years or numbers of columns; None if it is in doubt."""
    if not all(map(_LABEL.fullmatch, cells)) or len(set(cells)) < len(cells):
        return False
    values = np.array([int(cell) for cell in cells])
    body = [_numbers(head, decimal) for head in heads]
    if _are_years(values).all():
        if any(2 * np.count_nonzero(_are_years(column)) > len(column) for column in body):
            return False
        return True if beside_words or len(values) > 1 else None
    if (
        not all(len(column) for column in body)
        or len(values) < _SHORTEST_COUNT
        or values[0] > 1
        or not _counts_on(values)
    ):
        return False
    if any(_counts_on(row) for row in zip(*body, strict=False)):
        return False
    n_fractional = sum(bool((column % 1 != 0).any()) for column in body)
    return True if beside_words or 2 * n_fractional > len(body) else None


def _are_years(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    return (values >= _FIRST_YEAR) & (values <= _LAST_YEAR) & (values % 1 == 0)


def _counts_on(values: npt.ArrayLike) -> bool:
    return bool((np.diff(np.asarray(values)) == 1).all())


def _numbers(cells: list[str], decimal: str) -> npt.NDArray[np.float64]:
    """Return the finite numbers among some cells."""
    found = [float(cell.replace(",", ".")) for cell in cells if is_number(cell, decimal, finite=True)]
    return np.array(found, dtype=np.float64)


def n_titles(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows stand above the table, such as its title.

    Titles fill few of the cells that the table has, and under them is a row of names.

    Parameters
    ----------
    rows : sequence of sequences of str
        First rows that are not blank; they may differ in length.

    Returns
    -------
    int
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows[:_LOOKED]]
    most = max(filled, default=0)
    for i, (row, n) in enumerate(zip(rows[:_MOST_TITLES], filled, strict=False)):
        # A table that was written with its index has no name above that.
        if n >= _FULL * most or (n == most - 1 and not row[0].strip()):
            names = [cell for cell in row if cell.strip() and not is_number_in_some_notation(cell)]
            return i if 2 * len(names) >= n else 0
    return 0


class Names(NamedTuple):
    """Column names, all different and none empty, and a note if some were changed."""

    names: list[str]
    notes: list[str]


def unique_names(given: Sequence[str]) -> Names:
    """Make the column names unique by numbering empty and repeated ones."""
    stripped = [name.strip() for name in given]
    taken, used, names = set(stripped), set[str](), []
    numbers = dict[str, int]()  # where to go on, so that many equal names take no quadratic time
    for position, name in enumerate(stripped, start=1):
        wanted = name or f"column_{position}"
        unique, number = wanted, numbers.get(wanted, 1)
        while unique in used or (unique != name and unique in taken):
            number += 1
            unique = f"{wanted} ({number})"
        numbers[wanted] = number
        used.add(unique)
        names.append(unique)
    changed = [new for new, old in zip(names, stripped, strict=True) if new != old]
    note = f"Columns without a name of their own were renamed; they are now called {listed(changed)}."
    return Names(names, [note] if changed else [])
