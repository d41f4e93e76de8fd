"""Helpers of the measurements: timing, and fits without the expected warnings."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

#: The neighbourhood graph of clear clusters has several components, and the Gaussian affinity of pixels is
#: nearly the identity at its default width, where spectral clustering fails.
EXPECTED_WARNINGS = (
    "Graph is not fully connected",
    "ARPACK has failed",
    r"Exited (at iteration|postprocessing)",
    "(overflow|invalid value) encountered in",
    "Number of distinct clusters",
)


def timed(run: Callable[..., Any], *arguments: object) -> tuple[float, Any]:
    """Return the seconds that a call takes, and its result."""
    start = time.perf_counter()
    result = run(*arguments)
    return time.perf_counter() - start, result


def quiet_labels(model: Any, X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Fit and return the labels, also if the fit has not converged."""
    with expected_warnings():
        return np.asarray(model.fit_predict(X), dtype=np.int64)


@contextmanager
def expected_warnings(*others: type[Warning]) -> Iterator[None]:
    """Ignore what is expected: `EXPECTED_WARNINGS`, fits that have not converged, and other kinds."""
    with warnings.catch_warnings():
        for message in EXPECTED_WARNINGS:
            warnings.filterwarnings("ignore", message=message)
        for kind in (ConvergenceWarning, *others):
            warnings.simplefilter("ignore", kind)
        yield
