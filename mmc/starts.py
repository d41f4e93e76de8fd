"""The labellings from which a search starts: given by the user, or drawn.

A drawing function takes the points, the number of clusters and a random generator, and gives one label for
each point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_array, check_random_state

from mmc._points import Points, distinct_rows, exact_distances, largest_spread
from mmc._warnings import warnings_kept
from mmc.metrics import in_order

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Draw = Callable[[Points, int, np.random.RandomState], Labels]

#: Minimum distance of the second of two k-means seeds from the first, as a share of the largest distance.
_FAR = 0.8

#: Number of runs of k-means for two clusters, and for more.
_N_TRIES, _N_TRIES_OF_MANY = 5, 10


class Start(NamedTuple):
    """A labelling to start from.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Cluster of each point.
    origin : str
        "given", or the name of the drawing function.
    """

    labels: Labels
    origin: str


def draw_starts(
    X: Points,
    k: int,
    init: str | ArrayLike,
    draws: Mapping[str, Draw],
    *,
    n_init: int,
    random_state: int | np.random.RandomState | None,
    has_points: bool = True,
    distinct: bool = False,
    spare: str | None = None,
) -> list[Start]:
    """Return the starts that `init` asks for.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        Points, or the kernel matrix.
    k : int
        Number of clusters.
    init : str or array-like of shape (n_samples,)
        Name in `draws`, or labels, which make one start.
    draws : mapping from str to callable
        Drawing functions by name.
    n_init : int
        Number of starts to draw.
    random_state : int, RandomState or None
        Seed or generator.
    has_points : bool, default=True
        Whether `X` holds points, not a precomputed kernel.
    distinct : bool, default=False
        Whether equal starts are kept once, which suits deterministic searches.
    spare : str or None, default=None
        Name in `draws` of what is drawn, once, instead of a start that is equal to an earlier one, if
        `distinct`. If that is equal to one as well, there is one start less.

    Returns
    -------
    list of Start

    Raises
    ------
    ValueError
        If the given labels are not allowed, or the drawing function needs points and there are none.
    """
    if not isinstance(init, str):
        return [Start(checked_labels(init, X.shape[0], k), "given")]
    draw = draws[init]
    if not has_points and draw in (k_means, k_means_plus_plus):
        raise ValueError(
            f'init="{init}" needs points, not a precomputed kernel; use "random" or give labels.'
        )
    rng = check_random_state(random_state)
    starts: dict[object, Start] = {}
    for i in range(n_init):
        start = Start(draw(X, k, rng), init)
        key: object = in_order(start.labels).tobytes() if distinct else i
        if spare and key in starts:
            start = Start(draws[spare](X, k, rng), spare)
            key = in_order(start.labels).tobytes()
        starts.setdefault(key, start)
    return list(starts.values())


def random_labels(X: Points, k: int, rng: np.random.RandomState) -> Labels:
    """Draw a labelling of equal sizes."""
    return np.asarray(rng.permutation(np.arange(X.shape[0]) % k), dtype=np.int64)


def k_means(X: Points, k: int, rng: np.random.RandomState) -> Labels:
    """Cluster by k-means and return the best of several runs by the sum of squares.

    For two clusters the seeds lie far apart, as [iterSVR] section IV-A advises: the first is any point, the
    second any of those whose distance from it is at least 0.8 times the largest.

    Raises
    ------
    ValueError
        If there are fewer different points than clusters.
    """
    if k == 2 and largest_spread(X) == 0.0:
        raise ValueError("All points are equal, so k-means cannot part them. Check the columns.")
    if k > 2 and len(distinct_rows(X).first) < k:
        raise ValueError(
            f"There are fewer than {k} different points, so k-means cannot make {k} clusters. Choose fewer."
        )
    init, n_init = (_far_apart, _N_TRIES) if k == 2 else ("k-means++", _N_TRIES_OF_MANY)
    with warnings_kept():  # a start with an empty cluster is no end
        labels = KMeans(k, init=init, n_init=n_init, random_state=rng).fit(X).labels_
    return np.asarray(labels, dtype=np.int64)


def k_means_plus_plus(X: Points, k: int, rng: np.random.RandomState) -> Labels:
    """Draw seeds by scikit-learn's k-means++ and assign every point to the nearest.

    Every cluster is used, unless there are fewer different points than clusters.
    """
    seeds = kmeans_plusplus(X, k, random_state=rng)[1]
    return _with_seeds(pairwise_distances_argmin(X, X[seeds]), seeds)


def seeded_labels(distances_to: Callable[[int], Array], n: int, k: int, rng: np.random.RandomState) -> Labels:
    """Draw seeds by k-means++ from distances alone and assign every point to the nearest.

    The first seed is any point. The probability of each further one is proportional to its squared distance
    from the nearest seed so far. Each seed is drawn once, whereas scikit-learn tries several points for each.

    Parameters
    ----------
    distances_to : callable
        Maps the index of a point to the squared distances of all points from it.
    n, k : int
        Number of points and of clusters.
    rng : RandomState
        Random generator.

    Returns
    -------
    ndarray of shape (n,)
        Every cluster is used.
    """
    seeds = [int(rng.randint(n))]
    distances = [np.maximum(distances_to(seeds[0]), 0.0)]
    while len(seeds) < k:
        chance = np.min(distances, axis=0)
        chance[seeds] = 0.0
        if not chance.any():  # fewer different points than clusters: draw any other point
            chance = np.ones(n)
            chance[seeds] = 0.0
        seeds.append(int(rng.choice(n, p=chance / chance.sum())))
        distances.append(np.maximum(distances_to(seeds[-1]), 0.0))
    return _with_seeds(np.argmin(distances, axis=0), seeds)


def require_points(n: int, k: int) -> None:
    """Refuse more clusters k than there are points."""
    if k > n:
        raise ValueError(
            f"n_clusters={k} is more than the number of points: n_samples={n}. Choose at most {n} clusters."
        )


def require_distinct(m: int, k: int) -> None:
    """Refuse more clusters k than there are different points."""
    if k > m:
        raise ValueError(
            f"n_clusters={k} is more than the number of different points, {m}. Choose at most {m} clusters."
        )


def checked_labels(init: ArrayLike, n: int, k: int) -> Labels:
    """Return the given labels if they use every cluster from 0 to k − 1 and no other."""
    labels = check_array(init, ensure_2d=False, dtype=None, input_name="init")
    whole = np.issubdtype(labels.dtype, np.integer)
    if labels.shape != (n,) or not whole or not np.array_equal(np.unique(labels), np.arange(k)):
        raise ValueError(
            f"init must be one whole number from 0 to {k - 1} for each of the {n} points, every cluster used."
        )
    return np.asarray(labels, dtype=np.int64).copy()


def _far_apart(X: Points, n_clusters: int, random_state: np.random.RandomState) -> Array:
    first = random_state.randint(X.shape[0])
    distances = exact_distances(X[[first]], X)[0]
    second = random_state.choice(np.flatnonzero(distances >= _FAR * distances.max()))
    seeds = X[[first, second]]
    return np.asarray(seeds.toarray() if issparse(X) else seeds)


def _with_seeds(nearest: ArrayLike, seeds: Sequence[int]) -> Labels:
    """Assign each seed to its own cluster, because seeds at one place would leave a cluster empty."""
    labels = np.array(nearest, dtype=np.int64)
    labels[seeds] = np.arange(len(seeds))
    return labels
