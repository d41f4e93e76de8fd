"""Visits to the model-selection page: links, clicks on the curve, views, small and dark screens, waiting."""

import re

import pytest
from playwright.sync_api import Page, expect

_CURVE = ".st-key-curve .scatterlayer .trace"
_PICTURES = "[data-testid=stImage] img, [data-testid=stImage] svg"
_VIEWS = {
    "Posteriors": ".st-key-posteriors .heatmaplayer image",
    "Cross-validation": ".st-key-cv .heatmaplayer image",
    "Graph": ".st-key-graph .scatterlayer path.js-line",
    "Class priors": ".st-key-prior_curve .scatterlayer .points path",
    "Steps": ".st-key-chart_0 .scatterlayer .points path",
}


def read(page: Page, label: str) -> str:
    """Read a number that the page shows."""
    metric = page.locator("[data-testid=stMetric]").filter(has_text=label)
    return metric.locator("[data-testid=stMetricValue]").first.inner_text()


def click_point(page: Page, index: int) -> None:
    """Click a candidate's point on the curve of scores, which is drawn last."""
    point = page.locator(_CURVE).last.locator(".points path").nth(index)
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 + 3, box["y"] + box["height"] / 2)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def expect_looking_at(page: Page, name: str) -> None:
    """Wait until address, slider and the button of the picture all name a candidate."""
    page.wait_for_url(re.compile(rf"[?&]at={name}(&|$)"))
    expect(page.locator(".st-key-at [data-testid=stSliderThumbValue]")).to_have_text(name)
    chosen = page.locator("[data-testid=stBaseButton-primary]:visible")
    expect(chosen).to_have_count(1)
    expect(chosen).to_have_text(re.compile(rf"^{name}:"))


def width_beyond(page: Page) -> int:
    """Measure how far the page reaches beyond the side of the screen."""
    return page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")


def test_a_lesson_opens_the_page_with_its_curve(app, new_page, searched):
    """A click on a card leads to the search with the card's address: curve, ten pictures and the graph."""
    page = new_page()
    page.goto(app)
    card = page.locator("[data-testid=stVerticalBlock]").filter(has_text="Two spirals").last
    card.get_by_role("link", name="Open").click()
    searched(page)
    path, _, query = page.url.partition("?")
    assert path.endswith("/Model_selection")
    assert sorted(query.split("&")) == ["data=spirals", "n=200", "show=Graph"]
    expect(page.locator(_CURVE)).to_have_count(2)
    expect(page.locator(_CURVE).last.locator(".points path")).to_have_count(10)
    expect(page.locator("[data-testid=stMain]").locator(_PICTURES)).to_have_count(10)
    page.wait_for_selector(_VIEWS["Graph"])
    assert read(page, "Adjusted Rand index") == "1.000"


def test_a_click_on_the_curve_chooses_the_candidate(visit_search):
    """A point of the curve moves slider, address and pictures there, and others can be clicked after it."""
    page = visit_search("n=60&candidates=2,3,5,7")
    seen = [read(page, "LSMI")]
    for index, name in ((0, "2"), (3, "7"), (0, "2")):
        click_point(page, index)
        expect_looking_at(page, name)
        seen.append(read(page, "LSMI"))
    assert seen[1] == seen[3] != seen[2]


def test_a_point_can_be_clicked_again_after_the_slider_was_moved(visit_search):
    """Whoever clicks a point, moves the slider away and clicks the point again is back at it."""
    page = visit_search("n=60&candidates=2,3,5,7")
    click_point(page, 1)
    expect_looking_at(page, "3")
    page.locator(".st-key-at [role=slider]").focus()
    page.keyboard.press("ArrowRight")
    expect_looking_at(page, "5")
    page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')")
    click_point(page, 1)
    expect_looking_at(page, "3")


def test_the_address_repeats_what_is_seen(visit_search):
    """A picture's button and a view are written into the address; another visitor there sees the same."""
    page = visit_search("n=60&candidates=2,3,5,7&seed=2")
    page.get_by_role("button", name=re.compile("^5:")).click()
    expect_looking_at(page, "5")
    page.get_by_role("radio", name="Cross-validation").click()
    page.wait_for_selector(_VIEWS["Cross-validation"])
    page.wait_for_url(re.compile("show=Cross-validation"))
    other = visit_search(page.url.partition("?")[2])
    other.wait_for_selector(_VIEWS["Cross-validation"])
    expect_looking_at(other, "5")
    for label in ("LSMI", "Adjusted Rand index", "Chosen"):
        assert read(other, label) == read(page, label)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_is_drawn(scheme, visit_search):
    """In both themes each view shows its chart and nothing goes wrong in the browser's scripts."""
    page = visit_search("data=moons&n=60&candidates=3,6&rival=true", color_scheme=scheme)
    expect(page.locator(".st-key-rival_curve .scatterlayer .trace")).to_have_count(2)
    for view, chart in _VIEWS.items():
        page.get_by_role("radio", name=view).click()
        page.wait_for_selector(chart)
        page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')")
        expect(page.locator("[data-testid=stException]")).to_have_count(0)
    ground = page.locator(".stApp").evaluate("e => getComputedStyle(e).backgroundColor")
    assert (max(int(part) for part in re.findall(r"\d+", ground)[:3]) < 80) == (scheme == "dark")


@pytest.mark.parametrize("view", ["Graph", "Class priors"])
def test_a_phone_shows_everything(view, visit_search):
    """On a small screen nothing reaches beyond the side, and curve and pictures can be reached."""
    page = visit_search(
        f"data=moons&n=60&rival=true&candidates=2,3,5,7&show={view}",
        viewport={"width": 390, "height": 844},
        color_scheme="dark",
    )
    page.wait_for_selector(_VIEWS[view])
    assert width_beyond(page) <= 1
    for button in page.locator("[data-testid=stMain] button:visible").all():
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_the_curve_grows_and_cancel_keeps_it(visit_search):
    """A long search shows its points as they come; Cancel ends it with the candidates that were done."""
    page = visit_search(
        "data=digits&classes=3&classes=8&algorithm=UMCRLS&score=stability&n_init=10", wait=False
    )
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel).to_be_visible()
    expect(page.locator("[data-testid=stProgress]")).to_be_visible()
    growing = page.locator(".st-key-growing_curve .scatterlayer .trace").last.locator(".points path")
    expect(growing.first).to_be_visible()
    expect(cancel).to_be_visible()
    assert 1 <= growing.count() < 21
    cancel.click()
    expect(page.locator("[data-testid=stAlert]").first).to_contain_text("cancelled")
    points = page.locator(_CURVE).last.locator(".points path")
    expect(points.first).to_be_visible()
    assert 1 <= points.count() < 21
    expect(cancel).to_have_count(0)
    expect(page.locator("[data-testid=stMain]").locator(_PICTURES)).to_have_count(points.count())
