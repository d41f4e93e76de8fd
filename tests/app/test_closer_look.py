"""A closer look shows what the run has: margins, rounds, generations and restarts."""

import json

import pytest

from mmc import registry
from mmc.ui import panel_view


def charts(at):
    """List the keys of the charts on the page, without what Streamlit puts around them."""
    return [chart.proto.id.rsplit("-", 1)[-1] for chart in at.get("plotly_chart")]


def looks(at):
    """List the views that are offered, none where there are none."""
    return at.button_group(key="look").options if "look" in at.session_state else []


def test_a_search_without_margins_has_no_closer_look(playground):
    """The first sight stays as it was."""
    at = playground(n="60")
    assert looks(at) == []
    assert charts(at) == ["chart_0"]


def test_margins_beside_the_loss(playground):
    """Iterated training opens with its margins, one chart for each of two methods."""
    at = playground(data="moons", n="60", algorithm="IterSVR", beside="IterSVM", init="random")
    assert not at.exception
    assert not at.error
    assert looks(at) == ["Margins", "Rounds", "Restarts"]
    assert charts(at) == ["chart_0", "chart_1", "margins_0", "margins_1"]


@pytest.mark.slow
def test_epsilon_is_a_slider_that_changes_the_run(playground):
    """With a large ε hardly any point flips."""
    flips = {}
    for epsilon in ("0.05", "0.9"):
        at = playground(
            data="digits", classes=["8", "9"], algorithm="IterSVR", epsilon=epsilon, balance="0.03"
        )
        assert at.select_slider(key="epsilon").value == float(epsilon)
        states = at.session_state["playground:"].last.main.states
        flips[epsilon] = (states[0].labels != states[-1].labels).sum()
    assert flips["0.9"] < flips["0.05"]


def test_rounds_train_an_svm_on_every_labelling(playground):
    """The SVM objective of every round is drawn beside error and flips."""
    at = playground(data="moons", n="60", algorithm="IterSVR", beside="IterSVM", look="Rounds")
    assert not at.exception
    assert charts(at)[-1] == "course_0"
    assert any("SVM is trained" in caption.value for caption in at.caption)
    spec = json.loads(at.get("plotly_chart")[-1].proto.spec)
    titles = [axis["title"]["text"] for name, axis in spec["layout"].items() if name.startswith("yaxis")]
    assert any("SVM" in title for title in titles)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["EvoMMC", "FastEvoMMC"])
def test_generations(name, playground):
    """Evolution has a course over its generations, and restarts."""
    at = playground(data="circle-gaussian", n="60", algorithm=name)
    assert not at.exception
    assert looks(at) == ["Generations", "Restarts"]
    assert charts(at) == ["chart_0", "course_0"]


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ({"data": "circle-gaussian"}, "needs the reference labels"),
        ({"data": "noise"}, "Mean over all ways"),
    ],
)
def test_restarts_with_and_without_a_reference(address, told, playground):
    """With reference labels the error is drawn, without them the objective."""
    at = playground(**address, n="60", algorithm="EvoMMC", look="Restarts", n_init="4")
    assert not at.exception
    assert charts(at) == ["chart_0", "restarts"]
    assert any(told in caption.value for caption in at.caption)
    assert len(at.session_state["playground:"].last.main.ends) == 4


@pytest.mark.parametrize("look", ["Restarts", "Generations"])
def test_the_errors_of_many_labels_are_computed_by_a_worker(look, playground, monkeypatch):
    """They are the same as those that the server computes itself, and it computes none then."""
    address = {"data": "circle-gaussian", "n": "60", "algorithm": "EvoMMC", "look": look, "n_init": "4"}
    drawn = drawn_curves(playground(**address))
    assert len(drawn) == 1
    monkeypatch.setattr(panel_view, "_MANY_LABELS", 0)
    monkeypatch.setattr(panel_view, "clustering_error", lambda *labels: pytest.fail("was computed here"))
    assert drawn_curves(playground(**address)) == drawn


def drawn_curves(at):
    """Return the charts of a closer look as text."""
    assert not at.exception
    return [chart.proto.spec for chart in at.get("plotly_chart")][1:]


def test_a_look_that_is_not_there_gives_way(playground, settle):
    """Whoever changes from evolution to iterated training sees that one's first view."""
    at = playground(data="moons", n="60", algorithm="EvoMMC", look="Generations")
    at.selectbox(key="algorithm").set_value("IterLSSVM")
    settle(at)
    assert not at.exception
    assert at.session_state["look"] == "Margins"


def test_defaults_follow_the_algorithm_and_changes_are_kept(playground, settle):
    """Within a family C becomes the new method's own, unless a person has chosen one."""
    at = playground(data="moons", n="60", algorithm="IterLSSVM", balance="0.2")
    assert at.select_slider(key="C").value == registry.get("IterLSSVM").default("C")
    at.selectbox(key="algorithm").set_value("IterSVM")
    settle(at)
    assert at.select_slider(key="C").value == registry.get("IterSVM").default("C")
    assert at.select_slider(key="balance").value == 0.2
    at.select_slider(key="C").set_value(1.0)
    settle(at)
    at.selectbox(key="algorithm").set_value("IterLSSVM")
    settle(at)
    assert at.select_slider(key="C").value == 1.0


def test_a_method_for_two_clusters_says_so_and_runs_on_three_clouds(playground):
    """The number of clusters is two, whatever the data suggest."""
    at = playground(n="60", algorithm="IterLSSVM")
    assert not at.error
    assert at.session_state["playground:"].last.experiment.parameters["n_clusters"] == 2


def test_splitting_takes_the_parameters_of_its_method(playground):
    """RecursiveBinary runs with the method and the width that the address names."""
    at = playground(n="60", algorithm="RecursiveBinary", estimator="IterSVM", estimator__width="3")
    assert not at.exception
    assert not at.error
    model = at.session_state["playground:"].last.main.estimator
    assert (type(model.estimator).__name__, model.estimator.width) == ("IterSVM", 3.0)
    assert set(model.labels_) == {0, 1, 2}


def test_beside_it_only_what_both_offer(playground):
    """Landmarks have no local scaling; the algorithm beside it then runs with its own kernel."""
    at = playground(data="moons", n="60", algorithm="EvoMMC", kernel="local_scaling", beside="FastEvoMMC")
    assert not at.exception
    assert not at.error
    models = [recording.estimator for recording in at.session_state["playground:"].last.recordings.values()]
    assert [model.kernel for model in models] == ["local_scaling", "rbf"]


def test_a_number_in_place_of_a_choice_may_be_written_shortly(playground):
    """A patience of 1e3 is a whole number."""
    at = playground(data="moons", n="60", algorithm="EvoMMC", patience="1e3")
    assert not at.error
    assert at.session_state["playground:"].last.main.estimator.patience == 1000
