"""Unsupervised multi-class regularised least squares ([UMC-RLS]; Pahikkala, Airola, Gieseke, Kramer 2012).

The methods minimise over labellings c of n points in k clusters ([UMC-RLS] eqs. 9, 10)

    Q(c) = Σ_h F(p_h(c)),    F(y) = min_f Σ_i (y_i − f(x_i))² + λ‖f‖² = n − yᵀ R y,

where p_h(c) is +1 on cluster h and −1 elsewhere, and R is the hat matrix of kernel ridge regression. Three
searches share this objective: `StocRLS` (Algorithm 1), `SteepRLS` (Algorithm 2), `UMCRLS` (Algorithm 3).

=============  ======================  ====================================================
paper          code                    meaning
=============  ======================  ====================================================
c, p_h(c)      labels, indicators      labelling, its ±1 encoding
λ              alpha                   regularisation
R, R p_h(c)    R, T                    hat matrix, fitted values of the k ridge models
s              n_shakes                number of rounds of shaking after the first
α, eq. 11      n_claims                number of points that a cluster claims in its turn
=============  ======================  ====================================================

Costs: a whole kernel takes n² d operations and R takes n³ multiplications once. A start takes k n² for T, and
a claim takes n. Memory: at most three n×n arrays while R is computed, then R alone. On a graph or with
landmarks R is a product of n×r arrays (`mmc.kernels.low_rank`), and a block of claims takes n r.

Deviations from the paper, which the classes state too: α is rounded down, and a cluster whose α is not
positive claims nothing; no search empties a cluster; a random start is a random labelling with clusters of
equal size; with two clusters, later starts shake less than the first; an intercept is fitted by default,
because without one the objective pulls clusters of unequal size towards equal sizes; the default kernel is a
graph of neighbours, points are then claimed in blocks, one more start comes from spectral clustering, and
starts are compared by Σ_h cut_h / n_h in place of Q where sizes are free.
"""

from mmc.maxmargin.rls.estimators import UMCRLS, SteepRLS, StocRLS

__all__ = ["UMCRLS", "SteepRLS", "StocRLS"]
