"""From the columns of a table to points: gaps are filled, words become 0 and 1, and columns are scaled.

`Coding` is what has been found in one table, so that rows of another are prepared in the same way. The order
is: read each column as its kind, fill gaps, one-hot (a column of 0 and 1 for every word), shift and scale
(`Scaling`), and, for Gower's similarity, its features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mmc._optional import pandas as pd
from mmc.datasets._errors import TableError, enumerated, shown
from mmc.datasets._gower import GowerFeatures
from mmc.datasets._kinds import AS_NUMBERS, USABLE, Column, read_column
from mmc.datasets._meaning import Words

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

#: Ways to fill gaps.
FILLS = ("median", "most_frequent")

#: Days of a year.
_YEAR = 365.2425

#: Number of columns that words may become.
_MAX_CODED = 5000


class ColumnCoding(NamedTuple):
    """How a column of a table becomes columns of points.

    Attributes
    ----------
    name : str
        Name of the column.
    kind : str
        Kind by which its cells are read.
    fill : float, str or None
        What is put into gaps; None if rows with gaps have no point.
    levels : tuple of str
        Words that have a column of 0 and 1 each; empty for numbers.
    format : str
        How its dates are written, which is tried first in another table.
    """

    name: str
    kind: str
    fill: float | str | None = None
    levels: tuple[str, ...] = ()
    format: str = ""

    @property
    def is_number(self) -> bool:
        """Whether the column is a number."""
        return self.kind in AS_NUMBERS


class Gower(NamedTuple):
    """Features whose dot products are Gower's similarity, see `GowerFeatures`.

    Attributes
    ----------
    landmarks : ndarray of shape (m, d)
        Rows to which others are compared.
    projection : ndarray of shape (m, r)
        Maps similarities to features.
    total : float
        Sum of the weights of the columns.
    """

    landmarks: Array
    projection: Array
    total: float

    def __call__(self, X: Array) -> Array:
        """Return the features of rows.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Coded and scaled rows.

        Returns
        -------
        ndarray of shape (n, r)
        """
        return GowerFeatures.of(X, *self)


class Coding(NamedTuple):
    """How the columns of a table become points, before they are scaled and after.

    Attributes
    ----------
    columns : tuple of ColumnCoding
        Columns that are used: numbers, then words.
    gower : Gower or None
        What follows the scaling, if rows are compared by Gower's similarity.
    """

    columns: tuple[ColumnCoding, ...]
    gower: Gower | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of the table."""
        return tuple(each.name for each in self.columns)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the coded columns, such as ``city=Rome``."""
        numbers = [each.name for each in self.columns if each.is_number]
        return (*numbers, *(f"{each.name}={word}" for each in self.columns for word in each.levels))

    @property
    def is_number(self) -> Mask:
        """Which of the coded columns are numbers, not words."""
        n = sum(each.is_number for each in self.columns)
        return np.arange(len(self.feature_names)) < n

    def spread(self, per_column: Mapping[str, float], usual: float = 1.0) -> Array:
        """Return a value for each coded column from one for each column of the table."""
        numbers = [per_column.get(each.name, usual) for each in self.columns if each.is_number]
        words = [per_column.get(each.name, usual) for each in self.columns for _ in each.levels]
        return np.array(numbers + words, dtype=np.float64)

    def described(self, frame: pd.DataFrame, decimal: str) -> dict[str, Array]:
        """Return amounts as numbers, and dates as years with decimals, by the names of their columns.

        Parameters
        ----------
        frame : DataFrame
            Rows of the table.
        decimal : str
            Decimal mark of its file.

        Returns
        -------
        dict
        """
        found = {}
        for each in self.columns:
            if each.is_number and each.kind != "number":
                values = read_column(each.name, frame[each.name], each.kind, decimal, each.format).values
                assert values is not None
                found[each.name] = 1970 + values / _YEAR if each.kind == "date" else values
        return found

    def encode(self, columns: Sequence[Column], rows: npt.NDArray[np.int64]) -> tuple[Array, list[str]]:
        """Return the coded rows of a table, and notes about words that have no column.

        Parameters
        ----------
        columns : sequence of Column
            Cells of each column, in the order of `columns`.
        rows : ndarray of int
            Rows to code.

        Returns
        -------
        X : ndarray of shape (n_rows, n_features)
        notes : list of str
        """
        X = np.zeros((len(rows), len(self.feature_names)))
        notes: list[str] = []
        start = sum(each.is_number for each in self.columns)
        place = 0
        for each, column in zip(self.columns, columns, strict=True):
            if each.is_number:
                assert column.values is not None
                values = column.values[rows]
                if each.fill is not None:
                    values = np.where(np.isfinite(values), values, float(each.fill))
                X[:, place] = values
                place += 1
                continue
            assert column.words is not None
            codes, strange = _coded(column.words, each, rows)
            known = np.flatnonzero(codes >= 0)
            X[known, start + codes[known]] = 1.0
            start += len(each.levels)
            if strange:
                notes.append(
                    f"{shown(each.name)} has words that the model has not seen, which count as none of its "
                    f"{len(each.levels)}: {enumerated([shown(word) for word in strange], 5)}."
                )
        return X, notes


def fit_coding(
    names: Sequence[str],
    columns: Sequence[Column],
    rows: npt.NDArray[np.int64],
    fill: str | None,
    *,
    more_follow: bool = False,
) -> tuple[Coding, list[str]]:
    """Return how columns are coded, and the names of those that do not vary.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    columns : sequence of Column
        Their cells.
    rows : ndarray of int
        Rows that are used.
    fill : str or None
        One of `FILLS`; None if there are no gaps in the rows.
    more_follow : bool, default=False
        Whether other rows will be coded, which may have gaps where these have none.

    Returns
    -------
    coding : Coding
    constant : list of str
    """
    numbers: list[ColumnCoding] = []
    words: list[ColumnCoding] = []
    constant: list[str] = []
    n_levels = 0
    for name, column in zip(names, columns, strict=True):
        if column.values is not None:
            values = column.values[rows]
            finite = values[np.isfinite(values)]
            filled = _middle(values, fill) if fill and (more_follow or len(finite) < len(values)) else None
            if not len(finite) or finite.min() == finite.max():
                constant.append(name)
                continue
            numbers.append(ColumnCoding(name, column.kind, filled, (), column.format))
            continue
        assert column.words is not None
        codes = column.words.codes[rows]
        counts = np.bincount(codes[codes >= 0], minlength=len(column.words.words))
        levels = sorted(word for word, count in zip(column.words.words, counts, strict=True) if count)
        if len(levels) < 2:
            constant.append(name)
            continue
        n_levels += len(levels)
        if n_levels > _MAX_CODED:
            raise TableError(
                f"the words of {shown(name)} and the columns before it would become more than {_MAX_CODED:,} "
                f"columns, one for each different word ({shown(name)} has {len(levels):,}): leave it out, or "
                "read it as a number"
            )
        often = {word: -count for word, count in zip(column.words.words, counts, strict=True)}
        most = min(levels, key=lambda word: (often[word], word))
        gaps = more_follow or bool((codes < 0).any())
        words.append(ColumnCoding(name, column.kind, most if fill and gaps else None, tuple(levels)))
    return Coding((*numbers, *words)), constant


def check_coding(coding: object, n: int) -> int:
    """Check a coding that was read from a file, and return how many columns it makes before they are scaled.

    Parameters
    ----------
    coding : object
        What is said to be a coding.
    n : int
        Number of columns of the points.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If it is none, or makes another number of columns.
    """
    if not isinstance(coding, Coding) or not isinstance(coding.columns, tuple) or not coding.columns:
        raise ValueError("coding is not right. Give Dataset.coding.")
    for each in coding.columns:
        fine = (
            isinstance(each, ColumnCoding)
            and isinstance(each.name, str)
            and each.kind in USABLE
            and isinstance(each.format, str)
            and isinstance(each.levels, tuple)
            and all(isinstance(word, str) for word in each.levels)
            and len(set(each.levels)) == len(each.levels)
        )
        if not fine:
            raise ValueError("coding holds a column that is not right. Give Dataset.coding.")
        if each.is_number:
            filled = each.fill is None or (isinstance(each.fill, float) and np.isfinite(each.fill))
        else:
            filled = bool(each.levels) and (each.fill is None or each.fill in each.levels)
        if not filled or (each.is_number and each.levels):
            raise ValueError(f"coding does not say what to do with {shown(each.name)}. Give Dataset.coding.")
    if [each.is_number for each in coding.columns] != sorted(
        (e.is_number for e in coding.columns), reverse=True
    ):
        raise ValueError("coding has words before numbers. Give Dataset.coding.")
    n_coded, made = len(coding.feature_names), len(coding.feature_names)
    if coding.gower is not None:
        made = _check_gower(coding.gower, n_coded)
    if made != n:
        raise ValueError(f"coding makes {made} columns, and the model has {n}. Give Dataset.coding.")
    return n_coded


def _check_gower(gower: object, n_coded: int) -> int:
    if isinstance(gower, Gower):
        landmarks, projection, total = gower
        arrays = isinstance(landmarks, np.ndarray) and isinstance(projection, np.ndarray)
        if (
            arrays
            and landmarks.dtype == projection.dtype == np.float64
            and landmarks.ndim == projection.ndim == 2
            and landmarks.shape == (len(projection), n_coded)
            and np.isfinite(landmarks).all()
            and np.isfinite(projection).all()
            and isinstance(total, float)
            and total > 0
        ):
            return int(projection.shape[1])
    raise ValueError("coding has no features of Gower's similarity. Give Dataset.coding.")


def columns_of(
    frame: pd.DataFrame,
    coding: Coding,
    decimal: str,
    reasons: Mapping[str, str],
    empty: Sequence[str] = (),
) -> list[Column]:
    """Read the columns of another table as those of a coding; of `empty` ones the cells are not read."""
    n = len(frame)
    nothing = {
        True: Column("", np.full(n, np.nan), None),
        False: Column("", None, Words([], np.full(n, -1, dtype=np.int64))),
    }
    return [
        nothing[each.is_number]
        if each.name in empty
        else read_column(
            each.name, frame[each.name], each.kind, decimal, each.format, reasons.get(each.name, "")
        )
        for each in coding.columns
    ]


def gaps(columns: Sequence[Column], coding: Coding | None = None) -> Mask:
    """Return which rows have a gap in a column; those that a coding fills do not count."""
    found = np.zeros(len(columns[0].missing), dtype=bool)
    for i, column in enumerate(columns):
        if coding is None or coding.columns[i].fill is None:
            found |= column.missing
    return found


def _middle(values: Array, fill: str) -> float:
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0
    if fill == "median":
        return float(np.median(finite))
    different, counts = np.unique(finite, return_counts=True)
    return float(different[counts.argmax()])


def _coded(
    words: Words, coding: ColumnCoding, rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Return the level of each row, and the words that are none."""
    places = {word: i for i, word in enumerate(coding.levels)}
    filled = -1 if coding.fill is None else places[str(coding.fill)]
    table = np.array([*(places.get(word, -1) for word in words.words), filled], dtype=np.int64)
    codes = words.codes[rows]
    present = np.unique(codes[codes >= 0])
    return table[codes], [words.words[i] for i in present if words.words[i] not in places]
