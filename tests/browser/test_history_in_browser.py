"""The browser's own buttons: Back, Forward and Reload return to the experiment that was there."""

import re

from playwright.sync_api import Page, expect


def moved(page: Page, key: str, arrow: str) -> None:
    """Move a slider by one step."""
    page.locator(f".st-key-{key} input[type=range]").first.focus()
    page.keyboard.press(arrow)


def slider(page: Page, key: str):
    """Find a slider by its key."""
    return page.locator(f".st-key-{key} input[type=range]").first


def q(page: Page) -> str:
    """Read the objective that the page shows."""
    metric = page.locator("[data-testid=stMetric]").filter(has_text="Q").first
    return metric.locator("[data-testid=stMetricValue]").inner_text()


def test_back_and_forward_on_a_page(visit, drawn):
    """Each changed control is one entry; Back and Forward show the experiment and its result."""
    page = visit("n=60")
    first = q(page)
    moved(page, "alpha", "ArrowLeft")
    page.wait_for_url(re.compile(r"alpha=0\.25"))
    expect(page.get_by_text(first, exact=True)).to_have_count(0)
    drawn(page)
    second = q(page)
    page.wait_for_timeout(1100)
    moved(page, "n_clusters", "ArrowRight")
    page.wait_for_url(re.compile("n_clusters=4"))
    expect(page.locator(".st-key-chart_0 .legendtext")).to_have_count(4)
    drawn(page)
    page.go_back()
    expect(page.locator(".st-key-chart_0 .legendtext")).to_have_count(3)
    expect(slider(page, "n_clusters")).to_have_value("3")
    assert "alpha=0.25" in page.url
    assert "n_clusters" not in page.url
    drawn(page)
    assert q(page) == second
    page.go_back()
    expect(page.get_by_text(first, exact=True).first).to_be_visible()
    assert "alpha" not in page.url
    page.go_forward()
    expect(page.get_by_text(second, exact=True).first).to_be_visible()
    assert "alpha=0.25" in page.url


def test_what_follows_from_a_change_is_no_entry_of_its_own(visit, drawn, choose):
    """Other data change the number of clusters as well; one Back undoes both."""
    page = visit("n=60&n_clusters=5")
    choose(page, "data", "moons")
    expect(page.locator(".st-key-chart_0 .legendtext")).to_have_count(2)
    drawn(page)
    page.go_back()
    expect(page.locator(".st-key-chart_0 .legendtext")).to_have_count(5)
    assert "n_clusters=5" in page.url
    assert "data" not in page.url
    page.go_forward()
    expect(page.locator(".st-key-chart_0 .legendtext")).to_have_count(2)
    assert "data=moons" in page.url


def test_back_draws_the_controls_of_the_experiment(visit, drawn, choose):
    """A kernel with a width that no step has comes back with its control, its value and its result."""
    page = visit("n=60&kernel=rbf&width=1.37&alpha=0.3")
    first = q(page)
    choose(page, "kernel", "graph")
    expect(page.locator(".st-key-width")).to_have_count(0)
    drawn(page)
    page.go_back()
    expect(page.locator(".st-key-width")).to_have_count(1)
    expect(page.get_by_text(first, exact=True).first).to_be_visible()
    assert "width=1.37" in page.url
    assert "alpha=0.3" in page.url


def test_back_and_forward_between_pages(visit, drawn):
    """Back from another page shows the experiment that was there, and Forward the other page's."""
    page = visit("n=60&data=moons")
    first = q(page)
    moved(page, "alpha", "ArrowLeft")
    page.wait_for_url(re.compile(r"alpha=0\.25"))
    expect(page.get_by_text(first, exact=True)).to_have_count(0)
    drawn(page)
    shown = q(page)
    page.get_by_role("link", name="Papers").click()
    page.wait_for_url(re.compile("/Papers"))
    expect(page.get_by_role("heading", name="Papers", exact=True)).to_be_visible()
    page.go_back()
    page.wait_for_url(re.compile("/Playground"))
    drawn(page)
    for part in ("data=moons", "n=60", "alpha=0.25"):
        assert part in page.url
    expect(page.locator(".st-key-chart_0 .scatterlayer path.plotly-customdata")).to_have_count(60)
    assert q(page) == shown
    page.go_forward()
    page.wait_for_url(re.compile("/Papers"))
    expect(page.get_by_role("heading", name="Papers", exact=True)).to_be_visible()


def test_a_reload_loses_nothing(visit, drawn):
    """After a reload the same controls, numbers and history are there."""
    page = visit("n=60")
    first = q(page)
    moved(page, "alpha", "ArrowLeft")
    page.wait_for_url(re.compile(r"alpha=0\.25"))
    expect(page.get_by_text(first, exact=True)).to_have_count(0)
    drawn(page)
    second, address = q(page), page.url
    page.reload()
    drawn(page)
    assert (q(page), page.url) == (second, address)
    page.go_back()
    expect(page.get_by_text(first, exact=True).first).to_be_visible()


def test_a_corrected_address_is_no_trap(app, new_page, drawn):
    """A value that no control takes is removed from the address, and Back still leads out of the page."""
    page = new_page()
    page.goto(app)
    page.goto(f"{app}/Playground?n=60&random_state=-1")
    drawn(page)
    page.wait_for_url(lambda url: "random_state" not in url)
    page.go_back()
    drawn(page)
    expect(page.locator(".st-key-random_state input")).to_have_value("0")
    if "/Playground" in page.url:  # Streamlit corrects the address before the script of the history is there
        page.wait_for_url(lambda url: "random_state" not in url)
        page.go_back()
    page.wait_for_url(lambda url: "/Playground" not in url)
