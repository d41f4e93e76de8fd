"""Names of Streamlit's sessions that are not public, in one place.

`tests/test_private_apis.py` says what is missing when a new release moves one of them.
"""

from __future__ import annotations

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx


def current_session() -> str:
    """Return the identifier of the visitor's session; empty without a server, as in tests of a page."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def is_connected(session: str) -> bool:
    """Return whether the browser of a session is connected, which includes tabs in the background.

    Without a server every session counts as connected.
    """
    if not session or not runtime.exists():
        return True
    return bool(runtime.get_instance().is_active_session(session))
