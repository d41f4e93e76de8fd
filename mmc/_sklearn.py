"""Names of scikit-learn that are not public, in one place.

`tests/test_private_apis.py` says what is missing when a new release moves one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.svm import SVC, SVR
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before 1.9 there are no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Adds nothing."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method."""
        return method


__all__ = [
    "CALLBACKS",
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "QuietSVC",
    "QuietSVR",
    "RealNotInt",
    "StrOptions",
    "callbacks_of",
    "check_parameters",
    "with_callbacks",
]


#: Attribute of an estimator that holds its callbacks, which belong to its next fit and not to the model.
CALLBACKS = "_skl_callbacks"


def check_parameters(estimator: BaseEstimator) -> None:
    """Check the parameters of an estimator before it has seen data.

    Parameters
    ----------
    estimator : estimator
        Estimator of this library or of scikit-learn.

    Raises
    ------
    ValueError
        If a parameter is not allowed.
    """
    estimator._validate_params()


def callbacks_of(estimator: BaseEstimator) -> list[Any]:
    """Return the callbacks that `set_callbacks` has given to an estimator, or a meta-estimator passed on.

    Parameters
    ----------
    estimator : estimator
        Estimator of this library.

    Returns
    -------
    list
    """
    return getattr(estimator, CALLBACKS, [])


class _Quiet:
    """A libsvm model that reports a solver that stopped early only in `fit_status_`."""

    def _warn_from_fit_status(self) -> None:
        """Do not warn, because a filter for the warning would apply to the whole process."""


class QuietSVC(_Quiet, SVC):
    """A support vector classifier that does not warn."""


class QuietSVR(_Quiet, SVR):
    """Support vector regression that does not warn."""
