"""The meaning of the text of one cell: a number, a missing value, or a word.

A file has one decimal mark. If it is a comma, ``1.5`` is not a number, because it could be a date or a
version in such a file, and a guess could change data without notice. ``1.234`` is a number with a thousands
separator there, if all cells of its column agree.

The patterns are in the common subset of Python's ``re`` and RE2, so that a whole column can be matched by
pyarrow; `mmc.datasets._columns` does so.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

MISSING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "?", "-"})
# In a column of words, such as a class column of + and -, a single minus is a word.
MISSING_WORDS = MISSING - {"-"}

OTHER_MARK = {".": ",", ",": "."}
#: Thousands separators beside the mark that is not the decimal mark: apostrophes and spaces.
SEPARATORS = ("'", "\u2019", " ", "\u00a0", "\u202f", "\u2009")

_EXPONENT = "(?:[eE][+-]?[0-9]+)?"
_INFINITE = "[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
_FIRST_GROUP = "[+-]?[1-9][0-9]{0,2}"


def _number(mark: str) -> str:
    """Match a number without thousands separators; ``5.`` is one, but ``5,`` is not."""
    fraction = f"(?:{mark}[0-9]*)?" if mark == r"\." else f"(?:{mark}[0-9]+)?"
    # One optional group after the digits keeps the match linear in the length of the cell.
    return f"[+-]?(?:[0-9]+{fraction}{_EXPONENT}|{mark}[0-9]+{_EXPONENT}|{_INFINITE})"


_ESCAPED = {".": r"\.", ",": ","}
#: For each decimal mark, a number without thousands separators.
NUMBER = {mark: _number(escaped) for mark, escaped in _ESCAPED.items()}
#: For each mark, a number that uses it as the decimal mark, with digits after it.
FRACTION = {mark: f"[+-]?[0-9]*{escaped}[0-9]+{_EXPONENT}" for mark, escaped in _ESCAPED.items()}
#: For each mark, a number that could use it as decimal mark or as thousands separator, such as ``1,234``.
AMBIGUOUS = {mark: f"{_FIRST_GROUP}{escaped}[0-9]{{3}}" for mark, escaped in _ESCAPED.items()}
#: For each mark, a number that certainly uses it as thousands separator: ``1,234,567`` or ``1,234.5``.
THOUSANDS = {
    mark: f"{_FIRST_GROUP}(?:(?:{escaped}[0-9]{{3}}){{2,}}|"
    f"(?:{escaped}[0-9]{{3}})+{_ESCAPED[OTHER_MARK[mark]]}[0-9]+)"
    for mark, escaped in _ESCAPED.items()
}
#: For each mark, a number with spaces or apostrophes between thousands that uses it as the decimal mark.
SPACED = {
    mark: f"{_FIRST_GROUP}(?:[{''.join(SEPARATORS)}][0-9]{{3}})+{escaped}[0-9]+"
    for mark, escaped in _ESCAPED.items()
}
WHOLE = "[+-]?[0-9]+"
SHORT_WHOLE = "[+-]?[0-9]{1,18}"
#: Postal codes and identifiers: as a number they would lose the zeros.
LEADING_ZERO = "[+-]?0[0-9]+"
#: A whole number that needs no thousands separator.
BELOW_THOUSAND = "[+-]?[1-9][0-9]{0,2}"
THOUSAND_WITHOUT_SEPARATOR = "[+-]?[1-9][0-9]{3,}"


_ANY_NOTATION = re.compile(
    f"(?:{NUMBER['.']}|{NUMBER[',']}|{_FIRST_GROUP}(?:[.,{''.join(SEPARATORS)}][0-9]{{3}})+(?:[.,][0-9]*)?)"
)


class Notation(NamedTuple):
    """The decimal mark of a column, and its thousands separator, which is empty if it has none."""

    decimal: str = "."
    separator: str = ""


def grouped(notation: Notation) -> str:
    """Return the pattern of a number with thousands separators: ``1,234``, ``12,345.6``."""
    group = f"{re.escape(notation.separator)}[0-9]{{3}}"
    return f"{_FIRST_GROUP}(?:{group})+(?:{_ESCAPED[notation.decimal]}[0-9]*)?"


def separators(decimal: str) -> tuple[str, ...]:
    """Return the thousands separators that are possible beside a decimal mark."""
    return (OTHER_MARK[decimal], *SEPARATORS)


def is_number(cell: str, decimal: str = ".", *, finite: bool = False) -> bool:
    """Return whether a cell is a number without separators; with ``finite``, infinities are not."""
    text = cell.strip()
    if re.fullmatch(NUMBER[decimal], text) is None:
        return False
    return not finite or math.isfinite(float(text.replace(",", ".")))


def looks_numeric(cell: str, decimal: str) -> bool:
    """Return whether a cell is a number, with or without thousands separators."""
    text = cell.strip()
    return is_number(text, decimal) or any(
        re.fullmatch(grouped(Notation(decimal, separator)), text) for separator in separators(decimal)
    )


def is_number_in_some_notation(cell: str) -> bool:
    """Return whether a cell is a number with some decimal mark and some thousands separator."""
    return _ANY_NOTATION.fullmatch(cell.strip()) is not None


def is_missing(cell: str) -> bool:
    """Return whether a cell is a missing number."""
    return cell.strip().lower() in MISSING
