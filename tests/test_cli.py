import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from sklearn.cluster import AgglomerativeClustering
from sklearn.mixture import GaussianMixture

from mmc import MKC, SMIC, UMCRLS, IterSVR, RecursiveBinary, engine
from mmc.cli import main
from mmc.datasets import load_table, make_three_gaussians
from mmc.experiment import Data, Experiment
from mmc.images import ImageExperiment, ImagePoints, load_picture, open_picture, segment
from mmc.infomax import lsmi
from mmc.judges import dbcv
from mmc.selection import SCORES

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Run short sweeps here, in the order of their candidates, also after a test that has started workers."""
    monkeypatch.setattr(engine, "is_started", lambda: False)


@pytest.fixture
def table(tmp_path):
    """Write a file with a name column and three clouds."""
    X = make_three_gaussians(60, random_state=0).X
    path = tmp_path / "data.csv"
    pd.DataFrame({"name": [f"p{i}" for i in range(60)], "a": X[:, 0], "b": X[:, 1]}).to_csv(path, index=False)
    return path


def test_cluster_writes_the_labels_of_the_estimator(table, tmp_path):
    """The file has all rows and columns in order and the labels that the class gives."""
    output = tmp_path / "labels.csv"
    assert main(["cluster", str(table), "-k", "3", "--algorithm", "UMCRLS", "--output", str(output)]) == 0
    written = pd.read_csv(output)
    assert list(written.columns) == ["name", "a", "b", "cluster", "confidence"]
    assert list(written["name"]) == [f"p{i}" for i in range(60)]
    expected = UMCRLS(3, random_state=0).fit(load_table(table).X).labels_
    np.testing.assert_array_equal(written["cluster"], expected)
    assert written["confidence"].between(0, 1).all()


@pytest.mark.parametrize("algorithm", ["UMCRLS", "SteepRLS", "StocRLS"])
def test_any_algorithm_and_parameter(table, capsys, algorithm):
    """Parameters of the chosen algorithm are options of the command."""
    arguments = ["--kernel", "linear", "--alpha", "0.1", "--n-init", "2", "--fit-intercept", "false"]
    assert main(["cluster", str(table), "-k", "3", "--algorithm", algorithm, "--quiet", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert len(out.splitlines()) == 61


def test_a_sweep_keeps_the_best_candidate(table, tmp_path, capsys):
    """The labels are those of the value with the highest score, and the curve has every value."""
    output, curve = tmp_path / "labels.csv", tmp_path / "curve.csv"
    sweep = ["--sweep", "n-neighbors=1,5", "--score", "lsmi", "--curve", str(curve)]
    command = ["cluster", str(table), "-k", "3", "--algorithm", "SMIC", *sweep, "--output", str(output)]
    assert main(command) == 0
    assert "1 of 2: n_neighbors=1, lsmi" in capsys.readouterr().err
    scores = pd.read_csv(curve)
    assert list(scores["n_neighbors"]) == [1, 5]
    X = load_table(table).X
    for t, score in zip(scores["n_neighbors"], scores["score"], strict=True):
        assert score == pytest.approx(lsmi(X, SMIC(3, n_neighbors=t).fit(X).labels_).value, abs=1e-9)
    chosen = int(scores["n_neighbors"][scores["score"].argmax()])
    expected = SMIC(3, n_neighbors=chosen).fit(X).labels_
    np.testing.assert_array_equal(pd.read_csv(output)["cluster"], expected)


def test_a_judge_is_a_score_of_a_sweep(table, tmp_path, capsys):
    """The curve has the values of the judge that --score names, and the best is kept."""
    curve = tmp_path / "curve.csv"
    sweep = ["--sweep", "n-neighbors=1,5", "--score", "dbcv", "--curve", str(curve)]
    assert main(["cluster", str(table), "-k", "3", "--algorithm", "SMIC", *sweep]) == 0
    assert "1 of 2: n_neighbors=1, dbcv" in capsys.readouterr().err
    X = load_table(table).X
    for t, score in pd.read_csv(curve)[["n_neighbors", "score"]].to_numpy():
        assert score == pytest.approx(dbcv(X, SMIC(3, n_neighbors=int(t)).fit(X).labels_), abs=1e-9)


@pytest.mark.parametrize("algorithm", ["KMeans", "GaussianMixture"])
def test_the_number_of_clusters_is_swept(table, tmp_path, capsys, algorithm):
    """Without --score the number of clusters is chosen by density, from 2 to 10 unless values are given."""
    name = {"KMeans": "n_clusters", "GaussianMixture": "n_components"}[algorithm]
    command = ["cluster", str(table), "--algorithm", algorithm, "--sweep"]
    assert main([*command, f"{name}=2,3,4"]) == 0
    out, err = capsys.readouterr()
    assert f"2 of 3: {name}=3, dbcv" in err
    scores = [float(line.rpartition(" ")[2]) for line in err.splitlines() if "dbcv" in line]
    assert pd.read_csv(io.StringIO(out))["cluster"].nunique() == 2 + np.argmax(scores)
    assert main([*command, name, "--score", "silhouette", "--curve", str(tmp_path / "curve.csv")]) == 0
    assert pd.read_csv(tmp_path / "curve.csv")[name].tolist() == list(range(2, 11))


@pytest.mark.parametrize("score", ["lsmi", "mlmi", "objective"])
def test_scores_that_grow_with_k_cannot_choose_it(table, capsys, score):
    """The command ends with a message that names scores that can."""
    assert main(["cluster", str(table), "--sweep", "n_clusters=2,3", "--score", score]) == 1
    assert "cannot choose n_clusters" in (message := capsys.readouterr().err)
    assert "worst_cut, normalized_cut, dbcv" in message


def test_help_says_what_each_score_means(capsys):
    """The help of the command explains every score."""
    with pytest.raises(SystemExit):
        main(["cluster", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    for name, score in SCORES.items():
        assert f"{name}: {score.meaning}" in text.replace("- ", "-") or f"{name}: {score.meaning}" in text


def test_standard_input(table, capsys, monkeypatch):
    """A dash reads the table from standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(table.read_bytes())))
    assert main(["cluster", "-", "-k", "3"]) == 0
    assert "cluster sizes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-k", "99"], "n_clusters=99"),
        (["-k", "0"], "n_clusters='0' is not right: give a whole number of at least 2"),
        (["-k", "1"], "n_clusters='1' is not right: give a whole number of at least 2"),
        (["-k", "three"], "n_clusters='three' is not right"),
        (["--columns", "nope"], "nope"),
        (["--alpha", "-1"], "alpha"),
        (["--sweep", "nope=1,2"], "no parameter 'nope'"),
        (["--sweep", "alpha=1,two"], "alpha='two' is not right"),
        (["--sweep", "kernel"], "--sweep kernel=A,B"),
        (["--sweep", "alpha=-1"], "No candidate could be scored"),
        (["--curve", "curve.csv"], "--curve needs --sweep"),
    ],
)
def test_refusals_name_the_cause(table, capsys, arguments, words):
    """What the data do not allow ends with code 1, one line that names it, and no labels."""
    assert main(["cluster", str(table), *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err


def test_missing_file_and_missing_folder(table, capsys):
    """A path that is not there is named."""
    assert main(["cluster", "nowhere.csv"]) == 1
    assert "nowhere.csv" in capsys.readouterr().err
    assert main(["cluster", str(table), "-k", "3", "-o", "no/such/folder.csv"]) == 1
    assert "no/such/folder.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [[], ["cluster"], ["cluster", "x.csv", "--algorithm", "X"], ["cluster", "x.csv", "--n-shake", "-"]],
)
def test_a_wrong_command_ends_with_code_2(arguments, capsys):
    """A command that is not right ends with code 2 and the usage."""
    with pytest.raises(SystemExit) as caught:
        main([*arguments, "--no-such-option"])
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_list_names_everything(capsys):
    """The list has the algorithms, their parameters and the data."""
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert all(word in out for word in ("UMCRLS", "SteepRLS", "StocRLS", "--n-shakes", "spirals", "iris"))


def test_run_repeats_an_experiment(tmp_path):
    """An experiment file gives the labels of the experiment."""
    experiment = Experiment(
        Data("moons", {"n_samples": 80, "random_state": 1}, standardize=True), "UMCRLS", {"random_state": 2}
    )
    path, output = tmp_path / "experiment.json", tmp_path / "labels.csv"
    path.write_text(experiment.to_json(), encoding="utf-8")
    assert main(["run", str(path), "-o", str(output), "-q"]) == 0
    expected = experiment.make().fit(experiment.data.load().X).labels_
    np.testing.assert_array_equal(pd.read_csv(output)["cluster"], expected)


def test_run_repeats_an_experiment_with_an_image(tmp_path, capsys):
    """The labels of all pixels, of a built-in picture and of a file that is given."""
    path, output, file = (tmp_path / name for name in ("experiment.json", "labels.csv", "own.png"))
    parameters = {"n_clusters": 3, "random_state": 0}
    Image.fromarray(load_picture("twins").pixels).save(file)
    own = open_picture(file)
    for image in (ImagePoints("twins", n_samples=200), ImagePoints("", own.name, own.sha256, n_samples=200)):
        experiment = ImageExperiment(image, "KMeans", parameters)
        path.write_text(experiment.to_json(), encoding="utf-8")
        given = [] if image.picture else ["--table", str(file)]
        assert main(["run", str(path), *given, "--output", str(output)]) == 0
        expected = segment(image.load(own), experiment.make(), **image.options).labels
        written = pd.read_csv(output)
        assert list(written.columns) == ["row", "column", "segment"]
        assert np.array_equal(written["segment"], expected.ravel())
        assert written.iloc[241].tolist()[:2] == [1, 1]
    capsys.readouterr()
    assert main(["run", str(path), "--output", str(output)]) == 1
    assert "needs the image 'own.png': give it with --table FILE" in capsys.readouterr().err


def test_run_refuses_what_is_no_experiment(tmp_path, capsys):
    """A JSON file of another kind is refused with a message."""
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"a": 1}), encoding="utf-8")
    assert main(["run", str(path)]) == 1
    assert "not an experiment file" in capsys.readouterr().err


@pytest.mark.slow
def test_module_is_a_command():
    """Python's -m finds the command line and its help."""
    command = [sys.executable, "-m", "mmc", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "cluster" in done.stdout


def read_terminal(master):
    """Read what was shown, or nothing when the other side has closed."""
    try:
        return os.read(master, 4096).decode(errors="replace")
    except OSError:
        return ""


@pytest.mark.slow
def test_progress_bar_on_a_terminal(table, tmp_path):
    """On a terminal a bar shows the progress; the labels stay clean."""
    master, slave = os.openpty()
    command = [sys.executable, "-m", "mmc", "cluster", str(table), "-k", "3", "-o", str(tmp_path / "l.csv")]
    with subprocess.Popen(command, cwd=ROOT, stderr=slave) as process:
        os.close(slave)
        shown = "".join(iter(lambda: read_terminal(master), ""))
    os.close(master)
    assert process.returncode == 0
    assert "[##" in shown
    assert "100%" in shown


def test_parameters_of_an_inner_method_are_options(table, tmp_path, capsys):
    """RecursiveBinary takes its method's parameters as --estimator-…, also in a sweep."""
    output = tmp_path / "labels.csv"
    command = ["cluster", str(table), "-k", "3", "--algorithm", "RecursiveBinary", "--output", str(output)]
    assert main([*command, "--estimator", "IterSVR", "--estimator-balance", "0.4", "--quiet"]) == 0
    expected = RecursiveBinary(IterSVR(balance=0.4), 3, random_state=0).fit(load_table(table).X).labels_
    np.testing.assert_array_equal(pd.read_csv(output)["cluster"], expected)
    assert main([*command, "--sweep", "estimator-width=1,3"]) == 0
    assert "2 of 2: estimator__width=3.0" in capsys.readouterr().err


def test_three_clusters_from_a_method_for_two_name_the_remedy(table, capsys):
    """The message names RecursiveBinary."""
    assert main(["cluster", str(table), "-k", "3", "--algorithm", "IterSVR"]) == 1
    assert "RecursiveBinary(IterSVR(), n_clusters=3)" in capsys.readouterr().err


def test_a_method_is_not_swept(table, capsys):
    """Methods are chosen, not tried."""
    command = ["cluster", str(table), "-k", "3", "--algorithm", "RecursiveBinary"]
    assert main([*command, "--sweep", "estimator=IterSVR,IterSVM"]) == 1
    assert "choose the method with --estimator" in capsys.readouterr().err


def test_kernels_are_options(table, tmp_path, capsys):
    """Kernels are written as a list; one that is none is named."""
    output = tmp_path / "labels.csv"
    command = ["cluster", str(table), "-k", "3", "--algorithm", "MKC", "--output", str(output), "--quiet"]
    assert main([*command, "--kernels", "linear, rbf:width=3"]) == 0
    kernels = ["linear", ("rbf", {"width": 3})]
    expected = MKC(3, kernels=kernels, random_state=0).fit(load_table(table).X).labels_
    np.testing.assert_array_equal(pd.read_csv(output)["cluster"], expected)
    assert main([*command, "--kernels", "cosine"]) == 1
    assert "there are linear, poly, rbf" in capsys.readouterr().err


def test_clusterers_of_scikit_learn_are_algorithms(table, tmp_path, capsys):
    """-k counts the components of a mixture, and an objective is told only where there is one."""
    output = tmp_path / "labels.csv"
    command = ["cluster", str(table), "--output", str(output)]
    X = load_table(table).X
    assert main([*command, "--algorithm", "GaussianMixture", "-k", "3"]) == 0
    expected = GaussianMixture(3, random_state=0).fit_predict(X)
    np.testing.assert_array_equal(pd.read_csv(output)["cluster"], expected)
    assert ", objective " in capsys.readouterr().err
    assert main([*command, "--algorithm", "AgglomerativeClustering", "-k", "3", "--linkage", "average"]) == 0
    expected = AgglomerativeClustering(3, linkage="average").fit_predict(X)
    np.testing.assert_array_equal(pd.read_csv(output)["cluster"], expected)
    assert "objective" not in capsys.readouterr().err


def test_a_bandwidth_is_estimated_unless_it_is_given(table, capsys):
    """The word is what the list names as default, and what a command may say as well."""
    assert main(["list"]) == 0
    assert "(default estimated)" in capsys.readouterr().out
    labels = []
    for given in ([], ["--bandwidth", "estimated"], ["--bandwidth", "0.01"]):
        assert main(["cluster", str(table), "--algorithm", "MeanShift", *given, "--quiet"]) == 0
        labels.append(pd.read_csv(io.StringIO(capsys.readouterr().out))["cluster"])
    assert labels[0].equals(labels[1])
    assert labels[0].nunique() < labels[2].nunique()


def test_what_a_fit_warns_of_is_told(tmp_path, capsys):
    """Two places make no three clusters: scikit-learn's warning is a line, and the labels are written."""
    path = tmp_path / "two.csv"
    path.write_text("a,b\n" + "1,2\n" * 5 + "3,4\n" * 5, encoding="utf-8")
    assert main(["cluster", str(path), "--algorithm", "KMeans", "-k", "3"]) == 0
    out, err = capsys.readouterr()
    assert "warning: Number of distinct clusters (2)" in err
    assert len(out.splitlines()) == 11


@pytest.mark.parametrize("option", ["--algo", "--algorith"])
def test_an_abbreviated_algorithm_is_the_algorithm(table, tmp_path, option):
    """Its own parameters are options then too, as with the whole word."""
    written = []
    for name in ("--algorithm", option):
        output = tmp_path / "labels.csv"
        command = ["cluster", str(table), "-k", "3", name, "SMIC", "--n-neighbors", "4", "-o", str(output)]
        assert main([*command, "--quiet"]) == 0
        written.append(output.read_text(encoding="utf-8"))
    assert written[0] == written[1]


@pytest.mark.parametrize("option", ["--output", "--curve", "--save"])
@pytest.mark.parametrize("place", ["no/such/folder.csv", "."])
def test_what_cannot_be_written_is_refused_before_the_fit(table, capsys, monkeypatch, option, place):
    """The option and the path are named, and nothing is fitted for nothing."""
    monkeypatch.setattr("mmc.cli_sweep.sweep", lambda *args, **options: pytest.fail("was swept"))
    monkeypatch.setattr("mmc.cli.clusterers.end", lambda *args: pytest.fail("was fitted"))
    assert main(["cluster", str(table), "-k", "3", "--sweep", "width=1,2", option, place]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{option} {place} cannot be written" in err


def test_what_run_cannot_write_is_refused_before_the_fit(tmp_path, capsys, monkeypatch):
    """The same holds where an experiment is repeated."""
    monkeypatch.setattr("mmc.cli.clusterers.end", lambda *args: pytest.fail("was fitted"))
    path = tmp_path / "experiment.json"
    path.write_text(Experiment(Data("iris"), "SMIC").to_json(), encoding="utf-8")
    assert main(["run", str(path), "-o", "no/such/folder.csv"]) == 1
    assert "--output no/such/folder.csv cannot be written" in capsys.readouterr().err


def test_lists_are_candidates_of_a_sweep(table, tmp_path, capsys):
    """Semicolons separate candidates that are lists, whose commas stay within them."""
    command = ["cluster", str(table), "-k", "3", "--output", str(tmp_path / "labels.csv")]
    assert main([*command, "--sweep", "cluster_sizes=1,2,3;1,1,1"]) == 0
    err = capsys.readouterr().err
    assert "1 of 2: cluster_sizes=[1.0, 2.0, 3.0], lsmi" in err
    assert "2 of 2: cluster_sizes=[1.0, 1.0, 1.0], lsmi" in err
    assert main([*command, "--algorithm", "MKC", "--sweep", "kernels=linear,rbf:width=3;linear"]) == 0
    err = capsys.readouterr().err
    assert "1 of 2: kernels=['linear', ['rbf', {'width': 3}]], lsmi" in err
    assert "2 of 2: kernels=['linear'], lsmi" in err


def test_a_list_without_values_names_the_semicolon(table, capsys):
    """The message shows how lists are written."""
    assert main(["cluster", str(table), "-k", "3", "--sweep", "cluster_sizes"]) == 1
    assert '--sweep "cluster_sizes=A,B;C,D;…"' in capsys.readouterr().err


def test_run_without_its_table_names_the_option(table, tmp_path, capsys):
    """An experiment with a table asks for it in the words of the command line."""
    path = tmp_path / "experiment.json"
    path.write_text(Experiment(Data("table", {}, False, "data.csv"), "SMIC").to_json(), encoding="utf-8")
    assert main(["run", str(path)]) == 1
    assert "'data.csv': give it with --table FILE" in capsys.readouterr().err
    assert main(["run", str(path), "--table", str(table), "--quiet"]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--standardize", "--columns", "b,a", "--label", "name"],
        ["--algorithm", "SMIC", "--sweep", "n-neighbors=1,5"],
        ["--algorithm", "MKC", "--kernels", "linear, rbf:width=3", "--max-cuts", "20"],
        ["--algorithm", "RecursiveBinary", "--estimator", "IterSVR", "--estimator-balance", "0.4"],
        ["--algorithm", "GaussianMixture"],
    ],
    ids=["defaults", "columns", "sweep", "kernels", "inner method", "scikit-learn"],
)
def test_a_saved_experiment_repeats_the_labels(table, tmp_path, arguments):
    """--save writes the experiment, of a sweep that of its best candidate, and run gives the same file."""
    saved, first, again = (tmp_path / name for name in ("e.json", "first.csv", "again.csv"))
    command = ["cluster", str(table), "-k", "3", *arguments, "--save", str(saved), "-o", str(first), "-q"]
    assert main(command) == 0
    assert main(["run", str(saved), "--table", str(table), "-o", str(again), "-q"]) == 0
    assert again.read_bytes() == first.read_bytes()
    data = Experiment.from_json(saved.read_text(encoding="utf-8")).data
    assert (data.source, data.name, len(data.sha256)) == ("table", "data.csv", 64)
    table.write_bytes(table.read_bytes() + b"p60,1,1\n")
    assert main(["run", str(saved), "--table", str(table)]) == 1


def test_rows_left_out_are_saved_too(tmp_path, capsys):
    """An experiment knows that rows with missing values are dropped, also of standard input."""
    path, saved = tmp_path / "gaps.csv", tmp_path / "e.json"
    path.write_text("a,b\n1,2\n,3\n8,9\n9,8\n2,1\n", encoding="utf-8")
    assert main(["cluster", str(path), "--drop-missing", "--save", str(saved), "--quiet"]) == 0
    first = capsys.readouterr().out
    assert main(["run", str(saved), "--table", str(path), "--quiet"]) == 0
    assert capsys.readouterr().out == first


def test_a_table_is_read_once(table, tmp_path, monkeypatch):
    """However much a command does with a table, it is parsed a single time."""
    from mmc.datasets import tables

    calls = []
    read = tables.read_rows
    monkeypatch.setattr(tables, "read_rows", lambda *args: calls.append(args) or read(*args))
    command = ["cluster", str(table), "-k", "3", "--algorithm", "SMIC", "--sweep", "n-neighbors=1,5"]
    assert main([*command, "--save", str(tmp_path / "e.json"), "-o", str(tmp_path / "l.csv"), "-q"]) == 0
    assert len(calls) == 1


def test_one_limit_holds_for_the_tables_of_both_commands(table, tmp_path, capsys, monkeypatch):
    """It is that of the command line, not that of the app."""
    saved, output = tmp_path / "e.json", tmp_path / "labels.csv"
    assert main(["cluster", str(table), "-k", "3", "--save", str(saved), "-q", "-o", str(output)]) == 0
    monkeypatch.setattr("mmc.cli_files._MAX_BYTES", 10)
    for command in (["cluster", str(table)], ["run", str(saved), "--table", str(table)]):
        assert main([*command, "-o", str(output)]) == 1
        assert "at most 10 bytes are read" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given", [["--width", "2"], ["--sweep", "width=1,2"], ["--kernel", "linear", "--n-components", "5"]]
)
def test_a_parameter_without_effect_is_refused(given, tmp_path, capsys):
    """A parameter of another kernel is named, with the remedy, before the table is read."""
    assert main(["cluster", str(tmp_path / "none.csv"), "-k", "2", *given]) == 1
    message = capsys.readouterr().err
    assert "has no effect while --kernel is" in message
    assert "set --kernel to" in message
