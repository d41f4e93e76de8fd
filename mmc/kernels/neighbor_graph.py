"""The graph of nearest neighbours as a kernel of low rank.

Every point is linked to its t nearest neighbours, by weights exp(−d²/(σ_i σ_j)) in which σ_i is the distance
from x_i to its seventh neighbour (to its t-th if t < 7, and to a nearer one below 61 points); W is the larger
of both directions, without loops.
The eigenvectors v_1, …, v_r of S = D^-½ W D^-½ with the largest eigenvalues μ are the features. Ridge
regression on them whose penalty is the roughness on the graph, λ fᵀ(I − S) f, has the hat matrix

    R = Σ_i v_i v_iᵀ / (1 + λ (1 − μ_i)),

that of the kernel Σ_i v_i v_iᵀ / (1 − μ_i). The first eigenvector of each connected component has μ = 1 and
is not penalised: it plays the part of an intercept.

A new point x gets the features S(x, ·) v_i / μ_i from its own t nearest neighbours (Nyström's formula). A
point that equals a training point has the features of that point.

Exact are the eigenvectors up to 5,000 distinct points, to ten digits; beyond, they are float32 and may have a
relative error of a hundredth (see `mmc.kernels.spectral`). `mmc.kernels.neighbors` says which neighbours are
exact.

Defined are: equal points (one vertex of the graph; they count as often as they occur when models are fitted),
fewer other points than t (all are neighbours), disconnected graphs (the eigenvectors of each component,
larger components first), and points so far from all others that their weights vanish (a weight is at least
1e-10). Eigenvalues below 0.01 are left out, so that r may be smaller than asked for.

Costs for m points: the neighbours, then Lanczos iterations of m (t + r) multiplications, in memory m r.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from mmc._points import Points
from mmc.kernels.local_scaling import Neighborhood, find_neighbors
from mmc.kernels.neighbors import SAME, Floats, nearest_of
from mmc.kernels.spectral import Accuracy, Array, Spectrum, degree_roots, normalized_spectrum

#: The neighbour whose distance is the scale of a point.
_SCALE = 7

#: Smallest weight of a link.
FAINT = 1e-10

#: Smallest eigenvalue of a feature; the features of new points are divided by it.
_SMALLEST = 0.01


@dataclass(frozen=True, eq=False)
class NeighborGraph:
    """A graph of nearest neighbours.

    Attributes
    ----------
    neighborhood : Neighborhood
        Distinct points, which are the vertices, and their neighbours.
    scales : ndarray of shape (n_vertices,)
        σ of each vertex.
    n_neighbors : int
        t.
    matrix : csr_array of shape (n_vertices, n_vertices)
        W.
    """

    neighborhood: Neighborhood
    scales: Array
    n_neighbors: int
    matrix: csr_array

    @property
    def vertex(self) -> NDArray[np.int64]:
        """Vertex of each sample."""
        return self.neighborhood.vertex

    @property
    def n_vertices(self) -> int:
        """Number of distinct points."""
        return len(self.scales)

    def spectrum(self, r: int, *, rough: bool) -> Spectrum:
        """Return up to r leading eigenvectors of S, all with eigenvalues of at least 0.01.

        Parameters
        ----------
        r : int
            Number of eigenvectors.
        rough : bool
            Whether the accuracy "rough" of `mmc.kernels.spectral` is enough.

        Returns
        -------
        Spectrum
        """
        accuracy: Accuracy = "rough" if rough else "full"
        values, vectors = normalized_spectrum(self.matrix, min(r, self.n_vertices), accuracy=accuracy)
        kept = values >= _SMALLEST
        return Spectrum(values[kept], vectors[:, kept])


@dataclass(frozen=True, eq=False)
class GraphFeatures:
    """Features of any points from the eigenvectors of a graph.

    Attributes
    ----------
    graph : NeighborGraph
    spectrum : Spectrum
        Eigenvectors of S.
    """

    graph: NeighborGraph
    spectrum: Spectrum

    @property
    def n_compared(self) -> int:
        """Number of values that one array holds of a new point: those of its neighbours and features."""
        return 4 * self.graph.n_neighbors + len(self.spectrum.values)

    def factors(self, X: Points) -> tuple[Floats, Array | None]:
        """Return the features of points, which are no product of two arrays."""
        return self(X), None

    def __call__(self, X: Points) -> Floats:
        """Return the features of points.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_points, n_features)

        Returns
        -------
        ndarray of shape (n_points, r)
        """
        graph, (values, vectors) = self.graph, self.spectrum
        t = graph.n_neighbors
        near = nearest_of(graph.neighborhood.centred, graph.neighborhood.centre(X), t)
        own = _positive_scales(near.distances[:, scale_rank(graph.n_vertices, t) - 1], graph.scales)
        weights = _weights(near.distances, own[:, None], graph.scales[near.indices])
        weights /= np.sqrt(weights.sum(axis=1, keepdims=True)) * degree_roots(graph.matrix)[near.indices]
        pointers = np.arange(0, weights.size + 1, t)
        rows = csr_array(
            (weights.ravel(), near.indices.ravel(), pointers), shape=(X.shape[0], graph.n_vertices)
        )
        features = np.asarray(rows @ (vectors / values)).astype(vectors.dtype)
        same = near.distances[:, 0] <= SAME * graph.scales[near.indices[:, 0]]
        features[same] = vectors[near.indices[same, 0]]
        return features


def neighbor_graph(X: Points, n_neighbors: int) -> NeighborGraph:
    """Build the graph of nearest neighbours.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    n_neighbors : int
        t; more than there are other points means all of them.

    Returns
    -------
    NeighborGraph
    """
    return graph_of(find_neighbors(X, n_neighbors), n_neighbors)


def graph_of(neighborhood: Neighborhood, n_neighbors: int) -> NeighborGraph:
    """Build the graph from neighbours that have been found."""
    t = min(n_neighbors, neighborhood.most)
    D = neighborhood.distances
    scales = _positive_scales(D.data[D.indptr[:-1] + scale_rank(D.shape[0], t) - 1], None)
    rows = np.repeat(np.arange(len(scales)), t)
    places = (D.indptr[:-1, None] + np.arange(t)).ravel()
    columns = D.indices[places]
    weights = _weights(D.data[places], scales[rows], scales[columns])
    one_way = csr_array((weights, (rows, columns)), shape=D.shape)
    return NeighborGraph(neighborhood, scales, t, csr_array(one_way.maximum(one_way.T)))


def scale_rank(m: int, t: int) -> int:
    """Return which neighbour sets the scale: the seventh, or a nearer one for few points or neighbours.

    Parameters
    ----------
    m : int
        Number of vertices.
    t : int
        Number of neighbours.

    Returns
    -------
    int
        1 is the nearest.
    """
    return min(_SCALE, t, -(-m // 10))


def _weights(distances: Array, own: Array, other: Array) -> Array:
    return np.maximum(np.exp(-(distances / own) * (distances / other)), FAINT)


def _positive_scales(scales: Array, known: Array | None) -> Array:
    """Replace scales of zero by the smallest positive one."""
    positive = scales[scales > 0] if known is None else known
    if len(positive) == 0:
        raise ValueError("All points are as good as equal, so that no distance can set a width.")
    return np.where(scales > 0, scales, positive.min())
