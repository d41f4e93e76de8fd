"""Tables and sentences of a profile, and the sizes of the samples of which they tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from mmc._optional import pandas as pd
from mmc.profiling._columns import CONSTANT, EMPTY, Column, different
from mmc.profiling._result import ClusterProfile
from mmc.profiling._summaries import Summary

#: Rows of the samples for silhouettes and for the middle of a cluster, and clusters that rules are made for.
SILHOUETTES, MEDOIDS, MOST_RULES = 5000, 2000, 100


def make_table(found: Sequence[ClusterProfile], summaries: list[list[Summary]]) -> pd.DataFrame:
    rows = [
        (each.label, each.size, each.share, *summary)
        for each, own in zip(found, summaries, strict=True)
        for summary in own
    ]
    return pd.DataFrame(rows, columns=["cluster", "size", "share", *Summary._fields])


def make_examples(frame: pd.DataFrame, found: Sequence[ClusterProfile]) -> pd.DataFrame:
    rows = [
        (each.label, what, row)
        for each in found
        for what in ("typical", "doubtful")
        for row in getattr(each, what)
    ]
    head = pd.DataFrame(rows, columns=["cluster", "example", "row"])
    shown = frame.iloc[head["row"].to_numpy(dtype=np.int64)]
    head["row"] = shown.index.to_numpy()
    shown = shown.reset_index(drop=True)
    shown.columns = pd.Index(different(shown.columns, head.columns), dtype=object)
    return pd.concat([head, shown], axis=1).apply(_as_text)


def _as_text(values: pd.Series) -> pd.Series:
    """Return a column of other things than numbers as texts, so that any program can show it."""
    if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_complex_dtype(values.dtype):
        return values
    return values.astype(object).map(lambda value: "" if value is None or value is pd.NA else str(value))


def make_notes(columns: Sequence[Column], place: NDArray[np.int64], is_sure: bool, k: int) -> Iterable[str]:
    inside = place >= 0
    n = int(inside.sum())
    gaps = [c.name for c in columns if c.kind != EMPTY and not c.known[inside].all()]
    if gaps:
        yield f"Missing values are left out of the numbers of their column, in {_listed(gaps)}."
    if constant := [c.name for c in columns if c.kind == CONSTANT]:
        yield f"Constant, so that they tell nothing: {_listed(constant)}."
    if empty := [c.name for c in columns if c.kind == EMPTY]:
        yield f"Without any value: {_listed(empty)}."
    if k == 1:
        yield "There is one cluster, so that there is nothing to compare it with."
    if n > SILHOUETTES:
        what = "Silhouettes are" if is_sure else "Silhouettes and doubtful rows are"
        yield f"{what} those of a sample of {SILHOUETTES:,} rows."
    if np.bincount(place[inside]).max() > MEDOIDS:
        yield f"Typical rows of a large cluster are found in a sample of {MEDOIDS:,} of its rows."
    if k > MOST_RULES:
        yield f"Rules are those of the {MOST_RULES} largest clusters."


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{' '.join(name.split())[:60]}”" for name in names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"
