"""Clustering with nothing set on the command line."""

import io
import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mmc import AutoClusterer, cli, engine
from mmc.cli import main
from mmc.cli_auto import FLAGS
from mmc.datasets import load_table, make_three_gaussians
from mmc.experiment import Experiment
from mmc.outliers import find_outliers

ROOT = Path(__file__).parents[1]

#: A search that takes little time.
QUICK = ["--max-clusters", "3", "--references", "0"]


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Run short searches here, in the order of their candidates, and name no cluster."""
    monkeypatch.setattr(engine, "is_started", lambda: False)
    monkeypatch.setenv(engine.CLUSTER, "")


@pytest.fixture
def table(tmp_path):
    """Write a file with a name column, three clouds, and a point that is far from all."""
    X = np.vstack([make_three_gaussians(60, random_state=0).X, [[30.0, 30.0]]])
    path = tmp_path / "data.csv"
    pd.DataFrame({"name": [f"p{i}" for i in range(61)], "a": X[:, 0], "b": X[:, 1]}).to_csv(path, index=False)
    return path


def expected(table, **parameters):
    """Fit the class with the parameters of the quick search."""
    given = {"max_clusters": 3, "n_references": 0, "random_state": 0, "n_jobs": 1} | parameters
    return AutoClusterer(**given).fit(load_table(table).X)


def test_labels_candidates_and_words(table, tmp_path, capsys):
    """Without -k the labels and candidates are those of the class, each is said, and the result in words."""
    output, candidates = tmp_path / "labels.csv", tmp_path / "candidates.csv"
    command = ["cluster", str(table), *QUICK, "-o", str(output), "--candidates", str(candidates)]
    assert main(command) == 0
    out, err = capsys.readouterr()
    model = expected(table)
    np.testing.assert_array_equal(pd.read_csv(output)["cluster"], model.labels_)
    written = pd.read_csv(candidates, keep_default_na=False, na_values={"score": ""})
    assert written["algorithm"].tolist() == model.table_["algorithm"].tolist()
    np.testing.assert_allclose(written["score"], model.table_["score"])
    assert out == ""
    lines = err.splitlines()
    tried = int((model.table_["left_out"] == "").sum())
    assert (
        sum(line.startswith(tuple(f"{i} of {tried}: " for i in range(1, tried + 1))) for line in lines)
        == tried
    )
    assert model.summary_ in lines
    assert lines[-1].startswith("61 points, cluster sizes ")


def test_a_given_number_of_clusters_and_a_seed(table, capsys):
    """Named explicitly, -k and --random-state are options of the search."""
    command = ["cluster", str(table), "--algorithm", "auto", "-k", "4", "--random-state", "5", *QUICK]
    assert main(command) == 0
    out, err = capsys.readouterr()
    labels = pd.read_csv(io.StringIO(out))["cluster"]
    np.testing.assert_array_equal(labels, expected(table, n_clusters=4, random_state=5).labels_)
    assert "4 clusters, found by" in err


def test_quiet_says_nothing(table, capsys):
    """With --quiet only the labels are written."""
    assert main(["cluster", str(table), *QUICK, "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert len(out.splitlines()) == 62


@pytest.mark.parametrize(
    "arguments",
    [
        ["-k", "3"],
        ["-k3"],
        ["--n-clusters", "3"],
        ["--alpha", "0.1"],
        ["--random-state", "1"],
        ["--sweep", "width=1,2", "--kernel", "rbf"],
        ["--algorithm", "Genie"],
        ["-k", "3", "--out", "-"],
    ],
)
def test_commands_with_parameters_keep_their_meaning(table, monkeypatch, arguments):
    """A number of clusters, a parameter, a sweep or an algorithm alone makes no search."""
    monkeypatch.setattr(cli.cli_auto, "find", lambda *args: pytest.fail("was searched"))
    assert main(["cluster", str(table), "--quiet", *arguments]) == 0


def test_outliers_have_the_label_minus_one(table, capsys):
    """--outliers marks the far point, counts it, and changes no other label."""
    assert main(["cluster", str(table), *QUICK, "--outliers"]) == 0
    out, err = capsys.readouterr()
    labels = pd.read_csv(io.StringIO(out))["cluster"].to_numpy()
    plain = expected(table).labels_
    beyond = find_outliers(load_table(table).X, plain)
    assert beyond[-1]
    np.testing.assert_array_equal(labels, np.where(beyond, -1, plain))
    assert f", {beyond.sum()} outlier" in err.splitlines()[-1]


@pytest.mark.parametrize("outliers", [[], ["--outliers"]])
def test_a_saved_experiment_repeats_the_labels(table, tmp_path, outliers):
    """--save writes the chosen candidate, which run repeats, to the last byte unless outliers are marked."""
    saved, first, again = (tmp_path / name for name in ("e.json", "first.csv", "again.csv"))
    command = ["cluster", str(table), *QUICK, *outliers, "--save", str(saved), "-o", str(first), "-q"]
    assert main(command) == 0
    assert main(["run", str(saved), "--table", str(table), "-o", str(again), "-q"]) == 0
    assert (again.read_bytes() == first.read_bytes()) == (not outliers)
    np.testing.assert_array_equal(pd.read_csv(again)["cluster"], expected(table).labels_)
    assert Experiment.from_json(saved.read_text(encoding="utf-8")).algorithm != "auto"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--algorithm", "auto", "-k", "99"],
            "n_clusters=99 is more than the number of different points",
        ),
        (["--algorithm", "auto", "-k", "1"], "n_clusters"),
        (["--max-clusters", "1"], "max_clusters"),
        (["--time-limit", "0"], "time_limit"),
        (["--references", "-1"], "n_references"),
        (["--algorithm", "auto", "--sweep", "width"], "name one with --algorithm"),
        (["--candidates", "no/such/folder.csv"], "--candidates no/such/folder.csv cannot be written"),
        (["--curve", "curve.csv"], "--curve needs --sweep"),
        (["-k", "2", "--dask", "tcp://host:1"], "--dask needs --sweep or --algorithm auto"),
    ],
)
def test_refusals_name_the_cause(table, capsys, arguments, words):
    """What cannot be done ends with code 1, a line that names it, and no labels."""
    assert main(["cluster", str(table), *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err


@pytest.mark.parametrize("flag", FLAGS)
def test_an_option_of_the_search_beside_a_parameter_is_refused(table, capsys, flag):
    """With -k alone nothing is chosen: the message names the remedy, and the code is 2."""
    with pytest.raises(SystemExit) as caught:
        main(["cluster", str(table), "-k", "2", *([flag] if flag == "--outliers" else [f"{flag}=3"])])
    assert caught.value.code == 2
    assert f"{flag} needs --algorithm auto" in " ".join(capsys.readouterr().err.split())


def test_a_time_limit_that_is_too_short_is_said(table, capsys):
    """Either a candidate ends in time, or the message names the limit and nothing is written."""
    code = main(["cluster", str(table), *QUICK, "--time-limit", "1e-6"])
    out, err = capsys.readouterr()
    assert code == 1
    assert out == ""
    assert "within time_limit=1e-06 seconds. Give it more time." in err


def test_a_table_in_which_nothing_varies_is_refused(tmp_path, capsys):
    """The message says so before anything is searched."""
    path = tmp_path / "same.csv"
    path.write_text("a,b\n" + "1,2\n" * 5, encoding="utf-8")
    assert main(["cluster", str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "nothing varies in 'same.csv'" in err


def test_a_search_that_is_stopped_writes_nothing(table, tmp_path, capsys, monkeypatch):
    """Ctrl-C ends it with code 130, names the time limit, and leaves no file."""

    def stopped(step):
        raise KeyboardInterrupt

    monkeypatch.setattr("mmc.cli_auto._report", stopped)
    files = [f"--{name}={tmp_path / name}" for name in ("output", "candidates", "save")]
    assert main(["cluster", str(table), *QUICK, *files]) == 130
    assert "--time-limit SECONDS" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_labels_of_a_sample_are_said(tmp_path, capsys, monkeypatch):
    """A search that ends on a sample labels all points, and says that a repeated fit may differ."""
    module = import_module("mmc.auto.search")
    stage = module._stage
    monkeypatch.setattr(module, "SAMPLE", 50)
    monkeypatch.setattr(module, "_stage", lambda name, *a: iter(()) if name == "all" else stage(name, *a))
    path, saved = tmp_path / "data.csv", tmp_path / "e.json"
    pd.DataFrame(make_three_gaussians(120, random_state=0).X, columns=["a", "b"]).to_csv(path, index=False)
    assert main(["cluster", str(path), *QUICK, "--save", str(saved)]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 121
    assert "Only a sample of 50 points was clustered" in err
    assert "clusters all points, so that its labels may differ" in err


def test_help_explains_both(capsys):
    """Without an algorithm the help has the options of the search and of the usual algorithm."""
    with pytest.raises(SystemExit) as caught:
        main(["cluster", "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert "parameters of auto:" in text
    assert "parameters of UMCRLS:" in text
    with pytest.raises(SystemExit):
        main(["cluster", "--algorithm", "auto", "--help"])
    text = capsys.readouterr().out
    assert "-k" in text
    assert "parameters of UMCRLS" not in text


@pytest.mark.slow
def test_progress_bar_on_a_terminal(table, tmp_path):
    """In a process of its own, on a terminal, a bar shows the progress; the labels are those of the class."""
    master, slave = os.openpty()
    output = tmp_path / "labels.csv"
    command = [sys.executable, "-m", "mmc", "cluster", str(table), *QUICK, "-o", str(output)]
    with subprocess.Popen(command, cwd=ROOT, stderr=slave) as process:
        os.close(slave)
        shown = "".join(iter(lambda: _read(master), ""))
    os.close(master)
    assert process.returncode == 0
    assert "[##" in shown
    assert "100%" in shown
    assert "clusters, found by" in shown
    np.testing.assert_array_equal(pd.read_csv(output)["cluster"], expected(table).labels_)


@pytest.mark.slow
def test_ctrl_c_in_a_process_of_its_own(table, tmp_path):
    """A signal in the middle of a search ends it with code 130 and no file."""
    output = tmp_path / "labels.csv"
    command = [sys.executable, "-m", "mmc", "cluster", str(table), "--references", "100", "-o", str(output)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        process.stderr.readline()  # the first candidate has ended
        process.send_signal(signal.SIGINT)
        process.stderr.read()
    assert process.returncode == 130
    assert not output.exists()


@pytest.mark.slow
def test_a_cluster_gives_the_same_labels(table, tmp_path):
    """--dask gives the file that the command gives without it."""
    distributed = pytest.importorskip("distributed")
    from mmc.engine import _dask

    options = {"n_workers": 1, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    written = []
    with distributed.LocalCluster(**options) as cluster:
        for more in ([], ["--dask", cluster.scheduler_address]):
            output = tmp_path / "labels.csv"
            assert main(["cluster", str(table), *QUICK, "-q", "-o", str(output), *more]) == 0
            written.append(output.read_bytes())
        _dask.connect(cluster.scheduler_address).close()
    assert written[0] == written[1]


def _read(master):
    """Read what was shown, or nothing when the other side has closed."""
    try:
        return os.read(master, 4096).decode(errors="replace")
    except OSError:
        return ""
