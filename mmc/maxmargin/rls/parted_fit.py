"""A fit of [UMC-RLS] to a table in parts: landmarks, features, starts, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_random_state

from mmc._blocks import block_rows
from mmc._threads import one_thread
from mmc._warnings import warnings_kept
from mmc.errors import ClusterLostError
from mmc.kernels.factor import Features
from mmc.kernels.low_rank import GRAPHS, n_features_of, n_landmarks_of, n_near_of, require_landmarks
from mmc.kernels.low_rank_hat import penalties_of
from mmc.kernels.neighbors import Array, Floats, feature_type
from mmc.kernels.parted import (
    PartedApproximation,
    again,
    factor_rows,
    parted_landmark_graph,
    parted_nystroem,
    ridge_features,
    sample_of,
)
from mmc.kernels.spectral import unit_rows
from mmc.maxmargin.rls.checkpoint import Checkpoint, read_checkpoint
from mmc.maxmargin.rls.labelling import Labels, Position, RLSState
from mmc.maxmargin.rls.part import label_type
from mmc.maxmargin.rls.parted_search import PartedSearch, PartedState
from mmc.parts import PartedTable, Parts, lazily
from mmc.starts import Start, checked_labels
from mmc.stepping import State, Step

#: Seconds between two writings of the file that keeps the progress.
_SECONDS = 60.0


class PartedStart(NamedTuple):
    """Where a search begins.

    Attributes
    ----------
    origin : str
        "random", "k-means++", "spectral" or "given".
    values : ndarray
        Seeds of random numbers, centres in the space of points or of eigenvectors, or labels.
    """

    origin: str
    values: NDArray[Any]


class _Model(Protocol):
    """Parameters of an estimator."""

    n_clusters: int
    kernel: str
    alpha: float
    n_landmarks: int | None
    landmarks: str
    n_components: int | None
    fit_intercept: bool
    init: str | ArrayLike
    random_state: int | np.random.RandomState | None


@dataclass
class PartedProblem:
    """What stays fixed during the search, and how far it is.

    Attributes
    ----------
    table : PartedTable
    W : Parts
        Rows of the factor.
    features : Features
        Rows of the factor for new points.
    starts : list of PartedStart
    about : mapping
        What a file of the progress must agree with.
    done : Checkpoint or None
        Progress that was read from the file.
    """

    table: PartedTable
    W: Parts
    features: Features
    starts: list[PartedStart]
    about: Mapping[str, Any]
    done: Checkpoint | None = None
    ends: list[PartedState] = field(default_factory=list)
    search: PartedSearch | None = None
    latest: PartedState | None = None

    def starts_of(
        self, states: Callable[..., Iterator[RLSState]], k: int, *, sizes_are_free: bool
    ) -> tuple[int, Iterable[Iterable[State]]]:
        """Return the number of starts, and the states of each; what has ended before ends again at once."""
        n_starts = len(self.starts)
        past = [] if self.done is None else self.done.ends

        def of(i: int) -> Iterator[State]:
            if i < len(past):
                yield past[i]
                return
            search = PartedSearch(
                self.W, self.table.sizes, feature_type(self.table.n), k, sizes_are_free=sizes_are_free
            )
            self.search = search
            begun = None if self.done is None or i > len(past) else self.done.state
            if begun is None or self.done is None:
                self._begin(search, self.starts[i])
            else:
                search.resume(begun, self.done.position)
            try:
                yield from states(search, Start(np.empty(0, np.int64), self.starts[i].origin), i / n_starts)
            finally:
                search.close()

        return n_starts, (of(i) for i in range(n_starts))

    def kept(self, steps: Iterator[Step]) -> Iterator[Step]:
        """Pass the steps on, and write the progress now and then, and when the cluster is lost."""
        path, written = self.table.resume, monotonic()
        try:
            for step in steps:
                state = step.state
                assert isinstance(state, PartedState)
                if step.status == "running":
                    self.latest = state
                else:
                    self.ends.append(state)
                    self.latest = None
                is_end = step.status != "running"
                if path is not None and self._is_ahead and (is_end or monotonic() - written > _SECONDS):
                    self.write(path)
                    written = monotonic()
                yield step
        except ClusterLostError as error:
            if path is None:
                remedy = "With open_parts(…, resume=FILE) a fit keeps its progress and can be taken up again."
            else:
                if self._is_ahead:
                    self.write(path)
                remedy = f"{path} keeps what was done: the same fit with another cluster goes on from there."
            raise ClusterLostError(f"{error} {remedy}") from error

    @property
    def _is_ahead(self) -> bool:
        """Whether there is more to write than the file had that the fit goes on from."""
        past = 0 if self.done is None else len(self.done.ends)
        return self.done is None or (len(self.ends), self.latest is not None) > (past, False)

    def write(self, path: Path) -> None:
        """Write the progress to a file."""
        position = Position() if self.search is None or self.latest is None else self.search.position
        Checkpoint(self.ends, self.latest, position, self.features, self.starts).write(path, self.about)

    def _begin(self, search: PartedSearch, start: PartedStart) -> None:
        table, (origin, values) = self.table, start
        if origin == "random":
            seed = [int(v) for v in values]
            each = [([*seed, p], int(first)) for p, first in enumerate(table.firsts)]
            search.begin("begin_randomly", each=each)
        elif origin == "spectral":
            search.begin("begin_nearest", *spectral_projection(self.features, values))
        elif origin == "given":
            search.begin("begin", each=table.in_parts(values))
        else:
            search.begin("begin", each=table.parts.call(_nearest_seed, values))


def prepare_parts(
    table: PartedTable,
    *,
    model: _Model,
    parameters: dict[str, Any],
    is_refined: bool,
    n_init: int,
    about: Mapping[str, Any],
) -> PartedProblem:
    """Choose landmarks and starts from a sample, and compute the factor where the points are.

    Parameters
    ----------
    table : PartedTable
        Training points.
    model : estimator
        Its parameters.
    parameters : dict
        Parameters of the kernel.
    is_refined : bool
        Whether a spectral start is added on a graph.
    n_init : int
        Number of starts.
    about : mapping
        Parameters that a file of the progress must agree with.

    Returns
    -------
    PartedProblem
    """
    k, init, is_graph = model.n_clusters, model.init, model.kernel in GRAPHS
    if model.kernel == "graph" or (not is_graph and model.n_landmarks is None):
        raise ValueError(
            f"kernel={model.kernel!r} needs all points in one place, and these are in parts. Use "
            'kernel="landmark_graph", or n_landmarks with another kernel.'
        )
    require_landmarks(model.kernel, model.n_landmarks)
    if not isinstance(init, str):
        init = checked_labels(init, table.n, k).astype(label_type(k))
        about = {**about, "init": blake2b(init.tobytes(), digest_size=16).hexdigest()}
    about = {**about, **_facts(table)}
    done = None if table.resume is None else read_checkpoint(table.resume, about)
    if done is not None:
        W = factor_rows(again(table, done.features.raw), done.features)
        starts = [PartedStart(*start) for start in done.starts]
        return PartedProblem(table, W, done.features, starts, about, done)
    rng = check_random_state(model.random_state)
    seed = int(rng.randint(2**31 - 1))
    p = n_landmarks_of(table.n, k, model.n_landmarks)
    sample = sample_of(table, p, rng)
    if is_graph:
        t = n_near_of(parameters["n_neighbors"])
        r = n_features_of(model.kernel, k, model.n_components)
        kernel = parted_landmark_graph(table, sample, t, p, r, model.landmarks, rng)
    else:
        parameters = {"kernel": model.kernel, **parameters}
        kernel = parted_nystroem(table, sample, parameters, p, model.landmarks, rng)
    _require_landmarks(kernel, k)
    penalties, has_mean = penalties_of(
        kernel.roughness, kernel.r, model.alpha, fit_intercept=model.fit_intercept
    )
    features = ridge_features(kernel, table.n, penalties, fit_intercept=has_mean)
    W = factor_rows(kernel.G, features)
    if not isinstance(init, str):
        return PartedProblem(table, W, features, [PartedStart("given", init)], about)
    starts = [
        PartedStart(init, np.array([seed, i]) if init == "random" else _seeds(sample, k, rng))
        for i in range(n_init)
    ]
    if is_graph and is_refined:
        starts.append(PartedStart("spectral", _centres(kernel.raw, sample, k, rng)))
    return PartedProblem(table, W, features, starts, about)


def predicted(
    X: Any, features: Features, coefficients: Array, n_features: int, names: tuple[str, ...] | None
) -> Any:
    """Return the labels of points in parts: those of a `PartedTable` now, those of Dask when computed."""
    own = X.names if isinstance(X, PartedTable) else tuple(map(str, getattr(X, "columns", ()))) or None
    d = X.n_features if isinstance(X, PartedTable) else len(own) if own else X.shape[1]
    if d != n_features:
        raise ValueError(f"X has {d} features, but the model was fitted to {n_features}.")
    if own and names and own != names:
        raise ValueError(f"X has the columns {', '.join(own)}, and the model those of {', '.join(names)}.")
    if isinstance(X, PartedTable):
        return np.concatenate(X.parts.call(_labels, features, coefficients))
    return lazily(X, partial(_labels, features=features, coefficients=coefficients), np.int64)


def spectral_projection(features: Features, centres: Array) -> tuple[Array, Array]:
    """Return what leads from rows of the factor to the leading eigenvectors, and the centres among them."""
    inverse = np.linalg.inv(features.transform)[:, : centres.shape[1]]
    return np.ascontiguousarray(inverse, dtype=np.float64), centres


def _facts(table: PartedTable) -> dict[str, Any]:
    """Return what tells one table from another; the last digits of sums may depend on the machine."""
    return {
        "parts": list(map(int, table.lengths)),
        "columns": None if table.names is None else list(table.names),
        "standardized": table.standardized,
        "means": [f"{value:.9g}" for value in table.means],
        "deviations": [f"{value:.9g}" for value in table.deviations],
    }


def _require_landmarks(kernel: PartedApproximation, k: int) -> None:
    n = len(kernel.raw.landmarks if hasattr(kernel.raw, "landmarks") else kernel.raw.kernel.X)
    if n < k:
        raise ValueError(
            f"n_clusters={k} is more than the {n} different landmarks. Choose fewer clusters or more "
            "landmarks (n_landmarks)."
        )


def _centres(raw: Callable[[Array], Floats], sample: Array, k: int, rng: np.random.RandomState) -> Array:
    """Return the centres of spectral clustering of the sample."""
    with one_thread(), warnings_kept():
        rows = unit_rows(raw(sample)[:, :k].astype(np.float64))
        found = KMeans(k, n_init=10, random_state=rng).fit(rows).cluster_centers_
    return np.asarray(found, dtype=np.float64)


def _seeds(sample: Array, k: int, rng: np.random.RandomState) -> Array:
    return np.asarray(kmeans_plusplus(sample, k, random_state=rng)[0])


def _nearest_seed(points: Array, seeds: Array) -> NDArray[Any]:
    with one_thread():
        return np.asarray(pairwise_distances_argmin(points, seeds)).astype(label_type(len(seeds)))


def _labels(points: Array, features: Features, coefficients: Array) -> Labels:
    """Return the clusters of the points of a part, of which a block at a time has features."""
    labels = np.empty(len(points), dtype=np.int64)
    size = block_rows(features.n_compared + coefficients.shape[1])
    for first in range(0, len(points), size):
        block = points[first : first + size]
        if not np.isfinite(block).all():
            raise ValueError("X has missing or infinite values. Fill them, or leave these rows out.")
        rows = features(block)
        labels[first : first + size] = (rows @ coefficients.T.astype(rows.dtype)).argmax(axis=1)
    return labels
