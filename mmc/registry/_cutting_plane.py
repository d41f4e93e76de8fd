"""The methods of [MKC]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mmc.base import StepwiseClusterer
from mmc.kernels.low_rank import GRAPHS
from mmc.maxmargin import CPMMC, MKC
from mmc.maxmargin.cutting_plane.kernel_list import USUAL, USUAL_GRAPH, check_kernels
from mmc.registry._common import (
    CLUSTER_SIZES,
    LANDMARKS,
    LOW_RANK_KERNEL,
    LOW_RANK_LIMIT,
    N_CLUSTERS,
    RANDOM_STATE,
)
from mmc.registry._limits import MOST_SAMPLES, Limit
from mmc.registry._panels import MemberPanel, Panel, Quantity, WeightPanel
from mmc.registry._types import Algorithm, Line, Parameter, Row

_PAPER = "Zhao, Kwok, Zhang: Multiple Kernel Clustering, 2009"

#: The positive semi-definite kernels, and what the neighbours of a graph are for.
_OWN: dict[str, dict[str, Any]] = {
    "kernel": {"choices": ("rbf", "linear", "poly", *GRAPHS)},
    "n_neighbors": {"when": (("kernel", GRAPHS),)},
}
_KERNEL = tuple(replace(p, **_OWN.get(p.name, {})) for p in LOW_RANK_KERNEL)

#: Landmarks for all kernels of a list.
_LANDMARKS = tuple(replace(p, when=()) for p in LANDMARKS if p.name in ("n_landmarks", "landmarks"))
_WIDTHS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
_REACH = "How far a point reaches, as a multiple of the usual distance to the 7th neighbour."
_ROWS = (
    Row("linear", "Linear", "linear"),
    Row(
        "poly",
        "Polynomial",
        "poly",
        "degree",
        (2, 3, 4, 5, 6, 8),
        USUAL["degree"],
        "How often the border may bend.",
    ),
    Row("narrow", "RBF, narrow", "rbf", "width", _WIDTHS, 0.5, _REACH),
    Row("rbf", "RBF", "rbf", "width", _WIDTHS, USUAL["width"], _REACH),
    Row("wide", "RBF, wide", "rbf", "width", _WIDTHS, 6.0, _REACH),
    Row(
        "graph",
        "Graph",
        "graph",
        "n_neighbors",
        (5, 7, 10, 15, 20, 30),
        USUAL_GRAPH["n_neighbors"],
        "How many neighbours a point is joined to.",
        "Neighbours",
    ),
)
_KERNELS = Parameter(
    "kernels",
    "kernels",
    "Kernels",
    "Ways to compare points, separated by commas; the margin decides how much each counts. linear, poly with "
    "degree and coef0, rbf with width, graph and landmark_graph with n_neighbors; such as poly:degree=2, "
    "rbf:width=0.5.",
    rows=_ROWS,
)
_BETA_NORM = Parameter(
    "beta_norm",
    "float",
    "Norm p of the weights",
    "How equal the weights of the kernels must be. 1: most are zero. 2: as in the paper. Large: all alike.",
    steps=(1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 8.0, 16.0, 100.0),
    advanced=True,
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
        "How far the mean of the decision values may be from zero. 0: clusters of about equal weight.",
        steps=(0.0, 0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    ),
    replace(CLUSTER_SIZES, help="For two clusters, for example 3, 1 in that proportion; empty: equal sizes."),
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
        "How many times to begin, at random where k-means repeats itself; the lowest objective is kept.",
        1,
        50,
        advanced=True,
    ),
    Parameter("max_cuts", "int", "Cuts at most", "How many constraints to add.", 1, 500, advanced=True),
    RANDOM_STATE,
)


_PSEUDO_CODE = (
    Line("begin with labels z, f = 0 and no constraint in Ω", "start"),
    Line("repeat until no constraint is violated by more than ε beyond ξ:"),
    Line("  add the most violated constraint to Ω: it marks the points within the margin"),
    Line("  repeat until the objective on Ω changes by less than a share (CCCP):"),
    Line("    solve the convex problem on Ω for f, ξ and the weights β of the kernels"),
    Line("    take the labels z from f", "cut"),
    Line("  if a cluster is empty: return to the first labels z, and hold them", "lost"),
    Line("  while z is held (also if 40 cuts brought nothing): solve once, keep z", "held"),
    Line("of all starts keep the end with the lowest objective and no empty cluster"),
)

#: Maximum number of points times landmarks of all kernels: a gigabyte.
_MOST_VALUES = 125_000_000


def _most_of_kernels(values: Mapping[str, Any]) -> int:
    """Return the number of points for which the landmarks of all kernels are not too many."""
    n_whole = sum(spec.name not in GRAPHS for spec in check_kernels(values["kernels"]))
    if n_whole == 0:
        return MOST_SAMPLES
    p = values["n_landmarks"]
    return 0 if p is None else min(_MOST_VALUES // (p * n_whole), MOST_SAMPLES)


_KERNELS_LIMIT = Limit(
    _most_of_kernels,
    ("kernels", "n_landmarks"),
    f"{MOST_SAMPLES:,} with graphs alone, or with {_MOST_VALUES // MOST_SAMPLES:,} landmarks or fewer in all "
    "kernels together",
)
_LOSS = "C · mean of (1 − mᵢ)₊,  mᵢ = |f(xᵢ)|, or the lead of the largest fₚ(xᵢ)"
_CUTS_PANEL = WeightPanel(
    title="Cuts",
    quantity=Quantity("n_cccp", "CCCP iterations"),
    weighed="With every cut the margin decides anew how much each kernel counts: the bars are powers of the "
    "weights β that add up to one, squares unless another norm is chosen. ",
    caption="Between two cuts labels and border are found by turns, each time by solving one small problem: "
    "those are the CCCP iterations.",
)
_KERNELS_PANEL = MemberPanel(
    title="Kernels",
    parameter="kernels",
    caption="Each kernel alone, with the same settings and the same start. β is its weight in the mixture, "
    "likeness the adjusted Rand index between its clusters and the mixture's. Objectives compare: the "
    "mixture can use every kernel, so that it reaches a lower one unless it is caught on the way.",
)


def _entry(
    estimator: type[StepwiseClusterer],
    title: str,
    formula: str,
    summary: str,
    kernels: tuple[Parameter, ...],
    landmarks: tuple[Parameter, ...],
    max_samples: int,
    limit: Limit,
    tune: str,
    panels: tuple[Panel, ...],
    *,
    order: int,
) -> Algorithm:
    return Algorithm(
        name=estimator.__name__,
        estimator=estimator,
        family="cutting planes",
        paper=_PAPER,
        summary=summary,
        objective="objective",
        meaning="How narrow the margin is, and what the points within it cost; lower is better.",
        parameters=(N_CLUSTERS, *kernels, *landmarks, *_CUTS),
        max_samples=max_samples,
        limit=limit,
        tune=tune,
        pseudo_code=_PSEUDO_CODE,
        panels=panels,
        order=order,
        title=title,
        formula=formula,
    )


ENTRIES = (
    _entry(
        CPMMC,
        "Cutting planes (CPMMC)",
        f"½‖v‖² + {_LOSS}",
        "Finds the widest margin one constraint at a time, each marking the points that lie within it.",
        _KERNEL,
        LANDMARKS,
        5000,
        LOW_RANK_LIMIT,
        "width",
        (_CUTS_PANEL,),
        order=5,
    ),
    _entry(
        MKC,
        "Several kernels, cutting planes (MKC)",
        f"½ Σₖ‖vₖ‖²/βₖ + {_LOSS};  Σₖβₖᵖ ≤ 1",
        "Finds the widest margin in a mixture of kernels, and lets the margin decide how much each counts.",
        (_KERNELS, _BETA_NORM),
        _LANDMARKS,
        3000,
        _KERNELS_LIMIT,
        "C",
        (_CUTS_PANEL, _KERNELS_PANEL),
        order=4,
    ),
)
