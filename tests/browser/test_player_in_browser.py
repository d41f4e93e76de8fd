"""The player moves the picture in the browser alone."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from scipy.spatial.distance import cdist

_POINTS = ".st-key-chart_0 path.plotly-customdata"
_BORDER = ".st-key-chart_0 .xy .scatterlayer path.js-line"
_PLACE = ".st-key-chart_0 .x2y2 .scatterlayer .points path"

#: Milliseconds from one frame to the next.
_PACE = 350

#: Milliseconds after which a frame that rests is left to Plotly.
_REST = 1000


def caption(page: Page) -> str:
    """Read what the player says of the present frame."""
    return page.locator(".mmc-caption").first.inner_text()


def frame(page: Page) -> int:
    """Read the number of the present frame."""
    return int(caption(page).split(" of ")[0])


def picture(page: Page) -> tuple[list[str], list[str], list[str]]:
    """Read the colours of the points, the course of the border and the place on the curve, as drawn."""
    colours = page.locator(_POINTS).evaluate_all("paths => paths.map(p => p.style.fill)")
    border = page.locator(_BORDER).evaluate_all("paths => paths.map(p => p.getAttribute('d'))")
    place = page.locator(_PLACE).evaluate_all("paths => paths.map(p => p.getAttribute('transform'))")
    return colours, border, place


def press(page: Page, label: str) -> None:
    """Press one of the player's buttons."""
    page.locator(".mmc-player").get_by_role("button", name=label).click()


def wait_for_frame(page: Page, index: int) -> None:
    """Wait until the player shows a frame."""
    expect(page.locator(".mmc-caption").first).to_have_text(re.compile(rf"^{index} of "))


def wait_until(page: Page, condition: Callable[[], bool], what: str) -> None:
    """Look again and again until a condition holds."""
    for _ in range(1200):
        if condition():
            return
        page.wait_for_timeout(100)
    pytest.fail(f"never: {what}")


def stop_clock(page: Page) -> None:
    """Let time pass on the page only when a test says so."""
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(hours=1))


def wait_for_quiet(page: Page, sent: list) -> None:
    """Wait until the page has sent nothing for a second."""
    known = -1
    while len(sent) != known:
        known = len(sent)
        page.wait_for_timeout(1000)


def step_back(page: Page, last: int) -> int:
    """Press step back."""
    press(page, "Step back")
    return last - 1


def to_the_start(page: Page, last: int) -> int:
    """Press to the start."""
    press(page, "To the start")
    return 0


def scrub(page: Page, last: int) -> int:
    """Drag the slider to a frame in the middle."""
    page.locator(".mmc-player").get_by_label("Step", exact=True).fill(str(last // 2))
    return last // 2


def comma(page: Page, last: int) -> int:
    """Press the comma key twice."""
    page.keyboard.press(",")
    page.keyboard.press(",")
    return last - 2


def test_moving_changes_caption_and_picture_and_sends_nothing(visit):
    """From the last frame each way to move shows another frame and back again, without the server."""
    sent: list = []
    page = visit("n=60", sent)
    wait_for_quiet(page, sent)
    assert sent, "the page has a socket that is listened to"
    before, last, drawn, final = len(sent), frame(page), picture(page), caption(page)
    assert last > 5
    for move in (step_back, to_the_start, scrub, comma):
        index = move(page, last)
        wait_for_frame(page, index)
        assert caption(page) != final
        wait_until(page, lambda: picture(page)[2] != drawn[2], "another place on the curve")
        if index == 0:
            wait_until(page, lambda: picture(page)[0] != drawn[0], "other colours")
            wait_until(page, lambda: picture(page)[1] != drawn[1], "another border")
        press(page, "To the end")
        wait_for_frame(page, last)
        wait_until(page, lambda: picture(page) == drawn, "the last picture again")
        assert caption(page) == final
    page.wait_for_timeout(500)
    assert len(sent) == before


_DRAWN = """() => {
    const gd = document.querySelector(".st-key-chart_0 .js-plotly-plot");
    return gd._fullData.map((trace) => {
        const group = gd.querySelector(`.scatterlayer .trace${trace.uid}`);
        const [marks, lines] = [".points path", "path.js-line"].map((e) => [...group.querySelectorAll(e)]);
        const numbers = (path, name) => (path.getAttribute(name).match(/-?[0-9.]+/g) || []).map(Number);
        return {
            marks: marks.map((mark) => [mark.style.fill, mark.style.stroke, mark.getAttribute("d")].join()),
            places: marks.map((mark) => numbers(mark, "transform")),
            line: lines.flatMap((line) => numbers(line, "d")),
        };
    });
}"""


@pytest.mark.parametrize("query", ["data=moons&algorithm=SteepRLS", "data=three-gaussians&algorithm=UMCRLS"])
def test_a_painted_frame_is_that_of_plotly(visit, query):
    """What the player paints into the chart at once is what Plotly draws of the same frame, each way."""
    page = visit(f"n=60&{query}")
    last = frame(page)
    page.evaluate(
        """() => {
        window.byPlotly = 0;
        const gd = document.querySelector(".st-key-chart_0 .js-plotly-plot");
        gd.on("plotly_animatingframe", () => window.byPlotly++);
    }"""
    )
    at_once = 0
    frames = [*range(0, last, 3), last, 1, last - 1, 0]
    for n, i in enumerate(frames):
        page.locator(".mmc-player").get_by_label("Step", exact=True).fill(str(i))
        wait_for_frame(page, i)
        painted = page.evaluate(_DRAWN)
        at_once += page.evaluate("() => window.byPlotly") == n
        page.evaluate(
            """(i) => Plotly.animate(document.querySelector(".st-key-chart_0 .js-plotly-plot"), [String(i)],
            {mode: "immediate", transition: {duration: 0}, frame: {duration: 0, redraw: false}})""",
            i,
        )
        page.evaluate("(n) => (window.byPlotly = n)", n + 1)
        for ours, theirs in zip(painted, page.evaluate(_DRAWN), strict=True):
            assert ours["marks"] == theirs["marks"]
            assert np.allclose(ours["places"], theirs["places"], atol=0.02)
            # Plotly leaves out corners of a line that are too close to each other to be seen.
            corners, kept = (np.reshape(each["line"], (-1, 2)) for each in (ours, theirs))
            assert bool(len(corners)) == bool(len(kept))
            if len(kept):
                assert cdist(kept, corners).min(axis=1).max() < 0.02
                assert cdist(corners, kept).min(axis=1).max() < 25
    assert at_once > len(frames) / 2


def test_stepping_forwards_goes_one_frame_at_a_time(visit):
    """The button and the full stop both go one frame on, and stay at the last one."""
    page = visit("n=60")
    last = frame(page)
    press(page, "To the start")
    wait_for_frame(page, 0)
    press(page, "Step (right arrow")
    wait_for_frame(page, 1)
    page.keyboard.press(".")
    wait_for_frame(page, 2)
    press(page, "To the end")
    page.keyboard.press(".")
    wait_for_frame(page, last)


def test_play_and_pause(visit):
    """Play begins anew at the end and runs; pause holds the frame; the server hears nothing of it."""
    sent: list = []
    page = visit("n=60", sent)
    wait_for_quiet(page, sent)
    before, last, button = len(sent), frame(page), page.locator(".mmc-play")
    stop_clock(page)
    for toggle in (lambda: press(page, "Play or pause"), lambda: page.keyboard.press("k")):
        expect(button).to_have_text("Play")
        toggle()
        expect(button).to_have_text("Pause")
        page.clock.run_for(3 * _PACE)
        wait_for_frame(page, 3)
        toggle()
        expect(button).to_have_text("Play")
        page.clock.run_for(3 * _PACE)
        assert frame(page) == 3 < last
        press(page, "To the end")
    assert len(sent) == before


def test_playing_ends_at_the_last_frame(visit):
    """At the end the player stops by itself, with the caption and the picture of the last frame."""
    page = visit("n=60", alone=True)
    wanted, drawn, last = caption(page), picture(page), frame(page)
    stop_clock(page)
    press(page, "Play or pause")
    page.clock.run_for(last * _PACE)
    expect(page.locator(".mmc-play")).to_have_text("Pause")
    page.clock.run_for(_PACE)
    expect(page.locator(".mmc-play")).to_have_text("Play")
    assert caption(page) == wanted
    assert picture(page)[::2] == drawn[::2], "colours and place are there at once"
    page.clock.run_for(_REST)
    wait_until(page, lambda: picture(page) == drawn, "the last picture, drawn by Plotly itself")


def test_speed_changes_the_pace(visit):
    """In the same time sixteen times as many frames pass at four times the speed as at a quarter of it."""
    page = visit("n=100", alone=True)
    stop_clock(page)
    for factor, passed in (("0.25", 1), ("4", 16)):
        press(page, "To the start")
        wait_for_frame(page, 0)
        page.locator(".mmc-player select").select_option(factor)
        press(page, "Play or pause")
        page.clock.run_for(4 * _PACE)
        wait_for_frame(page, passed)


def test_no_ring_of_another_frame_stays(visit):
    """SteepRLS moves points in each step; back at the start, which moved nothing, no ring is left."""
    page = visit("data=moons&n=60&algorithm=SteepRLS")
    rings = page.locator(".st-key-chart_0 .subplot.xy .scatterlayer .trace").nth(2).locator(".points path")
    press(page, "To the start")
    press(page, "Step (right arrow")
    wait_until(page, lambda: rings.count() > 0, "rings of the first step")
    press(page, "To the start")
    wait_until(page, lambda: rings.count() == 0, "no ring at the start")


def test_two_charts_move_together(visit):
    """Beside each other, both charts follow the one player, each with its own caption."""
    page = visit("data=moons&n=60&beside=SteepRLS")
    page.wait_for_selector(".st-key-chart_1 .scatterlayer .points path")
    lines = page.locator(".mmc-caption")
    expect(lines).to_have_count(2)
    second = ".st-key-chart_1 path.plotly-customdata"
    colours = "paths => paths.map(p => p.style.fill)"
    before = [page.locator(points).evaluate_all(colours) for points in (_POINTS, second)]
    press(page, "To the start")
    expect(lines.nth(0)).to_have_text(re.compile("^UMCRLS: 0 of "))
    expect(lines.nth(1)).to_have_text(re.compile("^SteepRLS: 0 of "))
    for points, known in zip((_POINTS, second), before, strict=True):
        wait_until(
            page, lambda p=points, k=known: page.locator(p).evaluate_all(colours) != k, "other colours"
        )


def test_the_margins_follow_the_player(visit):
    """The chart of margins shows the round that the player shows, also when it is opened later."""
    page = visit("data=moons&n=60&algorithm=IterSVR&init=random&n_init=1")
    bars = ".st-key-margins_0 .scatterlayer path.js-fill"
    page.wait_for_selector(bars)

    def shapes() -> list:
        return page.locator(bars).evaluate_all("paths => paths.map(p => p.getAttribute('d'))")

    last, final = frame(page), shapes()
    press(page, "To the start")
    wait_for_frame(page, 0)
    wait_until(page, lambda: shapes() != final, "other bars")
    first = shapes()
    page.get_by_role("radio", name="Rounds").click()
    page.wait_for_selector(".st-key-course_0 .scatterlayer path")
    page.get_by_role("radio", name="Margins").click()
    page.wait_for_selector(bars)
    press(page, "Step (right arrow")
    press(page, "To the start")
    wait_until(page, lambda: shapes() == first, "the bars of the start")
    press(page, "To the end")
    wait_for_frame(page, last)
    wait_until(page, lambda: shapes() == final, "the last bars again")


def test_the_lasso_shows_rows_and_keeps_the_frame(visit):
    """A lasso around points lists their rows, and neither the frame nor its picture changes."""
    page = visit("n=60")
    last = frame(page)
    page.locator(".mmc-player").get_by_label("Step", exact=True).fill("2")
    wait_for_frame(page, 2)
    wait_until(page, lambda: picture(page)[0].count("") == 0, "drawn points")
    page.wait_for_timeout(300)
    colours = picture(page)[0]
    draw_lasso(page)
    expect(page.get_by_text(re.compile(r"^\d+ selected points$"))).to_be_visible()
    text = page.get_by_text(re.compile(r"^\d+ selected points$")).inner_text()
    assert 0 < int(text.split()[0]) <= 60
    expect(page.locator("[data-testid=stDataFrame]").first).to_be_visible()
    page.wait_for_timeout(500)
    assert frame(page) == 2 < last
    assert picture(page)[0] == colours
    press(page, "Step (right arrow")
    wait_for_frame(page, 3)


def draw_lasso(page: Page) -> None:
    """Draw a lasso around most of the upper chart."""
    area = page.locator(".st-key-chart_0 .nsewdrag").first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    corners = [(0.05, 0.05), (0.95, 0.05), (0.95, 0.95), (0.05, 0.95), (0.05, 0.08)]
    path = [(box["x"] + u * box["width"], box["y"] + v * box["height"]) for u, v in corners]
    page.mouse.move(*path[0])
    page.mouse.down()
    for x, y in path[1:]:
        page.mouse.move(x, y, steps=8)
        page.wait_for_timeout(40)
    page.mouse.up()
