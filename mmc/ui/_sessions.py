"""Names of Streamlit's sessions that are not public, in one place.

`tests/test_private_apis.py` says what is missing when a new release moves one of them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

#: Cookie that Streamlit gives to each browser; all its tabs have it.
_COOKIE = "_streamlit_xsrf"

#: Messages by which the server answers a browser: where a file goes, and where one that was made is.
_ANSWERS = ("file_urls_response", "backend_operation_response")

#: Seconds for which a download button of the run before still makes its file.
_LINGERS = 60.0

_clear_queue = ForwardMsgQueue.clear


def current_session() -> str:
    """Return the identifier of the visitor's session; empty without a server, as in tests of a page."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def current_visitor() -> str:
    """Return what the tabs of one browser have in common; the session if the browser takes no cookies."""
    if not runtime.exists():
        return current_session()
    return st.context.cookies.get(_COOKIE) or current_session()


def went_through_history() -> bool:
    """Return whether this run of a page follows the browser's Back or Forward."""
    context = get_script_run_ctx(suppress_warning=True)
    return bool(context and context.is_history_navigation)


def is_connected(session: str) -> bool:
    """Return whether the browser of a session is connected, which includes tabs in the background.

    Without a server every session counts as connected.
    """
    if not session or not runtime.exists():
        return True
    return bool(runtime.get_instance().is_active_session(session))


def close(session: str) -> None:
    """Drop all that the server keeps for a session: its state and its files."""
    if not runtime.exists():
        return
    server = runtime.get_instance()

    def drop() -> None:
        server.close_session(session)
        server.media_file_mgr.remove_orphaned_files()  # else they stay until another page has run

    server._get_async_objs().eventloop.call_soon_threadsafe(drop)


def uploaded_bytes() -> int:
    """Return the size of the files that Streamlit holds for all sessions; 0 without a server."""
    if not runtime.exists():
        return 0
    sessions = list(_files().file_storage.values())
    return sum(len(file.data) for files in sessions for file in list(files.values()))


def drop_upload(file: str) -> None:
    """Drop Streamlit's copy of a file of the visitor."""
    if runtime.exists():
        _files().remove_file(current_session(), file)


def _files() -> Any:
    """Return Streamlit's store of files, which are in memory."""
    return runtime.get_instance().uploaded_file_mgr


def watch_no_files() -> None:
    """Let sessions that come back not look for changed source files, as new ones do not.

    The setting `fileWatcherType = "none"` concerns new sessions alone. Every other one would look through all
    modules, which holds up the whole server for a moment.
    """
    AppSession.register_file_watchers = lambda self: None  # type: ignore[method-assign]


def keep_answers() -> None:
    """Let answers to a browser outlast the begin of a run.

    A run of a page drops what has not been sent of the run before, and with it answers that belong to none: a
    file that is loaded in that moment would never arrive, and a download never begin.
    """
    ForwardMsgQueue.clear = _clear_but_answers  # type: ignore[method-assign]


def _clear_but_answers(
    self: ForwardMsgQueue,
    retain_lifecycle_msgs: bool = False,
    fragment_ids_this_run: list[str] | None = None,
) -> None:
    """Clear a queue of messages as Streamlit does, but keep answers where other messages are kept."""
    before = list(self._queue)
    _clear_queue(self, retain_lifecycle_msgs, fragment_ids_this_run)
    if retain_lifecycle_msgs:
        kept = {id(message) for message in self._queue}
        answers = [m for m in before if m.WhichOneof("type") in _ANSWERS and id(m) not in kept]
        self._queue = answers + self._queue


def keep_downloads() -> None:
    """Let the download buttons that a visitor sees work while the page is drawn anew.

    A run gives each button a new file, and Streamlit drops the old ones as soon as a run of any visitor ends:
    who clicks before the new button has arrived would get nothing.
    """
    manager: Any = MediaFileManager
    manager._remove_orphaned_deferred_callables = _remove_old_downloads


def _remove_old_downloads(self: Any) -> None:
    """Drop what makes a file for a button that is gone for a while, or whose visitor is."""
    shown = {file for files in self._files_by_session_and_coord.values() for file in files.values()}
    now = time.monotonic()
    for file, entry in list(self._deferred_callables.items()):
        if file in shown:
            entry.pop("gone since", None)
        elif not is_connected(entry["session_id"]) or now - entry.setdefault("gone since", now) > _LINGERS:
            self._drop_deferred_id(file)


def made_file(make: Callable[[], str | bytes], name: str, mime: str) -> Callable[[], str | bytes]:
    """Return a function for a download button that makes a file on request and keeps it for the download.

    Streamlit makes the file outside of any session and drops what no session refers to as soon as other pages
    have run, often before the browser has asked for it. Here the visitor's session refers to it.

    Parameters
    ----------
    make : callable
        Returns the content of the file.
    name, mime : str
        Name and type of the file.
    """
    context = get_script_run_ctx(suppress_warning=True)

    def in_session() -> str | bytes:
        add_script_run_ctx(threading.current_thread(), context)
        content = make()
        files = runtime.get_instance().media_file_mgr
        data = content if isinstance(content, bytes) else content.encode()
        files.add(data, mime, f"made {name}", file_name=name, is_for_static_download=True)
        return content

    def made() -> str | bytes:
        if context is None or not runtime.exists():
            return make()
        with ThreadPoolExecutor(1) as thread:  # one that belongs to no other session
            return thread.submit(in_session).result()

    return made
