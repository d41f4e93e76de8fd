"""A promise of the documentation: an algorithm is one module and one entry, also from outside the library."""

import importlib.util
import json
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from mmc import cli, engine, registry
from mmc.datasets import load
from mmc.experiment import Data, Experiment
from mmc.figures import make_story
from mmc.selection import select

NAME = "ScratchKMedoids"
SMALL = {"data": "three-gaussians", "n": "60"}


@pytest.fixture
def outside(monkeypatch):
    """Register an algorithm that lies in a folder of its own, and forget it again."""
    path = Path(__file__).parents[1] / "outside" / "kmedoids.py"
    spec = importlib.util.spec_from_file_location("kmedoids", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "kmedoids", module)
    # Other processes import the module by its name, so those of earlier tests, without the path, will not do.
    monkeypatch.syspath_prepend(str(path.parent))
    monkeypatch.setattr(engine, "pool", cache(engine.Pool))
    spec.loader.exec_module(module)
    registry.register(module.ENTRY)
    yield module
    engine.pool().close()
    del registry._entries[NAME]


@pytest.fixture
def expected(outside):
    """Give the labels that the class itself finds."""
    X = load("three-gaussians", n_samples=60, random_state=0).standardized().X
    return outside.ScratchKMedoids(3, random_state=0).fit(X).labels_


def test_a_name_is_taken_once(outside):
    """A second entry of the same name is refused."""
    with pytest.raises(ValueError, match="already"):
        registry.register(outside.ENTRY)


def test_controls_and_player(outside, expected, playground):
    """The playground offers it with its controls, plays its steps, and draws the panel that it names."""
    at = playground(**SMALL, algorithm=NAME)
    assert not at.exception
    assert not at.error
    result = at.session_state["playground:"].last
    np.testing.assert_array_equal(result.main.labels, expected)
    assert at.slider(key="n_init").value == 3
    scenes, figures = result.drawing.scenes, result.drawing.figures
    assert scenes[NAME].rings == "Rings mark the medoids."
    assert len(figures[0].to_dict()["frames"]) == len(result.main.states) > 1
    assert all(len(border) for border in scenes[NAME].borders)
    assert at.button_group(key="look").options == ["Medoid rounds", "Restarts"]
    assert any("begin with k medoids" in line for line in make_story(scenes[NAME], registry.get(NAME)).code)


def test_model_selection_and_tune(outside, model_selection):
    """Its parameter is swept like any other."""
    at = model_selection(**SMALL, algorithm=NAME, candidates="1, 4")
    assert not at.error
    found = at.session_state["model-selection:"].last[0]
    assert [trial.parameters["n_init"] for trial in found.trials] == [1, 4]
    assert not [trial.error for trial in found.trials if trial.error]


def test_compare(outside, expected, compare, monkeypatch):
    """It has a column in a comparison, run in other processes."""
    monkeypatch.setattr(engine, "effective_n_jobs", lambda n_jobs: 2)
    at = compare(sets=["three-gaussians"], points="60", algorithms=[NAME, "KMeans"], repeats="1")
    assert not at.exception
    comparison = at.session_state["compare:"].last
    (trial,) = comparison.done(0, 0)
    assert not trial.error
    np.testing.assert_array_equal(trial.labels, expected)


def test_command_line(outside, expected, tmp_path, capsys):
    """The command line lists it, takes its parameters and sweeps them."""
    assert cli.main(["list"]) == 0
    assert f"{NAME}: Every cluster is one of its points." in capsys.readouterr().out
    data = load("three-gaussians", n_samples=60, random_state=0).standardized()
    table, output = tmp_path / "points.csv", tmp_path / "labels.csv"
    np.savetxt(table, data.X, delimiter=",", header="x,y", comments="", fmt="%.17g")
    arguments = ["cluster", str(table), "-k", "3", "--algorithm", NAME, "--output", str(output)]
    assert cli.main(arguments) == 0
    labels = np.loadtxt(output, delimiter=",", skiprows=1)[:, 2]
    np.testing.assert_array_equal(labels, expected)
    assert cli.main([*arguments, "--sweep", "n_init=1,2"]) == 0


def test_library(outside, expected):
    """A sweep in the library finds it by value, and an experiment of it becomes JSON and a script."""
    X = load("three-gaussians", n_samples=60, random_state=0).standardized().X
    best = select(outside.ScratchKMedoids(3, random_state=0), {"n_init": [3]}, X, score="objective")
    np.testing.assert_array_equal(best.estimator.labels_, expected)
    experiment = Experiment(Data("moons", {"n_samples": 60, "random_state": 0}), NAME, {"n_clusters": 2})
    assert json.loads(experiment.to_json())["algorithm"] == NAME
    assert "from kmedoids import ScratchKMedoids" in experiment.to_script()
