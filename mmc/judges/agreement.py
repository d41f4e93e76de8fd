"""Agreement with neighbours, and agreement between fits to parts of the points."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_array

from mmc import clusterers
from mmc.judges.table import POINTS
from mmc.kernels.local_scaling import Neighborhood
from mmc.kernels.neighbors import Array

Codes = NDArray[np.int64]

#: Number of nearest neighbours that are asked.
N_ASKED = 5

#: Number of subsamples for `stability`, and their share of the points.
_N_SUBSAMPLES, _SUBSAMPLE = 10, 0.8


def own_share(neighborhood: Neighborhood, codes: Codes) -> float:
    """Return the share of the nearest neighbours that have the label of the point, in n t operations.

    If not all of several equal points are among the neighbours, each of them counts in part, so that the
    order of the points does not matter. Of other neighbours at the same distance the first counts.

    Parameters
    ----------
    neighborhood : Neighborhood
        Distinct points and at least `N_ASKED` neighbours of each, if there are so many.
    codes : ndarray of shape (n,)
        Labels from 0.

    Returns
    -------
    float
        Number between 0 and 1.
    """
    n, vertex, links = len(codes), neighborhood.vertex, neighborhood.distances
    t = min(N_ASKED, neighborhood.most)
    near = links.indices[(links.indptr[:-1, None] + np.arange(t))]
    places = np.column_stack([vertex, near[vertex]])  # the point's own place, then the others by distance
    own_place = np.arange(t + 1) == 0
    others = np.bincount(vertex)[places] - own_place
    before = np.cumsum(others, axis=1) - others
    asked = np.clip(min(N_ASKED, n - 1) - before, 0, others)
    same = _count(vertex, codes, places) - own_place
    return float((asked * same / np.maximum(others, 1)).sum() / asked.sum())


def stability(estimator: BaseEstimator, X: ArrayLike, *, random_state: int = 0) -> float:
    """Return the agreement between the labellings of ten random subsamples of 80 % of the points.

    Each subsample is clustered with another seed. The score is the mean adjusted Rand index of all pairs of
    subsamples on the points that both contain. It costs ten fits. Of more than 20,000 points the subsamples
    are 80 % of a random sample of 20,000.

    Parameters
    ----------
    estimator : StepwiseClusterer or a clusterer of scikit-learn
        Estimator, which is copied and need not be fitted.
    X : array-like of shape (n_samples, n_features)
        Points, or the matrix of a precomputed kernel.
    random_state : int, default=0
        Seed of the sample, the subsamples and the fits.

    Returns
    -------
    float
        At most 1; about 0 for labels that agree no more than chance.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from mmc.datasets import make_three_gaussians
    >>> from mmc.judges import stability
    >>> X, y = make_three_gaussians(90, random_state=0)
    >>> stability(KMeans(3, n_init=5), X) > stability(KMeans(5, n_init=5), X)
    True
    """
    points = check_array(X, dtype=np.float64, order="C", ensure_min_samples=2)
    pairwise = bool(estimator.__sklearn_tags__().input_tags.pairwise)
    rng = np.random.RandomState(random_state)
    if len(points) > POINTS:
        drawn = np.sort(rng.permutation(len(points))[:POINTS])
        points = points[np.ix_(drawn, drawn)] if pairwise else points[drawn]
    n = len(points)
    size = max(2, round(_SUBSAMPLE * n))
    labellings = []
    for _ in range(_N_SUBSAMPLES):
        rows = np.sort(rng.permutation(n)[:size])
        copy = clone(estimator)
        if "random_state" in copy.get_params():
            copy.set_params(random_state=int(rng.randint(2**31 - 1)))
        labels = np.full(n, -1)
        part = points[np.ix_(rows, rows)] if pairwise else points[rows]
        labels[rows] = clusterers.end(copy, part).labels
        labellings.append(labels)
    agreements = []
    for one, other in combinations(labellings, 2):
        both = (one >= 0) & (other >= 0)
        agreements.append(adjusted_rand_score(one[both], other[both]))
    return float(np.mean(agreements))


def _count(vertex: Codes, codes: Codes, places: Codes) -> Array:
    """Return how many samples at each of the places have the label of the row."""
    k = int(codes.max()) + 1
    keys, counts = np.unique(vertex * k + codes, return_counts=True)
    wanted = places * k + codes[:, None]
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, counts[at], 0)
