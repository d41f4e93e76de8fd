"""Errors that nobody has foreseen: a number on the page, the details in the log, nothing of the server."""

import json
import tomllib

import pytest
from streamlit.testing.v1 import AppTest

from mmc.experiment import Data, Experiment

SECRET = "/srv/secret/path"


def fail(*args, **options):
    """Raise what no page expects."""
    raise ZeroDivisionError(SECRET)


def shown(at):
    """List all texts of a page."""
    return [str(element.value) for element in at.main if hasattr(element, "value")]


#: The function of each page that fails in the test.
PARTS = {
    "app.py": "mmc.ui.best_cards",
    "pages/0_Find_clusters.py": "mmc.ui.auto_controls",
    "pages/1_Playground.py": "mmc.ui.algorithm_control",
    "pages/2_Model_selection.py": "mmc.ui.sweep_controls",
    "pages/3_Cutting_planes.py": "mmc.ui.parameter_controls",
    "pages/4_Compare.py": "mmc.ui.contest_controls",
    "pages/5_Tune.py": "mmc.ui.tuning_controls",
    "pages/6_Papers.py": "mmc.ui.stored_tables",
    "pages/7_Lessons.py": "mmc.ui.find_place",
    "pages/8_Images.py": "mmc.ui.image_controls",
}


@pytest.mark.parametrize("page", PARTS)
def test_an_error_of_a_page_has_a_number(page, root, monkeypatch, logged_errors):
    """The visitor sees a number and a remedy, and the log has the same number and the stack trace."""
    monkeypatch.setattr(PARTS[page], fail)
    at = AppTest.from_file(root / "app.py", default_timeout=600)
    if page != "app.py":
        at.switch_page(page)
    at.run()
    assert not at.exception
    (error,) = at.error
    assert "Something went wrong on the server" in error.value
    (logged,) = logged_errors
    number = logged.split()[1]
    assert f"number {number}" in error.value.replace("\\", "")
    assert SECRET in logged
    assert "Traceback" in logged
    assert not any(SECRET in text or "ZeroDivisionError" in text for text in shown(at))
    logged_errors.clear()


def test_every_page_is_in_the_list(root):
    """A new page is guarded as well."""
    assert {f"pages/{path.name}" for path in (root / "pages").glob("*.py")} == set(PARTS) - {"app.py"}


def _page_of_parts() -> None:
    import streamlit as st

    from mmc.ui import messages

    def wrong() -> None:
        raise ZeroDivisionError("/srv/secret/path")

    @st.fragment
    @messages.guard()
    def fragment() -> None:
        st.button("again", key="again")
        if st.session_state.get("again"):
            wrong()

    st.button("callback", on_click=messages.guard()(wrong), key="callback")
    fragment()
    st.write("the rest")


@pytest.mark.parametrize("button", ["callback", "again"])
def test_fragments_and_callbacks_are_guarded(button, logged_errors):
    """Outside of the page's block the guard is a decorator, and the rest of the page stays."""
    at = AppTest.from_function(_page_of_parts, default_timeout=600).run()
    at.button(key=button).click().run()
    assert not at.exception
    assert "Something went wrong" in at.error[0].value
    assert at.markdown[0].value == "the rest"
    assert len(logged_errors) == 1
    logged_errors.clear()


def _page_that_ends() -> None:
    import streamlit as st

    from mmc.ui import messages

    with messages.guard():
        st.session_state.runs = st.session_state.get("runs", 0) + 1
        if st.session_state.runs == 1:
            st.rerun()
        st.write(f"run {st.session_state.runs}")
        st.stop()
    st.write("never")


def test_what_streamlit_raises_to_end_a_page_passes():
    """The guard takes errors alone: a page still stops and begins anew where it says so."""
    at = AppTest.from_function(_page_that_ends, default_timeout=600).run()
    assert [text.value for text in at.markdown] == ["run 2"]
    assert not at.error


def test_streamlit_itself_shows_no_details(root):
    """What happens outside of the guard, as an import that fails, is not shown either."""
    config = tomllib.loads((root / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["client"]["showErrorDetails"] == "none"
    assert config["server"]["address"] == "localhost"


@pytest.mark.parametrize("name", ["seed", "random_state"])
@pytest.mark.parametrize("value", ["1e309", "-inf", "nan", "9" * 5000, "0x10"])
def test_absurd_seeds_end_on_a_normal_page(name, value, playground):
    """The control takes its default and says so, and the run is that of the default."""
    at = playground(n="40", **{name: value})
    assert not at.exception
    assert not at.error
    assert at.session_state["playground:"].last is not None
    assert f"{name}={value[:40]} (0 was taken)" in at.warning[0].value.replace("\\", "")


def test_names_of_other_state_in_the_address_are_left_alone(playground):
    """An address cannot have the page print what a visit remembers."""
    at = playground(n="40", **{"playground:": "x", "visit": "x", "view": "x", "upload": "x"})
    assert not at.exception
    assert not at.warning


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        ({"data": {"source": "digits", "options": {"classes": 0}, "standardize": False}}, "classes must be"),
        ({"parameters": {"init": [0, 1] * 30}}, "init is a labelling, which no page takes"),
        ({"parameters": {"cluster_sizes": [0.123] * 1000}}, "“Sizes to aim at” is too long for the address"),
        (
            {"data": {"source": "moons", "options": {"random_state": 2**32 - 1}, "standardize": False}},
            "outside",
        ),
    ],
)
def test_a_file_that_no_page_runs_is_named(experiment, message, root):
    """The home page says why, and stays."""
    good = json.loads(Experiment(Data("moons", {"n_samples": 60}), "UMCRLS").to_json())
    at = AppTest.from_file(root / "app.py", default_timeout=600).run()
    content = json.dumps(good | experiment).encode()
    at.file_uploader(key="experiment_file").set_value(("e.json", content, "application/json")).run()
    assert not at.exception
    assert message in at.error[0].value.replace("\\", "")
