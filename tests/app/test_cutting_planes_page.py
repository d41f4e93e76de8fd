"""The cutting-planes page: kernels on and off, what each does alone, and the relaxation."""

import pytest

from mmc import MKC, registry
from mmc.datasets import load
from mmc.experiment import Data, Experiment
from mmc.ui.data_sidebar import address

SMALL = {"data": "circle-gaussian", "n": "80"}


def charts(at):
    """List the keys of the charts on the page, without what Streamlit puts around them."""
    return [chart.proto.id.rsplit("-", 1)[-1] for chart in at.get("plotly_chart")]


def test_it_opens_with_a_result(cutting_planes):
    """The first sight is a finished run with its cuts, and only methods of these families are offered."""
    at = cutting_planes(n="80")
    assert not at.exception
    assert not at.error
    names = ["CPMMC", "MKC", "MMC", "GMMC"]
    assert sorted(at.selectbox(key="algorithm").options) == sorted(registry.get(n).title for n in names)
    assert at.session_state["cutting-planes:"].last.experiment.algorithm == "MKC"
    assert charts(at) == ["chart_0", "weight_bars_0"]
    assert at.button_group(key="look").options == ["Cuts", "Kernels", "Restarts"]


def test_the_page_runs_what_the_library_runs(cutting_planes):
    """The address sets C, l, ε and the kernels, and the result is that of the estimator."""
    at = cutting_planes(**SMALL, kernels="linear, rbf:width=3", C="16", balance="0.1", epsilon="0.05")
    result = at.session_state["cutting-planes:"].last
    X = load("circle-gaussian", n_samples=80, random_state=0).standardized().X
    kernels = ["linear", ("rbf", {"width": 3})]
    model = MKC(kernels=kernels, C=16, balance=0.1, epsilon=0.05, random_state=0).fit(X)
    assert result.main.estimator.objective_ == model.objective_
    assert at.toggle(key="use_linear").value
    assert not at.toggle(key="use_poly").value
    assert at.select_slider(key="value_rbf").value == 3.0


@pytest.mark.slow
def test_kernels_are_turned_on_and_off(cutting_planes, settle):
    """A toggle changes the kernels of the run and the text; a slider changes a kernel's own parameter."""
    at = cutting_planes(**SMALL)
    at.toggle(key="use_linear").set_value(False)
    settle(at)
    assert at.session_state["kernels"] == "poly:degree=3, rbf:width=2"
    at.toggle(key="use_narrow").set_value(True)
    settle(at)
    at.select_slider(key="value_poly").set_value(4.0)
    settle(at)
    assert at.session_state["kernels"] == "poly:degree=4, rbf:width=0.5, rbf:width=2"
    assert at.session_state["cutting-planes:"].last.main.estimator.state_.kernels == (
        "poly degree=4",
        "rbf width=0.5",
        "rbf width=2",
    )


def test_one_kernel_stays_on(cutting_planes, settle):
    """Turning off the last kernel leaves it on."""
    at = cutting_planes(**SMALL, kernels="linear")
    at.toggle(key="use_linear").set_value(False)
    settle(at)
    assert not at.error
    assert at.toggle(key="use_linear").value


def test_kernels_written_by_hand(cutting_planes, settle):
    """Kernels that no toggle stands for are run as written; wrong text is named, and nothing is lost."""
    at = cutting_planes(**SMALL, kernels="poly:degree=2:coef0=0, rbf")
    assert any("written by hand" in caption.value for caption in at.caption)
    before = at.session_state["cutting-planes:"].last
    at.text_input(key="kernels").set_value("sigmoid")
    settle(at)
    assert "there are linear" in at.error[0].value.replace("\\", "")
    assert at.session_state["cutting-planes:"].last is before
    assert at.select_slider(key="C").value == 100.0  # every other control is still there


@pytest.mark.parametrize(
    "text", ["rbf:width=1e30", "poly:degree=1e30", "rbf:width=nan", "linear," * 30 + "rbf"]
)
def test_nonsense_in_the_address_is_named(text, cutting_planes):
    """Numbers beyond all measure and too many kernels are refused with a message."""
    at = cutting_planes(**SMALL, kernels=text)
    assert not at.exception
    assert "is not right" in at.error[0].value.replace("\\", "")


def test_a_lost_cluster_is_told(cutting_planes):
    """Where fewer clusters are left than were asked for, the page says so."""
    at = cutting_planes(data="three-gaussians", n="40", n_clusters="6", C="0.25", n_init="1")
    kept = at.session_state["cutting-planes:"].last.main.estimator.state_.n_empty
    assert bool(kept) == any("clusters asked for" in warning.value for warning in at.warning)
    assert kept


@pytest.mark.slow
def test_a_solver_that_gives_up_leaves_what_it_had(cutting_planes):
    """The matrix that SCS had reached is shown with what the solver said."""
    at = cutting_planes(data="moons", n="60", algorithm="MMC", tol="1e-12", time_limit="1")
    assert not at.exception
    assert any("ended by the solver" in warning.value for warning in at.warning)
    assert charts(at) == ["chart_0", "matrix_0"]


def test_each_kernel_alone(cutting_planes):
    """The mixture stands beside its kernels, each fitted alone from the same start."""
    at = cutting_planes(**SMALL, look="Kernels")
    assert not at.exception
    table = at.table[0].value
    assert list(table.index) == ["linear", "poly", "rbf", "mixture"]
    beta = [float(weight) for weight in table["β"][:3]]
    assert sum(weight**2 for weight in beta) == pytest.approx(1.0, abs=0.01)
    assert float(table["likeness"].iloc[-1]) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MMC", "GMMC"])
def test_relaxation(name, cutting_planes):
    """The semidefinite methods show their matrix, and refuse more points than they can take."""
    at = cutting_planes(data="three-gaussians", n="30", algorithm=name)
    assert not at.exception
    assert not at.error
    assert charts(at) == ["chart_0", "matrix_0"]
    at = cutting_planes(data="three-gaussians", n="400", algorithm=name)
    assert "more than the" in at.error[0].value.replace("\\", "")


def test_a_saved_mixture_is_opened_with_its_kernels(playground):
    """The address of an experiment holds its kernels as text, which the playground runs."""
    data = Data("circle-gaussian", {"n_samples": 80, "random_state": 0}, True)
    kernels = ["linear", ["rbf", {"width": 3.0}]]
    experiment = Experiment(data, "MKC", {"n_clusters": 2, "kernels": kernels, "C": 16.0, "random_state": 0})
    at = playground(**address(experiment))
    assert not at.error
    assert at.text_input(key="kernels").value == "linear, rbf:width=3"
    assert at.session_state["playground:"].last.main.estimator.kernels == ["linear", ["rbf", {"width": 3}]]


def test_a_graph_is_turned_on(cutting_planes, settle):
    """The graph is a kernel with a control for its neighbours, beside landmarks for the others."""
    at = cutting_planes(**SMALL, kernels="linear, rbf")
    at.toggle(key="use_graph").set_value(True)
    settle(at)
    assert at.session_state["kernels"] == "linear, rbf:width=2, graph:n_neighbors=10"
    slider = at.select_slider(key="value_graph")
    assert slider.label == "Neighbours"
    slider.set_value(15.0)
    settle(at)
    assert at.session_state["kernels"] == "linear, rbf:width=2, graph:n_neighbors=15"
    state = at.session_state["cutting-planes:"].last.main.estimator.state_
    assert state.kernels == ("linear", "rbf width=2", "graph n_neighbors=15")
