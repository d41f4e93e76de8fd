"""The page that finds clusters says how many there are, shows why, and gives the labels away."""

import io
import json
import threading
import time
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest

from mmc import auto
from mmc.auto import summary, table
from mmc.auto.choice import SUPPORT
from mmc.experiment import Experiment
from mmc.judges import JUDGES
from mmc.metrics import adjusted_rand_score
from mmc.outliers import find_outliers

#: No test waits for this long; it only ends one that hangs.
_SECONDS = 600
_SMALL = {"n": "60", "most": "4"}
_TABLE = (
    "name,x,y\n"
    + "\n".join(f"=r{i},{i % 3 * 10 + i * 7 % 5 / 5},{i % 3 * 4 - i * 3 % 7 / 9}" for i in range(45))
).encode()


class Gate:
    """Lets the states of every search through one by one."""

    def __init__(self) -> None:
        self.allowed = threading.Semaphore(0)
        self._search = auto.search

    def __call__(self, *args, **options):
        """Make a search that waits before each state is given."""
        for state in self._search(*args, **options):
            assert self.allowed.acquire(timeout=_SECONDS)
            yield state

    def open(self, at, n):
        """Let some states through and wait until the page's job has them."""
        job = at.session_state["visit"].job.job
        self.allowed.release(n)
        deadline = time.monotonic() + _SECONDS
        while job.partial is None or len(job.partial.state.stages[0].trials) < n:
            assert time.monotonic() < deadline, "the candidate does not come"
            time.sleep(0.01)


@pytest.fixture
def gate(monkeypatch):
    """Hold back the candidates of the searches that follow; at the end let them all go."""
    gate = Gate()
    monkeypatch.setattr("mmc.ui.auto_job.search_clusters", gate)
    monkeypatch.setattr("mmc.ui.result_store._PATIENCE", 0.1)
    yield gate
    gate.allowed.release(1000)


@pytest.fixture
def offered(monkeypatch):
    """Catch the files that a page offers, by the end of their names."""
    files = {}

    def button(label, data, file_name, mime, **options):
        files[file_name.rpartition("-")[2]] = data

    monkeypatch.setattr("mmc.ui.export_view.st.download_button", button)
    return files


def found(at):
    """Give the answer that the page shows."""
    return at.session_state["find-clusters:"].last[0]


def charts(at):
    """List the charts by their key."""
    return {
        chart.proto.id.rsplit("-", 1)[-1]: json.loads(chart.proto.spec) for chart in at.get("plotly_chart")
    }


def texts(at):
    """Join all words of the page as they are shown."""
    kinds = ("subheader", "markdown", "caption", "info")
    return " ".join(element.value for kind in kinds for element in at.get(kind)).replace("\\", "")


def fine(at):
    """Check that nothing went wrong and nothing is complained about."""
    assert not at.exception
    assert not at.error
    assert not at.warning
    return at


@pytest.mark.slow
def test_the_first_sight_is_a_good_answer(find_clusters):
    """Without an address the four clouds are found, with words, curves and a picture of every number."""
    at = fine(find_clusters())
    answer = found(at)
    assert answer.best.candidate.n_clusters == 4
    assert adjusted_rand_score(answer.dataset.y, answer.labels(answer.best)) == 1.0
    assert at.subheader[0].value.replace("\\", "").startswith("4 clusters, found by")
    assert "In points without clusters the same search finds" in texts(at)
    assert "Why 4?" in texts(at)
    assert list(answer.by_count) == list(range(2, 13))
    assert len(at.main.get("image") or at.main.get("imgs")) == 11
    assert list(charts(at)) == ["clusters", "counts"]
    assert all(chart.proto.alt for chart in at.get("plotly_chart"))


def test_the_curves_are_those_of_the_candidates(find_clusters):
    """The support is the sum of its parts for the best candidate of each number, and has its own curve."""
    at = fine(find_clusters(**_SMALL))
    answer = found(at)
    curves = {trace["name"]: trace for trace in charts(at)["counts"]["data"]}
    titles = {
        "Agreement",
        *(JUDGES[n].title for n in ("normalized_cut", "worst_cut", "dbcv", "silhouette")),
    }
    assert set(curves) == {"<b>Support</b>", *titles}
    support = curves["<b>Support</b>"]
    assert support["x"] == [2, 3, 4]
    wanted = [sum(each.values[name] for name in SUPPORT) for each in answer.by_count.values()]
    assert support["y"] == pytest.approx(wanted)
    assert support["marker"]["size"].index(15) == support["x"].index(answer.best.candidate.n_clusters)


def test_the_words_are_those_of_the_search(find_clusters):
    """Every sentence of the summary is on the page."""
    at = fine(find_clusters(**_SMALL))
    for sentence in summary(found(at).state).rstrip(".").split(". "):
        assert sentence in texts(at)


def test_a_number_can_be_given(find_clusters):
    """With a given number only that many clusters are tried, and “At most” is switched off."""
    at = fine(find_clusters(n="60", k="3"))
    answer = found(at)
    assert answer.question.n_clusters == 3
    assert list(answer.by_count) == [3]
    assert at.slider(key="most").disabled
    assert "The number was given" in texts(at)
    assert not [slider for slider in at.select_slider if slider.key == "at_k"]


def test_noise_has_no_clusters(find_clusters):
    """Points without groups are told apart from an error, and still shown."""
    at = fine(find_clusters(data="noise", n="100", most="4"))
    (info,) = at.info
    assert info.value.replace("\\", "").startswith("These data show no clusters")
    assert "if there were clusters?" in texts(at)
    assert list(charts(at)) == ["clusters", "counts"]


def test_the_address_describes_the_search(find_clusters):
    """Every part of an address reaches its control and the search itself."""
    at = fine(
        find_clusters(
            data="moons",
            n="60",
            seed="3",
            noise="0.05",
            most="3",
            random_state="7",
            outliers="true",
            at_k="3",
        )
    )
    question = found(at).question
    assert question.data.source == "moons"
    options = question.data.options
    assert (options["n_samples"], options["random_state"], options["noise"]) == (60, 3, 0.05)
    assert (question.n_clusters, question.max_clusters, question.seed) == (None, 3, 7)
    assert at.session_state["find-clusters:"].last[1]
    assert at.select_slider(key="at_k").value == "3"
    assert found(at).best.candidate.parameters.get("random_state", 7) == 7


def test_the_same_address_gives_the_same_answer(find_clusters, monkeypatch):
    """Two visits see the same candidates, also when nothing is remembered between them."""
    address = {"data": "spirals", "n": "50", "most": "3", "seed": "5"}
    first = found(fine(find_clusters(**address)))
    monkeypatch.setattr("mmc.ui.result_store.Store.get", lambda self, key: None)
    second = found(fine(find_clusters(**address)))
    assert first is not second
    one, other = (table(each.state).drop(columns="seconds") for each in (first, second))
    pd.testing.assert_frame_equal(one, other)


def test_a_picture_can_be_pressed(find_clusters, settle):
    """The button below a picture shows that number, says why it was not chosen, and exports it."""
    at = fine(find_clusters(**_SMALL))
    assert at.session_state["at_k"] == "best"
    best = found(at).best.candidate.n_clusters
    other = 2 if best != 2 else 3
    at.button(key=f"look {other}").click()
    fine(settle(at))
    assert at.select_slider(key="at_k").value == str(other)
    kinds = {k: at.button(key=f"look {k}").proto.type for k in (2, 3, 4)}
    assert [k for k, kind in kinds.items() if kind == "primary"] == [other]
    judged = found(at).by_count[other]
    assert f"You look at {judged.answer}" in texts(at)
    assert f"Why not {other}? The support of {judged.answer} is {judged.support:.2f}" in texts(at)
    named = [trace["name"] for trace in charts(at)["clusters"]["data"] if trace.get("name")]
    assert named == [f"cluster {h}" for h in range(other)]


def test_a_choice_does_not_outlive_its_candidates(find_clusters, settle):
    """A number that is no longer tried gives way to the best."""
    at = fine(find_clusters(**_SMALL, at_k="4"))
    at.slider(key="most").set_value(3)
    fine(settle(at))
    assert at.session_state["at_k"] == "best"


def test_the_table_has_every_candidate(find_clusters, monkeypatch):
    """All candidates are listed with plain titles, and those that were not tried say why."""
    at = fine(find_clusters(**_SMALL))
    rows = at.dataframe[0].value
    whole = table(found(at).state)
    assert len(rows) == len(whole)
    assert rows["chosen"].iloc[0]
    assert rows["chosen"].sum() == 1
    left = rows[rows["left_out"] != ""]
    assert len(left) > 0
    assert left["score"].isna().all()
    assert rows[rows["left_out"] == ""]["score"].notna().all()
    assert f"{len(left)} of {len(rows)} candidates were not judged" in texts(at)
    titles = json.loads(at.dataframe[0].proto.columns)
    assert titles["left_out"]["label"] == "Why left out"
    assert {name for name in rows if not titles.get(name, {}).get("label")} == set()


def test_the_files_are_those_of_what_is_looked_at(find_clusters, offered):
    """Labels, candidates, experiment and script describe the number of clusters that is shown."""
    at = fine(find_clusters(**_SMALL, at_k="3", outliers="true"))
    answer = found(at)
    judged = answer.by_count[3]
    labels = pd.read_csv(io.StringIO(offered["labels.csv"]()))
    X = answer.question.data.load().X
    away = find_outliers(X, judged.labels)
    np.testing.assert_array_equal(labels["cluster"], np.where(away, -1, judged.labels))
    candidates = pd.read_csv(io.StringIO(offered["candidates.csv"]()))
    assert list(candidates) == list(table(answer.state))
    assert len(candidates) == len(table(answer.state))
    experiment = Experiment.from_json(offered["experiment.json"]())
    assert (experiment.algorithm, experiment.parameters) == (
        judged.candidate.algorithm,
        judged.candidate.parameters,
    )
    compile(offered["experiment.py"](), "script", "exec")
    assert judged.candidate.algorithm in offered["experiment.py"]()


def test_a_link_opens_the_candidate_in_the_playground(find_clusters, playground):
    """“Watch it run” leads to a run with the labels of the picture."""
    at = fine(find_clusters(**_SMALL))
    (link,) = (each.proto for each in at.get("page_link") if each.proto.label == "Watch it run")
    run = playground(
        **{
            name: values if len(values) > 1 else values[0]
            for name, values in parse_qs(link.query_string).items()
        }
    )
    assert not run.error
    recording = run.session_state["playground:"].last.main
    assert adjusted_rand_score(recording.labels, found(at).best.labels) == 1.0


def test_outliers_are_drawn_apart(find_clusters, settle):
    """The switch marks points that belong nowhere in the picture, and says how many."""
    at = fine(find_clusters(**_SMALL))
    assert "no cluster" not in [trace.get("name") for trace in charts(at)["clusters"]["data"]]
    at.toggle(key="outliers").set_value(True)
    fine(settle(at))
    assert "no cluster" in [trace.get("name") for trace in charts(at)["clusters"]["data"]]
    assert "of 60 points belong nowhere" in texts(at)


def test_an_own_table_is_searched(find_clusters, settle, offered):
    """A table is clustered with nothing set, and its rows come back with their labels, formulas quoted."""
    at = find_clusters(data="table")
    assert not at.error
    assert len(at.info) == 1
    at.file_uploader(key="upload").set_value(("mine.csv", _TABLE, "text/csv"))
    fine(settle(at))
    assert found(at).best.candidate.n_clusters == 3
    content = offered["labels.csv"]()
    assert "'=r0" in content
    labels = pd.read_csv(io.StringIO(content))
    assert list(labels) == ["name", "x", "y", "cluster"]
    assert adjusted_rand_score(np.arange(45) % 3, labels["cluster"]) == 1.0


def test_more_clusters_than_points_are_refused(find_clusters, settle):
    """A number that the data cannot have is refused in words, and the last answer stays."""
    at = fine(find_clusters(**_SMALL))
    at.selectbox(key="data").set_value("table")
    settle(at)
    at.file_uploader(key="upload").set_value(("few.csv", b"a,b\n1,2\n3,4\n9,8\n", "text/csv"))
    at.selectbox(key="k").set_value("9")
    settle(at)
    (error,) = at.error
    assert "“Clusters k” = 9 is more than the number of different points, 3" in error.value.replace("\\", "")
    assert found(at).question.data.source == "four-gaussians"
    assert not at.exception


def test_what_is_done_is_drawn_and_cancel_keeps_it(find_clusters, gate, settle):
    """Curves and pictures grow with the candidates; Cancel ends with the best so far and says so."""
    at = find_clusters(wait=False, seed="11", **_SMALL)
    gate.open(at, 3)
    at.run()
    assert len(at.get("progress")) == 1
    (curves,) = (chart for key, chart in charts(at).items() if key == "growing_counts")
    assert curves["data"][-1]["x"] == [2, 3, 4]
    assert len(at.main.get("image") or at.main.get("imgs")) == 3
    next(button for button in at.button if button.label == "Cancel").click()
    at.run()
    gate.allowed.release(1000)
    settle(at)
    assert not at.exception
    assert any("cancelled" in warning.value for warning in at.warning)
    assert list(charts(at)) == ["clusters", "counts"]
    assert len(found(at).state.stages[0].trials) >= 3
    assert "the search ended before" in set(at.dataframe[0].value["left_out"])


@pytest.mark.slow
def test_of_many_points_all_have_labels(find_clusters):
    """Beyond 2,000 points a number that was tried on a sample is shown with labels of all points."""
    at = fine(find_clusters(data="moons", n="3000", most="3", at_k="3"))
    answer = found(at)
    assert answer.state.rows is None
    assert not answer.is_of_sample(answer.best)
    assert answer.best.candidate.n_clusters == 2
    other = answer.by_count[3]
    assert answer.is_of_sample(other)
    assert len(answer.labels(other)) == 3000
    assert "2,000 points were clustered" in texts(at)
    assert answer.nbytes >= 3000 * 8
