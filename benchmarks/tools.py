"""What the measurements share: a stop watch, and labels without the warnings that are expected."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

#: Clear clusters give a neighbourhood graph in several pieces; and at its default width the Gaussian
#: affinity of pixels is nearly the identity, on which spectral clustering breaks down, as its row shows.
EXPECTED_WARNINGS = (
    "Graph is not fully connected",
    "ARPACK has failed",
    r"Exited (at iteration|postprocessing)",
    "(overflow|invalid value) encountered in",
    "Number of distinct clusters",
)


def timed(run: Callable[..., Any], *arguments: object) -> tuple[float, Any]:
    """Give the seconds that a call takes, and its result."""
    start = time.perf_counter()
    result = run(*arguments)
    return time.perf_counter() - start, result


def quiet_labels(model: Any, X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Fit and give the labels; a fit that has not settled counts as it stands."""
    with warnings.catch_warnings():
        for message in EXPECTED_WARNINGS:
            warnings.filterwarnings("ignore", message=message)
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.asarray(model.fit_predict(X), dtype=np.int64)
