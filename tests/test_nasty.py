"""Points and parameters that are meant to break a fit: it works, or it is refused by name."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from benchmarks import nasty
from mmc import GMMC, UMCRLS, BlurringMeanShift, registry

ENTRIES = list(registry.ALGORITHMS.values())


def fit(entry, X, **values):
    """Run a fit with two clusters on points, as the command does."""
    clusters = {entry.clusters.name: 2} if entry.clusters else {}
    return nasty.run(nasty.Fit(entry, clusters | values, "", X, False), 60)


@pytest.fixture
def points():
    """Twelve points in two clouds, and one of them far away."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    X[:6] += 8.0
    return X


@pytest.mark.parametrize("size", [1e6, 1e12, 1e60, 1e140])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_outlier(entry, size, points):
    """One point far away gives a result, or an error that says what to do."""
    points[0] = size
    assert fit(entry, points).kind != "bad"


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e-60, 1e60, 1e150, 1e300])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_a_scale(entry, scale, points):
    """So do points in a unit that is far too large or small."""
    assert fit(entry, points * scale).kind != "bad"


@pytest.mark.parametrize("model", [GMMC(random_state=0), BlurringMeanShift(width=2)])
def test_an_outlier_leaves_the_others_apart(model, points):
    """The distances of the other points keep their digits beside an outlier at 1e12."""
    points[11] = 1e12
    labels = model.fit(points).labels_
    assert labels[0] != labels[6]
    assert len(set(labels[:6])) == len(set(labels[6:11])) == 1


@pytest.mark.parametrize("number", range(54))
def test_fits_of_the_command(number):
    """The first fits that the command draws end as they should."""
    assert nasty.run(nasty.draw(5, number), 60).kind in ("done", "refused")


class Unnamed(UMCRLS):
    """Raises an error that names nothing."""

    def _prepare_steered(self, X, hints):
        raise np.linalg.LinAlgError("Singular matrix")


class Silent(UMCRLS):
    """Puts all points into one cluster, and says nothing of it."""

    _fit_steps = lambda self, problem: (  # noqa: E731
        step._replace(state=type(step.state)(**vars(step.state) | {"labels": 0 * step.state.labels}))
        for step in super()._fit_steps(problem)
    )


class Leaking(UMCRLS):
    """Lets a warning of NumPy through."""

    def _prepare_steered(self, X, hints):
        np.log(np.zeros(1))
        return super()._prepare_steered(X, hints)


@pytest.mark.parametrize(
    ("estimator", "detail"),
    [(Unnamed, "LinAlgError"), (Silent, "lost without a word"), (Leaking, "leaked RuntimeWarning")],
)
def test_what_is_bad_is_found(estimator, detail, points):
    """An unnamed error, a silent loss and a warning that leaks are bad."""
    entry = registry.get("UMCRLS")
    outcome = fit(type(entry)(**vars(entry) | {"estimator": estimator}), points)
    assert outcome.kind == "bad"
    assert detail in outcome.detail


def test_nan_must_be_refused(points):
    """A table with NaN that is accepted is bad; the one that is drawn is refused."""
    points[0, 0] = np.nan
    entry = registry.get("KMeans")
    assert entry.estimator is KMeans
    assert nasty.run(nasty.Fit(entry, {"n_clusters": 2}, "", points, True)).kind == "refused"
    accepted = nasty.run(nasty.Fit(entry, {"n_clusters": 2}, "", np.nan_to_num(points), True))
    assert accepted == nasty.Outcome("bad", "NaN or infinity was accepted")


def test_the_command_counts(capsys):
    """The command runs fits in another process and prints how they ended."""
    assert nasty.main(["--fits", "3", "--seed", "5"]) == 0
    printed = capsys.readouterr().out
    assert "3 fits of" in printed
    assert "bad                           0" in printed
