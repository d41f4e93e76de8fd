"""The report and the profile of clusters on the command line."""

import io

import numpy as np
import pandas as pd
import pytest

import mmc
from mmc import engine
from mmc.cli import main
from mmc.datasets import load_table, make_three_gaussians


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Run short searches here, and name no cluster of computers."""
    monkeypatch.setattr(engine, "is_started", lambda: False)
    monkeypatch.setenv(engine.CLUSTER, "")


@pytest.fixture
def table(tmp_path):
    """Write a file with a column of text, three clouds, and names that mean something elsewhere."""
    X = make_three_gaussians(60, random_state=0).X
    path = tmp_path / "data.csv"
    names = {"town": ["@a", "b"] * 30, "<script>x</script>": X[:, 0], "=cmd()": X[:, 1]}
    pd.DataFrame(names).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["-k", "3", "--algorithm", "UMCRLS"],
        ["--algorithm", "KMeans", "--sweep", "n_clusters=2,3"],
        ["--max-clusters", "3", "--references", "0"],
        ["-k", "3", "--standardize"],
    ],
    ids=["algorithm", "sweep", "auto", "standardized"],
)
def test_both_files_tell_of_the_labels(table, tmp_path, capsys, arguments):
    """Sizes are those of the labels on the output, in the units of the table; nothing is dangerous."""
    report, profile = tmp_path / "report.html", tmp_path / "profile.csv"
    command = ["cluster", str(table), *arguments, "--report", str(report), "--profile", str(profile)]
    assert main([*command, "--quiet"]) == 0
    labels = pd.read_csv(io.StringIO(capsys.readouterr().out))["cluster"].to_numpy()
    written = pd.read_csv(profile)
    sizes = written.drop_duplicates("cluster").set_index("cluster")["size"].sort_index()
    assert sizes.tolist() == np.bincount(labels).tolist()
    assert set(written["column"]) == {"<script>x</script>", "'=cmd()", "town"}
    first = written[(written["column"] == "<script>x</script>") & (written["cluster"] == 0)]
    assert first["median"].item() == pytest.approx(np.median(load_table(table).X[labels == 0, 0]))
    page = report.read_text(encoding="utf-8")
    assert "Clusters of data.csv" in page
    assert "<script" not in page


def test_the_report_is_that_of_the_library(table, tmp_path):
    """The file is what the function gives for the same labels and their confidence."""
    report, output = tmp_path / "report.html", tmp_path / "labels.csv"
    assert main(["cluster", str(table), "-k", "3", "--report", str(report), "-o", str(output), "-q"]) == 0
    labels, dataset = pd.read_csv(output), load_table(table)
    expected = mmc.profile(
        dataset.frame,
        labels["cluster"],
        X=dataset.X,
        confidence=labels["confidence"],
        rule_columns=dataset.feature_names,
    )
    assert report.read_bytes().decode() == expected.to_html("Clusters of data.csv")


@pytest.mark.parametrize("option", ["--report", "--profile"])
def test_what_cannot_be_written_is_refused_before_the_fit(table, capsys, option):
    """The option and the reason are named, and there are no labels."""
    assert main(["cluster", str(table), "-k", "3", option, "no/such/folder/file"]) == 1
    out, err = capsys.readouterr()
    assert f"{option} no/such/folder/file cannot be written" in err
    assert out == ""
