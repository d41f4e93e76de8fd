"""Features for tables of numbers and words: their dot products are Gower's similarity.

Gower (1971) compares two rows column by column: 1 minus the difference over the range for numbers, 1 or 0 for
words that are equal or not, and takes the mean. This similarity is a kernel (a sum of triangle kernels and
equalities), so there are features of which it is the dot product, and squared distances between them are
twice Gower's dissimilarity. Nyström's method finds them from landmarks; with all rows as landmarks they are
exact.
"""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

Array = npt.NDArray[np.float64]

#: Eigenvalues below this share of the largest are rounding errors.
_RANK = 1e-10

#: Rows that are compared with the landmarks at a time.
_ROWS = 4096


class GowerFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Features of which Gower's similarity is the dot product.

    The rows hold numbers divided by their ranges, and words as columns of 0 and ½, so that the sum of the
    absolute differences of two rows is the sum of Gower's dissimilarities of their columns.

    Parameters
    ----------
    total : float
        Sum of the weights of the columns: their number, if none is weighted.
    n_landmarks : int, default=100
        Number of rows from which the features are made, at most as many features.
    random_state : int or RandomState, default=0
        Chooses the landmarks.

    Attributes
    ----------
    landmarks_ : ndarray of shape (n_landmarks, n_features_in_)
    projection_ : ndarray of shape (n_landmarks, n_components)
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from mmc.datasets import GowerFeatures
    >>> X = np.array([[0.0, 0.5, 0.0], [1.0, 0.5, 0.0], [0.5, 0.0, 0.5]])  # a number, and two words
    >>> features = GowerFeatures(total=2).fit_transform(X)
    >>> (features @ features.T).round(6).tolist()
    [[1.0, 0.5, 0.25], [0.5, 1.0, 0.25], [0.25, 0.25, 1.0]]
    """

    def __init__(
        self, total: float, *, n_landmarks: int = 100, random_state: int | np.random.RandomState | None = 0
    ) -> None:
        self.total = total
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Choose landmarks and decompose their similarities; cost m³ for m landmarks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        rows = validate_data(self, X, dtype=np.float64)
        random = check_random_state(self.random_state)
        m = min(len(rows), self.n_landmarks)
        chosen = np.sort(random.choice(len(rows), m, replace=False))
        self.landmarks_ = rows[chosen]
        values, vectors = np.linalg.eigh(_similarity(self.landmarks_, self.landmarks_, self.total))
        kept = values > _RANK * values[-1]
        values, vectors = values[kept][::-1], vectors[:, kept][:, ::-1]
        signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))])
        self.projection_ = vectors * (signs / np.sqrt(values))  # signs that do not depend on the solver
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Return the features of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        return self.of(rows, self.landmarks_, self.projection_, self.total)

    @property
    def _n_features_out(self) -> int:
        """Number of features, for `get_feature_names_out`."""
        return int(self.projection_.shape[1])

    @staticmethod
    def of(X: Array, landmarks: Array, projection: Array, total: float) -> Array:
        """Return the features of rows from the parts of a fitted transformer."""
        result = np.empty((len(X), projection.shape[1]))
        for start in range(0, len(X), _ROWS):
            part = slice(start, start + _ROWS)
            result[part] = _similarity(X[part], landmarks, total) @ projection
        return result


def _similarity(X: Array, Z: Array, total: float) -> Array:
    return np.asarray(1.0 - manhattan_distances(X, Z) / total)
