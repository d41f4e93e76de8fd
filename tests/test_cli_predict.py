"""The command that labels another table with a saved model."""

import io

import numpy as np
import pandas as pd
import pytest

from mmc import engine, load_model
from mmc.cli import main
from mmc.datasets import make_three_gaussians


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Run short sweeps here, in the order of their candidates, also after a test that has started workers."""
    monkeypatch.setattr(engine, "is_started", lambda: False)
    monkeypatch.setattr(engine, "effective_n_jobs", lambda n_jobs: 1)


@pytest.fixture
def frame():
    """Give a table of three clouds with a column of names."""
    X = make_three_gaussians(60, random_state=0).X
    return pd.DataFrame({"name": [f"p{i}" for i in range(60)], "a": 100 * X[:, 0], "b": X[:, 1]})


@pytest.fixture
def write(tmp_path):
    """Write a frame as a file, and give its name."""

    def written(frame, name):
        frame.to_csv(tmp_path / name, index=False)
        return str(tmp_path / name)

    return written


@pytest.fixture
def model(frame, write, tmp_path):
    """Give the name of the file of a model of the standardised table."""
    command = ["cluster", write(frame, "data.csv"), "-k", "3", "--algorithm", "KMeans", "--standardize"]
    outputs = ["--save-model", str(tmp_path / "m.mmc"), "-o", str(tmp_path / "l.csv"), "-q"]
    assert main([*command, *outputs]) == 0
    return str(tmp_path / "m.mmc")


@pytest.mark.parametrize(
    "options",
    [
        ["-k", "3"],
        ["-k", "3", "--algorithm", "GaussianMixture", "--standardize", "--columns", "b,a"],
        ["--algorithm", "RecursiveBinary", "-k", "3"],
        ["-k", "3", "--algorithm", "SMIC", "--sweep", "n-neighbors=3,5", "--score", "lsmi"],
        ["--algorithm", "auto", "-k", "3", "--references", "0"],
    ],
)
def test_the_table_of_the_fit_gets_the_same_labels(options, frame, write, tmp_path, capsys):
    """With a single fit, a sweep and a search; the file beside is whole, and nothing else is left."""
    data, labels, again = write(frame, "data.csv"), tmp_path / "labels.csv", tmp_path / "again.csv"
    saved = tmp_path / "model.mmc"
    assert main(["cluster", data, *options, "-o", str(labels), "--save-model", str(saved), "-q"]) == 0
    assert main(["predict", str(saved), data, "-o", str(again)]) == 0
    written = pd.read_csv(again)
    assert written["cluster"].tolist() == pd.read_csv(labels)["cluster"].tolist()
    assert list(written.columns) == ["name", "a", "b", "cluster", "far"]
    assert not written["far"].any()
    assert "60 points, cluster sizes" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"data.csv", "labels.csv", "again.csv", "model.mmc"}


def test_a_new_table_is_prepared_as_the_old_one(model, frame, write, capsys):
    """Columns in another order and beside others, and a far row, which is counted and flagged."""
    new = pd.DataFrame({"b": frame["b"], "more": 1, "a": frame["a"]}).iloc[5:25].reset_index(drop=True)
    known = load_model(model).predict(new[["a", "b"]].to_numpy())
    new.loc[0, "a"] = 1e6
    assert main(["predict", model, write(new, "new.csv")]) == 0
    out, err = capsys.readouterr()
    written = pd.read_csv(io.StringIO(out))
    np.testing.assert_array_equal(written["cluster"][1:], known[1:])
    assert written["far"].tolist() == [True] + [False] * 19
    assert "note: Columns that the model does not use: 'more'." in err
    assert "warning: 1 of 20 rows is far" in err


def test_a_renamed_column_is_named(model, frame, write, tmp_path, capsys):
    """The message has the missing column and the one that it may have become, and no file is written."""
    output = tmp_path / "out.csv"
    new = write(frame.rename(columns={"a": "A", "b": "c"}), "new.csv")
    assert main(["predict", model, new, "-o", str(output)]) == 1
    err = capsys.readouterr().err
    assert "has no column 'a' (is it 'A'?), 'b', which the model was fitted to" in err
    assert not output.exists()


def test_missing_values_are_refused_or_left_out(model, frame, write, capsys):
    """With --drop-missing a row without a value gets no label."""
    frame.loc[4, "a"] = np.nan
    new = write(frame, "new.csv")
    assert main(["predict", model, new]) == 1
    assert "1 of 60 rows" in (err := capsys.readouterr().err)
    assert "--drop-missing leaves them out" in err
    assert main(["predict", model, new, "--drop-missing"]) == 0
    out, err = capsys.readouterr()
    assert pd.read_csv(io.StringIO(out))["cluster"].isna().to_numpy().nonzero()[0].tolist() == [4]
    assert "1 row of 60 left out" in err


def test_quiet_says_nothing(model, frame, write, capsys):
    """Only the labels are written."""
    assert main(["predict", model, write(frame, "new.csv"), "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("algorithm", "options", "message"),
    [
        ("SpectralClustering", [], "SpectralClustering says nothing of new rows: it has no predict"),
        ("AgglomerativeClustering", [], "Choose an algorithm that has, or save the experiment"),
    ],
)
def test_a_model_without_predict_is_refused_before_the_table_is_read(
    algorithm, options, message, tmp_path, capsys
):
    """No time is lost on a fit that cannot be saved."""
    command = ["cluster", str(tmp_path / "none.csv"), "-k", "3", "--algorithm", algorithm, *options]
    assert main([*command, "--save-model", str(tmp_path / "m.mmc")]) == 1
    assert message in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_refused_first(tmp_path, capsys):
    """The message names the option."""
    command = ["cluster", str(tmp_path / "none.csv"), "-k", "3"]
    assert main([*command, "--save-model", str(tmp_path / "none" / "m.mmc")]) == 1
    assert f"--save-model {tmp_path / 'none' / 'm.mmc'} cannot be written" in capsys.readouterr().err


def test_another_file_is_no_model(frame, write, capsys):
    """A table in the place of the model, and a file that is not there."""
    data = write(frame, "data.csv")
    assert main(["predict", data, data]) == 1
    assert "'data.csv' is not a whole model file of mmc: it does not begin as one" in capsys.readouterr().err
    assert main(["predict", data + ".none", data]) == 1
    assert "No such file" in capsys.readouterr().err
