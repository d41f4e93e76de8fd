"""The picture that a visitor sees before the browser has loaded Plotly."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_is_there_before_plotly(
    app: str, new_page: Callable[..., Page], drawn: Callable[[Page], None], scheme: str
) -> None:
    """While Plotly's script is held back the picture is drawn; it leaves when the chart is in its place."""
    page = new_page(alone=True, color_scheme=scheme)
    held: list[Route] = []
    page.route("**/PlotlyChart*.js", lambda route: held.append(route))
    page.goto(f"{app}/Playground?n=60")
    picture = page.locator(".st-key-first_0 img")
    picture.wait_for()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 300
    assert page.locator(".js-plotly-plot").count() == 0
    before = picture.bounding_box()
    assert held
    for route in held:
        route.continue_()
    page.unroute("**/PlotlyChart*.js")
    drawn(page)
    picture.wait_for(state="hidden")
    after = page.locator(".st-key-chart_0 .js-plotly-plot").bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["x"] - after["x"]) < 4
    assert abs(before["y"] - after["y"]) < 4
    assert abs(before["width"] - after["width"]) < 4
    assert abs(before["height"] - after["height"]) < 8
