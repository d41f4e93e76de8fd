"""Maximum-margin clustering as a semidefinite program: MMC and GMMC, in the form of [iterSVR] section II.

Labels y in {−1, +1}ⁿ of largest margin are hard to find. Both methods relax the matrix yyᵀ to a positive
semi-definite matrix, which gives a convex program, and then round the solution to labels.

`MMC` ([iterSVR] eq. 6; Xu, Neufeld, Larson and Schuurmans 2004) has the matrix M itself as a variable:

    min δ  with  [ M∘K          e + μ − ν   ]
                 [ (e + μ − ν)ᵀ  δ − 2C νᵀe ] ⪰ 0,   M ⪰ 0,  diag M = e,  −ℓe ≤ Me ≤ ℓe,  μ, ν ≥ 0.

`GMMC` ([iterSVR] eq. 7; Valizadegan and Jin 2006) has one variable for each point:

    max γᵀe  with  PᵀK⁻¹P + C_e e₀e₀ᵀ − Σ γ_i I_i ⪰ 0,   0 ≤ γ ≤ C_e.

=============  ====================  ====================================================
paper          code                  meaning
=============  ====================  ====================================================
M              state.matrix          relaxation of yyᵀ; of GMMC, the dual variable, of ffᵀ
δ, γᵀe         state.relaxation      optimum of the program: no labelling has a lower one
ℓ              balance · n           largest difference of the cluster sizes, or distance from a target
C, C_e         C                     cost of an error
√μ₁ v₁         state.soft            soft labels
=============  ====================  ====================================================

The labels of GMMC come from the dual variable for this reason: eq. 7 is the Lagrange dual of

    min ‖w‖² + C_e (Σ f_i)² + C_e Σ (1 − f_i²)₊   over  f = ⟨w, φ(x)⟩ + b,

in which f_i² ≥ 1 replaces the labels, and the multiplier of its semidefinite constraint is the relaxation of
(f, −b)(f, −b)ᵀ. Its range lies in the null space of the optimal slack matrix, from which the paper takes the
labels. Unlike a vector of that space, it does not depend on the basis that a solver returns.

One step is a run of SCS iterations, 25 at first and then more, each from the end of the last, so that M* can
be shown while it forms. Clarabel solves in one step. The matrix of every step is rounded, see
`mmc.maxmargin.semidefinite.rounding`.

Costs for n points: an iteration of SCS takes n³. `MMC` needs hundreds to thousands of them and about 320 n²
numbers of memory (24 MB at 100 points). `GMMC` needs a hundred to a few hundred and about 7 n³ numbers (1.5
GB at 300 points). Clarabel factors a matrix of n² rows, which takes n⁶ time and 2 to 5 n⁴ numbers (0.5 GB at
60 points for `MMC`). `max_samples` bounds n for this reason.

If the clusters are to have other sizes than equal ones, whose difference Σy is within ℓ of a target t, `MMC`
has |t| + ℓ in place of ℓ, and eᵀMe ≥ (|t| − ℓ)² where |t| > ℓ: linear in M, and true of M = yyᵀ. GMMC cannot
have a target, because C_e (Σ f_i)² pulls towards equal sizes.

Deviations from the papers: the transitivity constraints of the original MMC are left out, as in eq. 6. GMMC
adds to K a ridge of 10⁻⁴ of its mean diagonal, without which K⁻¹ need not exist (two equal points suffice).
Its constraint is multiplied by T from both sides, TᵀAT = I, which changes neither the program nor its optimum
but reduces the iterations of SCS from thousands to a hundred. A kernel that is not positive semi-definite is
replaced by its positive part in the program; the SVM uses it unchanged.
"""

from mmc.maxmargin.semidefinite.estimators import GMMC, MMC

__all__ = ["GMMC", "MMC"]
