"""A model that was taken home labels another file on the page that finds clusters."""

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from mmc import load_model, work
from mmc.datasets import load, open_table
from mmc.experiment import Data, Experiment
from mmc.model_file import model_bytes


@pytest.fixture(scope="module")
def frame():
    """Give a table of three clouds."""
    X = load("three-gaussians", n_samples=60, random_state=0).X
    return pd.DataFrame({"name": [f"*p{i}*" for i in range(60)], "height": X[:, 0], "weight": X[:, 1]})


@pytest.fixture(scope="module")
def saved(frame):
    """Give a fitted model and the content of its file."""
    dataset = open_table(frame.to_csv(index=False).encode(), name="t.csv").dataset(standardize=True)
    model = KMeans(3, n_init=2, random_state=0)
    model.fit(dataset.X)
    return model, model_bytes(model, dataset.X, columns=dataset.feature_names, scaling=dataset.scaling)


@pytest.fixture
def labelled(find_clusters, settle, monkeypatch):
    """Load a model and a table on the page, and give the page and the file that it offers."""

    def run(model, table, name="new rows.csv"):
        files = {}
        at = find_clusters(data="four-gaussians", n="60", n_clusters="4")

        def button(label, data, file_name, mime, **options):
            files[file_name] = data

        monkeypatch.setattr("mmc.ui.download_view.st.download_button", button)
        at.file_uploader(key="model_file").set_value(("m.mmc", model, "application/zip"))
        at.file_uploader(key="rows_file").set_value((name, table, "text/csv"))
        settle(at)
        return at, files

    return run


def texts(at):
    """List what the page says."""
    said = (*at.error, *at.warning, *at.caption, *at.markdown)
    return "\n".join(each.value.replace("\\", "") for each in said)


def test_rows_get_the_labels_of_the_model(frame, saved, labelled):
    """Whatever the order of the columns; a far row and an unused column are told, a gap has no label."""
    model, content = saved
    new = frame[["weight", "name", "height"]].iloc[:30].copy()
    new.loc[0, "height"] = 1e4
    new.loc[1, "height"] = np.nan
    at, files = labelled(content, new.to_csv(index=False).encode())
    written = pd.read_csv(io.BytesIO(files["new rows-labelled.csv"]()))
    assert written["cluster"][2:].tolist() == model.labels_[2:30].tolist()
    assert np.isnan(written["cluster"][1])
    assert written["far"].tolist()[0] in (True, "True")
    said = texts(at)
    assert "Columns that the model does not use: 'name'." in said
    assert "1 row of 30 left out because of missing or infinite values." in said
    assert "1 of 29 rows is far" in said
    assert "29 rows have labels" in said


def test_a_file_that_is_no_model_is_refused(frame, labelled):
    """The page shows the message and goes on."""
    at, files = labelled(b"PK\x03\x04 nothing", frame.to_csv(index=False).encode())
    assert "is not a whole model file of mmc" in texts(at)
    assert "new rows-labelled.csv" not in files


def test_names_of_a_table_are_shown_as_they_are(frame, saved, labelled):
    """A column of a file is neither Markdown nor HTML in a message."""
    nasty = frame.rename(columns={"height": "**height** <b>"})
    at, _ = labelled(saved[1], nasty.to_csv(index=False).encode())
    (error,) = [each.value for each in at.error]
    assert r"\*\*height\*\* \<b\>" in error
    assert "no column" in error


def test_another_model_needs_the_table_again(frame, saved, labelled, settle):
    """The content of a table is dropped when it is labelled, and the page says so."""
    at, _ = labelled(saved[1], frame.to_csv(index=False).encode())
    at.file_uploader(key="model_file").set_value(("n.mmc", saved[1], "application/zip"))
    settle(at)
    assert "The table is not kept. Load it again" in texts(at)


def test_a_model_is_fitted_where_it_is_not(saved):
    """The model of a search is fitted in the worker; its file labels its own points as the fit does."""
    data = Data("iris", {}, True)
    experiment = Experiment(data, "UMCRLS", {"n_clusters": 3, "n_init": 1, "random_state": 0})
    content = work.write_model(None, (data, experiment.make(), False), lambda part: True)
    again = load_model(content)
    dataset = data.load()
    known = experiment.make().fit(dataset.X)
    assert again.columns == dataset.feature_names
    np.testing.assert_array_equal(again.estimator.predict(dataset.X), known.predict(dataset.X))
