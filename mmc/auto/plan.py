"""What a search of `AutoClusterer` is asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmc._points import distinct_rows
from mmc.kernels.local_scaling import require_squares

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """What a search is asked for.

    Attributes
    ----------
    counts : tuple of int
        Numbers of clusters to try.
    n_references : int
        Number of searches on points without clusters.
    time_limit : float
        Seconds.
    n_jobs : int
        Number of processes as in joblib.
    seed : int
        Seed of everything.
    """

    counts: tuple[int, ...]
    n_references: int
    time_limit: float
    n_jobs: int
    seed: int


def make_plan(
    X: Array,
    n_clusters: int | None,
    max_clusters: int,
    n_references: int,
    time_limit: float,
    n_jobs: int,
    seed: int,
) -> Plan | None:
    """Check points and plan their search.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    n_clusters : int or None
        Number of clusters; None tries all numbers from 2 to `max_clusters`.
    max_clusters : int
        Largest number of clusters that is tried.
    n_references, time_limit, n_jobs, seed
        As in `Plan`.

    Returns
    -------
    Plan or None
        None if all points are equal.

    Raises
    ------
    ValueError
        If there are fewer different points than clusters, or numbers whose squares are too large.
    """
    require_squares(X)
    m = len(distinct_rows(X).first)
    if n_clusters is not None and n_clusters > m:
        raise ValueError(
            f"n_clusters={n_clusters} is more than the number of different points, {m}. "
            f"Choose at most {m} clusters, or None."
        )
    if m == 1:
        return None
    most = max(2, min(max_clusters, m - 1))
    counts = tuple(range(2, most + 1)) if n_clusters is None else (n_clusters,)
    return Plan(counts, n_references, time_limit, n_jobs, seed)
