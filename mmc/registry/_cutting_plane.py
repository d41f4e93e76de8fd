"""The methods of [MKC]."""

from __future__ import annotations

from dataclasses import replace

from mmc.base import StepwiseClusterer
from mmc.maxmargin import CPMMC, MKC
from mmc.registry._common import KERNEL, N_CLUSTERS, RANDOM_STATE
from mmc.registry._types import Algorithm, Parameter

_PAPER = "Zhao, Kwok, Zhang: Multiple Kernel Clustering, 2009"

#: Those of the kernels that are positive semi-definite.
_KERNEL = tuple(
    replace(p, choices=("rbf", "linear", "poly")) if p.name == "kernel" else p
    for p in KERNEL
    if p.name != "n_neighbors"
)
_KERNELS = Parameter(
    "kernels",
    "kernels",
    "Kernels",
    "Ways to compare points, separated by commas; the margin decides how much each counts. linear, poly with "
    "degree and coef0, rbf with width; such as poly:degree=2, rbf:width=0.5.",
)
_CUTS = (
    Parameter(
        "C",
        "float",
        "Cost of the margin C",
        "What points within the margin cost. Small: a wide margin with many points in it. Large: few.",
        steps=(*(2.0**i for i in range(-6, 7)), 100.0, 128.0, 256.0, 512.0, 1024.0),
    ),
    Parameter(
        "balance",
        "float",
        "Balance",
        "How far the mean of the classifier's answers may be from zero. 0: clusters of about equal weight.",
        steps=(0.0, 0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    ),
    Parameter(
        "epsilon",
        "float",
        "Tolerance ε",
        "The method ends when the newest constraint is violated by no more than this. Small: more cuts.",
        steps=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
    ),
    Parameter(
        "tol",
        "float",
        "Tolerance within a cut",
        "Between cuts, labels and border are found by turns until the objective changes by less than this "
        "share.",
        steps=(0.0, 1e-4, 1e-3, 0.01, 0.1),
        advanced=True,
    ),
    Parameter(
        "normalize",
        "bool",
        "Normalise the kernels",
        "Divides each kernel by the variance of the points that it sees. Otherwise the one with the largest "
        "numbers wins.",
        advanced=True,
    ),
    Parameter(
        "init",
        "choice",
        "First labels",
        "Those of k-means, or at random in equal parts.",
        choices=("k-means", "random"),
        advanced=True,
    ),
    Parameter(
        "n_init",
        "int",
        "Starts",
        "How many times to begin anew; equal starts count once, and the lowest objective is kept.",
        1,
        50,
        advanced=True,
    ),
    Parameter("max_cuts", "int", "Cuts at most", "How many constraints to add.", 1, 500, advanced=True),
    RANDOM_STATE,
)


def _entry(
    estimator: type[StepwiseClusterer],
    summary: str,
    kernels: tuple[Parameter, ...],
    max_samples: int,
    tune: str,
) -> Algorithm:
    return Algorithm(
        name=estimator.__name__,
        estimator=estimator,
        family="cutting planes",
        paper=_PAPER,
        summary=summary,
        objective="objective",
        meaning="How narrow the margin is, and what the points within it cost; lower is better.",
        parameters=(N_CLUSTERS, *kernels, *_CUTS),
        max_samples=max_samples,
        tune=tune,
    )


ENTRIES = (
    _entry(
        CPMMC,
        "Finds the widest margin one constraint at a time, each marking the points that lie within it.",
        _KERNEL,
        5000,
        "width",
    ),
    _entry(
        MKC,
        "Finds the widest margin in a mixture of kernels, and lets the margin decide how much each counts.",
        (_KERNELS,),
        3000,
        "C",
    ),
)
