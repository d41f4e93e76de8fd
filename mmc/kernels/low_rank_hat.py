"""The hat matrix of [UMC-RLS] as a product of n×r arrays, from the features of `mmc.kernels.low_rank`.

The penalty of the two graphs is λ times the roughness of a model on the graph, in units in which the same λ
suits the Gaussian kernel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mmc.kernels.factor import Factor, ridge_factor
from mmc.kernels.low_rank import Approximation
from mmc.kernels.neighbors import Array, Floats

#: Roughness of a model on a graph, in units that suit the λ of the Gaussian kernel.
_ROUGHNESS = 4.0


class LowRank(NamedTuple):
    """A factor of the hat matrix, and the rows in which spectral clustering looks for clusters.

    Attributes
    ----------
    factor : Factor
        W, and its rows for new points.
    embedding : ndarray of shape (n_samples, n_clusters) or None
        Leading eigenvectors of the graph; None if the kernel is not a graph.
    """

    factor: Factor
    embedding: Floats | None


def low_rank_hat(
    kernel: Approximation, alpha: float, *, n_clusters: int, fit_intercept: bool, weights: Array | None
) -> LowRank:
    """Factor the hat matrix of ridge regression on features.

    Parameters
    ----------
    kernel : Approximation
        Features.
    alpha : float
        λ.
    n_clusters : int
        k.
    fit_intercept : bool
        Whether models of landmarks have an intercept; on graphs the first eigenvector plays its part.
    weights : ndarray of shape (n_samples,) or None
        Weights of the points in the ridge models; the features do not depend on them.

    Returns
    -------
    LowRank
    """
    G, raw, roughness = kernel
    penalties, has_mean = penalties_of(roughness, G.shape[1], alpha, fit_intercept=fit_intercept)
    factor = ridge_factor(G, raw, penalties, fit_intercept=has_mean, weights=weights)
    return LowRank(factor, None if roughness is None else G[:, :n_clusters])


def penalties_of(roughness: Array | None, r: int, alpha: float, *, fit_intercept: bool) -> tuple[Array, bool]:
    """Return the penalty of each feature, and whether the features are centred.

    Parameters
    ----------
    roughness : ndarray of shape (r,) or None
        Of the features of a graph; None for landmarks of another kernel.
    r : int
        Number of features.
    alpha : float
        λ.
    fit_intercept : bool
        Whether models of landmarks have an intercept.

    Returns
    -------
    penalties : ndarray of shape (r,)
    fit_intercept : bool
    """
    if roughness is None:
        return np.full(r, alpha), fit_intercept
    return _ROUGHNESS * alpha * roughness, False
