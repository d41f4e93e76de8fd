"""Lessons in Chromium: every step shows its answer, progress stays in the browser, links open, paper fits."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from mmc.lessons import QUANTITIES, fill, find_path, lookup, pack_lesson, read_lesson, run_step, to_html
from tests.browser.test_stage_in_browser import is_inside
from tests.browser.waits import wait_for_quiet

PATH = find_path()
FORMS = {name: quantity.form for name, quantity in QUANTITIES.items()}
OWN = """
id = "mine"
title = "Mine <i>own</i>"
summary = "A small one."
minutes = 1

[[steps]]
question = "<img src=x onerror=window.hacked=1> What?"
answer = "The index is {ari} <script>window.hacked=1</script>."

[steps.guess]
choices = ["One", "Two"]

[steps.experiment]
algorithm = "SteepRLS"
data = { source = "three-gaussians", options = { n_samples = 40, random_state = 0 } }
parameters = { n_clusters = 3, n_init = 1, random_state = 0 }
"""


def open_step(page: Page, app: str, query: str) -> None:
    """Open a step of a lesson, and wait for its points."""
    page.goto(f"{app}/Lessons?{query}")
    page.wait_for_selector(".st-key-lesson_picture img, .st-key-chart_0 .points path")
    wait_for_quiet(page)


def words(text: str) -> str:
    """Return a text of a lesson as a browser shows it, without any spaces."""
    plain = re.sub("<[^>]+>", "", to_html(text))
    for sign, written in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&amp;", "&")):
        plain = plain.replace(sign, written)
    return re.sub(r"\s", "", plain)


def answer_of(page: Page, wanted: str) -> str:
    """Return the answer without spaces once it is the wanted one; that of the step before may linger."""
    deadline = time.monotonic() + 20
    while True:
        shown = re.sub(r"\s", "", page.locator(".mmc-answer").first.inner_text())
        if not wanted or shown == wanted or time.monotonic() > deadline:
            return shown
        page.wait_for_timeout(100)


def walk(page: Page, app: str, names: list[str]) -> None:
    """Walk through lessons by their buttons, with the first guess; compare what is shown with the runs."""
    open_step(page, app, f"lesson={names[0]}")
    for at, name in enumerate(names):
        lesson = PATH[name]
        expect(page.get_by_role("heading", name=lesson.title, exact=True)).to_be_visible()
        for number, step in enumerate(lesson.steps, 1):
            expect(page.locator(".mmc-marks")).to_contain_text(f"Step {number} of {len(lesson.steps)}")
            expect(page.locator(".mmc-answer")).to_have_count(0)
            page.locator(".st-key-lesson_guess button").first.click()
            expect(page.locator(".mmc-answer")).to_be_visible()
            is_timed = "seconds" in step.wanted
            wanted = "" if is_timed else words(fill(step.answer, lookup(run_step(step).values), FORMS))
            shown = answer_of(page, wanted)
            assert is_timed or shown == wanted
            assert "–" not in shown or "–" in step.answer
            expect(page.locator(".mmc-caption")).to_have_count(len(step.shown))
            if not step.moment.is_end:
                expect(page.locator(".mmc-caption").first).to_have_text(
                    re.compile(f"{step.moment.number} of ")
                )
            expect(page.locator("[data-testid=stAlert]")).to_have_count(0)
            page.wait_for_selector(f".st-key-chart_{len(step.shown) - 1} .points path")
            if number < len(lesson.steps):
                page.get_by_role("button", name="Next step").click()
        if at + 1 < len(names):
            page.get_by_role("button", name="Next lesson").click()


@pytest.mark.parametrize("part", range(3))
def test_every_step_shows_what_its_text_claims(part, app, new_page):
    """All lessons of the path, in thirds: the answers have the numbers of the library's own runs."""
    names = list(PATH)
    share = -(-len(names) // 3)
    walk(new_page(viewport={"width": 1280, "height": 800}), app, names[part * share : (part + 1) * share])


def test_progress_is_kept_in_the_browser(app, new_page):
    """A reload and a new visit of the same browser know it, another browser does not; it can be forgotten."""
    page = new_page(viewport={"width": 390, "height": 844})
    open_step(page, app, "lesson=easy-to-learn")
    page.locator(".st-key-lesson_guess button").first.click()
    expect(page.locator(".mmc-answer")).to_be_visible()
    expect(page.locator(".mmc-marks")).to_contain_text("1 done")
    page.goto(f"{app}/Lessons")
    expect(page.locator(".st-key-lesson_row_1")).to_contain_text("1 of 2 steps done")
    page.reload()
    expect(page.locator(".st-key-lesson_row_1")).to_contain_text("1 of 2 steps done")
    assert page.evaluate("localStorage.getItem('mmc-lessons')") == '{"easy-to-learn":{"1":0}}'
    other = new_page()
    other.goto(f"{app}/Lessons")
    expect(other.locator(".st-key-lesson_row_1")).to_contain_text("2 steps")
    page.get_by_role("button", name="Forget what I have done").click()
    expect(page.locator(".st-key-lesson_row_1")).to_contain_text("min · 2 steps")
    page.wait_for_function("() => localStorage.getItem('mmc-lessons') === '{}'")
    page.reload()
    expect(page.locator(".st-key-lesson_row_1")).to_contain_text("min · 2 steps")


@pytest.mark.parametrize("kept", ["x", "[1]", "null", '{"<b>": {"1": 0}, "easy-to-learn": 3}', '{"a": null}'])
def test_a_spoilt_memory_does_no_harm(kept, app, new_page):
    """Whatever stands in the browser's storage, the path is shown."""
    page = new_page()
    page.goto(f"{app}/Lessons")
    page.evaluate("kept => localStorage.setItem('mmc-lessons', kept)", kept)
    page.reload()
    expect(page.locator(".mmc-summary")).to_have_count(len(PATH))
    wait_for_quiet(page)
    expect(page.locator("[data-testid=stAlert]")).to_have_count(0)


def test_a_link_holds_a_lesson_and_runs_nothing_of_it(app, new_page):
    """In another browser the link alone opens it; HTML in it is text."""
    read_lesson(OWN)
    page = new_page(viewport={"width": 390, "height": 844})
    open_step(page, app, f"own={pack_lesson(OWN)}")
    expect(page.get_by_role("heading", name="Mine <i>own</i>")).to_be_visible()
    expect(page.locator(".mmc-question")).to_contain_text("<img src=x onerror")
    page.locator(".st-key-lesson_guess button").first.click()
    expect(page.locator(".mmc-answer")).to_contain_text("<script>")
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_back_returns_to_the_step_before(size, app, new_page):
    """The browser's Back follows the steps, and a new step begins at its top."""
    page = new_page(viewport={"width": size[0], "height": size[1]})
    open_step(page, app, "lesson=easy-to-learn")
    page.get_by_role("button", name="Next step").click()
    page.wait_for_url(re.compile("step=2"))
    expect(page.locator(".mmc-marks")).to_contain_text("Step 2 of 2")
    expect(page.get_by_role("heading", name=PATH["easy-to-learn"].title)).to_be_in_viewport()
    page.go_back()
    expect(page.locator(".mmc-marks")).to_contain_text("Step 1 of 2")


def test_the_picture_shows_the_frame_that_the_answer_speaks_of(app, new_page):
    """Not the end, which a new chart shows by itself, but the frame on the way; also after a reload."""
    page = new_page()
    (step, *_) = PATH["luck-and-restarts"].steps
    states = run_step(step).recordings[0].states
    assert step.moment.number < len(states) - 1
    colors = "Array.from(document.querySelector('.st-key-chart_0 .js-plotly-plot')._fullData[1].marker.color)"
    open_step(page, app, "lesson=luck-and-restarts")
    page.get_by_role("button", name="At the beginning").click()
    for _ in range(2):
        page.wait_for_selector(".st-key-chart_0 .points path")
        wait_for_quiet(page)
        page.wait_for_timeout(1000)
        assert page.evaluate(colors) == states[step.moment.number].labels.tolist()
        page.reload()


def test_picture_and_player_are_on_one_screen(app, new_page):
    """On a lecturer's screen the first picture, the player and the answer are inside the window."""
    page = new_page(viewport={"width": 1280, "height": 720})
    open_step(page, app, "lesson=descent-and-shaking&step=2")
    page.get_by_role("button", name="Shaking").click()
    page.wait_for_selector(".st-key-chart_1 .points path")
    wait_for_quiet(page)
    for part in (".st-key-chart_0 .draglayer .xy .nsewdrag", ".mmc-bar", ".mmc-verdict"):
        assert is_inside(page, page.locator(part).first), part


def test_a_finger_on_the_picture_scrolls_the_page(app, new_page):
    """On a phone, pictures take most of the screen; nothing covers their legends."""
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    open_step(page, app, "lesson=easy-to-learn")
    page.locator(".st-key-lesson_guess button").first.tap()
    page.wait_for_selector(".st-key-chart_0 .points path")
    wait_for_quiet(page)
    expect(page.locator(".modebar-container .modebar")).to_have_count(0)
    box = page.locator(".st-key-chart_0 .nsewdrag").first.bounding_box()
    finger = page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, min(box["y"] + box["height"] / 2, 800)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for i in range(1, 13):
        moved = {"type": "touchMove", "touchPoints": [{"x": x, "y": y - 20 * i}]}
        finger.send("Input.dispatchTouchEvent", moved)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop > 50")


def test_a_method_of_one_step_has_nothing_to_play(app, new_page):
    """There is no button that does nothing; beside a method of many steps there is one."""
    page = new_page()
    open_step(page, app, "lesson=easy-to-learn")
    page.locator(".st-key-lesson_guess button").first.click()
    expect(page.locator(".mmc-caption")).to_contain_text("KMeans is done")
    expect(page.locator(".mmc-play")).to_be_hidden()
    page.get_by_role("button", name="Next step").click()
    page.locator(".st-key-lesson_guess button").first.click()
    expect(page.locator(".mmc-play")).to_be_visible()


@pytest.mark.parametrize("name", list(PATH))
def test_a_lesson_is_printed_on_one_sheet(name, app, new_page):
    """Chromium's own PDF has one page, and a second one for the teacher; nothing of the app is on it."""
    page = new_page()
    page.goto(f"{app}/Lessons?lesson={name}&print=true&teacher=true")
    expect(page.locator(".mmc-printed")).to_have_count(len(PATH[name].steps))
    wait_for_quiet(page)
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 2
    page.emulate_media(media="print")
    for hidden in ("[data-testid=stSidebar]", ".mmc-print", ".st-key-print_controls"):
        expect(page.locator(hidden).first).to_be_hidden()
    width = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert width <= 0
