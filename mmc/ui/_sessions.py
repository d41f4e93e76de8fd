"""Names of Streamlit's sessions that are not public, in one place.

`tests/test_private_apis.py` says what is missing when a new release moves one of them.
"""

from __future__ import annotations

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

#: Cookie that Streamlit gives to each browser; all its tabs have it.
_COOKIE = "_streamlit_xsrf"


def current_session() -> str:
    """Return the identifier of the visitor's session; empty without a server, as in tests of a page."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def current_visitor() -> str:
    """Return what the tabs of one browser have in common; the session if the browser takes no cookies."""
    if not runtime.exists():
        return current_session()
    return st.context.cookies.get(_COOKIE) or current_session()


def is_connected(session: str) -> bool:
    """Return whether the browser of a session is connected, which includes tabs in the background.

    Without a server every session counts as connected.
    """
    if not session or not runtime.exists():
        return True
    return bool(runtime.get_instance().is_active_session(session))


def close(session: str) -> None:
    """Drop all that the server keeps for a session: its state and its files."""
    if runtime.exists():
        server = runtime.get_instance()
        server._get_async_objs().eventloop.call_soon_threadsafe(server.close_session, session)
