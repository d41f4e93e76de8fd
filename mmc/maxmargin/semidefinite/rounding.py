"""Rounding of the matrix that a semidefinite program returns to labels.

The solution is a matrix M* in place of yyᵀ. If it has rank one, its leading eigenvector is y. In general
several labellings compete:

- the leading eigenvector √μ₁ v₁, the soft labels of [iterSVR] section II;
- random vectors z = M*^½ g with independent normal entries of g, as Goemans and Williamson (1995) round.

The signs of each vector give labels. If these violate the balance, the threshold moves from 0 to the nearest
value that keeps it. The labelling with the lowest SVM objective min ‖w‖² + 2C Σξ ([iterSVR] eq. 3) is kept.

Random vectors are needed because the order of equal or nearly equal leading eigenvalues is arbitrary, and two
solvers at the same optimum return different eigenvectors. The symmetric root M*^½ does not depend on a basis,
so that equal matrices give equal labels, and every direction of the leading space is tried.

Costs for n points and m draws: one eigendecomposition (n³) and at most m + 1 trainings of an SVM.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mmc.maxmargin.binary import Array, Labels, signs
from mmc.maxmargin.machines import SVMachine, Trained

#: Smaller relative differences of objectives are inaccuracy of libsvm; the earlier candidate is kept.
_ACCURACY = 1e-4


class Rounded(NamedTuple):
    """Labels that a matrix is rounded to.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        0 and 1; the first point is always in cluster 0, so that equal partitions have equal labels, unless
        there is a target.
    soft : ndarray of shape (n,)
        The vector whose signs are the labels, apart from the balance.
    spectrum : ndarray of shape (n,)
        Eigenvalues of the matrix in decreasing order.
    trained : Trained
        The SVM that is trained on these labels.
    objective : float
        Objective of this SVM.
    """

    labels: Labels
    soft: Array
    spectrum: Array
    trained: Trained
    objective: float


def round_matrix(
    M: Array, machine: SVMachine, bound: float, directions: Array, target: float = 0.0
) -> Rounded:
    """Find the labelling of lowest SVM objective among the candidates that a matrix gives.

    Parameters
    ----------
    M : ndarray of shape (n, n)
        Symmetric matrix; its negative part is ignored.
    machine : SVMachine
        Evaluates the labellings.
    bound : float
        Largest |Σy − target|. Some labelling without an empty cluster keeps it, and none with one does.
    directions : ndarray of shape (m, n)
        The vectors g, which M*^½ turns into candidates.
    target : float, default=0.0
        Σy to aim at. Unless it is 0, a vector and its negative are two candidates.

    Returns
    -------
    Rounded
    """
    values, vectors = np.linalg.eigh((M + M.T) / 2.0)
    roots = np.sqrt(np.maximum(values, 0.0))
    draws = (directions @ vectors * roots) @ vectors.T
    best: Rounded | None = None
    seen: set[bytes] = set()
    candidates = (roots[-1] * vectors[:, -1], *draws)
    for z in candidates if target == 0 else (sign * z for z in candidates for sign in (1.0, -1.0)):
        soft = -z if z[0] > 0 and target == 0 else z.copy()  # the sign of an eigenvector is arbitrary
        labels = balanced_signs(soft, bound, target)
        if labels[0] == 1 and target == 0:  # the balance has moved the first point
            labels, soft = 1 - labels, -soft
        if labels.tobytes() in seen:
            continue
        seen.add(labels.tobytes())
        trained = machine.train(signs(labels))
        # At the optimum the dual objective has the same value, and it does not depend on the bias.
        objective = float(2.0 * np.abs(trained.dual).sum() - trained.norm)
        if best is None or objective < best.objective - _ACCURACY * abs(best.objective):
            best = Rounded(labels, soft, values[::-1].copy(), trained, objective)
    assert best is not None  # there is always the leading eigenvector
    return best


def balanced_signs(z: Array, bound: float, target: float = 0.0) -> Labels:
    """Label points by the sign of z, or by the threshold nearest to 0 that keeps |Σy − target| ≤ bound.

    If equal values leave no such threshold, the points are divided by their order.

    Parameters
    ----------
    z : ndarray of shape (n,)
    bound : float
    target : float, default=0.0

    Returns
    -------
    ndarray of shape (n,)
        1 where z is above the threshold, else 0.
    """
    n = len(z)
    low, high = np.ceil((n + target - bound) / 2), np.floor((n + target + bound) / 2)
    upper = int(np.clip((z > 0).sum(), low, high))  # size of cluster 1
    labels = np.zeros(n, dtype=np.int64)
    labels[np.argsort(z, kind="stable")[n - upper :]] = 1
    return labels
