"""Parameters that several algorithms have."""

from __future__ import annotations

from mmc.kernels import KERNELS, LENGTHS
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
