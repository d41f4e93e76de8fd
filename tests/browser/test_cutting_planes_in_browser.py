"""The cutting-planes page in a browser: the player moves margin, rings and gap, toggles change the run."""

import re

from playwright.sync_api import expect

_ADDRESS = "Cutting_planes?data=moons&n=60&algorithm=MKC"


def test_the_player_moves_margin_rings_and_gap(app, new_page, drawn):
    """Each frame is a cut: at the start all points are ringed, at the end few, and the gap has fallen."""
    page = new_page()
    page.goto(f"{app}/{_ADDRESS}")
    drawn(page)
    ringed = page.locator(".st-key-chart_0 .subplot.xy .scatterlayer .trace").nth(2).locator(".points path")
    expect(page.locator(".mmc-caption").first).to_have_text(re.compile("done$"))
    few = ringed.count()
    rim = page.locator(".st-key-chart_0 .subplot.xy .scatterlayer .trace path.js-line").nth(1)
    place = page.locator(".st-key-chart_0 .subplot.x2y2 .scatterlayer .trace .points path").nth(-1)
    last_rim, last_place = rim.get_attribute("d"), place.get_attribute("transform")
    assert last_rim
    assert last_place
    page.locator(".mmc-player").get_by_role("button", name="Step back").click()
    expect(page.locator(".mmc-caption").first).not_to_have_text(re.compile("done$"))
    expect(rim).not_to_have_attribute("d", last_rim)
    expect(place).not_to_have_attribute("transform", last_place)
    page.locator(".mmc-player").get_by_role("button", name="To the start").click()
    expect(page.locator(".mmc-caption").first).to_have_text(re.compile("^0 of .*every point"))
    expect(ringed).to_have_count(60)
    assert few < 30


def test_a_toggle_changes_the_run_and_the_address(app, new_page, drawn):
    """Without the linear kernel the weights are those of the other two, and a reload shows the same."""
    page = new_page()
    page.goto(f"{app}/{_ADDRESS}")
    drawn(page)
    page.locator(".st-key-use_linear label").first.click()
    expect(page.locator(".st-key-weight_bars_0 .legendtext")).to_have_count(2)
    expect(page).to_have_url(re.compile(r"kernels=poly"))
    page.goto(page.url)
    drawn(page)
    expect(page.locator(".st-key-weight_bars_0 .legendtext")).to_have_count(2)
    expect(page.locator(".st-key-use_linear input")).not_to_be_checked()


def test_the_address_follows_the_text(app, new_page, drawn):
    """Wrong text and then right text: the address ends with what is run, and no other control is lost."""
    page = new_page()
    page.goto(f"{app}/{_ADDRESS}&C=16")
    drawn(page)
    page.get_by_text("Kernels as text").first.click()
    field = page.locator(".st-key-kernels input")
    field.fill("sigmoid")
    field.press("Enter")
    expect(page.get_by_text("is not right")).to_be_visible()
    expect(page).to_have_url(re.compile(r"C=16"))
    field = page.locator(".st-key-kernels input")
    field.fill("linear, rbf")
    field.press("Enter")
    expect(page.locator(".st-key-weight_bars_0 .legendtext")).to_have_count(2)
    expect(page).to_have_url(re.compile(r"kernels=linear%2C(\+|%20)rbf"))
    expect(page).to_have_url(re.compile(r"C=16"))
