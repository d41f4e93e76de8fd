"""Work on the tables of visitors: reading files, loading data, and what of them is asked for."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc._optional import pandas as pd
from mmc.auto import Plan, make_plan
from mmc.datasets import Dataset, Facts, Look, Table, drawn_from, open_table
from mmc.engine import Report
from mmc.engine.worker import memory_limit
from mmc.experiment import Data
from mmc.figures import (
    View,
    make_view,
)
from mmc.outliers import find_outliers
from mmc.registry import Bound

#: Maximum number of values, points times columns, of the data of a search or a comparison.
MAX_VALUES = 8_000_000

#: Memory in bytes for reading a file; the reader refuses what needs more, as far as it can tell before.
READ_MEMORY = 300 * 2**20


@dataclass(frozen=True, eq=False)
class Upload:
    """A table that was read from a file of a visitor.

    Attributes
    ----------
    name : str
        Name of the file.
    sha256 : str
        SHA-256 of its content.
    looks : tuple of Look
        What the columns are.
    n_rows : int
        Number of rows.
    packed : bytes
        The table, for workers.
    sheets : tuple of str
        Names of the sheets of a workbook; empty for other formats.
    sheet : str
        The sheet that was read; empty for other formats.
    content : bytes
        The file, if it has several sheets, so that another one can be read.
    notes : tuple of str
        What was decided or left out while it was read.
    """

    name: str
    sha256: str
    looks: tuple[Look, ...]
    n_rows: int
    packed: bytes
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    content: bytes = b""
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(each.name for each in self.looks)

    @property
    def key(self) -> str:
        """What tells it apart from other files, and from other sheets of the same."""
        return table_key(self.sha256, self.sheet if len(self.sheets) > 1 else None)

    @property
    def nbytes(self) -> int:
        """Memory of the table and the file."""
        return len(self.packed) + len(self.content)


class Loaded(NamedTuple):
    """Data and their view.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    facts : Facts
        What pages say of the data.
    view : View
        Default plane.
    """

    X: NDArray[np.float64]
    facts: Facts
    view: View


class Wish(NamedTuple):
    """What a search for clusters is asked for.

    Attributes
    ----------
    n_clusters : int or None
        Number of clusters; None means that it is to be found.
    max_clusters : int
        Largest number that is tried.
    n_references : int
        Number of searches on points without clusters.
    seconds : float
        Time limit.
    seed : int
        Seed.
    """

    n_clusters: int | None
    max_clusters: int
    n_references: int
    seconds: float
    seed: int


def table_key(sha256: str, sheet: str | None) -> str:
    """Return what tells a table apart from others: the begin of a SHA-256, and the sheet of several."""
    return sha256[:8] + (f" {sheet}" if sheet else "")


def read(content: bytes, name: str | tuple[str, str], report: Report) -> Upload:
    """Read the content of a file, within the memory that a file of the maximum size needs.

    The task is the name of the file, or that and the name of a sheet.
    """
    called, sheet = (name, None) if isinstance(name, str) else name
    with memory_limit(READ_MEMORY):
        table = open_table(content, sheet, name=called)
    packed = pickle.dumps(replace(table), protocol=5)
    kept = content if len(table.sheets) > 1 else b""
    return Upload(
        table.name,
        table.sha256,
        table.looks,
        len(table.frame),
        packed,
        table.sheets,
        table.sheet,
        kept,
        table.notes,
    )


def load(packed: bytes | None, task: tuple[Sequence[Data], Bound], report: Report) -> list[Loaded]:
    """Load the data sets of a search or a comparison, and choose their planes."""
    data, bound = task
    datasets = [dataset_of(packed, each) for each in data]
    for each in datasets:
        bound.check(len(each.X))
        if each.X.size > MAX_VALUES:
            raise ValueError(
                f"{len(each.X)} points of {each.X.shape[1]} columns are {each.X.size} values, more than the "
                f"{MAX_VALUES} that a search or a comparison takes here. Take fewer points or columns; a "
                "single run in the playground may have them all."
            )
    return [Loaded(each.X, each.facts, make_view(each.X, each.feature_names)) for each in datasets]


def prepare(
    packed: bytes | None, task: tuple[Data, Bound, Wish], report: Report
) -> tuple[Loaded, Plan | None]:
    """Load the data of a search for clusters, and plan it; there is no plan if all points are equal."""
    data, bound, wish = task
    (loaded,) = load(packed, ([data], bound), report)
    plan = make_plan(
        loaded.X, wish.n_clusters, wish.max_clusters, wish.n_references, wish.seconds, -1, wish.seed
    )
    return loaded, plan


def outliers(packed: bytes | None, task: tuple[Data, NDArray[np.int64]], report: Report) -> NDArray[np.bool_]:
    """Find the points of some data that belong to no cluster."""
    data, labels = task
    return find_outliers(dataset_of(packed, data).X, labels)


def values_of(packed: bytes | None, task: tuple[Data, str], report: Report) -> NDArray[Any]:
    """Return the values of a column of the table at the points: numbers, or words."""
    data, name = task
    values = dataset_of(packed, data).described[name]
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(values.isna(), "", values.astype(object).map(str)).astype(object)


def rows_of(packed: bytes | None, task: tuple[Data, NDArray[np.int64]], report: Report) -> pd.DataFrame:
    """Return the rows of the table that belong to some points."""
    data, points = task
    dataset = dataset_of(packed, data)
    return dataset.frame.iloc[dataset.rows[points]].copy()


def drawing_of(packed: bytes | None, task: tuple[Data, int], report: Report) -> str:
    """Write data of two columns as a drawing of at most so many points."""
    data, most = task
    dataset = replace(data, standardize=False).load()
    return drawn_from(dataset.X, dataset.codes, most)


def dataset_of(packed: bytes | None, data: Data) -> Dataset:
    """Load data, of the visitor's table if they are in one."""
    table: Table | None = None if packed is None else pickle.loads(packed)
    return data.load(table)
