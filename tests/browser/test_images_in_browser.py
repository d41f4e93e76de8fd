"""Images in Chromium: a segment is lit under the pointer, stages, ways to draw, and the keyboard."""

import re

import numpy as np
from playwright.sync_api import expect

from mmc.images import load_picture
from tests.browser.waits import wait_for_quiet

_ADDRESS = "Images?picture=shapes&sample=500"


def pixel(page, x, y):
    """Read red, green, blue and alpha of a pixel of the first picture."""
    return page.locator(".mmc-segments canvas").first.evaluate(
        "(c, [x, y]) => [...c.getContext('2d').getImageData(x, y, 1, 1).data]", [x, y]
    )


def test_a_segment_is_lit_under_the_pointer_and_by_keys(app, new_page):
    """Nothing is asked of the server: the lit segment is the image itself, and the others lie in the dark."""
    page = new_page(alone=True)
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.goto(f"{app}/{_ADDRESS}")
    expect(page.locator(".mmc-segments")).to_have_count(4)
    wait_for_quiet(page)
    view = page.locator(".mmc-segments").first
    expect(view.locator(".mmc-segment")).to_have_count(4)
    before = len(sent)
    mean = pixel(page, 60, 55)
    expected = load_picture("shapes").pixels[load_picture("shapes").mask == 1].mean(axis=0)
    np.testing.assert_allclose(mean[:3], expected, atol=6)
    box = view.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 60 / 240, box["y"] + box["height"] * 55 / 160)
    expect(view.locator(".mmc-said")).to_have_text(re.compile(r"^Segment \d: 1[34]\.\d% of the pixels"))
    assert pixel(page, 60, 55)[3] == 0
    assert pixel(page, 180, 60)[3] > 180
    page.mouse.move(0, 0)
    expect(view.locator(".mmc-said")).to_contain_text("split 3 of 3")
    view.get_by_role("button", name="2 segments").click()
    expect(view.locator(".mmc-segment")).to_have_count(2)
    expect(view.locator(".mmc-said")).to_contain_text("split 1 of 3")
    view.locator(".mmc-segment").first.focus()
    expect(view.locator(".mmc-said")).to_have_text(re.compile("^Segment 0"))
    page.keyboard.press("Enter")
    expect(view.locator(".mmc-segment").first).to_have_attribute("aria-pressed", "true")
    view.get_by_role("button", name="Mask").click()
    assert len(sent) == before
    page.emulate_media(color_scheme="dark")
    expect(view.get_by_role("button", name="Mask")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".mmc-segments")).to_have_count(4)


def test_files_are_taken_home_and_a_phone_shows_all(app, new_page):
    """The mask is downloaded; on a small dark screen nothing reaches beyond the side."""
    page = new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page.goto(f"{app}/{_ADDRESS}")
    expect(page.locator(".mmc-segments")).to_have_count(4)
    wait_for_quiet(page)
    assert page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth") <= 1
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Mask (PNG)").click()
    assert waiting.value.suggested_filename == "shapes-mask.png"
