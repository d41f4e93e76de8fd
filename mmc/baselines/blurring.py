"""Blurring mean shift: all points move to the mean of their surroundings ([SMIC] section 3.3).

A round moves all points at once,

    x_i ← Σ_j W_ij x_j / Σ_j W_ij,    W_ij = exp(−‖x_i − x_j‖²/(2σ²)).

Clusters contract to points within a few rounds. With more rounds they would slowly merge, so that the search
ends when every cluster has become a point.

The objective, which never rises, is −Σ_ij W_ij/n², minus the mean similarity of two points (Cheng 1995). For
fixed W a round lowers Σ_ij W_ij ‖x_i − x_j‖², because the eigenvalues of D⁻¹W lie between 0 and 1 for the row
sums D, and exp(−t) lies above its tangents.

One step is one round. A cluster is a connected component of the graph of links shorter than σ. A round takes
n² d; memory is three n×n arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from mmc._sklearn import StrOptions
from mmc.baselines.moving import Array, Labels, NearestMember
from mmc.kernels import LENGTHS, Kernel, fit_kernel, require_memory
from mmc.ranges import RANGES, real
from mmc.stepping import State


class Problem(NamedTuple):
    """The points, and the kernel with the width that was computed from them."""

    X: Array
    kernel: Kernel


@dataclass(frozen=True, kw_only=True, eq=False)
class BlurringState(State):
    """The current positions of the points.

    Attributes
    ----------
    round : int
        Number of the round; 0 is the start.
    places : ndarray of shape (n_samples, n_features)
        Current positions of the points.
    spread : float
        Largest distance of a point to the mean of its cluster, in units of σ.
    """

    round: int
    places: Array
    spread: float

    @property
    def line(self) -> str:
        """Name of the line of the pseudo-code that this step carries out."""
        return "round" if self.round else "start"

    @property
    def numbers(self) -> tuple[tuple[str, str], ...]:
        """The round, the clusters so far, and how wide the widest is."""
        return (
            ("round", str(self.round)),
            ("clusters", str(int(self.labels.max()) + 1)),
            ("widest, in σ", f"{self.spread:.3g}"),
            ("closeness", f"{-self.objective:.4g}"),
        )

    @property
    def remark(self) -> str:
        """Why the picture's points stay while the algorithm's move."""
        return "" if self.round != 1 else "Points seem to stay: what moves are the rings, their copies."

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        k = int(self.labels.max()) + 1
        clusters = f"{k} cluster{'' if k == 1 else 's'}"
        if self.round == 0:
            return f"start: the points hang together in {clusters}"
        return f"round {self.round}: {clusters}, the widest {self.spread:.2g} σ from its middle"

    @property
    def ringed(self) -> Array:
        """Current positions of the points."""
        return self.places

    @property
    def rings(self) -> str:
        """What is said of the rings in a picture."""
        return "Points stay where they began, and rings show where they have moved to."


class BlurringMeanShift(NearestMember):
    """Blurring mean shift, which finds the number of clusters itself ([SMIC] section 3.3).

    Parameters
    ----------
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        1/(2σ²) of the Gaussian weights, or the name of a length of the data that serves as the unit of
        `width` (see `mmc.kernels.dense`). A number is from 1e-100 to 1e100.
    width : float, default=1.0
        Width σ of the Gaussian weights in units of the length that `gamma` names. It determines the number of
        clusters. Allowed are 1e-6 to 1e6.
    tol : float, default=0.001
        The search ends when no point is farther than this, in units of σ, from the mean of its cluster.
        Allowed are 1e-12 to 1.
    max_iter : int, default=200
        Largest number of rounds. Allowed are 1 to 1,000,000,000.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, from 0; larger clusters come first.
    objective_ : float
        Minus the mean similarity of two points at their final positions.
    n_iter_ : int
        Number of rounds.
    start_objectives_ : ndarray of shape (1,)
        Objective at the end of each start.
    places_ : ndarray of shape (n_samples, n_features)
        Final positions of the points.
    state_ : BlurringState
        Last state of the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Notes
    -----
    One step is one round, in which all points move. A round takes n² d; memory is three n×n arrays. Nothing
    is random.

    The paper does not define labels for new points. Here a new point joins the cluster of its nearest
    training point, so that `predict` equals `labels_` on the training points; `decision_function` is minus
    the distance to the nearest member of each cluster.

    Carreira-Perpiñán (2006) stops when the sizes of the moves no longer change, which is equivalent once
    clusters are points.

    References
    ----------
    K. Fukunaga, L. Hostetler: The Estimation of the Gradient of a Density Function. IEEE Transactions on
    Information Theory 21, 1975.

    Y. Cheng: Mean Shift, Mode Seeking, and Clustering. IEEE Transactions on Pattern Analysis and Machine
    Intelligence 17, 1995.

    Examples
    --------
    >>> import numpy as np
    >>> from mmc import BlurringMeanShift
    >>> from mmc.datasets import make_three_gaussians
    >>> X, y = make_three_gaussians(90, noise=0.3, random_state=0)
    >>> np.bincount(BlurringMeanShift(width=2).fit(X).labels_).tolist()
    [30, 30, 30]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "gamma": [RANGES["gamma"], StrOptions(set(LENGTHS))],
        "width": [RANGES["width"]],
        "tol": [real(1e-12, 1)],
        "max_iter": [RANGES["max_iter"]],
    }

    places_: Array

    def __init__(
        self,
        *,
        gamma: float | str = "neighbors",
        width: float = 1.0,
        tol: float = 0.001,
        max_iter: int = 200,
    ) -> None:
        self.gamma = gamma
        self.width = width
        self.tol = tol
        self.max_iter = max_iter

    def _prepare(self, X: Array) -> Problem:
        require_memory(len(X), 3)
        return Problem(X, fit_kernel(X, gamma=self.gamma, width=self.width).kernel)

    def _starts(self, problem: Problem) -> tuple[int, Iterable[Iterable[State]]]:
        self._keep(problem.X)
        return 1, [self._rounds(problem.X, problem.kernel)]

    def _rounds(self, X: Array, kernel: Kernel) -> Iterator[BlurringState]:
        places, before = X.copy(), None
        for i in count():
            W = replace(kernel, X=places)(places)
            labels = _components(W)
            spread = _spread(places, labels) * float(np.sqrt(2.0 * kernel.gamma))
            done = i > 0 and spread <= self.tol
            yield BlurringState(
                labels=labels,
                objective=-float(W.mean()),
                converged=done,
                progress=1.0 if done else i / (i + 10.0),
                round=i,
                places=places,
                moved=np.empty(0, dtype=np.int64) if before is None else np.flatnonzero(labels != before),
                spread=spread,
            )
            places, before = W @ places / W.sum(axis=1, keepdims=True), labels

    def _adopt(self, state: BlurringState) -> None:
        self.places_ = state.places


def _components(W: Array) -> Labels:
    """Return the connected components of the graph of links shorter than σ, larger ones first."""
    _, component = connected_components(csr_array(np.exp(-0.5) < W), directed=False)
    order = np.argsort(-np.bincount(component), kind="stable")
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[component]


def _spread(places: Array, labels: Labels) -> float:
    """Return the largest distance of a position to the mean of its cluster."""
    middles = np.zeros((int(labels.max()) + 1, places.shape[1]))
    np.add.at(middles, labels, places)
    middles /= np.bincount(labels)[:, None]
    return float(np.sqrt(((places - middles[labels]) ** 2).sum(axis=1)).max())
