"""Whether clusters are pieces of a cloud that has none: compared with k-means on points without clusters.

Two things are looked at, because each alone takes some clusters for pieces: whether the neighbours of a point
are in its cluster, which is so for clusters of any shape with a gap between them, and whether there are fewer
points between the middles of two clusters than at the middles, which is so for round clusters that touch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors

from mmc._threads import threads_kept

#: Neighbours of a point, random clouds, and by how much clusters may be better than all of these, or share
#: fewer neighbours: those that share much fewer were not found in the points.
_NEIGHBORS, _CLOUDS, _MORE_SHARED, _FEWER_BETWEEN, _LESS_SHARED = 5, 6, 0.01, 0.05, 0.05
#: Rows of a cluster at least, on average, and largest number of clusters.
_FEWEST, _MOST_CLUSTERS = 10, 20
#: Half of the width of a window between two middles, and the middles of the windows.
_HALF, _BETWEEN = 0.1, (0.3, 0.4, 0.5, 0.6, 0.7)


class Apartness(NamedTuple):
    """How clusters lie.

    Attributes
    ----------
    shared : float
        Share of the neighbours of a point that are in its cluster.
    between : float
        Number of points between two clusters, as a multiple of that at their middles, for the cluster that
        stands out most.
    """

    shared: float
    between: float


def are_cut(
    X: NDArray[np.float64], clusters: NDArray[np.int64], n_clusters: int, rng: np.random.Generator
) -> bool:
    """Return whether clusters are no further apart than those of k-means in clouds of the same spread.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Points.
    clusters : ndarray of shape (n,)
        Cluster of each point, from 0 on.
    n_clusters : int
        Number of clusters.
    rng : Generator
        Source of the clouds: normal and uniform ones along the principal axes.

    Returns
    -------
    bool
        False where there are too few points to tell.
    """
    n = len(X)
    if not 2 <= n_clusters <= min(_MOST_CLUSTERS, n // _FEWEST) or len(np.unique(clusters)) < n_clusters:
        return False
    scale = np.abs(X).max()
    centred = X / (scale or 1.0)
    centred = centred - centred.mean(axis=0)
    with threads_kept():
        _, lengths, axes = np.linalg.svd(centred, full_matrices=False)
        if lengths[0] <= 1e-10:
            return False
        own = apartness(centred, clusters, n_clusters)
        scores = centred @ axes.T
        low, high, spread = scores.min(axis=0), scores.max(axis=0), scores.std(axis=0)
        clouds = []
        for i in range(_CLOUDS):
            cloud = rng.normal(size=scores.shape) * spread if i % 2 else rng.uniform(low, high, scores.shape)
            pieces = KMeans(
                n_clusters, n_init=2, max_iter=30, random_state=int(rng.integers(2**31))
            ).fit_predict(cloud)
            clouds.append(apartness(cloud, pieces.astype(np.int64), n_clusters))
    every = [each.shared for each in clouds]
    is_piece = min(every) - _LESS_SHARED <= own.shared <= max(every) + _MORE_SHARED
    return bool(is_piece and own.between >= min(each.between for each in clouds) - _FEWER_BETWEEN)


def apartness(X: NDArray[np.float64], clusters: NDArray[np.int64], n_clusters: int) -> Apartness:
    """Return how clusters lie.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Points.
    clusters : ndarray of shape (n,)
        Cluster of each point, from 0 on, none of them empty.
    n_clusters : int
        Number of clusters.

    Returns
    -------
    Apartness
    """
    m = min(_NEIGHBORS, len(X) - 1)
    near = NearestNeighbors(n_neighbors=m).fit(X).kneighbors(return_distance=False)
    shared = float((clusters[near] == clusters[:, None]).mean())
    middles = np.array([X[clusters == h].mean(axis=0) for h in range(n_clusters)])
    most = np.zeros(n_clusters)
    for g in range(n_clusters):
        for h in range(g):
            ratio = _between(X[(clusters == g) | (clusters == h)], middles[g], middles[h])
            most[g], most[h] = max(most[g], ratio), max(most[h], ratio)
    return Apartness(shared, float(most.min()))


def _between(X: NDArray[np.float64], start: NDArray[np.float64], end: NDArray[np.float64]) -> float:
    way = end - start
    length = float(way @ way)
    if length == 0:
        return np.inf
    places = (X - start) @ way / length
    counts = [int((np.abs(places - place) <= _HALF).sum()) for place in (0.0, 1.0, *_BETWEEN)]
    return (min(counts[2:]) + 1) / (min(counts[:2]) + 1)
