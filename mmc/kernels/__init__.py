"""Kernel matrices and their widths, local scaling, eigenvectors, and the hat matrix of ridge regression."""

from mmc.kernels.dense import (
    KERNELS,
    LENGTHS,
    Gram,
    Kernel,
    checked_gram,
    fit_kernel,
    fit_landmark_kernel,
    require_finite_products,
    require_memory,
    squared_distances,
)

__all__ = [
    "KERNELS",
    "LENGTHS",
    "Gram",
    "Kernel",
    "checked_gram",
    "fit_kernel",
    "fit_landmark_kernel",
    "require_finite_products",
    "require_memory",
    "squared_distances",
]
