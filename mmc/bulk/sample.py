"""A uniform sample of rows, drawn in one pass, that depends on the seed and the number of rows alone.

Every row has a key, a hash of its number and the seed, and the sample are the rows with the smallest keys, in
the order of the table. How the rows are cut into parts cannot matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from mmc._optional import pandas as pd
from mmc.datasets import Table
from mmc.datasets._parts import TableParts

#: Number of rows of a sample unless it is given, and its most cells (128 MB).
SAMPLE, _MOST_CELLS = 50_000, 2**24

#: Rows whose keys are computed at a time.
_BLOCK = 2**20


def usual_size(n_columns: int, most: int = SAMPLE) -> int:
    """Return the size of a sample that is not given.

    Parameters
    ----------
    n_columns : int
        Number of columns of the table.
    most : int, default=50_000
        Most rows that a method takes.

    Returns
    -------
    int
    """
    return max(2, min(SAMPLE, most, _MOST_CELLS // max(n_columns, 1)))


def sample_rows(n: int, size: int, seed: int) -> NDArray[np.int64]:
    """Draw rows without replacement.

    Parameters
    ----------
    n : int
        Number of rows.
    size : int
        Number of rows that are drawn; all of them if there are no more.
    seed : int
        Seed of the draw.

    Returns
    -------
    rows : ndarray of shape (min(n, size),)
        In increasing order.

    Examples
    --------
    >>> from mmc.bulk import sample_rows
    >>> sample_rows(1000, 5, seed=0).tolist() == sample_rows(1000, 5, seed=0).tolist()
    True
    """
    if size < 1 or isinstance(size, bool):
        raise ValueError(f"size={size!r} is not right for a sample. Give a whole number from 1.")
    start = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    rows, keys = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64)
    for first in range(0, n, _BLOCK):
        more = np.arange(first, min(first + _BLOCK, n))
        new = _keys(more, start)
        if len(rows) == size:
            near = new <= keys.max()
            more, new = more[near], new[near]
        rows, keys = np.concatenate([rows, more]), np.concatenate([keys, new])
        order = np.lexsort((rows, keys))[:size]
        rows, keys = rows[order], keys[order]
    return np.sort(rows)


def draw_sample(
    source: TableParts,
    size: int,
    seed: int,
    columns: Iterable[str] | None = None,
    see: Callable[[int], object] = lambda done: None,
) -> Table:
    """Draw the sample of `sample_rows` from a table that is read a part at a time.

    Parameters
    ----------
    source : TableParts
        Table.
    size : int
        Number of rows.
    seed : int
        Seed.
    columns : iterable of str, default=None
        Columns that are read; None means all.
    see : callable
        Called with the number of rows that have been read.

    Returns
    -------
    Table
        The rows of the sample.
    """
    chosen = sample_rows(source.n_rows, size, seed)
    frames, reasons, decimal = [], dict[str, str](), "."
    holding = set((chosen // source.part_rows).tolist())
    skipped = [i for i in range(-(-source.n_rows // source.part_rows)) if i not in holding]
    for part in source.parts(columns, skipped):
        n = len(part.table.frame)
        first, last = np.searchsorted(chosen, [part.first, part.first + n])
        frames.append(part.table.frame.iloc[chosen[first:last] - part.first])
        reasons.update(part.table.reasons)
        decimal = part.table.decimal
        see(part.first + n)
    frame = _joined(frames)
    known = {name: reason for name, reason in reasons.items() if name in frame}
    return Table(frame, source.name, (), "", known, decimal, is_sample=True)


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Put parts together; a column without values in a part has the type that it has in the others."""
    filled = []
    for name in frames[0].columns:
        cells = [frame[name] for frame in frames if name in frame]
        known = [each for each in cells if not each.isna().all()] or cells
        types = {each.dtype for each in known}
        if len(types) == 1:
            cells = [each.astype(known[0].dtype) if each.dtype not in types else each for each in cells]
        filled.append(pd.concat(cells, ignore_index=True))
    return pd.concat(filled, axis=1)


def _keys(rows: NDArray[np.int64], start: np.uint64) -> NDArray[np.uint64]:
    """Return the key of each row: the numbers of the generator splitmix64."""
    with np.errstate(over="ignore"):
        z = start + (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))
