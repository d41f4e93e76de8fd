"""A model with the preparation of its columns, and how it labels new rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from mmc._blocks import in_blocks
from mmc._checks import quoted
from mmc._optional import pandas as pd
from mmc._threads import threads_kept
from mmc.base import StepwiseClusterer
from mmc.datasets import Coding, Dataset, Scaling, Table, labels_frame
from mmc.datasets._coding import check_coding
from mmc.model_file.far import Seen

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Rows that are labelled at a time.
_ROWS = 4096


class Labelling(NamedTuple):
    """New rows with their labels.

    Attributes
    ----------
    dataset : Dataset
        The rows, in the columns of the model and standardised as these were.
    labels : ndarray of shape (n,)
        Cluster of each row.
    far : ndarray of shape (n,), bool
        Whether each row is far from what the model was fitted to (see `mmc.model_file.far`).
    """

    dataset: Dataset
    labels: Labels
    far: NDArray[np.bool_]

    @property
    def warning(self) -> str:
        """How many rows are far; empty if none is."""
        n = int(self.far.sum())
        if not n:
            return ""
        are, labels = ("is", "its label is a guess") if n == 1 else ("are", "their labels are guesses")
        return (
            f"{n} of {len(self.far)} rows {are} far from all points that the model was fitted to (column "
            f"“far”): {labels}."
        )

    def frame(self) -> pd.DataFrame:
        """Return the table with the columns ``cluster`` and ``far``.

        Returns
        -------
        DataFrame
            All rows of the table; rows that were left out have neither.
        """
        return labels_frame(self.dataset, self.labels, far=self.far)


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A fitted model, and how rows are prepared for it.

    Attributes
    ----------
    estimator : estimator
        Fitted estimator of this library or of scikit-learn.
    columns : tuple of str or None
        Names of the columns that it was fitted to, in order; None if they have no names.
    scaling : Scaling or None
        How they were standardised; None if they were not.
    seen : Seen
        Summary of the training points.
    coding : Coding or None
        How the columns of a table become those of points, before they are standardised; None if they are
        numbers as they stand there.
    """

    estimator: BaseEstimator
    columns: tuple[str, ...] | None
    scaling: Scaling | None
    seen: Seen
    coding: Coding | None = None

    def predict(self, X: ArrayLike) -> Labels:
        """Label rows that are prepared as the model does it: they are standardised if its points were.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or DataFrame
            Rows in the units of the table; a data frame if columns of the table were words, dates or amounts,
            or had gaps that are filled.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
        """
        return predict_rows(self.estimator, self._prepared(self._coded(X)))

    def far(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return which rows are far from what the model was fitted to (see `mmc.model_file.far`).

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features), or DataFrame
            Rows, as for `predict`.

        Returns
        -------
        far : ndarray of shape (n_rows,), bool
        """
        return self.seen.far(self._prepared(self._coded(X)))

    def label(self, table: Table, *, missing: Literal["error", "drop"] = "error") -> Labelling:
        """Label the rows of a table, whose columns are found by their names.

        Parameters
        ----------
        table : Table
            Result of `mmc.datasets.open_table`.
        missing : {"error", "drop"}, default="error"
            How to handle rows with a missing or infinite value in a column that the model does not fill.

        Returns
        -------
        Labelling

        Raises
        ------
        MissingValuesError
            If values are missing and ``missing="error"``.
        TableError
            If a column of the model is not in the table, or not numeric.
        ValueError
            If the model has no names of columns, or cannot label these rows.
        """
        if self.columns is None:
            raise ValueError(
                "This model has no names of columns, by which those of a table are found. Save it with "
                "columns=[…], or use predict with an array."
            )
        dataset = table.points(self.columns, missing=missing, coding=self.coding)
        X = self._prepared(dataset.X)
        return Labelling(dataset, predict_rows(self.estimator, X), self.seen.far(X))

    def judge(self, X: Array, *, far: bool) -> tuple[Labels, NDArray[np.bool_] | None]:
        """Label rows that are coded but not scaled.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_coded)
            Rows, as `Dataset.X` of `Table.points` has them.
        far : bool
            Whether to look which rows are far.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
        far : ndarray of shape (n_rows,), bool, or None
        """
        X = self._prepared(X)
        return predict_rows(self.estimator, X), self.seen.far(X) if far else None

    def _coded(self, X: ArrayLike | pd.DataFrame) -> Array:
        if self.coding is None:
            return np.asarray(check_array(X, dtype=np.float64, order="C"))
        if not isinstance(X, pd.DataFrame):
            raise ValueError(
                "This model reads words, dates, amounts or gaps in columns of a table. Give a data frame "
                f"with its columns {quoted(self.columns)}, or use label."
            )
        return Table(X, "the data frame", (), "").points(self.coding.names, coding=self.coding).X

    def _prepared(self, X: Array) -> Array:
        if self.scaling is not None:
            X = self.scaling(X)
        return X if self.coding is None or self.coding.gower is None else self.coding.gower(X)


def require_predict(model: BaseEstimator) -> None:
    """Refuse a model that cannot label new rows.

    Parameters
    ----------
    model : estimator
        Estimator, fitted or not.

    Raises
    ------
    ValueError
        If it has no `predict`, or compares points by a matrix that only its user can compute.
    """
    name = type(model).__name__
    if not hasattr(model, "predict"):
        raise ValueError(
            f"{name} says nothing of new rows: it has no predict. Choose an algorithm that has, or save the "
            "experiment."
        )
    for parameter, value in model.get_params().items():
        if isinstance(value, str) and value == "precomputed":
            raise ValueError(
                f"{parameter}='precomputed': {name} compares new rows by kernel values that only you can "
                "compute. Choose another kernel, or save the experiment."
            )


def check_shapes(saved: SavedModel) -> None:
    """Check that model, names, means and points are of the same number of columns.

    Parameters
    ----------
    saved : SavedModel
        Model to check.

    Raises
    ------
    ValueError
        If they are not; the message names the argument of `save_model`.
    """
    n = saved.estimator.n_features_in_
    points, reach = saved.seen
    if not isinstance(points, np.ndarray) or points.ndim != 2 or points.shape[1] != n or not len(points):
        raise ValueError(f"X has not the {n} columns to which the model was fitted. Give these.")
    if points.dtype != np.float64 or not np.isfinite(points).all() or not isinstance(reach, float):
        raise ValueError("X holds values that are no finite numbers.")
    centres = getattr(saved.estimator, "cluster_centers_", points)  # compiled code trusts them
    if not isinstance(centres, np.ndarray) or centres.ndim != 2 or centres.shape[1] != n:
        raise ValueError("cluster_centers_ have another number of columns.")
    columns = saved.columns
    if columns is not None:
        if not isinstance(columns, tuple) or not all(isinstance(name, str) for name in columns):
            raise ValueError(f"columns={quoted(columns)} are no names. Give a text for each column of X.")
        expected = n if saved.coding is None else len(columns)
        if len(columns) != expected or len(set(columns)) != expected:
            raise ValueError(
                f"columns={quoted(columns)} are {len(set(columns))} different names. Give one for each of "
                f"the {expected} columns of X."
            )
    n_coded = n
    if saved.coding is not None:
        n_coded = check_coding(saved.coding, n)
        if saved.columns != saved.coding.names:
            raise ValueError("the columns of the coding are others. Give Dataset.coding.")
    if saved.scaling is not None:
        if not isinstance(saved.scaling, Scaling):
            raise ValueError(f"scaling={quoted(saved.scaling)} is not right. Give Dataset.scaling.")
        means, deviations = map(np.asarray, saved.scaling)
        kinds = means.dtype == deviations.dtype == np.float64
        shapes = means.shape == deviations.shape == (n_coded,)
        if not kinds or not shapes or not (deviations > 0).all():
            raise ValueError(f"scaling has no {n_coded} means and positive deviations. Give Dataset.scaling.")


@threads_kept()
def predict_rows(model: BaseEstimator, X: Array) -> Labels:
    """Return the labels of prepared rows, in blocks.

    Parameters
    ----------
    model : estimator
        Fitted estimator.
    X : ndarray of shape (n_rows, n_features)

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    names = getattr(model, "feature_names_in_", None)
    if not len(X):
        return np.empty(0, dtype=np.int64)

    def labels(rows: slice) -> Labels:
        block = np.asarray(X[rows], dtype=np.float64)
        found = model.predict(block if names is None else pd.DataFrame(block, columns=names))
        return np.asarray(found, dtype=np.int64)

    if isinstance(model, StepwiseClusterer):  # which makes blocks itself
        return np.asarray(model.predict(X if names is None else pd.DataFrame(X, columns=names)))
    return in_blocks(len(X), _ROWS, labels)
