"""What a person takes home makes the same labels again."""

import io
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mmc import load_model, registry, work
from mmc.datasets import open_table
from mmc.engine import Ticket
from mmc.experiment import Data, Experiment
from mmc.figures import animation_html, make_scene, make_view
from mmc.ui.export_view import export_buttons
from mmc.ui.picture_view import picture_controls
from mmc.ui.run_job import Outcome, _work
from mmc.ui.sweep_job import Search
from mmc.ui.sweep_job import _work as search_work
from mmc.work import Upload

_TABLE = "näme; 1.csv"
_CONTENT = (
    "id,größe,b\n"
    + "\n".join(f"r{i},{i % 3 * 10 + (i * 7 % 11) / 9},{i % 2 * 5 + i / 40}" for i in range(40))
).encode()

_EXPERIMENTS = {
    "toy": (
        Experiment(
            Data("moons", {"n_samples": 60, "noise": 0.1, "random_state": 3}, True),
            "UMCRLS",
            {"n_clusters": 2, "alpha": 0.25, "width": 1.5, "cluster_sizes": [2.0, 1.0], "random_state": 4},
        ),
        None,
    ),
    "table": (
        Experiment(
            Data(
                "table",
                {"columns": ["größe", "b"], "label": None, "missing": "error"},
                True,
                _TABLE,
                open_table(_CONTENT).sha256,
            ),
            "StocRLS",
            {"n_clusters": 3, "kernel": "poly", "degree": 2, "n_init": 3, "random_state": 1},
        ),
        _CONTENT,
    ),
}


def outcome(experiment: Experiment, content: bytes | None, beside: str | None = None) -> Outcome:
    """Run an experiment as the page does."""
    return _work("key", experiment, opened(content), beside, lambda *progress: True, Ticket())


def opened(content: bytes | None) -> Upload | None:
    """Read a table as the page does when it is loaded."""
    return None if content is None else work.read(content, _TABLE, lambda part: True)


def python(root, folder, *arguments: str) -> str:
    """Run Python in a folder and give what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("experiment", "content"), _EXPERIMENTS.values(), ids=_EXPERIMENTS)
def test_the_script_makes_the_same_labels(experiment, content, root, tmp_path):
    """The script, run elsewhere beside the table, writes labels.csv with the labels of the page."""
    known = outcome(experiment, content)
    (tmp_path / "experiment.py").write_text(experiment.to_script(), encoding="utf-8")
    if content is not None:
        (tmp_path / _TABLE).write_bytes(content)
    printed = python(root, tmp_path, "experiment.py")
    written = pd.read_csv(tmp_path / "labels.csv")
    assert written["cluster"].tolist() == known.main.labels.tolist()
    assert np.allclose(written["confidence"], known.main.estimator.state_.confidence())
    assert f"{known.main.estimator.objective_:.6g}" in printed


@pytest.mark.parametrize(("experiment", "content"), _EXPERIMENTS.values(), ids=_EXPERIMENTS)
def test_the_saved_experiment_makes_the_same_labels(experiment, content):
    """An experiment read from its own JSON is equal to it and clusters alike."""
    again = Experiment.from_json(experiment.to_json())
    assert again == experiment
    assert np.array_equal(outcome(again, content).main.labels, outcome(experiment, content).main.labels)


@pytest.mark.slow
@pytest.mark.parametrize(("experiment", "content"), _EXPERIMENTS.values(), ids=_EXPERIMENTS)
def test_the_command_line_makes_the_same_labels(experiment, content, root, tmp_path):
    """The command run repeats a saved experiment to the label."""
    (tmp_path / "experiment.json").write_text(experiment.to_json(), encoding="utf-8")
    table = []
    if content is not None:
        (tmp_path / _TABLE).write_bytes(content)
        table = ["--table", _TABLE]
    printed = python(root, tmp_path, "-m", "mmc", "run", "experiment.json", *table)
    known = outcome(experiment, content)
    assert pd.read_csv(io.StringIO(printed))["cluster"].tolist() == known.main.labels.tolist()


def test_what_the_page_shows_is_what_it_exports(playground):
    """The experiment that a visited address describes makes the labels that the page shows."""
    shown = playground(data="rings", n="60", seed="2", alpha="0.25", random_state="9")
    result = shown.session_state["playground:"].last
    again = Experiment.from_json(result.experiment.to_json())
    assert np.array_equal(outcome(again, None).main.labels, result.main.labels)


@pytest.fixture
def offered(monkeypatch):
    """Catch the files that the buttons offer, made as if each had been asked for."""
    files = {}

    def button(label, data, file_name, mime, **options):
        files[file_name] = data()

    monkeypatch.setattr("mmc.ui.export_view.st.download_button", button)
    return files


def test_the_buttons_offer_five_files(offered):
    """Labels, experiment, script, model and animation are named after the table and made when asked for."""
    experiment, content = _EXPERIMENTS["table"]
    known = outcome(experiment, content)
    export_buttons(known)
    endings = ("labels.csv", "experiment.json", "experiment.py", "model.mmc", "animation.html")
    assert list(offered) == [f"näme; 1-{ending}" for ending in endings]
    table = pd.read_csv(io.StringIO(offered["näme; 1-labels.csv"]))
    assert list(table.columns) == ["id", "größe", "b", "cluster", "confidence"]
    assert table["id"].tolist() == [f"r{i}" for i in range(40)]
    assert table["cluster"].tolist() == known.main.labels.tolist()
    assert Experiment.from_json(offered["näme; 1-experiment.json"]) == experiment
    assert "(StocRLS) on näme; 1.csv" in offered["näme; 1-animation.html"]


def test_the_model_labels_the_table(offered):
    """The model that is taken home gives the rows of the table the labels of the page."""
    experiment, content = _EXPERIMENTS["table"]
    known = outcome(experiment, content)
    export_buttons(known)
    saved = load_model(offered["näme; 1-model.mmc"])
    assert saved.columns == ("größe", "b")
    labels = saved.label(open_table(content, name=_TABLE)).labels
    assert labels.tolist() == known.main.labels.tolist()


@pytest.mark.parametrize(
    ("algorithm", "stopped", "reason"),
    [("SpectralClustering", "", "it has no predict"), ("KMeans", "cancelled", "the run was stopped")],
)
def test_without_a_model_the_page_says_why(algorithm, stopped, reason, offered, monkeypatch):
    """An algorithm that cannot predict, and a run that was stopped, have no model to take home."""
    said = []
    monkeypatch.setattr("mmc.ui.export_view.st.caption", said.append)
    known = outcome(Experiment(Data("moons", {"n_samples": 40}, True), algorithm, {"n_clusters": 2}), None)
    export_buttons(replace(known, stopped=stopped))
    assert not any(name.endswith(".mmc") for name in offered)
    assert reason in said[0].replace("\\", "")


def test_pictures_and_films_are_offered(offered):
    """The four files begin as their formats do, and the picture names data, parameters and the last step."""
    experiment, content = _EXPERIMENTS["table"]
    known = outcome(experiment, content)
    picture_controls("table", known, known.drawing)
    last = len(known.main.states) - 1
    pictures = (f"frame-{last}.png", f"frame-{last}.svg", "film.gif", "film.mp4")
    assert list(offered) == [f"table-{ending}" for ending in pictures]
    begins = (b"\x89PNG", b"<svg", b"GIF89a")
    for ending, begin in zip(pictures, begins, strict=False):
        assert offered[f"table-{ending}"].startswith(begin)
    assert offered["table-film.mp4"][4:8] == b"ftyp"
    svg = offered[f"table-frame-{last}.svg"].decode()
    assert "on näme; 1.csv</text>" in svg
    assert "Degree 2" in svg
    assert known.main.states[-1].caption.split()[0] in svg


def test_the_picture_is_of_the_chosen_frame(offered, monkeypatch):
    """The number of the control is the frame of the picture."""
    monkeypatch.setattr("mmc.ui.picture_view.st.number_input", lambda *args, **options: 1)
    known = outcome(_EXPERIMENTS["toy"][0], None)
    picture_controls("moons", known, known.drawing)
    svg = offered["moons-frame-1.svg"].decode()
    assert f">1 of {len(known.main.states) - 1} · " in svg
    assert "60 points, noise 0.1, seed 3, standardised" in svg


def test_without_ffmpeg_the_page_says_how_to_install_it(offered, monkeypatch):
    """There is no button for MP4 then, and the command is shown."""
    said = []
    monkeypatch.setattr("mmc.ui.picture_view.can_write_mp4", lambda: False)
    monkeypatch.setattr("mmc.ui.picture_view.st.code", lambda text, **options: said.append(text))
    known = outcome(_EXPERIMENTS["toy"][0], None)
    picture_controls("moons", known, known.drawing)
    assert not any(name.endswith("mp4") for name in offered)
    assert said == ['pip install "mmc[video]"']


def test_the_animation_shows_the_chosen_columns(offered):
    """With two columns chosen for the picture, the exported animation has their names on its axes."""
    known = outcome(Experiment(Data("iris", {}, True), "StocRLS", {"n_clusters": 3, "n_init": 1}), None)
    names = known.dataset.feature_names
    export_buttons(known, (3, 1))
    page = offered["iris-animation.html"]
    assert names[3] in page
    assert names[1] in page
    assert names[0] not in page


def test_a_search_adds_its_curve(offered):
    """With the search that led to the outcome its curve is offered too, with every value of the table."""
    experiment, content = _EXPERIMENTS["table"]
    known = outcome(experiment, content)
    task = Search(
        replace(experiment, algorithm="SMIC", parameters={"n_clusters": 2}),
        {"n_neighbors": (0, 2, 5)},
        "lsmi",
    )
    found = search_work("key", task, opened(content), None, lambda *progress: True, Ticket())
    export_buttons(known, found=found)
    assert list(offered)[1] == "näme; 1-scores.csv"
    assert len(offered) == 6
    written = pd.read_csv(io.StringIO(offered["näme; 1-scores.csv"]))
    assert list(written.columns) == ["n_neighbors", "lsmi", "objective", "clusters", "seconds", "error"]
    assert written["n_neighbors"].tolist() == [0, 2, 5]
    assert np.allclose(written["lsmi"], [t.score for t in found.trials], equal_nan=True)
    assert written["error"].notna().tolist() == [True, False, False]


def test_names_of_the_data_cannot_break_out_of_the_animation():
    """Whatever the data are called, the page holds Plotly once and no tag that is not its own."""
    nasty = "</script><b>&"
    experiment, _ = _EXPERIMENTS["toy"]
    known = outcome(experiment, None, "SteepRLS")
    dataset = replace(experiment.data.load(), name=nasty, feature_names=(nasty, "<img src=x>"))
    view = make_view(dataset.X, dataset.feature_names)
    scenes = {name: make_scene(recording, view) for name, recording in known.recordings.items()}
    captions = [nasty, *scenes["UMCRLS"].captions[1:]]
    scenes["UMCRLS"] = replace(scenes["UMCRLS"], captions=captions)
    page = animation_html(scenes, registry.get("UMCRLS").objective, f"UMCRLS on {nasty}")
    clean = animation_html(
        {name: make_scene(r, make_view(dataset.X, ("x1", "x2"))) for name, r in known.recordings.items()},
        "Q",
        "UMCRLS on moons",
    )
    assert page.count("plotly.js v") == clean.count("plotly.js v") == 1
    assert "</script><b>" not in page
    assert "<img src=x>" not in page
    assert page.lower().count("</script") == clean.lower().count("</script")
    assert page.count('id="chart-') == 2
