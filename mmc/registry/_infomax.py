"""The methods of [SMIC]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mmc.base import StepwiseClusterer
from mmc.infomax import MIC, SMIC, LSMISearch
from mmc.registry._common import KERNEL, N_CLUSTERS, RANDOM_STATE
from mmc.registry._limits import MOST_SAMPLES, Limit, raised
from mmc.registry._panels import GraphPanel, Panel, PosteriorPanel, PriorPanel
from mmc.registry._types import Algorithm, Line, Parameter, Rival

_SMIC_PAPER = (
    "Sugiyama et al.: Information-Maximization Clustering based on Squared-Loss Mutual Information, 2014"
)

_GRAPH_KERNEL = Parameter(
    "kernel",
    "choice",
    "Kernel",
    "How two points are compared: local scaling gives every point a width of its own, rbf the same to all.",
    choices=("local_scaling", "rbf"),
)
_RBF_WIDTH = tuple(replace(p, when=(("kernel", ("rbf",)), *p.when[1:])) for p in KERNEL[1:3])
_SMIC = (
    N_CLUSTERS,
    _GRAPH_KERNEL,
    Parameter(
        "n_neighbors",
        "choice",
        "Neighbours t",
        "How many neighbours a point is linked to. lsmi tries 1 to 10 and lets the data choose.",
        choices=("lsmi",),
        steps=tuple(range(1, 11)),
        free=True,
        when=(("kernel", ("local_scaling",)),),
    ),
    *_RBF_WIDTH,
    Parameter(
        "normalize",
        "bool",
        "Normalise the graph",
        "Divide every link by how well linked its two points are; without it dense spots win. auto lets LSMI "
        "choose where it chooses the neighbours, and normalises elsewhere.",
        choices=("auto",),
    ),
    Parameter(
        "class_prior",
        "numbers",
        "Shares of the clusters",
        "For example 0.3, 0.7 if one cluster is known to be smaller; empty means equal shares.",
        advanced=True,
    ),
    Parameter(
        "adapt_prior",
        "bool",
        "Adapt the shares",
        "Let the shares follow the clusters that they give, again and again, until both agree.",
        advanced=True,
    ),
    RANDOM_STATE,
)

_MIC = (
    N_CLUSTERS,
    _GRAPH_KERNEL,
    replace(KERNEL[5], label="Neighbours t", advanced=False),
    *_RBF_WIDTH,
    Parameter(
        "alpha",
        "float",
        "Penalty λ",
        "How simple the model must be. Small: it keeps to its start. Too large: all points look alike.",
        steps=(0.0, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    ),
    Parameter(
        "init",
        "choice",
        "How a start is made",
        "Labels that the model learns first: those of spectral clustering, or random ones.",
        choices=("spectral", "random"),
    ),
    Parameter(
        "n_init",
        "int",
        "Starts",
        "How many times to begin; further starts are random, and the best end is kept.",
        1,
        20,
        advanced=True,
    ),
    Parameter(
        "max_iter",
        "int",
        "Steps at most",
        "How many groups of iterations a start may take.",
        1,
        100,
        advanced=True,
    ),
    Parameter(
        "tol",
        "float",
        "Tolerance",
        "A start ends when an iteration gains no more than this.",
        steps=(1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3),
        advanced=True,
    ),
    RANDOM_STATE,
)

_SEARCH = (
    N_CLUSTERS,
    Parameter(
        "init",
        "choice",
        "First labels",
        "Those of SMIC, of k-means, or random ones. The search mends labels that are nearly right.",
        choices=("SMIC", "k-means", "random"),
    ),
    Parameter(
        "n_init",
        "int",
        "Starts",
        "How many times to begin; after SMIC further starts are random, and the highest LSMI is kept.",
        1,
        20,
        advanced=True,
        swept=False,
    ),
    Parameter(
        "n_basis",
        "int",
        "Centres",
        "How many points carry the Gaussians of LSMI. More follow finer borders, and take longer.",
        10,
        500,
        steps=(20, 50, 100, 200, 300, 500),
        advanced=True,
        swept=False,
    ),
    Parameter(
        "max_iter",
        "int",
        "Steps at most",
        "How many rounds, and choices of width and penalty, a start may take.",
        1,
        200,
        advanced=True,
        swept=False,
    ),
    RANDOM_STATE,
)

_POSTERIORS = PosteriorPanel(
    title="Posteriors",
    caption="The colour names the likeliest cluster at each place; the paler, the less sure the model is. "
    "Where clusters are well apart it is sure nearly everywhere.",
)
_GRAPH = GraphPanel(
    title="Graph",
    caption="Clusters are read off the colours: a point belongs to the eigenvector that is most positive "
    "there, each scaled to its share.",
)
_PRIORS = PriorPanel(title="Class priors", parameter="class_prior", settled=("n_neighbors",))


#: Maximum number of points where LSMI chooses among ten graphs, each with the eigenvectors of two kernels: a
#: minute or two.
_MOST_CHOSEN = 30_000


def _most_of_smic(values: Mapping[str, Any]) -> int:
    """Return the maximum number of points with a sparse graph; the rbf kernel is an n×n array."""
    if values["kernel"] != "local_scaling":
        return 0
    return _MOST_CHOSEN if values["n_neighbors"] == "lsmi" else MOST_SAMPLES


def _infomax(
    estimator: type[StepwiseClusterer],
    title: str,
    formula: str,
    summary: str,
    parameters: tuple[Parameter, ...],
    pseudo_code: tuple[Line, ...],
    panels: tuple[Panel, ...],
    rival: Rival | None,
    limit: Limit | None,
    *,
    tune: str = "n_neighbors",
    order: int,
) -> Algorithm:
    return Algorithm(
        name=estimator.__name__,
        estimator=estimator,
        family="information maximization",
        paper=_SMIC_PAPER,
        summary=summary,
        objective="−information",
        meaning="Minus an estimate of how much the clusters tell about the points; lower is better.",
        parameters=parameters,
        max_samples=5000,
        tune=tune,
        pseudo_code=pseudo_code,
        panels=panels,
        rival=rival,
        limit=limit,
        order=order,
        title=title,
        formula=formula,
    )


ENTRIES = (
    _infomax(
        SMIC,
        "Eigenvectors and information (SMIC)",
        "−SMI = ½ − 1/(2n) Σᵧ λᵧ²/πᵧ for a given t;  −LSMI of the labels where t is chosen",
        "Reads the clusters off the eigenvectors of a graph of neighbours, in closed form.",
        _SMIC,
        (
            Line("for t = 1, …, 10 neighbours, or for the t that was given:"),
            Line("  link every point to its t nearest neighbours; normalise the graph, or try both"),
            Line("  for y = 1, …, k: let the eigenvector with the y-th largest eigenvalue λᵧ"),
            Line(
                "    give cluster y its posterior: its positive part, scaled to the share πᵧ", "eigenvector"
            ),
            Line("  label every point by its highest posterior"),
            Line("  if t is to be chosen: score the labels by LSMI", "candidate"),
            Line("take the t and the graph with the highest LSMI", "choice"),
        ),
        (_POSTERIORS, _GRAPH, _PRIORS),
        Rival("MIC", "mlmi"),
        Limit(
            _most_of_smic,
            ("kernel", "n_neighbors"),
            f"{MOST_SAMPLES:,} with kernel=local_scaling and a number for n_neighbors, {_MOST_CHOSEN:,} with "
            "kernel=local_scaling and n_neighbors=lsmi",
        ),
        order=2,
    ),
    _infomax(
        MIC,
        "Mutual information, step by step (MIC)",
        "−MI + λ/m Σᵧ‖αᵧ‖²,  MI = 1/n Σᵢ Σᵧ p(y|xᵢ) log p(y|xᵢ) − Σᵧ p̄ᵧ log p̄ᵧ",
        "Climbs from spectral clustering to a logistic model that is sure of equal clusters.",
        _MIC,
        (
            Line("begin with labels of a spectral clustering, or with random ones"),
            Line("fit the logistic model p(y|x) to them", "start"),
            Line("repeat until an iteration gains less than the tolerance:"),
            Line("  let L-BFGS change α and b so that MI minus the penalty rises: 2 iterations,"),
            Line("  then 4, 8, …; the likeliest y of each point is its label", "climb"),
            Line("of all starts keep the end with the lowest objective"),
        ),
        (_POSTERIORS, replace(_GRAPH, caption="The colour is the posterior of a cluster.")),
        Rival("SMIC", "lsmi"),
        raised("kernel", ("local_scaling",)),
        order=7,
    ),
    _infomax(
        LSMISearch,
        "Moving points while information grows (LSMISearch)",
        "−LSMI = ½ − Σᵧ (θᵧᵀhᵧ − ½ θᵧᵀHᵧθᵧ),  θᵧ = (Hᵧ + δI)⁻¹hᵧ",
        "Begins with the labels of SMIC and moves points one by one while they tell more about the clusters.",
        _SEARCH,
        (
            Line("begin with the labels of SMIC, of k-means, or with random ones;"),
            Line("  cross-validation chooses the width γ and the penalty δ of LSMI for them", "start"),
            Line("repeat:"),
            Line("  until no point moves: move every point, the most gainful first,"),
            Line("    to the cluster where LSMI grows, if there is one", "round"),
            Line("  choose γ and δ anew for these labels; if LSMI is no larger for it than when"),
            Line("    they were last chosen, return to the labels of then and end", "choice"),
            Line("of all starts keep the end with the highest LSMI"),
        ),
        (),
        None,
        None,
        tune="",
        order=19,
    ),
)
