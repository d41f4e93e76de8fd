"""Points are drawn with mouse, finger and keyboard; a link and a script of them give the same labels."""

import csv
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Locator, Page, expect

from mmc.datasets import unpack_drawn
from tests.browser.test_access_in_browser import complaints
from tests.browser.waits import wait_for_quiet

ROOT = Path(__file__).resolve().parents[2]
_WIDE, _PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}


def text_of(page: Page) -> str:
    """Read the drawing in the address."""
    return parse_qs(urlparse(page.url).query).get("drawing", [""])[0]


def open_canvas(page: Page) -> Locator:
    """Unfold the canvas, and empty it."""
    page.get_by_role("button", name="Draw", exact=True).click()
    canvas = page.locator(".mmc-draw canvas")
    canvas.wait_for()
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".mmc-draw-said")).to_have_text("The canvas is empty. 0 points.")
    return canvas


def wait_for_points(page: Page, n: int) -> None:
    """Wait until so many points are drawn, in the address, and clustered."""
    expect(page.locator(".mmc-draw-said")).to_contain_text(f"{n} points")
    has_all = "n => new URLSearchParams(location.search).get('drawing')?.length === 4 * n"
    page.wait_for_function(has_all, arg=n)
    points = page.locator(".st-key-chart_0 .scatterlayer path.plotly-customdata")
    expect(points).to_have_count(n)
    wait_for_quiet(page)
    expect(points).to_have_count(n)


def count(page: Page) -> int:
    """Read how many points there are."""
    said = re.search(r"([\d,]+) points?\.", page.locator(".mmc-draw-said").inner_text())
    assert said
    return int(said[1].replace(",", ""))


def labels(page: Page) -> list[str]:
    """Take the labels home."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Labels (CSV)").click()
    rows = csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8")))
    return [row["cluster"] for row in rows]


def test_strokes_of_a_mouse(visit, tmp_path):
    """Two strokes in two groups; link, new context and script give the same points and labels."""
    page = visit("data=drawn", viewport=_WIDE)
    canvas = open_canvas(page)
    box = canvas.bounding_box()
    for group, (x, y) in (("Group 1", (0.2, 0.3)), ("Group 3", (0.7, 0.6))):
        page.get_by_role("button", name=group).click()
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        page.mouse.down()
        for i in range(1, 9):
            page.mouse.move(box["x"] + x * box["width"] + 9 * i, box["y"] + y * box["height"] + 5 * (i % 3))
        page.mouse.up()
    n = count(page)
    wait_for_points(page, n)
    drawing = unpack_drawn(text_of(page))
    assert set(drawing.groups) == {1, 3}
    first = drawing.places[0] / 1023
    assert first[0] == pytest.approx(0.2, abs=0.03)
    assert first[1] == pytest.approx(0.7, abs=0.04)  # upwards
    mine = labels(page)
    assert len(mine) == n
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Python script").click()
    waiting.value.save_as(tmp_path / "script.py")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, check=True, env=environment, capture_output=True
    )
    with (tmp_path / "labels.csv").open(encoding="utf-8", newline="") as file:
        assert [row["cluster"] for row in csv.DictReader(file)] == mine
    other = visit(urlparse(page.url).query, viewport=_WIDE)
    expect(other.locator(".mmc-draw")).to_have_count(0)  # folded, so that the stage is on one screen
    assert text_of(other) == text_of(page)
    assert labels(other) == mine


def test_tools_of_the_canvas(visit):
    """A toy set is taken over; spray, erase, drag, jitter, undo and redo do what they say."""
    page = visit("data=moons&n=80", viewport=_WIDE)
    page.get_by_role("button", name="Draw on it").click()
    canvas = page.locator(".mmc-draw canvas")
    canvas.wait_for()
    wait_for_points(page, 80)
    assert set(unpack_drawn(text_of(page)).groups) == {1, 2}
    page.get_by_role("button", name="Clear").click()
    expect(page.locator(".mmc-draw-said")).to_have_text("The canvas is empty. 0 points.")
    box = canvas.bounding_box()
    centre = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.get_by_role("button", name="Spray").click()
    page.mouse.move(*centre)
    page.mouse.down()
    page.wait_for_timeout(500)
    page.mouse.up()
    n = count(page)
    assert n > 5
    page.get_by_role("button", name="Undo").click()
    assert count(page) == 0
    page.get_by_role("button", name="Redo").click()
    assert count(page) == n
    wait_for_points(page, n)
    before = text_of(page)
    page.get_by_role("button", name="Jitter").click()
    page.wait_for_function("b => new URLSearchParams(location.search).get('drawing') !== b", arg=before)
    wait_for_points(page, n)
    page.get_by_role("button", name="Brush").click()
    page.mouse.click(box["x"] + 40, box["y"] + 40)
    page.get_by_role("button", name="Move", exact=True).click()
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 90, box["y"] + 60)
    page.mouse.up()
    expect(page.locator(".mmc-draw-said")).to_contain_text("Moved.")
    page.wait_for_timeout(600)
    wait_for_points(page, n + 1)
    last = unpack_drawn(text_of(page)).places[-1] / 1023
    assert last[0] == pytest.approx(80 / (box["width"] - 20), abs=0.02)
    page.get_by_role("button", name="Erase").click()
    page.mouse.click(box["x"] + 90, box["y"] + 60)
    wait_for_points(page, n)


def test_a_finger_on_a_phone(visit):
    """Strokes of a finger draw and do not scroll; below the canvas the page scrolls as ever."""
    page = visit("data=drawn", viewport=_PHONE, has_touch=True, is_mobile=True)
    canvas = open_canvas(page)
    page.wait_for_timeout(500)
    box = canvas.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    pointer = page.context.new_cdp_session(page)

    def touch(kind: str, *at: float) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        pointer.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    place = "() => document.querySelector('[data-testid=stMain]').scrollTop"
    scrolled = page.evaluate(place)
    for group, down in (("Group 1", 0.25), ("Group 2", 0.7)):
        page.get_by_role("button", name=group).tap()
        x, y = box["x"] + 60, box["y"] + down * box["height"]
        touch("touchStart", x, y)
        for i in range(1, 13):
            touch("touchMove", x + 10 * i, y + 3 * i)
        touch("touchEnd")
    assert page.evaluate(place) == scrolled
    n = count(page)
    assert n > 10
    wait_for_points(page, n)
    assert set(unpack_drawn(text_of(page)).groups) == {1, 2}
    assert len(labels(page)) == n
    touch("touchStart", 200, 700)
    for i in range(1, 13):
        touch("touchMove", 200, 700 - 30 * i)
    touch("touchEnd")
    page.wait_for_function(f"s => ({place})() > s", arg=scrolled)


def test_the_keyboard_draws(visit):
    """Keys move the cross, put, move and erase points, choose groups and undo; each is said; no key plays."""
    page = visit("data=drawn", viewport=_WIDE)
    canvas = open_canvas(page)
    said = page.locator(".mmc-draw-said")
    expect(said).to_have_attribute("aria-live", "polite")
    canvas.focus()
    expect(canvas).to_be_focused()
    caption = page.locator(".mmc-caption").first.inner_text()
    page.keyboard.press("2")
    expect(said).to_contain_text("Group 2.")
    page.keyboard.press("Space")
    expect(said).to_have_text("Point of group 2 at 512 across, 512 up. 1 point.")
    for key in ("ArrowRight", "Shift+ArrowUp", "1", "Enter"):
        page.keyboard.press(key)
    expect(said).to_contain_text("Point of group 1 at 523 across, 608 up. 2 points.")
    for key in ("Shift+ArrowLeft", "Shift+ArrowLeft", "Space"):
        page.keyboard.press(key)
    wait_for_points(page, 3)
    drawing = unpack_drawn(text_of(page))
    assert drawing.places.tolist() == [[512, 512], [523, 608], [395, 608]]
    assert drawing.groups.tolist() == [2, 1, 1]
    page.keyboard.press("Delete")
    expect(said).to_contain_text("Erased. 2 points.")
    page.keyboard.press("Control+z")
    expect(said).to_contain_text("Undone. 3 points.")
    page.get_by_role("button", name="Move", exact=True).press("Enter")
    canvas.focus()
    for key in ("Space", "ArrowDown", "ArrowDown", "Space"):
        page.keyboard.press(key)
    expect(said).to_contain_text("Put down. 3 points.")
    page.wait_for_timeout(800)
    wait_for_points(page, 3)
    assert unpack_drawn(text_of(page)).places[2].tolist() == [395, 576]
    assert "Play" in page.locator(".mmc-play").inner_text()
    assert caption


def test_back_returns_to_the_stroke_before(visit):
    """Each stroke is an entry of the history, and the canvas follows Back."""
    page = visit("data=drawn", viewport=_WIDE)
    canvas = open_canvas(page)
    box = canvas.bounding_box()
    for i, n in enumerate((1, 2, 3)):
        page.mouse.click(box["x"] + 60 + 90 * i, box["y"] + 80 + 30 * i)
        if n > 1:
            wait_for_points(page, n)
            page.wait_for_timeout(1100)  # what follows sooner is the same entry
    page.go_back()
    wait_for_points(page, 2)
    page.mouse.click(box["x"] + 300, box["y"] + 200)
    wait_for_points(page, 3)


def test_a_question_shows_two_players(visit, choose):
    """The sentence, both pictures and the player are on one screen; one step moves both."""
    page = visit("data=moons&n=60", viewport=_WIDE)
    page.locator(".st-key-what input").scroll_into_view_if_needed()
    choose(page, "what", "there were twice the noise")
    page.wait_for_selector(".st-key-chart_1 .scatterlayer .points path")
    expect(page.locator(".st-key-changed")).to_contain_text("Twice the noise:")
    expect(page).to_have_url(re.compile("what=noise"))
    captions = page.locator(".mmc-caption")
    expect(captions).to_have_count(2)
    page.locator("h1").first.click()
    page.keyboard.press("Home")
    for i in range(2):
        expect(captions.nth(i)).to_contain_text("0 of ")
    for part in (".st-key-changed", ".mmc-bar"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 721


def test_no_serious_barrier(visit):
    """axe-core has no serious complaint on canvas and two players, wide and on a phone, in both themes."""
    page = visit("data=drawn&what=move&what_point=3", viewport=_WIDE)
    page.get_by_role("button", name="Draw", exact=True).click()
    page.locator(".mmc-draw canvas").wait_for()
    wait_for_quiet(page)
    found = []
    for size in (_WIDE, _PHONE):
        page.set_viewport_size(size)
        found += complaints(page)
    assert found == []
