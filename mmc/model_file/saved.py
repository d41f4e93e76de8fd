"""Saving a fitted model with the preparation of its columns, reading it, and labelling new rows with it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from mmc._checks import cut, quoted
from mmc._files import write_file
from mmc._sklearn import check_parameters
from mmc.datasets import Coding, Scaling
from mmc.model_file.archive import MAX_BYTES, pack, unpack
from mmc.model_file.encoding import Decoder, Encoder
from mmc.model_file.far import Seen, summarize
from mmc.model_file.model import SavedModel, check_shapes, predict_rows, require_predict
from mmc.parts import PartedTable

#: Version of the files that are written, and the only one that is read.
VERSION = 1

#: Number of stored points whose labels are in the file, and the share that must come out when it is read.
_PROBED, _SHARE = 100, 0.9

#: Number of rows of a table in parts that are summarised.
_DRAWN = 10_000

_REMEDY = "Save the model again, or get the file anew."


def save_model(
    model: BaseEstimator,
    path: str | Path,
    X: ArrayLike | PartedTable,
    *,
    columns: Sequence[str] | None = None,
    scaling: Scaling | None = None,
    coding: Coding | None = None,
) -> None:
    """Save a fitted model as a file, which holds its old or its new content at every moment.

    Parameters
    ----------
    model : estimator
        Fitted estimator with `predict`, of this library or one of scikit-learn that the registry has.
    path : str or Path
        Where the file goes; its usual ending is .mmc.
    X : array-like of shape (n_samples, n_features), or PartedTable
        Points to which the model was fitted. A sample of at most 1,000 is stored, by which new rows that lie
        far from them are recognised. A table in parts has names and scaling of its own, and the labels of its
        rows are not in the file.
    columns : sequence of str, default=None
        Names of the columns of `X`, by which those of a new table are found. None means the names that the
        model has, if it has any.
    scaling : Scaling, default=None
        How the columns of `X` were standardised, as in `Dataset.scaling`.
    coding : Coding, default=None
        How the columns of a table became those of `X`, as in `Dataset.coding`; it names the columns.

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
    >>> again.far([[0.0, 1.0], [30.0, 30.0]]).tolist()
    [False, True]
    """
    write_file(path, model_bytes(model, X, columns=columns, scaling=scaling, coding=coding))


def model_bytes(
    model: BaseEstimator,
    X: ArrayLike | PartedTable,
    *,
    columns: Sequence[str] | None = None,
    scaling: Scaling | None = None,
    coding: Coding | None = None,
) -> bytes:
    """Return the content of a model file.

    Parameters
    ----------
    model : estimator
        Fitted estimator.
    X : array-like of shape (n_samples, n_features), or PartedTable
        Points to which it was fitted.
    columns : sequence of str, default=None
        Names of the columns of `X`.
    scaling : Scaling, default=None
        How they were standardised.
    coding : Coding, default=None
        How the columns of a table became those of `X`.

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
    if isinstance(X, PartedTable):
        columns, scaling = X.names, Scaling(X.means, X.deviations) if X.standardized else None
        model, X = _without_rows(model), X.sample(_DRAWN, np.random.RandomState(0))
    points = check_array(X, dtype=np.float64, order="C")
    if coding is not None:
        columns = coding.names
    elif columns is None and hasattr(model, "feature_names_in_"):
        columns = model.feature_names_in_
    names = None if columns is None else tuple(map(str, columns))
    seen = summarize(points)
    saved = SavedModel(model, names, scaling, seen, coding)
    check_shapes(saved)
    labels = predict_rows(model, seen.points[:_PROBED])  # a model that refits a part of itself does so now
    encoder = Encoder()
    content = {
        "estimator": model,
        "columns": names,
        "scaling": scaling,
        "seen": seen,
        "labels": labels,
        "coding": coding,
    }
    root = {part: encoder.write(value, _called(part, model)) for part, value in content.items()}
    return pack({"mmc": VERSION, "objects": encoder.entries, **root}, encoder.arrays)


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
        name = quoted(Path(source).name)
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
    except MemoryError as error:
        raise ValueError(
            f"{name} needs more memory than there is. Save a model of fewer points, or read it elsewhere."
        ) from error
    except Exception as error:  # whatever a file may do to the code of a model
        raise ValueError(
            f"{name} is a damaged model file, or one of another release of mmc or scikit-learn: {cut(error)} "
            f"{_REMEDY}"
        ) from error


def _made(description: dict[str, Any], arrays: list[NDArray[Any]]) -> SavedModel:
    """Make the model that a file describes, and let it label stored points."""
    parts = {"estimator", "columns", "scaling", "seen", "labels", "coding"}
    description.setdefault("coding", None)  # models of tables of numbers had none
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
    check_shapes(saved)
    for name in vars(saved.estimator):
        if name.endswith("n_threads"):  # of the computer on which it was fitted
            setattr(saved.estimator, name, 1)
    again = predict_rows(saved.estimator, saved.seen.points[:_PROBED])
    if not isinstance(labels, np.ndarray) or labels.shape != again.shape or len(labels) == 0:
        raise ValueError("it does not say how its points are labelled.")
    if (labels == again).mean() < _SHARE:
        raise ValueError("its points get other labels than they had.")
    return saved


def _without_rows(model: Any) -> Any:
    """Return a copy of a model fitted to a table in parts, without the labels of its rows."""
    light = copy(model)
    light.labels_ = model.labels_[:0]
    light.state_ = replace(model.state_, labels=model.state_.labels[:0])
    return light


def _called(part: str, model: BaseEstimator) -> str:
    return type(model).__name__ if part == "estimator" else part
