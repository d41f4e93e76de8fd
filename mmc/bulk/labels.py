"""Labels of all rows of a table by a model, a part at a time, and the file that they are written to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mmc._optional import pandas as pd
from mmc._optional import pyarrow as pa
from mmc._optional import pyarrow_parquet as pq
from mmc.bulk.folder import PartFolder
from mmc.datasets import to_csv_text
from mmc.datasets._parts import Part, TableParts, points_of_part, require_complete
from mmc.model_file import SavedModel

#: Label of a row that has none.
_NONE = -1

#: Most values of the points that are labelled at a time (32 MB).
_MOST_VALUES = 2**22

#: Most notes about words that a model has not seen.
_MOST_NOTES = 5


class Progress(NamedTuple):
    """How far a run is.

    Attributes
    ----------
    stage : str
        What is done, such as "labelling rows".
    done, total : int
        Number of rows.
    kept : int
        Rows that were done by an earlier run.
    """

    stage: str
    done: int
    total: int
    kept: int = 0


class Summary(NamedTuple):
    """What came of a run.

    Attributes
    ----------
    sizes : ndarray of shape (n_clusters,)
        Number of rows in each cluster.
    n_rows : int
        Number of rows of the table.
    n_far : int
        Number of rows that are far from what the model was fitted to.
    n_kept : int
        Number of rows that were labelled by an earlier run.
    notes : tuple of str
        What the model did not know.
    """

    sizes: NDArray[np.int64]
    n_rows: int
    n_far: int
    n_kept: int
    notes: tuple[str, ...] = ()

    @property
    def n_without(self) -> int:
        """Number of rows without a label."""
        return self.n_rows - int(self.sizes.sum())


def label_table(
    source: TableParts,
    model: SavedModel,
    folder: PartFolder,
    *,
    drop_missing: bool = False,
    far: bool = False,
    see: Callable[[Progress], object] = lambda progress: None,
) -> Summary:
    """Label the rows of a table, and write the file of the folder's output.

    Parameters
    ----------
    source : TableParts
        Table.
    model : SavedModel
        Model with the names of its columns.
    folder : PartFolder
        Where finished parts are kept; parts that are there are not computed again. It is deleted at the end.
    drop_missing : bool, default=False
        Whether rows with a gap that the model does not fill have no label; otherwise they are refused.
    far : bool, default=False
        Whether the output says which rows are far from what the model was fitted to.
    see : callable
        Called with the progress.

    Returns
    -------
    Summary

    Raises
    ------
    TableError
        If a column is missing or cannot be read, or rows have gaps.
    OSError
        If a file cannot be written.
    """
    if model.columns is None:
        raise ValueError(
            "This model has no names of columns, by which those of a table are found. Save it with "
            "columns=[…]."
        )
    width = 1 + far
    starts = range(0, source.n_rows, source.part_rows)
    lengths = [min(source.part_rows, source.n_rows - first) for first in starts]
    finished = [i for i, n in enumerate(lengths) if folder.part(i, n, width) is not None]
    kept = sum(lengths[i] for i in finished)
    done, notes = kept, dict[str, None]()
    see(Progress("labelling rows", done, source.n_rows, kept))
    try:
        for part in source.parts(model.columns, finished):
            values, said = _labelled(part, model, drop_missing=drop_missing, far=far)
            folder.keep(part.number, values)
            notes |= dict.fromkeys(said)
            done += values.shape[1]
            see(Progress("labelling rows", done, source.n_rows, kept))
    except KeyboardInterrupt as stop:
        stop.add_note(
            f"{folder.path} keeps the labels of {done:,} of {source.n_rows:,} rows, from which the same "
            "command goes on."
        )
        raise
    sizes, n_far = _write(folder, lengths, width)
    return Summary(sizes, source.n_rows, n_far, kept, tuple(notes)[:_MOST_NOTES])


def _labelled(
    part: Part, model: SavedModel, *, drop_missing: bool, far: bool
) -> tuple[NDArray[np.int32], list[str]]:
    """Return the labels of a part, and below them whether its rows are far."""
    assert model.columns is not None
    points = points_of_part(part, model.columns, model.coding)
    if not drop_missing:
        require_complete(part, points)
    values = np.full((1 + far, len(part.table.frame)), _NONE, dtype=np.int32)
    notes = list[str]()
    d = max(int(model.estimator.n_features_in_), len(points.names))
    size = max(1, _MOST_VALUES // d)
    for first in range(0, len(points.rows), size):
        rows = points.rows[first : first + size]
        X, said = points.encode(rows)
        labels, away = model.judge(X, far=far)
        values[0, rows] = labels
        if away is not None:
            values[1, rows] = away
        notes += said
    return values, notes


def _write(folder: PartFolder, lengths: list[int], width: int) -> tuple[NDArray[np.int64], int]:
    """Put the parts together, and return the sizes of the clusters and the number of far rows."""
    is_parquet = folder.output.suffix.lower() == ".parquet"
    sizes, n_far = np.zeros(0, dtype=np.int64), 0
    write = _write_parquet if is_parquet else _write_csv

    def frames() -> Iterator[pd.DataFrame]:
        nonlocal sizes, n_far
        first = 0
        for index, n in enumerate(lengths):
            values = folder.part(index, n, width)
            if values is None:
                raise OSError(f"{folder.path} has lost a part: give the same command again")
            counts = np.bincount(values[0] + 1)[1:]
            longest = max(len(sizes), len(counts))
            sizes = np.pad(sizes, (0, longest - len(sizes))) + np.pad(counts, (0, longest - len(counts)))
            has_none = values[0] == _NONE
            columns = {
                "row": np.arange(first, first + n, dtype=np.int64),
                "cluster": pd.array(values[0], dtype="Int32"),
            }
            if width > 1:
                n_far += int((values[1] > 0).sum())
                columns["far"] = pd.array(values[1] > 0, dtype="boolean")
            frame = pd.DataFrame(columns)
            frame.loc[has_none, frame.columns[1:]] = pd.NA
            yield frame
            first += n

    write(folder.beside, frames())
    folder.finish()
    return sizes, n_far


def _write_parquet(path: Path, frames: Iterator[pd.DataFrame]) -> None:

    writer = None
    try:
        for frame in frames:
            table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
            writer = writer or pq.ParquetWriter(path, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _write_csv(path: Path, frames: Iterator[pd.DataFrame]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        for i, frame in enumerate(frames):
            text = to_csv_text(frame)
            file.write(text[text.index("\n") + 1 :] if i else text)
        file.flush()
        os.fsync(file.fileno())
