"""The search: limits of time, cancelling, samples, failures, and candidates from outside."""

import time
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering

from mmc import AutoClusterer, registry
from mmc.auto import Plan, search
from mmc.auto.search import nearest
from mmc.datasets import load
from mmc.engine import Ticket
from mmc.registry import Candidacy
from tests.outside.kmedoids import ENTRY, ScratchKMedoids

MODULE = import_module("mmc.auto.search")


def quick(**parameters):
    """Make a search that takes little time."""
    given = {"max_clusters": 3, "n_references": 0, "n_jobs": 1, "random_state": 0} | parameters
    return AutoClusterer(**given)


class SlowKMedoids(ScratchKMedoids):
    """An algorithm that rests for long, in steps between which it can be stopped."""

    def _rounds(self, medoids):
        for state in super()._rounds(medoids):
            for _ in range(2_000):
                time.sleep(0.05)
                yield replace(state, converged=False)


class FailingKMedoids(ScratchKMedoids):
    """An algorithm that refuses everything."""

    def _prepare(self, X):
        raise ValueError("It refuses everything.")


@pytest.fixture
def register():
    """Register entries with a candidacy, and forget them again."""
    names = []

    def add(name, estimator, candidacy, **others):
        registry.register(replace(ENTRY, name=name, estimator=estimator, candidacies=(candidacy,), **others))
        names.append(name)

    yield add
    for name in names:
        del registry._entries[name]


@pytest.fixture
def X():
    """Three clouds."""
    return load("three-gaussians", n_samples=60, random_state=0).X


@pytest.fixture
def small_sample(monkeypatch):
    """Let samples have fifty points."""
    monkeypatch.setattr(MODULE, "SAMPLE", 50)


def test_an_entry_from_outside_takes_part(register, X):
    """Its candidacy is tried with its parameters, number of clusters and seed, and judged like all others."""
    register("OutsideKMedoids", ScratchKMedoids, Candidacy({"n_init": 2}, rank=-1))
    model = quick().fit(X)
    rows = model.table_[model.table_["algorithm"] == "OutsideKMedoids"]
    assert rows["setting"].tolist() == ["n_init=2"] * 2
    assert rows["left_out"].tolist() == ["", ""]
    assert rows["score"].notna().all()
    assert model.table_["algorithm"][0] == "OutsideKMedoids"  # of a lower rank than all others
    own = ScratchKMedoids(3, n_init=2, random_state=0).fit(X).labels_
    trial = model.state_.stages[0].trials[1]
    np.testing.assert_array_equal(trial.labels, own)


def test_a_method_without_predict_lets_points_join_the_nearest(register, X):
    """Where the chosen candidate assigns no new points, these join the nearest training point."""
    parameters = tuple(p for p in ENTRY.parameters if p.name == "n_clusters")
    register("OutsideTree", AgglomerativeClustering, Candidacy(rank=-1), parameters=parameters)
    model = quick().fit(X)
    assert model.best_candidate_.algorithm == "OutsideTree"
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict(X[::-1] + 1e-9), model.labels_[::-1])
    assert model.decision_function(X).shape == (60, model.n_clusters_)


def test_a_candidate_that_fails_does_not_end_the_search(register, X):
    """Its rows say why, and the choice is made among the others."""
    without = quick().fit(X)
    register("OutsideFailure", FailingKMedoids, Candidacy(rank=-1))
    model = quick().fit(X)
    rows = model.table_[model.table_["algorithm"] == "OutsideFailure"]
    assert rows["left_out"].tolist() == ["It refuses everything."] * 2
    assert rows["score"].isna().all()
    np.testing.assert_array_equal(model.labels_, without.labels_)


def test_failures_alone_name_the_first_reason(register, X, monkeypatch):
    """Where no candidate could be fitted the error has the reason."""
    monkeypatch.setattr(MODULE, "list_candidates", _only("OutsideFailure"))
    register("OutsideFailure", FailingKMedoids, Candidacy())
    with pytest.raises(ValueError, match=r"No candidate could be fitted: It refuses everything\."):
        quick().fit(X)


def _only(name):
    """List the candidates of one algorithm."""
    whole = MODULE.list_candidates
    return lambda *args: [each for each in whole(*args) if each.algorithm == name]


def test_a_time_limit_keeps_the_best_so_far(register, X):
    """Candidates that have ended are kept; the one that rests, and those after it, were not tried."""
    quick().fit(X)  # compiles what the candidates need, which is not what is limited here
    register("OutsideSlow", SlowKMedoids, Candidacy(rank=1.5))
    model = quick(time_limit=4.0, n_references=1).fit(X)
    table = model.table_
    late = table["left_out"] == "the search ended before"
    assert set(table["algorithm"][late]) >= {"OutsideSlow", "UMCRLS"}
    assert "Genie" in set(table["algorithm"][table["left_out"] == ""])
    assert model.certainty_.references == ()
    assert "found by" in model.summary_
    assert table["score"][table["chosen"]].item() == pytest.approx(-model.objective_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_a_limit_before_the_first_candidate_is_said(X):
    """Without any labels the error names the limit and the remedy."""
    with pytest.raises(ValueError, match="within time_limit=1e-06 seconds"):
        quick(time_limit=1e-6).fit(X)


def test_a_ticket_cancels_the_search(X):
    """After it is cancelled the search ends with the best so far, and without any labels says so."""
    plan = Plan((2, 3), 2, 300.0, 1, 0)
    ticket = Ticket()
    states = search(X, plan, ticket)
    first = next(states)
    ticket.cancel()
    rest = list(states)
    assert len(rest) <= 2
    assert rest[-1].converged
    assert len(rest[-1].stages[0].trials) < 3
    assert rest[-1].references == ()
    np.testing.assert_array_equal(first.labels, rest[-1].labels)
    with pytest.raises(ValueError, match="cancelled before a candidate ended"):
        next(search(X, plan, ticket))


def test_many_points_are_judged_on_a_sample(small_sample):
    """The number is chosen on a sample, and all points are clustered with that number alone."""
    data = load("three-gaussians", n_samples=150, random_state=0)
    model = quick(n_references=1).fit(data.X)
    table = model.table_
    assert set(table["n_clusters"][table["n_samples"] == 50]) == {2, 3}
    assert set(table["n_clusters"][table["n_samples"] == 150]) == {model.n_clusters_}
    assert table["chosen"].sum() == 1
    assert table["n_samples"][table["chosen"]].item() == 150
    assert model.labels_.shape == (150,)
    assert model.n_iter_ == (table["left_out"] == "").sum()
    np.testing.assert_array_equal(model.predict(data.X), model.labels_)
    assert "judged on a sample of 50 points" in model.summary_


def test_a_search_that_ends_on_a_sample_labels_all_points(small_sample):
    """Every point has the label of the nearest sampled one, also in predict."""
    X = load("three-gaussians", n_samples=150, random_state=0).X
    model = quick()
    steps = model.iter_fit(X)
    for _ in range(9):
        next(steps)
    steps.close()
    rows = model.state_.rows
    assert len(rows) == 50
    best = model.state_.choice.best
    np.testing.assert_array_equal(model.labels_[rows], best.labels)
    np.testing.assert_array_equal(model.labels_, best.labels[nearest(X[rows], X)])
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.best_estimator_.labels_, best.labels)
    assert "Only a sample of 50 points was clustered" in model.summary_


@pytest.mark.slow
def test_more_than_two_thousand_points():
    """The usual sample has 2,000 points, and two clouds of 2,100 points in all are found."""
    rng = np.random.RandomState(0)
    X = np.vstack([rng.standard_normal((1_050, 2)), rng.standard_normal((1_050, 2)) + 10])
    model = quick().fit(X)
    assert model.n_clusters_ == 2
    assert np.bincount(model.labels_).tolist() == [1_050, 1_050]
    assert set(model.table_["n_samples"]) == {2_000, 2_100}


@pytest.mark.parametrize("n_references", [0, 1])
def test_more_clusters_than_a_sample_has_points(small_sample, n_references):
    """A given number that no sample can have is searched on all points."""
    X = np.random.RandomState(0).standard_normal((80, 2))
    model = quick(n_clusters=60, n_references=n_references).fit(X)
    assert model.n_clusters_ == 60
    assert set(model.table_["n_samples"]) == {80}


def test_a_sample_of_equal_points(small_sample):
    """Where all sampled points are equal, all points are searched, and the rare one is found."""
    X = np.zeros((400, 2))
    X[7] = 1.0
    model = quick(n_references=1).fit(X)
    assert model.n_clusters_ == 2
    assert set(model.table_["n_samples"]) == {400}
    assert np.flatnonzero(model.labels_ == model.labels_[7]).tolist() == [7]


def test_outliers_of_a_fit_are_searched_for_once(X, monkeypatch):
    """The distances to neighbours do not depend on labels, so that a fit computes them a single time."""
    module = import_module("mmc.auto.estimator")
    calls = []
    reaches = module.reaches
    monkeypatch.setattr(module, "reaches", lambda X: calls.append(1) or reaches(X))
    model = AutoClusterer(max_clusters=3, outliers=True, n_references=0, n_jobs=1, random_state=0).fit(X)
    assert model.outliers_.shape == (60,)
    assert len(calls) == 1
