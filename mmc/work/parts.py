"""The work of the app on tables in parts, which whoever runs the server has named.

A worker fits the method of the command line part by part, by its own threads or on a Dask cluster, and sends
the page sizes, a sample of rows with their labels, and the model. All rows and their labels stay there.
"""

from __future__ import annotations

import pickle
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mmc import clusterers, engine, registry
from mmc.datasets import Table
from mmc.engine import Report
from mmc.experiment import Data
from mmc.figures import MAX_POINTS, View, make_view
from mmc.kernels.low_rank import n_features_of, n_near_of
from mmc.model_file import model_bytes
from mmc.parts import PartedTable, open_parts
from mmc.stepping import State

_ALGORITHM, _KERNEL = "UMCRLS", "landmark_graph"

#: The method in words.
METHOD = f"{_ALGORITHM} on a landmark graph"

#: Maximum number of values, rows times columns, of the sample.
_MOST_VALUES = 1_000_000

#: Maximum size in bytes of a model that is sent.
_MOST_MODEL = 32 * 2**20

#: Seconds between two reports of a fit.
_REPORT = 0.2

#: Maximum number of starts that the method makes by itself.
_MOST_STARTS = 10


class Place(NamedTuple):
    """Where a table is and what may be used for it, which visitors do not see.

    Attributes
    ----------
    url : str
        Folder, pattern or address.
    dask : str or None
        Address of the cluster that computes; None means the threads of the worker.
    memory : int or None
        Memory in bytes that a task may use.
    """

    url: str
    dask: str | None
    memory: int | None


@dataclass(frozen=True)
class PartedWish:
    """What a visitor asks of a table in parts.

    Attributes
    ----------
    name : str
        Name of the table on this server.
    n_clusters : int
        Number of clusters.
    standardize : bool
        Whether every column is scaled to mean 0 and variance 1.
    seed : int
        Seed of the fit.
    """

    name: str
    n_clusters: int
    standardize: bool
    seed: int

    @property
    def command(self) -> str:
        """The command that labels all rows, with the name of the table in the place of its address."""
        scaled = " --standardize" if self.standardize else ""
        seed = f" --random-state {self.seed}" if self.seed else ""
        options = f"-k {self.n_clusters}{scaled}{seed} --output labels"
        return f"python -m mmc cluster {shlex.quote(self.name)} {options}"


class Sample(NamedTuple):
    """A table in parts as a page shows it.

    Attributes
    ----------
    n_rows, n_parts : int
        Size of the table.
    frame : DataFrame
        Some rows, with the columns that are clustered.
    rows : ndarray of shape (n_drawn,)
        Their numbers in the table.
    view : View
        Their plane.
    """

    n_rows: int
    n_parts: int
    frame: pd.DataFrame
    rows: NDArray[np.int64]
    view: View

    def data(self, wish: PartedWish) -> Data:
        """Return the sample as data that are clustered."""
        options = {"columns": list(self.frame.columns), "label": None, "missing": "error"}
        return Data("table", options, wish.standardize, wish.name)

    def packed(self, wish: PartedWish) -> bytes:
        """Return the sample as a table for workers."""
        return pickle.dumps(Table(self.frame, wish.name, (), ""), protocol=5)


class Clusters(NamedTuple):
    """Clusters of a table in parts, on the way or at the end.

    Attributes
    ----------
    progress : float
        Share of the work that is done.
    caption, warning : str
        What the last step did, and what went wrong.
    sizes : ndarray of shape (n_clusters,)
        Number of rows in each.
    labels : ndarray of shape (n_drawn,)
        Clusters of the rows of the sample.
    objective : float
        What the method minimises.
    seconds : float
        Time since the table was opened.
    model : bytes
        Content of the model's file; empty on the way, and if it is too large to be sent.
    """

    progress: float
    caption: str
    warning: str
    sizes: NDArray[np.int64]
    labels: NDArray[np.int64]
    objective: float
    seconds: float
    model: bytes = b""


def cluster_parts(place: Place, wish: PartedWish, report: Report) -> Clusters:
    """Fit a table in parts; reports are first the sample, then the clusters so far."""
    began = perf_counter()
    with _connected(place) as client:
        table: Any = open_parts(place.url, client=client, standardize=wish.standardize)
        _require_memory(table, place, wish)
        sample = _sampled(table)
        report(sample)
        values = {"n_clusters": wish.n_clusters, "kernel": _KERNEL, "random_state": wish.seed}
        model = registry.get(_ALGORITHM).make(values)

        def clusters(state: State, progress: float, model: bytes = b"") -> Clusters:
            sizes = np.bincount(state.labels, minlength=wish.n_clusters)
            labels = state.labels[sample.rows].astype(np.int64)
            seconds = perf_counter() - began
            return Clusters(
                progress, state.caption, state.warning, sizes, labels, state.objective, seconds, model
            )

        kept: State | None = None
        said = 0.0
        for step in clusterers.steps(model, table):
            if step.best:
                kept = step.state
            if perf_counter() - said > _REPORT:
                so_far = clusters(kept or step.state, step.progress)
                if not report(so_far):
                    return so_far
                said = perf_counter()
        assert kept is not None  # every start ends
        content = model_bytes(model, table)
        return clusters(kept, 1.0, content if len(content) <= _MOST_MODEL else b"")


@contextmanager
def _connected(place: Place) -> Iterator[Any]:
    """Connect to the cluster, if there is one, for as long as it is used."""
    if place.dask is None:
        yield None
        return
    client = engine.connect(place.dask)
    try:
        yield client
    finally:
        client.close()


def _require_memory(table: PartedTable, place: Place, wish: PartedWish) -> None:
    """Refuse a table whose labels, and features if they are not elsewhere, do not fit into a task."""
    each = 9 + _MOST_STARTS  # labels, also of the end of each start
    if place.dask is None:
        n_near = n_near_of(registry.get(_ALGORITHM).default("n_neighbors"))
        each += 4 * n_features_of(_KERNEL, wish.n_clusters) + 18 + 12 * n_near
    if place.memory is not None and table.n * each > place.memory:
        raise ValueError(
            f"This table has {table.n:,} rows, and with {wish.n_clusters} clusters {place.memory // each:,} "
            f"fit into the memory of a task here. Use the command line: {wish.command}"
        )


def _sampled(table: PartedTable) -> Sample:
    n = min(table.n, MAX_POINTS, max(2, _MOST_VALUES // table.n_features))
    rows = np.sort(np.random.default_rng(0).choice(table.n, n, replace=False, shuffle=False))
    assert table.names is not None  # Parquet has names
    frame = pd.DataFrame(table.take(rows), columns=list(table.names))
    scaled = (frame.to_numpy() - table.means) / table.deviations if table.standardized else frame.to_numpy()
    return Sample(table.n, len(table.lengths), frame, rows, make_view(scaled, table.names))
