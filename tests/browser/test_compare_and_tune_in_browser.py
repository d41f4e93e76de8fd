"""Visits to the pages that compare and tune: cells that fill in, presses, hovering, phones, dark."""

import re

import pytest
from playwright.sync_api import Page, expect

from mmc import registry
from mmc.datasets import CATALOG

_SMALL = "sets=moons&sets=noise&algorithms=UMCRLS&algorithms=SMIC&algorithms=MMC&points=120&repeats=1"
_GRID = (
    "data=moons&n=80&kernel=rbf&paper_grid=false"
    "&across=width&upwards=alpha&values_width=0.5,2&values_alpha=0.01,1"
)


def width_beyond(page: Page) -> int:
    """Measure how far the page reaches beyond the side of the screen."""
    return page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")


def test_the_page_can_be_used_while_it_compares(app, new_page):
    """Views change while cells fill in, and what is done when it is cancelled stays."""
    page = new_page()
    page.goto(f"{app}/Compare?all_sets=true&all_algorithms=true")
    page.locator(".mmc-pictures .mmc-done").first.wait_for()
    for view, sign in {
        "Table": "[data-testid=stDataFrame]",
        "Consensus": ".st-key-consensus",
        "Pictures": ".mmc-pictures",
    }.items():
        page.get_by_role("radio", name=view, exact=True).click()
        page.locator(sign).first.wait_for(state="attached")
    page.get_by_role("button", name="Cancel").click()  # it is still at work
    expect(page.locator("[data-testid=stAlert]")).to_contain_text("cancelled")
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    expect(page.locator(".mmc-pictures .mmc-wait").first).to_be_attached()
    expect(page.locator(".mmc-pictures .mmc-done").first).to_be_attached()
    refused = page.locator(".mmc-pictures .mmc-no").all_inner_texts()
    limited = [entry for entry in registry.ALGORITHMS.values() if entry.max_samples < 300]
    toys = [key for key, entry in CATALOG.items() if entry.kind == "toy"]
    assert len(refused) == len(limited) * len(toys)
    assert all("points are more than the" in text for text in refused), refused


def test_a_picture_opens_its_run(app, new_page, drawn):
    """A press on a cell opens the playground with data, size and algorithm of the cell."""
    page = new_page()
    page.goto(f"{app}/Compare?{_SMALL}")
    cell = page.get_by_role("button", name=re.compile("^SMIC on moons: ARI"))
    cell.wait_for()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    cell.click()
    page.wait_for_url(re.compile(r"/Playground\?"))
    assert re.search(r"[?&]algorithm=SMIC(&|$)", page.url)
    assert re.search(r"[?&]data=moons(&|$)", page.url)
    assert re.search(r"[?&]n=120(&|$)", page.url)
    drawn(page)


def test_pictures_are_drawn_and_a_limit_is_said(app, new_page):
    """Cells hold a picture in the colours of clusters; an algorithm that takes fewer points says so."""
    page = new_page()
    page.goto(f"{app}/Compare?{_SMALL}")
    expect(page.locator(".mmc-pictures .mmc-done")).to_have_count(4)
    expect(page.locator(".mmc-pictures .mmc-no").first).to_contain_text("120 points are more than the 100")
    colours = page.locator(".mmc-pictures .mmc-done canvas").first.evaluate(
        """canvas => {
            const seen = new Set();
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            for (let i = 0; i < data.length; i += 4) {
                if (data[i + 3] === 255) seen.add([data[i], data[i + 1], data[i + 2]].join());
            }
            return [...seen];
        }"""
    )
    assert {"0,114,178", "230,159,0"} <= set(colours)


def test_a_cell_of_the_map_shows_its_clusters_and_is_chosen(app, new_page, drawn):
    """Resting on a cell shows what it holds; pressing it puts it into the address and shows its run below."""
    page = new_page()
    page.goto(f"{app}/Tune?{_GRID}")
    drawn(page)
    cell = page.get_by_role("button", name=re.compile("^Kernel width 2, Regularisation λ 0.01, LSMI"))
    cell.hover()
    panel = page.locator(".mmc-panel .mmc-lines")
    expect(panel).to_contain_text("Kernel width 2, Regularisation λ 0.01")
    cell.click()
    page.wait_for_url(
        re.compile(r"[?&]cell=width\+2(%2C|,)\+alpha\+0\.01|cell=width%202(%2C|,)%20alpha%200\.01")
    )
    expect(page.locator(".mmc-heat .mmc-chosen")).to_have_attribute(
        "aria-label", re.compile("^Kernel width 2, Regularisation λ 0.01")
    )
    drawn(page)
    page.reload()
    drawn(page)
    expect(page.locator(".mmc-heat .mmc-chosen")).to_have_attribute(
        "aria-label", re.compile("^Kernel width 2, Regularisation λ 0.01")
    )


@pytest.mark.parametrize("address", [f"Compare?{_SMALL}", f"Tune?{_GRID}"], ids=["compare", "tune"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_small_screens_hold_the_page(app, new_page, address, scheme):
    """On a phone the page is as wide as the screen; a wide table moves within it."""
    page = new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page.goto(f"{app}/{address}")
    page.locator(".mmc-cells .mmc-done").first.wait_for()
    assert width_beyond(page) <= 0
    inside = page.locator(".mmc-scroll").evaluate(
        "box => box.getBoundingClientRect().right - window.innerWidth"
    )
    assert inside <= 0
