"""The methods of [EvoMMC]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isqrt
from typing import Any

from mmc.base import StepwiseClusterer
from mmc.maxmargin import EvoMMC, FastEvoMMC
from mmc.registry._common import (
    ALPHA,
    BALANCED,
    KERNEL,
    LANDMARKS,
    LOW_RANK_KERNEL,
    LOW_RANK_LIMIT,
    RANDOM_STATE,
    TWO_CLUSTERS,
)
from mmc.registry._limits import MOST_SAMPLES, Limit
from mmc.registry._panels import CoursePanel, Quantity
from mmc.registry._types import Algorithm, Line, Parameter

_EVO_PAPER = "Gieseke, Pahikkala, Kramer: Fast Evolutionary Maximum Margin Clustering, 2009"

_LANDMARKS = Parameter(
    "n_landmarks",
    "choice",
    "Landmarks",
    "How many points, drawn at random, carry the model: a number, or a share of all. auto: at most a tenth.",
    choices=("auto",),
    steps=(0.02, 0.05, 0.1, 0.2, 0.3, 0.5),
    free=True,
)
_POPULATION = (
    Parameter(
        "n_parents",
        "int",
        "Parents μ",
        "How many labellings live on at a time.",
        1,
        50,
        advanced=True,
    ),
    Parameter(
        "n_children", "int", "Children ν", "How many are born in each generation.", 1, 50, advanced=True
    ),
    Parameter(
        "patience",
        "choice",
        "Patience",
        "After how many generations without a change a start ends; auto grows with the number of points.",
        choices=("auto",),
        steps=(1000, 10_000, 100_000),
        free=True,
        advanced=True,
    ),
    Parameter(
        "max_iter",
        "int",
        "Generations at most",
        "How many generations a start may take.",
        1,
        1_000_000,
        steps=(10, 100, 1000, 10_000, 100_000, 1_000_000),
        advanced=True,
    ),
)
_STARTS = (
    Parameter(
        "init",
        "choice",
        "First labels",
        "Coin flips, or the clusters of k-means.",
        choices=("random", "k-means"),
    ),
    Parameter(
        "n_init", "int", "Starts", "How many times to begin anew; the end with the lowest F is kept.", 1, 50
    ),
    *_POPULATION,
    RANDOM_STATE,
)
#: Landmarks and eigenvectors of the whole method, whose flips get caught among many.
_FEATURES = tuple(
    replace(p, help="How much detail of the graph the model can follow. auto: four.")
    if p.name == "n_components"
    else p
    for p in LANDMARKS
)

#: Kernels for landmarks, which have no neighbours.
_LANDMARK_KERNEL = (
    replace(KERNEL[0], choices=tuple(k for k in KERNEL[0].choices if k != "local_scaling")),
    *(p for p in KERNEL[1:] if p.name != "n_neighbors"),
)


#: Maximum number of points times landmarks: a minute or two, and half a gigabyte.
_MOST_VALUES = 25_000_000


def _most_on_landmarks(values: Mapping[str, Any]) -> int:
    """Return the number of points for which landmarks, a number or a share, are not too many."""
    wanted = 0.1 if isinstance(values["n_landmarks"], str) else values["n_landmarks"]
    if isinstance(wanted, float):
        return min(isqrt(int(_MOST_VALUES / max(wanted, 1e-3))), MOST_SAMPLES)
    return min(_MOST_VALUES // max(wanted, 1), MOST_SAMPLES)


def _evolutionary(
    estimator: type[StepwiseClusterer],
    title: str,
    summary: str,
    parameters: tuple[Parameter, ...],
    limit: Limit | None = None,
    *,
    order: int,
) -> Algorithm:
    return Algorithm(
        name=estimator.__name__,
        estimator=estimator,
        family="evolution",
        paper=_EVO_PAPER,
        summary=summary,
        objective="F",
        meaning="Fitness: how badly a ridge model fits the labels; lower is better.",
        parameters=(TWO_CLUSTERS, *parameters, *_STARTS),
        max_samples=5000,
        limit=limit,
        tune="width",
        pseudo_code=(
            Line("begin with μ labellings of n points within the balance", "start"),
            Line("for generations t = 0, 1, …, until nothing better has been found for long:"),
            Line("  make ν children: copies of a parent with max(1, ⌊n/(t + 1)⌋) random labels flipped"),
            Line("  (a flip that breaks the balance is paired with an opposite one)"),
            Line("  of parents and children let the μ with the lowest F live", "generation"),
            Line("of all starts keep the labelling with the lowest F"),
        ),
        order=order,
        title=title,
        formula="F(y) = 1/n · minimum over f of ( Σᵢ (yᵢ − f(xᵢ))² + λ‖f‖² ),  y = ±1",
        panels=(
            CoursePanel(
                title="Generations",
                x=Quantity("generation", "generation + 1", log=True),
                quantities=(
                    Quantity("objective", "fitness F"),
                    Quantity("n_flips", "flips a child", log=True),
                    Quantity("n_kept", "flips kept"),
                    Quantity("error", "error (%)"),
                ),
                caption="Most is won early, while a child still flips many labels; of the later "
                "generations nearly all bring nothing. “Flips kept” adds up the labels that "
                "the fittest labelling changed.",
            ),
        ),
    )


ENTRIES = (
    _evolutionary(
        EvoMMC,
        "Evolution (EvoMMC)",
        "Flips labels at random and keeps what fits better: ten parents, ten children, many generations.",
        (*LOW_RANK_KERNEL, ALPHA, *BALANCED, *_FEATURES),
        LOW_RANK_LIMIT,
        order=6,
    ),
    _evolutionary(
        FastEvoMMC,
        "Fast evolution with landmarks (FastEvoMMC)",
        "Evolution with a model that rests on a few landmarks, so that large tables go quickly.",
        (*_LANDMARK_KERNEL, ALPHA, *BALANCED, _LANDMARKS),
        Limit(
            _most_on_landmarks,
            ("n_landmarks",),
            f"{MOST_SAMPLES:,} with n_landmarks={_MOST_VALUES // MOST_SAMPLES} or fewer",
        ),
        order=12,
    ),
)
