"""Baselines run in the playground like every other algorithm, and what is taken home repeats them."""

import json

import numpy as np
import pandas as pd
import pytest

from mmc import registry
from mmc.engine import Ticket
from mmc.experiment import Data, Experiment
from mmc.metrics import adjusted_rand_score
from mmc.ui.run_job import _work

BASELINES = [entry.name for entry in registry.ALGORITHMS.values() if entry.family == "baselines"]


def texts(at):
    """Give everything that a page says in words and numbers."""
    said = [element.value for kind in ("markdown", "caption", "warning", "error") for element in at.get(kind)]
    return [
        *said,
        *(metric.value for metric in at.metric),
        *(chart.proto.alt for chart in at.get("plotly_chart")),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_has_a_sensible_summary(name, playground):
    """Three clouds are found, sizes add up, and no number is said where there is none."""
    at = playground(algorithm=name, n="90")
    assert not at.exception
    assert not at.error
    result = at.session_state["playground:"].last
    entry = registry.get(name)
    assert adjusted_rand_score(result.dataset.y, result.main.labels) > 0.8
    metrics = {metric.label: metric.value for metric in at.metric}
    assert (entry.objective in metrics) == bool(entry.objective)
    assert set(metrics) >= {"Time", "Adjusted Rand index", "Clustering error"}
    assert not any("nan" in text.lower() for text in texts(at))
    assert at.table[0].value["points"].sum() == 90
    assert len(at.get("plotly_chart")) == 1
    script = result.experiment.to_script()
    assert f"from {entry.package} import {name}\n" in script


@pytest.mark.slow
@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_runs_beside_another(name, playground):
    """As second of two it is asked for as many clusters as the first one, where it can be asked."""
    first = "GaussianMixture" if name == "KMeans" else "KMeans"
    at = playground(algorithm=first, beside=name, n="60", n_clusters="4")
    assert not at.exception
    assert not at.error
    result = at.session_state["playground:"].last
    assert list(result.recordings) == [first, name]
    if registry.get(name).clusters:
        assert len(np.unique(result.recordings[name].labels)) == 4
    assert len(at.get("plotly_chart")) == 2
    assert not any("nan" in text.lower() for text in texts(at))


def test_two_baselines_that_take_labels_begin_alike(playground):
    """Kernel k-means and CLUHSIC are shown from the same start; k-means of scikit-learn has its own."""
    at = playground(algorithm="CLUHSIC", beside="KernelKMeans", n="60")
    first, second = at.session_state["playground:"].last.recordings.values()
    assert np.array_equal(first.states[0].labels, second.states[0].labels)


def test_the_number_of_clusters_is_kept_from_one_baseline_to_the_next(playground, settle):
    """Whatever a class calls it, one control and one address hold the number of clusters."""
    at = playground(algorithm="GaussianMixture", n="60", n_clusters="5")
    assert at.session_state["playground:"].last.experiment.parameters["n_components"] == 5
    at.selectbox(key="algorithm").set_value("KMeans")
    assert settle(at).session_state["playground:"].last.experiment.parameters["n_clusters"] == 5
    at.selectbox(key="algorithm").set_value("MeanShift")
    assert settle(at).session_state["playground:"].last.experiment.parameters == {}
    assert not at.exception
    at.selectbox(key="data").set_value("moons")
    settle(at)
    at.selectbox(key="algorithm").set_value("GaussianMixture")
    assert settle(at).session_state["playground:"].last.experiment.parameters["n_components"] == 2
    assert not at.exception


def test_a_bandwidth_is_estimated_or_a_number(playground):
    """The control shows that the bandwidth is estimated; a number in the address takes its place."""
    assert playground(algorithm="MeanShift", n="60").selectbox(key="bandwidth").value == "estimated"
    at = playground(algorithm="MeanShift", n="60", bandwidth="0.9")
    assert at.session_state["playground:"].last.experiment.parameters == {"bandwidth": 0.9}
    assert playground(algorithm="MeanShift", n="60", bandwidth="wide").error


def test_a_warning_of_scikit_learn_is_told(playground):
    """What the fit warns of stands beside the result, and a missing border is explained."""
    at = playground(algorithm="SpectralClustering", data="moons", noise="0.02")
    assert not at.exception
    assert any("not fully connected" in warning.value for warning in at.warning)
    assert any("no border" in caption.value for caption in at.caption)


def test_many_clusters_are_counted(playground):
    """A narrow window makes more clusters than a table can list; the page says how many there are."""
    at = playground(algorithm="BlurringMeanShift", data="noise", n="200", width="0.3")
    assert not at.exception
    k = len(np.unique(at.session_state["playground:"].last.main.labels))
    assert k > 20
    assert len(at.table[0].value) == 20
    assert any(f"{k - 20} further clusters" in caption.value for caption in at.caption)


@pytest.mark.parametrize("name", BASELINES)
def test_script_and_experiment_make_the_same_labels(name, tmp_path, monkeypatch):
    """The script and the JSON of a run give its labels, and its confidence where it has one."""
    entry = registry.get(name)
    parameters = {"random_state": 3} if any(p.name == "random_state" for p in entry.parameters) else {}
    if entry.clusters:
        parameters[entry.clusters.name] = 3
    data = Data("moons", {"n_samples": 80, "noise": 0.1, "random_state": 1}, True)
    experiment = Experiment(data, name, parameters)
    known = _work("key", experiment, None, None, lambda *progress: True, Ticket()).main
    again = Experiment.from_json(experiment.to_json())
    assert again == experiment
    assert json.loads(experiment.to_json())["algorithm"] == name
    labels = _work("key", again, None, None, lambda *progress: True, Ticket()).main.labels
    assert np.array_equal(labels, known.labels)
    monkeypatch.chdir(tmp_path)
    exec(compile(experiment.to_script(), "experiment.py", "exec"), {})
    written = pd.read_csv(tmp_path / "labels.csv")
    assert written["cluster"].tolist() == known.labels.tolist()
    confidence = known.end.confidence()
    assert ("confidence" in written) == (confidence is not None)
    assert confidence is None or np.allclose(written["confidence"], confidence)


def test_the_address_of_a_saved_mixture_opens_it(playground):
    """The number of components goes by the address of the number of clusters."""
    from mmc.ui.data_sidebar import address

    saved = Experiment(Data("iris", {}, True), "GaussianMixture", {"n_components": 4, "random_state": 2})
    query = address(saved)
    assert query["n_clusters"] == "4"
    opened = playground(**query).session_state["playground:"].last.experiment
    assert {name: opened.parameters[name] for name in saved.parameters} == dict(saved.parameters)
