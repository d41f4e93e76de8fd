"""Tables in parts that whoever runs the server has named are clustered by their names alone."""

import io

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs

from mmc import engine, load_model
from mmc.cli import main
from mmc.metrics import adjusted_rand_score

_NAME = "three clouds"


@pytest.fixture(scope="module")
def cloud():
    """Draw points around three centres, more of them than are drawn."""
    return make_blobs(2600, 3, centers=3, random_state=0)


@pytest.fixture(scope="module")
def folder(cloud, tmp_path_factory):
    """Write them in four files."""
    folder = tmp_path_factory.mktemp("hidden") / "place"
    folder.mkdir()
    for i, rows in enumerate(np.array_split(cloud[0], 4)):
        frame = pd.DataFrame(rows, columns=["height", "weight", "row"]).assign(word="w")
        frame.to_parquet(folder / f"part.{i}.parquet")
    return folder


@pytest.fixture
def serve(monkeypatch):
    """Start the server with options; the cluster that these may name is forgotten at the end."""
    monkeypatch.setenv(engine.CLUSTER, "")

    def started(*options):
        monkeypatch.setattr("sys.argv", ["app.py", *options])

    return started


@pytest.fixture
def offered(monkeypatch):
    """Catch the files that a page offers, by the end of their names."""
    files = {}

    def button(label, data, file_name, mime, **options):
        files[file_name.rpartition("-")[2]] = data

    monkeypatch.setattr("mmc.ui.download_view.st.download_button", button)
    return files


def everything(at):
    """Join all that the page says and sends."""
    kinds = ("subheader", "markdown", "caption", "info", "error", "warning", "code")
    said = " ".join(str(element.value) for kind in kinds for element in at.get(kind)).replace("\\", "")
    return f"{said} {at.main} {at.sidebar} {dict(at.query_params)}"


def test_a_table_is_clustered_by_its_name(serve, cloud, folder, find_clusters, offered, tmp_path):
    """The page shows all sizes and a sample, its files are those of the command, and no path is told."""
    serve("--parts", f"{_NAME}={folder}")
    at = find_clusters(data=f"server:{_NAME}", n_clusters="3", random_state="1", profile="true")
    assert not at.exception
    assert not at.error
    assert not at.warning
    text = everything(at)
    assert str(folder) not in text
    assert "3 clusters in 2,600 rows of three clouds" in text
    assert "2,600 rows in 4 parts; 3 columns of numbers: height, weight, row." in text
    assert "All rows were clustered, by UMCRLS on a landmark graph; 2,000 of them are drawn." in text
    assert at.get("plotly_chart")[0].proto.alt == "Scatter plot of a sample of 2000 rows in 3 clusters."
    assert len(at.get("plotly_chart")) > 3  # the profile
    assert at.code[0].value in offered["command.txt"]()
    command = at.code[0].value.replace("'three clouds'", str(folder)).split()[3:]
    assert main([*command[:-1], str(tmp_path / "labels"), "--quiet"]) == 0
    labels = pd.read_parquet(tmp_path / "labels")["label"].to_numpy()
    assert adjusted_rand_score(cloud[1], labels) > 0.95
    sample = pd.read_csv(io.StringIO(offered["labels.csv"]()))
    assert len(sample) == 2000
    assert_array_equal(sample["cluster"], labels[sample["row"]])
    assert_array_equal(sample.iloc[:, 2:], cloud[0][sample["row"]])
    assert_array_equal(load_model(offered["model.mmc"]()).predict(cloud[0]), labels)
    sizes = at.dataframe[0].value
    assert_array_equal(sizes["size"], np.bincount(labels))


@pytest.mark.slow
def test_a_table_is_clustered_on_a_cluster(serve, cloud, tmp_path, find_clusters, offered):
    """With --dask the worker connects to the cluster, whose labels are those of threads."""
    for i, rows in enumerate(np.array_split(cloud[0][:60], 2)):
        pd.DataFrame(rows, columns=["x", "y", "z"]).to_parquet(tmp_path / f"part.{i}.parquet")
    LocalCluster = pytest.importorskip("distributed").LocalCluster
    found = []
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        for options in ([], ["--dask", cluster.scheduler.address]):
            serve("--parts", f"{_NAME}={tmp_path}", *options)
            at = find_clusters(data=f"server:{_NAME}")
            assert not at.error
            found.append(offered["labels.csv"]())
            assert cluster.scheduler.address not in everything(at)
        assert found[0] == found[1]
        assert len(cluster.scheduler.transition_log) > 0  # it has worked


def test_other_names_are_refused(serve, folder, find_clusters):
    """A name that the server does not know, and an address, open the usual data, and the page says so."""
    serve("--parts", f"{_NAME}={folder}")
    for asked in ("server:salaries", f"server:{folder}", str(folder)):
        at = find_clusters(data=asked, n="60", most="3", wait=False)
        assert not at.exception
        assert at.selectbox(key="data").value == "four-gaussians"
        assert "The address asks for what the controls do not take" in at.warning[0].value
    assert f"server:{_NAME}" not in find_clusters(n="60", wait=False).selectbox(key="data").options


def test_what_is_wrong_with_a_table_is_told_to_the_server_alone(
    serve, tmp_path, find_clusters, logged_errors
):
    """A message that says where the table is goes to the log; one about its values is shown."""
    serve("--parts", f"gone={tmp_path / 'secret'}", "--parts", f"gaps={tmp_path}")
    pd.DataFrame({"a": [1.0, np.nan, 2.0], "b": [1.0, 2.0, 3.0]}).to_parquet(tmp_path / "p.parquet")
    at = find_clusters(data="server:gone")
    assert "cannot be clustered now" in at.error[0].value.replace("\\", "")
    assert "secret" not in everything(at)
    assert "secret" in logged_errors.pop()
    at = find_clusters(data="server:gaps")
    assert "Column 'a' has values in part 0 that are missing" in at.error[0].value.replace("\\", "")


def test_too_many_rows_are_refused(serve, folder, find_clusters):
    """The message names the command, which has no such limit."""
    serve("--parts", f"{_NAME}={folder}", "--memory", "0.3")
    at = find_clusters(data=f"server:{_NAME}", n_clusters="4")
    text = at.error[0].value.replace("\\", "")
    assert "memory" in text
    assert "python -m mmc cluster 'three clouds' -k 4 --standardize --output labels" in text


@pytest.mark.parametrize("given", ["name", "=s3://points", "a/b=points", "a="])
def test_an_option_that_is_not_right_is_told_in_the_log(serve, given, find_clusters, logged_errors):
    """A table needs a plain name and an address."""
    serve("--parts", given)
    at = find_clusters(wait=False)
    assert "Something went wrong on the server" in at.error[0].value.replace("\\", "")
    assert "give NAME=URL" in logged_errors.pop()
