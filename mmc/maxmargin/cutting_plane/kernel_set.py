"""The working set with whole kernel matrices.

The columns of the dual and their products with the kernels are stored, so that a new constraint takes one
product with each kernel, and a point that changes its label takes an outer product.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmc.maxmargin.cutting_plane.constraints import Cut, Sides
from mmc.maxmargin.cutting_plane.dual_program import Solution
from mmc.maxmargin.cutting_plane.kernel_list import Member
from mmc.maxmargin.cutting_plane.working_set import Array, Labels, Model, WorkingSet


class KernelSet(WorkingSet):
    """Ω with columns of length n; the coefficients are those of the training points.

    Parameters
    ----------
    members : sequence of Member
        Kernels with their matrices.
    sides : Sides
    labels : ndarray of shape (n,)
        Labels z at which the constraints are linearised.
    """

    def __init__(self, members: Sequence[Member], sides: Sides, labels: Labels) -> None:
        super().__init__(
            sides, labels, np.array([np.abs(np.diagonal(member.matrix)).mean() for member in members])
        )
        self.members = members
        n, m, M = len(labels), sides.n_blocks, len(members)
        self.n_coefficients = n
        self.columns = np.zeros((n, 0, m))  # n·a_p
        self.products = np.zeros((M, n, 0, m))  # K_k a_p
        self._of_ones = np.array([member.matrix.mean(axis=1) for member in members])  # K_k 1/n

    def add(self, cut: Cut) -> None:
        """Add a constraint."""
        self.cuts.append(cut)
        column = self.sides.rows(cut, self.labels, slice(None))[:, None]
        self.columns = np.concatenate([self.columns, column], axis=1)
        new = np.stack([member.matrix @ column[:, 0] / len(column) for member in self.members])
        self.products = np.concatenate([self.products, new[:, :, None]], axis=2)

    def relabel(self, labels: Labels) -> None:
        """Set new labels z, at which the constraints are linearised."""
        moved = np.flatnonzero(labels != self.labels)
        n, m = len(labels), self.sides.n_blocks
        self.labels = labels
        if len(moved) == 0:
            return
        rows = np.stack([self.sides.rows(cut, labels, moved) for cut in self.cuts], axis=1)
        change = (rows - self.columns[moved]).reshape(len(moved), -1) / n
        self.columns[moved] = rows
        for k, member in enumerate(self.members):
            self.products[k] += (member.matrix[:, moved] @ change).reshape(n, -1, m)

    def grams(self) -> Array:
        """Return G_k of the columns of the cuts, followed by those of the shifts if these have columns."""
        n, P, m = self.columns.shape
        flat = self.columns.transpose(1, 0, 2).reshape(P, n * m) / n
        G = np.stack([flat @ K.transpose(0, 2, 1).reshape(n * m, P) for K in self.products])
        G = (G + G.transpose(0, 2, 1)) / 2.0
        if not self.sides.free_shifts:
            return G
        # The shift of class p has −1/n in block p of every point.
        whole = np.zeros((len(G), P + m, P + m))
        whole[:, :P, :P] = G
        whole[:, :P, P:] = -self.products.mean(axis=1)
        whole[:, P:, :P] = whole[:, :P, P:].transpose(0, 2, 1)
        whole[:, P:, P:] = self._of_ones.mean(axis=1)[:, None, None] * np.eye(m)
        return whole

    def _slopes(self) -> Array:
        return np.asarray(self.columns[:, :, 0].mean(axis=0))

    def _model(self, solution: Solution, beta: Array) -> Model:
        n, weights = len(self.columns), solution.weights
        coef = np.einsum("ipm,p->im", self.columns, weights) / n
        f = np.einsum("kipm,p,k->im", self.products, weights, beta, optimize=True)
        if self.sides.free_shifts:
            coef -= solution.shifts / n
            f -= np.outer(beta @ self._of_ones, solution.shifts)
        else:
            coef -= coef.mean(axis=0)
        return Model(f, coef, np.einsum("ipm,im->p", self.columns, f, optimize=True) / n)
