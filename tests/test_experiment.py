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
    with pytest.raises(ValueError, match=r"no algorithm|no parameter|does not take|not an experiment"):
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
        ({"estimator__width": "abc"}, "estimator__width='abc' is not right: give a number"),
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


def saved(**changes):
    """Write an experiment with some fields changed; a dot separates a field of data."""
    content = json.loads(Experiment(Data("moons", {"n_samples": 60}), "UMCRLS", {"n_clusters": 2}).to_json())
    for path, value in changes.items():
        *parts, name = path.split("__", 1)
        node = content[parts[0]] if parts else content
        node[name] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data__standardize": "false"}, r"data\.standardize='false' is not right: give true or false"),
        ({"data__standardize": 1}, r"data\.standardize=1 is not right: give true or false"),
        ({"data__source": 3}, r"data\.source=3 is not right"),
        ({"data__name": None}, r"data\.name=None is not right"),
        ({"data__sha256": "abc"}, r"data\.sha256='abc' is not right: give 64 hexadecimal digits"),
        ({"data__optoins": {}}, r"'data\.optoins' is no field of it: did you mean 'options'\?"),
        ({"algorithm": ["UMCRLS"]}, r"algorithm=\['UMCRLS'\] is not right"),
        ({"algorithm": "UMCRLS\n" * 1000}, r"no algorithm 'UMCRLS\\nUMCRLS.*…"),
        ({"parameter": {}}, "'parameter' is no field of it: did you mean 'parameters'"),
        ({"mmc": True}, "of version True"),
        ({"mmc": 1.0}, r"of version 1\.0"),
        ({"mmc": 99}, "of version 99"),
        ({"parameters__alhpa": 1}, "no parameter 'alhpa': did you mean 'alpha'"),
        ({"parameters__alpha": "1"}, "alpha='1' is not right: give a number"),
        ({"parameters__alpha": True}, "alpha=True is not right: give a number"),
        ({"parameters__n_clusters": 2.0}, r"n_clusters=2\.0 is not right: give a whole number"),
        ({"parameters__n_clusters": True}, "n_clusters=True is not right"),
        ({"parameters__refine": "no"}, "refine='no' is not right: give true or false"),
        ({"parameters__refine": 0}, "refine=0 is not right"),
        ({"parameters__gamma": "0.5"}, "gamma='0.5' is not right: give one of .* or a number without quotes"),
        ({"parameters__kernel": "precomputed"}, "kernel='precomputed' is not right"),
        ({"parameters__init": "here"}, "init='here' is not right"),
        ({"parameters__init": [0, "1"]}, "init=.* is not right"),
        ({"parameters__cluster_sizes": [1, "2"]}, "cluster_sizes=.* is not right: give a list of numbers"),
        ({"parameters__cluster_sizes": [1, False]}, "cluster_sizes=.* is not right"),
        ({"data__options": {"n_samples": "many"}}, "n_samples must be a whole number"),
        ({"data__options": {"n_samples": 10**9}}, "n_samples must be at most 1000000"),
        ({"data__options": {"n_samples": True}}, "n_samples must be a whole number"),
        ({"data__options": {"n_samples": None}}, "n_samples must be a whole number"),
        ({"data__options": {"noise": -1}}, "noise must be a finite number"),
        ({"data__options": {"noise": 1e300}}, "noise must be at most 1000000"),
        ({"data__options": {"imbalance": 2}}, "imbalance must be a number from 0 to 0.9"),
        ({"data__options": {"random_state": 2**32}}, "random_state must be a whole number from 0"),
        ({"data__options": {"random_state": 0.5}}, "random_state must be a whole number"),
        ({"data__options": {"random_state": None}}, "random_state must be a whole number"),
        ({"data__options": {"classes": [1]}}, "'moons' does not take 'classes'"),
    ],
)
def test_every_field_is_checked_by_name(changes, message):
    """The message names the field, its value and what would be right."""
    with pytest.raises(ValueError, match=message):
        Experiment.from_json(saved(**changes))


@pytest.mark.parametrize(
    "classes", [0, [], [0, 0], [11], [-1], "3", ["3"], [True], [3.0], None, {"3": 8}, [[3]]]
)
def test_digits_are_checked(classes):
    """Only different digits in a list are a choice of digits."""
    data = {"source": "digits", "options": {"classes": classes}, "standardize": False}
    with pytest.raises(ValueError, match="classes must be a list of one or more different digits"):
        Experiment.from_json(saved(data=data))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": "a"}, "columns='a' is not right for a table: give a list"),
        ({"columns": [1]}, "columns=.* is not right"),
        ({"label": 1}, "label=1 is not right"),
        ({"missing": "ignore"}, "missing='ignore' is not right"),
        ({"missing": ["drop"]}, "missing=.* is not right"),
        ({"lable": "a"}, "does not take 'lable': did you mean 'label'"),
    ],
)
def test_options_of_a_table_are_checked(options, message):
    """A file cannot give a table other options than the page."""
    data = {"source": "table", "options": options, "standardize": False}
    with pytest.raises(ValueError, match=message):
        Experiment.from_json(saved(data=data))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"n_clusters": 2', '"n_clusters": 2, "alpha": NaN', "NaN is no number of JSON"),
        ('"n_clusters": 2', '"n_clusters": 2, "alpha": -Infinity', "-Infinity is no number of JSON"),
        ('"n_clusters": 2', '"n_clusters": 2, "alpha": 1e309', "number 1e309 is too large"),
        ('"n_clusters": 2', '"n_clusters": 2' + "0" * 30, "number 2000.* is too large"),
        ('"n_clusters": 2', '"n_clusters": 2' + "0" * 5000, "number 2000.*… is too large"),
        ('"n_clusters": 2', '"n_clusters": 2, "n_clusters": 3', "'n_clusters' is there twice"),
        ('"n_clusters": 2', '"n_clusters": ' + "[" * 20 + "]" * 20, "more than 16 lists"),
        ('"n_clusters": 2', '"n_clusters": ' + "[" * 100_000, "more than 16 lists"),
        ('"UMCRLS"', '"\\ud800"', r"'\\ud800' holds half of a character"),
        ('"UMCRLS"', '"UMCRLS"' + " " * 2**20, "more than 1048576 bytes"),
        ('"UMCRLS"', '"UMCRLS', "line 1 is no JSON"),
    ],
)
def test_json_that_programs_read_differently_is_refused(old, new, message):
    """What Python's reader takes beyond JSON is named, and never reaches an estimator."""
    with pytest.raises(ValueError, match=f"^This is not an experiment file: .*{message}"):
        Experiment.from_json(saved().replace(old, new))


def test_a_file_may_begin_with_a_byte_order_mark():
    """Editors write one, and the bytes of a file are read as well as its text."""
    text = saved()
    assert Experiment.from_json(b"\xef\xbb\xbf" + text.encode()) == Experiment.from_json(text)
    assert Experiment.from_json("\ufeff" + text) == Experiment.from_json(text)
    with pytest.raises(ValueError, match="no text in UTF-8"):
        Experiment.from_json(text.encode("utf-16"))


def test_a_start_may_be_a_labelling():
    """Labels to start from are a list of whole numbers, as Python gives them to the class."""
    experiment = Experiment(Data("moons", {"n_samples": 4}), "UMCRLS", {"init": [0, 1, 0, 1]})
    assert Experiment.from_json(experiment.to_json()) == experiment


def test_what_json_cannot_hold_is_not_written():
    """A file that no release could read is an error where it is made."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        Experiment(Data("moons"), "UMCRLS", {"alpha": float("nan")}).to_json()


def test_options_are_checked_where_data_are_loaded():
    """Python code that gives an absurd size is refused before anything is allocated."""
    with pytest.raises(ValueError, match="n_samples must be at most"):
        Data("moons", {"n_samples": 10**30}).load()
    with pytest.raises(ValueError, match="does not take 'where'"):
        Data("table", {"where": 1}).load(TABLE)
