"""A data set: the matrix to cluster, and the table that contains it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.preprocessing import StandardScaler

from mmc._optional import pandas as pd
from mmc.datasets._cells import is_number
from mmc.datasets._changes import check_change, moved, shaken, thinned
from mmc.datasets._coding import Coding
from mmc.datasets._errors import TableError, shown
from mmc.datasets._meaning import words_of
from mmc.hints import NO_HINTS, UNKNOWN, Given

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


class _Frame:
    """The table of a data set; a function that makes it is called when the table is first asked for."""

    def __set__(self, data: Dataset, frame: pd.DataFrame | Callable[[], pd.DataFrame]) -> None:
        data.__dict__["frame"] = frame

    def __get__(self, data: Dataset | None, owner: type[Dataset]) -> pd.DataFrame:
        if data is None:
            raise AttributeError("frame")  # the field has no default
        held = data.__dict__["frame"]
        if callable(held):
            held = data.__dict__["frame"] = held()
        return held


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
    hints : Given
        What is known of the clusters, for `fit`.
    label : str or None
        Column of the table that holds the reference labelling, if there is one.

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
    frame: _Frame = _Frame()
    rows: npt.NDArray[np.int64]  # type: ignore[misc]  # the line above is no default
    notes: tuple[str, ...] = ()
    scaling: Scaling | None = None
    coding: Coding | None = None
    decimal: str = "."
    hints: Given = NO_HINTS
    label: str | None = None

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {len(self.X)} points, {len(self.feature_names)} columns)"

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
        rows = None if len(self.rows) == len(self.frame) else self.rows
        return Facts(self.name, len(self.X), self.feature_names, self.y, self.notes, rows)

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
        return self._with(X=X, notes=(*self.notes, note), scaling=scaling)

    def changed(
        self,
        *,
        move: int | None = None,
        by: Sequence[float] = (),
        jitter: float = 0.0,
        thin: int | None = None,
        random_state: int = 0,
    ) -> Dataset:
        """Return a copy with other points, to see what a clustering makes of them; `frame` stays the same.

        Parameters
        ----------
        move : int, default=None
            Row of `X` of a point that moves.
        by : sequence of float, default=()
            How far it moves in each of the first columns, in standard deviations of the column.
        jitter : float, default=0.0
            Standard deviation of noise that is added to each column, as a share of that of the column.
        thin : int, default=None
            Group of the reference labels, from 0, of which only every third point stays; −1 means all points.
        random_state : int, default=0
            Seed of the noise.

        Returns
        -------
        Dataset

        Raises
        ------
        ValueError
            If a value is not allowed, or there is no such point, column or group.

        Examples
        --------
        >>> from mmc.datasets import load_iris
        >>> iris = load_iris()
        >>> iris.changed(move=3, by=[2.0]).X[3].round(2).tolist(), iris.changed(thin=0).X.shape
        ([6.25, 3.1, 1.5, 0.2], (117, 4))
        """
        check_change({"move": move, "by": by, "jitter": jitter, "thin": thin, "random_state": random_state})
        X, notes = self.X, []
        if jitter:
            X = shaken(X, jitter, random_state)
            notes.append(f"Every value was shaken by {jitter:g} standard deviations of its column.")
        if move is not None:
            X = moved(X, move, by)
            notes.append(f"Point {move} was moved by {', '.join(f'{each:g}' for each in by)}.")
        stay = np.arange(len(X))
        if thin is not None:
            stay = thinned(self.codes, len(X), thin)
            notes.append(f"{len(X) - len(stay):,} of {len(X):,} points were left out.")
        return self._with(
            X=X[stay],
            y=None if self.y is None else self.y[stay],
            rows=self.rows[stay],
            notes=(*self.notes, *notes),
        )

    def with_hints(
        self,
        *,
        known: str | None = None,
        weights: str | None = None,
        together: Sequence[Sequence[int]] = (),
        apart: Sequence[Sequence[int]] = (),
    ) -> Dataset:
        r"""Return a copy that holds what is known of the clusters.

        Parameters
        ----------
        known : str, default=None
            Column of the table with known groups, which is empty where nothing is known. Its words, in the
            order of the alphabet, or its numbers, are the clusters 0, 1, ….
        weights : str, default=None
            Column of the table with the weights of the rows.
        together : sequence of sequences of int, default=()
            Groups of rows of the table, from 0, each of which belongs to one cluster.
        apart : sequence of pairs of int, default=()
            Groups, by their positions in `together`, that belong to different clusters.

        Returns
        -------
        Dataset

        Raises
        ------
        ValueError
            If a column or a row is not there, or a column says nothing.

        Examples
        --------
        >>> from mmc.datasets import open_table
        >>> table = open_table(b"a,b,group\n1,5,\n2,7,x\n3,6,\n4,4,y")
        >>> data = table.dataset(exclude=["group"], missing="median")
        >>> data = data.with_hints(known="group", together=[[0, 1], [3]], apart=[[0, 1]])
        >>> data.hints.y.tolist(), data.hints.must_link, data.hints.cannot_link
        ([-1, 0, -1, 1], [[0, 1]], [[0, 3]])
        """
        n = len(self.frame)
        place = np.full(n, UNKNOWN)
        place[self.rows] = np.arange(len(self.rows))
        groups = []
        for group in together:
            if wrong := [row for row in group if not 0 <= row < n]:
                raise ValueError(f"together names the row {wrong[0]}, and the rows are 0 to {n - 1}.")
            points = place[list(group)]
            groups.append([int(point) for point in points if point >= 0])  # others have no point
        for pair in apart:
            if len(pair) != 2 or not all(0 <= group < len(groups) for group in pair):
                raise ValueError(f"apart names the groups {list(pair)}, and together has {len(groups)}.")
        links = [[group[0], point] for group in groups for point in group[1:]]
        parted = [[groups[g][0], groups[h][0]] for g, h in apart if groups[g] and groups[h]]
        given = Given(
            None if known is None else self._known(known),
            links or None,
            parted or None,
            None if weights is None else self._weights(weights),
        )
        return self._with(hints=given)

    def _with(self, **changes: Any) -> Dataset:
        """Return a copy with other fields; the table is not made for it."""
        return replace(self, **{"frame": vars(self)["frame"], **changes})

    def _known(self, name: str) -> npt.NDArray[np.int64]:
        values = self._column(name)
        if pd.api.types.is_numeric_dtype(values.dtype):
            codes = pd.factorize(values, sort=True)[0].astype(np.int64)
        else:
            found = words_of(values)
            order = np.argsort(np.argsort(found.words))
            codes = np.append(order, UNKNOWN)[found.codes].astype(np.int64)
        if (codes == UNKNOWN).all() or (codes >= 0).all():
            what = "no row" if (codes == UNKNOWN).all() else "every row"
            raise TableError(
                f"{what} has a known group in the column {shown(name)}: give a column that is filled in some "
                "rows and empty in others"
            )
        return codes

    def _weights(self, name: str) -> npt.NDArray[np.float64]:
        values = self._column(name)
        if not pd.api.types.is_numeric_dtype(values.dtype) or values.isna().any() or (values <= 0).any():
            raise TableError(f"the weights in the column {shown(name)} must be numbers above 0 in every row")
        return values.to_numpy(dtype=np.float64)

    def _column(self, name: str) -> pd.Series:
        if name not in self.frame.columns:
            raise TableError(f"{shown(self.name)} has no column {shown(name)} with hints")
        return self.frame[name].iloc[self.rows]


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
    rows : ndarray of shape (n_samples,) or None
        Row of the table of each point; None if all rows are points.
    """

    name: str
    n_samples: int
    feature_names: tuple[str, ...]
    y: npt.NDArray[np.int64] | None
    notes: tuple[str, ...] = ()
    rows: npt.NDArray[np.int64] | None = None

    @property
    def codes(self) -> npt.NDArray[np.int64] | None:
        """Reference labels as numbers from 0 without gaps; None if there are none."""
        return None if self.y is None else np.unique(self.y, return_inverse=True)[1]

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return sum(each.nbytes for each in (self.y, self.rows) if each is not None)


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
    classes = y if class_names is None else np.asarray(class_names)
    label = None if y is None else "class"
    frame = partial(_frame_of, X, feature_names, None if y is None else classes)
    return Dataset(X, y, feature_names, name, frame, np.arange(len(X), dtype=np.int64), label=label)


def _frame_of(
    X: npt.NDArray[np.float64], names: tuple[str, ...], classes: npt.NDArray[Any] | None
) -> pd.DataFrame:
    frame = pd.DataFrame(X, columns=list(names))
    if classes is not None:
        frame["class"] = classes
    return frame


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
