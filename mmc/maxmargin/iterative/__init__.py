"""Maximum-margin clustering by training on its own labels ([iterSVR]; Zhang, Tsang, Kwok 2009).

The methods minimise, over labels y in {−1, +1}ⁿ with |Σy| ≤ ℓ and over the classifier f = ⟨w, φ(x)⟩ + b,

    ‖w‖² + 2C Σ_i L(y_i f(x_i))     (‖w‖² + C Σ (y_i − f_i)² for the least-squares SVM)

by two alternating steps: they train a classifier on the labels, and the classifier then labels the points.
Four methods differ in the loss L or in the balance: `IterSVM` (hinge; Algorithm 1), `IterSVR` (ε-insensitive;
Algorithm 2), `IterLSSVM` (square; section III-C) and `CCCPMMC` (hinge without the balance; appendix).

=============  ====================  ====================================================
paper          code                  meaning
=============  ====================  ====================================================
y_i            labels                +1 is cluster 1, −1 is cluster 0
ℓ              balance · n           largest difference of the cluster sizes, or distance from a target
λ, w           dual                  coefficients a_i of f = Σ a_i K(x, x_i) + b, or weights of r features
b              bias                  found by a scan, see `mmc.maxmargin.iterative.bias`
y_i f_i        margins               with the labels that the classifier was trained on
=============  ====================  ====================================================

One step is one round: the bias is chosen, points whose sign has changed flip, and the classifier is trained
on the new labels. The start is a state too, with the classifier that is trained on its labels.

Costs for n points: the kernel matrix takes n² d once. A round of `IterSVM` or `IterSVR` is one training by
libsvm, between n² and n³. `IterLSSVM` factors once (n³/3), and a round takes n². The scan takes n log n.
Memory: at most three n×n arrays; after the fit none, except a precomputed kernel, which the states keep.

On a graph or with landmarks K ≈ Φ Φᵀ (`mmc.kernels.low_rank`) and f = ⟨w, φ(x)⟩ + b in r features; nothing
has n² entries. `IterLSSVM` factors in n r², and a round takes n r. The others take some tens of products with
Φ for a round, each from the solution of the round before (`mmc.maxmargin.feature_program`).

Known labels, links and weights of points are kept by all four methods (`mmc.maxmargin.iterative.signed`).

Deviations from the paper: the scan takes n log n instead of ℓ n; the SVM objective of a state is computed on
demand; a training that libsvm does not finish within 5·10⁹/n steps, or that rounding keeps from its optimum
in features, is used as it is, and the caption says so.
"""

from mmc.maxmargin.iterative.cccp import CCCPMMC
from mmc.maxmargin.iterative.estimators import IterLSSVM, IterSVM, IterSVR
from mmc.maxmargin.iterative.recursive import RecursiveBinary

__all__ = ["CCCPMMC", "IterLSSVM", "IterSVM", "IterSVR", "RecursiveBinary"]
