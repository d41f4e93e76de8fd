"""A data set: the matrix to cluster, and the table that contains it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.preprocessing import StandardScaler

from mmc.datasets._cells import is_number
from mmc.datasets._coding import Coding

# A spreadsheet treats a cell that begins with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


class Scaling(NamedTuple):
    """How columns were standardised.

    Attributes
    ----------
    means, deviations : ndarray of shape (d,)
        What is subtracted from each column, and what it is divided by afterwards.
    """

    means: npt.NDArray[np.float64]
    deviations: npt.NDArray[np.float64]

    def __call__(self, X: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Standardise other rows in the same way.

        Parameters
        ----------
        X : ndarray of shape (n, d)

        Returns
        -------
        ndarray of shape (n, d)
        """
        return (X - self.means) / self.deviations


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points to cluster, and the table that contains them.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The points, as float64.
    y : ndarray of shape (n,) or None
        Integer codes of the reference labelling, if there is one.
    feature_names : tuple of str
        Names of the d columns of ``X``.
    name : str
        Name of the data set.
    frame : pandas.DataFrame
        All rows and columns of the original table, in their order.
    rows : ndarray of shape (n,)
        Position in ``frame`` of each row of ``X``.
    notes : tuple of str
        Sentences for the user about what was left out or changed.
    scaling : Scaling or None
        How the columns of ``X`` were standardised; None if they were not.
    coding : Coding or None
        How the columns of the table became those of ``X``; None if they are numbers as they stand there.
    decimal : str
        Decimal mark of the table's file.

    Examples
    --------
    >>> from mmc.datasets import load_iris
    >>> iris = load_iris()
    >>> iris.X.shape, iris.feature_names[0], iris.frame.shape
    ((150, 4), 'sepal length (cm)', (150, 5))
    >>> float(iris.standardized().X.std().round(6))
    1.0
    """

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.int64] | None
    feature_names: tuple[str, ...]
    name: str
    frame: pd.DataFrame
    rows: npt.NDArray[np.int64]
    notes: tuple[str, ...] = ()
    scaling: Scaling | None = None
    coding: Coding | None = None
    decimal: str = "."

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the table that are clustered."""
        return self.feature_names if self.coding is None else self.coding.names

    @property
    def described(self) -> pd.DataFrame:
        """The clustered rows of the table, with amounts as numbers and dates as years such as 2024.5."""
        rows = self.frame.iloc[self.rows]
        return rows if self.coding is None else rows.assign(**self.coding.described(rows, self.decimal))

    @property
    def codes(self) -> npt.NDArray[np.int64] | None:
        """Reference labels as numbers from 0 without gaps; None if there are none."""
        return None if self.y is None else np.unique(self.y, return_inverse=True)[1]

    @property
    def nbytes(self) -> int:
        """Memory of the points and of the original table, in bytes."""
        return self.X.nbytes + int(self.frame.memory_usage().sum())

    @property
    def facts(self) -> Facts:
        """What a page says of the data, without the points and the table."""
        return Facts(self.name, len(self.X), self.feature_names, self.y, self.notes)

    def standardized(self) -> Dataset:
        """Return a copy in which every column of ``X`` has mean 0 and variance 1.

        A constant column becomes zeros. ``frame`` keeps the original values.
        """
        note = "Every column was shifted to mean 0 and scaled to variance 1."
        scaler = StandardScaler()
        X = np.asarray(scaler.fit_transform(self.X), dtype=np.float64)
        scaling = Scaling(scaler.mean_, scaler.scale_)
        if self.scaling is not None:  # the second time
            before = self.scaling
            means = before.means + before.deviations * scaling.means
            scaling = Scaling(means, before.deviations * scaling.deviations)
        return replace(self, X=X, notes=(*self.notes, note), scaling=scaling)


@dataclass(frozen=True, eq=False)
class Facts:
    """What a page says of a data set; points and table stay where they are clustered.

    Attributes
    ----------
    name : str
        Name of the data set.
    n_samples : int
        Number of points.
    feature_names : tuple of str
        Names of the columns that are clustered.
    y : ndarray of shape (n_samples,) or None
        Integer codes of the reference labelling, if there is one.
    notes : tuple of str
        Sentences for the user about what was left out or changed.
    """

    name: str
    n_samples: int
    feature_names: tuple[str, ...]
    y: npt.NDArray[np.int64] | None
    notes: tuple[str, ...] = ()

    @property
    def codes(self) -> npt.NDArray[np.int64] | None:
        """Reference labels as numbers from 0 without gaps; None if there are none."""
        return None if self.y is None else np.unique(self.y, return_inverse=True)[1]

    @property
    def nbytes(self) -> int:
        """Memory of the labels, in bytes."""
        return 0 if self.y is None else self.y.nbytes


def from_arrays(
    X: npt.NDArray[np.float64],
    y: npt.NDArray[np.int64] | None,
    feature_names: tuple[str, ...],
    name: str,
    class_names: npt.ArrayLike | None = None,
) -> Dataset:
    """Return a data set whose table is ``X`` and, if there are labels, a column ``class``.

    ``class_names`` are the entries of that column, one for each row; without them it holds ``y``.
    """
    frame = pd.DataFrame(X, columns=list(feature_names))
    if y is not None:
        frame["class"] = y if class_names is None else np.asarray(class_names)
    return Dataset(X, y, feature_names, name, frame, np.arange(len(X), dtype=np.int64))


def labels_frame(
    dataset: Dataset,
    labels: npt.ArrayLike,
    confidence: npt.ArrayLike | None = None,
    *,
    far: npt.ArrayLike | None = None,
) -> pd.DataFrame:
    """Add the clusters to the original table.

    Parameters
    ----------
    dataset : Dataset
        The clustered data.
    labels : array-like of int, shape (n,)
        The cluster of each row of ``dataset.X``.
    confidence : array-like of float, shape (n,), default=None
        Confidence of each label. Without it the column is left out.
    far : array-like of bool, shape (n,), default=None
        Whether each row is far from what a model was fitted to. Without it the column is left out.

    Returns
    -------
    pandas.DataFrame
        All original rows and columns, then ``cluster`` (whole numbers), ``confidence`` and ``far``; they are
        missing in the rows that were not clustered. If the table already has a column of that name, the new
        one is called ``cluster_2`` and so on.
    """
    frame = dataset.frame
    clusters = pd.array([pd.NA] * len(frame), dtype="Int64")
    clusters[dataset.rows] = _one_per_row(dataset, labels, "labels").astype(np.int64)
    added = {_free_name(frame, "cluster"): pd.Series(clusters, index=frame.index)}
    if confidence is not None:
        sure = np.full(len(frame), np.nan)
        sure[dataset.rows] = _one_per_row(dataset, confidence, "confidence")
        added[_free_name(frame, "confidence")] = pd.Series(sure, index=frame.index)
    if far is not None:
        flags = pd.array([pd.NA] * len(frame), dtype="boolean")
        flags[dataset.rows] = _one_per_row(dataset, far, "far").astype(bool)
        added[_free_name(frame, "far")] = pd.Series(flags, index=frame.index)
    # Put together at once: columns that are added to very many others one by one are slow, with a warning.
    return pd.concat([frame, pd.DataFrame(added)], axis=1)


def to_csv_text(frame: pd.DataFrame) -> str:
    """Write a table as CSV that is safe to open in a spreadsheet.

    Text cells and column names that a spreadsheet would run as a formula get a leading ``'``. Numbers stay
    numbers, even if they are stored as text, such as ``-3.2``.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table.

    Returns
    -------
    str
        The text, with ``CRLF`` at the line ends.
    """
    safe = pd.DataFrame({position: _defused(column) for position, (_, column) in enumerate(frame.items())})
    safe.columns = pd.Index([_defuse(str(column)) for column in frame.columns], dtype=object)
    # With "\n" some Python versions leave a "\r" inside a cell unquoted, which would start a new row.
    return safe.to_csv(index=False, lineterminator="\r\n")


def _one_per_row(dataset: Dataset, values: npt.ArrayLike, what: str) -> npt.NDArray[np.generic]:
    array = np.asarray(values)
    if array.shape != dataset.rows.shape:
        raise ValueError(
            f"{what} has shape {array.shape}, but the data set {dataset.name!r} has {len(dataset.rows)} rows "
            f"to label: give one value for each row of X"
        )
    return array


def _free_name(frame: pd.DataFrame, wanted: str) -> str:
    name, number = wanted, 1
    while name in frame.columns:
        number += 1
        name = f"{wanted}_{number}"
    return name


def _defused(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    return column.astype(object).map(_defuse)


def _defuse(cell: object) -> object:
    if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) and not is_number(cell, finite=True):
        return "'" + cell
    return cell
