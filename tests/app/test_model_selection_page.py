"""The model-selection page scores every candidate, shows each, and keeps what worked."""

import base64
import io
import json
import threading
import time
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest

from mmc import engine, registry, selection
from mmc.experiment import Experiment
from mmc.infomax import lsmi
from mmc.judges import dbcv
from mmc.metrics import adjusted_rand_score
from mmc.ui.parameter_sidebar import MAX_CANDIDATES
from mmc.ui.run_job import Outcome

#: No test waits for this long; it only ends one that hangs.
_SECONDS = 600
_VIEWS = ["Cross-validation", "Posteriors", "Graph", "Class priors"]
_TABLE = (
    "name,x,y,group\n"
    + "\n".join(f"r{i},{i % 3 * 10 + i * 7 % 5 / 5},{i % 3 * 4 - i * 3 % 7 / 9},g{i % 3}" for i in range(30))
).encode()


class Gate:
    """Lets the candidates of every search through one by one."""

    def __init__(self) -> None:
        self.allowed = threading.Semaphore(0)
        self._sweep = selection.sweep

    def __call__(self, *args, **options):
        """Make a sweep that waits before each candidate is given."""
        run = self._sweep(*args, **options)
        run._results = self._one_by_one(run._results)
        return run

    def _one_by_one(self, results):
        for trial in results:
            assert self.allowed.acquire(timeout=_SECONDS)
            yield trial

    def open(self, at, n):
        """Let some candidates through and wait until the page's job has them."""
        job = at.session_state["visit"].job.job
        wanted = n + (len(job.partial.trials) if job.partial else 0)
        self.allowed.release(n)
        deadline = time.monotonic() + _SECONDS
        while not job.done and (job.partial is None or len(job.partial.trials) < wanted):
            assert time.monotonic() < deadline, "the candidate does not come"
            time.sleep(0.01)


@pytest.fixture
def gate(monkeypatch):
    """Hold back the candidates of the searches that follow; at the end let them all go."""
    gate = Gate()
    monkeypatch.setattr(selection, "sweep", gate)
    monkeypatch.setattr("mmc.ui.result_store._PATIENCE", 0.1)
    yield gate
    gate.allowed.release(1000)


def found(at):
    """Give the candidates that the page shows."""
    return at.session_state["model-selection:"].last[0]


def charts(at):
    """List the charts by their key."""
    return {
        chart.proto.id.rsplit("-", 1)[-1]: json.loads(chart.proto.spec) for chart in at.get("plotly_chart")
    }


def metrics(at):
    """Read the numbers that the page shows."""
    return {metric.label: metric.value for metric in at.metric}


def views(at):
    """List the ways to look at a candidate."""
    return list(at.button_group(key="show").options) if "show" in at.session_state else []


def values(trace, axis):
    """Read the values of a trace, which Plotly may write as a typed array."""
    data = trace[axis]
    if isinstance(data, dict):
        return np.frombuffer(base64.b64decode(data["bdata"]), dtype=data["dtype"]).tolist()
    return list(data)


def fine(at):
    """Check that nothing went wrong and nothing is complained about."""
    assert not at.exception
    assert not at.error
    assert not at.warning
    return at


@pytest.fixture
def offered(monkeypatch):
    """Catch the files that a page offers, by the end of their names."""
    files = {}

    def button(label, data, file_name, mime, **options):
        files[file_name.rpartition("-")[2]] = data

    monkeypatch.setattr("mmc.ui.export_view.st.download_button", button)
    return files


def test_the_first_sight_is_a_good_result(model_selection):
    """Without an address ten candidates are scored, and the chosen one finds the three clouds."""
    at = fine(model_selection())
    assert not at.info
    result = found(at)
    assert [t.parameters["n_neighbors"] for t in result.trials] == list(range(1, 11))
    assert result.search.score == "lsmi"
    assert adjusted_rand_score(result.dataset.y, result.best.labels) == 1.0
    assert metrics(at)["Adjusted Rand index"] == "1.000"
    assert metrics(at)["LSMI"] == f"{max(t.score for t in result.trials):.4g}"
    assert metrics(at)["Chosen: Neighbours t"] == f"{result.best.parameters['n_neighbors']}"
    assert len(at.main.get("image") or at.main.get("imgs")) == 10
    assert list(charts(at)) == ["chart_0", "curve", "cv"]
    assert views(at) == _VIEWS


def test_the_curve_is_that_of_the_candidates(model_selection):
    """Scores and agreement are laid over the same candidates, and LSMI is that of a direct call."""
    at = fine(model_selection(n="60"))
    result = found(at)
    laid, curve = charts(at)["curve"]["data"]
    assert curve["x"] == laid["x"] == [str(t) for t in range(1, 11)]
    assert values(curve, "y") == [t.score for t in result.trials]
    assert values(laid, "y") == [adjusted_rand_score(result.dataset.y, t.labels) for t in result.trials]
    third = result.trials[2]
    assert third.score == pytest.approx(lsmi(result.search.experiment.data.load().X, third.labels).value)


def test_the_address_describes_the_search(model_selection):
    """Every part of an address reaches its control and the search itself."""
    at = fine(
        model_selection(
            data="moons",
            n="60",
            seed="3",
            noise="0.05",
            candidates="2, 4,7",
            score="stability",
            sweep="n_neighbors",
            normalize="false",
            n_clusters="3",
            at="4",
            show="Graph",
            rival="true",
        )
    )
    result, rival = at.session_state["model-selection:"].last[0], at.session_state["model-selection:"].rival
    experiment = result.search.experiment
    assert experiment.data.source == "moons"
    options = experiment.data.options
    assert (options["n_samples"], options["random_state"], options["noise"]) == (60, 3, 0.05)
    assert experiment.parameters["normalize"] is False
    assert experiment.parameters["n_clusters"] == 3
    assert "n_neighbors" not in experiment.parameters
    assert (result.search.parameter, result.search.values) == ("n_neighbors", (2, 4, 7))
    assert result.search.score == "stability"
    assert (at.session_state["at"], at.session_state["show"]) == ("4", "Graph")
    assert metrics(at)["Stability"] == f"{result.trials[1].score:.4g}"
    assert "graph" in charts(at)
    assert (rival.search.experiment.algorithm, rival.search.score) == ("MIC", "mlmi")
    assert rival.search.values == (2, 4, 7)


def test_the_same_address_gives_the_same_curve(model_selection, monkeypatch):
    """Two visits see the same candidates, also when nothing is remembered between them."""
    address = {"data": "spirals", "n": "60", "seed": "5", "candidates": "1,2,6"}
    first = found(fine(model_selection(**address)))
    monkeypatch.setattr("mmc.ui.result_store.Store.get", lambda self, key: None)
    second = found(fine(model_selection(**address)))
    assert first is not second
    assert [t.score for t in first.trials] == [t.score for t in second.trials]
    for one, other in zip(first.trials, second.trials, strict=True):
        np.testing.assert_array_equal(one.labels, other.labels)


_DRAWN = {
    "Posteriors": ["posteriors"],
    "Cross-validation": ["cv"],
    "Graph": ["graph"],
    "Class priors": ["prior_map", "prior_curve", "imbalance_curve"],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "view"), [*(("SMIC", view) for view in _VIEWS), *(("MIC", view) for view in _VIEWS[:3])]
)
def test_every_view_is_drawn(name, view, model_selection):
    """Each way to look at a candidate opens by its address with a chart of its own."""
    at = fine(model_selection(algorithm=name, n="60", candidates="3,6", show=view))
    assert at.session_state["show"] == view
    assert list(charts(at)) == ["chart_0", "curve", *_DRAWN[view]]
    assert all(chart.proto.alt for chart in at.get("plotly_chart"))
    assert views(at) == (_VIEWS if name == "SMIC" else _VIEWS[:3])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("address", "absent"),
    [
        ({"algorithm": "UMCRLS"}, ["Posteriors", "Graph", "Class priors"]),
        (
            {"algorithm": "UMCRLS", "score": "objective"},
            ["Posteriors", "Graph", "Class priors", "Cross-validation"],
        ),
        ({"score": "stability"}, ["Cross-validation"]),
        ({"kernel": "rbf"}, ["Graph"]),
    ],
    ids=["UMCRLS", "UMCRLS by objective", "stability", "a dense kernel"],
)
def test_views_without_sense_are_absent(address, absent, model_selection):
    """A view that the model or the score has nothing for is not offered, even if the address asks for it."""
    at = model_selection(n="60", candidates="2,3", show=absent[-1], **address)
    assert not at.exception
    assert not at.error
    left = [name for name in _VIEWS if name not in absent]
    assert views(at) == left
    assert [f"show={absent[-1]}" in warning.value.replace("\\", "") for warning in at.warning] == [
        True
    ] * bool(left)
    assert "chart_0" in charts(at)


def test_the_slider_moves_between_the_candidates(model_selection, settle):
    """Numbers, curve, pictures and steps are those of the candidate that the slider names."""
    at = fine(model_selection(n="60", candidates="2,3,6"))
    assert at.session_state["at"] == "best"
    for i, t in enumerate(("2", "3", "6")):
        at.select_slider(key="at").set_value(t)
        fine(settle(at))
        trial = found(at).trials[i]
        (recording,) = at.session_state["visit"].reached[Outcome].recordings.values()
        np.testing.assert_array_equal(recording.labels, trial.labels)
        assert recording.estimator.n_neighbors == int(t)
        assert metrics(at)["LSMI"] == f"{trial.score:.4g}"
        sizes = charts(at)["curve"]["data"][1]["marker"]["size"]
        assert sizes.index(max(sizes)) == i


def test_a_thumbnail_chooses_its_candidate(model_selection, settle):
    """The button below a picture moves the slider there, and only it stands out."""
    at = fine(model_selection(n="60", candidates="2,3,6"))
    for i, t in ((2, "6"), (0, "2")):
        at.button(key=f"look {i}").click()
        fine(settle(at))
        assert at.session_state["at"] == at.select_slider(key="at").value == t
        kinds = [at.button(key=f"look {j}").proto.type for j in range(3)]
        assert [j for j, kind in enumerate(kinds) if kind == "primary"] == [i]
        (recording,) = at.session_state["visit"].reached[Outcome].recordings.values()
        assert recording.estimator.n_neighbors == int(t)


def test_the_choice_does_not_outlive_its_candidates(model_selection, settle):
    """When other candidates are given, a choice that is no longer among them gives way to the best."""
    at = fine(model_selection(n="60", candidates="2,3", at="2"))
    at.text_input(key="candidates").set_value("3,6")
    fine(settle(at))
    assert at.session_state["at"] == "best"
    assert at.select_slider(key="at").options == ["best", "3", "6"]


def test_the_rival_has_a_curve_of_its_own(model_selection):
    """MIC, chosen by MLMI, stands below with the same candidates and its own choice."""
    at = fine(model_selection(n="60", candidates="3,6", rival="true"))
    rival = at.session_state["model-selection:"].rival
    assert [t.parameters["n_neighbors"] for t in rival.trials] == [3, 6]
    assert list(charts(at)) == ["chart_0", "curve", "rival_curve", "cv"]
    assert "MIC, chosen by MLMI" in [heading.value for heading in at.subheader]
    chosen = rival.best.parameters["n_neighbors"]
    assert any(f"MLMI chooses {chosen}." in text.value for text in at.markdown)
    assert values(charts(at)["rival_curve"]["data"][1], "y") == [t.score for t in rival.trials]


@pytest.mark.parametrize("address", [{"algorithm": "UMCRLS"}, {"kernel": "rbf"}], ids=["UMCRLS", "width"])
def test_there_is_no_rival_where_the_paper_has_none(address, model_selection):
    """Without a comparison in the paper there is no toggle, whatever the address says."""
    at = fine(model_selection(n="60", candidates="1,2", rival="true", **address))
    assert at.session_state["model-selection:"].rival is None
    assert "rival" not in [toggle.key for toggle in at.toggle]


@pytest.mark.slow
@pytest.mark.parametrize("name", [entry.name for entry in registry.ALGORITHMS.values() if entry.tune])
def test_every_algorithm_can_be_swept(name, model_selection):
    """LSMI chooses among two values of what decides most in each algorithm of the registry."""
    parameter = registry.get(name).tune
    values = (0.1, 1) if parameter == "gini_threshold" else (1, 2)  # an index is at most 1
    at = fine(model_selection(algorithm=name, n="40", candidates="{},{}".format(*values)))
    result = found(at)
    assert (result.search.parameter, result.search.values) == (parameter, values)
    scores = [lsmi(result.search.experiment.data.load().X, t.labels).value for t in result.trials]
    assert [t.score for t in result.trials] == pytest.approx(scores)
    assert result.best.score == max(t.score for t in result.trials)
    assert {"curve", "chart_0"} <= set(charts(at))


@pytest.mark.slow
@pytest.mark.parametrize("score", selection.SCORES)
def test_every_score_can_choose(score, model_selection):
    """Each score orders the candidates of UMCRLS's neighbours, and the highest one is chosen."""
    at = fine(model_selection(algorithm="UMCRLS", n="60", candidates="5,9", score=score, n_init="1"))
    result = found(at)
    assert result.search.score == score
    assert str(result.best.parameters["n_neighbors"]) == metrics(at)["Chosen: Neighbours"]
    assert np.isfinite([t.score for t in result.trials]).all()


@pytest.mark.parametrize(
    ("name", "parameter"), [("KMeans", "n_clusters"), ("GaussianMixture", "n_components")]
)
def test_the_number_of_clusters_can_be_chosen(name, parameter, model_selection, settle):
    """Only scores that can choose it are offered, density first, also where the address asks for another."""
    address = {"algorithm": name, "n": "60", "sweep": parameter, "candidates": "2,3,4", "score": "lsmi"}
    at = model_selection(**address)
    assert "(dbcv was taken)" in at.warning[0].value.replace("\\", "")
    result = found(at)
    assert (result.search.parameter, result.search.score) == (parameter, "dbcv")
    X = result.search.experiment.data.load().X
    assert list(at.selectbox(key="score").options) == [
        "dbcv",
        *(n for n in selection.CHOOSE_K if n != "dbcv"),
    ]
    chosen = max(result.trials, key=lambda trial: dbcv(X, trial.labels))
    assert metrics(at)["Chosen: Clusters k"] == f"{chosen.parameters[parameter]}"
    assert metrics(at)["Density (DBCV)"] == f"{result.best.score:.4g}"
    at.selectbox(key="score").set_value("silhouette")
    fine(settle(at))
    assert found(at).search.score == "silhouette"


def test_another_parameter_offers_all_scores_again(model_selection, settle):
    """From the number of clusters to another parameter the score stays, and LSMI is offered."""
    at = fine(model_selection(n="60", sweep="n_clusters", candidates="2,3"))
    assert found(at).search.score == "dbcv"
    assert not [toggle for toggle in at.toggle if toggle.key == "rival"]
    at.selectbox(key="sweep").set_value("n_neighbors")
    fine(settle(at))
    assert (found(at).search.parameter, found(at).search.score) == ("n_neighbors", "dbcv")
    assert list(at.selectbox(key="score").options) == list(selection.SCORES)


@pytest.mark.slow
def test_switching_the_algorithm_keeps_the_page(model_selection, settle):
    """Another algorithm brings its own parameters and views, and nothing is left of the former's."""
    at = fine(model_selection(n="60", candidates="2,3", at="3", show="Class priors"))
    at.selectbox(key="algorithm").set_value("StocRLS")
    fine(settle(at))
    assert found(at).search.experiment.algorithm == "StocRLS"
    assert views(at) == ["Cross-validation"]
    at.selectbox(key="algorithm").set_value("SMIC")
    fine(settle(at))
    assert views(at)[:3] == _VIEWS[:3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b", "“Neighbours t” = 'a'"),
        ("1,,2", "“Neighbours t” = ''"),
        ("1;2", "“Neighbours t” = '1;2'"),
        ("inf", "“Neighbours t” = 'inf'"),
        ("0", "“Neighbours t”"),
        (",".join(map(str, range(1, MAX_CANDIDATES + 2))), "41 candidates are more than the 40"),
    ],
    ids=["words", "a gap", "semicolon", "infinity", "no value possible", "too many"],
)
def test_bad_candidates_are_named_and_the_last_result_stays(text, words, model_selection, settle):
    """The message says which candidate cannot be, above the former curve."""
    at = fine(model_selection(n="60", candidates="3,6"))
    before = found(at)
    at.text_input(key="candidates").set_value(text)
    settle(at)
    assert not at.exception
    (message,) = [error.value.replace("\\", "") for error in at.error]
    assert words in message
    assert found(at) is before
    assert "curve" in charts(at)
    assert any("last result" in caption.value for caption in at.caption)


def test_as_many_candidates_as_allowed_are_run(model_selection, settle, monkeypatch):
    """The limit itself is fine, one given twice counts once, and one more is refused."""
    monkeypatch.setattr("mmc.ui.parameter_sidebar.MAX_CANDIDATES", 2)
    at = fine(model_selection(n="60", candidates="3,6, 3,6.0"))
    assert found(at).search.values == (3, 6)
    at.text_input(key="candidates").set_value("3,6,9")
    settle(at)
    assert "3 candidates are more than the 2" in at.error[0].value


def test_a_word_among_the_candidates_does_not_break_the_page(model_selection):
    """The word lsmi is a value of the parameter, but no number: it is run or refused, without a traceback."""
    at = model_selection(n="60", candidates="lsmi,3")
    assert not at.exception
    if not at.error:
        assert len(found(at).trials) == 2


def test_a_failed_candidate_is_said_and_cannot_be_chosen(model_selection):
    """Its reason is shown, its button is off, and the others are scored."""
    at = fine(model_selection(n="60", candidates="0,3,6"))
    assert [bool(t.error) for t in found(at).trials] == [True, False, False]
    assert any(
        "1 of 3 candidates failed" in caption.value and "“Neighbours t”" in caption.value
        for caption in at.caption
    )
    assert [at.button(key=f"look {i}").disabled for i in range(3)] == [True, False, False]
    assert found(at).best.parameters["n_neighbors"] in (3, 6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SMIC", "UMCRLS"])
def test_looking_at_a_failed_candidate_does_not_break_the_page(name, model_selection):
    """An address or the slider may name a candidate that failed; the page says so or shows another."""
    at = model_selection(algorithm=name, n="60", candidates="0,3,6", at="0")
    assert not at.exception
    assert "curve" in charts(at)


@pytest.mark.slow
@pytest.mark.parametrize(
    "address",
    [
        {"at": "77"},
        {"show": "nonsense", "rival": "maybe", "normalize": "maybe"},
        {"score": "nonsense", "algorithm": "nonsense"},
        {"sweep": "nonsense"},
        {"sweep": "n_clusters"},
        {"kernel": "rbf", "sweep": "n_neighbors"},
        {"class_prior": "1, 2"},
        {"class_prior": "a"},
    ],
    ids=lambda address: "&".join(f"{k}={v}" for k, v in address.items()),
)
def test_a_wrong_address_never_breaks_the_page(address, model_selection):
    """A value in the address that cannot be is ignored or named in a message, never a traceback."""
    at = model_selection(n="60", candidates="3,6", **address)
    assert not at.exception
    if at.error:
        label = registry.get("SMIC").parameter(next(iter(address))).label
        assert f"“{label}”" in at.error[0].value.replace("\\", "")
    else:
        assert len(found(at).trials) == 2


def test_more_neighbours_than_points_mean_all_of_them(model_selection):
    """Candidates beyond the number of points are no error, and give what all neighbours give."""
    at = fine(model_selection(n="20", candidates="3,19,20,500"))
    trials = found(at).trials
    assert [t.error for t in trials] == [""] * 4
    for t in trials[2:]:
        np.testing.assert_array_equal(t.labels, trials[1].labels)


def test_without_reference_there_is_no_agreement(model_selection):
    """Data without reference labels show scores alone: no ARI among numbers, curve and table."""
    at = fine(model_selection(data="noise", n="60", candidates="3,6", rival="true"))
    assert set(metrics(at)) == {"Chosen: Neighbours t", "LSMI"}
    for key in ("curve", "rival_curve"):
        assert len(charts(at)[key]["data"]) == 1
    assert not [text.value for text in at.markdown if "Rand" in text.value]
    assert "adjusted Rand index" not in found(at).table().columns


def test_class_priors_without_reference_are_compared_with_the_clusters(model_selection):
    """Where there is no reference, the effect of a share is measured against the clusters shown."""
    at = fine(model_selection(data="noise", n="60", candidates="3,6", show="Class priors"))
    assert [trace["name"] for trace in charts(at)["prior_curve"]["data"]] == [
        "agreement with the clusters shown above"
    ]


def test_the_share_changes_the_posteriors(model_selection, settle):
    """Another share of the smallest cluster gives another map, and equal shares are what is shown above."""
    at = fine(model_selection(data="moons", n="60", candidates="4", show="Class priors"))
    equal = charts(at)["prior_map"]["data"][0]["z"]
    mean = values(charts(at)["prior_curve"]["data"][1], "y")
    assert mean[-1] == 1.0
    at.select_slider(key="share").set_value(0.05)
    fine(settle(at))
    assert charts(at)["prior_map"]["data"][0]["z"] != equal


@pytest.mark.slow
@pytest.mark.parametrize("k", ["2", "12", "25"])
def test_class_priors_of_any_number_of_clusters(k, model_selection):
    """With fewer, more or very many clusters than classes the view says nothing wrong and breaks nothing."""
    at = fine(model_selection(n="60", candidates="3", n_clusters=k, show="Class priors"))
    assert at.session_state["show"] == "Class priors"
    assert k == "25" or "prior_curve" in charts(at)


@pytest.mark.slow
def test_the_shares_follow_the_number_of_clusters(model_selection, settle):
    """A share that is too large for more clusters gives way, as does an eigenvector that is no more."""
    at = fine(model_selection(data="noise", n="60", candidates="3", show="Class priors"))
    at.select_slider(key="share").set_value(0.45)
    settle(at)
    at.slider(key="n_clusters").set_value(4)
    fine(settle(at))
    assert at.select_slider(key="share").value <= 0.25
    at.button_group(key="show").set_value("Graph")
    settle(at)
    at.selectbox(key="field").set_value(3)
    settle(at)
    at.slider(key="n_clusters").set_value(2)
    fine(settle(at))
    assert "graph" in charts(at)


def test_more_clusters_than_points_is_said(model_selection, settle):
    """Where k is more than the points the message says so, and the last result stays."""
    at = fine(model_selection(n="60", candidates="3,6"))
    before = found(at)
    at.selectbox(key="data").set_value("table")
    settle(at)
    at.slider(key="n_clusters").set_value(5)
    at.file_uploader(key="upload").set_value(("t.csv", b"a,b\n1,2\n3,4\n5,9\n", "text/csv"))
    settle(at)
    assert not at.exception
    (message,) = [error.value.replace("\\", "") for error in at.error]
    assert "“Clusters k” = 5" in message
    assert found(at) is before
    assert "curve" in charts(at)


def test_a_table_is_asked_for_and_then_searched(model_selection, settle):
    """Without a file the page asks for one; with it candidates are scored, and a reference adds its curve."""
    at = fine(model_selection(n="60", candidates="3,6"))
    at.selectbox(key="data").set_value("table")
    settle(at)
    assert not at.exception
    assert not at.error
    (message,) = [info.value for info in at.info]
    assert "Load a table" in message
    assert found(at).dataset.name == "three-gaussians"
    at.file_uploader(key="upload").set_value(("mine.csv", _TABLE, "text/csv"))
    fine(settle(at))
    assert (found(at).dataset.name, found(at).dataset.n_samples) == ("mine.csv", 30)
    assert len(found(at).dataset.feature_names) == 2
    label = next(box for box in at.selectbox if (box.key or "").startswith("label_"))
    assert label.value == "group"  # by its name
    label.set_value(None)
    fine(settle(at))
    assert len(found(at).dataset.feature_names) == 2
    assert "Adjusted Rand index" not in metrics(at)
    label = next(box for box in at.selectbox if (box.key or "").startswith("label_"))
    label.set_value("group")
    fine(settle(at))
    assert metrics(at)["Adjusted Rand index"] == "1.000"
    assert len(charts(at)["curve"]["data"]) == 2


def test_a_table_page_opened_by_link_asks_for_the_table(model_selection):
    """Who opens a link to a table sees a request, no traceback and no empty chart."""
    at = model_selection(data="table")
    assert not at.exception
    assert not at.error
    assert len(at.info) == 1
    assert charts(at) == {}


@pytest.mark.slow
@pytest.mark.parametrize("view", ["Posteriors", "Class priors"])
def test_a_single_column_says_why_there_is_no_map(view, model_selection, settle):
    """One feature spans no plane: the page says so in words and shows the rest."""
    at = fine(model_selection(n="60", candidates="3,6", show=view))
    at.selectbox(key="data").set_value("table")
    settle(at)
    rows = "\n".join(f"{i % 3 * 10 + i * 7 % 5 / 5}" for i in range(30))
    at.file_uploader(key="upload").set_value(("one.csv", f"a\n{rows}".encode(), "text/csv"))
    fine(settle(at))
    (message,) = [info.value for info in at.info]
    assert "column" in message or "feature" in message
    assert "posteriors" not in charts(at)


@pytest.mark.slow
def test_digits_say_why_posteriors_are_not_drawn(model_selection, settle):
    """Two components of 64 pixels show too little for a map, but scores, pictures and priors are there."""
    at = fine(model_selection(data="digits", classes=["3", "8"], candidates="3,7", show="Posteriors"))
    result = found(at)
    assert len(result.dataset.feature_names) > 2
    assert result.search.experiment.parameters["n_clusters"] == 2
    assert adjusted_rand_score(result.dataset.y, result.best.labels) > 0.8
    (message,) = [info.value for info in at.info]
    assert "too little" in message
    assert list(charts(at)) == ["chart_0", "curve"]
    at.button_group(key="show").set_value("Class priors")
    fine(settle(at))
    assert "prior_map" not in charts(at)
    assert "prior_curve" in charts(at)


def test_the_curve_grows_and_cancel_keeps_what_is_done(model_selection, settle, gate):
    """While the search goes on its candidates are shown; Cancel leaves them, and no new search begins."""
    at = model_selection(wait=False, n="60", seed="911")
    assert not at.exception
    assert len(at.get("progress")) == 1
    assert charts(at) == {}
    gate.open(at, 2)
    at.run()
    assert len(at.get("progress")) == 1
    assert charts(at)["growing_curve"]["data"][1]["x"] == ["1", "2"]
    assert tuple(charts(at)["growing_curve"]["layout"]["xaxis"]["range"]) == (-0.5, 9.5)
    assert len([caption for caption in at.caption if caption.value.startswith(("**1**:", "**2**:"))]) == 2
    assert at.session_state["model-selection:"].last is None
    next(button for button in at.button if button.label == "Cancel").click().run()  # need not wait
    assert not at.exception
    assert not at.error
    (message,) = [warning.value for warning in at.warning]
    assert "cancelled" in message
    assert [t.parameters["n_neighbors"] for t in found(at).trials] == [1, 2]
    assert charts(at)["curve"]["data"][1]["x"] == ["1", "2"]
    kept = found(at)
    at.select_slider(key="at").set_value("2")
    settle(at)
    assert found(at) is kept
    assert len(at.warning) == 1


def test_a_search_goes_on_to_its_end(model_selection, settle, gate):
    """When the last candidate has come the page shows all of them without being asked."""
    at = model_selection(wait=False, n="60", seed="912", candidates="2,3")
    gate.open(at, 1)
    at.run()
    assert charts(at)["growing_curve"]["data"][1]["x"] == ["2"]
    gate.open(at, 1)
    fine(settle(at))
    assert [t.parameters["n_neighbors"] for t in found(at).trials] == [2, 3]
    assert found(at).stopped == ""


def test_two_cancelled_searches_both_stay(model_selection, settle, gate):
    """Whoever cancels the search and its rival can look at what both had, without starting them again."""
    at = model_selection(wait=False, n="60", seed="913", candidates="2,3,4", rival="true")
    for _ in range(2):
        next(button for button in at.button if button.label == "Cancel").click().run()
        gate.open(at, 1)
        assert at.session_state["visit"].job.wait(_SECONDS)
        at.run()
    gate.allowed.release(1000)
    settle(at)
    assert not at.exception
    main, rival = at.session_state["model-selection:"].last[0], at.session_state["model-selection:"].rival
    assert len(main.trials) == len(rival.trials) == 1
    at.button_group(key="show").set_value("Graph")
    settle(at)
    assert at.session_state["model-selection:"].last[0] is main
    assert at.session_state["model-selection:"].rival is rival


def test_a_candidate_whose_run_is_cancelled_is_said(model_selection, settle, tmp_path):
    """Cancel while the chosen candidate waits for a free place gives a message, not a traceback."""
    at = fine(model_selection(n="60", seed="914", candidates="2,3"))
    other = "3" if found(at).best.parameters["n_neighbors"] == 2 else "2"

    def held_up(gate, task, report):
        while not gate.exists():
            time.sleep(0.01)

    workers = engine.pool()
    busy = workers.submit(held_up, tmp_path / "gate", range(workers.n_workers))
    at.select_slider(key="at").set_value(other)
    at.run()
    next(button for button in at.button if button.label == "Cancel").click().run()
    (tmp_path / "gate").touch()
    assert not any(end.error for end in busy)
    settle(at)
    assert not at.exception
    assert any("ancelled" in text.value for text in [*at.error, *at.warning, *at.info])
    assert "curve" in charts(at)


def test_the_exported_curve_is_the_table(model_selection, offered):
    """The file has a row for each candidate: its value, score, agreement, objective, sizes and errors."""
    at = fine(model_selection(n="60", candidates="0,3,6"))
    written = pd.read_csv(io.StringIO(offered["scores.csv"]()), keep_default_na=False, na_values=["nan", ""])
    table = found(at).table()
    assert list(written.columns) == list(table.columns)
    assert list(written.columns)[:3] == ["n_neighbors", "lsmi", "adjusted Rand index"]
    assert written["n_neighbors"].tolist() == [0, 3, 6]
    for name in ("lsmi", "adjusted Rand index", "objective", "clusters", "seconds"):
        np.testing.assert_allclose(written[name].astype(float), table[name].astype(float), rtol=1e-9)
    assert "n_neighbors" in written["error"][0]
    assert written["error"].isna().tolist() == [False, True, True]


@pytest.mark.slow
@pytest.mark.parametrize("address", [{"at": "6"}, {"algorithm": "UMCRLS", "at": "3", "n_init": "2"}])
def test_the_exported_experiment_makes_the_labels_of_its_candidate(address, model_selection, offered):
    """Read again, the file of the candidate that is looked at gives its labels, as does the labels file."""
    at = fine(model_selection(n="60", candidates="3,6", **address))
    trial = next(
        t for t in found(at).trials if f"{t.parameters[found(at).search.parameter]:g}" == address["at"]
    )
    again = Experiment.from_json(offered["experiment.json"]())
    assert again.parameters[found(at).search.parameter] == trial.parameters[found(at).search.parameter]
    np.testing.assert_array_equal(again.make().fit(again.data.load().X).labels_, trial.labels)
    written = pd.read_csv(io.StringIO(offered["labels.csv"]()))
    assert written["cluster"].tolist() == trial.labels.tolist()


def test_a_candidate_opens_in_the_playground(model_selection, playground):
    """The link below leads to the same labels on the other page."""
    at = fine(model_selection(data="moons", n="60", seed="4", candidates="3,6", at="6", normalize="false"))
    (link,) = [link.proto for link in at.get("page_link") if link.proto.query_string]
    there = playground(**parse_qs(link.query_string))
    assert not there.error
    assert there.session_state["playground:"].last.experiment.algorithm == "SMIC"
    np.testing.assert_array_equal(
        there.session_state["playground:"].last.main.labels, found(at).trials[1].labels
    )


def test_a_candidate_beyond_what_the_playground_takes_is_shown_all_the_same(model_selection):
    """A value that the other page would refuse costs nobody this page."""
    at = model_selection(algorithm="MIC", n="60", candidates="6,400", at="400")
    assert not at.exception
    assert {"curve", "chart_0"} <= set(charts(at))


def test_reference_labels_never_change_the_choice(model_selection, settle):
    """With and without reference labels the scores and the choice are the same."""
    at = fine(model_selection(n="60", candidates="3,6"))
    at.selectbox(key="data").set_value("table")
    settle(at)
    at.file_uploader(key="upload").set_value(("mine.csv", _TABLE, "text/csv"))
    label = next(box for box in settle(at).selectbox if (box.key or "").startswith("label_"))
    label.set_value(None)
    settle(at)
    before = found(at)
    label = next(box for box in at.selectbox if (box.key or "").startswith("label_"))
    label.set_value("group")
    settle(at)
    assert (before.dataset.y is None, found(at).dataset.y is None) == (True, False)
    assert [t.score for t in found(at).trials] == [t.score for t in before.trials]


@pytest.mark.slow
def test_normalisation_off_is_worse_on_the_circle(model_selection):
    """What the lesson promises: without normalisation the circle and the cloud are not found."""
    agreement = [
        found(fine(model_selection(data="circle-gaussian", n="200", candidates="5,7", normalize=text)))
        for text in ("true", "false")
    ]
    on, off = (max(result.references) for result in agreement)
    assert on > 0.95
    assert off < 0.5
