"""Limits on the number of points in the app: they depend on parameters and name a remedy."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from mmc import registry, work
from mmc.experiment import Data, Experiment
from mmc.recording import MAX_BYTES
from mmc.stepping import State, Step
from mmc.work import runs, tables


@pytest.mark.parametrize(
    ("name", "values", "most"),
    [
        ("KMeans", {}, 100_000),
        ("GaussianMixture", {}, 100_000),
        ("BayesianGaussianMixture", {}, 100_000),
        ("SelfTuningSpectral", {}, 100_000),
        ("Genie", {}, 100_000),
        ("Lumbermark", {}, 100_000),
        ("SMIC", {}, 30_000),
        ("SMIC", {"n_neighbors": 7}, 100_000),
        ("SMIC", {"n_neighbors": 7, "kernel": "rbf"}, 5000),
        ("MIC", {}, 100_000),
        ("MIC", {"kernel": "rbf"}, 5000),
        ("FastEvoMMC", {}, 15_811),
        ("FastEvoMMC", {"n_landmarks": 250}, 100_000),
        ("FastEvoMMC", {"n_landmarks": 1000}, 25_000),
        ("FastEvoMMC", {"n_landmarks": 0.5}, 7071),
        ("FastEvoMMC", {"n_landmarks": 100_000}, 5000),
        ("EvoMMC", {}, 5000),
        ("EvoMMC", {"kernel": "graph"}, 100_000),
        ("EvoMMC", {"n_landmarks": 50}, 100_000),
        ("CPMMC", {}, 5000),
        ("CPMMC", {"kernel": "landmark_graph"}, 100_000),
        ("CPMMC", {"n_landmarks": 50}, 100_000),
        ("MKC", {}, 3000),
        ("MKC", {"n_landmarks": 400}, 100_000),
        ("MKC", {"n_landmarks": 1000}, 41_666),
        ("MKC", {"n_landmarks": 1000, "kernels": ["graph", "rbf"]}, 100_000),
        ("MKC", {"kernels": ["graph", "rbf"]}, 3000),
        ("MKC", {"kernels": ["graph", ("landmark_graph", {"n_neighbors": 5})]}, 100_000),
        ("IterSVR", {}, 3000),
        ("IterSVR", {"kernel": "graph"}, 100_000),
        ("IterLSSVM", {"n_landmarks": 100}, 100_000),
        ("IterSVM", {"kernel": "local_scaling", "n_landmarks": 100}, 5000),
        ("RecursiveBinary", {}, 3000),
        ("RecursiveBinary", {"estimator__n_landmarks": 100}, 100_000),
        ("RecursiveBinary", {"estimator__kernel": "landmark_graph"}, 100_000),
        ("MMC", {}, 100),
    ],
)
def test_the_limit_depends_on_the_parameters(name, values, most):
    """Sparse graphs and few landmarks take 100,000 points, n×n arrays 5,000."""
    assert registry.get(name).most_samples(values) == most
    assert registry.bound(name, values).n_samples == most


def test_a_refusal_names_the_limit_the_setting_and_the_remedy():
    """A user learns what is too much, for which setting, and what would take it."""
    bound = pickle.loads(pickle.dumps(registry.bound("SMIC", {"kernel": "rbf"})))
    bound.check(5000)
    with pytest.raises(
        ValueError, match="20,000 points are more than the 5,000 that SMIC takes here"
    ) as error:
        bound.check(20_000)
    for part in (
        "with kernel=rbf and n_neighbors=lsmi",
        "100,000 with kernel=local_scaling",
        "KMeans",
        "sample",
    ):
        assert part in str(error.value)
    assert "Agglomerative" not in str(error.value)  # it takes 10,000
    assert "MMC," not in str(error.value)


def test_no_limit_is_beyond_what_pages_take():
    """Whatever the parameters, no algorithm takes more points than a toy set can have."""
    for entry in registry.ALGORITHMS.values():
        assert entry.max_samples <= entry.most_samples({}) <= registry.MOST_SAMPLES


def test_a_run_is_refused_for_either_of_two_algorithms():
    """The algorithm beside the first has a limit of its own."""
    data = Data("moons", {"n_samples": 300, "random_state": 0}, True)
    models = {name: registry.get(name).make({}) for name in ("KMeans", "MMC")}
    bounds = tuple(registry.bound(name, {}) for name in models)
    with pytest.raises(ValueError, match="300 points are more than the 100 that MMC takes"):
        work.run(None, work.Run(data, models, dict.fromkeys(models, ""), bounds), lambda part: True)


def test_a_search_takes_no_more_values_than_the_server_should_hold(monkeypatch):
    """Points of many columns are refused with both numbers before they are sent."""
    monkeypatch.setattr(tables, "MAX_VALUES", 1000)
    bound = registry.bound("KMeans", {})
    (loaded,) = work.load(None, ([Data("iris")], bound), lambda part: True)
    assert loaded.X.shape == (150, 4)
    with pytest.raises(ValueError, match="1797 points of 64 columns are 115008 values, more than the 1000"):
        work.load(None, ([Data("digits")], bound), lambda part: True)


def _streamed(n, statuses):
    """Return the steps of the reports of a start with n points, all made within one moment but the last."""
    sent = []
    stream = runs._Stream("name", SimpleNamespace(), 0, 1, lambda part: sent.append(part) or True)
    for i, status in enumerate(statuses):
        if i == len(statuses) - 1:
            stream._sent = 0.0
        stream(Step(i, State(labels=np.zeros(n, dtype=np.int64), objective=float(i)), status))
    return [[step.n_iter for step in part.steps] for part in sent]


def test_of_many_points_only_the_last_step_of_a_report_is_sent():
    """The first step and the end of a start are always sent, the others one for each report."""
    assert _streamed(3, ["running"] * 5) == [[0, 1, 2, 3, 4]]
    assert _streamed(runs._MANY, ["running"] * 5) == [[0, 4]]
    assert _streamed(runs._MANY, ["running"] * 4 + ["converged"]) == [[0, 4]]


@pytest.mark.parametrize("limit", ["_MAX_ESTIMATOR", "_MAX_STATE"])
def test_steps_that_are_too_large_to_be_sent_are_not_sent(limit, monkeypatch):
    """Without the estimator nothing can be drawn of them, and the caption is enough."""
    monkeypatch.setattr(runs, limit, 1)
    assert _streamed(3, ["running"] * 3) == [[]]


def test_a_stopped_run_of_many_points_gives_few_states(monkeypatch):
    """What a cancelled run sends is bounded, and its states can still be drawn."""
    monkeypatch.setattr(runs, "MAX_BYTES", 1)
    assert MAX_BYTES > 1
    data = Data("moons", {"n_samples": 60, "random_state": 0}, True)
    experiment = Experiment(data, "StocRLS", {"n_clusters": 2, "n_init": 50, "random_state": 0})
    monkeypatch.setattr(runs, "_REPORT", 0.0)
    reports = []
    task = work.Run(data, {"StocRLS": experiment.make()}, {"StocRLS": "Q"}, ())
    ran = work.run(None, task, lambda part: reports.append(part) or len(reports) < 8)
    assert ran.drawing is None
    assert 1 <= len(ran.recordings["StocRLS"].states) <= 2


@pytest.mark.parametrize("whole", [True, False])
def test_labels_of_a_very_large_table_are_written_without_it(whole):
    """The file then has the row, the cluster and, if there is one, the confidence."""
    text = work.write_labels(None, (Data("iris"), np.zeros(150, dtype=np.int64), None, whole), lambda _: True)
    first = text.splitlines()[0]
    assert first == (
        "row,cluster"
        if not whole
        else "sepal length (cm),sepal width (cm),petal length (cm),petal width (cm),class,cluster"
    )
    assert len(text.splitlines()) == 151
