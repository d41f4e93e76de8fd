"""Information-maximization clustering with squared-loss mutual information ([SMIC]; Sugiyama et al. 2013).

The class posteriors are modelled by p(y|x) = Σ_i α_{y,i} K(x, x_i) (eq. 6), and

    ŜMI = 1/(2n) Σ_y (1/π_y) α_yᵀ K² α_y − ½                                                   (eq. 8)

is maximised over orthonormal α_1, …, α_c. The maximum is known in closed form: the α_y are the leading
eigenvectors of K. It remains to choose their signs, set negative responses to zero, and scale each so that
class y has its share π_y.

=============  ====================  ====================================================
paper          code                  meaning
=============  ====================  ====================================================
K, t           matrix, n_neighbors   kernel, its number of neighbours
φ̃_y, λ_y       eigenvectors          signed eigenvectors of K, and its eigenvalues
π_y            prior                 class priors, in increasing order
c              n_clusters            number of clusters
=============  ====================  ====================================================

One step is one eigenvector, or, if LSMI chooses the number of neighbours, one candidate for it, with the
normalised and the plain kernel unless the user decides.

Costs for n points, t neighbours and c clusters: the neighbours once (see `mmc.kernels.local_scaling`), then
for each t Lanczos iterations of n (t + c) multiplications, without an n×n array. The Gaussian and precomputed
kernels need two.

Points that belong together get one posterior by a kernel that is averaged over them, and weights are
multiplicities (`mmc.infomax.graph`).

Deviations from the paper, which the class states too: the kernel is normalised by its degrees, D^-½ K D^-½,
before the eigenvectors are computed, or LSMI chooses between the normalised and the plain one; the components
of a disconnected graph are decomposed separately; points without a positive response take the posterior of
their nearest neighbour that has one; eigenvectors whose eigenvalue is not positive have no response. Of more
than 5,000 points with more than 64 features the graph is that of principal components, and the eigenvectors
of more than 5,000 points have a relative error of up to 1e-4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mmc._sklearn import StrOptions
from mmc.hints import Hints, agreeing
from mmc.infomax.density_ratio import Estimate
from mmc.infomax.graph import KERNELS, Graph, dense_graph, local_graph, require_vertices, with_hints
from mmc.infomax.lsmi import LSMI
from mmc.infomax.posterior import PosteriorClusterer
from mmc.infomax.responses import Model, adapted_model, fit_model, signs
from mmc.kernels import LENGTHS
from mmc.kernels.local_scaling import Neighborhood, find_neighbors
from mmc.kernels.spectral import Array, Matrix, Spectrum
from mmc.ranges import RANGES
from mmc.steered import SteeredClusterer
from mmc.stepping import Field, State

#: The candidates of [SMIC] section 4.1.
CANDIDATES = tuple(range(1, 11))


class Problem(NamedTuple):
    """What stays fixed: the candidate graphs, and the score that chooses between them."""

    graphs: Iterable[Graph]
    judge: LSMI | None
    n_graphs: int
    hints: Hints


@dataclass(frozen=True, kw_only=True, eq=False)
class SMICState(State):
    """A clustering from a number of eigenvectors.

    Attributes
    ----------
    posterior : ndarray of shape (n_samples, n_clusters)
        Class posteriors at the training points.
    unresponsive : ndarray
        Points without a positive response, which take the posterior of their nearest neighbour that has one.
    model : Model
        Responses of the eigenvectors.
    estimate : Estimate or None
        LSMI of these labels, if LSMI chooses the number of neighbours.
    curve : tuple of float
        LSMI of the candidates 1, 2, … so far, the higher one if both kernels were tried.
    prior : ndarray of shape (n_clusters,)
        Class priors of the eigenvectors.
    n_rounds : int
        Number of rounds in which they were adapted; 0 if they are given.
    crowded : str
        Warning of known clusters that the eigenvectors do not part; empty if there are none.
    """

    posterior: Array
    unresponsive: NDArray[np.int64]
    model: Model
    prior: Array
    n_rounds: int = 0
    estimate: Estimate | None = None
    curve: tuple[float, ...] = ()
    crowded: str = ""

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        if self.estimate is None:
            return "eigenvector"
        return "choice" if self.converged else "candidate"

    @property
    def fields(self) -> tuple[Field, ...]:
        """The eigenvectors, extended to all training points."""
        values, vectors = self.model.spectrum.values, self.model.spectrum.vectors[self.model.graph.vertex]
        return tuple(
            Field(f"eigenvector {y + 1} (eigenvalue {value:.4f})", "entry", vectors[:, y])
            for y, value in enumerate(values)
        )

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """The LSMI of t and the best so far, or an eigenvector with its eigenvalue and its points."""
        t = self.model.graph.n_neighbors
        neighbors = (("t", str(t)),) if t else ()
        if self.estimate is not None:
            return (
                *neighbors,
                ("graph", "normalised" if self.model.normalized else "plain"),
                ("LSMI", f"{self.estimate.value:.4g}"),
                ("highest LSMI so far", f"{max(self.curve):.4g}"),
            )
        y = self.model.coefficients.shape[1]
        return (
            *neighbors,
            ("y", str(y)),
            ("eigenvalue λ", f"{self.model.spectrum.values[y - 1]:.4g}"),
            ("points of cluster y", str(self._size(y))),
            *((("π", self._shares()), ("rounds", str(self.n_rounds))) if self.n_rounds else ()),
            ("SMI", f"{-self.objective:.4g}"),
        )

    @property
    def remark(self) -> str:
        """Why LSMI may fall from one t to the next."""
        if self.estimate is None or self.converged or self.estimate.value >= max(self.curve):
            return ""
        return (
            "A lower LSMI is no step back: every t is tried by itself, and the highest is taken at the end."
        )

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        adapted = f"; class priors settle at {self._shares()}" if self.n_rounds else ""
        return f"{self._what()}{adapted}{self._exceptions()}"

    @property
    def warning(self) -> str:
        """What a user of these labels must know: lost clusters, and known clusters that are not parted."""
        return " ".join(text for text in (self.lost, self.crowded) if text)

    def confidence(self) -> Array:
        """Return the posterior of each point's own cluster."""
        return np.asarray(self.posterior[np.arange(len(self.labels)), self.labels])

    def _what(self) -> str:
        t = self.model.graph.n_neighbors
        if self.estimate is not None:
            chosen = "chosen: " if self.converged else ""
            kernel = "" if self.model.normalized else " and the plain kernel"
            return f"{chosen}{_counted(t, 'neighbour')}{kernel}, LSMI = {self.estimate.value:.4g}"
        y = self.model.coefficients.shape[1]
        size = _counted(self._size(y), "point")
        cluster, value = self.model.cluster_of(y - 1), self.model.spectrum.values[y - 1]
        return f"eigenvector {y}, eigenvalue {value:.4g}: cluster {cluster} takes {size}"

    def _shares(self) -> str:
        return ", ".join(f"{share:.2f}" for share in self.prior)

    def _size(self, y: int) -> int:
        return int((self.labels == self.model.cluster_of(y - 1)).sum())

    def _exceptions(self) -> str:
        n = len(self.unresponsive)
        return f"; {_counted(n, 'point')} without a response follow the nearest with one" if n else ""


class _Judged(NamedTuple):
    """A candidate with its LSMI."""

    state: SMICState
    estimate: Estimate


class SMIC(SteeredClusterer, PosteriorClusterer):
    """Clustering in closed form from the eigenvectors of a kernel, with neighbours chosen by LSMI ([SMIC]).

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters. Allowed are 1 to 1,000,000.
    kernel : {"local_scaling", "rbf", "precomputed"}, default="local_scaling"
        Kernel between points. "local_scaling" is sparse and adapts to the density around each point. With
        "precomputed", `X` is the kernel matrix itself.
    n_neighbors : int or "lsmi", default="lsmi"
        Number of neighbours t of the "local_scaling" kernel. "lsmi" tries 1 to 10 and keeps the clustering
        whose least-squares mutual information is highest. A number is from 1 to 1,000,000.
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Coefficient of the "rbf" kernel, or the name of a length of the data that serves as the unit of
        `width` (see `mmc.kernels.dense`). A number is from 1e-100 to 1e100.
    width : float, default=2.0
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    normalize : bool or "auto", default="auto"
        Whether the kernel is normalised by its degrees, D^-½ K D^-½. False gives the method of the paper.
        "auto" lets LSMI choose between both where it chooses the number of neighbours; elsewhere it is True.
    class_prior : sequence of n_clusters numbers or None, default=None
        Class priors π of the paper, in any unit and order. They are sorted, and the leading eigenvector gets
        the smallest. None means equal shares.
    adapt_prior : bool, default=False
        Whether the class priors only begin so, and are then replaced by the sorted shares of the clusters
        that they give, again and again, until they repeat. [SMIC] section 5 leaves this to future work.
    random_state : int, RandomState or None, default=None
        Seed of the centres and folds of LSMI; the clustering itself is deterministic.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0 to n_clusters − 1.
    objective_ : float
        −ŜMI of eq. 8, or −LSMI if LSMI chooses the number of neighbours.
    n_iter_ : int
        Number of steps after the first.
    start_objectives_ : ndarray of shape (1,)
        Objective at the end of each start.
    graph_ : Graph
        Kernel on the distinct points; a dense kernel is stored without its matrix.
    n_neighbors_ : int
        Number of neighbours that was used; 0 for the other kernels.
    normalize_ : bool
        Whether the kernel that was used is normalised.
    class_prior_ : ndarray of shape (n_clusters,)
        Class priors of the eigenvectors, as given or adapted.
    posterior_ : ndarray of shape (n_samples, n_clusters)
        Class posteriors at the training points.
    eigenvalues_ : ndarray of shape (n_clusters,)
        Leading eigenvalues of the (normalised) kernel.
    eigenvectors_ : ndarray of shape (n_samples, n_clusters)
        Eigenvectors, signed so that the sum of each is positive.
    unresponsive_ : ndarray
        Training points without a positive response; each has the posterior of the nearest point that has one.
    lsmi_curve_ : ndarray
        LSMI of 1, 2, … neighbours, the higher one of both kernels if `normalize` is "auto"; empty if the
        number of neighbours is given.
    state_ : SMICState
        Last state of the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one eigenvector, or one candidate for the number of neighbours. A step takes Lanczos
    iterations of n (t + c) multiplications and no n×n array; the "rbf" and "precomputed" kernels need two.

    *Normalisation.* With the plain kernel the leading eigenvectors concentrate where points are densest, and
    the method fails on the paper's own toys. On images of digits and faces the plain kernel is better,
    because there dense regions are clusters. LSMI chooses between them by default. At equal LSMI the
    normalised kernel is kept.

    *How the defaults were chosen.* Four ways to choose were compared by the adjusted Rand index on 184 public
    and generated sets of at most 1,500 points with the true number of clusters: every second set in the order
    of names to choose, the others to report.

    ==========================  =============================  =============================
    candidates of LSMI          chosen on: toys, others, real  reported: toys, others, real
    ==========================  =============================  =============================
    normalised, t = 1 to 10     0.674, 0.808, 0.436            0.666, 0.883, 0.388
    plain, t = 1 to 10          0.613, 0.703, 0.426            0.639, 0.780, 0.385
    both, t = 1 to 10           0.695, 0.810, 0.439            0.688, 0.898, 0.395
    both, also t = 12, 15, 20   0.711, 0.810, 0.432            0.692, 0.897, 0.401
    ==========================  =============================  =============================

    The default is the third row. Over the first it gains 0.012 ± 0.009 on all sets of the first half and
    0.015 ± 0.006 on all of the second (standard errors). On the real sets alone the gains, 0.003 ± 0.014 and
    0.007 ± 0.010, are within the error. The larger numbers of neighbours take longer and are worse on the
    real sets of the first half. Also tried: t from 3 or from 5 on, which was not better on real sets, and the
    plain kernel only where its LSMI is higher by 2 to 20 %, which was worse on toys.

    *Adapted class priors.* Where classes are about equal, nothing changes. With half as many points in each
    class as in the one before, ten draws of 200 points with seven neighbours give "high-low" a mean adjusted
    Rand index of 0.19 with equal priors, 0.25 with adapted and 0.34 with the true ones (deviations 0.15 to
    0.21), spirals 0.59, 0.61 and 0.69 (0.35 to 0.42), and three Gaussians 0.89, 0.91 and 0.91 (0.13 to 0.14):
    a small gain, within what draws differ by. Two or three rounds are enough. If each eigenvector kept the
    share of its own cluster instead of the priors being sorted, the leading one, which is positive nearly
    everywhere, would soon take all points.

    *Repeated eigenvalues.* The components of a disconnected graph share the eigenvalue 1, and a solver may
    return any mixture of their eigenvectors. The components are therefore decomposed separately, larger ones
    first. If there are more components than clusters, the largest become clusters, and the points of the
    others take the posterior of their nearest neighbour.

    *Empty clusters* are possible, because an eigenvector may have the largest response nowhere; `fit` then
    warns. An eigenvector whose eigenvalue is not positive has no response. If the sum of an eigenvector is
    zero, its largest entry is made positive.

    *New points* are compared with the training points by the same kernel, each with its own width. A new
    point without a positive response takes the posterior of the nearest training point that has one.
    `predict` equals `labels_` on the training points.

    *Many points.* Of more than 5,000 points with more than 64 features the graph is that of their principal
    components; the eigenvectors of more than 5,000 points have a relative error of up to 1e-4 (see
    `mmc.kernels.neighbors` and `mmc.kernels.spectral`). LSMI compares all points with 200 of them, in memory
    for n (n_features + 600) numbers; a given number of neighbours takes n (n_neighbors + n_clusters).

    Equal points are one vertex of the local-scaling graph and get the same label. They count as often as they
    occur when posteriors are scaled to the class priors. More neighbours than other points mean all of them.

    *Hints.* Weights are multiplicities: a point of weight 2 counts as two equal points do. Linked points get
    one posterior, because the kernel is averaged over each group of them (see `mmc.infomax.graph`), and a new
    point, even one of them, is compared with all points of a group alike. Points of one known cluster are
    linked, and clusters are numbered as the known labels say best. Nothing in the objective keeps points
    apart, so that cannot-links are refused, and two known clusters may fall into one: their points then have
    their known labels all the same, `fit` warns, and `predict` does not know. Where LSMI chooses, the
    weights count in its means. With the default kernel, three known labels of a hundred raise the share of
    other digits 8 and 9 that get the right label from 0.60 to 0.92, and ten from 0.76 to 0.89 among all ten
    digits. With the "rbf" kernel, which is smooth over long distances, they hardly help, and links between
    many clusters can do harm.

    References
    ----------
    M. Sugiyama, G. Niu, M. Yamada, M. Kimura, H. Hachiya: Information-Maximization Clustering based on
    Squared-Loss Mutual Information. Neural Computation 26, 2014.

    Examples
    --------
    >>> from mmc import SMIC
    >>> from mmc.datasets import make_spirals
    >>> from mmc.metrics import clustering_error
    >>> X, y = make_spirals(100, random_state=0)
    >>> model = SMIC(n_clusters=2, random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
    >>> model.lsmi_curve_.shape
    (10,)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [RANGES["n_clusters"]],
        "kernel": [StrOptions(set(KERNELS))],
        "n_neighbors": [RANGES["n_neighbors"], StrOptions({"lsmi"})],
        "gamma": [RANGES["gamma"], StrOptions(set(LENGTHS))],
        "width": [RANGES["width"]],
        "normalize": ["boolean", StrOptions({"auto"})],
        "class_prior": ["array-like", None],
        "adapt_prior": ["boolean"],
        "random_state": ["random_state"],
    }

    _remedy = "Try another n_neighbors or width, ask for fewer clusters, or check the columns."
    _takes = ("known labels in y", "must_link", "sample_weight")
    _refusal = "Its objective knows nothing that keeps points apart. Use UMCRLS, which keeps all hints."

    graph_: Graph
    class_prior_: Array
    posterior_: Array
    n_neighbors_: int
    normalize_: bool
    eigenvalues_: Array
    eigenvectors_: Array
    unresponsive_: NDArray[np.int64]
    lsmi_curve_: Array

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "local_scaling",
        n_neighbors: int | str = "lsmi",
        gamma: float | str = "neighbors",
        width: float = 2.0,
        normalize: bool | str = "auto",
        class_prior: Sequence[float] | None = None,
        adapt_prior: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.gamma = gamma
        self.width = width
        self.normalize = normalize
        self.class_prior = class_prior
        self.adapt_prior = adapt_prior
        self.random_state = random_state

    def _prepare_steered(self, X: Array, hints: Hints) -> Problem:
        self._prior()
        if self.kernel != "local_scaling":
            graph = with_hints(dense_graph(X, self.kernel, self.gamma, self.width), hints)
            require_vertices(graph, self.n_clusters)
            return Problem([graph], None, 1, hints)
        asked = CANDIDATES if self.n_neighbors == "lsmi" else (int(self.n_neighbors),)
        neighbors = find_neighbors(X, asked[-1])
        candidates = [t for t in asked if t <= neighbors.most] or [neighbors.most]
        first = with_hints(local_graph(neighbors.kernel(candidates[0])), hints)
        require_vertices(first, self.n_clusters)
        judge = None
        if len(asked) > 1:
            rng = check_random_state(self.random_state)
            judge = LSMI(X, random_state=rng, sample_weight=hints.weights)
        return Problem(_graphs(neighbors, first, candidates), judge, len(candidates), hints)

    def _prior(self) -> Array:
        c = self.n_clusters
        if self.class_prior is None:
            return np.full(c, 1.0 / c)
        prior = np.asarray(self.class_prior, dtype=np.float64)
        if prior.shape != (c,) or not np.isfinite(prior).all() or (prior <= 0).any():
            raise ValueError(
                f"class_prior={self.class_prior!r} must hold one positive number for each of the {c} "
                "clusters."
            )
        return np.sort(prior / prior.sum())

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        if problem.judge is None:
            (graph,) = problem.graphs
            return 1, [self._by_eigenvector(graph, problem.hints)]
        return 1, [self._by_candidate(problem, problem.judge)]

    def _by_eigenvector(self, graph: Graph, hints: Hints) -> Iterator[SMICState]:
        normalized = bool(self.normalize)  # "auto" is True where LSMI does not choose
        spectrum = self._spectrum(graph, normalized)
        last: SMICState | None = None
        for y in range(1, self.n_clusters + 1):
            last = self._state(graph, spectrum, y, last, normalized, hints)
            yield last

    def _by_candidate(self, problem: Problem, judge: LSMI) -> Iterator[SMICState]:
        best: SMICState | None = None
        last: SMICState | None = None
        known: dict[bytes, Estimate] = {}
        curve: tuple[float, ...] = ()
        kernels = (True, False) if self.normalize == "auto" else (bool(self.normalize),)
        for i, graph in enumerate(problem.graphs):
            tried = [
                self._judged(graph, normalized, last, judge, known, problem.hints) for normalized in kernels
            ]
            state, estimate = max(tried, key=lambda each: each.estimate.value)  # the first of equal ones
            curve += (estimate.value,)
            last = replace(
                state,
                objective=-estimate.value,
                estimate=estimate,
                curve=curve,
                converged=False,
                progress=(i + 1) / (problem.n_graphs + 1),
            )
            if best is None or last.objective < best.objective:
                best = last
            yield last
        if best is not None and last is not None:
            moved = np.flatnonzero(best.labels != last.labels)
            yield replace(best, moved=moved, curve=curve, converged=True, progress=1.0)

    def _judged(
        self,
        graph: Graph,
        normalized: bool,
        before: SMICState | None,
        judge: LSMI,
        known: dict[bytes, Estimate],
        hints: Hints,
    ) -> _Judged:
        """Cluster with all eigenvectors of a kernel and estimate LSMI, unless the labels are known."""
        spectrum = self._spectrum(graph, normalized)
        state = self._state(graph, spectrum, self.n_clusters, before, normalized, hints)
        key = judge.centres.codes(state.labels).tobytes()
        if key not in known:
            known[key] = judge(state.labels)
        return _Judged(state, known[key])

    def _spectrum(self, graph: Graph, normalized: bool) -> Spectrum:
        values, vectors = graph.leading(self.n_clusters, normalized=normalized)
        if values[0] <= 0:
            raise ValueError("The kernel has no positive eigenvalue, so that no cluster has a response.")
        return Spectrum(values, vectors * signs(vectors, graph.multiplicity))

    def _state(
        self,
        graph: Graph,
        spectrum: Spectrum,
        y: int,
        before: SMICState | None,
        normalized: bool,
        hints: Hints,
    ) -> SMICState:
        """Cluster with the first y eigenvectors."""
        n, prior, n_rounds = graph.multiplicity.sum(), self._prior(), 0
        if self.adapt_prior and y == self.n_clusters:
            adapted = adapted_model(graph, spectrum, prior, normalized=normalized)
            model, (posterior, unresponsive), prior, n_rounds = adapted
        else:
            model, (posterior, unresponsive) = fit_model(graph, spectrum, prior, y, normalized=normalized)
        everyone = posterior[graph.vertex]
        labels = np.asarray(everyone.argmax(axis=1), dtype=np.int64)
        crowded = ""
        known = hints.fixed[hints.unit]
        if (seen := known >= 0).any():
            cluster = agreeing(labels, known, self.n_clusters)
            model, everyone = replace(model, cluster=cluster), everyone[:, np.argsort(cluster)]
            labels = np.asarray(everyone.argmax(axis=1), dtype=np.int64)
            crowded = _crowded(labels[seen], known[seen]) if y == self.n_clusters else ""
            labels[seen] = known[seen]
        return SMICState(
            labels=labels,
            objective=float(0.5 - (spectrum.values[:y] ** 2 / prior[:y]).sum() / (2.0 * n)),
            converged=y == self.n_clusters,
            progress=y / self.n_clusters,
            posterior=everyone,
            unresponsive=np.flatnonzero(unresponsive[graph.vertex]),
            moved=np.flatnonzero(labels != before.labels) if before else np.empty(0, dtype=np.int64),
            model=model,
            prior=prior,
            n_rounds=n_rounds,
            crowded=crowded,
        )

    def _adopt(self, state: SMICState) -> None:
        graph, spectrum = state.model.graph, state.model.spectrum
        self.graph_ = graph
        self.class_prior_ = state.prior
        self.posterior_ = state.posterior
        self.n_neighbors_ = graph.n_neighbors
        self.normalize_ = state.model.normalized
        self.eigenvalues_ = spectrum.values
        self.eigenvectors_ = spectrum.vectors[graph.vertex]
        self.unresponsive_ = state.unresponsive
        self.lsmi_curve_ = np.array(state.curve)

    def _follow(self, X: Array) -> Callable[[SMICState], Array]:
        rows: dict[int, Matrix] = {}

        def values(state: SMICState) -> Array:
            model = state.model
            t = model.graph.n_neighbors
            if t not in rows:
                rows[t] = model.graph.kernel(X)
            return model.posterior(X, rows[t]).values

        return values


def _graphs(neighbors: Neighborhood, first: Graph, candidates: Sequence[int]) -> Iterator[Graph]:
    yield first
    for t in candidates[1:]:
        yield replace(local_graph(neighbors.kernel(t)), weights=first.weights, unit=first.unit)


def _crowded(found: NDArray[np.int64], known: NDArray[np.int64]) -> str:
    """Return a warning of known clusters whose points share a cluster, or an empty text."""
    pairs = np.unique(np.column_stack([found, known]), axis=0)
    together = [pairs[pairs[:, 0] == h, 1] for h in np.unique(pairs[:, 0])]
    shared = ["clusters " + " and ".join(map(str, each)) for each in together if len(each) > 1]
    if not shared:
        return ""
    return (
        f"SMIC does not part the known {', nor the '.join(shared)}: known points have their labels, and the "
        "points around them may not. Try another n_neighbors or width, or use UMCRLS, which keeps them apart."
    )


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"
