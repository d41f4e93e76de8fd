"""What a person would pick instead: scikit-learn's own clusterers, and a few that it does not have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.cluster import AgglomerativeClustering, KMeans, MeanShift, SpectralClustering
from sklearn.mixture import GaussianMixture

from mmc.registry._common import N_CLUSTERS, RANDOM_STATE
from mmc.registry._types import Algorithm, Parameter

_STARTS = Parameter(
    "n_init",
    "int",
    "Starts",
    "How many times to begin anew; the best end is kept.",
    1,
    50,
    advanced=True,
    swept=False,
)


def _baseline(
    estimator: type[BaseEstimator],
    summary: str,
    parameters: tuple[Parameter, ...],
    paper: str,
    *,
    max_samples: int = 5000,
    **more: Any,
) -> Algorithm:
    described = {"objective": "", "meaning": "", "tune": "", **more}
    return Algorithm(
        name=estimator.__name__,
        estimator=estimator,
        family="baselines",
        paper=paper,
        summary=summary,
        parameters=parameters,
        max_samples=max_samples,
        **described,
    )


_SCIKIT_LEARN = (
    _baseline(
        KMeans,
        "Puts each point to the nearest of k centres and each centre amid its points, by turns.",
        (N_CLUSTERS, replace(_STARTS, advanced=False), RANDOM_STATE),
        "MacQueen: Some Methods for Classification and Analysis of Multivariate Observations, 1967",
        objective="scatter",
        meaning="Squared distances of all points to their centres, added up; lower is tighter.",
        given={"n_clusters": 2, "n_init": 10},
    ),
    _baseline(
        SpectralClustering,
        "Cuts a graph of neighbours where few links hold it together, with k-means on its eigenvectors.",
        (
            N_CLUSTERS,
            Parameter(
                "n_neighbors",
                "int",
                "Neighbours",
                "How many neighbours a point is linked to, itself among them.",
                2,
                30,
            ),
            replace(_STARTS, help="How many times k-means begins anew on the eigenvectors."),
            RANDOM_STATE,
        ),
        "Shi and Malik: Normalized Cuts and Image Segmentation, 2000",
        tune="n_neighbors",
        given={"n_clusters": 2, "affinity": "nearest_neighbors"},
    ),
    _baseline(
        GaussianMixture,
        "Explains the points by k bell-shaped clouds, each with a share, a centre and a shape of its own.",
        (
            replace(N_CLUSTERS, name="n_components"),
            Parameter(
                "covariance_type",
                "choice",
                "Shape of the clouds",
                "full: any ellipse each. tied: one ellipse for all. diag: along the axes. spherical: round.",
                choices=("full", "tied", "diag", "spherical"),
            ),
            _STARTS,
            RANDOM_STATE,
        ),
        "Dempster, Laird and Rubin: Maximum Likelihood from Incomplete Data via the EM Algorithm, 1977",
        objective="−log likelihood",
        meaning="Minus the mean logarithm of how likely the clouds make a point; lower is better.",
        given={"n_components": 2},
    ),
    _baseline(
        AgglomerativeClustering,
        "Begins with every point alone and joins the two nearest clusters until k are left.",
        (
            N_CLUSTERS,
            Parameter(
                "linkage",
                "choice",
                "Distance of two clusters",
                "ward: how much scatter joining them adds. average, complete, single: the mean, largest or "
                "smallest distance of their points.",
                choices=("ward", "average", "complete", "single"),
            ),
        ),
        "Ward: Hierarchical Grouping to Optimize an Objective Function, 1963",
        given={"n_clusters": 2},
    ),
    _baseline(
        MeanShift,
        "Lets windows climb to where points are densest; each summit is a cluster, however many there are.",
        (
            Parameter(
                "bandwidth",
                "choice",
                "Radius of the window",
                "In the units of the columns. Small: many clusters. Large: few. Or estimated from the data.",
                choices=("estimated",),
                steps=(0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0),
                free=True,
                none="estimated",
            ),
        ),
        "Comaniciu and Meer: Mean Shift: A Robust Approach Toward Feature Space Analysis, 2002",
        max_samples=2000,
        tune="bandwidth",
        given={"bin_seeding": True},  # a window from every occupied cell; from every point it takes minutes
    ),
)

ENTRIES = _SCIKIT_LEARN
