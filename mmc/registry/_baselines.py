"""Baselines: clusterers of scikit-learn, and others that it does not have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.cluster import AgglomerativeClustering, KMeans, MeanShift, SpectralClustering
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

from mmc.baselines import (
    CLUHSIC,
    DIFFRAC,
    MNN,
    BlurringMeanShift,
    Genie,
    KernelKMeans,
    Lumbermark,
    SelfTuningSpectral,
)
from mmc.kernels import LENGTHS
from mmc.registry._common import ALPHA, KERNEL, N_CLUSTERS, RANDOM_STATE
from mmc.registry._limits import MOST_SAMPLES
from mmc.registry._types import Algorithm, Candidacy, Line, Parameter

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
_ROUNDS = Parameter(
    "max_iter",
    "int",
    "Rounds at most",
    "How many rounds a start may take.",
    1,
    300,
    advanced=True,
    swept=False,
)
_NEIGHBORS = Parameter(
    "n_neighbors",
    "int",
    "Neighbours",
    "How many neighbours a point is linked to; the seventh of them sets its own scale.",
    1,
    30,
)
_SHAPE = Parameter(
    "covariance_type",
    "choice",
    "Shape of the clouds",
    "full: any ellipse each. tied: one ellipse for all. diag: along the axes. spherical: round.",
    choices=("full", "tied", "diag", "spherical"),
)
_RANDOM = Line("begin with random labels of equal sizes", "start")
_MEANS = (
    Line("repeat until the scatter falls no more:"),
    Line("  take the mean of every cluster, and move every point to the nearest mean", "round"),
)
_BEST = Line("of all starts keep the one with the lowest scatter")
_KAPPA = tuple(10.0**i for i in range(-6, 2))


def _init(*choices: str) -> Parameter:
    return Parameter(
        "init",
        "choice",
        "How a start is made",
        "Random labels, or the nearest of k points spread out over the data.",
        choices=choices,
        advanced=True,
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
        title="k-means",
        formula="Σᵢ ‖xᵢ − centre of its cluster‖²",
        pseudo_code=(
            Line("begin with k centres, spread out over the points"),
            Line("repeat until no point moves:"),
            Line("  put every point to the nearest centre"),
            Line("  put every centre amid its points"),
            Line("of all starts keep the one with the lowest scatter", "end"),
        ),
        max_samples=MOST_SAMPLES,
        given={"n_clusters": 2, "n_init": 10},
        order=10,
    ),
    _baseline(
        SpectralClustering,
        "Cuts a graph of neighbours where few links hold it together, with k-means on its eigenvectors.",
        (
            N_CLUSTERS,
            replace(_NEIGHBORS, help="How many neighbours a point is linked to, itself among them.", low=2),
            replace(_STARTS, help="How many times k-means begins anew on the eigenvectors."),
            RANDOM_STATE,
        ),
        "Shi and Malik: Normalized Cuts and Image Segmentation, 2000",
        title="Spectral clustering",
        formula="Σₕ (links from cluster h to the others) / (all links of cluster h), relaxed",
        pseudo_code=(
            Line("link every point to its nearest neighbours"),
            Line("normalise the graph by the number of links of each point"),
            Line("take the k eigenvectors that change least along the links"),
            Line("cluster their rows by k-means", "end"),
        ),
        max_samples=10_000,
        tune="n_neighbors",
        given={"n_clusters": 2, "affinity": "nearest_neighbors"},
        order=11,
    ),
    _baseline(
        GaussianMixture,
        "Explains the points by k bell-shaped clouds, each with a share, a centre and a shape of its own.",
        (
            replace(N_CLUSTERS, name="n_components"),
            _SHAPE,
            _STARTS,
            RANDOM_STATE,
        ),
        "Dempster, Laird and Rubin: Maximum Likelihood from Incomplete Data via the EM Algorithm, 1977",
        title="Mixture of Gaussians",
        formula="−1/n Σᵢ log Σₕ πₕ N(xᵢ; μₕ, Σₕ)",
        pseudo_code=(
            Line("begin with the clouds that k-means suggests"),
            Line("repeat until the likelihood hardly rises:"),
            Line("  for every point compute how likely each cloud made it"),
            Line("  fit share, centre and shape of every cloud to the points, weighted so"),
            Line("put every point to its likeliest cloud", "end"),
        ),
        objective="−log likelihood",
        meaning="Minus the mean logarithm of how likely the clouds make a point; lower is better.",
        max_samples=MOST_SAMPLES,
        given={"n_components": 2},
        candidacies=(Candidacy({"n_init": 3}, rank=1, max_features=100),),
    ),
    _baseline(
        BayesianGaussianMixture,
        "A mixture of bell-shaped clouds with a prior that empties those which the points do not need.",
        (
            Parameter(
                "n_components",
                "int",
                "Clusters at most",
                "How many clouds there are to begin with; those that nothing speaks for end without points.",
                2,
                30,
            ),
            _SHAPE,
            _STARTS,
            RANDOM_STATE,
        ),
        "Attias: A Variational Bayesian Framework for Graphical Models, 2000",
        title="Mixture of Gaussians, Bayesian",
        formula="minus a lower bound of log p(X), with a Dirichlet process prior on the shares π",
        pseudo_code=(
            Line("begin with the clouds that k-means suggests"),
            Line("repeat until the bound hardly rises:"),
            Line("  for every point compute how likely each cloud made it"),
            Line("  update the distributions of shares, centres and shapes; their prior draws shares to 0"),
            Line("put every point to its likeliest cloud; clouds without points are no clusters", "end"),
        ),
        objective="−log evidence",
        meaning="Minus a lower bound of the logarithm of how likely all points are, up to a constant; "
        "lower is better.",
        max_samples=MOST_SAMPLES,
        tune="n_components",
        given={"n_components": 10},
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
        title="Hierarchical clustering",
        formula="each merge: the two clusters of smallest distance (ward: least added scatter)",
        pseudo_code=(
            Line("begin with every point alone"),
            Line("while there are more than k clusters:"),
            Line("  join the two clusters that are nearest"),
            Line("label the k clusters that are left", "end"),
        ),
        max_samples=10_000,  # an n×n array of distances: 0.8 GB
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
        title="Mean shift",
        formula="each window climbs the density of the points within its radius",
        pseudo_code=(
            Line("put windows all over the points"),
            Line("repeat until no window moves:"),
            Line("  put every window to the mean of the points within it"),
            Line("join windows that met, and put every point to the nearest", "end"),
        ),
        max_samples=5000,
        tune="bandwidth",
        given={"bin_seeding": True},  # a window from every occupied cell; from every point it takes minutes
    ),
)

_OWN = (
    _baseline(
        KernelKMeans,
        "k-means where distances are measured by a kernel, so that clusters may be curved.",
        (N_CLUSTERS, *KERNEL, _init("k-means++", "random"), _STARTS, _ROUNDS, RANDOM_STATE),
        "Girolami: Mercer Kernel-Based Clustering in Feature Space, 2002",
        pseudo_code=(
            Line("begin with random labels, or the nearest of k seeds", "start"),
            *_MEANS,
            _BEST,
        ),
        title="Kernel k-means",
        formula="Σᵢ ‖φ(xᵢ) − mean of φ over its cluster‖²",
        objective="scatter",
        meaning="Squared distances to the centres, as the kernel measures them; lower is tighter.",
        tune="width",
    ),
    _baseline(
        SelfTuningSpectral,
        "Spectral clustering in which every point measures distances by how close its own neighbours are.",
        (N_CLUSTERS, _NEIGHBORS, _STARTS, _ROUNDS, RANDOM_STATE),
        "Zelnik-Manor and Perona: Self-Tuning Spectral Clustering, 2005",
        max_samples=MOST_SAMPLES,
        pseudo_code=(
            Line(
                "link neighbours, normalise the graph and take its k leading eigenvectors, rows of length 1"
            ),
            Line("begin with the nearest of k seeds", "start"),
            *_MEANS,
            _BEST,
        ),
        title="Self-tuning spectral clustering",
        formula="Σᵢ ‖row i of the eigenvectors − mean row of its cluster‖²",
        objective="scatter",
        meaning="Squared distances to the centres among the eigenvectors; lower means cleaner parts.",
        tune="n_neighbors",
        candidacies=(Candidacy({"n_neighbors": 20}, rank=1),),
    ),
    _baseline(
        MNN,
        "Moves points one by one so that distances within clusters become small, small ones counting most.",
        (
            N_CLUSTERS,
            Parameter(
                "epsilon",
                "choice",
                "Smoothing ε",
                "Added to squared distances before the logarithm; 1/n is one over the number of points.",
                choices=("1/n",),
                steps=(0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 2.0),
                free=True,
            ),
            _init("random"),
            _STARTS,
            _ROUNDS,
            RANDOM_STATE,
        ),
        "Faivishevsky and Goldberger: A Nonparametric Information Theoretic Clustering Algorithm, 2010",
        pseudo_code=(
            _RANDOM,
            Line("repeat until no point moves:"),
            Line("  visit every point and move it where the entropy is lowest", "round"),
            Line("of all starts keep the one with the lowest entropy"),
        ),
        title="Nearest neighbours and entropy (MNN)",
        formula="Σₕ 1/(nₕ − 1) Σ over pairs i ≠ j within h of log(‖xᵢ − xⱼ‖² + ε s²)",
        objective="entropy",
        meaning="How spread out the clusters are, by the logarithms of their distances; lower is tighter.",
        tune="epsilon",
    ),
    _baseline(
        CLUHSIC,
        "Moves points one by one so that labels depend on the points as much as a kernel can tell.",
        (N_CLUSTERS, *KERNEL, _init("random"), _STARTS, _ROUNDS, RANDOM_STATE),
        "Song et al.: A Dependence Maximization View of Clustering, 2007",
        pseudo_code=(
            _RANDOM,
            Line("repeat until no point moves:"),
            Line("  visit every point and move it where the dependence is highest", "round"),
            Line("of all starts keep the one with the highest dependence"),
        ),
        title="Kernel dependence (CLUHSIC)",
        formula="−1/n² Σₕ ‖Σ over i in h of (φ(xᵢ) − mean of all)‖²",
        objective="−dependence",
        meaning="Minus how much points of one cluster are alike beyond what all points are; lower is better.",
        tune="width",
    ),
    _baseline(
        DIFFRAC,
        "Asks which labels a least-squares classifier would learn best, and reads them off eigenvectors.",
        (
            N_CLUSTERS,
            *KERNEL,
            replace(ALPHA, label="Regularisation κ", steps=_KAPPA),
            _STARTS,
            _ROUNDS,
            RANDOM_STATE,
        ),
        "Bach and Harchaoui: DIFFRAC: a discriminative and flexible framework for clustering, 2008",
        pseudo_code=(
            Line("take the eigenvectors of what a ridge classifier can learn, and weigh them"),
            Line("begin with the nearest of k seeds among their rows", "start"),
            *_MEANS,
            _BEST,
        ),
        title="Discriminative clustering (DIFFRAC)",
        formula="Σᵢ ‖row i of the weighted eigenvectors − mean row of its cluster‖²",
        objective="scatter",
        meaning="What is lost where eigenvectors are rounded to labels; lower is better.",
        tune="width",
    ),
    _baseline(
        BlurringMeanShift,
        "All points move to the mean of their surroundings, again and again, until clusters are points.",
        (
            replace(KERNEL[1], label="Width", when=(("gamma", LENGTHS),)),
            replace(KERNEL[2], when=()),
            Parameter(
                "tol",
                "float",
                "Tolerance",
                "A cluster is a point when no member is farther from its middle, in units of the width.",
                steps=(1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1),
                advanced=True,
                swept=False,
            ),
            replace(_ROUNDS, high=500),
        ),
        "Fukunaga and Hostetler: The Estimation of the Gradient of a Density Function, 1975",
        max_samples=3000,
        pseudo_code=(
            Line("every point is where it was measured", "start"),
            Line("repeat until clusters are points:"),
            Line("  move every point to the mean of all, near ones counting most", "round"),
        ),
        title="Blurring mean shift",
        formula="−1/n² Σᵢ Σⱼ exp(−‖xᵢ − xⱼ‖²/(2σ²)) at the current places",
        objective="−closeness",
        meaning="Minus the mean closeness of two points, 1 where they have met; it falls as points move.",
        tune="width",
    ),
    _baseline(
        Genie,
        "Joins the nearest clusters, but a smallest one must come next when sizes become too unequal.",
        (
            N_CLUSTERS,
            Parameter(
                "gini_threshold",
                "float",
                "Gini index at most",
                "How unequal sizes may be before a smallest cluster must be joined. 1: any, single linkage.",
                steps=(0.05, *(i / 10 for i in range(1, 11))),
            ),
        ),
        "Gagolewski, Bartoszuk and Cena: Genie, a hierarchical clustering algorithm, 2016",
        max_samples=MOST_SAMPLES,
        candidacies=(Candidacy(), Candidacy({"gini_threshold": 0.1})),
        pseudo_code=(
            Line("every point is a cluster; the spanning tree links them all by short edges", "start"),
            Line("repeat until k clusters are left, with the Gini index G of their sizes:"),
            Line("  if G is at most the threshold g, join along the shortest edge", "join"),
            Line("  if it is above, along the shortest edge of a smallest cluster", "smallest"),
        ),
        title="Genie",
        formula="Σ of the lengths of all edges within clusters",
        objective="length",
        meaning="Length of all edges within clusters, added up; it grows with every merge.",
        tune="gini_threshold",
    ),
    _baseline(
        Lumbermark,
        "Cuts the longest edges of a tree that links all points, but never cuts off only a few points.",
        (
            N_CLUSTERS,
            replace(
                _NEIGHBORS,
                help="An edge is at least as long as the way of its ends to this neighbour of theirs. "
                "Large: stray points are no bridges.",
            ),
            Parameter(
                "min_cluster_size",
                "int",
                "Points of a cluster at least",
                "A cut must leave so many points on both sides.",
                1,
                100,
                advanced=True,
                swept=False,
            ),
            Parameter(
                "min_cluster_factor",
                "float",
                "Smallest share",
                "A cut must leave this share of the mean size of clusters on both sides.",
                steps=(0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0),
            ),
        ),
        "Gagolewski: Lumbermark: Resistant clustering by chopping up spanning trees, 2026",
        max_samples=MOST_SAMPLES,
        candidacies=(Candidacy(),),
        pseudo_code=(
            Line("link all points by the spanning tree of their mutual reachability", "start"),
            Line("repeat until there are k clusters:"),
            Line("  cut the longest edge that leaves enough points on both sides", "cut"),
            Line("  (where there is none, halve what is enough)"),
        ),
        title="Lumbermark",
        formula="Σ of the lengths of all edges that are left",
        objective="length",
        meaning="Length of all edges that are left, added up; every cut lowers it as far as sizes allow.",
        tune="n_neighbors",
    ),
)

ENTRIES = (*_SCIKIT_LEARN, *_OWN)
