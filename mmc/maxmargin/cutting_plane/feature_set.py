"""The working set with features: K_k = Φ_k Φ_kᵀ with an n×r array for each kernel, and no n×n array.

Of a column a_p of the dual only the products Φ_kᵀ a_p are stored, r numbers for each value of f at a point.
All that the dual asks for follows from them: G_k[p, q] = ⟨Φ_kᵀ a_p, Φ_kᵀ a_q⟩, and with coefficients
v_k = β_k Σ_p λ_p Φ_kᵀ a_p the losses have a_pᵀ f = Σ_k ⟨Φ_kᵀ a_p, v_k⟩ and f = Σ_k Φ_k v_k.

For two clusters the features are centred before (`mmc.maxmargin.cutting_plane.features`). A cut takes n R
multiplications for R features in all and one value of f at a point, a point that changes its label R for each
cut, and f of a solution n R. Memory beside the features: n/2 numbers and R for each cut.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmc.maxmargin.cutting_plane.constraints import Cut, Sides
from mmc.maxmargin.cutting_plane.dual_program import Solution
from mmc.maxmargin.cutting_plane.features import FeatureMember
from mmc.maxmargin.cutting_plane.working_set import Array, Labels, Model, WorkingSet

#: Largest number of entries of columns, and of rows of features, that are made at a time.
_BLOCK = 2**22


class FeatureSet(WorkingSet):
    """Ω with columns of the length of the features, whose coefficients are v_k for all kernels in turn.

    Parameters
    ----------
    members : sequence of FeatureMember
        Kernels with their features.
    sides : Sides
    labels : ndarray of shape (n,)
        Labels z at which the constraints are linearised.
    """

    def __init__(self, members: Sequence[FeatureMember], sides: Sides, labels: Labels) -> None:
        super().__init__(sides, labels, np.array([member.size for member in members]))
        self._Phi = [member.Phi for member in members]
        m = sides.n_blocks
        self.n_coefficients = sum(Phi.shape[1] for Phi in self._Phi)
        self._products = [np.zeros((0, m, Phi.shape[1])) for Phi in self._Phi]  # Φ_kᵀ a_p
        self._means = [Phi.mean(axis=0) for Phi in self._Phi]
        self._sums = np.zeros((0, m))  # 1ᵀ n·a_p, whole numbers

    def add(self, cut: Cut) -> None:
        """Add a constraint."""
        self.cuts.append(Cut(cut.rivals.astype(np.int32)))
        column = self.sides.rows(cut, self.labels, slice(None))
        self._sums = np.concatenate([self._sums, column.sum(axis=0)[None]])
        for k, Phi in enumerate(self._Phi):
            new = column.T @ Phi / len(column)
            self._products[k] = np.concatenate([self._products[k], new[None]])

    def relabel(self, labels: Labels) -> None:
        """Set new labels z, at which the constraints are linearised."""
        moved = np.flatnonzero(labels != self.labels)
        n, P, m = len(labels), len(self.cuts), self.sides.n_blocks
        size = max(1, _BLOCK // max(P * m, *(Phi.shape[1] for Phi in self._Phi)))
        for first in range(0, len(moved) if P else 0, size):
            points = moved[first : first + size]
            change = np.stack(
                [
                    self.sides.rows(cut, labels, points) - self.sides.rows(cut, self.labels, points)
                    for cut in self.cuts
                ]
            )  # of shape (P, n_points, m)
            self._sums += change.sum(axis=1)
            flat = change.transpose(0, 2, 1).reshape(P * m, len(points)) / n
            for T, Phi in zip(self._products, self._Phi, strict=True):
                T += (flat @ Phi[points]).reshape(T.shape)
        self.labels = labels

    def grams(self) -> Array:
        """Return G_k of the columns of the cuts, followed by those of the shifts if these have columns."""
        P, m = len(self.cuts), self.sides.n_blocks
        flat = [T.reshape(P, -1) for T in self._products]
        G = np.stack([T @ T.T for T in flat])
        if not self.sides.free_shifts:
            return G
        # The shift of class p has −1/n in block p of every point.
        whole = np.zeros((len(G), P + m, P + m))
        whole[:, :P, :P] = G
        for k, (T, mean) in enumerate(zip(self._products, self._means, strict=True)):
            whole[k, :P, P:] = -(T @ mean)
            whole[k, P:, P:] = (mean @ mean) * np.eye(m)
        whole[:, P:, :P] = whole[:, :P, P:].transpose(0, 2, 1)
        return whole

    def _slopes(self) -> Array:
        return np.asarray(self._sums[:, 0] / len(self.labels))

    def _model(self, solution: Solution, beta: Array) -> Model:
        f = np.zeros((len(self.labels), self.sides.n_blocks))
        products = np.zeros(len(self.cuts))
        coef = []
        for Phi, T, mean, weight in zip(self._Phi, self._products, self._means, beta, strict=True):
            v = weight * np.einsum("pmr,p->rm", T, solution.weights)
            if self.sides.free_shifts:
                v -= weight * np.outer(mean, solution.shifts)
            f += Phi @ v
            products += np.einsum("pmr,rm->p", T, v)
            coef.append(v)
        return Model(f, np.concatenate(coef), products)
