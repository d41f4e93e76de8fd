"""Maximum-margin clustering by evolution: [EvoMMC], Gieseke, Pahikkala, Kramer (2009).

Minimised over labels y in {−1, +1}ⁿ with |Σy| ≤ ℓ is the risk of kernel ridge regression (eqs. 7 and 8),

    F(y) = min_f (1/n) Σ (y_i − f(x_i))² + λ‖f‖² = 1 − yᵀRy/n,    R = K (K + λn I)⁻¹,

by Algorithm 1: μ random labellings have ν children in each generation, every child a parent with some labels
flipped, and the μ fittest of all live on. `EvoMMC` uses the whole kernel, `FastEvoMMC` a random set of
landmarks (section 3.3).

R is the hat matrix of [UMC-RLS] with the penalty λn, which is what `alpha` means here too, so that Q of
`UMCRLS` without an intercept is 2nF. (The paper's diagonal D collapses to −Λ(Λ + λn I)⁻¹/n.)

=============  =====================  ====================================================
paper          code                   meaning
=============  =====================  ====================================================
μ, ν           n_parents, n_children  labellings that live, and their children
τ              max_iter               generations
s              n_flips                labels that a child flips, max(1, n/(t + 1))
λn             alpha                  regularisation
l              balance · n            largest difference of the cluster sizes
r, R           n_landmarks            number of landmarks, and which
F              objective              fitness; lower is better
=============  =====================  ====================================================

One step is a group of changes of the fittest labelling, about n/60 of them, or the generations until their
number has grown by an eighth.

Costs: `EvoMMC` n³ once for R, then for a child with one flip two look-ups instead of the paper's n, and n for
a child that lives; memory three arrays of n×n. `FastEvoMMC` 2 n r² once, then r for a child; memory three
arrays of n×r. A child with s flips costs s², or s·r.

Deviations: a point that is drawn twice for one child flips back; a random labelling has the sizes that coin
flips give, mended to keep the balance; no cluster is ever empty, whatever the balance allows.
"""

from mmc.maxmargin.evolutionary.estimators import EvoMMC, FastEvoMMC

__all__ = ["EvoMMC", "FastEvoMMC"]
