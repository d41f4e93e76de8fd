"""The errors of the table reader, and the form of text from a file in a message."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST_SHOWN = 40
MOST_SHOWN = 5


class TableError(ValueError):
    """A file cannot be used as a table; the message names the cause and a remedy."""


class MissingValuesError(TableError):
    """Some rows have missing or infinite values in the columns to be used.

    Attributes
    ----------
    what : str
        The cause, without a remedy.
    n_rows : int
        Number of rows with such a value.
    """

    def __init__(self, what: str, n_rows: int) -> None:
        super().__init__(
            f"{what}. missing='drop' leaves those rows out; or fill in the values, or choose other columns"
        )
        self.what = what
        self.n_rows = n_rows


def shown(text: object) -> str:
    """Quote a name from a file, escaped and cut to 40 characters."""
    plain = str(text)
    return repr(plain if len(plain) <= LONGEST_SHOWN else plain[: LONGEST_SHOWN - 1] + "…")


def listed(names: Iterable[object]) -> str:
    """Quote the first names and count the others."""
    quoted = [shown(name) for name in names]
    more = len(quoted) - MOST_SHOWN
    return ", ".join(quoted[:MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def counted(count: int, noun: str) -> str:
    """Put a count before a noun that takes a plain s: ``1 row``, ``2 rows``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
