"""What tests wait for in a page of the app."""

from playwright.sync_api import Page

#: Whether the server has nothing more to say.
_QUIET = "() => !document.querySelector('[data-testid=stStatusWidget]')"

#: Whether, besides, no job is watched and nothing pale is shown that is to be drawn anew.
_AT_REST = """() => !document.querySelector(
    '[data-testid=stStatusWidget], .st-key-progress, .st-key-progress_above, [data-stale=true]')"""


def wait_for_quiet(page: Page) -> None:
    """Wait until the server has nothing more to say."""
    page.wait_for_function(_QUIET)


def wait_for_rest(page: Page) -> None:
    """Wait until the page has nothing more to do."""
    page.wait_for_function(_AT_REST)
