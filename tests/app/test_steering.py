"""What a visitor says about the clusters is kept, on the page, in files and in scripts."""

import io
import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from mmc import clusterers
from mmc.datasets import open_table
from mmc.experiment import Data, Experiment
from mmc.ui import steer_view

#: Four clouds on a square, the groups of a few points of two of them, and a row with a gap.
_RNG = np.random.default_rng(0)
_CLOUD = np.arange(80) % 4
_X = np.column_stack([_CLOUD // 2, _CLOUD % 2]) * 4 + _RNG.normal(0, 0.5, (80, 2))
_FRAME = pd.DataFrame(_X.round(3), columns=["x", "y"]).assign(side="")
_FRAME.loc[[0, 4, 1, 5], "side"] = "*left*"
_FRAME.loc[[2, 6, 3, 7], "side"] = "right"
_FRAME.loc[8, "x"] = np.nan
_CSV = _FRAME.to_csv(index=False).encode()


@pytest.fixture
def offered(monkeypatch):
    """Catch the files that a page offers, by the end of their names."""
    files = {}

    def button(label, data, file_name, mime, **options):
        files[file_name.rpartition("-")[2]] = data

    monkeypatch.setattr("mmc.ui.download_view.st.download_button", button)
    return files


@pytest.fixture
def page(find_clusters, settle):
    """Open the page with the table, two clusters and the switch on; rows with gaps are left out."""
    at = find_clusters(data="table", k="2", steer="true", missing="drop", most="4")
    at.file_uploader(key="upload").set_value(("four clouds.csv", _CSV, "text/csv"))
    return settle(at)


@pytest.fixture
def mark(monkeypatch, settle):
    """Draw around points and press a button."""

    def marked(at, points, button):
        monkeypatch.setattr(steer_view, "_selected", lambda found: np.array(points))
        at.run()
        monkeypatch.setattr(steer_view, "_selected", lambda found: np.empty(0, dtype=np.int64))
        at.button(key=button).click()
        return settle(at)

    return marked


def texts(at):
    """List what the page says."""
    said = (*at.error, *at.warning, *at.caption, *at.markdown, *at.subheader)
    return "\n".join(each.value.replace("\\", "") for each in said)


def labels(offered):
    """Read the labels that the page offers, of all rows but the one with a gap."""
    return pd.read_csv(io.BytesIO(offered["labels.csv"]().encode()))["cluster"].drop(8).to_numpy()


def test_marks_are_kept_and_taken_back(offered, page, mark, settle):
    """Points that are one cluster are, those apart are not, and without marks the answer is as before."""
    before = labels(offered)
    clouds = [np.flatnonzero(h == _CLOUD) for h in range(4)]
    points = [np.searchsorted(np.delete(np.arange(80), 8), np.setdiff1d(rows, [8])) for rows in clouds]
    at = mark(page, [*points[0][:4], *points[3][:4]], "mark_together")
    assert "clusters that keep what you said, found by UMCRLS" in texts(at)
    at = mark(at, points[1][:3], "mark_apart")
    assert "Mark 2: 3 points of one cluster, apart from 1" in texts(at)
    found = pd.Series(labels(offered), np.delete(np.arange(80), 8))
    together = found[[*clouds[0][3:5], *clouds[3][:4]]]
    assert together.nunique() == 1
    assert (found[clouds[1][:3]] != together.iloc[0]).all()
    at.button(key="unmark 1").click()
    settle(at)
    assert "apart from" not in texts(at)
    at.button(key="unmark 0").click()
    settle(at)
    assert "keep what you said" not in texts(at)
    np.testing.assert_array_equal(labels(offered), before)


def test_marks_that_cannot_be_kept_are_explained(page, mark):
    """The message is there, and so are the clusters of before."""
    at = mark(page, np.arange(79), "mark_together")
    assert "must_link leaves 1 group of points" in texts(at)
    assert not at.exception
    assert len(at.get("plotly_chart")) >= 2


def test_known_groups_come_from_a_column(offered, page, settle, root, tmp_path):
    """Groups of a column steer the clusters; the experiment and the script give the same labels."""
    key = next(box.key for box in page.selectbox if (box.key or "").startswith("known_"))
    page.selectbox(key=key).set_value("side")
    at = settle(page)
    assert "keep what you said" in texts(at)
    found = labels(offered)
    rows = np.delete(np.arange(80), 8)
    np.testing.assert_array_equal(found[np.isin(rows, [0, 1, 4, 5])], 0)  # in the order of the alphabet
    np.testing.assert_array_equal(found[np.isin(rows, [2, 3, 6, 7])], 1)
    assert np.mean(found == _CLOUD[rows] // 2) > 0.95
    content = offered["experiment.json"]()
    experiment = Experiment.from_json(content)
    assert json.loads(content)["data"]["hints"] == {"known": "side"}
    dataset = experiment.data.load(open_table(_CSV, name="four clouds.csv"))
    end = clusterers.end(experiment.make(), dataset.X, hints=dataset.hints)
    np.testing.assert_array_equal(end.labels, found)
    (tmp_path / "four clouds.csv").write_bytes(_CSV)
    command = [sys.executable, "-c", offered["experiment.py"]()]
    subprocess.run(command, cwd=tmp_path, check=True, env={**os.environ, "PYTHONPATH": str(root)})
    written = pd.read_csv(tmp_path / "labels.csv")["cluster"].drop(8)
    np.testing.assert_array_equal(written, found)


def test_the_playground_keeps_marks_on_request(page, mark, settle):
    """A run of an algorithm that keeps marks has them; one that does not says so."""
    at = mark(page, [0, 1, 2, 3], "mark_together")
    at.switch_page("pages/1_Playground.py")
    settle(at)
    result = at.session_state["playground:"].last
    assert result.experiment.data.hints == {"together": ((0, 1, 2, 3),)}
    assert len(set(result.main.labels[:4])) == 1
    at.toggle(key="keep_marks").set_value(False)
    settle(at)
    assert not at.session_state["playground:"].last.experiment.data.hints


def test_a_picture_is_coloured_by_a_column(page, settle):
    """Numbers have a scale, and words a colour each; marks of Markdown are not rendered."""
    for column in ("x", "side"):
        page.selectbox(key="color").set_value(column)
        at = settle(page)
        assert not at.exception
        assert not at.error


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        ({"knwon": "side"}, "did you mean 'known'?"),
        ({"together": [[1, "a"]]}, "give a list of lists of row numbers"),
        ({"together": [[0, 99]]}, "together names the row 99, and the rows are 0 to 79"),
        ({"apart": [[0, 1]]}, "apart names the groups [0, 1], and together has 0"),
        ({"known": "nobody"}, "has no column 'nobody'"),
        ({"known": "y"}, "every row has a known group in the column 'y'"),
        ({"weights": "side"}, "the weights in the column 'side' must be numbers above 0"),
    ],
)
def test_hints_of_a_file_are_checked(hints, message):
    """Messages name the field and what would be right."""
    data = Data("table", {"missing": "drop"}, True, "four clouds.csv", hints=hints)
    with pytest.raises(ValueError, match=re.escape(message)):
        data.load(open_table(_CSV))
