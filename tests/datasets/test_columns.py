"""Whole columns are read as their cells are, one by one."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmc.datasets import _cells
from mmc.datasets._cells import Notation, grouped, is_missing, is_number, separators
from mmc.datasets._columns import Votes, convert, decimal_mark, matching, missing, survey, trimmed
from mmc.datasets._packed import Cells, Piece

SPACES = st.sampled_from(["", "", "", " ", "\t", "\u00a0", "\u2003", "\x1f", "\x85"])
NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(repr),
    st.floats(-1e6, 1e6).map(lambda value: repr(value).replace(".", ",")),
    st.integers(0, 10**9).map(lambda value: f"{value:,}"),
    st.integers(0, 10**9).map(lambda value: f"{value:,}".replace(",", ".")),
    st.integers(0, 10**9).map(lambda value: f"{value:,}".replace(",", "'")),
    st.sampled_from(
        ["+5", "5.", ".5", ",5", "007", "1e999", "Infinity", "-0", "1,234.5", "1.234,5", "1 234"]
    ),
)
CELL = st.builds(
    lambda before, cell, after: before + cell + after,
    SPACES,
    st.one_of(
        NUMBERS, st.sampled_from(["", "NA", "n/a", "#N/A", "?", "-", "NaN", "null"]), st.text(max_size=4)
    ),
    SPACES,
)
COLUMN = st.lists(CELL, min_size=1, max_size=8) | st.lists(NUMBERS, min_size=1, max_size=8)
PATTERNS = [
    pattern
    for of_marks in (_cells.NUMBER, _cells.FRACTION, _cells.AMBIGUOUS, _cells.THOUSANDS, _cells.SPACED)
    for pattern in of_marks.values()
]


def array(cells) -> pa.StringArray:
    """Make an Arrow array of texts."""
    return pa.array(cells, type=pa.string())


def coded(cells) -> Piece:
    """Store each different cell once."""
    values = array(cells).dictionary_encode()
    return Piece(values.dictionary, values.indices.to_numpy().astype(np.uint8))


def naive_notation(cells, decimal):
    """Decide cell by cell how the numbers of a column are written; None for a column of text."""
    present = [cell.strip() for cell in cells if not is_missing(cell)]
    for separator in ("", *separators(decimal)):
        pattern = grouped(Notation(decimal, separator)) if separator else "(?!)"
        if not all(is_number(cell, decimal) or re.fullmatch(pattern, cell) for cell in present):
            continue
        bare = [cell.replace(separator, "") if separator else cell for cell in present]
        if not any(is_number(cell, decimal, finite=True) for cell in bare):
            return None
        if all(re.fullmatch(r"[+-]?[0-9]+", cell) for cell in bare) and any(
            re.fullmatch(r"[+-]?(0[0-9]+|[0-9]{19,})", cell) for cell in bare
        ):
            return None
        return Notation(decimal, separator)
    return None


def naive_values(cells, notation):
    """Convert cell by cell."""
    if notation is None:
        return [cell if cell.strip() else None for cell in cells]
    plain = [cell.strip().replace(notation.separator or "\0", "").replace(",", ".") for cell in cells]
    return [None if is_missing(cell) else float(cell) for cell in plain]


@settings(deadline=None, derandomize=True, max_examples=500)
@given(COLUMN, st.sampled_from(".,"), st.booleans(), st.booleans())
def test_columns_are_read_as_their_cells(cells, decimal, compact, encoded):
    """Decision and values are those of the naive reader, however the column is stored or cut."""
    pieces = [coded(cells)] if encoded else [Piece(array(cells[:2])), Piece(array(cells[2:]))]
    found = survey(pieces, decimal)
    notation = naive_notation(cells, decimal)
    assert found.notation == notation
    series = convert(pieces, found, compact)
    assert pd.api.types.is_numeric_dtype(series.dtype) == (notation is not None)
    read = [None if pd.isna(value) else value for value in series.tolist()]
    assert read == naive_values(cells, notation)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(COLUMN, COLUMN, st.sampled_from(".,"))
def test_the_first_row_can_be_added_later(first, cells, decimal):
    """A survey to which the row above is added is that of the whole column."""
    whole = survey([Piece(array([first[0], *cells]))], decimal, -1)
    later = survey([Piece(array(cells))], decimal)
    later.merge_first(survey([Piece(array(first[:1]))], decimal, -1))
    assert later.notation == whole.notation
    assert later.why_text(-1) == whole.why_text(-1)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(COLUMN)
def test_cells_are_matched_as_by_python(cells):
    """Trimming, missing values and patterns are the same in both engines."""
    stripped = trimmed(array(cells))
    assert stripped.to_pylist() == [cell.strip() for cell in cells]
    assert missing(stripped).tolist() == [is_missing(cell) for cell in cells]
    for pattern in PATTERNS:
        expected = [re.fullmatch(pattern, cell.strip()) is not None for cell in cells]
        assert matching(stripped, pattern).tolist() == expected


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.data(), st.integers(1, 5))
def test_packed_cells_are_the_cells(data, width):
    """Columns come back as they were stored, in however many parts and after rows were left out."""
    row = st.lists(st.sampled_from(["a", "b", "1", ""]) | st.text(max_size=3), min_size=width, max_size=width)
    rows = data.draw(st.lists(row, min_size=1, max_size=12))
    cut = data.draw(st.integers(0, len(rows)))
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))))
    cells = Cells(width)
    for part in (rows[:cut], rows[cut:]):
        if part:
            cells.append(array([cell for row in part for cell in row]))
        cells.pack()
    for chosen in (np.ones(len(rows), dtype=bool), kept):
        cells.keep(chosen)
        expected = [row for row, keep in zip(rows, chosen, strict=True) if keep]
        assert cells.n_rows == len(expected)
        for j in range(width):
            read = [cell for piece in cells.column(j) for cell in piece.cells().to_pylist()]
            assert read == [row[j] for row in expected]


@pytest.mark.parametrize(
    ("columns", "decimal", "doubtful"),
    [
        ([["1,5", "2"]], ",", False),
        ([["1.5", "2"]], ".", False),
        ([["1,234,567"]], ".", False),
        ([["1.234.567"]], ",", False),
        ([["1,5"], ["1.5"]], ".", False),
        ([["1,5", "2,5"], ["1.5"]], ",", False),
        ([["0,123"]], ",", False),
        ([["1,234"]], ",", True),
        ([["1,234", "5"]], ".", True),
        ([["1,234", "5", "2000"]], ",", True),
        ([["1.234"]], ".", True),
        ([["1.234", "5"]], ".", True),
        ([["1.234"] * 25 + ["5"]], ",", True),
        ([["1.234"] * 25], ".", True),
        ([["1.234"] * 25 + ["5", "2000"]], ".", True),
        ([["1,234"], ["1.234"]], ".", True),
        ([["a", "b"]], ".", False),
    ],
)
def test_decimal_mark(columns, decimal, doubtful):
    """Certain fractions decide, most of them; then the numbers beside those in doubt."""
    votes = Votes()
    for cells in columns:
        votes.add([Piece(array(cells))])
    assert decimal_mark(votes) == (decimal, doubtful)
