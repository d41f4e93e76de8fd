"""Features of points in parts, and the factor of the hat matrix, from sums over the parts.

Landmarks are chosen from a sample of all parts, here; everything else is a sum over parts, merged in their
order: what the scales and the matrix of a landmark graph need, and the moments of ridge regression. Rows of
features never leave their part. Nyström's features measure the width of their kernel in the sample, and
principal components are those of the sample.

The sums are those of `mmc.kernels.landmark_graph` and `mmc.kernels.factor`, to which they are equal up to
rounding.

Costs: four passes over the parts. What travels is the sample, and for each part at most the entries of a p×p
matrix that are not zero, and r² numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse import csr_array

from mmc._fast import parts as loops
from mmc._threads import one_thread
from mmc.kernels.dense import Kernel, require_memory
from mmc.kernels.factor import Features
from mmc.kernels.landmark_graph import LandmarkGraph, graph_transform, graph_weights, landmark_scales
from mmc.kernels.landmarks import Nystroem, choose_landmarks, fit_nystroem
from mmc.kernels.local_scaling import require_squares
from mmc.kernels.neighbors import Array, Components, Floats, feature_type, fit_components, nearest_of
from mmc.parts import PartedTable, Parts

#: Rows of the sample for each landmark, and the least number.
_SAMPLE, _LEAST = 20, 5_000

#: Points whose features are computed at a time.
_ROWS = 20_000


class Near(NamedTuple):
    """The nearest landmarks of the points of a part."""

    distances: Array
    indices: NDArray[np.int32]


class PartedApproximation(NamedTuple):
    """Features that stand for a kernel.

    Attributes
    ----------
    G : Parts
        Features of the points, computed whenever they are needed.
    raw : callable
        Returns the features of new points.
    roughness : ndarray of shape (r,) or None
        1 − μ of each feature of a graph; None for landmarks of another kernel.
    """

    G: Parts
    raw: Any
    roughness: Array | None

    @property
    def r(self) -> int:
        """Number of features."""
        return int(self.raw.transform.shape[1])


def sample_of(table: PartedTable, p: int, rng: np.random.RandomState) -> Array:
    """Draw the rows from which p landmarks, widths and starts are found."""
    m = min(table.n, max(_SAMPLE * p, _LEAST))
    require_memory(m, 3, table.n_features, instead="Or choose a smaller n_landmarks.")
    sample = table.sample(m, rng)
    require_squares(sample)
    return sample


def parted_landmark_graph(
    table: PartedTable, sample: Array, t: int, p: int, r: int, how: str, rng: np.random.RandomState
) -> PartedApproximation:
    """Return the leading features of a landmark graph.

    Parameters
    ----------
    table : PartedTable
        Training points.
    sample : ndarray of shape (m, n_features)
        Rows of them.
    t, p, r, how, rng
        As for `mmc.kernels.landmark_graph.landmark_graph`.

    Returns
    -------
    PartedApproximation
    """
    if table.spread == 0.0:
        raise ValueError("All points are equal, so that no distance can set a width. Check the columns.")
    with one_thread():
        found = fit_components(sample)
        components = found if found.mean is None else replace(found, mean=table.mean)
        landmarks = choose_landmarks(components(sample), p, how, rng)
    t = min(t, len(landmarks))
    near = table.parts.kept(_nearest, components, landmarks, t)
    sums = near.call(_scale_sums, len(landmarks))
    counts, totals, total, n_positive = (sum(each[1:], start=each[0]) for each in zip(*sums, strict=True))
    scales = landmark_scales(counts, totals, total / n_positive if n_positive else 1.0)
    columns, products = np.zeros(len(landmarks)), np.zeros((len(landmarks), len(landmarks)))
    for column, product in near.call(_graph_sums, scales):
        columns += column
        products += product
    transform, values = graph_transform(columns, products, r)
    transform = transform.astype(feature_type(table.n))
    graph = LandmarkGraph(components, landmarks, scales, t, transform, values)
    G = near.viewed(_graph_features, scales, transform)
    return PartedApproximation(G, graph, np.maximum(1.0 - np.sqrt(values), 0.0))


def parted_nystroem(
    table: PartedTable,
    sample: Array,
    parameters: dict[str, Any],
    p: int,
    how: str,
    rng: np.random.RandomState,
) -> PartedApproximation:
    """Return Nyström's features of a kernel from landmarks.

    Parameters
    ----------
    table : PartedTable
        Training points.
    sample : ndarray of shape (m, n_features)
        Rows of them.
    parameters : dict
        Parameters of the kernel, for `mmc.kernels.dense.fit_landmark_kernel`.
    p, how, rng
        As for `mmc.kernels.landmarks.choose_landmarks`.

    Returns
    -------
    PartedApproximation
    """
    with one_thread():
        landmarks = choose_landmarks(sample, p, how, rng)
        features = fit_nystroem(sample, landmarks, parameters, rng)
    features = replace(features, dtype=feature_type(table.n))
    return PartedApproximation(table.parts.viewed(_raw_features, features), features, None)


def ridge_features(kernel: PartedApproximation, n: int, penalties: Array, *, fit_intercept: bool) -> Features:
    """Find the factor of the hat matrix of ridge regression on features.

    Parameters
    ----------
    kernel : PartedApproximation
        Features.
    n : int
        Number of points.
    penalties : ndarray of shape (r,)
        Penalty of each coefficient.
    fit_intercept : bool
        Whether there is an unpenalised intercept.

    Returns
    -------
    Features
        Rows of the factor for any points.
    """
    r = len(penalties)
    mean = None
    if fit_intercept:
        mean = np.sum(kernel.G.call(_column_sums), axis=0) / n
    shift = np.zeros(r) if mean is None else mean
    moments = np.zeros((r, r))
    for part in kernel.G.call(_moments, shift):
        moments += part
    moments[np.diag_indices_from(moments)] += penalties
    transform = linalg.inv(linalg.cholesky(moments, lower=True)).T
    return Features(kernel.raw, np.ascontiguousarray(transform), mean, n)


def factor_rows(G: Parts, features: Features) -> Parts:
    """Compute the rows of the factor, and keep them where the points are.

    Parameters
    ----------
    G : Parts
        Features of the points.
    features : Features
        Rows of the factor for any points.

    Returns
    -------
    Parts
    """
    return G.kept(_factor_rows, features.transform, features.mean, features.n)


def again(table: PartedTable, raw: Any) -> Parts:
    """Return the features of the points of a table, whose landmarks were found before.

    Parameters
    ----------
    table : PartedTable
        Training points.
    raw : LandmarkGraph or Nystroem
        Features of any points.

    Returns
    -------
    Parts
    """
    if isinstance(raw, Nystroem):
        return table.parts.viewed(_raw_features, raw)
    near = table.parts.viewed(_nearest, raw.components, raw.landmarks, raw.n_neighbors)
    return near.viewed(_graph_features, raw.scales, raw.transform)


def raw_arrays(raw: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the words and numbers, and the arrays, that describe features; `raw_of` makes them again."""
    if isinstance(raw, Nystroem):
        kernel = raw.kernel
        assert isinstance(kernel, Kernel)  # a function as a kernel is for mixtures alone
        words = {"dtype": raw.dtype.name, "kernel": kernel.name}
        numbers = {name: getattr(kernel, name) for name in ("gamma", "degree", "coef0")}
        return {**words, **numbers}, {"landmarks": kernel.X, "transform": raw.transform}
    arrays = {name: getattr(raw, name) for name in ("landmarks", "scales", "transform", "values")}
    parts = {"mean": raw.components.mean, "axes": raw.components.axes}
    arrays.update({name: value for name, value in parts.items() if value is not None})
    return {"kernel": "landmark_graph", "n_neighbors": raw.n_neighbors}, arrays


def raw_of(words: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> LandmarkGraph | Nystroem:
    """Return the features that `raw_arrays` has described."""
    if words["kernel"] != "landmark_graph":
        gamma, degree, coef0 = (float(words[name]) for name in ("gamma", "degree", "coef0"))
        kernel = Kernel(words["kernel"], arrays["landmarks"], gamma, degree, coef0)
        return Nystroem(kernel, arrays["transform"], np.dtype(words["dtype"]))
    components = Components(arrays.get("mean"), arrays.get("axes"))
    rest = (arrays["scales"], int(words["n_neighbors"]), arrays["transform"], arrays["values"])
    return LandmarkGraph(components, arrays["landmarks"], *rest)


def _nearest(points: Array, components: Components, landmarks: Array, t: int) -> Near:
    distances = np.empty((len(points), t))
    indices = np.empty((len(points), t), dtype=np.int32)
    with one_thread():
        for first in range(0, len(points), _ROWS):
            rows = slice(first, first + _ROWS)
            found = nearest_of(landmarks, components(points[rows]), t)
            distances[rows], indices[rows] = found
    return Near(distances, indices)


def _scale_sums(near: Near, p: int) -> tuple[NDArray[np.integer], NDArray[Any], float, int]:
    """Return what landmarks are nearest to, and the sums of the distances to the t-th landmark."""
    nearest, own = near[1][:, 0], near[0][:, -1]
    counts = np.bincount(nearest, minlength=p)
    return counts, np.bincount(nearest, own, p), float(own.sum()), int((own > 0).sum())


def _graph_sums(near: Near, scales: Array) -> tuple[Array, csr_array]:
    Z = graph_weights(near[0], near[1], scales)
    return np.asarray(Z.sum(axis=0)).ravel(), csr_array(Z.T @ Z)


def _graph_features(near: Near, scales: Array, transform: Floats) -> Floats:
    G = np.empty((len(near[0]), transform.shape[1]), dtype=transform.dtype)
    for first in range(0, len(G), _ROWS):
        rows = slice(first, first + _ROWS)
        G[rows] = graph_weights(near[0][rows], near[1][rows], scales) @ transform
    return G


def _raw_features(points: Array, features: Any) -> Floats:
    with one_thread():
        return np.asarray(features(points))


def _column_sums(G: Floats) -> Array:
    return np.asarray(G.sum(axis=0, dtype=np.float64))


def _moments(G: Floats, shift: Array) -> Array:
    result = np.zeros((G.shape[1], G.shape[1]))
    loops.moments(G, shift, result)
    return result


def _factor_rows(G: Floats, transform: Array, mean: Array | None, n: int) -> Floats:
    W = np.empty((len(G), G.shape[1] + (mean is not None)), dtype=G.dtype)
    shift = np.zeros(G.shape[1]) if mean is None else mean
    loops.product(G, transform, shift, W)
    if mean is not None:
        W[:, -1] = n**-0.5
    return W
