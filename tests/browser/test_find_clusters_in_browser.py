"""Visits to the page that finds clusters: from a file to labels in few clicks, small and dark screens."""

import io
import re

import numpy as np
import pandas as pd
from playwright.sync_api import Page, expect

from mmc.metrics import adjusted_rand_score
from tests.browser.waits import wait_for_quiet

_POINTS = ".st-key-counts .scatterlayer .points path"


def wait_for_answer(page: Page) -> None:
    """Wait until the search has ended and all is drawn."""
    page.wait_for_selector(_POINTS)
    page.get_by_role("link", name="Watch it run").wait_for()
    wait_for_quiet(page)


def test_from_a_file_to_its_labels_in_three_clicks(app, new_page):
    """Load a table on the home page, watch its clusters being found, and take the labels home."""
    rng = np.random.default_rng(0)
    classes = np.arange(90) % 3
    points = rng.normal(scale=0.4, size=(90, 2)) + 4 * np.column_stack([classes, classes % 2])
    content = pd.DataFrame(points.round(4), columns=["a", "b"]).to_csv(index=False).encode()
    page = new_page()
    page.goto(app)
    clicks = 1
    with page.expect_file_chooser() as choosing:
        page.locator(".st-key-upload").get_by_test_id("stBaseButton-secondary").click()
    choosing.value.set_files({"name": "mine.csv", "mimeType": "text/csv", "buffer": content})
    page.wait_for_url(re.compile(r"/Find_clusters\?data=table"))
    expect(page.get_by_role("heading", name=re.compile("^3 clusters, found by"))).to_be_visible()
    wait_for_answer(page)
    clicks += 1
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Labels (CSV)").click()
    labels = pd.read_csv(io.BytesIO(waiting.value.path().read_bytes()))
    assert waiting.value.suggested_filename == "mine-labels.csv"
    assert list(labels) == ["a", "b", "cluster"]
    assert adjusted_rand_score(classes, labels["cluster"]) == 1.0
    assert clicks <= 3


def test_a_number_can_be_looked_at_and_watched(app, new_page, drawn):
    """A picture's button is written into the address, which repeats it; the link opens that very run."""
    page = new_page()
    page.goto(f"{app}/Find_clusters?n=60&most=5")
    wait_for_answer(page)
    page.get_by_role("button", name="3 clusters", exact=True).click()
    page.wait_for_url(re.compile(r"[?&]at_k=3(&|$)"))
    expect(page.get_by_text("Why not 3?")).to_be_visible()
    other = new_page()
    other.goto(page.url)
    expect(other.get_by_text("Why not 3?")).to_be_visible()
    page.get_by_role("link", name="Watch it run").click()
    page.wait_for_url(re.compile(r"/Playground\?.*n_clusters=3"))
    drawn(page)


def test_a_phone_in_the_dark_shows_everything(app, new_page):
    """On a small dark screen nothing reaches beyond the side, from the first curve to the last button."""
    page = new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page.goto(f"{app}/Find_clusters?n=60&most=5&outliers=true")
    page.wait_for_selector(".st-key-growing_counts .scatterlayer, .st-key-counts .scatterlayer")
    wait_for_answer(page)
    assert page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth") <= 1
    for button in page.locator("[data-testid=stMain] button:visible").all():
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
