"""Parameters that several algorithms have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mmc.kernels import KERNELS, LENGTHS
from mmc.kernels.low_rank import GRAPHS
from mmc.registry._limits import MOST_SAMPLES, Limit
from mmc.registry._types import Parameter

#: Kernels of which the whole matrix is computed.
WHOLE_KERNELS = tuple(k for k in KERNELS if k != "precomputed")

N_CLUSTERS = Parameter(
    "n_clusters",
    "int",
    "Clusters k",
    "How many clusters to look for.",
    2,
    20,
    is_n_clusters=True,
)
RANDOM_STATE = Parameter(
    "random_state",
    "int",
    "Seed",
    "The same seed gives the same starts and the same result.",
    0,
    2**31 - 1,
    advanced=True,
    swept=False,
)
KERNEL = (
    Parameter(
        "kernel",
        "choice",
        "Kernel",
        "How two points are compared: rbf follows curved shapes, linear draws straight borders.",
        choices=WHOLE_KERNELS,
    ),
    Parameter(
        "width",
        "float",
        "Kernel width",
        "How far a point reaches, as a multiple of a length of the data. Small: fine detail. Large: smooth.",
        steps=(0.05, *(i / 10 for i in range(1, 11)), 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0),
        when=(("kernel", ("rbf",)), ("gamma", LENGTHS)),
    ),
    Parameter(
        "gamma",
        "choice",
        "Width is measured in",
        "The length that the width multiplies: the usual distance to the 7th neighbour, the median distance "
        "or the largest one. Or type a number: gamma itself.",
        choices=LENGTHS,
        free=True,
        advanced=True,
        when=(("kernel", ("rbf", "poly")),),
    ),
    Parameter(
        "degree",
        "int",
        "Degree",
        "Degree of the polynomial kernel.",
        1,
        8,
        advanced=True,
        when=(("kernel", ("poly",)),),
    ),
    Parameter(
        "coef0",
        "float",
        "Constant term",
        "Added inside the polynomial kernel; with 0 only terms of the highest degree count.",
        steps=(0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0),
        advanced=True,
        when=(("kernel", ("poly",)),),
    ),
    Parameter(
        "n_neighbors",
        "int",
        "Neighbours",
        "How many neighbours a point is compared with, and which one sets its own scale.",
        1,
        30,
        advanced=True,
        when=(("kernel", ("local_scaling",)),),
    ),
)
TWO_CLUSTERS = Parameter(
    "n_clusters",
    "int",
    "Clusters k",
    "Parts the points in two; for more choose RecursiveBinary.",
    2,
    2,
    swept=False,
    is_n_clusters=True,
)
ALPHA = Parameter(
    "alpha",
    "float",
    "Regularisation λ",
    "How simple the models must be. Small: they follow every point. Large: they smooth over.",
    steps=tuple(2.0**i for i in range(-10, 4)),
)
BALANCE = Parameter(
    "balance",
    "float",
    "Balance",
    "By how many points, as a share of all, the sizes may differ. 0: two halves. 1: any sizes.",
    steps=(0.0, 0.03, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
)
CLUSTER_SIZES = Parameter(
    "cluster_sizes",
    "numbers",
    "Sizes to aim at",
    "For example 3, 1 for clusters in that proportion; empty means equal sizes.",
    advanced=True,
)

#: The balance of two clusters, and the sizes from which it counts.
BALANCED = (
    BALANCE,
    replace(
        CLUSTER_SIZES,
        help="For example 3, 1 for clusters in that proportion, from which the balance then counts; empty "
        "means equal sizes.",
    ),
)

#: Kernels that landmarks can stand for.
_WITH_LANDMARKS = ("rbf", "linear", "poly")

#: The kernel of methods that can do without an n×n array, and how it is approximated.
LOW_RANK_KERNEL = (
    replace(
        KERNEL[0],
        help="How two points are compared: graph follows chains of neighbours, rbf curved shapes, linear "
        "draws straight borders. The two graphs take 100,000 points, the others far fewer without landmarks.",
        choices=(*GRAPHS, *WHOLE_KERNELS),
    ),
    *KERNEL[1:-1],
    replace(
        KERNEL[-1],
        help="How many neighbours a point is joined to; of landmarks a quarter as many, at least three.",
        advanced=False,
        when=(("kernel", (*GRAPHS, "local_scaling")),),
    ),
)
LANDMARKS = (
    Parameter(
        "n_landmarks",
        "choice",
        "Landmarks",
        "How many points stand for all: more are slower and more precise. none: the whole kernel, or 2,000 "
        "for the landmark graph.",
        steps=(20, 50, 100, 200, 500, 1000, 2000),
        choices=("none",),
        none="none",
        free=True,
        advanced=True,
        swept=False,
        when=(("kernel", ("landmark_graph", *_WITH_LANDMARKS)),),
    ),
    Parameter(
        "landmarks",
        "choice",
        "How landmarks are chosen",
        "Centres of k-means, or points drawn at random.",
        choices=("k-means", "random"),
        advanced=True,
        when=(("kernel", ("landmark_graph", *_WITH_LANDMARKS)),),
    ),
    Parameter(
        "n_components",
        "choice",
        "Eigenvectors",
        "How much detail of the graph the models can follow. auto: seven for each cluster, or five for the "
        "landmark graph.",
        steps=(2, 5, 10, 20, 30, 50, 70, 100, 200),
        choices=("auto",),
        none="auto",
        free=True,
        advanced=True,
        when=(("kernel", GRAPHS),),
    ),
)


def _most_samples(values: Mapping[str, Any]) -> int:
    has_landmarks = values["kernel"] in _WITH_LANDMARKS and values["n_landmarks"] is not None
    return MOST_SAMPLES if values["kernel"] in GRAPHS or has_landmarks else 0


LOW_RANK_LIMIT = Limit(
    _most_samples, ("kernel", "n_landmarks"), f"{MOST_SAMPLES:,} with a graph, or with landmarks"
)
