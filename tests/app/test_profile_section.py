"""What the clusters are, below a run and below an answer, when it is asked for."""

import numpy as np
import pandas as pd
import pytest

from mmc import work
from mmc.datasets import load_iris
from mmc.experiment import Data

_NASTY = "<script>alert(1)</script> **b** $x$"


def toggle(at):
    """Find the switch."""
    return next(widget for widget in at.toggle if widget.key == "profile")


def charts(at):
    """Count the charts on the page."""
    return len(at.get("plotly_chart"))


def test_nothing_is_computed_before_it_is_asked_for(playground, settle):
    """The switch is off; when it is turned on, tables and figures come, and files of them."""
    at = playground(data="iris")
    assert toggle(at).value is False
    before = charts(at)
    toggle(at).set_value(True)
    settle(at)
    assert not at.exception
    assert not at.error
    assert charts(at) == before + 3
    overview = next(each.value for each in at.dataframe if "rule" in each.value)
    result = at.session_state["playground:"].last
    assert overview["size"].tolist() == np.bincount(result.main.labels).tolist()
    assert all("≤" in rule or ">" in rule for rule in overview["rule"])
    labels = {button.label for button in at.get("download_button")}
    assert {"Report (HTML)", "Profile (CSV)"} <= labels


def test_the_address_opens_it(find_clusters):
    """A link to an answer shows what its clusters are, in rows of all clusters and those of none."""
    at = find_clusters(n="60", k="3", profile="true", outliers="true")
    assert not at.exception
    assert toggle(at).value is True
    found, marked = at.session_state["find-clusters:"].last
    assert marked
    overview = next(each.value for each in at.dataframe if "most telling columns" in each.value)
    assert len(overview) == found.best.candidate.n_clusters
    assert overview["size"].sum() <= 60


def test_another_cluster_is_looked_at(playground, settle):
    """The chosen cluster has its own rows and rule."""
    at = playground(data="iris", profile="true")
    examples = next(each.value for each in at.dataframe if "example" in each.value)
    next(box for box in at.selectbox if box.key == "profile_cluster").set_value(1)
    settle(at)
    assert not at.exception
    others = next(each.value for each in at.dataframe if "example" in each.value)
    assert not examples["row"].equals(others["row"])
    result = at.session_state["playground:"].last
    assert (result.main.labels[others["row"]] == 1).all()


def test_either_of_two_algorithms(playground, settle):
    """With two algorithms side by side a control chooses whose clusters are described."""
    at = playground(data="moons", n="60", beside="SteepRLS", profile="true")
    assert not at.exception
    control = next(each for each in at.get("button_group") if each.key == "profile_of")
    assert control.value == "UMCRLS"


@pytest.fixture
def hostile(playground, settle):
    """Open the playground with a table whose names and texts are meant for a browser."""
    rng = np.random.default_rng(0)
    values = np.repeat([0.0, 5.0, 9.0], 10) + rng.normal(size=30)
    table = pd.DataFrame({"=cmd()": rng.normal(size=30) / 10, _NASTY: values})
    table["text"] = ["<img src=x>", "**b**", "=1+1"] * 10
    at = playground(data="three-gaussians", n="60", profile="true")
    at.selectbox(key="data").set_value("table")
    settle(at)
    at.file_uploader(key="upload").set_value(("t.csv", table.to_csv(index=False).encode(), "text/csv"))
    return settle(at)


def test_text_of_a_table_is_never_rendered(hostile):
    """Column names are escaped where they are Markdown; in tables they stay as they are."""
    assert not hostile.exception
    assert not hostile.error
    assert hostile.session_state["playground:"].last.dataset.name == "t.csv"
    for kind in ("markdown", "caption"):
        for each in hostile.get(kind):
            assert _NASTY not in each.value
            assert "<script" not in each.value.replace("\\<", "")
    rule = next(each.value for each in hostile.get("markdown") if "script" in each.value)
    assert r"\<script\>" in rule
    overview = next(each.value for each in hostile.dataframe if "rule" in each.value)
    assert any(_NASTY in columns for columns in overview["most telling columns"])


def test_workers_make_what_is_drawn_and_the_files():
    """All that the server keeps is small; the files have the title of the data, escaped, and all columns."""
    labels = load_iris().codes
    described = work.describe(None, (Data("iris"), labels, None, {0: 2, 1: 1, 2: 0}), lambda share: True)
    assert list(described.effects) == [0, 1, 2]
    assert described.silhouettes is not None
    assert described.lines is not None
    assert 10_000 < described.nbytes < 500_000
    page, table = (
        work.write_profile(described.profile, (ending, "A & <b>"), lambda share: True)
        for ending in ("html", "csv")
    )
    assert "<h1>A &amp; &lt;b&gt;</h1>" in page
    assert len(table.splitlines()) == 1 + 3 * 4  # the classes are no column that tells clusters apart
    assert "class" in described.profile.examples


def test_pieces_of_a_cloud_are_warned_of(playground, settle):
    """What an algorithm cuts from points without clusters is described with a warning, and moons without."""
    at = playground(data="moons", n="200", profile="true")
    assert not at.warning
    points = np.random.default_rng(0).normal(size=(200, 3))
    content = pd.DataFrame(points, columns=list("abc")).to_csv(index=False).encode()
    at.selectbox(key="data").set_value("table")
    settle(at)
    at.file_uploader(key="upload").set_value(("cloud.csv", content, "text/csv"))
    settle(at)
    at.selectbox(key="algorithm").set_value("KMeans")
    settle(at)
    assert not at.exception
    assert any("where they were cut" in warning.value for warning in at.warning)
