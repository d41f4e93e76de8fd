import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmc.datasets import open_table
from mmc.experiment import Data, Experiment

CSV = b"a,b\n1,2\n2,1\n8,9\n9,8\n"
TABLE = open_table(CSV, name="x.csv")


def test_json_round_trip():
    """An experiment read back is the same experiment."""
    data = Data(
        "table", {"columns": ["a", "b"], "label": None, "missing": "drop"}, True, "x.csv", TABLE.sha256
    )
    experiment = Experiment(data, "UMCRLS", {"n_clusters": 2, "cluster_sizes": [1.0, 2.0]})
    assert Experiment.from_json(experiment.to_json()) == experiment


@pytest.mark.parametrize(
    "change",
    [
        {"algorithm": "NoSuch"},
        {"parameters": {"no_such": 1}},
        {"data": {"source": "table", "options": {"source": "/etc/passwd"}, "standardize": False}},
        {"data": []},
    ],
)
def test_bad_experiments_are_refused(change):
    """Unknown names and wrong shapes are a ValueError, never another exception."""
    good = json.loads(Experiment(Data("iris"), "UMCRLS").to_json())
    with pytest.raises(ValueError, match=r"no algorithm|no parameter|do not take|not an experiment"):
        Experiment.from_json(json.dumps(good | change))


@pytest.mark.parametrize("version", [0, 2, 99, "1", None])
def test_another_version_is_refused_by_name(version):
    """A file that a later release wrote says so, whatever else is in it."""
    good = json.loads(Experiment(Data("iris"), "UMCRLS").to_json())
    with pytest.raises(ValueError, match=rf"version {version!r}.*reads version 1"):
        Experiment.from_json(json.dumps(good | {"mmc": version}))
    with pytest.raises(ValueError, match=rf"version {version!r}"):
        Experiment.from_json(json.dumps({"mmc": version, "points": []}))


def test_a_file_without_a_version_opens_as_before():
    """An experiment that somebody wrote by hand need not say a version."""
    experiment = Experiment(Data("iris"), "UMCRLS")
    good = json.loads(experiment.to_json())
    del good["mmc"]
    assert Experiment.from_json(json.dumps(good)) == experiment


def test_another_file_of_the_same_name_is_told_apart():
    """A table whose content differs is refused."""
    data = Data("table", {}, False, "x.csv", TABLE.sha256)
    assert data.load(TABLE).X.shape == (4, 2)
    with pytest.raises(ValueError, match=r"is not the 'x.csv'"):
        data.load(open_table(CSV + b"7,7\n", name="x.csv"))
    with pytest.raises(ValueError, match=r"needs the file 'x\.csv'"):
        data.load(None)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.text(max_size=30), st.text(max_size=30))
def test_names_of_a_file_stay_literals_in_the_script(name, column):
    """Whatever a file or a column is called, the script compiles and holds it as a literal only."""
    data = Data("table", {"columns": [column], "label": None, "missing": "error"}, False, name)
    script = Experiment(data, "UMCRLS", {"n_clusters": 2}).to_script()
    calls = []
    scope = {"load_table": lambda *args, **kwargs: calls.append((args, kwargs))}
    line = next(line for line in script.splitlines() if line.startswith("dataset"))
    exec(compile(line, "script", "exec"), scope)
    assert calls[0][0] == (name,)
    assert calls[0][1]["columns"] == [column]


def test_a_method_inside_another_is_written_as_a_call():
    """RecursiveBinary names its method in JSON, and the script makes it with its parameters."""
    parameters = {"n_clusters": 3, "estimator": "IterSVR", "estimator__balance": 0.4, "random_state": 1}
    experiment = Experiment(Data("iris", {}, True), "RecursiveBinary", parameters)
    assert Experiment.from_json(experiment.to_json()) == experiment
    model = experiment.make()
    assert (type(model.estimator).__name__, model.estimator.balance) == ("IterSVR", 0.4)
    script = experiment.to_script()
    assert "from mmc import IterSVR, RecursiveBinary" in script
    assert "RecursiveBinary(n_clusters=3, estimator=IterSVR(balance=0.4), random_state=1)" in script


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": "__import__"}, "estimator='__import__' is not right"),
        ({"estimator__no_such": 1}, "no parameter 'estimator__no_such'"),
        ({"estimator": ["IterSVR"]}, "is not right"),
        ({"estimator__width": "abc"}, "'width' parameter"),
    ],
)
def test_a_method_that_is_not_offered_is_refused(parameters, message):
    """Only the methods of the registry can stand inside another, by their names."""
    text = json.dumps(
        json.loads(Experiment(Data("iris"), "UMCRLS").to_json())
        | {"algorithm": "RecursiveBinary", "parameters": parameters}
    )
    with pytest.raises(ValueError, match=message):
        Experiment.from_json(text)


def test_more_clusters_than_a_method_takes_are_refused():
    """A file that asks IterSVR for three clusters is told of RecursiveBinary."""
    text = Experiment(Data("iris"), "IterSVR", {"n_clusters": 3}).to_json()
    with pytest.raises(ValueError, match="RecursiveBinary"):
        Experiment.from_json(text)


def test_a_method_that_is_not_named_is_the_usual_one():
    """Parameters of an inner method reach the script also where the method itself is left to its default."""
    experiment = Experiment(Data("iris"), "RecursiveBinary", {"n_clusters": 3, "estimator__width": 0.5})
    assert "estimator=IterLSSVM(width=0.5)" in experiment.to_script()
    assert experiment.make().estimator.width == 0.5


def test_kernels_are_written_and_read():
    """A list of kernels survives JSON, and the script holds it as a literal."""
    kernels = ["linear", ["rbf", {"width": 0.5}]]
    experiment = Experiment(Data("iris", {}, True), "MKC", {"n_clusters": 3, "kernels": kernels})
    assert Experiment.from_json(experiment.to_json()) == experiment
    assert "kernels=['linear', ['rbf', {'width': 0.5}]]" in experiment.to_script()


@pytest.mark.parametrize(
    "kernels", ["rbf", [], [["rbf"]], [[["rbf"], {}]], [["rbf", {"width": "x"}]], [[[1.0]]]]
)
def test_what_is_no_kernel_in_a_file_is_refused(kernels):
    """A file can name kernels and nothing else."""
    good = json.loads(Experiment(Data("iris"), "MKC").to_json())
    with pytest.raises(ValueError, match="kernel"):
        Experiment.from_json(json.dumps(good | {"parameters": {"kernels": kernels}}))
