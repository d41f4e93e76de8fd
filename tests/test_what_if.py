"""Questions make other data that differ in one respect, and can be told from the data they make."""

import json

import numpy as np
import pytest

from mmc import registry, work
from mmc.experiment import Data, Experiment
from mmc.what_if import KINDS, Question, asked, kinds, question_of

MOONS = Data("moons", {"n_samples": 60, "noise": 0.1, "random_state": 1}, True)
IRIS = Data("iris", {}, True)


def answered(data, question, name="UMCRLS", **parameters):
    """Run an algorithm on data as they are and on changed ones."""
    change = work.Change(asked(data, question), question.title, question.keeps_rows)
    entry = registry.get(name)
    if entry.clusters is not None:
        parameters = {entry.clusters.name: 2, **parameters}
    if any(p.name == "random_state" for p in entry.parameters):
        parameters = {"random_state": 0, **parameters}
    task = work.Run(
        data,
        {name: entry.make(parameters)},
        {name: entry.objective},
        (registry.bound(name, parameters),),
        same_start=any(p.name == "init" for p in entry.parameters),
        change=change,
    )
    return work.run(None, task, lambda part: True)


def test_options_of_a_toy_set_change_where_it_has_them():
    """Noise and class sizes are options; a table, which has none, is shaken or thinned."""
    assert kinds(MOONS) == ("move", "noise", "imbalance")
    for source in ("iris", "drawn", "noise", "table"):
        assert kinds(Data(source)) == ("move", "jitter", "thin")
    assert asked(MOONS, Question("noise")).options["noise"] == 0.2
    assert asked(Data("moons"), Question("noise")).options["noise"] > 0
    assert asked(Data("moons", {"noise": 0.0}), Question("noise")).options["noise"] > 0
    assert asked(MOONS, Question("imbalance")).options["imbalance"] == 0.6
    assert asked(Data("moons", {"imbalance": 0.5}), Question("imbalance")).options["imbalance"] == 0.9
    with pytest.raises(ValueError, match="'jitter' cannot be asked of moons"):
        asked(MOONS, Question("jitter"))


@pytest.mark.parametrize("kind", KINDS)
def test_changed_data_are_others(kind):
    """Every kind of question changes the points of some data, and only as many as it says."""
    data = MOONS if kind in kinds(MOONS) else IRIS
    question = Question(kind, 3)
    before, after = data.load(), asked(data, question).load()
    if question.keeps_rows:
        differ = np.flatnonzero((before.X[after.rows] != after.X).any(axis=1))
        wanted = {"move": 1, "noise": 60, "jitter": 150, "thin": 0}[kind]
        assert len(differ) == wanted
        assert len(after.X) == (117 if kind == "thin" else len(before.X))
    else:
        assert np.ptp(np.bincount(after.y)) > np.ptp(np.bincount(before.y))


@pytest.mark.parametrize("question", [Question("move", 4, (1.0, -2.0)), Question("jitter"), Question("thin")])
def test_a_question_is_told_from_its_data(question):
    """The experiment of changed data says what was asked."""
    assert question_of(asked(IRIS, question))[:2] == question[:2]
    with pytest.raises(ValueError, match="none of the questions"):
        question_of(Data("iris", change={"jitter": 0.1}))


def test_a_group_is_thinned_only_if_groups_are_known():
    """The first group of the reference labels, otherwise all points."""
    assert asked(IRIS, Question("thin")).change == {"thin": 0}
    assert asked(Data("noise"), Question("thin")).change == {"thin": -1}
    assert asked(Data("drawn"), Question("thin")).change == {"thin": 0}
    assert asked(Data("drawn", {"points": "AAAAgAAB"}), Question("thin")).change == {"thin": -1}
    assert asked(Data("table", {"label": "kind"}), Question("thin")).change == {"thin": 0}


@pytest.mark.parametrize("kind", ["move", "jitter", "thin"])
def test_changed_data_are_an_experiment(kind):
    """JSON holds the change and gives the same data; without one it is written as ever."""
    experiment = Experiment(asked(IRIS, Question(kind)), "KMeans", {"n_clusters": 3, "random_state": 0})
    again = Experiment.from_json(experiment.to_json())
    np.testing.assert_array_equal(again.data.load().X, experiment.data.load().X)
    assert ".changed(" in again.to_script()
    plain = Experiment(IRIS, "KMeans", {"n_clusters": 3})
    assert "change" not in json.loads(plain.to_json())["data"]
    wrong = experiment.to_json().replace('"change": {', '"change": {"speed": 1, ')
    with pytest.raises(ValueError, match="no change 'speed'"):
        Experiment.from_json(wrong)


@pytest.mark.parametrize("question", [Question("move", 5), Question("noise")])
def test_both_runs_begin_with_the_same_labels(question):
    """Rows correspond, and so do the starts."""
    ran = answered(MOONS, question)
    first = ran.recordings["UMCRLS"]
    np.testing.assert_array_equal(first.states[0].labels, ran.changed.recording.states[0].labels)
    np.testing.assert_array_equal(ran.changed.rows, np.arange(60))
    assert list(ran.drawing.scenes) == [work.AS_IT_IS, question.title]
    both = [scene.view.frame for scene in ran.drawing.scenes.values()]
    assert both[0] == both[1]


def test_points_that_stay_keep_their_start():
    """Of a thinned group every third point begins with the label that it had."""
    ran = answered(IRIS, Question("thin"))
    start = ran.recordings["UMCRLS"].states[0].labels
    assert len(ran.changed.rows) == 117
    np.testing.assert_array_equal(ran.changed.recording.states[0].labels, start[ran.changed.rows])


def test_the_first_run_is_that_without_a_question():
    """What is asked does not change the data as they are."""
    alone = work.Run(
        MOONS,
        {"UMCRLS": registry.get("UMCRLS").make({"n_clusters": 2, "random_state": 0})},
        {"UMCRLS": "Q"},
        (),
    )
    ran = answered(MOONS, Question("noise"))
    wanted = work.run(None, alone, lambda part: True).recordings["UMCRLS"]
    np.testing.assert_array_equal(ran.recordings["UMCRLS"].labels, wanted.labels)


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.ALGORITHMS)
def test_every_algorithm_can_be_asked(name):
    """Each runs on data of which a point was moved, and is drawn beside."""
    data = Data("moons", {"n_samples": 40, "random_state": 0}, True)
    ran = answered(data, Question("move", 3), name)
    assert len(ran.drawing.figures) == 2
    assert len(ran.changed.recording.labels) == 40
