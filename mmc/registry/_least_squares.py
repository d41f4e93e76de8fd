"""The searches of [UMC-RLS]."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mmc.base import StepwiseClusterer
from mmc.maxmargin import UMCRLS, SteepRLS, StocRLS
from mmc.registry._common import (
    ALPHA,
    CLUSTER_SIZES,
    LANDMARKS,
    LOW_RANK_KERNEL,
    LOW_RANK_LIMIT,
    N_CLUSTERS,
    RANDOM_STATE,
    WHOLE_KERNELS,
)
from mmc.registry._types import Algorithm, Candidacy, Line, Parameter

_UMC_RLS_PAPER = "Pahikkala et al.: Unsupervised Multi-Class Regularized Least-Squares Classification, 2012"

#: [UMC-RLS] section V: widths as shares of the largest distance, λ in powers of two.
_GRID = {
    "kernel": ("rbf",),
    "gamma": ("max",),
    "width": tuple(share / 10 for share in range(1, 11)),
    "alpha": tuple(2.0**-power for power in range(10, 0, -1)),
}

#: [UMC-RLS] section V: the kernel, a width and a λ of the grid, and models without an intercept.
_PUBLISHED = {
    "kernel": "rbf",
    "gamma": "max",
    "width": 0.2,
    "alpha": 0.125,
    "fit_intercept": False,
    "init": "random",
    "n_init": 10,
}

_RLS_MODEL = (N_CLUSTERS, *LOW_RANK_KERNEL, ALPHA, *LANDMARKS)
_RLS_STARTS = (
    Parameter(
        "n_init",
        "choice",
        "Starts",
        "How many times to begin anew; the end whose clusters are learned best is kept. auto: 10, or 3 "
        "with more than 5,000 points.",
        steps=(1, 2, 3, 5, 10, 20, 50),
        choices=("auto",),
        free=True,
        swept=False,
    ),
    Parameter(
        "init",
        "choice",
        "How a start is made",
        "Random labels, or the nearest of k points spread out over the data.",
        choices=("random", "k-means++"),
        advanced=True,
    ),
    Parameter(
        "fit_intercept",
        "bool",
        "Intercept",
        "Let each model add a constant, which lets clusters keep different sizes. The graphs need none.",
        advanced=True,
        when=(("kernel", WHOLE_KERNELS),),
    ),
    RANDOM_STATE,
)
_SHAKING = (
    Parameter(
        "n_shakes",
        "int",
        "Shakes",
        "How many further rounds of claims follow the first; each claims half as many.",
        0,
        40,
    ),
    Parameter(
        "refine",
        "bool",
        "Free descent at the end",
        "Let every point move freely at last, whatever the sizes become.",
    ),
    CLUSTER_SIZES,
)


#: Number of points up to which the whole Gaussian kernel is a candidate of `mmc.AutoClusterer`; with more,
#: landmarks stand for it.
_MOST_WHOLE = 1600

_START = Line("begin with labels c: random, nearest of k seeds, or of a spectral clustering", "start")
_KEEP = Line("of all starts keep the one whose clusters are learned best for their sizes")
_FORMULA = "Q(c) = Σₕ minimum over f of ( Σᵢ (pₕᵢ − f(xᵢ))² + λ‖f‖² ),  pₕᵢ = +1 if cᵢ = h, else −1"


def _rls(
    estimator: type[StepwiseClusterer],
    title: str,
    summary: str,
    pseudo_code: tuple[Line, ...],
    extra: tuple[Parameter, ...] = (),
    published: Mapping[str, Any] = MappingProxyType({}),
    candidacies: tuple[Candidacy, ...] = (),
    *,
    order: int,
) -> Algorithm:
    return Algorithm(
        name=estimator.__name__,
        estimator=estimator,
        family="regularised least squares",
        paper=_UMC_RLS_PAPER,
        summary=summary,
        objective="Q",
        meaning="How badly the cluster models fit their own labels; lower is better.",
        parameters=(*_RLS_MODEL, *extra, *_RLS_STARTS),
        max_samples=5000,
        tune="n_neighbors",
        grid=_GRID,
        limit=LOW_RANK_LIMIT,
        published={**_PUBLISHED, **published},
        pseudo_code=(_START, *pseudo_code),
        candidacies=candidacies,
        order=order,
        title=title,
        formula=_FORMULA,
    )


ENTRIES = (
    _rls(
        UMCRLS,
        "Shaking (UMC-RLS)",
        "Clusters take turns claiming points, fewer each round: this shaking escapes poor solutions.",
        (
            Line("for i = 0, …, number of shakes (round i + 1):"),
            Line("  for each cluster d with target size m (all sizes equal, or as given):"),
            Line("    α = ⌊w·m/2ⁱ + m − size of d⌋ (w = 1; with two clusters less in later starts)"),
            Line("    repeat α times: move the point to d that lowers Q most, or raises it least", "claim"),
            Line("    (on a graph or with landmarks many points at once, a 300th of all)"),
            Line("while a move lowers Q: make the one that lowers it most", "release"),
            _KEEP,
        ),
        _SHAKING,
        {"refine": False},
        (
            Candidacy(rank=2),
            Candidacy({"n_neighbors": 20}, rank=2),
            Candidacy({"kernel": "rbf"}, rank=2, max_samples=_MOST_WHOLE),
            Candidacy(
                {"n_init": 5, "kernel": "rbf", "n_landmarks": 300},
                rank=3,
                min_samples=_MOST_WHOLE + 1,
                max_samples=10_000,
            ),
        ),
        order=1,
    ),
    _rls(
        SteepRLS,
        "Steepest descent (SteepRLS)",
        "Always makes the single move that helps most, and stops when none does.",
        (
            Line("while a move of one point to another cluster lowers Q (none may become empty):"),
            Line("  make the move that lowers Q most", "descent"),
            _KEEP,
        ),
        order=8,
    ),
    _rls(
        StocRLS,
        "Sweeps over the points (StocRLS)",
        "Visits the points in order and moves each to where it fits best, until none moves.",
        (
            Line("repeat until no point moves:"),
            Line("  for each point in order: move it to the cluster that lowers Q most", "sweep"),
            _KEEP,
        ),
        order=9,
    ),
)
