"""Maximum-margin clustering by evolution ([EvoMMC]; Gieseke, Pahikkala, Kramer 2009).

The methods minimise over labels y in {−1, +1}ⁿ with |Σy| ≤ ℓ the risk of kernel ridge regression (eqs. 7, 8),

    F(y) = min_f (1/n) Σ (y_i − f(x_i))² + λ‖f‖² = 1 − yᵀRy/n,    R = K (K + λn I)⁻¹,

by Algorithm 1: in each generation μ labellings have ν children, every child is a parent with some labels
flipped, and the μ fittest of all survive. The first labellings are random. `EvoMMC` uses the whole kernel,
`FastEvoMMC` a random set of landmarks (section 3.3).

R is the hat matrix of [UMC-RLS] with the penalty λn. `alpha` is λn here too, so that Q of `UMCRLS` without an
intercept is 2nF. (The paper's diagonal D simplifies to −Λ(Λ + λn I)⁻¹/n.)

=============  =====================  ====================================================
paper          code                   meaning
=============  =====================  ====================================================
μ, ν           n_parents, n_children  numbers of labellings that survive, and of children
τ              max_iter               generations
s              n_flips                labels that a child flips, max(1, n/(t + 1))
λn             alpha                  regularisation
l              balance · n            largest difference of the cluster sizes, or distance from a target
r, R           n_landmarks            number of landmarks, and which
F              objective              fitness; lower is better
=============  =====================  ====================================================

One step is a group of about n/60 changes of the fittest labelling, or the generations until their number has
grown by an eighth.

Costs: `EvoMMC` takes n³ once for R. Then a child with one flip takes two look-ups instead of the paper's n,
and a child that survives takes n; memory is three n×n arrays. `FastEvoMMC` takes 2 n r² once and then r for a
child; memory is three n×r arrays. A child with s flips takes s², or s r. `EvoMMC` on a graph or with
landmarks (`mmc.kernels.low_rank`) costs the same for its r features, whose R = W Wᵀ is that of `UMCRLS`.

Deviations from the paper: a point that is drawn twice for one child flips back; a random labelling has the
sizes that coin flips give, corrected to keep the balance; no cluster is ever empty, whatever the balance
allows.
"""

from mmc.maxmargin.evolutionary.estimators import EvoMMC, FastEvoMMC

__all__ = ["EvoMMC", "FastEvoMMC"]
