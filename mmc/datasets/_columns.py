"""The meaning of whole columns of cells: numbers, whole numbers, or text.

What a single cell means is defined in `mmc.datasets._cells`; here the same is computed for all cells of a
piece of a column at once, by pyarrow. The decimal mark is decided by all columns of a file, a thousands
separator by all cells of a column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mmc._optional import pandas as pd
from mmc._optional import pyarrow as pa
from mmc._optional import pyarrow_compute as pc
from mmc.datasets import _cells as cells
from mmc.datasets._cells import Notation
from mmc.datasets._errors import shown
from mmc.datasets._packed import Piece, pool

_SPACES = "".join(chr(i) for i in range(0x3001) if chr(i).isspace())  # what str.strip removes
_SIGNED = (np.int8, np.int16, np.int32, np.int64)

#: Of so many decimals of three digits hardly ever none ends in 0, which most programs do not write.
_MANY_THOUSANDS = 25

Mask = npt.NDArray[np.bool_]


def trimmed(values: pa.StringArray) -> pa.StringArray:
    """Remove the spaces around all cells."""
    return pc.utf8_trim(values, characters=_SPACES)


def matching(values: pa.StringArray, pattern: str) -> Mask:
    """Return which cells match a pattern as a whole."""
    return _mask(pc.match_substring_regex(values, f"^(?:{pattern})$"))


def missing(values: pa.StringArray) -> Mask:
    """Return which trimmed cells are missing numbers."""
    return _mask(pc.is_in(pc.ascii_lower(values), value_set=pa.array(sorted(cells.MISSING))))


def _mask(values: pa.BooleanArray) -> Mask:
    return values.to_numpy(zero_copy_only=False)


@dataclass
class Votes:
    """What the cells of a file say about its decimal mark.

    Attributes
    ----------
    certain : dict
        For each mark, the number of cells in which it is the decimal mark for certain.
    ambiguous : dict
        For each mark, the number of cells such as ``1,234``.
    thousands : set
        Marks that separate thousands in some column, because its numbers below a thousand have none.
    """

    certain: dict[str, int] = field(default_factory=lambda: {".": 0, ",": 0})
    ambiguous: dict[str, int] = field(default_factory=lambda: {".": 0, ",": 0})
    thousands: set[str] = field(default_factory=set)

    def add(self, pieces: Iterable[Piece]) -> None:
        """Count the cells of a column."""
        ambiguous = {".": 0, ",": 0}
        small = large = False
        for piece in pieces:
            values = trimmed(piece.values)
            for mark, other in cells.OTHER_MARK.items():
                unsure = matching(values, cells.AMBIGUOUS[mark])
                ambiguous[mark] += piece.n_cells(unsure)
                self.certain[mark] += piece.n_cells(matching(values, cells.FRACTION[mark]) & ~unsure)
                self.certain[other] += piece.n_cells(matching(values, cells.THOUSANDS[mark]))
                self.certain[mark] += piece.n_cells(matching(values, cells.SPACED[mark]))
            small = small or bool(matching(values, cells.BELOW_THOUSAND).any())
            large = large or bool(matching(values, cells.THOUSAND_WITHOUT_SEPARATOR).any())
        for mark, count in ambiguous.items():
            self.ambiguous[mark] += count
            if count and small and not large:
                self.thousands.add(mark)


class Mark(NamedTuple):
    """The decimal mark of a file, and whether the file leaves a doubt about it."""

    decimal: str
    doubtful: bool = False


def decimal_mark(votes: Votes) -> Mark:
    """Decide the decimal mark of a file that does not have the comma as delimiter.

    The mark of most fractions that can be nothing else decides. If all are like ``1,234``, a comma is the
    decimal mark, unless numbers below a thousand without a comma are in the same column; a point is the
    decimal mark, unless there are such numbers and so many like ``1.234`` that some decimals would end in 0.
    """
    certain, ambiguous = votes.certain, votes.ambiguous
    if any(certain.values()):
        return Mark("," if certain[","] > certain["."] else ".")
    if not any(ambiguous.values()):
        return Mark(".")
    if ambiguous["."] >= _MANY_THOUSANDS and ambiguous[","] == 0 and "." in votes.thousands:
        return Mark(",", doubtful=True)
    only_commas = ambiguous[","] > 0 and ambiguous["."] == 0
    return Mark("," if only_commas and "," not in votes.thousands else ".", doubtful=True)


@dataclass
class Survey:
    """What the cells of one column are.

    Attributes
    ----------
    decimal : str
        Decimal mark of the file.
    n_cells, n_missing, n_words : int
        Number of all cells, of those that are missing numbers, and of those that are neither that nor a
        number.
    first_word : str
        First of the latter.
    first_word_row : int
        Its row.
    separators : set of str
        Thousands separators with which all those words would be numbers.
    whole, short, padded, finite : bool
        Whether all numbers are whole, whether they are and have at most 18 digits, whether one begins with a
        zero that would be lost, and whether one may be finite.
    """

    decimal: str
    n_cells: int = 0
    n_missing: int = 0
    n_words: int = 0
    first_word: str = ""
    first_word_row: int = 0
    separators: set[str] = field(default_factory=set)
    whole: bool = True
    short: bool = True
    padded: bool = False
    finite: bool = False

    def __post_init__(self) -> None:
        self.separators = set(cells.separators(self.decimal))

    def add(self, piece: Piece, first_row: int) -> None:
        """Take in a piece of the column that begins at a row."""
        values = trimmed(piece.values)
        number = matching(values, cells.NUMBER[self.decimal])
        if not number.all():
            gap = missing(values)
            word = ~number & ~gap
            self.n_missing += piece.n_cells(gap)
            if word.any():
                self._add_words(piece, values, word, first_row)
            values = values.filter(pa.array(number))
        self.n_cells += len(piece)
        self._add_numbers(values)

    def _add_words(self, piece: Piece, values: pa.StringArray, word: Mask, first_row: int) -> None:
        of_cells = piece.spread(word)
        if self.n_words == 0:
            row = int(of_cells.argmax())
            value = row if piece.codes is None else int(piece.codes[row])
            self.first_word, self.first_word_row = piece.values[value].as_py(), first_row + row
        self.n_words += int(of_cells.sum())
        words = values.filter(pa.array(word))
        for separator in tuple(self.separators):
            pattern = cells.grouped(Notation(self.decimal, separator))
            # The first word alone decides about most columns of text.
            if not matching(words[:1], pattern).all() or not matching(words, pattern).all():
                self.separators.discard(separator)
        if self.separators:
            bare = pc.replace_substring(words, next(iter(self.separators)), "")
            self._add_numbers(bare)

    def _add_numbers(self, values: pa.StringArray) -> None:
        if len(values) == 0:
            return
        self.whole = self.whole and bool(matching(values, cells.WHOLE).all())
        if self.whole:
            self.short = self.short and bool(matching(values, cells.SHORT_WHOLE).all())
            self.padded = self.padded or bool(matching(values, cells.LEADING_ZERO).any())
        if not self.finite:
            self.finite = bool(np.isfinite(_floats(values, Notation(self.decimal))).any())

    def merge_first(self, first: Survey) -> None:
        """Take in the survey of the row before all others."""
        self.n_cells += first.n_cells
        self.n_missing += first.n_missing
        if first.n_words:
            self.n_words += first.n_words
            self.first_word, self.first_word_row = first.first_word, first.first_word_row
            self.separators &= first.separators
        self.whole, self.short = self.whole and first.whole, self.short and first.short
        self.padded, self.finite = self.padded or first.padded, self.finite or first.finite

    @property
    def notation(self) -> Notation | None:
        """How the numbers of the column are written; None if it is a column of text."""
        if not self.finite or (self.n_words and not self.separators) or self._is_identifier:
            return None
        # Several separators are possible only if there is no cell with one.
        return Notation(self.decimal, next(iter(self.separators)) if self.n_words else "")

    @property
    def _is_identifier(self) -> bool:
        return self.whole and (self.padded or not self.short)

    def why_text(self, first_row: int) -> str:
        """Say why it is not a column of numbers; rows are counted from ``first_row``."""
        if self.n_missing == self.n_cells:
            return "no values"
        if self.n_words and not self.separators:
            n_values = self.n_cells - self.n_missing
            few = self.n_words < n_values
            count = f"{self.n_words} of {n_values} values, first " if few else ""
            return f"{count}{shown(self.first_word)} in data row {self.first_word_row - first_row + 1}"
        if self._is_identifier:
            return "leading zeros would be lost" if self.padded else "whole numbers of more than 18 digits"
        return "no finite value"


def survey(pieces: Iterable[Piece], decimal: str, first_row: int = 0) -> Survey:
    """Look at all cells of a column."""
    found = Survey(decimal)
    for piece in pieces:
        found.add(piece, first_row)
        first_row += len(piece)
    return found


def convert(pieces: Iterable[Piece], found: Survey, compact: bool) -> pd.Series:
    """Convert a column to whole numbers, numbers, or unchanged text.

    ``compact`` chooses types of less memory, for large tables.
    """
    notation = found.notation
    if notation is None:
        return _text(pieces, found.n_cells, compact)
    if found.whole:
        return _whole(pieces, notation, found.n_missing > 0, compact)
    return pd.Series(_filled(pieces, found.n_cells, lambda values: _floats(values, notation)))


def _floats(values: pa.StringArray, notation: Notation) -> npt.NDArray[np.float64]:
    """Convert trimmed cells to numbers, missing ones to NaN."""
    plain = _plain(values, notation)
    gap = missing(plain)
    if gap.any():
        plain = pc.if_else(pa.array(gap), "nan", plain)
    return pc.cast(plain, pa.float64()).to_numpy()


def _plain(values: pa.StringArray, notation: Notation) -> pa.StringArray:
    if notation.separator:
        values = pc.replace_substring(values, notation.separator, "")
    return pc.replace_substring(values, ",", ".") if notation.decimal == "," else values


def _filled(
    pieces: Iterable[Piece], n_cells: int, to_floats: Callable[[pa.StringArray], npt.NDArray[np.float64]]
) -> npt.NDArray[np.float64]:
    result = np.empty(n_cells)
    start = 0
    for piece in pieces:
        result[start : start + len(piece)] = piece.spread(to_floats(trimmed(piece.values)))
        start += len(piece)
    return result


def _whole(pieces: Iterable[Piece], notation: Notation, with_gaps: bool, compact: bool) -> pd.Series:
    # Whole numbers keep their type, so that they are written as they were read, 5 and not 5.0.
    values, gaps = [], []
    for piece in pieces:
        plain = _plain(trimmed(piece.values), notation)
        plain = pc.replace_substring(plain, "+", "", max_replacements=1)
        gap = missing(plain)
        integers = pc.cast(pc.if_else(pa.array(gap), "0", plain), pa.int64()).to_numpy()
        values.append(piece.spread(_smallest(integers) if compact else integers))
        gaps.append(piece.spread(gap))
    numbers = np.concatenate(values)
    if not with_gaps:
        return pd.Series(numbers, copy=False)
    return pd.Series(pd.arrays.IntegerArray(numbers, np.concatenate(gaps)), copy=False)


def _smallest(integers: npt.NDArray[np.int64]) -> npt.NDArray[np.signedinteger[Any]]:
    low, high = integers.min(initial=0), integers.max(initial=0)
    kind = next(kind for kind in _SIGNED if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    return integers.astype(kind)


def _text(pieces: Iterable[Piece], n_cells: int, compact: bool) -> pd.Series:
    chunks, n_blank = [], 0
    for piece in pieces:
        blank = _mask(pc.equal(trimmed(piece.values), ""))
        n_blank += piece.n_cells(blank)
        values = pc.if_else(pa.array(blank), None, piece.values) if blank.any() else piece.values
        # A copy, because a piece keeps the cells of all columns in memory.
        places = np.arange(len(values), dtype=np.int32) if piece.codes is None else piece.codes
        chunks.append(pc.take(values, pa.array(places), memory_pool=pool()))
    if compact and n_blank == n_cells:
        return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.nulls(n_cells)])))
    column = pa.chunked_array(chunks, type=pa.string())
    return pd.Series(pd.arrays.ArrowExtensionArray(column)) if compact else column.to_pandas()
