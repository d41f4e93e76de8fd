"""The playground runs what its controls describe and keeps the last good result."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmc import registry
from mmc.datasets import CATALOG, load
from mmc.figures import animation, make_scene, make_view
from mmc.metrics import adjusted_rand_score
from mmc.recording import record
from mmc.ui.messages import plain

_MARKS = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def test_the_first_sight_is_a_good_result(playground):
    """Without an address the page shows three clouds, found right, and no message."""
    at = playground()
    assert not at.exception
    assert not at.error
    assert not at.warning
    result = at.session_state["playground:"].last
    assert adjusted_rand_score(result.dataset.y, result.main.labels) > 0.9
    assert result.stopped == ""
    assert len(at.get("plotly_chart")) == 1
    assert "1.000" in [metric.value for metric in at.metric if metric.label == "Adjusted Rand index"]


@pytest.mark.slow
@pytest.mark.parametrize("key", CATALOG)
def test_every_data_set_runs(key, playground):
    """Each built-in set opens by its address, is clustered and drawn."""
    address = {"data": key}
    if "n_samples" in CATALOG[key].parameters:
        address["n"] = "60"
    if "classes" in CATALOG[key].parameters:
        address["classes"] = ["3", "8"]
    at = playground(**address)
    assert not at.exception
    assert not at.error
    result = at.session_state["playground:"].last
    assert result.dataset.name == key
    assert "n" not in address or result.dataset.n_samples == 60
    wanted = 2 if key == "digits" else CATALOG[key].n_clusters
    assert result.experiment.parameters["n_clusters"] == wanted
    assert len(at.get("plotly_chart")) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.ALGORITHMS)
def test_every_algorithm_runs(name, playground):
    """Each algorithm of the registry opens by its address, with a control for each common parameter."""
    at = playground(algorithm=name, n="60")
    assert not at.exception
    assert not at.error
    result = at.session_state["playground:"].last
    assert list(result.recordings) == [name]
    keys = {
        widget.key
        for kind in ("slider", "select_slider", "selectbox", "toggle", "text_input")
        for widget in at.get(kind)
    }
    entry = registry.get(name)
    defaults = {p.name: entry.default(p.name) for p in entry.parameters}
    common = {p.key for p in entry.parameters if not p.advanced and p.matters(defaults)}
    if entry.clusters and entry.clusters.high == 2:
        common.remove("n_clusters")  # nothing to choose, which a line says instead
        assert any("RecursiveBinary" in caption.value for caption in at.caption)
    assert common <= keys


@pytest.mark.slow
@pytest.mark.parametrize("kernel", registry.get("UMCRLS").parameter("kernel").choices)
def test_every_kernel_runs(kernel, playground):
    """Each kernel runs, and only the parameters that matter with it are part of the experiment."""
    at = playground(kernel=kernel, n="60")
    assert not at.exception
    assert not at.error
    parameters = at.session_state["playground:"].last.experiment.parameters
    assert ("degree" in parameters) == (kernel == "poly")
    assert ("width" in parameters) == (kernel == "rbf")


def test_beside_starts_from_the_same_labels(playground):
    """The second algorithm begins where the first one's kept start began, and both are drawn."""
    at = playground(data="moons", n="60", beside="SteepRLS")
    assert not at.exception
    first, second = at.session_state["playground:"].last.recordings.values()
    assert np.array_equal(first.states[0].labels, second.states[0].labels)
    assert list(at.session_state["playground:"].last.recordings) == ["UMCRLS", "SteepRLS"]
    assert len(at.get("plotly_chart")) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "key", "value", "where"),
    [
        ("select_slider", "alpha", 0.25, "parameters"),
        ("slider", "n_clusters", 4, "parameters"),
        ("slider", "n_shakes", 3, "parameters"),
        ("toggle", "refine", False, "parameters"),
        ("number_input", "random_state", 5, "parameters"),
        ("number_input", "seed", 7, "options"),
        ("select_slider", "n", 80, "options"),
    ],
)
def test_a_changed_control_gives_a_new_result(kind, key, value, where, playground, settle):
    """Moving a control runs the experiment with the new value."""
    at = playground(n="60")
    before = at.session_state["playground:"].last
    next(widget for widget in at.get(kind) if widget.key == key).set_value(value)
    settle(at)
    assert not at.exception
    assert not at.error
    after = at.session_state["playground:"].last
    assert after is not before
    experiment = after.experiment
    used = experiment.parameters if where == "parameters" else experiment.data.options
    assert used[{"n": "n_samples", "seed": "random_state"}.get(key, key)] == value


def test_the_same_address_gives_the_same_labels(playground):
    """Two visits of one address see the same labels and the same Q."""
    first, second = (playground(n="60", seed="3").session_state["playground:"].last for _ in range(2))
    assert np.array_equal(first.main.labels, second.main.labels)
    assert first.main.estimator.objective_ == second.main.estimator.objective_


def test_more_clusters_than_rows_is_said_and_the_last_result_stays(playground, settle):
    """A table of three rows cannot make five clusters: a message says so above the former picture."""
    at = playground(n="60")
    before = at.session_state["playground:"].last
    at.selectbox(key="data").set_value("table")
    settle(at)
    at.slider(key="n_clusters").set_value(5)
    at.file_uploader(key="upload").set_value(("t.csv", b"a,b\n1,2\n3,4\n5,9\n", "text/csv"))
    settle(at)
    assert not at.exception
    (message,) = [error.value for error in at.error]
    assert "Clusters k" in message
    assert "5" in message
    assert at.session_state["playground:"].last is before
    assert len(at.get("plotly_chart")) == 1
    assert any("last result" in caption.value for caption in at.caption)


@pytest.mark.slow
@pytest.mark.parametrize(
    "address",
    [
        {"data": "nonsense"},
        {"algorithm": "nonsense"},
        {"kernel": "nonsense"},
        {"n": "100000"},
        {"n_clusters": "-3"},
        {"n_clusters": "many"},
        {"alpha": "-1"},
        {"alpha": "much"},
        {"gamma": "wide"},
        {"gamma": "nan"},
        {"width": "0"},
        {"refine": "maybe"},
        {"cluster_sizes": "a, b"},
        {"random_state": "-1"},
        {"beside": "UMCRLS"},
        {"data": "digits", "classes": ["77", "x"], "n_init": "1"},
    ],
    ids=lambda address: "&".join(f"{k}={v}" for k, v in address.items()),
)
def test_a_wrong_address_never_breaks_the_page(address, playground):
    """A value in the address that cannot be is ignored or named in a message, never a traceback."""
    at = playground(**address)
    assert not at.exception
    if at.error:
        name = next(iter(address))
        labels = [p.label for p in registry.get("UMCRLS").parameters if p.name == name]
        assert (f"“{labels[0]}”" if labels else name) in at.error[0].value.replace("\\", "")
    else:
        assert at.session_state["playground:"].last.main.labels.size > 0


def test_two_columns_can_be_looked_at(playground, settle):
    """With four features a person may choose which two span the picture."""
    at = playground(data="iris")
    at.button_group(key="view").set_value("Two columns")
    settle(at)
    at.selectbox(key="view_x").set_value(3)
    settle(at)
    assert not at.exception
    figure = json.loads(at.get("plotly_chart")[0].proto.spec)
    names = at.session_state["playground:"].last.dataset.feature_names
    assert figure["layout"]["xaxis"]["title"]["text"] == names[3]
    assert figure["layout"]["yaxis"]["title"]["text"] == names[1]


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_plain_text_has_no_mark_left(text):
    """Each ASCII mark is preceded by a backslash of its own, and nothing but space is lost."""
    escaped = plain(text)
    kept, i = [], 0
    while i < len(escaped):
        if escaped[i] == "\\":
            assert escaped[i + 1] in _MARKS
            i += 1
        else:
            assert escaped[i] not in _MARKS
            assert escaped[i] not in "\n\r\t"
        kept.append(escaped[i])
        i += 1
    assert "".join(kept) == " ".join(text.split())


def test_the_default_figure_is_light():
    """The animation of 300 points goes over the wire in less than 300 kB."""
    dataset = load("three-gaussians", n_samples=300, random_state=0).standardized()
    algorithm = registry.get("UMCRLS")
    recording = record(algorithm.make({"n_clusters": 3, "random_state": 0}), dataset.X)
    scene = make_scene(recording, make_view(dataset.X, dataset.feature_names))
    figure = animation(scene, algorithm.objective)
    assert len(figure.frames) == len(recording.states) > 10
    assert len(figure.to_json().encode()) < 300_000


def test_the_picture_has_a_text_alternative(playground):
    """The chart is described in plain words: data, points and sizes, without marks of Markdown."""
    at = playground(n="60")
    text = at.get("plotly_chart")[0].proto.alt
    assert "60 points of three-gaussians" in text
    assert "\\" not in text


def test_another_family_begins_with_its_own_defaults(playground, settle):
    """Values are kept within a family; another one does not inherit a kernel that is not usual for it."""
    at = playground(n="60", alpha="0.25")
    at.selectbox(key="algorithm").set_value("SteepRLS")
    assert settle(at).session_state["playground:"].last.experiment.parameters["alpha"] == 0.25
    at.selectbox(key="algorithm").set_value("SMIC")
    parameters = settle(at).session_state["playground:"].last.experiment.parameters
    assert parameters["kernel"] == "local_scaling"
    assert parameters["n_neighbors"] == "lsmi"
    at.selectbox(key="algorithm").set_value("UMCRLS")
    parameters = settle(at).session_state["playground:"].last.experiment.parameters
    assert parameters["kernel"] == "graph"
    assert parameters["alpha"] == registry.get("UMCRLS").default("alpha")
    assert not at.exception


def test_a_value_that_cannot_be_read_loses_no_other(playground, settle):
    """A text that is no list of numbers is named; the other controls keep what they had."""
    at = playground(algorithm="SMIC", n="60", n_neighbors="5")
    at.number_input(key="random_state").set_value(7)
    at.text_input(key="class_prior").set_value("a, b")
    settle(at)
    assert "Shares of the clusters" in at.error[0].value.replace("\\", "")
    at.text_input(key="class_prior").set_value("")
    parameters = settle(at).session_state["playground:"].last.experiment.parameters
    assert parameters["random_state"] == 7
    assert parameters["n_neighbors"] == 5


@pytest.mark.parametrize(
    ("asked", "taken"), [("300", 300), ("137", 137), ("100000", 100_000), ("100001", 300), ("19", 300)]
)
def test_the_number_of_points_has_steps_and_takes_others_from_the_address(asked, taken, playground):
    """The control ends at 100,000, and an address may ask for a number between its steps."""
    at = playground(data="moons", n=asked, algorithm="KMeans", n_init="1")
    assert not at.exception
    assert not at.error
    control = at.select_slider(key="n")
    assert control.value == taken
    assert control.options[-1] == "100000"
    assert at.session_state["playground:"].last.dataset.n_samples == taken


def test_the_limit_of_an_algorithm_stands_below_its_parameters(playground):
    """It follows the parameters on which it depends."""
    texts = [_shown(caption) for caption in playground(n="60", algorithm="SMIC").caption]
    assert (
        "SMIC takes at most 30,000 points here with “Kernel” = local_scaling and “Neighbours t” = lsmi."
        in texts
    )
    texts = [_shown(caption) for caption in playground(n="60", algorithm="SMIC", kernel="rbf").caption]
    assert any("SMIC takes at most 5,000 points here with “Kernel” = rbf" in text for text in texts)


def test_too_many_points_are_refused_with_a_remedy(playground):
    """The page says the limit, the setting and who takes as many."""
    at = playground(data="moons", n="20000", algorithm="SMIC", kernel="rbf")
    (error,) = map(_shown, at.error)
    assert "20,000 points are more than the 5,000 that SMIC takes here with “Kernel” = rbf" in error
    assert "KMeans" in error


def _shown(element):
    """Return a text as it is shown, without what keeps it from being Markdown."""
    return element.value.replace("\\", "")


def test_of_many_points_a_sample_is_drawn_and_all_are_clustered(playground):
    """All 50,000 points have a label, 2,000 are drawn, and the server holds none of their positions."""
    at = playground(data="moons", n="50000", algorithm="KMeans", n_init="1")
    assert not at.error
    result = at.session_state["playground:"].last
    assert result.main.labels.shape == (50_000,)
    assert len(result.drawing.scenes["KMeans"].view.points) == 2000
    assert any("2,000 of 50,000 points are drawn" in caption.value for caption in at.caption)
    assert result.nbytes < 4e6


@pytest.mark.parametrize("algorithm", ["UMCRLS", "SteepRLS"])
def test_one_click_sets_what_the_paper_has(algorithm, playground, settle):
    """The button sets every control, also those that the default kernel hides."""
    at = playground(n="60", algorithm=algorithm)
    assert at.session_state["playground:"].last.experiment.parameters["kernel"] == "graph"
    next(button for button in at.button if button.label == "As in the paper").click()
    parameters = settle(at).session_state["playground:"].last.experiment.parameters
    published = registry.get(algorithm).published
    assert {name: parameters[name] for name in published} == dict(published)
    assert not at.exception
    assert not at.warning
