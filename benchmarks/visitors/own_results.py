"""What the library computes without the app, to compare a visitor's result with."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.tools import quiet_labels
from mmc.datasets import Table, open_table
from mmc.experiment import Data, Experiment


def differs(experiment: Experiment, file: bytes, content: bytes | None = None) -> str:
    """Return how a file of labels differs from what the library computes; empty if it does not.

    Parameters
    ----------
    experiment : Experiment
        What the visitor asked for.
    file : bytes
        Labels that the visitor has downloaded.
    content : bytes or None
        Table that the visitor has uploaded, if any.
    """
    dataset = experiment.data.load(_opened(experiment.data, content))
    table = pd.read_csv(io.BytesIO(file))
    names = [*dataset.feature_names]
    if len(table) != len(dataset.X) or not {*names} <= {*table.columns}:
        return "the points are another visitor's"
    if not np.allclose(table[names], dataset.frame[names]):
        return "the points are another visitor's"
    same = np.array_equal(table["cluster"], labels(experiment, content))
    return "" if same else "labels differ from the library's"


def labels(experiment: Experiment, content: bytes | None = None) -> NDArray[np.int64]:
    """Return the labels of an experiment."""
    dataset = experiment.data.load(_opened(experiment.data, content))
    with threadpool_limits(1):
        return quiet_labels(experiment.make(), dataset.X)


def _opened(data: Data, content: bytes | None) -> Table | None:
    return None if content is None else open_table(content, name=data.name)
