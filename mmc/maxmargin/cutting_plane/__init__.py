"""Cutting-plane maximum-margin clustering with one kernel or several: CPMMC and MKC.

[MKC] is Zhao, Kwok, Zhang: Multiple Kernel Clustering (SDM 2009). For two clusters it minimises

    ½ Σ_k ‖v_k‖²/β_k + C/n Σ_i max(0, 1 − |f(x_i)|)    with  f(x) = Σ_k ⟨v_k, Φ_k(x)⟩ + b

over v, b and the kernel weights β ≥ 0, ‖β‖_p ≤ 1 with p = 2 unless told otherwise. The mean of f stays within
± l/n, or of a target where the clusters are to have other sizes than equal ones, which keeps one cluster from
taking all points. The labels are the signs of f, so that the loss asks every point to lie beyond the
margin on either side. The n losses become 2ⁿ constraints with one slack ξ, one constraint for every set of
points (eq. 2.8). The method adds one of them at a time, the most violated, which marks the points within the
margin. Between cuts it replaces the absolute value by its tangent and solves the convex problem, repeatedly
(CCCP). For many clusters there is one f_p for each and no bias, the loss of a point is max(0, 1 − the lead of
its largest f_p over the second), and the means of two f_p differ by at most l/n (section 4).

One step is one cut. It takes a few solutions of the dual with |Ω| variables
(`mmc.maxmargin.cutting_plane.dual_program`), M n² to multiply the new column with the kernels, and M n |Ω|
for each point that changes its label; memory is M n×n arrays. The number of cuts has a bound that does not
depend on n (Lemma 3.2). With landmarks or graphs K_k = Φ_k Φ_kᵀ for n×r_k arrays, and n R takes the place of
M n², R = Σ r_k (`mmc.maxmargin.cutting_plane.feature_set`).

Symbols
-------
===================  ===================================
paper                here
===================  ===================================
C, ε, α              `C`, `epsilon`, `tol`
p                    `beta_norm`
l                    `balance` · n
Ω, ξ                 `n_cuts` constraints, `slack`
c                    `marked`: the points with c_i = 1
K_k, β_k             `kernels[k]`, `beta[k]`
===================  ===================================

Deviations from the paper
-------------------------
- The dual is solved instead of the cone program over all features; value, β and f are the same.
- Linear and polynomial kernels are computed after the mean of the training points is subtracted, so that the
  origin does not matter; the paper uses the given origin.
- Each kernel is divided by the variance of the points in its feature space (`normalize`). Otherwise β mostly
  reflects the scales of the kernels.
- The paper does not say where the CCCP begins. Here it begins with labels from k-means, random labels or
  labels of the user, which are the signs at which the first constraint is linearised. There are five starts;
  where k-means would repeat its labels, random ones take their place. For many clusters the first constraint
  compares every point with the nearest other class.
- `objective` counts all constraints: ½ Σ‖v_k‖²/β_k + C times the mean loss. The value on the working set
  alone is `lower`. The former decides between starts, among those that lost the fewest clusters.
- If after 100 cuts the last 40 have brought no better solution, the labels of the best one are fixed, and a
  convex problem remains (see `mmc.maxmargin.cutting_plane.cuts`). The paper's algorithm need not end there.
- When a solution leaves a cluster empty, the labels return to those of the start and are held until their
  constraints hold, so that clusters are not lost (see `mmc.maxmargin.cutting_plane.cuts`). In the paper's
  algorithm such a cluster stays empty.
- The thesis keeps the iterate with the best accuracy against true labels; true labels are not used here.
"""

from mmc.maxmargin.cutting_plane.estimators import CPMMC, MKC

__all__ = ["CPMMC", "MKC"]
