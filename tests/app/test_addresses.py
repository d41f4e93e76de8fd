"""Addresses that ask for what no control takes, and what one page leaves for another."""

import pytest

from mmc.datasets import CATALOG


def notices(at):
    """List the warnings on the page, without the marks that escape their text."""
    return [warning.value.replace("\\", "") for warning in at.warning]


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        ({"random_state": "3000000000", "seed": "-7"}, {"random_state": "0", "seed": "0"}),
        ({"n": "7"}, {"n": "300"}),
        ({"n_clusters": "1"}, {"n_clusters": "3"}),
        ({"n_shakes": "abc"}, {"n_shakes": "20"}),
        ({"refine": "perhaps"}, {"refine": "True"}),
        ({"kernel": "sigmoid"}, {"kernel": "graph"}),
        ({"data": "no-such-set"}, {"data": "three-gaussians"}),
        ({"algorithm": "NoSuch"}, {"algorithm": "UMCRLS"}),
    ],
)
def test_what_is_taken_instead_is_said_in_one_line(asked, taken, playground):
    """A value that a control does not take is named, with the one that was taken."""
    at = playground(**{"n": "60", **asked})
    assert not at.exception
    (notice,) = notices(at)
    for name, text in asked.items():
        assert f"{name}={text} ({taken[name]} was taken)" in notice


def test_the_line_goes_when_the_control_is_changed(playground, settle):
    """The line stays while the page is drawn again, and goes when a person sets the control."""
    at = playground(n="60", random_state="-1")
    settle(at)
    assert len(notices(at)) == 1
    at.number_input(key="random_state").set_value(5)
    settle(at)
    assert not notices(at)


@pytest.mark.parametrize(
    "address",
    [
        {"n": "60", "alpha": "0.3", "width": "2.0", "refine": "true", "random_state": "00"},
        {"data": "digits", "classes": ["3", "8"], "n_init": "1"},
        {"n": "300", "seed": "0"},
    ],
)
def test_values_that_are_taken_need_no_word(address, playground):
    """Values within range, defaults among them, are run as they are and nothing is said."""
    assert not notices(playground(**address))


def test_compare_finds_nothing_of_model_selection(model_selection, settle):
    """A rival's search on one page is no comparison on another that still waits for its table."""
    at = model_selection(data="moons", n="60", rival="true", candidates="3, 4")
    assert at.session_state["model-selection:"].rival is not None
    at.switch_page("pages/4_Compare.py")
    at.query_params["sets"] = ["table"]
    settle(at)
    assert not at.exception
    assert any("Load a table" in info.value for info in at.info)


@pytest.mark.parametrize("way", [[], ["table"]])
def test_noise_of_other_data_is_forgotten(way, playground, settle):
    """A page that opens with other data does not take noise that these do not have."""
    at = playground(n="60")
    for data in way:
        at.selectbox(key="data").set_value(data)
        settle(at)
    at.switch_page("pages/5_Tune.py")
    at.run()
    assert not at.exception
    shown = at.session_state["data"]  # whether a page takes over the data of another depends on Streamlit
    assert shown == "table" or at.session_state["noise"] <= CATALOG[shown].noise_max


@pytest.mark.parametrize("text", ["auto", "true", "false"])
def test_a_switch_that_became_a_choice_takes_what_was_saved(text, playground):
    """Addresses with true and false, which a switch wrote, open as they did, and the choice is shown."""
    at = playground(algorithm="SMIC", data="moons", n="60", normalize=text)
    assert not at.exception
    assert not notices(at)
    assert at.selectbox(key="normalize").value == text


@pytest.mark.parametrize("text", ["auto", "false"])
def test_a_choice_of_one_method_does_not_break_the_switch_of_another(text, playground, settle):
    """CPMMC has two values where SMIC has three; changing between them draws either control."""
    at = playground(algorithm="SMIC", data="moons", n="60", normalize=text)
    for name in ("CPMMC", "SMIC"):
        at.selectbox(key="algorithm").set_value(name)
        settle(at)
        assert not at.exception
    assert at.selectbox(key="normalize").value in ("auto", "true", "false")
