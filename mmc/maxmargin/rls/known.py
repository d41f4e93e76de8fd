"""Labels of all points by a ridge model of the known points alone, from which a search can start.

The model is the one of the search, with the same kernel and penalty, but only known points take part in its
sum of squares. Every cluster weighs the same there, however many of its points are known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmc.hints import Hints
from mmc.kernels.neighbors import Floats
from mmc.maxmargin.rls.labelling import Array, Labels, indicators

#: Rows that are multiplied at a time.
_ROWS = 8192

#: Eigenvalues below this share of the largest are rounding errors, in float64 and in float32.
_LOST, _LOST_ROUGH = 1e-10, 1e-5


class KnownPoints:
    """The known points, if every cluster has one; otherwise none.

    Parameters
    ----------
    hints : Hints
    k : int
        Number of clusters.

    Attributes
    ----------
    rows : ndarray
        Rows of the points.
    """

    def __init__(self, hints: Hints, k: int) -> None:
        labels = hints.fixed[hints.unit]
        rows = np.flatnonzero(labels >= 0)
        self.rows: Labels = rows if len(np.unique(labels[rows])) == k else rows[:0]
        self._weights = np.ones(len(labels)) if hints.weights is None else hints.weights
        v, own = self._weights[self.rows], labels[self.rows]
        self._balanced = v * v.sum() / k / np.bincount(own, v, k)[own]
        self._targets = indicators(own, k).T

    def labels_by_factor(self, W: Floats) -> Labels:
        """Label all points by a ridge model on the rows of a factor of the hat matrix.

        In coordinates in which points have the rows of W, the penalty of the coefficients is I − Wᵀ D W.

        Parameters
        ----------
        W : ndarray of shape (n_samples, r)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        moments = np.eye(W.shape[1])
        for first in range(0, len(W), _ROWS):
            part = W[first : first + _ROWS].astype(np.float64)
            moments -= part.T @ (part * self._weights[first : first + _ROWS, None])
        known = W[self.rows].astype(np.float64)
        weighted = known * self._balanced[:, None]
        moments += known.T @ weighted
        lost = _LOST if W.dtype == np.float64 else _LOST_ROUGH
        coefficients = np.linalg.pinv(moments, rcond=lost, hermitian=True) @ (weighted.T @ self._targets)
        return np.asarray((W @ coefficients.astype(W.dtype)).argmax(axis=1), dtype=np.int64)

    def labels_by_kernel(self, columns: Array, alpha: float, *, fit_intercept: bool) -> Labels:
        """Label all points by a kernel ridge model.

        Parameters
        ----------
        columns : ndarray of shape (n_samples, n_known)
            Kernel between all points and the known ones.
        alpha : float
            λ.
        fit_intercept : bool
            Whether the model has an unpenalised intercept.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        m = len(self.rows)
        system: NDArray[np.float64] = np.zeros((m + 1, m + 1))
        system[:m, :m] = columns[self.rows] + np.diag(alpha / self._balanced)
        system[m, m] = 1.0
        if fit_intercept:
            system[m, :m] = system[:m, m] = 1.0
            system[m, m] = 0.0
        right = np.vstack([self._targets, np.zeros((1, self._targets.shape[1]))])
        solution = np.linalg.lstsq(system, right, rcond=None)[0]
        return np.asarray((columns @ solution[:m] + solution[m]).argmax(axis=1), dtype=np.int64)
