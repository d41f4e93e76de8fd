"""What the app uses of Streamlit's sessions beyond its public interface, in one place.

`tests/test_private_apis.py` says what is missing when a new release moves one of these.
"""

from __future__ import annotations

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx


def current_session() -> str:
    """Give the name of the visitor's session; empty where there is no server, as in tests of a page."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def is_connected(session: str) -> bool:
    """Say whether the browser of a visitor is connected; a tab in the background is.

    Parameters
    ----------
    session : str
        Name of the session.

    Returns
    -------
    bool
        True where there is no server.
    """
    if not session or not runtime.exists():
        return True
    return bool(runtime.get_instance().is_active_session(session))
