"""The page of lessons: the path, a lesson from its first question to its end, files, links and paper."""

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mmc.lessons import find_path, pack_lesson
from mmc.ui.lesson_progress import _checked

PATH = find_path()
OWN = """
id = "mine"
title = "Mine <b>bold</b>"
summary = "A small one."
minutes = 1

[[steps]]
question = "<script>alert(1)</script> What?"
answer = "The index is {ari}."
claims = ["CLAIM"]

[steps.guess]
choices = ["**One**", "Two"]

[steps.experiment]
algorithm = "KMeans"
data = { source = "three-gaussians", options = { n_samples = 40, random_state = 0 } }
parameters = { n_clusters = 3, random_state = 0 }
"""


@pytest.fixture
def lessons(root, settle):
    """Open the page of lessons at an address."""

    def opened(**address):
        at = AppTest.from_file(root / "app.py", default_timeout=600)
        at.switch_page("pages/7_Lessons.py")
        for name, value in address.items():
            at.query_params[name] = value
        return settle(at)

    return opened


def html(at):
    """Give all HTML of a page."""
    return "\n".join(element.proto.body for element in at.get("html"))


def press(at, label, settle):
    """Press the button with a label."""
    (button,) = [each for each in at.button if each.label.replace("\\", "") == label]
    button.click()
    return settle(at)


def test_the_path_lists_every_lesson(lessons):
    """A link for each, in order, with its address."""
    at = lessons()
    assert not at.exception
    links = [link.proto for link in at.get("page_link") if "lesson=" in link.proto.query_string]
    assert [link.query_string for link in links] == [f"lesson={name}" for name in PATH]
    assert "6 min · 2 steps" in html(at)
    assert "To ask" not in html(at)


def test_the_path_lists_all_words(lessons):
    """Each with the number of the lesson that explains it."""
    text = html(lessons())
    for number, lesson in enumerate(PATH.values(), 1):
        for term in lesson.terms:
            place = text.index(f"<dt>{term.word}</dt>")
            assert f"(Lesson {number})" in text[place : text.index("</div>", place)]


def test_where_nothing_moves_there_is_no_curve(lessons, settle):
    """A method that shows its result alone has a picture without a curve, and a finger scrolls over it."""
    at = lessons(lesson="easy-to-learn")
    press(at, "None", settle)
    (chart,) = at.get("plotly_chart")
    layout = json.loads(chart.proto.spec)["layout"]
    assert "xaxis" in layout
    assert "xaxis2" not in layout
    assert layout["dragmode"] is False


def test_the_teacher_sees_hints(lessons):
    """On the path for all lessons, and in a lesson for that one."""
    assert html(lessons(teacher="true")).count("To ask") == len(PATH)
    at = lessons(lesson="easy-to-learn", teacher="true")
    assert "What goes wrong" in html(at)
    assert "What goes wrong" not in html(lessons(lesson="easy-to-learn"))


def test_a_lesson_from_the_first_question_to_the_next_lesson(lessons, settle):
    """Guess, read the answer with the numbers of the run, go on, and find it done on the path."""
    lesson = PATH["easy-to-learn"]
    at = lessons(lesson="easy-to-learn")
    assert "cluster" in html(at)  # the terms
    assert "of the points wrong" not in html(at)
    assert len(at.get("image")) == 1  # the points alone
    assert not at.get("plotly_chart")
    press(at, "About one in six", settle)
    assert "That is right." in html(at)
    assert "16.0 %" in html(at)
    assert len(at.get("plotly_chart")) == 1
    assert "Step 1 of 2, 1 done" in html(at)
    press(at, "Next step", settle)
    assert at.query_params["step"] == "2"
    press(at, "It rises", settle)
    assert "It is another one" in html(at)
    assert "Step 2 of 2, 2 done" in html(at)
    press(at, "Ask me again", settle)
    assert "Step 2 of 2, 1 done" in html(at)
    press(at, "Just show me", settle)
    assert "Your guess" not in html(at)
    following = list(PATH.values())[1]
    press(at, f"Next lesson: {following.title}", settle)
    assert at.title[0].value == following.title
    assert "step" not in at.query_params
    press(at, "All lessons", settle)
    assert "lesson" not in at.query_params
    assert "1 done" in at.caption[0].value
    assert lesson.title in html(at) or any(lesson.title in each.proto.label for each in at.get("page_link"))
    press(at, "Forget what I have done", settle)
    assert "0 done" in at.caption[0].value


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"lesson": "**no**"}, "There is no lesson"),
        ({"lesson": "file"}, "Open the file of this lesson again"),
        ({"own": "AAAA"}, "damaged"),
        ({"own": pack_lesson("x = 1")}, "no lesson that can be opened"),
    ],
)
def test_an_address_that_names_no_lesson_shows_the_path(address, said, lessons):
    """The page says so, renders nothing of it, and lists the lessons."""
    at = lessons(**address)
    assert not at.exception
    messages = [*at.error, *at.warning, *at.info]
    assert any(said in each.value.replace("\\", "") for each in messages)
    assert not any("**no**" in each.value for each in messages)
    assert len(at.get("page_link")) > len(PATH)


@pytest.mark.parametrize("step", ["0", "99", "-1", "x", "²", "1" * 50])
def test_a_step_that_there_is_not_is_the_nearest(step, lessons):
    """No number in the address is an error."""
    at = lessons(lesson="easy-to-learn", step=step)
    assert not at.exception
    assert "of 2, 0 done" in html(at)


def test_a_lesson_in_a_link_opens_and_renders_nothing(lessons, settle):
    """HTML and Markdown of it are text; the answer has its number."""
    at = lessons(own=pack_lesson(OWN.replace("CLAIM", "ari > 0.5")))
    assert at.title[0].value.replace("\\", "") == "Mine <b>bold</b>"
    assert "<b>" not in at.title[0].value
    assert "<script" not in html(at)
    assert "&lt;script&gt;" in html(at)
    press(at, "**One**", settle)
    assert "The index is 1.00." in html(at)
    assert not at.warning


def test_a_claim_that_does_not_hold_is_said(lessons, settle):
    """The reader is told that the text is wrong about this run."""
    at = lessons(own=pack_lesson(OWN.replace("CLAIM", "ari < 0.5")))
    press(at, "Two", settle)
    (warning,) = at.warning
    assert "ari < 0.5 does not hold. Here ari = 1." in warning.value.replace("\\", "")
    assert "\\\\" not in warning.value  # escaped once


def test_a_lesson_from_a_file_opens(lessons, settle):
    """A file that is right has a button and then a link; one that is wrong has a message."""
    at = lessons()
    at.file_uploader(key="lesson_file").set_value(("x.toml", b"title = 3", "text/plain"))
    settle(at)
    assert "is missing" in at.error[0].value.replace("\\", "")
    content = OWN.replace("CLAIM", "ari > 0.5")
    at.file_uploader(key="lesson_file").set_value(("x.toml", content.encode(), "text/plain"))
    settle(at)
    press(at, "Open this lesson", settle)
    assert at.query_params["own"] == pack_lesson(content)
    assert at.title[0].value.startswith("Mine")


def test_a_lesson_that_was_written_from_the_page_alone_opens(lessons, settle, root):
    """From its file to its answer."""
    content = (root / "tests" / "lessons" / "long_clouds.toml").read_bytes()
    at = lessons()
    at.file_uploader(key="lesson_file").set_value(("long.toml", content, "text/plain"))
    settle(at)
    press(at, "Open this lesson", settle)
    press(at, "The mixture", settle)
    assert "That is right." in html(at)
    assert not at.warning
    assert "<ul><li><em>k-means</em>" in html(at)
    assert len(at.get("plotly_chart")) == 2


def test_a_long_lesson_opens_without_a_link(lessons, settle):
    """It is kept for the visit, and the page says so."""
    long = "".join(map(chr, np.random.default_rng(0).integers(33, 123, 9000)))
    content = OWN.replace("CLAIM", "ari > 0.5") + "# " + long
    at = lessons()
    at.file_uploader(key="lesson_file").set_value(("x.toml", content.encode(), "text/plain"))
    settle(at)
    assert any("too long for a link" in each.value for each in at.info)
    press(at, "Open this lesson", settle)
    assert at.query_params["lesson"] == "file"
    assert at.title[0].value.startswith("Mine")


def test_a_lesson_for_paper_has_all_its_steps(lessons):
    """Questions, choices, pictures and answers below each other; hints for the teacher alone."""
    at = lessons(lesson="easy-to-learn", print="true")
    text = html(at)
    assert text.count('<section class="mmc-printed') == 2
    assert text.count("data:image/svg+xml;base64,") == 2
    assert "About one in six" in text
    assert "16.0 %" in text
    assert "For the teacher" not in text
    assert "For the teacher" in html(lessons(lesson="easy-to-learn", print="true", teacher="true"))


def test_what_a_browser_sends_is_checked():
    """Only names, numbers of steps and choices are taken over."""
    good = {"a-b": {"1": 0, "2": -1}}
    assert _checked(good) == {"a-b": {1: 0, 2: -1}}
    bad = {"<b>": {"1": 0}, "x": {"99": 0, "a": 1, "3": "y", "4": True, "5": 7}, "y": 3}
    for stored in (bad, [1], None, "x", {str(i): {} for i in range(300)}):
        assert _checked(stored) == {}
