"""`MMC` with a matrix as its variable, `GMMC` with one number for each point."""

from __future__ import annotations

import numpy as np

from mmc.maxmargin.binary import Array
from mmc.maxmargin.semidefinite.base import SemidefiniteClusterer
from mmc.maxmargin.semidefinite.programs import Program, gmmc_program, mmc_program


class MMC(SemidefiniteClusterer):
    """Maximum-margin clustering by a semidefinite program over the matrix yyᵀ ([iterSVR] eq. 6).

    The labels are found all at once and without a start: the program is convex and has one optimum, which no
    other start could better. The price is its size, n² variables.

    Parameters
    ----------
    n_clusters : int, default=2
        Only two.
    kernel : {"rbf", "linear", "poly", "local_scaling", "precomputed"}, default="rbf"
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Of the Gaussian and polynomial kernels: a number, or the length in which `width` is measured
        (see `mmc.kernels`).
    width : float, default=0.8
        Width of the Gaussian kernel as a multiple of the length that `gamma` names.
    degree, coef0 : float, default=3, 1.0
        Of the polynomial kernel.
    n_neighbors : int, default=7
        Of the local-scaling kernel.
    C : float, default=10.0
        What an error costs. From about 1 on, Gaussian kernels of usual widths make no errors, and a larger
        value only slows SCS down.
    balance : float, default=0.35
        ℓ as a share of the points: by how many the sizes of the clusters may differ.
    n_draws : int, default=200
        How many random vectors are rounded beside the leading eigenvector (see
        `mmc.maxmargin.semidefinite.rounding`); at most 20 until the program is solved. 0 is the paper's
        rounding.
    solver : {"SCS", "CLARABEL"}, default="SCS"
        SCS is fast and can be watched. Clarabel is more exact, and twenty to thirty times slower at 60
        points.
    tol : float, default=3e-5
        Accuracy of the solver, absolute and relative.
    time_limit : float, default=60.0
        Seconds that the solver may take; then `SolverError` is raised and the last state stays.
    max_samples : int, default=100
        More points are refused, because the cost grows so fast.
    random_state : int, RandomState or None, default=None
        Seed of the random vectors.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
    objective_ : float
        The SVM objective ‖w‖² + 2C Σξ of the labels ([iterSVR] eq. 3).
    dual_coef_ : ndarray of shape (n_samples,)
        Coefficients a_i of f(x) = Σ a_i K(x, x_i) + b: the SVM that is trained on the labels.
    intercept_ : float
        b.
    n_iter_ : int
        Iterations of the solver.
    start_objectives_ : ndarray of shape (1,)
    state_ : SemidefiniteState
        With M*, its spectrum and the value of the program.

    Raises
    ------
    SolverError
        If the program is not solved; the estimator keeps the last state, if there was one.

    Notes
    -----
    On the training points `predict` equals `labels_` but for those that the SVM leaves on the wrong side for
    the sake of its margin, which a small C allows, and equal points that the balance forces apart.

    The program assumes that the border passes through the origin of the feature space (b = 0). The SVM that
    judges the labels and predicts has a bias, so that its objective can be below the program's value.

    *How the defaults were chosen.* Width and balance were sought on clouds, moons and four pairs of digits of
    24 to 60 points. A narrow kernel follows curved shapes: two moons come out with a width of 0.6. A wide one
    joins what lies far out to its cloud: with a width of 2 clouds come out without error.

    References
    ----------
    L. Xu, J. Neufeld, B. Larson, D. Schuurmans: Maximum Margin Clustering. NIPS 17, 2004.

    Examples
    --------
    >>> from mmc.maxmargin.semidefinite import MMC
    >>> from mmc.datasets import load_digits
    >>> digits = load_digits((3, 8))
    >>> model = MMC(random_state=0).fit(digits.X[:40])
    >>> bool((model.predict(digits.X[:40]) == model.labels_).all())
    True
    """

    _cost = (
        "has n² variables; its time grows like n³ for each of a thousand iterations or more (SCS) or like "
        "n⁶ (Clarabel), and its memory like n² or n⁴"
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "neighbors",
        width: float = 0.8,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 7,
        C: float = 10.0,
        balance: float = 0.35,
        n_draws: int = 200,
        solver: str = "SCS",
        tol: float = 3e-5,
        time_limit: float = 60.0,
        max_samples: int = 100,
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
        self.n_draws = n_draws
        self.solver = solver
        self.tol = tol
        self.time_limit = time_limit
        self.max_samples = max_samples
        self.random_state = random_state

    def _program(self, K: Array, bound: int) -> Program:
        return mmc_program(K, self.C, bound)

    def _n_arrays(self, n: int) -> int:
        return 5 * n * n if self.solver == "CLARABEL" else 330


class GMMC(SemidefiniteClusterer):
    """Generalised maximum-margin clustering: a semidefinite program with n variables ([iterSVR] eq. 7).

    Labels do not appear in it: a point may lie on either side of the border as long as it keeps its distance,
    f_i² ≥ 1. The border need not pass through the origin as that of `MMC` must.

    Parameters and attributes are those of `MMC`, with three differences. C is the paper's C_e, which is the
    cost of an error and of an uneven sum of f alike; where it is too small for any margin to pay,
    `SolverError` says so. `balance` is not in the program, which has the C_e e₀e₀ᵀ for it, but holds when M*
    is rounded; it is 0.2 by default, because a wide one lets the loose side of a cloud be cut off, and should
    be raised for clusters of unlike sizes. `max_samples` is 300. M* is the relaxation of ffᵀ, and its
    diagonal is at least 1 but for errors.

    `predict` is that of the SVM which is trained on the labels, with the exceptions that `MMC` names.

    References
    ----------
    H. Valizadegan, R. Jin: Generalized Maximum Margin Clustering and Unsupervised Kernel Learning. NIPS 19,
    2006.
    """

    _cost = (
        "takes time that grows like n⁴ or more (SCS) or n⁶ (Clarabel), and memory that grows like n³ "
        "(1.5 GB at 300 points) or n⁴"
    )

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: str = "rbf",
        gamma: float | str = "neighbors",
        width: float = 0.8,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 7,
        C: float = 10.0,
        balance: float = 0.2,
        n_draws: int = 200,
        solver: str = "SCS",
        tol: float = 3e-5,
        time_limit: float = 60.0,
        max_samples: int = 300,
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
        self.n_draws = n_draws
        self.solver = solver
        self.tol = tol
        self.time_limit = time_limit
        self.max_samples = max_samples
        self.random_state = random_state

    def _program(self, K: Array, bound: int) -> Program:
        return gmmc_program(K, self.C)

    def _n_arrays(self, n: int) -> int:
        return 3 * n * n if self.solver == "CLARABEL" else 8 * n
