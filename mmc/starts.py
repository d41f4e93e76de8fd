"""The labellings that a search starts from: given ones, or drawn by a name that `init` has.

A drawing function takes the points, the number of clusters and a random generator, and gives one label for
each point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_array, check_random_state

from mmc.metrics import in_order

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Draw = Callable[[Array, int, np.random.RandomState], Labels]

#: How far the second of two seeds of k-means is from the first, as a share of the farthest point's distance.
_FAR = 0.8

#: How often k-means is tried from two seeds, and from more.
_N_TRIES, _N_TRIES_OF_MANY = 5, 10


class Start(NamedTuple):
    """Labels to begin with, and where they are from: "given", or the name of what drew them."""

    labels: Labels
    origin: str


def draw_starts(
    X: Array,
    k: int,
    init: str | ArrayLike,
    draws: Mapping[str, Draw],
    *,
    n_init: int,
    random_state: int | np.random.RandomState | None,
    has_points: bool = True,
    distinct: bool = False,
) -> list[Start]:
    """Draw the starts that `init` asks for.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    k : int
        Number of clusters.
    init : str or array-like of shape (n_samples,)
        A name in `draws`, or labels, which make one start.
    draws : mapping from str to callable
        The drawing functions by their names.
    n_init : int
        Number of starts to draw.
    random_state : int, RandomState or None
    has_points : bool, default=True
        Whether `X` holds points; the rows of a precomputed kernel are none.
    distinct : bool, default=False
        Whether equal starts are kept once, which is right where from one start there is one way.

    Returns
    -------
    list of Start

    Raises
    ------
    ValueError
        If given labels are not right, or points are needed and there are none.
    """
    if not isinstance(init, str):
        return [Start(_checked(init, len(X), k), "given")]
    draw = draws[init]
    if not has_points and draw in (k_means, k_means_plus_plus):
        raise ValueError(
            f'init="{init}" needs points, not a precomputed kernel; use "random" or give labels.'
        )
    rng = check_random_state(random_state)
    starts: dict[object, Start] = {}
    for i in range(n_init):
        start = Start(draw(X, k, rng), init)
        starts.setdefault(in_order(start.labels).tobytes() if distinct else i, start)
    return list(starts.values())


def random_labels(X: Array, k: int, rng: np.random.RandomState) -> Labels:
    """Draw a labelling of equal sizes."""
    return np.asarray(rng.permutation(np.arange(len(X)) % k), dtype=np.int64)


def k_means(X: Array, k: int, rng: np.random.RandomState) -> Labels:
    """Cluster by k-means, the best of several tries by the sum of squares.

    Two clusters are found from two seeds that lie far apart, as [iterSVR] section IV-A advises: the first
    seed is any point, the second any of those at least 0.8 times as far from it as the farthest.

    Raises
    ------
    ValueError
        If there are fewer different points than clusters.
    """
    if k == 2 and not np.ptp(X, axis=0).any():
        raise ValueError("All points are equal, so k-means cannot part them. Check the columns.")
    if k > 2 and len(np.unique(X, axis=0)) < k:
        raise ValueError(
            f"There are fewer than {k} different points, so k-means cannot make {k} clusters. Choose fewer."
        )
    init, n_init = (_far_apart, _N_TRIES) if k == 2 else ("k-means++", _N_TRIES_OF_MANY)
    labels = KMeans(k, init=init, n_init=n_init, random_state=rng).fit(X).labels_
    return np.asarray(labels, dtype=np.int64)


def k_means_plus_plus(X: Array, k: int, rng: np.random.RandomState) -> Labels:
    """Draw seeds by scikit-learn's k-means++ and assign every point to the nearest.

    Every cluster is used, unless there are fewer different points than clusters.
    """
    centres, seeds = kmeans_plusplus(X, k, random_state=rng)
    return _with_seeds(pairwise_distances_argmin(X, centres), seeds)


def seeded_labels(distances_to: Callable[[int], Array], n: int, k: int, rng: np.random.RandomState) -> Labels:
    """Draw seeds as k-means++ does, where only distances are known, and assign every point to the nearest.

    The first seed is any point; each further one is drawn with a chance that grows like its squared distance
    to the nearest seed before it. Unlike scikit-learn, which tries several points for each seed, this draws
    each seed once.

    Parameters
    ----------
    distances_to : callable
        From a point to the squared distances of all points to it.
    n, k : int
        Number of points and of clusters.
    rng : RandomState

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
        if not chance.any():  # fewer places than clusters: any other point will do
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


def _checked(init: ArrayLike, n: int, k: int) -> Labels:
    """Check labels that were given as a start: every cluster from 0 to k − 1 is used, and no other."""
    labels = check_array(init, ensure_2d=False, dtype=None, input_name="init")
    whole = np.issubdtype(labels.dtype, np.integer)
    if labels.shape != (n,) or not whole or not np.array_equal(np.unique(labels), np.arange(k)):
        raise ValueError(
            f"init must be one whole number from 0 to {k - 1} for each of the {n} points, every cluster used."
        )
    return np.asarray(labels, dtype=np.int64).copy()


def _far_apart(X: Array, n_clusters: int, random_state: np.random.RandomState) -> Array:
    first = random_state.randint(len(X))
    distances = np.linalg.norm(X - X[first], axis=1)
    second = random_state.choice(np.flatnonzero(distances >= _FAR * distances.max()))
    return X[[first, second]]


def _with_seeds(nearest: ArrayLike, seeds: Sequence[int]) -> Labels:
    """Let each seed belong to its own cluster: seeds at one place would leave a cluster empty."""
    labels = np.array(nearest, dtype=np.int64)
    labels[seeds] = np.arange(len(seeds))
    return labels
