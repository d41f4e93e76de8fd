"""Blurring mean shift: all points move to the mean of their surroundings, at once ([SMIC] section 3.3).

    x_i ← Σ_j W_ij x_j / Σ_j W_ij,    W_ij = exp(−‖x_i − x_j‖²/(2σ²)),

for all points together, again and again. Clusters contract to points within a few rounds; left alone they
would drift into one another for ever. So the search ends when every cluster has become a point.

What never rises on the way is −Σ_ij W_ij/n², minus the mean closeness of two points (Cheng 1995): for fixed
W a round lowers Σ_ij W_ij ‖x_i − x_j‖², since the eigenvalues of D⁻¹W lie between 0 and 1, D being the row
sums, and exp(−t) lies above its tangents.

One step is one round. A cluster is what hangs together by links shorter than σ. Costs n² d for each round;
memory: three n×n arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from mmc._sklearn import Interval, StrOptions
from mmc.baselines.moving import Array, Labels, NearestMember
from mmc.kernels import LENGTHS, Kernel, fit_kernel, require_memory
from mmc.stepping import State


class Problem(NamedTuple):
    """The points and the kernel whose width is settled on them."""

    X: Array
    kernel: Kernel


@dataclass(frozen=True, kw_only=True, eq=False)
class BlurringState(State):
    """Where the points have come to.

    Attributes
    ----------
    round : int
    places : ndarray of shape (n_samples, n_features)
    moved : ndarray
        The points that changed their cluster.
    spread : float
        The largest distance of a point to the middle of its cluster, in units of σ.
    """

    round: int
    places: Array
    moved: Labels
    spread: float

    @property
    def caption(self) -> str:
        """One sentence that says what happened in this step."""
        k = int(self.labels.max()) + 1
        clusters = f"{k} cluster{'' if k == 1 else 's'}"
        if self.round == 0:
            return f"start: the points hang together in {clusters}"
        return f"round {self.round}: {clusters}, the widest {self.spread:.2g} σ from its middle"

    @property
    def changed(self) -> Labels:
        """Indices of the points whose cluster this step changed."""
        return self.moved

    @property
    def ringed(self) -> Array:
        """Where the points have come to."""
        return self.places

    @property
    def rings(self) -> str:
        """What is said of the rings in a picture."""
        return "Points stay where they began, and rings show where they have moved to."


class BlurringMeanShift(NearestMember):
    """Blurring mean shift, which finds the number of clusters by itself ([SMIC] section 3.3).

    Parameters
    ----------
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        A number, 1/(2σ²), or the length in which `width` is measured (see `mmc.kernels`).
    width : float, default=1.0
        Width σ of the Gaussian weights as a multiple of the length that `gamma` names. It decides how many
        clusters there are.
    tol : float, default=0.001
        The search ends when no point is farther than this, in units of σ, from the middle of its cluster.
    max_iter : int, default=200

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Larger clusters come first.
    places_ : ndarray of shape (n_samples, n_features)
        Where the points have come to.
    objective_ : float
        Minus the mean closeness of two points, at their places.
    n_iter_ : int
    state_ : BlurringState

    Notes
    -----
    The paper says nothing of new points. Here each joins the cluster of its nearest training
    point, so that `predict` equals `labels_` on the training points; `decision_function` is minus the
    distance to the nearest member of each cluster. Nothing is drawn at random. Carreira-Perpiñán (2006)
    stops when the sizes of the moves no longer change instead, which comes to the same once clusters are
    points.

    References
    ----------
    K. Fukunaga, L. Hostetler: The Estimation of the Gradient of a Density Function. IEEE Transactions on
    Information Theory 21, 1975.

    Y. Cheng: Mean Shift, Mode Seeking, and Clustering. IEEE Transactions on Pattern Analysis and Machine
    Intelligence 17, 1995.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions(set(LENGTHS))],
        "width": [Interval(Real, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
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
            labels = _parts(W)
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


def _parts(W: Array) -> Labels:
    """Give the parts that hang together by links shorter than σ, larger ones first."""
    _, part = connected_components(csr_array(np.exp(-0.5) < W), directed=False)
    order = np.argsort(-np.bincount(part), kind="stable")
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[part]


def _spread(places: Array, labels: Labels) -> float:
    """Give the largest distance of a place to the middle of its cluster."""
    middles = np.zeros((int(labels.max()) + 1, places.shape[1]))
    np.add.at(middles, labels, places)
    middles /= np.bincount(labels)[:, None]
    return float(np.sqrt(((places - middles[labels]) ** 2).sum(axis=1)).max())
