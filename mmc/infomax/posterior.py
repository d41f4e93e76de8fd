"""Base class of clusterers whose decision function is a class posterior."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mmc.base import StepwiseClusterer
from mmc.kernel_base import PRECOMPUTED

#: Most training points, as a rule, to which a point is near under local scaling.
_NEAR = 500


class PosteriorClusterer(StepwiseClusterer):
    """A clusterer with class posteriors, on a kernel that may be precomputed."""

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the class posteriors of points.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_points, n_features)
            Points, or their kernel values if `kernel` is "precomputed".

        Returns
        -------
        ndarray of shape (n_points, n_clusters)
            Posteriors; each row sums to 1.
        """
        return self.decision_function(X)

    @property
    def _n_compared(self) -> int:
        n = super()._n_compared
        return min(n, _NEAR) if self.get_params()["kernel"] == "local_scaling" else n

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.get_params()["kernel"] == "precomputed"
        return tags

    @property
    def _sparse_refusal(self) -> str:
        return PRECOMPUTED if self.get_params()["kernel"] == "precomputed" else ""
