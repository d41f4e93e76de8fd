"""The searches of [UMC-RLS]."""

from __future__ import annotations

from mmc.base import StepwiseClusterer
from mmc.maxmargin import UMCRLS, SteepRLS, StocRLS
from mmc.registry._common import ALPHA, KERNEL, N_CLUSTERS, RANDOM_STATE
from mmc.registry._types import Algorithm, Line, Parameter

_UMC_RLS_PAPER = "Pahikkala et al.: Unsupervised Multi-Class Regularized Least-Squares Classification, 2012"

#: [UMC-RLS] section V: widths as shares of the largest distance, λ in powers of two.
_GRID = {
    "kernel": ("rbf",),
    "gamma": ("max",),
    "width": tuple(share / 10 for share in range(1, 11)),
    "alpha": tuple(2.0**-power for power in range(10, 0, -1)),
}

_RLS_MODEL = (
    N_CLUSTERS,
    *KERNEL,
    ALPHA,
)
_RLS_STARTS = (
    Parameter(
        "n_init", "int", "Starts", "How many times to begin anew; the end with the lowest Q is kept.", 1, 50
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
        "Let each model add a constant, which lets clusters keep different sizes.",
        advanced=True,
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
    Parameter(
        "cluster_sizes",
        "numbers",
        "Sizes to aim at",
        "For example 3, 1 for clusters in that proportion; empty means equal sizes.",
        advanced=True,
    ),
)


_START = Line("begin with a labelling c", "start")


def _rls(
    estimator: type[StepwiseClusterer],
    summary: str,
    pseudo_code: tuple[Line, ...],
    extra: tuple[Parameter, ...] = (),
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
        tune="width",
        grid=_GRID,
        pseudo_code=(_START, *pseudo_code),
    )


ENTRIES = (
    _rls(
        UMCRLS,
        "Clusters take turns claiming points, fewer each round: this shaking escapes poor solutions.",
        (
            Line("for i = 0, …, s:"),
            Line("  for each cluster d with target size m:"),
            Line("    α = ⌊m/2ⁱ + m − size of d⌋"),
            Line("    repeat α times: move the point to d that lowers Q most, or raises it least", "claim"),
            Line("while a move lowers Q: make the one that lowers it most", "release"),
        ),
        _SHAKING,
    ),
    _rls(
        SteepRLS,
        "Always makes the single move that helps most, and stops when none does.",
        (Line("while a move lowers Q: make the one that lowers it most", "descent"),),
    ),
    _rls(
        StocRLS,
        "Visits the points in order and moves each to where it fits best, until none moves.",
        (
            Line("repeat until no point moves:"),
            Line("  for each point in order: move it to the cluster that lowers Q most", "sweep"),
        ),
    ),
)
