"""Figures, profiles, labels of other tables, and files that visitors take home."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from mmc import clusterers
from mmc._optional import pandas as pd
from mmc.datasets import labels_frame, open_table, to_csv_text
from mmc.engine import Report
from mmc.engine.worker import memory_limit
from mmc.experiment import Data
from mmc.figures import (
    Scene,
    animation_html,
    effect_bars,
    parallel_coordinates,
    silhouette_plot,
)
from mmc.figures.movie import film_gif, film_mp4
from mmc.figures.packed import PackedFigure, pack
from mmc.figures.still import Words, still_png, still_svg
from mmc.model_file import load_model, model_bytes
from mmc.profiling import Profile, profile_dataset
from mmc.work.tables import READ_MEMORY, dataset_of

#: Number of clusters whose columns are drawn.
_MOST_DESCRIBED = 40


@dataclass(frozen=True, eq=False)
class Described:
    """What the clusters of some data are.

    Attributes
    ----------
    profile : Profile
        Numbers, rules and rows.
    effects : mapping from int to PackedFigure
        Columns that tell a cluster apart, for the largest clusters by their labels.
    silhouettes, lines : PackedFigure or None
        Silhouettes, and rows as lines over columns; None where there is nothing to draw.
    """

    profile: Profile
    effects: Mapping[int, PackedFigure]
    silhouettes: PackedFigure | None
    lines: PackedFigure | None

    @property
    def nbytes(self) -> int:
        """Memory of the tables and the figures."""
        tables = (self.profile.table, self.profile.examples)
        figures = [*self.effects.values(), self.silhouettes, self.lines]
        drawn = sum(figure.nbytes for figure in figures if figure is not None)
        return drawn + int(sum(table.memory_usage(deep=True).sum() for table in tables))


@dataclass(frozen=True, eq=False)
class Labelled:
    """A table that a saved model has labelled.

    Attributes
    ----------
    name : str
        Name of the file.
    csv : bytes
        The table with the columns ``cluster`` and ``far``.
    sizes : tuple of int
        Number of rows in each cluster.
    notes : tuple of str
        What was left out or changed.
    warning : str
        How many rows are far from what the model was fitted to; empty if none is.
    """

    name: str
    csv: bytes
    sizes: tuple[int, ...]
    notes: tuple[str, ...]
    warning: str

    @property
    def nbytes(self) -> int:
        """Memory of the table."""
        return len(self.csv)


def draw(arguments: Sequence[Any], make: Callable[..., Any], report: Report) -> PackedFigure:
    """Make one figure."""
    return pack(make(*arguments))


def write_html(arguments: Sequence[Any], task: None, report: Report) -> str:
    """Write animations as one HTML page."""
    return animation_html(*arguments)


def write_still(scenes: Mapping[str, Scene], task: tuple[str, Words, int], report: Report) -> bytes:
    """Write a frame as a file of a format, "svg" or "png"."""
    ending, words, frame = task
    if ending == "svg":
        return still_svg(scenes, words, frame).encode()
    return still_png(scenes, words, frame)


def write_film(scenes: Mapping[str, Scene], task: tuple[str, Words], report: Report) -> bytes:
    """Write the animation as a file of a format, "gif" or "mp4"."""
    ending, words = task
    return (film_gif if ending == "gif" else film_mp4)(scenes, words, report)


def write_labels(
    packed: bytes | None,
    task: tuple[Data, NDArray[np.int64], NDArray[np.float64] | None, bool],
    report: Report,
) -> str:
    """Write the labels as CSV, beside the whole table of the data or beside the numbers of its rows."""
    data, labels, confidence, whole = task
    dataset = dataset_of(packed, data)
    if not whole:
        dataset = replace(dataset, frame=pd.DataFrame({"row": np.arange(len(dataset.frame))}))
    return to_csv_text(labels_frame(dataset, labels, confidence))


def describe(
    packed: bytes | None,
    task: tuple[Data, NDArray[np.int64], NDArray[np.float64] | None, Mapping[int, int] | None],
    report: Report,
) -> Described:
    """Say what clusters are, in all columns of the table; rules use those that were clustered.

    The task is the data, the label of each point, the confidence of each if it is known, and the positions of
    the clusters' colours.
    """
    data, labels, confidence, colors = task
    dataset = dataset_of(packed, data)
    found = profile_dataset(dataset, labels, confidence)
    largest = sorted(found.clusters, key=lambda each: -each.size)[:_MOST_DESCRIBED]
    effects = {
        each.label: pack(
            effect_bars(found.of(each.label), each.label if colors is None else colors[each.label])
        )
        for each in sorted(largest, key=lambda each: each.label)
    }
    silhouettes = lines = None
    if np.isfinite(found.silhouette_values).any():
        silhouettes = pack(silhouette_plot(found.silhouette_values, found.silhouette_labels, colors))
    order = found.table.groupby("column", sort=False)["separation"].max().sort_values(ascending=False)
    telling = [name for name in order.index if name in dataset.feature_names]
    if len(telling) > 1:
        X = dataset.X[:, [dataset.feature_names.index(name) for name in telling]]
        lines = pack(parallel_coordinates(X, labels, telling, colors))
    return Described(found, effects, silhouettes, lines)


def write_profile(found: Profile, task: tuple[str, str], report: Report) -> str:
    """Write a profile as a file of a format, "html" or "csv", under a title."""
    ending, title = task
    return found.to_html(title) if ending == "html" else found.to_csv()


def write_model(packed: bytes | None, task: tuple[Data, BaseEstimator, bool], report: Report) -> bytes:
    """Write a model of some data as a file; it is fitted first if it is not."""
    data, model, is_fitted = task
    dataset = dataset_of(packed, data)
    if not is_fitted:
        clusterers.end(model, dataset.X, hints=dataset.hints)
    return model_bytes(
        model, dataset.X, columns=dataset.columns, scaling=dataset.scaling, coding=dataset.coding
    )


def label(files: tuple[bytes, bytes], name: str, report: Report) -> Labelled:
    """Label a table with a saved model, both given as contents of files, each read within its memory."""
    model, table = files
    with memory_limit(READ_MEMORY):
        saved = load_model(model)
    with memory_limit(READ_MEMORY):
        rows = open_table(table, name=name)
    found = saved.label(rows, missing="drop")
    sizes = tuple(int(n) for n in np.bincount(found.labels))
    csv = to_csv_text(found.frame()).encode()
    return Labelled(rows.name, csv, sizes, found.dataset.notes, found.warning)
