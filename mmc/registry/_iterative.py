"""The methods of [iterSVR], and recursive splitting."""

from __future__ import annotations

from dataclasses import replace

from mmc.base import StepwiseClusterer
from mmc.maxmargin import CCCPMMC, IterLSSVM, IterSVM, IterSVR, RecursiveBinary
from mmc.registry._common import (
    BALANCE,
    BALANCED,
    LANDMARKS,
    LOW_RANK_KERNEL,
    LOW_RANK_LIMIT,
    N_CLUSTERS,
    RANDOM_STATE,
    TWO_CLUSTERS,
)
from mmc.registry._panels import CoursePanel, MarginPanel, Quantity
from mmc.registry._types import Algorithm, Line, Parameter

_ITER_SVR_PAPER = "Zhang, Tsang, Kwok: Maximum Margin Clustering Made Practical, 2009"

_C = Parameter(
    "C",
    "float",
    "Cost of errors C",
    "How closely the classifier must follow the labels. Small: a simple border. Large: every label counts.",
    steps=(1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0, 100.0, 500.0, 1000.0),
)
_EPSILON = Parameter(
    "epsilon",
    "float",
    "Forgiven error ε",
    "Errors up to this size cost nothing. Small: margins gather at 1 and points flip. Near 1: none does.",
    steps=(0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
)
_STARTS = (
    Parameter(
        "init",
        "choice",
        "First labels",
        "Those of k-means, of a cut through the graph of all points, or a random half.",
        choices=("k-means", "normalized-cut", "random"),
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
    Parameter(
        "max_iter", "int", "Rounds at most", "How often a start may train and label.", 1, 200, advanced=True
    ),
    RANDOM_STATE,
)


_PANELS = (
    MarginPanel(
        title="Margins",
        caption="y·f is how far a point lies on the side of its label; 1 is what the classifier aims at, and "
        "points on the wrong side flip. The line is the loss that a point pays there, dashed what it would "
        "pay with the other label: where the dashed line is far above the full one, the label is held "
        "fast. Move the player to see the rounds.",
    ),
    CoursePanel(
        title="Rounds",
        x=Quantity("round", "round"),
        quantities=(
            Quantity("svm_objective", "SVM objective", costly=True),
            Quantity("objective", "own objective"),
            Quantity("error", "error (%)"),
            Quantity("n_changed", "points flipped"),
        ),
        caption="The SVM objective says how good a labelling is, whichever method found it: an SVM is "
        "trained on it, and lower means a wider margin ([iterSVR] Figures 1 and 5). Each method "
        "has an objective of its own as well, with its own loss.",
    ),
)


def _iterative(
    estimator: type[StepwiseClusterer],
    title: str,
    formula: str,
    summary: str,
    classifier: str,
    extra: tuple[Parameter, ...],
    max_samples: int,
    *,
    order: int,
) -> Algorithm:
    placed = "that costs least within the balance" if BALANCE in extra else "of the classifier itself"
    return Algorithm(
        name=estimator.__name__,
        estimator=estimator,
        family="iterated training",
        paper=_ITER_SVR_PAPER,
        summary=summary,
        objective="objective",
        meaning="How wide the margin is and how badly the classifier fits its own labels; lower is better.",
        parameters=(TWO_CLUSTERS, *LOW_RANK_KERNEL, _C, *LANDMARKS, *extra, *_STARTS),
        max_samples=max_samples,
        limit=LOW_RANK_LIMIT,
        tune="width",
        pseudo_code=(
            Line("begin with labels y = ±1: those of k-means, of a cut, or random"),
            Line(f"train {classifier} f(x) = ⟨w, φ(x)⟩ + b on them", "start"),
            Line("repeat until no label flips:"),
            Line(f"  take the bias b {placed},"),
            Line("  and the signs of f as labels y: points on the wrong side flip", "round"),
            Line(f"  train {classifier} on these labels"),
            Line("of all starts keep the end with the lowest objective"),
        ),
        panels=_PANELS,
        order=order,
        title=title,
        formula=formula,
    )


_METHODS = (
    _iterative(
        IterSVR,
        "Iterated regression (IterSVR)",
        "‖w‖² + 2C Σᵢ (|1 − yᵢ f(xᵢ)| − ε)₊",
        "Learns its own labels by regression, which lets points at the border flip from round to round.",
        "a support vector regression",
        (_EPSILON, *BALANCED),
        3000,
        order=3,
    ),
    _iterative(
        IterLSSVM,
        "Iterated least squares (IterLSSVM)",
        "‖w‖² + C Σᵢ (1 − yᵢ f(xᵢ))²",
        "Learns its own labels by least squares: one factorisation, then rounds that cost next to nothing.",
        "a least-squares SVM",
        BALANCED,
        5000,
        order=13,
    ),
    _iterative(
        IterSVM,
        "Iterated SVM (IterSVM)",
        "‖w‖² + 2C Σᵢ (1 − yᵢ f(xᵢ))₊",
        "Learns its own labels by an SVM, which is so sure of them that hardly any point ever flips.",
        "an SVM",
        BALANCED,
        5000,
        order=14,
    ),
    _iterative(
        CCCPMMC,
        "Iterated SVM without balance (CCCP-MMC)",
        "‖w‖² + 2C Σᵢ (1 − yᵢ f(xᵢ))₊",
        "Learns its own labels by an SVM with no balance: one cluster may swallow the other, and that wins.",
        "an SVM",
        (),
        5000,
        order=15,
    ),
)

_RECURSIVE = Algorithm(
    name=RecursiveBinary.__name__,
    estimator=RecursiveBinary,
    family="splitting",
    paper=_ITER_SVR_PAPER,
    summary="Parts one cluster after another in two, until there are as many as you want.",
    objective="objective",
    meaning="Sum of the objectives of all splits; lower is better.",
    parameters=(
        N_CLUSTERS,
        Parameter(
            "estimator",
            "choice",
            "Split by",
            "The method that parts a cluster in two.",
            choices=("IterLSSVM", "IterSVR", "IterSVM"),
        ),
        Parameter(
            "split",
            "choice",
            "Split next",
            "The cluster that spreads widest, or the one with most points.",
            choices=("spread", "size"),
        ),
        *(
            replace(p, name=f"estimator__{p.name}", when=tuple((f"estimator__{o}", v) for o, v in p.when))
            for p in (*LOW_RANK_KERNEL, *LANDMARKS, BALANCE)
        ),
        RANDOM_STATE,
    ),
    max_samples=3000,
    limit=LOW_RANK_LIMIT.within("estimator"),
    tune="estimator__width",
    pseudo_code=(
        Line("put all points in one cluster", "start"),
        Line("repeat until there are k clusters:"),
        Line("  choose the cluster that spreads widest, or has most points"),
        Line("  part it in two by the method for two clusters, step by step", "split"),
    ),
    order=16,
    title="Splitting in two, again and again (RecursiveBinary)",
    formula="Σ over all splits of the objective of the method that parts in two",
)

ENTRIES = (*_METHODS, _RECURSIVE)
