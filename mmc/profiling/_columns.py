"""Columns of a table of any kind, as numbers or as categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmc._optional import pandas as pd

#: What pandas calls the values of columns that hold numbers as Python objects.
_NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal", "boolean")

NUMBER, TWO_VALUES, TEXT, CONSTANT, EMPTY = "number", "two values", "text", "constant", "empty"


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table.

    Attributes
    ----------
    name : str
        Name, which no other column has.
    kind : str
        "number", "two values" (numbers), "text", "constant" (numbers) or "empty".
    numbers : ndarray of shape (n_samples,) or None
        Values of a column of numbers; NaN where there is none.
    codes : ndarray of shape (n_samples,) or None
        Category of each row of a column of text; −1 where there is none.
    categories : tuple of str
        Names of the categories.
    """

    name: str
    kind: str
    numbers: NDArray[np.float64] | None
    codes: NDArray[np.int64] | None = None
    categories: tuple[str, ...] = ()

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which rows have a value."""
        if self.numbers is not None:
            return np.isfinite(self.numbers)
        assert self.codes is not None
        return self.codes >= 0


def read_frame(table: Any, names: Sequence[str] | None) -> pd.DataFrame:
    """Return a table or an array as a table whose column names are texts and differ.

    Parameters
    ----------
    table : DataFrame or array-like of shape (n_samples, n_columns)
        Table.
    names : sequence of str or None
        Names of the columns; None means those of the table, or x0, x1, ….

    Returns
    -------
    DataFrame

    Raises
    ------
    ValueError
        If the table is not two-dimensional, or the number of names is another one.
    """
    if isinstance(table, pd.DataFrame):
        frame = table.copy(deep=False)
    else:
        if hasattr(table, "toarray"):
            raise ValueError("table is a sparse matrix: give table.toarray().")
        array = np.asarray(table)
        if array.ndim != 2:
            raise ValueError(
                f"table has {array.ndim} dimensions: give a DataFrame, or an array of shape (n_samples, "
                "n_columns)."
            )
        frame = pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])])
    if names is not None and len(names) != frame.shape[1]:
        raise ValueError(
            f"names has {len(names)} names for {frame.shape[1]} columns: give one for each column."
        )
    frame.columns = pd.Index(different(frame.columns if names is None else names), dtype=object)
    return frame


def different(names: Iterable[Any], taken: Iterable[str] = ()) -> list[str]:
    """Return names as texts that differ: the second “a” becomes “a (2)”.

    Parameters
    ----------
    names : iterable
        Names.
    taken : iterable of str
        Names that none of them may have.

    Returns
    -------
    list of str
    """
    used, result = set(taken), []
    counts: dict[str, int] = dict.fromkeys(used, 1)
    for name in map(str, names):
        unique, number = name, counts.get(name, 0)
        while unique in used:
            number += 1
            unique = f"{name} ({number})"
        counts[name] = max(number, 1)
        used.add(unique)
        result.append(unique)
    return result


def read_columns(frame: pd.DataFrame) -> list[Column]:
    """Return the columns of a table whose names differ."""
    return [_column(str(name), series) for name, series in frame.items()]


def _column(name: str, series: pd.Series) -> Column:
    numbers = _numbers(series)
    if numbers is not None:
        known = numbers[np.isfinite(numbers)]
        if not len(known):
            return Column(name, EMPTY, numbers)
        low, high = known.min(), known.max()
        if low == high:
            return Column(name, CONSTANT, numbers)
        kind = TWO_VALUES if np.all((known == low) | (known == high)) else NUMBER
        return Column(name, kind, numbers)
    texts = series.astype(object).where(series.notna(), None)
    codes, categories = pd.factorize(np.array([None if v is None else str(v) for v in texts], dtype=object))
    kind = TEXT if len(categories) else EMPTY
    return Column(name, kind, None, codes.astype(np.int64), tuple(map(str, categories)))


def _numbers(series: pd.Series) -> NDArray[np.float64] | None:
    """Return the values of a column of numbers, with NaN for missing and infinite ones; None for others."""
    is_numeric = pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_complex_dtype(
        series.dtype
    )
    if not is_numeric and (
        series.dtype != object or pd.api.types.infer_dtype(series, skipna=True) not in _NUMBERS
    ):
        return None
    try:
        if series.dtype == object:
            series = series.astype(object).where(series.notna(), np.nan)
        values = series.to_numpy(dtype=np.float64, na_value=np.nan).copy()
    except (OverflowError, TypeError, ValueError):  # a whole number may be too large
        return None
    values[~np.isfinite(values)] = np.nan
    return values
