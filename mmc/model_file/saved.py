"""Saving a fitted model with the preparation of its columns, reading it, and labelling new rows with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from mmc._checks import cut, quoted
from mmc._files import write_file
from mmc._sklearn import check_parameters
from mmc._threads import threads_kept
from mmc.datasets import Dataset, Scaling, Table, labels_frame
from mmc.model_file.archive import MAX_BYTES, pack, unpack
from mmc.model_file.encoding import Decoder, Encoder
from mmc.model_file.far import Seen, summarize

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

#: Version of the files that are written, and the only one that is read.
VERSION = 1

#: Number of stored points whose labels are in the file, and the share that must come out when it is read.
_PROBED, _SHARE = 100, 0.9

#: Rows that are labelled at a time.
_ROWS = 4096

_REMEDY = "Save the model again, or get the file anew."


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
        are, labels = ("row is", "its label is a guess") if n == 1 else ("rows are", "their labels are guesses")
        return (
            f"{n} of {len(self.far)} {are} far from all points that the model was fitted to (column “far”): "
            f"{labels}."
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
    """

    estimator: BaseEstimator
    columns: tuple[str, ...] | None
    scaling: Scaling | None
    seen: Seen

    def predict(self, X: ArrayLike) -> Labels:
        """Label rows that are prepared as the model does it: they are standardised if its points were.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows in the units of the table.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
        """
        return _predict(self.estimator, self._prepared(check_array(X, dtype=np.float64, order="C")))

    def far(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Return which rows are far from what the model was fitted to (see `mmc.model_file.far`).

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows in the units of the table.

        Returns
        -------
        far : ndarray of shape (n_rows,), bool
        """
        return self.seen.far(self._prepared(check_array(X, dtype=np.float64, order="C")))

    def label(self, table: Table, *, missing: Literal["error", "drop"] = "error") -> Labelling:
        """Label the rows of a table, whose columns are found by their names.

        Parameters
        ----------
        table : Table
            Result of `mmc.datasets.open_table`.
        missing : {"error", "drop"}, default="error"
            How to handle rows with a missing or infinite value in a column of the model.

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
        dataset = table.points(self.columns, missing=missing)
        X = self._prepared(dataset.X)
        return Labelling(dataset, _predict(self.estimator, X), self.seen.far(X))

    def _prepared(self, X: Array) -> Array:
        return X if self.scaling is None else self.scaling(X)


def save_model(
    model: BaseEstimator,
    path: str | Path,
    X: ArrayLike,
    *,
    columns: Sequence[str] | None = None,
    scaling: Scaling | None = None,
) -> None:
    """Save a fitted model as a file, which holds its old or its new content at every moment.

    Parameters
    ----------
    model : estimator
        Fitted estimator with `predict`, of this library or one of scikit-learn that the registry has.
    path : str or Path
        Where the file goes; its usual ending is .mmc.
    X : array-like of shape (n_samples, n_features)
        Points to which the model was fitted. A sample of at most 1,000 is stored, by which new rows that lie
        far from them are recognised.
    columns : sequence of str, default=None
        Names of the columns of `X`, by which those of a new table are found. None means the names that the
        model has, if it has any.
    scaling : Scaling, default=None
        How the columns of `X` were standardised, as in `Dataset.scaling`.

    Raises
    ------
    ValueError
        If the model cannot predict, is not fitted, or holds what a file cannot hold, such as a function; the
        message names it.
    OSError
        If the file cannot be written.

    Notes
    -----
    A file is read by releases of mmc whose models have the same attributes; others refuse it by name.
    Experiments (`mmc.experiment`) can be kept longer, and are fitted anew.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from mmc import UMCRLS, load_model, save_model
    >>> from mmc.datasets import load
    >>> moons = load("moons", n_samples=100, random_state=0).standardized()
    >>> model = UMCRLS(2, random_state=0).fit(moons.X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "moons.mmc"
    ...     save_model(model, path, moons.X, columns=moons.feature_names, scaling=moons.scaling)
    ...     again = load_model(path)
    >>> again.columns, bool((again.estimator.predict(moons.X) == model.labels_).all())
    (('x1', 'x2'), True)
    >>> again.far([[0.5, 0.2], [30.0, 30.0]]).tolist()
    [False, True]
    """
    write_file(path, model_bytes(model, X, columns=columns, scaling=scaling))


def model_bytes(
    model: BaseEstimator,
    X: ArrayLike,
    *,
    columns: Sequence[str] | None = None,
    scaling: Scaling | None = None,
) -> bytes:
    """Return the content of a model file.

    Parameters
    ----------
    model : estimator
        Fitted estimator.
    X : array-like of shape (n_samples, n_features)
        Points to which it was fitted.
    columns : sequence of str, default=None
        Names of the columns of `X`.
    scaling : Scaling, default=None
        How they were standardised.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        As `save_model`.
    """
    require_predict(model)
    check_is_fitted(model)
    points = check_array(X, dtype=np.float64, order="C")
    if columns is None and hasattr(model, "feature_names_in_"):
        columns = model.feature_names_in_
    names = None if columns is None else tuple(map(str, columns))
    seen = summarize(points)
    saved = SavedModel(model, names, scaling, seen)
    _check_shapes(saved)
    labels = _predict(model, seen.points[:_PROBED])  # a model that refits a part of itself does so now
    encoder = Encoder()
    content = {"estimator": model, "columns": names, "scaling": scaling, "seen": seen, "labels": labels}
    root = {part: encoder.write(value, _called(part, model)) for part, value in content.items()}
    return pack({"mmc": VERSION, "objects": encoder.entries, **root}, encoder.arrays)


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


def load_model(source: str | Path | bytes, *, max_bytes: int = MAX_BYTES) -> SavedModel:
    """Read a model file; nothing in it is executed.

    Parameters
    ----------
    source : str, Path or bytes
        The file, or its content.
    max_bytes : int, default=1_073_741_824
        Larger files are refused.

    Returns
    -------
    SavedModel

    Raises
    ------
    ValueError
        If it is no model file, a damaged one, or of another version; the message names cause and remedy.
    OSError
        If the file cannot be read.
    """
    name, content = "This", source
    if not isinstance(source, bytes):
        name = quoted(str(source))
        with open(source, "rb") as file:
            content = file.read(max_bytes + 1)
    assert isinstance(content, bytes)
    if len(content) > max_bytes:
        raise ValueError(f"{name} has more than the {max_bytes} bytes that are read.")
    try:
        description, arrays = unpack(content)
        if not isinstance(description, dict) or type(description.get("mmc")) is not int:
            raise ValueError("it does not say its version.")
    except ValueError as error:
        raise ValueError(f"{name} is not a whole model file of mmc: {cut(error)} {_REMEDY}") from error
    if description["mmc"] != VERSION:
        raise ValueError(
            f"{name} is a model file of version {quoted(description['mmc'])}, and this release of mmc reads "
            f"version {VERSION}. Open it with the release that wrote it, or fit and save the model again."
        )
    try:
        with np.errstate(all="ignore"):
            return _made(description, arrays)
    except Exception as error:  # whatever a file may do to the code of a model
        raise ValueError(
            f"{name} is a damaged model file, or one of another release of mmc or scikit-learn: {cut(error)} "
            f"{_REMEDY}"
        ) from error


def _made(description: dict[str, Any], arrays: list[NDArray[Any]]) -> SavedModel:
    """Make the model that a file describes, and let it label stored points."""
    parts = {"estimator", "columns", "scaling", "seen", "labels"}
    if set(description) != parts | {"mmc", "objects"}:
        raise ValueError("it has other fields.")
    decoder = Decoder(description["objects"], arrays)
    found = {part: decoder.read(description[part]) for part in parts}
    labels = found.pop("labels")
    saved = SavedModel(**found)
    if not isinstance(saved.estimator, BaseEstimator) or not isinstance(saved.seen, Seen):
        raise ValueError("it holds no estimator.")
    require_predict(saved.estimator)
    check_parameters(saved.estimator)
    _check_shapes(saved)
    if hasattr(saved.estimator, "_n_threads"):  # of the computer on which it was fitted
        saved.estimator._n_threads = 1
    again = _predict(saved.estimator, saved.seen.points[:_PROBED])
    if not isinstance(labels, np.ndarray) or labels.shape != again.shape or len(labels) == 0:
        raise ValueError("it does not say how its points are labelled.")
    if (labels == again).mean() < _SHARE:
        raise ValueError("its points get other labels than they had.")
    return saved


def _check_shapes(saved: SavedModel) -> None:
    """Check that model, names, means and points are of the same number of columns."""
    n = saved.estimator.n_features_in_
    points, reach = saved.seen
    if not isinstance(points, np.ndarray) or points.ndim != 2 or points.shape[1] != n or not len(points):
        raise ValueError(f"X has not the {n} columns to which the model was fitted. Give these.")
    if points.dtype != np.float64 or not np.isfinite(points).all() or not isinstance(reach, float):
        raise ValueError("X holds values that are no finite numbers.")
    if (centres := getattr(saved.estimator, "cluster_centers_", None)) is not None:  # compiled code trusts them
        if not isinstance(centres, np.ndarray) or centres.ndim != 2 or centres.shape[1] != n:
            raise ValueError("cluster_centers_ have another number of columns.")
    columns = saved.columns
    if columns is not None:
        if not isinstance(columns, tuple) or not all(isinstance(name, str) for name in columns):
            raise ValueError(f"columns={quoted(columns)} are no names. Give a text for each column of X.")
        if len(columns) != n or len(set(columns)) != n:
            raise ValueError(
                f"columns={quoted(columns)} are {len(set(columns))} different names. Give one for each of the "
                f"{n} columns of X."
            )
    if saved.scaling is not None:
        if not isinstance(saved.scaling, Scaling):
            raise ValueError(f"scaling={quoted(saved.scaling)} is not right. Give Dataset.scaling.")
        means, deviations = map(np.asarray, saved.scaling)
        kinds = means.dtype == deviations.dtype == np.float64
        if not kinds or means.shape != (n,) or deviations.shape != (n,) or not (deviations > 0).all():
            raise ValueError(f"scaling has no {n} means and positive deviations. Give Dataset.scaling.")


@threads_kept()
def _predict(model: BaseEstimator, X: Array) -> Labels:
    names = getattr(model, "feature_names_in_", None)
    labels = []
    for first in range(0, len(X), _ROWS):
        rows = X[first : first + _ROWS]
        labels.append(model.predict(rows if names is None else pd.DataFrame(rows, columns=names)))
    return np.concatenate(labels).astype(np.int64) if labels else np.empty(0, dtype=np.int64)


def _called(part: str, model: BaseEstimator) -> str:
    return type(model).__name__ if part == "estimator" else part
