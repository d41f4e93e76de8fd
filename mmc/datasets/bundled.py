"""Measured data sets that come with scikit-learn, so that no network is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn import datasets as sklearn_datasets

from mmc.datasets._dataset import Dataset, from_arrays
from mmc.datasets._options import check_digits


def load_iris() -> Dataset:
    """Load 150 iris flowers of three species with four measured lengths.

    Returns
    -------
    Dataset
        ``X`` has shape (150, 4).
    """
    return _with_named_classes(sklearn_datasets.load_iris(), "iris")


def load_wine() -> Dataset:
    """Load 178 wines of three growers with 13 properties of very different scale.

    Returns
    -------
    Dataset
        ``X`` has shape (178, 13).
    """
    return _with_named_classes(sklearn_datasets.load_wine(), "wine")


def load_breast_cancer() -> Dataset:
    """Load 569 breast tumours, malignant or benign, with 30 properties of their cell nuclei.

    Returns
    -------
    Dataset
        ``X`` has shape (569, 30).
    """
    return _with_named_classes(sklearn_datasets.load_breast_cancer(), "breast-cancer")


def load_digits(classes: Sequence[int] | None = None) -> Dataset:
    """Load 1797 handwritten digits as images of 8 by 8 pixels.

    Parameters
    ----------
    classes : list or tuple of int, default=None
        The different digits to keep, for example ``(3, 8)``. None means all ten.

    Returns
    -------
    Dataset
        ``y`` holds the digits themselves. The table has only the kept images.

    Examples
    --------
    >>> from mmc.datasets import load_digits
    >>> load_digits((3, 8)).X.shape
    (357, 64)
    """
    bunch = sklearn_datasets.load_digits()
    X, y = np.asarray(bunch.data, dtype=np.float64), np.asarray(bunch.target, dtype=np.int64)
    if classes is not None:
        check_digits(classes)
        keep = np.isin(y, classes)
        X, y = X[keep], y[keep]
    return from_arrays(X, y, tuple(bunch.feature_names), "digits")


def _with_named_classes(bunch: Any, name: str) -> Dataset:
    y = np.asarray(bunch.target, dtype=np.int64)
    class_names = np.asarray(bunch.target_names)[y].astype(object)
    X = np.asarray(bunch.data, dtype=np.float64)
    return from_arrays(X, y, tuple(str(feature) for feature in bunch.feature_names), name, class_names)
