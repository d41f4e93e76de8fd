"""Names of scikit-learn that are not public, in one place.

`tests/test_private_apis.py` says what is missing when a new release moves one of them.
"""

from __future__ import annotations

from sklearn.base import BaseEstimator
from sklearn.svm import SVC, SVR
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

__all__ = ["HasMethods", "Interval", "QuietSVC", "QuietSVR", "RealNotInt", "StrOptions", "check_parameters"]


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


class _Quiet:
    """A libsvm model that reports a solver that stopped early only in `fit_status_`."""

    def _warn_from_fit_status(self) -> None:
        """Do not warn, because a filter for the warning would apply to the whole process."""


class QuietSVC(_Quiet, SVC):
    """A support vector classifier that does not warn."""


class QuietSVR(_Quiet, SVR):
    """Support vector regression that does not warn."""
