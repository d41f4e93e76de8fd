"""Scores of a labelling against a reference labelling, and new numbers for clusters.

No score enters a fit. The papers use two errors and an accuracy, and none follows from another: say which one
a figure shows. Rand and adjusted Rand index are scikit-learn's and are only passed on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, rand_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import check_consistent_length, column_or_1d

__all__ = [
    "adjusted_rand_score",
    "balanced_clustering_error",
    "clustering_error",
    "in_order",
    "majority_accuracy",
    "matched_labels",
    "rand_score",
]


def clustering_error(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Return the share of points that are wrong under the best one-to-one matching of clusters and classes.

    This is the measure of [iterSVR] and [EvoMMC]. The Hungarian method finds the matching. Points of a
    cluster without a partner are wrong.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Reference labels.
    y_pred : array-like of shape (n_samples,)
        Labels to score.

    Returns
    -------
    float
        Number between 0 and 1.

    Examples
    --------
    >>> from mmc.metrics import clustering_error
    >>> clustering_error([0, 0, 1, 1], [5, 5, 7, 5])
    0.25
    """
    table = _table(y_true, y_pred)
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(1.0 - table[rows, columns].sum() / table.sum())


def balanced_clustering_error(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Return the error of the best one-to-one matching as a mean over the classes, whatever their sizes.

    The matching is the one with the lowest such average; points of a class without a partner are wrong.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Reference labels.
    y_pred : array-like of shape (n_samples,)
        Labels to score.

    Returns
    -------
    float
        Number between 0 and 1.

    Examples
    --------
    >>> from mmc.metrics import balanced_clustering_error
    >>> balanced_clustering_error([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    table = _table(y_true, y_pred)
    shares = table / table.sum(axis=1, keepdims=True)
    rows, columns = linear_sum_assignment(shares, maximize=True)
    return float(1.0 - shares[rows, columns].sum() / len(table))


def majority_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Return the share of points whose class is the majority class of their cluster, the accuracy of [MKC].

    Several clusters may take the same class, so that splitting a cluster never lowers the value.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Reference labels.
    y_pred : array-like of shape (n_samples,)
        Labels to score.

    Returns
    -------
    float
        Number between 0 and 1.

    Examples
    --------
    >>> from mmc.metrics import majority_accuracy
    >>> majority_accuracy([0, 0, 1, 1], [0, 1, 2, 2])
    1.0
    """
    table = _table(y_true, y_pred)
    return float(table.max(axis=0).sum() / table.sum())


def matched_labels(labels: ArrayLike, reference: ArrayLike) -> NDArray[np.int64]:
    """Renumber clusters so that they agree with a reference as far as possible.

    Two figures then show the same cluster in the same colour. A cluster without a partner gets the lowest
    free number.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Labels to renumber, whole numbers from 0.
    reference : array-like of shape (n_samples,)
        Reference labels, whole numbers from 0.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from mmc.metrics import matched_labels
    >>> matched_labels([0, 0, 1, 2], [1, 1, 0, 0]).tolist()
    [1, 1, 0, 2]
    """
    table = _table(reference, labels)
    rows, columns = linear_sum_assignment(table, maximize=True)
    names, codes = np.unique(column_or_1d(labels), return_inverse=True)
    numbers = np.full(len(names), -1)
    numbers[columns] = np.unique(column_or_1d(reference))[rows]
    free = (i for i in range(len(names) + int(numbers.max()) + 1) if i not in set(numbers))
    numbers[numbers < 0] = [next(free) for _ in range(int((numbers < 0).sum()))]
    return np.asarray(numbers[codes], dtype=np.int64)


def in_order(labels: ArrayLike) -> NDArray[np.int64]:
    """Renumber clusters in the order of their first occurrence, so that equal partitions have equal labels.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Labels to renumber.

    Returns
    -------
    ndarray of shape (n_samples,)

    Examples
    --------
    >>> from mmc.metrics import in_order
    >>> in_order([7, 7, 2, 5]).tolist()
    [0, 0, 1, 2]
    """
    _, first, inverse = np.unique(column_or_1d(labels), return_index=True, return_inverse=True)
    return np.asarray(first.argsort().argsort()[inverse], dtype=np.int64)


def _table(y_true: ArrayLike, y_pred: ArrayLike) -> NDArray[np.float64]:
    truth, found = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(truth, found)
    if len(truth) == 0:
        raise ValueError("The labellings are empty: there is nothing to score.")
    return np.asarray(contingency_matrix(truth, found), dtype=np.float64)
