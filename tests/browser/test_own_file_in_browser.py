"""A practitioner's first hour: a messy file, its clusters, what one knows of them, and next month's file."""

import io
import math

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from mmc.datasets import open_table
from mmc.model_file import load_model
from tests.browser.waits import wait_for_quiet


def customers(n, seed):
    """Write a German table of three groups of customers, two of which are near each other."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 3
    spent = np.array([300, 2500, 1200])[group] + rng.normal(0, 120, n)
    table = pd.DataFrame(
        {
            "Nr": [f"K-{1000 + i}" for i in range(n)],
            "Alter": np.array([25, 45, 67])[group] + rng.normal(0, 3, n).round(),
            "Umsatz": [f"{v:,.2f} €".translate(str.maketrans(",.", ".,")) for v in spent],
            "Newsletter": np.where(rng.random(n) < np.array([0.9, 0.2, 0.5])[group], "ja", "nein"),
            "Stadt": np.array(["Köln", "München", "Bonn"])[group],
            "Land": "DE",
        }
    )
    table["Alter"] = [str(int(age)) if i % 11 else "k.A." for i, age in enumerate(table["Alter"])]
    return table.to_csv(sep=";", index=False).encode("latin-1", "replace").replace(b"?", b"EUR"), group


@pytest.mark.parametrize("options", [{}, {"viewport": {"width": 390, "height": 844}, "has_touch": True}])
def test_from_a_file_to_labels_of_another(app, new_page, options, tmp_path):
    """File, preview, clusters, lasso, profile, model, and labels of a second file: all on one page."""
    content, group = customers(120, 0)
    page = new_page(**options)
    page.goto(f"{app}/Find_clusters?data=table&most=4&k=3")
    controls = page.get_by_test_id("stSidebar")
    if options:
        page.get_by_test_id("stExpandSidebarButton").click()
    controls.locator("input[type=file]").first.set_input_files(
        {"name": "Kunden.csv", "mimeType": "text/csv", "buffer": content}
    )
    expect(controls.get_by_text("K-1000").or_(controls.get_by_text("every row has a code"))).to_be_visible()
    if options:
        page.get_by_test_id("stSidebarCollapseButton").locator("button").click()
    preview = page.get_by_text("Your table: 120 rows, 4 of 6 columns are used")
    preview.click()
    expect(page.get_by_role("button", name="Use the columns like this")).to_be_visible()
    preview.click()
    expect(page.get_by_text("Take it home")).to_be_visible()

    page.get_by_text("Steer: say what belongs together").click()
    _draw_around_all(page)
    page.get_by_role("button", name="These are one cluster").click()
    message = page.get_by_text("must_link leaves 1 group of points, fewer than")
    expect(message.first).to_be_visible()  # all points cannot be one of three clusters
    page.get_by_role("button", name="Take back").click()
    expect(message).to_have_count(0)
    drawn = page.get_by_text("points are drawn around.")
    expect(drawn).to_have_count(0)
    _draw_around_all(page, 0.35)
    expect(drawn).not_to_have_text("120 points are drawn around.")
    page.get_by_role("button", name="These are one cluster").click()
    expect(page.get_by_text("3 clusters that keep what you said, found by UMCRLS.")).to_be_visible()

    page.get_by_text("Describe the clusters").click()
    expect(page.get_by_text("Cluster 0").first).to_be_visible()
    labels = _download(page, "Labels (CSV)")
    frame = pd.read_csv(io.BytesIO(labels))
    assert pd.crosstab(frame["cluster"], group).max(axis=1).sum() > 80

    model = _download(page, "Model (MMC)")
    second, _ = customers(60, 1)
    page.locator(".st-key-model_file input[type=file]").set_input_files(
        {"name": "m.mmc", "mimeType": "application/zip", "buffer": model}
    )
    page.locator(".st-key-rows_file input[type=file]").set_input_files(
        {"name": "next.csv", "mimeType": "text/csv", "buffer": second}
    )
    expect(page.get_by_text("60 rows have labels")).to_be_visible()
    written = pd.read_csv(io.BytesIO(_download(page, "Labelled rows (CSV)")))
    assert written["cluster"].tolist() == load_model(model).label(open_table(second)).labels.tolist()


def _draw_around_all(page, share=1.0):
    """Draw around the points of the left part of the picture."""
    page.wait_for_timeout(500)  # the picture may move while the page is drawn
    area = page.locator(".js-plotly-plot .nsewdrag").first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    x, y = box["x"] + share * box["width"] / 2, box["y"] + box["height"] / 2
    rx, ry = share * box["width"] / 2 - 2, box["height"] / 2 - 2
    page.mouse.move(x + rx, y)
    page.mouse.down()
    for i in range(1, 33):
        angle = 2 * math.pi * i / 32
        stretch = min(1 / max(abs(math.cos(angle)), abs(math.sin(angle))), 1.4)  # nearly a rectangle
        page.mouse.move(x + rx * stretch * math.cos(angle), y + ry * stretch * math.sin(angle))
    page.mouse.up()


def _download(page, name):
    """Return the content of a file that the page offers; a run of the page gives its buttons new files."""
    wait_for_quiet(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    with open(download.value.path(), "rb") as file:
        return file.read()
