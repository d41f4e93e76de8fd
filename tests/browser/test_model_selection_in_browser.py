"""Visits to the model-selection page: links, clicks on the curve, views, small and dark screens, waiting."""

import re

from playwright.sync_api import Page, expect

from tests.browser.waits import wait_for_quiet

_CURVES = ".st-key-curve .scatterlayer .trace"
_POINTS = ".st-key-curve .overplot > .xy .points path"
_REFERENCE = ".st-key-curve .overplot > .xy2 .points path"
_PICTURES = "[data-testid=stImage] img, [data-testid=stImage] svg"
_VIEWS = {
    "Posteriors": ".st-key-posteriors .heatmaplayer image",
    "Cross-validation": ".st-key-cv .heatmaplayer image",
    "Graph": ".st-key-graph .scatterlayer path.js-line",
    "Class priors": ".st-key-prior_curve .scatterlayer .points path",
}


def read(page: Page, label: str) -> str:
    """Read a number that the page shows."""
    metric = page.locator("[data-testid=stMetric]").filter(has_text=label)
    return metric.locator("[data-testid=stMetricValue]").first.inner_text()


def wait_until_drawn(page: Page) -> None:
    """Wait until the server has nothing more to say and the browser has drawn it."""
    page.wait_for_timeout(300)
    wait_for_quiet(page)
    page.wait_for_timeout(300)


def click_point(page: Page, index: int, points: str = _POINTS) -> None:
    """Click a candidate's point on a curve."""
    wait_until_drawn(page)
    place = (
        "path => { const b = path.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }"
    )
    x, y = page.locator(points).nth(index).evaluate(place)
    page.mouse.move(x + 3, y)
    page.mouse.move(x, y)
    page.mouse.click(x, y)


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


def test_a_card_opens_the_page_with_its_curve(app, new_page, searched):
    """A click on a card leads to the search with the card's address: curve, ten pictures and the graph."""
    page = new_page()
    page.goto(app)
    page.get_by_text("more ready experiments").click()
    card = page.locator("[data-testid=stVerticalBlock]").filter(has_text="Two spirals").last
    card.get_by_role("link", name="Open").click()
    searched(page)
    path, _, query = page.url.partition("?")
    assert path.endswith("/Model_selection")
    assert sorted(query.split("&")) == ["data=spirals", "n=200", "show=Graph"]
    expect(page.locator(_CURVES)).to_have_count(2)
    expect(page.locator(_POINTS)).to_have_count(10)
    expect(page.locator("[data-testid=stMain]").locator(_PICTURES)).to_have_count(10)
    page.wait_for_selector(_VIEWS["Graph"])
    assert read(page, "Adjusted Rand index") == "1.000"


def test_a_click_on_the_curve_chooses_the_candidate(visit_search):
    """A point of the curve moves slider, address and pictures there, also one that was left by the slider."""
    page = visit_search("n=60&candidates=2,3,5,7")
    seen = []
    for index, name in ((0, "2"), (2, "5")):
        click_point(page, index)
        expect_looking_at(page, name)
        seen.append(read(page, "LSMI"))
    page.locator(".st-key-at input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    expect_looking_at(page, "7")
    click_point(page, 2)
    expect_looking_at(page, "5")
    assert read(page, "LSMI") == seen[1] != seen[0]


def test_a_click_pales_nothing(visit_search):
    """The best one's point on the curve of the reference can be clicked, and nothing is paler after it."""
    page = visit_search("n=60&candidates=2,3,5,7")
    points = page.locator(".st-key-curve .scatterlayer .points path")
    opacity = "paths => paths.map(p => Number(getComputedStyle(p).opacity))"
    wait_until_drawn(page)
    before = points.evaluate_all(opacity)
    chosen = read(page, "Chosen")
    click_point(page, ["2", "3", "5", "7"].index(chosen), _REFERENCE)
    expect_looking_at(page, chosen)
    wait_until_drawn(page)
    after = points.evaluate_all(opacity)
    assert len(before) == len(after) == 8
    assert all(now >= then for now, then in zip(after, before, strict=True))


def test_the_address_repeats_what_is_seen(visit_search):
    """A picture's button and a view are written into the address; another visitor there sees the same."""
    page = visit_search("n=60&candidates=2,3,5,7&seed=2")
    page.get_by_role("button", name=re.compile("^5:")).click()
    expect_looking_at(page, "5")
    page.get_by_role("radio", name="Graph").click()
    page.wait_for_selector(_VIEWS["Graph"])
    page.wait_for_url(re.compile("show=Graph"))
    other = visit_search(page.url.partition("?")[2])
    other.wait_for_selector(_VIEWS["Graph"])
    expect_looking_at(other, "5")
    for label in ("LSMI", "Adjusted Rand index", "Chosen"):
        assert read(other, label) == read(page, label)


def test_every_view_is_drawn_in_the_dark(visit_search):
    """In the dark theme each view shows its chart and nothing goes wrong in the browser's scripts."""
    page = visit_search("data=moons&n=60&candidates=3,6&rival=true", color_scheme="dark")
    expect(page.locator(".st-key-rival_curve .scatterlayer .trace")).to_have_count(2)
    for view, chart in _VIEWS.items():
        page.get_by_role("radio", name=view).click()
        page.wait_for_selector(chart)
        wait_until_drawn(page)
        expect(page.locator("[data-testid=stException]")).to_have_count(0)
    ground = page.locator(".stApp").evaluate("e => getComputedStyle(e).backgroundColor")
    assert max(int(part) for part in re.findall(r"\d+", ground)[:3]) < 80


def test_a_phone_shows_everything(visit_search):
    """On a small screen nothing reaches beyond the side, and curve and pictures can be reached."""
    page = visit_search(
        "data=moons&n=60&rival=true&candidates=3,6&show=Class+priors",
        viewport={"width": 390, "height": 844},
        color_scheme="dark",
    )
    page.wait_for_selector(_VIEWS["Class priors"])
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
    growing = page.locator(_POINTS.replace("curve", "growing_curve"))
    expect(growing.first).to_be_visible()
    expect(cancel).to_be_visible()
    assert 1 <= growing.count() < 21
    cancel.click()
    expect(page.locator("[data-testid=stAlert]").first).to_contain_text("cancelled")
    points = page.locator(_POINTS)
    expect(points.first).to_be_visible()
    assert 1 <= points.count() < 21
    expect(cancel).to_have_count(0)
    expect(page.locator("[data-testid=stMain]").locator(_PICTURES)).to_have_count(points.count())
