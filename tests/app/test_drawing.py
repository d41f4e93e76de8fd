"""Drawn points on the pages: in the address, in files, from a toy set, and questions to the data."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mmc import work
from mmc.datasets import CATALOG, example_drawn, load, pack_drawn, unpack_drawn
from mmc.experiment import Data, Experiment
from mmc.ui.drawn_points import MOST_IN_ADDRESS, drawing_address
from mmc.ui.picture_view import picture_words
from mmc.ui.player_view import told

_FEW = pack_drawn([[100, 100], [120, 90], [130, 120], [800, 900], [820, 880], [790, 910]], [1, 1, 1, 2, 2, 2])


def many(n: int) -> str:
    """Write a drawing of many points in two clouds."""
    rng = np.random.default_rng(0)
    groups = np.arange(n) % 2 + 1
    places = np.clip(rng.normal(scale=60, size=(n, 2)) + 400 * groups[:, None], 0, 1023)
    return pack_drawn(places.astype(int), groups)


def last(at: AppTest):
    """Return the last run of the playground."""
    assert not at.exception
    return at.session_state["playground:"].last


def asked(at: AppTest, name: str) -> str:
    """Return a value of the address."""
    value = at.query_params[name]
    return value if isinstance(value, str) else "".join(value)


@pytest.fixture
def open_file(root, settle):
    """Open a file as a saved experiment."""

    def opened(content: str):
        at = AppTest.from_file(root / "app.py", default_timeout=600).run()
        at.file_uploader(key="experiment_file").set_value(("e.json", content.encode(), "application/json"))
        return settle(at)

    return opened


def test_the_first_sight_of_drawn_points_is_a_result(playground):
    """Two arcs are there, clustered, and the canvas is folded behind a button."""
    at = playground(data="drawn")
    assert not at.error
    assert last(at).dataset.n_samples == 72
    assert "drawing" not in at.query_params
    assert at.button(key="draw").label == "Draw"


def test_the_address_holds_the_points(playground, settle, root, tmp_path):
    """They are run, stay in the address, and the script of the page gives the same labels."""
    at = playground(data="drawn", drawing=_FEW)
    assert not at.error
    assert not at.warning
    run = last(at)
    assert run.experiment.data.options == {"points": _FEW}
    assert run.main.labels[:3].tolist() == [run.main.labels[0]] * 3
    assert len(set(run.main.labels)) == 2
    at.slider(key="n_clusters").set_value(3)
    settle(at)
    assert asked(at, "drawing") == _FEW
    assert last(at).experiment.data == run.experiment.data
    (tmp_path / "script.py").write_text(run.experiment.to_script(), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(root)}
    command = [sys.executable, "script.py"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, env=environment)
    labels = pd.read_csv(tmp_path / "labels.csv")["cluster"]
    assert labels.tolist() == run.main.labels.tolist()


def test_other_data_leave_no_points_in_the_address(playground, settle):
    """The drawing is kept for the way back."""
    at = playground(data="drawn", drawing=_FEW)
    at.selectbox(key="data").set_value("moons")
    settle(at)
    assert "drawing" not in at.query_params
    at.selectbox(key="data").set_value("drawn")
    settle(at)
    assert last(at).experiment.data.options == {"points": _FEW}
    assert asked(at, "drawing") == _FEW


@pytest.mark.parametrize("text", ["AAAA", "nonsense!", "", "AAAA" * 2001])
def test_an_address_without_points_is_refused_in_words(text, playground):
    """The message says what is wrong, and the canvas is open, so that one can draw."""
    at = playground(data="drawn", drawing=text)
    assert not at.exception
    assert any("draw" in error.value for error in at.error), [error.value for error in at.error]
    assert at.button(key="draw").disabled


def test_points_that_the_address_does_not_hold_travel_in_the_file(open_file, playground):
    """The home page brings them back; the link alone says that it does not hold them, with an example."""
    text = many(MOST_IN_ADDRESS + 50)
    experiment = Experiment(Data("drawn", {"points": text}, True), "KMeans", {"n_clusters": 2})
    at = open_file(experiment.to_json())
    assert not at.error
    assert last(at).experiment.data.options == {"points": text}
    name = asked(at, "drawing")
    assert name == drawing_address(text)
    assert len(name) < 20
    other = playground(data="drawn", drawing=name)
    assert any("does not hold its points" in warning.value.replace("\\", "") for warning in other.warning)
    assert last(other).dataset.n_samples == 72


def test_short_drawings_are_in_the_address_of_a_file(open_file):
    """What is opened has a link of its own."""
    text = many(MOST_IN_ADDRESS)
    at = open_file(Experiment(Data("drawn", {"points": text}, True), "KMeans", {"n_clusters": 2}).to_json())
    assert asked(at, "drawing") == text
    assert last(at).experiment.data.options == {"points": text}


def test_a_toy_set_is_taken_onto_the_canvas(playground, settle):
    """The points of the set become a drawing with its groups, and the number of clusters stays."""
    at = playground(data="three-gaussians", n="90", seed="4")
    at.button(key="draw_on").click()
    settle(at)
    run = last(at)
    assert run.experiment.data.source == "drawn"
    toy = load("three-gaussians", n_samples=90, random_state=4)
    np.testing.assert_array_equal(run.dataset.y, toy.y)
    assert run.experiment.parameters["n_clusters"] == 3
    assert at.button(key="draw").label == "Done"
    text = asked(at, "drawing")
    assert len(unpack_drawn(text).places) == 90
    at.button(key="draw").click()
    settle(at)
    assert at.button(key="draw").label == "Draw"
    assert last(at).experiment == run.experiment


def test_a_question_runs_the_changed_data_beside(playground):
    """Two players, a sentence, and a link that opens the changed data alone."""
    at = playground(data="moons", n="60", what="noise")
    run = last(at)
    assert len(at.get("plotly_chart")) == 2
    assert run.changed.data.options["noise"] == 2 * CATALOG["moons"].noise_default
    sentences = [text.value.replace("\\", "") for text in at.markdown]
    assert any("Twice the noise:" in s and "adjusted Rand index" in s for s in sentences)
    assert at.selectbox(key="beside").disabled
    (link,) = at.get("link_button")
    assert "noise=0.1" in link.proto.url
    assert "what" not in link.proto.url


def test_a_point_is_moved_by_the_controls_and_by_a_selection(playground, settle):
    """Its row and offsets are in the address; a row that is named can be taken from below the picture."""
    at = playground(data="drawn", what="move", what_point="20", what_across="1.5", what_upwards="-3")
    assert last(at).changed.data.change == {"move": 20, "by": [1.5, -3.0]}
    assert any("Point 20 has a ring in every step." in text.value for text in at.caption)
    at = playground(data="iris")
    at.text_input(key="rows").set_value("7")
    settle(at)
    next(b for b in at.button if b.label == "What if this point were elsewhere?").click()
    settle(at)
    assert last(at).changed.data.change == {"move": 7, "by": [2.0]}
    assert asked(at, "what") == "move"


@pytest.mark.parametrize("source", ["iris", "drawn"])
def test_changed_data_are_a_file_that_opens_with_their_question(source, playground, open_file):
    """The JSON of the changed data asks the same question again."""
    at = playground(data=source, what="thin")
    run = last(at)
    changed = Experiment(run.changed.data, run.experiment.algorithm, run.experiment.parameters)
    again = open_file(changed.to_json())
    assert not again.error
    assert last(again).changed.data == run.changed.data
    np.testing.assert_array_equal(last(again).changed.recording.labels, run.changed.recording.labels)


def test_a_change_that_no_question_makes_is_refused(open_file):
    """The message names the command line."""
    for change in ({"jitter": 0.25}, {"move": 1, "by": [50.0]}):
        experiment = Experiment(Data("iris", {}, True, change=change), "KMeans", {"n_clusters": 3})
        at = open_file(experiment.to_json())
        assert "python -m mmc run" in at.error[0].value.replace("\\", "")


def test_a_question_that_the_data_do_not_allow_is_not_asked(playground):
    """Iris has no noise to double."""
    at = playground(data="iris", what="noise")
    assert last(at).changed is None
    assert any("what=noise" in warning.value.replace("\\", "") for warning in at.warning)


@pytest.mark.parametrize(
    "address",
    [
        {"what_point": "inf"},
        {"what_point": "-3"},
        {"what_across": "nan"},
        {"what_across": "1e999", "what_upwards": "much"},
        {"what": "everything"},
    ],
)
def test_a_hostile_address_breaks_nothing(address, playground):
    """Values that no control takes are named, or cleared, and the page shows a run."""
    at = playground(data="drawn", **{"what": "move", **address})
    assert not at.error
    assert last(at).dataset.n_samples == 72


def test_both_pictures_are_taken_home(playground):
    """The animation as a page and a still hold both runs, and say what was changed."""
    at = playground(data="moons", n="40", what="imbalance")
    run = last(at)
    scenes, words = run.drawing.scenes, picture_words(run)
    assert "unequal classes" in words.title
    task = (scenes, "Q", words.title, words.details, told(run, run.drawing))
    page = work.write_html(task, None, lambda part: True)
    assert page.count("Unequal classes") >= 1
    still = work.write_still(scenes, ("svg", words, 0), lambda part: True)
    assert b"As it is" in still
    assert b"Unequal classes" in still


def test_other_pages_take_the_drawing(model_selection, find_clusters):
    """A search of parameters and a search for clusters run on drawn points."""
    at = model_selection(data="drawn", drawing=many(40), candidates="3, 4")
    assert not at.exception
    assert not at.error
    assert at.session_state["model-selection:"].last[0].search.experiment.data.options == {"points": many(40)}
    at = find_clusters(data="drawn", drawing=many(40), most="3")
    assert not at.exception
    assert not at.error
    assert asked(at, "drawing") == many(40)


def test_a_point_that_is_not_there_is_said(playground):
    """The message names the points there are."""
    at = playground(data="drawn", drawing=_FEW, what="move", what_point="6")
    assert "the points are 0 to 5" in at.error[0].value.replace("\\", "")


def test_drawn_points_run_from_the_command_line(root, tmp_path):
    """The experiment of a drawing is a file like any other."""
    experiment = Experiment(
        Data("drawn", {"points": example_drawn()}, True), "UMCRLS", {"n_clusters": 2, "random_state": 0}
    )
    (tmp_path / "e.json").write_text(experiment.to_json(), encoding="utf-8")
    command = [sys.executable, "-m", "mmc", "run", str(tmp_path / "e.json"), "-o", str(tmp_path / "l.csv")]
    subprocess.run(command, check=True, capture_output=True, cwd=root)
    labels = pd.read_csv(tmp_path / "l.csv")["cluster"]
    assert labels.tolist() == experiment.make().fit(experiment.data.load().X).labels_.tolist()
    assert json.loads(experiment.to_json())["data"]["options"]["points"] == example_drawn()
