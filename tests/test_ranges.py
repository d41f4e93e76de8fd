"""Every number that an estimator takes has a range, which is stated and checked before any work."""

import re

import numpy as np
import pytest
from sklearn.cluster import KMeans

from mmc import clusterers, registry
from mmc._sklearn import Interval
from mmc.base import StepwiseClusterer
from tests.test_docstrings import sections

X = np.arange(12.0).reshape(6, 2)

OWN = [
    entry.estimator
    for entry in registry.ALGORITHMS.values()
    if issubclass(entry.estimator, StepwiseClusterer)
]
BOUNDED = [
    (cls, name, rule)
    for cls in OWN
    for name, rules in cls._parameter_constraints.items()
    for rule in rules
    if isinstance(rule, Interval) and name in cls().get_params()
]
each_range = pytest.mark.parametrize(
    ("cls", "name", "rule"), BOUNDED, ids=[f"{cls.__name__}-{name}" for cls, name, _ in BOUNDED]
)


def written(number):
    """Write the end of a range as a docstring does."""
    if isinstance(number, int) or (float(number).is_integer() and abs(number) < 1e5):
        return f"{int(number):,}"
    return re.sub(r"e([+-])0*", lambda sign: "e-" if sign[1] == "-" else "e", f"{number:g}")


@each_range
def test_a_range_has_two_ends_and_the_docstring_states_them(cls, name, rule):
    """A user reads what is allowed; two clusters are stated as such."""
    assert rule.left is not None
    assert rule.right is not None
    lines = sections(cls)["Parameters"]
    first = next(i for i, line in enumerate(lines) if line.startswith(f"{name} :"))
    last = next((i for i in range(first + 1, len(lines)) if not lines[i].startswith(" ")), len(lines))
    text = " ".join(" ".join(lines[first + 1 : last]).split())
    both = f"{written(rule.left)} to (below )?{written(rule.right)}"
    assert (
        re.search(rf"(Allowed are|number is from) {both}\.", text) or "must be 2" in text or "share" in text
    )


@each_range
@pytest.mark.parametrize("value", [10**120, 10**400, np.inf, -np.inf, np.nan, 1e308, -1e308])
def test_a_value_beyond_is_refused_at_once(cls, name, rule, value):
    """The message names the parameter, the value and the range, and nothing has been computed."""
    with pytest.raises(ValueError, match=rf"The '{name}' parameter of {cls.__name__} must be .* Got "):
        cls(**{name: value}).iter_fit(X)


@pytest.mark.parametrize("entry", registry.ALGORITHMS.values(), ids=lambda entry: entry.name)
@pytest.mark.parametrize("name", ["n_init", "max_iter", "n_neighbors", "n_clusters", "n_components"])
def test_scikit_learn_classes_are_bounded_too(entry, name):
    """A whole number that scikit-learn would count to is refused before it begins."""
    if name not in entry.estimator().get_params():
        return
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        clusterers.steps(entry.estimator(**{name: 10**30}), X)


def test_other_errors_of_scikit_learn_come_before_the_first_step():
    """Parameters of its classes are checked when the steps are asked for."""
    with pytest.raises(ValueError, match="'n_init' parameter of KMeans"):
        clusterers.steps(KMeans(n_init=0), X)
