"""What the columns of a table are, and which of them a clustering should use: a proposal for any table.

A column is left out if it cannot tell rows apart (constant, nearly empty), if it tells every row apart
(numbers of rows, codes, free text), if it says in which order the rows are, or if by its name it holds the
groups that a clustering should find. Everything else is used.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mmc._optional import pandas as pd
from mmc.datasets._dates import COMPACT, compact_dates, dates, days, spoken_format
from mmc.datasets._errors import TableError, counted, enumerated, shown
from mmc.datasets._meaning import HOURS, IN_FULL, Numbers, Words, as_truths, numbers, several_units, words_of

#: Kinds of columns that can be used: as numbers, and as words.
AS_NUMBERS, AS_WORDS = ("number", "amount", "date"), ("yes/no", "category")
USABLE = (*AS_NUMBERS, *AS_WORDS)
#: Kinds that are left out.
LEFT_OUT = ("text", "id", "constant", "empty")

# Columns with a smaller share of filled cells say nothing, and those with less than half are not proposed.
_NEARLY_EMPTY, _HALF = 0.1, 0.5
_MOST_LEVELS, _MANY_LEVELS = 20, 50
#: Number of rows from which a column of consecutive numbers counts the rows.
_COUNTED_ROWS = 20
_BINS = 16
_ID_NAME = re.compile(
    r"(?:(?:.*[ _.-])?(?:id|nr|no|key|index|code|uuid|guid|number|row|zeile)|.*nummer|#)[.:#]?", re.I
)
_ID_NAME_END = re.compile(r".*[a-z](?:ID|Id|Nr|No)")
#: Names of columns that hold what a clustering should find.
_LABEL_NAME = re.compile(
    r"(?:true[ _.-]?)?(?:class|label|target|species|cluster|group|klasse|gruppe|classe|diagnosis)(?:e?s)?"
    r"(?:[ _.-]?(?:name|label|id))?",
    re.I,
)
#: Names of columns of numbers whose size means nothing.
_CODE_NAME = re.compile(
    r"(?:.*[ _.-])?(?:plz|postleitzahl|zip(?:[ _.-]?code)?|post(?:al)?[ _.-]?code|phone|telephone|telefon|fax"
    r"|iban|blz|ean|isbn)(?:[ _.-]?(?:number|no|nr))?[.:]?",
    re.I,
)
_EXAMPLES = 3
#: Different numbers from which one far from the others is told.
_FEWEST_OTHERS = 4
#: Number of columns that are left out and named.
_MOST_NAMED = 4
#: Spaces that are no line breaks, such as those between thousands, which are shown as plain ones.
_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u3000]")


@dataclass(frozen=True)
class Look:
    """What a column is.

    Attributes
    ----------
    name : str
        Name of the column.
    kind : str
        One of `USABLE` or `LEFT_OUT`.
    used : bool
        Whether the proposal uses it.
    words : str
        How its values are read, or why it is left out.
    n_missing : int
        Number of cells without a value.
    n_values : int
        Number of different values.
    histogram : tuple of int
        Numbers of rows over the range of the values, or of the most frequent words.
    examples : tuple of str
        First values, as they stand in the table.
    is_label : bool
        Whether its name says that it holds known groups, with which a clustering would have nothing to find.
    """

    name: str
    kind: str
    used: bool
    words: str
    n_missing: int
    n_values: int
    histogram: tuple[int, ...]
    examples: tuple[str, ...]
    is_label: bool = False


def not_used(looks: Sequence[Look], used: Collection[str | None]) -> str:
    """Say which columns are not used, and why.

    Parameters
    ----------
    looks : sequence of Look
        All columns.
    used : collection of str
        Names of those that are.

    Returns
    -------
    str
        A sentence; empty if all are used.
    """
    out = [each for each in looks if each.name not in used]
    named = [f"{each.name} ({each.words.removeprefix('left out: ') or each.kind})" for each in out]
    more = f" and {len(out) - _MOST_NAMED} more" if len(out) > _MOST_NAMED else ""
    return f"Not used: {', '.join(named[:_MOST_NAMED])}{more}." if out else ""


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a column as one of the usable kinds.

    Attributes
    ----------
    kind : str
        Kind by which it was read.
    values : ndarray of shape (n,) or None
        Numbers, NaN where they are missing; None for words.
    words : Words or None
        Words; None for numbers.
    how : str
        How cells were read, as a sentence part; empty if there is nothing to say.
    format : str
        How dates are written.
    """

    kind: str
    values: npt.NDArray[np.float64] | None
    words: Words | None
    how: str = ""
    format: str = ""

    def cells(self) -> npt.NDArray[Any]:
        """Return the numbers or the words; missing ones are NaN."""
        if self.values is not None:
            return np.where(self.missing, np.nan, self.values)
        assert self.words is not None
        return np.array([*self.words.words, np.nan], dtype=object)[self.words.codes]

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Which cells have no value that can be used."""
        if self.values is not None:
            return ~np.isfinite(self.values)
        assert self.words is not None
        return self.words.codes < 0


def look(frame: pd.DataFrame, decimal: str) -> tuple[Look, ...]:
    """Say what the columns of a table are.

    Parameters
    ----------
    frame : DataFrame
        Table.
    decimal : str
        Decimal mark of its file.

    Returns
    -------
    tuple of Look
        One for each column, in order.
    """
    return tuple(_look(str(name), values, decimal) for name, values in frame.items())


def propose(looks: Sequence[Look], label: str | None = None) -> dict[str, Any]:
    """Return options of a table that use every column that can tell rows apart.

    Parameters
    ----------
    looks : sequence of Look
        Columns of the table.
    label : str, default=None
        Column of reference labels, which is not used.

    Returns
    -------
    dict
        Arguments of `Table.dataset`.
    """
    others = [each for each in looks if each.name != label]
    used = [each for each in others if each.used] or [each for each in others if each.kind in USABLE]
    return {
        "columns": [each.name for each in used],
        "label": label,
        "missing": "median" if any(each.n_missing for each in used) else "error",
        "encode": "onehot",
        "kinds": {each.name: each.kind for each in used if each.kind != "number"},
    }


def read_column(
    name: str, values: pd.Series, kind: str, decimal: str, preferred: str = "", reason: str = ""
) -> Column:
    """Read a column as a kind.

    Parameters
    ----------
    name : str
        Name of the column.
    values : Series
        Its cells.
    kind : str
        One of `USABLE`.
    decimal : str
        Decimal mark of the file.
    preferred : str
        Format of dates that is tried first.
    reason : str
        Why the reader found no numbers in it, if it is known.

    Returns
    -------
    Column

    Raises
    ------
    TableError
        If its cells cannot be read so; the message names the column and a cell.
    """
    if kind in AS_WORDS:
        found = words_of(values)
        if kind == "category":
            return Column(kind, None, found)
        if (known := as_truths(found)) is None:
            raise TableError(
                f"the cells of {shown(name)}, such as {shown(found.words[0])}, are no spellings of yes and "
                "no: use it as a category"
            )
        return Column(kind, None, known)
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return Column("date", days(values), None)
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_complex_dtype(values.dtype):
        floats = _floats(values)
        if kind == "date" and (found_days := compact_dates(floats)) is not None:
            return Column(kind, found_days, None, _spoken_days(COMPACT), COMPACT)
        return Column(kind, floats, None)
    found = words_of(values)
    read = (dates if kind == "date" else numbers)(found, decimal, preferred)
    if read is None:
        what = "dates" if kind == "date" else "numbers"
        why = f" ({reason})" if reason else ""
        raise TableError(
            f"the cells of {shown(name)} cannot be read as {what}{why}: correct them, leave the column out, "
            "or use it as a category"
        )
    return Column(kind, found.spread(read.values), None, _how(found, read), read.format)


def _look(name: str, values: pd.Series, decimal: str) -> Look:
    n = len(values)
    kind, column, why = _kind(name, values, decimal)
    if column is None:
        found = words_of(values)
        gaps, counts = found.codes < 0, np.sort(found.counts)[::-1]
        n_values = len(found.words)
        if pd.api.types.is_datetime64_any_dtype(values.dtype) or pd.api.types.is_numeric_dtype(values.dtype):
            counts = counts[:0]
    elif column.values is not None:
        gaps = column.missing
        finite = column.values[~gaps]
        n_values = len(np.unique(finite))
        counts = np.histogram(finite, _BINS)[0] if len(finite) else np.zeros(0, dtype=np.int64)
    else:
        assert column.words is not None
        gaps, counts = column.missing, np.sort(column.words.counts)[::-1]
        n_values = len(column.words.words)
    n_missing = int(gaps.sum())
    used = kind in USABLE and not why
    if used and n - n_missing < _HALF * n:
        used, why = False, f"{n_missing} of {n} cells are empty, more than half"
    is_label = kind in USABLE and n_values <= _MOST_LEVELS and _LABEL_NAME.fullmatch(name.strip()) is not None
    if used and is_label:
        used, why = False, "left out: by its name it holds known groups"
    if used and kind == "number" and _CODE_NAME.fullmatch(name.strip()):
        used, why = False, "left out: by its name it holds codes, whose size means nothing"
    examples = tuple(str(cell) for cell in values[~gaps].head(_EXAMPLES))
    how = "" if column is None else column.how
    return Look(
        name,
        kind,
        used,
        "; ".join(filter(None, (how, why))),
        n_missing,
        n_values,
        tuple(int(count) for count in counts[:_BINS]),
        examples,
        is_label,
    )


def _kind(name: str, values: pd.Series, decimal: str) -> tuple[str, Column | None, str]:
    """Return the kind of a column, its values if they can be used, and why it is left out."""
    n, dtype = len(values), values.dtype
    if pd.api.types.is_bool_dtype(dtype):
        return _of_words(name, words_of(values), n, decimal)
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _numeric(Column("date", days(values), None), name, n, whole=False)
    if pd.api.types.is_complex_dtype(dtype):
        return "text", None, "complex numbers"
    if pd.api.types.is_numeric_dtype(dtype):
        numeric = _floats(values)
        whole = pd.api.types.is_integer_dtype(dtype)
        if whole and (found_days := compact_dates(numeric)) is not None:
            column = Column("date", found_days, None, _spoken_days(COMPACT), COMPACT)
            return _numeric(column, name, n, whole=False)
        return _numeric(Column("number", numeric, None, _stand_in(numeric)), name, n, whole)
    return _of_words(name, words_of(values), n, decimal)


def _of_words(name: str, found: Words, n: int, decimal: str) -> tuple[str, Column | None, str]:
    n_missing = int((found.codes < 0).sum())
    n_words, n_filled = len(found.words), n - n_missing
    if sparse := _sparse(n, n_missing, n_words):
        return sparse
    if n_words > 1 and (known := as_truths(found)) is not None:
        return "yes/no", Column("yes/no", None, known), ""
    read = numbers(found, decimal)
    if read is not None:
        kind = "amount" if read.unit or any(word.startswith("(") for word in found.words) else "number"
        column = Column(kind, found.spread(read.values), None, _how(found, read), read.format)
        return _numeric(column, name, n, False)
    read = dates(found, decimal)
    if read is not None:
        column = Column("date", found.spread(read.values), None, _how(found, read), read.format)
        return _numeric(column, name, n, whole=False)
    codes = all(re.fullmatch(r"[\w.:/{}+-]*\d[\w.:/{}+-]*", word) for word in found.words)
    if n_words == n_filled and codes:
        return "id", None, "left out: every row has a code of its own"
    few = n_words <= _MOST_LEVELS or (n_words <= _MANY_LEVELS and n_words <= 0.1 * n_filled)
    if few and n_words <= max(2, n_filled / 2):
        return "category", Column("category", None, found, _alike(found)), ""
    if units := several_units(found):
        return "text", None, f"left out: amounts in {enumerated(list(map(shown, units)))}, not in one unit"
    what = "codes" if codes else "texts"
    return "text", None, f"left out: {n_words} different {what} in {n_filled} cells"


def _sparse(n: int, n_missing: int, n_values: int) -> tuple[str, None, str] | None:
    if n_missing == n:
        return "empty", None, "left out: no values"
    if n - n_missing < _NEARLY_EMPTY * n:
        return "empty", None, f"left out: only {n - n_missing} of {n} cells are filled"
    if n_values == 1:
        what = "all rows have the same value" if n_missing == 0 else "all filled cells are equal"
        return "constant", None, f"left out: {what}"
    return None


def _numeric(column: Column, name: str, n: int, whole: bool) -> tuple[str, Column | None, str]:
    """Say what a column of numbers is, which may only count the rows."""
    assert column.values is not None
    finite = column.values[~column.missing]
    distinct = len(np.unique(finite))
    if sparse := _sparse(n, n - len(finite), distinct):
        return sparse
    if whole and distinct == n and _is_id(name, finite):
        return "id", None, "left out: it numbers the rows"
    if column.kind == "date" and n >= _COUNTED_ROWS and distinct > n / 2:
        steps = np.diff(finite)
        if (steps >= 0).all() or (steps <= 0).all():
            return "date", column, "left out: the rows are in the order of these dates"
    return column.kind, column, ""


def _is_id(name: str, values: npt.NDArray[np.float64]) -> bool:
    if len(values) >= _COUNTED_ROWS and (np.diff(values) == 1).all():
        return True
    return bool(_ID_NAME.fullmatch(name.strip()) or _ID_NAME_END.fullmatch(name.strip()))


def _how(found: Words, read: Numbers) -> str:
    """Say how words were read as numbers, by an example."""
    parts = []
    finite = np.flatnonzero(np.isfinite(read.values))
    i = int(next((i for i in finite if not _is_plain(found.words[i])), finite[0]))
    if read.format not in ("", IN_FULL):
        parts.append(_spoken_days(read.format))
    elif read.unit or not _is_plain(found.words[i]):
        hours = " hours" if read.unit == HOURS else ""
        parts.append(f"{shown(_SPACE.sub(' ', found.words[i]))} is {read.values[i]:.10g}{hours}")
    if read.stray:
        parts.append(f"{enumerated([shown(word) for word in read.stray], 3)} taken as missing")
    return "; ".join(parts)


def _stand_in(values: npt.NDArray[np.float64]) -> str:
    """Say if a number such as −999 far from all others may stand for missing values."""
    different, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    if len(different) < _FEWEST_OTHERS:
        return ""
    for at, near, far in ((0, 1, -1), (-1, -2, 0)):
        value, count = float(different[at]), int(counts[at])
        gap, spread = abs(different[at] - different[near]), abs(different[far] - different[near])
        if count > 1 and re.fullmatch("-?9{3,6}", f"{value:.10g}") and gap > 3 * spread:
            return f"{value:.10g} in {counted(count, 'cell')} may stand for missing values"
    return ""


def _spoken_days(name: str) -> str:
    return f"{spoken_format(name)}, as days since 1970"


def _alike(found: Words) -> str:
    """Say which words of a column differ in nothing but capitals."""
    first: dict[str, str] = {}
    for word in found.words:
        if first.setdefault(word.casefold(), word) != word:
            return f"{shown(first[word.casefold()])} and {shown(word)} count as different words"
    return ""


def _is_plain(word: str) -> bool:
    return re.fullmatch(r"[-+]?\d*\.?\d+", word) is not None


def _floats(values: pd.Series) -> npt.NDArray[np.float64]:
    return values.to_numpy(dtype=np.float64, na_value=np.nan)
