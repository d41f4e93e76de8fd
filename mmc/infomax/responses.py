"""From eigenvectors to class posteriors: signs, responses, and points without a response.

In [SMIC] section 2.3 the response of cluster y at x is

    π_y max(0, Σ_i K(x, x_i) φ̃_y,i) / (λ_y Σ_i max(0, φ̃_y,i)),

and the posterior is its share of all responses. A point at which no cluster has a positive response takes the
posterior of the nearest training point that has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin

from mmc._points import Points, middle, shifted
from mmc._threads import threads_kept
from mmc.infomax.graph import Graph
from mmc.kernels.spectral import Array, Matrix, Spectrum

#: A response below this share of the highest response of a cluster is a rounding error.
_FLOOR = 1e-10

#: Largest number of rounds in which class priors are adapted.
_MOST_ROUNDS = 50


class Posterior(NamedTuple):
    """Class posteriors, and the points at which no cluster has a positive response."""

    values: Array
    unresponsive: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Model:
    """The responses of a number of eigenvectors.

    Attributes
    ----------
    graph : Graph
    spectrum : Spectrum
        Eigenvalues and signed eigenvectors of the (normalised) kernel.
    coefficients : ndarray of shape (n_vertices, n_used)
        α of each cluster, scaled so that K α is its response.
    responses : ndarray of shape (n_vertices, n_used)
        Responses at the vertices.
    normalized : bool
        Whether responses are divided by the root of a point's degree, as those at the vertices are.
    cluster : ndarray of shape (n_clusters,) or None
        Cluster of each eigenvector; None if they are numbered alike.
    """

    graph: Graph
    spectrum: Spectrum
    coefficients: Array
    responses: Array
    normalized: bool
    cluster: NDArray[np.int64] | None = None

    def cluster_of(self, y: int) -> int:
        """Return the cluster of an eigenvector."""
        return y if self.cluster is None else int(self.cluster[y])

    def posterior(self, X: Points, rows: Matrix) -> Posterior:
        """Return the class posteriors of new points.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_points, n_features)
        rows : ndarray or csr_array of shape (n_points, n_vertices)
            Kernel values of the points.

        Returns
        -------
        Posterior
        """
        responses = np.asarray(rows @ self.coefficients)
        if self.normalized:
            copies = self.graph.copies
            degree = np.asarray(rows.sum(axis=1) if copies is None else rows @ copies).reshape(-1, 1)
            responses /= np.sqrt(np.where(degree > 0, degree, 1.0))
        return self._shares(responses, self.graph.project(X), rows)

    def _shares(self, responses: Array, points: Points | None, rows: Matrix) -> Posterior:
        positive, own = self._positive(responses), self._positive(self.responses)
        unresponsive = positive.sum(axis=1) == 0
        responding = np.flatnonzero(own.sum(axis=1) > 0)
        if unresponsive.any():
            positive[unresponsive] = own[
                responding[_nearest(self.graph.points, points, rows, unresponsive, responding)]
            ]
        values = np.zeros((len(responses), len(self.spectrum.values)))
        used = slice(positive.shape[1]) if self.cluster is None else self.cluster[: positive.shape[1]]
        values[:, used] = positive / positive.sum(axis=1, keepdims=True)
        # Rounding must not decide between clusters with equal posteriors; the first one wins.
        return Posterior(np.round(values, 10), unresponsive)

    def _positive(self, responses: Array) -> Array:
        return np.where(responses > _FLOOR * self.responses.max(axis=0), np.maximum(responses, 0.0), 0.0)


class Adapted(NamedTuple):
    """A model with the class priors that its clusters gave, and after how many rounds."""

    model: Model
    posterior: Posterior
    prior: Array
    n_rounds: int


def fit_model(
    graph: Graph, spectrum: Spectrum, prior: Array, used: int, *, normalized: bool
) -> tuple[Model, Posterior]:
    """Return the model of the first eigenvectors, and the posteriors at the vertices.

    Parameters
    ----------
    graph : Graph
    spectrum : Spectrum
        Signed eigenvectors. Those whose eigenvalue is not positive have no response.
    prior : ndarray of shape (n_clusters,)
        Class priors.
    used : int
        Number of eigenvectors.
    normalized : bool
        Whether the eigenvectors are those of the normalised kernel.

    Returns
    -------
    model : Model
    posterior : Posterior
    """
    values = spectrum.values[:used]
    positive = values > _FLOOR * abs(spectrum.values[0])
    phi = np.where(positive, spectrum.vectors[:, :used], 0.0)
    mass = graph.multiplicity @ np.maximum(phi, 0.0)
    weight = np.divide(prior[:used], mass, out=np.zeros(used), where=mass > 0)
    coefficients = phi * (weight / np.where(positive, values, 1.0))
    if normalized:
        coefficients /= graph.degree_roots()[:, None]
    if graph.copies is not None:
        coefficients *= graph.copies[:, None]
    model = Model(graph.light(), spectrum, coefficients, phi * weight, normalized)
    found = model._shares(model.responses, graph.points, graph.matrix)
    if graph.unit is not None:  # one posterior for each unit, whatever rounding does
        first = np.unique(graph.unit, return_index=True)[1][graph.unit]
        found = Posterior(found.values[first], found.unresponsive[first])
    return model, found


def adapted_model(graph: Graph, spectrum: Spectrum, prior: Array, *, normalized: bool) -> Adapted:
    """Cluster, take the shares of the clusters as class priors, and again, until they repeat ([SMIC] sec. 5).

    As everywhere the priors are sorted, and the leading eigenvector gets the smallest.

    Parameters
    ----------
    graph : Graph
    spectrum : Spectrum
        Signed eigenvectors, all of which are used.
    prior : ndarray of shape (n_clusters,)
        Class priors to begin with, in increasing order.
    normalized : bool
        Whether the eigenvectors are those of the normalised kernel.

    Returns
    -------
    Adapted
    """
    total, seen = graph.multiplicity.sum(), []
    while True:
        model, posterior = fit_model(graph, spectrum, prior, len(prior), normalized=normalized)
        seen.append(prior)
        sizes = np.bincount(posterior.values.argmax(axis=1), graph.multiplicity, len(prior))
        found = np.sort(np.maximum(sizes, 1.0) / total)
        found /= found.sum()
        # Labels change with the priors in jumps, so that these settle, or go round, within a few rounds.
        if len(seen) > _MOST_ROUNDS or any(np.allclose(found, other, atol=1e-9) for other in seen):
            return Adapted(model, posterior, prior, len(seen) - 1)
        prior = found


def signs(vectors: Array, multiplicity: NDArray[np.int64] | Array) -> Array:
    """Return the signs that make the sums of the columns positive, or else their largest entries."""
    sums = multiplicity @ vectors
    unclear = np.abs(sums) <= 1e-10 * (multiplicity @ np.abs(vectors))
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return np.where(np.where(unclear, largest, sums) < 0, -1.0, 1.0)


@threads_kept()
def _nearest(
    vertices: Points | None,
    points: Points | None,
    rows: Matrix,
    unresponsive: NDArray[np.bool_],
    responding: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Find for each row without a response the nearest vertex with one, or the most similar one."""
    if vertices is None or points is None:
        return np.asarray(np.asarray(rows)[np.ix_(unresponsive, responding)].argmax(axis=1), dtype=np.int64)
    # Distances do not depend on the origin, but their rounding errors do.
    centre = middle(vertices)
    new, known = shifted(points[unresponsive], centre), shifted(vertices[responding], centre)
    near = pairwise_distances_argmin(new, known)
    return np.asarray(near, dtype=np.int64)
