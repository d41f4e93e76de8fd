"""The stage: all that a lecture needs is on one screen, follows the player, and can be presented."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from mmc import UMCRLS, registry
from mmc.datasets import load
from mmc.figures import animation_html, make_scene, make_story, make_view
from mmc.recording import record

#: Where Plotly takes the pointer, which is as large as the axes.
_PICTURE = ".draglayer .xy .nsewdrag"
_CURVE = ".draglayer .x2y2 .nsewdrag"
_WIDE = ((1280, 720), (1440, 900))


def is_inside(page: Page, part: Locator) -> bool:
    """Return whether a part of the page is inside the window."""
    box, window = part.bounding_box(), page.viewport_size
    assert box is not None
    right, bottom = box["x"] + box["width"], box["y"] + box["height"]
    return bool(
        min(box["x"], box["y"]) >= 0 and right <= window["width"] + 1 and bottom <= window["height"] + 1
    )


def expect_all_inside(page: Page, chart: str = ".st-key-chart_0") -> None:
    """Expect picture, curve, player and captions to be inside the window."""
    shown = [f"{chart} {_PICTURE}", f"{chart} {_CURVE}", ".mmc-bar", ".mmc-caption"]
    outside = [each for each in shown if not is_inside(page, page.locator(each).first)]
    assert outside == []


def lit(page: Page) -> str:
    """Read the lit line of the pseudo-code."""
    return page.locator(".mmc-lit").first.inner_text()


@pytest.mark.parametrize("place", ["Playground?n=60", "Cutting_planes?n=60", "Model_selection?n=60"])
def test_all_is_on_one_screen_before_and_while_playing(app, new_page, drawn, place):
    """At both sizes of a screen, in light and dark, nothing of the stage is outside the window."""
    for scheme, (width, height) in zip(("light", "dark"), _WIDE, strict=True):
        page = new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.goto(f"{app}/{place}")
        drawn(page)
        expect_all_inside(page)
        page.locator(".mmc-play").click()
        page.wait_for_timeout(800)
        expect_all_inside(page)


@pytest.mark.parametrize("query", ["n=60", "n=60&present=1"])
def test_a_phone_shows_picture_player_and_caption(visit, query):
    """The pseudo-code is below them, also in a presentation."""
    page = visit(query, viewport={"width": 390, "height": 844})
    expect_all_inside(page)
    caption, story = (page.locator(each).first.bounding_box() for each in (".mmc-caption", ".mmc-story"))
    assert story["y"] > caption["y"]


def test_a_presentation_has_keys_and_asks_nothing(visit):
    """Keys move frame and lit line, and light the lines; Escape leaves; the server hears nothing of it."""
    sent: list = []
    page = visit("n=60&present=1", sent, viewport={"width": 1280, "height": 720})
    root = page.locator("body")
    expect(root).to_have_class(re.compile("mmc-present"))
    expect(page.locator("[data-testid=stSidebar]")).to_be_hidden()
    page.wait_for_timeout(2000)
    before = len(sent)
    try_keys(page)
    expect_all_inside(page)
    page.locator(".mmc-player").get_by_label("Step", exact=True).fill("3")
    expect(page.locator(".mmc-caption").first).to_have_text(re.compile("^3 of "))
    page.keyboard.press("Escape")
    expect(root).not_to_have_class(re.compile("mmc-present"))
    expect(page.locator("[data-testid=stSidebar]")).to_be_visible()
    assert "present" not in page.url
    page.get_by_role("button", name="Present").click()
    expect(root).to_have_class(re.compile("mmc-present"))
    assert "present=1" in page.url
    assert len(sent) == before


def try_keys(page: Page) -> None:
    """Press each key of a presentation and expect what it does."""
    caption, play = page.locator(".mmc-caption").first, page.locator(".mmc-play")
    last = lit(page)
    page.keyboard.press("Home")
    expect(caption).to_have_text(re.compile("^0 of "))
    assert lit(page) != last
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(caption).to_have_text(re.compile("^1 of "))
    page.keyboard.press("Space")
    expect(play).to_have_text("Pause")
    page.keyboard.press("Space")
    expect(play).to_have_text("Play")
    page.keyboard.press("l")
    expect(page.locator(".mmc-lit").first).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    page.keyboard.press("l")
    expect(page.locator(".mmc-lit").first).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
    page.keyboard.press("End")
    expect(caption).to_have_text(re.compile(r"^(\d+) of \1 "))
    assert lit(page) == last


def test_the_exported_page_is_the_same_stage_from_disk(new_page: Callable[..., Page], tmp_path):
    """Without a network it has the whole width, the keys, and the names of data and rings."""
    data = load("moons", n_samples=60, random_state=0)
    scene = make_scene(record(UMCRLS(2, random_state=0), data.X), make_view(data.X, data.feature_names))
    file = tmp_path / "page.html"
    stories = {"UMCRLS": make_story(scene, registry.get("UMCRLS"))}
    text = animation_html({"UMCRLS": scene}, "Q", "Moons", "Data: moons.", stories)
    file.write_text(text, encoding="utf-8")
    page = new_page(viewport={"width": 1280, "height": 720}, offline=True)
    page.goto(file.as_uri())
    page.wait_for_selector("#chart-0 .scatterlayer .points path")
    expect(page.get_by_text("Data: moons.")).to_be_visible()
    expect(page.get_by_text("Rings mark")).to_be_visible()
    expect_all_inside(page, "#chart-0")
    stage = page.locator(".stage").bounding_box()
    assert stage["width"] > 1200
    chart, story, bar = (
        page.locator(each).bounding_box() for each in ("#chart-0 svg >> nth=0", ".story", ".mmc-bar")
    )
    assert chart["x"] + chart["width"] <= story["x"]
    assert chart["y"] + chart["height"] <= bar["y"]
    try_keys(page)
    page.get_by_role("button", name="Present").click()
    expect(page.locator(".about").first).to_be_hidden()
    expect_all_inside(page, "#chart-0")


def test_the_charts_of_cutting_planes_follow_the_player(app, new_page, drawn):
    """The mark of the weights stands at the cut of the frame."""
    page = new_page()
    page.goto(f"{app}/Cutting_planes?data=moons&n=60&algorithm=MKC")
    drawn(page)
    mark = page.locator(".st-key-weight_bars_0 .scatterlayer .points path").first
    bars = page.locator(".st-key-weight_bars_0 .barlayer .point path")
    last, n_bars = mark.get_attribute("transform"), bars.count()
    page.keyboard.press(",")
    expect(mark).not_to_have_attribute("transform", last)
    assert bars.count() == n_bars > 0
