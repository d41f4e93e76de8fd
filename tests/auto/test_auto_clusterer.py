"""`AutoClusterer` as an estimator: its interface, its results, and data on the edge."""

import pickle
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from mmc import AutoClusterer, engine, registry
from mmc.datasets import load
from mmc.judges import OF_LABELS, Judges
from mmc.metrics import adjusted_rand_score
from mmc.stepping import State


def quick(**parameters):
    """Make a search that takes little time."""
    given = {"max_clusters": 3, "n_references": 0, "n_jobs": 1, "random_state": 0} | parameters
    return AutoClusterer(**given)


@pytest.fixture(scope="module")
def X():
    """Three clouds."""
    return load("three-gaussians", n_samples=60, random_state=0).X


@pytest.fixture(scope="module")
def fitted(X):
    """Fit once, with references."""
    return quick(n_references=2).fit(X)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([AutoClusterer(max_clusters=3, n_references=0, n_jobs=1)])
def test_scikit_learn_checks(estimator, check):
    """It passes scikit-learn's own checks."""
    check(estimator)


def test_every_step_is_usable(X):
    """Before each yield the estimator holds the state, whose progress grows to one."""
    model = quick(n_references=1, outliers=True)
    progress = []
    for step in model.iter_fit(X):
        assert isinstance(step.state, State)
        assert model.state_ is step.state
        assert step.state.labels.shape == (60,)
        assert set(step.state.labels) == set(range(model.n_clusters_))
        np.testing.assert_array_equal(model.labels_, np.where(model.outliers_, -1, step.state.labels))
        assert model.objective_ == step.state.objective == -step.state.choice.best.score
        assert model.best_candidate_ is step.state.choice.best.candidate
        assert f"Best so far: {step.state.choice.best.answer}." in step.state.caption
        progress.append(step.progress)
    assert progress == sorted(progress)
    assert progress[-1] == 1.0


@pytest.mark.parametrize("n_steps", [1, 5, 18])
def test_closing_half_way_leaves_a_usable_estimator(X, n_steps):
    """Labels, predictions, the best estimator, the table and the words are those of the candidates so far."""
    model = quick(n_references=2)
    steps = model.iter_fit(X)
    for _ in range(n_steps):
        next(steps)
    steps.close()
    assert model.labels_.shape == (60,)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.best_estimator_.labels_, model.labels_)
    ended = model.table_["left_out"] == ""
    assert ended.sum() == min(n_steps, 16) == model.n_iter_
    assert set(model.table_["left_out"][~ended]) <= {
        "the search ended before",
        "it is for 1,601 points or more",
    }
    assert "found by" in model.summary_
    assert model.certainty_.references == ()


def test_predict_equals_labels(fitted, X):
    """On the training points predict gives the labels, and new points join the cluster around them."""
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)
    np.testing.assert_array_equal(fitted.predict(X + 1e-6), fitted.labels_)
    np.testing.assert_array_equal(fitted.decision_function(X).argmax(axis=1), fitted.labels_)


def test_the_same_seed_gives_the_same(fitted, X):
    """Labels, certainty and the table, but for its times, are the same in another fit."""
    again = quick(n_references=2).fit(X)
    np.testing.assert_array_equal(again.labels_, fitted.labels_)
    pd.testing.assert_frame_equal(again.table_.drop(columns="seconds"), fitted.table_.drop(columns="seconds"))
    assert again.certainty_ == fitted.certainty_
    assert again.summary_ == fitted.summary_


def test_parameters_and_input_are_unchanged(X):
    """A fit changes neither, and a random generator as seed is allowed."""
    given, rng = X.copy(), np.random.RandomState(3)
    model = quick(random_state=rng)
    before = model.get_params()
    model.fit(given)
    np.testing.assert_array_equal(given, X)
    assert model.get_params() == before
    same = quick(random_state=np.random.RandomState(3)).fit(X)
    np.testing.assert_array_equal(model.labels_, same.labels_)


@pytest.mark.parametrize(
    "copy", [lambda m: pickle.loads(pickle.dumps(m)), deepcopy], ids=["pickle", "deepcopy"]
)
def test_copies_of_a_fitted_model(fitted, X, copy):
    """A copy predicts, and has the same table, words and certainty."""
    again = copy(fitted)
    np.testing.assert_array_equal(again.predict(X), fitted.labels_)
    pd.testing.assert_frame_equal(again.table_, fitted.table_)
    assert again.table_["chosen"].sum() == 1
    assert again.summary_ == fitted.summary_
    assert again.certainty_ == fitted.certainty_
    assert not hasattr(clone(fitted), "labels_")
    assert clone(fitted).get_params() == fitted.get_params()


def test_nothing_is_there_before_a_fit():
    """What a fit gives is asked for in vain before it."""
    for name in ("table_", "summary_", "certainty_", "best_estimator_", "best_candidate_", "outliers_"):
        with pytest.raises(NotFittedError):
            getattr(AutoClusterer(), name)


def test_the_table_has_every_candidate(fitted, X):
    """One row for each candidacy and number of clusters, with all judges, or why it was left out."""
    table = fitted.table_
    wanted = [
        (entry.name, ", ".join(f"{n}={v}" for n, v in each.parameters.items()), k)
        for entry in registry.ALGORITHMS.values()
        for each in entry.candidacies
        for k in (2, 3)
    ]
    rows = list(zip(table["algorithm"], table["setting"], table["n_clusters"], strict=True))
    assert sorted(rows) == sorted(wanted)
    assert set(OF_LABELS) < set(table.columns)
    left_out = table["left_out"] != ""
    assert set(table["left_out"][left_out]) == {"it is for 1,601 points or more"}
    assert table[list(OF_LABELS)].notna().all(axis=1).eq(~left_out).all()
    chosen = table[table["chosen"]].iloc[0]
    for name, value in Judges(X).scores(fitted.labels_).items():
        assert chosen[name] == pytest.approx(value, abs=1e-9)
    assert chosen["score"] == pytest.approx(-fitted.objective_)
    judges = ("agreement", "normalized_cut", "worst_cut", "dbcv")
    assert chosen["score"] == pytest.approx(sum(chosen[name] for name in judges))
    assert chosen["support"] == table.loc[table["chosen"], "support"].item()
    assert chosen["support"] == pytest.approx(
        chosen["agreement"] + chosen["normalized_cut"] + chosen["worst_cut"]
    )


def test_candidates_for_few_columns_are_left_out():
    """With many columns the table says of a candidate that it is for fewer."""
    X = np.random.RandomState(0).standard_normal((20, 120))
    table = quick(n_clusters=2).fit(X).table_
    assert table.set_index("algorithm")["left_out"]["GaussianMixture"] == "it is for at most 100 columns"


def test_a_given_number_of_clusters(X):
    """All candidates have it, and the runner-up is another answer of the same number."""
    model = quick(n_clusters=4, n_references=1).fit(X)
    assert model.n_clusters_ == 4
    assert set(model.table_["n_clusters"]) == {4}
    assert model.certainty_.runner_up.startswith("4 clusters by ")
    assert model.certainty_.lead >= 0
    assert len(model.certainty_.references) == 1


@pytest.mark.parametrize(
    ("name", "k"), [("moons", 2), ("four-gaussians", 4), ("rings", None), ("three-gaussians", 3)]
)
def test_clusters_are_found_where_there_are_some(name, k):
    """Toy sets have clusters by all references, and are found."""
    data = load(name, n_samples=200, random_state=0)
    model = quick(max_clusters=5, n_references=2).fit(data.X)
    assert model.certainty_.has_clusters
    assert "no clusters" not in model.summary_
    assert k is None or model.n_clusters_ == k
    assert adjusted_rand_score(data.y, model.labels_) > 0.9


@pytest.mark.parametrize("n_columns", [2, 4])
def test_a_cloud_has_no_clusters(n_columns):
    """A single Gaussian cloud is said to show none, and still gets labels."""
    X = np.random.RandomState(0).standard_normal((200, n_columns))
    model = quick(max_clusters=4, n_references=4).fit(X)
    assert not model.certainty_.has_clusters
    assert model.summary_.startswith("These data show no clusters")
    assert model.n_clusters_ == len(np.unique(model.labels_)) >= 2


def test_uniform_noise_has_no_clusters():
    """Neither has the toy set that is noise."""
    model = quick(max_clusters=4, n_references=4).fit(load("noise", n_samples=200, random_state=0).X)
    assert model.summary_.startswith("These data show no clusters")


RNG = np.random.RandomState(0)
CLOUD = RNG.standard_normal((40, 2))

EDGES = {
    "two points": ([[0.0], [1.0]], {}),
    "three points": ([[0.0, 0.0], [1.0, 1.0], [5.0, 5.0]], {}),
    "a row for each cluster": (CLOUD[:6], {"n_clusters": 6}),
    "a constant column": (np.c_[CLOUD, np.ones(40)], {}),
    "duplicates": (np.repeat(CLOUD[:6], 8, axis=0), {}),
    "two places": (np.repeat([[0.0, 0.0], [1.0, 1.0]], 20, axis=0), {}),
    "a place for each cluster": (np.repeat(CLOUD[:5], 3, axis=0), {"n_clusters": 5}),
    "huge": (CLOUD * 1e140, {}),
    "tiny": (CLOUD * 1e-140, {}),
    "far from the origin": (CLOUD + 1e12, {}),
    "one column": (CLOUD[:, :1], {}),
}


@pytest.mark.parametrize(("X", "parameters"), EDGES.values(), ids=list(EDGES))
def test_data_on_the_edge(X, parameters):
    """Labels, predictions, table and words are defined, without a warning, and equal points stay together."""
    model = quick(n_references=1, **parameters).fit(X)
    assert set(model.labels_) == set(range(model.n_clusters_))
    assert model.n_clusters_ == parameters.get("n_clusters", model.n_clusters_) >= 2
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    place = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    assert all(len(set(model.labels_[place == i])) == 1 for i in set(place))
    assert model.table_["score"].notna().any()
    assert model.summary_.endswith(".")
    assert not quick(outliers=True, **parameters).fit(X).outliers_.all()


def test_points_that_are_all_equal():
    """They are one cluster, said in words, and no candidate is there."""
    X = np.ones((10, 2))
    model = quick(outliers=True).fit(X)
    assert model.labels_.tolist() == [0] * 10
    assert model.n_clusters_ == 1
    assert model.predict([[5.0, 5.0]]).tolist() == [0]
    assert model.summary_ == "All points are equal: one cluster, and no candidate was tried."
    assert not hasattr(model, "table_")
    assert not hasattr(model, "best_candidate_")
    assert not model.outliers_.any()


def test_one_cluster_needs_no_search():
    """Where one cluster is asked for it is given, without candidates, and points far away are still told."""
    X = np.vstack([np.random.default_rng(0).normal(size=(60, 2)), [[50.0, 50.0]]])
    model = quick(n_clusters=1, outliers=True).fit(X)
    assert model.summary_ == "One is asked for: one cluster, and no candidate was tried."
    assert np.flatnonzero(model.labels_ == -1).tolist() == [60]
    assert model.n_clusters_ == 1
    assert not model.predict(X).any()
    assert not hasattr(model, "table_")


@pytest.mark.parametrize(
    ("X", "parameters", "words"),
    [
        (np.repeat(CLOUD[:3], 5, axis=0), {"n_clusters": 4}, "number of different points, 3"),
        (np.ones((5, 2)), {"n_clusters": 2}, "number of different points, 1"),
        ([[np.nan], [1.0]], {}, "NaN"),
        ([[np.inf], [1.0]], {}, "infinity"),
        ([[1.0]], {}, "minimum of 2"),
        (CLOUD * 1e200, {}, "overflow"),
        (CLOUD * 1e-200, {}, "rescale"),
        (CLOUD, {"n_clusters": 0}, "n_clusters"),
        (CLOUD, {"max_clusters": 1}, "max_clusters"),
        (CLOUD, {"time_limit": 0.0}, "time_limit"),
        (CLOUD, {"n_references": -1}, "n_references"),
        (CLOUD, {"outliers": "yes"}, "outliers"),
    ],
)
def test_refusals_name_the_cause(X, parameters, words):
    """What is not allowed is refused before the first step, by name."""
    with pytest.raises(ValueError, match=words):
        quick(**parameters).iter_fit(X)


@pytest.mark.slow
def test_processes_give_the_same(fitted, X, monkeypatch):
    """Two processes give the labels and the table of one, in whatever order candidates end."""
    monkeypatch.setenv(engine.CLUSTER, "")
    started = engine.Pool(2)
    monkeypatch.setattr(engine, "pool", lambda: started)
    monkeypatch.setattr(engine, "is_started", lambda: True)
    try:
        model = quick(n_references=2, n_jobs=2).fit(X)
    finally:
        started.close()
    np.testing.assert_array_equal(model.labels_, fitted.labels_)
    pd.testing.assert_frame_equal(model.table_.drop(columns="seconds"), fitted.table_.drop(columns="seconds"))


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same(fitted, X, monkeypatch):
    """A local cluster of two workers gives the labels and the table of one process."""
    distributed = pytest.importorskip("distributed")
    from mmc.engine import _dask

    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**options) as cluster:
        monkeypatch.setenv(engine.CLUSTER, cluster.scheduler_address)
        model = quick(n_references=2, n_jobs=-1).fit(X)
        _dask.connect(cluster.scheduler_address).close()
    np.testing.assert_array_equal(model.labels_, fitted.labels_)
    pd.testing.assert_frame_equal(model.table_.drop(columns="seconds"), fitted.table_.drop(columns="seconds"))
