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

    def __reduce__(self) -> tuple[type[MissingValuesError], tuple[str, int]]:
        return MissingValuesError, (self.what, self.n_rows)


def shown(text: object) -> str:
    """Quote a name from a file, escaped and cut to 40 characters."""
    plain = str(text)
    return repr(plain if len(plain) <= LONGEST_SHOWN else plain[: LONGEST_SHOWN - 1] + "…")


def listed(names: Iterable[object], most: int = MOST_SHOWN) -> str:
    """Quote the first names and count the others."""
    return enumerated([shown(name) for name in names], most)


def enumerated(texts: list[str], most: int = MOST_SHOWN) -> str:
    """Join the first texts, which are safe to show, and count the others."""
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def counted(count: int, noun: str) -> str:
    """Put a count before a noun that takes a plain s: ``1 row``, ``2 rows``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def spoken_size(size: int) -> str:
    """Write a number of bytes as a person would say it."""
    return f"{size / 2**20:.1f} MB" if size >= 2**20 else f"{size} bytes"
