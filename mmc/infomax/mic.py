"""Clustering by mutual information: MIC of [SMIC] section 3.8, after Gomes, Krause and Perona (2010).

The class posteriors are a logistic model, eq. 26 with a kernel in place of the inner product and with
intercepts,

    p(y|x) ∝ exp(Σ_i α_{y,i} K(x, x_i) + b_y).

The method maximises over α and b the mutual information of points and clusters, minus (λ/m) Σ_y ‖α_y‖²:

    M̂I = (1/n) Σ_i Σ_y p(y|x_i) log p(y|x_i) − Σ_y p̄_y log p̄_y,   p̄_y = (1/n) Σ_i p(y|x_i).   (eqs. 24, 25)

The first term rewards posteriors near 0 and 1, the second rewards clusters of equal size. Without the penalty
every balanced labelling that the model can represent is a maximum, so that the start decides. As in section
4.1 the model is first trained on the labels of self-tuning spectral clustering, and L-BFGS continues from
there.

=============  =====================  ====================================================
paper          code                   meaning
=============  =====================  ====================================================
K, t           matrix, n_neighbors    kernel, its number of neighbours
α, b           coefficients           a row for each of m vertices, and a last one for b
p(y|x)         posterior              class posteriors
λ              alpha · unit           weight of the penalty
=============  =====================  ====================================================

One step is a group of iterations: 2 in the first, when most points move, then 4, 8, … up to 64. L-BFGS begins
each group without its memory of curvature, which costs some iterations.

Costs for n points, t neighbours and c clusters: an iteration takes about 2 n c (t + 1) multiplications with
local scaling, without an n×n array. With the other kernels it takes 2 n² c, and one such array.

Known labels add (1/n) Σ log p(y_i|x_i) over the known points to M̂I, as Gomes et al. do for semi-supervised
learning; divided by n, a point counts as much in this sum as in those of M̂I. Weights are multiplicities.

Deviations from the paper, which the class states too: intercepts; a penalty, after Gomes et al. but in a form
for kernels that are not positive definite; equal points are one vertex under local scaling.

The unit of the penalty. Near α = 0 the information of two clusters is ‖K̃a‖²/(8m) for the centred kernel K̃ and
a = α_1 − α_2, and the penalty is λ‖a‖²/(2m). All posteriors are equal at the maximum, which is then one
cluster, if λ ≥ μ²/4 for the largest eigenvalue μ of K̃; c clusters need c − 1 eigenvalues that large. For few
points, or a very wide kernel, μ is far below 1, and any fixed λ would be too large. The k-th eigenvalue of K
is at most the (k − 1)-th of K̃; its square is the unit of `alpha` where it is below 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from mmc._sklearn import StrOptions
from mmc.hints import Hints, agreeing
from mmc.infomax.graph import KERNELS, Graph, make_graph, require_vertices
from mmc.infomax.logistic import Objective, descend, log_posterior
from mmc.infomax.posterior import PosteriorClusterer
from mmc.kernels import LENGTHS
from mmc.kernels.spectral import (
    Array,
    Matrix,
    accuracy_for,
    leading,
    normalized_spectrum,
    scaled,
    spectral_labels,
)
from mmc.ranges import RANGES, real
from mmc.starts import Draw, Start, draw_starts, random_labels
from mmc.steered import SteeredClusterer
from mmc.stepping import Field, State

Labels = NDArray[np.int64]

#: Number of neighbours of the self-tuning spectral clustering for the start.
_SELF_TUNING = 7

#: Least penalty of the pre-training; without one, separable classes would make α infinite.
_LEAST_ALPHA = 0.01

#: Number of vertices of a sparse kernel beyond which its leading eigenvalues are at least 1.
_FEW = 200

#: Smaller eigenvalues of a kernel are rounding errors.
_LEAST_EIGENVALUE = 1e-6

#: Largest number of iterations of the pre-training, and of one step.
_PRETRAINING, _LONGEST = 100, 64

#: Status of SciPy's minimiser after it reached its number of iterations.
_INTERRUPTED = 1


class Problem(NamedTuple):
    """What stays fixed during the ascent."""

    graph: Graph
    starts: list[Start]
    known: Labels


@dataclass(frozen=True, kw_only=True, eq=False)
class MICState(State):
    """A model during the ascent.

    Attributes
    ----------
    posterior : ndarray of shape (n_samples, n_clusters)
        Class posteriors at the training points.
    mutual_information : float
        M̂I of eq. 25, in nats.
    previous : float
        M̂I before the step.
    coefficients : ndarray of shape (n_vertices + 1, n_clusters)
        α of each cluster, and b in the last row.
    origin : str
        Origin of the labels of the start.
    n_iterations : int
        Number of L-BFGS iterations in this step.
    likelihood : float
        Sum of log p(y_i|x_i) over known labels, divided by the number of points; 0 if none are known.
    contradicted : int
        Number of points whose known label is not that of the highest posterior.
    """

    posterior: Array
    mutual_information: float
    previous: float
    coefficients: Array
    origin: str
    n_iterations: int = 0
    likelihood: float = 0.0
    contradicted: int = 0

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        return "climb" if self.n_iterations or self.converged else "start"

    @property
    def fields(self) -> tuple[Field, ...]:
        """The posterior of each cluster at the training points."""
        return tuple(
            Field(f"posterior of cluster {h}", "posterior", self.posterior[:, h])
            for h in range(self.posterior.shape[1])
        )

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """Iterations, points moved, and information and penalty before and after the step."""
        penalty = ("penalty", f"{self.objective + self.mutual_information + self.likelihood:.4g}")
        if self.line == "start":
            return (("MI", f"{self.mutual_information:.5g}"), penalty, ("objective", f"{self.objective:.5g}"))
        return (
            ("iterations", str(self.n_iterations)),
            ("points moved", str(len(self.moved))),
            ("MI before", f"{self.previous:.5g}"),
            ("MI after", f"{self.mutual_information:.5g}"),
            penalty,
            ("objective", f"{self.objective:.5g}"),
        )

    @property
    def remark(self) -> str:
        """Why the information may fall."""
        if self.line == "start" or self.mutual_information >= self.previous:
            return ""
        return "MI falls on purpose: the penalty falls by more, and the objective is both together."

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        now, n, moved = f"{self.mutual_information:.4g}", self.n_iterations, len(self.moved)
        if n == 0:
            what = "no iteration gains more" if self.converged else f"start: learned {self.origin} labels"
            return f"{what}, MI = {now}"
        points = f"{moved} point{'' if moved == 1 else 's'} moved"
        return f"{n} iteration{'' if n == 1 else 's'}: {points}, MI {self.previous:.4g} → {now}"

    @property
    def warning(self) -> str:
        """What a user of these labels must know: lost clusters, and contradicted known labels."""
        if not self.contradicted:
            return self.lost
        contradicted = (
            f"MIC contradicts {self.contradicted} of the known labels: these points have them all the same, "
            "but others like them may not. Lower alpha, or use UMCRLS."
        )
        return f"{self.lost} {contradicted}".strip()

    def confidence(self) -> Array:
        """Return the posterior of each point's own cluster."""
        return np.asarray(self.posterior[np.arange(len(self.labels)), self.labels])


class MIC(SteeredClusterer, PosteriorClusterer):
    """Clustering by the kernel logistic model with the highest mutual information ([SMIC] section 3.8).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    kernel : {"local_scaling", "rbf", "precomputed"}, default="local_scaling"
        Kernel between points. "local_scaling" is sparse and adapts to the density around each point. With
        "precomputed", `X` is the kernel matrix itself.
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Coefficient of the "rbf" kernel, or the name of a length of the data that serves as the unit of
        `width` (see `mmc.kernels.dense`). A number is from 1e-100 to 1e100.
    width : float, default=2.0
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    n_neighbors : int, default=7
        Number of neighbours t of the "local_scaling" kernel. Allowed are 1 to 1,000,000.
    alpha : float, default=0.1
        Weight λ of the penalty on the coefficients, in units of the squared n_clusters-th eigenvalue of the
        kernel if that is below 1, as for few points or a very wide kernel. 0 gives eq. 25 of the paper.
        Allowed are 0 to 1e12.
    init : {"spectral", "random"} or array-like of shape (n_samples,), default="spectral"
        Labels that the model is first trained on: those of self-tuning spectral clustering, random labels
        with clusters of equal size, or given labels from 0 to n_clusters − 1, which make a single start.
    n_init : int, default=1
        Number of starts. The start that ends with the lowest objective is kept. With "spectral" all starts
        but the first are random. Allowed are 1 to 1,000.
    max_iter : int, default=30
        Largest number of steps of a start, each of which is a group of iterations. Allowed are 1 to
        1,000,000,000.
    tol : float, default=1e-8
        A start ends when an iteration improves the objective by no more than this. Allowed are 0 to 1.
    random_state : int, RandomState or None, default=None
        Seed of the random starts. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        −M̂I plus the penalty, minus the likelihood of known labels.
    mutual_information_ : float
        M̂I of eq. 25 in nats, which is at most log n_clusters.
    n_iter_ : int
        Number of steps of the start that was kept.
    start_objectives_ : ndarray of shape (n_init,)
        Objective at the end of each start.
    graph_ : Graph
        Kernel on the distinct points; a dense kernel is stored without its matrix.
    n_neighbors_ : int
        Number of neighbours that was used; 0 for the other kernels.
    posterior_ : ndarray of shape (n_samples, n_clusters)
        Class posteriors at the training points.
    dual_coef_ : ndarray of shape (n_vertices, n_clusters)
        Coefficients α. The vertices are the distinct points under local scaling and all points otherwise.
    intercept_ : ndarray of shape (n_clusters,)
        Intercepts b.
    state_ : MICState
        Last state of the start that was kept.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is a group of 2 to 64 L-BFGS iterations. An iteration takes about 2 n c (t + 1) multiplications
    with local scaling and no n×n array; the other kernels take 2 n² c and one such array.

    *The start decides.* A kernel model can represent almost any labelling, so that M̂I has very many maxima.
    From the spectral start MIC mostly sharpens the posteriors and moves points at the borders. Random starts
    end in the poor local maxima that the paper describes, more often for a smaller `alpha`. With `alpha` zero
    all starts with clusters of equal size are equally good.

    *The penalty.* Gomes et al. use the norm of the model in the space of the kernel, which must be positive
    definite. Local scaling is not, and ‖α‖² replaces the norm. It is divided by the number of vertices, so
    that `alpha` has the same meaning for few points and many. The default leaves the posteriors of clear
    clusters near 0 and 1 for any number of neighbours. From about 1 with one neighbour, or 10 with seven, the
    penalty dominates: the posteriors are the same everywhere, M̂I is 0 and the labels are meaningless.

    *Intercepts* are not penalised. Without them a new point that is similar to no training point would belong
    to all clusters equally, whatever their sizes.

    *Empty clusters* are possible, as is one cluster with all points, if this is the maximum that was reached;
    a `ConvergenceWarning` says so. Of several starts one that lost fewer clusters is preferred.

    *New points* are compared with the training points by the same kernel. `predict` equals `labels_` on the
    training points. Equal points are one vertex under local scaling, with a weight of their number.

    *Many points.* Of more than 5,000 points with more than 64 features the graph is that of their principal
    components. Each start holds about thirty arrays of n_vertices × n_clusters numbers, twenty of which are
    L-BFGS's memory of curvature, and every state keeps two of them: 60,000 points in ten clusters take 0.2
    GB, and in a hundred clusters 2 GB.

    *Hints.* Known labels add their log-likelihood, divided by the number of all points, to the information;
    starts agree with them. Known points have their labels in `labels_` in any case, and `fit` warns if the
    model says otherwise. A point of weight 2 counts as two equal points do; the starts do not know weights.
    Links are refused, because the information says nothing of pairs of points.

    *A precomputed kernel* has no points between which neighbours could be found, so that its spectral start
    uses the kernel itself.

    References
    ----------
    R. Gomes, A. Krause, P. Perona: Discriminative Clustering by Regularized Information Maximization. NIPS
    2010.

    M. Sugiyama, G. Niu, M. Yamada, M. Kimura, H. Hachiya: Information-Maximization Clustering based on
    Squared-Loss Mutual Information. Neural Computation 26, 2014.

    Examples
    --------
    >>> from mmc import MIC
    >>> from mmc.datasets import make_four_gaussians
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_four_gaussians(100, random_state=0)
    >>> model = MIC(n_clusters=4, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [RANGES["n_clusters"]],
        "kernel": [StrOptions(set(KERNELS))],
        "gamma": [RANGES["gamma"], StrOptions(set(LENGTHS))],
        "width": [RANGES["width"]],
        "n_neighbors": [RANGES["n_neighbors"]],
        "alpha": [real(0, 1e12)],
        "init": [StrOptions({"spectral", "random"}), "array-like"],
        "n_init": [RANGES["n_init"]],
        "max_iter": [RANGES["max_iter"]],
        "tol": [real(0, 1)],
        "random_state": ["random_state"],
    }

    _remedy = "Lower alpha, try another n_neighbors or width, or ask for fewer clusters."

    _takes = ("known labels in y", "sample_weight")
    _refusal = "The information says nothing of pairs of points. Use UMCRLS, which keeps all hints."

    graph_: Graph
    n_neighbors_: int
    mutual_information_: float
    posterior_: Array
    dual_coef_: Array
    intercept_: Array

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "local_scaling",
        gamma: float | str = "neighbors",
        width: float = 2.0,
        n_neighbors: int = 7,
        alpha: float = 0.1,
        init: str | ArrayLike = "spectral",
        n_init: int = 1,
        max_iter: int = 30,
        tol: float = 1e-8,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.width = width
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _prepare_steered(self, X: Array, hints: Hints) -> Problem:
        graph = make_graph(X, self.kernel, self.gamma, self.width, self.n_neighbors)
        graph = replace(graph, weights=hints.weights)
        require_vertices(graph, self.n_clusters)
        known = hints.fixed[hints.unit]
        rng = check_random_state(self.random_state)
        draws: dict[str, Draw] = {"random": random_labels, "spectral": partial(self._spectral_labels, graph)}
        draw = partial(draw_starts, X, self.n_clusters, draws=draws, random_state=rng)
        if isinstance(self.init, str) and self.init == "spectral":
            starts = [*draw("spectral", n_init=1), *draw("random", n_init=self.n_init - 1)]
        else:
            starts = draw(self.init, n_init=self.n_init)
        return Problem(graph, [self._agreeing(start, known) for start in starts], known)

    def _agreeing(self, start: Start, known: Labels) -> Start:
        labels = agreeing(start.labels, known, self.n_clusters)[start.labels]
        return Start(np.where(known >= 0, known, labels), start.origin)

    def _spectral_labels(self, graph: Graph, X: Array, k: int, rng: np.random.RandomState) -> Labels:
        if self.kernel == "precomputed":
            if (graph.matrix.sum(axis=1) <= 0).any():
                raise ValueError(
                    'init="spectral" needs a kernel each row of which adds up to something positive. '
                    'Use init="random", or give labels.'
                )
        elif self.kernel != "local_scaling" or self.n_neighbors != _SELF_TUNING:
            graph = make_graph(X, "local_scaling", self.gamma, self.width, _SELF_TUNING)
            require_vertices(graph, k)
        vectors = normalized_spectrum(graph.matrix, k, accuracy=accuracy_for(graph.matrix)).vectors
        return spectral_labels(vectors, k, rng)[graph.vertex]

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self.graph_ = problem.graph.light()
        self.n_neighbors_ = problem.graph.n_neighbors
        return len(problem.starts), (self._climb(problem, start) for start in problem.starts)

    def _climb(self, problem: Problem, start: Start) -> Iterator[MICState]:
        graph, copies = problem.graph, problem.graph.copies
        shares = graph.multiplicity / graph.multiplicity.sum()
        counted = graph.matrix if copies is None else scaled(graph.matrix, 1.0 / np.sqrt(copies))
        unit = _unit(counted, self.n_clusters)
        learn = Objective(graph.matrix, shares, unit * max(self.alpha, _LEAST_ALPHA), copies=copies)
        known = _known(problem.known, graph, self.n_clusters)
        climb = Objective(graph.matrix, shares, unit * self.alpha, known, copies)
        targets = _indicators(start.labels, graph, self.n_clusters)
        x = np.zeros((len(shares) + 1) * self.n_clusters)
        # scikit-learn's logistic regression does not fit here: equal points may have different labels, and it
        # has other parameters for two clusters than for more.
        x = descend(lambda x: learn.cross_entropy(x, targets), x, _PRETRAINING, 1e-6).x
        state = self._state(problem, climb, x, None, origin=start.origin)
        yield state
        for step in count(1):
            found = descend(climb.information, x, min(2**step, _LONGEST), self.tol)
            x = found.x
            state = self._state(
                problem,
                climb,
                x,
                state,
                origin=start.origin,
                n_iterations=int(found.nit),
                converged=found.status != _INTERRUPTED,
                progress=min(1.0, step / self.max_iter),
            )
            yield state

    def _state(
        self, problem: Problem, objective: Objective, x: Array, before: MICState | None, **more: Any
    ) -> MICState:
        posterior = np.exp(objective.log_posterior(x))[problem.graph.vertex]
        found = np.asarray(posterior.argmax(axis=1), dtype=np.int64)
        labels = np.where(problem.known >= 0, problem.known, found)
        value, likelihood = float(objective.information(x)[0]), objective.likelihood(x)
        information = objective.penalty(x) - likelihood - value
        return MICState(
            labels=labels,
            objective=value,
            posterior=posterior,
            mutual_information=information,
            n_empty=self.n_clusters - len(np.unique(labels)),
            previous=before.mutual_information if before else information,
            coefficients=objective.coefficients(x),
            likelihood=likelihood,
            contradicted=int((labels != found).sum()),
            moved=np.flatnonzero(labels != before.labels) if before else np.empty(0, dtype=np.int64),
            **more,
        )

    def _adopt(self, state: MICState) -> None:
        self.mutual_information_ = state.mutual_information
        self.posterior_ = state.posterior
        self.dual_coef_ = state.coefficients[:-1]
        self.intercept_ = state.coefficients[-1]

    def _follow(self, X: Array) -> Callable[[MICState], Array]:
        K = self.graph_.kernel(X)
        return lambda state: np.exp(log_posterior(K, state.coefficients))


def _unit(matrix: Matrix, k: int) -> float:
    """Return the unit of the penalty: the squared k-th eigenvalue of the kernel, at most 1.

    A sparse kernel of many vertices has a diagonal of ones and few eigenvalues far above 1, so that the k-th
    is not below 1.
    """
    if issparse(matrix) and matrix.shape[0] > _FEW:
        return 1.0
    return float(np.clip(leading(matrix, k).values[-1], _LEAST_EIGENVALUE, 1.0)) ** 2


def _indicators(labels: Labels, graph: Graph, c: int) -> Array:
    """Return the share of each label among the samples of a vertex."""
    pairs = np.bincount(graph.vertex * c + labels, graph.weights, graph.matrix.shape[0] * c)
    return pairs.reshape(-1, c) / graph.multiplicity[:, None]


def _known(known: Labels, graph: Graph, c: int) -> Array | None:
    """Return the share of the samples that are at each vertex and known to be in each cluster."""
    seen = np.flatnonzero(known >= 0)
    if not len(seen):
        return None
    weights = None if graph.weights is None else graph.weights[seen]
    pairs = np.bincount(graph.vertex[seen] * c + known[seen], weights, graph.matrix.shape[0] * c)
    return pairs.reshape(-1, c) / graph.multiplicity.sum()
