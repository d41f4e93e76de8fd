"""Scores of any labels of one set of points.

What does not depend on labels (neighbours, graph, hat matrix, distances, centres) is computed when a score
first needs it, and shared by all labellings and, where they can, by several judges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.metrics import silhouette_samples
from sklearn.utils import check_array, column_or_1d

from mmc._checks import nearest, quoted
from mmc._html import table_html
from mmc._threads import threads_kept
from mmc.infomax import LSMI, MLMI, Estimate
from mmc.judges.agreement import own_share
from mmc.judges.cuts import N_NEIGHBORS, RidgeModel, cut_shares, fit_ridge, leaving_shares
from mmc.judges.density import NOISE, sample_rows, validities
from mmc.judges.table import JUDGES, PAIRS, POINTS
from mmc.kernels.local_scaling import Neighborhood, find_neighbors, require_squares
from mmc.kernels.neighbor_graph import NeighborGraph, graph_of
from mmc.kernels.neighbors import Array

Codes = NDArray[np.int64]

#: Number of points that a sample keeps of each cluster, if it has them.
_LEAST = 10

#: Scores of many points that are those of a sample; other scores draw their own.
_OF_SAMPLE = ("worst_cut", "normalized_cut", "neighbors")

#: Scores that `Judges.scores` computes by default; MLMI takes longer than all of them together.
OF_LABELS = ("lsmi", "worst_cut", "normalized_cut", "dbcv", "neighbors", "silhouette")

#: Scores that a kernel matrix suffices for.
OF_KERNELS = ("lsmi",)


def needs_points(name: str) -> str:
    """Return what to say where a score is asked of a kernel matrix.

    Parameters
    ----------
    name : str
        Key of `JUDGES`.

    Returns
    -------
    str
    """
    return f'score="{name}" needs points, not a precomputed kernel; use "lsmi" or "stability".'


class Scores(dict[str, float]):
    """Scores of labels by the names of the judges; a notebook shows what each of them means."""

    def _repr_html_(self) -> str:
        said = [(JUDGES[name], score) for name, score in self.items()]
        rows = [{"judge": judge.title, "score": score, "meaning": judge.meaning} for judge, score in said]
        return table_html(rows, "Scores without true labels; higher is better.")


class Judges:
    """Scores of any labels of one set of points, without true labels; higher is always better.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        At least two points, not all equal; with ``kernel="precomputed"`` their kernel matrix.
    random_state : int, default=0
        Seed of centres, landmarks and samples. The same points, labels and seed give the same score.
    kernel : {"rbf", "precomputed"}, default="rbf"
        "precomputed" means that `X` is a kernel matrix. Then "lsmi" alone can judge, with the columns of the
        matrix in place of Gaussians; other objects than points are for `mmc.infomax.LSMI`.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points, or their kernel matrix.
    kernel : str
        "precomputed" if `X` is a kernel matrix.

    Notes
    -----
    Labels are of any type, and only their equality matters; for "dbcv" alone, the number −1 means noise.

    A labelling with a single cluster says nothing about the points, although it cuts no link and no point
    has a neighbour in another cluster. It gets the lowest value of each score, so that no search prefers it:
    −1 for "worst_cut", "normalized_cut", "dbcv" and "silhouette", 0 for "neighbors". "lsmi" and "mlmi"
    estimate 0 for it, with their error. A cluster of one point has all its links cut ("normalized_cut"), no
    neighbour of its own ("neighbors"), validity −1 ("dbcv"), and silhouette 0. Equal points and constant
    columns are allowed. A constant column changes no score but LSMI and MLMI, whose widths are measured by
    the mean variance of all columns.

    Beyond 5,000 points "dbcv" and "silhouette" use a random sample of 5,000, beyond 20,000 points all others
    one of 20,000. It keeps at least ten points of each cluster that has them (fewer if there are more than
    500 or 2,000 clusters), but for "lsmi" and "mlmi", whose sample does not depend on labels. Time and memory
    are therefore bounded, and no array of n×n is larger than 5,000×5,000. In a sample neighbours are
    farther: "neighbors", "normalized_cut" and "worst_cut" are a little lower than with all points. A pickled
    instance contains only the points and the seed.

    Examples
    --------
    >>> from mmc.datasets import make_moons
    >>> from mmc.judges import Judges
    >>> X, y = make_moons(200, random_state=0)
    >>> judges = Judges(X)
    >>> judges.score("dbcv", y) > judges.score("dbcv", X[:, 0] > 0.5)
    True
    """

    def __init__(self, X: ArrayLike, *, random_state: int = 0, kernel: str = "rbf") -> None:
        if kernel not in ("rbf", "precomputed"):
            raise ValueError(f'kernel={kernel!r} must be "rbf" or "precomputed".')
        self.X: Array = check_array(X, dtype=np.float64, ensure_min_samples=2)
        self.kernel = kernel
        if kernel == "rbf":
            require_squares(self.X)
        if not np.ptp(self.X, axis=0).any():
            raise ValueError(
                "All points are equal, so that no labels of them can be judged. Check the columns."
            )
        self._seed = random_state
        self._sampled: tuple[Codes, Array] | None = None
        self._of_sample: tuple[Codes, Judges] | None = None

    def __getstate__(self) -> dict[str, Any]:
        kept = {"X": self.X, "_seed": self._seed, "kernel": self.kernel}
        return {**kept, "_sampled": None, "_of_sample": None}

    def score(self, name: str, labels: ArrayLike) -> float:
        """Score labels.

        Parameters
        ----------
        name : str
            A key of `JUDGES` other than "stability", which needs an estimator: see `stability`.
        labels : array-like of shape (n_samples,)
            Labels of any type.

        Returns
        -------
        float
            Score; higher is better.

        Raises
        ------
        ValueError
            If there is no such judge, or the labels do not fit the points.

        Notes
        -----
        Costs for n points and k clusters, the first call and each further one:

        With more than 20,000 points n is 20,000, and the first call for a sample that differs from the last
        one counts as a first call again.

        - "lsmi", "mlmi": see `mmc.infomax.lsmi` and `mmc.infomax.mlmi`; memory n b for b = 200 centres.
        - "worst_cut": n³, then n², and memory n² up to 2,000 points; n p², then n p, and memory n p beyond,
          for p = 500 landmarks.
        - "normalized_cut", "neighbors": one search for neighbours, then n t for t = 10 and 5 neighbours, and
          memory n t.
        - "dbcv", "silhouette": n² for each labelling, memory n², with n replaced by 5,000 if it is larger.
        """
        return self._score(name, _checked(labels, len(self.X)))

    def scores(self, labels: ArrayLike, names: Iterable[str] = OF_LABELS) -> Scores:
        """Score labels by several judges.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Labels of any type.
        names : iterable of str
            Keys of `JUDGES`; by default all that need only points and labels, without "mlmi", which is slow.
            Of a kernel matrix give "lsmi" alone.

        Returns
        -------
        Scores
            A dict with the score of each name.
        """
        given = _checked(labels, len(self.X))
        return Scores({name: self._score(name, given) for name in names})

    def estimate(self, name: str, labels: ArrayLike) -> Estimate:
        """Return the whole result of LSMI or MLMI, with its width and cross-validation.

        Parameters
        ----------
        name : {"lsmi", "mlmi"}
            Which of the two.
        labels : array-like of shape (n_samples,)
            Labels of any type.

        Returns
        -------
        Estimate
        """
        self._require_points(name)
        return (self._lsmi if name == "lsmi" else self._mlmi)(_checked(labels, len(self.X)))

    def _require_points(self, name: str) -> None:
        if self.kernel == "precomputed" and name not in OF_KERNELS:
            raise ValueError(needs_points(name))

    def _score(self, name: str, labels: NDArray[Any]) -> float:
        score = self._by_name(name)
        self._require_points(name)
        if name not in _OF_SAMPLE or len(self.X) <= POINTS:
            return score(labels)
        rows = sample_rows(_codes(labels), self._order, POINTS, _LEAST)
        return self._judges_of(rows).score(name, labels[rows])

    def _judges_of(self, rows: Codes) -> Judges:
        """Return the judges of a sample; those of the last one are kept."""
        if self._of_sample is None or not np.array_equal(self._of_sample[0], rows):
            self._of_sample = None  # before more arrays are made
            self._of_sample = rows, Judges(self.X[rows], random_state=self._seed)
        return self._of_sample[1]

    def _by_name(self, name: str) -> Callable[[NDArray[Any]], float]:
        known: dict[str, Callable[[NDArray[Any]], float]] = {
            "lsmi": lambda labels: self._lsmi(labels).value,
            "mlmi": lambda labels: self._mlmi(labels).value,
            "worst_cut": self._worst_cut,
            "normalized_cut": self._normalized_cut,
            "dbcv": self._dbcv,
            "neighbors": self._neighbors,
            "silhouette": self._silhouette,
        }
        if name == "stability":
            raise ValueError(
                "Stability belongs to an estimator, not to labels: use mmc.judges.stability(estimator, X)."
            )
        if name not in known:
            raise ValueError(f"There is no judge {quoted(name)}: {nearest(str(name), JUDGES)}")
        return known[name]

    def _worst_cut(self, labels: NDArray[Any]) -> float:
        codes = _codes(labels)
        return -1.0 if codes.max() == 0 else 0.0 - float(cut_shares(self._ridge, codes).max())

    def _normalized_cut(self, labels: NDArray[Any]) -> float:
        codes = _codes(labels)
        return -1.0 if codes.max() == 0 else 0.0 - float(leaving_shares(self._graph, codes).mean())

    def _neighbors(self, labels: NDArray[Any]) -> float:
        codes = _codes(labels)
        return 0.0 if codes.max() == 0 else own_share(self._neighborhood, codes)

    def _dbcv(self, labels: NDArray[Any]) -> float:
        codes = _codes(labels)
        if labels.dtype.kind in "if":  # a text or a truth value is never noise
            is_noise = labels == -1
            codes[is_noise] = NOISE
            codes[~is_noise] = _codes(labels[~is_noise])
        sizes = np.bincount(codes[codes != NOISE])
        if len(sizes) < 2:
            return -1.0
        rows, D = self._distances(codes)
        return float(validities(D, codes[rows], len(sizes), self._n_varying) @ sizes / len(codes))

    def _silhouette(self, labels: NDArray[Any]) -> float:
        codes = _codes(labels)
        if codes.max() == 0:
            return -1.0
        rows, D = self._distances(codes)
        drawn = codes[rows]
        k = len(np.unique(drawn))
        if k == len(drawn):
            return 0.0  # every point is alone
        with threads_kept():
            return float(np.mean(silhouette_samples(D, drawn, metric="precomputed")))

    @cached_property
    def _lsmi(self) -> LSMI:
        return LSMI(self.X, random_state=self._seed, kernel=self.kernel)

    @cached_property
    def _mlmi(self) -> MLMI:
        return MLMI(self.X, random_state=self._seed)

    @cached_property
    def _ridge(self) -> RidgeModel:
        with threads_kept():
            return fit_ridge(self.X, np.random.RandomState(self._seed))

    @cached_property
    def _neighborhood(self) -> Neighborhood:
        return find_neighbors(self.X, N_NEIGHBORS)

    @cached_property
    def _graph(self) -> NeighborGraph:
        return graph_of(self._neighborhood, N_NEIGHBORS)

    @cached_property
    def _n_varying(self) -> int:
        return int(np.ptp(self.X, axis=0).astype(bool).sum())

    @cached_property
    def _order(self) -> Codes:
        return np.random.RandomState(self._seed).permutation(len(self.X))

    def _distances(self, codes: Codes) -> tuple[Codes, Array]:
        """Return the rows of the sample and their distances; those of the last sample are kept."""
        n = len(self.X)
        rows = np.arange(n) if n <= PAIRS else sample_rows(codes, self._order, PAIRS, _LEAST)
        last = self._sampled
        if last is None or not np.array_equal(last[0], rows):
            self._sampled = None  # before another array is made
            points = self.X[rows]
            last = self._sampled = rows, cdist(points, points)
        return last


class LastJudges:
    """Judges of the points that were given last, so that many labellings of them share what they can.

    Parameters
    ----------
    seed : int
        Seed of the judges.

    Notes
    -----
    Only the last points are kept, because the arrays of their judges are large. A pickled instance has none.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._last: tuple[object, Judges] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_seed": self._seed, "_last": None}

    def __call__(self, X: ArrayLike, kernel: str = "rbf") -> Judges:
        """Return the judges of some points, the same ones if the points are the same object as before."""
        if self._last is None or self._last[0] is not X or self._last[1].kernel != kernel:
            self._last = X, Judges(X, random_state=self._seed, kernel=kernel)
        return self._last[1]


def _checked(labels: ArrayLike, n: int) -> NDArray[Any]:
    given = column_or_1d(labels)
    if len(given) != n:
        raise ValueError(f"There are {n} points, but {len(given)} labels. Give one label for each point.")
    if given.dtype.kind == "f" and np.isnan(given).any():
        raise ValueError("Some labels are NaN. Leave out points without a label, or give these a label.")
    return given


def _codes(labels: NDArray[Any]) -> Codes:
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)
