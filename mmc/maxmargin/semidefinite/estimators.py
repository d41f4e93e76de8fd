"""`MMC` with a matrix as its variable, and `GMMC` with one variable for each point."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmc.maxmargin.binary import Array, Sizes
from mmc.maxmargin.semidefinite.base import SemidefiniteClusterer
from mmc.maxmargin.semidefinite.programs import Program, gmmc_program, mmc_program


class MMC(SemidefiniteClusterer):
    """Maximum-margin clustering by a semidefinite program over the matrix yyᵀ ([iterSVR] eq. 6).

    The program is convex, so that its solution does not depend on a start. It has n² variables.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, which must be 2, or 1 for all points together. For more use `RecursiveBinary`.
    kernel : {"rbf", "linear", "poly", "local_scaling", "precomputed"}, default="rbf"
        Kernel between points. With "precomputed", `X` is the kernel matrix itself.
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data that serves as the
        unit of `width` (see `mmc.kernels.dense`). A number is from 1e-100 to 1e100.
    width : float, default=0.8
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    degree : float, default=3
        Degree of the "poly" kernel. Allowed are 1 to 100.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel. Allowed are -1e6 to 1e6.
    n_neighbors : int, default=7
        Number of neighbours of the "local_scaling" kernel. Allowed are 1 to 1,000,000.
    C : float, default=10.0
        Cost of an error. From about 1 on, Gaussian kernels of usual widths make no errors, and a larger value
        only slows SCS down. Allowed are 1e-9 to 1e9.
    balance : float, default=0.35
        ℓ as a share of the points: the largest difference of the cluster sizes. Allowed are 0 to 1.
    cluster_sizes : sequence of 2 numbers or None, default=None
        Sizes of the clusters 0 and 1 to aim at, in any unit; `balance` then bounds how far the difference of
        the sizes is from theirs. The share of the second is b_c of [UMC-RLS]. None means equal sizes, as in
        the paper.
    n_draws : int, default=200
        Number of random vectors that are rounded beside the leading eigenvector (see
        `mmc.maxmargin.semidefinite.rounding`); at most 20 until the program is solved. 0 gives the paper's
        rounding. Allowed are 0 to 10,000.
    solver : {"SCS", "CLARABEL"}, default="SCS"
        SCS is fast and shows its intermediate matrices. Clarabel is more accurate, and twenty to thirty times
        slower at 60 points.
    tol : float, default=3e-5
        Absolute and relative accuracy of the solver. Allowed are 1e-12 to 0.99.
    time_limit : float, default=60.0
        Seconds that the solver may take. Then `SolverError` is raised, and the estimator keeps the last
        state. Allowed are 1e-6 to 1e9.
    max_samples : int, default=100
        Largest number of points that is accepted, because the cost grows fast with it. Allowed are 2 to
        1,000,000.
    random_state : int, RandomState or None, default=None
        Seed of the random vectors. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, 0 or 1.
    objective_ : float
        The SVM objective ‖w‖² + 2C Σξ of the labels ([iterSVR] eq. 3).
    n_iter_ : int
        Number of iterations of the solver.
    start_objectives_ : ndarray of shape (1,)
        Objective at the end of each start.
    dual_coef_ : ndarray of shape (n_samples,)
        Coefficients a_i of f(x) = Σ a_i K(x, x_i) + b: the SVM that is trained on the labels.
    intercept_ : float
        Bias b of this SVM.
    kernel_ : Kernel
        Kernel with the width that was computed from the training points.
    state_ : SemidefiniteState
        Last state, with M*, its spectrum and the value of the program.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Raises
    ------
    SolverError
        If the program is not solved. The estimator keeps the last state, if there is one.

    Notes
    -----
    One step is a run of 25 to 200 SCS iterations, or the whole solution by Clarabel. An iteration of SCS
    takes n³, and a solution takes hundreds to thousands of them and about 320 n² numbers of memory. Clarabel
    takes n⁶ time and up to 5 n⁴ numbers.

    `predict` is that of the SVM that is trained on the labels. It equals `labels_` on the training points,
    except for points that this SVM leaves on the wrong side because a small C allows it, and for equal points
    that the balance puts into different clusters.

    The program assumes that the border passes through the origin of the feature space (b = 0). The SVM that
    evaluates the labels and predicts has a bias, so that its objective can be below the value of the program.
    The transitivity constraints of the original method are left out, as in [iterSVR] eq. 6.

    *How the defaults were chosen.* Width and balance were chosen on clouds, moons and four pairs of digits
    with 24 to 60 points. A narrow kernel follows curved shapes: a width of 0.6 separates two moons. A wide
    kernel joins outlying points to their cloud: a width of 2 separates clouds without error.

    References
    ----------
    L. Xu, J. Neufeld, B. Larson, D. Schuurmans: Maximum Margin Clustering. NIPS 17, 2004.

    Examples
    --------
    >>> from mmc import MMC
    >>> from mmc.datasets import load_digits
    >>> from mmc.metrics import clustering_error
    >>> digits = load_digits((3, 8))
    >>> X, y = digits.X[:30], digits.y[:30]
    >>> model = MMC(random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
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
        cluster_sizes: Sequence[float] | None = None,
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
        self.cluster_sizes = cluster_sizes
        self.n_draws = n_draws
        self.solver = solver
        self.tol = tol
        self.time_limit = time_limit
        self.max_samples = max_samples
        self.random_state = random_state

    def _program(self, K: Array, sizes: Sizes) -> Program:
        return mmc_program(K, self.C, sizes.bound, sizes.target)

    def _n_arrays(self, n: int) -> int:
        return 5 * n * n if self.solver == "CLARABEL" else 330


class GMMC(SemidefiniteClusterer):
    """Generalised maximum-margin clustering: a semidefinite program with n variables ([iterSVR] eq. 7).

    The program contains no labels: it asks that each point keep a distance from the border on either side,
    f_i² ≥ 1. Unlike in `MMC`, the border need not pass through the origin of the feature space.

    Parameters
    ----------
    n_clusters : int, default=2
        Number of clusters, which must be 2, or 1 for all points together. For more use `RecursiveBinary`.
    kernel : {"rbf", "linear", "poly", "local_scaling", "precomputed"}, default="rbf"
        Kernel between points. With "precomputed", `X` is the kernel matrix itself.
    gamma : float or {"neighbors", "median", "max"}, default="neighbors"
        Coefficient of the "rbf" and "poly" kernels, or the name of a length of the data that serves as the
        unit of `width` (see `mmc.kernels.dense`). A number is from 1e-100 to 1e100.
    width : float, default=0.8
        Width σ of the "rbf" kernel in units of the length that `gamma` names. Allowed are 1e-6 to 1e6.
    degree : float, default=3
        Degree of the "poly" kernel. Allowed are 1 to 100.
    coef0 : float, default=1.0
        Constant term of the "poly" kernel. Allowed are -1e6 to 1e6.
    n_neighbors : int, default=7
        Number of neighbours of the "local_scaling" kernel. Allowed are 1 to 1,000,000.
    C : float, default=10.0
        C_e of the paper: the cost of an error, and of an uneven sum of f. If it is too small for any margin,
        `SolverError` is raised. Allowed are 1e-9 to 1e9.
    balance : float, default=0.2
        Largest difference of the cluster sizes as a share of the points. It is not part of the program, which
        has the term C_e e₀e₀ᵀ instead, but holds when M* is rounded. With a large value, rounding can cut off
        the sparse side of a cloud, but clusters of unequal size need one. The term pulls towards equal sizes
        and leaves no place for others, so that there is no `cluster_sizes`. Allowed are 0 to 1.
    n_draws : int, default=200
        Number of random vectors that are rounded beside the leading eigenvector (see
        `mmc.maxmargin.semidefinite.rounding`); at most 20 until the program is solved. 0 gives the paper's
        rounding. Allowed are 0 to 10,000.
    solver : {"SCS", "CLARABEL"}, default="SCS"
        SCS is fast and shows its intermediate matrices. Clarabel is more accurate, and twenty to thirty times
        slower at 60 points.
    tol : float, default=3e-5
        Absolute and relative accuracy of the solver. Allowed are 1e-12 to 0.99.
    time_limit : float, default=60.0
        Seconds that the solver may take. Then `SolverError` is raised, and the estimator keeps the last
        state. Allowed are 1e-6 to 1e9.
    max_samples : int, default=300
        Largest number of points that is accepted, because the cost grows fast with it. Allowed are 2 to
        1,000,000.
    random_state : int, RandomState or None, default=None
        Seed of the random vectors. An integer makes the fit reproducible.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each training point, 0 or 1.
    objective_ : float
        The SVM objective ‖w‖² + 2C Σξ of the labels ([iterSVR] eq. 3).
    n_iter_ : int
        Number of iterations of the solver.
    start_objectives_ : ndarray of shape (1,)
        Objective at the end of each start.
    dual_coef_ : ndarray of shape (n_samples,)
        Coefficients a_i of f(x) = Σ a_i K(x, x_i) + b: the SVM that is trained on the labels.
    intercept_ : float
        Bias b of this SVM.
    kernel_ : Kernel
        Kernel with the width that was computed from the training points.
    state_ : SemidefiniteState
        Last state, with M*, its spectrum and the value of the program. M* is the relaxation of ffᵀ, and its
        diagonal is at least 1 except for errors.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features. It is set only if `X` has a text name for each feature.

    Raises
    ------
    SolverError
        If the program is not solved. The estimator keeps the last state, if there is one.

    Notes
    -----
    One step is a run of 25 to 200 SCS iterations, or the whole solution by Clarabel. An iteration of SCS
    takes n³, and a solution takes one hundred to a few hundred of them and about 7 n³ numbers of memory (1.5
    GB at 300 points). Clarabel takes n⁶ time and up to 3 n⁴ numbers. A ridge of 10⁻⁴ of its mean diagonal is
    added to the kernel, whose inverse need not exist otherwise.

    `predict` is that of the SVM that is trained on the labels. It equals `labels_` on the training points,
    except for points that this SVM leaves on the wrong side because a small C allows it, and for equal points
    that the balance puts into different clusters.

    References
    ----------
    H. Valizadegan, R. Jin: Generalized Maximum Margin Clustering and Unsupervised Kernel Learning. NIPS 19,
    2006.

    Examples
    --------
    >>> from mmc import GMMC
    >>> from mmc.datasets import load_digits
    >>> from mmc.metrics import clustering_error
    >>> digits = load_digits((3, 8))
    >>> X, y = digits.X[:30], digits.y[:30]
    >>> model = GMMC(random_state=0).fit(X)
    >>> clustering_error(y, model.labels_)
    0.0
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

    def _program(self, K: Array, sizes: Sizes) -> Program:
        return gmmc_program(K, self.C)

    def _n_arrays(self, n: int) -> int:
        return 3 * n * n if self.solver == "CLARABEL" else 8 * n
