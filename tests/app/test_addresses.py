"""Addresses that ask for what no control takes, and what one page leaves for another."""

import pytest

from mmc.datasets import CATALOG
from mmc.ui.wording import with_labels


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


def test_an_error_names_the_control(playground):
    """A value that the library refuses is called what its control is called, not by its name in Python."""
    at = playground(n="60", alpha="-3")
    (error,) = at.error
    assert "Regularisation λ" in error.value
    assert "alpha" not in error.value


@pytest.mark.parametrize(
    ("text", "algorithm", "said"),
    [
        (
            "The 'alpha' parameter of SMIC must be",
            "UMCRLS",
            "The “Regularisation λ” parameter of SMIC must be",
        ),
        ("alpha=-1 is not right", "UMCRLS", "“Regularisation λ” = -1 is not right"),
        (
            "100 points with kernel=rbf and n_landmarks=7",
            "",
            "100 points with “Kernel” = rbf and “Landmarks” = 7",
        ),
        ("n_init is too large", "UMCRLS", "“Starts” is too large"),
        ("the kernel of this width is alpha", "UMCRLS", "the kernel of this width is alpha"),
        ("balpha=1, x_n_init and estimator__width=2", "", "balpha=1, x_n_init and “Kernel width” = 2"),
        ("epsilon = 0", "CPMMC", "“Tolerance ε” = 0"),
    ],
)
def test_names_of_parameters_become_labels(text, algorithm, said):
    """Names are replaced where they cannot be words, by the labels of the algorithm in question."""
    assert with_labels(text, algorithm) == said


def test_columns_keep_their_names(playground, settle):
    """A table may have a column named as a parameter, which a message about the table does not rename."""
    at = playground(data="table")
    at.file_uploader(key="upload").set_value(("m.csv", b"alpha,n_init\n1,2\n3,1e200\n5,6\n7,8\n", "text/csv"))
    settle(at)
    assert "n\\_init" in at.error[0].value


def test_controls_below_the_result_need_a_word_too(find_clusters, cutting_planes, model_selection):
    """What selects a part of the result is drawn after it, and its values are told as well."""
    at = find_clusters(n="60", most="3", at_k="many", scale="perhaps")
    assert "scale=perhaps (as usual was taken)" in " ".join(notices(at))
    assert "at_k=many (best was taken)" in " ".join(notices(at))
    (notice,) = notices(cutting_planes(n="60", look="Nothing"))
    assert "look=Nothing" in notice
    (notice,) = notices(model_selection(n="60", candidates="3, 4", at="7"))
    assert "at=7 (best was taken)" in notice


def test_a_line_on_a_late_control_stays_until_it_is_changed(model_selection, settle):
    """The line is there again when the page is drawn again, and goes when a person sets the control."""
    at = model_selection(n="60", candidates="3, 4", at="7")
    settle(at)
    assert len(notices(at)) == 1
    at.select_slider(key="at").set_value("3")
    settle(at)
    assert not notices(at)
