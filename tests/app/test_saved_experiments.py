"""Opening a saved experiment on the home page: the same run, or a message."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mmc.experiment import Experiment

_SAVED = {
    "mmc": 1,
    "data": {
        "source": "moons",
        "options": {"n_samples": 60, "noise": 0.08, "random_state": 3, "imbalance": 0.5},
        "standardize": False,
    },
    "algorithm": "UMCRLS",
    "parameters": {
        "n_clusters": 4,
        "kernel": "rbf",
        "alpha": 0.3,
        "gamma": 0.7,
        "cluster_sizes": [3, 2, 1, 1],
        "refine": False,
        "n_shakes": 3,
        "random_state": 4,
    },
}


@pytest.fixture
def open_file(root, settle):
    """Open a file as a saved experiment."""

    def opened(content: bytes):
        at = AppTest.from_file(root / "app.py", default_timeout=600).run()
        at.file_uploader(key="experiment_file").set_value(("e.json", content, "application/json"))
        return settle(at)

    return opened


def changed(part: str, name: str, value: object) -> bytes:
    """Write the experiment with one value changed."""
    content = json.loads(json.dumps(_SAVED))
    node = content
    for step in part.split("/") if part else []:
        node = node[step]
    node[name] = value
    return json.dumps(content).encode()


def test_a_saved_experiment_is_repeated(open_file):
    """Every part of the file reaches the run, and the labels are those of the experiment."""
    at = open_file(json.dumps(_SAVED).encode())
    assert not at.exception
    assert not at.error
    result = at.session_state["playground:"].last
    saved = Experiment.from_json(json.dumps(_SAVED))
    assert result.experiment.data == saved.data
    assert {name: result.experiment.parameters[name] for name in saved.parameters} == saved.parameters
    assert np.array_equal(result.main.labels, saved.make().fit(saved.data.load().X).labels_)


def test_an_exported_experiment_is_repeated(playground, open_file):
    """What the page saved opens on another visit as the very same experiment."""
    first = (
        playground(data="digits", classes=["3", "8"], n_init="2", width="3").session_state["playground:"].last
    )
    at = open_file(first.experiment.to_json().encode())
    assert not at.exception
    assert not at.error
    assert at.session_state["playground:"].last.experiment == first.experiment
    assert np.array_equal(at.session_state["playground:"].last.main.labels, first.main.labels)


_WRONG = {
    "not JSON": b"{",
    "binary": b"\xff\xfe\x00\x01",
    "a list": b"[1, 2]",
    "unknown data": changed("data", "source", "nonsense"),
    "unknown algorithm": changed("", "algorithm", "nonsense"),
    "unknown parameter": changed("parameters", "speed", 1),
    "unknown option": changed("data/options", "speed", 1),
    "k beyond the control": changed("parameters", "n_clusters", 50),
    "k not whole": changed("parameters", "n_clusters", 2.5),
    "seed beyond the control": changed("parameters", "random_state", 123456),
    "alpha a word": changed("parameters", "alpha", "much"),
    "alpha not a number": changed("parameters", "alpha", float("nan")),
    "refine a word": changed("parameters", "refine", "maybe"),
    "sizes a number": changed("parameters", "cluster_sizes", 3),
    "points beyond the control": changed("data/options", "n_samples", 5001),
    "noise beyond the control": changed("data/options", "noise", 7.0),
    "noise a word": changed("data/options", "noise", "loud"),
    "kernel unknown": changed("parameters", "kernel", "nonsense"),
}


@pytest.mark.slow
@pytest.mark.parametrize("content", _WRONG.values(), ids=_WRONG)
def test_what_cannot_be_repeated_is_said(content, open_file):
    """An experiment runs with its own values or a message says why not; nothing changes in silence."""
    at = open_file(content)
    assert not at.exception
    if at.error:
        assert "codec" not in at.error[0].value
        assert at.error[0].value
        assert "playground:" not in at.session_state or at.session_state["playground:"].last is None
    else:
        wanted = json.loads(content)
        experiment = at.session_state["playground:"].last.experiment
        assert experiment.data.source == wanted["data"]["source"]
        assert experiment.data.options == wanted["data"]["options"]
        used = {name: experiment.parameters[name] for name in wanted["parameters"]}
        assert used == wanted["parameters"]
