"""Maximum-margin clustering as a semidefinite program."""

from __future__ import annotations

from dataclasses import replace

from mmc.base import StepwiseClusterer
from mmc.maxmargin.semidefinite import GMMC, MMC
from mmc.registry._common import BALANCE, BALANCED, KERNEL, RANDOM_STATE, TWO_CLUSTERS
from mmc.registry._panels import MatrixPanel
from mmc.registry._types import Algorithm, Line, Parameter

_C = Parameter(
    "C",
    "float",
    "Cost of errors C",
    "What a point pays that lies within the margin. Small: a wide margin with errors. Large: no errors.",
    steps=(0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0),
)
_SOLVING = (
    Parameter(
        "n_draws",
        "int",
        "Random roundings",
        "How many labellings to try beside the first eigenvector's; the one of largest margin is kept.",
        0,
        1000,
        steps=(0, 10, 30, 100, 200, 500, 1000),
        advanced=True,
        swept=False,
    ),
    Parameter(
        "solver",
        "choice",
        "Solver",
        "SCS is fast and shows its way in steps; Clarabel is more exact, much slower, and has one step.",
        choices=("SCS", "CLARABEL"),
        advanced=True,
    ),
    Parameter(
        "tol",
        "float",
        "Accuracy",
        "How exactly the program is solved. Small: more iterations.",
        steps=(1e-6, 1e-5, 3e-5, 1e-4, 1e-3, 0.01),
        advanced=True,
    ),
    Parameter(
        "time_limit",
        "float",
        "Seconds at most",
        "The solver gives up after this time, and what it has reached is kept.",
        steps=(10.0, 30.0, 60.0, 120.0, 300.0, 600.0),
        advanced=True,
        swept=False,
    ),
    Parameter(
        "max_samples",
        "int",
        "Points at most",
        "More points are refused, because time and memory grow much faster than their number.",
        2,
        1000,
        steps=(50, 100, 200, 300, 500, 1000),
        advanced=True,
        swept=False,
    ),
    replace(RANDOM_STATE, help="The same seed gives the same random roundings and the same result."),
)


def _semidefinite(
    estimator: type[StepwiseClusterer],
    title: str,
    paper: str,
    summary: str,
    max_samples: int,
    program: str,
    balance: tuple[Parameter, ...],
    limited: str = "",
    *,
    order: int,
) -> Algorithm:
    return Algorithm(
        name=estimator.__name__,
        estimator=estimator,
        family="semidefinite relaxation",
        paper=paper,
        summary=summary,
        objective="SVM objective",
        meaning="How wide a margin a support vector machine finds between the two clusters; lower is better.",
        parameters=(TWO_CLUSTERS, *KERNEL, _C, *balance, *_SOLVING),
        max_samples=max_samples,
        tune="width",
        pseudo_code=(
            Line(program),
            Line("repeat until the solver has converged:"),
            Line("  let the solver go on, and round its matrix M to labels", "solve"),
            Line("round the solution M: signs of its first eigenvector, and of random mixtures of all,"),
            Line("  each shifted into the balance; keep the labels with the widest margin", "solved"),
        ),
        order=order,
        title=title,
        formula="minimum over w, b of ‖w‖² + 2C Σᵢ (1 − yᵢ(⟨w, φ(xᵢ)⟩ + b))₊,  y from M ≈ yyᵀ",
        panels=(
            MatrixPanel(
                title="Relaxation",
                caption="Labels alone would make a matrix with a single eigenvalue above zero. This one has "
                "{state.share:.0%} of its weight on the first: the nearer to 100 %, the less was lost by "
                "relaxing. The strip on top shows the labels it was rounded to.",
                solved=f" No labelling costs the program less than {{state.relaxation:.4g}}{limited}.",
            ),
        ),
    )


ENTRIES = (
    _semidefinite(
        MMC,
        "Semidefinite program (MMC)",
        "Xu, Neufeld, Larson, Schuurmans: Maximum Margin Clustering, 2004",
        "Finds all labels at once as a matrix, by a convex program that has one optimum and needs no start.",
        100,
        "relax the matrix yyᵀ of all labels to M ⪰ 0 with diag M = 1 and balanced row sums",
        BALANCED,
        ", if its border goes through the origin",
        order=17,
    ),
    _semidefinite(
        GMMC,
        "Semidefinite program, one number a point (GMMC)",
        "Valizadegan, Jin: Generalized Maximum Margin Clustering and Unsupervised Kernel Learning, 2006",
        "Asks of each point to keep away from the border on either side: one number per point, not a matrix.",
        200,
        "ask f² ≥ 1 of every point, and take the dual of that: one multiplier γ for each",
        (BALANCE,),
        order=18,
    ),
)
