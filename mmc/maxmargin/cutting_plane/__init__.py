"""Cutting-plane maximum-margin clustering with one kernel or several: CPMMC and MKC.

[MKC] is Zhao, Kwok, Zhang: Multiple Kernel Clustering (SDM 2009). For two clusters it minimises

    ½ Σ_k ‖v_k‖²/β_k + C/n Σ_i max(0, 1 − |f(x_i)|)    with  f(x) = Σ_k ⟨v_k, Φ_k(x)⟩ + b

over v, b and the weights β ≥ 0, ‖β‖₂ ≤ 1 of the kernels, with the mean of f within ± l/n, which keeps one
cluster from taking all. The labels are the signs of f, so that the loss asks every point to lie beyond the
margin on either side. The n losses become 2ⁿ constraints with one slack ξ, one for every set of points
(eq. 2.8); of these the method adds one at a time, the most violated: it marks the points within the margin.
Between cuts the absolute value is replaced by its tangent and the convex problem solved, again and again
(CCCP). For many clusters there is one f_p for each and no bias, a point's loss is max(0, 1 − its lead over
the second), and the means of two f_p differ by l/n at most (section 4).

One step is one cut. It costs a few solutions of the dual with |Ω| variables
(`mmc.maxmargin.cutting_plane.dual_program`), M n² to multiply the new column with the kernels, and M n |Ω|
for each point that changes its label; memory is M n×n arrays. The number of cuts has a bound that
does not depend on n (Lemma 3.2).

Symbols
-------
===================  ===================================
paper                here
===================  ===================================
C, ε, α              `C`, `epsilon`, `tol`
l                    `balance` · n
Ω, ξ                 `n_cuts` constraints, `slack`
c                    `marked`: the points with c_i = 1
K_k, β_k             `kernels[k]`, `beta[k]`
===================  ===================================

Deviations from the paper
-------------------------
- The dual is solved instead of the cone program over all features; value, β and f are the same.
- Linear and polynomial kernels see points from the mean of the training points, so that the origin does not
  matter; the paper's see them from the origin.
- Kernels are divided by the variance of the points that they see (`normalize`). Otherwise β says which kernel
  has the largest numbers.
- The paper does not say where the CCCP begins. Here labels are given to begin with: by k-means, at random, or
  by the user; they are the signs at which the first constraint is linearised. For many clusters the first
  constraint compares every point with the nearest other class.
- `objective` counts all constraints: ½ Σ‖v_k‖²/β_k + C times the mean loss. The value on the working set
  alone is `lower`. Several starts are judged by the former, and one that lost a cluster only wins over others
  that lost as many.
- The thesis keeps the iterate with the best accuracy against true labels; no true label enters here.
"""

from mmc.maxmargin.cutting_plane.estimators import CPMMC, MKC

__all__ = ["CPMMC", "MKC"]
