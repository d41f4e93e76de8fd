"""`IterSVR`, `IterLSSVM`, `IterSVM` and `CCCPMMC`: one loop, four classifiers."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from mmc._sklearn import Interval
from mmc.kernels import Kernel
from mmc.maxmargin.binary import Array
from mmc.maxmargin.iterative.base import IterativeClusterer, Problem
from mmc.maxmargin.iterative.bias import Placement
from mmc.maxmargin.machines import LeastSquaresMachine, Machine, SVMachine, SVRMachine, Trained


class IterSVR(IterativeClusterer):
    """Maximum-margin clustering by support vector regression on its own labels ([iterSVR] Algorithm 2).

    Support vector regression wants f to be −1 or +1 at every point: being too sure costs as much as not being
    sure enough. So no label is held fast by a large margin, points at the border flip from round to round,
    and the border can leave a poor start.

    Parameters
    ----------
    n_clusters : int, default=2
        Only two; `RecursiveBinary` makes more of them.
    kernel : {"rbf", "linear", "poly", "local_scaling", "precomputed"}, default="rbf"
    gamma : float or {"neighbors", "median", "max"}, default="max"
        Of the Gaussian and polynomial kernels: a number, or the length in which `width` is measured
        (see `mmc.kernels`). The paper's exp(−d²/σ²) has gamma = 1/σ².
    width : float, default=2.0
        Width of the Gaussian kernel as a multiple of the length that `gamma` names.
    degree, coef0 : float, default=3, 1.0
        Of the polynomial kernel.
    n_neighbors : int, default=7
        Of the local-scaling kernel.
    C : float, default=500.0
        What an error costs; large values let f follow the labels more closely.
    epsilon : float, default=0.05
        Errors up to this size are forgiven; less than 1, from where on f = 0 would be forgiven everywhere.
        0 is the Laplacian loss; towards 1 the right side of the loss loses its effect, and points stay as
        they are.
    balance : float, default=0.35
        ℓ as a share of the points: by how many the sizes of the clusters may differ. The paper takes 0.03
        where the classes are equal and 0.15 where they are not.
    init : {"k-means", "normalized-cut", "random"} or array-like of shape (n_samples,), default="k-means"
        The first labels: k-means from two seeds that lie far apart; the normalised cut of the kernel (of a
        Gaussian one where it has negative values); a random half; or given labels, 0 and 1.
    n_init : int, default=5
        Number of starts; the one that ends with the lowest objective is kept. Starts with the same labels
        are made once, and there is one normalised cut.
    max_iter : int, default=50
        Rounds of a start.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    objective_ : float
        ‖w‖² + 2C Σ (|1 − y f| − ε)₊.
    dual_coef_ : ndarray of shape (n_samples,)
        Coefficients a_i of f(x) = Σ a_i K(x, x_i) + b.
    intercept_ : float
        b.
    n_iter_ : int
        Rounds of the start that was kept.
    start_objectives_ : ndarray
        Objective at the end of each start.
    state_ : IterState

    Notes
    -----
    On the training points `predict` equals `labels_`: labels are the signs of f. (The exceptions are the
    start itself, if the fit is stopped there, and equal points that the balance forces apart.)

    *How the defaults were chosen.* C and ε are the paper's. Width and balance were sought on ten sets with
    two classes (five toys, breast cancer, four pairs of digits). A wide kernel makes a stiff border, which is
    what lets points flip: with a narrow one f follows any labels, and the result is the start. Curved shapes
    such as moons or spirals therefore need another start (`init="normalized-cut"` with a narrow kernel) or
    another method.

    References
    ----------
    K. Zhang, I. W. Tsang, J. T. Kwok: Maximum Margin Clustering Made Practical. IEEE Transactions on Neural
    Networks 20, 2009.

    Examples
    --------
    >>> from mmc import IterSVR
    >>> from mmc.datasets import load_digits
    >>> digits = load_digits((3, 8))
    >>> model = IterSVR(balance=0.03, random_state=0).fit(digits.X)
    >>> bool((model.predict(digits.X) == model.labels_).all())
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **IterativeClusterer._parameter_constraints,
        "epsilon": [Interval(Real, 0, 1, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "max",
        width: float = 2.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 7,
        C: float = 500.0,
        epsilon: float = 0.05,
        balance: float = 0.35,
        init: str | ArrayLike = "k-means",
        n_init: int = 5,
        max_iter: int = 50,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.width = width
        self.degree = degree
        self.coef0 = coef0
        self.n_neighbors = n_neighbors
        self.C = C
        self.epsilon = epsilon
        self.balance = balance
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _machine(self, K: Array, kernel: Kernel) -> Machine:
        return SVRMachine(K, self.C, self.epsilon)


class IterSVM(IterativeClusterer):
    """Maximum-margin clustering by training an SVM on its own labels ([iterSVR] Algorithm 1).

    The hinge loss asks for margins of at least 1 and does not mind larger ones, so that most points end up
    far on their side and flipping any would cost a lot. The labels of the start are hardly ever left; the
    method is here to be watched beside `IterSVR`.

    Parameters and attributes are those of `IterSVR` without `epsilon`; C is 10 by default, as in the paper.
    The objective is ‖w‖² + 2C Σ (1 − y f)₊. On the training points `predict` equals `labels_`, with the
    exceptions that `IterSVR` names.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "max",
        width: float = 2.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 7,
        C: float = 10.0,
        balance: float = 0.35,
        init: str | ArrayLike = "k-means",
        n_init: int = 5,
        max_iter: int = 50,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.width = width
        self.degree = degree
        self.coef0 = coef0
        self.n_neighbors = n_neighbors
        self.C = C
        self.balance = balance
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _machine(self, K: Array, kernel: Kernel) -> Machine:
        return SVMachine(K, self.C)


class IterLSSVM(IterativeClusterer):
    """Maximum-margin clustering by training a least-squares SVM on its own labels ([iterSVR] section III-C).

    The square loss holds f near −1 and +1 from both sides, as that of `IterSVR` does. The matrix of the
    linear system is the same in every round, so that it is factored once and a round costs n²; the paper
    factors it in every round.

    Parameters and attributes are those of `IterSVR` without `epsilon`; C is 100 by default, as in the paper,
    and 1/C is λ of ridge regression with an intercept. The objective is ‖w‖² + C Σ (1 − y f)². On the
    training points `predict` equals `labels_`, with the exceptions that `IterSVR` names. A kernel that is not
    positive semi-definite is replaced by its positive part.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "max",
        width: float = 2.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 7,
        C: float = 100.0,
        balance: float = 0.35,
        init: str | ArrayLike = "k-means",
        n_init: int = 5,
        max_iter: int = 50,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.width = width
        self.degree = degree
        self.coef0 = coef0
        self.n_neighbors = n_neighbors
        self.C = C
        self.balance = balance
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _machine(self, K: Array, kernel: Kernel) -> Machine:
        return LeastSquaresMachine(K, self.C, is_psd=kernel.is_psd)


class CCCPMMC(IterativeClusterer):
    """Maximum-margin clustering by the concave-convex procedure, without a balance ([iterSVR] appendix).

    Without the balance a margin can be made as large as one likes by putting every point in one cluster. From
    a good start with a large C the procedure stays where it is; with a small C the larger cluster takes one
    point after the other until nothing is left of the smaller one. That is why the other methods have a
    balance.

    Parameters and attributes are those of `IterSVR` without `epsilon` and `balance`; C is 10 by default. The
    objective is ‖w‖² + 2C Σ (1 − |f|)₊, and 0 when all points are in one cluster. On the training points
    `predict` equals `labels_`, except at the start itself. A cluster can be empty at the end.
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "max",
        width: float = 2.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 7,
        C: float = 10.0,
        init: str | ArrayLike = "k-means",
        n_init: int = 5,
        max_iter: int = 50,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.width = width
        self.degree = degree
        self.coef0 = coef0
        self.n_neighbors = n_neighbors
        self.C = C
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _machine(self, K: Array, kernel: Kernel) -> Machine:
        return SVMachine(K, self.C)

    def _bound(self, n: int) -> int:
        return n

    def _place(self, trained: Trained, problem: Problem) -> Placement:
        return Placement(trained.bias, (trained.values + trained.bias > 0).astype(np.int64))
