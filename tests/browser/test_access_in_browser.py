"""Everyone can use the pages: axe-core has no serious complaint, and the keyboard alone is enough."""

import re

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from mmc import UMCRLS, registry
from mmc.datasets import load
from mmc.figures import animation_html, make_scene, make_story, make_view
from mmc.recording import record
from mmc.ui.parameter_sidebar import algorithm_title
from tests.browser.waits import wait_for_rest

_GRID = "across=width&upwards=alpha&values_width=0.5,2&values_alpha=0.01,1"
_PAGES = {
    "": "[data-testid=stPageLink]",
    "Find_clusters?n=60&most=4": ".st-key-counts .points path",
    "Playground?n=60": ".st-key-chart_0 .points path",
    "Playground?n=60&present=1": ".st-key-chart_0 .points path",
    "Cutting_planes?n=60": ".st-key-chart_0 .points path",
    "Compare?n=60&sets=moons&algorithms=KMeans": ".mmc-pictures .mmc-done",
    "Model_selection?n=60&candidates=3,6": ".st-key-chart_0 .points path",
    f"Tune?n=60&kernel=rbf&paper_grid=false&{_GRID}": ".st-key-chart_0 .points path",
    "Images?picture=shapes&sample=500": ".mmc-segments canvas",
    "Papers": "[data-testid=stMain] h3",
    "Lessons?teacher=true": ".mmc-hints",
    "Lessons?lesson=easy-to-learn": ".st-key-lesson_picture img",
    "Lessons?lesson=easy-to-learn&print=true": ".mmc-printed img",
}
_ASK = """async () => {
    const found = await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'best-practice']});
    return found.violations
        .filter(v => ['serious', 'critical'].includes(v.impact))
        .map(v => `${v.id}: ${v.nodes.map(n => n.html.slice(0, 120) + ' ' + n.failureSummary).join('; ')}`);
}"""


def complaints(page: Page) -> list[str]:
    """Ask axe-core in both themes; return its serious and critical violations."""
    page.evaluate(AXE_SCRIPT)
    page.add_style_tag(content="* {transition: none !important; animation: none !important}")
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(150)  # the page learns of it and is drawn again
        found += [f"{scheme}: {each}" for each in page.evaluate(_ASK)]
    return found


@pytest.mark.parametrize("where", _PAGES)
def test_no_page_has_a_serious_barrier(where, app, new_page):
    """Wide and on a phone, in light and dark: names, roles, contrast, order."""
    page = new_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{app}/{where}")
    page.wait_for_selector(_PAGES[where])
    wait_for_rest(page)
    found = complaints(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(400)
    assert found + complaints(page) == []


def test_an_answered_step_has_no_serious_barrier(app, new_page):
    """The verdict, the answer, two pictures with a player, the table and the ways on."""
    page = new_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{app}/Lessons?lesson=descent-and-shaking&step=2")
    page.get_by_role("button", name="Shaking").click()
    page.wait_for_selector(".st-key-chart_1 .points path")
    wait_for_rest(page)
    found = complaints(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(400)
    assert found + complaints(page) == []


def test_the_exported_page_has_no_serious_barrier(new_page, tmp_path):
    """The animation that was taken home, opened from disk."""
    data = load("moons", n_samples=40, random_state=0)
    scene = make_scene(record(UMCRLS(2, random_state=0), data.X), make_view(data.X, data.feature_names))
    stories = {"UMCRLS": make_story(scene, registry.get("UMCRLS"))}
    file = tmp_path / "page.html"
    text = animation_html({"UMCRLS": scene}, "Q", "Moons", "Data: moons.", stories)
    file.write_text(text, encoding="utf-8")
    page = new_page(offline=True)
    page.goto(file.as_uri())
    page.wait_for_selector("#chart-0 .scatterlayer .points path")
    assert complaints(page) == []


def tab_to(page: Page, name: str) -> None:
    """Press Tab until a control with this accessible name has the focus."""
    where = """() => {
        let at = document.activeElement;
        while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
        return at === document.body ? '' : at.getAttribute('aria-label') || at.innerText || '';
    }"""
    for _ in range(120):
        if re.search(name, page.evaluate(where)):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"Tab never reaches {name}")


def test_an_experiment_needs_no_pointer(visit):
    """Choose another algorithm, play, step, look at rows and take the labels home, with keys alone."""
    page = visit("n=60")
    tab_to(page, "Algorithm")
    page.keyboard.type(algorithm_title("SteepRLS"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("algorithm=SteepRLS"))
    expect(page.locator(".mmc-story")).to_contain_text(algorithm_title("SteepRLS"))
    wait_for_rest(page)
    tab_to(page, "To the start")
    page.keyboard.press("Enter")
    expect(page.locator(".mmc-caption").first).to_have_text(re.compile("^0 of "))
    tab_to(page, r"Step \(right")
    page.keyboard.press("Enter")
    expect(page.locator(".mmc-caption").first).to_have_text(re.compile("^1 of "))
    tab_to(page, "Rows")
    page.keyboard.type("0, 10-12")
    page.keyboard.press("Enter")
    expect(page.get_by_text("4 selected points")).to_be_visible()
    tab_to(page, r"Labels \(CSV\)")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename.endswith("labels.csv")


def test_a_cell_of_the_map_needs_no_pointer(app, new_page, drawn):
    """Tab reaches the cells of Tune, and Enter chooses one."""
    page = new_page()
    page.goto(f"{app}/Tune?data=moons&n=60&kernel=rbf&paper_grid=false&{_GRID}")
    drawn(page)
    tab_to(page, "^Kernel width 2, Regularisation λ 0.01")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("cell="))
