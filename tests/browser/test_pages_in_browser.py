"""Visits to the pages: links, addresses, files, small and dark screens."""

import io
import json
import re

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from mmc.ui.home_view import GALLERY

_CSV = "name,x,y\n" + "\n".join(f"r{i},{i % 3 * 10 + i / 7},{i % 2 * 8 - i / 9}" for i in range(30)) + "\n"


def read(page: Page, label: str) -> str:
    """Read a number that the page shows."""
    metric = page.locator("[data-testid=stMetric]").filter(has_text=label)
    return metric.locator("[data-testid=stMetricValue]").first.inner_text()


def shown(page: Page, key: str) -> str:
    """Read the value that a slider shows."""
    return page.locator(f".st-key-{key} input[type=range]").first.input_value()


@pytest.mark.parametrize(
    ("title", "address", "charts", "is_folded"),
    [
        ("Moons, where k-means fails", "data=moons&beside=SteepRLS", 2, False),
        ("Digits 3 and 8", "data=digits&classes=3&classes=8", 1, True),
    ],
)
def test_a_card_opens_the_playground(title, address, charts, is_folded, app, new_page, drawn):
    """A click on a card leads to the playground with the card's address and a drawn chart."""
    page = new_page()
    page.goto(app)
    link = page.locator(".st-key-learn").get_by_role("link", name=title)
    if is_folded:
        page.get_by_text("more ready experiments").click()
        card = page.locator("[data-testid=stVerticalBlock]").filter(has_text=title).last
        link = card.get_by_role("link", name="Open")
    link.click()
    drawn(page)
    expect(page.locator(".js-plotly-plot")).to_have_count(charts)
    path, _, query = page.url.partition("?")
    assert path.endswith("/Playground")
    assert sorted(query.split("&")) == sorted(address.split("&"))


def test_a_changed_control_is_in_the_address_and_the_address_repeats_the_run(visit):
    """Moving λ writes it into the address; another visitor there sees the same Q and the same caption."""
    page = visit("n=60&seed=2")
    before = read(page, "Q")
    page.locator(".st-key-alpha input[type=range]").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile(r"alpha=0\.25(&|$)"))
    expect(page.get_by_text(before, exact=True)).to_have_count(0)
    assert "n=60" in page.url
    assert "seed=2" in page.url
    other = visit(page.url.partition("?")[2])
    assert read(other, "Q") == read(page, "Q") != before
    captions = [p.locator(".mmc-caption").inner_text() for p in (page, other)]
    assert captions[0] == captions[1]


def test_the_controls_follow_the_data_and_the_address_repeats_the_run(visit, choose):
    """Choosing two moons sets k to two, on the slider, in the run and for whoever opens the address."""
    page = visit("n=60")
    assert shown(page, "n_clusters") == "3"
    choose(page, "data", "moons")
    page.wait_for_url(re.compile("data=moons"))
    expect(page.locator(".st-key-chart_0 .legendtext")).to_have_count(2)
    expect(page.locator(".st-key-n_clusters input[type=range]")).to_have_value("2")
    other = visit(page.url.partition("?")[2])
    assert shown(other, "n_clusters") == shown(page, "n_clusters")
    assert read(other, "Q") == read(page, "Q")


def test_an_opened_experiment_is_run_and_written_into_the_address(app, new_page, visit, drawn):
    """A saved experiment leads from home to an address that repeats it, also for another visitor."""
    saved = {
        "data": {
            "source": "moons",
            "options": {"n_samples": 60, "noise": 0.1, "imbalance": 0.0, "random_state": 3},
            "standardize": True,
        },
        "algorithm": "SteepRLS",
        "parameters": {"n_clusters": 4, "alpha": 0.125, "random_state": 4},
    }
    page = new_page()
    page.goto(app)
    page.locator(".st-key-experiment_file input[type=file]").set_input_files(
        {"name": "e.json", "mimeType": "application/json", "buffer": json.dumps(saved).encode()}
    )
    page.wait_for_url(re.compile("algorithm=SteepRLS"))
    drawn(page)
    expect(page.locator(".st-key-chart_0 .legendtext")).to_have_count(4)
    expect(page.locator(".st-key-chart_0 .scatterlayer path.plotly-customdata")).to_have_count(60)
    for part in ("data=moons", "n=60", "n_clusters=4", "alpha=0.125", "random_state=4", "seed=3"):
        assert part in page.url.partition("?")[2].split("&")
    other = visit(page.url.partition("?")[2])
    assert read(other, "Q") == read(page, "Q")


def test_a_table_is_clustered_and_the_labels_come_back(visit, choose):
    """A loaded file is clustered; the labels file has all its rows in order, cluster and confidence."""
    page = visit("n=60")
    choose(page, "data", "table")
    load_file(page, _CSV.encode())
    points = page.locator(".st-key-chart_0 .scatterlayer path.plotly-customdata")
    expect(points).to_have_count(30)
    expect(page.locator("[data-testid=stAlert]")).to_have_count(0)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Labels (CSV)").click()
    download = waiting.value
    assert download.suggested_filename == "mine-labels.csv"
    table = pd.read_csv(download.path())
    given = pd.read_csv(io.StringIO(_CSV))
    assert list(table.columns) == ["name", "x", "y", "cluster", "confidence"]
    pd.testing.assert_frame_equal(table[["name", "x", "y"]], given)
    assert set(table["cluster"]) == {0, 1, 2}
    assert table["confidence"].between(0, 1).all()


def test_a_broken_table_is_explained_and_the_chart_stays(visit, choose):
    """A ragged file gives a message that names the line; the former chart stays, and the player works."""
    page = visit("n=60")
    choose(page, "data", "table")
    load_file(page, b"a,b\n1,2\n1,2,3\n4,5\n")
    expect(page.locator("[data-testid=stAlert]")).to_contain_text("line 3 of 'mine.csv' has 3 cells")
    points = page.locator(".st-key-chart_0 .scatterlayer path.plotly-customdata")
    expect(points).to_have_count(60)
    page.locator(".mmc-player").get_by_role("button", name="To the start").click()
    expect(page.locator(".mmc-caption")).to_have_text(re.compile("^0 of "))


def load_file(page: Page, content: bytes) -> None:
    """Load a file as the visitor's table."""
    page.locator(".st-key-upload input[type=file]").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": content}
    )


def test_the_exported_animation_plays_without_a_server(visit, new_page, tmp_path):
    """The downloaded page draws the chart and steps through it, and asks the network for nothing."""
    page = visit("data=moons&n=60&beside=SteepRLS")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Animation (HTML)").click()
    waiting.value.save_as(tmp_path / "animation.html")
    alone = new_page()
    asked: list[str] = []
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto((tmp_path / "animation.html").as_uri())
    alone.wait_for_selector("#chart-1 .scatterlayer .points path")
    expect(alone.locator(".js-plotly-plot")).to_have_count(2)
    line = alone.locator(".mmc-caption").first
    last = line.inner_text()
    assert last == page.locator(".mmc-caption").first.inner_text()
    alone.get_by_role("button", name="To the start").click()
    alone.keyboard.press(".")
    expect(line).to_have_text(re.compile("^UMCRLS: 1 of "))
    alone.get_by_role("button", name="To the end").click()
    expect(line).to_have_text(last)
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_a_long_run_can_be_cancelled(visit):
    """A run that takes long shows its progress; Cancel ends it and shows what it had reached."""
    page = visit("n=60")
    page.goto(page.url.partition("?")[0] + "?n=2000&n_init=50&data=spirals&n_shakes=40")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("[data-testid=stAlert]")).to_contain_text(re.compile("cancelled", re.IGNORECASE))
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)


@pytest.mark.parametrize(
    "where", ["", "Playground", "Playground?data=moons&n=60&beside=SteepRLS", "Cutting_planes?n=60"]
)
def test_a_dark_phone_shows_everything(where, app, new_page, drawn):
    """On a small dark screen nothing reaches beyond the side, and the player can be reached."""
    page = new_page(viewport={"width": 390, "height": 844}, color_scheme="dark", device_scale_factor=2)
    page.goto(f"{app}/{where}")
    if where:
        drawn(page)
    else:
        expect(page.locator(".st-key-learn [data-testid=stPageLink]")).to_have_count(5)
        page.get_by_text("more ready experiments").click()
        expect(page.get_by_role("link", name="Open", exact=True)).to_have_count(len(GALLERY) - 4)
    width = page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
    assert width <= 1
    ground = page.locator(".stApp").evaluate("e => getComputedStyle(e).backgroundColor")
    assert max(int(part) for part in re.findall(r"\d+", ground)[:3]) < 80
    for button in page.locator(".mmc-player button, .mmc-player input, .mmc-player select").all():
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


def test_an_absurd_address_ends_on_a_normal_page(visit):
    """A seed that is no number is named, the chart is drawn, and the address is that of the page."""
    page = visit("n=60&seed=1e309&random_state=-inf")
    notice = page.get_by_text("The address asks for what the controls do not take")
    expect(notice).to_contain_text("seed=1e309 (0 was taken)")
    expect(page.get_by_text("Something went wrong")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("1e309"))
