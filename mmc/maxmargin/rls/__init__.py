"""Unsupervised multi-class regularised least squares: [UMC-RLS], Pahikkala, Airola, Gieseke, Kramer (2012).

Minimised over labellings c of n points in k clusters is ([UMC-RLS] eqs. 9, 10)

    Q(c) = Σ_h F(p_h(c)),    F(y) = min_f Σ_i (y_i − f(x_i))² + λ‖f‖² = n − yᵀ R y,

with p_h(c) = +1 on cluster h and −1 elsewhere, and R the hat matrix of kernel ridge regression. Three
searches share this objective: `StocRLS` (Algorithm 1), `SteepRLS` (Algorithm 2), `UMCRLS` (Algorithm 3).

=============  ======================  ====================================================
paper          code                    meaning
=============  ======================  ====================================================
c, p_h(c)      labels, indicators      labelling, its ±1 encoding
λ              alpha                   regularisation
R, R p_h(c)    R, T                    hat matrix, fitted values of the k ridge models
s              n_shakes                rounds of shaking after the first
α, eq. 11      n_claims                how many points a cluster claims in its turn
=============  ======================  ====================================================

Costs: n²d for the kernel, n³ multiplications once for R, then k·n² for each start's T, with a claim
costing n. Memory: at most three arrays of n×n while R is built, then R alone.

Deviations, all stated in the classes too: α is rounded down and a cluster whose α is not positive
claims nothing; no search empties a cluster; a random start is a random labelling of equal sizes; with two
clusters further starts shake less than the first; an intercept is fitted by default, because without one
the balance pulls unbalanced clusters apart.
"""

from mmc.maxmargin.rls.estimators import UMCRLS, SteepRLS, StocRLS

__all__ = ["UMCRLS", "SteepRLS", "StocRLS"]
