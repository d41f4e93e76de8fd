"""Clusters of a sample as the clusters of all rows, for files, tables in memory, and arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_array

from mmc import clusterers
from mmc.bulk.folder import PartFolder
from mmc.bulk.labels import Progress, Summary, label_table
from mmc.bulk.sample import draw_sample, sample_rows, usual_size
from mmc.datasets import Dataset, Table
from mmc.datasets._parts import ParquetParts, TableParts, WholeTable
from mmc.model_file import load_model, model_bytes, predict_rows, require_predict

#: A Parquet file, or a table in memory.
Source = str | os.PathLike[str] | Table

See = Callable[[Progress], object]


def cluster_sampled(
    estimator: BaseEstimator, X: ArrayLike, n_samples: int, *, random_state: int = 0
) -> NDArray[np.int64]:
    """Fit a clusterer to a sample of the rows of an array, and label all of them.

    Parameters
    ----------
    estimator : estimator
        Clusterer with `predict`; it is fitted to the sample in place.
    X : array-like of shape (n_points, n_features)
        Points, for example a `numpy.memmap`, which is not copied as a whole.
    n_samples : int
        Number of rows of the sample, which is that of `sample_rows`.
    random_state : int, default=0
        Seed of the sample.

    Returns
    -------
    labels : ndarray of shape (n_points,)
        Cluster of each row, also of those of the sample, as `predict` gives it.

    Examples
    --------
    >>> from mmc import UMCRLS
    >>> from mmc.bulk import cluster_sampled
    >>> from mmc.datasets import load
    >>> X = load("three-gaussians", n_samples=1000, random_state=0).X
    >>> labels = cluster_sampled(UMCRLS(3, random_state=0), X, 200)
    >>> len(labels), len(set(labels.tolist()))
    (1000, 3)
    """
    require_predict(estimator)
    points = X if isinstance(X, np.ndarray) and X.ndim == 2 else check_array(X, dtype=np.float64)
    rows = sample_rows(len(points), n_samples, random_state)
    clusterers.end(estimator, np.asarray(points[rows], dtype=np.float64))
    return predict_rows(estimator, points)


def model_of(estimator: BaseEstimator, dataset: Dataset) -> bytes:
    """Return the content of the model file of a clusterer that was fitted to the points of a sample.

    Parameters
    ----------
    estimator : estimator
        Fitted clusterer with `predict`.
    dataset : Dataset
        Points of the sample.

    Returns
    -------
    bytes
    """
    return model_bytes(
        estimator, dataset.X, columns=dataset.columns, scaling=dataset.scaling, coding=dataset.coding
    )


def table_parts(source: Source, rows: int | None = None) -> TableParts:
    """Return the parts of a Parquet file or of a table in memory.

    Parameters
    ----------
    source : str, path or Table
        Name of a Parquet file, or a table that has been read.
    rows : int, default=None
        Number of rows of a part; None means 131,072, or less for more than 32 columns.

    Returns
    -------
    TableParts
    """
    return WholeTable(source, rows) if isinstance(source, Table) else ParquetParts(source, rows)


def about_source(source: Source, parts: TableParts) -> dict[str, Any]:
    """Say what a table is, so that a changed one is recognised: for a file its size and time of change."""
    if isinstance(source, Table):
        return {"table": {"name": source.name, "sha256": source.sha256, "rows": parts.n_rows}}
    found = Path(source).stat()
    return {"table": {"name": parts.name, "bytes": found.st_size, "changed": found.st_mtime_ns}}


def cluster_table(
    source: Source,
    output: str | os.PathLike[str],
    estimator: BaseEstimator,
    *,
    n_samples: int | None = None,
    random_state: int = 0,
    drop_missing: bool = False,
    options: Mapping[str, Any] | None = None,
    part_rows: int | None = None,
    see: See = lambda progress: None,
) -> Summary:
    """Cluster a table that may be larger than memory, and write a label for each row.

    Parameters
    ----------
    source : str, path or Table
        Name of a Parquet file, which is streamed, or a table in memory.
    output : str or path
        File of the labels, Parquet or CSV by its ending, with the columns ``row`` (from 0) and ``cluster``.
        What is done is kept in a folder beside it until it is written; the same call goes on from there.
    estimator : estimator
        Clusterer with `predict`; a copy is fitted to the sample.
    n_samples : int, default=None
        Number of rows of the sample; None means 50,000, or fewer of more than 335 columns.
    random_state : int, default=0
        Seed of the sample.
    drop_missing : bool, default=False
        Whether rows with a gap that is not filled have no label.
    options : mapping, default=None
        Arguments of `Table.dataset`, by which the sample is prepared, for example ``{"standardize": True}``.
    part_rows : int, default=None
        Number of rows that are read and kept at a time; None means 131,072, or less for wide tables.
    see : callable
        Called with the progress.

    Returns
    -------
    Summary

    Raises
    ------
    ValueError
        If the table or the estimator does not allow it, or the folder beside the output belongs to another
        run or is in use.
    OSError
        If a file cannot be written.
    """
    require_predict(estimator)
    parts = table_parts(source, part_rows)
    size = usual_size(len(parts.columns)) if n_samples is None else n_samples
    given = dict(options or {})
    missing = "drop" if drop_missing else "error"

    def make() -> bytes:
        sample = draw_sample(parts, size, random_state, see=reading(parts, see))
        dataset = sample.dataset(**{"missing": missing, **given})
        fitted = clone(estimator)
        clusterers.end(fitted, dataset.X)
        return model_of(fitted, dataset)

    about = {
        **about_source(source, parts),
        "estimator": type(estimator).__name__,
        "parameters": repr(sorted(estimator.get_params().items())),
        "options": repr(sorted(given.items())),
        "sample": size,
        "seed": random_state,
    }
    return run(parts, output, make, about, drop_missing=drop_missing, see=see)


def run(
    parts: TableParts,
    output: str | os.PathLike[str],
    make: Callable[[], bytes],
    about: Mapping[str, Any],
    *,
    drop_missing: bool = False,
    far: bool = False,
    keep_model: Callable[[bytes], object] = lambda content: None,
    see: See = lambda progress: None,
) -> Summary:
    """Make a model unless an earlier run has, and label all rows with it.

    Parameters
    ----------
    parts : TableParts
        Table.
    output : str or path
        File of the labels.
    make : callable
        Returns the content of a model file.
    about : mapping
        What the labels depend on.
    drop_missing, far : bool
        As in `label_table`.
    keep_model : callable
        Called with the content of the model file before the rows are labelled.
    see : callable
        Called with the progress.

    Returns
    -------
    Summary
    """
    about = {
        **about,
        "rows": parts.n_rows,
        "rows of a part": parts.part_rows,
        "drop missing": drop_missing,
        "far": far,
    }
    with PartFolder(output, about) as folder:
        content = folder.model()
        if content is None:
            try:
                content = make()
            except BaseException:  # an interruption as well
                folder.drop()
                raise
            folder.keep_model(content)
        keep_model(content)
        return label_table(parts, load_model(content), folder, drop_missing=drop_missing, far=far, see=see)


def reading(parts: TableParts, see: See) -> Callable[[int], object]:
    """Return a function that says how far the draw of the sample is.

    Parameters
    ----------
    parts : TableParts
        Table.
    see : callable
        Called with the progress.

    Returns
    -------
    callable
        Takes the number of rows that have been read.
    """
    return lambda done: see(Progress("drawing the sample", done, parts.n_rows))
