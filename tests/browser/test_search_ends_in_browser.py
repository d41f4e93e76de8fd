"""When a search ends, what was drawn while it went on stays in its place and in its colours."""

import pytest
from playwright.sync_api import Page

#: The address of a search that takes some seconds, what is drawn while it goes on, and in the end.
_SEARCHES = {
    "Model selection": (
        "Model_selection?algorithm=UMCRLS&n=500&sweep=n_neighbors&candidates=5,7,9,11,13,15,17,19,21",
        {".st-key-picture_0": ".st-key-picture_0", ".st-key-growing_curve": ".st-key-curve"},
        ".st-key-chart_0 .scatterlayer .points path",
    ),
    "Find clusters": (
        "Find_clusters?n=500",
        {".st-key-growing_clusters": ".st-key-clusters", ".st-key-growing_counts": ".st-key-counts"},
        ".st-key-clusters .scatterlayer .points path",
    ),
}


#: Measures at one moment where the parts begin, once the progress and the last of them are drawn.
_GROWING = """parts => {
  const boxes = parts.map(part => document.querySelector(part)?.getBoundingClientRect());
  const ready = document.querySelector(".st-key-progress_above") &&
    document.querySelector(`${parts.at(-1)} .main-svg`) && boxes.every(Boolean);
  return ready && boxes.map(box => [box.x, box.y]);
}"""


def place(page: Page, selector: str) -> tuple[float, float]:
    """Measure where a part of the page begins."""
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["x"], box["y"]


@pytest.mark.parametrize("search", _SEARCHES)
def test_nothing_moves_when_a_search_ends(app, new_page, search):
    """Picture and curve begin where they began while the search went on."""
    address, parts, end = _SEARCHES[search]
    page = new_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{app}/{address}")
    growing = page.wait_for_function(_GROWING, arg=list(parts), timeout=60_000).json_value()
    before = dict(zip(parts.values(), growing, strict=True))
    page.wait_for_selector(end, state="attached", timeout=120_000)
    page.wait_for_selector(".st-key-progress_above", state="detached")
    page.wait_for_timeout(500)
    for final, (x, y) in before.items():
        assert place(page, final) == pytest.approx((x, y), abs=6), final
